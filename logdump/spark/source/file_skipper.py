"""Whole files left out by what their headers say: FirstCSN, LastCSN, FirstIOTime, LastIOTime.

LastCSN and LastIOTime are set when the writer closes a file, so nothing is known of the end of the newest one. What
comes first in a file may belong to a transaction of the file before, whose CSN is lower than FirstCSN: only a file that
begins with a transaction is left out for beginning too late.
"""

from __future__ import annotations

from typing import Any

from logdump.spark.source.options import Options
from trailformat import TrailFile, from_datetime
from trailformat.changes.csn import CsnKey, csn_key
from trailformat.transactions.around import begins_with_a_transaction


def may_hold(trail: TrailFile, options: Options) -> bool:
    """Whether any record of the file can lie within the bounds on CSN and time."""
    header = trail.file_header
    if header is None:
        return True
    if _is_before(csn_key(header.last_csn or ""), csn_key(options.start_csn or "")):
        return False
    start, end = (moment and from_datetime(moment) for moment in (options.start_timestamp, options.end_timestamp))
    if _is_before(header.last_time, start):
        return False
    begins_late = _is_before(csn_key(options.end_csn or ""), csn_key(header.first_csn or "")) or _is_before(
        end, header.first_time
    )
    return not (begins_late and begins_with_a_transaction(trail))


def _is_before(left: Any, right: Any) -> bool:
    """Whether both are known, comparable, and the first is less."""
    if left is None or right is None:
        return False
    if isinstance(left, CsnKey):
        is_less: bool = left.parts < right.parts
        return left.kind == right.kind and is_less
    return bool(left < right)
