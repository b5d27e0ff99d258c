"""Parsing and building of layouts, with construct's errors turned into :class:`TrailError`."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from trailformat.errors import CannotWrite, TrailError


@contextmanager
def construct_errors(error: type[TrailError], problem: str) -> Iterator[None]:
    """Turn any exception of construct on bytes or values into ``error``, with construct's message as ``found``."""
    from construct import ConstructError

    try:
        yield
    except TrailError:
        raise
    except (ConstructError, ValueError, TypeError, KeyError, OverflowError, AttributeError) as cause:
        detail = " ".join(str(cause).split()) or type(cause).__name__
        raise error(problem, found=detail) from cause


def parse_whole(layout: Any, data: bytes, error: type[TrailError], what: str) -> Any:
    """Return ``data`` parsed; raise ``error`` if ``layout`` does not use all of it."""
    stream = io.BytesIO(data)
    with construct_errors(error, f"{what} cannot be decoded"):
        parsed = layout.parse_stream(stream)
    if stream.tell() != len(data):
        raise error(
            f"{what} is longer than it should be", expected=f"{stream.tell()} bytes", found=f"{len(data)} bytes"
        )
    return parsed


def parse_all(
    layout: Any, data: bytes, error: type[TrailError], what: str, *, most: int, start: int = 0, number: int = 0
) -> Iterator[Any]:
    """Yield what ``layout`` parses, repeatedly, until ``data`` is used up; more than ``most`` times is an error too.

    ``start`` is the offset of the first item, and ``number`` the number of items before it.
    """
    stream = io.BytesIO(data)
    stream.seek(start)
    while (offset := stream.tell()) < len(data):
        number += 1
        if number > most:
            raise error(f"too many items: {what}", expected=f"at most {most}")
        with construct_errors(error, f"{what} at byte {offset} does not fit into the {len(data)} bytes around it"):
            parsed = layout.parse_stream(stream)
        yield parsed


def read_prefixed(data: bytes, size: int, order: Literal["big", "little"]) -> bytes | None:
    """Return the bytes after their length prefix of ``size`` bytes; None if the length does not match."""
    has_length = len(data) >= size and int.from_bytes(data[:size], order) == len(data) - size
    return data[size:] if has_length else None


def build(layout: Any, value: Any, what: str) -> bytes:
    """Return the bytes of ``value``."""
    with construct_errors(CannotWrite, f"{what} cannot be written"):
        return bytes(layout.build(value))


def encode_text(text: str, what: str) -> bytes:
    """Return text as UTF-8; surrogate escapes of file names become their bytes again."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as cause:
        raise CannotWrite(f"{what} cannot be written", found=str(cause)) from cause
