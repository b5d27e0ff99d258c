from __future__ import annotations

import pickle
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from logdump.filters import Criterion, FilterError, FilterSet, Needs, Subject, apply, parse_criterion, show
from logdump.notation.times import GMT
from tests.trailformat.samples import row
from trailformat import ColumnChange, Value
from trailformat.values import Plain

NULL = Value(b"", is_null=True)
RAW = Value(b"\1", problem="INT64: value of another size")


def subject(before: Plain | Value, after: Plain | Value = None, name: str = "PRICE") -> Subject:
    """A record with one column; None is an image that does not have it."""
    old, new = (one if isinstance(one, Value) or one is None else Value(b"", one) for one in (before, after))
    return Subject(row(), "TEA.LEAVES", columns=(ColumnChange(0, name, None, old, new, is_key=False),))


def criterion(text: str) -> Criterion:
    return parse_criterion(text, GMT)


NOON = datetime(2024, 3, 14, 12)  # noqa: DTZ001 - a DATE has no zone


@pytest.mark.parametrize(
    ("value", "comparison"),
    [
        (15001, "> 15000"),
        (9, "< 10"),
        (Decimal("17520.00"), "= 17520"),
        (Decimal("-1.5"), "<> 1.5"),
        (0.1, "= 0.1"),
        (1e300, "> 99999999999999999999"),
        ("WA ", "= WA"),
        ("WA", "= 'WA'"),
        ("WA\t", "<> WA"),
        ("WAX", "<> WA"),
        ("WA", "<> 'WA\t'"),
        ("WA", "<> WAX"),
        ("WA", "= 'WA '"),
        (" WA", "= ' WA'"),
        ("it's", "= 'it''s'"),
        ("a > b", "= 'a > b'"),
        ("10", "< 9"),
        (b"\xca\xfe", "= cafe"),
        (b"\xca\xfe", "= X'cafe'"),
        (NOON, ">= 2024-03-14"),
        (NOON, "= '2024-03-14 12:00:00'"),
        (NOON, "= 2024-03-14:12:00:00"),
        (NOON.replace(tzinfo=UTC), "< '2024-03-14 13:00:00 +00:30'"),
        (NOON.replace(tzinfo=UTC), "> 2024-03-14"),
        (date(2024, 3, 14), "< '2024-03-14 12:00:00'"),
        (date(2024, 3, 14), "< '2024-03-14 12:00:00 +00:00'"),
        (time(9, 30), "lt 10:00:00"),
        (timedelta(days=1), ">= '0 23:59:59'"),
        (NULL, "= NULL"),
        (0, "<> null"),
    ],
)
def test_a_value_is_compared_by_its_type(value: Plain | Value, comparison: str) -> None:
    assert criterion(f"VALUE PRICE {comparison}").matches(subject(value))


@pytest.mark.parametrize(
    ("value", "comparison"),
    [
        (10, "> 10"),
        (10, "= ten"),
        (10, "<> ten"),
        (float("nan"), "<> 1"),
        (float("nan"), "= nan"),
        ("WA", "= wa"),
        (b"\1", "= soon"),
        (NOON, "> soon"),
        (NOON, "> '2024-03-14 11:00:00 +00:00'"),
        (NOON, "> 11:00:00"),
        (timedelta(days=1), "> soon"),
        (NULL, "<> 1"),
        (NULL, "<> NULL"),
        (RAW, "<> 1"),
        (RAW, "= NULL"),
        (None, "<> 1"),
    ],
)
def test_what_is_of_another_type_null_or_absent_meets_nothing(value: Plain | Value, comparison: str) -> None:
    assert not criterion(f"VALUE PRICE {comparison}").matches(subject(value))


def test_either_image_may_have_the_value() -> None:
    assert criterion("VALUE PRICE > 15").matches(subject(10, 20))
    assert criterion("VALUE PRICE < 15").matches(subject(10, 20))
    assert not criterion("VALUE PRICE = 15").matches(subject(10, 20))


@pytest.mark.parametrize(("written", "names"), [("price", ["PRICE", "Price"]), ('"Price"', ["Price"])])
def test_a_name_is_sought_case_aside_unless_it_is_in_quotes(written: str, names: list[str]) -> None:
    one = criterion(f"VALUE {written} = 1")
    assert [name for name in ("PRICE", "Price", "PRICES") if one.matches(subject(1, name=name))] == names


@pytest.mark.parametrize("text", ["PRICE=1", "PRICE>=1", "PRICE ge 1", "PRICE == 1", '"PRICE"=1'])
def test_blanks_around_the_operator_do_not_matter(text: str) -> None:
    assert criterion(f"VALUE {text}").matches(subject(1))


def test_a_name_with_blanks_is_in_quotes() -> None:
    assert criterion('VALUE "Due date" = 1').matches(subject(1, name="Due date"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("VALUE", "is no comparison of a column"),
        ("VALUE PRICE", "is no comparison of a column"),
        ("VALUE > 1", "is no comparison of a column"),
        ("VALUE AGE 5", "is no comparison of a column"),
        ("VALUE PRICE >", "a value is missing"),
        ("VALUE PRICE < NULL", "NULL is compared by = and <> only"),
        (f"VALUE {'x' * 2000} = 1", "a name has 1 to 1024 characters"),
    ],
)
def test_what_is_no_comparison_is_refused(text: str, problem: str) -> None:
    with pytest.raises(FilterError, match=problem):
        criterion(text)


def test_show_prints_it_as_it_may_be_entered() -> None:
    filters = FilterSet()
    for text in ("price > 15000", "\"Mixed\" <> 'it''s'", "NOTE = NULL", '"a ""b""" = 1'):
        apply(filters, f"VALUE {text}", GMT)
    assert show(filters)[2:6] == [
        "Value-0    : price > '15000'",
        "Value-1    : \"Mixed\" <> 'it''s'",
        "Value-2    : NOTE = NULL",
        'Value-3    : "a ""b""" = \'1\'',
    ]


def test_it_needs_values_and_can_be_sent_to_other_processes() -> None:
    one = criterion("VALUE PRICE > 1")
    assert Needs.VALUES in one.needs
    assert pickle.loads(pickle.dumps(one)) == one
