"""The results of DOCTOR: facts that other commands have found, and findings."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Annotated, NamedTuple

from logdump.display.text import Severity
from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.features.check.model import CheckShown
    from logdump.features.heartbeat.model import PathLag
    from logdump.features.recovery.model import KeepShown, RecoveryShown, TrailFileShown
    from logdump.features.recovery.versions import FileFacts
    from logdump.features.transactions.model import TransactionListed
    from trailformat.codec.timestamps import Julian
    from trailformat.totals.counting import TypeTotals
    from trailformat.trail.sequence import FilePosition


class Finding(NamedTuple):
    """A finding."""

    severity: Annotated[Severity, "damage, warning or note"]
    text: Annotated[str, "What it is"]
    position: Annotated[FilePosition | None, "Where", "place"]
    command: Annotated[str, "The command that shows more of it"]
    counts: tuple[tuple[str, int], ...] = ()
    """What it adds up of what may be in many places, and how many: more of one are news, another first place is not."""


class Growth(NamedTuple):
    """The growth of a trail.

    Attributes:
        largest_hour: the start (Julian) and the data bytes of the hour with the most; None without records.
        free: free bytes on the disk of the trail; None if unknown.
    """

    size: Annotated[int, "Bytes of all files"]
    first: Annotated[Julian | None, "The earliest IO Time of a record, UTC", "first_time"]
    last: Annotated[Julian | None, "The latest IO Time of a record, UTC", "last_time"]
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
    """The before or after images of one operation of a table."""

    op: Annotated[str, "INSERT, UPSERT, UPDATE or DELETE"]
    side: Annotated[str, "before or after"]
    records: Annotated[int, "Records with such an image"]
    least: Annotated[int, "The fewest columns in one"]
    most: Annotated[int, "The most"]
    whole: Annotated[int, "Records with all columns of the definition"]
    keys: Annotated[int, "Records with the columns of the key alone", "key_alone"]
    position: Annotated[FilePosition, "The first of those with the fewest columns", "place"]

    @property
    def is_part(self) -> bool:
        """True if some images have neither all columns nor those of the key alone."""
        return self.records not in (self.whole, self.keys)


class Unexplained(NamedTuple):
    """Records of which the effect is not known in full: their number, the reason, and the place of the first."""

    records: int
    reason: str
    position: FilePosition
    counts: tuple[tuple[str, int], ...] = ()
    """The types of unknown effect, and the records of each."""


class KeyLack(NamedTuple):
    """Records of an operation without these columns of the key; the first is at ``position``."""

    op: Annotated[str, "INSERT, UPSERT, UPDATE or DELETE"]
    records: Annotated[int, "How many"]
    columns: Annotated[tuple[str, ...], "The columns that are not there"]
    position: Annotated[FilePosition, "The first of them", "place"]


class TableImages(NamedTuple):
    """The columns in the images of a table."""

    table: Annotated[str, "Its name"]
    columns: Annotated[int, "Columns of its definition"]
    keys: Annotated[tuple[str, ...], "Those of its key", "key"]
    images: Annotated[tuple[OpImages, ...], "By operation"]
    position: Annotated[FilePosition, "The first of its rows", "place"]
    lacks: Annotated[tuple[KeyLack, ...], "Where the key is not complete"]

    @property
    def noted(self) -> FilePosition:
        """The record that the columns are shown by: one with a part of them if there is one, else the first."""
        return next((images.position for images in self.images if images.is_part), self.position)


class LoneBeforeImages(NamedTuple):
    """The number of before images of updates without an after image, and the positions of the first ones."""

    number: int
    positions: tuple[FilePosition, ...]


class UnnamedToken(NamedTuple):
    """A token of a file header without a known name: the name or number of its group, its id, its bytes."""

    group: Annotated[str, "Its group"]
    token_id: Annotated[int, "Its id", "id"]
    payload: Annotated[bytes, "Its bytes, hex", "bytes"]


class DoctorShown(NamedTuple):
    """DOCTOR: the state of one trail.

    Attributes:
        files: the files as in RECOVERY FILES.
        check, recovery: the summaries of CHECK and RECOVERY.
        keep: the files that a reader at the last recovery point needs; None if unknown.
        tables: names and totals as in COUNT DETAIL, the largest first.
        growth: the growth of the trail.
    """

    title: Annotated[str, "Its name, as it was given", "trail"]
    headers: Annotated[tuple[FileFacts, ...], "In the order of writing", "files"]
    files: tuple[TrailFileShown, ...]
    check: CheckShown | None
    recovery: RecoveryShown | None
    keep: KeepShown | None
    tables: tuple[tuple[str, TypeTotals], ...]
    transactions: Annotated[tuple[TransactionListed, ...], "The largest"]
    growth: Growth
    lags: Annotated[tuple[PathLag, ...], "By path"]
    findings: Annotated[tuple[Finding, ...], "The heaviest first"]
    images: Annotated[tuple[TableImages, ...], "The columns in the images, by table"] = ()

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
        """BAD_DATA for damage and for an incomplete record at the end, FINDINGS for a warning."""
        return _status_of(self.findings) if self.half_record is None else ExitStatus.BAD_DATA


def _status_of(findings: tuple[Finding, ...]) -> ExitStatus:
    severities = {finding.severity for finding in findings}
    if Severity.DAMAGE in severities:
        return ExitStatus.BAD_DATA
    return ExitStatus.FINDINGS if Severity.WARNING in severities else ExitStatus.OK


class NewFindings(NamedTuple):
    """DOCTOR SINCE LAST: the problems of a trail that the last run with the same state had not."""

    title: Annotated[str, "Its name, as it was given", "trail"]
    last: Annotated[str | None, "Time of that run, UTC; null in the first one", "last_run"]
    findings: Annotated[tuple[Finding, ...], "Damage and warnings that are new, the heaviest first"]

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA for new damage, FINDINGS for a new warning."""
        return _status_of(self.findings)


NAGIOS_NAME = "LOGDUMP"
"""The name of the service with which a line for Nagios begins."""


class NagiosStatus(enum.IntEnum):
    """The statuses of Nagios' plugins, which are not those of other commands."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


class NagiosShown(NamedTuple):
    """DOCTOR NAGIOS: the state of a trail as one line."""

    doctor: DoctorShown

    @property
    def status(self) -> NagiosStatus:
        """CRITICAL for damage, WARNING for a warning; OK for a record that is being written."""
        of_house = {ExitStatus.BAD_DATA: NagiosStatus.CRITICAL, ExitStatus.FINDINGS: NagiosStatus.WARNING}
        return of_house.get(_status_of(self.doctor.findings), NagiosStatus.OK)
