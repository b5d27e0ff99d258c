"""The results of COMPRESS: savings by compression on the network, and by image options in a trail."""

from __future__ import annotations

from typing import NamedTuple

from logdump.session.errors import ExitStatus

INCOMPRESSIBLE = 1.02
"""Ratio below which data count as incompressible."""


class Compression(NamedTuple):
    """The sums of blocks at one level.

    Attributes:
        table: the table whose records are sent alone; None for all records.
        level: compression level of zlib.
        threshold: size in bytes above which a block is compressed.
        bytes, compressed: bytes of all blocks before and after; ``compressed`` is extrapolated from the blocks tried.
        blocks, blocks_compressed: number of blocks, and of those above the threshold.
        tried, tried_bytes: number and bytes of the blocks compressed for the estimate.
        seconds: time that zlib took for those on this machine.
        is_partial: True if not all was read.
    """

    table: str | None
    level: int
    threshold: int
    bytes: int
    compressed: int
    blocks: int
    blocks_compressed: int
    tried: int
    tried_bytes: int
    seconds: float
    is_partial: bool = False

    @property
    def ratio(self) -> float:
        """Bytes before compression per byte after it; 1 without blocks."""
        return self.bytes / self.compressed if self.compressed else 1.0

    @property
    def saved_share(self) -> float:
        """The share of the bytes that compression saves, 0 to 1."""
        return 1 - self.compressed / self.bytes if self.bytes else 0.0

    @property
    def is_incompressible(self) -> bool:
        """True if compression has no effect: the data are encrypted, or compressed already."""
        return bool(self.tried) and self.ratio < INCOMPRESSIBLE and not self.is_partial


class SurveyedRecords(NamedTuple):
    """The records that COMPRESS has read.

    Attributes:
        title: their files.
        records, bytes: their number and bytes.
        damaged: number of places of damage, which are left out.
        is_filtered: True if only records that pass the filter are included.
        is_partial: True if stopped before the end.
    """

    title: str
    records: int
    bytes: int
    damaged: int
    is_filtered: bool
    is_partial: bool


class CompressionShown(NamedTuple):
    """COMPRESS: the basis of the estimates that follow.

    Attributes:
        surveyed: the records.
        block: maximum size of a block in bytes.
        threshold: size in bytes above which a block is compressed.
        ends_at_commit: True if a block ends with each transaction.
        others: number of tables that are added up as one, because there are too many.
    """

    surveyed: SurveyedRecords
    block: int
    threshold: int
    ends_at_commit: bool
    others: int

    @property
    def assumed(self) -> str:
        """The assumptions of the estimates, and how to verify them."""
        flush = ", ended by each commit" if self.ends_at_commit else ""
        blocks = f"blocks of at most {self.block} bytes{flush}"
        return f"compression by zlib, {blocks}; a capture of the connection would show both"

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage."""
        return ExitStatus.BAD_DATA if self.surveyed.damaged else ExitStatus.OK


class ImagesShown(NamedTuple):
    """COMPRESS IMAGES: the bytes of the records by their parts."""

    surveyed: SurveyedRecords
    parts: dict[str, int]
    others: int
    assumed: str = "the options change no other part of a record; a trail written with the option would show it"

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage."""
        return ExitStatus.BAD_DATA if self.surveyed.damaged else ExitStatus.OK


class ImageSaving(NamedTuple):
    """The saving of one option.

    Attributes:
        what: the option as text.
        table: the table counted; None for all.
        records: number of records that the option affects; ``judged``: those that could be examined.
        bytes: bytes of the judged records.
        saved: bytes that the option would save.
    """

    what: str
    table: str | None
    records: int
    judged: int
    bytes: int
    saved: int
