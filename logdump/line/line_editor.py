"""Line editing at a terminal, by the standard library's readline where the platform has it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

from logdump.commands import REGISTRY
from logdump.language.completion import complete
from logdump.language.reader import Context
from logdump.language.words import last_word


class LineEditor:
    """Gives ``input()`` editing keys, completion, and the lines that the arrow keys recall.

    ``context`` gives what completion depends on: the tables of the open trail, the marks.
    """

    def __init__(self, context: Callable[[], Context] = Context) -> None:
        self._context = context
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
            line = self._readline.get_line_buffer()[: self._readline.get_endidx()]
            self._offers = endings(line, complete(REGISTRY, line, self._context()), self._readline.get_begidx())
        return self._offers[state] if state < len(self._offers) else None


def endings(line: str, offers: Sequence[str], begun: int) -> list[str]:
    """The offers for the line from ``begun`` on, which a blank in quotes puts after the beginning of the word.

    A single offer is complete, with the blank behind it, unless it is a folder.
    """
    start = last_word(line)
    typed = line[start:begun]
    fitting = [offer[len(typed) :] for offer in offers if offer.startswith(typed)]
    return [f"{fitting[0]} "] if len(fitting) == 1 and not fitting[0].endswith("/") else fitting
