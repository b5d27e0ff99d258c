"""The open transactions of a trail that was not read whole, and of one that is read once more."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.timeline import open_transactions
from logdump.features.timeline.open_transactions import OpenTransactions, OpenTransactionsScan
from logdump.session.session import Session
from tests.simulated.bounded_recovery import BEGUN, HOUR, Worked, write_trail

WORKED = [
    Worked(1, (HOUR, 6 * HOUR), 6 * HOUR),
    Worked(2, (9 * HOUR, 10 * HOUR), 10 * HOUR),
    Worked(3, (17 * HOUR, 21 * HOUR), 21 * HOUR),
]
"""Checkpoints are each four hours: one is open at 04:00, one at 20:00, none at 08:00, 12:00 and 16:00."""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    opened = Session()
    opened.open(write_trail(tmp_path / "br000000000", WORKED, commit_times=False))
    return opened


def test_a_partial_answer_names_the_checkpoint_and_no_restart_where_none_was_open(session: Session) -> None:
    scan = OpenTransactionsScan(None)
    assert all(scan.extend(session))
    whole = scan.answer
    session.end()
    assert isinstance(whole, OpenTransactions)
    partial = whole._replace(shown=whole.shown._replace(is_partial=True))
    for hour in (9, 13, 17):
        at = BEGUN + (hour - 1) // 4 * 4 * HOUR
        for found, restart in ((whole, at), (partial, None)):
            checkpoint = found.checkpoint_before(BEGUN + hour * HOUR)
            assert checkpoint is not None
            assert (checkpoint.time, checkpoint.open) == (at, 0)
            assert (checkpoint.restart and checkpoint.restart.time) == restart
            assert (found.restart_before(BEGUN + hour * HOUR) is None) is (restart is None)


def test_each_run_counts_its_own_records(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_transactions, "_RECORDS", 1)
    scan = OpenTransactionsScan(None)
    runs = [list(scan.extend(session)) for _ in range(3)]
    session.end()
    assert runs[0]
    assert runs[0] == runs[1] == runs[2]
    assert scan.lacks().where == f"after {runs[0][-1]:,} records"
