"""Lines about a trail that several features share: where to restart a Replicat, missing files, partial readings."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.escape import escape
from trailformat import TrailName
from trailformat.trail.sequence import Spot
from trailformat.transactions.whole_trail import FileGap


def restart_text(spot: Spot) -> str:
    """The command for GGSCI that sets a Replicat to a place; it is printed, never run."""
    name = TrailName.parse(spot.path)
    return f"ALTER REPLICAT <group>, EXTSEQNO {name.seqno if name else '<n>'}, EXTRBA {spot.rba}"


def missing_lines(gaps: tuple[FileGap, ...]) -> Iterator[str]:
    """The files that a trail lacks."""
    for gap in gaps:
        last = f" to {escape(gap.last.name)}" if gap.last != gap.first else ""
        yield f"Missing: {escape(str(gap.first))}{last}. Transactions that continue across the gap are not whole."


PARTIAL = "Not all was read: this is partial, without a verdict."
"""Goes before the findings on a page of the screen."""


def as_read(*, is_partial: bool) -> str:
    """Return the text after a title, empty if all was read."""
    return ", as far as it was read" if is_partial else ""
