"""Line editing at a terminal, by the standard library's readline where the platform has it."""

from __future__ import annotations

import importlib

from logdump.commands import REGISTRY
from logdump.language.completion import complete


def use_line_editor() -> None:
    """Give ``input()`` editing keys, history and completion."""
    try:
        readline = importlib.import_module("readline")
    except ImportError:
        return

    def offer(_text: str, state: int) -> str | None:
        if state == 0:
            offer.found = complete(REGISTRY, readline.get_line_buffer()[: readline.get_endidx()])  # type: ignore[attr-defined]
        found: list[str] = offer.found  # type: ignore[attr-defined]
        return f"{found[state]} " if len(found) == 1 and state == 0 else found[state] if state < len(found) else None

    readline.set_completer(offer)
    readline.set_completer_delims(" ;")
    readline.parse_and_bind("tab: complete")
