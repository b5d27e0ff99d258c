"""The results of EXPLAIN as text: assumptions, the verdict, its evidence, unknown facts."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers, as_read
from logdump.features.explain.model import Evidence, Explained, Phrase, Span, When
from logdump.notation.text import amount, escape
from logdump.notation.times import format_timestamp, span_text
from logdump.session.settings import Settings

MOST_LINES = 25
_MOST_SPOTS = 3


def explanation_lines(shown: Explained, settings: Settings) -> Iterator[str]:
    """Yield at most 25 lines."""
    assumed = "; ".join(shown.assumed) or "nothing beyond the contents of the trail"
    not_known, *facts = shown.not_known or ("nothing",)
    head = [f"Assumed: {assumed}. Not known: {not_known}."]
    head.append(f"{escape(shown.title)}{as_read(is_partial=shown.is_partial)}")
    if not shown.is_partial:
        head.append(_phrase(shown.verdict.text, settings))
    if shown.damaged:
        head.append(f"Damage at {amount(shown.damaged, 'place')}, see CHECK: its contents are unknown.")
    tail = [f"Not known: {fact}" for fact in facts]
    room = MOST_LINES - len(head) - len(tail)
    parts = [f"  {_part(part, settings)}" for part in shown.parts]
    if len(parts) > room:
        parts = [*parts[: room - 1], f"  … and {len(parts) - room + 1} more"]
    yield from (*head, *parts, *tail)


def _part(part: Evidence, settings: Settings) -> str:
    spots = ", ".join(f"RBA {spot.rba} of {escape(spot.path.name)}" for spot in part.spots[:_MOST_SPOTS])
    text = _phrase(part.text, settings)
    return f"{text}   ({spots})" if spots else text


def _phrase(phrase: Phrase, settings: Settings) -> str:
    return "".join(_one(part, settings) for part in phrase)


def _one(part: str | When | Span, settings: Settings) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, When):
        return format_timestamp(part.julian, settings.time_offset)
    return span_text(part.microseconds)


LINES: Renderers = {
    Explained: explanation_lines,
}
