"""Fixtures of the tests of EXPORT."""

from __future__ import annotations

import pytest

from logdump.display.sql.script import RecordChanges
from trailformat import Record


@pytest.fixture
def singles(monkeypatch: pytest.MonkeyPatch) -> list[list[Record]]:
    """The records of each change that is decoded."""
    found: list[list[Record]] = []
    plain = RecordChanges.of

    def noted(self: RecordChanges, records: list[Record], *others: object) -> object:
        found.append(list(records))
        return plain(self, found[-1], *others)  # type: ignore[arg-type]

    monkeypatch.setattr(RecordChanges, "of", noted)
    return found
