"""SAFE on drawn trails: what a skip loses, counted by hand, copies before and after, damage; JSON tells the same."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.changes import Change, insert
from logdump.display.json_shape import exact
from logdump.features.safe.json import SAFE_POINT
from logdump.features.safe.model import SafePointShown
from logdump.features.safe.text import safe_lines
from logdump.session.settings import Settings
from tests.logdump.program import logdump
from tests.searching import Random, examples, part_of
from tests.simulated.drawn_histories import KINDS, drawn
from tests.simulated.extract import Extract, Written
from tests.simulated.restarted_replicat import History, Occurrence
from tests.simulated.source import TABLE, Source
from tests.trailformat.samples import header, row
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import (
    FIELD_COMP,
    FIRST,
    INSERT,
    LAST,
    MIDDLE,
    ONLY,
    RESTART_ABEND,
    UPDATE,
    UPDATE_COMP,
)
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.restart_places import CopySearch, RestartPlaces, RestartSearch

SEEDS = st.integers(0, 1 << 32)


def _safe(position: FilePosition) -> RestartPlaces:
    with TrailFile(position.path) as trail:
        search = RestartSearch(trail, position.rba)
        list(search.run())
        copies = CopySearch(trail, search.places())
        list(copies.run())
        return copies.places()


def _text(places: RestartPlaces) -> str:
    return "\n".join(safe_lines(SafePointShown(places), Settings()))


def _changes(history: History, rows: list[Written]) -> int:
    """The changes in rows: of an update in two records one."""
    return len(rows) - sum(_are_one(history, row, other) for row, other in pairwise(rows))


def _are_one(history: History, row: Written, other: Written) -> bool:
    if row.change is None or other.change is None or not row.change.is_before or other.change.is_before:
        return False
    first, second = (history.order(FilePosition(record.path, record.rba)) for record in (row, other))
    is_torn = any(first < history.order(FilePosition(zeros.path, zeros.start)) < second for zeros in history.zeros)
    return row.change.io_type == other.change.io_type in (UPDATE, UPDATE_COMP, FIELD_COMP) and not is_torn


@pytest.mark.parametrize("kind", part_of(KINDS, 5, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(3, short=1), deadline=None)
def test_what_a_skip_loses_and_which_copies_there_are_is_counted_by_hand(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        for occurrence in history.occurrences:
            places = _safe(_middle(occurrence))
            _check_copies(history, occurrence, places)
            _check_skipped(history, occurrence, places)
            _check_text(places)


def _middle(occurrence: Occurrence) -> FilePosition:
    row = occurrence.rows[len(occurrence.rows) // 2]
    return FilePosition(row.path, row.rba)


def _check_copies(history: History, occurrence: Occurrence, places: RestartPlaces) -> None:
    if occurrence.begin is None:
        # a piece without its beginning has no name
        assert (places.copy_of, places.late) == (None, ())
        return
    same = [other for other in history.occurrences if other.number == occurrence.number and other.is_whole]
    before = [other.first for other in same if history.order(other.first) < history.order(occurrence.first)]
    after = [other.first for other in same if history.order(other.first) > history.order(occurrence.first)]
    assert places.copy_of == (before[0] if before else None)
    assert [copy.begin for copy in places.copies if copy.is_whole] == after


def _check_skipped(history: History, occurrence: Occurrence, places: RestartPlaces) -> None:
    told = sum(types.total() for types in places.skipped.values())
    if places.leave_out is None:
        assert told == 0
        return
    whole = places.whole.first if places.whole is not None else None
    counted = next((other for other in history.occurrences if other.first == whole), occurrence)
    assert told == _changes(history, counted.rows)


def _check_text(places: RestartPlaces) -> None:
    """Each number and place of JSON is in the text, and the other way round."""
    text, shown = _text(places), exact(SAFE_POINT.build(SafePointShown(places)))
    assert shown["after"] == shown["leave_out"]
    assert text.startswith(f"RBA {shown['rba']} of {Path(shown['file']).name} ")
    skipped = re.search(r"To skip it, \d+ records? \((\d+) changes?", text)
    assert (skipped is not None) == (shown["after"] is not None)
    if skipped is not None:
        assert int(skipped[1]) == sum(table["records"] for table in shown["skipped"])
        assert f"{shown['after']['alter']}\n" in text
    lost = re.search(r"lost: all that stood in ([\d,]+) bytes\):", text)
    assert (int(lost[1].replace(",", "")) if lost is not None else 0) == shown["lost_bytes"]
    copies = re.findall(r"wrote the transaction again, (?:but not )?complete, at RBA (\d+)", text)
    assert list(map(int, copies)) == [copy["begin"]["rba"] for copy in shown["again"]]
    assert ("The trail has it whole before" in text) == (shown["copy_of"] is not None)
    assert text.count("after a later transaction") == sum(copy["late"] for copy in shown["again"])


DAMAGED = [kind for kind in KINDS if "damaged" in kind]


@pytest.mark.parametrize("kind", DAMAGED)
@given(seed=SEEDS)
@settings(max_examples=examples(6, short=2), deadline=None)
def test_a_place_in_damage_is_never_safe_and_says_what_is_lost(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        for zeros in history.zeros:
            for rba in (zeros.start + 1, (zeros.start + zeros.stop) // 2, zeros.stop - 1):
                places = _safe(FilePosition(zeros.path, rba))
                text = _text(places)
                around = places.around
                assert around is not None
                assert around.rba <= zeros.start < zeros.stop <= around.rba + around.length
                assert not places.is_safe
                where = f"({around.rba} to {around.rba + around.length})"
                assert text.startswith(f"RBA {rba} of {zeros.path.name} is in damage {where}: ")
                assert f"lost: all that stood in {around.length:,} bytes." in text
                assert SafePointShown(places).status == 4
                if places.leave_out is not None:
                    assert places.lost_bytes >= around.length
                    assert history.order(places.leave_out) >= history.order(FilePosition(zeros.path, zeros.stop))
                    assert not history.run(places.leave_out).halves


def _inserts(number: int) -> list[Change]:
    source = Source(Random(1))
    return [insert(TABLE, row) for row in list(source.rows.values())[:number]]


def _extract(folder: Path, *steps: tuple[int, int, bool]) -> Extract:
    """Of each step the rows of a transaction, by number, count of rows, and whether it is cut after one row."""
    extract = Extract(folder, Random(0), roll_chance=0)
    for number, count, is_cut in steps:
        extract.begin(number)
        if is_cut:
            extract.rows(_inserts(count), 1)
            extract.marker(RESTART_ABEND)
        else:
            extract.rows(_inserts(count), count)
    extract.close()
    return extract


def _begins(extract: Extract, number: int) -> list[int]:
    rows = extract.written
    return [
        record.rba
        for record in rows
        if record.transaction == number and record.change is not None and record.trans_ind in (FIRST, ONLY)
    ]


def test_of_several_copies_before_and_after_later_transactions_each_is_named(tmp_path: Path) -> None:
    """T1 T2 T3, T2 T3, T2, T4, T2: the first is asked, the middle ones, the last."""
    order = [(1, 2), (2, 3), (3, 2), (2, 3), (3, 2), (2, 3), (4, 2), (2, 3)]
    extract = _extract(tmp_path, *((number, count, False) for number, count in order))
    begins, path = _begins(extract, 2), extract.paths[0]
    assert len(begins) == 4
    for at, begin in enumerate(begins):
        places = _safe(FilePosition(path, begin))
        assert [copy.begin.rba for copy in places.copies] == begins[at + 1 :]
        assert (places.copy_of.rba if places.copy_of is not None else None) == (begins[0] if at else None)
        assert places.skipped == {"teahouse.teas": Counter({INSERT: 3})}
        text = _text(places)
        assert ("this is a copy" in text) == bool(at)
        assert text.count("NOFILTERDUPTRANSACTIONS") == len(begins) - 1 - at + bool(at)


def test_a_cut_transaction_with_others_between_its_copies(tmp_path: Path) -> None:
    """T2 cut, T5, T2 cut, T6, T2 whole: it counts once, and what is skipped with it is both others."""
    extract = _extract(tmp_path, (1, 2, False), (2, 3, True), (5, 1, False), (2, 3, True), (6, 2, False), (2, 3, False))
    begins, path = _begins(extract, 2), extract.paths[0]
    places = _safe(FilePosition(path, begins[0]))
    assert [(copy.begin.rba, copy.is_whole, copy.is_late) for copy in places.copies] == [
        (begins[1], False, False),
        (begins[2], True, False),
    ]
    assert places.others == 2
    assert places.skipped == {"teahouse.teas": Counter({INSERT: 3})}
    assert "To skip it, 3 records (3 changes: teahouse.teas 3 Insert):" in _text(places)
    assert "That also skips 2 transactions that a Replicat would apply." in _text(places)


def test_what_is_between_several_whole_copies_is_counted_for_each(tmp_path: Path) -> None:
    """T5 cut, T6, T5, T3 and T4 for the first time, T5, T2, T5, T9: four others are skipped with T5."""
    order = [(1, 1), (6, 1), (5, 3), (3, 1), (4, 1), (5, 3), (2, 1), (5, 3), (9, 1)]
    steps = [(number, count, False) for number, count in order]
    extract = _extract(tmp_path, steps[0], (5, 3, True), *steps[1:])
    begins, path = _begins(extract, 5), extract.paths[0]
    places = _safe(FilePosition(path, begins[0]))
    assert [copy.begin.rba for copy in places.copies] == begins[1:]
    assert places.leave_out == FilePosition(path, _begins(extract, 9)[0])
    assert places.others == 4
    assert sum(places.skipped["teahouse.teas"].values()) == 3


def test_the_verb_and_the_command_say_the_same_in_json(tmp_path: Path) -> None:
    extract = _extract(tmp_path, (1, 2, False), (2, 3, True), (2, 3, False), (3, 1, False))
    rba, path = _begins(extract, 2)[0], extract.paths[0]
    shown = json.loads(logdump("safe", str(path), str(rba), "--format", "jsonl").out.splitlines()[-1])
    assert shown["after"]["rba"] == shown["leave_out"]["rba"] == _begins(extract, 3)[0]
    assert shown["end"]["rba"] == shown["again"][0]["begin"]["rba"] == _begins(extract, 2)[1]
    assert [table["records"] for table in shown["skipped"]] == [3]


def _named(csn: str, middles: int) -> list[Record]:
    """A transaction of so many records between its first and its last."""
    tokens = [make_token("L", csn.encode()), make_token("6", csn.encode())]
    first = make_record(header(trans_ind=FIRST), b"leaf", tokens)
    return [first, *[row(trans_ind=MIDDLE)] * middles, row(trans_ind=LAST)]


def _placed(folder: Path, records: list[Record | bytes], rolls: set[int]) -> list[FilePosition]:
    """Write records, those with these numbers at the begin of a file; return their places, and that after the last."""
    content, positions = [bytearray()], list[FilePosition]()
    for number, record in enumerate(records):
        content += [bytearray()] if number in rolls else []
        positions.append(FilePosition(folder / f"tt{len(content) - 1:09}", len(content[-1])))
        content[-1] += record.raw if isinstance(record, Record) else record
    for number, data in enumerate(content):
        (folder / f"tt{number:09}").write_bytes(data)
    return [*positions, FilePosition(folder / f"tt{len(content) - 1:09}", len(content[-1]))]


@pytest.mark.parametrize("case", range(examples(24)))
def test_each_late_copy_has_its_begin_its_end_and_its_records(case: int, tmp_path: Path) -> None:
    """Several come after a later transaction; of each the last record is in the next file, or it is in one file."""
    random = Random(f"late {case}")
    records: list[Record | bytes] = [*_named("50", 1), *_named("90", 0)]
    spans, rolls = list[tuple[int, int]](), set[int]()
    for number in range(random.randint(2, 4)):
        begin, copy = len(records), _named("50", random.randint(0, 3))
        records += copy
        rolls |= {random.randrange(begin + 1, len(records))} if number == 0 or random.random() < 0.5 else set()
        spans.append((begin, len(records)))
        records += _named(str(91 + number), 0)
    positions = _placed(tmp_path, records, rolls)
    places = _safe(positions[0])
    told = [(copy.begin, copy.after, copy.records, copy.is_whole, copy.is_late) for copy in places.copies]
    assert [(begin, records, is_whole, is_late) for begin, _, records, is_whole, is_late in told] == [
        (positions[begin], end - begin, True, True) for begin, end in spans
    ]
    for (_, after, *_), (_, end) in zip(told, spans, strict=True):
        # behind the last record of a file is where its next one begins
        last = positions[end - 1]
        assert after == FilePosition(last.path, last.rba + _length(records[end - 1]))


def _length(record: Record | bytes) -> int:
    return len(record.raw if isinstance(record, Record) else record)


@pytest.mark.parametrize("case", range(examples(16)))
@pytest.mark.parametrize("copies", [0, 1, 2])
def test_an_occurrence_with_its_end_is_not_whole_if_damage_is_in_it(copies: int, case: int, tmp_path: Path) -> None:
    """It is asked about; the copies after it, of which the first is the whole one, have more records."""
    random = Random(f"damaged {case} {copies}")
    damaged: list[Record | bytes] = [*_named("50", random.randint(0, 2))]
    damaged.insert(random.randrange(1, len(damaged)), GARBAGE)
    records, copy = [*damaged], _named("50", random.randint(3, 5))
    for _ in range(copies):
        records += copy
    positions = _placed(tmp_path, [*records, *_named("90", 0)], set())
    places = _safe(positions[0])
    assert places.extent is not None
    assert places.extent.has_end
    whole = places.whole
    assert (whole.first if whole is not None else None) == (positions[len(damaged)] if copies else None)
    assert places.leave_out == positions[len(records)]
    assert [late.begin for late in places.copies] == [positions[len(damaged) + at * len(copy)] for at in range(copies)]
    number = len(copy) if copies else len(damaged) - 1
    assert f"To skip it, {number} records ({number} changes" in _text(places)


@pytest.mark.parametrize("before", [1, 2, 3])
def test_each_byte_of_damage_in_a_transaction_is_said_to_be_in_it(before: int, tmp_path: Path) -> None:
    """The first one too, at which a record could begin; behind the last one a record begins."""
    records: list[Record | bytes] = [*_named("50", before - 1)[:before], GARBAGE, *_named("50", 0)[-1:]]
    begin, end = _placed(tmp_path, records, set())[before : before + 2]
    inside = Random(before).randrange(begin.rba + 1, end.rba)
    for rba in (begin.rba, inside, end.rba):
        text = _text(_safe(begin._replace(rba=rba)))
        verdict = f"RBA {rba} of tt000000000 is in damage ({begin.rba} to {end.rba}): a restart there is not safe"
        assert text.startswith(verdict) is (rba != end.rba), text
