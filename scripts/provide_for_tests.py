"""What tests run beside Python: ``python -m scripts.provide_for_tests`` installs Debian's where it may, or says how to.

Java for Spark; PostgreSQL, MariaDB and SQLite's shell for statements; of these only what is named (``java``), if
anything is. Nothing fails here: the tests that lack one are skipped, and pytest says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from logdump.spark.jobs.java import COMMAND, missing_java


class Need(NamedTuple):
    """What some tests need: its name, who needs it, what tells what is missing (None: nothing), what installs it."""

    name: str
    tests: str
    missing: Callable[[], str | None]
    command: str


def _install(package: str) -> str:
    return f"apt-get install --yes {package}"


def missing_postgresql() -> str | None:
    """What is missing of a server of PostgreSQL and its client, in one line."""
    if shutil.which("psql") and any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        return None
    return f"There is no PostgreSQL; on Debian and Ubuntu: {_install('postgresql')}"


def missing_mariadb() -> str | None:
    """The same of MariaDB."""
    if all(map(shutil.which, ("mariadb", "mariadbd", "mariadb-install-db"))):
        return None
    return f"There is no MariaDB; on Debian and Ubuntu: {_install('mariadb-server')}"


def missing_sqlite() -> str | None:
    """The same of SQLite's shell."""
    return None if shutil.which("sqlite3") else f"There is no sqlite3; on Debian and Ubuntu: {_install('sqlite3')}"


NEEDS = (
    Need("java", "Spark's tests", missing_java, COMMAND),
    Need("postgresql", "Tests that run statements on PostgreSQL", missing_postgresql, _install("postgresql")),
    Need("mariadb", "Tests that run statements on MariaDB", missing_mariadb, _install("mariadb-server")),
    Need("sqlite", "Tests that run statements in sqlite3", missing_sqlite, _install("sqlite3")),
)


def privilege() -> list[str] | None:
    """What goes in front of a command that installs packages; None where none may be installed without asking."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:  # noqa: S603
        return [sudo, "-n"]
    return None


def main(*names: str) -> None:
    """Install what is missing of these, or of all; or say what to run."""
    needed = [need for need in NEEDS if (not names or need.name in names) and need.missing()]
    front = privilege() if needed else None
    if front is not None:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in ("apt-get update", *(need.command for need in needed)):
            subprocess.run([*front, *command.split()], env=environment, check=False)  # noqa: S603 - our own commands
    for need in needed:
        if missing := need.missing():
            sys.stderr.write(f"{missing}\n{need.tests} are skipped.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
