"""Spark's daemon of workers, in which first attempts of tasks die where a test says so.

Run by Spark as ``spark.python.daemon.module``. Those that write die by an error, or with their process: which of them,
where and how, is drawn by the value of the local property DYING and the number of the task; where it is empty none
does. Those that read die with their process, all of them, when they open or close a trail file, as AT_FILE says: each
adds a line to the file that it names.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

from pyspark import TaskContext, daemon

from logdump.spark.write.publish import PartFiles
from trailformat import TrailFile

DYING, AT_FILE = "tests.dying", "tests.dying_at_file"
_WAYS = ("error", "exit", "exit", "none")


def _dies_in(step: str) -> bool:
    """Whether a first attempt dies here, having done a part of its work."""
    context = TaskContext.get()
    seed = context and context.getLocalProperty(DYING)
    if context is None or not seed or context.attemptNumber():
        return False
    drawn = random.Random(f"{seed}.{context.partitionId()}")
    way, where = drawn.choice(_WAYS), drawn.choice(("write", "copy", "end"))
    if where != step or way == "none":
        return False
    if way == "exit":
        os._exit(9)
    return True


def _dies_at_file(step: str) -> None:
    """End the process of a first attempt, where the local property names this step."""
    context = TaskContext.get()
    named = context and context.getLocalProperty(AT_FILE)
    if context is None or not named or context.attemptNumber():
        return
    where, _, log = named.partition(":")
    if where == step:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{context.stageId()} {context.partitionId()}\n")
        os._exit(9)


def _deadly_files() -> None:
    make, close = TrailFile.__init__, TrailFile.close

    def made(self: TrailFile, *arguments: Any, **named: Any) -> None:
        make(self, *arguments, **named)
        _dies_at_file("open")

    def closed(self: TrailFile) -> None:
        close(self)
        _dies_at_file("close")

    TrailFile.__init__, TrailFile.close = made, closed  # type: ignore[method-assign]


def _deadly(name: str, step: str) -> None:
    do = getattr(PartFiles, name)

    def done_or_dead(self: PartFiles, *arguments: Any) -> Any:
        result = do(self, *arguments)
        if _dies_in(step):
            raise RuntimeError(f"an attempt dies in {step}")
        return result

    setattr(PartFiles, name, done_or_dead)


if __name__ == "__main__":
    for name, step in (("write", "write"), ("write_bytes", "copy"), ("copy_range", "copy"), ("end", "end")):
        _deadly(name, step)
    _deadly_files()
    daemon.manager()
