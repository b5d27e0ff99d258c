"""``apply`` in a real session: a stream into SQLite, gone on with from the position in it; and ``latest``."""

from __future__ import annotations

import re
import time
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc
import pytest

import logdump.spark
from fixtures import TRAILS
from fixtures.statements import Ddl
from logdump.spark.source.data_source import TrailSource
from logdump.spark.stream.apply import source_tables
from logdump.tables.errors import BadOption, BadTrail, FileChanged
from logdump.tables.heartbeat_tables import role_of
from logdump.targets.beginning import check_beginning
from logdump.targets.request import ApplyRequest
from logdump.targets.run import ApplyRun, DdlFound
from logdump.targets.statements import statements_between
from logdump.targets.target import BadTarget, TargetLost, place_of
from tests.logdump.spark.targets.bank import NAMES, changes_of, differences, end_of, opened
from tests.logdump.spark.targets.places import Place, postgresql_place, sqlite_place
from tests.logdump.spark.test_changes import changes_in
from tests.searching import Random
from tests.simulated.dimensions import SizedExtract
from tests.simulated.five_tables import Bank, BankExtract, BankStates, bank_trail
from trailformat.records.record_header import FIRST, LAST, MIDDLE
from trailformat.values import plain_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tests.logdump.statements.servers import PostgreSQLServer

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[4]
TRAIL, TEAS = str(TRAILS / "st*"), "TEAHOUSE.TEAS"


