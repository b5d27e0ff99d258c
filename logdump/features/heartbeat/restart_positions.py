"""HEARTBEAT RESTART: the restart position of Extract that a Replicat's low watermark allows, from the beats of a way.

    heartbeat CSN   restart CSN
    5010            4990
    5120            5003         low watermark 5200: Extract must capture again from CSN 5003
    5230            5101

What was committed in the source up to the CSN of a heartbeat is in the trail before it. A Replicat that has applied all
up to its low watermark needs nothing that was committed before the last such beat, so that Extract may begin where it
would have started again when that beat passed. Source: documentation, GG_HEARTBEAT_HISTORY,
REPLICAT_LOW_WATERMARK_CSN.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdump.features.heartbeat.events import RestartPositionShown
from logdump.features.heartbeat.lags import MOST_PATHS
from logdump.features.heartbeat.model import Beat
from trailformat.changes.csn import CsnKey, csn_key

MOST_POSITIONS = 100_000
"""The number of beats of one way that are kept; beyond it every second one is dropped, which is the safe side."""


class _Position(NamedTuple):
    heartbeat: CsnKey
    restart: CsnKey
    beat: Beat


class _Path:
    def __init__(self) -> None:
        self.last: Beat | None = None
        self.positions: list[_Position] = []
        self.beats = 0
        self.is_exact = True

    def add(self, beat: Beat) -> None:
        if self.last is None or beat.heartbeat_ts >= self.last.heartbeat_ts:
            self.last = beat
        heartbeat, restart = _key(beat.heartbeat_csn), _key(beat.restart_csn)
        if heartbeat is None or restart is None:
            return
        self.beats += 1
        self.positions.append(_Position(heartbeat, restart, beat))
        if len(self.positions) > MOST_POSITIONS:
            del self.positions[1::2]
            self.is_exact = False

    def best(self, low_watermark: str | None) -> Beat | None:
        """Return the beat with the largest restart CSN at or below the low watermark, the last of several."""
        wanted = _key(low_watermark)
        allowed = [
            one
            for one in self.positions
            if wanted is not None
            and one.heartbeat.kind == one.restart.kind == wanted.kind
            and one.heartbeat.parts <= wanted.parts
        ]
        return max(reversed(allowed), key=lambda one: one.restart.parts).beat if allowed else None


def _key(csn: str | None) -> CsnKey | None:
    return csn_key(csn) if csn else None


class RestartPositions:
    """Takes beats in, in the order of the trail.

    Args:
        low_watermark: that of Replicat; None: that of the newest beat of each way.
    """

    def __init__(self, low_watermark: str | None) -> None:
        self._low_watermark = low_watermark
        self._paths: dict[tuple[object, ...], _Path] = {}

    def add(self, beat: Beat) -> None:
        """Add a beat, unless it was reported back: its restart position then belongs to another path."""
        if not beat.is_reported and (beat.path in self._paths or len(self._paths) < MOST_PATHS):
            self._paths.setdefault(beat.path, _Path()).add(beat)

    def shown(self) -> Iterator[RestartPositionShown]:
        """The answer for each way, in the order of their first beats."""
        for path in self._paths.values():
            if path.last is None:
                continue
            low_watermark = self._low_watermark or path.last.low_watermark_csn
            yield RestartPositionShown(
                *path.last.path,
                low_watermark,
                self._low_watermark is not None,
                path.best(low_watermark),
                path.beats,
                path.is_exact,
            )
