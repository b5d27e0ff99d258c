"""Each option of DIFF, with and without it, and two of them at once; both trails alike, in either order."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from pathlib import Path

import pytest

from fixtures.changes import Change, insert, update_pair
from fixtures.flavour import ORACLE_12, Flavour
from logdump.features.diff import comparison, rows
from logdump.features.diff.comparison import Alignment
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffShown
from logdump.session.events import Notice
from tests.logdump.comparison.test_simulated import BY_NAME
from tests.logdump.line import Line
from tests.searching import Random, in_turn
from tests.simulated.pairs import SALES, TEAS, Committed, drawn, restocked, written
from tests.trailformat.samples import column, metadata_record, row, table_record, trail_of
from tests.trailformat.test_applied import transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import ByteOrder, Images, Record, TableDefinition, make_column, make_record, make_token
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RESTART_ABEND
from trailformat.transactions import applied

CHANGED, DAMAGE, MISSING, MOVED = (
    DifferenceKind.CHANGED,
    DifferenceKind.DAMAGE,
    DifferenceKind.MISSING,
    DifferenceKind.MOVED,
)


def _differences(line: Line, a: Path | str, b: Path | str, words: str = "") -> list[DifferenceShown]:
    line(f'diff "{a}" "{b}" {words}')
    return [event for event in line.events if isinstance(event, DifferenceShown)]


def _summary(line: Line) -> DiffShown:
    return next(event for event in line.events if isinstance(event, DiffShown))


def _tea(key: str, stock: int = 7) -> Change:
    return insert(TEAS, (key, key, "Uji", "A ", Decimal("9.50"), Decimal(stock)))


def _updated(key: str, before: int, after: int) -> tuple[Change, Change]:
    """An update of the stock, in two records."""
    old, new = (_tea(key, stock).after or () for stock in (before, after))
    return update_pair(TEAS, old, new)


def _rows(*names: int, text: bytes = b"leaf", csn: str = "10") -> list[Record]:
    """A transaction of rows of the tables with these indexes."""
    first = (make_token("L", csn.encode()), make_token("6", b"1.1"))
    kinds = [FIRST, *(MIDDLE for _ in names[2:]), LAST]
    rows = [row(text, name=name, trans_ind=kind) for name, kind in zip(names, kinds, strict=True)]
    head = rows[0]
    return [make_record(head.header, head.data, first), *rows[1:]]


def _trail(folder: Path, name: str, tables: tuple[str, ...], *records: Record | bytes) -> Path:
    folder = folder / name
    folder.mkdir(exist_ok=True)
    tdrs = [table_record(index, table) for index, table in enumerate(tables, 1)]
    return trail_of(folder, *tdrs, *records)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_transaction_is_equal_whichever_of_its_records_are_compared(at: int, line: Line, tmp_path: Path) -> None:
    """Of three records one is of the table of ONLY."""
    names = [1, 1, 1]
    names[at] = 2
    a, b = (_trail(tmp_path, side, ("TEA.LEAVES", "TEA.POTS"), *_rows(*names)) for side in "ab")
    assert _differences(line, a, b, "only tea.pots") == []
    assert (_summary(line).equal, _summary(line).changed) == (1, 0)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_transaction_without_a_compared_record_is_not_counted(at: int, line: Line, tmp_path: Path) -> None:
    """Of three transactions one has a record of the table of ONLY."""
    for side in "ab":
        transactions = [_rows(1, 2 if number == at else 1, csn=f"1{number}") for number in range(3)]
        _trail(tmp_path, side, ("TEA.LEAVES", "TEA.POTS"), *(record for rows in transactions for record in rows))
    assert _differences(line, tmp_path / "a" / "tt*", tmp_path / "b" / "tt*", "only tea.pots") == []
    assert (_summary(line).equal, _summary(line).changed) == (1, 0)


@pytest.mark.parametrize(
    ("words", "tables"),
    [
        ("", {"TEA.LEAVES", "TEA.POTS", "TEA.CUPS"}),
        ("only tea.pots", {"TEA.POTS"}),
        ("filtered", {"TEA.POTS", "TEA.CUPS"}),
        ("only tea.pots filtered", {"TEA.POTS"}),
        ("only tea.leaves filtered", set()),
    ],
)
def test_only_and_a_filter_hold_at_once(words: str, tables: set[str], line: Line, tmp_path: Path) -> None:
    """The tables have other indexes in the second trail, the records other places: its filter is one of its own."""
    names = ("TEA.LEAVES", "TEA.POTS", "TEA.CUPS")
    a = _trail(tmp_path, "a", names, *_rows(1, 2, 3))
    b = _trail(tmp_path, "b", names[::-1], *_rows(3, 2, 1, text=b"another leaf"))
    if "filtered" in words:
        line("filter exclude filename TEA.LEAVES")
    differences = _differences(line, a, b, words)
    assert {difference.table for difference in differences} == tables
    assert {difference.kind for difference in differences} <= {CHANGED}


@pytest.mark.parametrize(("words", "is_equal"), [("bytes", False), ("records", True), ("values", True), ("", True)])
def test_records_of_other_bytes_that_say_the_same_differ_under_bytes_alone(
    words: str, is_equal: bool, line: Line, tmp_path: Path
) -> None:
    """The tables have other indexes in the second trail."""
    names = ("TEA.LEAVES", "TEA.POTS")
    a = _trail(tmp_path, "a", names, *_rows(1, 2, 1))
    b = _trail(tmp_path, "b", names[::-1], *_rows(2, 1, 2))
    differences = _differences(line, a, b, words)
    assert {difference.kind for difference in differences} == (set() if is_equal else {CHANGED})
    assert (_summary(line).equal, _summary(line).changed) == ((1, 0) if is_equal else (0, 1))


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_file_that_is_no_trail_is_no_damage_in_either_trail(is_turned: bool, line: Line, tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        for number in range(3):
            trail_of(tmp_path / name, *transaction(f"1{number}", f"1.{number}"), name=f"tt{number:09}")
    (tmp_path / "b" / "tt000000001").write_bytes(b"no trail")
    sides = [tmp_path / name / "tt*" for name in "ab"]
    a, b = sides[::-1] if is_turned else sides
    differences = _differences(line, a, b)
    assert {difference.kind for difference in differences} == {
        DAMAGE,
        DifferenceKind.EXTRA if is_turned else MISSING,
    }
    (notice,) = (event for event in line.events if isinstance(event, Notice))
    assert notice.lines == ("1 file not read: this is partial, without a verdict.",)


@pytest.mark.parametrize("is_turned", [False, True])
def test_damage_is_told_where_it_is(is_turned: bool, line: Line, tmp_path: Path) -> None:
    """Three transactions that differ, damage behind the first of one trail and behind the last.

    That inside a stretch is told before its differences.
    """
    a = _trail(tmp_path, "a", (), *(record for csn in ("10", "20", "30") for record in transaction(csn, f"1.{csn}")))
    other = [transaction(csn, f"2.{csn}") for csn in ("10", "20", "30")]
    b = _trail(tmp_path, "b", (), *other[0], GARBAGE, *other[1], *other[2], GARBAGE)
    differences = _differences(line, *((b, a) if is_turned else (a, b)))
    damaged = [place for place, difference in enumerate(differences) if difference.kind is DAMAGE]
    assert damaged == [0, len(differences) - 1]
    assert len(differences) == 8
    assert [(difference.a is None) == is_turned for difference in differences if difference.kind is DAMAGE] == [
        False,
        False,
    ]
    assert _summary(line).transactions[DAMAGE] == 2


@pytest.mark.parametrize("unsure", [(), ("a",), ("b",), ("a", "b")])
def test_copies_may_be_missed_in_either_trail(
    unsure: tuple[str, ...], line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two transactions remembered, three below the greatest CSN are too many."""
    monkeypatch.setattr(applied, "MOST_KNOWN", 2)
    for name in "ab":
        csns = ["90", "10", "11", "12"] if name in unsure else ["10", "11", "12", "90"]
        _trail(tmp_path, name, (), *(record for csn in csns for record in transaction(csn, f"1.{csn}")))
    _differences(line, tmp_path / "a" / "tt*", tmp_path / "b" / "tt*")
    assert _summary(line).is_unsure == bool(unsure)


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("most", [3, 100])
def test_what_moved_and_has_changed_is_told_with_the_places_of_both(
    most: int, is_turned: bool, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With three transactions looked at, the counterpart lies behind them, in the one trail or in the other."""
    monkeypatch.setattr(comparison, "MOST_TRANSACTIONS", most)
    transactions = drawn(Random(5), 8)
    moved = transactions[1]
    changed = moved._replace(changes=(restocked(moved.changes[0]), *moved.changes[1:]))
    later = [transactions[0], *transactions[2:4], changed, *transactions[4:]]
    a, b = written(tmp_path / "a", transactions), written(tmp_path / "b", later)
    sides = (b, a) if is_turned else (a, b)
    differences = _differences(line, *sides)
    assert [difference.kind for difference in differences] == [MOVED, CHANGED]
    (_, of_rows) = differences
    (part,) = of_rows.parts
    assert (part.a if is_turned else part.b) == "5000"
    assert (_summary(line).equal, _summary(line).changed) == (7, 1)
    for difference in differences:
        assert difference.a is not None
        assert difference.b is not None
        assert (str(difference.a.path.parent), str(difference.b.path.parent)) == tuple(
            side.removesuffix("/sm*") for side in sides
        )


EDGES = list(product((0, 1), repeat=2))
ONLY_POTS = ["only tea.pots", "values only tea.pots", "only tea.pots filtered", "filtered"]


@pytest.mark.parametrize(
    ("edges", "words"), in_turn([pair for pair in product(EDGES, EDGES) if pair[0] != pair[1]], ONLY_POTS)
)
def test_rows_between_those_that_are_compared_do_not_count(
    edges: tuple[tuple[int, int], tuple[int, int]], words: str, line: Line, tmp_path: Path
) -> None:
    """As many rows of a table in both; whether they are first, in the middle or last in the transaction differs."""
    random = Random(words)
    number = random.randint(2, 4)
    for side, (before, after) in zip("ab", edges, strict=True):
        between = [random.choices((1, 3), k=random.randint(0, 2)) for _ in range(number - 1)]
        pots = [2, *(name for others in between for name in (*others, 2))]
        _trail(tmp_path, side, ("TEA.LEAVES", "TEA.POTS", "TEA.CUPS"), *_rows(*[1] * before, *pots, *[3] * after))
    line("filter include filename TEA.POTS" if "filtered" in words else "")
    assert _differences(line, tmp_path / "a" / "tt*", tmp_path / "b" / "tt*", words) == []
    assert (_summary(line).equal, line.failures) == (1, [])


@pytest.mark.parametrize("other", [0, 1, 2])
@pytest.mark.parametrize(("level", "number"), [("bytes", 0), ("records", 0), ("values", 1)])
def test_the_same_bytes_under_another_definition_have_another_value(
    other: int, level: str, number: int, line: Line, tmp_path: Path
) -> None:
    """Of three transactions of one row the table of one has another scale in the second trail."""
    for side in "ab":
        records: list[Record] = []
        for at in range(3):
            scale = 0 if side == "b" and at == other else 2
            definition = TableDefinition(1, 1, (column("PRICE", scale=scale),))
            records.append(metadata_record(2, 1, "TEA.POTS", build_table(definition, ByteOrder.BIG)))
            records += _priced(f"1{at}", at)
        (tmp_path / side).mkdir()
        trail_of(tmp_path / side, *records)
    differences = _differences(line, tmp_path / "a" / "tt*", tmp_path / "b" / "tt*", level)
    assert [(difference.kind, difference.csn) for difference in differences] == [(CHANGED, f"1{other}")] * number
    assert (_summary(line).equal, _summary(line).changed) == (3 - number, number)


def _priced(csn: str, number: int) -> list[Record]:
    """A row of the table with index 1, a price of three digits."""
    first = (make_token("L", csn.encode()), make_token("6", b"1.1"))
    head = row(name=1, trans_ind=ONLY)
    return [make_record(head.header, Images(None, (make_column(0, (150 + number).to_bytes(8, "big")),)), first)]


@pytest.mark.parametrize("piece", [1, 3, 7, 1 << 20])
def test_the_place_of_the_first_of_three_bytes_that_differ_counts_from_the_record(
    piece: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever piece of the record that is in: records are compared a piece at a time."""
    monkeypatch.setattr(rows, "_PIECE", piece)
    text = bytearray(b"leaf " * 8)
    places = sorted(Random(piece).sample(range(len(text)), 3))
    a = _trail(tmp_path, "a", (), row(bytes(text), trans_ind=ONLY))
    for place in places:
        text[place] ^= 0x80
    b = _trail(tmp_path, "b", (), row(bytes(text), trans_ind=ONLY))
    (part,) = _differences(line, a, b, "bytes")[0].parts
    begin = a.read_bytes().index(b"leaf leaf")
    assert part.a is not None
    assert f"at {begin + places[0]}: " in part.a


@pytest.mark.parametrize("flavour", [ORACLE_12, BY_NAME], ids=["defined", "undefined"])
@pytest.mark.parametrize("level", ["bytes", "records", "values"])
@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_an_update_in_two_records_differs_whichever_of_them_does(
    at: int, half: int, level: str, flavour: Flavour, line: Line, tmp_path: Path
) -> None:
    """Of three updates one; with its table's definition the values are compared, without it the records."""
    for side in "ab":
        changes: list[Change] = []
        for number in range(3):
            stocks = [7, 8]
            stocks[half] += 90 if side == "b" and number == at else 0
            changes += _updated(f"T{number}", *stocks)
        written(tmp_path / side, [Committed(2, tuple(changes))], flavour=flavour)
    differences = _differences(line, tmp_path / "a" / "sm*", tmp_path / "b" / "sm*", level)
    assert [difference.kind for difference in differences] == [CHANGED]
    (part,) = differences[0].parts
    assert (part.a, part.b) != (None, None)
    assert (_summary(line).equal, _summary(line).changed) == (0, 1)


@pytest.mark.parametrize("is_turned", [False, True])
def test_half_an_update_differs_from_a_whole_one_of_a_table_without_a_definition(
    is_turned: bool, line: Line, tmp_path: Path
) -> None:
    pair = _updated("T1", 7, 8)
    sides = [
        written(tmp_path / side, [Committed(2, (_tea("T0"), *changes))], flavour=BY_NAME)
        for side, changes in (("a", pair), ("b", pair[1:]))
    ]
    a, b = sides[::-1] if is_turned else sides
    differences = _differences(line, a, b, "values")
    (part,) = (part for difference in differences for part in difference.parts)
    assert (part.part, part.a, part.b) == ("records", *(("1", "2") if is_turned else ("2", "1")))


@pytest.mark.parametrize("words", ["", "ignore cut", "bytes ignore cut", "values"])
@pytest.mark.parametrize("cut", [0, 1, 2])
def test_ignore_cut_leaves_out_what_was_cut_and_what_comes_twice(
    cut: int, words: str, line: Line, tmp_path: Path
) -> None:
    """One of three transactions was cut by a restart and written again, and the whole one comes twice."""
    transactions = [transaction(csn, f"1.{csn}") for csn in ("10", "20", "30")]
    again = [*transaction(f"{cut + 1}0", f"1.{cut + 1}0", is_cut=True), *transactions[cut], *transactions[cut]]
    a = _trail(tmp_path, "a", (), *(record for records in transactions for record in records))
    b = _trail(
        tmp_path,
        "b",
        (),
        *(record for at, records in enumerate(transactions) for record in (again if at == cut else records)),
    )
    differences = _differences(line, a, b, words)
    expected = [] if words else [DifferenceKind.EXTRA, DifferenceKind.TWICE]
    assert [difference.kind for difference in differences] == expected
    assert (_summary(line).equal, _summary(line).a.transactions, _summary(line).b.transactions) == (
        3,
        3,
        3 if words else 5,
    )


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("names", ["L6", "L", "6", ""])
def test_a_cut_transaction_is_no_counterpart_of_its_whole_copy_whichever_name_it_has(
    names: str, is_turned: bool, line: Line, tmp_path: Path
) -> None:
    """With CSN and TRANID, with one of both, and with neither; in one trail it was cut and written again."""
    tokens = [make_token(name, {"L": b"20", "6": b"1.20"}[name]) for name in names]
    begin, last = row(b"one", trans_ind=FIRST), row(b"two", trans_ind=LAST)
    first = make_record(begin.header, begin.data, tokens)
    cut = (first, row(b"", io_type=RESTART_ABEND))
    a, b = (_trail(tmp_path, side, (), *before, first, last) for side, before in (("a", ()), ("b", cut)))
    (difference,) = _differences(line, *((b, a) if is_turned else (a, b)))
    assert (difference.kind, _summary(line).equal) == (MISSING if is_turned else DifferenceKind.EXTRA, 1)


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("moved", [0, 1, 2])
def test_of_three_transactions_without_a_name_two_are_compared_where_one_has_moved(
    moved: int, is_turned: bool, line: Line, tmp_path: Path
) -> None:
    """Whichever of the three it is: the others have other rows in the second trail, in their order."""
    nameless = [row(text, trans_ind=ONLY) for text in (b"one", b"two", b"three")]
    others = [row(text + b" changed", trans_ind=ONLY) for text in (b"one", b"two", b"three")]
    named = [transaction(csn, f"1.{csn}") for csn in ("10", "20", "25", "30")]
    left = [record for at, record in enumerate(others) if at != moved]
    a = _trail(tmp_path, "a", (), *named[0], *nameless, *named[1], *named[2], *named[3])
    b = _trail(tmp_path, "b", (), *named[0], *left, *named[1], *named[2], nameless[moved], *named[3])
    differences = _differences(line, *((b, a) if is_turned else (a, b)))
    assert sorted(difference.kind.value for difference in differences) == ["changed", "changed", "moved"]
    assert (_summary(line).equal, _summary(line).changed) == (4, 2)


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_stretch_that_was_given_up_is_remembered(is_turned: bool) -> None:
    """Items without an order are given up; behind them one stream has some alone."""
    streams = [1, 2, 3], [11, 12, 13, 14, 15, 16]
    a, b = streams[::-1] if is_turned else streams
    alignment = Alignment(iter(a), iter(b), int, 3)
    for _ in alignment:
        pass
    assert alignment.is_lost


def test_no_more_stands_alone_than_is_before_the_others_without_a_break() -> None:
    """The second item is above those of the other stream, the third below them."""
    (first, *_) = Alignment(iter([1, 9, 2, 10]), iter([5, 6, 7, 9]), int, 3, int)
    assert (first.a, first.b) == ([1], [])


def test_items_of_one_order_may_all_have_a_counterpart() -> None:
    """Transactions of one CSN: which of them comes first is not known."""
    a, b = [(5, "x"), (5, "y"), (6, "z"), (7, "u")], [(5, "q"), (5, "r"), (5, "s"), (7, "u")]
    alignment = Alignment(iter(a), iter(b), str, 3, lambda item: item[0])
    for _ in alignment:
        pass
    assert alignment.is_lost


@pytest.mark.parametrize("is_turned", [False, True])
def test_of_three_copies_elsewhere_the_first_is_the_one_that_moved(is_turned: bool, line: Line, tmp_path: Path) -> None:
    first, *others = drawn(Random(5), 7)
    a = written(tmp_path / "a", [first, *others])
    b = written(tmp_path / "b", [*others[:2], first, *others[2:4], first, others[4], first, others[5]])
    differences = _differences(line, *((b, a) if is_turned else (a, b)))
    assert sorted(difference.kind.value for difference in differences) == ["moved", "twice", "twice"]
    (moved,) = (difference for difference in differences if difference.kind is MOVED)
    copies = [difference for difference in differences if difference.kind is DifferenceKind.TWICE]
    places = [
        position.rba for position in (moved.a if is_turned else moved.b, *(copy.b for copy in copies)) if position
    ]
    assert len(places) == 3
    assert places == sorted(places)


def test_a_window_that_is_full_goes_on_behind_its_last_pair() -> None:
    """Two windows: the items behind the last pair of the first have their counterparts in the second."""
    a, b = [1, 2, 3, 4, 5, 6], [0, 1, 8, 2, 3, 4, 5, 6]
    stretches = list(Alignment(iter(a), iter(b), int, 3))
    pairs = [(stretch.a[at], stretch.b[other]) for stretch in stretches for at, other in stretch.pairs]
    assert pairs == [(item, item) for item in a]


@pytest.mark.parametrize("at", [0, 1, 2])
def test_rows_that_are_too_different_are_told_of_any_transaction(
    at: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparison, "MOST_ROWS", 2)
    same = [Committed(2 * number, tuple(_tea(f"T{number}{key}") for key in range(3))) for number in (1, 2, 3)]
    names = [tuple(_tea(f"{side}{key}") for key in range(6)) for side in "XY"]
    sides = [
        [*same[:at], same[at]._replace(changes=(*changes, *same[at].changes)), *same[at + 1 :]] for changes in names
    ]
    for transactions in sides:  # all differ, so that none is equal by its bytes
        transactions[:] = [
            committed._replace(changes=(*committed.changes, _tea("Z", 1 if transactions is sides[0] else 2)))
            for committed in transactions
        ]
    a, b = (written(tmp_path / name, side) for name, side in zip("ab", sides, strict=True))
    _differences(line, a, b, "values")
    assert _summary(line).is_unaligned


@pytest.mark.parametrize(("times", "others"), [(3, 1), (1, 3), (2, 2), (0, 3), (3, 0)])
def test_in_any_order_each_row_counts_as_often_as_it_is_there(
    times: int, others: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted in one pass and in several."""
    other = insert(SALES, (Decimal(1), "T9", Decimal(3), None)) if len(SALES.columns) == 4 else _tea("T9")
    for name, number in (("a", times), ("b", others)):
        changes = (_tea("T1"), *(_tea("T2") for _ in range(number)), other)
        written(tmp_path / name, [Committed(2, changes if name == "a" else changes[::-1])])
    for most in (1 << 17, 1, 2):
        monkeypatch.setattr(comparison, "MOST_COUNTED", most)
        found = [event.kind for event in _differences(Line(), f"{tmp_path}/a/sm*", f"{tmp_path}/b/sm*", "anyorder")]
        expected = [MISSING] * (times - others) + [DifferenceKind.EXTRA] * (others - times)
        assert found == expected, most
