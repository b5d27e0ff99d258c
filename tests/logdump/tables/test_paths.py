"""Which files ``load`` means, and in which order they are read.

Packed trails give the rows of the same trail unpacked, in one slice or in many.
"""

from __future__ import annotations

import gzip
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.tables.errors import BadOption, NoTrailFiles
from logdump.tables.options import Options
from logdump.tables.paths import find_files
from logdump.tables.planner import plan
from tests.logdump.tables.reads import rows
from tests.searching import IS_LONG

NAMES = ("at000000000", "at000000001", "at000000002")
COLUMNS = ("file", "rba", "op", "csn", "xid")


def without_place(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "file": Path(row["file"]).name.removesuffix(".gz")} for row in found]


@pytest.mark.parametrize("options", [{}, {"maxPartitionBytes": "900"}])
def test_a_folder_of_packed_files_is_read_like_the_plain_one(options: dict[str, str], tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((TRAILS / name).read_bytes()))
    plain = [row for name in NAMES for row in rows(TRAILS / name, "file", "rba", "op", "csn", "xid", **options)]
    packed = [
        row for name in NAMES for row in rows(tmp_path / f"{name}.gz", "file", "rba", "op", "csn", "xid", **options)
    ]
    assert without_place(packed) == without_place(plain)


@pytest.fixture
def dirdat(tmp_path: Path) -> Path:
    """A directory with two trails, a folder with one, and what else may lie about."""
    (tmp_path / "more").mkdir()
    for name in ("lt000000001", "lt000000000", "rt000000000", "more/xt000000000", ".hidden", "_SUCCESS"):
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def found(*paths: Path | str, **given: Any) -> list[str]:
    options = Options(paths=tuple(map(str, paths)), **given)
    return [file.path.name for file in find_files(options)]


def test_a_directory_means_the_files_in_it(dirdat: Path) -> None:
    assert found(dirdat) == ["lt000000000", "lt000000001", "rt000000000"]
    assert found(dirdat, recursive_file_lookup=True) == ["lt000000000", "lt000000001", "rt000000000", "xt000000000"]


def test_a_glob_means_what_it_matches(dirdat: Path) -> None:
    assert found(dirdat / "lt*") == ["lt000000000", "lt000000001"]
    assert found(dirdat / "*") == ["lt000000000", "lt000000001", "rt000000000", "xt000000000"]
    assert found(dirdat / "**" / "?t000000000", recursive_file_lookup=True) == [
        "lt000000000",
        "rt000000000",
        "xt000000000",
    ]


def test_a_bare_trail_name_means_all_its_files(dirdat: Path) -> None:
    assert found(dirdat / "lt") == ["lt000000000", "lt000000001"]


def test_a_path_may_be_a_url_of_this_machine(dirdat: Path) -> None:
    assert found(f"file://localhost{dirdat}/lt*") == found(f"file://{dirdat}/lt*") == found(dirdat / "lt*")


def test_commas_separate_and_belong_to_a_file_that_is_there(dirdat: Path) -> None:
    both = Options(path=f"{dirdat}/rt*, {dirdat}/lt000000001")
    assert [file.path.name for file in find_files(both)] == ["lt000000001", "rt000000000"]
    (dirdat / "a,b").write_bytes(b"x")
    assert found(f"{dirdat}/a,b") == ["a,b"]


def test_a_file_that_is_named_twice_is_read_once(dirdat: Path) -> None:
    assert found(dirdat / "lt000000000", dirdat / "lt*", dirdat / "lt") == ["lt000000000", "lt000000001"]


def test_a_uri_of_a_file_is_a_path(dirdat: Path) -> None:
    assert found(f"file:{dirdat}/rt000000000") == found(f"file://{dirdat}/rt000000000") == ["rt000000000"]


def test_numbers_that_have_started_over_come_after_the_highest(tmp_path: Path) -> None:
    for number in (0, 1, 999_998, 999_999):
        (tmp_path / f"lt{number:06}").write_bytes(b"x")
    files = find_files(Options(path=str(tmp_path)))
    assert [file.seqno for file in files] == [999_998, 999_999, 0, 1]
    ages = [file.age_of(file.seqno or 0) for file in files]
    assert ages == sorted(ages)


def test_the_last_file_of_a_trail_may_grow(dirdat: Path) -> None:
    assert [file.ends_trail for file in find_files(Options(path=str(dirdat / "lt*")))] == [False, True]


def test_names_and_times_narrow_the_choice(dirdat: Path) -> None:
    os.utime(dirdat / "lt000000000", (0, 0))
    epoch = datetime(1970, 1, 2, tzinfo=UTC)
    assert found(dirdat, path_glob_filter="*0") == ["lt000000000", "rt000000000"]
    assert found(dirdat, modified_before=epoch) == ["lt000000000"]
    assert found(dirdat, modified_after=epoch) == ["lt000000001", "rt000000000"]


def test_finding_nothing_is_an_error_that_names_the_pattern(dirdat: Path) -> None:
    with pytest.raises(NoTrailFiles, match=r"^no trail files match .*/zz\*$"):
        found(dirdat / "zz*")
    with pytest.raises(NoTrailFiles, match=r"match .*/lt\*: pathGlobFilter or modifiedAfter/Before leave none of 2$"):
        found(dirdat / "lt*", path_glob_filter="rt*")


@pytest.mark.parametrize("at", [0, 1, 2])
def test_names_of_several_that_match_nothing_are_an_error_that_names_them(at: int, dirdat: Path) -> None:
    """Wherever they stand among those that match, given one by one or in one path; files that are left out do match."""
    names = [str(dirdat / "lt*"), str(dirdat / "rt")]
    for wrong in ([dirdat / "zt*"], [dirdat / "zt", dirdat / "lt000000007"]):
        given = [*names[:at], *map(str, wrong), *names[at:]]
        expected = f"no trail files match {', '.join(map(str, wrong))}, of {len(given)} names"
        for options in (Options(paths=tuple(given)), Options(path=", ".join(given))):
            with pytest.raises(NoTrailFiles, match=f"^{re.escape(expected)}$"):
                find_files(options)
    with pytest.raises(NoTrailFiles, match=r"^no trail files match \S*/zt, \S*/zu$"):
        found(dirdat / "zt", dirdat / "zu")
    assert found(*names, path_glob_filter="lt*") == ["lt000000000", "lt000000001"]


def test_without_a_path_the_error_names_the_forms_that_take_one() -> None:
    with pytest.raises(BadOption, match=r"WITH \(path='…'\) or CREATE TEMPORARY VIEW"):
        found()


def test_another_file_system_is_refused() -> None:
    with pytest.raises(BadOption, match=r"^dbfs:/bucket/lt: only files of this machine's own paths .*, not dbfs:$"):
        found("dbfs:/bucket/lt")


_MOST_LINKS = 30_000
"""Names of one file: a file system allows 65,000."""


def test_very_many_files_are_planned_in_order_and_packed(tmp_path: Path) -> None:
    count, file = 100_000 if IS_LONG else 1_500, TRAILS / "et000000000"
    for first in range(0, count, _MOST_LINKS):
        copy = tmp_path / f"lt{first:09d}"
        copy.write_bytes(file.read_bytes())
        for number in range(first + 1, min(count, first + _MOST_LINKS)):
            (tmp_path / f"lt{number:09d}").hardlink_to(copy)
    lots = plan(Options(path=f"{tmp_path}/lt*", max_partition_bytes=1 << 20))
    assert [part.seqno for lot in lots for part in lot] == [*range(count)]
    assert len(lots) == -(-count // ((1 << 20) // file.stat().st_size))
