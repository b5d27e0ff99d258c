"""While a line is typed: whether it would run, and how it may go on."""

from __future__ import annotations

import pytest

from logdump.commands import REGISTRY
from logdump.language.reader import Context, Validity
from logdump.language.words import complete as offers
from logdump.language.words import completed, validity
from logdump.tui.panes.prompt import suggestion

TABLES = ["TEAHOUSE.SALES", "TEAHOUSE.TEAS", ""]
TRAIL = Context(tables=TABLES)


@pytest.mark.parametrize(
    "text",
    ["", "n", "next 5", "ghdr on", "pos 2014", "pos rev", "filter include filename hr.*", "ghdr on; n", "sft Insert"],
)
def test_a_line_that_would_run(text: str) -> None:
    assert validity(REGISTRY, text) is Validity.VALID


@pytest.mark.parametrize(
    "text", ["fil", "ghdr o", "filter inc", "filter include", "filter include filen", "sft", "pos eo"]
)
def test_a_line_that_lacks_something(text: str) -> None:
    assert validity(REGISTRY, text) is Validity.INCOMPLETE


@pytest.mark.parametrize(
    "text", ["zzz", "ghdr maybe", "pos here", "filter include colour red", "n x", "n; zzz", "fil x"]
)
def test_a_line_that_would_fail(text: str) -> None:
    assert validity(REGISTRY, text) is Validity.ERROR


def test_every_command_is_valid_by_its_name() -> None:
    assert [one.name for one in REGISTRY.commands if validity(REGISTRY, one.name) is Validity.ERROR] == []


def test_tables_of_the_trail_are_offered_where_a_name_is_meant() -> None:
    assert offers(REGISTRY, "filter include filename tea", TRAIL)[:2] == ["TEAHOUSE.SALES", "TEAHOUSE.TEAS"]


def test_record_types_are_offered() -> None:
    assert offers(REGISTRY, "sft Ins", TRAIL) == ["Insert"]
    assert "Insert" in offers(REGISTRY, "filter rectype ", TRAIL)


def test_filter_options_and_the_words_of_the_registry_are_offered() -> None:
    assert "FILENAME" in offers(REGISTRY, "filter inc ", TRAIL)
    assert "INCLUDE" in offers(REGISTRY, "filter ", TRAIL)
    assert offers(REGISTRY, "sfm", TRAIL) == ["SFMD"]


def test_a_line_is_completed_as_far_as_all_offers_go() -> None:
    assert completed("n; filter inc filename tea", TABLES[:2]) == "n; filter inc filename TEAHOUSE."
    assert completed("sft Ins", ["Insert"]) == "sft Insert "
    assert completed("open fixt", ["fixtures/"]) == "open fixtures/"
    assert completed("zz", []) == "zz"


def test_the_newest_line_of_the_history_is_suggested_first() -> None:
    history = ["count detail", "count", "open a"]
    assert suggestion("cou", history, ["COUNT"]) == "count"
    assert suggestion("scan", history, ["SCANFORHEADER"]) == "scanFORHEADER"
    assert suggestion("", history, ["COUNT"]) is None
