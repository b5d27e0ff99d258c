"""ENGINE: which engine does the bulk work of COUNT, SAVE and EXPORT, this process or Spark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import FreeText, OneOf
from logdump.language.words import split_words
from logdump.session.errors import ArgumentError
from logdump.session.events import Event, say
from logdump.session.session import Session

_MASTER = re.compile(
    r"local(\[(\d+|\*)( *, *\d+)?\])?|local-cluster\[\d+ *, *\d+ *, *\d+\]|yarn|(spark|k8s)://\S+", re.ASCII
)


class EngineChoice(NamedTuple):
    """The engine that does the bulk work: Spark on a master, the usual one if it is empty, or this process."""

    is_spark: bool
    master: str = ""


def _in_spark(master: str | None) -> EngineChoice:
    return EngineChoice(is_spark=True, master=" ".join(split_words(master or "")))


def run_engine(session: Session, engine: EngineChoice | None) -> Iterator[Event]:
    """Set or show the engine; Spark is not started before a command needs it."""
    if engine is None:
        master = session.settings.spark_master
        yield say("Engine is LOCAL" if master is None else f"Engine is SPARK on {master}")
    else:
        session.settings.spark_master = _checked(engine.master) if engine.is_spark else None


def _checked(master: str) -> str:
    from logdump.spark.jobs.engine import LOCAL_MASTER, check_extra  # noqa: PLC0415 - Spark is wanted

    if master and not _MASTER.fullmatch(master):
        raise ArgumentError(f"{master!r} is not a master; local[4], spark://host:7077 or yarn would be.")
    check_extra()
    return master or LOCAL_MASTER


COMMANDS = (
    Command(
        "ENGINE",
        Maybe(
            Alternatives(
                OneOf({"LOCAL": EngineChoice(is_spark=False)}, wrong="{!r} is not LOCAL or SPARK [master]."),
                Keyword("SPARK", Sequence(_in_spark, Maybe(FreeText("<master>")))),
            ),
            is_shown=False,
        ),
        "Count, save and export in this process, or as Spark jobs",
        run_engine,
        details=(
            "Under SPARK the same COUNT, FILTER, SAVE and EXPORT run as jobs, with the same output. <master> is what",
            "Spark calls so: local[*] (all cores of this machine) unless given. Spark starts with the first job.",
            "It needs the extra logdump[spark] and Java 17 or later; docs/spark.md lists what stays with LOCAL.",
        ),
        origin=Origin.OURS,
    ),
)
