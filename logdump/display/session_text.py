"""Answers of the session in text: positions, marks, files of a directory, settings, progress.

Spark: 5 of 16 tasks, 2 running
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.sql import statement_lines as lines_of
from logdump.display.text import HarmlessRenderers, Renderers
from logdump.notation.text import Harmless, aligned, escape, escape_block
from logdump.notation.times import format_timestamp
from logdump.session.events import (
    EnvironmentShown,
    JobProgress,
    LobsShown,
    NoRecordThere,
    PositionShown,
    Progress,
    ScriptPart,
    SearchProgress,
    StatementShown,
)
from logdump.session.files import DirectoryEntry, FilesShown
from logdump.session.session import MarksShown
from logdump.session.settings import Settings
from trailformat.changes.lobs import Lob


def lob_lines(shown: LobsShown, _settings: Settings) -> Iterator[str]:
    """Yield a line for each LOB of a row, and its problems."""
    for lob, name in shown.lobs:
        yield f"LOB {lob.ordinal}: {_column(lob, name)}, {lob.pieces} pieces from RBA {lob.first.rba}, {_size(lob)}"
        yield from (f"  {line}" for line in trouble_lines(lob))
    if not shown.lobs:
        yield f"The row at RBA {shown.rba} is not followed by LOB pieces."


def _column(lob: Lob, name: str | None) -> str:
    if lob.column is None:
        return "column not known (the layout of its pieces is not)"
    image = ", before image" if lob.is_before else ""
    return f"column {lob.column}{f' {escape(name)}' if name else ''}{image}"


def _size(lob: Lob) -> str:
    total = "" if lob.total in (None, lob.size) else f" of {lob.total}"
    return f"{lob.size}{total} bytes, {'whole' if lob.is_whole else 'not whole'}"


def trouble_lines(lob: Lob) -> Iterator[str]:
    """Yield the missing bytes of a LOB, and its other problems."""
    for gap in lob.missing:
        yield f"missing: {gap.length} bytes from byte {gap.offset} on"
    for problem in lob.problems:
        yield escape(problem)


def statement_lines(shown: StatementShown, _settings: Settings) -> Iterator[str]:
    """Return the lines of a statement, or of the comment in its place."""
    return map(escape, lines_of(shown.statement))


def part_lines(part: ScriptPart, _settings: Settings) -> list[Harmless]:
    """Return the lines of a part of a script, as one text."""
    return [escape_block(part.data.removesuffix(b"\n"))]


HARMLESS: HarmlessRenderers = {ScriptPart: part_lines}


def progress_lines(shown: Progress, settings: Settings) -> Iterator[str]:
    """Yield the line of NOTIFY, as in the manual."""
    yield f"Scanned {shown.records} records, RBA {shown.rba},{format_timestamp(shown.time, settings.time_offset)}"


def search_lines(shown: SearchProgress, _settings: Settings) -> Iterator[str]:
    """Yield the RBA that a search for a sound record has reached."""
    yield f"Searching for a good header, RBA {shown.rba}"


def job_lines(shown: JobProgress, _settings: Settings) -> Iterator[str]:
    """Yield the number of tasks of a job."""
    if shown.tasks:
        yield f"Spark: {shown.done} of {shown.tasks} tasks, {shown.running} running"
    else:
        yield "Spark is getting ready"


_NAME_WIDTH = 8
_RBA_WIDTH = 12
_HEAD = ("Name", "Bytes", "Modified", "Seqno", "First CSN")
_RIGHT_ALIGNED = (1, 3)


def position_lines(shown: PositionShown, _settings: Settings) -> Iterator[str]:
    """Yield direction and RBA."""
    yield f"Reading {'in reverse' if shown.is_backwards else 'forward'} from RBA {shown.rba}"


def no_record_lines(shown: NoRecordThere, _settings: Settings) -> Iterator[str]:
    """Yield the reason why no record is at the position, and the records around it."""
    verb = "ends" if shown.is_backwards else "starts"
    if shown.rba > shown.size:
        yield f"RBA {shown.rba} is past the end of the file, which is at RBA {shown.size}."
    elif shown.is_inside:
        yield f"No record {verb} at RBA {shown.rba}: it is inside the record at RBA {shown.before}."
    else:
        yield f"No record {verb} at RBA {shown.rba}: the bytes there are damaged."
    before, after = ("none" if rba is None else f"RBA {rba}" for rba in (shown.before, shown.after))
    yield f"The record before it: {before}. The record after it: {after}."


def mark_lines(shown: MarksShown, _settings: Settings) -> Iterator[str]:
    """Yield name, RBA, file and note of each mark."""
    for mark in shown.marks:
        place = f"{escape(mark.name):<{_NAME_WIDTH}} RBA {mark.rba:>{_RBA_WIDTH}}  {escape(str(mark.path))}"
        yield f"{place}  {escape(mark.note)}".rstrip()
    if not shown.marks:
        yield "No marks. MARK <name> sets one at the position."


def files_lines(shown: FilesShown, settings: Settings) -> Iterator[str]:
    """Yield a heading, and a line for each entry."""
    return aligned([_HEAD, *(_row(entry, settings) for entry in shown.entries)], _RIGHT_ALIGNED)


def _row(entry: DirectoryEntry, settings: Settings) -> tuple[str, ...]:
    name = escape(entry.name) + "/" * entry.is_directory
    modified = "" if entry.modified is None else format_timestamp(entry.modified, settings.time_offset)
    size, seqno = ("" if number is None else str(number) for number in (entry.size, entry.seqno))
    return name, size, modified, seqno, escape(entry.first_csn or "")


def environment_lines(shown: EnvironmentShown, _settings: Settings) -> Iterator[str]:
    """Yield a line for each setting."""
    for label, value in shown.rows:
        yield f"{label:<20}: {escape(value)}"


LINES: Renderers = {
    Progress: progress_lines,
    JobProgress: job_lines,
    SearchProgress: search_lines,
    PositionShown: position_lines,
    NoRecordThere: no_record_lines,
    FilesShown: files_lines,
    EnvironmentShown: environment_lines,
    MarksShown: mark_lines,
    LobsShown: lob_lines,
    StatementShown: statement_lines,
}
