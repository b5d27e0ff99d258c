"""Results of RECOVERY: the restarts of a trail, transactions that a Replicat does not apply, and lists with a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

from logdump.notation.text import amount
from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.extent import Ended
    from trailformat.transactions.header_promises import HeaderMismatch
    from trailformat.transactions.whole_trail import FileGap


_MOST_NAMED = 3
"""Maximum number of gaps named in a few words."""
MOST_LISTED = 10_000
"""Maximum number of listed findings of a kind; all are counted."""

T = TypeVar("T")


class Findings(Generic[T]):
    """Findings of one kind: the first MOST_LISTED, the last one, and the number of all."""

    def __init__(self) -> None:
        self.listed: list[T] = []
        self.number = 0
        self.last: T | None = None

    def add(self, finding: T) -> None:
        """Add a finding."""
        self.number += 1
        self.last = finding
        if len(self.listed) < MOST_LISTED:
            self.listed.append(finding)

    def add_made(self, make: Callable[[], T]) -> None:
        """Add a finding that is made only if it is listed; it does not become ``last``."""
        self.number += 1
        if len(self.listed) < MOST_LISTED:
            self.listed.append(make())

    def __iter__(self) -> Iterator[T]:
        return iter(self.listed)

    @property
    def is_listed(self) -> bool:
        """True if all findings are listed."""
        return self.number == len(self.listed)


class TransactionRef(NamedTuple):
    """A transaction of a trail.

    ``begin`` is None if its first record is missing, ``after`` if its end is. ``tables`` is the number of its records
    by table, only for cut transactions, copies and open ones that are not too large; else None.
    """

    csn: str | None
    xid: str | None
    begin: FilePosition | None
    after: FilePosition | None
    records: int
    size: int
    ended: Ended
    tables: dict[str, int] | None = None


class SecondCopy(NamedTuple):
    """The whole copy of a cut transaction later in the trail.

    ``likeness`` is ``equal``, ``prefix`` (the cut records are the first of the copy) or ``differs``; in the last case
    ``difference`` has the positions of the first two records that differ, None if one of them is missing.
    """

    ref: TransactionRef
    likeness: str
    difference: tuple[FilePosition | None, FilePosition | None] | None = None


class TrailState(NamedTuple):
    """What is wrong in a trail: the verdict of CHECK, RECOVERY, DOCTOR and the start page.

    Attributes:
        trail: name of the trail: its path without a number, or that of a file of no trail.
        damaged: places of damage.
        gaps: files that are missing.
        unreadable: files that are not trail files.
        mismatches: what the headers of closed files say about their end, and the files contradict.
        begins_missing: transactions whose beginning is missing in the middle of the trail, without damage there.
        lost: cut transactions without a whole copy.
        twice: whole copies of whole transactions.
        order_breaks: places where CSNs go back.
        restarts: restarts of Extract.
        left_open: files that their writer has not closed, although a later file exists.
    """

    trail: str = ""
    damaged: int = 0
    gaps: tuple[FileGap, ...] = ()
    unreadable: tuple[Path, ...] = ()
    mismatches: tuple[HeaderMismatch, ...] = ()
    begins_missing: int = 0
    lost: int = 0
    twice: int = 0
    order_breaks: int = 0
    restarts: int = 0
    left_open: tuple[Path, ...] = ()

    @property
    def is_incomplete(self) -> bool:
        """True if bytes of the trail are damaged or missing."""
        return bool(self.damaged or self.gaps or self.unreadable or self.mismatches)

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if bytes are damaged or missing; FINDINGS for lost transactions, copies or decreasing CSNs."""
        if self.is_incomplete:
            return ExitStatus.BAD_DATA
        findings = self.begins_missing or self.lost or self.twice or self.order_breaks
        return ExitStatus.FINDINGS if findings else ExitStatus.OK

    @property
    def words(self) -> list[str]:
        """The findings in a few words each, the most severe first."""
        missing = [f"missing {gap.first.name}{_to(gap)}" for gap in self.gaps[:_MOST_NAMED]]
        missing += [f"{len(self.gaps) - _MOST_NAMED} more gaps"] if len(self.gaps) > _MOST_NAMED else []
        counts = (
            (self.damaged, "damaged place"),
            (len(self.unreadable), "unreadable file"),
            (len({mismatch.path for mismatch in self.mismatches}), "contradicted header"),
            (self.begins_missing, "headless transaction"),
            (self.lost, "lost transaction"),
            (self.twice, "repeated transaction"),
            (self.order_breaks, "order break"),
            (self.restarts, "restart"),
            (len(self.left_open), "open file"),
        )
        return missing + [amount(number, noun) for number, noun in counts if number]


def _to(gap: FileGap) -> str:
    return f" to {gap.last.name}" if gap.last != gap.first else ""


class BeginMissingShown(NamedTuple):
    """A transaction whose first records are missing in the middle of the trail; ``spot`` is the first that is there."""

    spot: FilePosition
    transaction: TransactionRef


