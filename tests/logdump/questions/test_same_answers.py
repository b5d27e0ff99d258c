"""One question has one answer, whoever is asked: drawn trails, drawn questions, and what a reader of the bytes says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from tests.logdump.questions.changes import changes_of, redone, redone_in_json, undone
from tests.logdump.questions.conftest import WAYS
from tests.logdump.questions.contents import BYTES, ROWS
from tests.logdump.questions.drawn import Drawn, drawn
from tests.logdump.questions.numbers import NUMBERS
from tests.logdump.questions.question import Feature, answer
from tests.logdump.questions.records import RECORDS
from tests.searching import examples, in_turn

TABLES = {"which records": RECORDS, "how many": NUMBERS, "which bytes": BYTES, "which rows": ROWS}
slow = settings(
    max_examples=examples(4, short=4), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("feature", list(Feature))
def test_every_part_of_a_question_is_understood_by_at_least_two(feature: Feature, table: str) -> None:
    assert len([asker for asker in TABLES[table].values() if feature in asker.takes]) >= 2


@pytest.mark.parametrize(("engine", "table"), in_turn(WAYS, TABLES), indirect=["engine"])
@slow
@given(drawn=drawn())
@pytest.mark.usefixtures("engine")
def test_a_question_has_one_answer(table: str, drawn: Drawn, tmp_path: Path) -> None:
    path = drawn.write(tmp_path)
    for name, asker in TABLES[table].items():
        if asker.understands(drawn.question):
            about = answer(drawn.records, drawn.question, drawn.filter.passes, asker.counts)
            assert asker.ask(path, drawn.question, path.parent) == asker.expects(about), name


@slow
@given(drawn=drawn().filter(lambda case: len(case.contents) == 1))
def test_redo_and_undo_tell_the_changes_of_whole_transactions(drawn: Drawn, tmp_path: Path) -> None:
    path, expected = drawn.write(tmp_path), changes_of(drawn.records, drawn.filter.passes)
    assert redone(path, drawn.question) == undone(path, drawn.question) == expected
    assert redone_in_json(path, drawn.question) == [rbas[0] for rbas in expected]
