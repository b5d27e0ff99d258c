from __future__ import annotations

import pytest

from trailformat import IO_TYPES, io_type_name, io_type_number


@pytest.mark.parametrize(
    ("number", "name"),
    [
        (3, "Delete"),
        (5, "Insert"),
        (15, "FieldComp"),
        (100, "GGSPurgedata"),
        (115, "GGSPKUpdate"),
        (134, "GGSUnifiedUpdate"),
        (135, "GGSUnifiedPKUpdate"),
        (151, "RestartOK"),
        (160, "DDLOP"),
        (170, "Metadata"),
        (205, "GGSComment"),
    ],
)
def test_numbers_have_the_names_that_logdump_prints(number: int, name: str) -> None:
    assert io_type_name(number) == name


def test_a_number_that_no_source_lists_says_so() -> None:
    assert io_type_name(77) == "Type 77"


@pytest.mark.parametrize("number", IO_TYPES)
def test_every_name_leads_back_to_its_number_whatever_its_case(number: int) -> None:
    assert io_type_number(IO_TYPES[number].lower()) == number
    assert io_type_number(IO_TYPES[number].upper()) == number


@pytest.mark.parametrize(
    ("text", "number"), [("ddl", 160), ("PKUpdate", 115), ("purgedata", 100), ("unifiedupdate", 134)]
)
def test_short_spellings_are_understood(text: str, number: int) -> None:
    assert io_type_number(text) == number


@pytest.mark.parametrize(("text", "number"), [("0", 0), ("5", 5), ("005", 5), ("255", 255)])
def test_a_decimal_number_stands_for_itself(text: str, number: int) -> None:
    assert io_type_number(text) == number


@pytest.mark.parametrize("text", ["", "256", "-5", "5.0", "\u0665", "insertion", "9" * 5000], ids=ascii)
def test_anything_else_is_no_type(text: str) -> None:
    assert io_type_number(text) is None
