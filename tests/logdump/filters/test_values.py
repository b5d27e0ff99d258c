from __future__ import annotations

import pickle
import re
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from logdump.filters import Criterion, FilterError, FilterSet, Needs, apply, parse_criterion, show
from logdump.filters.comparison import ValueComparison
from logdump.filters.needle import ColumnRange, Needle, parse_column_range
from logdump.filters.value_criteria import ColumnValue
from logdump.notation.times import GMT, TimeOffset
from tests.logdump.filters.subjects import Subject
from tests.trailformat.samples import IO_TIME, row
from tests.trailformat.values.kinds import of
from trailformat import ColumnDefinition, Value
from trailformat.records.record_header import DELETE, INSERT, PK_UPDATE, RESTART_OK
from trailformat.values import Plain


def test_both_ends_are_included_and_counted_from_zero() -> None:
    needle = Needle(b"ab", parse_column_range("0:3"))
    assert [start for start in range(-1, 6) if needle.lies_inside(start, 8)] == [0, 1, 2]


def test_a_single_number_is_one_byte() -> None:
    assert parse_column_range("5") == ColumnRange(5, 5)
    assert [start for start in range(9) if Needle(b"a", ColumnRange(5, 5)).lies_inside(start, 8)] == [5]


def test_it_prints_as_show_filter_does() -> None:
    assert str(parse_column_range("0:231")) == "Col 0:231"


def test_nothing_lies_behind_short_data() -> None:
    assert [start for start in range(9) if Needle(b"ab", ColumnRange(5, 9)).lies_inside(start, 8)] == [5, 6]
    assert [start for start in range(99) if Needle(b"ab", ColumnRange(60, 90)).lies_inside(start, 8)] == []


@pytest.mark.parametrize("text", ["3:1", "", ":", "1:", ":1", "a:b", "-1:3", "99999999999"])
def test_what_is_no_range_is_refused(text: str) -> None:
    with pytest.raises(FilterError, match="range"):
        parse_column_range(text)


NULL = Value(b"", is_null=True)
RAW = Value(b"\1", problem="INT64: wrong size of the value")


FIXED, VARIABLE = of(0), of(64)


def meets(
    text: str, before: Plain | Value, after: Plain | Value = None, name: str = "PRICE", like: ColumnDefinition = FIXED
) -> bool:
    """Whether a column's values meet the option; None is an image that does not have it."""
    images = [
        image if isinstance(image, Value) else Value(b"", image) for image in (before, after) if image is not None
    ]
    condition = criterion(text)
    assert isinstance(condition, ColumnValue)
    return condition.fits(name) and any(
        ValueComparison(condition.comparison, condition.operand).holds(image, like) for image in images
    )


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
    assert meets(f"VALUE PRICE {comparison}", value)


@pytest.mark.parametrize(
    ("value", "comparison", "is_met"),
    [
        ("WA ", "= WA", False),
        ("WA ", "= 'WA '", True),
        ("WA", "= 'WA '", False),
        ("WA ", "<> WA", True),
        ("WA ", "> WA", True),
        ("WA", "< 'WA '", True),
        ("", "= ''", True),
        (" ", "= ''", False),
    ],
)
def test_blanks_at_the_end_count_where_the_length_varies(value: str, comparison: str, *, is_met: bool) -> None:
    assert meets(f"VALUE PRICE {comparison}", value, like=VARIABLE) is is_met


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
    assert not meets(f"VALUE PRICE {comparison}", value)


def test_either_image_may_have_the_value() -> None:
    assert meets("VALUE PRICE > 15", 10, 20)
    assert meets("VALUE PRICE < 15", 10, 20)
    assert not meets("VALUE PRICE = 15", 10, 20)


@pytest.mark.parametrize(("written", "names"), [("price", ["PRICE", "Price"]), ('"Price"', ["Price"])])
def test_a_name_is_sought_case_aside_unless_it_is_in_quotes(written: str, names: list[str]) -> None:
    text = f"VALUE {written} = 1"
    assert [name for name in ("PRICE", "Price", "PRICES") if meets(text, 1, name=name)] == names


@pytest.mark.parametrize("text", ["PRICE=1", "PRICE>=1", "PRICE ge 1", "PRICE == 1", '"PRICE"=1'])
def test_blanks_around_the_operator_do_not_matter(text: str) -> None:
    assert meets(f"VALUE {text}", 1)


def test_a_name_with_blanks_is_in_quotes() -> None:
    assert meets('VALUE "Due date" = 1', 1, name="Due date")


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
    condition = criterion("VALUE PRICE > 1")
    assert Needs.VALUES in condition.needs
    assert pickle.loads(pickle.dumps(condition)) == condition


@pytest.mark.parametrize(
    ("comparison", "passing"),
    [
        ("GGS_OP_TYPE = Insert", [0]),
        ("GGS_OP_TYPE = 'PK UPDATE'", [2]),
        ("GGS_OP_TYPE <> INSERT", [1, 2]),
        ("GGS_BEFORE_AFTER_IND = BEFORE", [1]),
        ("ggs_before_after_ind <> before", [0, 2, 3]),
        ("GGS_TRANS_RBA >= 8", [1, 2, 3]),
        ("GGS_TRANS_TIMESTAMP >= '2016-04-28 12:10:15'", [2, 3]),
        ("GGS_TRANS_TIMESTAMP < 2016-04-28", []),
    ],
)
def test_what_a_header_holds_has_the_names_of_goldengate(comparison: str, passing: list[int]) -> None:
    types = INSERT, DELETE, PK_UPDATE, RESTART_OK
    letters = "ABAA"
    rows = [
        row(io_type=io_type, before_after=ord(letter), audit_pos=7 + at, io_time=IO_TIME + 500_000 * at)
        for at, (io_type, letter) in enumerate(zip(types, letters, strict=True))
    ]
    wanted = criterion(f"VALUE {comparison}")
    assert [at for at, record in enumerate(rows) if Subject(record).meets(wanted)] == passing


@pytest.mark.parametrize(
    ("comparison", "told"),
    [
        ("GGS_OP_TYPE = MERGE", "no GGS_OP_TYPE 'MERGE'; there are DELETE, INSERT, UPDATE, "),
        ("GGS_OP_TYPE > INSERT", "GGS_OP_TYPE is compared by = and <> only"),
        ("GGS_TRANS_RBA = x", "'x'"),
        ("GGS_TRANS_TIMESTAMP = whenever", "whenever"),
        ("GGS_TRANS_RBA = NULL", "GGS_TRANS_RBA is never NULL"),
    ],
)
def test_what_cannot_stand_in_a_header_is_refused(comparison: str, told: str) -> None:
    with pytest.raises(FilterError, match=re.escape(told)):
        criterion(f"VALUE {comparison}")


def test_in_quotes_such_a_name_is_that_of_a_column() -> None:
    assert meets('VALUE "GGS_OP_TYPE" = I', "I", None, "GGS_OP_TYPE")


def test_a_moment_of_a_header_keeps_its_zone_when_it_is_handed_over() -> None:
    offset = TimeOffset(120)
    wanted = parse_criterion("VALUE GGS_TRANS_TIMESTAMP >= '2024-03-14 12:00'", offset)
    assert parse_criterion(wanted.statement, GMT) == wanted
    assert "10:00" in wanted.statement
