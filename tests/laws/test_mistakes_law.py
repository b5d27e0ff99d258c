"""The kit of mistakes: each is a change of a line that stands in the source once."""

from __future__ import annotations

from scripts.marked import ROOT
from scripts.plant_mistakes import every_mistake


def test_every_mistake_changes_a_line_that_stands_once_in_its_file() -> None:
    sources = {mistake.file: (ROOT / mistake.file).read_text(encoding="utf-8") for mistake in every_mistake()}
    wrong = [
        (mistake.room, mistake.name)
        for mistake in every_mistake()
        if mistake.planted(sources[mistake.file]) in (None, sources[mistake.file])
    ]
    assert wrong == []


def test_every_mistake_names_tests_that_exist() -> None:
    assert [
        (mistake.room, test) for mistake in every_mistake() for test in mistake.tests if not (ROOT / test).exists()
    ] == []


def test_every_mistake_has_a_name_of_its_own() -> None:
    names = [(mistake.room, mistake.name) for mistake in every_mistake()]
    assert len(names) == len(set(names))
