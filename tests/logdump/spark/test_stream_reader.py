"""What Spark asks the reader of a stream, of each release, and what it answers: without Spark running."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS, Selected
from logdump.spark.stream.stream_reader import TrailStreamReader
from logdump.tables.errors import BadOption, FileChanged
from logdump.tables.options import Use, parse_options
from tests.logdump.tables.bytes_read import counted
from tests.logdump.tables.reads import Row, rows, stream_reader, table
from tests.searching import Random, examples
from tests.simulated.eventful import Eventful
from trailformat import TrailFile

SAMPLE = (TRAILS / "et000000000").read_bytes()
SIZE = len(SAMPLE)
with TrailFile(TRAILS / "et000000000") as _trail:
    ENDS = [record.rba + record.length for record in _trail.records()]


class ReadAllAvailable:
    """As Spark's class of this name, which releases before 4.2 have not got."""


class ReadMaxBytes:
    """Likewise."""


def _put(folder: Path, *sizes: int) -> None:
    for number, size in enumerate(sizes):
        (folder / f"lt{number:09d}").write_bytes(SAMPLE[:size])


def _reader(folder: Path, **given: str) -> TrailStreamReader:
    selected = tuple(Selected(column.name, column) for column in COLUMNS if column.name == "rba")
    return TrailStreamReader(parse_options({"path": str(folder), **given}, Use.STREAM), selected)


def _offset(seqno: int, rba: int) -> dict[str, int]:
    return {"seqno": seqno, "rba": rba}


def _reported(seqno: int, rba: int, behind: int, seconds: float | None) -> dict[str, Any]:
    """The end of the trail, and how far behind it the stream is."""
    return {"seqno": seqno, "rba": rba, "bytesBehind": behind, "secondsBehind": seconds}


def test_before_spark_4_2_a_batch_goes_up_to_what_is_there_and_on_from_there(tmp_path: Path) -> None:
    _put(tmp_path, ENDS[8] + 3)
    reader = _reader(tmp_path)
    assert reader.reportLatestOffset() is None
    assert reader.latestOffset() == reader.latestOffset() == _offset(0, ENDS[8])
    _put(tmp_path, SIZE, ENDS[2] + 1)
    assert reader.reportLatestOffset() == _reported(1, ENDS[2] + 1, SIZE - ENDS[8] + ENDS[2] + 1, None)
    assert reader.latestOffset() == _offset(1, ENDS[2])


def test_before_spark_4_2_files_may_go_once_later_batches_have_been_read(tmp_path: Path) -> None:
    _put(tmp_path, ENDS[4])
    reader = _reader(tmp_path)
    reader.latestOffset()
    _put(tmp_path, SIZE, ENDS[2])
    assert reader.latestOffset() == _offset(1, ENDS[2])
    (tmp_path / "lt000000000").unlink()
    assert reader.latestOffset() == _offset(1, ENDS[2])
    assert reader.reportLatestOffset() == _reported(1, ENDS[2], 0, 0.0)


def test_before_spark_4_2_no_batch_goes_over_what_has_changed_since_the_last(tmp_path: Path) -> None:
    _put(tmp_path, ENDS[8])
    reader = _reader(tmp_path)
    reader.latestOffset()
    _put(tmp_path, ENDS[3], SIZE)
    with pytest.raises(FileChanged, match=f"RBA {ENDS[8]}: the stream has read so far, .* only {ENDS[3]} bytes"):
        reader.latestOffset()
    (tmp_path / "lt000000000").unlink()
    with pytest.raises(FileChanged, match="seqno 0 has gone"):
        reader.latestOffset()


