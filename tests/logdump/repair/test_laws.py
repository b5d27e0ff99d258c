"""Laws of REPAIR: what a row in a copy means, what is told of damage, what a header takes from no other file."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fixtures.flavour import ORACLE_12
from fixtures.headers import file_header
from logdump.features.repair.model import HeaderOrigin, LossReason
from tests.logdump.line import Line
from tests.logdump.repair.repaired import losses, rows, shown, texts
from tests.searching import examples, in_turn
from tests.trailformat.samples import header, metadata_record, row, table_record, trail_of
from trailformat import Images, Record, TrailFile, make_column, make_record
from trailformat.records.file_header import replace_values
from trailformat.records.record import make_file_header_record
from trailformat.records.record_header import DELETE, FIRST, INSERT, LAST, MIDDLE, ONLY, RECORD_FRAGMENT, UNIFIED_UPDATE
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions

HEADER = make_file_header_record(file_header(ORACLE_12))
GARBAGE = b"no record at all, but bytes " * 4
NAMES = {4: "TEA.LEAVES", 7: "TEA.POTS"}


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


class Definition(NamedTuple):
    """A definition of the second file: its place among the parts, and what it says."""

    at: int
    table: int
    columns: int
    is_first: bool


class Written(NamedTuple):
    """Three files of a trail whose tables are altered now and then.

    Attributes:
        parts: of each file.
        truth: each row's table and how many columns that had then.
        definitions: those of the second file.
        columns: of each index at the beginning of each file, and behind the last.
    """

    parts: list[list[Record | bytes]]
    truth: dict[bytes, tuple[str, int]]
    definitions: list[Definition]
    columns: list[dict[int, int]]


EVENT = st.tuples(st.sampled_from(["row", "row", "row", "alter"]), st.sampled_from(sorted(NAMES)), st.integers(1, 4))


def _written(events: list[list[tuple[str, int, int]]]) -> Written:
    """Every file begins with the definitions that are in force; ALTER writes one of the table anew."""
    known = dict.fromkeys(NAMES, 2)
    found = Written([], {}, [], [])
    for number, of_file in enumerate(events):
        found.columns.append(dict(known))
        parts: list[Record | bytes] = [HEADER, metadata_record(1, 0, "TEADB")]
        for event, index, columns in [*(("first", index, known[index]) for index in NAMES), *of_file]:
            if event == "row":
                text = f"{number}{len(parts)}".encode()
                parts.append(row(text, index))
                found.truth[text] = NAMES[index], known[index]
                continue
            known[index] = columns
            if number == 1:
                found.definitions.append(Definition(len(parts), index, columns, event == "first"))
            parts.append(table_record(index, NAMES[index], columns=columns))
        found.parts.append(parts)
    found.columns.append(known)
    return found


def _meanings(path: Path) -> dict[bytes, tuple[str, int]]:
    """The table of each row of a copy, and its columns."""
    found = {}
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        for record in trail.records(trail.first_rba):
            if not record.is_metadata and record.images is not None and record.images.after:
                table = definitions.of(record).table
                found[record.images.after[0].raw[2:]] = trail.name_of(record), len(table.columns) if table else 0
    return found


@given(
    events=st.lists(st.lists(EVENT, max_size=6), min_size=3, max_size=3),
    which=st.integers(0, 5),
    is_garbage=st.booleans(),
    size=st.sampled_from([2, 1 << 16]),
)
@example(events=[[], [("alter", 4, 3), ("row", 4, 1)], []], which=2, is_garbage=False, size=2)
@example(events=[[], [("row", 4, 1)], [("alter", 4, 3)]], which=0, is_garbage=True, size=2)
@example(events=[[], [("alter", 4, 2), ("row", 4, 1), ("alter", 4, 1)], []], which=2, is_garbage=False, size=2)
@settings(max_examples=examples(25), deadline=None)
def test_a_row_in_a_copy_means_the_table_that_it_meant_however_often_that_was_altered(
    events: list[list[tuple[str, int, int]]], which: int, is_garbage: bool, size: int
) -> None:
    """One definition of the second file is lost; the others, and the files beside, say what they said."""
    written = _written(events)
    lost = written.definitions[which % len(written.definitions)]
    is_garbage = is_garbage and lost.is_first
    whole = written.parts[1][lost.at]
    assert isinstance(whole, Record)
    written.parts[1][lost.at] = GARBAGE if is_garbage else whole.raw[:-2] + b"??"
    line = Line()
    with _folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("logdump.features.repair.file_survey.scan", partial(scan, batch_size=size))
        for number, parts in enumerate(written.parts):
            trail_of(folder, *parts, name=f"tt00000000{number}")
        line(f"open {folder / 'tt000000001'}; repair to {folder / 'cp000000001'}")
        assert line.failures == []
        found = _meanings(folder / "cp000000001")
    truth = {text: meaning for text, meaning in written.truth.items() if text.startswith(b"1")}
    assert {text: truth[text] for text in found} == found
    is_same = {columns[lost.table] for columns in written.columns[1:3]} == {lost.columns}
    if lost.is_first and is_same and not any(event == "alter" for event, *_ in events[1]):
        assert set(found) == set(truth)


PARTS = st.lists(st.sampled_from(["a", "bc", "def", "torn", "unended", "garbage"]), min_size=1, max_size=7)


@given(kinds=PARTS)
@settings(max_examples=examples(15), deadline=None)
def test_of_each_transaction_that_damage_has_cut_the_first_damage_in_it_is_named(kinds: list[str]) -> None:
    line, places = Line(), []
    parts: list[Record | bytes] = [*rows("x")]
    for kind in kinds:
        if kind == "garbage":
            parts += [] if parts[-1] is GARBAGE else [GARBAGE]
            continue
        begun, *rest = rows(kind if len(kind) < 4 else "yyz")
        parts.append(begun)
        if len(kind) > 3:
            places.append(len(parts))
            parts.append(GARBAGE)
        parts += rest if kind != "unended" else []
    parts += rows("z")
    sizes = [record.length if isinstance(record, Record) else len(record) for record in parts]
    with _folder() as folder:
        source = trail_of(folder, *parts, name="tt000000000")
        line(f"open {source}; repair to {folder / 'cp000000000'}")
        copied = texts(folder / "cp000000000")
    found = [loss.position.rba if loss.position else None for loss in losses(line) if loss.reason is LossReason.DAMAGE]
    assert found == [sum(sizes[:at]) for at in places]
    assert copied == [b"x", *(letter.encode() for kind in kinds if len(kind) < 4 for letter in kind), b"z"]


OF_THE_FILE = ("CreationTime", "LOGBSN", "FileName", "Seqno", "FirstCSN", "LastCSN", "FirstIOTime", "LastIOTime")
"""What a header says of its own file alone."""


@pytest.mark.parametrize(("words", "lost"), in_turn(["", "header rebuild", "header from {}"], [3, 40, 400]))
def test_what_a_header_says_of_its_own_file_never_comes_from_that_of_another(
    words: str, lost: int, line: Line, tmp_path: Path
) -> None:
    other = replace_values(
        file_header(ORACLE_12),
        "TrailInfo",
        {
            "CreationTime": 212_000_000_000_000_000,
            "LOGBSN": "999",
            "FileName": "zz000000077",
            "Seqno": 77,
            "FirstCSN": "77",
            "LastCSN": "7777",
        },
    )
    beside = trail_of(tmp_path, make_file_header_record(other), *rows("c"), name="tt000000001")
    source = trail_of(tmp_path, b"?" * lost + HEADER.raw[lost:], *rows("ab"), name="tt000000000")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'} {words.format(beside)}")
    assert line.failures == []
    assert [copied_header.origin for copied_header in shown(line).headers] == [HeaderOrigin.REBUILT]
    with TrailFile(tmp_path / "cp000000000") as copy:
        header = copy.file_header
    assert header is not None
    own = HEADER.file_header
    for name in OF_THE_FILE:
        told = header.get("TrailInfo", name)
        assert told is None or told != other.get("TrailInfo", name) or told == own.get("TrailInfo", name), name


WORDS = st.sampled_from(["", "all", "stop", "stop all", "skip whole"])


@given(kinds=PARTS, words=WORDS, size=st.integers(1, 5))
@settings(max_examples=examples(12), deadline=None)
def test_what_is_found_does_not_depend_on_how_many_records_are_looked_at_together(
    kinds: list[str], words: str, size: int
) -> None:
    parts: list[Record | bytes] = [*rows("x")]
    for kind in kinds:
        begun, *rest = rows(kind if len(kind) < 4 else "yyz")
        parts += [GARBAGE] if kind == "garbage" else [begun, *([GARBAGE] if len(kind) > 3 else []), *rest]
    parts += rows("zz")
    told = []
    for each in (size, 1 << 16):
        line = Line()
        with _folder() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr("logdump.features.repair.file_survey.scan", partial(scan, batch_size=each))
            source = trail_of(folder, *parts, name="tt000000000")
            line(f"open {source}; repair to {folder / 'cp000000000'} {words}")
            said = [str(event).replace(str(folder), "") for event in line.events]
            told.append((said, texts(folder / "cp000000000")))
    assert told[0] == told[1]
    assert told[0][1][0] == b"x"


PARTS_OF_FOUR: list[tuple[int, Record]] = [
    *((0, record) for record in rows("ab")),
    (1, row(b"c", trans_ind=FIRST)),
    (1, row(b"d", trans_ind=MIDDLE, continued=1)),
    (1, row(b"e", io_type=RECORD_FRAGMENT, trans_ind=MIDDLE, continued=1)),
    (1, row(b"f", io_type=RECORD_FRAGMENT, trans_ind=MIDDLE)),
    (1, row(b"g", trans_ind=LAST)),
    (2, row(b"h", trans_ind=ONLY, continued=1)),
    (2, row(b"i", io_type=RECORD_FRAGMENT, trans_ind=ONLY)),
    *((3, record) for record in rows("j")),
]
"""Records, each with the number of its transaction; some go on in the next."""


@pytest.mark.parametrize("place", range(len(PARTS_OF_FOUR) + 1))
def test_a_damaged_record_of_no_transaction_takes_that_with_it_in_which_it_stands_and_says_so(
    place: int, line: Line, tmp_path: Path
) -> None:
    """Between two transactions it takes none; between the parts of a record it is in one, though that seems ended."""
    lost = bytearray(table_record(9, "TEA.CUPS").raw)
    lost[-1] ^= 0xFF
    owners, records = zip(*PARTS_OF_FOUR, strict=True)
    around = {owners[place - 1] if place else None, owners[place] if place < len(owners) else None}
    broken = around if len(around) == 1 else set()
    source = trail_of(tmp_path, *records[:place], bytes(lost), *records[place:], name="tt000000000")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'}")
    assert line.failures == []
    assert [loss.reason for loss in losses(line)] == [LossReason.DAMAGE] * len(broken)
    with TrailFile(tmp_path / "cp000000000") as copy:
        copied = [record.raw for record in copy.records(copy.first_rba)]
    assert copied == [record.raw for owner, record in PARTS_OF_FOUR if owner not in broken]


@pytest.mark.parametrize(("columns", "io_type"), in_turn([1, 2, 3], [INSERT, DELETE, UNIFIED_UPDATE]))
def test_a_row_with_a_column_that_a_definition_from_elsewhere_lacks_is_not_copied_by_it(
    columns: int, io_type: int, line: Line, tmp_path: Path
) -> None:
    """In whichever of its images that is."""
    image = (make_column(0, b"\0\0\0\0\0\0\0\1"), make_column(1, b"\0\0\0\0\0\0\0\2"))
    images = {
        INSERT: Images(None, image),
        DELETE: Images(image, None),
        UNIFIED_UPDATE: Images(image, image[:1], 4),
    }[io_type]
    changed = make_record(header(4, io_type=io_type, before_after=ord("B" if io_type == DELETE else "A")), images)
    other = trail_of(
        tmp_path, HEADER, metadata_record(1, 0, "TEADB"), table_record(4, NAMES[4], columns=columns), name="zz000000000"
    )
    source = trail_of(tmp_path, HEADER, metadata_record(1, 0, "TEADB"), GARBAGE, changed, name="tt000000000")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'} definitions {other}")
    assert line.failures == []
    assert [loss.reason for loss in losses(line) if loss.begin] == [LossReason.NO_DEFINITION] * (columns < 2)
    with TrailFile(tmp_path / "cp000000000") as copy:
        assert (changed.raw in [record.raw for record in copy.records()]) == (columns >= 2)


@pytest.mark.parametrize(("at", "words"), in_turn(range(4, HEADER.length - 4, 37), ["", "all", "megabytes 1"]))
def test_a_header_whose_frame_is_sound_and_whose_content_is_not_never_stops_a_copy_of_the_rows(
    at: int, words: str, line: Line, tmp_path: Path
) -> None:
    damaged = bytearray(HEADER.raw)
    damaged[at] ^= 0xFF
    source = trail_of(tmp_path, bytes(damaged), *rows("abc"), *rows("d"), name="tt000000000")
    beside = trail_of(tmp_path, HEADER, *rows("e"), name="tt000000001")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'} {words} header from {beside}")
    assert line.failures == []
    assert (shown(line).copied, texts(tmp_path / "cp000000000")) == (4, [b"a", b"b", b"c", b"d"])


@pytest.mark.parametrize(("at", "header_words"), in_turn([None, 8, 40, 400], ["", "header from {}"]))
def test_the_numbers_add_up_where_a_file_has_nothing_but_a_header(
    at: int | None, header_words: str, line: Line, tmp_path: Path
) -> None:
    """Sound or not; the header that is taken may be none."""
    damaged = bytearray(HEADER.raw)
    if at is not None:
        damaged[at : at + 6] = b"\xff" * 6
    trail_of(tmp_path, HEADER, *rows("ab"), name="tt000000000")
    trail_of(tmp_path, bytes(damaged), name="tt000000001")
    trail_of(tmp_path, HEADER, *rows("c"), name="tt000000002")
    other = trail_of(tmp_path, *rows("z"), name="zz000000000")
    line(f'repair over "{tmp_path}/tt*" to {tmp_path / "cp000000000"} {header_words.format(other)}')
    assert line.failures == []
    copies = sorted(tmp_path.glob("cp*"))
    counted = sum(1 for path in copies for _ in _records(path))
    rebuilt = sum(copied_header.origin is HeaderOrigin.REBUILT for copied_header in shown(line).headers)
    assert shown(line).copied == counted - rebuilt
    assert b"".join(text for path in copies for text in texts(path)) == b"abc"


def _records(path: Path) -> Iterator[Record]:
    with TrailFile(path) as trail:
        yield from trail.records()
