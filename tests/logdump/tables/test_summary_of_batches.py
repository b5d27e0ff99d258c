"""The summary of slices that are read in several batches, against sums made by hand of the records as bytes.

Transactions cross batches, slices and files, some are cut by a restart, and IO Times come out of order.
Summaries put together again are what COUNT counts, however the files are split.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fixtures import TRAILS
from fixtures.flavour import MYSQL_21, ORACLE_11, ORACLE_12, Flavour
from logdump.spark.jobs.counting import count_of
from logdump.tables import summary as summary_module
from logdump.tables.options import Use, parse_options
from logdump.tables.slice import selection_of
from logdump.tables.slices import wanted_rows
from tests.logdump.tables.reads import planned, rows
from tests.oracles.count_by_record import RecordTotals
from tests.searching import IS_LONG, Random, in_turn, some_trails
from tests.simulated.extract import Extract
from tests.simulated.plain_reader import PlainRecord, read_all
from tests.simulated.source import Source
from tests.trailformat.samples import IO_TIME, row, trail_of
from trailformat import ByteOrder, TrailFile
from trailformat.totals.counting import Totals, TransactionHistory

WHOLE = some_trails((path for path in TRAILS.iterdir() if path.name[0] in "eondrpuvhs"), __name__)
LIMITS = {"transHist": 4, "transRecLimit": 2, "transByteLimit": 300}


def history() -> TransactionHistory:
    return TransactionHistory(4, 2, 300)


def counted(paths: list[Path], where: str | None = None) -> Totals:
    """What the local engine counts."""
    count = RecordTotals(history())
    for path in paths:
        with TrailFile(path) as trail:
            selection = selection_of(trail, parse_options({"where": where} if where else {}, Use.READ))
            for rba in trail.sound_rbas(0, trail.size):
                record = trail.record_at(rba)
                assert record is not None
                if selection.accepts(record):
                    count.add(record, trail.name_of(record), int(path.name[2:]))
                else:
                    count.pass_over(record)
    return count


def outcome(count: Totals) -> dict[str, Any]:
    tables = {key: vars(tally) for key, tally in count.tables.items()}
    open_transaction = vars(count.open_transaction) if count.open_transaction else None
    totals = (
        count.transactions,
        count.table_visits,
        count.history.largest,
        count.bytes_per_transaction,
        open_transaction,
    )
    return {"total": vars(count.total), "tables": tables, "totals": totals}


@pytest.mark.parametrize(
    ("size", "path"), in_turn([0, 300, 1000], WHOLE), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_it_comes_to_the_count_of_the_local_engine(path: Path, size: int) -> None:
    summary = rows(path, summary="true", maxPartitionBytes=size, **LIMITS)
    assert outcome(count_of(summary, history())) == outcome(counted([path]))


@pytest.mark.parametrize(
    ("size", "where"),
    in_turn([0, 500], ["IOTYPE Insert", "FILENAME *.SALES", "TRANSIND = 0", "RBA < 0", "EXCLUDE RECLEN > 90"]),
)
def test_it_comes_to_the_filtered_count(where: str, size: int) -> None:
    paths = [TRAILS / "st000000000", TRAILS / "st000000001"]
    summary = rows(TRAILS / "st*", summary="true", where=where, maxPartitionBytes=size, **LIMITS)
    assert outcome(count_of(summary, history())) == outcome(counted(paths, where))


def test_a_transaction_may_span_splits_and_files() -> None:
    paths = [TRAILS / "st000000000", TRAILS / "st000000001"]
    expected = outcome(counted(paths))
    for size in range(50, 3000, 150 if IS_LONG else 450):
        summary = rows(TRAILS / "st*", summary="true", maxPartitionBytes=size, **LIMITS)
        assert outcome(count_of(summary, history())) == expected, size


def test_a_row_tells_where_and_when_its_records_are() -> None:
    path = TRAILS / "et000000000"
    records = rows(path)
    for summed_row in rows(path, summary="true"):
        mine = [row for row in records if (row["table"], row["op"], row["before_after"]) == _key(summed_row)]
        assert (summed_row["first_rba"], summed_row["last_rba"]) == (mine[0]["rba"], mine[-1]["rba"])
        assert (summed_row["first_csn"], summed_row["last_csn"]) == (mine[0]["csn"], mine[-1]["csn"])
        times = [row["time"] for row in mine]
        assert (summed_row["first_time"], summed_row["last_time"]) == (
            (min(times), max(times)) if times[0] else (None, None)
        )
        assert summed_row["records"] == len(mine)
        assert summed_row["length"] == sum(row["length"] for row in mine)
        assert summed_row["bytes"] == sum(row["record_length"] for row in mine)


def test_times_are_the_earliest_and_the_latest_though_records_come_out_of_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary_module, "wanted_rows", partial(wanted_rows, batch_size=1))
    hours = (3, 1, 4, 2)
    path = trail_of(tmp_path, *(row(io_time=IO_TIME + hour * 3_600_000_000) for hour in hours))
    [summed_row] = rows(path, summary="true")
    assert (summed_row["last_time"] - summed_row["first_time"], summed_row["records"]) == (timedelta(hours=3), 4)
    assert summed_row["last_time"] == max(record["time"] for record in rows(path))


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["table"], row["op"], row["before_after"]


def test_every_part_of_a_file_tells_its_transactions_once() -> None:
    slices = [part for lot in planned(TRAILS / "st*", maxPartitionBytes=400) for part in lot]
    pieces = [
        summed_row
        for summed_row in rows(TRAILS / "st*", summary="true", maxPartitionBytes=400)
        if summed_row["piece"] is not None
    ]
    assert [(piece["file"], piece["start_rba"]) for piece in pieces] == [(part.path, part.start) for part in slices]


def test_damage_is_a_row_without_records() -> None:
    summary = rows(TRAILS / "ft000000000", summary="true", mode="PERMISSIVE")
    damage = [summed_row for summed_row in summary if summed_row["_corrupt_record"] is not None]
    assert [(summed_row["records"], summed_row["length"] > 0) for summed_row in damage] == [(0, True)]


Group = tuple[str, int, int, int]
Transaction = list[tuple[int, PlainRecord]]
"""Its records that are taken, each with the number of its file."""
OUTSIDE = {150, 151, 170}
"""Restarts and metadata: of no transaction."""
KEEP_ALL = {"transHist": 1000, "transRecLimit": 0, "transByteLimit": 0}
CONDITIONS: dict[str | None, Callable[[PlainRecord], bool]] = {
    None: lambda _: True,
    "TRANSIND <= 1": lambda record: not record.is_header and record.trans_ind <= 1,
    "TRANSIND >= 2": lambda record: not record.is_header and record.trans_ind >= 2,
    "FILENAME *.SALES": lambda record: record.table.lower().endswith(".sales"),
}


class Trail(NamedTuple):
    """Its files, and what a reader of the bytes finds in each."""

    files: list[Path]
    records: list[list[PlainRecord]]
    sign: str

    def io_time(self, record: PlainRecord) -> int:
        return int(struct.unpack_from(self.sign + "q", record.raw, _IO_TIME_AT)[0])


_HEAD_AT = 8
"""Of the fields of the header in a record: after the head of the record and that of token H."""
_PARTITION_AT, _IMAGE_AT, _IO_TIME_AT = _HEAD_AT + 1, _HEAD_AT + 3, _HEAD_AT + 8


def drawn(folder: Path, seed: int, flavour: Flavour) -> Trail:
    """A trail of some files, of which IO Times are drawn anew."""
    random, sign = Random(seed), {ByteOrder.BIG: ">", ByteOrder.LITTLE: "<"}[flavour.order]
    tables = flavour.teas, flavour.sales
    extract = Extract(folder, random, roll_chance=0.07, flavour=flavour, tables=tables, is_headed=True)
    source = Source(random, *tables)
    for _ in range(12):
        extract.write(source.transaction())
    extract.open_end(source.transaction())
    extract.close()
    found, csn = list[list[PlainRecord]](), ""
    for path in extract.paths:
        content = bytearray(path.read_bytes())
        for record in read_all(bytes(content), sign):
            if record.op:
                moment = IO_TIME + random.randrange(10**9)
                struct.pack_into(sign + "q", content, record.rba + _IO_TIME_AT, moment)
        path.write_bytes(content)
        found.append(list(read_all(bytes(content), sign, csn)))
        csn = next((plain_record.csn for plain_record in reversed(found[-1]) if plain_record.op), csn)
    return Trail(extract.paths, found, sign)


@pytest.fixture(scope="module")
def trail(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trail:
    """A trail of each flavour, in both byte orders; tests read it."""
    seed: int = request.param
    flavour = (MYSQL_21, ORACLE_12, ORACLE_11)[seed % 3]
    return drawn(tmp_path_factory.mktemp("drawn"), seed, replace(flavour, order=list(ByteOrder)[seed % 2]))


def _group(record: PlainRecord) -> Group | None:
    if record.is_header:
        return None
    return record.table, record.raw[_PARTITION_AT], record.io_type, record.raw[_IMAGE_AT]


def _moment(io_time: int) -> datetime:
    return datetime(2016, 4, 28, 12, 10, 14, 246832, UTC) + timedelta(microseconds=io_time - IO_TIME)


def summed(trail: Trail, records: Sequence[PlainRecord]) -> dict[Group | None, dict[str, Any]]:
    """The rows of a slice that has these records, without its transactions."""
    groups: dict[Group | None, list[PlainRecord]] = defaultdict(list)
    for record in records:
        groups[_group(record)].append(record)
    found = {}
    for group, own in groups.items():
        times = [_moment(trail.io_time(plain_record)) for plain_record in own] if group else []
        found[group] = {
            "records": len(own),
            "bytes": sum(len(plain_record.data) for plain_record in own),
            "length": sum(plain_record.length for plain_record in own),
            "first_rba": own[0].rba,
            "last_rba": own[-1].rba,
            "first_csn": own[0].csn or None,
            "last_csn": own[-1].csn or None,
            "first_time": min(times, default=None),
            "last_time": max(times, default=None),
            "transactions": sum(
                plain_record.trans_ind in (2, 3) and plain_record.io_type not in OUTSIDE for plain_record in own
            ),
        }
    return found


def transactions_of(trail: Trail, is_taken: Callable[[PlainRecord], bool]) -> Iterator[tuple[Transaction, bool]]:
    """The records that are taken of each transaction that has any, and whether it has ended."""
    taken: Transaction = []
    for number, records in enumerate(trail.records):
        for record in records:
            if record.is_header or record.io_type in OUTSIDE:
                continue
            if is_taken(record):
                taken.append((number, record))
            if record.trans_ind in (2, 3):
                if taken:
                    yield taken, True
                taken = []
    if taken:
        yield taken, False


def _sums(trail: Trail, taken: Transaction) -> tuple[Any, ...]:
    number, first = taken[0]
    size = sum(len(record.data) + 48 for _, record in taken)
    return size, len(taken), {record.table for _, record in taken}, trail.io_time(first), number, first.rba


@pytest.fixture
def batches_of(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of so many records."""
    monkeypatch.setattr(summary_module, "wanted_rows", partial(wanted_rows, batch_size=request.param))


