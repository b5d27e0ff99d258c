"""EXPORT."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from logdump.commands.showing import show_record
from logdump.events import Event
from logdump.export.options import OPTION_WORDS, parse_export_options
from logdump.language.command import Command, Origin
from logdump.session import Session
from logdump.settings import OutputFormat
from trailformat import Record

if TYPE_CHECKING:
    from logdump.export.exporting import Show


def run_export(session: Session, arguments: str) -> Iterator[Event]:
    """Write the records from the position on that pass the filter to a file, or the rows of each table to one."""
    from logdump.export import exporting  # noqa: PLC0415 - loaded with the first EXPORT

    options = parse_export_options(arguments)
    if session.settings.spark_master is not None:
        from logdump.commands.export_in_spark import export_in_spark  # noqa: PLC0415 - for ENGINE SPARK

        if (yield from export_in_spark(session, options, _shown_by)):
            return
    yield from exporting.run_export(session, options, _shown_by(session))


def _shown_by(session: Session) -> Show:
    """What makes of a record of the session all that is known of it."""
    return partial(_known, session)


def _known(session: Session, record: Record) -> list[Event]:
    """All that is known of a record, as FORMAT JSONL has it."""
    former, session.settings.format = session.settings.format, OutputFormat.JSONL
    try:
        return list(show_record(session, record))
    finally:
        session.settings.format = former


COMMANDS = (
    Command(
        "EXPORT",
        "EXPORT {JSONL | CSV | PARQUET | ARROW | SQL} TO <file> [REPLACE] [<n> RECORDS] [<options>]",
        "Write records, or the rows of each table, for other programs",
        run_export,
        options=OPTION_WORDS,
        details=(
            "From the position on; the filter applies. All is written, or nothing. REPLACE (!) replaces what is there.",
            "BY TABLE: <file> is a folder, with a file for each table: its columns typed, before_… and after_….",
            "COMPRESSION {NONE | GZIP}; of PARQUET {SNAPPY | NONE | ZSTD | GZIP}, of ARROW {NONE | LZ4 | ZSTD}",
            "SQL [UNDO] [ORACLE | MYSQL | POSTGRESQL | ANSI] [<n> TRANSACTIONS] writes what REDO or UNDO prints.",
            "Under ENGINE SPARK a file is a folder of parts, which tasks write side by side.",
            "PARQUET and ARROW need pip install 'logdump[export]'.",
            "Example: EXPORT PARQUET TO sales BY TABLE COMPRESSION ZSTD",
        ),
        origin=Origin.OURS,
    ),
)
