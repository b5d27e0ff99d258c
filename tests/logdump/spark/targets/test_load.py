"""The initial load: rows at a CSN, from frames or the database of the source, and the changes after it, each once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from logdump.tables.errors import BadOption, BadTrail
from logdump.targets.load import BadLoad
from logdump.targets.target import BadTarget, Refused
from tests.logdump.spark.targets.direct import DRIVERS, Apply, applied
from tests.logdump.spark.targets.places import Place, postgresql_place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import COLUMNS, TABLE, WAYS, Model, Row, expected, found, transaction, write
from tests.logdump.statements.servers import PostgreSQLServer
from tests.searching import IS_LONG, Random, part_of
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY


def _frame(rows: dict[int, Row]) -> pa.Table:
    columns = {"n": pa.int64(), "Id": pa.int32(), "NAME": pa.large_string()}
    made = [{"n": n, "Id": key, "NAME": name} for key, (name, n) in rows.items()]
    return pa.Table.from_pylist(made, pa.schema([*columns.items()]))


@pytest.mark.parametrize("way", WAYS)
def test_a_load_and_the_changes_after_it_give_each_row_once(
    way: str, tmp_path: Path, place: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the CSN of the load, and whether there are changes in the first run."""
    random = Random(f"{way} {place.url.partition(':')[0]}")
    monkeypatch.setattr("logdump.targets.load._MOST_ROWS", 2)
    for number in range(20 if IS_LONG else 2):
        trail, before, model, rows = Trail({TABLE: COLUMNS}), Model(), Model(), dict[int, Row]()
        place.run(*(f"DROP TABLE IF EXISTS {name}" for name in ("t", "logdump_position")))
        at, stop = random.randint(100, 112), random.randint(101, 112)
        loaded = dict[int, Row]()
        for csn in range(101, 113):
            if csn == at + 1:
                loaded = dict(before.now)
                model.load(str(at), loaded)
            steps = transaction(random, rows)
            write(trail, steps)
            before.transaction(str(csn), steps)
            if csn > at:
                model.transaction(str(csn), steps)
            if csn == stop > at:
                path = trail.write(tmp_path / str(number))
                apply(path, place, create=True, load={"s.t": _frame(loaded)}, load_csn=at, **WAYS[way])
        if at == 112:
            model.load("112", loaded := dict(before.now))
        path = trail.write(tmp_path / str(number))
        given: dict[str, Any] = {"create": True, "load": {"s.t": _frame(loaded)}, "load_csn": str(at), **WAYS[way]}
        apply(path, place, **given)
        assert found(place, way) == expected(model, way), at
        assert apply(path, place, **given).rows == 0


def _trail(folder: Path) -> Path:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "one", 1)
    trail.insert(TABLE, 2, "two", 2)
    return trail.write(folder / "a")


def _given(**more: Any) -> dict[str, Any]:
    return {"create": True, "load": {TABLE: _frame({1: ("one", 1)})}, "load_csn": "101", **more}


def test_a_position_after_a_load_is_gone_on_from_without_the_load(tmp_path: Path, place: Place, apply: Apply) -> None:
    path = _trail(tmp_path)
    apply(path, place, **_given())
    place.run("DELETE FROM logdump_position", "DELETE FROM t")
    trail = Trail({TABLE: COLUMNS})
    apply(trail.write(tmp_path / "empty"), place, **_given())
    assert found(place, "mirror") == [(1, "one", 1)]
    assert place.query("SELECT csn, changes FROM logdump_position") == [("101", 0)]
    assert apply(path, place).rows == 1
    assert found(place, "mirror") == [(1, "one", 1), (2, "two", 2)]


def test_a_table_with_rows_and_without_a_position_is_not_loaded(tmp_path: Path, place: Place, apply: Apply) -> None:
    place.run("CREATE TABLE t (id bigint PRIMARY KEY, name varchar(9), n integer)", "INSERT INTO t VALUES (9, 'x', 1)")
    with pytest.raises(BadTarget, match=r"^nothing was written: S\.T has rows in the target, and no position"):
        apply(_trail(tmp_path), place, **_given())
    assert place.query("SELECT count(*) FROM logdump_position") == [(0,)]


def test_a_table_that_is_gone_is_not_made_again_for_the_position_of_a_load(
    tmp_path: Path, place: Place, apply: Apply
) -> None:
    apply(Trail({TABLE: COLUMNS}).write(tmp_path / "empty"), place, **_given())
    place.run("DROP TABLE t")
    with pytest.raises(BadTarget, match="it has a position in logdump_position"):
        apply(_trail(tmp_path), place, **_given())


