"""The script of a release names all that is in its way, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts.release import main, problems_of

_CHANGES = "# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-11-29\n\n- Something.\n"
_MANUAL = '.TH LOGDUMP 1 "" "logdump 1.2.0"\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that can be released as 1.2.0."""
    (tmp_path / "logdump").mkdir()
    (tmp_path / "logdump" / "__init__.py").write_text('__version__ = "1.2.0"\n', "utf-8")
    (tmp_path / "man").mkdir()
    (tmp_path / "man" / "logdump.1").write_text(_MANUAL, "utf-8")
    (tmp_path / "CHANGELOG.md").write_text(_CHANGES, "utf-8")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "all"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    return tmp_path


def test_a_checkout_in_order_has_no_problem(checkout: Path) -> None:
    assert list(problems_of("1.2.0", checkout)) == []


@pytest.mark.parametrize(
    ("version", "changed", "part"),
    [
        ("1.2", {}, "is no version"),
        ("1.3.0", {}, "has another version"),
        ("1.2.0", {"CHANGELOG.md": _CHANGES.replace(" - 2026-11-29", "")}, "no heading"),
        (
            "1.2.0",
            {"CHANGELOG.md": _CHANGES.replace("[Unreleased]\n", "[Unreleased]\n\n- More.\n")},
            "under Unreleased",
        ),
        ("1.2.0", {"man/logdump.1": _MANUAL.replace("1.2.0", "1.1.0")}, "update_docs"),
        ("1.2.0", {"other.txt": "x"}, "not committed"),
    ],
)
def test_what_is_in_the_way_is_named(checkout: Path, version: str, changed: dict[str, str], part: str) -> None:
    for name, text in changed.items():
        (checkout / name).write_text(text, "utf-8")
    assert any(part in problem for problem in problems_of(version, checkout))


def test_a_tag_that_is_there_is_in_the_way(checkout: Path) -> None:
    subprocess.run(["git", "tag", "v1.2.0"], cwd=checkout, check=True)
    assert [problem for problem in problems_of("1.2.0", checkout) if "is there already" in problem] != []


def test_without_a_version_it_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 2
    assert "usage" in capsys.readouterr().err
