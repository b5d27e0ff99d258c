"""What proves that a position in a target belongs to the trail at hand: the transaction before it.

A position names the trail, and the first record, CSN and XID of the last transaction before it. That of a load, after
which nothing was applied, names the last transaction that the trail had at the load. Whoever goes on from it compares
them with what the trail has there, so that another trail, or one written anew, is not taken for it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import pyarrow as pa

from logdump.arrow.records.errors import place as shown_place
from logdump.tables.errors import BadTrail, FileChanged, SourceError, located
from logdump.tables.paths import TrailInput
from logdump.targets.target import PLACE, AppliedPosition, BadTarget, LastTransaction, place_of
from trailformat import BadRecord, ByteOrder, CannotRead, TrailError, TrailFile, TrailName
from trailformat.records import framing
from trailformat.trail.packed import unpacked_size
from trailformat.trail.sequence import FilePosition, previous_file
from trailformat.transactions.around import ends_transaction, start_at

BEGINNING = place_of(0, 0)
"""The place, as it is kept in a database, of a table that has rows of a load and no change: before all records."""
AFTER = ".9"
"""End of a place that is after the record with its RBA, not before it."""


class OtherTrail(SourceError):
    """A position in the target is not one of this trail; nothing has been written."""


class TrailPlace(NamedTuple):
    """A place of a position: the number of the file, an RBA, and whether it is after the record at that RBA."""

    seqno: int
    rba: int
    is_after: bool

    @classmethod
    def of(cls, place: str) -> TrailPlace:
        """Return the parts of a place as :func:`place_of` makes it, or of one after a change."""
        return cls(int(place[:10]), int(place[11:27]), place.endswith(AFTER))


def witness_of(files: Sequence[TrailInput], place: str) -> LastTransaction | None:
    """Return the last transaction before a place of a trail; None if its file is missing or no record ends there.

    Raises:
        BadTrail: the file is damaged.
    """
    at = TrailPlace.of(place)
    file = _file_of(files, at.seqno)
    if file is None or file.name is None:
        return None
    with _readable(file):
        return _witness(file.name, at)


def last_of(files: Sequence[TrailInput]) -> LastTransaction | None:
    """Return the last whole transaction of a trail: what is after it, a writer that starts again may write over.

    Raises like witness_of.
    """
    last = files[-1]
    if last.name is None:
        return None
    with _readable(last):
        with TrailFile(last.path) as trail:
            end = trail.end_of_records()
            record = trail.record_before(end)
        known = witness_of(files, place_of(last.name.seqno, end))
        is_whole = record is None or ends_transaction(record)
        return known if is_whole or known is None or not known.at else witness_of(files, known.at)


@contextmanager
def _readable(file: TrailInput) -> Iterator[None]:
    """Context in which errors of reading a file become those of a source."""
    try:
        yield
    except CannotRead as error:
        raise FileChanged(located(error, file.path)) from None
    except TrailError as error:
        raise BadTrail(located(error, file.path)) from None


def _witness(name: TrailName, at: TrailPlace) -> LastTransaction | None:
    where = FilePosition(name.path, at.rba)
    is_first = at.is_after
    if not is_first and at.rba and not _record_ends(where):
        return None
    while True:
        step = _step(where, is_first=is_first)
        if step is None:
            return LastTransaction(name.prefix)
        if step.is_begin:
            return _named(name.prefix, step.where)
        where, is_first = step.where, False


class _StepBack(NamedTuple):
    """A place in a file; ``is_begin`` if it is the first record of the transaction that was sought."""

    where: FilePosition
    is_begin: bool


def _step(where: FilePosition, *, is_first: bool) -> _StepBack | None:
    """Go back from a place to the begin of the transaction that ends there, or to the end of an earlier one.

    With ``is_first`` the record at the place is looked at, not the one before. None: there is no earlier transaction.
    """
    with TrailFile(where.path) as trail:
        begin = where.rba if is_first else _record_before(trail, where.rba)
        if begin is None or begin < trail.first_rba:
            earlier, _ = previous_file(where.path)
            return None if earlier is None else _StepBack(FilePosition(earlier, unpacked_size(earlier)), is_begin=False)
        start = start_at(trail, begin)
    if start.is_begin or start.position != FilePosition(where.path, begin):
        return _StepBack(start.position, start.is_begin)
    return None


def _record_before(trail: TrailFile, rba: int) -> int | None:
    starts = (framing.start_before(trail.bytes, rba, order) for order in ByteOrder)
    return next((start for start in starts if start is not None), None)


def _record_ends(where: FilePosition) -> bool:
    """Return whether a sound record ends at a place."""
    with TrailFile(where.path) as trail:
        return where.rba <= trail.size and _record_before(trail, where.rba) is not None


def _named(prefix: str, where: FilePosition) -> LastTransaction:
    name = TrailName.parse(where.path)
    with TrailFile(where.path) as trail:
        record = trail.record_at(where.rba)
    seqno = name.seqno if name is not None else 0
    csn, xid = (record.csn, record.xid) if record is not None else (None, None)
    return LastTransaction(prefix, place_of(seqno, where.rba), csn, xid)


def _file_of(files: Sequence[TrailInput], seqno: int) -> TrailInput | None:
    return next((file for file in files if file.name is not None and file.name.seqno == seqno), None)


def check_position(table: str, position: AppliedPosition, files: Sequence[TrailInput]) -> None:
    """Check that a position is one of this trail, and that the trail can be read on from it.

    A position without a witness, as release 1.0.0 wrote them, is only checked for its file. That of a load, which has
    no place, is one of every trail with the transaction that was the last one at the load.

    Raises:
        OtherTrail: the trail has another name, or another transaction before the position.
        FileChanged: a file that is needed was removed.
        BadTrail: the trail is damaged there.
    """
    witness = position.witness
    prefixes = sorted({file.name.prefix for file in files if file.name is not None})
    if witness is not None and prefixes and prefixes != [witness.trail]:
        raise OtherTrail(
            f"{_about(table, position)} is one of the trail {witness.trail}, not of {prefixes[0]}; {_ADOPT}"
        )
    if not position.place:
        if witness is not None and witness.at:
            _check_present(table, position, witness, files)
        return
    for place in filter(None, (position.start, position.place)):
        _check_file(table, position, TrailPlace.of(place), files)
    if witness is not None and (there := witness_of(files, position.place)) != witness:
        if there is not None and not there.at and _is_purged(witness, files):
            return
        raise OtherTrail(_other(table, position, witness, there, files))


def _check_present(
    table: str, position: AppliedPosition, witness: LastTransaction, files: Sequence[TrailInput]
) -> None:
    """Check that a transaction is where it was, if its file was not purged. Raises OtherTrail and like witness_of."""
    at = TrailPlace.of(witness.at)
    file = _file_of(files, at.seqno)
    numbers = [trail_file.name.seqno for trail_file in files if trail_file.name is not None]
    if file is None and numbers and at.seqno < max(numbers):
        return
    there = None
    if file is not None and file.name is not None:
        with _readable(file), suppress(BadRecord):
            there = _named(file.name.prefix, FilePosition(file.name.path, at.rba))
    if there != witness:
        raise OtherTrail(_other(table, position, witness, there, files))


def _check_file(table: str, position: AppliedPosition, at: TrailPlace, files: Sequence[TrailInput]) -> None:
    file = _file_of(files, at.seqno)
    if file is None:
        known = next((other.name for other in files if other.name is not None), None)
        missing = known.beyond(at.seqno - known.seqno).plain_path if known is not None else f"the file {at.seqno}"
        raise FileChanged(
            f"nothing was written: {missing} is missing, in which {_about(table, position, is_first=False)} is: "
            f"bring it back; {_ADOPT}"
        )
    try:
        size = unpacked_size(file.path)
    except OSError as error:
        raise FileChanged(f"{shown_place(file.path)}: {error.strerror}") from None
    if size < at.rba:
        raise OtherTrail(
            f"{_about(table, position)} is at RBA {at.rba} of {file.path}, which has {size} bytes: "
            f"it was written anew; {_ADOPT}"
        )


def _is_purged(witness: LastTransaction, files: Sequence[TrailInput]) -> bool:
    """Return whether the file of a transaction is not there any more."""
    return bool(witness.at) and _file_of(files, TrailPlace.of(witness.at).seqno) is None


def _other(
    table: str,
    position: AppliedPosition,
    witness: LastTransaction,
    there: LastTransaction | None,
    files: Sequence[TrailInput],
) -> str:
    is_of_load = not position.place
    at = TrailPlace.of(witness.at if is_of_load else position.place)
    file = _file_of(files, at.seqno)
    where = shown_place(file.path, at.rba) if file is not None else f"there is no file {at.seqno}"
    none = "no record is there" if is_of_load else "no record ends there"
    relation = "of a trail with" if is_of_load else "after"
    what = none if there is None else f"the trail has {_words(there)} there"
    return (
        f"{_about(table, position)} is {relation} {_words(witness)}, and {what} ({where}): "
        f"this is another trail, or it was written anew; {_ADOPT}"
    )


def _words(witness: LastTransaction) -> str:
    if not witness.at:
        return "no transaction"
    at = TrailPlace.of(witness.at)
    named = [f"{word} {text}" for word, text in (("CSN", witness.csn), ("XID", witness.xid)) if text is not None]
    return f"the transaction with {', '.join(named) or 'no CSN'} (file {at.seqno}, RBA {at.rba})"


def _about(table: str, position: AppliedPosition, *, is_first: bool = True) -> str:
    csn = f" (CSN {position.csn})" if position.csn is not None else ""
    return f"{'nothing was written: ' if is_first else ''}the position of {table} in the target{csn}"


_ADOPT = "adopt='<CSN>' goes on with this trail from the first transaction with that CSN"


def position_of(table: str, row: Mapping[str, Any]) -> AppliedPosition:
    """Return a position from the columns of its row; what release 1.0.0 has not noted is None.

    Raises:
        BadTarget: a value is none that a position has.
    """
    with readable("logdump_position", table, row, "or delete the row to begin anew"):
        place, start, csn, trail, at, *last, target = (
            text_of(row[name])
            for name in ("place", "start_at", "csn", "trail", "last_at", "last_csn", "last_xid", "target_table")
        )
        places = {"place": place, "start_at": start, "last_at": at}
        if wrong := [name for name, text in places.items() if text and not PLACE.fullmatch(text)]:
            raise ValueError(wrong[0])
        witness = LastTransaction(trail, at or "", *last) if trail is not None else None
        place, start = ("" if text == BEGINNING else text for text in (place, start))
        changes = int(row["changes"])
        masks = text_of(row.get("masks"))
        return AppliedPosition(
            place or "", start or "", csn, moment_of(row["source_time"]), changes, witness, target, masks
        )


@contextmanager
def readable(kept_in: str, table: str, row: Mapping[str, Any], otherwise: str) -> Iterator[None]:
    """Context in which what does not read in a row of ours, which somebody has edited, becomes BadTarget."""
    try:
        yield
    except (ValueError, TypeError, ArithmeticError, LookupError, OSError, pa.ArrowException) as error:
        name = str(error) if str(error) in row else "a column"
        shown = f" {str(row[name])[:40]!r}" if name in row else ""
        raise BadTarget(
            f"nothing was written: {kept_in} has a row of {table} in which {name} is not as it was written{shown}: "
            f"correct it, {otherwise}"
        ) from None


def text_of(value: Any) -> str | None:
    """Return a text that a driver reads, whatever type its column has now; None for NULL."""
    if value is None:
        return None
    return bytes(value).decode() if isinstance(value, bytes | bytearray | memoryview) else str(value)


def moment_of(value: Any) -> dt.datetime | None:
    """Return a time that a driver reads; one without a zone is in UTC. Raises ValueError for any other value."""
    if value is None:
        return None
    moment = value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(str(value))
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
