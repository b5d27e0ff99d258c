"""Commands that start other programs: X (the shell), ENGINE (Spark), TUI (the full-screen view)."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
from collections.abc import Iterator
from typing import NamedTuple

from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe, Sequence
from logdump.language.parameters import File, FreeText, OneOf
from logdump.language.words import split_words
from logdump.session.engines import Engine
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import OutputFormat
from trailformat.codec.on_demand import on_demand

with on_demand:
    import subprocess

_STDERR = 2


def run_x(session: Session, line: str) -> Iterator[Event]:
    """Run a program at the same terminal and wait for its end."""
    sys.stdout.flush()
    status = _run(line, output=_STDERR if session.settings.format is OutputFormat.JSONL else None)
    if status:
        how = f"with status {status}" if status > 0 else f"by signal {-status}"
        raise CommandError(f"{line.split(maxsplit=1)[0]} ended {how}.")
    return iter(())


def _run(line: str, output: int | None) -> int:
    """Return the status of a shell command, which gets no stdin from a pipe: that has the commands of the session."""
    source = None if sys.stdin.isatty() else subprocess.DEVNULL
    with _interrupts_left_to_the_program():
        return subprocess.run(line, shell=True, check=False, stdin=source, stdout=output).returncode  # noqa: S602 - X is a shell


@contextlib.contextmanager
def _interrupts_left_to_the_program() -> Iterator[None]:
    """Ignore Ctrl+C here but not in the program, which would inherit SIG_IGN but does not inherit a handler."""
    try:
        before = signal.signal(signal.SIGINT, lambda *_: None)
    except ValueError:  # only the main thread gets interrupts
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def run_tui(session: Session, path: str | None) -> Iterator[Event]:
    """Continue the session in the full-screen view until that ends."""
    if session.full_screen is None:
        raise CommandError("TUI: the full-screen view opens from line mode at a terminal, or by logdump --tui.")
    if path is not None:
        session.open(path)
    session.full_screen()
    return iter(())


_MASTER = re.compile(
    r"local(\[(\d+|\*)( *, *\d+)?\])?|local-cluster\[\d+ *, *\d+ *, *\d+\]|yarn|(spark|k8s)://\S+", re.ASCII
)


class EngineChoice(NamedTuple):
    """The engine of bulk commands: this process, or Spark on a master (empty: this machine)."""

    is_spark: bool
    master: str = ""


def _in_spark(master: str | None) -> EngineChoice:
    return EngineChoice(is_spark=True, master=" ".join(split_words(master or "")))


def run_engine(session: Session, engine: EngineChoice | None) -> Iterator[Event]:
    """Set or show the engine; Spark is not started before a command needs it."""
    if engine is None:
        chosen = session.settings.engine
        yield say(f"Engine is {'LOCAL' if chosen is None else chosen.title}")
    else:
        session.settings.engine = _spark(engine.master) if engine.is_spark else None


def _spark(master: str) -> Engine:
    from logdump.spark.jobs.engine import spark_engine  # noqa: PLC0415 - only ENGINE SPARK needs it

    if master and not _MASTER.fullmatch(master):
        raise ArgumentError(f"{master!r} is not a master; local[4], spark://host:7077 or yarn would be.")
    return spark_engine(master)


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
    Command(
        "X",
        FreeText("<program> [<arguments>]", missing="takes a program and its arguments."),
        "Run a program through the shell",
        run_x,
        details=("X ls -l dirdat", "A semicolon outside double quotes begins the next command."),
    ),
    Command(
        "TUI",
        Maybe(File("<filename>")),
        "Continue in the full-screen view; EXIT there returns",
        run_tui,
        details=("It shows the records, one of them in detail, and keys that enter commands: docs/tui.md.",),
        origin=Origin.OURS,
    ),
)
