"""Records for tests of displays, and their lines."""

from __future__ import annotations

from typing import Any

from logdump.display.record_text import record_lines
from logdump.notation.times import GMT
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from tests.trailformat.samples import header
from trailformat import ByteOrder, Record, TableEntry, Token, make_record
from trailformat.records.record_header import NO_TRANSACTION
from trailformat.trail.row_definitions import RowDefinition


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


class Alone(KnownRecord):
    """A record out of no trail: nothing is known of it but these facts."""

    def __init__(self, record: Record, **facts: Any) -> None:
        self.record = record
        nothing = {"table": None, "definition": None, "vendor": "", "segment": None, "change": None}
        context = {"row_definition": RowDefinition("", None), "transaction": NO_TRANSACTION, "_joined": (None, None)}
        vars(self).update({**nothing, **context, **facts})


def lines_of(record: Record, table: TableEntry | None = None, **settings: Any) -> list[str]:
    """What is displayed of a record under these settings, times in GMT."""
    return list(record_lines(Alone(record, table=table), Settings(**{"time_offset": GMT, **settings})))
