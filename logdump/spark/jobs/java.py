"""The Java that Spark would start: 17 or later is needed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

LEAST = 17
COMMAND = "apt-get install --yes default-jre-headless"
"""What installs it on Debian and Ubuntu, as root."""


def java_version() -> int | None:
    """The major version of the Java in JAVA_HOME, or else on the PATH; None when there is none that runs."""
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
    """One line on the Java that is missing and how to get it; None when Spark can start."""
    version = java_version()
    if version is not None and version >= LEAST:
        return None
    there = "there is none" if version is None else f"this is {version}"
    return f"Spark needs Java {LEAST} or later, and {there}; on Debian and Ubuntu: {COMMAND}"
