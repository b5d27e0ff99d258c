from __future__ import annotations

from pathlib import Path

from tests.logdump.line import Line


def test_a_mark_is_where_the_last_record_displayed_stands(shop: Line) -> None:
    shop("pos 2008; n; mark a; pos 0; pos mark a")
    assert shop.session.cursor.next == 2008


def test_marks_are_listed_by_file_and_rba_with_their_notes(shop: Line) -> None:
    path = shop.session.trail.path
    shop("pos 3069; mark b; pos 2008; mark a abended here; pos 0; mark z")
    assert shop("mark") == [
        f"z        RBA            0  {path}",
        f"a        RBA         2008  {path}  abended here",
        f"b        RBA         3069  {path}",
    ]


def test_a_mark_in_another_file_opens_it(shop: Line, trails: Path) -> None:
    path = shop.session.trail.path
    shop(f"pos 2008; mark a; open {trails / 'st000000000'}")
    assert shop("pos mark a") == [f"Current LogTrail is {path}", "Reading forward from RBA 2008"]
    assert shop.session.trail.path == path


def test_a_mark_of_the_same_name_takes_its_place(shop: Line) -> None:
    shop("pos 2008; mark a; pos 3069; mark a")
    assert [mark.rba for mark in shop.session.marks.values()] == [3069]


def test_marks_are_forgotten_one_by_one_or_all(shop: Line) -> None:
    shop("mark a; mark b; mark c; mark clear b")
    assert sorted(shop.session.marks) == ["a", "c"]
    shop("mark clear")
    assert shop("mark") == ["No marks. MARK <name> sets one at the position."]


def test_a_mark_that_is_not_there_is_a_failure(shop: Line) -> None:
    assert shop("pos mark x") == ["No mark 'x'; MARK lists them."]
    assert shop("mark clear x") == ["No mark 'x'; MARK lists them."]


def test_a_mark_needs_an_open_trail(line: Line) -> None:
    assert line("mark a") == ["No LogTrail is open. OPEN <filename> opens one."]
    assert len(line.failures) == 1


def test_a_note_with_control_characters_is_harmless(shop: Line) -> None:
    shop("mark a \x1b[31mred")
    assert "\\x1b[31mred" in shop("mark")[0]
