"""Rows as Logdump prints them, many under the same settings: no object for a fact that is not printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from logdump.display.record_text import name_line, row_lines
from logdump.notation.escape import Harmless
from logdump.session.known_record import Facet, KnownRecord
from logdump.session.settings import Detail, Level
from trailformat import Record, TrailError
from trailformat.records.io_types import METADATA
from trailformat.records.record_header import NAME_IS_INDEX

if TYPE_CHECKING:
    from logdump.session.session import Session

_MOST_NAMES = 4096


class RowText:
    """The lines of the rows of the open trail."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._settings = session.settings
        self._shows_columns = self._settings.detail is not Detail.OFF
        self._shows_tokens = self._settings.ggstoken is not Level.OFF
        self._names: dict[tuple[int, bytes], Harmless] = {}

    def of(self, record: Record) -> list[Harmless] | None:
        """Return the lines of a row; None if it has a problem, which must be shown after it."""
        header = record.header
        key = header.partition & NAME_IS_INDEX, header.name_field
        name = self._names.get(key) or self._learn(record, key)
        if name is None or (self._shows_columns and header.continued):
            return None
        try:
            _ = self._shows_columns and record.images, self._shows_tokens and record.gg_tokens
        except TrailError:
            return None
        return row_lines(record, name, self._settings)

    def _learn(self, record: Record, key: tuple[int, bytes]) -> Harmless | None:
        """The line of a table that was not met since the last definition; None where it is not known."""
        known = KnownRecord(record, self._session)
        if known.look_up(Facet.TABLE) is not None or known.look_up(Facet.NAME) is not None:
            return None
        if len(self._names) == _MOST_NAMES:
            self._names.clear()
        return self._names.setdefault(key, name_line(known, self._settings))

    def note(self, record: Record) -> None:
        """Take note of a record that is shown otherwise: a definition gives names another meaning."""
        if record.header.io_type == METADATA:
            self._names.clear()
