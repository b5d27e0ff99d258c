"""The title line: the file, what it is, and what hides records. What is active is always there, whatever the width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from logdump.tui.reading.summary import Summary
from logdump.tui.text.cells import fit, harmless, width_of
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Piece

_GAP = "  "


class TitleState(NamedTuple):
    """What the title tells beside the file: progress while something runs, rows known, the filter, follow mode.

    ``warning`` is what has happened to the file.
    """

    busy: str = ""
    records: int | None = None
    is_complete: bool = True
    filter_text: str = ""
    matches: int | None = None
    follows: bool = False
    warning: str = ""


def title_pieces(
    summary: Summary, standing: TitleState, settings: Settings, glyphs: Glyphs, width: int
) -> tuple[Piece, ...]:
    """The title in ``width`` cells: the file, what goes on and the filter first, the rest as far as there is room."""
    active = f"{standing.warning}{_GAP if standing.warning else ''}{_filter(standing)}"
    active = harmless(active + "  FOLLOW" * standing.follows, glyphs)
    text = f" {harmless(summary.name, glyphs) or 'logdump'}"
    left = width - width_of(active, glyphs) - len(_GAP)
    if standing.busy:
        room = max(0, left - width_of(text, glyphs) - len(_GAP))
        text += _GAP + fit(standing.busy, min(room, len(standing.busy)), glyphs)
    for fact in _facts(summary, standing, settings):
        more = _GAP + harmless(fact, glyphs)
        if width_of(text + more, glyphs) < left:
            text += more
    style = "warn" if standing.warning else "strong" if standing.filter_text else ""
    return (text + _GAP, ""), (active, style)


def _filter(standing: TitleState) -> str:
    if not standing.filter_text:
        return "FILTER off"
    count = f" {standing.matches:,}" if standing.matches is not None else ""
    return f"FILTER{count}: {standing.filter_text}"


def _facts(summary: Summary, standing: TitleState, settings: Settings) -> Iterator[str]:
    """What there is to say, the most important first."""
    if summary.source:
        yield summary.source
    if summary.release:
        yield f"rel {summary.release}"
    if summary.name:
        yield size_text(summary.size)
    if standing.records is not None:
        yield f"{standing.records:,}{'' if standing.is_complete else '+'} recs"
    yield f"zone {settings.time_offset}"
    if summary.first_csn or summary.last_csn:
        yield f"CSN {summary.first_csn or '?'}..{summary.last_csn}"
    if summary.first_time is not None:
        yield _range(summary.first_time, summary.last_time, settings)


def _range(first: int, last: int | None, settings: Settings) -> str:
    begin = format_timestamp(first, settings.time_offset)[:19]
    if last is None:
        return f"{begin}.."
    end = format_timestamp(last, settings.time_offset)[:19]
    return f"{begin}..{end[11:] if end[:10] == begin[:10] else end}"


def size_text(size: int) -> str:
    """Bytes in three digits or so."""
    value, unit = float(size), "B"
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024 or unit == "GB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