@pytest.mark.parametrize(
    ("frame", "why"),
    [
        ({TABLE: pa.table({"ID": [1], "NAME": ["x"]})}, "load has no column N"),
        ({TABLE: pa.table({"ID": ["x"], "NAME": ["x"], "N": [1]})}, "column ID is not as in the trail"),
        ({TABLE: pa.table({"ID": [1], "NAME": ["x"], "N": [1 << 40]})}, "column N is not as in the trail"),
        ({"S.OTHER": pa.table({"ID": [1]})}, "load has no frame for it"),
    ],
)
def test_a_frame_that_is_not_one_of_the_table_loads_nothing(
    frame: dict[str, pa.Table], why: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    with pytest.raises(BadLoad, match=rf"^nothing of S\.T was written: .*{why}"):
        apply(_trail(tmp_path), place, **_given(load=frame))
    assert found(place, "mirror") == place.query("SELECT * FROM logdump_position") == []


def test_a_row_that_the_target_refuses_loads_nothing_of_its_table(tmp_path: Path, place: Place, apply: Apply) -> None:
    frame = pa.table({"ID": [1, 2, 1], "NAME": ["x", "y", "z"], "N": [1, 2, 3]})
    for way in ("mirror", "soft", "history"):
        place.run("DROP TABLE IF EXISTS t")
        with pytest.raises(Refused, match=r"^nothing of S\.T was written: load: "):
            apply(_trail(tmp_path), place, **_given(load={TABLE: frame}, **WAYS[way]))
        assert found(place, way) == place.query("SELECT * FROM logdump_position") == []


@pytest.mark.parametrize(
    "given",
    [
        {"load_csn": "5", "load": None},
        {"load_snapshot": "00000003-1", "load": None},
        {"load_csn": None},
        {"load": [1, 2]},
        {"load": {TABLE: 7}},
        {"load_snapshot": "00000003-1"},
        {"from_csn": "5"},
        {"load_csn": "five"},
        {"load": "nowhere"},
        {"load": "sqlite:///x.db"},
        {"load": "mariadb://h/x"},
        {"load": "postgresql://h/x"},
        {"load": "postgresql://h/x", "load_snapshot": "a'b"},
    ],
)
def test_arguments_of_a_load_that_do_not_go_together_are_refused(
    given: dict[str, Any], tmp_path: Path, apply: Apply
) -> None:
    with pytest.raises(BadOption, match=r"load|from_csn|snapshot"):
        apply(_trail(tmp_path), sqlite_place(tmp_path), **_given(**given))


def test_a_csn_that_the_trail_cannot_be_compared_with_is_refused(tmp_path: Path, place: Place, apply: Apply) -> None:
    with pytest.raises(BadTrail, match=r"the CSN 0/16B3748 of the load cannot be compared with 10[12]"):
        apply(_trail(tmp_path), place, **_given(load_csn="0/16B3748"))


def test_a_load_goes_with_databases(tmp_path: Path) -> None:
    pytest.importorskip("deltalake")
    with pytest.raises(BadTarget, match="load goes with databases"):
        applied(DRIVERS["in process"](Random(1)), _trail(tmp_path), f"delta:{tmp_path}/lake", **_given())


SOURCE_TABLE = "PUBLIC.T"
SLOT = "logdump_test"
_LINE = re.compile(r"table public\.t: (INSERT|UPDATE|DELETE): (.*)")
_VALUE = re.compile(r"(\w+)\[[^\]]+\]:('(?:[^']|'')*'|\S+)")


class Slot(NamedTuple):
    """A replication slot: its consistent point, and the snapshot that it has exported."""

    csn: str
    snapshot: str


class Source:
    """A database of PostgreSQL whose rows change, and the changes that its slot has, as a trail."""

    def __init__(self, place: Place, random: Random) -> None:
        self.place, self._random = place, random
        self._stop = threading.Event()
        self.trail = Trail({SOURCE_TABLE: COLUMNS})
        place.run("CREATE TABLE t (id bigint PRIMARY KEY, name text, n integer)")
        place.run("INSERT INTO t SELECT i, 'row' || i, i FROM generate_series(1, 1000) i")

    @contextmanager
    def slot(self) -> Iterator[Slot]:
        """A slot whose snapshot lives as long as this context."""
        psycopg = pytest.importorskip("psycopg")
        with closing(psycopg.connect(self.place.url, replication="database", autocommit=True)) as connection:
            made = connection.execute(f"CREATE_REPLICATION_SLOT {SLOT} LOGICAL test_decoding EXPORT_SNAPSHOT")
            _, csn, snapshot, _ = made.fetchone()
            yield Slot(csn, snapshot)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Rows are inserted, changed, moved and deleted meanwhile."""
        thread = threading.Thread(target=self._change)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _change(self) -> None:
        random, new = self._random, 10_000
        with closing(self.place.connect()) as connection:
            while not self._stop.wait(0.005):
                cursor = connection.cursor()
                for _ in range(random.randint(1, 4)):
                    new, key = new + 1, random.randint(1, 1100)
                    cursor.execute(
                        random.choice(
                            (
                                f"INSERT INTO t VALUES ({new}, 'new{new}', {new})",
                                f"UPDATE t SET n = n + 1 WHERE id = {key}",
                                f"UPDATE t SET id = {new}, name = NULL WHERE id = {key}",
                                f"DELETE FROM t WHERE id = {key}",
                            )
                        )
                    )
                connection.rollback() if random.random() < 0.1 else connection.commit()

    def decode(self) -> int:
        """Take what the slot has into the trail; return the number of changes."""
        lines = self.place.query(f"SELECT lsn, data FROM pg_logical_slot_get_changes('{SLOT}', NULL, NULL)")
        changes, count = list[re.Match[str]](), 0
        for lsn, line in lines:
            if (match := _LINE.fullmatch(line)) is not None:
                changes.append(match)
            elif line.startswith("COMMIT"):
                self._transaction(str(lsn), changes)
                count += len(changes)
                changes = []
        return count

    def _transaction(self, csn: str, changes: list[re.Match[str]]) -> None:
        self.trail.csn = csn
        for at, change in enumerate(changes):
            last = len(changes) - 1
            self.trail.role = ONLY if not last else FIRST if at == 0 else LAST if at == last else MIDDLE
            op, text = change.groups()
            old, _, new = text.rpartition("new-tuple: ")
            key = [int(value) for _, value in _VALUE.findall(old)]
            row = [_parsed(name, value) for name, value in _VALUE.findall(new)]
            if op == "UPDATE" and key:
                self.trail.move(SOURCE_TABLE, key, row)
            elif op == "UPDATE":
                self.trail.update(SOURCE_TABLE, *row)
            elif op == "INSERT":
                self.trail.insert(SOURCE_TABLE, *row)
            else:
                self.trail.delete(SOURCE_TABLE, *row)


def _parsed(name: str, value: str) -> Any:
    if value == "null":
        return None
    return value.strip("'") if name == "name" else int(value)


@pytest.fixture
def source(postgresql: PostgreSQLServer, request: pytest.FixtureRequest) -> Iterator[Source]:
    """The database of the source, whose slot is dropped at the end."""
    place = postgresql_place(postgresql, "origin")
    yield Source(place, Random(request.node.name))
    place.query(f"SELECT pg_drop_replication_slot('{SLOT}')")


@pytest.mark.parametrize(("driver", "way"), part_of([(driver, way) for driver in DRIVERS for way in WAYS], 0, 8))
def test_rows_that_change_during_a_copy_that_is_killed_are_there_once(
    driver: str, way: str, source: Source, postgresql: PostgreSQLServer, tmp_path: Path
) -> None:
    """The trail is decoded from the slot of the same server: its CSNs are LSNs, the snapshot is that of the slot."""
    target = postgresql_place(postgresql)
    with source.changing(), source.slot() as slot:
        at_slot = source.place.query("SELECT count(*) FROM t")
        assert at_slot
        path = source.trail.write(tmp_path / "trail")
        given = {"load": source.place.url, "load_csn": slot.csn, "load_snapshot": slot.snapshot, **WAYS[way]}

        def run(kills: int) -> str:
            words = [driver, str(path), target.url, SOURCE_TABLE, "2000", str(kills), json.dumps(given)]
            line = [sys.executable, "-m", "tests.logdump.spark.targets.killed_at", *words]
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout

        assert run(2).startswith("killed")
        loaded = target.query("SELECT count(*) FROM t")
        assert source.decode()
        source.trail.write(tmp_path / "trail")
        run(2)
    source.decode()
    source.trail.write(tmp_path / "trail")
    said = run(1)
    there = {"history": "WHERE _valid_to IS NULL", "soft": "WHERE _deleted IS NULL"}.get(way, "")
    origin = sorted(source.place.query("SELECT id, name, n FROM t"))
    if way != "append":
        assert sorted(target.query(f"SELECT id, name, n FROM t {there}")) == origin, said
    if way == "history":
        assert target.query(f"SELECT count(*) FROM t WHERE _valid_from_csn = '{slot.csn}'") == loaded
        assert target.query("SELECT count(*) FROM (SELECT DISTINCT id, _valid_from_csn FROM t) d") == target.query(
            "SELECT count(*) FROM t"
        )
    if way == "append":
        assert target.query("SELECT count(*) FROM t WHERE _op = 'load'") == loaded
        assert target.query("SELECT count(*) - count(DISTINCT _sequence) FROM t WHERE _op <> 'load'") == [(0,)]
        [(rows,)] = target.query("SELECT sum(CASE _op WHEN 'update' THEN 0 WHEN 'delete' THEN -1 ELSE 1 END) FROM t")
        assert rows == len(origin)


def test_a_snapshot_that_is_gone_is_named(source: Source, postgresql: PostgreSQLServer, tmp_path: Path) -> None:
    target = postgresql_place(postgresql)
    with source.slot() as slot:
        pass
    given: dict[str, Any] = {"load": source.place.url, "load_csn": slot.csn, "load_snapshot": slot.snapshot}
    path = source.trail.write(tmp_path / "trail")
    with pytest.raises(BadLoad, match=r"^nothing was written: load: .*snapshot"):
        applied(DRIVERS["in process"](Random(1)), path, target.url, create=True, **given)
