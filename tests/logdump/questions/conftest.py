"""The ways in which commands go over a file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from logdump.features.export import batch_walk
from logdump.session import passing
from logdump.session import scan as session_scan
from tests.kernels import IS_NATIVE, Kernels, run


class Way(NamedTuple):
    """How commands go over a file: how kernels run, and so many rows at a time."""

    kernels: Kernels
    rows: int


WAYS = {
    "interpreted": Way(Kernels.INTERPRETED, 1 << 14),
    "native": Way(Kernels.NATIVE, 1 << 14),
    "native, in small batches": Way(Kernels.NATIVE, 3),
}
BATCH_SIZES = ((passing, "BATCH_SIZE"), (batch_walk, "_ROWS"))


@pytest.fixture(params=WAYS)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All commands go one way, from the second record on."""
    way = WAYS[request.param]
    if way.kernels is Kernels.NATIVE and not IS_NATIVE:
        pytest.skip("the kernels are not built")
    for module, name in BATCH_SIZES:
        monkeypatch.setattr(module, name, way.rows)
    monkeypatch.setattr(session_scan, "_LARGEST", 1)
    with run(way.kernels):
        yield
