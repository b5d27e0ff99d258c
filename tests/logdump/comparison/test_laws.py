"""Laws of DIFF over drawn trails: edits beside each other, rows that repeat, damage anywhere, a view of it all.

Damage in the later files of two trails is told alike by kernels, native and interpreted, at the same places.
"""

from __future__ import annotations

import tempfile
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from itertools import combinations, groupby
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fixtures.changes import Change, delete, insert
from logdump.features.diff.comparison import AlignedStretch, Alignment, Moves, longest_common
from logdump.features.diff.model import (
    DifferenceKind,
    DifferenceShown,
    DiffLevel,
    DiffShown,
    PairedTransaction,
    PassedOver,
    SameRow,
)
from logdump.features.diff.side import SideTransaction
from logdump.session.events import Progress
from tests.kernels import WAYS, Kernels, run
from tests.logdump.line import Line
from tests.logdump.repair.repaired import rows
from tests.searching import IS_LONG, Random, examples, in_turn
from tests.simulated.pairs import TEAS, Committed, drawn, restocked, written
from tests.trailformat.samples import trail_of
from tests.trailformat.small_batches import in_batches
from trailformat import Record, TrailFile
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import whole_trail
from trailformat.transactions.batches import TransactionSummary
from trailformat.transactions.extent import Ended
from trailformat.transactions.whole_trail import TrailPosition

COMMANDS = ("diff {a} {b}", "diff {a} {b} values", "open {first}; explain restart", "open {first}; explain lag")


def _damage(path: Path, random: Random) -> None:
    content = bytearray(path.read_bytes())
    for _ in range(random.randint(1, 2)):
        at, length = random.randrange(len(content)), random.choice((1, 2, 8, 40, 128, 300))
        content[at : at + length] = random.choice((bytes(length), random.randbytes(length), b""))
    path.write_bytes(content)


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=examples(8, short=2), deadline=None)
def test_machine_code_and_interpreter_tell_the_same_of_damaged_trails(seed: int) -> None:
    random = Random(seed)
    transactions = drawn(random, 10 if IS_LONG else 6)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fewer = [transaction for transaction in transactions if random.random() < 0.9] or transactions
        places = {
            "a": written(folder / "a", transactions, cuts=Random(seed)),
            "b": written(folder / "b", fewer, cuts=Random(seed + 1)),
        }
        files = [sorted((folder / side).iterdir()) for side in places]
        for path in (*files[0][1:], *files[1][1:]):
            _damage(path, random)
        for command in COMMANDS:
            said = [_said(command.format(**places, first=files[0][0]), way) for way in WAYS]
            assert said[0] == said[-1], command


def _said(command: str, way: Kernels) -> list[str]:
    with run(way):
        return Line()(command)


LETTERS = st.text("abc", max_size=6)
GARBAGE = b"no record at all, but bytes " * 4
CONTEXT = 2
"""Equal rows that are shown before and behind one that differs."""


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _found(line: Line) -> list[DifferenceShown]:
    return [event for event in line.events if isinstance(event, DifferenceShown)]


def _change(key: str) -> Change:
    return insert(TEAS, (f"T{key}", key, "Uji", "A ", Decimal("9.50"), Decimal(7)))


def _key_at(position: FilePosition | None) -> str | None:
    """The key of the row at a place."""
    if position is None:
        return None
    with TrailFile(position.path) as trail:
        record = trail.record_at(position.rba)
        assert record is not None
        columns = record.images and (record.images.after or record.images.before)
        assert columns
        return columns[0].raw[4:].decode().removeprefix("T")


def _transaction(number: int) -> SideTransaction:
    return SideTransaction(
        TransactionSummary(str(number), "1.1.1", TrailPosition(0, number), True, None, 1, 1, Ended.LAST), number
    )


