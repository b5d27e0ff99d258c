"""ROW, FILTER VALUE, FIND, and SQL find the same rows of drawn trails, and what is printed for pasting finds them too.

What is equal is said here by hand: numbers as fractions, text by the rule of its column, moments by Python.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.notation.values import ColumnOperand, pairs_text, read_operand, read_pairs, value_notation
from logdump.session.events import StatementShown
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import examples
from tests.trailformat.samples import BOTH, header, metadata_record, trail_of
from tests.trailformat.values.kinds import BYTES, KINDS, TEXT, Kind, of
from trailformat import ByteOrder, CannotWrite, Column, Images, TableDefinition, make_record
from trailformat.definitions.metadata import KEY, build_table
from trailformat.records.columns import NULL, PRESENT
from trailformat.records.record_header import COMPRESSED, NAME_IS_INDEX
from trailformat.values import Plain, decode_value, encode_value
from trailformat.values.comparing import Operand, equals, identity, operand_of

AWKWARD = [
    "'x'",
    "x",
    '"x"',
    "it's",
    "''",
    "NULL",
    "null",
    "",
    " ",
    "a ",
    "a",
    "a;b",
    'a";b',
    "a'\";b",
    "\\n",
    "a\nb",
    "\x1b[2J",
    "X'00'",
    "31.5",
    "31.50",
    "007",
    "a,b",
    "a, B=1",
    "a AND b",
    "AND",
    "--a",
    "#",
    "-",
    "=1",
    "\u00a0",
    "\u2028",
    "é",
]
TEXTS = st.one_of(st.sampled_from(AWKWARD), TEXT)
FIXED = TEXTS.map(lambda text: text.rstrip(" ")).filter(lambda text: len(text.encode()) <= 40)
ZEROS = st.sampled_from(["31.5", "31.50", "31.500", "0", "-0.0", "100", "1E+2", "-7", "0.1"]).map(Decimal)
MIDNIGHTS = st.sampled_from([datetime(2024, 3, 14), datetime(2024, 3, 14, 9, 30), datetime(2024, 3, 14, 0, 0, 0, 1)])  # noqa: DTZ001 - a DATE has none
OF_TYPES = {
    **KINDS,
    "VARCHAR": Kind(of(64, 400), TEXTS),
    "CHAR": Kind(of(0, 40), FIXED),
    "VARCHAR of bytes": Kind(of(64, sub=4), st.one_of(BYTES, st.sampled_from([b"", b"'x'", b"NULL"]))),
    "VARCHAR of a number": Kind(of(64, 50, sub=2), st.one_of(ZEROS, KINDS["VARCHAR of a number"].values)),
    "DATETIME": Kind(of(192), st.one_of(MIDNIGHTS, KINDS["DATETIME"].values)),
    "DATETIME of nanoseconds": Kind(of(192, 40), st.sampled_from(["2024-03-14 09:30:00.123456789", "0000-00-00"])),
}


def are_equal(a: Plain, b: Plain, kind: str) -> bool:
    """Whether two values of a column are one, said by hand."""
    if a is None or b is None:
        return a is b
    if isinstance(a, int | float | Decimal) and isinstance(b, int | float | Decimal):
        return a == b if float("inf") in (abs(a), abs(b)) else Fraction(str(a)) == Fraction(str(b))
    if kind == "CHAR":
        return str(a).rstrip(" ") == str(b).rstrip(" ")
    return a == b


class Drawn(NamedTuple):
    """A trail of inserts into TEA.T, with what the column K of each holds, by RBA."""

    path: Path
    values: dict[int, Plain]


def trail_with(folder: Path, kind: str, values: list[Plain], order: ByteOrder) -> Drawn:
    """Write a trail with a row for each value."""
    definition = OF_TYPES[kind].definition._replace(name="K", flags=KEY)
    number = of(132, 4)._replace(name="N")
    raws = [metadata_record(2, 1, "TEA.T", build_table(TableDefinition(1, 1, (number, definition)), order), order).raw]
    rbas = []
    for at, value in enumerate(values):
        stored = NULL if value is None else PRESENT + encode_value(value, definition, order)
        columns = Column(0, PRESENT + at.to_bytes(4, "big")), Column(1, stored)
        rbas.append(sum(map(len, raws)))
        of_row = header(1, order, partition=COMPRESSED | NAME_IS_INDEX, trans_ind=3)
        raws.append(make_record(of_row, Images(None, columns), order=order).raw)
    return Drawn(trail_of(folder, *raws), dict(zip(rbas, values, strict=True)))


def decoded_by(kind: str, value: Plain, order: ByteOrder) -> Plain:
    """The value as it is read again; a float of Tandem loses some."""
    definition = OF_TYPES[kind].definition
    return decode_value(Column(0, PRESENT + encode_value(value, definition, order)), definition, order).value


def can_be_stored(kind: str, value: Plain) -> bool:
    """Whether the column takes the value."""
    try:
        encode_value(value, OF_TYPES[kind].definition, ByteOrder.BIG)
    except CannotWrite:
        return False
    return True


def row_rbas(line: Line, text: str) -> list[int]:
    """The RBAs of the changes that ROW shows."""
    line(text)
    return [event.row.rba for event in line.events if isinstance(event, RowChangeShown)]


@pytest.mark.parametrize("kind", OF_TYPES)
@settings(max_examples=examples(4, short=1), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_row_filter_and_find_find_the_same_rows_and_what_is_printed_finds_them(
    kind: str, data: st.DataObject, tmp_path: Path
) -> None:
    order = data.draw(st.sampled_from(BOTH))
    drawn = data.draw(
        st.lists(OF_TYPES[kind].values.filter(lambda value: can_be_stored(kind, value)), min_size=3, max_size=5)
    )
    values = [decoded_by(kind, value, order) for value in drawn]
    trail = trail_with(tmp_path, kind, [*values, None, values[0]], order)
    line = Line()
    line(f"open {trail.path}")
    for value in (values[0], values[-1], None):
        expected = [rba for rba, other in trail.values.items() if are_equal(value, other, kind)]
        line(f"pos {expected[0]}; row")
        [undo] = [event.undo for event in line.events if isinstance(event, RowStoryShown)]
        written = undo.partition('"TEA.T" ')[2].removeprefix("K=")
        assert row_rbas(line, f"row TEA.T K={written}") == expected
        line(undo)
        assert len([event for event in line.events if isinstance(event, StatementShown)]) == len(expected)
        line(f"filter include value K = {written}; pos first")
        line("next 99")
        assert [rba for rba in line.rbas if rba in trail.values] == expected
        line(f"filter clear; pos first; find K = {written}")
        found = line.rbas
        while len(found) < len(expected):
            line("find next")
            found = [*found, *line.rbas]
        line("find next")
        assert (found, line.rbas) == (expected, [])
    line.session.close()


@pytest.mark.parametrize("kind", OF_TYPES)
@settings(max_examples=examples(20, short=6))
@given(data=st.data())
def test_a_value_that_is_printed_is_read_as_the_same_value(kind: str, data: st.DataObject) -> None:
    definition = OF_TYPES[kind].definition
    stored = [value for value in data.draw(st.lists(OF_TYPES[kind].values, min_size=2)) if can_be_stored(kind, value)]
    columns = [Column(0, PRESENT + encode_value(value, definition, ByteOrder.BIG)) for value in stored]
    values = [decode_value(column, definition, ByteOrder.BIG) for column in [*columns, Column(0, NULL)]]
    for value in values:
        written, operand = value_notation(value), operand_of(value)
        assert written is not None
        assert operand is not None
        assert written.isprintable()
        # semicolons end a command outside double quotes
        assert ";" not in re.sub('"[^"]*"', "", written)
        pairs = (ColumnOperand("A", is_exact=False, operand=operand), ColumnOperand('b "c"', True, operand))
        for text in (pairs_text(pairs), f'A = {written}, "b ""c"""={written}'):
            first, second = read_pairs(text)
            assert (first[:2], second[:2]) == (("A", False), ('b "c"', True))
            assert equals(value, first.operand, definition)
            assert first.operand == second.operand
        for other in values:
            is_same = are_equal(value.value, other.value, kind)
            assert equals(other, read_operand(written), definition) is is_same
            assert (identity(value, definition) == identity(other, definition)) is is_same
            assert (repr(identity(value, definition)) == repr(identity(other, definition))) is is_same


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=1", [("A", "1")]),
        ("A=1,B=2", [("A", "1"), ("B", "2")]),
        ("A=1, B='x, y' , C=3,", [("A", "1"), ("B", "x, y"), ("C", "3")]),
        ("A = 1 AND B = 'AND' and C=AND", [("A", "1"), ("B", "AND"), ("C", "AND")]),
        ("A=1 AND=2", [("A", "1"), ("AND", "2")]),
        ("NAME=Smith,John B=2", [("NAME", "Smith,John"), ("B", "2")]),
        ("T.A=1 S.T.B=2", [("A", "1"), ("B", "2")]),
        ('"Mixed Case"=1 T."x.y"=2', [("Mixed Case", "1"), ("x.y", "2")]),
        ("A=2024-03-14 09:30:00 B=1", [("A", "2024-03-14 09:30:00"), ("B", "1")]),
        ("A=2024-03-14 09:30:00.5 +02:00, B=1", [("A", "2024-03-14 09:30:00.5 +02:00"), ("B", "1")]),
        ("A='it''s' B=\"it's\" C=it's", [("A", "it's"), ("B", "it's"), ("C", "it's")]),
        ("A=NULL B='NULL' C=\"null\"", [("A", None), ("B", "NULL"), ("C", "null")]),
        ("A=X'00ff' B='X''00'''", [("A", b"\0\xff"), ("B", "X'00'")]),
        ("A='' B=\"\"", [("A", ""), ("B", "")]),
    ],
)
def test_a_list_of_columns_and_values(text: str, expected: list[tuple[str, str | bytes | None]]) -> None:
    operands = [Operand(data=value) if isinstance(value, bytes) else Operand(value) for _, value in expected]
    assert [(pair.name, pair.operand) for pair in read_pairs(text)] == [
        (name, operand) for (name, _), operand in zip(expected, operands, strict=True)
    ]


