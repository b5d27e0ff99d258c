"""What a run counts and says: each transaction, change and value once, however often it was tried."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import logdump
from logdump.tables.errors import LOG
from logdump.targets.database import DatabaseTarget
from logdump.targets.target import Refused
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.test_refused import COLUMNS, CREATED, LIFTED, OTHER, RULES, TABLE, base, kind, noted
from tests.searching import IS_LONG, Random
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["base"]


class Transactions:
    """Drawn transactions of inserts into two tables, some of which are refused; truncates of the first one."""

    def __init__(self, random: Random, *, truncates: bool = False) -> None:
        self.random, self.trail = random, Trail({TABLE: COLUMNS, OTHER: COLUMNS})
        self.truncates, self.count, self.changes, self.bad = truncates, 0, 0, 0
        self.noted = list[str]()
        self.rows: dict[int, tuple[Any, ...]] = {}

    def draw(self, transactions: int, bad: float) -> None:
        """Append some transactions."""
        for _ in range(transactions):
            size = self.random.choice((1, 1, 2, 5))
            self.count += 1
            for number in range(size):
                self.changes += 1
                self.trail.role = (
                    ONLY if size == 1 else FIRST if number == 0 else LAST if number == size - 1 else MIDDLE
                )
                self._change(is_bad=self.random.random() < bad)

    def _change(self, *, is_bad: bool) -> None:
        key, name = self.changes, "bad" if is_bad else "good"
        if self.truncates and self.random.random() < 0.1:
            self.trail.truncate(TABLE)
            self.rows, self.noted = {}, []
        elif self.random.random() < 0.3:
            self.trail.insert(OTHER, key, "good", key)
        else:
            self.trail.insert(TABLE, key, name, key)
            self.rows[key] = (key, name, key)
            self.noted += [str(key)] * is_bad


@pytest.mark.parametrize("batch", [{"maxTransactionsPerTrigger": 3}, {"batch": "2000b"}, {}])
def test_transactions_and_changes_are_counted_once(
    batch: dict[str, Any], base: Place, tmp_path: Path, apply: Apply
) -> None:
    random = Random(str(batch))
    drawn, transactions = Transactions(random, truncates=True), 0
    for _ in range(3):
        before = drawn.count
        drawn.draw(random.randrange(1, 30), random.choice((0, 0.1, 0.4)))
        path = drawn.trail.write(tmp_path / "a")
        done = apply(path, base, errors="table", **batch)
        assert done.transactions == drawn.count - before
        transactions += done.transactions
        assert len(noted(base)) == len(drawn.noted)
    assert transactions == drawn.count
    assert sorted(base.rows(TABLE)) == sorted(row for row in drawn.rows.values() if row[1] == "good")
    base.run(*LIFTED[kind(base)])
    logdump.retry(path, base.url)
    assert sorted(base.rows(TABLE)) == sorted(drawn.rows.values())
    assert noted(base) == []


@pytest.mark.parametrize("batch", [{"maxTransactionsPerTrigger": 2}, {}])
@pytest.mark.parametrize("seed", range(6 if IS_LONG else 1))
def test_what_a_truncate_takes_back_is_not_counted_as_noted(
    seed: int, batch: dict[str, Any], base: Place, tmp_path: Path, apply: Apply
) -> None:
    drawn = Transactions(Random(f"{seed} {batch}"), truncates=True)
    drawn.draw(25, 0.3)
    done = apply(drawn.trail.write(tmp_path / "a"), base, errors="table", **batch)
    assert done.refused == len(noted(base)) == len(drawn.noted)


@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_stops_has_counted_what_it_has_applied(seed: int, base: Place, tmp_path: Path, apply: Apply) -> None:
    """Transactions before the refused change are applied once and counted once."""
    drawn, progress = Transactions(Random(seed)), list[logdump.ApplyProgress]()
    drawn.draw(drawn.random.randrange(1, 9), 0)
    before = drawn.count
    drawn.trail.role = ONLY
    drawn.trail.insert(TABLE, 10**6, "bad", 1)
    drawn.draw(9, 0.3)
    path = drawn.trail.write(tmp_path / "a")
    with pytest.raises(Refused):
        apply(path, base, progress=progress.append)
    base.run(*LIFTED[kind(base)])
    done = apply(path, base)
    assert done.transactions == drawn.count - before + 1


def test_the_work_grows_with_the_changes_not_with_those_that_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row is loaded a few times, in one transaction or in many, however many rows are refused."""
    base = sqlite_place(tmp_path)
    base.run(*CREATED, *RULES["sqlite"])
    loaded = 0
    fill = DatabaseTarget.fill

    def counted(target: DatabaseTarget, table: Any, rows: pa.Table) -> None:
        nonlocal loaded
        loaded += len(rows)
        fill(target, table, rows)

    monkeypatch.setattr(DatabaseTarget, "fill", counted)
    for role in (ONLY, MIDDLE):
        loaded, count = 0, 600
        trail = Trail({TABLE: COLUMNS})
        for number in range(count):
            trail.role = ONLY if role == ONLY else FIRST if number == 0 else LAST if number == count - 1 else MIDDLE
            trail.insert(TABLE, number, "bad" if number % 30 == 7 else "good", number)
        done = logdump.apply(trail.write(tmp_path / "a"), base.url, TABLE, once=True, errors="table")
        assert (done.rows, done.refused) == (580, 20)
        assert loaded < 9 * count
        base.run("DELETE FROM t", "DELETE FROM logdump_errors", "DELETE FROM logdump_position")


