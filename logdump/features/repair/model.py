"""The results of REPAIR: the losses in a sound copy of a damaged trail, and the summary."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from trailformat.trail.sequence import FilePosition
    from trailformat.transactions.whole_trail import FileGap


class LossReason(enum.Enum):
    """The reason for a loss.

    DAMAGE: bytes of the transaction hold no sound record. OPEN: the trail ends inside it. MISSING_FILE: it begins
    or continues in a missing file. NO_DEFINITION: the definition of one of its rows is lost. HALF_RECORD: an incomplete
    last record outside of known transactions. UNKNOWN: other damage outside of known transactions. OVERTAKEN: the
    transaction that begins before its end is lost, and in the copy rows without a begin would go on with it.
    """

    DAMAGE = "damage"
    OPEN = "open"
    MISSING_FILE = "missing_file"
    NO_DEFINITION = "no_definition"
    HALF_RECORD = "half_record"
    UNKNOWN = "unknown"
    OVERTAKEN = "overtaken"


class RepairLoss(NamedTuple):
    """A transaction that the copy lacks, or holds in part.

    Attributes:
        reason: the reason for the loss.
    """

    csn: Annotated[str | None, "LOGCSN of the transaction, where its first record is there"]
    xid: Annotated[str | None, "TRANID of the transaction; null if unknown"]
    begin: Annotated[FilePosition | None, "Its first record; null where that is lost"]
    records: Annotated[int, "Its sound records"]
    reason: LossReason
    position: Annotated[FilePosition | None, "The damage, or the record whose definition is lost", "place", "spot"]
    is_copied: Annotated[bool, "Whether its sound records are in the copy"] = False


class CopiedDefinition(NamedTuple):
    """A lost definition that was taken from another file."""

    path: Annotated[Path, "The damaged file", "file"]
    table_index: Annotated[int | None, "The index of the table in it; null for the database", "index"]
    name: Annotated[str, "The name of the table, or of the database"]
    source: Annotated[FilePosition, "Where it was found"]


class HeaderOrigin(enum.Enum):
    """The origin of a file header in a copy; NONE if the copy has none, as trails of early versions."""

    KEPT = "kept"
    REBUILT = "rebuilt"
    NONE = "none"


class CopiedHeader(NamedTuple):
    """The file header of a file of the copy."""

    path: Annotated[Path, "The file of the source", "file"]
    origin: Annotated[HeaderOrigin, "`kept`, `rebuilt`, or `none` where the source has none"]
    source: Annotated[Path | None, "The file that gave the values that the header itself lacks", "from"] = None
    dropped: Annotated[tuple[str, ...], "Tokens without a known name that were left out"] = ()
    is_reopened: Annotated[bool, "Whether FileSize, LastCSN and LastIOTime are not set in the copy"] = False


class RepairShown(NamedTuple):
    """REPAIR: the summary.

    Attributes:
        losses: number of losses.
    """

    title: Annotated[str, "The source"]
    target: Annotated[Path, "The first file of the copy"]
    files: Annotated[int, "Files of the source"]
    gaps: Annotated[tuple[FileGap, ...], "Files of it that are missing"]
    unreadable: Annotated[tuple[Path, ...], "Files of it without a sound record"]
    copied: Annotated[int, "Records of the source that are in the copy"]
    left_out_transactions: Annotated[int, "Transactions that are known and not in the copy"]
    left_out_records: Annotated[int, "Sound records that are not in it"]
    partial_transactions: Annotated[int, "Under ALL: transactions that are in it in part"]
    bytes_lost: Annotated[int, "Bytes that hold no sound record; under STOP all after the first damage"]
    places: Annotated[int, "Places of damage", "damage"]
    unknown: Annotated[int, "Those in no known transaction: their contents are unknown"]
    embedded: Annotated[int, "Records inside damaged ones: their data, not copied"]
    headers: Annotated[tuple[CopiedHeader, ...], "The file headers of the copy", "header"]
    definitions_copied: Annotated[
        tuple[CopiedDefinition, ...],
        "Lost definitions that were copied from elsewhere",
        "definitions_copied",
        "definitions_taken",
    ]
    definitions_lost: Annotated[tuple[str, ...], "Lost definitions that were not found"]
    restart_at: Annotated[FilePosition | None, "Where a reader continues in the source"]
    after_csn: Annotated[str | None, "The CSN of the last whole transaction in the copy"]
    stopped_at: Annotated[FilePosition | None, "Under STOP: the damage at which the copy ends"]
    is_dry: Annotated[bool, "Whether nothing was written"]
    losses: int
    listed: Annotated[int, "How many losses were listed"]

    @property
    def status(self) -> ExitStatus:
        """FINDINGS if the copy lacks anything."""
        lacks = self.losses or self.bytes_lost or self.gaps or self.unreadable
        return ExitStatus.FINDINGS if lacks else ExitStatus.OK
