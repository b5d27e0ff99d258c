"""The results of COMPRESS: savings by compression on the network, and by image options in a trail."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from logdump.session.errors import ExitStatus

INCOMPRESSIBLE = 1.02
"""Ratio below which data count as incompressible."""


class Compression(NamedTuple):
    """The sums of blocks at one level.

    Attributes:
        tried_bytes: bytes of the blocks compressed for the estimate.
        seconds: time that zlib took for those on this machine.
        is_partial: True if not all was read.
    """

    table: Annotated[str | None, "The table; null for all records"]
    level: Annotated[int, "Level of zlib"]
    threshold: Annotated[int, "Size in bytes above which blocks are compressed"]
    bytes: Annotated[int, "Bytes of all blocks"]
    compressed: Annotated[int, "Bytes after it, extrapolated from the blocks that were compressed"]
    blocks: Annotated[int, "Blocks"]
    blocks_compressed: Annotated[int, "Those over the threshold"]
    tried: Annotated[int, "Blocks that zlib was given", "sampled"]
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
    """The records that COMPRESS has read; ``is_partial`` if it was stopped before the end."""

    title: Annotated[str, "The trail, as in the text"]
    records: Annotated[int, "Records"]
    bytes: Annotated[int, "Their bytes"]
    damaged: Annotated[int, "Places of damage, which are left out"]
    is_filtered: Annotated[bool, "Whether only records are in it that pass the filter"]
    is_partial: bool


class CompressionShown(NamedTuple):
    """COMPRESS: the basis of the estimates that follow.

    Attributes:
        surveyed: the records.
        others: number of tables that are added up as one, because there are too many.
    """

    surveyed: SurveyedRecords
    block: Annotated[int, "The most bytes of a block"]
    threshold: Annotated[int, "Size in bytes above which blocks are compressed"]
    ends_at_commit: Annotated[bool, "Whether a block ends with each transaction", "flush_commit"]
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
    parts: Annotated[dict[str, int], "Bytes by the name of the part"]
    others: int
    assumed: str = "the options change no other part of a record; a trail written with the option would show it"

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage."""
        return ExitStatus.BAD_DATA if self.surveyed.damaged else ExitStatus.OK


class ImageSaving(NamedTuple):
    """The saving of one option."""

    what: Annotated[str, "The option, as in the text"]
    table: Annotated[str | None, "The table; null for all records"]
    records: Annotated[int, "Records that it is about"]
    judged: Annotated[int, "Those whose columns and key are known"]
    bytes: Annotated[int, "Bytes of those"]
    saved: Annotated[int, "Bytes that would not be there"]