SEEDS, BATCHES = range(4 if IS_LONG else 3), (1, 2, None)
EACH_TRAIL = pytest.mark.parametrize(("trail", "batches_of"), in_turn(SEEDS, BATCHES), indirect=True)


@EACH_TRAIL
@pytest.mark.usefixtures("batches_of")
@pytest.mark.parametrize("size", [0, 600])
def test_each_group_of_each_slice_is_summed(trail: Trail, size: int) -> None:
    pattern = trail.files[0].parent / "sm*"
    found: dict[tuple[str, int], dict[Group | None, dict[str, Any]]] = defaultdict(dict)
    for found_row in rows(pattern, summary="true", maxPartitionBytes=size):
        group = None
        if found_row["op_code"] is not None:
            group = (
                found_row["table"] or "",
                found_row["partition"],
                found_row["op_code"],
                ord(found_row["before_after"]),
            )
        assert group not in found[found_row["file"], found_row["start_rba"]]
        found[found_row["file"], found_row["start_rba"]][group] = found_row
    slices = [piece for lot in planned(pattern, maxPartitionBytes=size) for piece in lot]
    assert len(slices) > len(trail.files) or not size
    for part in slices:
        records = trail.records[part.seqno or 0]
        expected = summed(trail, [record for record in records if part.start <= record.rba < part.stop])
        own = found[part.path, part.start]
        assert {group: {name: own[group][name] for name in wanted} for group, wanted in expected.items()} == expected
        assert set(own) == set(expected)