@pytest.mark.parametrize(
    ("requested", "options", "expected"),
    [
        (None, {"maxBytesPerTrigger": "1"}, (2, ENDS[2])),
        (ReadAllAvailable(), {"maxBytesPerTrigger": "1"}, (2, ENDS[2])),
        (ReadMaxBytes(), {"maxBytesPerTrigger": "1"}, (0, ENDS[2])),
        (ReadMaxBytes(), {"maxFilesPerTrigger": "2"}, (1, SIZE)),
        (ReadMaxBytes(), {"maxFilesPerTrigger": "2", "maxBytesPerTrigger": str(SIZE - ENDS[1] + 1)}, (0, SIZE)),
        (ReadMaxBytes(), {"maxTransactionsPerTrigger": "3"}, (0, ENDS[9])),
        (ReadMaxBytes(), {}, (2, ENDS[2])),
    ],
)
def test_from_spark_4_2_on_a_batch_goes_from_its_start_as_far_as_its_limit(
    requested: Any, options: dict[str, str], expected: tuple[int, int], tmp_path: Path
) -> None:
    _put(tmp_path, SIZE, SIZE, ENDS[2])
    reader = _reader(tmp_path, **options)
    start = _offset(0, ENDS[1])
    assert reader.latestOffset(start, requested) == _offset(*expected)
    assert reader.latestOffset(start, requested) == _offset(*expected), "from its start, not from where it was"
    seqno, rba = expected
    rest = {0: SIZE - rba + SIZE + ENDS[2], 1: SIZE - rba + ENDS[2], 2: ENDS[2] - rba}[seqno]
    assert reader.reportLatestOffset() == _reported(2, ENDS[2], rest, 0.0)


@pytest.mark.parametrize("most", ["maxBytesPerTrigger", "maxFilesPerTrigger", "maxTransactionsPerTrigger"])
def test_spark_asks_with_the_limit_that_is_set(most: str, tmp_path: Path) -> None:
    _put(tmp_path, SIZE)
    pytest.importorskip("pyspark.sql.streaming.datasource", exc_type=ImportError)
    assert type(_reader(tmp_path, **{most: "1"}).getDefaultReadLimit()).__name__ != "ReadAllAvailable"


@pytest.mark.parametrize("newer", [(), (0,), (0, 0)])
def test_the_lag_is_the_time_between_commits(newer: tuple[int, ...], tmp_path: Path) -> None:
    """Files that are just being made have no time, and do not matter."""
    _put(tmp_path, SIZE, *newer)
    reader = _reader(tmp_path, maxTransactionsPerTrigger="2")
    assert reader.latestOffset(_offset(0, 0), ReadMaxBytes()) == _offset(0, ENDS[8])
    with TrailFile(TRAILS / "et000000000") as trail:
        times = [record.header.io_time for record in trail.records() if not record.is_file_header]
    seconds = (times[-1] - times[7]) / 1_000_000
    assert seconds >= 60
    assert reader.reportLatestOffset() == _reported(0, SIZE, SIZE - ENDS[8], seconds)


def test_a_start_that_spark_gives_counts_though_all_of_it_was_read_before(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, ENDS[2])
    reader = _reader(tmp_path)
    assert reader.latestOffset() == _offset(1, ENDS[2])
    assert reader.latestOffset(_offset(0, 0), ReadAllAvailable()) == _offset(1, ENDS[2])
    (tmp_path / "lt000000000").unlink()
    with pytest.raises(FileChanged, match="seqno 0 has gone"):
        reader.latestOffset(_offset(0, ENDS[1]), ReadAllAvailable())


def test_a_stream_of_changes_needs_the_definition_of_its_table(tmp_path: Path) -> None:
    _put(tmp_path, ENDS[1])
    with pytest.raises(BadOption, match=r"option changesOf: there is no table TEAHOUSE\.TEAS"):
        stream_reader({"path": str(tmp_path), "changesOf": "TEAHOUSE.TEAS"}, ())
    _put(tmp_path, ENDS[2])
    assert stream_reader({"path": str(tmp_path), "changesOf": "teahouse.Teas"}, ()).initialOffset() == _offset(0, 0)


def test_what_is_available_now_is_as_far_as_it_goes(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, ENDS[2])
    reader = _reader(tmp_path)
    reader.prepareForTriggerAvailableNow()
    _put(tmp_path, SIZE, SIZE, SIZE)
    assert reader.latestOffset(_offset(0, 0), ReadAllAvailable()) == _offset(1, ENDS[2])
    assert reader.latestOffset(_offset(1, ENDS[2]), ReadAllAvailable()) == _offset(1, ENDS[2])


