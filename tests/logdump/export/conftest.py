"""Fixtures of the tests of EXPORT."""

from __future__ import annotations

import pytest

from logdump.render.sql import SqlScript
from trailformat import Record


@pytest.fixture
def singles(monkeypatch: pytest.MonkeyPatch) -> list[list[Record]]:
    """The records of each change whose statement is made by itself."""
    found: list[list[Record]] = []
    plain = SqlScript.statements_of

    def noted(self: SqlScript, records: list[Record], *others: object) -> object:
        found.append(list(records))
        return plain(self, found[-1], *others)  # type: ignore[arg-type]

    monkeypatch.setattr(SqlScript, "statements_of", noted)
    return found
