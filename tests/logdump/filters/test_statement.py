from __future__ import annotations

import pytest

from logdump.filters import FilterError, FilterSet, Match

from .subjects import filters, tell

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

    @pytest.mark.parametrize(
        ("statement", "message"),
        [
            ('CLEAR STRING "Denver"', r"CLEAR allows no value, found '\"Denver\"'; write FILTER CLEAR STRING"),
            ("CLEAR Filename-0 x", "CLEAR allows no value"),
            ("CLEAR Filename-9", "no criterion 'Filename-9'; SHOW FILTER lists them"),
            ("CLEAR 0", "no criterion '0'"),
        ],
    )
    def test_a_value_or_an_unknown_id_is_refused(self, statement: str, message: str) -> None:
        with pytest.raises(FilterError, match=message):
            tell(filters(*self.STATEMENTS), statement)


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("FILENMAE hr.*", r"FILTER has no option FILENMAE; did you mean FILENAME"),
        ("hr.*", "FILTER has no option HR"),
        ("???", r"FILTER has no option '\?\?\?'; there are RECTYPE, IOTYPE, FILENAME, FILE"),
        ("INCLUDE", r"INCLUDE needs an option, as in FILTER INCLUDE FILENAME hr\.\*"),
        ("INCLUDE EXCLUDE RECTYPE 5", "INCLUDE or EXCLUDE, not both"),
        ("MATCH", "MATCH takes ANY or ALL"),
        ("MATCH SOME", "MATCH takes ANY or ALL, found 'SOME'"),
        ("ON RECTYPE 5", "takes no value, found 'RECTYPE 5'"),
        ("EXCLUDE OFF", "for the whole filter"),
        ("SHOW ALL", "SHOW takes no value"),
        ("PROCESS $EXT1", "PROCESS: a NonStop option, not available here"),
        ("TRANSID 5", "TRANSID: a NonStop option, not available here"),
        ("RECTYPE 5 MATCH ALL", "each criterion needs its own FILTER"),
        ("x" * 20_000, "at most 16384"),
    ],
)
def test_a_statement_that_is_refused_changes_nothing(statement: str, message: str) -> None:
    made = filters(*DOCUMENTED)
    with pytest.raises(FilterError, match=message):
        tell(made, statement)
    assert made == filters(*DOCUMENTED)


def test_the_number_of_criteria_is_bounded() -> None:
    made = filters(*["RECTYPE 5"] * 256)
    with pytest.raises(FilterError, match="256 criteria already"):
        tell(made, "RECTYPE 5")
