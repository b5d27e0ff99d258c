from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from trailformat import BadData, BadRecord, BadToken, CannotWrite, NotATrail, PartialRecord, TrailError


@pytest.mark.parametrize("kind", [BadData, BadRecord, BadToken, CannotWrite, NotATrail, PartialRecord])
def test_every_error_is_a_trail_error(kind: type[TrailError]) -> None:
    assert issubclass(kind, TrailError)


def test_the_text_names_file_rba_problem_expected_and_found() -> None:
    error = BadRecord("no record starts here", path=Path("lt000000"), rba=42, expected="x47", found="x00")
    assert str(error) == "lt000000, RBA 42: no record starts here; expected x47; found x00"


def test_the_text_leaves_out_what_is_not_known() -> None:
    assert str(BadToken("token too long")) == "token too long"
    assert str(BadToken("token too long", rba=7)) == "RBA 7: token too long"
    assert str(BadToken("token too long", path=Path("lt000000"), found="9")) == "lt000000: token too long; found 9"


def test_at_fills_in_the_place_that_is_missing() -> None:
    error = BadData("no columns").at(Path("lt000000"), 9)
    assert (error.path, error.rba) == (Path("lt000000"), 9)


def test_at_keeps_the_place_that_is_known() -> None:
    error = BadData("no columns", path=Path("lt000000"), rba=0).at(Path("other"), 9)
    assert (error.path, error.rba) == (Path("lt000000"), 0)


def test_an_error_survives_the_way_to_another_process() -> None:
    error = BadRecord("no record starts here", path=Path("lt000000"), rba=42, expected="x47", found="x00")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is BadRecord
    assert str(copy) == str(error)
