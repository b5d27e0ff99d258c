"""The values of a file header as text, for VALUES and for the page of the screen.

TrailInfo       CreationTime     2024/03/14 09:39:55.000.000
TrailInfo       Seqno            1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from trailformat import FileHeader
from trailformat.records.file_header import VENDORS


class HeaderText(NamedTuple):
    """A value that is set: group and name, padded to columns, and the value as text, which is not escaped."""

    label: str
    text: str


def header_values(header: FileHeader, settings: Settings) -> Iterator[HeaderText]:
    """Yield the values that are set and are no bytes, in the order of the file."""
    for group in header.groups:
        for token in group.tokens:
            value = token.value
            if value is not None and not isinstance(value, bytes):
                yield HeaderText(f"{group.name:<15} {token.name:<16} ", _text(token.name, value, settings))


def _text(name: str, value: int | str | tuple[str, ...], settings: Settings) -> str:
    if name.endswith("Time") and isinstance(value, int):
        return format_timestamp(value, settings.time_offset)
    if name == "Vendor" and isinstance(value, int):
        return f"{value} {VENDORS.get(value, '')}"
    return ", ".join(value) if isinstance(value, tuple) else str(value)
