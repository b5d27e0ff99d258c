"""``python -m scripts.site``: lay out the documents as the source of a site, and build it with MkDocs.

The pages keep their places in the repository, so that the links between them are the same there and here; files that
they link to come along. The contents are the tables of docs/README.md, which are ordered by who reads.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from scripts.marked import ROOT

SITE = ROOT / "build" / "site"
CONTENTS = PurePosixPath("docs/README.md")
_OTHERS = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "tests/robustness.md",
    "tests/seed-trace.md",
    "fixtures/README.md",
)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEAD = re.compile(r"^\| ([A-Z][^|]*) \| \|$")
_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


class Section(NamedTuple):
    """A section of the contents: its title, and its pages by their paths in the repository."""

    title: str
    pages: tuple[PurePosixPath, ...]


def main() -> int:
    """Lay out the site and build it; return the exit status."""
    lay_out(SITE)
    sys.stdout.write(f"{SITE.relative_to(ROOT)}/source has the pages\n")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(SITE / "mkdocs.yml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own command
    sys.stdout.write(done.stderr if done.returncode else f"{SITE.relative_to(ROOT)}/pages has the site\n")
    return done.returncode


def lay_out(site: Path, root: Path = ROOT) -> None:
    """Write the sources of the site, with its configuration, into a folder that is made anew."""
    shutil.rmtree(site, ignore_errors=True)
    for page in pages(root):
        _copy(root, page, site)
        for link in links_of(root, page):
            if (root / link).is_file():
                _copy(root, link, site)
    _copy(root, CONTENTS.parent / "site.css", site)
    options = json.loads((root / "docs" / "site.json").read_text(encoding="utf-8"))
    options["nav"] = [{section.title: [str(page) for page in section.pages]} for section in contents(root)]
    (site / "mkdocs.yml").write_text(json.dumps(options, indent=1), encoding="utf-8")


def _copy(root: Path, path: PurePosixPath, site: Path) -> None:
    target = site / "source" / path
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / path, target)


def pages(root: Path = ROOT) -> Sequence[PurePosixPath]:
    """Return all pages: those of docs, and those beside them that the documents link to."""
    of_docs = sorted((root / "docs").rglob("*.md"))
    return (*map(PurePosixPath, _OTHERS), *(PurePosixPath(path.relative_to(root).as_posix()) for path in of_docs))


def links_of(root: Path, page: PurePosixPath) -> Iterator[PurePosixPath]:
    """Yield the paths in the repository to which a page links, without those of other sites and of itself."""
    for link in _LINK.findall(_FENCE.sub("", (root / page).read_text(encoding="utf-8"))):
        name = link.partition("#")[0]
        if name and "://" not in name and not name.startswith("mailto:"):
            yield _resolved(root, page, name)


def _resolved(root: Path, page: PurePosixPath, link: str) -> PurePosixPath:
    """Return the path in the repository of what a link of a page means."""
    return PurePosixPath((root / page.parent / link.partition("#")[0]).resolve().relative_to(root.resolve()).as_posix())


def contents(root: Path = ROOT) -> Sequence[Section]:
    """Return the sections of docs/README.md, then the pages that no section has."""
    sections = [Section("Home", (PurePosixPath("README.md"), CONTENTS))]
    named: list[PurePosixPath] = []
    for line in (root / CONTENTS).read_text(encoding="utf-8").splitlines():
        if head := _HEAD.match(line):
            sections.append(Section(head[1], ()))
        elif line.startswith("| ["):
            linked = [_resolved(root, CONTENTS, link) for link in _LINK.findall(line)]
            new = [page for page in linked if page not in named]
            sections[-1] = sections[-1]._replace(pages=(*sections[-1].pages, *new))
            named += new
    rest = [page for page in pages(root) if page not in named and page not in sections[0].pages]
    for title, folder in (("Reference", "docs/reference"), ("Decisions", "docs/decisions"), ("Project", "")):
        own = tuple(page for page in rest if str(page.parent) == folder or not folder)
        rest = [page for page in rest if page not in own]
        sections.append(Section(title, own))
    return [section for section in sections if section.pages]


if __name__ == "__main__":
    raise SystemExit(main())
