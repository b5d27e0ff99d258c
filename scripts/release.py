"""``python -m scripts.release VERSION``: check that a commit can be released as a version, then tag it.

Nothing is pushed and nothing is published: the last lines say what is left to do.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")


def main(*arguments: str) -> int:
    """Check, build and tag; return the exit status."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m scripts.release VERSION\n")
        return 2
    version = arguments[0]
    if problems := list(problems_of(version)):
        sys.stderr.write("".join(f"{problem}\n" for problem in problems))
        return 1
    tag = ["git", "tag", "-a", f"v{version}", "-m", f"Release {version}"]
    for command in (["make", "check"], ["make", "wheels"], ["make", "sbom"], tag):
        if status := subprocess.run(command, cwd=ROOT, check=False).returncode:  # noqa: S603 - our own commands
            return status
    sys.stdout.write(f"v{version} is tagged, dist has its files. Left: git push --tags, and docs/install.md.\n")
    return 0


def problems_of(version: str, root: Path = ROOT) -> Iterator[str]:
    """Yield the reasons why a version cannot be released from a checkout."""
    if _VERSION.fullmatch(version) is None:
        yield f"{version} is no version such as 1.2.0"
    if f'__version__ = "{version}"' not in (root / "logdump" / "__init__.py").read_text("utf-8"):
        yield f"logdump/__init__.py has another version than {version}"
    if f'"logdump {version}"' not in (root / "man" / "logdump.1").read_text("utf-8"):
        yield f"man/logdump.1 is not of {version}: run python -m scripts.update_docs"
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    if re.search(rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", changes, re.MULTILINE) is None:
        yield f"CHANGELOG.md has no heading ## [{version}] with a date"
    if changes.partition("## [Unreleased]")[2].partition("\n## [")[0].strip():
        yield "CHANGELOG.md has changes under Unreleased: move them to the version"
    if _answer(root, "git", "status", "--porcelain"):
        yield "the checkout has changes that are not committed"
    if _answer(root, "git", "tag", "--list", f"v{version}"):
        yield f"the tag v{version} is there already"


def _answer(root: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603 - our own commands
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
