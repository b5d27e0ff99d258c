"""What line mode would have: a session to which the same lines are entered, and what its trail holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from logdump.line.line_mode import LineMode
from logdump.notation.text import Harmless
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.tui.reading.screen_mode import cross_to
from logdump.tui.reading.state import State, state_of
from trailformat import TrailError, TrailFile
from trailformat.index import TrailIndex, build


class Place(NamedTuple):
    """Where a record, or damage, begins and ends."""

    rba: int
    end: int
    is_record: bool


class Beside(LineMode):
    """Line mode beside the view, which keeps what it prints for each line."""

    def __init__(self) -> None:
        super().__init__()
        self.session.settings.time_offset = GMT
        self.printed: list[tuple[str, str, list[str]]] = []
        self._opened = 0
        self._trail: TrailFile | None = None

    def do(self, what: str, arguments: tuple[Any, ...], opened: int) -> None:
        """Carry out what went to the session of the view when that had opened so many files."""
        if what == "submit":
            self.printed.append((self.prompt, arguments[0], []))
            self.enter(arguments[0])
        elif not self.session.has_trail or opened != self._opened:
            pass
        elif what == "cross":
            rba, _, is_back = arguments
            cross_to(self.session, rba, lambda _: None, backwards=is_back)
        else:
            rba, length, _ = arguments
            cursor = self.session.cursor
            if length is None:
                cursor.move(rba)
            else:
                cursor.stand_at(rba, length)
        trail = self.session.trail if self.session.has_trail else None
        self._opened += trail is not self._trail
        self._trail = trail

    @property
    def state(self) -> State:
        """How the session stands."""
        return state_of(self.session, self._opened)

    def _write_lines(self, lines: Sequence[Harmless], *, is_narration: bool) -> None:  # noqa: ARG002 - the view shows both
        self.printed[-1][2].extend(lines)

    def _show_progress(self, event: object) -> None:
        """Nobody looks."""

    def _flush(self) -> None:
        """Nothing waits anywhere."""

    def _read(self, prompt: str) -> None:  # noqa: ARG002 - every question is called off
        return None


def places(path: Path, like: Session) -> tuple[list[Place], int, TrailIndex]:
    """What of a file passes the filter of a session, damage too; the file's size; and its index, from the beginning."""
    session = Session()
    session.settings, session.filters_in_use = like.settings, like.filters_in_use
    try:
        trail = session.open(path)
        selection, found, rba = session.selection(), list[Place](), 0
        while rba < trail.size:
            try:
                record = trail.record_at(rba)
            except TrailError:
                good = trail.next_good_header(rba + 1)
                end = good if good is not None else trail.size
                found.append(Place(rba, end, is_record=False))
            else:
                assert record is not None
                end = rba + record.length
                if selection.accepts(record):
                    found.append(Place(rba, end, is_record=True))
            rba = end
        index = TrailIndex()
        for _ in build(trail, index):
            pass
        return found, trail.size, index
    finally:
        session.end()


def expected_row(found: list[Place], size: int, position: int) -> int:
    """Where the cursor of the list belongs for a position: at the place around it, or the first one after it."""
    around = (place.rba for place in found if place.rba <= position < place.end)
    after = (place.rba for place in found if place.rba > position)
    return next(around, next(after, size))
