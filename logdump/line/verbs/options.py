"""The options of verbs, and the request that becomes calls of commands."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.language.call import Argument, Call, ValueWord, phrase
from logdump.notation.text import matches, some_of, whole_number
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.files import matching_files, near_files
from logdump.session.session import is_trail
from trailformat import TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.codec.remote.url import is_url
from trailformat.errors import CannotRead, NotATrail, TrailError
from trailformat.trail.packed import entries_of, is_archive, is_file

with on_demand:
    from logdump import filters as filter_language
    from logdump.filters import csn_criteria
    from logdump.tables import options as source_options
    from trailformat.trail import name_list, packed, sequence
    from trailformat.transactions import whole_trail

if TYPE_CHECKING:
    from logdump.language.reader import Context

_WILD = "*?"
_MOST_FILES = 5
"""Maximum number of files that a message names."""


class VerbStep(NamedTuple):
    """One command of a verb.

    Attributes:
        call: the command and its arguments.
        prepares: True if it prepares later steps: its output is not shown, and if it fails, no step follows.
        repeats: True if it shows one more result of the step before it; finding no more is not a failure.
        is_in_any: True if it looks for what one of several trails has: only that none has it is a failure.
    """

    call: Call
    prepares: bool = False
    repeats: bool = False
    is_in_any: bool = False


def stretches_of(paths: tuple[Path, ...]) -> list[tuple[Path, ...]]:
    """Return the files of a trail, in parts where a file between them exists and is not among them."""
    gaps = whole_trail.gaps_among(paths) if len(paths) > 1 else ()
    cuts = [paths.index(gap.file_after) for gap in gaps if gap.is_left_out]
    return [paths[begin:end] for begin, end in pairwise((0, *cuts, len(paths)))]


def step(name: str, *words: Argument) -> VerbStep:
    """Return the step of a command with arguments."""
    return VerbStep(Call(name, words))


def prepared(name: str, *words: Argument, label: str = "") -> VerbStep:
    """Return a step that prepares later ones; ``label`` is the option that it comes from."""
    return VerbStep(Call(name, words, label), prepares=True)


def typed(words: Iterable[str]) -> tuple[Argument, ...]:
    """Return words of the shell as words of a command: one with a blank, a quote or a semicolon is a value."""
    return tuple(
        ValueWord(word) if any(letter.isspace() or letter in ';"' for letter in word) else word for word in words
    )


class MisuseError(CommandError):
    """The words or options of a verb are wrong or contradict each other; the message is the reason."""

    status = ExitStatus.USAGE

    def __init__(self, reason: str) -> None:
        super().__init__(f"logdump: {reason}")


class VerbRequest(NamedTuple):
    """The arguments of a verb: files, other words, options.

    ``passed_over`` are sentences about files in the named folders, archives and wildcards that are no trail files.
    """

    files: tuple[str, ...]
    words: tuple[str, ...]
    options: argparse.Namespace
    passed_over: tuple[str, ...] = ()

    @property
    def rest(self) -> str:
        """The words that are no files, separated by blanks."""
        return " ".join(self.words)

    @property
    def named(self) -> ValueWord:
        """The files as one word of a command."""
        return ValueWord(name_list.list_of(self.files))

    def asks(self, name: str) -> bool:
        """Return whether an option is given."""
        return getattr(self.options, name, None) not in (None, False, [])

    def trails(self) -> Iterator[tuple[Path, ...]]:
        """Yield the files of each trail, oldest first; none if no file is named. Raises like ``matching_files``."""
        if not self.files:
            return
        file = path_of(self.files[0])
        if len(self.files) == 1 and is_file(file) and not is_archive(file):
            yield (file,)
            return
        trails, paths = sequence.trails_among(matching_files(name_list.list_of(self.files)))
        for names in trails:
            yield tuple(name.path for name in names)
        for path in paths:
            yield (path,)

    def rba(self, text: str, of: str) -> str:
        """Return a word that is an RBA, after checking that it is one of one file.

        Args:
            text: the word.
            of: what it is called in messages.

        Raises:
            MisuseError: it is not a number, or several files are named.
        """
        rba = whole_number(text)
        if rba is None:
            raise MisuseError(f"{of} wants a number, not {text!r}")
        paths = [path for paths in self.trails() for path in paths]
        if len(paths) > 1:
            holders = [path.name for path in paths if _has_record_at(path, rba)]
            more = [f"{len(holders) - _MOST_FILES} more"] if len(holders) > _MOST_FILES else []
            named = " and ".join([*holders[:_MOST_FILES], *more])
            where = f"a record begins there in {named}" if holders else "no record begins there in any of them"
            files = f"{', '.join(self.files)} has {len(paths)} files"
            raise MisuseError(f"{of} {text} is a place in one file, and {files}: {where}. Name one file")
        return text


def without_others(words: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return words that name files without what is no trail file, and a sentence about it for each folder or wildcard.

    A file that is named itself stays. Of a wildcard, a file is one of a trail by its name or by its first bytes.
    """
    kept, sentences = list[str](), list[str]()
    for word in words:
        path = path_of(word)
        if is_url(word) or not (_is_folder(path) or is_archive(path) or _is_matched(path)):
            kept.append(word)
            continue
        files, others = _divided(path)
        is_wild = not (_is_folder(path) or is_archive(path))
        kept += [str(file) for file in files] if is_wild and others and files else [word]
        if others and files:
            sentences.append(f"{word}: {_are_passed_over([other.name for other in others])}")
    return tuple(kept), tuple(sentences)


