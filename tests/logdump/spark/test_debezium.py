"""EXPORT JSONL … DEBEZIUM and ``changes(shape="debezium")`` are one shape: the same members with the same values."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import logdump.spark
from fixtures import TRAILS
from logdump.tables.errors import BadOption
from tests.logdump.export.strategies import TABLE, records_of_a_table
from tests.logdump.line import Line
from tests.logdump.spark.targets.rows import Trail
from tests.searching import examples
from tests.trailformat.samples import trail_of
from trailformat import Record, TrailFile
from trailformat.values import plain_text

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
Change = dict[str, Any]


def exported(path: Path, target: Path) -> list[Change]:
    """The changes of a file as EXPORT writes them."""
    line = Line()
    line(f"open {path}; export jsonl to {target} debezium replace")
    line.session.close()
    return [plain(json.loads(text)) for text in target.read_text(encoding="ascii").splitlines()]


def in_spark(spark: SparkSession, tables: list[tuple[str, list[Path]]]) -> list[Change]:
    """The changes of tables in some files as Spark has them, in the order of the files."""
    given: dict[str, Any] = {"mode": "DROPMALFORMED", "undecodable": "null"}
    frames = [
        logdump.spark.changes(spark, [*map(str, files)], name, shape="debezium", **given) for name, files in tables
    ]
    found = [plain(change) for frame in frames for change in frame.coalesce(1).toArrow().to_pylist()]
    return sorted(found, key=lambda change: (change["source"]["file"], change["source"]["sequence"][-18:]))


def plain(value: Any) -> Any:
    """A value of either side as text, so that types of numbers and names of zones make no difference."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, datetime) and value.tzinfo is not None:
        return plain_text(value.astimezone(UTC))
    return None if value is None else plain_text(value)


def table_of(change: Change) -> str:
    """The name of its table in the trail."""
    return ".".join(part for part in (change["source"]["schema"], change["source"]["table"]) if part)


def defined() -> list[tuple[str, list[Path]]]:
    """The tables of the sample trails, with the files that define them alike."""
    files: dict[Any, list[Path]] = defaultdict(list)
    for path in sorted(TRAILS.iterdir()):
        with TrailFile(path) as trail:
            layouts: dict[str, list[Any]] = defaultdict(list)
            for entry in trail.tables.entries():
                if (columns := trail.tables.columns(entry)) is not None:
                    layouts[entry.name].append(columns)
        for name, those in layouts.items():
            files[name, str(those)].append(path)
    return [(name, paths) for (name, _), paths in files.items()]


def test_the_changes_of_the_sample_trails_are_the_same(spark: SparkSession, tmp_path: Path) -> None:
    tables = defined()
    read_of = {(str(path), name) for name, paths in tables for path in paths}
    written = [
        change
        for path in sorted({path for _, paths in tables for path in paths})
        for change in exported(path, tmp_path / "changes.jsonl")
        if (change["source"]["file"], table_of(change)) in read_of
    ]
    read = in_spark(spark, tables)
    # Spark numbers the files of a read of several trails.
    for change in (*written, *read):
        change["source"]["sequence"] = change["source"]["sequence"].partition(".")[2]
    assert written == read
    assert {change["op"] for change in read} == {"c", "u", "d", "t"}


@settings(
    max_examples=examples(2, short=1), phases=[Phase.generate], suppress_health_check=[*HealthCheck], deadline=None
)
@given(drawn=st.lists(records_of_a_table(), min_size=4, max_size=4))
def test_those_of_drawn_ones_are_too(drawn: list[list[Record]], spark: SparkSession, tmp_path: Path) -> None:
    paths = [trail_of(tmp_path, *records, name=f"d{number}000000000") for number, records in enumerate(drawn)]
    written = [change for path in paths for change in exported(path, tmp_path / "changes.jsonl")]
    assert written == in_spark(spark, [(TABLE, [path]) for path in paths])


def test_columns_of_any_name_are_members(spark: SparkSession, tmp_path: Path) -> None:
    """Those among them that every change of the flat shape has as well."""
    names = ("_op", "__op", "_before", "_table", "a`b", 'a"b', "a.b", "a b", "`")
    trail = Trail({"S.T": {"ID": "INT64", **dict.fromkeys(names, "VARCHAR")}})
    trail.insert("S.T", 1, *names)
    trail.update("S.T", 1, "new", ..., None)
    trail.move("S.T", (1, "new"), (2, ..., "x"))
    trail.delete("S.T", 2, *names)
    path = trail.write(tmp_path)
    read = in_spark(spark, [("S.T", [path])])
    assert exported(path, tmp_path / "changes.jsonl") == read
    assert read[0]["after"] == {"ID": "1", **{name: name for name in names}}


@pytest.mark.parametrize("shape", ["debezum", "", "FLAT "])
def test_a_shape_that_does_not_exist_is_refused(shape: str) -> None:
    session: Any = None
    with pytest.raises(BadOption, match=r"^shape takes flat or debezium, not "):
        logdump.spark.changes(session, "nowhere", "S.T", shape=shape)
