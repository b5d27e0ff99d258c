"""What a schema or the option ``columns`` selects."""

from __future__ import annotations

import pytest
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from logdump.arrow.records.schema import COLUMNS, HEADER_COLUMNS
from logdump.spark.errors import BadOption, BadSchema
from logdump.spark.source.options import Options
from logdump.spark.source.schema import LEAN_SUMMARY, SUMMARY_COLUMNS, default_ddl, select


def schema(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


def test_a_schema_selects_case_aside_and_keeps_the_spelling() -> None:
    (one,) = select(schema(RBA=LongType()), Options())
    assert (one.alias, one.column.name, one.is_wanted) == ("RBA", "rba", True)


def test_columns_leave_the_others_null() -> None:
    found = select(schema(rba=LongType(), op=StringType()), Options(columns=("OP",)))
    assert [one.is_wanted for one in found] == [False, True]


def test_columns_make_the_schema_where_none_is_given() -> None:
    assert default_ddl(Options(columns=("OP", "rba"))) == "`OP` string, `rba` bigint"
    assert default_ddl(Options(path="x")).startswith("`file` string, `seqno` int, `file_order` int, `rba` bigint, ")


def names(options: Options) -> list[str]:
    return default_ddl(options).split("`")[1::2]


def test_columns_that_cost_little_are_the_default() -> None:
    lean = names(Options(path="x"))
    assert lean == [column.name for column in HEADER_COLUMNS]
    assert not {"before", "after", "raw", "problems", "gg_tokens", "user_tokens", "row_id", "ddl"} & {*lean}
    assert {"table", "op", "csn", "xid", "time", "_corrupt_record"} < {*lean}


def test_all_and_header_stand_for_columns() -> None:
    assert names(Options(path="x", columns=("ALL",))) == [column.name for column in COLUMNS]
    assert names(Options(path="x", columns=("header", "after", "rba"))) == [*names(Options(path="x")), "after"]
    found = select(schema(rba=LongType(), raw=BinaryType()), Options(columns=("header",)))
    assert [one.is_wanted for one in found] == [True, False]
    assert all(one.is_wanted for one in select(schema(rba=LongType(), raw=BinaryType()), Options(columns=("all",))))


def test_a_table_of_sql_has_all_columns() -> None:
    """Its schema is made once, without a path, and what a statement does not need is null."""
    assert names(Options()) == [column.name for column in COLUMNS]


def test_a_summary_has_columns_of_its_own() -> None:
    assert names(Options(summary=True, path="x")) == [column.name for column in LEAN_SUMMARY]
    assert names(Options(summary=True, path="x", columns=("all",))) == [column.name for column in SUMMARY_COLUMNS]


def test_the_corrupt_record_has_the_name_that_is_wanted() -> None:
    options = Options(column_name_of_corrupt_record="damage")
    assert default_ddl(options).endswith("`damage` string")
    assert select(schema(damage=StringType()), options)[0].column.name == "_corrupt_record"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (schema(rbaa=LongType()), "schema: there is no column rbaa; did you mean rba?"),
        (schema(zzz=LongType()), "schema: there is no column zzz; there are file, seqno, file_order, rba,"),
        (schema(rba=IntegerType()), "schema: column rba is bigint, not int"),
        (schema(after=StringType()), "schema: column after is array<struct<"),
        (schema(rba=LongType(), RBA=LongType()), "schema: rba stands there twice"),
        (StructType([StructField("rba", LongType(), nullable=False)]), "schema: column rba can be null"),
        (
            schema(problems=ArrayType(StringType(), containsNull=False)),
            "schema: column problems can be null, all through",
        ),
    ],
)
def test_a_schema_that_does_not_fit_is_refused(fields: StructType, message: str) -> None:
    with pytest.raises(BadSchema) as caught:
        select(fields, Options())
    assert str(caught.value).startswith(message)


def test_columns_that_there_are_not_are_refused() -> None:
    with pytest.raises(BadOption, match=r"^option columns: there is no column tabel; did you mean table[?]$"):
        default_ddl(Options(columns=("tabel",)))
    with pytest.raises(BadOption, match=r"^option columns names op, which the schema of this read has not$"):
        select(schema(rba=LongType()), Options(columns=("op",)))


def test_no_column_stands_there_twice() -> None:
    for columns in (COLUMNS, SUMMARY_COLUMNS):
        names = [column.name.lower() for column in columns]
        assert len(set(names)) == len(names)
