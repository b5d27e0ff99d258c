"""Every script gives what its .out says, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.transcripts.play import SCRIPTS, play, play_from_outside
from tests.transcripts.update import update


@pytest.mark.parametrize("script", SCRIPTS, ids=[script.stem for script in SCRIPTS])
def test_a_session_runs_as_its_transcript_says(script: Path, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        update(script)
    assert play(script, tmp_path) == script.with_suffix(".out").read_text(encoding="utf-8")


def test_a_process_of_its_own_answers_the_same(tmp_path: Path) -> None:
    script = next(path for path in SCRIPTS if path.stem == "open_and_next")
    assert play_from_outside(script, tmp_path) == script.with_suffix(".out").read_text(encoding="utf-8")


def test_every_out_has_its_in() -> None:
    assert {path.stem for path in SCRIPTS} == {path.stem for path in SCRIPTS[0].parent.glob("*.out")}