def _divided(path: Path) -> tuple[list[Path], list[Path]]:
    """Return the trail files of a folder, an archive or a wildcard, and the other files, by name."""
    is_wild = False
    try:
        if _is_folder(path):
            entries = [entry for entry in path.iterdir() if entry.is_file()]
        elif is_archive(path):
            entries = packed.members_of(path)
        else:
            is_wild = True
            entries = [entry for entry in entries_of(path.absolute().parent) if is_file(entry)]
    except (OSError, ValueError, NotATrail, CannotRead):
        return [], []
    files, others = list[Path](), list[Path]()
    for entry in sorted(entries):
        if is_wild and not matches(path.name, entry.name, case_sensitive=True):
            continue
        name = sequence.TrailName.parse(entry)
        is_trail_file = (name is not None and name.is_documented) or (is_wild and _begins_a_trail(entry))
        if is_trail_file or not entry.name.startswith("."):
            (files if is_trail_file else others).append(entry)
    return files, others


def _begins_a_trail(path: Path) -> bool:
    from trailformat.trail.peek import peek  # noqa: PLC0415 - few names are not those of trail files

    try:
        return is_archive(path) or peek(path) is not None
    except CannotRead:
        return True  # whoever reads it says why not


def _are_passed_over(names: list[str]) -> str:
    shown = some_of(names, _MOST_FILES)
    if len(names) == 1:
        return f"{shown} is no trail file and is passed over."
    return f"{shown} are no trail files and are passed over."


def _has_record_at(path: Path, rba: int) -> bool:
    try:
        with TrailFile(path) as trail:
            return rba < trail.size and trail.record_at(rba) is not None
    except TrailError:
        return False


def is_source(word: str) -> bool:
    """Return whether a word is a file, a trail, a folder, a wildcard that matches, or any URL."""
    if not word.strip():
        return False
    path = path_of(word)
    return is_url(word) or is_trail(str(path)) or _is_folder(path) or _is_matched(path)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # the name is too long
        return False


def _is_matched(path: Path) -> bool:
    """Return whether a path is a wildcard that an entry of its folder matches."""
    if not any(character in path.name for character in _WILD):
        return False
    try:
        return any(matches(path.name, entry.name, case_sensitive=True) for entry in entries_of(path.absolute().parent))
    except (OSError, ValueError, NotATrail, CannotRead):
        return False


def no_such_file(name: str) -> MissingFileError:
    """Return the error for a name that is no source."""
    near = near_files(path_of(name))
    hint = (f"Did you mean {' or '.join(near)}?",) if near else ()
    return MissingFileError(f"{name}: No such file, folder or trail.", *hint)


