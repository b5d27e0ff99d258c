"""DIFF finds what was done to a copy of a trail, and nothing else, however the copy is written."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.changes import insert, unified_update, update_pair
from fixtures.flavour import ORACLE_12
from logdump.features.diff.comparison import RowComparison
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffShown
from tests.logdump.line import Line
from tests.searching import Random, examples, part_of
from tests.simulated.pairs import Committed, Copier, Truth, drawn, edited, restocked, written
from tests.simulated.source import Source
from tests.trailformat.samples import row, trail_of
from trailformat import ByteOrder

SEEDS = st.integers(0, 1 << 32)
OTHER_ORDER = replace(ORACLE_12, order=ByteOrder.LITTLE)
BY_NAME = replace(ORACLE_12, database=None)
MIRRORED = {"missing": "extra", "extra": "missing"}


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def _differences(a: str, b: str, words: str = "") -> list[DifferenceShown]:
    line = Line()
    line(f'diff "{a}" "{b}" {words} limit 1000')
    assert line.failures == []
    return [event for event in line.events if isinstance(event, DifferenceShown)]


def _found(a: str, b: str, words: str = "") -> Truth:
    return Counter(
        (difference.kind.value, difference.csn or "", difference.table is None)
        for difference in _differences(a, b, words)
    )


def _source(seed: int) -> list[Committed]:
    source = Source(Random(seed), ORACLE_12.teas, ORACLE_12.sales)
    return [Committed(number, tuple(source.transaction())) for number in range(1, 9)]


@given(seed=SEEDS)
@settings(max_examples=examples(5, short=2), deadline=None)
def test_what_was_done_to_records_and_transactions_is_found_and_nothing_else(seed: int) -> None:
    random = Random(seed)
    transactions = drawn(random, 10)
    copy, truth = edited(random, transactions)
    with _folder() as folder:
        a, b = written(folder / "a", transactions), written(folder / "b", copy, flavour=OTHER_ORDER, cuts=random)
        assert _found(a, b) == truth
        mirrored = Counter(
            {(MIRRORED.get(kind, kind), csn, whole): truth[kind, csn, whole] for kind, csn, whole in truth}
        )
        assert _found(b, a) == mirrored


@given(seed=SEEDS)
@settings(max_examples=examples(5, short=2), deadline=None)
def test_values_are_those_of_what_a_replicat_applies(seed: int) -> None:
    random = Random(seed)
    transactions = drawn(random, 8)
    copy, truth = edited(random, transactions)
    with _folder() as folder:
        a, b = written(folder / "a", transactions), written(folder / "b", copy, flavour=OTHER_ORDER, cuts=random)
        assert _found(a, b, "values") == Counter({key: truth[key] for key in truth if key[0] != "twice"})


@pytest.mark.parametrize("words", ["records", "values", "records anyorder", "values anyorder ignore absent"])
def test_byte_order_files_and_names_in_the_headers_do_not_matter(tmp_path: Path, words: str) -> None:
    transactions = _source(5)
    a = written(tmp_path / "a", transactions)
    assert _differences(a, written(tmp_path / "b", transactions, flavour=OTHER_ORDER, cuts=Random(1)), words) == []
    assert _differences(a, written(tmp_path / "c", transactions, flavour=BY_NAME, cuts=Random(2)), words) == []


LEVELS = ("bytes", "records", "values")


@pytest.mark.parametrize("level", LEVELS)
def test_every_trail_equals_itself_record_by_record(trails: Path, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RowComparison, "_has_same_bytes", lambda *_: False)
    names = sorted({path.name[:2] for path in trails.iterdir()})
    for name in part_of(names, LEVELS.index(level)):
        found = _differences(str(trails / f"{name}*"), str(trails / f"{name}*"), level)
        assert {difference.kind for difference in found} <= {DifferenceKind.DAMAGE}, name


def test_columns_that_a_pump_leaves_out_are_absent_or_do_not_matter(tmp_path: Path) -> None:
    transactions = drawn(Random(3), 4)
    a = written(tmp_path / "a", transactions)
    b = written(tmp_path / "b", transactions, left_out=frozenset({2}))
    found = _differences(a, b, "values")
    assert {(difference.kind, part.column, part.b) for difference in found for part in difference.parts} == {
        (DifferenceKind.ABSENT, "ORIGIN", None)
    }
    assert len(found) == sum(len(transaction.changes) for transaction in transactions)
    assert _differences(a, b, "values ignore absent") == []


def test_a_value_changed_behind_a_pump_that_leaves_columns_out_is_found(tmp_path: Path) -> None:
    first, *rest = drawn(Random(3), 4)
    changed = first._replace(changes=(*first.changes[:1], restocked(first.changes[1]), *first.changes[2:]))
    a = written(tmp_path / "a", [first, *rest])
    b = written(tmp_path / "b", [changed, *rest], left_out=frozenset({2}))
    (found,) = _differences(a, b, "values ignore absent")
    assert [(part.column, part.b) for part in found.parts] == [("STOCK_KG", "5000")]


def test_an_update_in_two_records_has_the_values_of_one_in_one(tmp_path: Path) -> None:
    teas = ORACLE_12.teas
    old = ("T1", "Sencha", "Uji", "A ", None, None)
    new = ("T1", "Gyokuro", "Uji", "A ", None, None)
    a = written(tmp_path / "a", [Committed(1, update_pair(teas, old, new))])
    b = written(tmp_path / "b", [Committed(1, (unified_update(teas, old, new),))])
    assert _differences(a, b, "values ignore absent") == []
    assert _differences(a, b, "records") != []


def test_an_update_in_two_records_that_is_missing_is_two_records(tmp_path: Path) -> None:
    teas = ORACLE_12.teas
    old, new = (("T1", name, "Uji", "A ", None, None) for name in ("Sencha", "Gyokuro"))
    first, last = drawn(Random(3), 1)[0].changes[::2][:2]
    a = written(tmp_path / "a", [Committed(1, (first, *update_pair(teas, old, new), last))])
    b = written(tmp_path / "b", [Committed(1, (first, last))])
    for words in ("values", "values anyorder"):
        assert [(difference.kind, difference.records) for difference in _differences(a, b, words)] == [
            (DifferenceKind.MISSING, 2)
        ]
        assert [(difference.kind, difference.records) for difference in _differences(b, a, words)] == [
            (DifferenceKind.EXTRA, 2)
        ]


@pytest.mark.parametrize("words", ["records", "values"])
def test_null_and_a_text_that_reads_so_differ(tmp_path: Path, words: str) -> None:
    rows = [("T1", name, "Uji", "A ", None, None) for name in (None, "NULL")]
    a, b = (
        written(tmp_path / name, [Committed(1, (insert(ORACLE_12.teas, values),))])
        for name, values in zip("ab", rows, strict=True)
    )
    (found,) = _differences(a, b, words)
    assert [(part.part, part.column) for part in found.parts] == [("after", "NAME")]


def test_of_a_transaction_that_is_overtaken_by_its_copy_the_copy_is_the_other_half(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    transaction, two = drawn(Random(3), 2)
    extract = Copier(tmp_path / "a", Random(0), roll_chance=0, flavour=ORACLE_12, tables=(ORACLE_12.teas,))
    extract.begin(transaction.number)
    extract.rows(list(transaction.changes), 2)
    for each in (transaction, two):
        extract.begin(each.number)
        extract.rows(list(each.changes), len(each.changes))
    extract.close()
    a, b = f"{tmp_path}/a/sm*", written(tmp_path / "b", [transaction, two])
    (found,) = _differences(a, b)
    (mirrored,) = _differences(b, a)
    assert (found.kind, found.csn, found.records) == (DifferenceKind.MISSING, transaction.csn, 2)
    assert (mirrored.kind, mirrored.csn, mirrored.records) == (DifferenceKind.EXTRA, transaction.csn, 2)
    assert found.a is not None
    assert found.a.rba == extract.written[0].rba


def test_in_any_order_only_what_is_in_one_of_them_differs(tmp_path: Path) -> None:
    transaction, *rest = drawn(Random(8), 3)
    a = written(tmp_path / "a", [transaction, *rest])
    b = written(tmp_path / "b", [transaction._replace(changes=transaction.changes[::-1]), *rest])
    c = written(
        tmp_path / "c",
        [transaction._replace(changes=(*transaction.changes[:0:-1], restocked(transaction.changes[0]))), *rest],
    )
    assert _differences(a, b) != []
    assert _differences(a, b, "anyorder") == []
    assert [found.kind for found in _differences(a, c, "anyorder")] == [DifferenceKind.CHANGED]


def test_a_changed_byte_is_one_difference_of_the_bytes(tmp_path: Path) -> None:
    transactions = drawn(Random(2), 5)
    a, b = (written(tmp_path / name, transactions) for name in "ab")
    path = tmp_path / "b" / "sm000000000"
    data = path.read_bytes()
    at = data.rindex(b"Uji")
    path.write_bytes(data[:at] + b"X" + data[at + 1 :])
    (found,) = _differences(a, b, "bytes")
    assert found.parts[0].part == "bytes"
    assert found.b is not None
    assert found.b.rba < at


@pytest.mark.parametrize("level", ["records", "values"])
def test_a_record_whose_columns_do_not_come_apart_differs_in_its_data(tmp_path: Path, level: str) -> None:
    transactions = drawn(Random(2), 5)
    a, b = (written(tmp_path / name, transactions) for name in "ab")
    path = tmp_path / "b" / "sm000000000"
    data = bytearray(path.read_bytes())
    length = data.rindex(b"Uji") - 6
    data[length] = 0xFF
    path.write_bytes(data)
    (found,) = _differences(a, b, level)
    assert [(part.part, part.column) for part in found.parts] == [("data", None)]


def test_a_tail_that_is_lost_is_what_is_missing(tmp_path: Path) -> None:
    transactions = drawn(Random(4), 5)
    a, b = (written(tmp_path / name, transactions) for name in "ab")
    path = tmp_path / "b" / "sm000000000"
    path.write_bytes(path.read_bytes()[:-20])
    (found,) = _differences(a, b)
    assert (found.kind, found.csn, found.records) == (DifferenceKind.MISSING, transactions[-1].csn, 1)


def test_a_stretch_that_is_lost_is_found_whatever_its_length(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.features.diff.comparison.MOST_TRANSACTIONS", 4)
    transactions = drawn(Random(6), 20)
    a, b = written(tmp_path / "a", transactions), written(tmp_path / "b", transactions[:3] + transactions[16:])
    assert _found(a, b) == Counter({("missing", transaction.csn, True): 1 for transaction in transactions[3:16]})


def test_transactions_without_a_name_belong_together_by_what_they_hold_and_by_their_place(tmp_path: Path) -> None:
    a = trail_of(tmp_path, *map(row, (b"one", b"two", b"three", b"four", b"five")), name="na000000000")
    b = trail_of(tmp_path, *map(row, (b"one", b"TWO", b"three", b"five")), name="nb000000000")
    changed, missing = _differences(str(a), str(b))
    assert [(part.column, part.a, part.b) for part in changed.parts] == [("column 0", b"two".hex(), b"TWO".hex())]
    assert (missing.kind, missing.table) == (DifferenceKind.MISSING, None)


def _exported(folder: Path) -> Counter[tuple[str, str]]:
    """The rows of a trail of one file as EXPORT has them: CSN, and table, type and values."""
    line, target = Line(), folder / "rows"
    line(f"open {folder / 'sm000000000'}; export jsonl to {target}")
    rows: Counter[tuple[str, str]] = Counter()
    for record in map(json.loads, target.read_text(encoding="utf-8").splitlines()):
        columns = [record.get(image) or () for image in ("before", "after")]
        values = [[[column[key] for key in ("name", "null", "text")] for column in image] for image in columns]
        if any(values):
            rows[record["csn"], json.dumps([record["table"], record["io_type"], values])] += 1
    return rows


def test_values_that_differ_are_those_that_differ_in_what_export_writes(tmp_path: Path) -> None:
    random = Random(11)
    transactions = drawn(random, 20)
    a = written(tmp_path / "a", transactions)
    b = written(tmp_path / "b", edited(random, transactions)[0], flavour=OTHER_ORDER)
    only = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for difference in _differences(a, b, "values"):
        for at, position in enumerate((difference.a, difference.b)):
            if position is not None and difference.kind is not DifferenceKind.MOVED:
                only[at][difference.csn or "", "rows"] += difference.records
    exported, other = (Counter(dict.fromkeys(_exported(tmp_path / name), 1)) for name in "ab")
    for found, rows in zip(only, (exported - other, other - exported), strict=True):
        assert found == Counter((csn, "rows") for csn, _ in rows.elements())


def test_a_large_transaction_is_counted_in_parts_where_order_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logdump.features.diff.comparison.MOST_COUNTED", 2)
    (transaction,) = drawn(Random(7), 1)
    changed = (*transaction.changes[:0:-1], restocked(transaction.changes[0]))
    a, b = written(tmp_path / "a", [transaction]), written(tmp_path / "b", [transaction._replace(changes=changed)])
    assert [found.kind for found in _differences(a, b, "anyorder")] == [DifferenceKind.CHANGED]


def test_the_numbers_tell_of_both_trails(tmp_path: Path) -> None:
    transactions = drawn(Random(9), 6)
    line = Line()
    a, b = written(tmp_path / "a", transactions), written(tmp_path / "b", transactions[1:], cuts=Random(5))
    line(f'diff "{a}" "{b}"')
    (shown,) = (event for event in line.events if isinstance(event, DiffShown))
    assert (shown.equal, shown.transactions, shown.records) == (5, {DifferenceKind.MISSING: 1}, {})
    assert (shown.a.transactions, shown.b.transactions) == (6, 5)
