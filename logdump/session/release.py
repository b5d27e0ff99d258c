"""The releases of Logdump whose spelling we know, and what differs between them.

11.1 to 12.3 print the partition in decimal (``Partition 4``, ``12``), later ones ``x0c``; up to 19.1 a column line is
``Column     0 (x0000), Len    10 (x000a)``, in 21.3 ``Column 0 (0x0000), Length 10 (0x000a).``; up to 12.1 a
blank line ends the data of a record that no column list follows. (Transcripts.)
"""

from __future__ import annotations

import enum


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
