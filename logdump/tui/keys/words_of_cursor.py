"""The words of a key's line that stand for what is under the cursor: ``<seqno>``, ``<rba>``, ``<time>``."""

from __future__ import annotations

from typing import NamedTuple

from logdump.notation.times import iso_time
from trailformat import TrailName
from trailformat.trail.sequence import Spot


class WordsOfCursor(NamedTuple):
    """The record under the cursor of the list, and the time (Julian) under that of the timeline; None without."""

    spot: Spot | None
    time: int | None

    def filled(self, text: str) -> tuple[str, str]:
        """A line with its words replaced, and the first word for which there is nothing; else an empty one."""
        name = TrailName.parse(self.spot.path) if self.spot is not None else None
        values = {
            "seqno": name and str(name.seqno),
            "rba": self.spot and str(self.spot.rba),
            "time": iso_time(self.time) if self.time is not None else None,
        }
        for word, value in values.items():
            if f"<{word}>" not in text:
                continue
            if value is None:
                return text, word
            text = text.replace(f"<{word}>", value)
        return text, ""
