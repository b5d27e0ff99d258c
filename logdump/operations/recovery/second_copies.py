"""Whether the second copy of a cut transaction holds what the first one held."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from logdump.session.recovery_events import SecondCopy, TransactionRef
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.transactions import is_transactional
from trailformat.search.whole_trail import TrailPlace, WholeTrail
from trailformat.trail.sequence import Spot


class TransactionRow(NamedTuple):
    """A record of a transaction, in a file that is open as long as it is looked at."""

    trail: TrailFile
    record: Record

    @property
    def spot(self) -> Spot:
        """Where it stands."""
        return Spot(self.trail.path, self.record.rba)


def rows_of(whole: WholeTrail, ref: TransactionRef) -> Iterator[TransactionRow]:
    """The records of a transaction that has its beginning, in their order."""
    if ref.begin is None:
        return
    left, place = ref.records, TrailPlace(whole.ordinals[ref.begin.path], ref.begin.rba)
    for ordinal in range(place.ordinal, len(whole)):
        trail = whole.open(ordinal)
        if trail is None:
            return
        with trail:
            start = place.rba if ordinal == place.ordinal else trail.first_rba
            for rba in trail.sound_rbas(start, trail.size):
                record = trail.record_at(rba)
                if record is None or not is_transactional(record):
                    continue
                yield TransactionRow(trail, record)
                left -= 1
                if not left:
                    return


def compared(whole: WholeTrail, cut: TransactionRef, again: TransactionRef) -> SecondCopy:
    """The second copy, held against the records of the first."""
    pairs = zip_longest(rows_of(whole, cut), rows_of(whole, again))
    for first, second in pairs:
        if first is None:
            return SecondCopy(again, "prefix")
        if second is None or not _is_equal(first, second):
            return SecondCopy(again, "differs", (first.spot, second.spot if second else None))
    return SecondCopy(again, "equal")


def _is_equal(one: TransactionRow, other: TransactionRow) -> bool:
    return one.record.raw == other.record.raw or _canonical(one) == _canonical(other)


def _canonical(row: TransactionRow) -> tuple[object, ...]:
    """What a record says, whatever its byte order and its table's index."""
    record, header = row.record, row.record.header
    name = row.trail.name_of(record)
    about = (header.io_type, header.before_after, header.trans_ind, header.continued, header.rec_count)
    moments = (header.io_time, header.audit_pos, header.audit_rba)
    return (name, about, moments, *_parts(record))


def _parts(record: Record) -> tuple[object, ...]:
    """Images and tokens; the bytes where they do not come apart."""
    try:
        tokens = tuple((one.id, one.payload) for one in record.gg_tokens)
        found: tuple[object, ...] = (record.images or record.data, tokens, record.user_tokens)
    except TrailError:
        return (record.body,)
    return found