@pytest.mark.parametrize(("trail", "batches_of"), in_turn(SEEDS, BATCHES[::-1]), indirect=True)
@pytest.mark.usefixtures("batches_of")
@pytest.mark.parametrize(("size", "where"), in_turn([0, 600], CONDITIONS))
def test_transactions_are_put_together_over_batches_slices_and_files(
    trail: Trail, size: int, where: str | None
) -> None:
    condition = {"where": where} if where else {}
    summary = rows(trail.files[0].parent / "sm*", summary="true", maxPartitionBytes=size, **KEEP_ALL, **condition)
    count = count_of(summary, TransactionHistory(1000, 0, 0))
    is_taken = CONDITIONS[where]
    ended = [_sums(trail, taken) for taken, has_ended in transactions_of(trail, is_taken) if has_ended]
    not_ended = [_sums(trail, taken) for taken, has_ended in transactions_of(trail, is_taken) if not has_ended]
    assert (count.transactions, count.table_visits) == (len(ended), sum(len(values[2]) for values in ended))
    expected = sorted(
        ((*values[:2], len(values[2]), *values[3:]) for values in ended), key=lambda values: (-values[0], *values[4:])
    )
    assert [tuple(transaction) for transaction in count.history.largest] == expected
    still = count.open_transaction
    left = [(still.data_bytes, still.records, still.tables, still.time, still.seqno, still.rba)] if still else []
    assert left == not_ended
    dropped = sum(not is_taken(record) for records in trail.records for record in records)
    assert sum(row["piece"]["suppressed"] for row in summary if row["piece"] is not None) == dropped


@EACH_TRAIL
@pytest.mark.usefixtures("batches_of")
def test_what_effective_drops_is_counted_whatever_bounds_stand_beside_it(trail: Trail) -> None:
    pattern = trail.files[0].parent / "sm*"
    everything, effective = (len(rows(pattern, "rba", effective=kept)) for kept in (False, True))
    for bounds in ({}, {"table": "TEAHOUSE.TEAS"}, {"startTimestamp": "2000-01-01"}):
        summary = rows(pattern, summary="true", effective="true", maxPartitionBytes=600, **bounds)
        assert sum(row["piece"]["suppressed"] for row in summary if row["piece"]) == everything - effective, bounds
