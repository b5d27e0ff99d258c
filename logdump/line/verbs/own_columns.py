"""``--columns`` of ``export``: names that a column of the table has, and a column of every change too."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from itertools import chain

from logdump.line.verbs.options import MisuseError, VerbRequest
from trailformat import TrailError, TrailFile
from trailformat.errors import CannotRead

_PLAIN_NAME = re.compile(r"[\w$#]+|\"(?:[^\"]|\"\")+\"")
_OF_CHANGES = ("file", "rba", "op", "csn", "xid", "time", "trans_ind", "nulls", "problems", "data")
"""The columns of every table of SQL that are not those of its rows."""


def columns_of_rows(request: VerbRequest, names: Iterable[str], table: str) -> str:
    """Return columns as SQL selects them: the value after the change, of a DELETE that before; others as they are.

    Raises:
        MisuseError: a name without quotes is that of a column of the table, and of one of every change.
    """
    written = [name.strip() for name in names]
    both = {name.strip('"').lower() for name in written} & {*_OF_CHANGES}
    own = both and _defined(request, table) & both
    return ", ".join(_selected(name, own, table) for name in written)


def _selected(name: str, own: Collection[str], table: str) -> str:
    column = name.strip('"')
    if not _PLAIN_NAME.fullmatch(name):
        return name
    if column.lower() in own and name == column:
        raise MisuseError(
            f"--columns: {name} is a column of {table} and of every change. "
            f"In double quotes ('\"{name}\"') it is that of the table; the verb sql shows that of the change"
        )
    if column.lower() in _OF_CHANGES and column.lower() not in own:
        return name
    if column.lower().startswith(("before_", "after_")):
        return f'"{column}"'
    return f"""CASE op WHEN 'DELETE' THEN "before_{column}" ELSE "after_{column}" END AS "{column}\""""


def _defined(request: VerbRequest, table: str) -> set[str]:
    """Return the names of the columns of a table in lower case, by any definition; empty if nothing can be read."""
    names, meant = set[str](), table.replace('"', "").lower()
    for path in chain.from_iterable(request.trails()):
        # what cannot be read defines nothing; the files after it do
        with suppress(TrailError, CannotRead), TrailFile(path) as trail:
            for entry in trail.tables.entries():
                known = trail.tables.columns(entry) if entry.name.replace('"', "").lower() == meant else None
                names |= {column.name.lower() for column in known.columns} if known is not None else set()
    return names
