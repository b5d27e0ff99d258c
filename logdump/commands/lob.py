"""The command LOB: writes a large object to a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword, Maybe, Sequence
from logdump.language.parameters import File, Number, OneOf, Word
from logdump.session.errors import CommandError
from logdump.session.events import Event, LobsShown, say
from logdump.session.session import Session
from trailformat.trail.whole_file import WholeFile

if TYPE_CHECKING:
    from trailformat.changes.lobs import Lob


_NO_FILE = "takes TO and a file name after the column."


class LobFile(NamedTuple):
    """The file for a LOB; ``is_raw`` is True if its pieces are written as stored."""

    target: Path
    replaces: bool = False
    is_raw: bool = False


class LobRequest(NamedTuple):
    """The row, the column by name or number, and the file; without one the LOBs are listed."""

    rba: int
    column: str | None = None
    file: LobFile | None = None


def _lob_file(name: str, flags: dict[str, bool]) -> LobFile:
    return LobFile(Path(name).expanduser().absolute(), **flags)


def run_lob(session: Session, wanted: LobRequest) -> Iterator[Event]:
    """List the LOBs of the row at an RBA, or write one of them to a file, whole or not at all."""
    from trailformat.changes.lobs import lobs_of  # noqa: PLC0415 - few trails hold any

    named = [(lob, _column_name(session, lob)) for lob in lobs_of(session.trail, wanted.rba)]
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
    spot = lob.first
    if lob.column is None or spot.path != session.trail.path:
        return None
    record = session.trail.record_at(spot.rba)
    column = session.row_definitions.of(record).column(lob.column) if record is not None else None
    return column.name if column is not None else None


def _is_meant(lob: Lob, name: str | None, wanted: str) -> bool:
    """Return True if a word names the LOB: by column name or index, or by ordinal if the column is unknown."""
    if lob.column is None:
        return wanted == str(lob.ordinal)
    return wanted == str(lob.column) or (name is not None and wanted.upper() == name.upper())


def _save(session: Session, lob: Lob, rba: int, file: LobFile) -> Iterator[Event]:
    from logdump.display.lob_text import trouble_lines  # noqa: PLC0415 - few trails hold any
    from trailformat.changes.lobs import read_lob  # noqa: PLC0415

    if not lob.is_whole:
        raise CommandError(f"LOB {lob.ordinal} is not whole; nothing is written.", *trouble_lines(lob))
    if lob.column is None and not file.is_raw:
        raise CommandError(
            "The layout of its pieces is not known: the bytes before the LOB's own bytes cannot be distinguished.",
            "RAW after the file name writes the pieces as they are stored, one after the other.",
        )
    session.check_target(file.target, "LOB")
    with WholeFile(file.target, replace=file.replaces) as target:
        read_lob(session.trail, rba, lob.ordinal, target.write)
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

COMMANDS = (
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
)
