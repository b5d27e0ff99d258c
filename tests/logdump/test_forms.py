"""Forms of arguments: the syntax that they show, the value that they make, and what they refuse."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from logdump.language.forms import NOTHING, Alternatives, Amount, AnyOrder, Keyword, Maybe, RefusedKeyword, Sequence
from logdump.language.parameters import ON_OFF, File, FreeText, Number, OneOf, Word
from logdump.language.reader import Context, Form, Validity, parse, parse_partial
from logdump.session.errors import ArgumentError


class Wanted(NamedTuple):
    """What the forms of these tests make."""

    number: int | None = None
    word: str | None = None


NUMBER = Number("<n>", 1, 20)
PAIR = Sequence(Wanted, Maybe(NUMBER), Maybe(Word("<word>")))
OPTIONS = AnyOrder(Wanted, {"number": NUMBER}, {"word": Keyword("NAME[D]", Word("<name>"))}, wrong="{!r} is no option.")
EITHER = Alternatives[Any](ON_OFF, Keyword("BLOCK", NUMBER))


@pytest.mark.parametrize(
    ("form", "syntax"),
    [
        (NOTHING, ""),
        (ON_OFF, "{ON | OFF}"),
        (Maybe(ON_OFF), "[ON | OFF]"),
        (Maybe(ON_OFF, is_shown=False), "{ON | OFF}"),
        (OneOf({"PREV[IOUS]": True}), "PREVIOUS"),
        (EITHER, "{ON | OFF | BLOCK <n>}"),
        (Keyword("SET", ON_OFF), "SET {ON | OFF}"),
        (PAIR, "[<n>] [<word>]"),
        (Sequence(Wanted, NUMBER, ON_OFF), "<n> {ON | OFF}"),
        (OPTIONS, "[<n>] [<options>]"),
        (Amount({"RECORD[S]": 0}, wrong=""), "<n> RECORDS"),
    ],
)
def test_the_syntax_follows_from_the_form(form: Form[Any], syntax: str) -> None:
    assert form.grouped == syntax


@pytest.mark.parametrize(
    ("form", "text", "value"),
    [
        (NOTHING, "", None),
        (Maybe(ON_OFF), "", None),
        (ON_OFF, "off", False),
        (NUMBER, "0x10", 16),
        (File("<file>"), '"a b"', "a b"),
        (FreeText("<text>"), ' say "a  b" ', 'say "a  b"'),
        (EITHER, "block 7", 7),
        (PAIR, "5", Wanted(5)),
        (PAIR, "x", Wanted(None, "x")),
        (PAIR, "5 6", Wanted(5, "6")),
        (OPTIONS, "", Wanted()),
        (OPTIONS, "name x 5", Wanted(5, "x")),
        (OPTIONS, "5 named x 5", Wanted(5, "x")),
        (Alternatives[Any](Word("<file>"), OneOf({"OFF": None})), "off", None),
        (Amount({"RECORD[S]": "r"}, wrong=""), "5 record", (5, "r")),
    ],
)
def test_a_text_makes_a_value(form: Form[Any], text: str, value: object) -> None:
    assert parse(form, text, Context()) == value


@pytest.mark.parametrize(
    ("form", "text", "message"),
    [
        (NOTHING, "x", "takes no arguments, but got 'x'."),
        (ON_OFF, "", "'' is not one of ON, OFF."),
        (Maybe(ON_OFF), "maybe", "'maybe' is not one of ON, OFF."),
        (Maybe(ON_OFF), "on off", "'on off' is not one of ON, OFF."),
        (NUMBER, "x", "'x' is not a number."),
        (NUMBER, "21", "21 is out of range: 1 to 20."),
        (Maybe(NUMBER), "5 6", "takes one number, but got '5 6'."),
        (File("<file>"), "a b", "takes one file name; put one with blanks into double quotes: 'a b'."),
        (File("<file>", missing="takes a file."), "", "takes a file."),
        (FreeText("<text>"), " ", "takes <text>."),
        (OPTIONS, "5 x", "'x' is no option."),
        (EITHER, "block", "'' is not a number."),
        (Amount({"RECORD[S]": 0}, wrong="{} of {!r}?"), "5 apples", "5 of 'apples'?"),
        (RefusedKeyword("UNDO", "{} goes with SQL."), "undo", "undo goes with SQL."),
    ],
)
def test_what_does_not_fit_is_refused_with_the_reason(form: Form[Any], text: str, message: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        parse(form, text, Context())
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("form", "text", "validity"),
    [
        (ON_OFF, "o", Validity.INCOMPLETE),
        (ON_OFF, "o ", Validity.ERROR),
        (ON_OFF, "x", Validity.ERROR),
        (NUMBER, "0", Validity.INCOMPLETE),
        (NUMBER, "0x", Validity.INCOMPLETE),
        (NUMBER, "21", Validity.ERROR),
        (PAIR, "5 ", Validity.VALID),
        (OPTIONS, "na", Validity.INCOMPLETE),
        (OPTIONS, "name", Validity.INCOMPLETE),
        (EITHER, "block x", Validity.ERROR),
    ],
)
def test_an_unfinished_text_is_wrong_only_where_nothing_can_mend_it(
    form: Form[Any], text: str, validity: Validity
) -> None:
    assert parse_partial(form, text, Context()).validity is validity


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", {NUMBER}), ("5", {NUMBER}), ("name x", set()), ("name x ", {NUMBER})],
)
def test_what_may_stand_at_the_last_word_is_expected(text: str, expected: set[Number]) -> None:
    found = {expectation.parameter for expectation in parse_partial(OPTIONS, text, Context()).expected}
    assert {parameter for parameter in found if isinstance(parameter, Number)} == expected
