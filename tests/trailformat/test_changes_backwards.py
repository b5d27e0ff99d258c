"""Changes of records that come last first: those of the order of the file, each as it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.leaves import TABLE
from tests.trailformat.samples import metadata_record, trail_of
from tests.trailformat.test_update_halves import STREAMS
from trailformat import ByteOrder, Change, Record, TrailFile
from trailformat.changes.row_changes import ChangeSource, changes, changes_over
from trailformat.changes.transaction_context import TransactionContext
from trailformat.definitions.metadata import build_table
from trailformat.trail.row_definitions import RowDefinitions


@pytest.mark.parametrize("records", [records for records, _ in STREAMS.values()], ids=STREAMS)
def test_backwards_come_the_same_changes_last_first(records: list[Record], tmp_path: Path) -> None:
    definition = metadata_record(2, 1, "TEA.LEAVES", build_table(TABLE, ByteOrder.BIG))
    with TrailFile(trail_of(tmp_path, definition, *records)) as trail:
        source = ChangeSource(trail, RowDefinitions(trail), TransactionContext(trail).of)
        forwards = list(changes(trail, trail.records()))
        backwards = list(changes_over(trail.records_backwards(), lambda _: source, is_backwards=True))
    assert [one.columns for one in backwards] == [one.columns for one in reversed(forwards)]
    assert [_rbas(one) for one in backwards] == [_rbas(one) for one in reversed(forwards)]


def _rbas(change: Change) -> list[int]:
    return [one.rba for one in change.records]
