"""Columns that need only a scan: position and bytes of a record, the fields of its header, the name of its table."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.errors import MOST_BYTES, place
from logdump.arrow.records.rows import Array, Rows
from logdump.arrow.records.schema import CORRUPT
from logdump.notation.names import written_parts
from trailformat import TrailFile, io_type_name
from trailformat.arrays.arrow import bytes_at, masked, numbered, one_text, plain_array, text_array, validity
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.records.record_header import METADATA
from trailformat.scan import FILE_HEADER, PARTIAL


def _file(rows: Rows) -> Any:
    return numbered(one_text(rows.source.path), np.zeros(len(rows), np.int32))


def _of_file(rows: Rows, number: int | None) -> Any:
    """Return one number for all rows of a file."""
    return pa.nulls(len(rows), pa.int32()) if number is None else masked(np.full(len(rows), number, np.int32))


def _number(column: str) -> Callable[[Rows], Any]:
    return lambda rows: masked(rows.of(column))


def _raw(rows: Rows) -> Any:
    """Return the bytes of the records; those of contiguous records are not copied."""
    sizes = rows.of("length")
    fits = sizes < MOST_BYTES
    for row in np.flatnonzero(~fits).tolist():
        _refuse_large(rows, int(rows.of("rba")[row]), int(sizes[row]))
    if not fits.any():
        return pa.nulls(len(rows), pa.binary())
    starts = rows.starts
    if not fits.all() or (starts[1:] != (starts + sizes)[:-1]).any():
        return bytes_at(rows.view, starts, np.where(fits, sizes, 0), fits)
    offsets = np.append(starts, starts[-1] + sizes[-1]) - starts[0]
    stretch = pa.py_buffer(rows.view[starts[0] : starts[-1] + sizes[-1]])
    return pa.Array.from_buffers(pa.binary(), len(rows), [None, pa.py_buffer(offsets.astype(np.int32)), stretch])


def _refuse_large(rows: Rows, rba: int, size: int) -> None:
    rows.source.too_large(
        f"{place(rows.source.path, rba)}: {size} bytes do not fit in a value of Spark; do not ask for raw"
    )


def _corrupt(rows: Rows) -> Any:
    if rows.is_sound.all():
        return pa.nulls(len(rows), pa.string())
    reasons: list[str | None] = [None] * len(rows)
    rbas = rows.of("rba")
    for row in np.flatnonzero(~rows.is_sound).tolist():
        reasons[row] = reason(rows.source.trail, int(rbas[row]), int(rows.kind[row]))
    return pa.array(reasons, pa.string())


def reason(trail: TrailFile, rba: int, kind: int) -> str:
    """Return why the bytes at ``rba`` are not a sound record; ``incomplete: `` precedes it if bytes are missing."""
    begin = "incomplete: " if kind == PARTIAL else ""
    error = trail.error_at(rba)
    if error is None:
        return f"{begin}the file has changed while it was read"
    return begin + error.explained()


_MOST_COUNTED = 1 << 16
"""Keys below this are counted, greater ones sorted: a batch has fewer rows than this."""
_MOST_KEPT = 1 << 12


@lru_cache(_MOST_KEPT)
def name_parts(name: str) -> tuple[str | None, ...]:
    r"""Return the full name, its catalog, its schema and its last part; None for missing parts.

    A dot in double quotes is no separator; of more than three parts (``\NODE.$VOLUME.SUBVOLUME.FILE``) all but the last
    two form the catalog.
    """
    if not name:
        return (None,) * 4
    parts = written_parts(name)
    catalog = ".".join(parts[:-2]) or None
    return (name, catalog, parts[-2] if len(parts) > 1 else None, parts[-1] if parts else name)


def _part(which: int) -> Callable[[Rows], Any]:
    def build(rows: Rows) -> Any:
        keys, places = _keys(rows)
        names = rows.batch.names
        texts = [name_parts(names[key])[which] for key in keys.tolist()]
        return numbered(pa.array(texts, pa.string()), places)

    return build


def distinct(keys: Array) -> tuple[Array, Array]:
    """Return the distinct numbers in order, and the index of each number among them as int32; numbers are >= 0."""
    if not len(keys) or keys.max() >= _MOST_COUNTED:
        numbers, places = np.unique(keys, return_inverse=True)
        return numbers, places.astype(np.int32)
    is_there = np.bincount(keys) > 0
    return np.flatnonzero(is_there), (np.cumsum(is_there, dtype=np.int32) - np.int32(1))[keys]


def _keys(rows: Rows) -> tuple[Array, Array]:
    """Return the distinct keys of the rows' tables, and the index of each row's key among them."""
    if "table keys" not in rows.walked:
        rows.walked["table keys"] = distinct(rows.of("table"))
    keys_and_places: tuple[Array, Array] = rows.walked["table keys"]
    return keys_and_places


FILE_HEADER_OP = "FileHeader"
_HEADER_PLACE = 256
_OPS = text_array([*(io_type_name(number) for number in range(_HEADER_PLACE)), FILE_HEADER_OP])
_LETTERS = text_array([chr(number) for number in range(256)])


def _op(rows: Rows) -> Any:
    places = np.where(rows.kind == FILE_HEADER, np.int32(_HEADER_PLACE), rows.of("io_type"))
    return numbered(_OPS, places, rows.is_sound)


def _of_header(column: str, kind: type) -> Callable[[Rows], Any]:
    return lambda rows: masked(rows.of(column).astype(kind), rows.is_record)


def _before_after(rows: Rows) -> Any:
    return numbered(_LETTERS, rows.of("before_after").astype(np.int32), rows.is_record)


def timestamps(julian: Any, valid: Any) -> Any:
    """Return Julian microseconds as timestamps; null outside the years 1 to 9999, the range of Spark."""
    valid = valid & (julian >= FIRST_TIME) & (julian <= LAST_TIME)
    since_1970 = np.where(valid, julian, JULIAN_UNIX_EPOCH) - JULIAN_UNIX_EPOCH
    return plain_array(pa.timestamp("us", "UTC"), since_1970, valid)


def _time(rows: Rows) -> Any:
    return timestamps(rows.of("io_time"), rows.is_record)


def _audit_rba(rows: Rows) -> Any:
    return masked(rows.of("audit_rba").astype(np.int64), rows.is_record & (rows.of("io_type") != METADATA))


def _audit_pos(rows: Rows) -> Any:
    """Return AuditPos, unsigned 64 bits, as the low half of Arrow's 128-bit decimals."""
    halves = np.zeros((len(rows), 2), np.uint64)
    halves[:, 0] = rows.of("audit_pos")
    buffers = [validity(rows.is_record), pa.py_buffer(halves)]
    return pa.Array.from_buffers(pa.decimal128(20, 0), len(rows), buffers)


def _tdr_index(rows: Rows) -> Any:
    return masked(rows.tdr_index.astype(np.int32), rows.tdr_index >= 0)


def _record_length(rows: Rows) -> Any:
    return masked(rows.of("record_length"), rows.is_sound)


BUILDERS = {
    "op": _op,
    "op_code": _of_header("io_type", np.int32),
    "time": _time,
    "trans_ind": _of_header("trans_ind", np.int32),
    "before_after": _before_after,
    "audit_rba": _audit_rba,
    "audit_pos": _audit_pos,
    "tdr_index": _tdr_index,
    "partition": _of_header("partition", np.int32),
    "record_length": _record_length,
    "file": _file,
    "seqno": lambda rows: _of_file(rows, rows.source.seqno),
    "file_order": lambda rows: _of_file(rows, rows.source.file_order),
    "rba": _number("rba"),
    "length": _number("length"),
    "raw": _raw,
    CORRUPT: _corrupt,
    **{name: _part(which) for which, name in enumerate(("table", "catalog", "schema", "name"))},
}
