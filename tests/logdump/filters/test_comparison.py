from __future__ import annotations

import pytest

from logdump.filters import Comparison, FilterError
from logdump.filters.comparison import OPERATORS, split_comparison


@pytest.mark.parametrize(
    ("spellings", "meets"),
    [
        (("=", "==", "EQ", "eq"), {5}),
        (("<", "LT"), {4}),
        (("<=", "LE"), {4, 5}),
        ((">", "GT", "gt"), {6}),
        ((">=", "GE"), {5, 6}),
        (("<>", "!=", "NE"), {4, 6}),
    ],
)
def test_every_spelling_of_an_operator_stands_before_or_after_the_value(
    spellings: tuple[str, ...], meets: set[int]
) -> None:
    for spelling in spellings:
        for text in (f"{spelling} 5", f"5 {spelling}"):
            comparison, value = split_comparison(text)
            assert value == "5"
            assert {number for number in (4, 5, 6) if comparison.holds(number, 5)} == meets


def test_the_spellings_are_those_of_both_sources() -> None:
    assert set(OPERATORS) == {"=", "==", "EQ", "<", "LT", "<=", "LE", ">", "GT", ">=", "GE", "<>", "!=", "NE"}


def test_no_operator_means_equal() -> None:
    assert split_comparison(" 5 ") == (Comparison.EQUAL, "5")


@pytest.mark.parametrize("text", [">=5", "5>=", ">= 5", "5 >="])
def test_signs_need_no_blank(text: str) -> None:
    assert split_comparison(text) == (Comparison.GREATER_OR_EQUAL, "5")


def test_a_word_inside_a_value_is_no_operator() -> None:
    assert split_comparison("NEVER") == (Comparison.EQUAL, "NEVER")
    assert split_comparison('= "a NE"') == (Comparison.EQUAL, '"a NE"')


def test_an_operator_may_lack_its_value() -> None:
    assert split_comparison("NE") == (Comparison.NOT_EQUAL, "")
    assert split_comparison("") == (Comparison.EQUAL, "")


@pytest.mark.parametrize(
    ("text", "message"), [("> 5 <", "two operators"), ("=> 5", "no operator '=>'"), ("5 !", "no operator '!'")]
)
def test_what_is_no_comparison_is_refused(text: str, message: str) -> None:
    with pytest.raises(FilterError, match=message):
        split_comparison(text)


@pytest.mark.parametrize(
    ("text", "value"), [("GT 'a b c'", "'a b c'"), ("'a b c' GT", "'a b c'"), ("> 'a  b' ", "'a  b'")]
)
def test_a_value_keeps_its_blanks(text: str, value: str) -> None:
    assert split_comparison(text) == (Comparison.GREATER, value)
