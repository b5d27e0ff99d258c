"""EXPORT JSONL … DEBEZIUM and OGG, and ``changes`` of these shapes, have one maker: the same messages."""

from __future__ import annotations

import json
import re
from collections import defaultdict
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
from tests.logdump.spark.test_changes import changes_in
from tests.searching import examples
from tests.trailformat.samples import trail_of
from trailformat import Record, TrailFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SHAPES = ("debezium", "ogg")
NOW = re.compile(r'"current_ts":"[^"]*",')
ORDER = re.compile(r'"sequence":"[0-9]{10}\.')
Row = dict[str, Any]


def plain(message: str) -> str:
    """A message without the time of its writing, and the number of its file, which Spark gives those of several."""
    return ORDER.sub('"sequence":"', NOW.sub("", message))


def exported(path: Path, target: Path, shape: str) -> list[str]:
    """The messages of a file as EXPORT writes them."""
    line = Line()
    more = "truncates" if shape == "debezium" else ""
    line(f"open {path}; export jsonl to {target} {shape} {more} replace")
    line.session.close()
    return [plain(text) for text in target.read_text(encoding="utf-8").splitlines()]


def options(shape: str) -> Row:
    return {"mode": "DROPMALFORMED", "undecodable": "null", **({"truncates": "write"} if shape == "debezium" else {})}


def in_spark(spark: SparkSession, tables: list[str], files: list[Path], shape: str) -> list[str]:
    """The messages of tables in some files as Spark has them, in the order of the files; tombstones aside."""
    frame = logdump.spark.changes(spark, [*map(str, files)], tables, shape=shape, **options(shape))
    rows = [row for row in frame.coalesce(1).toArrow().to_pylist() if row["value"] is not None]
    return [plain(row["value"]) for row in sorted(rows, key=lambda row: (row["_file"], row["_sequence"][10:]))]


def named(message: str) -> str:
    """The name of the table of a message."""
    known = json.loads(message)
    if "table" in known:
        return str(known["table"])
    return ".".join(part for part in (known["source"]["schema"], known["source"]["table"]) if part)


def defined() -> dict[str, list[Path]]:
    """The tables of the sample trails of names of at most two parts, with the files that define them."""
    files: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(TRAILS.iterdir()):
        with TrailFile(path) as trail:
            for name in {entry.name for entry in trail.tables.entries() if trail.tables.columns(entry) is not None}:
                if name.count(".") < 2 and '"' not in name:
                    files[name].append(path)
    return files


@pytest.mark.spark
@pytest.mark.parametrize("shape", SHAPES)
def test_the_messages_of_the_sample_trails_are_the_same(shape: str, spark: SparkSession, tmp_path: Path) -> None:
    """All tables in one pass, of all definitions that they have had."""
    tables = defined()
    paths = sorted({path for those in tables.values() for path in those})
    written = [
        message for path in paths for message in exported(path, tmp_path / "m", shape) if named(message) in tables
    ]
    assert written == in_spark(spark, [*tables], paths, shape)
    assert len({named(text) for text in written}) > 3


@pytest.mark.spark
@settings(
    max_examples=examples(2, short=1), phases=[Phase.generate], suppress_health_check=[*HealthCheck], deadline=None
)
@given(drawn=st.lists(records_of_a_table(), min_size=4, max_size=4), shape=st.sampled_from(SHAPES))
def test_those_of_drawn_ones_are_too(
    drawn: list[list[Record]], shape: str, spark: SparkSession, tmp_path: Path
) -> None:
    paths = [trail_of(tmp_path, *records, name=f"d{number}000000000") for number, records in enumerate(drawn)]
    for path in paths:
        assert exported(path, tmp_path / "m", shape) == in_spark(spark, [TABLE], [path], shape)


def messages_in(path: Path, shape: str, *tables: str, **given: str) -> list[Row]:
    return changes_in(path, *tables, messages=shape, **given)


def trail_of_two(folder: Path) -> Path:
    """Changes of two tables, with columns that every change of the flat shape has as well."""
    names = ("_op", "__op", "_before", "_table", "a`b", 'a"b', "a.b", "a b", "`", "key", "value")
    trail = Trail({"S.T": {"ID": "INT64", **dict.fromkeys(names, "VARCHAR")}, "S.U": {"ID": "INT64"}})
    trail.insert("S.T", 1, *names)
    trail.insert("S.U", 7)
    trail.update("S.T", 1, "new", ..., None)
    trail.move("S.T", (1, "new"), (2, ..., "x"))
    trail.delete("S.U", 7)
    trail.delete("S.T", 2, *names)
    return trail.write(folder)


