"""ALTER TABLE under a stream of the rows of a table: no value is lost without a word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.errors import StreamingQueryException

from logdump.arrow.records.schema import Selected
from logdump.spark.stream.stream_reader import TrailStreamReader
from logdump.tables.defined_tables import table_meant
from logdump.tables.errors import SchemaChanged
from logdump.tables.options import Use, parse_options
from logdump.tables.table_columns import table_columns
from tests.searching import examples
from tests.trailformat.samples import header, metadata_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Images, Record, TableDefinition, encode_value, make_column, make_record
from trailformat.definitions.metadata import KEY, build_table
from trailformat.values import plain_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

TABLE = "TEA.LEAVES"
KIND_NAMES = ("INT16", "INT32", "INT64", "VARCHAR", "VARCHAR of a number", "VARCHAR of bytes")
Row = dict[str, Any]


class Field(NamedTuple):
    """A column of the table."""

    name: str
    kind: str
    is_key: bool = False


Fields = tuple[Field, ...]


def definition(fields: Fields) -> Record:
    """The TDR of a table with these columns."""
    columns = tuple(
        KINDS[kind].definition._replace(name=name, flags=KEY if is_key else 0) for name, kind, is_key in fields
    )
    keys = sum(field.is_key for field in fields)
    return metadata_record(2, 1, TABLE, build_table(TableDefinition(1, keys, columns), ByteOrder.BIG))


def inserted(fields: Fields, values: Sequence[Any]) -> Record:
    """An INSERT of these values."""
    pairs = zip(fields, values, strict=True)
    stored = [encode_value(value, KINDS[field.kind].definition, ByteOrder.BIG) for field, value in pairs]
    return make_record(header(1), Images(None, tuple(make_column(at, content) for at, content in enumerate(stored))))


class Stream:
    """What Spark does with a stream: the schema once, then readings from where the last one ended."""

    def __init__(self, folder: Path, **given_options: str) -> None:
        self._options = parse_options({"path": str(folder), "rowsOf": TABLE, **given_options}, Use.STREAM)
        self.restart()
        self._at = self._reader.initialOffset()

    def restart(self) -> None:
        """A new load: the schema is that of the files that are there."""
        layouts = tuple(table_meant(self._options)[1])
        offered = table_columns(layouts, self._options)
        asked = self._options.columns or tuple(offered)
        self._reader = TrailStreamReader(self._options, tuple(Selected(name, offered[name]) for name in asked), layouts)

    def rows(self) -> list[Row]:
        """The rows since the last reading; an error leaves the stream where it was."""
        end = self._reader.latestOffset(self._at)
        parts = self._reader.partitions(self._at, end)
        found = [row for part in parts for batch in self._reader.read(part) for row in batch.to_pylist()]
        self._at = end
        return found


class Altered(NamedTuple):
    """A table before and after an ALTER, with the columns that the ALTER is about and rows after it."""

    before: Fields
    after: Fields
    touched: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@st.composite
def alters(draw: st.DrawFn) -> Altered:
    """A table, one ALTER of it, and rows that come behind."""
    kinds = draw(st.lists(st.sampled_from(KIND_NAMES), min_size=2, max_size=4))
    before = tuple(Field(f"C{at}", kind, at == 0) for at, kind in enumerate(kinds))
    at, kind = draw(st.integers(0, len(before) - 1)), draw(st.sampled_from(KIND_NAMES))
    field = before[at]
    changed = {
        "add": ((*before, Field("NEW", kind)), ("NEW",)),
        "drop": (before[:at] + before[at + 1 :], (field.name,)),
        "type": ((*before[:at], field._replace(kind=kind), *before[at + 1 :]), (field.name,)),
        "rename": ((*before[:at], field._replace(name="NEW"), *before[at + 1 :]), (field.name, "NEW")),
        "key": ((*before[:at], field._replace(is_key=not field.is_key), *before[at + 1 :]), (field.name,)),
    }
    after, touched = changed[draw(st.sampled_from(sorted(changed)))]
    rows = draw(
        st.lists(st.tuples(*(KINDS[altered_field.kind].values for altered_field in after)), min_size=1, max_size=3)
    )
    return Altered(before, after, touched, rows)


def is_same(was: Any, found: Any) -> bool:
    """Whether a value of the trail has come through, in whatever type."""
    if isinstance(was, str) or isinstance(found, str):
        return found is not None and plain_text(found) == plain_text(was)
    return bool(was == found)


def lost(altered: Altered, found: Sequence[Row], asked: Sequence[str]) -> Iterator[str]:
    """The columns whose values are neither in the rows nor in their problems, and changes of the key nobody is told."""
    old_key, new_key = (
        {altered_field.name for altered_field in fields if altered_field.is_key}
        for fields in (altered.before, altered.after)
    )
    for values, row in zip(altered.rows, found, strict=True):
        told = {problem["column"] for problem in row["problems"] or ()}
        for field, value in zip(altered.after, values, strict=True):
            if field.name in asked and field.name not in told and not is_same(value, row.get(f"after_{field.name}")):
                yield field.name
        yield from (old_key ^ new_key) - told
        yield from {name for name in asked if name not in {field.name for field in altered.after}} - told


_SETTINGS = settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])


def _begun(altered: Altered, folder: Path, **options: str) -> Stream:
    """A stream that has read the file before the ALTER; the one with the ALTER is there then."""
    for path in folder.iterdir():
        path.unlink()
    trail_of(folder, definition(altered.before), inserted((), ()), name="lt000000000")
    stream = Stream(folder, **options)
    assert len(stream.rows()) == 1
    records = [inserted(altered.after, row) for row in altered.rows]
    trail_of(folder, definition(altered.after), *records, name="lt000000001")
    return stream


@_SETTINGS
@given(altered=alters())
def test_a_stream_has_every_value_or_ends_and_names_what_was_altered(altered: Altered, tmp_path: Path) -> None:
    stream = _begun(altered, tmp_path)
    all_columns = [field.name for field in altered.after]
    try:
        found = stream.rows()
    except SchemaChanged as error:
        ended = str(error)
    else:
        assert not list(lost(altered, found, all_columns))
        return
    assert re.search(rf"lt000000001, seqno 1, RBA \d+: {TABLE} .*({'|'.join(altered.touched)})", ended)
    stream.restart()
    assert not list(lost(altered._replace(before=altered.after), stream.rows(), all_columns))


@_SETTINGS
@given(altered=alters())
def test_a_stream_that_is_to_go_on_has_every_value_or_tells_it_in_problems(altered: Altered, tmp_path: Path) -> None:
    stream = _begun(altered, tmp_path, schemaEvolutionMode="rescue")
    assert not list(lost(altered, stream.rows(), [field.name for field in altered.after]))


@_SETTINGS
@given(altered=alters())
def test_a_stream_of_some_columns_loses_none_of_them(altered: Altered, tmp_path: Path) -> None:
    asked = altered.before[0].name
    stream = _begun(altered, tmp_path, columns=f"after_{asked},problems", schemaEvolutionMode="rescue")
    assert not list(lost(altered, stream.rows(), [asked]))


@pytest.mark.spark
@pytest.mark.slow
def test_in_spark_a_stream_ends_at_a_new_column_and_goes_on_from_its_checkpoint_with_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    folder, found = tmp_path / "dirdat", list[Any]()
    folder.mkdir()
    first: Fields = (Field("ID", "INT32", is_key=True),)
    trail_of(folder, definition(first), inserted(first, (1,)), name="lt000000000")

    def load() -> DataFrame:
        return spark.readStream.format("trail").option("rowsOf", TABLE).load(str(folder))

    def run(rows: DataFrame) -> None:
        writer = rows.writeStream.foreachBatch(lambda some, _number: found.extend(some.collect()))
        writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    rows = load()
    second = (*first, Field("EXTRA", "VARCHAR"))
    trail_of(folder, definition(second), inserted(second, (2, "LOST?")), name="lt000000001")
    with pytest.raises(StreamingQueryException, match=r"seqno 1, RBA \d+: TEA.LEAVES .*column EXTRA \(string\) is new"):
        run(rows)
    run(load())
    assert [(row.after_ID, row.after_EXTRA) for row in found] == [(1, None), (2, "LOST?")]


@pytest.mark.parametrize("order", [(0, 1, 0), (0, 1, 2), (0, 1, 2, 0), (0, 1, 2, 1), (2, 0, 0, 1, 0, 2), (0, 1, 1)])
def test_the_newest_definition_is_the_last_also_if_it_was_there_before(order: tuple[int, ...], tmp_path: Path) -> None:
    """A table that was altered and altered back; in one file, and in one file for each definition."""
    versions: tuple[Fields, ...] = (
        (Field("ID", "INT32", is_key=True), Field("A", "INT16")),
        (Field("ID", "INT32", is_key=True), Field("A", "VARCHAR"), Field("B", "INT16")),
        (Field("ID", "INT64", is_key=True), Field("C", "INT32")),
    )
    values: list[list[Any]] = [[1, 2], [1, "two", 3], [1, 2]]
    records = [[definition(versions[at]), inserted(versions[at], values[at])] for at in order]
    newest, *older = [*dict.fromkeys(reversed(order))]
    for name in ("one", "each"):
        folder = tmp_path / name
        folder.mkdir()
        for number, part in enumerate(records if name == "each" else [[record for pair in records for record in pair]]):
            trail_of(folder, *part, name=f"tt{number:09}")
        options = parse_options({"path": str(folder), "rowsOf": TABLE}, Use.READ)
        layouts = table_meant(options)[1]
        assert [layout.column_names for layout in layouts][::-1] == [
            [field.name for field in versions[at]] for at in (newest, *older)
        ]
        kinds = {column.name: column.type.ddl for column in table_columns(layouts, options).values()}
        wanted = {field.name: field.kind for at in reversed((newest, *older)) for field in versions[at]}
        spelled = {"INT16": "smallint", "INT32": "int", "INT64": "bigint", "VARCHAR": "string"}
        assert {name: kinds[f"after_{name}"] for name in wanted} == {
            name: spelled[kind] for name, kind in wanted.items()
        }