def test_partitions_hold_the_records_between_two_offsets(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE)
    reader = _reader(tmp_path, maxPartitionBytes="700")
    parts = reader.partitions(_offset(0, ENDS[1]), _offset(1, ENDS[5]))
    found = [row["rba"] for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
    assert found == [*ENDS[1:-1], 0, *ENDS[:5]]
    assert len(parts) > 2
    assert reader.partitions(_offset(1, 5), _offset(1, 5)) == []


@pytest.mark.parametrize(
    ("columns", "given"),
    [
        (("table", "op"), {}),
        (("csn", "xid"), {}),
        (("table", "csn", "after"), {}),
        (("table", "csn", "xid"), {"effective": "true"}),
        ((), {"changesOf": "TEAHOUSE.CUSTOMERS,TEAHOUSE.ORDERS", "effective": "true"}),
    ],
    ids=str,
)
def test_driver_and_tasks_read_each_byte_once_over_all_micro_batches(
    columns: tuple[str, ...], given: dict[str, str], large: Path
) -> None:
    reader = stream_reader({"path": str(large), "maxBytesPerTrigger": "4m", **given}, columns)
    tasks, batches = 0, 0
    at: dict[str, Any] = _offset(0, 0)
    with counted() as count:
        while (end := reader.latestOffset(at, ReadMaxBytes())) != at:
            before = count.number
            parts = reader.partitions(at, end)
            planned, at, batches = count.number - before, end, batches + 1
            assert reader.reportLatestOffset() is not None
            assert planned <= 1.1 * (4 << 20)
            before = count.number
            assert sum(batch.num_rows for part in parts for batch in reader.read(part))
            tasks += count.number - before
    assert batches >= 3
    assert tasks <= 1.02 * large.stat().st_size
    assert count.number <= 3.0 * large.stat().st_size, "the driver: to find the ends of batches, and what is before"


def test_a_stream_that_goes_on_knows_what_stands_before(tmp_path: Path) -> None:
    """As after a restart: nothing has been gone over before its first batch."""
    _put(tmp_path, SIZE)
    known = {column.name: column for column in COLUMNS}
    selected = tuple(Selected(name, known[name]) for name in ("rba", "table", "csn", "xid"))
    options = parse_options({"path": str(tmp_path)}, Use.STREAM)
    expected = table(tmp_path, "rba", "table", "csn", "xid").to_pylist()
    for start in range(1, len(ENDS) - 1):
        reader, found = TrailStreamReader(options, selected), []
        for begin, end in ((start, start + 1), (start + 1, len(ENDS) - 1)):
            parts = reader.partitions(_offset(0, ENDS[begin]), _offset(0, ENDS[end]))
            found += [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
        assert found == expected[start + 1 :]


def test_a_stream_that_is_begun_again_reads_nothing_before_its_offset_to_know_what_was_applied(large: Path) -> None:
    given = {"path": str(large), "maxBytesPerTrigger": "1m", "effective": "true"}
    columns = ("csn",)
    reader = stream_reader(given, columns)
    at: dict[str, Any] = _offset(0, 0)
    for _ in range(4):
        at = reader.latestOffset(at, ReadMaxBytes())
    again = stream_reader(given, columns)
    with counted() as count:
        assert again.latestOffset(json.loads(json.dumps(at)), ReadMaxBytes()) != at
    assert count.number <= 2 << 20


@pytest.mark.parametrize("seed", range(examples(60, short=20)))
def test_a_stream_that_is_begun_again_at_each_offset_has_the_rows_that_one_read_applies(
    seed: int, tmp_path: Path
) -> None:
    """What an offset keeps goes through a checkpoint: copies of what was before are not applied, all else is."""
    random = Random(f"begun again {seed}")
    trail = Eventful(tmp_path, random, is_sound=True)
    columns, given = ("seqno", "rba", "op"), {"path": f"{trail.name}*", "effective": "true"}
    most = str(random.choice((100, 300, 1000)))
    begun = stream_reader(given, columns)
    at, found = begun.initialOffset(), list[Row]()
    while True:
        reader = stream_reader({**given, "maxBytesPerTrigger": most}, columns)
        end = json.loads(json.dumps(reader.latestOffset(at, ReadMaxBytes())))
        if end == at:
            break
        reader = reader if random.random() < 0.5 else stream_reader(given, columns)
        parts = reader.partitions(at, end)
        found += [row for part in parts for batch in reader.read(part) for row in batch.to_pylist()]
        at = end
    applied = [row for row in rows(given["path"], *columns, effective=True) if row["op"] == "Insert"]
    assert [row for row in found if row["op"] == "Insert"] == applied
