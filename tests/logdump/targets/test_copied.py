"""Rules of what is copied of a table, without a database: which are refused, and what they make of a row."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pyarrow as pa
import pytest

from logdump.tables.errors import BadOption
from logdump.targets.copied import CopyRules
from logdump.targets.target import Mask, SourceTable

NAME = "S.T"
KINDS: dict[str, pa.DataType] = {
    "ID": pa.int64(),
    "Name": pa.string(),
    "N": pa.string(),
    "AMOUNT": pa.decimal128(10, 2),
    "RAW": pa.binary(),
    "AT": pa.timestamp("us"),
    "AT_UTC": pa.timestamp("us", "UTC"),
    "DAY": pa.date32(),
    "F": pa.float64(),
}
TABLE = SourceTable(NAME, None, MappingProxyType(KINDS), ("ID",), numbers=frozenset({"N"}))


def rules(
    columns: list[str] | None = None, rename: dict[str, str] | None = None, mask: dict[str, Mask] | None = None
) -> CopyRules:
    """The rules of the table."""
    return CopyRules({NAME: columns} if columns is not None else {}, {NAME: rename or {}}, {NAME: mask or {}}, b"s")


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (rules(["Name"]), "the key column ID is not among them"),
        (rules(["name", "id", "x"]), "S.T has no column x"),
        (rules(["id"], mask={"Name": Mask("null")}), "mask: S.T has no column Name"),
        (rules(["id"], rename={"Name": "other"}), "rename: S.T has no column Name"),
        (rules(rename={"Name": "id"}), "ID and Name would both be id"),
        (rules(rename={"Name": "x", "N": "X"}), "Name and N would both be X"),
        (rules(mask={"ID": Mask("fixed", 1)}), "a key may only be hashed"),
        (rules(mask={"id": Mask("null")}), "a key may only be hashed"),
        (rules(rename={"N": "a.b"}), "is no name of a column"),
        (rules(mask={"N": Mask("fixed", "x")}), "N is a number, not 'x'"),
        (rules(mask={"ID": Mask("hash"), "DAY": Mask("fixed", "2024-02-30")}), "DAY is date32"),
    ],
)
def test_rules_that_cannot_be_are_refused(given: CopyRules, why: str) -> None:
    with pytest.raises(BadOption) as refused:
        given.check([TABLE])
    assert why in str(refused.value)


@pytest.mark.parametrize(
    "given",
    [
        rules(["iD", "NAME"], {"name": "id2"}),
        rules(rename={"ID": "Name", "Name": "ID"}),
        rules(mask={"id": Mask("hash")}),
        rules(["id", "n"], mask={"N": Mask("fixed", "1.50")}),
    ],
)
def test_capitals_do_not_matter_and_names_may_change_places(given: CopyRules) -> None:
    given.check([TABLE])


def masked(name: str, mask: Mask, *values: Any) -> pa.ChunkedArray:
    """A column of rows as it is copied."""
    given = rules(mask={name: mask})
    return given.rows(given.copied(TABLE), pa.table({name: pa.array(values, KINDS[name])}))[name]


_HALF_PAST = dt.datetime(2024, 3, 14, 9, 30)  # noqa: DTZ001 - the column has no zone
_IN_UTC = _HALF_PAST.replace(tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("name", "given", "shown"),
    [
        ("AT", "2024-03-14T09:30:00", _HALF_PAST),
        ("AT", "2024-03-14T11:30:00+02:00", _HALF_PAST),
        ("AT_UTC", "2024-03-14T09:30:00", _IN_UTC),
        ("AT_UTC", "2024-03-14T11:30:00+02:00", _IN_UTC),
        ("DAY", "2024-03-14", dt.date(2024, 3, 14)),
        ("RAW", "00ff", b"\x00\xff"),
        ("AMOUNT", "1.5", Decimal("1.50")),
        ("N", "1.50", "1.50"),
        ("N", 7, "7"),
        ("Name", 7, "7"),
        ("F", "0.5", 0.5),
    ],
)
def test_a_fixed_value_is_one_of_its_column(name: str, given: Any, shown: Any) -> None:
    assert masked(name, Mask("fixed", given), None, None).to_pylist() == [shown, shown]


def test_equal_numbers_have_one_hash_however_they_are_written() -> None:
    texts = masked("N", Mask("hash"), "1.5", "1.50", "15e-1", "2", None).to_pylist()
    of_decimals = masked("AMOUNT", Mask("hash"), Decimal("1.5"), Decimal(2), None).to_pylist()
    assert texts == [of_decimals[0]] * 3 + of_decimals[1:]
    assert len({*masked("Name", Mask("hash"), "1.5", "1.50").to_pylist()}) == 2


def test_a_hashed_column_is_text_and_no_number_any_more() -> None:
    copied = rules(mask={"N": Mask("hash"), "ID": Mask("hash"), "AMOUNT": Mask("null")}).copied(TABLE)
    assert (copied.columns["N"], copied.columns["ID"], copied.columns["AMOUNT"]) == (
        *(pa.string(), pa.string()),
        KINDS["AMOUNT"],
    )
    assert copied.numbers == frozenset()


def test_columns_that_are_left_out_are_not_in_the_rows() -> None:
    given = rules(["id", "amount"])
    copied = given.copied(TABLE)
    rows = pa.table(
        {"ID": [1], "Name": ["hidden"], "AMOUNT": pa.array([Decimal(1)], KINDS["AMOUNT"]), "_op": ["insert"]}
    )
    assert list(copied.columns) == ["ID", "AMOUNT"]
    assert given.rows(copied, rows).column_names == ["ID", "AMOUNT", "_op"]
