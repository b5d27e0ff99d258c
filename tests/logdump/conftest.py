"""A session at GMT, and a trail open in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.logdump.line import Line


@pytest.fixture
def line() -> Iterator[Line]:
    """A session without a trail, its times in GMT."""
    one = Line()
    one("timeoffset gmt")
    yield one
    one.session.close()


@pytest.fixture
def shop(line: Line, trails: Path) -> Line:
    """A session in which the tea shop's big-endian trail is open."""
    line(f"open {trails / 'et000000000'}")
    return line
