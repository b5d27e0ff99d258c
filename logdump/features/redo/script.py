"""The SQL script of a session, which REDO and UNDO print and EXPORT SQL writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from logdump.display.sql import Closing, ScriptReach, SqlScript, WalkProgress
from logdump.display.sql.block_lines import BlockStatements
from logdump.display.sql.dialects import Dialect
from logdump.display.sql.script_text import ScriptLines
from logdump.features.export.batch_walk import new_pool, results
from logdump.notation.times import TimeOffset
from logdump.session.across import files_from
from logdump.session.effective_rows import not_applied_around
from logdump.session.session import Session
from logdump.session.settings import Across
from trailformat.arrays.lines import merged
from trailformat.transactions.extent import Walked
from trailformat.transactions.whole_trail import WholeTrail


def script_of(
    session: Session, dialect: Dialect, *, takes_back: bool, includes_cut: bool, counts_passing: bool = False
) -> SqlScript:
    """Return the script of the open trail: filtered, without copies, with ACROSS including the files after it.

    ``counts_passing``: see ``ScriptReach``.
    """
    trail = session.trail
    later = files_from(session) if session.settings.across is not Across.OFF else None
    following = WholeTrail.around(trail.path).following
    return SqlScript(
        trail,
        dialect,
        session.selection,
        session.definitions_of,
        takes_back=takes_back,
        includes_cut=includes_cut,
        reach=ScriptReach(not_applied_around(session, trail.path), later, following, counts_passing),
    )


class ScriptText(NamedTuple):
    """Lines of a script in UTF-8, and the number of transactions that end in them."""

    lines: bytes
    ended: int


def script_texts(
    session: Session, script: SqlScript, transactions: int, offset: TimeOffset
) -> Iterator[ScriptText | Walked]:
    """Yield the script of ``transactions`` transactions, many lines at a time; raises as ``SqlScript.items``."""
    lines = ScriptLines(script, offset)
    with closing(script), new_pool() as pool:
        for part in results(pool, script.parts(session.cursor.next, transactions)):
            if isinstance(part, Exception):
                raise part
            if isinstance(part, BlockStatements):
                block = part.block.block
                ended = len(block.transactions) if block.closes else 0
                yield ScriptText(bytes(merged(lines.of(script.finished(part)))), ended)
            elif isinstance(part, Walked):
                yield part
            elif not isinstance(part, WalkProgress):
                yield ScriptText(lines.text(part), int(isinstance(part, Closing)))
        yield from (ScriptText(lines.text(item), 0) for item in script.remainder())