@given(
    a=st.permutations(range(7)),
    b=st.permutations(range(7)),
    lacks=st.tuples(st.sets(st.integers(0, 6), max_size=2), st.sets(st.integers(0, 6), max_size=2)),
    cuts=st.tuples(st.integers(0, 7), st.integers(0, 7)),
)
@settings(max_examples=examples(80), deadline=None)
def test_a_transaction_has_moved_over_the_pairs_between_its_two_places(
    a: list[int], b: list[int], lacks: tuple[set[int], set[int]], cuts: tuple[int, int]
) -> None:
    """Places in what is ahead of a stretch count on from those in it."""
    orders = [
        [place_number for place_number in order if place_number not in lack]
        for order, lack in zip((a, b), lacks, strict=True)
    ]
    here = [order[:cut] for order, cut in zip(orders, cuts, strict=True)]
    pairs = longest_common(*here)
    paired = [{pair[side] for pair in pairs} for side in (0, 1)]
    stretch = AlignedStretch([*map(_transaction, here[0])], [*map(_transaction, here[1])], pairs)
    moves = Moves(
        stretch,
        (deque(map(_transaction, orders[0][cuts[0] :])), deque(map(_transaction, orders[1][cuts[1] :]))),
    )
    for side, found in enumerate((moves.of_a, moves.of_b)):
        told = {here[side][at]: (other.key, later) for at, (other, later) in found.items()}
        expected = {}
        for at, number in enumerate(here[side]):
            if at in paired[side] or number not in orders[1 - side]:
                continue
            if side == 1 and number in here[0]:
                continue  # told once, from where it stands in the first
            place, other = orders[0].index(number), orders[1].index(number)
            over = [(pair[0] > place) - (pair[0] < place) for pair in pairs if (pair[0] > place) != (pair[1] > other)]
            expected[number] = number, sum(over)
        assert told == expected


RISING = st.sets(st.integers(0, 40), max_size=24).map(sorted)


@given(a=RISING, b=RISING, most=st.integers(1, 5))
@settings(max_examples=examples(200), deadline=None)
def test_of_two_rising_streams_all_that_are_in_both_are_pairs_however_few_are_looked_at(
    a: list[int], b: list[int], most: int
) -> None:
    """Of each window those below the least of the other have no counterpart, and no more."""
    alignment = Alignment(iter(a), iter(b), int, most, int)
    stretches = list(alignment)
    pairs = [(stretch.a[at], stretch.b[other]) for stretch in stretches for at, other in stretch.pairs]
    assert pairs == [(item, item) for item in sorted({*a} & {*b})]
    assert [item for stretch in stretches for item in stretch.a] == a
    assert [item for stretch in stretches for item in stretch.b] == b
    assert not alignment.is_lost


@pytest.mark.parametrize("is_turned", [False, True])
@pytest.mark.parametrize("least", [0, 1, 2])
def test_an_item_above_the_least_of_the_other_window_is_not_given_up_without_a_word(
    least: int, is_turned: bool
) -> None:
    """Whichever of three is the least: 9, which comes in the other stream too, is above it."""
    window = [20, 30]
    window.insert(least, 2)
    streams = [1, 9, 10, 11, 12], [*window, 9, 10]
    a, b = streams[::-1] if is_turned else streams
    alignment = Alignment(iter(a), iter(b), int, 3, int)
    stretches = list(alignment)
    paired = {stretch.a[at] for stretch in stretches for at, _ in stretch.pairs}
    assert alignment.is_lost or 9 in paired


@given(a=LETTERS, b=LETTERS, level=st.sampled_from(["records", "values"]), most=st.sampled_from([2, 1 << 17]))
@settings(max_examples=examples(15), deadline=None)
def test_in_any_order_rows_differ_by_how_often_each_is_there(a: str, b: str, level: str, most: int) -> None:
    line = Line()
    with _folder() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("logdump.features.diff.comparison.MOST_COUNTED", most)
        names = [
            written(folder / name, [Committed(1, tuple(map(_change, f"z{letters}")))])
            for name, letters in (("a", a), ("b", b))
        ]
        line(f'diff "{names[0]}" "{names[1]}" {level} anyorder limit 1000')
        keys = [Counter(filter(None, (_key_at(position) for position in positions))) for positions in _positions(line)]
    assert keys == [Counter(a) - Counter(b), Counter(b) - Counter(a)]


def _positions(line: Line) -> tuple[list[FilePosition | None], list[FilePosition | None]]:
    found = _found(line)
    return [difference.a for difference in found], [difference.b for difference in found]