def test_a_table_that_was_made_has_the_last_rows_and_is_gone_on_with(spark: SparkSession, tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    done = [logdump.spark.apply(spark, TRAIL, place.url, TEAS, create=True, once=True) for _ in range(2)]
    assert [progress.rows for progress in done] == [len(changes_in(Path(TRAIL), TEAS)), 0]
    latest = {
        tuple(map(str, row))
        for row in logdump.spark.latest(logdump.spark.changes(spark, TRAIL, TEAS)).drop("_absent").collect()
    }
    assert {row[0] for row in place.rows(TEAS)} == {row[0] for row in latest}
    assert len(latest) == 2


@pytest.mark.parametrize(
    ("message", "is_lost"),
    [
        ("Python worker exited unexpectedly (crashed)", True),
        ("Python worker failed to connect back", True),
        ("java.io.EOFException", True),
        ("java.net.SocketException: Broken pipe", True),
        ("An exception was thrown from the Python worker: java.io.IOException", False),
        ("Division by zero", False),
    ],
)
def test_it_begins_again_where_a_process_of_spark_has_gone_and_nowhere_else(
    message: str, is_lost: bool, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[int]()

    def lost_once(run: ApplyRun) -> Any:
        begun.append(run.progress.rows)
        if len(begun) == 1:
            raise RuntimeError(message)
        return iter(())

    monkeypatch.setattr(ApplyRun, "follow", lost_once)
    with nullcontext() if is_lost else pytest.raises(RuntimeError, match=re.escape(message)):
        logdump.spark.apply(
            spark, TRAIL, sqlite_place(tmp_path).url, TEAS, create=True, once=True, patience=0.5 if is_lost else 60.0
        )
    assert len(begun) == 1 + is_lost


class _Clock:
    """Time that passes where somebody waits, or by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.mark.parametrize("has_progress", [True, False])
def test_each_outage_has_the_patience_of_the_call(
    has_progress: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two outages of some seconds, hours apart: with a commit between them they are two, without one they are one."""
    clock, ends = _Clock(), list[float]()
    monkeypatch.setattr("logdump.targets.run.time", clock)
    outages = iter([True] * 5 + [False] + [True] * 5 + [None])

    def follow(run: ApplyRun) -> Any:
        outage = next(outages)
        if outage is None:
            return iter(())
        if not outage:
            clock.now += 9000
            run._commits += has_progress
        ends.append(clock.now)
        raise TargetLost("gone")

    monkeypatch.setattr(ApplyRun, "follow", follow)
    with nullcontext() if has_progress else pytest.raises(TargetLost):
        logdump.apply(TRAIL, sqlite_place(tmp_path).url, TEAS, patience=20.0)
    assert len(ends) == (11 if has_progress else 6)


def test_an_initial_load_is_gone_on_with_from_its_csn(spark: SparkSession, tmp_path: Path) -> None:
    states, place = BankStates(), sqlite_place(tmp_path)
    bank, extract = bank_trail(tmp_path, 40, seed=6, states=states, roll_chance=0.1, cut_chance=0.0)
    states.go_to(extract.csn_of(20))
    _load(place, tmp_path, states)
    begins = {record.path: record.trans_ind for record in reversed(extract.written)}
    for gone in extract.paths[: [begins.get(path) in (MIDDLE, LAST) for path in extract.paths].index(True)]:
        gone.unlink()
    path, first = f"{tmp_path}/sm*", extract.csn_of(21)
    with pytest.raises(BadTrail, match="from_csn names the first CSN to apply"):
        logdump.spark.apply(spark, path, place.url, "BANK.*", once=True)
    logdump.spark.apply(spark, path, place.url, "BANK.*", once=True, from_csn=first)
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []


def _load(place: Place, trail: Path, states: BankStates) -> None:
    """Tables with rows, as an initial load leaves them."""
    target = place.target()
    opened(target, changes_of(trail)[1])
    target.close()
    with closing(place.connect()) as connection:
        for name, rows in states.rows.items():
            for row in rows.values():
                values = [value if isinstance(value, bytes | None) else plain_text(value) for value in row]
                connection.execute(
                    f"INSERT INTO {name.rpartition('.')[2]} VALUES ({', '.join('?' * len(row))})", values
                )
        connection.execute("DELETE FROM logdump_position")
        connection.commit()


def test_a_table_without_a_key_takes_one(tmp_path: Path) -> None:
    bank_trail(tmp_path, 9, cut_chance=0.0)
    schema: Any = TrailSource({"path": str(tmp_path), "changesOf": "BANK.EVENTS"}).schema()
    for field in schema.fields:
        field.metadata.pop("logdump.key", None)
    with pytest.raises(BadTarget, match=r"^nothing was written: BANK\.EVENTS has no key; keys=\{'BANK\.EVENTS'"):
        [*source_tables(schema, {}, {})]
    with pytest.raises(BadTarget, match=r"^nothing was written: keys: BANK\.EVENTS has no column NUMBER"):
        [*source_tables(schema, {}, {"BANK.EVENTS": ["ID", "NUMBER"]})]
    with pytest.raises(BadTarget, match=r"^nothing was written: keys: not among the tables: bank\.other"):
        [*source_tables(schema, {}, {"BANK.OTHER": ["ID"]})]
    [table] = source_tables(schema, {}, {"bank.events": ["id"]})
    assert table.keys == ("ID",)


def test_a_gap_in_the_trail_is_named(spark: SparkSession, tmp_path: Path) -> None:
    _, extract = bank_trail(tmp_path, 20, roll_chance=0.1)
    gap = extract.paths[len(extract.paths) // 2]
    gap.unlink()
    place = sqlite_place(tmp_path)
    with pytest.raises(FileChanged, match=f"^{gap} is missing, while later files are there"):
        logdump.spark.apply(spark, f"{tmp_path}/sm*", place.url, "BANK.*", create=True, once=True)


def test_a_database_that_is_not_there_is_waited_for(spark: SparkSession) -> None:
    begun = time.monotonic()
    with pytest.raises(TargetLost, match=r"^postgresql: .*nowhere"):
        logdump.spark.apply(spark, TRAIL, "postgresql://nobody@/shop?host=/nowhere", TEAS, patience=0.3)
    assert time.monotonic() - begun > 0.3


def test_the_code_of_the_page_runs(
    spark: SparkSession, postgresql: PostgreSQLServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, page = postgresql_place(postgresql, "shop"), (ROOT / "docs" / "pipeline.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(import logdump(?:\.spark)?\n.*?)```", page, re.DOTALL)
    assert len(blocks) == 3
    names: dict[str, Any] = {}
    monkeypatch.setattr(logdump.spark, "session", lambda: spark)
    monkeypatch.setattr(logdump, "apply", partial(logdump.apply, once=True))
    monkeypatch.setattr(logdump.spark, "apply", partial(logdump.spark.apply, once=True))
    monkeypatch.chdir(ROOT)
    for block in blocks:
        exec(block.replace("postgresql://user@host/shop", place.url).replace("dirdat/lt*", TRAIL), names)
    [watched] = re.findall(r"`(SELECT .* FROM logdump_position);`", page)
    assert {row[0] for row in place.query(watched)} == {"TEAHOUSE.TEAS", "TEAHOUSE.SALES"}
    assert len(place.rows(TEAS)) == 2


def test_a_trail_that_begins_inside_a_transaction_is_named(tmp_path: Path) -> None:
    bank, extract = Bank(Random(1)), BankExtract(tmp_path, Random(1), roll_chance=0, cut_chance=0)
    changes = [change for _ in range(6) for change in bank.transaction()]
    extract.begin()
    for at, change in enumerate(changes):
        if at == 2:
            extract.roll()
        extract._record(change, FIRST if at == 0 else LAST if at == len(changes) - 1 else MIDDLE, is_first=at == 0)
    extract.close()
    asked = ApplyRequest(f"{tmp_path}/sm*", {}, {}, None, "stop", {"effective": True})
    check_beginning(asked)
    extract.paths[0].unlink()
    with pytest.raises(BadTrail, match=r"sm000000001, RBA \d+: the trail begins inside a transaction"):
        check_beginning(asked)


def test_wildcards_match_tables_without_those_of_heartbeats() -> None:
    asked = ApplyRequest(TRAIL, {"teahouse.*": ""}, {}, None, "stop", {"effective": True})
    assert [*asked.chosen().tables] == ["TEAHOUSE.SALES", "TEAHOUSE.TEAS"]
    beats = ApplyRequest(str(TRAILS / "kl*"), {"*": ""}, {}, None, "stop", {})
    assert not any(map(role_of, beats.chosen().tables))
    with pytest.raises(BadOption, match="no table that the trail defines is called like HR"):
        asked._replace(tables={"HR.*": ""}).chosen()


def test_statements_on_the_tables_are_found_in_order(tmp_path: Path) -> None:
    extract = SizedExtract(tmp_path)
    for table in ("TEAS", "HERBS", "TEAS"):
        extract.whole()
        extract.statement(Ddl("ALTER", "TABLE", table, f"alter table teahouse.{table} add (c number)"))
    extract.roll()
    extract.statement(Ddl("TRUNCATE", "TABLE", "TEAS", "truncate table teahouse.TEAS"))
    extract.close()
    files = ApplyRequest(f"{tmp_path}/sm*", {}, {}, None, "stop", {}).files()
    found = [*statements_between(files, place_of(0, 0), place_of(9, 0), ["TEAHOUSE.TEAS"])]
    assert [statement.text.split()[0] for statement in found] == ["alter", "alter", "truncate"]
    assert {statement.table for statement in found} == {"TEAHOUSE.TEAS"}
    later = [*statements_between(files, found[1].place, found[2].place, ["TEAHOUSE.TEAS"])]
    assert later == found[1:2]


def _altered(folder: Path) -> Path:
    """Two rows, a statement on their table between them."""
    extract = SizedExtract(folder)
    extract.whole()
    extract.statement(Ddl("COMMENT", "TABLE", "TEAS", "comment on table teahouse.TEAS is 'x'"))
    extract.whole(number=3)
    return extract.first


def test_a_statement_stops_it_once(spark: SparkSession, tmp_path: Path) -> None:
    trail, place = _altered(tmp_path), sqlite_place(tmp_path)
    with pytest.raises(DdlFound, match=r"RBA \d+: all before it is applied: comment on table"):
        logdump.spark.apply(spark, trail, place.url, TEAS, create=True, once=True)
    assert len(place.rows(TEAS)) == 1
    logdump.spark.apply(spark, trail, place.url, TEAS, once=True)
    assert len(place.rows(TEAS)) == 2


def test_a_statement_is_handed_over_when_all_before_it_is_applied(spark: SparkSession, tmp_path: Path) -> None:
    trail, place = _altered(tmp_path), sqlite_place(tmp_path)
    met: list[tuple[str, str, int]] = []

    def take(text: str, table: str) -> None:
        met.append((text.split(maxsplit=1)[0], table, len(place.rows(TEAS))))

    logdump.spark.apply(spark, trail, place.url, TEAS, create=True, once=True, ddl=take)
    assert met == [("comment", TEAS, 1)]
    assert len(place.rows(TEAS)) == 2


def test_rows_may_come_table_after_table(tmp_path: Path) -> None:
    trail = tmp_path / "trail"
    trail.mkdir()
    bank, extract = bank_trail(trail, 80, seed=3)
    rows, sources = changes_of(trail)
    apart = []
    for name in reversed(NAMES):
        own = rows.filter(pc.equal(rows["_table"], name)).drop_columns(
            [other_name for other_name in NAMES if other_name != name]
        )
        apart += [own.slice(at, 7) for at in range(0, len(own), 7)]
    place = sqlite_place(tmp_path)
    target = place.target()
    applier = opened(target, sources)
    assert applier.apply(lambda: iter(apart), end_of(rows))
    target.close()
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []
    assert (applier.progress.csn, applier.progress.rows) == (extract.csn, len(rows))
