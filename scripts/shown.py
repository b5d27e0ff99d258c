"""Commands in the documents with their output: blocks that begin with ``$ logdump``.

Such a block is a fence of the language ``console``. Each command is run in the folder of the repository, and is
followed by its output.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from scripts.marked import ROOT

HOME = "/home/me/logdump"
"""Replaces the folder of the repository in the output."""
ENVIRONMENT = {"TZ": "GMT", "LOGDUMP_HISTORY": "", "COLUMNS": "120", "SOURCE_DATE_EPOCH": "1710409267"}
"""Variables of the commands."""
_BLOCK = re.compile(r"^```console\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)
_WIDEST = 160
"""Maximum length of a line of output; longer lines are cut, and end with ``…``."""


def documents() -> list[Path]:
    """Return the pages that may have such blocks."""
    return sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def updated(
    text: str,
    *,
    programs: Path = Path(sys.executable).parent,
    folder: Path = ROOT,
    run: Callable[[str], str] | None = None,
) -> str:
    """Return the text of a page with the current output of its commands.

    Args:
        text: the text of the page.
        programs: folder that comes first on the path of the commands.
        folder: folder in which the commands are run.
        run: what a command prints there; by default a shell runs it.
    """
    answer = run or partial(_run_in_a_shell, programs=programs, folder=folder)

    def block(match: re.Match[str]) -> str:
        commands = [line for line in match[1].splitlines() if line.startswith("$ ")]
        lines = "\n".join(f"{line}\n{_output(answer(line.removeprefix('$ ')), folder)}" for line in commands)
        return f"```console\n{lines}```"

    return _BLOCK.sub(block, text)


def _run_in_a_shell(command: str, programs: Path, folder: Path) -> str:
    """Return what a command prints, including standard error."""
    path = f"{programs}:{os.environ['PATH']}"
    done = subprocess.run(  # noqa: S603
        ["/bin/bash", "-c", f"exec 2>&1; {command}"],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout


def _output(printed: str, folder: Path) -> str:
    """Return what was printed in a folder as the page shows it."""
    lines = [line.replace(str(folder), HOME).rstrip() for line in printed.splitlines()]
    return "".join(f"{_shortened(line)}\n" for line in lines)


def _shortened(line: str) -> str:
    return line if len(line) <= _WIDEST else f"{line[: _WIDEST - 1]}…"


def main() -> None:
    """Write the output into the pages."""
    for page in documents():
        text = page.read_text(encoding="utf-8")
        if (new := updated(text)) != text:
            page.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