EDITS = st.tuples(st.sampled_from(["same", "changed", "missing", "extra"]), st.sampled_from(["insert", "delete"]))


@given(edits=st.lists(EDITS, min_size=1, max_size=8))
@example(edits=[("missing", "delete"), ("changed", "delete"), ("extra", "delete")])
@example(edits=[("extra", "delete"), ("changed", "delete"), ("missing", "delete")])
@settings(max_examples=examples(40), deadline=None)
def test_rows_with_a_key_that_both_trails_have_are_compared_with_each_other(edits: list[tuple[str, str]]) -> None:
    """However many beside each other differ; what has no other half may stand beside another such row."""
    line = Line()
    a, b = ([_edited(f"{at}", side, *edit) for at, edit in enumerate(edits)] for side in "ab")
    with _folder() as folder:
        names = [
            written(folder / name, [Committed(1, (_change("first"), *filter(None, changes), _change("last")))])
            for name, changes in (("a", a), ("b", b))
        ]
        line(f'diff "{names[0]}" "{names[1]}" values limit 1000')
        pairs = [(_key_at(difference.a), _key_at(difference.b)) for difference in _found(line)]
    keys: dict[str, set[str]] = {}
    for at, (edit, _) in enumerate(edits):
        keys.setdefault(edit, set()).add(f"{at}")
    assert {left for left, other in pairs if left == other} == keys.get("changed", set())
    assert {left for left, other in pairs if left != other} - {None} == keys.get("missing", set())
    assert {other for left, other in pairs if left != other} - {None} == keys.get("extra", set())


def _edited(key: str, side: str, edit: str, op: str) -> Change | None:
    """A row of one of the trails; None where it is missing."""
    if edit == ("extra" if side == "a" else "missing"):
        return None
    change = restocked(_change(key)) if edit == "changed" and side == "b" else _change(key)
    return change if op == "insert" else delete(TEAS, change.after or ())


KINDS = st.lists(st.sampled_from(["x", "xy", "damage", "torn"]), min_size=1, max_size=6)


def _with_damage(folder: Path, name: str, kinds: list[str]) -> tuple[Path, list[int]]:
    """A file of transactions with damage before, behind, between and in them; where that is."""
    parts: list[Record | bytes] = [*rows("a")]
    for kind, group in groupby(kinds):
        for _ in group:
            if kind == "damage":
                parts += [] if parts[-1] is GARBAGE else [GARBAGE]
            else:
                begun, *rest = rows("xy" if kind == "torn" else kind)
                parts += [begun, *([GARBAGE] if kind == "torn" else []), *rest]
    parts += rows("b")
    sizes = [len(record) if isinstance(record, bytes) else record.length for record in parts]
    path = trail_of(folder, *parts, name=name)
    return path, [sum(sizes[:at]) for at, record in enumerate(parts) if record is GARBAGE]


@given(kinds=KINDS, others=KINDS, level=st.sampled_from(["bytes", "records", "values"]))
@settings(max_examples=examples(15), deadline=None)
def test_each_damage_of_each_trail_is_told_once(kinds: list[str], others: list[str], level: str) -> None:
    line = Line()
    with _folder() as folder:
        (a, of_a), (b, of_b) = _with_damage(folder, "ta000000000", kinds), _with_damage(folder, "tb000000000", others)
        line(f"diff {a} {b} {level} limit 1000")
    found = [difference for difference in _found(line) if difference.kind is DifferenceKind.DAMAGE]
    assert sorted(difference.a.rba for difference in found if difference.a is not None) == of_a
    assert sorted(difference.b.rba for difference in found if difference.b is not None) == of_b


ILLS = {"damaged": "damage at {} place", "unreadable": "{} file", "missing": "files missing at {} place"}


