"""Which values are one, by hand: each group has equal values, and no value equals one of another group."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import product

import pytest

from tests.trailformat.values.kinds import of
from trailformat import ColumnDefinition, Value
from trailformat.values import Plain
from trailformat.values.comparing import Operand, comparable, equals, identity

NOON = datetime(2024, 3, 14, 12)  # noqa: DTZ001 - a DATE has no zone
TWO_EAST = timezone(timedelta(hours=2))
NUMBER, CHAR, VARCHAR, MOMENT, DURATION, MONTHS, BYTES = map(of, (134, 0, 64, 192, 207, 197, 64))
GROUPS: list[tuple[ColumnDefinition, list[list[Plain]]]] = [
    (
        NUMBER,
        [[31, Decimal("31.00"), 31.0], [Decimal("31.5"), 31.5, Decimal("31.50")], [-31], [Decimal("3.1e3"), 3100]],
    ),
    (NUMBER, [[0, Decimal("-0.00"), -0.0], [float("inf")], [float("-inf")], [Decimal("1e-9")], [0.1, Decimal("0.1")]]),
    (CHAR, [["WA", "WA ", "WA   "], ["", " "], ["wa"], [" WA"], ["WA\t"], ["NULL"]]),
    (VARCHAR, [["WA"], ["WA "], ["WA  "], [""], [" "], ["wa"], ["31.5"], ["31.50"], ["NULL"]]),
    (MOMENT, [[NOON], [date(2024, 3, 14), NOON.replace(hour=0)], [time(12)], [NOON.replace(microsecond=1)]]),
    (
        MOMENT,
        [[NOON.replace(tzinfo=UTC), NOON.replace(hour=14, tzinfo=TWO_EAST)], [NOON], [NOON.replace(tzinfo=TWO_EAST)]],
    ),
    (MOMENT, [["2024-03-14 12:00:00.123456789"], ["2024-03-14 12:00:00.123456780"], [NOON]]),
    (DURATION, [[timedelta(days=1), timedelta(hours=24)], [timedelta(days=-1)], [timedelta(seconds=1)]]),
    (MONTHS, [["1-02"], ["-1-02"], ["1-03"]]),
    (BYTES, [[b""], [b"\0"], [b"\0\xff"]]),
]
UNDECODED, ABSENT = Value(b"\1", problem="wrong size"), Value(b"", is_null=True)


@pytest.mark.parametrize(("definition", "groups"), GROUPS)
def test_equal_values_have_one_identity(definition: ColumnDefinition, groups: list[list[Plain]]) -> None:
    values = [(number, Value(b"", value)) for number, group in enumerate(groups) for value in group]
    values += [(-1, UNDECODED), (-2, Value(b"\2", problem="wrong size")), (-3, ABSENT)]
    for (number, value), (other_number, other) in product(values, values):
        forms = identity(value, definition), identity(other, definition)
        assert (forms[0] == forms[1]) is (repr(forms[0]) == repr(forms[1])) is (number == other_number)
        assert number != other_number or hash(forms[0]) == hash(forms[1])


@pytest.mark.parametrize(
    ("definition", "value", "same", "others"),
    [
        (NUMBER, Decimal("31.50"), ["31.5", "31.50", "+3150e-2", " 31.5 "], ["31.51", "31,5", "", "X"]),
        (CHAR, "WA ", ["WA", "WA ", "WA    "], ["wa", " WA", ""]),
        (VARCHAR, "WA ", ["WA "], ["WA", "WA  ", " WA "]),
        (
            MOMENT,
            NOON,
            ["2024-03-14 12:00", "2024-03-14:12:00:00.000", "2024-03-14T12:00:00"],
            ["2024-03-14", "12:00:00"],
        ),
        (MOMENT, NOON.replace(hour=0), ["2024-03-14", "2024-03-14 00:00:00"], ["2024-03-14 00:00:00 +00:00"]),
        (MOMENT, date(2024, 3, 14), ["2024-03-14", "2024-03-14:00:00:00"], ["2024-03-14 00:00:01"]),
        (MOMENT, "2024-03-14 12:00:00.123456789", ["2024-03-14:12:00:00.123456789"], ["2024-03-14 12:00:00.123456"]),
        (DURATION, timedelta(days=1, hours=6), ["1 06:00:00", "+01 06:00:00", "01:06:00:00"], ["1", "6:00:00"]),
        (of(211), timedelta(hours=30, seconds=0.5), ["30:00:00.5", "1 06:00:00.5"], ["1 06:00:00"]),
        (MONTHS, "1-02", ["1-02", "+01-02", "01-02"], ["-1-02", "1-2-0"]),
        (of(64, sub=4), b"\0\xff", ["00ff", "00FF", "0x00ff"], ["00", "ff00", "zz"]),
    ],
)
def test_an_operand_has_the_meaning_of_its_column(
    definition: ColumnDefinition, value: Plain, same: list[str], others: list[str]
) -> None:
    assert [text for text in (*same, *others) if equals(Value(b"", value), Operand(text), definition)] == same


def test_null_is_no_text_and_bytes_are_the_text_of_a_column_of_text() -> None:
    assert equals(ABSENT, Operand(), VARCHAR)
    assert not equals(ABSENT, Operand("NULL"), VARCHAR)
    assert not equals(Value(b"", "NULL"), Operand(), VARCHAR)
    assert not equals(UNDECODED, Operand("01"), VARCHAR)
    assert equals(Value(b"", "é\n"), Operand(data="é\n".encode()), VARCHAR)
    assert not equals(Value(b"", "é"), Operand(data=b"\xe9"), VARCHAR)
    assert not equals(Value(b"", 65), Operand(data=b"A"), NUMBER)


@pytest.mark.parametrize(
    ("definition", "value", "text"),
    [
        (MOMENT, NOON, "2024-03-14 12:00:00 +00:00"),
        (MOMENT, NOON.replace(tzinfo=UTC), "2024-03-14 12:00:00"),
        (NUMBER, Decimal(31), "NaN"),
        (NUMBER, float("nan"), "31"),
    ],
)
def test_what_has_no_order_is_not_comparable(definition: ColumnDefinition, value: Plain, text: str) -> None:
    assert comparable(Value(b"", value), Operand(text), definition) is None


def test_an_absent_value_is_none_of_the_others() -> None:
    forms = [identity(value, VARCHAR) for value in (None, ABSENT, UNDECODED, Value(b"", ""), Value(b"", "NULL"))]
    assert len(set(forms)) == len(forms)
