"""The options of verbs, and the request that is translated into commands."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote_from_bytes

from logdump.language.words import split_commands
from logdump.session.errors import MissingFileError
from logdump.session.session import is_trail
from trailformat.codec.remote.path import path_of
from trailformat.codec.remote.url import is_url
from trailformat.errors import CannotRead, NotATrail
from trailformat.trail.packed import entries_of, is_archive, is_file

_WILD = "*?"


class VerbStep(NamedTuple):
    """One command of a verb.

    Attributes:
        text: the command.
        prepares: True if it prepares later steps: its output is not shown, and if it fails, no step follows.
        repeats: True if it shows one more result of the step before it; finding no more is not a failure.
    """

    text: str
    prepares: bool = False
    repeats: bool = False


class MisuseError(Exception):
    """The words or options of a verb contradict each other; the message is the reason."""


class VerbRequest(NamedTuple):
    """The arguments of a verb: files, other words, options."""

    files: tuple[str, ...]
    words: tuple[str, ...]
    options: argparse.Namespace

    @property
    def rest(self) -> str:
        """The words that are no files, separated by blanks."""
        return " ".join(self.words)

    @property
    def named(self) -> str:
        """The files as one word of a command."""
        return quoted_files(self.files)

    def asks(self, name: str) -> bool:
        """Return whether an option is given."""
        return getattr(self.options, name, None) not in (None, False, [])

    def trails(self) -> Iterator[tuple[Path, ...]]:
        """Yield the files of each trail, oldest first. Raises like ``matching_files``."""
        file = path_of(self.files[0])
        if len(self.files) == 1 and is_file(file) and not is_archive(file):
            yield (file,)
            return
        from logdump.session.files import matching_files  # noqa: PLC0415 - one file needs no search
        from trailformat.trail.sequence import trails_among  # noqa: PLC0415 - one file needs no search

        trails, paths = trails_among(matching_files(",".join(self.files)))
        for names in trails:
            yield tuple(name.path for name in names)
        for path in paths:
            yield (path,)


def is_source(word: str) -> bool:
    """Return whether a word is a file, a trail, a folder, a wildcard that matches, or any URL."""
    path = path_of(word)
    if is_url(word) or is_trail(word) or path.is_dir():
        return True
    if not any(character in path.name for character in _WILD):
        return False
    from logdump.notation.text import matches  # noqa: PLC0415 - the shell puts files in place of most wildcards

    try:
        return any(matches(path.name, entry.name, case_sensitive=True) for entry in entries_of(path.absolute().parent))
    except (OSError, ValueError, NotATrail, CannotRead):
        return False


def no_such_file(name: str) -> MissingFileError:
    """Return the error for a name that is no source."""
    from logdump.session.files import near_files  # noqa: PLC0415 - needed for missing files only

    near = near_files(path_of(name))
    hint = (f"Did you mean {' or '.join(near)}?",) if near else ()
    return MissingFileError(f"{name}: No such file, folder or trail.", *hint)


def quoted_files(files: Iterable[str | Path]) -> str:
    """Return files as one word of a command, with commas between them."""
    return quoted(",".join(map(_nameable, map(str, files))))


def _nameable(name: str) -> str:
    """Return the name of a file as it can be in a command: with odd characters its ``file:`` URL."""
    if '"' not in name and name.isprintable():
        return name
    return "file://" + quote_from_bytes(os.fsencode(path_of(name).absolute()), safe="/*?~")


def quoted(word: str) -> str:
    """Return a word of the shell as a word of a command, quoted if necessary; one with odd characters as a URL."""
    word = _nameable(word)
    return (
        f'"{word}"'
        if any(character.isspace() or character in ";," for character in word) or word.startswith("-")
        else word
    )


def one_command(text: str, *, has_lines: bool = False) -> str:
    """Return a text that is one command, over several lines only if ``has_lines``.

    Raises:
        MisuseError: it is several commands.
    """
    if split_commands(text) != [text.strip()] or ("\n" in text and not has_lines):
        raise MisuseError(f"{text!r} is more than one command: put text with a semicolon in double quotes")
    return text


_OPERATIONS = {
    "insert": "Insert",
    "update": "Update, UpdateComp, FieldComp, GGSPKUpdate, GGSKeyFieldComp32, GGSUnifiedUpdate, GGSUnifiedPKUpdate",
    "delete": "Delete",
    "truncate": "GGSPurgedata",
    "ddl": "DDLOP",
    "lob": "LargeObject",
    "sequence": "SequenceOp",
    "restart": "RestartAbend, RestartOK",
    "metadata": "Metadata",
}
"""The words of --op and their record types; any other word is itself a record type."""


class VerbOption(NamedTuple):
    """An option.

    Attributes:
        flags: its spellings.
        help: what it does.
        settings: further arguments of argparse.
        spell: yields the criteria of FILTER for its value; None if the verbs translate it.
    """

    flags: tuple[str, ...]
    help: str
    settings: dict[str, Any]
    spell: Callable[[Any], Iterator[str]] | None = None

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the option to a parser."""
        parser.add_argument(*self.flags, help=self.help, **self.settings)


def _value(metavar: str, **more: Any) -> dict[str, Any]:
    return {"metavar": metavar, **more}


