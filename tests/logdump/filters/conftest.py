"""What the tests of filters share."""

from __future__ import annotations

import pytest

from trailformat.changes.csn import csn_key


@pytest.fixture(autouse=True)
def nothing_is_known_of_csns() -> None:
    """Each test reads its CSNs itself, whatever an earlier one has read."""
    csn_key.cache_clear()
