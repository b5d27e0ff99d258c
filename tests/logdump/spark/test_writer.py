"""``df.write.format("trail")`` and INSERT: what was read comes out again, in order, once, or not at all.

SAVE as a Spark job: files in the order of their sources, nothing in between that anybody sees.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import AnalysisException, PythonException
from pyspark.sql import functions

from fixtures import TRAILS
from logdump.spark.write.save import save
from logdump.spark.write.target import TargetRefused
from logdump.tables.errors import BadOption, BadTrail, NoTrailFiles
from tests.logdump.spark.written import body, header, meant_rows, trail_files
from tests.logdump.tables.reads import table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


pytestmark = pytest.mark.spark

SAMPLE = TRAILS / "et000000000"
SAME = ("op", "table", "time", "csn", "xid", "before", "after", "raw")
"""Columns that do not tell the place of a record."""


def _sources(tmp_path: Path, files: int) -> Path:
    """A trail of so many files."""
    directory = tmp_path / "dirdat"
    directory.mkdir()
    for number in range(files):
        (directory / f"lt{number + 40:09d}").write_bytes((TRAILS / f"st00000000{number % 2}").read_bytes())
    return directory


def test_everything_of_a_trail(spark: SparkSession, tmp_path: Path) -> None:
    source, out = _sources(tmp_path, 5), tmp_path / "out"
    saved = save(spark, source, out)
    assert [saved_file.source for saved_file in saved] == [str(path) for path in trail_files(source)]
    assert [saved_file.file for saved_file in saved] == [str(out / f"lt{number:09d}") for number in range(5)]
    assert [body(saved_file.file) for saved_file in saved] == [body(path) for path in trail_files(source)]
    assert sorted(path.name for path in out.iterdir()) == [
        "_SUCCESS",
        *(Path(saved_file.file).name for saved_file in saved),
    ]
    assert table(out, *SAME, where="exclude rba 0").equals(table(source, *SAME, where="exclude rba 0"))


def test_the_real_trail(spark: SparkSession, evidence: Path, tmp_path: Path) -> None:
    [saved] = save(spark, evidence / "tr000000000", tmp_path / "out")
    assert body(saved.file) == body(evidence / "tr000000000")


def test_a_filter_and_a_size(spark: SparkSession, tmp_path: Path) -> None:
    source = _sources(tmp_path, 2)
    saved = save(spark, [source / "lt000000040", source / "lt000000041"], tmp_path / "out", where="filename *sales")
    kept = [row for row in meant_rows(*trail_files(source)) if row.name.upper().endswith("SALES")]
    assert meant_rows(*(saved_file.file for saved_file in saved)) == kept
    assert kept


def test_a_first_file_beside_the_source(spark: SparkSession, tmp_path: Path) -> None:
    source = _sources(tmp_path, 2)
    saved = save(spark, source / "lt*", source / "rt000007")
    assert [Path(saved_file.file).name for saved_file in saved] == ["rt000007", "rt000008"]
    assert sorted(path.name for path in source.iterdir()) == ["lt000000040", "lt000000041", "rt000007", "rt000008"]


def test_appending_and_overwriting(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    save(spark, SAMPLE, out)
    save(spark, SAMPLE, out, mode="append")
    assert [path.name for path in trail_files(out)] == ["et000000000", "et000000001"]
    with pytest.raises(TargetRefused, match="is not empty"):
        save(spark, SAMPLE, out)
    save(spark, TRAILS / "st000000000", out, mode="overwrite")
    assert [path.name for path in trail_files(out)] == ["st000000000"]


def test_nothing_that_passes(spark: SparkSession, tmp_path: Path) -> None:
    assert save(spark, SAMPLE, tmp_path / "out", where="filename no.such") == []
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["_SUCCESS"]


def test_damage_ends_it_and_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    source = _sources(tmp_path, 3)
    (source / "lt000000041").write_bytes((TRAILS / "gt000000000").read_bytes())
    with pytest.raises(BadTrail, match=r"lt000000041, seqno 41, RBA \d+: "):
        save(spark, source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(NoTrailFiles):
        save(spark, tmp_path / "none*", tmp_path / "out")
    with pytest.raises(BadOption, match="did you mean where"):
        save(spark, SAMPLE, tmp_path / "out", wher="x")
    with pytest.raises(BadOption, match="option columns is not for save"):
        save(spark, SAMPLE, tmp_path / "out", columns="raw")
    with pytest.raises(TargetRefused, match="is being read"):
        save(spark, SAMPLE, SAMPLE.with_name("et000000009"))
    assert list(tmp_path.iterdir()) == []


"""Columns that do not tell the place of a record."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A trail of four files."""
    directory = tmp_path / "dirdat"
    directory.mkdir()
    for number in range(4):
        (directory / f"lt{number:09d}").write_bytes((TRAILS / f"st00000000{number % 2}").read_bytes())
    return directory


def _read(spark: SparkSession, source: Path, **options: str) -> DataFrame:
    return spark.read.format("trail").options(**{"columns": "all", **options}).load(str(source))


def _write(frame: DataFrame, out: Path, mode: str = "append", **options: str) -> list[Path]:
    frame.write.format("trail").mode(mode).options(**options).save(str(out))
    return trail_files(out) if out.is_dir() else []


@pytest.mark.parametrize("options", [{}, {"maxPartitionBytes": "0"}])
def test_what_was_read_is_written_byte_for_byte(
    spark: SparkSession, source: Path, options: dict[str, str], tmp_path: Path
) -> None:
    files = _write(_read(spark, source, **options), tmp_path / "out")
    assert [body(path) for path in files] == [body(path) for path in trail_files(source)]
    assert [header(path).get("TrailInfo", "Seqno") for path in files] == [0, 1, 2, 3]
    where = "exclude rba 0"
    assert table(tmp_path / "out", *SAME, where=where).equals(table(source, *SAME, where=where))
    assert (tmp_path / "out" / "_SUCCESS").exists()


