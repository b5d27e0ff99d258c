"""Several changes of a transaction that a target refuses, beside changes that only others of it make right.

Rows that swap their keys, a row that a later change mends and a child that comes before its parent are refused by no
target that sees the transaction whole; so the refused ones beside them, and no others, are noted or named.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import logdump
from logdump.targets import parts
from logdump.targets.in_process import InProcess
from logdump.targets.refused import EARLIER
from logdump.targets.target import Refused
from tests.logdump.spark.targets.direct import applied
from tests.logdump.spark.targets.places import Place, postgresql_place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random, examples
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY

COLUMNS = {"ID": "INT64", "NAME": "VARCHAR", "N": "INT64"}
NAMES = {"S.T": "t", "S.U": "u"}
NO_SUCH_NAME, NO_PARENT, NO_ROW = "no such name", "of_t", "does not have the row"
PARENT = "ALTER TABLE u ADD CONSTRAINT of_t FOREIGN KEY (n) REFERENCES t DEFERRABLE INITIALLY DEFERRED"


class Change(NamedTuple):
    """A change: how it is written, and why a target refuses it; ``group`` for one or another of its part."""

    write: Callable[[Trail], None]
    reason: str = ""


@pytest.fixture(params=["sqlite", "postgresql"])
def base(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Two databases whose tables refuse some names; in one of them a row of U needs its parent in T at the commit."""
    is_sqlite = request.param == "sqlite"
    place = sqlite_place(tmp_path) if is_sqlite else postgresql_place(request.getfixturevalue("postgresql"))
    for name in NAMES.values():
        place.run(f"CREATE TABLE {name} (id bigint PRIMARY KEY, name text, n bigint)")
        if is_sqlite:
            for when in ("INSERT", "UPDATE"):
                place.run(
                    f"CREATE TRIGGER no_{name}_{when} BEFORE {when} ON {name} WHEN NEW.name LIKE 'bad%' "
                    f"BEGIN SELECT RAISE(ABORT, '{NO_SUCH_NAME}'); END"
                )
        else:
            place.run(f"ALTER TABLE {name} ADD CONSTRAINT \"{NO_SUCH_NAME}\" CHECK (name NOT LIKE 'bad%')")
    if not is_sqlite:
        place.run(PARENT)
    return place


