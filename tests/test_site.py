"""The site has every page once, and no link of it leads nowhere."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path, PurePosixPath

import pytest

from scripts import site
from tests.searching import IS_LONG


def test_each_page_is_in_the_contents_once() -> None:
    named = [page for section in site.contents() for page in section.pages]
    assert sorted(named) == sorted(set(named)) == sorted(site.pages())


def test_sections_are_those_of_the_contents() -> None:
    sections = {section.title: [page.name for page in section.pages] for section in site.contents()}
    assert [*sections][:2] == ["Home", "When something is wrong"]
    assert sections["When something is wrong"][:2] == ["finding.md", "explain.md"]
    assert "SECURITY.md" in sections["To judge it"]
    assert sections["Decisions"] == sorted(sections["Decisions"]) != []


def test_what_a_page_links_to_is_laid_out_where_it_looks_for_it(tmp_path: Path) -> None:
    site.lay_out(tmp_path / "site")
    for page in site.pages():
        for link in site.links_of(tmp_path / "site" / "source", page):
            assert (tmp_path / "site" / "source" / link).is_file(), (page, link)


def test_a_link_to_nothing_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("[a](../b.md#c) [d](https://e) [f](#g)\n```\n[h](i.md)\n```\n[j](k/l.md)\n", encoding="utf-8")
    assert [str(link) for link in site.links_of(tmp_path, PurePosixPath("docs/page.md"))] == [
        "b.md",
        "docs/k/l.md",
    ]


@pytest.mark.skipif(not IS_LONG, reason="make test-long has the time")
@pytest.mark.skipif(importlib.util.find_spec("mkdocs") is None, reason="needs mkdocs-material, of the extra docs")
def test_mkdocs_builds_it_without_a_warning(tmp_path: Path) -> None:
    site.lay_out(tmp_path / "site")
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--config-file",
        str(tmp_path / "site" / "mkdocs.yml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
