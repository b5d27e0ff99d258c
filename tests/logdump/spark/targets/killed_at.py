"""Runs ``apply`` in processes that are killed at drawn moments, each of which goes on where the last one was.

``python -m tests.logdump.spark.targets.killed_at DRIVER TRAIL URL TABLES BATCH KILLS GIVEN`` prints the moment of each
kill, and the number of changes that the last process has applied; GIVEN are arguments as JSON, with ``retry`` for what
is noted. With ``evolve`` most kills are at statements that alter a table. The driver ``java`` is that of Spark with one
JVM for all processes.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from logdump.targets import load
from logdump.targets.database import DatabaseTarget
from logdump.targets.run import ApplyDriver
from tests.logdump.spark.targets.direct import DRIVERS, applied, retried
from tests.searching import Random

JAVA = "java"
_LOADED = ("pandas", "psycopg", "pymysql", "pyarrow.acero", "logdump.tables.change_rows", "logdump.tables.messages")
"""What every process would load for itself; pyarrow loads pandas, where it is installed, for any array of numpy."""
_POSITION = re.compile(r"(?:UPDATE|INSERT INTO) logdump_(?:position|errors)\b")
_KILLS = ((re.compile(""), range(1, 10)), (re.compile(""), range(1, 90)), (_POSITION, range(2, 12)))
"""Statements before or after which processes are killed, by turns: any, soon and later; then those of the position."""
_KILLS_OF_ALTERATIONS = (
    (_POSITION, range(2, 12)),
    (re.compile(""), range(1, 60)),
    *[(re.compile("ALTER TABLE (?!logdump_)|CREATE TABLE (?!logdump_)"), range(1, 3))] * 2,
)


def main(driver: str, path: str, url: str, tables: str, batch: str, kills: str, given: str) -> None:
    """Fork a process for each attempt, before this one has any thread."""
    for name in _LOADED:
        with suppress(ModuleNotFoundError):
            import_module(name)
    setattr(load, "_MOST_ROWS", 50)  # noqa: B010 - so that a load has many parts
    if driver != JAVA:
        _attempts(DRIVERS[driver], path, url, tables, batch, int(kills), given)
        return
    from tests.logdump.spark.targets.one_java import one_java, spark_driver

    with one_java():
        _attempts(spark_driver, path, url, tables, batch, int(kills), given)


def _attempts(
    make: Callable[[Random], ApplyDriver], path: str, url: str, tables: str, batch: str, kills: int, given: str
) -> None:
    random = Random(str(kills))
    for attempt in range(kills + 1):
        all_given = {"create": True, "batch": batch, **json.loads(given)}
        is_retry = all_given.pop("retry", False)
        kinds = _KILLS_OF_ALTERATIONS if "evolve" in all_given and not is_retry else _KILLS
        statements, moments = kinds[attempt % len(kinds)]
        moment, is_after = random.choice(moments), random.random() < 0.5
        child = os.fork()
        if not child:
            if attempt < kills:
                kill_at(statements, moment, is_after=is_after)
            go_on = retried if is_retry else applied
            done = go_on(make(random), path, url, tables.split(","), **all_given)
            sys.stdout.write(f"{done.rows}\n")
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(os.waitstatus_to_exitcode(status))
        sys.stdout.write(f"killed {'after' if is_after else 'before'} {moment}\n")
        sys.stdout.flush()


def kill_at(statements: re.Pattern[str], moment: int, *, is_after: bool) -> None:
    """Have this process killed before or after so many of some statements of its target."""
    made = 0

    def counted(execute: Callable[..., Any]) -> Callable[..., Any]:
        def counting(statement: str, *given: Any) -> Any:
            nonlocal made
            made += statements.match(statement) is not None
            is_now = made == moment and statements.match(statement) is not None
            if is_now and not is_after:
                os.kill(os.getpid(), signal.SIGKILL)
            result = execute(statement, *given)
            if is_now:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return counting

    class Cursor:
        """A cursor whose statements are counted."""

        def __init__(self, cursor: Any) -> None:
            self._cursor = cursor

        def __getattr__(self, name: str) -> Any:
            found = getattr(self._cursor, name)
            return counted(found) if name in ("execute", "executemany", "copy") else found

    make = DatabaseTarget._cursor
    setattr(DatabaseTarget, "_cursor", lambda target: Cursor(make(target)))  # noqa: B010 - a method is replaced


if __name__ == "__main__":
    main(*sys.argv[1:])
