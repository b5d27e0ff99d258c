"""The calls of commands that each verb makes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path

from logdump.features.sql.statement import begins_statement
from logdump.language.call import Argument, Call, PhraseEnd, ValueWord, in_quotes, phrase
from logdump.language.words import is_keyword, split_commands
from logdump.line.verbs.options import (
    MisuseError,
    VerbRequest,
    VerbStep,
    filters,
    no_such_file,
    position,
    prepared,
    selects,
    step,
    stretches_of,
    typed,
    words_of,
)
from logdump.line.verbs.output import MESSAGES, export_format, require_ending
from logdump.notation.sql_tokens import STANDARD
from logdump.notation.text import whole_number
from logdump.session.errors import CommandError
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of

with on_demand:
    from logdump.features.explain import explained_log
    from logdump.line.verbs import own_columns
    from logdump.notation import values as notation
    from trailformat.trail import name_list, sequence

_MOST_NAMES = 5
"""Maximum number of trails that a message names."""
_CONDITION = re.compile(r"([\w$#.]+\s*[<>=!]+\s*)(.+)", re.DOTALL)
"""A condition on a column: the column with the sign, and the value."""


def names_trails(words: str) -> bool:
    """Return whether a statement of SQL names the trails that it reads, by OVER or as ``trail('dirdat/lt*')``."""
    outside = STANDARD.outside_texts(words)
    return begins_statement(words) and re.search(r"^\s*OVER\b|\btrail\s*\(", outside, re.IGNORECASE) is not None


def _path(path: Path) -> ValueWord:
    return ValueWord(str(path))


def _format(request: VerbRequest) -> Iterator[VerbStep]:
    if getattr(request.options, "format", None) == "jsonl":
        yield prepared("FORMAT", "JSONL")


def _opened(request: VerbRequest) -> Iterator[tuple[VerbStep, ...]]:
    """Yield for each stretch of files the steps that open it at the position of --rba; the first sets the filters too.

    Where a file between those of a trail is not named another stretch begins: it is not to be read.
    """
    first: tuple[VerbStep, ...] = ()
    trails = [stretches_of(paths) for paths in request.trails()]
    if request.asks("limit"):  # it is one of a trail
        _refuse_holes(trails, "--limit")
    stretches = [paths for trail in trails for paths in trail]
    for number, paths in enumerate(stretches):
        steps = [*_opening(paths, is_alone=len(stretches) == 1), *position(request)]
        if not number:
            first = tuple(filters(request))
        yield (*steps, *(first if not number else ()))


def _opening(paths: tuple[Path, ...], *, is_alone: bool) -> Iterator[VerbStep]:
    """Yield the steps that open the first file of a stretch, and continue reading in those that follow, in no other.

    ``is_alone``: there is no other stretch. Else ACROSS has the name of its file in each line, and its end is set anew.
    """
    yield prepared("OPEN", _path(paths[0]))
    if len(paths) > 1 or not is_alone:
        is_last = sequence.file_beyond(paths[-1], 1)[0] is None
        yield prepared("ACROSS", "ON") if is_last else prepared("ACROSS", "TO", _path(paths[-1]))


def _filtered(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield the filters of a command that opens its files itself; the first file is opened for times without a date."""
    if selects(request):
        yield prepared("OPEN", _path(next(request.trails())[0]))
        yield from filters(request)


def _only_trail(request: VerbRequest, verb: str) -> tuple[Path, ...]:
    """Return the files of the only trail that is named. Raises MisuseError if there are several."""
    trails = list(request.trails())
    if len(trails) != 1:
        named = ", ".join(_named(paths).text for paths in trails[:_MOST_NAMES]) + ", …" * (len(trails) > _MOST_NAMES)
        raise MisuseError(f"{verb} takes one trail, and {', '.join(request.files)} has {len(trails)}: {named}")
    return trails[0]


