"""Under ACROSS a trail in several files answers as the same records in one file do, both ways."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fixtures.flavour import ORACLE_11, ORACLE_11_LITTLE
from logdump.commands import REGISTRY
from logdump.language.execute import run_commands
from logdump.session import scan as session_scan
from logdump.session.events import Failure
from logdump.session.known_record import KnownRecord
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random, in_turn
from tests.simulated.extract import Extract
from tests.simulated.source import Source
from trailformat import Record, TrailFile
from trailformat.records.record_header import METADATA

FLAVOURS = {"big": ORACLE_11, "little": ORACLE_11_LITTLE}
"""Writers of trails without a file header and definitions: any cut of them is a trail."""
QUESTIONS = (
    "pos 0; next 100",
    "pos 0; skip 3; next 2",
    "pos 0; filter include filename *SALES; next 100; filter clear",
    "pos 0; filter include filename *SALES; skip 2 filter; next 2; filter clear",
    "pos 0; sft insert; sft insert; sft delete; sft insert",
    "pos 0; sfnt; sfnt; sfnt; sfnt",
    "pos 0; sfet; sfet; sfet",
    "pos 0; sfr -1; sfr -1",
    "pos 0; next; sametable next; sametable next; sametable previous",
    "pos 0; next; transaction next; transaction next; transaction end; transaction previous; transaction begin",
    "pos 0; find Uji; find next; find next; find previous",
    "pos 0; sfh; sfh; sfh; sfh",
)
BACK = (
    "pos eof reverse; next 100",
    "pos eof reverse; skip 3; next 2",
    "pos eof reverse; filter include filename *SALES; next 100; filter clear",
    "pos eof reverse; sft insert; sft delete; sft insert",
    "pos eof reverse; sfh prev; sfh prev; sfh prev; sfh prev",
)


def records(path: Path) -> list[Record]:
    with TrailFile(path) as trail:
        return list(trail.records())


def trail_of(order: str, folder: Path) -> Path:
    """A trail of some twenty records of two tables, most of their transactions longer than one."""
    path = folder / "nh000000"
    path.write_bytes(_bytes_of(order))
    return path


@cache
def _bytes_of(order: str) -> bytes:
    data, seed = b"", 0
    while data.count(b"SALES") < 6:  # its definition, and some rows between others
        data, seed = _drawn(order, seed), seed + 1
    return data


def _drawn(order: str, seed: int) -> bytes:
    flavour, random = FLAVOURS[order], Random(seed)
    source = Source(random, flavour.teas, flavour.sales)
    with TemporaryDirectory() as folder:
        extract = Extract(Path(folder), random, roll_chance=0, flavour=flavour)
        for _ in range(8):
            extract.begin()
            changes = source.transaction()
            extract.rows(changes, len(changes))
        extract.close()
        (path,) = extract.paths
        return path.read_bytes()


def split(path: Path, cuts: tuple[int, ...], folder: Path) -> list[Path]:
    """The records of a trail in files, cut before records of these numbers."""
    all_of_them = records(path)
    bounds = (0, *cuts, len(all_of_them))
    paths = []
    for number, (first, stop) in enumerate(pairwise(bounds)):
        paths.append(folder / f"{path.name[:2]}{number:06}")
        paths[-1].write_bytes(b"".join(record.raw for record in all_of_them[first:stop]))
    return paths


def answers(path: Path, question: str, *, line: Line) -> list[tuple[bytes, str | None]]:
    """The records that a question displays, each with its transaction's CSN, and where it fails."""
    shown: list[tuple[bytes, str | None]] = []
    line(f"open {path}")
    line("pos for")
    for event in run_commands(line.session, REGISTRY, question):
        if isinstance(event, KnownRecord):
            shown.append((event.record.raw, event.transaction.csn))
        if isinstance(event, Failure):
            shown.append((b"failed", None))
    return shown