def test_rows_that_swap_among_refused_ones_are_applied(base: Place, tmp_path: Path, apply: Apply) -> None:
    """Parts of a batch end inside the swap, which is whole at the end of its transaction only."""
    for seed in range(10 if IS_LONG else 3):
        random = Random(seed)
        trail, others = Trail({TABLE: COLUMNS}), random.randrange(1, 7)
        trail.insert(TABLE, 1, "one", 1)
        trail.insert(TABLE, 2, "two", 2)
        steps = [("move", 1, 2), ("move", 2, 1), *(("insert", key, 0) for key in range(10, 10 + others))]
        head, tail = random.randrange(others), random.randrange(3)
        order = [
            *steps[2 : 2 + head],
            steps[0],
            *steps[2 + head : 2 + head + tail],
            steps[1],
            *steps[2 + head + tail :],
        ]
        bad = {key for _, key, _ in steps[2:] if random.random() < 0.5} | {10}
        for number, (op, key, other) in enumerate(order):
            trail.role = FIRST if number == 0 else LAST if number == len(order) - 1 else MIDDLE
            if op == "move":
                trail.move(TABLE, (key,), (other, f"was {key}"))
            else:
                trail.insert(TABLE, key, "bad" if key in bad else "good", 0)
        done = apply(trail.write(tmp_path / str(seed)), base, TABLE, errors="table")
        assert done.refused == len(noted(base)) == len(bad), order
        good = [(key, "good", 0) for _, key, _ in steps[2:] if key not in bad]
        assert sorted(base.rows(TABLE)) == sorted([(2, "was 1", 1), (1, "was 2", 2), *good]), order
        base.run("DELETE FROM t", "DELETE FROM logdump_errors", "DELETE FROM logdump_position")


@pytest.mark.parametrize("errors", ["stop", "table"])
def test_each_value_that_is_left_out_is_said_once(
    errors: str, base: Place, tmp_path: Path, apply: Apply, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where the batch is tried again for a refused change after it, and in a second run."""
    base.run("DROP TABLE t", CREATED[0].replace("integer", "integer, at timestamp"), *RULES[kind(base)][:2])
    columns = {**COLUMNS, "AT": "DATETIME"}
    trail = Trail({TABLE: columns})
    for number in range(12):
        trail.insert(TABLE, number, "good", number, b"no time" if number % 3 == 0 else None)
    trail.insert(TABLE, 20, "bad", 1, None)
    path = trail.write(tmp_path / "a")
    given: dict[str, Any] = {"undecodable": "null", "errors": errors}
    with caplog.at_level(logging.WARNING, LOG):
        for _ in range(2):
            if errors == "stop":
                with pytest.raises(Refused):
                    apply(path, base, TABLE, **given)
            else:
                apply(path, base, TABLE, **given)
    lines = [record.getMessage() for record in caplog.records if "does not decode" in record.getMessage()]
    assert len(lines) == len({*lines}) == 4
    assert len(base.rows(TABLE)) == 12
