"""One task's rows of a DataFrame become files that stand alone."""

from __future__ import annotations

from itertools import pairwise, permutations
from pathlib import Path

import pyarrow as pa
import pytest

from fixtures import TRAILS
from logdump.spark.write.publish import PartFiles, StagedFile
from logdump.spark.write.row_sources import NoRecord, SourceUnknown
from logdump.spark.write.target import Target, TargetRefused
from logdump.spark.write.writer import FrameWriting, NotInOrder, RowStretch, TaskResult, WriteColumns, ordered
from tests.logdump.spark.written import body, frame, header, meant_rows, paths_of, write_frame
from tests.searching import Random, examples, in_turn, some_trails
from trailformat import TrailFile

DAMAGED = "fcgmw"
"""The first letters of the fixtures that are damaged, or lack a definition."""
FILES = some_trails((path for path in TRAILS.iterdir() if path.name[0] not in DAMAGED), __name__)
WITH_HEADER = [path for path in FILES if path.name[0] != "n"]
BY_NAME = {"ids": lambda path: path.name}
WITH_REFERENCE = [path for path in FILES if path.name[0] == "r"]


@pytest.mark.parametrize(
    ("path", "rows"), in_turn(FILES, [1, 3, 10_000]), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_everything_that_is_read_is_written_byte_for_byte(path: Path, rows: int, tmp_path: Path) -> None:
    _, parts = write_frame(frame(path, batchRows=rows), tmp_path / "out")
    assert b"".join(body(file) for file in paths_of(parts)) == body(path)


@pytest.mark.parametrize(
    "path", [path for path in WITH_HEADER if path not in WITH_REFERENCE], ids=lambda path: path.name
)
def test_raw_alone_suffices_when_header_and_definitions_are_among_the_rows(path: Path, tmp_path: Path) -> None:
    _, parts = write_frame(frame(path, "raw", batchRows=2), tmp_path / "out")
    assert b"".join(body(file) for file in paths_of(parts)) == body(path)


@pytest.mark.parametrize(
    ("path", "where"),
    in_turn(FILES, ["exclude rectype metadata", "filename *sales", "rectype insert", "transind last"]),
    ids=lambda parameter: getattr(parameter, "name", None),
)
def test_filtered_rows_keep_their_names_and_definitions(path: Path, where: str, tmp_path: Path) -> None:
    some = frame(path, where=where, batchRows=2, mode="DROPMALFORMED")
    if not some:
        return
    _, parts = write_frame(some, tmp_path / "out")
    kept = [bytes(value) for batch in some for value in batch.column("raw").to_pylist()]
    assert meant_rows(*paths_of(parts)) == [row for row in meant_rows(path) if row.raw in kept]
    assert sum(part.records for part in parts) == sum(1 for value in kept if value[:1] != b"F")


@pytest.mark.parametrize(
    ("path", "max_bytes"), in_turn(FILES, [1, 2500, 4000]), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_a_full_file_is_followed_by_one_that_stands_alone_too(path: Path, max_bytes: int, tmp_path: Path) -> None:
    _, parts = write_frame(frame(path), tmp_path / "out", max_bytes)
    assert meant_rows(*paths_of(parts)) == meant_rows(path)
    heads = [file.stat().st_size - len(body(file)) for file in paths_of(parts)]
    rows = [len(meant_rows(file)) for file in paths_of(parts)]
    for part, head, count in zip(parts, heads, rows, strict=True):
        assert part.bytes <= max_bytes or count <= 1 or part.bytes - head <= max_bytes


def test_each_source_has_a_file_and_a_header_of_its_own(tmp_path: Path) -> None:
    some = frame(TRAILS / "st*")
    _, parts = write_frame(some, tmp_path / "out")
    assert [part.source for part in parts] == [str(TRAILS / "st000000000"), str(TRAILS / "st000000001")]
    assert [body(path) for path in paths_of(parts)] == [body(TRAILS / "st000000000"), body(TRAILS / "st000000001")]


def test_filtered_rows_of_several_sources_go_to_files_of_their_own(tmp_path: Path) -> None:
    _, parts = write_frame(frame(TRAILS / "st*", where="filename *sales"), tmp_path / "out")
    kept = [row for row in meant_rows(TRAILS / "st000000000", TRAILS / "st000000001") if row.name.endswith("SALES")]
    assert meant_rows(*paths_of(parts)) == kept
    assert len(parts) == 2


def test_the_header_tells_where_the_new_file_begins(tmp_path: Path) -> None:
    path = TRAILS / "et000000000"
    _, parts = write_frame(frame(path, where="rectype insert"), tmp_path / "out")
    new, old = header(parts[0].path), header(path)
    assert new.get("TrailInfo", "FirstCSN") is not None
    assert new.get("TrailInfo", "LastCSN") is None
    assert new.get("DatabaseInfo", "Name") == old.get("DatabaseInfo", "Name")


def _reversed(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.take(pa.array(range(batch.num_rows - 1, -1, -1)))


def test_rows_out_of_order_are_refused_with_the_cure(tmp_path: Path) -> None:
    [batch] = frame(TRAILS / "et000000000")
    with pytest.raises(
        NotInOrder, match=r'et000000000, seqno 0: RBA \d+ comes after .*sortWithinPartitions\("seqno", "rba"\)'
    ):
        write_frame([_reversed(batch)], tmp_path / "out")


def test_rows_out_of_order_are_refused_without_the_file_too(tmp_path: Path) -> None:
    [batch] = frame(TRAILS / "et000000000", "seqno", "rba", "raw")
    order = [0, 2, 1]
    with pytest.raises(NotInOrder, match="seqno 0: RBA"):
        write_frame([batch.take(pa.array(order))], tmp_path / "out")


@pytest.mark.parametrize("columns", [("file", "rba", "raw"), ("seqno", "rba", "raw")])
def test_rows_are_written_if_each_is_after_the_one_before_in_its_batch_or_the_former(
    columns: tuple[str, ...], tmp_path: Path
) -> None:
    """Drawn: in order, with a row twice, with two that changed places, with one that comes again; cut in batches."""
    random = Random(" ".join(columns))
    [whole] = frame(TRAILS / "et000000000", *columns)
    with TrailFile(TRAILS / "et000000000") as trail:
        rows_of_tables = [place for place, record in enumerate(trail.records()) if place > 3 and not record.is_metadata]
    for number in range(examples(60)):
        order = list(range(1, whole.num_rows))
        kind = random.choice(("whole", "twice", "swapped", "again"))
        at = random.choice([place for place in rows_of_tables[:-1] if place + 1 in rows_of_tables]) - 1
        if kind == "twice":
            order.insert(at, order[at])
        elif kind == "swapped":
            order[at], order[at + 1] = order[at + 1], order[at]
        elif kind == "again":
            order.append(order[at])
        rows = whole.take(pa.array([0, *order]))
        cuts = [0, *sorted(random.sample(range(1, rows.num_rows), 3)), rows.num_rows]
        some = [rows.slice(first, stop - first) for first, stop in pairwise(cuts)]
        if kind == "whole":
            _, parts = write_frame(some, tmp_path / str(number))
            assert b"".join(body(path) for path in paths_of(parts)) == body(TRAILS / "et000000000")
        else:
            with pytest.raises(NotInOrder, match=r"RBA \d+ comes after RBA \d+"):
                write_frame(some, tmp_path / str(number))


def test_a_source_that_comes_again_is_refused(tmp_path: Path) -> None:
    first, second = frame(TRAILS / "st*", batchRows=10_000)
    with pytest.raises(NotInOrder, match="are not consecutive"):
        write_frame([first.slice(0, 5), second, first.slice(5)], tmp_path / "out")


@pytest.mark.parametrize(
    ("columns", "where"),
    [(("raw",), "rectype insert"), (("rba", "raw"), "rectype insert"), (("seqno", "rba", "raw"), "rectype insert")],
)
def test_rows_without_header_and_file_are_refused_with_the_cure(
    columns: tuple[str, ...], where: str, tmp_path: Path
) -> None:
    some = frame(TRAILS / "et000000000", *columns, where=where)
    with pytest.raises(SourceUnknown, match=r'select\("file", "seqno", "rba", "raw"\)'):
        write_frame(some, tmp_path / "out")


def test_rows_without_their_definition_are_refused_with_the_cure(tmp_path: Path) -> None:
    [batch] = frame(TRAILS / "et000000000", "raw")
    [ops] = frame(TRAILS / "et000000000", "op_code")
    without = batch.filter(pa.compute.not_equal(ops.column(0), 170).fill_null(True))
    with pytest.raises(SourceUnknown, match="table index 1 is defined in no row before"):
        write_frame([without], tmp_path / "out")


@pytest.mark.parametrize("path", WITH_REFERENCE, ids=lambda path: path.name)
def test_a_reference_among_the_rows_needs_the_file(path: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceUnknown, match="refers to an earlier table definition"):
        write_frame(frame(path, "raw"), tmp_path / "out")


def test_a_row_without_a_file_is_refused(tmp_path: Path) -> None:
    [batch] = frame(TRAILS / "et000000000")
    batch = batch.set_column(0, "file", pa.nulls(batch.num_rows, pa.string()))
    with pytest.raises(SourceUnknown, match="a row has no file"):
        write_frame([batch], tmp_path / "out")


@pytest.mark.parametrize(
    "value", [None, b"", b"G", b"hello", b"G\x01\x00\x08Z\x01\x00\x08", b"F\x00\x00\x0c0123Z\x00\x00\x0d"]
)
def test_what_is_no_record_is_refused(value: bytes | None, tmp_path: Path) -> None:
    good = frame(TRAILS / "et000000000", "raw")[0].column(0)[0].as_py()
    batch = pa.RecordBatch.from_pydict({"raw": pa.array([good, value], pa.binary())})
    with pytest.raises(NoRecord, match="row 1 of a batch"):
        write_frame([batch], tmp_path / "out")


def test_nothing_is_made_for_no_rows(tmp_path: Path) -> None:
    [batch] = frame(TRAILS / "et000000000")
    _, parts = write_frame([batch.slice(0, 0)], tmp_path / "out")
    assert parts == []
    assert not (tmp_path / "out").exists()


def test_nothing_is_made_for_a_file_header_alone(tmp_path: Path) -> None:
    _, parts = write_frame(frame(TRAILS / "ht000000000"), tmp_path / "out")
    assert parts == []
    assert not (tmp_path / "out").exists()


def test_a_source_in_the_target_is_refused(tmp_path: Path) -> None:
    files = PartFiles(lambda: tmp_path, None)
    writing = FrameWriting(WriteColumns(3, 0, 1, 2), files, Target(TRAILS, None))
    with pytest.raises(TargetRefused, match="is being read"):
        writing.add(frame(TRAILS / "et000000000")[0])


def _result(*stretches: tuple[str | None, int, int, int]) -> TaskResult:
    """What a task has written: stretches of rows, each with its file, its RBAs and its number of new files."""
    names = [f"{file}:{first}.{part}" for file, first, _, parts in stretches for part in range(parts)]
    return TaskResult([StagedFile(name, None, 1, 1) for name in names], [RowStretch(*some) for some in stretches])


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_new_files_are_in_the_order_of_their_sources_whichever_task_wrote_them(order: tuple[int, ...]) -> None:
    tasks = [
        _result(("/d/lt000000000", 900, 999, 1), ("/d/lt000000002", 0, 40, 1)),
        _result(("/d/lt000000000", 0, 500, 2), ("/d/lt000000001", 700, 800, 1)),
        _result(("/d/lt000000001", 10, 600, 1), ("/d/lt000000000", 501, 899, 1)),
    ]
    numbers = [(0, 0), (0, 0), (0, 501), (0, 900), (1, 10), (1, 700), (2, 0)]
    found = [part.path.rpartition(".")[0] for part in ordered([tasks[number] for number in order])]
    assert found == [f"/d/lt{file:09d}:{first}" for file, first in numbers]


def test_rows_of_a_file_that_two_tasks_have_among_each_other_are_refused() -> None:
    with pytest.raises(NotInOrder, match="interleaved"):
        ordered([_result(("/d/lt000000000", 0, 500, 1)), _result(("/d/lt000000000", 500, 600, 1))])


def test_without_sources_new_files_are_in_the_order_of_the_tasks() -> None:
    tasks = [_result((None, 900, 999, 1)), _result((None, 0, 5, 1)), _result((None, 50, 60, 1))]
    assert [part.path for part in ordered(tasks)] == ["None:900.0", "None:0.0", "None:50.0"]
