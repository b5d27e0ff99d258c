"""One run of EXPORT: staging of the target, choice of the format, counts and report."""

from __future__ import annotations

import contextlib
import importlib
import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from logdump.arrow.without_pandas import leave_out_pandas
from logdump.features.export.files import Place, StandardOutput
from logdump.features.export.target import ExportOptions, ExportTally, export_target
from logdump.language.execute import stopped_writing
from logdump.notation.text import amount
from logdump.session.across import move_to
from logdump.session.errors import CommandError
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from trailformat import CannotWrite
from trailformat.codec.on_demand import on_demand
from trailformat.trail.command_files import OUTCOMES
from trailformat.trail.packed import status_of

with on_demand:
    from logdump.features.export import (
        arrow_export,
        beat_export,
        message_export,
        sql_script,
        text_export,
        text_formats,
        xlsx_export,
    )
    from logdump.session import defined_names

if TYPE_CHECKING:
    from logdump.features.heartbeat.model import HeartbeatOptions


class Export(Protocol):
    """The writer of one export format."""

    def run(self, path: Place) -> Iterator[Event]:
        """Write the file, or the files in the folder, and fill the tally; yields Progress."""

    def report(self) -> Iterator[Event]:
        """Yield the number of rows written, and the problems."""


def run_export(session: Session, options: ExportOptions) -> Iterator[Event]:
    """Write all records from the position on that pass the filter, or nothing, and report them.

    With ACROSS this includes the later files. The position moves past the last record read; with heartbeats it does
    not move. Standard output receives rows as they are written.

    Raises:
        CommandError: the target exists, is the open trail, is not possible here, or a package is missing.
        CannotWrite: the target cannot be written, or does not hold what was written.
        TrailError: the trail cannot be read.
    """
    tally, written = ExportTally(), len(OUTCOMES.named)
    try:
        export = yield from _written(session, options, tally)
        if options.heartbeats is None and tally.end is not None:
            yield from move_to(session, tally.end)
    except KeyboardInterrupt:
        yield _stopped(options, tally, written)
        raise
    yield from export.report()
    if not tally.selected:
        # behind the last one of so many transactions records may pass
        say_why = defined_names.undefined_names if options.transactions is None else defined_names.names_not_defined
        yield from say_why(session)


def _written(session: Session, options: ExportOptions, tally: ExportTally) -> Generator[Event, None, Export]:
    """Write the whole output or nothing; returns its writer."""
    check_target(session, options.target, is_folder=options.by_table)
    export = export_of(session, options, tally)
    was_backwards, session.cursor.is_backwards = session.cursor.is_backwards, False
    try:
        with _place(session, options) as place:
            yield from export.run(place)
            check_whole(tally, options)
    finally:
        session.cursor.is_backwards = was_backwards  # that of the file reached
    return export


def _stopped(options: ExportOptions, tally: ExportTally, written: int) -> Notice:
    """Return the notice after Ctrl+C."""
    done = amount(tally.selected, "record" if options.heartbeats is None else "beat")
    nothing = "the output is not whole" if options.to_standard_output else "nothing was exported"
    return stopped_writing(done, nothing, written)


@contextlib.contextmanager
def _place(session: Session, options: ExportOptions) -> Iterator[Place]:
    """Yield the place to write to: staged next to the target, or standard output. Raises as run_export does."""
    if options.to_standard_output:
        yield _standard_output(session, options)
    else:
        with export_target(options.target, is_folder=options.by_table, replaces=options.replaces) as path:
            yield path


def _standard_output(session: Session, options: ExportOptions) -> StandardOutput:
    if session.standard_output is None:
        raise CommandError(
            "The full-screen view uses standard output: EXPORT … TO - works in line mode, with -c and with -f."
        )
    stream = session.standard_output()
    if options.is_binary and stream.isatty():
        raise CommandError("This is binary, and standard output is a terminal: send it to a file or a program.")
    with contextlib.suppress(OSError):
        if os.path.samestat(os.fstat(stream.fileno()), status_of(session.trail.path)):
            raise CommandError("Standard output is the open trail: EXPORT never writes over it.")
    return StandardOutput(stream)


