"""Where a record stands, its bytes, and what is wrong with bytes that are none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from logdump.spark.errors import ValueTooLarge, place
from logdump.spark.report import report
from logdump.spark.rows import Rows
from logdump.spark.schema import CORRUPT
from trailformat import TrailError, TrailFile
from trailformat.scan import PARTIAL

MOST_BYTES = 1 << 30
"""A value of so many bytes does not get through a Java heap of the usual size; 2 GiB get through none."""


def _file(rows: Rows) -> Any:
    return pa.DictionaryArray.from_arrays(np.zeros(len(rows), np.int32), [rows.source.part.path]).dictionary_decode()


def _seqno(rows: Rows) -> Any:
    seqno = rows.source.part.seqno
    return pa.nulls(len(rows), pa.int32()) if seqno is None else pa.array(np.full(len(rows), seqno, np.int32))


def _number(column: str) -> Callable[[Rows], Any]:
    return lambda rows: pa.array(rows.of(column))


def _raw(rows: Rows) -> Any:
    """Neighbours are taken as one stretch of the mapped file, without copying."""
    starts, sizes = rows.of("rba"), rows.of("length")
    fits = sizes < MOST_BYTES
    for row in np.flatnonzero(~fits).tolist():
        _refuse_large(rows, int(starts[row]), int(sizes[row]))
    sizes = np.where(fits, sizes, 0)
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes))).astype(np.int32)
    validity = None if fits.all() else pa.array(fits).buffers()[1]
    buffers = [validity, pa.py_buffer(offsets), _bytes_at(rows, starts, sizes)]
    return pa.Array.from_buffers(pa.binary(), len(rows), buffers)


def _bytes_at(rows: Rows, starts: Any, sizes: Any) -> Any:
    """The bytes of the rows in one buffer."""
    view = memoryview(rows.source.trail.buffer)
    ends = starts + sizes
    breaks = np.flatnonzero(starts[1:] != ends[:-1]) + 1
    firsts = starts[np.concatenate(([0], breaks))].tolist()
    lasts = ends[np.concatenate((breaks - 1, [len(starts) - 1]))].tolist()
    if len(firsts) == 1:
        return pa.py_buffer(view[firsts[0] : lasts[0]])
    return pa.py_buffer(b"".join([view[first:last] for first, last in zip(firsts, lasts, strict=True)]))


def _refuse_large(rows: Rows, rba: int, size: int) -> None:
    text = f"{place(rows.source.part.path, rba)}: {size} bytes do not fit in a value of Spark; do not ask for raw"
    if rows.source.options.mode == "FAILFAST":
        raise ValueTooLarge(text)
    report(text)


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
    try:
        trail.record_at(rba)
    except TrailError as error:
        parts = [begin + error.problem]
        parts += [f"expected {error.expected}"] if error.expected is not None else []
        parts += [f"found {error.found}"] if error.found is not None else []
        return "; ".join(parts)
    return f"{begin}the file has changed while it was read"


BUILDERS = {
    "file": _file,
    "seqno": _seqno,
    "rba": _number("rba"),
    "length": _number("length"),
    "raw": _raw,
    CORRUPT: _corrupt,
}
