"""The command EXPORT: its syntax and execution."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from logdump.features.export.target import DIALECTS, FORMATS, STANDARD_OUTPUT, ExportOptions
from logdump.features.heartbeat.command import CHOICE, heartbeat_options
from logdump.features.heartbeat.model import Display
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Amount, AnyOrder, Keyword, RefusedKeyword, Sequence
from logdump.language.parameters import File, OneOf, file_path
from logdump.language.reader import Context, Form, parse_partial
from logdump.language.words import split_calls
from logdump.session.across import gaps_stepped_over, goes_over_files, move_to, return_to
from logdump.session.errors import ArgumentError, CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from trailformat.changes.encrypted import looks_encrypted
from trailformat.codec.on_demand import on_demand
from trailformat.trail.sequence import FilePosition

with on_demand:
    from logdump.features.export import exporting
    from logdump.session import effective_rows
    from trailformat.transactions import whole_trail

_NAME = "EXPORT"


def run_export(session: Session, options: ExportOptions) -> Iterator[Event]:
    """Write the records that pass the filter to a file, or the rows of each table to a file of its own.

    Records are read from the position on; if an EXPORT without a limit has left the position here, from the beginning
    of the file in which that began.
    """
    if options.heartbeats is not None:
        yield from exporting.run_export(session, options)
        return
    place, begun = session.cursor.place, session.cursor.export_begun_in
    if begun is not None:
        yield from move_to(session, FilePosition(begun, 0))
    elif place.next >= session.trail.size and not goes_over_files(session):
        raise CommandError(f"Nothing is left to export from RBA {place.next} on. POSITION 0 goes to the beginning.")
    begins_in = session.trail.path
    yield from gaps_stepped_over(session)
    try:
        yield from _export(session, options)
    except BaseException as error:
        events = return_to(session, place)
        if isinstance(error, GeneratorExit):
            list(events)
        else:
            yield from events
        session.cursor.export_begun_in = begun
        raise
    session.cursor.export_begun_in = None if options.is_limited else begins_in
    for path in _encrypted_between(session, begins_in):
        yield Notice((f"{path}: record data looks encrypted",), ExitStatus.OK)


def _encrypted_between(session: Session, begins_in: Path) -> Iterator[Path]:
    """Yield the files from ``begins_in`` to the open one whose record data looks encrypted."""
    if begins_in == session.trail.path:
        yield from [begins_in] * looks_encrypted(session.trail)
        return
    whole = whole_trail.WholeTrail.around(begins_in)
    for ordinal in range(whole.ordinals.get(begins_in, 0), whole.ordinals.get(session.trail.path, -1) + 1):
        if (trail := whole.open(ordinal)) is not None:
            with trail:
                if looks_encrypted(trail):
                    yield trail.path


def _export(session: Session, options: ExportOptions) -> Iterator[Event]:
    """Write the records, by the engine if it supports the options."""
    narrows = options.effective and options.format != "SQL"
    with effective_rows.only_effective(session) if narrows else nullcontext():
        if (engine := session.settings.engine) is not None and (yield from engine.jobs["EXPORT"](session, options)):
            return
        yield from exporting.run_export(session, options)


def writes_to_standard_output(line: str) -> bool:
    """Return True if an EXPORT in a line of commands has the target ``-``."""
    exports = (parse_partial(_FORM, text, Context()).value for word, text in split_calls(line) if word.upper() == _NAME)
    return any(options is not None and options.to_standard_output for options in exports)


def _options(format_: str, name: str, values: dict[str, Any]) -> ExportOptions:
    values = {"compression": FORMATS[format_][0], **values}
    if name.endswith("!") and len(name) > 1:
        name, values["replaces"] = name[:-1], True
    if format_ == "XLSX" and "by_table" in values:
        raise ArgumentError("XLSX is one file, which has a sheet for each table: it does not go with BY TABLE.")
    if name == str(STANDARD_OUTPUT) and "by_table" in values:
        raise ArgumentError("BY TABLE writes several files, and - is standard output.")
    if "one_table" in values and "by_table" in values:
        raise ArgumentError("ONE TABLE is one file, and BY TABLE writes one for each table.")
    if (shape := values.get("messages", "").upper()) and "by_table" in values:
        raise ArgumentError(f"{shape} is one file, in the order of the trail: it does not go with BY TABLE.")
    if "truncates" in values and shape != "DEBEZIUM":
        raise ArgumentError("TRUNCATES goes with DEBEZIUM; OGG always has truncates, and so have records and rows.")
    amount, unit = values.pop("amount", (None, "records"))
    return ExportOptions(format_, _target(name), **{unit: amount}, **values)


def _beats(**values: Any) -> dict[str, Any]:
    """Return the values of an export of heartbeats, with those that choose beats combined into ``heartbeats``."""
    chosen = {name: values.pop(name) for name in CHOICE if name in values}
    return {**values, "heartbeats": heartbeat_options(display=Display.HISTORY, **chosen)}


def _target(name: str) -> Path:
    if name == str(STANDARD_OUTPUT):
        return STANDARD_OUTPUT
    return file_path(name)


_REPLACE = OneOf({"REPLACE": True, "!": True}, syntax="REPLACE")


def _form_of(format_: str) -> Form[ExportOptions]:
    """Return the form of TO, the file, and the options of a format."""
    is_sql = format_ == "SQL"
    unit = "TRANSACTION[S]" if is_sql else "RECORD[S]"
    key = "transactions" if is_sql else "records"
    wrong = f"COMPRESSION of {format_} is one of {', '.join(FORMATS[format_])}, not {{!r}}."
    compression = Keyword("COMPRESS[ION]", OneOf({name: name for name in FORMATS[format_]}, wrong))
    more: dict[str, Form[Any]] = {
        "compression": compression,
        "effective": OneOf({"EFFECTIVE": True}),
        **(_of_sql() if is_sql else _of_others(format_)),
    }
    options: Form[dict[str, Any]] = AnyOrder(
        dict,
        {
            "replaces": _REPLACE,
            "amount": Amount({unit: key}, wrong=f"{{}} takes {key.upper()} for {format_}, not {{!r}}."),
        },
        more,
        wrong="{!r} is not an option of EXPORT or a number of RECORDS.",
    )
    if not (is_sql or format_ == "XLSX"):
        options = Alternatives(options, _of_heartbeats(compression), syntax=options.syntax)
    no_file = f"{format_} takes TO and a file name."
    file = File("{<file> | -}", missing=no_file)
    return Sequence(partial(_options, format_), Keyword("TO", file, wrong=no_file), options)


def _of_heartbeats(compression: Form[str]) -> Form[dict[str, Any]]:
    """Return the form of HEARTBEATS and its options, which replace the options of records."""
    options: dict[str, Form[Any]] = {"replaces": _REPLACE, "compression": compression, **CHOICE}
    wrong = f"{{!r}} is not one of {', '.join(form.keywords[0] for form in CHOICE.values())} and REPLACE."
    return Keyword("HEARTBEATS", AnyOrder(_beats, options, wrong=wrong, ends_phrases=True))


def _of_sql() -> dict[str, Form[Any]]:
    """Return the options that only SQL has."""
    return {
        "takes_back": OneOf({"UNDO": True}),
        "includes_cut": Keyword("INCLUDE", OneOf({"CUT": True}, "INCLUDE takes CUT.")),
        "dialect": OneOf({name: name for name in DIALECTS}),
        "heartbeats": RefusedKeyword("HEARTBEATS", "SQL is statements: heartbeats are rows of the other formats."),
        "by_table": RefusedKeyword(
            "BY", "SQL is written as one script, because a transaction may change several tables."
        ),
        **_of_messages("SQL"),
    }


_SHAPES = {"DEBEZIUM": "debezium", "OGG": "ogg"}


def _of_messages(format_: str) -> dict[str, Form[Any]]:
    """Return the options of messages, which are refused for other formats than JSONL."""
    if format_ != "JSONL":
        words = (*_SHAPES, "TRUNCATES")
        return {word: RefusedKeyword(word, f"{word} goes with JSONL, not with {format_}.") for word in words}
    return {"messages": OneOf(_SHAPES), "truncates": OneOf({"TRUNCATES": True})}


_NO_BEATS = "XLSX has the rows of tables: heartbeats are rows of the other formats."


def _of_others(format_: str) -> dict[str, Form[Any]]:
    """Return the options of the formats other than SQL; the options of SQL are refused."""
    of_sql = {word: word for word in ("UNDO", *DIALECTS)} | {"INCLUDE": "INCLUDE CUT"}
    return {
        "by_table": Keyword("BY", OneOf({"TABLE": True}, "BY takes TABLE.")),
        **_of_messages(format_),
        **(_of_csv() if format_ == "CSV" else {}),
        **({"heartbeats": RefusedKeyword("HEARTBEATS", _NO_BEATS)} if format_ == "XLSX" else {}),
        **{word: RefusedKeyword(word, f"{name} goes with SQL, not with {format_}.") for word, name in of_sql.items()},
    }


def _of_csv() -> dict[str, Form[Any]]:
    """Return the options that only CSV has."""
    return {
        "one_table": Keyword("ONE", OneOf({"TABLE": True}, "ONE takes TABLE.")),
        "has_bom": OneOf({"BOM": True}),
    }


_FIRST = f"takes one of {', '.join(FORMATS)} first."
_FORM = Alternatives(
    *(Keyword(name, _form_of(name)) for name in FORMATS),
    syntax=f"{{{' | '.join(FORMATS)}}} {_form_of('CSV').syntax}",
    wrong=_FIRST,
    missing=_FIRST,
)

COMMANDS = (
    Command(
        _NAME,
        _FORM,
        "Write records, or the rows of each table, for other programs",
        run_export,
        details=(
            "From the position on; the filter applies. All is written, or nothing. REPLACE (!) replaces the target.",
            "After an EXPORT without a limit, the next one starts at the same file's beginning. - is standard output.",
            "BY TABLE: <file> is a folder, with a file for each table: its columns typed, before_… and after_….",
            "CSV … ONE TABLE: the rows of the only table, with its own columns. BOM: a byte order mark, for Excel.",
            "XLSX: a workbook of Excel with a sheet for each table; what Excel would change is text.",
            "COMPRESSION {NONE | GZIP | ZSTD}; of PARQUET {SNAPPY | NONE | …}, of ARROW {NONE | LZ4 | ZSTD}",
            "SQL [UNDO] [ORACLE | MYSQL | POSTGRESQL | ANSI] [<n> TRANSACTIONS] writes what REDO or UNDO prints.",
            "JSONL … DEBEZIUM [TRUNCATES] | OGG: a message for each change, as Debezium or GoldenGate's JSON formatter",
            "writes them; it needs logdump[export].",
            "HEARTBEATS writes a row for each beat of HEARTBEAT HISTORY; OVER, TABLE, PATH, START, END select beats.",
            "EFFECTIVE leaves out the rows of transactions that a Replicat does not apply: cut, open, copies.",
            "With ACROSS it continues in the later files of the trail.",
            "Under ENGINE SPARK a file is a folder of parts, which tasks write side by side.",
            "PARQUET, ARROW and ZSTD need pip install 'logdump[export]', XLSX 'logdump[xlsx]'.",
            "Example: EXPORT PARQUET TO sales BY TABLE COMPRESSION ZSTD",
        ),
        origin=Origin.OURS,
        stops="Ctrl+C stops, nothing is exported",
    ),
)