class Source:
    """Transactions of drawn parts, each of rows of its own, whose changes stand among each other.

    ``refused`` are the reasons of the changes that are refused by themselves, by RBA; ``groups`` those that are refused
    together, by one reason for one of them; ``rows`` the rows at the source.
    """

    def __init__(self, random: Random, kind: str) -> None:
        self._random = random
        self.trail = Trail(dict.fromkeys(NAMES, COLUMNS))
        self.rows: dict[str, dict[int, tuple[Any, ...]]] = {name: {} for name in NAMES}
        self.refused: dict[int, str] = {}
        self.groups: list[tuple[int, ...]] = []
        self._next = 1
        self._waits: set[int] = set()
        for name in NAMES:
            for _ in range(30):
                key = self._new_key()
                self._insert(self.trail, name, key, "good")
        self._free: dict[str, list[int]] = {}
        self._late, self._own = list[tuple[str, int]](), list[tuple[str, int]]()
        self.missing: list[tuple[str, int]] = []
        self._parts: list[Callable[[str], Iterator[Change]]] = [self._cycle, self._cycle, self._shift, self._missing]
        if kind != "lake":
            self._parts += [self._mended, self._bad, self._bad, self._bad_cycle, self._bad_update]
        if kind == "postgresql":
            self._parts += [self._child_first, self._orphan, self._child_of_bad]

    def _new_key(self) -> int:
        self._next += 1
        return self._next

    def _waiting_key(self) -> int:
        """The key of a new row that is refused; later transactions leave it alone."""
        key = self._new_key()
        self._waits.add(key)
        return key

    def _write(self, write: Callable[[Trail], None]) -> int:
        rba = self.trail.rba
        write(self.trail)
        return rba

    def _insert(self, trail: Trail, table: str, key: int, name: str, parent: int | None = None) -> None:
        trail.insert(table, key, name, parent)
        self.rows[table][key] = (key, name, parent)

    def _update(self, trail: Trail, table: str, key: int, name: str) -> None:
        trail.update(table, key, name)
        self.rows[table][key] = (key, name, self.rows[table][key][2])

    def _move(self, trail: Trail, table: str, before: int, after: int, name: str, moved: dict[int, Any]) -> None:
        """An update of the key, of a row that may have to share its key for a while: ``moved`` has those that do."""
        trail.move(table, (before,), (after, name))
        row = moved.pop(before) if before in moved else self.rows[table].pop(before)
        if after in self.rows[table]:
            moved[after] = self.rows[table].pop(after)
        self.rows[table][after] = (after, name, row[2])

    def transaction(self) -> None:
        """One transaction; its parts are drawn, several of one kind among them."""
        random = self._random
        self._free = {name: [key for key in rows if key not in self._waits] for name, rows in self.rows.items()}
        self._late, self._own = self._own, []
        random.shuffle(self._late)
        for keys in self._free.values():
            random.shuffle(keys)
        parts: list[list[tuple[str, Change]]] = []
        for number in range(random.randrange(2, 7)):
            table, part = random.choice([*NAMES]), random.choice(self._parts) if number else self._change_late
            parts.append([(table, change) for change in part(table)])
        order = [number for number, part in enumerate(parts) for _ in part]
        random.shuffle(order)
        streams, groups = [iter(part) for part in parts], dict[int, list[int]]()
        for at, number in enumerate(order):
            is_first, is_last = at == 0, at == len(order) - 1
            self.trail.role = ONLY if is_first and is_last else FIRST if is_first else LAST if is_last else MIDDLE
            _, change = next(streams[number])
            rba = self._write(change.write)
            if change.reason == "group":
                groups.setdefault(number, []).append(rba)
            elif change.reason:
                self.refused[rba] = change.reason
        self.trail.role = ONLY
        self.groups += [tuple(group) for group in groups.values()]

    def _moves(self, table: str, pairs: list[tuple[int, int]], bad: int = -1) -> Iterator[Change]:
        moved: dict[int, Any] = {}
        for at, (before, after) in enumerate(pairs):
            name = f"{'bad' if at == bad else 'good'} {before}"
            yield Change(
                lambda trail, before=before, after=after, name=name: self._move(  # type: ignore[misc]
                    trail, table, before, after, name, moved
                ),
                "group" if bad >= 0 else "",
            )

    def _around(self, table: str) -> list[tuple[int, int]]:
        """Two to four rows that take each other's keys, in any order."""
        keys = [self._free[table].pop() for _ in range(self._random.randrange(2, 5))]
        pairs = [*zip(keys, [*keys[1:], keys[0]], strict=True)]
        self._random.shuffle(pairs)
        return pairs

    def _cycle(self, table: str) -> Iterator[Change]:
        return self._moves(table, self._around(table))

    def _shift(self, table: str) -> Iterator[Change]:
        """Rows that move up by one, in any order."""
        keys = [*(self._free[table].pop() for _ in range(self._random.randrange(2, 5))), self._new_key()]
        pairs = [*itertools.pairwise(keys)]
        self._random.shuffle(pairs)
        return self._moves(table, pairs)

    def _bad_cycle(self, table: str) -> Iterator[Change]:
        pairs = self._around(table)
        self._waits |= {key for key, _ in pairs}
        return self._moves(table, pairs, self._random.randrange(len(pairs)))

    def _missing(self, table: str) -> Iterator[Change]:
        key = self._waiting_key()
        self.missing.append((table, key))
        self.rows[table][key] = (key, "", None)
        yield Change(lambda trail: self._update(trail, table, key, "good"), NO_ROW)

    def _change_late(self, _table: str) -> Iterator[Change]:
        """A change of a row of which one of the transaction before is refused."""
        if self._late:
            table, key = self._late[0]
            yield Change(lambda trail: self._update(trail, table, key, "bad again"), EARLIER)

    def _mended(self, table: str) -> Iterator[Change]:
        key = self._new_key()
        yield Change(lambda trail: self._insert(trail, table, key, "bad for now"))
        yield Change(lambda trail: self._update(trail, table, key, "good"))

    def _bad(self, table: str) -> Iterator[Change]:
        key = self._waiting_key()
        self._own.append((table, key))
        yield Change(lambda trail: self._insert(trail, table, key, "bad"), NO_SUCH_NAME)
        if self._random.random() < 0.5:
            yield Change(lambda trail: self._update(trail, table, key, "bad still"), EARLIER)

    def _bad_update(self, table: str) -> Iterator[Change]:
        key = self._free[table].pop()
        self._waits.add(key)
        self._own.append((table, key))
        yield Change(lambda trail: self._update(trail, table, key, "good too"))
        yield Change(lambda trail: self._update(trail, table, key, "bad"), NO_SUCH_NAME)

    def _child_first(self, _table: str) -> Iterator[Change]:
        child, parent = self._new_key(), self._waiting_key()  # a parent cannot move
        yield Change(lambda trail: self._insert(trail, "S.U", child, "good", parent))
        yield Change(lambda trail: self._insert(trail, "S.T", parent, "good"))

    def _orphan(self, _table: str) -> Iterator[Change]:
        child = self._waiting_key()
        yield Change(lambda trail: self._insert(trail, "S.U", child, "good", 100_000 + child), NO_PARENT)

    def _child_of_bad(self, _table: str) -> Iterator[Change]:
        child, parent = self._waiting_key(), self._waiting_key()
        yield Change(lambda trail: self._insert(trail, "S.U", child, "good", parent), NO_PARENT)
        yield Change(lambda trail: self._insert(trail, "S.T", parent, "bad"), NO_SUCH_NAME)