def export_of(session: Session, options: ExportOptions, tally: ExportTally) -> Export:
    """Return the writer for the options.

    Raises:
        CommandError: a package is missing.
    """
    if options.compression == "ZSTD":
        _require_extra(f"{options.format} COMPRESSION ZSTD")
    if options.heartbeats is not None:
        return _beats(session, options, tally, options.heartbeats)
    if options.messages:
        return _messages(session, options, tally)
    return _EXPORTS[options.format](session, options, tally)


def check_target(session: Session, target: Path, *, is_folder: bool) -> None:
    """Check that the target is a file or a folder, is not in use, and is not the folder of the open trail.

    Raises:
        CommandError: the target fails the check.
        OSError: the status of the target cannot be read.
    """
    session.check_target(target, "EXPORT", wanted="a folder" if is_folder else "a file")
    if target.is_dir() and session.trail.path.resolve().parent == target.resolve():
        raise CommandError(f"{target} contains the open trail: EXPORT never replaces it.")


def check_whole(tally: ExportTally, options: ExportOptions) -> None:
    """Raise CannotWrite unless the files hold every record that was not left out."""
    rows = sum(file.rows for file in tally.files)
    expected = tally.selected + tally.split - tally.left_out.total()
    if options.format != "SQL" and rows != expected:
        raise CannotWrite(
            "the files do not hold every record",
            path=options.target,
            expected=f"{expected} rows",
            found=f"{rows}",
        )


def _text(session: Session, options: ExportOptions, tally: ExportTally) -> Export:
    kind = text_export.TextOfTables if options.is_of_rows else text_export.TextOfRecords
    return kind(
        session, options, tally, text_formats.JsonLines() if options.format == "JSONL" else text_formats.CsvText()
    )


def _messages(session: Session, options: ExportOptions, tally: ExportTally) -> Export:
    _require_extra(f"JSONL … {options.messages.upper()}")
    return message_export.MessageExport(session, options, tally, text_formats.JsonLines())


def _sql(session: Session, options: ExportOptions, tally: ExportTally) -> Export:
    return sql_script.SqlExport(session, options, tally)


def _arrow(session: Session, options: ExportOptions, tally: ExportTally) -> Export:
    _require_extra(options.format)
    return arrow_export.ArrowExport(session, options, tally)


def _xlsx(session: Session, options: ExportOptions, tally: ExportTally) -> Export:
    require_xlsx("EXPORT XLSX")
    return xlsx_export.XlsxExport(session, options, tally)


def _beats(session: Session, options: ExportOptions, tally: ExportTally, heartbeats: HeartbeatOptions) -> Export:
    if _EXPORTS[options.format] is _arrow:
        _require_extra(options.format)
    return beat_export.BeatExport(session, options, tally, heartbeats)


def _require_extra(format_: str) -> None:
    """Load pyarrow. Raises CommandError if it cannot be loaded."""
    _require(f"EXPORT {format_}", "export", "trailformat.arrays.arrow")


def require_xlsx(what: str) -> None:
    """Load what writes workbooks. Raises CommandError, which begins with ``what``, if it cannot be loaded."""
    _require(what, "xlsx", "trailformat.arrays.arrow", "xlsxwriter")


def _require(what: str, extra: str, *modules: str) -> None:
    try:
        for module in modules:
            importlib.import_module(module)
        leave_out_pandas()
    except ModuleNotFoundError:
        raise CommandError(f"{what} needs pip install 'logdump[{extra}]'.") from None
    except (ImportError, OSError, RuntimeError) as error:
        raise CommandError(f"{what}: a required package cannot be loaded: {error}.") from error


_EXPORTS: dict[str, Callable[[Session, ExportOptions, ExportTally], Export]] = {
    "JSONL": _text,
    "CSV": _text,
    "SQL": _sql,
    "PARQUET": _arrow,
    "ARROW": _arrow,
    "XLSX": _xlsx,
}
