"""Spark's daemon of workers, in which first attempts of tasks that write die where a test says so.

Run by Spark as ``spark.python.daemon.module``. They die by an error, or with their process: which of them, where and
how, is drawn by the value of the local property DYING and the number of the task; where it is empty none does.
"""

from __future__ import annotations

import importlib
import os
import random
from typing import Any

from pyspark import TaskContext, daemon

from logdump.spark.write.part_files import PartFiles

DYING = "tests.dying"
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


def _deadly(name: str, step: str) -> None:
    do = getattr(PartFiles, name)

    def done_or_dead(self: PartFiles, *arguments: Any) -> Any:
        result = do(self, *arguments)
        if _dies_in(step):
            raise RuntimeError(f"an attempt dies in {step}")
        return result

    setattr(PartFiles, name, done_or_dead)


if __name__ == "__main__":
    for module in ("pandas", "logdump.spark.source.data_source", "logdump.spark.source.reader"):
        importlib.import_module(module)  # each worker is a fork, and else loads them again
    for name, step in (("write", "write"), ("write_bytes", "copy"), ("copy_range", "copy"), ("end", "end")):
        _deadly(name, step)
    daemon.manager()