def _tables(patterns: list[str]) -> Iterator[str]:
    yield f"FILENAME {', '.join(patterns)}"
    yield "EXCLUDE RECTYPE Metadata"


def _operations(words: list[str]) -> Iterator[str]:
    yield f"RECTYPE {', '.join(_OPERATIONS.get(word.lower(), word) for words_ in words for word in words_.split(','))}"


def _where(texts: list[str]) -> Iterator[str]:
    from logdump.filters import begins_statement  # noqa: PLC0415 - a verb without --where needs no filter

    for text in texts:
        word, _, rest = text.strip().partition(" ")
        criterion = rest.strip() if word.upper() == "FILTER" else text.strip()
        yield criterion if begins_statement(criterion) else f"VALUE {criterion}"


def _number(text: str) -> int:
    from logdump.notation.text import whole_number  # noqa: PLC0415 - few options are numbers

    value = whole_number(text)
    if value is None or value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return value


ROWS: dict[str, VerbOption] = {
    "since": VerbOption(
        ("--since",), "records at or after a time", _value("TIME"), lambda text: iter((f"STARTTIME {text}",))
    ),
    "until": VerbOption(
        ("--until",), "records at or before a time", _value("TIME"), lambda text: iter((f"ENDTIME {text}",))
    ),
    "from_csn": VerbOption(
        ("--from-csn",), "transactions of at least this CSN", _value("CSN"), lambda text: iter((f"CSN >= {text}",))
    ),
    "to_csn": VerbOption(
        ("--to-csn",), "transactions of at most this CSN", _value("CSN"), lambda text: iter((f"CSN <= {text}",))
    ),
    "table": VerbOption(
        ("--table",), "rows of these tables; * and ? are allowed", _value("PATTERN", action="append"), _tables
    ),
    "op": VerbOption(
        ("--op",),
        f"these operations: {', '.join(_OPERATIONS)}, or a record type",
        _value("OPERATION", action="append"),
        _operations,
    ),
    "where": VerbOption(
        ("--where",),
        "what FILTER selects: 'STOCK_KG > 300', 'STRING Denver', 'USERTOKEN HOST'",
        _value("FILTER", action="append"),
        _where,
    ),
}
"""Options that select records, in the order in which their filters are set."""

OTHERS: dict[str, VerbOption] = {
    "rba": VerbOption(("--rba",), "begin at this RBA; separators are allowed: 483,188,832", _value("RBA")),
    "limit": VerbOption(("--limit",), "at most N of each trail", _value("N", type=_number)),
    "columns": VerbOption(("--columns",), "only these columns, separated by commas", _value("A,B")),
    "format": VerbOption(("--format",), "the form of the output", {"choices": ("text", "jsonl")}),
    "output": VerbOption(("-o", "--output"), "write to this file, whole or not at all", _value("FILE")),
    "replace": VerbOption(("--replace",), "let -o replace a file", {"action": "store_true"}),
    "effective": VerbOption(("--effective",), "only what a Replicat applies", {"action": "store_true"}),
    "by_table": VerbOption(("--by-table",), "a folder with a file for each table", {"action": "store_true"}),
    "undo": VerbOption(("--undo",), "print the SQL that takes the changes back", {"action": "store_true"}),
    "hex": VerbOption(("--hex",), "the bytes of the columns too", {"action": "store_true"}),
    "detail": VerbOption(("--detail",), "by table too", {"action": "store_true"}),
    "all": VerbOption(("--all",), "every message of a log, not only its last", {"action": "store_true"}),
    "dry": VerbOption(("--dry",), "write nothing, list what would be written", {"action": "store_true"}),
    "list": VerbOption(("--list",), "one short line for each record, as list has it", {"action": "store_true"}),
    "idle": VerbOption(("--idle",), "end after SECONDS without a new record", _value("SECONDS", type=_number)),
    "follow": VerbOption(("-F", "--follow"), "wait for more at the end, as tail does", {"action": "store_true"}),
}
"""Options that the verbs translate."""

ALWAYS: dict[str, VerbOption] = {
    "explain": VerbOption(
        ("--explain",), "print the equivalent commands without running them", {"action": "store_true"}
    ),
    "no_pager": VerbOption(("--no-pager",), "use no pager at a terminal", {"action": "store_true"}),
}
"""Options of every verb."""


def filters(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield the FILTER commands of the options that select records."""
    criteria = [
        text
        for name, option in ROWS.items()
        if request.asks(name) and option.spell is not None
        for text in option.spell(getattr(request.options, name))
    ]
    for text in criteria:
        yield VerbStep(one_command(f"FILTER {text}"), prepares=True)
    if sum(not text.upper().startswith("EXC") for text in criteria) > 1:
        yield VerbStep("FILTER MATCH ALL", prepares=True)


def selects(request: VerbRequest) -> bool:
    """Return whether any option selects records."""
    return any(request.asks(name) for name in ROWS)


def position(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield the POSITION of --rba."""
    if request.asks("rba"):
        from logdump.notation.text import whole_number  # noqa: PLC0415 - few options are numbers

        if whole_number(request.options.rba) is None:
            raise MisuseError(f"--rba takes a number, not {request.options.rba!r}")
        yield VerbStep(f"POSITION RBA {request.options.rba}", prepares=True)
