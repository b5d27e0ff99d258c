"""The switches of a session, which ENV shows, and the releases of Logdump whose output it can imitate."""

from __future__ import annotations

import enum
import types
from pathlib import Path
from typing import TYPE_CHECKING

from logdump.notation.times import LOCAL, TimeOffset
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.notation import hexdump

if TYPE_CHECKING:
    from logdump.session.engines import Engine


class Release(enum.Enum):
    """A release of Logdump, by the number that its banner shows."""

    R11_1 = "11.1"
    R12_1 = "12.1"
    R12_3 = "12.3"
    R19_1 = "19.1"
    R21_3 = "21.3"

    __hash__ = object.__hash__  # looked up for every record; Enum's own hash is slow Python

    @property
    def has_hex_partition(self) -> bool:
        """True if the image line shows the partition as ``x0c``."""
        return self in (Release.R19_1, Release.R21_3)

    @property
    def has_short_column_line(self) -> bool:
        """True if a column line reads ``Column 0 (0x0000), Length 10 (0x000a).``."""
        return self is Release.R21_3

    @property
    def has_blank_after_data(self) -> bool:
        """True if a blank line ends the data of a record without columns and tokens after it."""
        return self in (Release.R11_1, Release.R12_1)

    @property
    def has_metadata(self) -> bool:
        """True if ENV shows metadata (from 12.1 on)."""
        return self is not Release.R11_1


DEFAULT_RELEASE = Release.R21_3


class Detail(enum.Enum):
    """DETAIL: no columns, their lengths, or also their bytes."""

    __hash__ = object.__hash__  # looked up for every record; Enum's own hash is slow Python

    OFF = "Off"
    ON = "On"
    DATA = "Data"


class Level(enum.Enum):
    """The extent to which a block is shown: not at all, its summary, or all of it."""

    __hash__ = object.__hash__

    OFF = "Off"
    ON = "On"
    DETAIL = "Detail"


class OutputFormat(enum.Enum):
    """FORMAT: Logdump's text, or a JSON object per line."""

    TEXT = "Text"
    JSONL = "Jsonl"


class Across(enum.Enum):
    """ACROSS: reading stays in the open file, continues in the next one, or continues over missing files too."""

    OFF = "Off"
    ON = "On"
    GAPS = "Gaps"


class Settings(types.SimpleNamespace):
    """The switches of a session; those not given have Logdump's defaults.

    ``reclen`` is in bytes; ``engine`` is None for this process; ``across_to`` is the last file that ACROSS
    reads, None for the last one of the trail.
    """

    ghdr: bool = False
    detail: Detail = Detail.OFF
    usertoken: Level = Level.OFF
    ggstoken: Level = Level.OFF
    headertoken: Level = Level.OFF
    fileheader: Level = Level.OFF
    reclen: int = 140
    metadata_ddl: bool = False
    metadata_defgen: bool = False
    metadata_sql: bool = False
    metadata_detail: Detail = Detail.OFF
    values: bool = False
    across: Across = Across.OFF
    across_to: Path | None = None
    stops_at_failure: bool = False
    notify: int = 10000
    scan_scrolling: bool = True
    trans_hist: int = 0
    trans_rec_limit: int = 100
    trans_byte_limit: int = 100000
    hash_stats: bool = False
    save_file_comments: bool = False
    engine: Engine | None = None
    large_block_io: bool = True
    large_block_size: int = 57344
    ebcdic_header: bool = False
    ebcdic_data: bool = False
    ebcdic_dump: bool = False
    time_offset: TimeOffset = LOCAL
    format: OutputFormat = OutputFormat.TEXT
    release: Release = DEFAULT_RELEASE

    @property
    def shows_everything(self) -> bool:
        """True if records are shown with all known facts, whatever the switches are: in JSON."""
        return self.format is OutputFormat.JSONL

    @property
    def dump_gutter(self) -> str:
        """The table for the text column of a hex dump."""
        return hexdump.gutter_table(ebcdic=self.ebcdic_dump)

    @property
    def data_gutter(self) -> str:
        """The gutter table for a dump of record data, which EBCDICDATA switches too."""
        return hexdump.gutter_table(ebcdic=self.ebcdic_dump or self.ebcdic_data)

    @property
    def header_gutter(self) -> str:
        """The gutter table for a dump of a record header, which EBCDICHEADER switches too."""
        return hexdump.gutter_table(ebcdic=self.ebcdic_dump or self.ebcdic_header)
