"""The results of DOCTOR: facts that other commands have found, and findings."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.features.check.model import CheckShown
    from logdump.features.heartbeat.model import PathLag
    from logdump.features.recovery.model import KeepShown, RecoveryShown, TrailFileShown
    from logdump.features.recovery.versions import FileFacts
    from logdump.features.transactions.model import TransactionListed
    from trailformat.totals.counting import TypeTotals
    from trailformat.trail.sequence import FilePosition


class Severity(enum.Enum):
    """The severity of a finding: damage, something to look at, or something to know."""

    DAMAGE = "damage"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """A finding.

    Attributes:
        severity: damage, warning or note.
        text: the finding in words.
        spot: its position; None if it has none.
        command: the command that shows more of it.
    """

    severity: Severity
    text: str
    spot: FilePosition | None
    command: str


class Growth(NamedTuple):
    """The growth of a trail.

    Attributes:
        size: bytes of its files.
        first, last: the times of its first and its last record (Julian); None without one.
        largest_hour: the start (Julian) and the data bytes of the hour with the most; None without records.
        free: free bytes on the disk of the trail; None if unknown.
    """

    size: int
    first: int | None
    last: int | None
    largest_hour: tuple[int, int] | None
    free: int | None

    @property
    def bytes_per_hour(self) -> int | None:
        """Average growth in bytes per hour; None unless the last time is after the first."""
        if self.first is None or self.last is None or self.last <= self.first:
            return None
        return self.size * _HOUR // (self.last - self.first)

    @property
    def hours_left(self) -> float | None:
        """Hours until the disk is full at this rate, None if unknown."""
        rate = self.bytes_per_hour
        return self.free / rate if rate and self.free is not None else None


_HOUR = 3_600_000_000


class OpImages(NamedTuple):
    """The before or after images of one operation of a table.

    Attributes:
        op: INSERT, UPSERT, UPDATE or DELETE.
        side: ``before`` or ``after``.
        records: number of records with such an image.
        least, most: the fewest and the most columns in one.
        whole: number of images with all columns of the definition.
        keys: number of images with the key columns only.
    """

    op: str
    side: str
    records: int
    least: int
    most: int
    whole: int
    keys: int


class Unexplained(NamedTuple):
    """Records of which the effect is not known in full: their number, the reason, and the place of the first."""

    records: int
    reason: str
    spot: FilePosition


class KeyLack(NamedTuple):
    """Records of an operation without these columns of the key; the first is at ``spot``."""

    op: str
    records: int
    columns: tuple[str, ...]
    spot: FilePosition


class TableImages(NamedTuple):
    """The columns in the images of a table.

    Attributes:
        table: its name.
        columns: number of columns in its newest definition.
        keys: names of the key columns; empty if the definition has no key.
        images: by operation and side.
        lacks: the records without all columns of the key, by operation.
    """

    table: str
    columns: int
    keys: tuple[str, ...]
    images: tuple[OpImages, ...]
    lacks: tuple[KeyLack, ...]


class LoneBeforeImages(NamedTuple):
    """The number of before images of updates without an after image, and the positions of the first ones."""

    number: int
    spots: tuple[FilePosition, ...]


class UnnamedToken(NamedTuple):
    """A token of a file header without a known name: the name or number of its group, its id, its bytes."""

    group: str
    token_id: int
    payload: bytes


class DoctorShown(NamedTuple):
    """DOCTOR: the state of one trail.

    Attributes:
        title: name of the trail.
        headers: facts from the header of each file.
        files: the files as in RECOVERY FILES.
        check, recovery: the summaries of CHECK and RECOVERY.
        keep: the files that a reader at the last recovery point needs; None if unknown.
        tables: names and totals as in COUNT DETAIL, the largest first.
        transactions: the largest ones.
        growth: the growth of the trail.
        lags: the lag of each path.
        findings: the most severe first.
        images: the columns in the images of each table.
    """

    title: str
    headers: tuple[FileFacts, ...]
    files: tuple[TrailFileShown, ...]
    check: CheckShown | None
    recovery: RecoveryShown | None
    keep: KeepShown | None
    tables: tuple[tuple[str, TypeTotals], ...]
    transactions: tuple[TransactionListed, ...]
    growth: Growth
    lags: tuple[PathLag, ...]
    findings: tuple[Finding, ...]
    images: tuple[TableImages, ...] = ()

    @property
    def unnamed_tokens(self) -> tuple[UnnamedToken, ...]:
        """The unnamed tokens in the header of the first encrypted file; they may hold the cipher and the key."""
        encrypted = self.check.encrypted if self.check is not None else ()
        headers = (facts.header for facts in self.headers if facts.path in encrypted)
        groups = (header.groups for header in headers if header is not None)
        return tuple(
            UnnamedToken(group.name or f"x{group.token.id:02x}", item.id, item.payload)
            for group in next(groups, ())
            for item in ([token.token for token in group.tokens if not token.name] if group.name else [group.token])
            if not item.is_unset and item.payload
        )

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths of the files, in trail order."""
        return tuple(facts.path for facts in self.headers)

    @property
    def half_record(self) -> FilePosition | None:
        """The incomplete record at the end of the trail."""
        return self.recovery.half_record if self.recovery is not None else None

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA for damage, FINDINGS for a warning."""
        severities = {finding.severity for finding in self.findings}
        if Severity.DAMAGE in severities:
            return ExitStatus.BAD_DATA
        return ExitStatus.FINDINGS if Severity.WARNING in severities else ExitStatus.OK
