"""Facts from the first bytes of a file, without opening it as a trail."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.errors import CannotRead, NotATrail, TrailError, not_opened
from trailformat.records.file_header import FileHeader
from trailformat.records.framing import frame_at
from trailformat.records.record import Record
from trailformat.trail.packed import unpacked_head
from trailformat.trail.sequence import TrailName

_TRAIL_START = re.compile(rb"F.{3}0.{7}GG\r\n|G(?:.{3}|.{5})H(?:.{3}|.{5})E", re.DOTALL)
"""A file header with its signature, or the first record of a trail from before release 10."""
_LONGEST_HEADER = 0xFFFF


class TrailPeek(NamedTuple):
    """A trail file's seqno, and CSN and IO Time (Julian) of its first and last record; None where not known."""

    seqno: int | None
    first_csn: str | None
    last_csn: str | None = None
    first_time: int | None = None
    last_time: int | None = None


def peek(path: Path) -> TrailPeek | None:
    """Return the peek at a regular file; None if it is not a trail or does not exist.

    Raises:
        CannotRead: reading failed or is not permitted.
    """
    try:
        data = unpacked_head(path, _LONGEST_HEADER)
    except NotATrail:
        return None
    except (OSError, ValueError) as error:
        failure = not_opened(error, path)
        if isinstance(failure, CannotRead) or isinstance(error, PermissionError):
            raise CannotRead.of(error, path) from error
        return None
    if _TRAIL_START.match(data) is None:
        return None
    header = _file_header(data)
    name = TrailName.parse(path)
    seqno = header.seqno if header.seqno is not None else name.seqno if name else None
    return TrailPeek(seqno, header.first_csn, header.last_csn, header.first_time, header.last_time)


def _file_header(data: bytes) -> FileHeader:
    """Return the file header at the beginning of the data; an empty one if it is missing or damaged."""
    with contextlib.suppress(TrailError):
        record = Record(data[: frame_at(data, 0, len(data), ByteOrder.BIG)[0]])
        if record.is_file_header:
            return record.file_header
    return FileHeader(())
