"""The conversation in docs/agents.md: calls of tools with their answers, as the service gives them.

It is a fence of the language ``text`` whose first line is a call, ``> check {"trail": "ft"}``; each call is followed by
its answer. The service reads ``fixtures/trails``.
"""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from collections.abc import Iterator

from logdump.agents.folders import Folders
from logdump.agents.server import check_arguments, summary
from logdump.agents.worker import Work
from scripts.marked import ROOT
from scripts.shown import HOME

PAGE = ROOT / "docs" / "agents.md"
_BLOCK = re.compile(r"^```text\n(> .*?)^```$", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"> (\w+) (\{.*\})")
_WIDEST = 160


def updated(text: str) -> str:
    """Return the text of the page with the current answers."""
    return _BLOCK.sub(lambda match: f"```text\n{_answered(match[1])}```", text)


def _answered(block: str) -> str:
    calls = [line for line in block.splitlines() if line.startswith("> ")]
    return "\n".join(f"{call}\n{_answer(call)}" for call in calls)


def _answer(call: str) -> str:
    match = _CALL.fullmatch(call)
    if match is None:
        raise ValueError(f"no call of a tool: {call}")
    folder = ROOT / "fixtures" / "trails"
    arguments = json.loads(match[2])
    check_arguments(match[1], arguments)
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(folder):
        reply = Work(Folders.of([str(folder)]), scratch, lambda _told: None).reply(match[1], arguments)
    return "".join(f"{line}\n" for line in _lines(f"{summary(match[1], reply)}\n{reply.text}"))


def _lines(text: str) -> Iterator[str]:
    for line in text.replace(str(ROOT), HOME).splitlines():
        yield (line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…").rstrip()


def main() -> None:
    """Write the answers into the page."""
    text = PAGE.read_text(encoding="utf-8")
    if (new := updated(text)) != text:
        PAGE.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
