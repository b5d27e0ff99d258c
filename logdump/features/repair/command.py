"""REPAIR: a sound copy of a damaged trail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.features.repair.headers import HeaderChoice
from logdump.features.repair.repairing import Repair, RepairOptions
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword, Sequence
from logdump.language.parameters import File, Number, OneOf, file_path
from logdump.session.across import files_from
from logdump.session.chosen_trail import trail_title, whole_trail_of
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from trailformat.transactions.whole_trail import WholeTrail

_NO_TARGET = "takes TO and the name of a file."


def run_repair(session: Session, options: RepairOptions) -> Iterator[Event]:
    """Write a sound copy of the open file, or of a trail; the position stays."""
    if session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError("REPAIR copies whole transactions, not what passes a filter: FILTER OFF.")
    if options.over is None:
        whole, title = WholeTrail(files_from(session)), str(session.trail.path)
    else:
        whole, title = whole_trail_of(session, options.over, "REPAIR"), options.over
    repair = Repair(session, whole, trail_title(title), options)
    try:
        yield from repair.events()
    except KeyboardInterrupt:
        what = "the copy is complete, this is partial" if repair.is_written else "nothing was written"
        yield Notice((f"Stopped before the end: {what}.",), ExitStatus.INTERRUPTED)
        raise


def _options(name: str, header: dict[str, Any] | None = None, **given: Any) -> RepairOptions:
    return RepairOptions(file_path(name), name, **given, **(header or {}))


COMMANDS = (
    Command(
        "REPAIR",
        AnyOrder(
            _options,
            {
                "over": Keyword("OVER", File("<wildcard>")),
                "name": Keyword("TO", File("<file>", missing=_NO_TARGET)),
                "replaces": OneOf({"REPLACE": True}),
                "stops": OneOf({"SKIP": False, "STOP": True}),
                "is_all": OneOf({"WHOLE": False, "ALL": True}),
                "header": Keyword(
                    "HEADER",
                    Alternatives(
                        OneOf({"KEEP": {"header": HeaderChoice.KEEP}, "REBUILD": {"header": HeaderChoice.REBUILD}}),
                        Keyword("FROM", Sequence(lambda name: {"header_from": name}, File("<file>"))),
                    ),
                ),
                "definitions": Keyword("DEFINITIONS", File("<trail>")),
                "megabytes": Keyword("MEGABYTES", Number("<n>", least=1)),
                "is_dry": OneOf({"DRY": True}),
            },
            wrong="{!r} is not an option of REPAIR.",
            needed={"name": _NO_TARGET},
        ),
        "Write a sound copy of a damaged trail, and list what it lacks",
        run_repair,
        details=(
            "The open file, or the files of <wildcard>; each becomes one file of the copy, or of MEGABYTES at most.",
            "SKIP leaves out damage, STOP ends the copy there. WHOLE: only transactions of which nothing is lost;",
            "ALL: every sound record. HEADER: the file header is kept, rebuilt, or that of another file.",
            "DEFINITIONS: a trail with the definitions that are lost. REPLACE: a copy that is there is replaced.",
            "DRY: nothing is written. The copy gets its name when CHECK and DIFF have found it sound.",
            "Under -c and -f the exit status is 3 when it lacks anything. docs/repair.md has the rules.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops, nothing is written",
    ),
)
