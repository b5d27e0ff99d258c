"""Times, LOGCSNs and TRANIDs of many records as texts, made by columns."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from logdump.arrow.tables.lines import SHOWN_MOMENT, moment_texts, runs_of
from logdump.notation.times import TimeOffset, format_timestamp
from trailformat.arrays import Numbered, Strings
from trailformat.codec.timestamps import FIRST_TIME, JULIAN_UNIX_EPOCH, LAST_TIME
from trailformat.scan.batch import StringColumn
from trailformat.scan.rows.row_bytes import Array

_FIRST_GRAPHIC, _GRAPHIC = 0x21, 0x5E
"""The first visible character of ASCII, and the number of them."""
_SECOND, _DAY, _QUARTER = 1_000_000, 86_400_000_000, 900
"""Microseconds; the seconds in which the zone of a machine changes once at most."""


def shown_texts(column: StringColumn, shown: Callable[[str | None], str]) -> Strings:
    """Return texts as ``shown`` returns each, which does not change graphic characters of ASCII; null if empty."""
    texts = Strings.of_column(column)
    is_strange = texts.data - np.uint8(_FIRST_GRAPHIC) >= _GRAPHIC
    texts = texts.with_rows(texts.rows_with(is_strange).tolist(), lambda row: shown(column[row]))
    return Strings(texts.data, texts.offsets, np.packbits(texts.sizes > 0, bitorder="little"))


def shown_times(julian: Array, offset: TimeOffset) -> Numbered:
    """Return times as ``format_timestamp`` writes them; equal neighbours share one text."""
    is_usual = (julian >= FIRST_TIME + _DAY) & (julian <= LAST_TIME - _DAY)
    moments = np.where(is_usual, julian - JULIAN_UNIX_EPOCH, 0)
    texts = moment_texts(moments + _SECOND * _shifts(moments // _SECOND, offset), SHOWN_MOMENT)
    if is_usual.all():
        return texts
    begins, _ = runs_of(julian)
    unusual = [format_timestamp(moment, offset) for moment in julian[begins & ~is_usual].tolist()]
    number = np.cumsum(begins & ~is_usual) - 1 + len(texts.texts)
    joined = Strings.joined([texts.texts, Strings.of(unusual)])
    return Numbered(joined, np.where(is_usual, texts.numbers, number).astype(np.int32))


def _shifts(seconds: Array, offset: TimeOffset) -> Array | int:
    """Return the seconds by which a zone is ahead of GMT at Unix seconds."""
    if offset.minutes is not None:
        return 60 * offset.minutes
    quarters, places = np.unique(seconds // _QUARTER, return_inverse=True)
    places = places.reshape(-1)
    first, last = (
        np.array([_ahead(quarter * _QUARTER + second) for quarter in quarters.tolist()], np.int64)
        for second in (0, _QUARTER - 1)
    )
    shifts: Array = first[places]
    for row in np.flatnonzero((first != last)[places]).tolist():
        shifts[row] = _ahead(int(seconds[row]))
    return shifts


def _ahead(seconds: int) -> int:
    return time.localtime(seconds).tm_gmtoff