BATCHES: list[dict[str, Any]] = [{"maxTransactionsPerTrigger": 1}, {"batch": "900b"}, {}]


def _drawn(random: Random, kind: str, folder: Path) -> tuple[Source, Path]:
    source = Source(random, kind)
    for _ in range(random.randrange(1, 4)):
        source.transaction()
    return source, source.trail.write(folder / "a")


def _kind(base: Place) -> str:
    return base.url.partition(":")[0]


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("seed", range(examples(24, 2)))
def test_those_that_are_refused_are_noted_and_no_others(
    seed: int, batch: dict[str, Any], base: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the rows of a batch are held or read again for each part."""
    random = Random(f"{seed} {batch}")
    monkeypatch.setattr(parts, "_MOST_BYTES", random.choice((1, 2000, 256 << 20)))
    source, path = _drawn(random, _kind(base), tmp_path)
    applied(InProcess(once=True), path, base.url, errors="table", **batch)
    noted = dict(base.query("SELECT rba, reason FROM logdump_errors"))
    assert noted.keys() == {*source.refused, *(rba for group in source.groups for rba in group)}
    for rba, reason in source.refused.items():
        assert reason in noted[rba]
    for group in source.groups:
        assert sum(NO_SUCH_NAME in noted[rba] for rba in group) == 1
        assert sum(EARLIER in noted[rba] or "two rows" in noted[rba] for rba in group) == len(group) - 1
    waits = {
        (table, int(json.loads(key)["ID"]))
        for table, keys in base.query("SELECT table_name, row_keys FROM logdump_errors")
        for key in json.loads(keys)
    }
    for table, name in NAMES.items():
        rows = {row[0]: row for row in base.rows(name) if (table, row[0]) not in waits}
        assert rows == {key: row for key, row in source.rows[table].items() if (table, key) not in waits}
    _lift(base)
    base.run(*(f"INSERT INTO {NAMES[table]} VALUES ({key}, 'old', NULL)" for table, key in source.missing))
    logdump.retry(path, base.url)
    assert base.query("SELECT count(*) FROM logdump_errors") == [(0,)]
    for table, name in NAMES.items():
        assert sorted(base.rows(name)) == sorted(source.rows[table].values())


@pytest.mark.parametrize("most", [1, 2, 3])
def test_nothing_is_lost_where_few_may_wait_for_the_end_of_their_transaction(
    most: int, base: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More is noted then; each change is in the table or noted, and the tables are those of the source after all."""
    monkeypatch.setattr(parts, "_MOST_SUSPECTS", most)
    source, path = _drawn(Random(f"few {most}"), _kind(base), tmp_path)
    applied(InProcess(once=True), path, base.url, errors="table")
    noted = {rba for (rba,) in base.query("SELECT rba FROM logdump_errors")}
    assert noted >= source.refused.keys()
    _lift(base)
    base.run(*(f"INSERT INTO {NAMES[table]} VALUES ({key}, 'old', NULL)" for table, key in source.missing))
    logdump.retry(path, base.url)
    for table, name in NAMES.items():
        assert sorted(base.rows(name)) == sorted(source.rows[table].values())


def _lift(base: Place) -> None:
    for name in NAMES.values():
        if _kind(base) == "sqlite":
            base.run(f"DROP TRIGGER no_{name}_INSERT", f"DROP TRIGGER no_{name}_UPDATE")
        else:
            base.run(f'ALTER TABLE {name} DROP CONSTRAINT "{NO_SUCH_NAME}"')
    if _kind(base) == "postgresql":
        base.run("ALTER TABLE u DROP CONSTRAINT of_t")


def _is_named(source: Source, path: Path, url: str, batch: dict[str, Any]) -> None:
    if not (source.refused or source.groups):
        assert applied(InProcess(once=True), path, url, create=True, **batch).refused == 0
        return
    with pytest.raises(Refused) as raised:
        applied(InProcess(once=True), path, url, create=True, **batch)
    [rba] = re.findall(r"RBA (\d+)", str(raised.value))
    is_of_group = any(int(rba) in group for group in source.groups)
    assert (NO_SUCH_NAME if is_of_group else source.refused[int(rba)]) in str(raised.value)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("seed", range(examples(24, 2)))
def test_one_that_is_refused_is_named_and_no_other(
    seed: int, batch: dict[str, Any], base: Place, tmp_path: Path
) -> None:
    source, path = _drawn(Random(f"{seed} {batch}"), _kind(base), tmp_path)
    _is_named(source, path, base.url, batch)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("seed", range(examples(8, 2)))
def test_one_that_is_refused_by_a_lake_is_named_and_no_other(seed: int, batch: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("deltalake")
    source, path = _drawn(Random(f"{seed} {batch}"), "lake", tmp_path)
    _is_named(source, path, f"delta:{tmp_path}/lake", batch)


@pytest.mark.parametrize("seed", range(examples(40, 4)))
def test_what_a_truncate_of_its_transaction_ends_is_not_noted(seed: int, base: Place, tmp_path: Path) -> None:
    """Nor does it end the rows after it, or take along what is refused in another table."""
    random = Random(seed)
    trail, rows, waits = Trail(dict.fromkeys(NAMES, COLUMNS)), {1}, set[int]()
    noted = list[tuple[str, int]]()
    if _kind(base) == "postgresql":
        base.run("ALTER TABLE u DROP CONSTRAINT of_t")
    trail.insert("S.T", 1, "good", None)
    count = random.randrange(3, 12)
    for number in range(count):
        trail.role = FIRST if not number else LAST if number == count - 1 else MIDDLE
        rba, key, name = trail.rba, random.randrange(5), random.choice(("good", "good", "bad"))
        match random.choice(("truncate", "other", "insert", "insert")):
            case "truncate":
                trail.truncate("S.T")
                rows.clear()
                waits.clear()
                noted = [note for note in noted if note[0] == "S.U"]
            case "other":
                trail.insert("S.U", number, name, None)
                noted += [("S.U", rba)] * (name == "bad")
            case _:
                trail.insert("S.T", key, name, None)
                if key in rows | waits or name == "bad":
                    waits.add(key)
                    noted.append(("S.T", rba))
                else:
                    rows.add(key)
    applied(InProcess(once=True), trail.write(tmp_path / "a"), base.url, errors="table")
    assert sorted(base.query("SELECT table_name, rba FROM logdump_errors")) == sorted(noted)
    assert {row[0] for row in base.rows("t")} == rows
