"""What the first bytes of a file tell about it, without opening it as a trail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from trailformat import ByteOrder, FileHeader, Record, TrailError, TrailName
from trailformat.framing import frame_length

_TRAIL_START = re.compile(rb"F.{3}0.{7}GG\r\n|G(?:.{3}|.{5})H(?:.{3}|.{5})E", re.DOTALL)
"""A file header with its signature, or the first record of a trail from before release 10."""
_LONGEST_HEADER = 0xFFFF


class TrailPeek(NamedTuple):
    """A trail file's sequence number and the CSN of its first record, where they are known."""

    seqno: int | None
    first_csn: str | None


def peek(path: Path) -> TrailPeek | None:
    """What a regular file says about itself; None when it is no trail or cannot be read."""
    try:
        with path.open("rb") as file:
            data = file.read(_LONGEST_HEADER)
    except OSError:
        return None
    if _TRAIL_START.match(data) is None:
        return None
    header = _file_header(data)
    seqno = header.get("TrailInfo", "Seqno") if header else None
    csn = header.get("TrailInfo", "FirstCSN") if header else None
    name = TrailName.parse(path)
    return TrailPeek(
        seqno if isinstance(seqno, int) else name.seqno if name else None,
        csn if isinstance(csn, str) and csn else None,
    )


def _file_header(data: bytes) -> FileHeader | None:
    try:
        record = Record(data[: frame_length(data, 0, len(data), ByteOrder.BIG)])
        header = record.file_header if record.is_file_header else None
    except TrailError:
        return None
    return header
