"""EXPORT SQL of a trail in several files: the statements of the same trail in one file, wherever it is cut."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from logdump.display.sql import blocks
from tests.logdump.export.drawn_transactions import TABLES, DrawnTransactions, definition
from tests.logdump.export.scripts import DIRECTIONS, EITHER, check, written
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random, all_in_turn, in_turn
from tests.trailformat.samples import BOTH, header, row, trail_of
from trailformat import ByteOrder, Images, Record, make_column, make_record
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record_header import FIELD_COMP, INSERT, LARGE_OBJECT

SEEDS = range(8 if IS_LONG else 1)
STEP = 1 if IS_LONG else 20
FILTERS = ("", "", "filter include filename TEA.POTS", "filter include rectype 5")
WORDS = ("", "include cut")


def _drawn(random: Random, order: ByteOrder, number: int) -> list[Record]:
    """The records of some transactions, a few without their last record."""
    drawn = DrawnTransactions(random, order)
    transactions = [drawn.transaction() for _ in range(number)]
    return [
        record
        for transaction in transactions
        for record in (transaction[:-1] if random.random() < 0.2 else transaction)
    ]


def _in_files(folder: Path, records: list[Record], cuts: Iterable[int], order: ByteOrder) -> Path:
    """Write records in files, each of which has the definitions; returns the first one."""
    folder.mkdir(exist_ok=True)
    tables = [definition(name, index, order) for index, name in enumerate(TABLES, 1)]
    bounds = sorted({0, *cuts, len(records)})
    paths = [
        trail_of(folder, *tables, *records[start:stop], name=f"tt{number:09}")
        for number, (start, stop) in enumerate(pairwise(bounds))
    ]
    return paths[0]


def _statements(script: str) -> list[str]:
    """The lines of a script without those that say where a record is."""
    return [line for line in script.split("\n") if not line.startswith(("-- Transaction", "-- Left out", "-- RBA"))]


@pytest.mark.parametrize(("seed", "order", "direction"), all_in_turn(SEEDS, BOTH, DIRECTIONS))
def test_a_trail_cut_in_three_has_the_statements_of_one_file(
    seed: int, order: ByteOrder, direction: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"{seed} {order} {direction}")
    records = _drawn(random, order, 6)
    dialects = ["oracle", "mysql", "postgresql", "ansi"]
    in_one = _in_files(tmp_path / "one", records, (), order)
    for first in range(random.randint(1, STEP), len(records) - 1, STEP):
        second = min(first + random.choice((1, 1, 2, 5)), len(records) - 1)
        words = f"{random.choice(dialects)} {direction} {random.choice(WORDS)}"
        before = f"across on; {random.choice(FILTERS)}"
        monkeypatch.setattr(blocks, "_MOST_BYTES", random.choice((300, 8 << 20)))
        in_three = _in_files(tmp_path / f"{first}", records, (first, second), order)
        script = check(in_three, words, before)
        assert _statements(script) == _statements((written(in_one, words, before, by_columns=True)[0] or b"").decode())


@pytest.mark.parametrize(("words", "order", "direction"), all_in_turn(WORDS, BOTH, DIRECTIONS))
def test_each_record_in_a_file_of_its_own(words: str, order: ByteOrder, direction: str, tmp_path: Path) -> None:
    random = Random(f"{words} {order} {direction}")
    records = _drawn(random, order, 6 if IS_LONG else 2)
    script = check(
        _in_files(tmp_path / "all", records, range(len(records)), order), f"{direction} {words}", "across on"
    )
    in_one = _in_files(tmp_path / "one", records, (), order)
    whole = written(in_one, f"{direction} {words}", "across on", by_columns=True)[0] or b""
    assert _statements(script) == _statements(whole.decode())


@pytest.mark.parametrize(("before", "command"), in_turn(FILTERS[1:], ["redo", "undo"]))
def test_redo_and_undo_over_files_print_what_export_writes(before: str, command: str, tmp_path: Path) -> None:
    random = Random(f"{before} {command}")
    records = _drawn(random, ByteOrder.BIG, 8 if IS_LONG else 3)
    first = _in_files(tmp_path / "cut", records, range(0, len(records), 3), ByteOrder.BIG)
    direction = "undo" if command == "undo" else ""
    exported = check(first, f"ansi {direction} include cut", f"across on; {before}")
    shown = []
    for takes_lines in (False, True):
        line = Line()
        line(f"open {first}; across on; {before}")
        line.session.takes_lines = takes_lines
        shown.append("\n".join(line(f"{command} 999 ansi include cut")))
        line.session.close()
    assert shown[0] == shown[1]
    # then the file of the position is named
    expected = _statements(exported.removesuffix("\n"))
    assert _statements(shown[0])[: len(expected)] == expected


@EITHER
def test_one_change_of_each_file_at_most_is_made_by_itself(
    direction: str, tmp_path: Path, singles: list[list[Record]]
) -> None:
    """It is the update in two records, or the row with large objects, that goes on in the next file."""
    order = ByteOrder.BIG
    image = tuple(make_column(at, b"\0\1x") for at in range(3))
    before = make_record(header(1, io_type=FIELD_COMP, before_after=ord("B"), trans_ind=1), Images(image, None))
    changed = (*image[:2], make_column(2, b"\0\1y"))
    after = make_record(header(1, io_type=FIELD_COMP, trans_ind=1), Images(None, changed))
    pair = [before, after]
    records = [record for _ in range(9) for record in pair]
    records[0] = make_record(before.header._replace(trans_ind=0), Images(image, None))
    records[-1] = make_record(after.header._replace(trans_ind=2), Images(None, changed))
    script = check(_in_files(tmp_path, records, (5, 12), order), f"ansi {direction}")
    singles.clear()
    written(tmp_path / "tt000000000", f"ansi {direction}", "", by_columns=True)
    assert (script.count("UPDATE"), [len(group) for group in singles]) == (9, [2])


@pytest.mark.parametrize(("damaged", "direction"), in_turn(range(3), DIRECTIONS))
def test_damage_in_a_transaction_over_files_ends_both_ways_alike(damaged: int, direction: str, tmp_path: Path) -> None:
    drawn = DrawnTransactions(Random(5), ByteOrder.BIG)
    records = [record for _ in range(12) for record in drawn.transaction()]
    middle = [record for record in records if record.header.io_type != LARGE_OBJECT]
    contents: list[list[Record | bytes]] = [list(middle[number::3]) for number in range(3)]
    for number, content in enumerate(contents):
        content[:] = [_placed(record, 0 if (number, at) == (0, 0) else 1) for at, record in enumerate(content)]
        if number == damaged:
            content.insert(1, b"\x00\x01damage\xff" * 3)
        trail_of(tmp_path, *content, name=f"tt{number:09}")
    for name in ("tt000000000", "tt000000002"):
        by_change, by_columns = (
            written(tmp_path / name, f"{direction} include cut", "across on", by_columns=is_so)
            for is_so in (False, True)
        )
        assert by_columns[0] == by_change[0]
        assert [_file_of(text) for text in by_columns[2]] == [_file_of(text) for text in by_change[2]]


def _file_of(failure: str) -> str:
    return failure.partition(", RBA")[0]


def _placed(record: Record | bytes, trans_ind: int) -> Record:
    assert isinstance(record, Record)
    return make_record(record.header._replace(trans_ind=trans_ind), record.images or record.data, order=record.order)


def _made(io_type: int, old: str, new: str, place: int) -> Record:
    """A row of columns of one letter each; "-" is an image without the column, which only a large object can have."""
    images = [
        tuple(make_column(at, b"\0\1" + letter.encode()) for at, letter in enumerate(letters) if letter != "-") or None
        for letters in (old, new)
    ]
    before_after = ord("B") if images[1] is None else ord("A")
    fields = header(1, io_type=io_type, before_after=before_after, trans_ind=place)
    return make_record(fields, Images(images[0], images[1], 4 if images[0] and images[1] else 0))


def _piece(column: int, number: int, count: int, part: bytes, place: int) -> Record:
    size = len(part) * count
    data = build_piece(PieceHeader(column, number, count, len(part) * (number - 1), size), part, ByteOrder.BIG)
    fields = header(1, io_type=LARGE_OBJECT, continued=int(number < count), rec_count=count, trans_ind=place)
    return make_record(fields, data)


GOES_ON = {
    "an object in one piece": [_made(INSERT, "", "ab-", 0), _piece(2, 1, 1, b"pot", 1), _made(INSERT, "", "cde", 2)],
    "an object in two pieces": [
        _made(INSERT, "", "ab-", 0),
        _piece(2, 1, 2, b"tea ", 1),
        _piece(2, 2, 2, b"pots", 1),
        _made(INSERT, "", "cde", 2),
    ],
    "an update in two records": [
        _made(INSERT, "", "cde", 0),
        _made(FIELD_COMP, "abc", "", 1),
        _made(FIELD_COMP, "", "abd", 1),
        _made(INSERT, "", "fgh", 2),
    ],
    "an object between the halves of an update": [
        _made(FIELD_COMP, "abc", "", 0),
        _piece(2, 1, 1, b"pot", 1),
        _made(FIELD_COMP, "", "abd", 1),
        _made(INSERT, "", "fgh", 2),
    ],
}
"""Changes that go on in one or two files if each record has its own, in front of another change."""


@EITHER
@pytest.mark.parametrize("kind", GOES_ON)
def test_what_goes_on_in_later_files_is_written_as_in_one_file(kind: str, direction: str, tmp_path: Path) -> None:
    """Wherever one or two files end."""
    records = GOES_ON[kind]
    in_one = _in_files(tmp_path / "one", records, (), ByteOrder.BIG)
    whole = _statements(check(in_one, f"ansi {direction}", "across on"))
    made = [line for line in whole if line.startswith(("INSERT", "UPDATE", "DELETE"))]
    assert len(made) == (3 if kind == "an update in two records" else 2)
    assert ("pot" in "".join(whole)) == ("object in" in kind and not direction)
    for number in (1, 2, 3):
        for cuts in combinations(range(1, len(records)), number):
            path = _in_files(tmp_path / str(cuts), records, cuts, ByteOrder.BIG)
            assert _statements(check(path, f"ansi {direction}", "across on")) == whole, cuts


@EITHER
@pytest.mark.parametrize("cuts", [(), (2,), (1, 2, 3)], ids=["one file", "two files", "four files"])
@pytest.mark.parametrize(
    ("words", "updates", "left_out"),
    [
        ("value GGS_BEFORE_AFTER_IND = BEFORE", 1, 2),
        ("value GGS_BEFORE_AFTER_IND = AFTER", 1, 0),
        ("rectype insert", 0, 1),
    ],
)
def test_an_update_in_two_records_is_written_if_one_of_them_passes(
    words: str, updates: int, left_out: int, cuts: tuple[int, ...], direction: str, tmp_path: Path
) -> None:
    path = _in_files(tmp_path, GOES_ON["an update in two records"], cuts, ByteOrder.BIG)
    script = check(path, f"ansi {direction}", f"across on; filter include {words}")
    assert script.count("UPDATE") == updates
    told = [line for line in script.splitlines() if "The filter left out" in line]
    assert [line.split()[5] for line in told] == ([str(left_out)] if left_out else [])


def _without_definition(*places: int) -> list[Record]:
    """Rows of a table without a definition: each is a remark with its RBA."""
    return [_placed(row(b"leaf", "TEA.WILD"), place) for place in places]


DAMAGE = [bytes([0, number]) + b"damage\xff" * (number + 2) for number in range(3)]


def _rbas(script: str) -> list[int]:
    """The RBAs of the changes in a script."""
    return [int(line.split()[2]) for line in script.splitlines() if line.startswith("-- RBA ")]


@pytest.mark.parametrize("over_files", [False, True], ids=["one file", "two files"])
def test_of_several_stretches_of_damage_in_a_transaction_the_first_on_the_way_ends_it(
    tmp_path: Path, *, over_files: bool
) -> None:
    """Forward the first, from behind all of them backwards the last; what is told as its reason is the first."""
    first, *middle, last = _without_definition(0, 1, 1, 1, 2)
    before, after = _without_definition(3, 3)
    parts: list[Record | bytes] = [
        before,
        first,
        middle[0],
        DAMAGE[0],
        middle[1],
        DAMAGE[1],
        middle[2],
        DAMAGE[2],
        last,
        after,
    ]
    sizes = [len(part.raw if isinstance(part, Record) else part) for part in parts]
    rba = [sum(sizes[:number]) for number in range(len(parts))]
    if over_files:
        head = [before, first, middle[0]]
        trail_of(tmp_path, *head, name="tt000000000")
        path = trail_of(tmp_path, *parts[len(head) :], name="tt000000001")
        rba[len(head) :] = [place - rba[len(head)] for place in rba[len(head) :]]
    else:
        path = trail_of(tmp_path, *parts, name="tt000000001")
    line = Line()
    line(f"open {path}")
    whole = "\n".join(line(f"position {rba[8]}; redo 9 ansi include cut"))
    reason = f"damage at RBA {rba[3]}, {len(DAMAGE[0])} bytes: what it held is not known."
    assert (reason in whole, line.failures[-1].lines[0].startswith(f"Bad record found at RBA {rba[3]}")) == (True, True)
    told = [text.split()[2] for text in whole.splitlines() if text.startswith("-- RBA ")]
    assert told == [str(rba[1]), str(rba[2])]
    back = "\n".join(line(f"position {rba[8]}; undo 9 ansi include cut"))
    assert _rbas(back) == [rba[9], rba[8]]
    assert reason in back
    assert line.failures[-1].lines[0].startswith(f"Bad record found at RBA {rba[7]}")
    ahead = line(f"position {rba[4]}; undo 9 ansi include cut")
    assert _rbas("\n".join(ahead)) == []
    assert line.failures[-1].lines[0].startswith(f"Bad record found at RBA {rba[5]}")
    line.session.close()
