"""APPLY: the changes of a trail into the tables of a database or a lake, in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

from logdump.commands.following import (
    FOLLOWING,
    CsnWord,
    amounts,
    arguments_of,
    kept_log,
    narrated,
    stopped_by_errors,
    stopped_by_signals,
)
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword
from logdump.language.parameters import OneOf, Word
from logdump.notation.text import amount
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.targets import in_process


class ApplyOptions(NamedTuple):
    """The options of APPLY.

    Attributes:
        over: the trail; ``target``: the URL of the target.
        tables: names of tables, or wildcards.
        first: first CSN of tables that have no position; ``adopt``: of those whose position is not one of this trail.
        is_once: whether it ends at the end of the trail.
        creates: whether missing tables are created.
        collisions, ddl, errors, write, deletes: as the arguments of ``logdump.apply``.
        load: URL of the database that tables without a position are copied from; ``load_csn``: the CSN of its rows;
            ``load_snapshot``: the snapshot of PostgreSQL with these.
        retries: whether noted changes are applied again, and nothing else.
        batch: bytes of trail in one transaction of the target.
        interval: seconds between checks of the trail; ``patience``: seconds to wait for a target that is lost.
        options: the path of a file with more options; what is given beside it takes precedence.
    """

    over: str
    target: str
    tables: tuple[str, ...] = ()
    first: str | None = None
    adopt: str | None = None
    is_once: bool = False
    creates: bool = False
    collisions: str | None = None
    ddl: str | None = None
    errors: str | None = None
    write: str | None = None
    deletes: str | None = None
    load: str | None = None
    load_csn: str | None = None
    load_snapshot: str | None = None
    retries: bool = False
    batch: str | None = None
    interval: int | None = None
    patience: int | None = None
    options: str | None = None


def run_apply(session: Session, options: ApplyOptions) -> Iterator[Event]:
    """Apply a trail until it ends, or until a signal stops it after the current transaction."""
    if session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError("APPLY needs all records of the trail: use FILTER OFF; TABLES names tables.")
    stop = threading.Event()
    with stopped_by_signals(stop), kept_log() as log:
        with stopped_by_errors():
            given = arguments_of(options, _OWN)
            started = in_process.apply_run(options.over, options.target, options.tables or "*", **given, stop=stop)
        steps = started.retries() if options.retries else started.commits()
        yield from narrated(steps, log, started.patience, "" if options.retries else "applied")
    done = started.progress
    if options.retries:
        yield say(f"{amount(done.rows, 'noted change')} applied.")
    if done.refused:
        yield _noted(done.refused)
    if stop.is_set():
        applied = "" if options.retries else f", {amounts(done, 'applied')}"
        yield Notice((f"Stopped after a transaction{applied}; the same command continues.",), ExitStatus.INTERRUPTED)
    elif not done.rows and not done.refused and not options.retries:
        yield say("No change to apply.")


_OWN = ("collisions", "ddl", "errors", "write", "deletes", "load", "load_csn", "load_snapshot")
"""The arguments of a run that PUBLISH has not."""


def _noted(number: int) -> Notice:
    return Notice(
        (f"{amount(number, 'change')} not applied: logdump_errors in the target has them; RETRY applies them.",),
        ExitStatus.FINDINGS,
    )


COMMANDS = (
    Command(
        "APPLY",
        AnyOrder(
            ApplyOptions,
            {
                **FOLLOWING,
                "collisions": OneOf({"OVERWRITE": "overwrite"}),
                "ddl": Keyword("DDL", OneOf({"IGNORE": "ignore"})),
                "errors": Keyword("ERRORS", OneOf({"TABLE": "table"})),
                "write": Keyword("WRITE", OneOf({"MIRROR": "mirror", "APPEND": "append", "HISTORY": "history"})),
                "deletes": Keyword("DELETES", OneOf({"SOFT": "soft"})),
                "load": Keyword("LOAD", Word("<url>")),
                "load_csn": Keyword("AT", CsnWord("<csn>")),
                "load_snapshot": Keyword("SNAPSHOT", Word("<name>")),
                "retries": OneOf({"RETRY": True}),
            },
            needed={"over": "wants OVER <trail>.", "target": "wants TO <url>, the target."},
            wrong="{!r} is not an option of APPLY.",
        ),
        "Apply the changes of a trail to the tables of a database or a lake, each once, until Ctrl+C",
        run_apply,
        details=(
            "Targets: postgresql://, mysql://, mariadb://, oracle://, sqlite:///file, delta:folder, iceberg:catalog.",
            "The position is in the target (logdump_position) and is committed with the rows: the same command",
            "continues there, whatever has ended it. A password may be in the variable LOGDUMP_PASSWORD.",
            "TABLES: names, * and ? are allowed; all that the trail defines, unless given. CREATE: make missing ones.",
            "FROM: the first CSN of tables that have no position. ADOPT: of those whose position is of another trail.",
            "ONCE: end at the end of the trail. OVERWRITE: replace rows that exist, leave out changes of missing rows.",
            "DDL IGNORE: pass over statements, at which APPLY stops otherwise, with all before them applied.",
            "ERRORS TABLE: a change that the target refuses is noted in its table logdump_errors, with the later ones",
            "of the row, and the rest goes on; status 3. RETRY: apply what is noted there again, and nothing else.",
            "WRITE APPEND: a row for each change, with its operation. WRITE HISTORY: a row for each version of a row,",
            "with CSN and time of its begin and end. DELETES SOFT: rows that are deleted stay, with CSN and time.",
            "LOAD: tables without a position are copied from that database first, as of the CSN AT; their changes are",
            "those of later transactions. PostgreSQL wants the SNAPSHOT of a new replication slot, too.",
            "BATCH: bytes of trail in a transaction of the target, 32m. INTERVAL: seconds between checks of the trail,",
            "1. PATIENCE: seconds to wait for a target that is lost, 60. OPTIONS: a file of YAML with more options, of",
            "which this line takes precedence: columns, names, masks, tables that change. docs/pipeline.md has them.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops after the current transaction",
    ),
)