def _refuse_holes(trails: Iterable[list[tuple[Path, ...]]], verb: str) -> None:
    """Refuse a trail of several stretches: the verb reads a trail as a whole.

    Raises:
        MisuseError: files exist between those that are named.
    """
    if hole := next((stretches[1][0] for stretches in trails if len(stretches) > 1), None):
        raise MisuseError(
            f"{verb} takes files that follow each other: between {hole.name} and the one before others exist"
        )


def show(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield NEXT for all records, for --limit records, or for one with --rba."""
    yield from _format(request)
    yield prepared("GHDR", "ON")
    if request.options.hex:
        yield prepared("DETAIL", "DATA")
    yield prepared("VALUES", "ON")
    yield from _read_records(request)


def _read_records(request: VerbRequest) -> Iterator[VerbStep]:
    limit = request.options.limit or (1 if request.asks("rba") else None)
    for steps in _opened(request):
        yield from steps
        yield step("NEXT", str(limit or "ALL"))


def listed(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield LIST for all records or for --limit records; with --follow also for new ones."""
    yield from _format(request)
    for steps in _opened(request):
        yield from steps
        yield step("LIST", str(request.options.limit or "ALL"), *words_of(request, "columns"))
    if request.asks("follow"):
        yield step("FOLLOW", "LIST")


def tail(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield FOLLOW for the last file, from its end or from --since, --from-csn or --rba."""
    options = request.options
    paths = _only_trail(request, "tail")
    _refuse_holes([stretches_of(paths)], "tail")
    yield from _format(request)
    if not options.list:
        yield prepared("GHDR", "ON")
        yield prepared("VALUES", "ON")
    from_the_begin = request.asks("since") or request.asks("from_csn")
    yield prepared("OPEN", _path(paths[0 if from_the_begin else -1]))
    yield from position(request)
    if not (request.asks("rba") or from_the_begin):
        yield prepared("POSITION", "EOF")
    yield from filters(request)
    yield step("FOLLOW", *words_of(request, "list", "idle"))


def find(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield FIND, and FIND NEXT up to --limit."""
    yield from _format(request)
    yield prepared("GHDR", "ON")
    yield prepared("VALUES", "ON")
    for steps in _opened(request):
        yield from steps
        yield step("FIND", ValueWord(_searched(request.rest), is_phrase=True))._replace(is_in_any=True)
        yield from repeat(step("FIND", "NEXT")._replace(repeats=True), (request.options.limit or 1) - 1)


def _searched(text: str) -> str:
    """Return a text as FIND takes it: in quotes if it would be NEXT or PREVIOUS, or if blanks at its ends count.

    Of a condition on a column, the value is put in quotes if a semicolon in it would end the command.
    """
    condition = _CONDITION.fullmatch(text)
    if condition is not None and phrase("FIND", text) != text:
        return condition[1] + in_quotes(notation.unquote(condition[2]))
    is_again = is_keyword(text, "NEXT") or is_keyword(text, "PREV[IOUS]")
    is_kept = text == text.strip() and not is_again and phrase("FIND", text) == text
    return text if is_kept else in_quotes(text)


def count(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield COUNT."""
    yield from _format(request)
    yield from _filtered(request)
    trails = list(request.trails())
    is_one = [len(paths) for paths in trails] == [1]
    files: list[Argument] = [_path(trails[0][0])] if is_one else ["LOG", request.named]
    yield step("COUNT", *words_of(request, "detail"), *files, *words_of(request, "effective"), *typed(request.words))


def check(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield CHECK."""
    yield from _format(request)
    yield step("CHECK", *words_of(request, "values"), request.named, *typed(request.words))


def safe(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield SAFE for an RBA."""
    if len(request.words) != 1:
        raise MisuseError(f"safe takes one file and an RBA, not {request.rest}")
    rba = request.rba(request.words[0], "RBA")
    yield from _format(request)
    yield prepared("OPEN", _path(next(request.trails())[0]))
    yield step("SAFE", rba)


def export(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield EXPORT to -o or to standard output."""
    options = request.options
    if options.truncates and options.format != "debezium":
        other = f", not with {options.format}" if options.format else ""
        raise MisuseError(f"--truncates goes with --format debezium{other}")
    if options.columns:
        yield from _exported_columns(request)
        return
    if options.by_table and not options.output:
        raise MisuseError("--by-table needs -o FOLDER")
    if options.by_table and options.meta:
        raise MisuseError("--meta is a file of records, and --by-table writes the rows of each table: give one")
    kind, compression = export_format(options)
    is_csv_of_table = kind == "csv" and bool(options.table) and not (options.by_table or options.meta)
    if options.bom and kind != "csv":
        raise MisuseError(f"--bom goes with CSV, not with {kind}")
    if kind == "xlsx" and (options.by_table or options.meta):
        raise MisuseError("a workbook has a sheet for the rows of each table: it goes with none of --by-table, --meta")
    unit = "TRANSACTIONS" if kind == "sql" else "RECORDS"
    if options.meta and not (kind == "csv" and options.table):
        raise MisuseError("--meta goes with CSV and --table: every other export has records with all they have")
    words: list[Argument] = [options.format.upper()] if options.format in MESSAGES else []
    words += [*words_of(request, "truncates"), *([str(options.limit), unit] if options.limit else [])]
    words += [*words_of(request, "replace", "by_table", "effective"), *["ONE", "TABLE"] * is_csv_of_table]
    yield from _exported(request, "export", kind.upper(), *words, *words_of(request, "bom"), *compression)


def _exported(request: VerbRequest, verb: str, kind: str, *words: Argument) -> Iterator[VerbStep]:
    """Yield EXPORT of each trail; to a file of one trail only."""
    output = request.options.output
    if request.words and request.words[0].replace(",", "").isdecimal():
        raise MisuseError(f"{verb}: --rba {request.words[0]} begins at an RBA, --limit {request.words[0]} is a number")
    if output is not None and output.endswith("!"):
        raise MisuseError(f"-o {output}: EXPORT writes no file whose name ends with an exclamation mark")
    target = ValueWord(output) if output else "-"
    trails = list(_opened(request))
    if len(trails) > 1 and output:
        named = list(request.trails())
        if len(named) == 1:
            _refuse_holes(map(stretches_of, named), f"{verb} -o")
        raise MisuseError(f"{verb} -o takes one trail, not {len(named)}")
    for steps in trails:
        yield from steps
        yield VerbStep(Call("EXPORT", (kind, "TO", target, *words, *typed(request.words)), label=verb))


def _followed(request: VerbRequest, verb: str, target: str) -> list[Argument]:
    """Return the words of a run that follows a trail: trail, target, tables, begin, sizes and times."""
    if len(request.words) != 1:
        raise MisuseError(f"{verb} takes one trail and the URL of {target}, not {request.rest or 'no URL'}")
    path = _only_trail(request, verb)[0]
    name = sequence.TrailName.parse(path)
    trail = name.trail if name is not None and name.is_documented else path
    words: list[Argument] = ["OVER", _path(trail), "TO", ValueWord(request.words[0])]
    return words + words_of(request, "table", "options", "from_csn", "adopt", "batch", "interval", "patience")


def publish(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield PUBLISH of a trail to servers. A file means its trail, whose later files are published too."""
    options = request.options
    if options.truncates_as is not None and options.format == "ogg":
        raise MisuseError("--truncates goes with --format debezium: ogg always has them")
    words = _followed(request, "publish", "servers")
    words += words_of(request, "topic", "positions", "config", "truncates_as")
    words += [options.format.upper()] if options.format is not None else []
    yield step("PUBLISH", *words, *words_of(request, "once", "create_topics"))


_OF_APPLY = ("load", "load_csn", "load_snapshot", "once", "create", "overwrite", "ignore_ddl", "errors")


def apply(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield APPLY of a trail to a target. A file means its trail, whose later files are applied too."""
    words = _followed(request, "apply", "a target")
    yield step("APPLY", *words, *words_of(request, *_OF_APPLY, "write", "deletes", "retry"))


def _exported_columns(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield the SQL command that writes some columns of one table."""
    options = request.options
    if not options.table or len(options.table) != 1 or options.by_table or options.meta or options.bom:
        raise MisuseError("--columns needs one --table, without --by-table, --meta and --bom")
    if any(sign in options.table[0] for sign in "*?"):
        raise MisuseError(f"--columns needs the name of one table, not {options.table[0]}")
    if options.limit and (trails := len(list(request.trails()))) > 1:
        raise MisuseError(f"--columns with --limit takes one trail, not {trails}: the limit is one of each trail")
    names = re.split(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", options.columns)
    columns = own_columns.columns_of_rows(request, names, options.table[0])
    limit = f" LIMIT {options.limit}" if options.limit else ""
    begin = f" WHERE rba >= {whole_number(request.rba(options.rba, '--rba'))}" if request.asks("rba") else ""
    statement = f"SELECT {columns} FROM {options.table[0]}{begin}{limit}"  # noqa: S608 - the user's own query
    options = argparse.Namespace(**{**vars(options), "table": None, "format": options.format or "jsonl"})
    if request.options.output:
        options.format = request.options.format
    yield from _queried(request._replace(options=options), statement, "--columns")


def sql(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield SQL over the files; the statement is before or after them."""
    if not request.words:
        raise MisuseError("sql takes a statement: logdump sql 'SELECT op, count(*) FROM records GROUP BY op' FILE")
    if not request.files and selects(request):
        raise MisuseError("options that select records need a FILE")
    yield from _format(request)
    yield from _queried(request, request.rest.rstrip().removesuffix(";"), "sql")


def _queried(request: VerbRequest, statement: str, label: str) -> Iterator[VerbStep]:
    """Yield SQL with one statement, to -o or to standard output."""
    options = request.options
    if split_commands(f"SQL {statement}") != [f"SQL {statement}".strip()]:
        raise MisuseError(f"{label} takes one statement, not {statement!r}")
    if options.output:
        require_ending(options, ("csv", "jsonl", "parquet", "xlsx"), label)
        target: list[Argument] = [PhraseEnd("TO"), ValueWord(options.output), *words_of(request, "replace")]
    else:
        is_lines = options.format == "csv" or label == "--columns"
        target = [PhraseEnd("FORMAT"), options.format.upper()] if is_lines else []
    over: list[Argument] = ["OVER", request.named] if request.files else []
    yield from _filtered(request)
    yield step("SQL", *over, *words_of(request, "effective"), statement, *target)


def diff(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield DIFF of two trails."""
    if len(request.files) == 1 and request.words:
        raise no_such_file(request.words[0])
    if len(request.files) != 2:
        raise MisuseError(
            f"diff takes two trails, not {len(request.files)}: name each by its prefix or a quoted wildcard"
        )
    yield from _format(request)
    yield from _filtered(request)
    filtered = ["FILTERED"] * selects(request)
    yield step("DIFF", *map(ValueWord, request.files), *typed(request.words), *words_of(request, "limit"), *filtered)


def by_trail(command: str, request: VerbRequest, *words: str) -> Iterator[VerbStep]:
    """Yield a command that reads a single trail, such as RECOVERY or BR, once for each trail."""
    yield from _format(request)
    yield from _filtered(request)
    for name in _names(request):
        yield step(command, "OVER", name, *words, *typed(request.words), *["FILTERED"] * selects(request))


def _names(request: VerbRequest) -> Iterator[ValueWord]:
    """Yield each trail as a word: as it was named if it is the only one, else by its prefix or its files."""
    trails = list(request.trails())
    yield from [request.named] if len(trails) == 1 else map(_named, trails)


def _named(paths: tuple[Path, ...]) -> ValueWord:
    """Return the files of one trail as a word: the prefix of the trail if they are all its files."""
    if len(paths) == 1:
        return _path(paths[0])
    name = sequence.TrailName.parse(paths[0])
    if name is not None and name.is_documented and sequence.TrailSequence(paths[0]).paths == paths:
        return _path(name.trail)
    return ValueWord(name_list.list_of([*map(str, paths)]))


def heartbeat(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield HEARTBEAT."""
    yield from _format(request)
    yield step("HEARTBEAT", *typed(request.words), "OVER", request.named)


def repair(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield REPAIR to -o."""
    return _copied("REPAIR", request, "repair takes -o FILE, the copy; with --dry nothing is written")


def redact(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield REDACT to -o."""
    return _copied("REDACT", request, "redact takes -o COPY, a file or a folder")


def _copied(command: str, request: VerbRequest, missing: str) -> Iterator[VerbStep]:
    """Yield a command that writes a copy of a trail to -o; ``missing`` is the message without one."""
    if not request.options.output:
        raise MisuseError(missing)
    words: list[Argument] = ["TO", ValueWord(request.options.output), *words_of(request, "replace", "dry")]
    yield from _format(request)
    yield step(command, "OVER", request.named, *typed(request.words), *words)


def doctor(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield DOCTOR for each trail."""
    options, names = request.options, [*_names(request)]
    if options.nagios and (options.since_last or options.output or options.format not in (None, "text")):
        raise MisuseError("--nagios is one line on standard output: it goes with none of --since-last, -o, --format")
    if options.nagios and len(names) != 1:
        raise MisuseError(f"--nagios is one line about one trail, and {len(names)} are named")
    yield from _format(request)
    for name in names:
        yield step("DOCTOR", name, *typed(request.words), *words_of(request, "reports", "since_last", "nagios"))


def watch(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield WATCH for all trails."""
    yield from _format(request)
    yield step("WATCH", request.named, *words_of(request, "every", "listen", "textfile", "state", "once"))


def tables(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield COUNT DETAIL."""
    yield from _format(request)
    yield from _filtered(request)
    yield step("COUNT", "DETAIL", "LOG", request.named, *words_of(request, "effective"))


def transactions(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield TRANSACTIONS for each trail."""
    return by_trail("TRANSACTIONS", request, *([str(request.options.limit)] if request.options.limit else []))


def row(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield ROW over each trail."""
    options = request.options
    bounds = {"last": "--last", "undo_since": "--since", "undo_csn": "--csn"}
    given = [flag for name, flag in bounds.items() if request.asks(name)]
    if given and not options.undo:
        raise MisuseError(f"{given[0]} says how far changes are taken back: it needs --undo")
    if len(given) > 1:
        raise MisuseError(f"{given[0]} and {given[1]} both say how far: give one")
    table, *key = request.words
    words: list[Argument] = [
        *words_of(request, "undo", *bounds),
        ValueWord(table),
        ValueWord(" ".join(key), is_phrase=True),
    ]
    yield from _format(request)
    trails = list(request.trails())
    _refuse_holes(map(stretches_of, trails), "row")
    for paths in trails:
        yield from _opening(paths, is_alone=len(trails) == 1)
        yield step("ROW", *words)._replace(is_in_any=True)


def info(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield RECOVERY FILES for each trail."""
    return by_trail("RECOVERY", request, "FILES")


def ddl(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield DDL for each trail, by the files of --params."""
    if not request.options.params:
        raise MisuseError("ddl takes --params FILE, a parameter file of Extract or Replicat")
    for name in request.options.params:
        yield prepared("PARAMS", ValueWord(str(path_of(name))))
    yield from by_trail("DDL", request)


def values(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield NEXT under VALUES ON, for all records, for --limit records, or for one with --rba."""
    yield from _format(request)
    yield prepared("VALUES", "ON")
    yield from _read_records(request)


def lob(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield LOB for an RBA and a column, with -o to a file."""
    options = request.options
    is_raw = len(request.words) > 1 and request.words[-1].upper() == "RAW"
    rba, *column = request.words[: len(request.words) - is_raw]
    if len(column) > 1 or (is_raw and not options.output):
        raise MisuseError(f"lob takes one file, an RBA, a column, and RAW with -o FILE, not {request.rest}")
    target: list[Argument] = [PhraseEnd("TO"), ValueWord(options.output)] if options.output else []
    target += ["!"] * bool(options.output and options.replace) + ["RAW"] * is_raw
    rba = request.rba(rba, "RBA")
    yield from _format(request)
    yield prepared("OPEN", _path(next(request.trails())[0]))
    yield step("LOB", rba, *map(ValueWord, column), *target)


def params(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield PARAMS of a file, its statements by SHOW, or COVERAGE of the tables of a trail."""
    name, *trail = request.files
    shown = next((place for place, word in enumerate(request.words) if is_keyword(word, "SHOW")), len(request.words))
    read: list[Argument] = [ValueWord(str(path_of(name))), *request.words[:shown]]
    yield from _format(request)
    if not trail and not request.words[shown:]:
        yield step("PARAMS", *read)
        return
    yield prepared("PARAMS", *read)
    if request.words[shown:]:
        yield step("PARAMS", *request.words[shown:])
    if trail:
        paths = _only_trail(request._replace(files=tuple(trail)), "params")
        _refuse_holes([stretches_of(paths)], "params")
        yield from _opening(paths, is_alone=True)
        yield step("PARAMS", "COVERAGE")


def debug(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield DEBUG, and RECOVERY FILES for each trail."""
    yield from _format(request)
    yield step("DEBUG")
    if request.files:
        yield from info(request)


def report(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield REPORT to -o."""
    options = request.options
    if not options.output:
        raise MisuseError("report takes -o FILE.html or -o FILE.md")
    require_ending(options, ("html", "htm", "md"), "report")
    _only_trail(request, "report")
    if sum(map(request.asks, ("rba", "at_csn", "error"))) > 1:
        raise MisuseError("--rba, --csn and --error each name a place: give one")
    at: list[Argument] = ["AT", request.rba(options.rba, "--rba")] if request.asks("rba") else []
    at += words_of(request, "at_csn", "error")
    yield step("REPORT", "OVER", request.named, *at, "TO", ValueWord(options.output), *words_of(request, "replace"))


def script(verb: str, request: VerbRequest, *words: str) -> Iterator[VerbStep]:
    """Yield EXPORT SQL, which repeats the changes; with the word UNDO it takes them back, the last ones first."""
    options = request.options
    limit = [str(options.limit), "TRANSACTIONS"] if options.limit else []
    compression = require_ending(options, ("sql", "txt"), verb) if options.output else []
    yield from _exported(request, verb, "SQL", *words, *limit, *words_of(request, "replace"), *compression)


def explain(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield EXPLAIN of a message, of a log, or of LAG, RESTART and DDL of a trail."""
    is_log = request.words == ("-",) or (bool(request.files) and not request.words)
    if not is_log and (request.options.trails or request.options.all):
        raise MisuseError("--trails and --all go with a log, a folder or an archive of reports")
    yield from _format(request)
    if request.files and request.words:
        yield prepared("OPEN", _path(_only_trail(request, "explain")[0]))
        yield step("EXPLAIN", *typed(request.words))
    elif is_log:
        log, *trail = request.files or request.words
        if trail:
            yield prepared("OPEN", _path(_only_trail(request._replace(files=tuple(trail)), "explain")[0]))
        yield step("EXPLAIN", "FILE", ValueWord(log), *words_of(request, "trails", "all"))
    elif request.words[0].upper() in ("LAG", "RESTART", "DDL"):
        raise MisuseError(f"explain {request.words[0]} wants a trail before it: explain TRAIL {request.rest}")
    elif not explained_log.is_explained(request.rest):
        if len(request.words) == 1 and not any(letter.isspace() for letter in request.rest):
            raise no_such_file(request.rest)
        raise CommandError("Nothing to explain: the text has no number of a message, no place and no transaction.")
    else:
        yield step("EXPLAIN", ValueWord(phrase("EXPLAIN", request.rest), is_phrase=True))