@pytest.mark.parametrize("text", ["", "A", "A=", "=1", "A=1 B", "A='x", "A='x'y", "A>1", "A==1", "A = 1 2"])
def test_what_is_no_list_of_columns_and_values_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"(?s).*"):
        read_pairs(text)


SALES = [
    ("AMOUNT=31.5", [2892, 3987]),
    ("AMOUNT=31.50", [2892, 3987]),
    ("AMOUNT=+3150e-2", [2892, 3987]),
    ("SALE_ID=0500002", [2892, 3987]),
    ("TEA_CODE='GYO01' SALE_ID=500002", [2892, 3987]),
    ("SALE_ID=500002, TEA_CODE='GYO01'", [2892, 3987]),
    ("sale_id=500002 AND tea_code=GYO01", [2892, 3987]),
    ("SALE_ID=500002 TEA_CODE=SEN01", []),
    ("NOTE='NULL'", []),
]


@pytest.mark.parametrize(("text", "expected"), SALES)
def test_a_row_of_the_shop_is_found_however_its_key_is_written(text: str, expected: list[int], shop: Line) -> None:
    rbas = row_rbas(shop, f"row TEAHOUSE.SALES {text}")
    assert rbas == expected


def test_sql_finds_the_rows_that_filter_finds(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    values: list[Plain] = ["x", "x ", "X", "'x'", "NULL", None, ""]
    trail = trail_with(tmp_path, "VARCHAR", values, ByteOrder.BIG)
    rbas = list(trail.values)
    for written, literal, expected in (
        ("x", "= 'x'", [0]),
        ("'x '", "= 'x '", [1]),
        ("'''x'''", "= '''x'''", [3]),
        ("'NULL'", "= 'NULL'", [4]),
        ("NULL", "IS NULL", [5]),
        ("''", "= ''", [6]),
    ):
        query = f"SELECT after_N FROM TEA.T WHERE after_K {literal} ORDER BY 1"
        answer = logdump("sql", "--format", "csv", query, str(trail.path))
        assert [int(text) for text in answer.out.split()[1:]] == expected
        line = Line()
        line(f"open {trail.path}")
        assert row_rbas(line, f"row TEA.T K={written}") == [rbas[number] for number in expected]
        line.session.close()


def test_a_date_at_midnight_is_its_day(tmp_path: Path) -> None:
    values: list[Plain] = [datetime(2024, 3, 14), datetime(2024, 3, 14, 9, 30), datetime(2024, 3, 15)]  # noqa: DTZ001
    trail = trail_with(tmp_path, "DATETIME", values, ByteOrder.LITTLE)
    line = Line()
    line(f"open {trail.path}")
    first, second, _ = trail.values
    assert row_rbas(line, "row T K=2024-03-14") == row_rbas(line, "row T K=2024-03-14T00:00") == [first]
    assert row_rbas(line, "row T K=2024-03-14 09:30:00") == row_rbas(line, "row T K='2024-03-14:09:30'") == [second]
    days = trail_with(tmp_path, "DATETIME of a date", [date(2024, 3, 14), date(2024, 3, 15)], ByteOrder.BIG)
    line(f"open {days.path}")
    assert row_rbas(line, "row T K='2024-03-14 00:00:00'") == [next(iter(days.values))]
    line.session.close()