def test_pieces_of_a_file_are_numbered_in_its_order(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    files = _write(_read(spark, source, maxPartitionBytes="4000"), tmp_path / "out")
    assert len(files) > 4
    assert meant_rows(*files) == meant_rows(*trail_files(source))


def test_what_spark_filtered_stands_alone(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    rows = _read(spark, source).where("op = 'Insert' AND table LIKE '%SALES'").select("file", "rba", "raw")
    kept = [bytes(row.raw) for row in rows.orderBy("file", "rba").collect()]
    files = _write(rows, tmp_path / "out", megabytes="1")
    written = meant_rows(*files)
    assert [row.raw for row in written] == kept
    assert written == [row for row in meant_rows(*trail_files(source)) if row.raw in kept]
    assert all(row.definition for row in written)


def test_raw_alone(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    files = _write(_read(spark, source).select("raw"), tmp_path / "out")
    assert [path.name for path in files] == [f"tr{number:09d}" for number in range(4)]
    assert [body(path) for path in files] == [body(path) for path in trail_files(source)]


def test_tasks_that_hold_whole_files_in_another_order(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    rows = _read(spark, source).repartition(3, "file").sortWithinPartitions("seqno", "rba")
    files = _write(rows, tmp_path / "out")
    assert [body(path) for path in files] == [body(path) for path in trail_files(source)]


def test_rows_that_are_mixed_over_tasks_are_refused(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    rows = _read(spark, source).repartition(2, "rba").sortWithinPartitions("file", "rba")
    with pytest.raises(
        AnalysisException, match=r'its rows are interleaved in several tasks; use .orderBy\("seqno", "rba"\)'
    ):
        _write(rows, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_tasks_without_rows_write_nothing(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    rows = _read(spark, source, maxPartitionBytes="0").where("seqno = 2")
    assert [path.name for path in _write(rows, tmp_path / "out")] == ["lt000000000"]
    assert _write(rows.where("false"), tmp_path / "none") == []
    assert [path.name for path in (tmp_path / "none").iterdir()] == ["_SUCCESS"]


def test_append_and_overwrite(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    frame = _read(spark, source / "lt000000001")
    _write(frame, tmp_path / "out")
    assert [path.name for path in _write(frame, tmp_path / "out")] == ["lt000000000", "lt000000001"]
    assert [path.name for path in _write(frame, tmp_path / "out", "overwrite")] == ["lt000000000"]


def test_a_failed_overwrite_leaves_what_was_there(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    _write(_read(spark, source), tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with pytest.raises(PythonException, match="NotInOrder"):
        _write(_read(spark, source).orderBy(functions.desc("rba")), tmp_path / "out", "overwrite")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_in_sql(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE IF NOT EXISTS trail USING trail")
    out = tmp_path / "out"
    wanted = f"SELECT * FROM trail WITH (path='{source}', where='rectype insert')"
    spark.sql(f"INSERT INTO trail WITH (path='{out}', megabytes='100') {wanted}")
    spark.sql(f"INSERT INTO trail WITH (path='{out}') {wanted}")
    assert len(trail_files(out)) == 8
    spark.sql(f"INSERT OVERWRITE trail WITH (path='{out}') {wanted}")
    assert len(trail_files(out)) == 4
    assert {row.raw for row in meant_rows(*trail_files(out))} < {row.raw for row in meant_rows(*trail_files(source))}


def test_explaining_a_write_leaves_nothing(spark: SparkSession, source: Path, tmp_path: Path) -> None:
    spark.sql("CREATE TABLE IF NOT EXISTS trail USING trail")
    wanted = f"SELECT * FROM trail WITH (path='{source}')"
    spark.sql(f"EXPLAIN INSERT INTO trail WITH (path='{tmp_path}/out') {wanted}").collect()
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (
            ["file", "rba"],
            'BadSchema: there is no column raw, .* write what select("file", "seqno", "rba", "raw") gives',
        ),
        (["file", "raw"], "BadSchema: there is file but no rba"),
        (["string(raw) AS raw"], "BadSchema: column raw is written as binary, not string"),
    ],
)
def test_columns_that_do_not_do(
    spark: SparkSession, source: Path, columns: list[str], line: str, tmp_path: Path
) -> None:
    with pytest.raises(AnalysisException, match=line.replace("(", r"\(").replace(")", r"\)")):
        _write(_read(spark, source).selectExpr(*columns), tmp_path / "out")


def test_targets_that_do_not_do(spark: SparkSession, source: Path) -> None:
    rows = _read(spark, source)
    with pytest.raises(
        AnalysisException, match=r"TargetRefused: .* cannot be written: .*lt000000000 is not a directory"
    ):
        _write(rows, source / "lt000000000" / "deeper")
    (source / "notes.txt").touch()
    with pytest.raises(AnalysisException, match=r"TargetRefused: .*not overwritten: notes.txt in it is no trail file"):
        _write(rows, source, "overwrite")


def test_the_sound_rows_of_a_damaged_file(spark: SparkSession, tmp_path: Path) -> None:
    rows = _read(spark, TRAILS / "gt000000000", mode="PERMISSIVE").where("_corrupt_record IS NULL")
    assert meant_rows(*_write(rows, tmp_path / "out")) == meant_rows(TRAILS / "et000000000")
