"""The script of a session: what REDO and UNDO print and EXPORT SQL writes."""

from __future__ import annotations

from logdump.operations.effective_rows import left_out_around
from logdump.render.sql import ScriptReach, SqlScript
from logdump.render.sql.dialect import Dialect
from logdump.session.across import files_from
from logdump.session.session import Session
from logdump.session.settings import Across
from trailformat.transactions.whole_trail import WholeTrail


def script_of(session: Session, dialect: Dialect, *, takes_back: bool, includes_cut: bool) -> SqlScript:
    """The script of the open trail: through the filter, without copies, with ACROSS over the files behind it too."""
    trail = session.trail
    later = files_from(session) if session.settings.across is not Across.OFF else None
    following = WholeTrail.around(trail.path).following
    return SqlScript(
        trail,
        dialect,
        lambda file: session.selection(file).accepts,
        session.definitions_of,
        takes_back=takes_back,
        includes_cut=includes_cut,
        reach=ScriptReach(left_out_around(session, trail.path), later, following),
    )
