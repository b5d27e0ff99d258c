from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.filters import (
    OPTIONS,
    FilterError,
    FilterSet,
    Match,
    Option,
    apply,
    misuse_hint,
    option_named,
    parse_criterion,
    show,
)
from logdump.notation.times import GMT

from .subjects import broken, file_header, filters, subject, tell

REFUSED = {"PROCESS", "TRANSID"}
HELP_11_1 = (
    "RECTYPE STRING HEX TRANSID FILENAME PROCESS INT16 INT32 INT64 STARTTIME ENDTIME SYSKEY SYSKEYLEN TRANSIND "
    "UNDOFLAG RECLEN AUDITRBA ANSINAME GGSTOKEN USERTOKEN CSN LOGCSN"
)
MANUAL_12_2 = "IOTYPE RBA FILE"


@pytest.mark.parametrize("word", f"{HELP_11_1} {MANUAL_12_2}".split())
def test_every_option_of_both_sources_is_there_in_any_case(word: str) -> None:
    option = option_named(word)
    assert option is not None
    assert option is option_named(word.lower())
    assert word in option.words


def test_no_option_but_value_is_ours_alone_and_no_word_stands_for_two() -> None:
    words = [word for option in OPTIONS for word in option.words]
    assert sorted(words) == sorted(f"{HELP_11_1} {MANUAL_12_2} VALUE".split())


@pytest.mark.parametrize("option", OPTIONS, ids=[option.keyword for option in OPTIONS])
def test_an_option_explains_itself(option: Option) -> None:
    assert option.syntax.startswith(option.keyword)
    assert option.example.startswith(f"{option.keyword} ")
    assert option.help
    if option.keyword in REFUSED:
        with pytest.raises(FilterError, match="NonStop"):
            parse_criterion(option.example, GMT)
    else:
        made = parse_criterion(option.example, GMT)
        assert made.keyword == option.keyword
        assert made.needs in option.needs


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        (
            "RECTYPE",
            "RECTYPE is an option of FILTER: write FILTER RECTYPE 5 (each criterion needs its own FILTER)",
        ),
        ("match", "MATCH is an option of FILTER: write FILTER MATCH ALL (each criterion needs its own FILTER)"),
        (
            "SYSKEY",
            "SYSKEY is an option of FILTER: write FILTER SYSKEY 4294967302 (each criterion needs its own FILTER)",
        ),
        (
            "Exclude",
            "EXCLUDE is an option of FILTER: write FILTER EXCLUDE FILENAME hr.* (each criterion needs its own FILTER)",
        ),
        ("NEXT", None),
        ("", None),
    ],
)
def test_an_option_without_filter_says_what_was_meant(word: str, hint: str | None) -> None:
    assert misuse_hint(word) == hint


WORDS = st.sampled_from(
    [*(word for option in OPTIONS for word in option.words), "INCLUDE", "EXC", "MATCH", "CLEAR", "ALL", "SHOW", "OFF"]
)
VALUES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["5", '"x"', "0:3", ">=", ",", "B,", "/", "BOTH", "2024-01-01", "0x5", "TRANID", "*", "%H", "'"]),
)


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, st.lists(VALUES, max_size=5)), max_size=5))
def test_whatever_is_typed_gives_lines_or_a_filter_error(statements: list[tuple[str, list[str]]]) -> None:
    filters = FilterSet()
    messages = []
    for word, values in statements:
        try:
            apply(filters, " ".join([word, *values]), GMT)
        except FilterError as error:
            messages.append(str(error))
    assert all(line.isprintable() for line in [*messages, *show(filters)])
    assert all(len(message) < 1000 for message in messages)
    for filtered_record in (subject(data=b"\0\1\2"), file_header(), broken()):
        filtered_record.meets(filters)


def test_a_filter_imports_nothing_heavy() -> None:
    code = "import sys, logdump.filters; print(sorted(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"textual", "pyspark", "pyarrow", "numpy", "numba", "pandas"} & set(ast.literal_eval(done.stdout))


DOCUMENTED = ("INCLUDE FILENAME fin.act*", "RECTYPE 5", "MATCH ALL")


