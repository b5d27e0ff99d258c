"""Programs that tests need: ``python -m scripts.provide_for_tests`` installs Debian's if it may, or says how to.

They are Java for Spark; PostgreSQL, MariaDB and SQLite's shell for statements. With arguments (``java``) only those
named are installed. This script never fails: tests that lack a program are skipped, and pytest reports them.
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
    """A program that tests need.

    Attributes:
        name: its name as an argument of this script.
        tests: the tests that need it.
        missing: returns a line if it is missing, else None.
        command: the command that installs it.
    """

    name: str
    tests: str
    missing: Callable[[], str | None]
    command: str


def _install(package: str) -> str:
    return f"apt-get install --yes {package}"


def missing_postgresql() -> str | None:
    """Return a line if the server of PostgreSQL or its client is missing, else None."""
    if shutil.which("psql") and any(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
        return None
    return f"There is no PostgreSQL; on Debian and Ubuntu: {_install('postgresql')}"


def missing_mariadb() -> str | None:
    """Return a line if the server of MariaDB or its client is missing, else None."""
    if all(map(shutil.which, ("mariadb", "mariadbd", "mariadb-install-db"))):
        return None
    return f"There is no MariaDB; on Debian and Ubuntu: {_install('mariadb-server')}"


def missing_sqlite() -> str | None:
    """Return a line if SQLite's shell is missing, else None."""
    return None if shutil.which("sqlite3") else f"There is no sqlite3; on Debian and Ubuntu: {_install('sqlite3')}"


NEEDS = (
    Need("java", "Spark's tests", missing_java, COMMAND),
    Need("postgresql", "Tests that run statements on PostgreSQL", missing_postgresql, _install("postgresql")),
    Need("mariadb", "Tests that run statements on MariaDB", missing_mariadb, _install("mariadb-server")),
    Need("sqlite", "Tests that run statements in sqlite3", missing_sqlite, _install("sqlite3")),
)


def privilege() -> list[str] | None:
    """Return the words before a command that installs packages; None if it needs a password, or without apt-get."""
    if shutil.which("apt-get") is None:
        return None
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], capture_output=True, check=False).returncode == 0:  # noqa: S603
        return [sudo, "-n"]
    return None


def main(*names: str) -> None:
    """Install the missing ones of these programs, or of all; print what is still missing and how to install it."""
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
