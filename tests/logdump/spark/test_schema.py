"""What a schema or the option ``columns`` selects.

Option ``sourceDefs``: columns of tables that a trail does not define.
"""

from __future__ import annotations

import os
from pathlib import Path

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

from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS, HEADER_COLUMNS
from logdump.tables.errors import BadOption, BadSchema
from logdump.tables.named_files import source_definitions, with_absolute_paths
from logdump.tables.options import Options
from logdump.tables.schema import LEAN_SUMMARY, SUMMARY_COLUMNS, default_ddl, select
from tests.logdump.tables.reads import rows

FILES = Path(__file__).parents[2] / "transcripts" / "obey"
TEAHOUSE = FILES / "teahouse.def"
OLD = TRAILS / "ot000000"


def test_the_columns_of_an_older_trail_have_names() -> None:
    before = rows(OLD, "after")
    after = rows(OLD, "after", sourceDefs=TEAHOUSE)
    assert {column["name"] for row in before for column in row["after"] or ()} == {None}
    named = next(row["after"] for row in after if row["after"])
    assert [column["name"] for column in named[:2]] == ["TEA_CODE", "NAME"]


def test_the_definitions_of_a_trail_go_first(tmp_path: Path) -> None:
    other = tmp_path / "other.def"
    other.write_text(TEAHOUSE.read_text().replace("TEA_CODE", "CODE"))
    path = TRAILS / "et000000000"
    assert rows(path, "after", sourceDefs=other) == rows(path, "after")


def test_every_worker_gets_the_whole_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FILES)
    assert with_absolute_paths(Options(source_defs="teahouse.def")).source_defs == str(TEAHOUSE)
    assert with_absolute_paths(Options(source_defs=f"file:{TEAHOUSE}")).source_defs == str(TEAHOUSE)


def test_without_the_option_there_are_none() -> None:
    assert source_definitions(with_absolute_paths(Options())) is None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (str(FILES / "missing.def"), "missing.def: No such file or directory"),
        (str(FILES), "obey: it is a directory"),
        (str(FILES / "broken.def"), "broken.def: line 9: column PRICE lacks numbers"),
        ("s3://bucket/a.def", "only files of this machine's own paths"),
        ("a\0b", "null"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(given: str, told: str) -> None:
    with pytest.raises(BadOption, match=told) as refused:
        with_absolute_paths(Options(source_defs=given))
    assert "\n" not in str(refused.value)


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "tea.def"
    path.write_bytes(TEAHOUSE.read_bytes())
    first = source_definitions(Options(source_defs=str(path)))
    assert source_definitions(Options(source_defs=str(path))) is first
    path.write_text(TEAHOUSE.read_text().replace("TEAS", "CAKES"))
    os.utime(path, (1, 1))
    changed = source_definitions(Options(source_defs=str(path)))
    assert changed is not None
    assert "TEAHOUSE.CAKES" in changed.tables


def test_they_go_before_those_of_the_trail_when_that_is_asked_for(tmp_path: Path) -> None:
    other = tmp_path / "other.def"
    other.write_text(TEAHOUSE.read_text().replace("TEA_CODE", "CODE"))
    images = rows(TRAILS / "et000000000", "after", sourceDefs=other, sourceDefsOverride="true")
    assert "CODE" in {column["name"] for row in images for column in row["after"] or ()}


def schema(**fields: DataType) -> StructType:
    return StructType([StructField(name, kind) for name, kind in fields.items()])


def test_a_schema_selects_case_aside_and_keeps_the_spelling() -> None:
    (selected,) = select(schema(RBA=LongType()), Options())
    assert (selected.alias, selected.column.name, selected.is_wanted) == ("RBA", "rba", True)


def test_columns_leave_the_others_null() -> None:
    found = select(schema(rba=LongType(), op=StringType()), Options(columns=("OP",)))
    assert [selected.is_wanted for selected in found] == [False, True]


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
    assert [selected.is_wanted for selected in found] == [True, False]
    assert all(
        selected.is_wanted for selected in select(schema(rba=LongType(), raw=BinaryType()), Options(columns=("all",)))
    )


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
        (schema(rba=LongType(), RBA=LongType()), "schema: rba occurs twice"),
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
    with pytest.raises(BadOption, match=r"^option columns names op, which is not in the schema of this read$"):
        select(schema(rba=LongType()), Options(columns=("op",)))


def test_no_column_stands_there_twice() -> None:
    for columns in (COLUMNS, SUMMARY_COLUMNS):
        names = [column.name.lower() for column in columns]
        assert len(set(names)) == len(names)
