"""The items of a script, each change decoded from its records: no blocks, no columns, and one walk over all files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from logdump.display.sql.script import Closing, Item, LeftOut, NotRun, SqlScript, WalkProgress
from logdump.display.sql.script_walk import ScriptFiles
from logdump.session.errors import CommandError
from trailformat import NotATrail, Record, TrailError
from trailformat.trail.sequence import next_file, previous_file
from trailformat.transactions.extent import Extent, Walked

_OUTSIDE = {150, 151, 152, 161, 170, 205}
"""Types of restarts, the end of a recovery, a fragment of a record, metadata and a comment."""


def parts(
    script: SqlScript, rba: int, transactions: int | None = None
) -> Iterator[Item | Walked | WalkProgress | TrailError | CommandError]:
    """In place of ``SqlScript.parts``."""
    try:
        for stretch in script._walk.stretches(rba, transactions, is_backwards=script.takes_back):
            if isinstance(stretch, Walked):
                yield stretch
                continue
            for extent in script._files.extents(stretch)[:: -1 if script.takes_back else 1]:
                if extent.is_whole and not script._is_copy(extent):
                    end = script.end if script.takes_back else script._walk._end_of(extent)
                    numbers = script.opening(extent).records, end.rba if end else 0, extent.first_moment.time
                    yield WalkProgress(*(np.array([number]) for number in numbers))
                    yield from _applied(script, extent)
                else:
                    yield from _skipped(script, extent)
    except (TrailError, CommandError) as error:
        yield error


def _applied(script: SqlScript, extent: Extent) -> Iterator[Item]:
    left_out = remarks = 0
    has_lines = False
    for statement in script._statements(script._changes.of(_records(script, extent), extent.transaction)):
        if statement is None:
            left_out += 1
        else:
            if not has_lines:
                has_lines = True
                yield script.opening(extent)
            remarks += statement.sql is None
            script.statements += statement.sql is not None
            script.remarks += statement.sql is None
            yield statement
    if has_lines:
        script.transactions += 1
        yield Closing(left_out, remarks)
    else:
        script.left_out = LeftOut(script.left_out.changes + left_out, script.left_out.transactions + 1)


def _skipped(script: SqlScript, extent: Extent) -> Iterator[Item]:
    script.skipped += 1
    yield script.skipping(extent)
    if script._includes_cut:
        for statement in script._statements(script._changes.of_all(_records(script, extent), extent.transaction)):
            if statement is not None:
                yield NotRun(statement)


def _records(script: SqlScript, extent: Extent) -> Iterator[Record]:
    """The records of a transaction that are changes or parts of one, in the order of the script."""
    stream = (_backwards if script.takes_back else _forwards)(script._files, extent)
    return (record for record in stream if not record.is_file_header and record.header.io_type not in _OUTSIDE)


def _forwards(files: ScriptFiles, extent: Extent) -> Iterator[Record]:
    first, last = extent.first, extent.last
    path, rba = (first.path, first.rba) if first is not None else (None, 0)
    while path is not None:
        for record in files.of(path).trail.records(rba):
            yield record
            if last == (path, record.rba):
                return
        path, rba = _neighbour(next_file(path)), 0


def _backwards(files: ScriptFiles, extent: Extent) -> Iterator[Record]:
    first, last = extent.first, extent.last
    path = last.path if last is not None else None
    end: int | None = None
    if last is not None:
        end = last.rba + files.of(path).trail.record_length(last.rba)
    while path is not None:
        for record in files.of(path).trail.records_backwards(end):
            yield record
            if first == (path, record.rba):
                return
        path, end = _neighbour(previous_file(path)), None


def _neighbour(beside: tuple[Path | None, Path | None]) -> Path:
    path, missing = beside
    if path is None:
        raise NotATrail("the file is missing, and a transaction continues in it", path=missing)
    return path
