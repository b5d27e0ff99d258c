"""FIND and SCANFOR… in a session that goes on, in both directions and under filters, against a list of the records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.logdump.line import Line
from tests.searching import Random, examples
from trailformat import Record, TrailFile, to_datetime
from trailformat.changes.transactions import is_transactional
from trailformat.records.record_header import BEGINS, DATABASE, ENDS, FIELD_COMP, INSERT

TRAILS = ("et000000000", "el000000000", "st000000000", "sl000000001", "at000000000", "al000000001", "yt000000000")
TABLES = ("*.SALES", "teahouse.*", "*.TEAS", "none.*", "*")
Wanted = Callable[[Record], bool]


class Position(NamedTuple):
    """Where the session is: the record read last, where the next read begins, the direction.

    ``found_at`` is the record that FIND has shown there, if nothing has moved the position since.
    """

    current: int = 0
    next: int = 0
    is_backwards: bool = False
    found_at: int | None = None


class Model:
    """The records of a file in a list, and a position in it."""

    def __init__(self, path: Path) -> None:
        with TrailFile(path) as trail:
            self.records = list(trail.records())
            self.names = {record.rba: trail.name_of(record) or "" for record in self.records}
        self.at = Position()
        self.shown_by_filter = "*"
        self.text = ""

    def fits(self, record: Record, pattern: str) -> bool:
        return pattern == "" or (
            bool(self.names[record.rba]) and fnmatch(self.names[record.rba].lower(), pattern.lower())
        )

    def ahead(self, position: Position) -> Iterator[Record]:
        """The records from a position on, in its direction."""
        if position.is_backwards:
            yield from (record for record in reversed(self.records) if record.rba + record.length <= position.next)
        else:
            yield from (record for record in self.records if record.rba >= position.next)

    def after(self, record: Record) -> Position:
        """The position after reading a record."""
        is_backwards = self.at.is_backwards
        return Position(record.rba, record.rba if is_backwards else record.rba + record.length, is_backwards)

    def search(self, wanted: Wanted, position: Position | None = None, *, filtered: bool = True) -> Record | None:
        """The next record that is wanted; the position moves to it if there is one."""
        for record in self.ahead(position or self.at):
            if wanted(record) and (not filtered or self.passes(record)):
                self.at = self.after(record)
                return record
        return None

    def passes(self, record: Record) -> bool:
        return self.shown_by_filter == "*" or self.fits(record, self.shown_by_filter)

    def find(self, text: str, *, is_previous: bool) -> Record | None:
        at, first = self.at, self.at.next
        if not is_previous and at.is_backwards and at.found_at is not None:
            first = next(record.rba + record.length for record in self.records if record.rba == at.found_at)
        start = at._replace(next=at.current if is_previous else first, is_backwards=is_previous)
        record = self.search(lambda trail_record: text.encode() in trail_record.data, start)
        if record is not None:
            self.at = self.at._replace(found_at=record.rba)
        return record


def _is_record(record: Record) -> bool:
    return not record.is_file_header


def _time(record: Record) -> str:
    moment = to_datetime(record.header.io_time)
    assert moment is not None
    return f"{moment:%Y-%m-%dT%H:%M:%S.%fZ}"


def _scan(model: Model, random: Random) -> tuple[str, Record | None]:
    """A search by type, time or AuditRBA, of any table or of some, and the record that it shows."""
    like = random.choice([record for record in model.records if _is_record(record)])
    pattern = random.choice(("", "", *TABLES))
    comma = f", {pattern}" if pattern else ""
    kind = random.randrange(4)
    if kind == 0:
        io_type = like.header.io_type
        return f"sft {io_type}{comma}", model.search(
            lambda record: _is_record(record) and record.header.io_type == io_type and model.fits(record, pattern)
        )
    if kind == 1:
        moment = like.header.io_time
        return f"sfts {_time(like)}{comma}", model.search(
            lambda record: _is_record(record) and record.header.io_time >= moment and model.fits(record, pattern)
        )
    wanted = -1 if kind == 2 else like.header.audit_rba
    return f"sfr {wanted}{comma}", model.search(
        lambda record: (
            _is_record(record)
            and not record.is_metadata
            and wanted in (-1, record.header.audit_rba)
            and model.fits(record, pattern)
        )
    )


def _transaction(model: Model, random: Random) -> tuple[str, Record | None]:
    """The begin of the next transaction, or what follows the end of this one; the filter does not matter."""
    if random.random() < 0.5:
        return "sfnt", model.search(
            lambda record: is_transactional(record) and record.header.trans_ind in BEGINS, filtered=False
        )
    before = model.at
    end = model.search(lambda record: is_transactional(record) and record.header.trans_ind in ENDS, filtered=False)
    following = model.search(is_transactional, filtered=False) if end is not None else None
    if following is None:
        model.at = before
    return "sfet", following


def _metadata(model: Model, random: Random) -> tuple[str, Record | None]:
    """A definition of some kind; by an index the one in force at the position goes before those that follow."""
    kind, index = random.choice(("", "ddr", "tdr", "tdr")), random.choice((None, None, 1, 2, 3))
    is_next = random.random() < 0.5
    words = ["sfmd", kind, "" if index is None else str(index), "next" if is_next else ""]

    def wanted(record: Record) -> bool:
        if not _is_record(record) or not record.is_metadata:
            return False
        is_database = record.header.orig_node == DATABASE
        ddr, tdr = record.metadata_indexes
        return kind in ("", "ddr" if is_database else "tdr") and index in (None, ddr if is_database else tdr)

    if kind == "tdr" and index is not None and not is_next:
        before = [
            record
            for record in model.records
            if wanted(record) and record.rba < model.at.next + (not model.at.is_backwards)
        ]
        if before:
            model.at = model.after(before[-1])
            return " ".join(words), before[-1]
    return " ".join(words), model.search(wanted, filtered=False)


def _find(model: Model, random: Random) -> tuple[str, Record | None]:
    """Another text, or the last one once more, forwards or back."""
    again = random.choice(("", "find", "find next", "find previous", "find previous"))
    if not again or not model.text:
        model.text = random.choice(("SEN01", "TEAHOUSE", "gift wrap", "nowhere at all", "EAST", "Sencha"))
        return f'find "{model.text}"', model.find(model.text, is_previous=False)
    return again, model.find(model.text, is_previous=again == "find previous")


def _move(model: Model, random: Random) -> tuple[str, None]:
    """Another position, direction or filter."""
    kind = random.randrange(4)
    if kind == 0:
        rba = random.choice(model.records).rba
        model.at = Position(rba, rba, model.at.is_backwards)
        return f"position {rba}", None
    if kind == 1:
        model.at = model.at._replace(is_backwards=True)
        return "position reverse", None
    if kind == 2:
        model.at = model.at._replace(is_backwards=False)
        return "position forward", None
    pattern = model.shown_by_filter = random.choice((*TABLES[:3], "*", "*"))
    return "filter clear" if pattern == "*" else f"filter clear; filter include filename {pattern}", None


@pytest.mark.parametrize("case", range(examples(120, short=24)))
def test_each_search_shows_the_next_record_that_it_means_wherever_the_session_is(
    case: int, line: Line, trails: Path
) -> None:
    random = Random(case)
    path = trails / random.choice(TRAILS)
    model, steps = Model(path), list[str]()
    line(f"open {path}")
    for _ in range(40):
        step = random.choice((_scan, _scan, _transaction, _metadata, _find, _move, _move))
        words, record = step(model, random)
        steps.append(words)
        line(words)
        if step is not _move:
            assert line.rbas == ([record.rba] if record is not None else []), steps
            assert bool(line.failures) is (record is None), steps
        cursor = line.session.cursor
        assert (cursor.current, cursor.next, cursor.is_backwards) == model.at[:3], steps


COMMANDS: dict[str, Wanted] = {
    "sft 5": lambda record: record.header.io_type == INSERT,
    "sft 15, *.teas": lambda record: record.header.io_type == FIELD_COMP,
    "sfr -1": lambda record: not record.is_metadata,
    "sfnt": lambda record: is_transactional(record) and record.header.trans_ind in BEGINS,
    "sfmd": lambda record: record.is_metadata,
    'find "SEN01"': lambda record: b"SEN01" in record.data,
}


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("is_backwards", [False, True])
def test_a_search_shows_what_it_means_up_to_the_next_damage_and_stands_there(
    words: str, is_backwards: bool, line: Line, trails: Path, tmp_path: Path
) -> None:
    """Two records are damaged; from each record on, FIND going forwards always."""
    content, path = bytearray((trails / "et000000000").read_bytes()), tmp_path / "et000000000"
    with TrailFile(trails / "et000000000") as trail:
        records = list(trail.records())
    bad = [records[at] for at in (9, 15)]
    for record in bad:
        content[record.rba : record.rba + 30] = bytes(30)
    path.write_bytes(content)
    line(f"open {path}")
    goes_back = is_backwards and "find" not in words
    for start in records:
        if start in bad:
            continue
        line(f"position {'reverse' if is_backwards else 'forward'}; position {start.rba}")
        seen, place, hit = list[int](), start.rba, -1
        while True:
            if place == hit and is_backwards and not goes_back:
                place = next(record.rba + record.length for record in records if record.rba == place)
            ahead = [
                trail_record
                for trail_record in records
                if (trail_record.rba + trail_record.length <= place if goes_back else trail_record.rba >= place)
            ]
            ahead = ahead[::-1] if goes_back else ahead
            wall = next((at for at, trail_record in enumerate(ahead) if trail_record in bad), len(ahead))
            found = next(
                (
                    trail_record
                    for trail_record in ahead[:wall]
                    if not trail_record.is_file_header and COMMANDS[words](trail_record)
                ),
                None,
            )
            line(words)
            assert line.rbas == ([found.rba] if found is not None else []), (start.rba, seen)
            if found is None:
                break
            hit, seen = found.rba, [*seen, found.rba]
            place = found.rba if is_backwards else found.rba + found.length
        stopped = ahead[wall] if wall < len(ahead) else None
        assert len(line.failures) == 1
        assert (f"Bad record found at RBA {stopped.rba}" in line.failures[0].lines[0]) if stopped else True
        if stopped is not None and "find" not in words:
            assert line.session.cursor.next == (stopped.rba + stopped.length if goes_back else stopped.rba)


@pytest.mark.parametrize("words", COMMANDS)
@pytest.mark.parametrize("last", [None, 0, 1, 2])
@pytest.mark.parametrize("is_backwards", [False, True])
def test_a_search_goes_on_in_the_other_files_up_to_the_last_one_that_is_wanted(
    is_backwards: bool, last: int | None, words: str, line: Line, trails: Path
) -> None:
    """From the middle of the second of three files, in both directions; ACROSS TO names the last file."""
    paths = [trails / f"at00000000{number}" for number in range(3)]
    records: list[tuple[Path, Record]] = []
    for path in paths:
        with TrailFile(path) as trail:
            records += [(path, record) for record in trail.records()]
    own = [record for path, record in records if path == paths[1]]
    begin = own[len(own) // 2].rba
    goes_back = is_backwards and "find" not in words
    ends = paths.index(paths[last]) if last is not None else (0 if goes_back else 2)
    across = f"across to {paths[last]}" if last is not None else "across on"
    line(f"open {paths[1]}; {across}; position {'reverse' if is_backwards else 'forward'}; position {begin}")
    ahead = [
        (path, record)
        for path, record in (reversed(records) if goes_back else records)
        if (path == paths[1] and (record.rba + record.length <= begin if goes_back else record.rba >= begin))
        or (paths.index(path) < 1 if goes_back else paths.index(path) > 1)
    ]
    is_named = last is not None and (ends < 1 if goes_back else ends > 1)
    if last == 1:
        ahead = [(path, record) for path, record in ahead if path == paths[1]]
    elif is_named:
        ahead = [
            (path, record)
            for path, record in ahead
            if (paths.index(path) >= ends if goes_back else paths.index(path) <= ends)
        ]
    matching = [(path, record.rba) for path, record in ahead if not record.is_file_header and COMMANDS[words](record)]
    seen: list[tuple[Path, int]] = []
    while True:
        line(words if not seen or "find" not in words else "find next")
        if line.failures:
            break
        seen.append((line.session.trail.path, line.rbas[0]))
        if is_backwards and "find" in words:
            break  # in reverse the next search is from the hit on
    assert seen == (matching[:1] if is_backwards and "find" in words else matching)
