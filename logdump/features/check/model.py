"""The events of CHECK: gaps, notes, and the summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from pathlib import Path

    from logdump.features.recovery.model import TrailState
    from trailformat import TrailError


class GapShown(NamedTuple):
    """CHECK: bytes of a file that hold no sound record."""

    path: Annotated[Path, "Path of the file", "file"]
    rba: Annotated[int, "Byte offset in it"]
    length: Annotated[int, "Bytes up to the next good record, or the end"]
    next_good: Annotated[int | None, "RBA of the next good record"]
    error: TrailError


class BadRowShown(NamedTuple):
    """CHECK: a record with a sound frame whose columns, or values, definition or file header does not decode.

    ``table`` is empty and ``column`` None if they are not known; ``error`` is about the first such column.
    """

    path: Annotated[Path, "Path of the file", "file"]
    rba: Annotated[int, "Byte offset in it"]
    table: Annotated[str, "Name of its table"]
    column: Annotated[str | None, "Name of the first such column; `#` and an index if it is not defined"]
    error: TrailError
    noun: Annotated[str, "`row`, `definition` (of a table or the database) or `file header`", "record"] = "row"


class CheckShown(NamedTuple):
    """CHECK: the result for one or several files; ``is_partial`` is True if it was stopped."""

    title: Annotated[str, "The trail, as in the text: `LogTrail <path>`"]
    size: Annotated[int, "Bytes checked", "bytes"]
    records: Annotated[int, "Good records"]
    transactions: Annotated[int, "Transactions that ended"]
    gaps: Annotated[int, "Gaps"]
    gap_bytes: Annotated[int, "Bytes in them"]
    undefined: Annotated[int, "Records whose table definition is not there"]
    encrypted: Annotated[tuple[Path, ...], "Files whose record data looks encrypted"] = ()
    states: Annotated[tuple[TrailState, ...], "What is wrong in the trails", "trails"] = ()
    is_partial: bool = False
    bad_rows: Annotated[int, "Bad rows"] = 0
    bad_definitions: Annotated[int, "Definitions and file headers that do not decode"] = 0

    @property
    def restarts(self) -> int:
        """Restarts of Extract in all trails."""
        return sum(state.restarts for state in self.states)

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage, a bad row or a bad definition; else the most severe status of the trails.

        FINDINGS at least where records have no definition: nobody has held their columns to one.
        """
        if self.gaps or self.bad_rows or self.bad_definitions:
            return ExitStatus.BAD_DATA
        undefined = ExitStatus.FINDINGS if self.undefined else ExitStatus.OK
        return max((undefined, *(state.status for state in self.states)))
