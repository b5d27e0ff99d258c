"""Java for Spark's tests: ``python -m scripts.provide_java`` installs Debian's where it may, or says how to.

Nothing fails here: without Java those tests are skipped, and pytest says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from logdump.spark.java import COMMAND, missing_java


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


def main() -> None:
    """Install it, or say what to run."""
    missing = missing_java()
    front = privilege() if missing else None
    if front is not None:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in ("apt-get update", COMMAND):
            subprocess.run([*front, *command.split()], env=environment, check=False)  # noqa: S603 - our own commands
        missing = missing_java()
    if missing is not None:
        sys.stderr.write(f"{missing}\nSpark's tests are skipped.\n")


if __name__ == "__main__":
    main()
