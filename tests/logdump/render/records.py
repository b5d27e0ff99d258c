"""Records for tests of displays, and their lines."""

from __future__ import annotations

from typing import Any

from logdump.notation.times import GMT
from logdump.render.record_text import record_lines
from logdump.session.events import RecordShown
from logdump.session.settings import Settings
from tests.trailformat.samples import header
from trailformat import ByteOrder, Record, TableEntry, Token, make_record


def a_record(
    data: bytes = b"",
    name: str | int = "TEA.LEAVES",
    order: ByteOrder = ByteOrder.BIG,
    tokens: tuple[Token, ...] = (),
    user_tokens: bytes = b"",
    **fields: Any,
) -> Record:
    """An insert with these bytes as its data."""
    return make_record(header(name, order, **fields), data, tokens, user_tokens, order)


def lines_of(record: Record, table: TableEntry | None = None, **settings: Any) -> list[str]:
    """What is displayed of a record under these settings, times in GMT."""
    return list(record_lines(RecordShown(record, table), Settings(**{"time_offset": GMT, **settings})))
