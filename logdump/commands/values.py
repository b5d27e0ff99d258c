"""VALUES and SOURCEDEFS: what columns mean, and the definitions file that tells it where the trail does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from logdump.commands.switches import ON_OFF, switch
from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import split_words
from logdump.notation.plural import amount
from logdump.session.events import Event, say
from logdump.session.marks import SourceDefinitions
from logdump.session.session import Session


def run_source_definitions(session: Session, arguments: str) -> Iterator[Event]:
    """Read a definitions file for tables that the trail does not define; OFF forgets it; alone it tells which."""
    words = split_words(arguments)
    override = len(words) == 2 and words[1].upper() == "OVERRIDE"
    if len(words) > 1 and not override:
        raise ArgumentError(f"takes one file name, and perhaps OVERRIDE, but got {arguments!r}.")
    if words and words[0].upper() == "OFF" and not override:
        session.source_definitions = None
    elif words:
        session.source_definitions = _read(Path(words[0]).expanduser(), override=override)
    yield say(_state(session.source_definitions))


def _read(path: Path, *, override: bool) -> SourceDefinitions:
    from trailformat.definitions.file import read_definitions  # noqa: PLC0415 - needed for this command only

    return SourceDefinitions(path.absolute(), read_definitions(path), override)


def _state(source: SourceDefinitions | None) -> str:
    if source is None:
        return "SOURCEDEFS is OFF"
    tables = amount(len(source.file.tables), "table")
    return f"Source definitions: {source.path}, {tables}{', before those of the trail' if source.override else ''}"


COMMANDS = (
    Command(
        "VALUES",
        "VALUES {ON | OFF}",
        "Show what the columns hold, before and after, below each record",
        switch("VALUES", "values", ON_OFF),
        options=tuple(ON_OFF),
        details=(
            "K marks the key, * a column that changed. Text is in quotes, bytes are X'...', a column that an image",
            "does not have is blank. What does not decode is ?'...' in hex, and the reason stands below.",
            "A value wider than a third of RECLEN is cut. docs/values.md lists the types.",
            "A LOB piece or record fragment says where it belongs, a DDL record what its items are: docs/parts.md.",
        ),
        origin=Origin.OURS,
    ),
    Command(
        "SOURCEDEFS",
        "SOURCEDEFS [<definitions file> [OVERRIDE] | OFF]",
        "Read the columns of tables from a definitions file of DEFGEN",
        run_source_definitions,
        options=("OFF", "OVERRIDE"),
        details=(
            "For trails from before 12.2, which hold no definitions, and for full record images of NonStop.",
            "Definitions in the trail go before those of the file unless it says OVERRIDE.",
        ),
        origin=Origin.OURS,
    ),
)
