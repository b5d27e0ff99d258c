"""Options ``effective`` and ``endings``: the rows that a Replicat applies, and others told, whatever the slices.

A stream gives the rows of a batch, however the trail grows, wherever batches end and whatever is restarted.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.flavour import MYSQL_21
from logdump.features.recovery.model import CutShown
from logdump.spark.stream import stream_reader as stream_reader_module
from tests.logdump.line import Line
from tests.logdump.spark.test_changes import changes_in
from tests.logdump.tables.reads import Row, closed_places, rows, stream_reader
from tests.searching import IS_LONG, Random, in_turn
from tests.simulated.recovery import Kill, RecoveringExtract, append_recovery, killed_recovery, rebuilt
from tests.simulated.source import Source
from trailformat import TrailFile
from trailformat.transactions import not_applied

TRAIL = str(TRAILS / "at00000000*")
LEFT_OUT = {("at000000000", 2722), ("at000000000", 2913), ("at000000000", 3939), ("at000000002", 2363)}


def _places(**options: str) -> set[tuple[str, int]]:
    return {(row["file"].rpartition("/")[2], row["rba"]) for row in rows(TRAIL, "file", "rba", **options)}


@pytest.mark.parametrize("size", ["0", "500", "128m"])
def test_rows_that_are_cut_or_open_are_left_out(size: str) -> None:
    every, effective = _places(), _places(effective="true", maxPartitionBytes=size)
    assert effective < every
    assert every - effective >= LEFT_OUT
    assert len(every - effective) == 5


def test_the_trail_is_looked_at_as_a_whole_where_one_file_is_read() -> None:
    alone = rows(TRAILS / "at000000001", "rba", effective="true")
    assert len(alone) == len(rows(TRAILS / "at000000001", "rba"))


def test_the_summary_counts_what_is_left() -> None:
    def records(**options: str) -> int:
        return sum(row["records"] for row in rows(TRAIL, "op", "records", summary="true", **options))

    assert records() - records(effective="true") == 5


@pytest.mark.parametrize("size", ["500", "128m"])
def test_endings_tell_of_each_row_whether_effective_keeps_it(size: str) -> None:
    told = rows(TRAIL, "file", "rba", "is_effective", endings="true", maxPartitionBytes=size)
    left_out = {(row["file"].rpartition("/")[2], row["rba"]) for row in told if row["is_effective"] is False}
    assert left_out == _places() - _places(effective="true")


@pytest.mark.parametrize("seed", [0, 1, 6])
def test_endings_are_those_that_recovery_tells(line: Line, tmp_path: Path, seed: int) -> None:
    path = killed_recovery(tmp_path, seed, MYSQL_21).paths[0]
    line(f"open {path}; recovery cut")
    cut = [event.cut for event in line.events if isinstance(event, CutShown)]
    assert cut
    told = rows(path.parent, "csn", "xid", "ended", "cut", endings="true")
    assert Counter((row["csn"], row["xid"], row["ended"]) for row in told if row["cut"]) == Counter(
        key for ref in cut for key in [(ref.csn, ref.xid, ref.ended.value)] * ref.records
    )


def test_of_what_is_no_row_nothing_is_known() -> None:
    told = rows(TRAIL, "op", "ended", "cut", "is_effective", endings="true")
    outside = {row["op"] for row in told if row["ended"] is None}
    assert outside == {"FileHeader", "Metadata", "RestartAbend", "RestartOK"}
    assert {(row["cut"], row["is_effective"]) for row in told if row["op"] in outside} == {(None, None)}


def test_a_copy_ended_as_it_should_and_is_not_applied(tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"zz00000000{number}").write_bytes((TRAILS / "et000000000").read_bytes())
    told = rows(tmp_path / "zz000000001", "ended", "cut", "is_effective", endings="true")
    known = {tuple(row.values()) for row in told if row["ended"] is not None}
    assert known == {("last", False, False)}


def test_endings_that_are_not_read_cost_no_look_at_the_trail(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(not_applied, "NotApplied")
    assert rows(TRAIL, "rba", endings="true") == rows(TRAIL, "rba")


class ReadMaxBytes:
    """As Spark's class of this name."""


class Stream:
    """A stream over a trail that grows, stopped and started; ``rows`` is what came; ``restarts``: a chance."""

    def __init__(self, folder: Path, random: Random, *columns: str, **given: str) -> None:
        self.rows: list[Row] = []
        self._given = {"path": str(folder), "effective": "true", **given}
        self._columns = columns
        self._random = random
        self._folder = folder
        self._at: Any = None
        self.restarts: float = random.choice((0, 0.3, 1))
        self._start()

    def _start(self) -> None:
        self._reader: Any = stream_reader(self._given, self._columns)
        if self._at is None:
            self._at = self._reader.initialOffset()

    def go_on(self) -> None:
        """Take what there is, in batches as small as the options say; a batch may come again after a restart."""
        while (end := self._reader.latestOffset(self._at, ReadMaxBytes())) != self._at:
            begin, self._at = json.loads(json.dumps(self._at)), json.loads(json.dumps(end))
            assert end["rba"] in {0, *closed_places(self._folder / f"lt{end['seqno']:09d}")}
            if self._random.random() < self.restarts:
                self._start()
            for part in self._reader.partitions(begin, self._at):
                for batch in self._reader.read(part):
                    self.rows += batch.to_pylist()
            if self._random.random() < self.restarts:
                self._start()


