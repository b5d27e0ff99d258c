"""The engines that commands can choose."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from logdump.operations.export import batch_walk
from logdump.session import passing
from logdump.session import scan as session_scan
from trailformat.scan import Engine, is_available


class Way(NamedTuple):
    """How commands go over a file: by which engine, and so many rows at a time."""

    engine: Engine
    rows: int


WAYS = {
    "records": Way(Engine.PYTHON, 1 << 14),
    "columns": Way(Engine.NUMBA, 1 << 14),
    "small batches of columns": Way(Engine.NUMBA, 3),
}
BATCH_SIZES = ((passing, "BATCH_SIZE"), (batch_walk, "_ROWS"))


@pytest.fixture(params=WAYS)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands go one way, from the second record on."""
    way = WAYS[request.param]
    if not is_available(way.engine):
        pytest.skip("the kernels are not built")
    for name in ("trailformat.scan", "logdump.operations.count"):
        monkeypatch.setattr(f"{name}.choose_engine", lambda _size: way.engine)
    for module, name in (
        (passing, "BATCH_SIZE"),
        (batch_walk, "_ROWS"),
    ):
        monkeypatch.setattr(module, name, way.rows)
    monkeypatch.setattr(session_scan, "_FIRST", (1,))
