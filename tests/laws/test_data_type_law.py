"""A data type is one row of one table: whoever treats types alike asks for their family, not for their codes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import pytest

from tests.laws.imports import modules, nodes_of
from trailformat import ColumnDefinition
from trailformat.arrays.array_types import BINARY, array_type
from trailformat.values import DATA_TYPES, Family, sql_type
from trailformat.values.data_types import data_type_of

TABLE = "trailformat.values.data_types"
ASKS = {
    "trailformat.arrays.array_types": "whether a column is IEEE 754 of 8 bytes, or of a type without a row",
    "trailformat.arrays.text_arrays": "whether a column is of a type without a row",
    "logdump.display.definition_text": "the size of a record, which goes by a range of codes",
}
"""The modules that look at a code, and why."""


def _looks_at_codes(nodes: Iterable[ast.AST]) -> bool:
    """Whether a module compares a data type, or looks it up in a table."""
    for node in nodes:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            sides = [node.slice]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "get":
            sides = node.args
        else:
            continue
        if any(getattr(side, "attr", "") == "data_type" for side in sides):
            return True
    return False


def test_no_other_module_looks_at_the_codes_of_data_types() -> None:
    found = {name for name, path in modules().items() if _looks_at_codes(nodes_of(path))}
    assert found == {TABLE, *ASKS}


@pytest.mark.parametrize(
    "source",
    ["is_text = column.data_type in (0, 64)", "size = SIZES[column.data_type]", "make = MAKERS.get(one.data_type)"],
)
def test_a_second_table_would_be_found(source: str) -> None:
    assert _looks_at_codes(ast.walk(ast.parse(source)))


@pytest.mark.parametrize("code", DATA_TYPES)
def test_a_row_has_all_that_is_asked_of_it(code: int, any_column: ColumnDefinition) -> None:
    column = any_column._replace(data_type=code)
    row = data_type_of(column)
    is_known = row.family is not Family.UNKNOWN
    assert [part is not None for part in (row.decode, row.encode, row.sql, sql_type(column))] == [is_known] * 4
    assert (array_type(column, "utf-8").type == BINARY) == (not is_known)


@pytest.fixture
def any_column() -> ColumnDefinition:
    from tests.trailformat.samples import column

    return column("C", internal_length=8, sub_data_type=0)
