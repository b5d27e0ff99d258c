"""The Java that Spark would start: Spark needs 17 or later."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

LEAST = 17
COMMAND = "apt-get install --yes default-jre-headless"
"""Command that installs Java on Debian and Ubuntu, as root."""


def java_version() -> int | None:
    """Return the major version of the Java in JAVA_HOME, or else on the PATH; None if none can be run."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java", path=str(Path(home) / "bin")) if home else shutil.which("java")
    if program is None:
        return None
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)', done.stderr)
    return int(match[1]) if match else None


def missing_java() -> str | None:
    """Return a line about the missing Java and how to install it; None if Spark can start."""
    version = java_version()
    if version is not None and version >= LEAST:
        return None
    there = "there is none" if version is None else f"this is {version}"
    return f"Spark needs Java {LEAST} or later, and {there}; on Debian and Ubuntu: {COMMAND}"
