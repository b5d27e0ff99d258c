"""Kernels as machine code and interpreted, for tests that want both."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

import pytest

from trailformat.native import loaded


class Kernels(enum.Enum):
    """The way in which kernels run."""

    NATIVE = "native"
    INTERPRETED = "interpreted"


IS_NATIVE = loaded.why_interpreted() is None
WAYS = [Kernels.NATIVE, Kernels.INTERPRETED] if IS_NATIVE else [Kernels.INTERPRETED]
"""The ways there are here."""
needs_native = pytest.mark.skipif(not IS_NATIVE, reason="the kernels are not built")


@contextmanager
def run(way: Kernels) -> Iterator[None]:
    """While it lasts, kernels run this way."""
    why = None if way is Kernels.NATIVE else "a test wants it so"
    with mock.patch.object(loaded, "why_interpreted", return_value=why):
        yield