_OPERATIONS = {
    "insert": "Insert",
    "upsert": "Upsert",
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
        select: yields the steps that set the filter for its value; None if the verbs translate it.
        words: the words of commands for it, before its value; empty: its name in capitals.
        default: the choice that means the same as no option.
    """

    flags: tuple[str, ...]
    help: str
    settings: dict[str, Any]
    select: Callable[[Any], Iterator[VerbStep]] | None = None
    words: str = ""
    default: str = ""

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Add the option to a parser."""
        parser.add_argument(*self.flags, help=self.help, **self.settings)

    def check(self, value: Any) -> None:
        """Raise MisuseError if a value is an empty word."""
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and not word.strip():
                raise MisuseError(f"{self.flags[-1]} wants {self.settings['metavar']}, not an empty word")

    def spelled(self, name: str, value: Any) -> Iterator[Argument]:
        """Yield the words of a command for the option ``name`` with a value. Raises MisuseError if it is not one."""
        if value == self.default:
            return
        yield from (self.words or name.upper()).split()
        if "choices" in self.settings:
            yield value.upper()
        elif self.settings.get("type") is _number:
            yield str(value)
        elif isinstance(value, list):
            yield ValueWord(",".join(value))
        elif value is not True:
            yield ValueWord(_checked(name, value))


def _value(metavar: str, **more: Any) -> dict[str, Any]:
    return {"metavar": metavar, **more}


def _including(flag: str, keyword: str, values: str) -> VerbStep:
    """Return the FILTER with a criterion whose values are those of an option."""

    def statement(context: Context) -> Any:
        try:
            return filter_language.inclusion(keyword, values, context.offset)
        except filter_language.FilterError as error:
            raise CommandError(str(error)) from error

    return _filter(f"{keyword} {values}", statement, flag)


def _filter(text: str, statement: Callable[[Context], Any], flag: str) -> VerbStep:
    return prepared("FILTER", ValueWord(phrase("FILTER", text), is_phrase=True, value_in=statement), label=flag)


def _bound(flag: str, keyword: str, before: str = "") -> Callable[[str], Iterator[VerbStep]]:
    return lambda text: iter((_including(flag, keyword, before + text),))


def _tables(patterns: list[str]) -> Iterator[VerbStep]:
    yield _including("--table", "FILENAME", ", ".join(patterns))
    yield prepared("FILTER", "EXCLUDE", "RECTYPE", "Metadata")


def _operations(words: list[str]) -> Iterator[VerbStep]:
    types = (_OPERATIONS.get(word.strip().lower(), word) for words_ in words for word in words_.split(","))
    yield _including("--op", "RECTYPE", ", ".join(types))


def _where(texts: list[str]) -> Iterator[VerbStep]:
    def statement(text: str, context: Context) -> Any:
        try:
            return filter_language.parse_statement(text, context.offset)
        except filter_language.FilterError as error:
            raise CommandError(str(error)) from error

    for text in map(filter_language.condition, texts):
        yield _filter(text, partial(statement, text), "--where")


def _number(text: str) -> int:
    value = whole_number(text)
    if value is None or value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return value


ROWS: dict[str, VerbOption] = {
    "since": VerbOption(
        ("--since",),
        "records at or after a time: '2024-03-14 09:30', 09:30, 'yesterday 22:00', -1h",
        _value("TIME"),
        _bound("--since", "STARTTIME"),
    ),
    "until": VerbOption(("--until",), "records at or before a time", _value("TIME"), _bound("--until", "ENDTIME")),
    "from_csn": VerbOption(
        ("--from-csn",), "transactions of at least this CSN", _value("CSN"), _bound("--from-csn", "CSN", ">= "), "FROM"
    ),
    "to_csn": VerbOption(
        ("--to-csn",), "transactions of at most this CSN", _value("CSN"), _bound("--to-csn", "CSN", "<= ")
    ),
    "table": VerbOption(
        ("--table",),
        "rows of these tables; * and ? are allowed",
        _value("PATTERN", action="append"),
        _tables,
        "TABLES",
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
    "by_table": VerbOption(
        ("--by-table",), "a folder with a file for each table", {"action": "store_true"}, words="BY TABLE"
    ),
    "meta": VerbOption(("--meta",), "of --table as CSV: records with all they have", {"action": "store_true"}),
    "truncates": VerbOption(
        ("--truncates",), "of --format debezium: write truncates too, with op t", {"action": "store_true"}
    ),
    "bom": VerbOption(("--bom",), "begin CSV with a byte order mark, for Excel", {"action": "store_true"}),
    "params": VerbOption(
        ("--params",), "a parameter file of Extract, Replicat or GLOBALS", _value("FILE", action="append")
    ),
    "undo": VerbOption(("--undo",), "print the SQL that takes the changes back", {"action": "store_true"}),
    "last": VerbOption(
        ("--last",), "with --undo, only the last N changes, 1 by default", _value("N", type=_number, nargs="?", const=1)
    ),
    "undo_since": VerbOption(
        ("--since",), "with --undo, only changes at or after a time", _value("TIME", dest="undo_since"), words="SINCE"
    ),
    "undo_csn": VerbOption(
        ("--csn",), "with --undo, only changes of at least this CSN", _value("CSN", dest="undo_csn"), words="CSN"
    ),
    "at_csn": VerbOption(("--csn",), "about the transaction with this CSN", _value("CSN", dest="at_csn"), words="CSN"),
    "error": VerbOption(("--error",), "about the place that a message of GoldenGate names", _value("TEXT")),
    "hex": VerbOption(("--hex",), "the bytes of the columns too", {"action": "store_true"}),
    "detail": VerbOption(("--detail",), "by table too", {"action": "store_true"}),
    "values": VerbOption(("--values",), "decode the values too", {"action": "store_true"}),
    "all": VerbOption(("--all",), "the last error of each kind, of a folder of each process", {"action": "store_true"}),
    "reports": VerbOption(
        ("--reports",), "a folder or an archive of reports: what has become of the processes", _value("FOLDER")
    ),
    "since_last": VerbOption(
        ("--since-last",),
        "only the problems that are new since the last run, which FILE keeps",
        _value("FILE"),
        words="SINCE",
    ),
    "nagios": VerbOption(
        ("--nagios",), "one line for Nagios; status 0 ok, 1 warning, 2 damage, 3 cannot tell", {"action": "store_true"}
    ),
    "every": VerbOption(("--every",), "seconds between two looks, 30 unless given", _value("SECONDS", type=_number)),
    "listen": VerbOption(("--listen",), "serve the metrics there, by default at 127.0.0.1:9464", _value("HOST:PORT")),
    "textfile": VerbOption(("--textfile",), "write the metrics to FILE, which ends with .prom", _value("FILE")),
    "state": VerbOption(("--state",), "go on from the run before, which FILE keeps", _value("FILE")),
    "trails": VerbOption(("--trails",), "the folder of the trails that a log names", _value("FOLDER")),
    "dry": VerbOption(("--dry",), "write nothing, list what would be written", {"action": "store_true"}),
    "list": VerbOption(("--list",), "one short line for each record, as list has it", {"action": "store_true"}),
    "idle": VerbOption(("--idle",), "end after SECONDS without a new record", _value("SECONDS", type=_number)),
    "follow": VerbOption(("-F", "--follow"), "wait for more at the end, as tail does", {"action": "store_true"}),
    "once": VerbOption(("--once",), "read to the end of the trail, and end", {"action": "store_true"}),
    "create": VerbOption(("--create",), "create tables that the target lacks", {"action": "store_true"}),
    "adopt": VerbOption(("--adopt",), "begin at this CSN where a position is not one of this trail", _value("CSN")),
    "overwrite": VerbOption(
        ("--overwrite",), "replace rows that exist, leave out changes of missing rows", {"action": "store_true"}
    ),
    "ignore_ddl": VerbOption(
        ("--ignore-ddl",), "pass over DDL statements", {"action": "store_true"}, words="DDL IGNORE"
    ),
    "errors": VerbOption(
        ("--errors",),
        "stop at a refused change, or note it in logdump_errors",
        {"choices": ("stop", "table")},
        default="stop",
    ),
    "write": VerbOption(
        ("--write",),
        "rows as at the source, a row for each change, or all versions of rows",
        {"choices": ("mirror", "append", "history")},
    ),
    "deletes": VerbOption(
        ("--deletes",),
        "remove deleted rows, or keep them marked as deleted",
        {"choices": ("apply", "soft")},
        default="apply",
    ),
    "load": VerbOption(
        ("--load",), "copy tables without a position from this database first, as of --load-csn", _value("URL")
    ),
    "load_csn": VerbOption(("--load-csn",), "the CSN that the rows of --load are of", _value("CSN"), words="AT"),
    "load_snapshot": VerbOption(
        ("--load-snapshot",), "the snapshot of PostgreSQL with the rows at that CSN", _value("NAME"), words="SNAPSHOT"
    ),
    "retry": VerbOption(("--retry",), "apply what is noted in logdump_errors, nothing else", {"action": "store_true"}),
    "options": VerbOption(("--options",), "a file of YAML with more options: masks, topics, …", _value("FILE")),
    "batch": VerbOption(("--batch",), "bytes of trail in a transaction of the target, 32m", _value("SIZE")),
    "interval": VerbOption(("--interval",), "seconds between checks of the trail, 1", _value("SECONDS", type=_number)),
    "patience": VerbOption(
        ("--patience",), "seconds to wait for a target that is lost, 60", _value("SECONDS", type=_number)
    ),
    "topic": VerbOption(
        ("--topic",), "name of the topics, with {table}, {schema} or {name} in it; {table}", _value("NAME")
    ),
    "create_topics": VerbOption(
        ("--create",),
        "create topics that are missing",
        {"action": "store_true", "dest": "create_topics"},
        words="CREATE",
    ),
    "truncates_as": VerbOption(
        ("--truncates",),
        "write truncates with op t, or skip them; they stop otherwise",
        {"choices": ("write", "skip"), "dest": "truncates_as"},
        words="TRUNCATES",
    ),
    "positions": VerbOption(("--positions",), "the topic with the positions, logdump_position", _value("TOPIC")),
    "config": VerbOption(("--config",), "a file of settings of the client, name=value", _value("FILE")),
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
    steps = [
        step
        for name, option in ROWS.items()
        if request.asks(name) and option.select is not None
        for step in option.select(getattr(request.options, name))
    ]
    yield from steps
    if sum(not str(step.call.words[0]).upper().startswith("EXC") for step in steps) > 1:
        yield prepared("FILTER", "MATCH", "ALL")


def selects(request: VerbRequest) -> bool:
    """Return whether any option selects records."""
    return any(request.asks(name) for name in ROWS)


def position(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield the POSITION of --rba. Raises like ``VerbRequest.rba``."""
    if request.asks("rba"):
        yield prepared("POSITION", "RBA", request.rba(request.options.rba, "--rba"), label="--rba")


def _checked(option: str, value: str) -> str:
    """Return the value of an option. Raises MisuseError if it is not a size, or else a CSN, as it must be."""
    kind = source_options.POSITIVE_SIZE
    try:
        if option in ("from_csn", "adopt", "load_csn"):
            csn_criteria.check_csn(value)
        elif option == "batch":
            kind.read(value)
    except ValueError as error:
        wrong = f" wants {kind.wants}, not {value!r}" if option == "batch" else f": {error}"
        raise MisuseError(f"--{option.replace('_', '-')}{wrong}") from None
    return value


def words_of(request: VerbRequest, *names: str) -> list[Argument]:
    """Return the words of a command for those of some options that are given. Raises MisuseError for wrong values."""
    every = {**ROWS, **OTHERS}
    return [
        word
        for name in names
        if request.asks(name)
        for word in every[name].spelled(name, getattr(request.options, name))
    ]
