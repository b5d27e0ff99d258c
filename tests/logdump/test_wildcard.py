"""Logdump's wildcards.

Several files of a trail are read in the order in which they were written, whatever their numbers are.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.features.check.model import GapShown
from logdump.notation.text import _compile, matches
from logdump.session.files import matching_files
from tests.logdump.line import Line
from tests.logdump.tables.reads import planned, rows
from trailformat import TrailSequence

WRITTEN = [
    ["lt000000", "lt000001", "lt000002"],
    ["lt999998", "lt999999", "lt000000", "lt000001"],
    ["lt000007", "lt000008", "lt000000000", "lt000000001"],
    ["lt999999", "lt000000", "lt000000005"],
    ["lt999999999", "lt000000000"],
]


@pytest.fixture(params=WRITTEN, ids=" ".join)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """The files of a trail, first written first; none of them begins with a good record."""
    paths = [tmp_path / name for name in request.param]
    for path in paths:
        path.write_bytes((TRAILS / "gt000000000").read_bytes())
    return paths


def test_every_reader_of_several_files_takes_them_in_the_order_of_writing(written: list[Path], line: Line) -> None:
    wildcard = written[0].parent / "lt*"
    assert list(TrailSequence(written[0]).paths) == written
    assert matching_files(str(wildcard)) == written
    counted = [text for text in line(f"count log {wildcard}") if " counted, " in text]
    assert [text.split()[1] for text in counted] == list(map(str, written))
    line(f"check {wildcard}")
    assert [event.path for event in line.events if isinstance(event, GapShown)] == written
    assert [part.path for slices in planned(wildcard) for part in slices] == list(map(str, written))


def test_rows_of_spark_tell_the_order_of_their_files(written: list[Path]) -> None:
    found = rows(written[0].parent / "lt*", "file", "file_order", mode="DROPMALFORMED")
    assert {row["file_order"]: row["file"] for row in found} == dict(enumerate(map(str, written)))


def test_files_of_no_trail_come_last_and_trails_by_their_names(tmp_path: Path) -> None:
    for name in ("zz", "lt000001", "lt000000", "kt999999", "kt000000", "a1b"):
        shutil.copy(TRAILS / "et000000000", tmp_path / name)
    found = [path.name for path in matching_files(f"{tmp_path}/*")]
    assert found == ["kt999999", "kt000000", "lt000000", "lt000001", "a1b", "zz"]


def test_a_comma_may_be_part_of_a_name_that_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "a,b"
    folder.mkdir()
    paths = [folder / name for name in ("at000000000", "at000000001")]
    for path in paths:
        shutil.copy(TRAILS / path.name, path)
    assert matching_files(",".join(map(str, paths))) == paths
    (tmp_path / "b").mkdir()
    other = Path(shutil.copy(TRAILS / "et000000000", tmp_path / "b" / "et000000000"))
    assert matching_files(f"{folder}, {other}") == [*paths, other]


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("fin.act*", "fin.act"),
        ("fin.act*", "fin.act_2024"),
        ("sales.res*", "sales.results.old"),
        ("$QA01.QAESRC.ACCT*", "$QA01.QAESRC.ACCTN"),
        ("*", ""),
        ("*", "a.b.c"),
        ("**", "x"),
        ("?", "x"),
        ("???", "abc"),
        ("*?", "a"),
        ("?*", "abc"),
        ("*.EMP", "HR.EMP"),
        ("H*.E*P", "HR.EMP"),
        ("*a*b*", "xxaxxbxx"),
        ("*ab", "abab"),
        ("", ""),
        ("a[b-d]", "a[b-d]"),
        ("a\\*", "a\\anything"),
        ("a.b", "a.b"),
        ("a(b|c)+$", "a(b|c)+$"),
        ("?", "\n"),
        ("a*b", "a\n\nb"),
        ("Größe_?", "Größe_é"),
    ],
)
def test_fits(pattern: str, name: str) -> None:
    assert matches(pattern, name, case_sensitive=True)
    assert matches(pattern, name, case_sensitive=False)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("fin.act*", "fin.ac"),
        ("fin.act*", "xfin.act"),
        ("?", ""),
        ("??", "a"),
        ("*?", ""),
        ("", "a"),
        ("a", "a\n"),
        ("a*", "ba"),
        ("*a", "ab"),
        ("*a*b", "ba"),
        ("a*a", "a"),
        ("a[b-d]", "ac"),
        ("a.b", "axb"),
        ("a\\?", "a?"),
    ],
)
def test_does_not_fit(pattern: str, name: str) -> None:
    assert not matches(pattern, name, case_sensitive=True)
    assert not matches(pattern, name, case_sensitive=False)


def test_case() -> None:
    assert matches("hr.Emp*", "HR.EMPLOYEES", case_sensitive=False)
    assert not matches("hr.Emp*", "HR.EMPLOYEES", case_sensitive=True)


def plainly(pattern: str, name: str) -> bool:
    """The definition, without any cleverness."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(plainly(pattern[1:], name[start:]) for start in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and plainly(pattern[1:], name[1:])


@given(st.text("ab*?", max_size=9), st.text("ab", max_size=9))
def test_is_what_the_definition_says(pattern: str, name: str) -> None:
    assert matches(pattern, name, case_sensitive=True) == plainly(pattern, name)


@pytest.mark.parametrize("pattern", ["*a" * 300 + "*b", "*" * 5000 + "b", "*" + "?" * 300 + "b", "a*" * 300 + "b"])
def test_a_hostile_pattern_takes_no_time(pattern: str) -> None:
    started = time.process_time()
    assert not matches(pattern, "a" * 10_000, case_sensitive=True)
    assert time.process_time() - started < 2


def test_patterns_are_compiled_once_and_their_number_is_bounded() -> None:
    assert _compile("once*", case_sensitive=True) is _compile("once*", case_sensitive=True)
    assert _compile.cache_info().maxsize == 256
