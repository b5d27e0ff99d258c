"""EXPORT."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

from logdump.language.command import Command, Origin
from logdump.language.words import split_commands, split_words
from logdump.operations.effective_rows import only_effective
from logdump.operations.export.options import OPTION_WORDS, STANDARD_OUTPUT, parse_export_options
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.session import Session

_TARGET_AT = 3
"""Of the words of an EXPORT."""


def run_export(session: Session, arguments: str) -> Iterator[Event]:
    """Write the records that pass the filter to a file, or the rows of each table to one.

    They are those from the position on; of the whole file where an EXPORT without a limit has left the position.
    """
    from logdump.operations.export import exporting  # noqa: PLC0415 - loaded with the first EXPORT

    options = parse_export_options(arguments)
    cursor = session.cursor
    position, was_whole = cursor.next, cursor.ends_export
    if was_whole:
        cursor.move(0)
    elif position >= session.trail.size:
        raise CommandError(f"Nothing is left to export from RBA {position} on. POSITION 0 goes to the beginning.")
    try:
        is_done = False
        if session.settings.spark_master is not None:
            from logdump.commands.export_in_spark import export_in_spark  # noqa: PLC0415 - for ENGINE SPARK

            is_done = yield from export_in_spark(session, options)
        if not is_done:
            with only_effective(session, [session.trail.path]) if options.effective else nullcontext():
                yield from exporting.run_export(session, options)
    except BaseException:
        cursor.move(position)
        cursor.ends_export = was_whole
        raise
    cursor.ends_export = not options.is_limited


def writes_to_standard_output(line: str) -> bool:
    """Whether an EXPORT in a line of commands has the target ``-``."""
    commands = map(split_words, split_commands(line))
    return any(
        len(words) > _TARGET_AT
        and (words[0].upper(), words[2].upper()) == ("EXPORT", "TO")
        and words[_TARGET_AT].rstrip("!") == str(STANDARD_OUTPUT)
        for words in commands
    )


COMMANDS = (
    Command(
        "EXPORT",
        "EXPORT {JSONL | CSV | PARQUET | ARROW | SQL} TO {<file> | -} [REPLACE] [<n> RECORDS] [<options>]",
        "Write records, or the rows of each table, for other programs",
        run_export,
        options=OPTION_WORDS,
        details=(
            "From the position on; the filter applies. All is written, or nothing. REPLACE (!) replaces what is there.",
            "After an EXPORT of the whole rest the next one begins at the beginning again. - is standard output.",
            "BY TABLE: <file> is a folder, with a file for each table: its columns typed, before_… and after_….",
            "COMPRESSION {NONE | GZIP}; of PARQUET {SNAPPY | NONE | ZSTD | GZIP}, of ARROW {NONE | LZ4 | ZSTD}",
            "SQL [UNDO] [ORACLE | MYSQL | POSTGRESQL | ANSI] [<n> TRANSACTIONS] writes what REDO or UNDO prints.",
            "EFFECTIVE leaves out the rows of transactions that a Replicat does not apply: cut, open, here once more.",
            "Under ENGINE SPARK a file is a folder of parts, which tasks write side by side.",
            "PARQUET and ARROW need pip install 'logdump[export]'.",
            "Example: EXPORT PARQUET TO sales BY TABLE COMPRESSION ZSTD",
        ),
        origin=Origin.OURS,
    ),
)
