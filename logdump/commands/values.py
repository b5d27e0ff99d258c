"""VALUES and SOURCEDEFS: the values of columns, and the definitions file for tables that the trail does not define."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Maybe, Sequence
from logdump.language.parameters import ON_OFF, File, OneOf
from logdump.language.switches import switch
from logdump.notation.plural import amount
from logdump.session.events import Event, say
from logdump.session.marks import SourceDefinitions
from logdump.session.session import Session


class SourceFile(NamedTuple):
    """A definitions file, and whether it goes before the definitions of the trail; no file: none."""

    name: str = ""
    override: bool | None = None


def run_source_definitions(session: Session, source: SourceFile | None) -> Iterator[Event]:
    """Read a definitions file for tables that the trail does not define; OFF forgets it; alone it shows which."""
    if source is not None:
        path = Path(source.name).expanduser()
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
            "A LOB piece or record fragment says where it belongs, a DDL record what its items are: docs/parts.md.",
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
)
