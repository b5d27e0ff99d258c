"""The translation of each verb into commands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path

from logdump.line.verbs.options import (
    MisuseError,
    VerbRequest,
    VerbStep,
    filters,
    no_such_file,
    one_command,
    position,
    quoted,
    quoted_files,
    selects,
)
from logdump.notation.sql_tokens import STANDARD

_STATEMENTS = ("SELECT", "WITH", "FROM", "DESCRIBE", "SUMMARIZE", "EXPLAIN")


def begins_statement(word: str) -> bool:
    """Return whether a word is a statement of SQL, not the name of a file."""
    return word.lstrip(" (").partition(" ")[0].upper() in _STATEMENTS


def names_trails(words: str) -> bool:
    """Return whether a statement of SQL names the trails that it reads, as ``trail('dirdat/lt*')``."""
    return (
        begins_statement(words) and re.search(r"\btrail\s*\(", STANDARD.outside_texts(words), re.IGNORECASE) is not None
    )


def _prepared(*texts: str) -> Iterator[VerbStep]:
    return (VerbStep(text, prepares=True) for text in texts)


def _format(request: VerbRequest) -> Iterator[VerbStep]:
    if getattr(request.options, "format", None) == "jsonl":
        yield from _prepared("FORMAT JSONL")


def _opened(request: VerbRequest) -> Iterator[tuple[VerbStep, ...]]:
    """Yield for each trail the steps that open it at the position of --rba; the first also sets the filters."""
    first: tuple[VerbStep, ...] = ()
    for number, paths in enumerate(request.trails()):
        steps = [*_prepared(f"OPEN {quoted(str(paths[0]))}", *_across(paths)), *position(request)]
        if not number:
            first = tuple(filters(request))
        yield (*steps, *(first if not number else ()))


def _across(paths: tuple[Path, ...]) -> Iterator[str]:
    """Yield the command that continues reading in the following files; nothing for a single file."""
    if len(paths) > 1:
        from trailformat.trail.sequence import next_file  # noqa: PLC0415 - one file needs none

        is_last = next_file(paths[-1])[0] is None
        yield "ACROSS ON" if is_last else f"ACROSS TO {quoted(str(paths[-1]))}"


def _filtered(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield the filters of a command that opens its files itself; the first file is opened for times without a date."""
    if selects(request):
        first = next(request.trails())[0]
        yield from _prepared(f"OPEN {quoted(str(first))}")
        yield from filters(request)


