"""What RECOVERY tells: the restarts of a trail, and which of its transactions a Replicat does not apply."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from logdump.session.exit_status import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat.trail.sequence import Spot
    from trailformat.transactions.extent import Ended
    from trailformat.transactions.whole_trail import FileGap


T = TypeVar("T")


class TransactionRef(NamedTuple):
    """A transaction of a trail.

    ``begin`` is None where its first record is not there, ``after`` while its end has not come; ``tables`` are its
    records by table, of those that are cut, copies or open and not too large; else None.
    """

    csn: str | None
    xid: str | None
    begin: Spot | None
    after: Spot | None
    records: int
    size: int
    ended: Ended
    tables: dict[str, int] | None = None


class SecondCopy(NamedTuple):
    """The whole copy of a cut transaction behind it.

    ``likeness`` is ``equal``, ``prefix`` (the cut records are its first ones) or ``differs``; then ``difference`` are
    the two records that differ first, None where one of them lacks.
    """

    ref: TransactionRef
    likeness: str
    difference: tuple[Spot | None, Spot | None] | None = None


class RestartShown(NamedTuple):
    """Extract restarted.

    Attributes:
        spot: the restart record, or the beginning of the file.
        kind: ``abend``, ``ok`` (by the record), ``rollover`` (by the file).
        time: IO Time of the record, CreationTime of the file (Julian); None where it is not told.
        last_complete: the last whole transaction before it.
        recovery_point: the place behind that, where readers go on.
        cut: the transaction that it cut.
        again: its second copy.
        is_partial: whether not all of the trail was read, where a copy may be.
    """

    spot: Spot
    kind: str
    time: int | None
    last_complete: TransactionRef | None
    recovery_point: Spot | None
    cut: TransactionRef | None = None
    again: SecondCopy | None = None
    is_partial: bool = False


class CutShown(NamedTuple):
    """A transaction that the next one overtook, without a restart that tells why; ``is_partial`` as in a restart."""

    cut: TransactionRef
    again: SecondCopy | None = None
    is_partial: bool = False


class SecondCopyShown(NamedTuple):
    """A whole transaction that stands in the trail a second time; a Replicat skips the copy."""

    csn: str
    xid: str
    first: Spot
    copy: TransactionRef


class OrderBreakShown(NamedTuple):
    """A place where the CSNs go back.

    ``csn`` and ``xid`` are of the first transaction there, ``greatest`` is the CSN that the trail had come to before;
    so many ``transactions`` stand below it, up to the next place or the end.
    """

    spot: Spot
    csn: str | None
    xid: str | None
    greatest: str
    transactions: int = 1


class ProducerChangeShown(NamedTuple):
    """A file header names another writer, machine or source than that of the file before."""

    path: Path
    member: str
    before: str | None
    after: str | None


class OverwriteShown(NamedTuple):
    """Damage in front of data that an Extract in overwrite mode may have left: older than what stands before it.

    ``csn`` is that of the first whole transaction after it; ``was_passed``: whether the trail had come to it before.
    """

    spot: Spot
    length: int
    csn: str | None
    was_passed: bool


class TrailFileShown(NamedTuple):
    """A file of the trail, as its header tells, and whether its record data looks encrypted.

    ``keeps`` says whether a reader at the place of KEEP needs it.
    """

    path: Path
    size: int
    version: int | None
    recovery_mode: int | None
    created: int | None
    first_csn: str | None
    last_csn: str | None
    problem: str | None
    is_too_new: bool
    keeps: bool | None
    looks_encrypted: bool


class KeepShown(NamedTuple):
    """A reader at ``spot`` needs the files from ``first`` on; ``free`` come before it, of ``size`` bytes."""

    spot: Spot
    first: Path
    free: tuple[Path, ...]
    size: int


class RecoveryShown(NamedTuple):
    """RECOVERY: the whole in numbers.

    Attributes:
        title: what was looked at.
        modes: RecoveryMode of the file headers, each once.
        files, restarts, transactions: how many there are.
        effective: transactions that a Replicat applies.
        behind_damage: whole transactions that it does not apply because it abends at damage before them.
        cut: those that were cut; ``lost`` of them have no whole copy.
        twice: whole copies of whole transactions; ``twice_records`` are the records in them.
        order_breaks: places where CSNs go back.
        unnamed: whole transactions of which no copy can be told.
        is_unsure: whether so many transactions are cut or out of order that copies of some may have been missed.
        damaged: places of damage.
        incomplete: transactions that damage or a missing file has left without a part.
        gaps: files that are missing.
        unreadable: files that are no trail.
        versions: Compatibility of the files, each once.
        reader: the release that READER names; ``too_new`` are the files it cannot read.
        open: the transaction in which the trail ends.
        half_record: the record in which it ends.
        is_partial: whether not all of the trail was read; then nothing is told that only all of it shows.
        is_stopped: whether Ctrl+C is why.
        is_listed: whether all findings are listed.
        is_filtered: whether only those are with a record that passes the filter.
    """

    title: str
    modes: tuple[int, ...]
    files: int
    restarts: int
    transactions: int
    effective: int
    behind_damage: int
    cut: int
    lost: int
    twice: int
    twice_records: int
    order_breaks: int
    unnamed: int
    is_unsure: bool
    damaged: int
    incomplete: int
    gaps: tuple[FileGap, ...]
    unreadable: tuple[Path, ...]
    versions: tuple[int, ...]
    reader: str | None
    too_new: tuple[Path, ...]
    open: TransactionRef | None
    half_record: Spot | None
    is_partial: bool
    is_stopped: bool
    is_listed: bool
    is_filtered: bool

    @property
    def status(self) -> ExitStatus:
        """Findings: a cut transaction without a copy, one that stands twice, CSNs that go back; else damage."""
        if self.lost or self.twice or self.order_breaks:
            return ExitStatus.FINDINGS
        return ExitStatus.BAD_DATA if self.damaged or self.unreadable else ExitStatus.OK


def so_far(finding: T) -> T:
    """A finding of a partial reading: without what only all of the trail shows."""
    told: Any = finding
    if isinstance(told, RestartShown | CutShown):
        told = told._replace(is_partial=True)
    elif isinstance(told, TrailFileShown):
        told = told._replace(keeps=None)
    return cast("T", told)


class RecoveryEnd(NamedTuple):
    """The sentence behind all findings in text."""

    shown: RecoveryShown
