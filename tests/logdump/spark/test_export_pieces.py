"""A file exported in pieces, as the tasks of Spark do it: together they are what one export writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa
import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.features.export.target import ExportTally
from logdump.language.reader import Context, parse
from logdump.notation.text import amount
from logdump.session.session import Session
from logdump.spark.jobs import export_pieces as spark_export
from logdump.spark.jobs.export_pieces import ATTEMPTS, ExportJob, TaskOutput, export_all, export_pieces, pieces_of
from tests.logdump.export.rows import table_of
from tests.logdump.filters.test_undecided import Written as Undecided
from tests.logdump.filters.test_undecided import answers, drawn_conditions, written
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random, in_turn, part_of, some_trails
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import ByteOrder, CannotWrite, TrailFile
from trailformat.trail.command_files import one_reading

__all__ = ["written"]

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
FORMATS = ["parquet", "arrow", "csv", "jsonl"] if IS_LONG else ["parquet", "csv"]
OF_RECORDS, OF_TABLES = (in_turn(part_of(FILES, half, 2), FORMATS) for half in (0, 1))
"""In the short form each trail in one of the two."""


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_export, "_LEAST", 600)


class _Tasks:
    """A Spark session whose tasks run here, one after the other."""

    number = 0

    @property
    def sparkContext(self) -> _Tasks:  # noqa: N802 - Spark's name
        return self

    def parallelize(self, items: Sequence[Any], slices: int) -> _Tasks:
        self._partitions: Any = [items[at::slices] for at in range(slices)]
        self.number = slices
        return self

    def mapPartitions(self, work: Callable[[Iterable[Any]], Iterable[Any]]) -> _Tasks:  # noqa: N802 - Spark's name
        self._partitions = [work(part) for part in self._partitions]
        return self

    def collect(self) -> list[Any]:
        return [batch for part in self._partitions for batch in part]


def _job(trail: Path, words: str, folder: Path) -> ExportJob:
    options = parse(REGISTRY.find("EXPORT").form, words, Context())
    return ExportJob(trail, options, Session().settings, None, None, folder)


def _in_pieces(trail: Path, words: str, folder: Path) -> tuple[ExportTally, int]:
    """Export a file in pieces to a folder; returns the counts and how many parts there are."""
    folder.mkdir()
    (folder / ATTEMPTS).mkdir()
    job = _job(trail, words, folder)
    with TrailFile(trail) as open_trail:
        pieces = pieces_of(open_trail, 0, 8)
    tasks = _Tasks()
    written = export_pieces(cast("SparkSession", tasks), job, pieces)
    assert tasks.number == len(pieces)
    return written.tally, written.parts


def _whole(trail: Path, words: str) -> list[str]:
    line = Line()
    told = line(f"open {trail}; export {words}")
    line.session.close()
    return told


def _parts(path: Path) -> list[Path]:
    return sorted(path.iterdir())


def _same(format_: str, whole: Path, parts: list[Path]) -> bool:
    """Whether parts hold what one file holds."""
    if format_ in ("parquet", "arrow"):
        tables = [table_of(part, format_) for part in parts]
        return bool(pa.concat_tables(tables).equals(table_of(whole, format_)))
    heads = 1 if format_ == "csv" else 0
    lines = [part.read_bytes().split(b"\n") for part in parts]
    joined = [*lines[0][:heads], *(line for part in lines for line in part[heads:-1]), b""]
    return joined == whole.read_bytes().split(b"\n")


@pytest.mark.parametrize(("trail", "format_"), OF_RECORDS, ids=lambda parameter: getattr(parameter, "name", None))
def test_records_are_those_of_one_export(format_: str, trail: Path, tmp_path: Path) -> None:
    tally, _ = _in_pieces(trail, f"{format_} to {tmp_path / 'x'}", tmp_path / "parts")
    told = _whole(trail, f"{format_} to {tmp_path / 'whole'}")
    assert f"Exported {amount(tally.rows, 'record')} to {tmp_path / 'whole'}" in told
    assert _same(format_, tmp_path / "whole", _parts(tmp_path / "parts"))


@pytest.mark.parametrize(("trail", "format_"), OF_TABLES, ids=lambda parameter: getattr(parameter, "name", None))
def test_rows_of_tables_are_those_of_one_export(format_: str, trail: Path, tmp_path: Path) -> None:
    _in_pieces(trail, f"{format_} to {tmp_path / 'x'} by table", tmp_path / "parts")
    _whole(trail, f"{format_} to {tmp_path / 'whole'} by table")
    assert [path.name for path in _parts(tmp_path / "parts")] == [path.name for path in _parts(tmp_path / "whole")]
    for file in _parts(tmp_path / "whole"):
        assert _same(format_, file, _parts(tmp_path / "parts" / file.name))


def test_there_are_several_parts_and_each_is_counted(tmp_path: Path) -> None:
    _, records = _in_pieces(TRAILS / "et000000000", f"csv to {tmp_path / 'x'}", tmp_path / "parts")
    assert records == len(_parts(tmp_path / "parts")) > 3
    _, rows = _in_pieces(TRAILS / "et000000000", f"csv to {tmp_path / 'x'} by table", tmp_path / "tables")
    assert rows == sum(len(_parts(path)) for path in _parts(tmp_path / "tables")) > records


def test_the_rows_of_a_table_are_counted_over_its_parts(tmp_path: Path) -> None:
    tally, _ = _in_pieces(TRAILS / "et000000000", f"csv to {tmp_path / 'x'} by table", tmp_path / "parts")
    assert [(file.name, file.layout.name, file.rows) for file in tally.files] == [
        ("TEAHOUSE.TEAS.csv", "TEAHOUSE.TEAS", 11),
        ("TEAHOUSE.SALES.csv", "TEAHOUSE.SALES", 7),
    ]


@pytest.mark.parametrize(
    ("most", "least", "cores", "pieces"),
    [
        (1 << 30, 600, 1, 2),
        (1 << 30, 600, 2, 4),
        (1 << 30, 2800, 8, 1),
        (1 << 30, 2700, 8, 2),
        (1900, 1 << 30, 1, 3),
        (1 << 30, 1 << 30, 8, 1),
    ],
)
def test_there_are_as_many_pieces_as_cores_and_sizes_allow(
    most: int, least: int, cores: int, pieces: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_export, "_MOST", most)
    monkeypatch.setattr(spark_export, "_LEAST", least)
    with TrailFile(TRAILS / "et000000000") as trail:
        found = pieces_of(trail, 0, cores)
        begins = [record.rba for record in trail.records()]
        assert len(found) == pieces
        assert {start for start, _ in found} <= set(begins)
        assert [end for _, end in found] == [start for start, _ in found[1:]] + [trail.size]


def test_pieces_begin_where_the_export_does() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        found = pieces_of(trail, 3391, 8)
        assert found[0][0] == 3391
        assert len(found) > 1
        assert pieces_of(trail, trail.size, 8) == [(trail.size, trail.size)]


def test_no_piece_is_smaller_than_the_least_where_the_export_begins_late() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        assert len(pieces_of(trail, trail.size - 599, 8)) == 1


def test_a_boundary_inside_a_record_is_no_beginning_of_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spark_export, "split_points", lambda _trail, _pieces: [0, 1812])
    with TrailFile(TRAILS / "et000000000") as trail:
        assert pieces_of(trail, 0, 8) == [(0, trail.size)]


def test_a_definition_has_one_folder_whichever_piece_meets_it_first(tmp_path: Path) -> None:
    order = ByteOrder.BIG
    rows = [row(b"\0\0\0\1", 1, order)] * 8
    trail = trail_of(
        tmp_path,
        table_record(1, "TEA.LEAVES", order, columns=1),
        *rows,
        table_record(1, "TEA.LEAVES", order, columns=2),
        *rows * 2,
    )
    _in_pieces(trail, f"parquet to {tmp_path / 'x'} by table", tmp_path / "parts")
    folders = {
        path.name: sum(len(table_of(part, "parquet")) for part in _parts(path)) for path in _parts(tmp_path / "parts")
    }
    assert folders == {"TEA.LEAVES.parquet": 8, "TEA.LEAVES.2.parquet": 16}


def test_what_a_task_cannot_write_is_told_instead_of_raised(tmp_path: Path) -> None:
    job = _job(TRAILS / "et000000000", f"csv to {tmp_path / 'x'}", tmp_path / "gone")
    (written,) = export_all(job, [(0, (0, 9))])
    assert isinstance(written.error, OSError | CannotWrite)


def test_the_error_of_a_task_ends_the_export(tmp_path: Path) -> None:
    job = _job(TRAILS / "et000000000", f"csv to {tmp_path / 'x'}", tmp_path / "gone")
    with pytest.raises(FileNotFoundError):
        export_pieces(cast("SparkSession", _Tasks()), job, [(0, 9)])


def test_two_attempts_at_a_piece_write_to_folders_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ATTEMPTS).mkdir()
    job = _job(TRAILS / "et000000000", f"csv to {tmp_path / 'x'}", tmp_path)
    attempts: list[TaskOutput] = []
    for number in (3, 4):
        context = SimpleNamespace(taskAttemptId=partial(int, number))
        monkeypatch.setattr("pyspark.TaskContext.get", lambda context=context: context)
        attempts += export_all(job, [(0, (0, 1811))])
    assert [output.error for output in attempts] == [None, None]
    assert attempts[0].folder != attempts[1].folder


@pytest.mark.parametrize("case", range(6))
def test_what_a_filter_cannot_decide_in_tasks_is_told(case: int, written: Undecided, tmp_path: Path) -> None:
    conditions = drawn_conditions(Random(f"left out {case}"))
    undecided = [rba for rba, answer in answers(written, conditions, is_all=False).items() if answer is None]
    line = Line()
    line(f"open {written.path}; {'; '.join(f'filter {condition.text}' for condition in conditions)}; filter match any")
    (folder := tmp_path / "rows").mkdir()
    (folder / ATTEMPTS).mkdir()
    job = _job(written.path, f"jsonl to {folder}", folder)._replace(filters=line.session.filters_in_use)
    pieces = pieces_of(line.session.trail, 0, 8)
    with one_reading() as files:
        export_pieces(cast("SparkSession", _Tasks()), job, pieces).note(written.path)
    line.session.close()
    assert files.undecided.get(written.path) == ((undecided[0], undecided[-1]) if undecided else None)
