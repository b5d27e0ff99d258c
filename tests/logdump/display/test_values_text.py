from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pytest

from logdump.display.values_text import value_text, values_lines
from logdump.notation.text import aligned, cut_to, display_width
from logdump.session.settings import Settings
from tests.trailformat.samples import row
from tests.trailformat.values.kinds import of
from trailformat import Change, ColumnChange, TableDefinition, Value
from trailformat.values import Plain

DEFINITIONS = (
    of(64, 6)._replace(name="CODE", flags=0x23),
    of(132)._replace(name="GRAMS"),
    of(999)._replace(name="ODD"),
)
TABLE = TableDefinition(1, 1, DEFINITIONS)


def column(index: int, before: Value | None, after: Value | None) -> ColumnChange:
    definition = DEFINITIONS[index] if index < len(DEFINITIONS) else None
    name, is_key = (definition.name, definition.is_key) if definition else ("", False)
    return ColumnChange(index, name, definition, before, after, is_key)


def change(*columns: ColumnChange, definition: TableDefinition | None = TABLE, problem: str | None = None) -> Change:
    return Change("UPDATE", "TEA.LEAVES", (row(),), columns, definition, None, None, 0, problem)


def lines(row_change: Change, **settings: int) -> list[str]:
    return list(values_lines(row_change, row_change.records[0], Settings(**settings)))


def value(plain: Plain, data: bytes = b"") -> Value:
    return Value(data or str(plain).encode(), plain)


NULL = Value(b"", is_null=True)


def test_both_images_stand_side_by_side_and_changes_are_marked() -> None:
    shown = lines(change(column(0, value("SEN01"), value("SEN01")), column(1, value(890), NULL)))
    assert shown == [
        "Values of UPDATE TEA.LEAVES",
        "   Column  Type        Before   After    Changed",
        "K  CODE    VARCHAR(6)  'SEN01'  'SEN01'",
        "   GRAMS   INTEGER     890      NULL     *",
    ]


@pytest.mark.parametrize(
    ("before", "after", "heads"),
    [("A", None, ["Before"]), (None, "A", ["After"]), ("A", "A", ["Before", "After", "Changed"])],
)
def test_an_image_that_is_not_there_has_no_column(before: str | None, after: str | None, heads: list[str]) -> None:
    images = (value(image_value) if image_value else None for image_value in (before, after))
    assert lines(change(column(0, *images)))[1].split()[2:] == heads


def test_a_column_that_one_image_lacks_is_blank_there() -> None:
    shown = lines(change(column(0, value("A"), value("A")), column(1, value(890), None)))
    assert shown[3] == "   GRAMS   INTEGER     890"


def test_what_does_not_decode_is_hex_and_the_reason_stands_below() -> None:
    raw = Value(b"\1\2", problem="data type 999: its storage format is not known")
    assert lines(change(column(2, None, raw)))[2:] == [
        "   ODD     data type 999  ?'0102'",
        "? ODD after: data type 999: its storage format is not known",
    ]


def test_without_a_definition_columns_have_numbers_and_hex() -> None:
    raw = Value(b"\1", problem="no definition of this column")
    shown = lines(change(column(7, None, raw), definition=None))
    assert shown[0] == "Values of UPDATE TEA.LEAVES, for which there is no definition (SOURCEDEFS reads one)"
    assert shown[2:] == ["   column 7        ?'01'"]


def test_columns_that_do_not_decode_are_told() -> None:
    assert lines(change(problem="cut\x1b")) == [
        r"Values cannot be shown: cut\x1b",
        "?'0000000600006c656166'",
    ]


def test_a_change_without_columns_has_no_table() -> None:
    assert lines(change()) == []


@pytest.mark.parametrize(
    ("plain", "text"),
    [
        ("NULL", "'NULL'"),
        ("", "''"),
        ("it's", "'it''s'"),
        ("bell\a", r"'bell\x07'"),
        (b"\xca\xfe", "X'cafe'"),
        (Decimal("17520.00"), "17520.00"),
        (datetime(2024, 3, 14, 9, 30), "2024-03-14 09:30:00"),  # noqa: DTZ001 - a DATE has no zone
    ],
)
def test_a_value_cannot_be_taken_for_another(plain: Plain, text: str) -> None:
    assert value_text(value(plain, b"\1")) == text
    assert value_text(NULL) == "NULL"
    assert value_text(None) == ""


def test_wide_characters_take_two_columns() -> None:
    shown = lines(change(column(0, value("煎茶"), value("A")), column(1, value(1), value(2))))
    assert shown[1:] == [
        "   Column  Type        Before  After  Changed",
        "K  CODE    VARCHAR(6)  '煎茶'  'A'    *",
        "   GRAMS   INTEGER     1       2      *",
    ]


def test_a_long_value_is_cut_at_a_part_of_reclen() -> None:
    row_change = change(column(0, None, value("x" * 500)))
    assert lines(row_change, reclen=90)[2].endswith(" '" + "x" * 30 + "…")
    assert lines(row_change, reclen=9000)[2].endswith("xxx'")


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("煎茶", 4, "煎茶"), ("煎茶", 3, "煎…"), ("煎茶x", 4, "煎…")],
)
def test_text_is_cut_by_its_width(text: str, width: int, cut: str) -> None:
    assert cut_to(text, width) == cut
    assert display_width(cut) <= width


def test_columns_of_a_table_are_as_wide_as_their_widest_cells_are_on_a_terminal() -> None:
    assert list(aligned([("茶", "1", "x"), ("tea", "20", "")], [1])) == ["茶    1  x", "tea  20"]
    assert display_width("e\N{COMBINING ACUTE ACCENT}") == 1
