"""The lines of the panes of tables, transactions and marks, for any width."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from logdump.render.escape import escape
from logdump.session import Mark
from logdump.tui.choice_pane import Choice
from logdump.tui.glyphs import Glyphs
from logdump.tui.row_text import fit
from logdump.tui.transactions import ORDERS, LargeTransaction
from trailformat.index import TableTotals

_SECOND = 1_000_000
_TABLE_NUMBERS = 38
"""Cells of a table's line besides its name."""


def table_choices(tables: Mapping[str, TableTotals], glyphs: Glyphs, width: int) -> tuple[str, list[Choice]]:
    """Heading and lines: the tables by their records, the most first."""
    name_width = max(10, width - _TABLE_NUMBERS)
    total = sum(one.records for one in tables.values()) or 1
    heading = f" {'table':<{name_width}} {'records':>13} {'%':>5} {'bytes':>14}"
    choices = []
    for name, one in sorted(tables.items(), key=lambda item: (-item[1].records, item[0])):
        shown = fit(escape(name) or "(no name)", name_width, glyphs)
        numbers = f"{one.records:>13,} {100 * one.records / total:>5.1f} {one.data_bytes:>14,}"
        wanted = f'FILTER INCLUDE FILENAME "{name}"' if '"' not in name and name.isprintable() and name else ""
        choices.append(Choice(f"{shown} {numbers}", enter=wanted, filter_line=wanted))
    return heading, choices


def transaction_choices(transactions: list[LargeTransaction], order: str, width: int) -> tuple[str, list[Choice]]:
    """Heading and lines: the transactions, the largest first by ``order``; the open one is marked."""
    heading = (
        f" {'begin RBA':>11} {'end RBA':>11} {'records':>9} {'bytes':>13} {'tables':>6} {'duration':>11}  csn, xid"
    )
    if width < 70:
        heading = f" {'begin RBA':>11} {'records':>9} {'bytes':>13}  csn"
    choices = []
    for one in sorted(transactions, key=ORDERS[order], reverse=True):
        span = one.span
        end = f"{span.end}" if span.end is not None else "(open)"
        text = f"{span.begin:>11} {end:>11} {span.records:>9,} {span.data_bytes:>13,} {len(span.tables):>6}"
        text += f" {duration_text(span.last_time - span.first_time):>11}  {escape(f'{one.csn} {one.xid}'.strip())}"
        if width < 70:
            open_mark = " (open)" if span.end is None else ""
            text = f"{span.begin:>11} {span.records:>9,} {span.data_bytes:>13,}  {escape(one.csn)}{open_mark}"
        to_end = f"POS {span.end}" if span.end is not None else "POS EOF"
        choices.append(Choice(text, enter=f"POS {span.begin}", end=to_end, rba=span.begin))
    return heading, choices


def mark_choices(marks: Iterable[Mark]) -> tuple[str, list[Choice]]:
    """Heading and lines: the marks by their names, with what was noted and the file."""
    lines = [
        Choice(
            f"{escape(one.name):<8} {one.rba:>12}  {escape(one.note)}  {escape(one.path.name)}",
            enter=f"POSITION MARK {one.name}",
            rba=one.rba,
        )
        for one in sorted(marks)
    ]
    return f" {'mark':<8} {'RBA':>12}  note and file", lines


def duration_text(microseconds: int) -> str:
    """``hh:mm:ss.t``; a transaction whose times run backwards took no time that we know."""
    tenths = max(0, microseconds) * 10 // _SECOND
    minutes, rest = divmod(tenths, 600)
    return f"{minutes // 60:02}:{minutes % 60:02}:{rest // 10:02}.{rest % 10}"


def short_count(number: int) -> str:
    """A count in five cells: ``437``, ``61.2k``, ``2.9M``."""
    if number < 10_000:
        return str(number)
    return f"{number / 1000:.0f}k" if number < 10_000_000 else f"{number / 1_000_000:.0f}M"
