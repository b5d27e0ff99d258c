"""LOB."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.language.arguments import number
from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import is_keyword, split_words
from logdump.session.errors import CommandError
from logdump.session.events import Event, LobsShown, say
from logdump.session.session import Session
from trailformat.trail.whole_file import WholeFile

if TYPE_CHECKING:
    from trailformat.changes.lobs import Lob


class LobOptions(NamedTuple):
    """What LOB was asked for; ``column`` is a name or a number."""

    rba: int
    column: str | None = None
    target: Path | None = None
    replaces: bool = False
    is_raw: bool = False


def parse_lob_options(text: str) -> LobOptions:
    """The RBA, the column, and the file with its options.

    Raises:
        ArgumentError: the RBA or the file is missing, or there is something else.
    """
    words = split_words(text)
    if not words:
        raise ArgumentError("takes an RBA.")
    rba = number(words.pop(0), what="an RBA")
    column = words.pop(0) if words and not is_keyword(words[0], "TO") else None
    if not words:
        return LobOptions(rba, column)
    if not is_keyword(words.pop(0), "TO") or not words:
        raise ArgumentError("takes TO and a file name behind the column.")
    target = Path(words.pop(0)).expanduser().absolute()
    flags = {word.upper() for word in words}
    if flags - {"!", "RAW"}:
        raise ArgumentError(f"{' '.join(words)!r} is not ! or RAW.")
    return LobOptions(rba, column, target, "!" in flags, "RAW" in flags)


def run_lob(session: Session, arguments: str) -> Iterator[Event]:
    """List the LOBs of the row at an RBA, or write one of them to a file, whole or not at all."""
    from trailformat.changes.lobs import lobs_of  # noqa: PLC0415 - few trails hold any

    options = parse_lob_options(arguments)
    named = [(lob, _column_name(session, lob)) for lob in lobs_of(session.trail, options.rba)]
    if options.column is not None:
        named = [one for one in named if _is_meant(*one, options.column)]
    if options.target is None:
        yield LobsShown(session.trail.path, options.rba, tuple(named))
        return
    if len(named) > 1:
        named = [one for one in named if not one[0].is_before] or named
    if len(named) != 1:
        wanted = f" {options.column}" if options.column else ""
        count = "more than one LOB" if named else "no LOB"
        raise CommandError(f"The row at RBA {options.rba} has {count}{wanted}; LOB {options.rba} lists them.")
    yield from _save(session, named[0][0], options, options.target)


def _column_name(session: Session, lob: Lob) -> str | None:
    spot = lob.first
    if lob.column is None or spot.path != session.trail.path:
        return None
    record = session.trail.record_at(spot.rba)
    column = session.row_definitions.of(record).column(lob.column) if record is not None else None
    return column.name if column is not None else None


def _is_meant(lob: Lob, name: str | None, wanted: str) -> bool:
    """Whether a word names the LOB: by column name or index, or by ordinal where the column is not known."""
    if lob.column is None:
        return wanted == str(lob.ordinal)
    return wanted == str(lob.column) or (name is not None and wanted.upper() == name.upper())


def _save(session: Session, lob: Lob, options: LobOptions, target: Path) -> Iterator[Event]:
    from logdump.render.lob_text import trouble_lines  # noqa: PLC0415 - few trails hold any
    from trailformat.changes.lobs import read_lob  # noqa: PLC0415

    if not lob.is_whole:
        raise CommandError(f"LOB {lob.ordinal} is not whole; nothing is written.", *trouble_lines(lob))
    if lob.column is None and not options.is_raw:
        raise CommandError(
            "The layout of its pieces is not known: what stands in front of the LOB's own bytes cannot be told apart.",
            "RAW behind the file name writes the pieces as they are stored, one after the other.",
        )
    session.check_target(target, "LOB")
    with WholeFile(target, replace=options.replaces) as file:
        read_lob(session.trail, options.rba, lob.ordinal, file.write)
    yield say(f"Saved {lob.size} bytes of {lob.pieces} pieces to {target}")


COMMANDS = (
    Command(
        "LOB",
        "LOB <rba> [<column>] [TO <filename> [!] [RAW]]",
        "List the LOBs of a row, or write one to a file",
        run_lob,
        options=("TO", "RAW"),
        details=(
            "<rba> is that of the row or of a piece; <column> a name or an index (else the number in the list).",
            "The LOB is written as stored, without a change of character set, whole or not at all; ! replaces a file.",
            "RAW writes pieces whose layout is not known, with whatever stands in front of the LOB's own bytes.",
            "Example: LOB 1811 NOTE TO note.txt",
        ),
        origin=Origin.OURS,
    ),
)
