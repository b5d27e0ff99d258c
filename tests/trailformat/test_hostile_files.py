"""The files that once broke something, as the engines and the record see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.trailformat.scan.reference import BOTH_ENGINES
from trailformat import BadToken, TrailFile
from trailformat.scan import Engine, scan
from trailformat.transactions.tracker import TransactionTracker


@pytest.mark.parametrize("engine", BOTH_ENGINES)
def test_a_token_that_misses_its_payload_gives_no_csn_in_any_way(evidence: Path, engine: Engine) -> None:
    with TrailFile(evidence.parent / "hostile" / "tokenend000000") as trail:
        (record,) = trail.records(trail.first_rba)
        with pytest.raises(BadToken):
            _ = record.gg_tokens
        tracker = TransactionTracker(trail)
        found = [one.csn for batch in scan(trail, engine=engine) for one in tracker.of(batch).transactions]
    assert found
    assert set(found) == {None}
