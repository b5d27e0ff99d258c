"""Results of RECOVERY: the restarts of a trail, transactions that a Replicat does not apply, and lists with a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeVar, cast

from logdump.notation.text import amount
from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat.codec.timestamps import Julian
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
    """A transaction of a trail; tables are counted for cut ones, copies and open ones that are not too large."""

    csn: Annotated[str | None, "LOGCSN"]
    xid: Annotated[str | None, "TRANID"]
    begin: Annotated[FilePosition | None, "Its first record; null when that is not there"]
    after: Annotated[FilePosition | None, "The first place after it; null while it is open"]
    records: Annotated[int, "Its records"]
    size: Annotated[int, "Their bytes", "bytes"]
    ended: Annotated[Ended, "How it ended, as in `safe_point`"]
    tables: Annotated[
        dict[str, int] | None,
        "How many records of each table, by its name; null where they were not looked at",
    ] = None


class SecondCopy(NamedTuple):
    """The whole copy of a cut transaction later in the trail.

    ``likeness`` is ``equal``, ``prefix`` (the cut records are the first of the copy) or ``differs``; in the last case
    ``difference`` has the positions of the first two records that differ, None if one of them is missing.
    """

    ref: TransactionRef
    likeness: str
    difference: tuple[FilePosition | None, FilePosition | None] | None = None


class TrailState(NamedTuple):
    """What is wrong in a trail: the verdict of CHECK, RECOVERY, DOCTOR and the start page."""

    trail: Annotated[str, "Path of the trail without a number, or of the file"] = ""
    damaged: Annotated[int, "Places of damage"] = 0
    gaps: Annotated[tuple[FileGap, ...], "Files that are missing, or were not asked for"] = ()
    unreadable: Annotated[tuple[Path, ...], "Files that are not trail files"] = ()
    mismatches: Annotated[
        tuple[HeaderMismatch, ...],
        "What headers of closed files say about their end, and the files contradict",
    ] = ()
    begins_missing: Annotated[int, "Transactions whose beginning is missing in the middle of the trail"] = 0
    lost: Annotated[int, "Cut transactions without a whole copy"] = 0
    twice: Annotated[int, "Whole copies of whole transactions"] = 0
    order_breaks: Annotated[int, "Places where CSNs go back"] = 0
    restarts: Annotated[int, "Restarts of Extract"] = 0
    left_open: Annotated[tuple[Path, ...], "Files that their writer has not closed, although a later file exists"] = ()

    @property
    def is_incomplete(self) -> bool:
        """True if bytes of the trail are damaged or missing."""
        return bool(self.damaged or self.missing or self.unreadable or self.mismatches)

    @property
    def missing(self) -> list[FileGap]:
        """The gaps of files that do not exist."""
        return [gap for gap in self.gaps if not gap.is_left_out]

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
        missing = [f"missing {gap.first.name}{_to(gap)}" for gap in self.missing[:_MOST_NAMED]]
        missing += [f"{len(self.missing) - _MOST_NAMED} more gaps"] if len(self.missing) > _MOST_NAMED else []
        counts = (
            (self.damaged, "damaged place"),
            (len(self.unreadable), "unreadable file"),
            (len({mismatch.path for mismatch in self.mismatches}), "contradicted header"),
            (self.begins_missing, "headless transaction"),
            (self.lost, "lost transaction"),
            (self.twice, "repeated transaction"),
            (self.order_breaks, "order break"),
            (self.restarts, "restart"),
        )
        left_open = [f"{amount(len(self.left_open), 'file')} not closed"] if self.left_open else []
        return missing + [amount(number, noun) for number, noun in counts if number] + left_open


def _to(gap: FileGap) -> str:
    return f" to {gap.last.name}" if gap.last != gap.first else ""


class BeginMissingShown(NamedTuple):
    """A transaction whose first records are missing in the middle of the trail."""

    position: Annotated[FilePosition, "Its first record that is there", "place", "spot"]
    transaction: Annotated[TransactionRef, "What is there of it"]


class RestartShown(NamedTuple):
    """A restart of Extract.

    Attributes:
        position: the restart record, or the beginning of the file.
        again: its second copy.
        is_partial: True if a part of the trail that may have the copy was not read.
    """

    position: FilePosition
    kind: Annotated[str, "`abend`, `ok` (RestartAbend, RestartOK), `rollover` (a new file)"]
    time: Annotated[Julian | None, "IO Time of the record, CreationTime of the file"]
    last_complete: Annotated[TransactionRef | None, "The last whole transaction before it"]
    recovery_point: Annotated[FilePosition | None, "The place after that, where readers continue"]
    cut: Annotated[TransactionRef | None, "The transaction that it cut"] = None
    again: SecondCopy | None = None
    is_partial: bool = False


class CutShown(NamedTuple):
    """A transaction cut by the next one, without a restart record; ``is_partial`` as in RestartShown."""

    cut: Annotated[TransactionRef, "The transaction"]
    again: SecondCopy | None = None
    is_partial: bool = False


class SecondCopyShown(NamedTuple):
    """A later copy of a whole transaction; a Replicat skips it."""

    csn: Annotated[str, "LOGCSN"]
    xid: Annotated[str, "TRANID"]
    first: Annotated[FilePosition, "Where it begins first"]
    copy: Annotated[TransactionRef, "The copy, which a Replicat skips"]


class OrderBreakShown(NamedTuple):
    """A position at which the CSNs decrease."""

    position: Annotated[FilePosition, "The first transaction there", "place", "spot"]
    csn: Annotated[str | None, "Its LOGCSN"]
    xid: Annotated[str | None, "Its TRANID"]
    greatest: Annotated[str, "The greatest CSN before it"]
    transactions: Annotated[int, "Number of transactions below that, up to the next `order_break`"] = 1


class ProducerChangeShown(NamedTuple):
    """A file header names another writer, machine or source than that of the file before."""

    path: Annotated[Path, "Path of the file", "file"]
    member: Annotated[str, "Group and token of the header"]
    before: Annotated[str | None, "Its value in the file before"]
    after: Annotated[str | None, "Its value in this one"]


class OverwriteShown(NamedTuple):
    """Damage before data that an Extract in overwrite mode may have left: older than the data before the damage."""

    position: Annotated[FilePosition, "The damage", "place", "spot"]
    length: Annotated[int, "Its bytes"]
    csn: Annotated[str | None, "LOGCSN of the first whole transaction after it"]
    was_passed: Annotated[bool, "Whether the trail had passed it before; else the file is in overwrite mode"]


class TrailFileShown(NamedTuple):
    """A file of the trail: its header, what in it the file contradicts, and whether its record data looks encrypted."""

    path: Annotated[Path, "Path of the file", "file"]
    size: Annotated[int, "Its size", "bytes"]
    version: Annotated[int | None, "Compatibility"]
    recovery_mode: Annotated[int | None, "RecoveryMode: 1 append, 0 overwrite"]
    created: Annotated[Julian | None, "CreationTime"]
    first_csn: Annotated[str | None, "FirstCSN"]
    last_csn: Annotated[str | None, "LastCSN, set when the file is closed"]
    problem: Annotated[str | None, "Why it is not a trail"]
    is_too_new: Annotated[bool, "Whether the release of READER cannot read it"]
    keeps: Annotated[bool | None, "Whether a reader at the place of `keep` needs it; null: unknown", "needed"]
    looks_encrypted: Annotated[bool, "Whether its record data looks encrypted", "encrypted"]
    mismatches: Annotated[
        tuple[HeaderMismatch, ...],
        "What headers of closed files say about their end, and the files contradict",
    ] = ()
    unique_name: Annotated[str | None, "DbUniqueName, from 21c on", "database_unique_name"] = None
    is_unborn: Annotated[bool, "Whether it is the newest file and has no records yet"] = False

    @classmethod
    def of_unborn(cls, path: Path, size: int) -> TrailFileShown:
        """Return a newest file that has no records yet: nothing else is known of it."""
        names = ("version", "recovery_mode", "created", "first_csn", "last_csn", "problem", "keeps")
        fields: dict[str, Any] = dict.fromkeys(names)
        return cls(path, size, **fields, is_too_new=False, looks_encrypted=False, is_unborn=True)


class KeepShown(NamedTuple):
    """A reader at ``position`` needs the files from ``first`` on; ``free`` are the files before it, ``size`` bytes."""

    position: Annotated[FilePosition, "The place of the reader", "place", "spot"]
    first: Annotated[Path, "The first file that it needs"]
    free: Annotated[tuple[Path, ...], "The files before that"]
    size: Annotated[int, "Bytes in those", "bytes"]


class RecoveryShown(NamedTuple):
    """RECOVERY: the summary.

    Attributes:
        state: what is wrong in the trail.
        has_earlier: True if one of them has begun before the first file.
        is_partial: True if not all of the trail was read; results that need all of it are then omitted.
        is_stopped: True if because of Ctrl+C.
    """

    title: Annotated[str, "The trail, as in the text"]
    modes: Annotated[tuple[int, ...], "RecoveryMode of the files, each once", "mode"]
    state: TrailState
    files: Annotated[int, "Files"]
    transactions: Annotated[int, "Transactions, cut and open ones too"]
    effective: Annotated[int, "Those that a Replicat applies: whole, the first copy, before the first damage"]
    after_damage: Annotated[
        int,
        "Whole ones, and first copies, that it does not reach: it abends at damage",
        "after_damage",
        "behind_damage",
    ]
    cut: Annotated[int, "Those that were cut"]
    twice_records: Annotated[int, "Records in those"]
    unnamed: Annotated[int, "Whole transactions without CSN or TRANID, whose copies are not detected"]
    is_unsure: Annotated[bool, "Whether some copies may have been missed"]
    incomplete: Annotated[int, "Transactions that lack a part by damage, a missing file, or in files before the first"]
    has_earlier: bool
    versions: Annotated[tuple[int, ...], "Compatibility of the files, each once"]
    reader: Annotated[str | None, "The release that READER named"]
    too_new: Annotated[tuple[Path, ...], "Files that it cannot read"]
    open: Annotated[TransactionRef | None, "The transaction in which the trail ends"]
    half_record: Annotated[FilePosition | None, "The record in which the trail ends"]
    is_partial: bool
    is_stopped: bool
    is_listed: Annotated[bool, "Whether all findings are listed"]
    is_filtered: Annotated[bool, "Whether only findings are listed that hold a record that passes the filter"]

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
