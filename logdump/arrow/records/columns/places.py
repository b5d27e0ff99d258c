"""The place of a record, its bytes, and the reason why bytes are no record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.columns.arrow_values import bytes_at, masked
from logdump.arrow.records.errors import place
from logdump.arrow.records.rows import Rows
from logdump.arrow.records.schema import CORRUPT
from trailformat import TrailFile
from trailformat.arrays.arrow import numbered, one_text
from trailformat.scan import PARTIAL

MOST_BYTES = 1 << 30
"""The longest value: more bytes do not get through a Java heap of the usual size; 2 GiB get through none."""


def _file(rows: Rows) -> Any:
    return numbered(one_text(rows.source.path), np.zeros(len(rows), np.int32))


def _of_file(rows: Rows, number: int | None) -> Any:
    """Return one number for all rows of a file."""
    return pa.nulls(len(rows), pa.int32()) if number is None else masked(np.full(len(rows), number, np.int32))


def _number(column: str) -> Callable[[Rows], Any]:
    return lambda rows: masked(rows.of(column))


def _raw(rows: Rows) -> Any:
    """Neighbours are taken as one stretch, without copying."""
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
    """Why the bytes at ``rba`` are no sound record; one that is only half written is ``incomplete``."""
    begin = "incomplete: " if kind == PARTIAL else ""
    error = trail.error_at(rba)
    if error is None:
        return f"{begin}the file has changed while it was read"
    return begin + error.explained()


BUILDERS = {
    "file": _file,
    "seqno": lambda rows: _of_file(rows, rows.source.seqno),
    "file_order": lambda rows: _of_file(rows, rows.source.file_order),
    "rba": _number("rba"),
    "length": _number("length"),
    "raw": _raw,
    CORRUPT: _corrupt,
}
