"""What a task of SAVE writes, without Spark: what SAVE in line mode writes; rolled, each file stands alone."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.session import passing
from logdump.spark.write import publish as publishing
from logdump.spark.write import save as saving
from logdump.spark.write.publish import StagedFile
from logdump.spark.write.save import Job, SliceFailure, save_lots
from logdump.spark.write.target import JobFolder, Mode, Target
from logdump.tables.errors import BadTrail
from logdump.tables.options import Use, parse_options
from logdump.tables.planner import plan
from logdump.tables.slice import Slice
from tests.logdump.line import Line
from tests.logdump.spark.written import body, meant_rows, paths_of
from tests.logdump.stores.conftest import _apart, put, s3, s3_server  # noqa: F401 - fixtures
from tests.logdump.stores.servers import CREDENTIALS
from tests.searching import in_turn, some_trails
from trailformat import CannotWrite, TrailFile, TrailWriter
from trailformat.scan import parallel, scan

DAMAGED = "fcgmw"
"""The first letters of the fixtures that are damaged, or lack a definition."""
FILES = some_trails((path for path in TRAILS.iterdir() if path.name[0] not in DAMAGED), __name__)
FILTERS = [None, "rectype insert", "filename *sales", "exclude rectype metadata", "transind last", "csn > 1"]
BY_NAME: dict[str, Any] = {"ids": lambda parameter: getattr(parameter, "name", None)}


def _outcome(
    path: Path, tmp_path: Path, *, max_bytes: int | None = None, threads: int = 1, **given: str
) -> list[StagedFile] | SliceFailure:
    options = parse_options({"path": str(path), "maxPartitionBytes": "0", **given}, Use.READ)
    job = Job(JobFolder(tmp_path / "job"), options, max_bytes, threads=threads)
    lots: list[list[Slice]] = [[part for lot in plan(options) for part in lot]]
    [outcome] = save_lots(job, 0, lots)
    return outcome


def _saved(path: Path, tmp_path: Path, **given: Any) -> list[StagedFile]:
    outcome = _outcome(path, tmp_path, **given)
    assert isinstance(outcome, list)
    return outcome


def _filtered(where: str | None) -> dict[str, str]:
    """Options that leave out, as line mode does, a change of which the filter cannot tell."""
    return {"where": where, "mode": "DROPMALFORMED"} if where else {}


def _by_line_mode(path: Path, where: str | None, target: Path) -> bytes:
    line = Line()
    line(f"open {path}")
    if where:
        line(f"filter {where}")
    line(f"save {target}")
    line.session.close()
    return body(target) if target.exists() else b""


@pytest.mark.parametrize(
    ("path", "where"), in_turn(FILES, FILTERS), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_the_records_are_those_of_save_in_line_mode(path: Path, where: str | None, tmp_path: Path) -> None:
    parts = _saved(path, tmp_path, **_filtered(where))
    by_line_mode = _by_line_mode(path, where, tmp_path / "xx000000000")
    assert b"".join(body(file) for file in paths_of(parts)) == by_line_mode


@pytest.mark.parametrize(
    ("path", "max_bytes_and_where"), in_turn(FILES, product([1, 3000], [None, "filename *sales"])), **BY_NAME
)
def test_files_that_are_rolled_stand_alone(
    path: Path, max_bytes_and_where: tuple[int, str | None], tmp_path: Path
) -> None:
    max_bytes, where = max_bytes_and_where
    given = _filtered(where)
    whole = paths_of(_saved(path, tmp_path / "whole", **given))
    rolled = paths_of(_saved(path, tmp_path / "rolled", max_bytes=max_bytes, **given))
    assert meant_rows(*rolled) == meant_rows(*whole)


def test_bounds_on_the_place_hold(tmp_path: Path) -> None:
    path = TRAILS / "st000000000"
    rows = meant_rows(path)
    parts = _saved(TRAILS / "st*", tmp_path, endSeqno="0", where="exclude rectype metadata")
    assert meant_rows(*paths_of(parts)) == rows


def _in_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have small files scanned by threads in pieces, whose borders are in the middle of what is read."""
    monkeypatch.setattr(parallel, "PIECE", 700)
    monkeypatch.setattr(passing, "BATCH_SIZE", 4)
    monkeypatch.setattr(saving, "cores", lambda: 3)


