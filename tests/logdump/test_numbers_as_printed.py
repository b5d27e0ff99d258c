"""Numbers as GoldenGate's messages print them (``rba 483,188,832``, ``x73``), wherever a number is entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.language.forms import AnyOrder
from logdump.language.parameters import Number
from logdump.language.reader import Context, Validity, parse, parse_partial
from logdump.language.words import validity
from logdump.session.errors import ArgumentError
from tests.logdump.line import Line

SAME = [
    ("pos 1,811", "pos 1811"),
    ("pos rba 1,811", "pos 1811"),
    ("pos RBA 1811 rev", "pos 1811 reverse"),
    ("pos rev rba 1,811", "pos 1811 reverse"),
    ("pos record 0,004", "pos record 4"),
    ("safe 1,811", "safe 1811"),
    ("explain restart at 0 1,811", "explain restart at 0 1811"),
    ("recovery keep 0 1,811", "recovery keep 0 1811"),
    ("n 1,000", "n 1000"),
    ("skip 1,000; pos", "skip 1000; pos"),
    ("filter rba 1,811; count", "filter rba 1811; count"),
    ("filter rba >= 1,811; count", "filter rba >= 1811; count"),
    ("sft x05", "sft insert"),
    ("sft 0x05", "sft insert"),
    ("filter rectype x05; n 9", "filter rectype 5; n 9"),
    ("filter iotype x05,xA; n 9", "filter iotype 5,10; n 9"),
]
"""A line, and the line that means the same without them."""


@pytest.mark.parametrize(("typed", "plain"), SAME)
def test_a_number_means_the_same_as_it_is_printed(typed: str, plain: str, trails: Path) -> None:
    assert _answer(typed, trails) == _answer(plain, trails)


def _answer(line: str, trails: Path) -> list[str]:
    line_mode = Line()
    line_mode(f"open {trails / 'et000000000'}")
    answer = line_mode(line)
    assert not line_mode.failures
    return [*answer, str(line_mode.session.cursor.next)]


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("1,750", 1750), ("483,188,832", 483_188_832), ("0x1F", 31)])
def test_every_number_is_read_in_one_place(text: str, number: int) -> None:
    assert parse(Number("<n>"), text, Context()) == number


@pytest.mark.parametrize(
    "text", ["1,75", "1750,", ",750", "1,7500", "1750,000", "1,,750", "1.750", "-1", "+1", "0x1,000"]
)
def test_what_is_no_group_of_three_digits_is_no_number(text: str) -> None:
    with pytest.raises(ArgumentError, match="is not a number"):
        parse(Number("<n>"), text, Context())


@pytest.mark.parametrize("typed", ["1,", "1,7", "1,75"])
def test_a_number_that_is_being_typed_is_unfinished(typed: str) -> None:
    assert parse_partial(Number("<n>"), typed, Context()).validity is Validity.INCOMPLETE
    assert validity(REGISTRY, f"pos {typed}") is Validity.INCOMPLETE


def test_a_comma_of_a_list_stays_one(shop: Line) -> None:
    shop("filter rectype 5,115; filter show")
    assert "Insert, GGSPKUpdate" in " ".join(shop("filter show"))
    assert "'750'" not in " ".join(shop("sfr 1,750"))


@pytest.mark.parametrize("text", ["x", "x100", "xg5", "0x"])
def test_what_is_no_type_is_refused(text: str, shop: Line) -> None:
    assert shop(f"sft {text}")[0] == f"SCANFORTYPE: {text!r} is not a record type; SHOW RECTYPE lists them."


def test_two_positions_are_refused(shop: Line) -> None:
    shop("pos 1811")
    shown = shop("pos 2722 2")
    assert shown[0] == "POSITION: takes 2722 or 2, not both."
    assert shop.session.cursor.next == 1811


@pytest.mark.parametrize("words", ["2722 rba 2", "first last", "rev for", "2722 csn 5", "rba 1 rba 2"])
def test_what_holds_once_is_not_given_twice(words: str, shop: Line) -> None:
    shop(f"pos {words}")
    assert shop.failures


def test_the_same_again_is_no_contradiction(shop: Line) -> None:
    assert shop("pos 1811 rev REV")[:1] == ["Reading in reverse from RBA 1811"]


def test_no_option_is_given_twice_in_silence() -> None:
    form: AnyOrder[dict[str, int]] = AnyOrder(dict, {"n": Number("<n>")})
    with pytest.raises(ArgumentError, match="takes 1 or 2, not both"):
        parse(form, "1 2", Context())


@pytest.mark.parametrize("line", ["sfmd 17 17", "pos 1811 1811", "pos rev reverse"])
def test_the_same_again_is_unfinished_while_it_is_typed(line: str) -> None:
    assert Validity.ERROR not in {validity(REGISTRY, line[:end]) for end in range(len(line) + 1)}