def show(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield NEXT for all records, for --limit records, or for one with --rba."""
    limit = request.options.limit or (1 if request.asks("rba") else None)
    yield from _format(request)
    yield from _prepared("GHDR ON", *["DETAIL DATA"] * request.asks("hex"), "VALUES ON")
    for steps in _opened(request):
        yield from steps
        yield VerbStep(f"NEXT {limit or 'ALL'}")


def listed(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield LIST for all records or for --limit records; with --follow also for new ones."""
    yield from _format(request)
    for steps in _opened(request):
        yield from steps
        columns = f" COLUMNS {request.options.columns}" if request.options.columns else ""
        yield VerbStep(one_command(f"LIST {request.options.limit or 'ALL'}{columns}"))
    if request.asks("follow"):
        yield VerbStep("FOLLOW LIST")


def tail(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield FOLLOW for the last file, from its end or from --since, --from-csn or --rba."""
    options = request.options
    yield from _format(request)
    if not options.list:
        yield from _prepared("GHDR ON", "VALUES ON")
    trails = list(request.trails())
    if len(trails) != 1:
        raise MisuseError(f"tail follows one trail, not {len(trails)}")
    from_the_begin = request.asks("since") or request.asks("from_csn")
    yield from _prepared(f"OPEN {quoted(str(trails[0][0 if from_the_begin else -1]))}")
    yield from position(request) if request.asks("rba") else _prepared(*["POSITION EOF"] * (not from_the_begin))
    yield from filters(request)
    words = ["FOLLOW", *["LIST"] * options.list, *([f"IDLE {options.idle}"] if options.idle else [])]
    yield VerbStep(" ".join(words))


def find(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield FIND, and FIND NEXT up to --limit."""
    yield from _format(request)
    yield from _prepared("GHDR ON", "VALUES ON")
    for steps in _opened(request):
        yield from steps
        yield VerbStep(one_command(f"FIND {request.rest}"))
        yield from repeat(VerbStep("FIND NEXT", repeats=True), (request.options.limit or 1) - 1)


def count(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield COUNT."""
    yield from _format(request)
    yield from _filtered(request)
    detail = " DETAIL" * request.options.detail
    effective = " EFFECTIVE" * request.options.effective
    trails = list(request.trails())
    is_one = [len(paths) for paths in trails] == [1]
    files = quoted(str(trails[0][0])) if is_one else f"LOG {request.named}"
    rest = f" {request.rest}" if request.words else ""
    yield VerbStep(one_command(f"COUNT{detail} {files}{effective}{rest}"))


def check(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield CHECK."""
    yield from _format(request)
    yield VerbStep(one_command(" ".join(("CHECK", request.named, *request.words))))


def safe(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield SAFE for an RBA."""
    if len(request.words) != 1:
        raise MisuseError("safe takes one file and an RBA")
    yield from _format(request)
    yield from _prepared(f"OPEN {quoted(request.files[0])}")
    yield VerbStep(one_command(f"SAFE {request.rest}"))


def export(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield EXPORT to -o or to standard output."""
    options = request.options
    if options.columns:
        yield from _exported_columns(request)
        return
    if options.by_table and not options.output:
        raise MisuseError("--by-table needs -o FOLDER")
    target, kind = options.output or "-", options.format or _kind_of(options.output)
    is_debezium = kind == "debezium"
    words = [f"EXPORT {'JSONL' if is_debezium else kind.upper()} TO {quoted(target)}", *["DEBEZIUM"] * is_debezium]
    unit = "TRANSACTIONS" if kind == "sql" else "RECORDS"
    words += [f"{options.limit} {unit}"] if options.limit else []
    words += ["REPLACE"] * options.replace + ["BY TABLE"] * options.by_table + ["EFFECTIVE"] * options.effective
    text = one_command(" ".join([*words, *request.words]))
    trails = list(_opened(request))
    if len(trails) > 1 and target != "-":
        raise MisuseError(f"export -o takes one trail, not {len(trails)}")
    for steps in trails:
        yield from steps
        yield VerbStep(text)


def _kind_of(name: str | None) -> str:
    """Return the format that the extension of a file name selects, else ``jsonl``."""
    suffix = Path(name or "").name.removesuffix(".gz").rpartition(".")[2].lower()
    return suffix if suffix in ("csv", "parquet", "arrow", "sql") else "jsonl"


def _exported_columns(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield the SQL command that writes some columns of one table."""
    options = request.options
    if not options.table or len(options.table) != 1 or not options.output:
        raise MisuseError("--columns needs one --table and -o FILE.csv, FILE.jsonl or FILE.parquet")
    limit = f" LIMIT {options.limit}" if options.limit else ""
    statement = f"SELECT {options.columns} FROM {options.table[0]}{limit} TO {quoted(options.output)}"  # noqa: S608 - the user's own query
    yield from _filtered(request)
    yield VerbStep(one_command(f"SQL OVER {request.named} {statement}{' REPLACE' * options.replace}"))


def sql(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield SQL over the files; the statement is before or after them."""
    options = request.options
    if not request.words:
        raise MisuseError("sql takes a statement: logdump sql 'SELECT op, count(*) FROM records GROUP BY op' FILE")
    if not request.files and selects(request):
        raise MisuseError("options that select records need a FILE")
    yield from _format(request)
    yield from _filtered(request)
    effective = " EFFECTIVE" * options.effective
    target = f" TO {quoted(options.output)}{' REPLACE' * options.replace}" if options.output else ""
    csv = " FORMAT CSV" if options.format == "csv" and not options.output else ""
    over = f" OVER {request.named}" if request.files else ""
    statement = request.rest.rstrip().removesuffix(";")
    yield VerbStep(one_command(f"SQL{over}{effective} {statement}{target}{csv}", has_lines=True))


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
    limit = [f"LIMIT {request.options.limit}"] if request.options.limit else []
    filtered = ["FILTERED"] * selects(request)
    yield VerbStep(one_command(" ".join(("DIFF", *map(quoted, request.files), *request.words, *limit, *filtered))))


def by_trail(command: str, request: VerbRequest) -> Iterator[VerbStep]:
    """Yield a command that reads a single trail, once for each trail."""
    yield from _format(request)
    yield from _filtered(request)
    filtered = ["FILTERED"] * selects(request)
    trails = list(request.trails())
    for name in [request.named] if len(trails) == 1 else map(_named, trails):
        yield VerbStep(one_command(" ".join((f"{command} OVER", name, *request.words, *filtered))))


def _named(paths: tuple[Path, ...]) -> str:
    """Return the files of one trail as a word: the prefix of the trail if they are all its files."""
    if len(paths) == 1:
        return quoted(str(paths[0]))
    from trailformat.trail.sequence import TrailName, TrailSequence  # noqa: PLC0415 - one file needs none

    name = TrailName.parse(paths[0])
    if name is not None and name.is_documented and TrailSequence(paths[0]).paths == paths:
        return quoted(str(name.directory / name.prefix))
    return quoted_files(paths)


def recovery(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield RECOVERY for each trail."""
    return by_trail("RECOVERY", request)


def heartbeat(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield HEARTBEAT."""
    yield from _format(request)
    yield VerbStep(one_command(" ".join(("HEARTBEAT", *request.words, "OVER", request.named))))


def repair(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield REPAIR to -o."""
    options = request.options
    if not options.output:
        raise MisuseError("repair takes -o FILE, the copy; with --dry nothing is written")
    words = ["TO", quoted(options.output), *["REPLACE"] * options.replace, *["DRY"] * options.dry]
    yield from _format(request)
    yield VerbStep(one_command(" ".join(("REPAIR", "OVER", request.named, *request.words, *words))))


def doctor(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield DOCTOR for each trail."""
    yield from _format(request)
    trails = list(request.trails())
    for name in [request.named] if len(trails) == 1 else map(_named, trails):
        yield VerbStep(one_command(" ".join(("DOCTOR", name, *request.words))))


def tables(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield COUNT DETAIL."""
    yield from _format(request)
    yield from _filtered(request)
    yield VerbStep(one_command(f"COUNT DETAIL LOG {request.named}{' EFFECTIVE' * request.options.effective}"))


def transactions(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield TRANSACTIONS for each trail."""
    limit = (str(request.options.limit),) if request.options.limit else ()
    return by_trail("TRANSACTIONS", request._replace(words=(*limit, *request.words)))


def row(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield ROW over each trail."""
    yield from _format(request)
    for paths in request.trails():
        yield from _prepared(f"OPEN {quoted(str(paths[0]))}", *_across(paths))
        yield VerbStep(one_command(f"ROW {'UNDO ' * request.options.undo}{request.rest}"))


def info(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield RECOVERY FILES for each trail."""
    yield from by_trail("RECOVERY", request._replace(words=("FILES",)))


def report(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield REPORT to -o."""
    options = request.options
    if not options.output:
        raise MisuseError("report takes -o FILE.html or -o FILE.md")
    trails = list(request.trails())
    if len(trails) != 1:
        raise MisuseError(f"report takes one trail, not {len(trails)}")
    if request.asks("rba"):
        yield from _prepared(f"OPEN {quoted(str(trails[0][0]))}")
        yield from position(request)
        yield from _prepared("NEXT")
    replace = " REPLACE" * options.replace
    yield VerbStep(one_command(f"REPORT OVER {request.named} TO {quoted(options.output)}{replace}"))


def explain(request: VerbRequest) -> Iterator[VerbStep]:
    """Yield EXPLAIN of a message, of a log, or of LAG, RESTART and DDL of a trail."""
    yield from _format(request)
    if request.files and request.words:
        yield from _prepared(f"OPEN {quoted(request.files[0])}")
        yield VerbStep(one_command(f"EXPLAIN {request.rest}"))
        return
    every = " ALL" * request.options.all
    text = f"FILE {request.named}" if request.files else request.rest.replace('"', "'").replace(";", ",")
    yield VerbStep(f"EXPLAIN {text}{every}")