def _grown(paths: list[Path], folder: Path, random: Random) -> Iterator[None]:
    """The trail of these files, written once more, a little at a time."""
    for number, path in enumerate(paths):
        data, done = path.read_bytes(), 0
        while done < len(data):
            size = random.choice((37, 400, 3000, len(data)))
            with (folder / f"lt{number:09d}").open("ab") as file:
                file.write(data[done : done + size])
            done += size
            yield


@pytest.mark.parametrize(("seed", "make"), in_turn(range(6), [append_recovery, lambda *given: rebuilt(*given).extract]))
def test_a_stream_gives_what_a_replicat_applies(make: Any, seed: int, tmp_path: Path) -> None:
    random, columns = Random(seed), ("seqno", "rba", "op", "csn", "xid")
    (tmp_path / "made").mkdir()
    paths = make(tmp_path / "made", random, MYSQL_21).paths
    limit = random.choice(({}, {"maxBytesPerTrigger": "700"}, {"maxTransactionsPerTrigger": "2"}))
    size, trail = random.choice(("300", "0", "128m")), tmp_path / "dirdat"
    trail.mkdir()
    (trail / "lt000000000").touch()
    stream = Stream(trail, random, *columns, maxPartitionBytes=size, **limit)
    for _ in _grown(paths, trail, random):
        stream.go_on()
    assert stream.rows == rows(trail, *columns, effective="true")


@pytest.mark.parametrize("rolls", [False, True])
def test_a_transaction_that_another_has_overtaken_is_left_out_after_a_restart(rolls: bool, tmp_path: Path) -> None:
    """The batch ends where the other begins; what a restart reads of the batch alone does not tell that it ended."""
    random, trail, made = Random(rolls), tmp_path / "dirdat", tmp_path / "made"
    made.mkdir()
    trail.mkdir()
    (trail / "lt000000000").touch()
    source, extract = Source(random, MYSQL_21.teas), RecoveringExtract(made, random, MYSQL_21, roll_chance=0)
    changes = max((source.transaction() for _ in range(8)), key=len)
    extract.begin()
    for records in (1, len(changes) - 1, 1):
        extract.fail(changes, Kill(records, rolls=rolls, marker=None))
    extract.rows(changes, len(changes))
    extract.close()
    stream = Stream(trail, random, "seqno", "rba")
    stream.restarts = 1
    for number, path in enumerate(extract.paths):
        with TrailFile(path) as file:
            ends = [record.rba + record.length for record in file.records()]
        for start, end in pairwise([0, *ends]):
            with (trail / f"lt{number:09d}").open("ab") as copy:
                copy.write(path.read_bytes()[start:end])
            stream.go_on()
    assert stream.rows == rows(trail, "seqno", "rba", effective="true")


def test_an_offset_that_would_be_too_long_is_none_of_the_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A restart then goes over the files before it."""
    monkeypatch.setattr(stream_reader_module, "_MOST_XIDS", 0)
    (tmp_path / "made").mkdir()
    paths, trail = rebuilt(tmp_path / "made", Random(1), MYSQL_21).extract.paths, tmp_path / "dirdat"
    trail.mkdir()
    (trail / "lt000000000").touch()
    stream = Stream(trail, Random(1), "seqno", "rba", maxBytesPerTrigger="700")
    for _ in _grown(paths, trail, Random(1)):
        stream.go_on()
    assert stream.rows == rows(trail, "seqno", "rba", effective="true")


@pytest.mark.parametrize("seed", range(3 if IS_LONG else 2))
def test_changes_of_a_stream_are_those_that_a_replicat_applies(seed: int, tmp_path: Path) -> None:
    random, trail = Random(seed), tmp_path / "dirdat"
    (tmp_path / "made").mkdir()
    trail.mkdir()
    paths = rebuilt(tmp_path / "made", random, MYSQL_21).extract.paths
    shutil.copy(paths[0], trail / "lt000000000")
    given = {"changesOf": "teahouse.teas", "maxBytesPerTrigger": "900"}
    stream = Stream(trail, random, **given)
    for number, path in enumerate(paths):
        shutil.copy(path, trail / f"lt{number:09d}")
        stream.go_on()
    applied = changes_in(trail, "teahouse.teas", effective="true")
    assert sorted(stream.rows, key=_sequence) == sorted(applied, key=_sequence)
    assert len(applied) < len(changes_in(trail, "teahouse.teas"))


def _sequence(row: Row) -> Any:
    return row["_sequence"]