@pytest.mark.parametrize("shape", SHAPES)
def test_columns_of_any_name_are_members_and_tables_come_in_one_pass(shape: str, tmp_path: Path) -> None:
    path = trail_of_two(tmp_path)
    rows = [row for row in messages_in(path, shape, "S.T", "S.U") if row["value"] is not None]
    assert [plain(row["value"]) for row in rows] == exported(path, tmp_path / "m", shape)
    assert {row["_table"] for row in rows} == {"S.T", "S.U"}


def test_a_delete_of_debezium_is_followed_by_a_tombstone(tmp_path: Path) -> None:
    """So is that of the old key of an update of the key; keys are those of the row of each message."""
    rows = messages_in(trail_of_two(tmp_path), "debezium", "S.T", "S.U")
    found = [(row["key"], None if row["value"] is None else json.loads(row["value"])["op"]) for row in rows]
    one, two, seven = (f'{{"ID":{number}}}' for number in (1, 2, 7))
    deleted = [(one, "c"), (seven, "c"), (one, "u"), (one, "d"), (one, None), (two, "c")]
    assert found == [*deleted, (seven, "d"), (seven, None), (two, "d"), (two, None)]
    sequences = [row["_sequence"] for row in rows]
    assert sequences == sorted(set(sequences))


def test_keys_of_ogg_are_values_of_the_key(tmp_path: Path) -> None:
    rows = messages_in(trail_of_two(tmp_path), "ogg", "S.T", "S.U")
    assert [row["key"] for row in rows] == ["1", "7", "1", "2", "7", "2"]


def test_a_truncate_of_debezium_is_as_the_option_says(tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64"}})
    trail.insert("S.T", 1)
    trail.truncate("S.T")
    trail.insert("S.T", 2)
    path = trail.write(tmp_path)
    with pytest.raises(Exception, match=r"a truncate; with option truncates write it is a message, with skip left out"):
        messages_in(path, "debezium", "S.T")
    letters = {
        word: [json.loads(row["value"])["op"] for row in messages_in(path, "debezium", "S.T", truncates=word)]
        for word in ("write", "skip")
    }
    assert letters == {"write": ["c", "t", "c"], "skip": ["c", "c"]}
    assert [json.loads(row["value"])["op_type"] for row in messages_in(path, "ogg", "S.T")] == ["I", "T", "I"]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_value_that_does_not_decode_ends_the_read_unless_it_may_be_null(shape: str, tmp_path: Path) -> None:
    trail = Trail({"S.T": {"ID": "INT64", "PRICE": "INT64 with a scale"}})
    trail.insert("S.T", 1, b"odd")
    path = trail.write(tmp_path)
    with pytest.raises(Exception, match="PRICE"):
        messages_in(path, shape, "S.T")
    [message] = messages_in(path, shape, "S.T", undecodable="null")
    after = json.loads(message["value"])["after"]
    assert after == ({"ID": 1, "PRICE": None} if shape == "debezium" else {"ID": 1})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"messages": "debezium", "keyUpdate": "whole"}, "option messages goes with none of keyUpdate, beforeImages"),
        ({"messages": "ogg", "beforeImages": "true"}, "option messages goes with none of keyUpdate, beforeImages"),
        ({"messages": "ogg", "truncates": "skip"}, "option truncates goes with messages debezium"),
        ({"truncates": "skip"}, "option truncates goes with messages debezium"),
        ({"messages": "json"}, "option messages takes"),
    ],
)
def test_options_that_do_not_go_together_are_refused(given: Row, message: str, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match=message):
        changes_in(trail_of_two(tmp_path), "S.T", **given)


@pytest.mark.parametrize("shape", ["debezum", "", "FLAT "])
def test_a_shape_that_does_not_exist_is_refused(shape: str) -> None:
    session: Any = None
    with pytest.raises(BadOption, match=r"^shape takes flat, debezium or ogg, not "):
        logdump.spark.changes(session, "nowhere", "S.T", shape=shape)