def cuts_of(path: Path, case: int = 0) -> Iterator[tuple[int, ...]]:
    """Every place for one cut, and places for two; in the short form every third and sixth, each case others."""
    count, first = len(records(path)), 1 if IS_LONG else 1 + case % 3
    yield from ((cut,) for cut in range(first, count, 1 if IS_LONG else 3))
    yield from ((cut, cut + 1 + cut % 3) for cut in range(first, count - 4, 1 if IS_LONG else 6))


@pytest.fixture
def whole(tmp_path: Path) -> Path:
    """A trail in one file."""
    return trail_of("big", tmp_path)


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first batch of every search has one record."""
    monkeypatch.setattr(session_scan, "_LARGEST", 1)


@pytest.mark.usefixtures("far")
@pytest.mark.parametrize("question", [*QUESTIONS, *BACK])
def test_columns_go_over_files_like_records(question: str, line: Line, whole: Path, tmp_path: Path) -> None:
    expected = answers(whole, question, line=line)
    line("across on")
    for number, cuts in enumerate([(4,), (3, 9), (1, 2)]):
        (folder := tmp_path / str(number)).mkdir()
        paths = split(whole, cuts, folder)
        assert answers(paths[-1 if question in BACK else 0], question, line=line) == expected, cuts


@pytest.mark.parametrize(("question", "order"), in_turn([*QUESTIONS, *BACK], FLAVOURS))
def test_a_trail_in_several_files_answers_like_one_file(order: str, question: str, line: Line, tmp_path: Path) -> None:
    path = trail_of(order, tmp_path)
    expected = answers(path, question, line=line)
    assert len(expected) > 1
    line("across on")
    for number, cuts in enumerate(cuts_of(path, [*QUESTIONS, *BACK].index(question))):
        folder = tmp_path / str(number)
        folder.mkdir()
        paths = split(path, cuts, folder)
        assert answers(paths[-1 if question in BACK else 0], question, line=line) == expected, cuts


def parts(folder: Path) -> Path:
    """A folder for files."""
    (made := folder / "parts").mkdir()
    return made


def test_each_crossing_is_told_in_the_words_of_nexttrail(line: Line, whole: Path, tmp_path: Path) -> None:
    first, second = split(whole, (3,), parts(tmp_path))
    line("across on")
    line(f"open {first}")
    shown = line("next 4")
    assert [text for text in shown if "LogTrail" in text] == [
        f"LogTrail {first} closed",
        f"Current LogTrail is {second}",
    ]


def test_without_it_reading_ends_with_the_file(line: Line, whole: Path, tmp_path: Path) -> None:
    first, _ = split(whole, (3,), parts(tmp_path))
    line(f"open {first}")
    line("next 100")
    assert len(line.rbas) == 3
    assert line.session.trail.path == first


def test_a_missing_file_ends_reading_with_its_name(line: Line, whole: Path, tmp_path: Path) -> None:
    first, second, third = split(whole, (3, 6), parts(tmp_path))
    second.unlink()
    line("across on")
    line(f"open {first}")
    shown = line("next 100")
    assert len(line.rbas) == 3
    assert shown[-1].endswith(f"{second} is missing. ACROSS GAPS reads on in {third.name}.")


def test_what_the_filter_suppressed_is_said_before_a_missing_file(line: Line, whole: Path, tmp_path: Path) -> None:
    first, second, _ = split(whole, (3, 6), parts(tmp_path))
    second.unlink()
    line("across on; filter include filename nowhere")
    line(f"open {first}")
    assert line("next 100")[0] == f"Filtering suppressed {3:>8} records"


def test_gaps_are_read_over_and_named_on_demand(line: Line, whole: Path, tmp_path: Path) -> None:
    first, second, third = split(whole, (3, 6), parts(tmp_path))
    second.unlink()
    line("across gaps")
    line(f"open {first}")
    shown = line("next 100")
    assert len(line.rbas) == 3 + len(records(third))
    assert f"{second} is missing: reading on in {third.name}." in shown


def test_numbers_go_on_after_the_highest(line: Line, whole: Path, tmp_path: Path) -> None:
    first, second = split(whole, (3,), parts(tmp_path))
    first, second = first.rename(first.parent / "nh999999"), second.rename(second.parent / "nh000000")
    line("across on")
    line(f"open {first}")
    line("next 100")
    assert line.session.trail.path == second


def test_a_search_that_finds_nothing_comes_back(line: Line, whole: Path, tmp_path: Path) -> None:
    first, _ = split(whole, (3,), parts(tmp_path))
    line("across on")
    line(f"open {first}; next 2")
    place = line.session.cursor.next
    shown = line("find nowhere-to-be-found")
    assert (line.session.trail.path, line.session.cursor.next) == (first, place)
    assert shown[-2 if "HELP" in shown[-1] else -1].startswith("No record with nowhere-to-be-found found")


def test_at_the_end_of_a_growing_trail_the_next_file_is_looked_for_again(
    line: Line, whole: Path, tmp_path: Path
) -> None:
    first, second = split(whole, (3,), parts(tmp_path))
    content = second.read_bytes()
    second.unlink()
    line("across on")
    line(f"open {first}; next 100")
    second.write_bytes(content)
    line("next")
    assert line.session.trail.path == second
    assert line.rbas == [0]


def test_definitions_and_headers_of_each_file_are_shown_as_ever(line: Line, trails: Path) -> None:
    both = [record for number in range(2) for record in records(trails / f"st{number:09}")]
    line("across on")
    line(f"open {trails / 'st000000000'}; next 100")
    shown = [event.record for event in line.events if isinstance(event, KnownRecord)]
    assert [record.raw for record in shown] == [record.raw for record in both]
    assert sum(not record.is_file_header and record.header.io_type == METADATA for record in shown) > 3


@pytest.mark.parametrize("order", FLAVOURS)
def test_count_and_check_add_the_later_files_up(order: str, line: Line, tmp_path: Path) -> None:
    path = trail_of(order, tmp_path)
    line(f"open {path}")
    counted, checked = line("count detail")[1:], line("check")[1:]
    line("across on")
    for number, cuts in enumerate([(4,), (3, 9)]):
        (folder := tmp_path / str(number)).mkdir()
        paths = split(path, cuts, folder)
        line(f"open {paths[0]}")
        assert line("count detail")[len(paths) + 1 :] == counted
        assert line.session.cursor.next == 0
        assert line("check")[1:] == checked


def test_count_and_check_name_a_file_that_is_missing(line: Line, whole: Path, tmp_path: Path) -> None:
    first, second, third = split(whole, (3, 6), parts(tmp_path))
    second.unlink()
    line(f"open {first}; across on")
    for command in ("count", "check"):
        assert line(command)[-1].endswith(f"{second} is missing. ACROSS GAPS reads on in {third.name}.")
    line("across gaps")
    assert line("check")[0].startswith(f"LogTrail {first}, 2 files, has ")


SIZES = (3, 1, 4, 2)
"""Records of the files of a trail: the sums of neighbours differ."""


@pytest.mark.parametrize("last", range(4))
@pytest.mark.parametrize("first", range(4))
def test_across_to_reads_up_to_its_file_and_from_behind_it_to_the_end(
    first: int, last: int, line: Line, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = split(whole, (3, 4, 8, 10), parts(tmp_path))
    paths.pop().unlink()
    monkeypatch.chdir(paths[0].parent)
    read = range(first, (last if last >= first else 3) + 1)
    records = sum(SIZES[number] for number in read)
    line(f"open {paths[0]}; across to {paths[last]}; open {paths[first]}")
    counted = next(text for text in line("count") if text.startswith(("Total ", "LogTrail")) and "has" in text)
    assert f" has {records} record" in counted
    assert f" {records} good record" in line("check")[0]
    assert f"Exported {records} record" in " ".join(line("export jsonl to out"))
    assert line.session.trail.path == paths[read[-1]]
    line(f"open {paths[first]}; next 100")
    assert len(line.rbas) == records
    assert line.session.trail.path == paths[read[-1]]
    back = range(last if last <= first else 0, first + 1)
    line(f"open {paths[first]}; pos eof; pos rev; next 100")
    assert len(line.rbas) == sum(SIZES[number] for number in back)
    assert line.session.trail.path == paths[back[0]]
