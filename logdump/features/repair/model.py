"""The results of REPAIR: the losses in a sound copy of a damaged trail, and the summary."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.whole_trail import FileGap


class LossReason(enum.Enum):
    """The reason for a loss.

    DAMAGE: bytes of the transaction hold no sound record. OPEN: the trail ends inside it. MISSING_FILE: it begins
    or continues in a missing file. NO_DEFINITION: the definition of one of its rows is lost. HALF_RECORD: an incomplete
    last record outside of known transactions. UNKNOWN: other damage outside of known transactions.
    """

    DAMAGE = "damage"
    OPEN = "open"
    MISSING_FILE = "missing_file"
    NO_DEFINITION = "no_definition"
    HALF_RECORD = "half_record"
    UNKNOWN = "unknown"


class RepairLoss(NamedTuple):
    """A transaction that the copy lacks, or holds in part.

    Attributes:
        csn, xid: LOGCSN and TRANID of its first sound record; None if that has none.
        begin: its first record; None if that is lost.
        records: number of its sound records.
        reason: the reason for the loss.
        spot: the damage, or the record whose definition is lost; None if there is neither.
        is_copied: True if its sound records are in the copy.
    """

    csn: str | None
    xid: str | None
    begin: FilePosition | None
    records: int
    reason: LossReason
    spot: FilePosition | None
    is_copied: bool = False


class TakenDefinition(NamedTuple):
    """A lost definition that was taken from another file.

    Attributes:
        path: the damaged file; ``table_index`` the table's index in it, None for the definition of the database.
        name: the table's name, or the database's.
        source: its position in the other file.
    """

    path: Path
    table_index: int | None
    name: str
    source: FilePosition


class HeaderOrigin(enum.Enum):
    """The origin of a file header in a copy; NONE if the copy has none, as trails of early versions."""

    KEPT = "kept"
    REBUILT = "rebuilt"
    NONE = "none"


class CopiedHeader(NamedTuple):
    """The file header of a file of the copy.

    Attributes:
        path: the file of the source.
        origin: the origin of the header.
        source: the file that supplied parts the header lacked; None if none were needed.
        dropped: tokens without a known name that were omitted, as ``TrailInfo 40``.
        is_reopened: True if FileSize, LastCSN and LastIOTime of a closed file are not set: the copy is not that file.
    """

    path: Path
    origin: HeaderOrigin
    source: Path | None = None
    dropped: tuple[str, ...] = ()
    is_reopened: bool = False


class RepairShown(NamedTuple):
    """REPAIR: the summary.

    Attributes:
        title: the source, and ``target`` the first file of the copy.
        files: files of the source; ``gaps`` those that are missing, ``unreadable`` those without a sound record.
        copied: number of source records in the copy.
        left_out_transactions, left_out_records: number of known transactions and records that are not copied.
        partial_transactions: number of transactions copied in part.
        bytes_lost: number of bytes of the source outside of sound records, and all bytes after ``stopped_at``.
        places: number of places of damage; ``unknown``: those in no known transaction.
        embedded: number of records inside damaged ones; they are data of those and not copied.
        headers: the file headers of the copy.
        definitions_taken: lost definitions found in other files; ``definitions_lost``: those in no file, as text.
        restart_at: where a reader of the copy continues in the source; ``after_csn``: the last CSN in the copy.
        stopped_at: the damage at which the copy ends.
        is_dry: True if nothing was written.
        losses: number of losses; ``listed``: those listed.
    """

    title: str
    target: Path
    files: int
    gaps: tuple[FileGap, ...]
    unreadable: tuple[Path, ...]
    copied: int
    left_out_transactions: int
    left_out_records: int
    partial_transactions: int
    bytes_lost: int
    places: int
    unknown: int
    embedded: int
    headers: tuple[CopiedHeader, ...]
    definitions_taken: tuple[TakenDefinition, ...]
    definitions_lost: tuple[str, ...]
    restart_at: FilePosition | None
    after_csn: str | None
    stopped_at: FilePosition | None
    is_dry: bool
    losses: int
    listed: int

    @property
    def status(self) -> ExitStatus:
        """FINDINGS if the copy lacks anything."""
        lacks = self.losses or self.bytes_lost or self.gaps or self.unreadable
        return ExitStatus.FINDINGS if lacks else ExitStatus.OK
