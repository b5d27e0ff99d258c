"""What REPAIR says in a session, and what its copies hold."""

from __future__ import annotations

from pathlib import Path

from logdump.features.repair.model import RepairLoss, RepairShown
from tests.logdump.line import Line
from tests.trailformat.samples import row, trail_of
from trailformat import Record, TrailFile
from trailformat.records.record_header import FIRST, LAST, MIDDLE


def shown(line: Line) -> RepairShown:
    """The result."""
    (found,) = (event for event in line.events if isinstance(event, RepairShown))
    return found


def losses(line: Line) -> list[RepairLoss]:
    """What was listed."""
    return [event for event in line.events if isinstance(event, RepairLoss)]


def refused(line: Line) -> str:
    """Why it was not done."""
    return line.failures[0].lines[0]


def texts(path: Path) -> list[bytes]:
    """The rows of a file, by what their first column holds."""
    with TrailFile(path) as trail:
        images = (record.images for record in trail.records(trail.first_rba) if not record.is_metadata)
        return [image.after[0].raw[2:] for image in images if image is not None and image.after]


def repair(line: Line, folder: Path, *records: Record | bytes, words: str = "") -> list[bytes]:
    """Repair a trail of these records; returns the rows of the copy."""
    source = trail_of(folder, *records, name="tt000000000")
    line(f"open {source}; repair to {folder / 'cp000000000'} {words}")
    return texts(folder / "cp000000000")


def rows(text: str) -> list[Record]:
    """A transaction of these rows, the text being one letter a row."""
    kinds = [FIRST, *[MIDDLE] * (len(text) - 2), LAST] if len(text) > 1 else [3]
    return [row(letter.encode(), trans_ind=kind) for letter, kind in zip(text, kinds, strict=True)]
