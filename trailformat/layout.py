"""construct, with our errors: the one place where its exceptions become :class:`TrailError`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from construct import ConstructError

from trailformat.errors import CannotWrite, TrailError


@contextmanager
def construct_errors(error: type[TrailError], problem: str) -> Iterator[None]:
    """Turn whatever construct raises on bytes or values into ``error``, its own words kept as what was found."""
    try:
        yield
    except TrailError:
        raise
    except (ConstructError, ValueError, TypeError, KeyError, OverflowError, AttributeError) as cause:
        detail = " ".join(str(cause).split()) or type(cause).__name__
        raise error(problem, found=detail) from cause


def parse_whole(layout: Any, data: bytes, error: type[TrailError], what: str) -> Any:
    """Parse ``data``, which ``layout`` must use up."""
    stream = io.BytesIO(data)
    with construct_errors(error, f"{what} cannot be decoded"):
        parsed = layout.parse_stream(stream)
    if stream.tell() != len(data):
        raise error(f"{what} is longer than it should be", expected=f"{stream.tell()} bytes", found=str(len(data)))
    return parsed


def parse_all(layout: Any, data: bytes, error: type[TrailError], what: str) -> Iterator[Any]:
    """Parse ``layout`` again and again until ``data`` is used up."""
    stream = io.BytesIO(data)
    while (offset := stream.tell()) < len(data):
        with construct_errors(error, f"{what} at byte {offset} does not fit into the {len(data)} bytes around it"):
            parsed = layout.parse_stream(stream)
        yield parsed


def build(layout: Any, value: Any, what: str) -> bytes:
    """The bytes of ``value``."""
    with construct_errors(CannotWrite, f"{what} cannot be written"):
        return bytes(layout.build(value))
