"""ENGINE: which engine does the bulk work of COUNT, SAVE and EXPORT, this process or Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator

from logdump.language.command import ArgumentError, Command, Origin
from logdump.language.words import split_words
from logdump.session.events import Event, say
from logdump.session.session import Session

_MASTER = re.compile(
    r"local(\[(\d+|\*)( *, *\d+)?\])?|local-cluster\[\d+ *, *\d+ *, *\d+\]|yarn|(spark|k8s)://\S+", re.ASCII
)


def run_engine(session: Session, arguments: str) -> Iterator[Event]:
    """Set or tell the engine; Spark is not started before a command needs it."""
    words = split_words(arguments)
    if not words:
        master = session.settings.spark_master
        yield say("Engine is LOCAL" if master is None else f"Engine is SPARK on {master}")
        return
    name, master = words[0].upper(), " ".join(words[1:])
    if name == "SPARK":
        session.settings.spark_master = _checked(master)
    elif name == "LOCAL" and not master:
        session.settings.spark_master = None
    else:
        raise ArgumentError(f"{arguments!r} is not LOCAL or SPARK [master].")


def _checked(master: str) -> str:
    from logdump.spark.jobs.engine import LOCAL_MASTER, check_extra  # noqa: PLC0415 - Spark is asked for

    if master and not _MASTER.fullmatch(master):
        raise ArgumentError(f"{master!r} is no master; local[4], spark://host:7077 or yarn would be.")
    check_extra()
    return master or LOCAL_MASTER


COMMANDS = (
    Command(
        "ENGINE",
        "ENGINE {LOCAL | SPARK [<master>]}",
        "Count, save and export in this process, or as Spark jobs",
        run_engine,
        options=("LOCAL", "SPARK"),
        details=(
            "Under SPARK the same COUNT, FILTER, SAVE and EXPORT run as jobs, with the same output. <master> is what",
            "Spark calls so: local[*] (all cores of this machine) unless given. Spark starts with the first job.",
            "It needs the extra logdump[spark] and Java 17 or later; docs/spark.md tells what stays with LOCAL.",
        ),
        origin=Origin.OURS,
    ),
)
