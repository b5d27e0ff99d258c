"""The grey text after the cursor of the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from logdump.language.words import last_word


def suggestion(text: str, history: Sequence[str], found: Sequence[str]) -> str | None:
    """The line that the grey text goes on to: the newest one of the history that begins so, else the first offer."""
    if not text.strip():
        return None
    earlier = next((one for one in reversed(history) if one.startswith(text) and one != text), None)
    if earlier is not None:
        return earlier
    last = text[last_word(text) :]
    if found and last and found[0].upper().startswith(last.upper()) and len(found[0]) > len(last):
        return text + found[0][len(last) :]
    return None