@pytest.mark.parametrize(
    ("ills", "sides"), in_turn([*((ill,) for ill in ILLS), *combinations(ILLS, 2)], ["a", "b", "ab"])
)
def test_what_either_trail_lacks_is_said_once_and_there_is_no_verdict(
    ills: tuple[str, ...], sides: str, tmp_path: Path
) -> None:
    for side in "ab":
        found = ills if side in sides else ()
        garbage = [GARBAGE] if "damaged" in found else []
        trail_of(tmp_path, *rows("p"), *garbage, *rows("q"), name=f"t{side}000000000")
        if "unreadable" in found:
            trail_of(tmp_path, GARBAGE, name=f"t{side}000000001")
        if "missing" in found:
            trail_of(tmp_path, *rows("r"), name=f"t{side}000000003")
    line = Line()
    said = [text.lower() for text in line(f'diff "{tmp_path}/ta*" "{tmp_path}/tb*"')]
    plural = "s" * (len(sides) > 1)
    kinds = [
        f"{ILLS[ill].format(len(sides))}{plural}{' not read' * (ill == 'unreadable')}" for ill in ILLS if ill in ills
    ]
    assert f"{'; '.join(kinds)}: this is partial, without a verdict." in said
    (shown,) = (event for event in line.events if isinstance(event, DiffShown))
    assert shown.is_partial


@pytest.mark.parametrize(("notify", "files"), in_turn([1, 7, 20], [1, 3]))
def test_reports_of_progress_count_the_records_of_all_batches_and_files_of_both_trails(
    notify: int, files: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(2))
    for side in "ab":
        for number in range(files):
            trail_of(tmp_path, *rows("pqrst" * (number + 1)), *rows("uv"), name=f"t{side}{number:09}")
    every = 2 * sum(5 * (number + 1) + 2 for number in range(files))
    line = Line()
    line(f'notify {notify}; diff "{tmp_path}/ta*" "{tmp_path}/tb*"')
    numbers = [event.records for event in line.events if isinstance(event, Progress)]
    assert numbers == sorted(set(numbers))
    assert every - 2 * notify < numbers[-1] <= every if files > 1 or notify < every else not numbers


class _View:
    """Takes both trails side by side as short words."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def add(self, row: PairedTransaction | SameRow | PassedOver | DifferenceShown) -> None:
        """The next row."""
        if isinstance(row, PassedOver):
            self.words.append(f"{row.transactions} transactions" if row.transactions else f"{row.records} records")
        else:
            words = {PairedTransaction: "pair", SameRow: "same", DifferenceShown: "differs"}
            self.words.append(words[type(row)])

    def end(self, shown: DiffShown) -> None:
        """Both in numbers."""


def _rows_shown(flags: list[bool]) -> Iterator[str]:
    """The rows of a transaction of which some differ: of equal ones those beside these, of the others how many."""
    runs = [(differs, len(list(group))) for differs, group in groupby(flags)]
    for at, (differs, length) in enumerate(runs):
        if differs:
            yield from ["differs"] * length
            continue
        behind = min(CONTEXT, length) if at else 0
        before = min(CONTEXT, length - behind) if at < len(runs) - 1 else 0
        yield from ["same"] * behind
        yield from [f"{length - behind - before} records"] * (length > behind + before)
        yield from ["same"] * before


@given(transactions=st.lists(st.lists(st.booleans(), min_size=1, max_size=9), min_size=1, max_size=4))
@settings(max_examples=examples(15), deadline=None)
def test_of_equal_rows_those_beside_a_difference_are_shown_and_the_others_counted(
    transactions: list[list[bool]],
) -> None:
    expected: list[str] = []
    for is_equal, group in groupby(transactions, key=lambda flags: not any(flags)):
        every = list(group)
        expected += [f"{len(every)} transactions"] if is_equal else []
        for flags in () if is_equal else every:
            expected += ["pair", *_rows_shown(flags)]
    a = [
        Committed(at, tuple(_change(f"{at} {row}") for row in range(len(flags))))
        for at, flags in enumerate(transactions, 1)
    ]
    b = [
        transaction._replace(
            changes=tuple(
                restocked(change) if differs else change
                for change, differs in zip(transaction.changes, flags, strict=True)
            )
        )
        for transaction, flags in zip(a, transactions, strict=True)
    ]
    line, view = Line(), _View()
    line.session.begin_aligned = lambda _level, _first, _second: view
    with _folder() as folder:
        line(f'diff "{written(folder / "a", a)}" "{written(folder / "b", b)}" {DiffLevel.VALUES.value} limit 1000')
    assert view.words == expected
