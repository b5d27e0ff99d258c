"""What is typed into the prompt gives what it gives in line mode, to the byte."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from logdump.line_mode import BANNER
from logdump.session import Session
from logdump.settings import OutputFormat
from logdump.tui.transcript import Answer
from tests.logdump.tui.drive import Screen, drive
from tests.transcripts.play import SCRIPTS, WITH_PROGRAMS, copy_of_trails, environment, steady

SCRIPTS_HERE = [script for script in SCRIPTS if script.stem not in WITH_PROGRAMS]


class Typist:
    """Types a script and notes what a pipe would have got."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.session = screen.app.session
        self.text = "\n".join(BANNER) + "\n"

    def _note(self, prompt: str) -> None:
        if self.session.settings.format is not OutputFormat.JSONL:
            self.text += prompt

    async def type(self, lines: list[str]) -> None:
        rest = iter(lines)
        for line in rest:
            self._note(self._screen.app.mode.prompt)
            await self._screen.type(line) if line.strip() else None
            while self._screen.app.mode.is_asking:
                await self._screen.type(next(rest, ""))
            entry = self._screen.app.mode.transcript.last
            for one in entry.output if entry and line.strip() else ():
                self.text += f"{one}\n" if isinstance(one, str) else ""
                self._note(one.prompt if isinstance(one, Answer) else "")
            if self.session.is_over:
                return
        self._note(self._screen.app.mode.prompt)
        self._note("\n")


@pytest.mark.parametrize("script", SCRIPTS_HERE, ids=[script.stem for script in SCRIPTS_HERE])
def test_a_transcript_typed_into_the_prompt(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trails = copy_of_trails(tmp_path)
    for name, value in environment(script, trails).items():
        monkeypatch.setenv(name, value)
    time.tzset()
    monkeypatch.chdir(trails)
    session = Session()
    zone = session.settings.time_offset
    texts = []

    async def steps(screen: Screen) -> None:
        session.settings.time_offset = zone
        typist = Typist(screen)
        await typist.type(script.read_text(encoding="utf-8").splitlines())
        texts.append(typist.text)

    drive(steps, first="", session=session)
    monkeypatch.undo()
    time.tzset()
    assert steady(texts[0], trails) == script.with_suffix(".out").read_text(encoding="utf-8")
