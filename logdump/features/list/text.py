"""LIST as text: a line for each record."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.listing.stated import stated_lines
from logdump.display.text import Renderers
from logdump.features.list.model import RecordListed
from logdump.session.settings import Settings


def listed_lines(listed: RecordListed, settings: Settings) -> Iterator[str]:
    """Yield the line of a record."""
    yield from stated_lines([listed.row], settings.time_offset, listed.path.name if listed.has_file else "")


LINES: Renderers = {RecordListed: listed_lines}
