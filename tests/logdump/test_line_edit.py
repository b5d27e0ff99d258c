"""FC's edit language, and which command FC means."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.commands.scripts import apply_edit, cancels, find_command

COMMANDS = st.text("abdir 1/", max_size=30)


def edited(screen: str) -> str:
    """Apply an edit as it stands on the screen: the command after ``> ``, the edit after ``..``."""
    above, below = screen.strip("\n").split("\n")
    assert above.startswith("> ")
    assert below.startswith("..")
    return apply_edit(above[2:], below[2:])


class TestTheManualsExamples:
    def test_insert(self) -> None:
        assert edited("> count\n..     i detail") == "count detail"

    def test_replace(self) -> None:
        assert edited("> timeoffset local\n..           rgmt") == "timeoffset gmt"

    def test_delete(self) -> None:
        assert edited("> scanforrrbba\n..        dd") == "scanforrba"

    def test_overwrite(self) -> None:
        assert edited("> scanforrba 107\n..           127") == "scanforrba 127"

    def test_ggsci_overwrites_with_text_that_holds_r_and_d(self) -> None:
        assert edited("> info mgr\n..     extract extjd") == "info extract extjd"

    def test_ggsci_replaces(self) -> None:
        assert edited("> info mgr\n..     rextract extjd") == "info extract extjd"

    def test_ggsci_deletes_to_the_end(self) -> None:
        assert edited("> info extract extjd, detail\n..                  dddddddd") == "info extract extjd"


class TestEachEdit:
    @pytest.mark.parametrize("edit", ["", " ", "          ", "//"])
    def test_nothing_changes_nothing(self, edit: str) -> None:
        assert apply_edit("ghdr on", edit) == "ghdr on"

    def test_letters_may_be_upper_case(self) -> None:
        assert edited("> count\n..     I detail") == "count detail"
        assert edited("> timeoffset local\n..           RGMT") == "timeoffset GMT"
        assert edited("> scanforrrbba\n..        Dd") == "scanforrba"

    def test_insert_goes_before_the_character_above(self) -> None:
        assert edited("> pos 19\n..    i5") == "pos 519"
        assert edited("> pos 19\n..i;") == ";pos 19"

    def test_insert_keeps_its_blanks(self) -> None:
        assert edited("> countdetail\n..     i ") == "count detail"

    def test_insert_and_overwrite_beyond_the_end_fill_the_gap(self) -> None:
        assert edited("> count\n..      idetail") == "count detail"
        assert edited("> count\n..      xyz") == "count xyz"
        assert edited("> count\n..        rxyz") == "count   xyz"

    def test_delete_beyond_the_end_does_nothing(self) -> None:
        assert edited("> count\n..       ddd") == "count"
        assert edited("> count\n..    ddd") == "coun"

    def test_replace_takes_the_rest_whatever_its_length(self) -> None:
        assert edited("> filter include filename a.b; next\n..       rclear all") == "filter clear all"
        assert edited("> count detail\n..     r") == "count"

    def test_replace_keeps_slashes(self) -> None:
        assert edited("> open a\n..     r//host/dirdat/lt000000000 x") == "open //host/dirdat/lt000000000 x"

    def test_overwrite_leaves_what_is_above_a_single_blank_alone(self) -> None:
        assert edited("> pos 1070\n..    2 3") == "pos 2030"

    def test_overwrite_may_be_longer_than_the_line(self) -> None:
        assert edited("> pos 0\n..    123456") == "pos 123456"

    def test_text_that_starts_with_a_letter_of_an_edit_needs_r_or_i(self) -> None:
        assert edited("> xount\n..detail") == "etail"
        assert edited("> xount\n..rdetail") == "detail"


class TestSeveralEditsOnOneLine:
    def test_deletes_apart(self) -> None:
        assert edited("> ccount ddetail\n..d      d") == "count detail"

    def test_delete_then_insert_at_once(self) -> None:
        assert edited("> pos 107\n..    ddi99") == "pos 997"

    def test_two_blanks_end_an_overwrite(self) -> None:
        assert edited("> xount dettail\n..c       d") == "count detail"

    def test_after_one_blank_an_overwrite_goes_on(self) -> None:
        assert edited("> xoxnt\n..c d") == "codnt"

    def test_slashes_end_an_insert(self) -> None:
        assert edited("> pos 10; nextt\n..    i5//    d") == "pos 510; next"

    def test_slashes_end_an_overwrite(self) -> None:
        assert edited("> xountt deetail\n..c//  d  d") == "count detail"

    def test_columns_are_those_of_the_command_as_shown(self) -> None:
        assert edited("> abcdefghij\n..d ixyz//d 9") == "bxyzcdefghj9"


class TestCancel:
    @pytest.mark.parametrize("edit", ["//", "   //", "// ", "   i detail//", "//anything"])
    def test_slashes_at_the_start_or_the_end(self, edit: str) -> None:
        assert cancels(edit)

    @pytest.mark.parametrize("edit", ["", "  d", "/", "  i5//   d", "  i a/b", "  ropen //host/x"])
    def test_anything_else_does_not(self, edit: str) -> None:
        assert not cancels(edit)


class TestWhatHoldsForAnyEdit:
    @given(COMMANDS, COMMANDS)
    def test_what_is_left_of_the_edit_stays(self, line: str, edit: str) -> None:
        first = len(edit) - len(edit.lstrip(" "))
        result = apply_edit(line, edit)
        assert result[: min(first, len(line))] == line[:first]
        assert len(result) <= len(line) + 2 * len(edit)

    @given(COMMANDS, st.integers(0, 30), COMMANDS)
    def test_insert_is_a_slice(self, line: str, column: int, text: str) -> None:
        column, text = min(column, len(line)), text.replace("//", "")
        if "//" not in text:
            assert apply_edit(line, " " * column + "i" + text) == line[:column] + text + line[column:]

    @given(COMMANDS, st.integers(0, 30), st.integers(1, 9))
    def test_delete_is_a_slice(self, line: str, column: int, count: int) -> None:
        assert apply_edit(line, " " * column + "d" * count) == line[:column] + line[column + count :]

    @given(COMMANDS, st.integers(0, 30), COMMANDS)
    def test_replace_is_a_slice(self, line: str, column: int, text: str) -> None:
        column = min(column, len(line))
        assert apply_edit(line, " " * column + "r" + text) == line[:column] + text


class TestFindCommand:
    HISTORY = ("open a", "scanforheader", "ghdr on", "  SCANFORRBA 107", "count")

    @pytest.mark.parametrize(
        ("argument", "command"),
        [
            ("", "count"),
            ("  ", "count"),
            ("1", "open a"),
            ("5", "count"),
            ("-1", "count"),
            ("-3", "ghdr on"),
            ("-5", "open a"),
            ("sca", "  SCANFORRBA 107"),
            ("SCANFORH", "scanforheader"),
            ("open a", "open a"),
        ],
    )
    def test_last_number_back_or_start(self, argument: str, command: str) -> None:
        assert find_command(self.HISTORY, argument) == command

    @pytest.mark.parametrize("argument", ["0", "6", "-0", "-6", "pen", "openx", "9" * 5000, "-", "+1", "\u0661"])
    def test_there_is_no_such_command(self, argument: str) -> None:
        assert find_command(self.HISTORY, argument) is None

    @pytest.mark.parametrize("argument", ["", "1", "-1", "x"])
    def test_an_empty_history(self, argument: str) -> None:
        assert find_command([], argument) is None
