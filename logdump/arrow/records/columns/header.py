"""The fields of the record header, straight from the columns of the scan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.columns.arrow_values import masked, validity
from logdump.arrow.records.rows import Rows
from trailformat import io_type_name
from trailformat.arrays.arrow import numbered, plain_array
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.records.record_header import METADATA
from trailformat.scan import FILE_HEADER

FILE_HEADER_OP = "FileHeader"
_HEADER_PLACE = 256
_OPS = pa.array([*(io_type_name(number) for number in range(_HEADER_PLACE)), FILE_HEADER_OP])
_LETTERS = pa.array([chr(number) for number in range(256)])


def _op(rows: Rows) -> Any:
    places = np.where(rows.kind == FILE_HEADER, np.int32(_HEADER_PLACE), rows.of("io_type"))
    return numbered(_OPS, places, rows.is_sound)


def _of_header(column: str, kind: type) -> Callable[[Rows], Any]:
    return lambda rows: masked(rows.of(column).astype(kind), rows.is_record)


def _before_after(rows: Rows) -> Any:
    return numbered(_LETTERS, rows.of("before_after").astype(np.int32), rows.is_record)


def timestamps(julian: Any, valid: Any) -> Any:
    """Julian microseconds as timestamps, null outside the years that Spark knows."""
    valid = valid & (julian >= FIRST_TIME) & (julian <= LAST_TIME)
    since_1970 = np.where(valid, julian, JULIAN_UNIX_EPOCH) - JULIAN_UNIX_EPOCH
    return plain_array(pa.timestamp("us", "UTC"), since_1970, valid)


def _time(rows: Rows) -> Any:
    return timestamps(rows.of("io_time"), rows.is_record)


def _audit_rba(rows: Rows) -> Any:
    return masked(rows.of("audit_rba").astype(np.int64), rows.is_record & (rows.of("io_type") != METADATA))


def _audit_pos(rows: Rows) -> Any:
    """Unsigned 64 bits as the low half of Arrow's 128-bit decimals."""
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
}
