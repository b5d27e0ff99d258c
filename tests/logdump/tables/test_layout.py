"""Names in a table's file and of the files: each stands once, for systems that do not tell cases apart."""

from __future__ import annotations

import pytest

from logdump.arrow.tables.layout import FileNames, TableLayout
from tests.trailformat.samples import column


def test_columns_of_one_name_are_numbered() -> None:
    names = ["PRICE", "price", "KG", "PRICE", "PRICE_2", "price"]
    layout = TableLayout("TEA.LEAVES", tuple(map(column, names)), "utf-8")
    assert list(layout.column_names) == ["PRICE", "price_2", "KG", "PRICE_3", "PRICE_2_2", "price_4"]


def test_files_of_tables_of_one_name_are_numbered() -> None:
    names = FileNames(".csv")
    layout = TableLayout("TEA.LEAVES", (), "utf-8")
    found = [names.new(layout._replace(name=name)) for name in ("TEA.LEAVES", "Tea.Leaves", "TEA.POTS", "TEA.LEAVES")]
    assert found == ["TEA.LEAVES.csv", "Tea.Leaves.2.csv", "TEA.POTS.csv", "TEA.LEAVES.3.csv"]


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("TEA/LEAVES", "TEA%2FLEAVES.undefined.csv"),
        ("..", "unnamed.undefined.csv"),
        (".tea", "%2Etea.undefined.csv"),
        ("tea. ", "tea.undefined.csv"),
        ("", "unnamed.undefined.csv"),
    ],
)
def test_a_name_that_a_file_may_not_have_is_spelled_otherwise(name: str, file: str) -> None:
    assert FileNames(".csv").new(TableLayout(name, None, "utf-8")) == file
