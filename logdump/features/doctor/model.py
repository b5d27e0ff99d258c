"""The facts of DOCTOR, which other commands have found, and its findings."""

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
    from trailformat.trail.sequence import Spot


class Severity(enum.Enum):
    """The weight of a finding: damage, something to be looked at, or what is good to know."""

    DAMAGE = "damage"
    WARNING = "warning"
    NOTE = "note"


class Finding(NamedTuple):
    """Something that is found.

    Attributes:
        severity: its weight.
        text: what it is.
        spot: its place; None of one that has none.
        command: the command that shows more of it.
    """

    severity: Severity
    text: str
    spot: Spot | None
    command: str


class Growth(NamedTuple):
    """How a trail grows.

    Attributes:
        size: bytes of its files.
        first, last: the times of its first and its last record (Julian); None without one.
        largest_hour: the start (Julian) and the data bytes of the hour with the most; None without records.
        free: bytes that are free where the trail is; None where that is not known.
    """

    size: int
    first: int | None
    last: int | None
    largest_hour: tuple[int, int] | None
    free: int | None

    @property
    def bytes_per_hour(self) -> int | None:
        """The bytes of an hour on average; None where the times do not tell."""
        if self.first is None or self.last is None or self.last <= self.first:
            return None
        return self.size * _HOUR // (self.last - self.first)

    @property
    def hours_left(self) -> float | None:
        """The hours until the disk is full at this rate."""
        rate = self.bytes_per_hour
        return self.free / rate if rate and self.free is not None else None


_HOUR = 3_600_000_000


class OpImages(NamedTuple):
    """The images before or after of one operation of a table.

    Attributes:
        op: INSERT, UPDATE or DELETE.
        side: ``before`` or ``after``.
        records: the records that have such an image.
        least, most: the columns in it.
        whole: how many have all columns of the definition.
        keys: how many have the columns of the key alone.
    """

    op: str
    side: str
    records: int
    least: int
    most: int
    whole: int
    keys: int


class KeyLack(NamedTuple):
    """Records of an operation without these columns of the key; the first of them is at ``spot``."""

    op: str
    records: int
    columns: tuple[str, ...]
    spot: Spot


class TableImages(NamedTuple):
    """The columns that the images of a table hold.

    Attributes:
        table: its name.
        columns: the columns of its definition, the newest.
        keys: the names of those of its key; none where the definition has no key.
        images: by operation and side.
        lacks: by operation the records without all columns of the key.
    """

    table: str
    columns: int
    keys: tuple[str, ...]
    images: tuple[OpImages, ...]
    lacks: tuple[KeyLack, ...]


class LoneBeforeImages(NamedTuple):
    """Before images of updates that no after image follows: how many, and the places of the first."""

    number: int
    spots: tuple[Spot, ...]


class UnnamedToken(NamedTuple):
    """A token of a file header that no source names: the name or the number of its group, its id, its bytes."""

    group: str
    token_id: int
    payload: bytes


class DoctorShown(NamedTuple):
    """DOCTOR: the state of one trail.

    Attributes:
        title: its name.
        headers: of each file what its header says.
        files: of each file what RECOVERY FILES says.
        check, recovery: the summaries of CHECK and RECOVERY.
        keep: what a reader at the last recovery point needs; None where it is not known.
        tables: by name the totals of COUNT DETAIL, the largest first.
        transactions: the largest.
        growth: how it grows.
        lags: the lag of each path.
        findings: the heaviest first.
        images: the columns that images hold, by table.
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
        """The tokens of the header of the first encrypted file that may hold the cipher and the key."""
        encrypted = self.check.encrypted if self.check is not None else ()
        headers = (facts.header for facts in self.headers if facts.path in encrypted)
        groups = (header.groups for header in headers if header is not None)
        return tuple(
            UnnamedToken(group.name or f"x{group.token.id:02x}", item.id, item.payload)
            for group in next(groups, ())
            for item in ([one.token for one in group.tokens if not one.name] if group.name else [group.token])
            if not item.is_unset and item.payload
        )

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files."""
        return tuple(facts.path for facts in self.headers)

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA for damage, FINDINGS for a warning."""
        severities = {finding.severity for finding in self.findings}
        if Severity.DAMAGE in severities:
            return ExitStatus.BAD_DATA
        return ExitStatus.FINDINGS if Severity.WARNING in severities else ExitStatus.OK
