"""The title line: the file, what it is, and what hides records. What is active is always there, whatever the width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdump.render.escape import escape
from logdump.settings import Settings
from logdump.times import format_timestamp
from logdump.tui.summary import Summary
from logdump.tui.text import Piece

_GAP = "  "


class Standing(NamedTuple):
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


def title_pieces(summary: Summary, standing: Standing, settings: Settings, width: int) -> tuple[Piece, ...]:
    """The title in ``width`` cells: the file, what goes on and the filter first, the rest as far as there is room."""
    active = f"{standing.warning}{_GAP if standing.warning else ''}{_filter(standing)}"
    active += "  FOLLOW" if standing.follows else ""
    text = f" {escape(summary.name) or 'logdump'}"
    if standing.busy:
        text += _GAP + standing.busy[: max(0, width - len(text) - 2 * len(_GAP) - len(active))]
    for fact in _facts(summary, standing, settings):
        if len(text) + len(_GAP) + len(fact) + len(_GAP) + len(active) < width:
            text += _GAP + fact
    look = "warn" if standing.warning else "strong" if standing.filter_text else ""
    return (text + _GAP, ""), (active, look)


def _filter(standing: Standing) -> str:
    if not standing.filter_text:
        return "FILTER off"
    count = f" {standing.matches:,}" if standing.matches is not None else ""
    return f"FILTER{count}: {escape(standing.filter_text)}"


def _facts(summary: Summary, standing: Standing, settings: Settings) -> Iterator[str]:
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
        yield f"CSN {escape(summary.first_csn) or '?'}..{escape(summary.last_csn)}"
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