@pytest.mark.parametrize(
    ("path", "max_bytes_and_where"),
    in_turn(
        some_trails(TRAILS.glob("*0*"), __name__),
        product([None, 3000], [None, "filename *sales", "csn > 1", "rectype insert"]),
    ),
    **BY_NAME,
)
def test_threads_write_the_same_files(
    path: Path, max_bytes_and_where: tuple[int | None, str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a file that grows on too, and with the same damage; the header has the path, so both are as long."""
    max_bytes, where = max_bytes_and_where
    given: dict[str, Any] = {"max_bytes": max_bytes, **({"where": where} if where else {})}
    alone = _outcome(path, tmp_path / "alone", **given)
    _in_threads(monkeypatch)
    together = _outcome(path, tmp_path / "three", threads=3, **given)
    if isinstance(alone, SliceFailure):
        assert isinstance(together, SliceFailure)
        assert str(together.error) == str(alone.error)
        return
    assert isinstance(together, list)
    assert [body(file) for file in paths_of(together)] == [body(file) for file in paths_of(alone)]
    assert [part[1:3] for part in together] == [part[1:3] for part in alone]


@pytest.mark.parametrize("kind", ["packed", "in a store"])
def test_threads_read_packed_files_and_stores_too(
    kind: str,
    s3_server: str,  # noqa: F811
    s3: str,  # noqa: F811
    put: Callable[[str, bytes], None],  # noqa: F811
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name, data = "et000000000", (TRAILS / "et000000000").read_bytes()
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(data))
    put(f"{s3}/dirdat/{name}", data)
    path = str(tmp_path / f"{name}.gz") if kind == "packed" else f"{s3}/dirdat/{name}"
    _in_threads(monkeypatch)
    given = {"endpoint_url": s3_server, "key": CREDENTIALS["AWS_ACCESS_KEY_ID"]}
    store = json.dumps(given | {"secret": CREDENTIALS["AWS_SECRET_ACCESS_KEY"]})
    options = parse_options({"path": path, "maxPartitionBytes": "0", "storageOptions": store}, Use.READ)
    [outcome] = save_lots(Job(JobFolder(tmp_path / "job"), options, None, threads=3), 0, plan(options))
    assert isinstance(outcome, list)
    assert [body(file) for file in paths_of(outcome)] == [body(TRAILS / name)]


@pytest.mark.parametrize("where", [None, "filename *sales"])
def test_threads_stop_where_the_file_ended_when_it_was_planned(
    where: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes((TRAILS / "et000000000").read_bytes())
    options = parse_options({"path": str(path), **({"where": where} if where else {})}, Use.READ)
    with TrailFile(path) as trail:
        rbas = [int(rba) for batch in scan(trail) for rba in batch.rba]
    lots = [[part._replace(stop=rbas[-3], size=rbas[-3]) for lot in plan(options) for part in lot]]
    saved = []
    for threads in (1, 3):
        [outcome] = save_lots(Job(JobFolder(tmp_path / f"job{threads}"), options, None, threads=threads), 0, lots)
        assert isinstance(outcome, list)
        saved.append([body(file) for file in paths_of(outcome)])
        _in_threads(monkeypatch)
    assert saved[0] == saved[1]


@pytest.mark.parametrize("name", ["ft000000000", "gt000000000"])
def test_damage_is_told_with_its_place(name: str, tmp_path: Path) -> None:
    outcome = _outcome(TRAILS / name, tmp_path)
    assert isinstance(outcome, SliceFailure)
    assert isinstance(outcome.error, BadTrail)
    assert f"{name}, seqno 0, RBA " in str(outcome.error)


def test_the_last_record_of_a_trail_may_be_half_written(tmp_path: Path) -> None:
    parts = _saved(TRAILS / "ct000000000", tmp_path)
    cut = body(TRAILS / "ct000000000")
    saved = body(parts[0].path)
    assert saved == cut[: len(saved)]
    assert 0 < len(saved) < len(cut)


def test_a_record_in_the_middle_of_a_trail_may_not(tmp_path: Path) -> None:
    for name, source in (("lt000000000", "ct000000000"), ("lt000000001", "et000000000")):
        (tmp_path / name).write_bytes((TRAILS / source).read_bytes())
    outcome = _outcome(tmp_path / "lt*", tmp_path)
    assert isinstance(outcome, SliceFailure)
    assert "lt000000000, seqno 0, RBA " in str(outcome.error)


def test_no_file_is_made_where_nothing_passes(tmp_path: Path) -> None:
    assert _saved(TRAILS / "et000000000", tmp_path, where="filename no.such") == []
    assert not (tmp_path / "job").exists()


def test_the_report_counts_rows_and_bytes(tmp_path: Path) -> None:
    path = TRAILS / "et000000000"
    [part] = _saved(path, tmp_path, where="rectype insert")
    assert part.source == str(path)
    assert part.bytes == Path(part.path).stat().st_size
    assert part.records == len(meant_rows(part.path))


def test_a_file_is_not_written_again_for_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FileName in its header is as long from the beginning as it will be."""
    monkeypatch.setattr(publishing, "_write_again", None)
    target = Target(tmp_path / "a folder with a name of its own", None)
    options = parse_options({"path": str(TRAILS / "st000000000"), "maxPartitionBytes": "0"}, Use.READ)
    folder = JobFolder(target.directory / "_temporary-1")
    folder.make()
    [parts] = save_lots(Job(folder, options, None, target), 0, plan(options))
    assert isinstance(parts, list)
    [saved] = publishing.publish(folder, target, Mode.ERROR, parts)
    assert saved.file == str(target.directory / "st000000000")
    assert body(saved.file) == body(TRAILS / "st000000000")


def test_a_full_disk_in_a_task_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TrailWriter, "_grow", full)
    outcome = _outcome(TRAILS / "st000000000", tmp_path)
    assert isinstance(outcome, SliceFailure)
    assert isinstance(outcome.error, CannotWrite)
    assert "No space left on device" in str(outcome.error)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
