from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.searching import examples
from tests.trailformat.samples import BOTH, column
from tests.trailformat.strategies import COLUMN_DEFINITIONS, ORDERS, U16, U32
from trailformat import (
    BadData,
    BadToken,
    ByteOrder,
    CannotWrite,
    ColumnDefinition,
    DatabaseDefinition,
    TableDefinition,
    Token,
    TrailError,
)
from trailformat.codec import layout
from trailformat.codec.tokens import build_tokens, make_token
from trailformat.definitions import metadata
from trailformat.definitions.metadata import build_database, build_table, default_options, parse_database, parse_table

Parse = Callable[[bytes, ByteOrder], object]
NO_OPTIONS: st.SearchStrategy[tuple[Token, ...]] = st.just(())
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
DATABASES = st.builds(DatabaseDefinition, U16, U32, U32, U16, TEXT, st.binary(max_size=20), TEXT)
TEADB = DatabaseDefinition(1, 2, 1, 0, "GMT", bytes.fromhex("14141414141414141414141411141414"), "TEADB")


def mysql_column(name: str, data_type: int, size: int, native: int) -> ColumnDefinition:
    return ColumnDefinition(name, data_type, size, size, size, 0, 0, 0, -1, native, 0, 0, 0, 0, 0, 0x22, None)


@given(DATABASES, ORDERS)
def test_a_database_comes_back_as_it_was(database: DatabaseDefinition, order: ByteOrder) -> None:
    data = build_database(database, order)
    assert parse_database(data, order) == database


@given(U16, U16, st.lists(COLUMN_DEFINITIONS, max_size=4).map(tuple), ORDERS, st.booleans())
def test_a_table_comes_back_as_it_was(
    version: int, keys: int, columns: tuple[ColumnDefinition, ...], order: ByteOrder, has_options: bool
) -> None:
    table = TableDefinition(version, keys, columns, default_options(order) if has_options else ())
    data = build_table(table, order)
    assert parse_table(data, order) == table


@settings(max_examples=examples(40))
@given(
    definition=st.one_of(
        DATABASES, st.builds(TableDefinition, U16, U16, st.lists(COLUMN_DEFINITIONS, max_size=3).map(tuple), NO_OPTIONS)
    ),
    changed=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.sampled_from([0, 1, 2, 255])), max_size=3),
    order=ORDERS,
)
def test_any_bytes_have_the_definition_that_the_layouts_give_them(
    definition: DatabaseDefinition | TableDefinition, changed: list[tuple[float, int]], order: ByteOrder
) -> None:
    built, parse = _built(definition, order)
    data = bytearray(built)
    for place, byte in changed:
        data[int(place * len(data))] = byte
    with pytest.MonkeyPatch.context() as by_layouts:
        by_layouts.setattr(layout, "read_prefixed", lambda *_: None)
        by_layouts.setattr(metadata, "_stored_columns", lambda *_: None)
        expected = _definition_or_problem(parse, bytes(data), order)
    assert _definition_or_problem(parse, bytes(data), order) == expected


def _built(definition: DatabaseDefinition | TableDefinition, order: ByteOrder) -> tuple[bytes, Parse]:
    if isinstance(definition, TableDefinition):
        return build_table(definition, order), parse_table
    return build_database(definition, order), parse_database


def _definition_or_problem(parse: Parse, data: bytes, order: ByteOrder) -> object:
    try:
        return parse(data, order)
    except TrailError as error:
        return str(error)


def test_the_database_of_the_mysql_transcript_has_81_bytes() -> None:
    database = DatabaseDefinition(1, 3, 4, 16, "GMT+09:00", bytes(16), "")
    assert len(build_database(database, ByteOrder.LITTLE)) == 81


def test_the_table_of_the_mysql_transcript_has_138_bytes() -> None:
    table = TableDefinition(11, 1, (mysql_column("c1", 132, 4, 3), mysql_column("c2", 64, 120, 253)))
    assert len(build_table(table, ByteOrder.LITTLE)) == 138


def test_the_table_of_the_postgresql_transcript_has_252_bytes() -> None:
    names = {"int": 134, "varchar": 64, "time": 192, "char": 64}
    columns = tuple(mysql_column(name, data_type, 8, 0) for name, data_type in names.items())
    assert len(build_table(TableDefinition(11, 1, columns), ByteOrder.LITTLE)) == 252


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("cut", [1, 5, 20, 40, 60])
def test_a_database_that_is_cut_is_a_bad_token(order: ByteOrder, cut: int) -> None:
    with pytest.raises(BadToken):
        parse_database(build_database(TEADB, order)[:cut], order)


@pytest.mark.parametrize("parse", [parse_database, parse_table])
@pytest.mark.parametrize("data", [b"", b"\x31\0\0\0", b"\x30\0\0\0"], ids=["nothing", "other id", "empty"])
def test_a_token_that_is_lacking_is_bad_data(parse: Callable[[bytes, ByteOrder], object], data: bytes) -> None:
    with pytest.raises(BadData, match="metadata lacks a token; expected token x"):
        parse(data, ByteOrder.BIG)


@pytest.mark.parametrize("size", [0, 1, 3, 40])
def test_a_number_of_another_length_is_bad_data(size: int) -> None:
    version = build_tokens(
        [make_token(1, bytes(size)), make_token(2, make_keys()), make_token(3, b"\0\0")], ByteOrder.BIG
    )
    data = build_tokens([make_token(0x30, version)], ByteOrder.BIG)
    with pytest.raises(BadData, match=f"x01 has another length; expected 2 bytes; found {size} bytes"):
        parse_table(data, ByteOrder.BIG)


def make_keys() -> bytes:
    key_count = build_tokens([make_token(1, b"\0\1")], ByteOrder.BIG)
    return build_tokens([make_token(1, key_count)], ByteOrder.BIG)


def test_bytes_behind_the_columns_are_bad_data() -> None:
    root = [make_token(1, b"\0\1"), make_token(2, make_keys()), make_token(3, b"\0\0more")]
    data = build_tokens([make_token(0x30, build_tokens(root, ByteOrder.BIG))], ByteOrder.BIG)
    with pytest.raises(BadData, match="x03 is longer than it should be"):
        parse_table(data, ByteOrder.BIG)


def test_bytes_of_a_name_that_are_no_utf_8_are_escaped() -> None:
    data = build_database(TEADB, ByteOrder.BIG).replace(b"TEADB", b"TE\xe9DB")
    assert parse_database(data, ByteOrder.BIG).name == "TE\\xe9DB"


@pytest.mark.parametrize(
    "database", [TEADB._replace(version=-1), TEADB._replace(charset=1 << 32), TEADB._replace(name="\ud800")], ids=ascii
)
def test_a_database_that_does_not_fit_cannot_be_written(database: DatabaseDefinition) -> None:
    with pytest.raises(CannotWrite):
        build_database(database, ByteOrder.BIG)


def test_a_table_that_does_not_fit_cannot_be_written() -> None:
    with pytest.raises(CannotWrite):
        build_table(TableDefinition(0x10000, 1, (column(),)), ByteOrder.BIG)
