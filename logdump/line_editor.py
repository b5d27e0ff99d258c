"""Line editing at a terminal, by the standard library's readline where the platform has it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from logdump.commands import REGISTRY
from logdump.language.completion import complete


class LineEditor:
    """Gives ``input()`` editing keys, completion, and the lines that the arrow keys recall."""

    def __init__(self) -> None:
        self._offers: list[str] = []
        try:
            self._readline: Any = importlib.import_module("readline")
        except ImportError:
            self._readline = None
            return
        self._readline.set_auto_history(False)
        self._readline.set_completer(self._offer)
        self._readline.set_completer_delims(" ;")
        self._readline.parse_and_bind("tab: complete")

    def recall(self, lines: Sequence[str]) -> None:
        """Let the arrow keys recall these lines and no others."""
        if self._readline is not None:
            self._readline.clear_history()
            for line in lines:
                self._readline.add_history(line)

    def _offer(self, _text: str, state: int) -> str | None:
        if state == 0:
            self._offers = complete(REGISTRY, self._readline.get_line_buffer()[: self._readline.get_endidx()])
        if state >= len(self._offers):
            return None
        return f"{self._offers[0]} " if len(self._offers) == 1 else self._offers[state]