class RestartShown(NamedTuple):
    """A restart of Extract.

    Attributes:
        spot: the restart record, or the beginning of the file.
        kind: ``abend``, ``ok`` (by the record), ``rollover`` (by the file).
        time: IO Time of the record, CreationTime of the file (Julian); None if neither is set.
        last_complete: the last whole transaction before it.
        recovery_point: the end of that transaction, where readers continue.
        cut: the transaction that the restart cut.
        again: its second copy.
        is_partial: True if a part of the trail that may have the copy was not read.
    """

    spot: FilePosition
    kind: str
    time: int | None
    last_complete: TransactionRef | None
    recovery_point: FilePosition | None
    cut: TransactionRef | None = None
    again: SecondCopy | None = None
    is_partial: bool = False


class CutShown(NamedTuple):
    """A transaction cut by the next one, without a restart record; ``is_partial`` as in RestartShown."""

    cut: TransactionRef
    again: SecondCopy | None = None
    is_partial: bool = False


class SecondCopyShown(NamedTuple):
    """A later copy of a whole transaction; a Replicat skips it."""

    csn: str
    xid: str
    first: FilePosition
    copy: TransactionRef


class OrderBreakShown(NamedTuple):
    """A position at which the CSNs decrease.

    ``csn`` and ``xid`` are of the first transaction there, ``greatest`` is the greatest CSN before it; ``transactions``
    is the number of transactions below it, up to the next order break or the end.
    """

    spot: FilePosition
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
    """Damage before data that an Extract in overwrite mode may have left: older than the data before the damage.

    ``csn`` is that of the first whole transaction after it; ``was_passed`` is True if the trail had reached that CSN
    before the damage.
    """

    spot: FilePosition
    length: int
    csn: str | None
    was_passed: bool


class TrailFileShown(NamedTuple):
    """A file of the trail: its header, what in it the file contradicts, and whether its record data looks encrypted.

    ``keeps`` is True if a reader at the position of KEEP needs it; ``is_unborn`` if it is the newest file and has no
    records yet.
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
    mismatches: tuple[HeaderMismatch, ...] = ()
    unique_name: str | None = None
    is_unborn: bool = False

    @classmethod
    def of_unborn(cls, path: Path, size: int) -> TrailFileShown:
        """Return a newest file that has no records yet: nothing else is known of it."""
        names = ("version", "recovery_mode", "created", "first_csn", "last_csn", "problem", "keeps")
        fields: dict[str, Any] = dict.fromkeys(names)
        return cls(path, size, **fields, is_too_new=False, looks_encrypted=False, is_unborn=True)


class KeepShown(NamedTuple):
    """A reader at ``spot`` needs the files from ``first`` on; ``free`` are the files before it, ``size`` bytes."""

    spot: FilePosition
    first: Path
    free: tuple[Path, ...]
    size: int


class RecoveryShown(NamedTuple):
    """RECOVERY: the summary.

    Attributes:
        title: name of the trail or of the files read.
        modes: RecoveryMode of the file headers, each once.
        files, transactions: number of each.
        effective: number of transactions that a Replicat applies.
        behind_damage: whole transactions that a Replicat does not apply because it abends at damage before them.
        state: what is wrong in the trail.
        cut: cut transactions.
        twice_records: number of records in the whole copies of whole transactions.
        unnamed: number of whole transactions without a known CSN or a TRANID, so that copies cannot be recognized.
        is_unsure: True if some copies may have been missed because too many transactions are cut or out of order.
        incomplete: transactions of which a part is missing because of damage or a missing file, or in earlier files.
        has_earlier: True if one of them has begun before the first file.
        versions: Compatibility of the files, each once.
        reader: the release that READER names; ``too_new``: the files that it cannot read.
        open: the transaction that is open at the end of the trail.
        half_record: the incomplete record at the end of the trail.
        is_partial: True if not all of the trail was read; results that need all of it are then omitted.
        is_stopped: True if because of Ctrl+C.
        is_listed: True if all findings are listed.
        is_filtered: True if only transactions with a record that passes the filter are listed.
    """

    title: str
    modes: tuple[int, ...]
    state: TrailState
    files: int
    transactions: int
    effective: int
    behind_damage: int
    cut: int
    twice_records: int
    unnamed: int
    is_unsure: bool
    incomplete: int
    has_earlier: bool
    versions: tuple[int, ...]
    reader: str | None
    too_new: tuple[Path, ...]
    open: TransactionRef | None
    half_record: FilePosition | None
    is_partial: bool
    is_stopped: bool
    is_listed: bool
    is_filtered: bool

    @property
    def status(self) -> ExitStatus:
        """The status of the trail's state; BAD_DATA for half a record alone."""
        if self.half_record is not None and self.state.status is ExitStatus.OK:
            return ExitStatus.BAD_DATA
        return self.state.status


def so_far(finding: T) -> T:
    """Return a finding of a partial reading, without facts that need the whole trail."""
    shown: Any = finding
    if isinstance(shown, RestartShown | CutShown):
        shown = shown._replace(is_partial=True)
    elif isinstance(shown, TrailFileShown):
        shown = shown._replace(keeps=None)
    return cast("T", shown)


class RecoveryEnd(NamedTuple):
    """The closing sentence, after all findings in text."""

    shown: RecoveryShown
