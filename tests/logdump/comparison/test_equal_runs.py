"""DIFF passes over equal transactions by columns: it tells what it tells where each is compared by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.diff import comparison, equal_runs
from logdump.features.diff.model import DifferenceShown, DiffShown
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random
from tests.trailformat.samples import row, table_record, trail_of
from tests.trailformat.small_transactions import BETWEEN, Transaction, small_transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import MIDDLE, ONLY
from trailformat.scan import scan
from trailformat.transactions import whole_trail

_WORDS = (
    "bytes",
    "records",
    "values",
    "records ignore cut",
    "records anyorder",
    "values ignore absent",
    "from csn 104 to csn 112",
    "limit 2",
)


def _edited(random: Random, transactions: list[Transaction]) -> list[Transaction]:
    """The same with another value, a record more or less, another order, damage or a definition here and there."""
    copy = [list(records) for records in transactions]
    for _ in range(random.choice((0, 1, 1, 3, 6))):
        at = random.randrange(len(copy))
        match random.choice(("value", "less", "more", "swap", "between", "lost", "twice")):
            case "value":
                copy[at][:1] = [row(b"other", trans_ind=ONLY)]
            case "less" if len(copy[at]) > 1:
                copy[at].pop(random.randrange(len(copy[at])))
            case "more":
                copy[at].insert(random.randrange(len(copy[at]) + 1), row(b"more", trans_ind=MIDDLE))
            case "swap":
                copy[at - 1], copy[at] = copy[at], copy[at - 1]
            case "between":
                copy[at].insert(random.randrange(len(copy[at]) + 1), random.choice((*BETWEEN, GARBAGE)))
            case "lost":
                copy[at] = []
            case _:
                copy.insert(at, copy[at])
    return copy


def _flipped(random: Random, path: Path) -> None:
    """Change some bits of values, so that all lengths stay as they are."""
    data = bytearray(path.read_bytes())
    for _ in range(random.choice((0, 0, 1, 3))):
        if (at := data.find(b"leaf", random.randrange(len(data) + 1))) > 0:
            data[at + random.randrange(4)] ^= 1
    path.write_bytes(data)


def _told(a: Path, b: Path, words: str) -> list[str]:
    line = Line()
    line("notify 3")
    line(f'diff "{a}" "{b}" {words}')
    return list(map(repr, line.events))


@pytest.mark.parametrize("seed", range(500 if IS_LONG else 16))
def test_what_is_passed_over_is_what_is_equal_one_by_one(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(seed)
    monkeypatch.setattr(equal_runs, "_MOST_PAIRS", random.choice((1, 3, *[1 << 14] * 4)))
    monkeypatch.setattr(equal_runs, "_MOST_BYTES", random.choice((1, 300, *[8 << 20] * 4)))
    monkeypatch.setattr(comparison, "MOST_TRANSACTIONS", random.choice((2, 3, 5, 1000)))
    size = random.choice((1, 3, 7, 20, *[1 << 14] * 4))
    monkeypatch.setattr(
        whole_trail.WholeTrail, "_scan", lambda _, trail, start, __: scan(trail, start, batch_size=size)
    )
    transactions = [small_transaction(random, number) for number in range(random.choice((1, 12, 30)))]
    copy = _edited(random, transactions)
    paths = []
    for name, written in (("a", transactions), ("b", copy)):
        (tmp_path / name).mkdir()
        records = [record for records in written for record in records]
        cut = random.randrange(len(records) + 1) if random.random() < 0.2 else len(records)
        head = [table_record(1, "TEA.POTS", columns=2)][: random.choice((1, 1, 1, 0))]
        paths.append(trail_of(tmp_path / name, *head, *records[:cut]))
        if cut < len(records):
            trail_of(tmp_path / name, *records[cut:], name="tt000000001")
    _flipped(random, paths[1])
    a, b = (path.parent / "tt" for path in paths)
    for words in random.sample(_WORDS, 3):
        by_columns = _told(a, b, words)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(equal_runs.EqualRuns, "count", lambda *_: 0)
            assert by_columns == _told(a, b, words)


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("level", ["records", "values", "bytes"])
def test_the_same_bytes_behind_another_definition_of_either_trail_are_no_equal_transactions(
    level: str, side: str, line: Line, tmp_path: Path
) -> None:
    """A drawn number of transactions before it and behind it, of which DIFF BYTES alone tells nothing."""
    random = Random(f"{level} {side}")
    before, behind = random.randint(1, 5), random.randint(1, 5)
    for name in "ab":
        (tmp_path / name).mkdir()
        rows = [_of_table(number) for number in range(before + behind)]
        rows[before:before] = [table_record(1, "TEA.CUPS")] if name == side else []
        trail_of(tmp_path / name, table_record(1, "TEA.POTS"), *rows)
    line(f'diff "{tmp_path}/a/tt" "{tmp_path}/b/tt" {level}')
    (shown,) = (event for event in line.events if isinstance(event, DiffShown))
    told = (before, behind) if level != "bytes" else (before + behind, 0)
    assert (shown.equal, shown.changed) == told


@pytest.mark.parametrize("sides", ["ab", "ba"])
def test_damage_is_told_where_it_stands_among_equal_transactions(
    sides: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the trail first in which it comes first, though nothing else is told; few transactions are kept at a time."""
    random = Random(sides)
    monkeypatch.setattr(comparison, "MOST_TRANSACTIONS", 2)
    places = dict(zip(sides, (random.randrange(1, 5), random.randrange(10, 15)), strict=True))
    for name in "ab":
        (tmp_path / name).mkdir()
        rows: list[Record | bytes] = [_of_table(number) for number in range(20)]
        rows.insert(places[name], GARBAGE)
        trail_of(tmp_path / name, table_record(1, "TEA.POTS"), *rows)
    line(f'diff "{tmp_path}/a/tt" "{tmp_path}/b/tt"')
    found = [event for event in line.events if isinstance(event, DifferenceShown)]
    assert [difference.side for difference in found] == [*sides]


def _of_table(number: int) -> Record:
    """A transaction of one row of the table with the index 1."""
    whole = row(name=1, trans_ind=ONLY)
    tokens = (make_token("L", b"%d" % (100 + number)), make_token("6", b"1.%d" % number))
    return make_record(whole.header, whole.data, tokens)
