from __future__ import annotations

from collections.abc import Iterator

import pytest

from fixtures import TRAILS
from tests.logdump.sql.told import Asked


@pytest.fixture
def asked() -> Iterator[Asked]:
    engine = Asked(f"open {TRAILS / 'et000000000'}")
    yield engine
    engine.session.end()
