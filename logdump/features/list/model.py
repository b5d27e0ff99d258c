"""The event of LIST."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from logdump.display.record_row import RecordRow


class RecordListed(NamedTuple):
    """A record as one line; ``has_file`` is True if the line names its file."""

    path: Path
    row: RecordRow
    has_file: bool = False