def test_the_example_of_the_manual() -> None:
    made = filters(*DOCUMENTED)
    assert len(made.include.criteria) == 2
    assert made.include.match is Match.ALL
    assert made.exclude.match is Match.ANY


def test_statements_print_nothing_but_show_does() -> None:
    made = FilterSet()
    assert [tell(made, statement) for statement in (*DOCUMENTED, "OFF", "CLEAR")] == [[]] * 5
    assert tell(made, "") == tell(made, "SHOW") == tell(made, "  show ") != []


@pytest.mark.parametrize("word", ["INCLUDE", "include", "INC", "INCLUD"])
def test_include_may_be_shortened(word: str) -> None:
    assert filters(f"{word} RECTYPE 5") == filters("RECTYPE 5")


@pytest.mark.parametrize("word", ["EXCLUDE", "EXC", "excl"])
def test_exclude_may_be_shortened(word: str) -> None:
    made = filters(f"{word} RECTYPE 5")
    assert not made.include.criteria
    assert len(made.exclude.criteria) == 1


def test_the_switch() -> None:
    made = filters("RECTYPE 5")
    for statement, state in (("OFF", False), ("ON", True), ("DISABLE", False), ("enable", True)):
        tell(made, statement)
        assert made.enabled is state


def test_match_is_that_of_the_include_set_unless_exclude_is_said() -> None:
    made = filters("MATCH ALL")
    assert (made.include.match, made.exclude.match) == (Match.ALL, Match.ANY)
    tell(made, "EXCLUDE MATCH ALL")
    tell(made, "INCLUDE MATCH any")
    assert (made.include.match, made.exclude.match) == (Match.ANY, Match.ALL)


class TestClear:
    STATEMENTS = ("FILENAME hr.*", "FILENAME oe.*", "HEX 4BF6", "EXCLUDE FILENAME sys.*", "MATCH ALL", "EXC MATCH ALL")

    @pytest.mark.parametrize("statement", ["CLEAR", "CLEAR ALL", "clear all"])
    def test_all_goes_with_the_match_and_the_switch_stays(self, statement: str) -> None:
        made = filters(*self.STATEMENTS, "OFF", statement)
        assert made == filters("OFF")

    @pytest.mark.parametrize("word", ["FILENAME", "filename", "FILE"])
    def test_an_option_goes_from_both_sets(self, word: str) -> None:
        assert filters(*self.STATEMENTS, f"CLEAR {word}") == filters("HEX 4BF6", "MATCH ALL", "EXC MATCH ALL")

    def test_an_option_that_is_not_in_use_is_no_error(self) -> None:
        assert filters(*self.STATEMENTS, "CLEAR STRING") == filters(*self.STATEMENTS)

    @pytest.mark.parametrize(("word", "at"), [("Filename-0", 0), ("FILENAME-1", 1), ("hex-0", 2), ("Filename-2", 3)])
    def test_an_id_goes_alone(self, word: str, at: int) -> None:
        kept = [statement for place, statement in enumerate(self.STATEMENTS) if place != at]
        assert filters(*self.STATEMENTS, f"CLEAR {word}") == filters(*kept)

    def test_of_equal_criteria_the_one_that_is_named_goes(self) -> None:
        made = filters("RECTYPE 5", "EXCLUDE RECTYPE 5", "CLEAR Rectypes-1")
        assert made == filters("RECTYPE 5")
        assert filters("RECTYPE 5", "EXCLUDE RECTYPE 5", "CLEAR Rectypes") == filters("EXCLUDE RECTYPE 5")

    def test_one_set_alone(self) -> None:
        made = filters(*self.STATEMENTS, "EXCLUDE CLEAR ALL")
        assert made == filters(*self.STATEMENTS[:3], "MATCH ALL")
        assert made == filters(*self.STATEMENTS[:3], "MATCH ALL", "EXCLUDE CLEAR FILENAME")


def test_the_number_of_criteria_is_bounded() -> None:
    made = filters(*["RECTYPE 5"] * 256)
    with pytest.raises(FilterError, match="256 criteria already"):
        tell(made, "RECTYPE 5")
