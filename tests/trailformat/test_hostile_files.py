"""The files that once broke something, as the scan and the record see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from trailformat import BadToken, TrailFile
from trailformat.scan import scan
from trailformat.transactions.tracker import TransactionTracker


@pytest.mark.usefixtures("kernels")
def test_a_token_that_misses_its_payload_gives_no_csn_in_any_way(evidence: Path) -> None:
    with TrailFile(evidence.parent / "hostile" / "tokenend000000") as trail:
        (record,) = trail.records(trail.first_rba)
        with pytest.raises(BadToken):
            _ = record.gg_tokens
        tracker = TransactionTracker(trail)
        found = [one.csn for batch in scan(trail) for one in tracker.of(batch).transactions]
    assert found
    assert set(found) == {None}
