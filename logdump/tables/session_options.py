"""The FILTER and SOURCEDEFS of a session as options of a read."""

from __future__ import annotations

from logdump.language.words import split_commands
from logdump.session.engines import Unsupported
from logdump.session.session import Session


def read_options(session: Session) -> dict[str, str]:
    """Return the session's FILTER and SOURCEDEFS as options of a read. Raises like filter_options."""
    source = session.source_definitions
    if source is None:
        return filter_options(session)
    override = str(source.override).lower()
    return {**filter_options(session), "sourceDefs": str(source.path), "sourceDefsOverride": override}


def filter_options(session: Session) -> dict[str, str]:
    """Return the session's FILTER as the option ``where``; no option without a filter.

    Raises:
        Unsupported: the filter cannot be written as text.
    """
    filters = session.filters_in_use
    if filters is None or not filters.active:
        return {}
    statements = filters.statements()
    text = "; ".join(statements)
    if split_commands(text) != statements:
        raise Unsupported("a FILTER with a semicolon outside of double quotes")
    return {"where": text}
