"""VALUES, METADATA, LOB: the values of a record, its definition, its large objects."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword, Maybe, Sequence, switch
from logdump.language.parameters import ON_OFF, File, Number, OneOf, Word
from logdump.language.words import plain
from logdump.notation.text import amount
from logdump.session.errors import CommandError
from logdump.session.events import Event, LobsShown, say
from logdump.session.session import Session, SourceDefinitions
from logdump.session.settings import Detail
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.trail.whole_file import WholeFile

with on_demand:
    from logdump.display import session_text
    from trailformat.changes import lobs

if TYPE_CHECKING:
    from trailformat.changes.lobs import Lob


_NO_FILE = "takes TO and a file name after the column."


class LobFile(NamedTuple):
    """The file for a LOB; ``is_raw`` is True if its pieces are written as stored."""

    target: Path
    replaces: bool = False
    is_raw: bool = False


class LobRequest(NamedTuple):
    """The row, the column by name or number, and the file; without a file the LOBs are listed."""

    rba: int
    column: str | None = None
    file: LobFile | None = None


def _lob_file(name: str, flags: dict[str, bool]) -> LobFile:
    return LobFile(path_of(Path(name)).absolute(), **flags)


def run_lob(session: Session, wanted: LobRequest) -> Iterator[Event]:
    """List the LOBs of the row at an RBA, or write one of them to a file, whole or not at all."""
    named = [(lob, _column_name(session, lob)) for lob in lobs.lobs_of(session.trail, wanted.rba)]
    if wanted.column is not None:
        named = [entry for entry in named if _is_meant(*entry, wanted.column)]
    if wanted.file is None:
        yield LobsShown(session.trail.path, wanted.rba, tuple(named))
        return
    if len(named) > 1:
        named = [entry for entry in named if not entry[0].is_before] or named
    if len(named) != 1:
        column = f" {wanted.column}" if wanted.column else ""
        count = "more than one LOB" if named else "no LOB"
        raise CommandError(f"The row at RBA {wanted.rba} has {count}{column}; LOB {wanted.rba} lists them.")
    yield from _save(session, named[0][0], wanted.rba, wanted.file)


def _column_name(session: Session, lob: Lob) -> str | None:
    position = lob.first
    if lob.column is None or position.path != session.trail.path:
        return None
    record = session.trail.record_at(position.rba)
    column = session.row_definitions.of(record).column(lob.column) if record is not None else None
    return column.name if column is not None else None


def _is_meant(lob: Lob, name: str | None, wanted: str) -> bool:
    """Return True if a word names the LOB: by column name or index, or by ordinal if the column is unknown."""
    if lob.column is None:
        return wanted == str(lob.ordinal)
    return wanted == str(lob.column) or (name is not None and wanted.upper() == name.upper())


def _save(session: Session, lob: Lob, rba: int, file: LobFile) -> Iterator[Event]:
    if not lob.is_whole:
        raise CommandError(f"LOB {lob.ordinal} is not whole; nothing is written.", *session_text.trouble_lines(lob))
    if lob.column is None and not file.is_raw:
        raise CommandError(
            "The layout of its pieces is not known: the bytes before the LOB's own bytes cannot be distinguished.",
            "RAW after the file name writes the pieces as they are stored, one after the other.",
        )
    session.check_target(file.target, "LOB")
    with WholeFile(file.target, replace=file.replaces) as target:
        lobs.read_lob(session.trail, rba, lob.ordinal, target.write)
    yield say(f"Saved {lob.size} bytes of {lob.pieces} pieces to {file.target}")


_TO = Keyword(
    "TO",
    Sequence(
        _lob_file,
        File("<filename>", missing=_NO_FILE),
        AnyOrder(
            dict,
            {"replaces": OneOf({"!": True}), "is_raw": OneOf({"RAW": True})},
            wrong="{!r} is not ! or RAW.",
        ),
    ),
)
_FORM = Sequence(
    LobRequest,
    Number("<rba>", what="an RBA", missing="takes an RBA."),
    Maybe(Word("<column>", other="TO")),
    Maybe(_TO),
    surplus=_NO_FILE,
)


_DETAILS = OneOf({"ON": Detail.ON, "OFF": Detail.OFF, "DATA": Detail.DATA})
_FORMATS: dict[str, tuple[str, OneOf[Any]]] = {
    "DDLFORMAT": ("metadata_ddl", ON_OFF),
    "DEFGENFORMAT": ("metadata_defgen", ON_OFF),
    "SQLFORMAT": ("metadata_sql", ON_OFF),
    "DET[AIL]": ("metadata_detail", _DETAILS),
}


class MetadataForm(NamedTuple):
    """A format of METADATA by its keyword, and its new value; None shows the present one."""

    keyword: str
    value: bool | Detail | None


def run_metadata(session: Session, form: MetadataForm | None) -> Iterator[Event]:
    """Set or show a format of definitions, or show all of them."""
    settings = session.settings
    if form is None:
        yield say(*(f"METADATA {plain(name)} is {_metadata_state(settings, name)}" for name in _FORMATS))
    elif form.value is None:
        yield say(f"METADATA {plain(form.keyword)} is {_metadata_state(settings, form.keyword)}")
    else:
        setattr(settings, _FORMATS[form.keyword][0], form.value)


def _metadata_state(settings: object, name: str) -> str:
    value = getattr(settings, _FORMATS[name][0])
    return value.value.upper() if isinstance(value, Detail) else "ON" if value else "OFF"


def run_column_data(session: Session, value: bool | None) -> Iterator[Event]:  # noqa: FBT001 - the value of a keyword
    """Switch the bytes under each column line on or off, or show the setting."""
    settings = session.settings
    if value is None:
        yield say(f"COLUMNDATA is {'ON' if settings.detail is Detail.DATA else 'OFF'}")
    elif value:
        settings.detail = Detail.DATA
    elif settings.detail is Detail.DATA:
        settings.detail = Detail.ON


class SourceFile(NamedTuple):
    """A definitions file (empty: OFF), and whether it takes precedence over the definitions of the trail."""

    name: str = ""
    override: bool | None = None


def run_source_definitions(session: Session, source: SourceFile | None) -> Iterator[Event]:
    """Read a definitions file for tables that the trail does not define, or stop using it; show the file in use."""
    if source is not None:
        path = path_of(Path(source.name))
        session.source_definitions = _read(path, override=bool(source.override)) if source.name else None
    yield say(_state(session.source_definitions))


def _read(path: Path, *, override: bool) -> SourceDefinitions:
    from trailformat.definitions.file import read_definitions  # noqa: PLC0415 - needed for this command only

    return SourceDefinitions(path.absolute(), read_definitions(path), override)


def _state(source: SourceDefinitions | None) -> str:
    if source is None:
        return "SOURCEDEFS is OFF"
    tables = amount(len(source.file.tables), "table")
    return f"Source definitions: {source.path}, {tables}{', before those of the trail' if source.override else ''}"


_SOURCE = Alternatives(
    Sequence(SourceFile, File("<definitions file>"), Maybe(OneOf({"OVERRIDE": True}))),
    OneOf({"OFF": SourceFile()}),
    surplus="takes one file name, and perhaps OVERRIDE, but got {!r}.",
)


COMMANDS = (
    switch(
        "VALUES",
        ON_OFF,
        "Show the values of columns, before and after, below each record",
        "values",
        details=(
            "K marks the key, * a column that changed. Text is in quotes, bytes are X'...', a column that an image",
            "does not have is blank. A value that cannot be decoded is ?'...' in hex, with the reason below.",
            "A value wider than a third of RECLEN is cut. docs/values.md lists the types.",
            "LOB pieces and record fragments are shown with their base record, DDL records with items: docs/parts.md.",
        ),
        origin=Origin.OURS,
    ),
    Command(
        "SOURCEDEFS",
        Maybe(_SOURCE),
        "Read the columns of tables from a definitions file of DEFGEN",
        run_source_definitions,
        details=(
            "For trails from before 12.2, which hold no definitions, and for full record images of NonStop.",
            "Definitions in the trail take precedence over those of the file, unless it says OVERRIDE.",
        ),
        origin=Origin.OURS,
    ),
    Command(
        "LOB",
        _FORM,
        "List the LOBs of a row, or write one to a file",
        run_lob,
        details=(
            "<rba> is that of the row or of a piece; <column> a name or an index (else the number in the list).",
            "The LOB is written as stored, without a change of character set, whole or not at all; ! replaces a file.",
            "RAW writes pieces whose layout is not known, with the bytes before the LOB's own bytes.",
            "Example: LOB 1811 NOTE TO note.txt",
        ),
        origin=Origin.OURS,
    ),
    Command(
        "METADATA",
        Maybe(
            Alternatives(
                *(
                    Keyword(name, Sequence(partial(MetadataForm, name), Maybe(choice)))
                    for name, (_, choice) in _FORMATS.items()
                ),
                syntax="{<format> | DETAIL} {ON | OFF | DATA}",
                wrong="{!r} is not one of DDLFORMAT, DEFGENFORMAT, SQLFORMAT, DETAIL.",
            ),
            is_shown=False,
        ),
        "Show table definitions in another format; DETAIL their tokens",
        run_metadata,
        details=(
            "<format> is DDLFORMAT (NonStop), DEFGENFORMAT (definitions file) or SQLFORMAT (CREATE TABLE).",
            "With a format on, it takes the place of the listing; DETAIL adds the tokens below.",
        ),
    ),
    Command(
        "COLUMNDATA",
        Maybe(ON_OFF, is_shown=False),
        "Show the bytes of each column; the same as DETAIL DATA",
        run_column_data,
    ),
)
