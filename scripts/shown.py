"""Commands in the documents with what they print: blocks that begin with ``$ logdump``.

Such a block is a fence of the language ``console``. Each command is run in the folder of the repository, and what a
terminal would show follows it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from scripts.marked import ROOT

HOME = "/home/me/logdump"
"""Replaces the folder of the repository in the output."""
_BLOCK = re.compile(r"^```console\n(\$ .*?)^```$", re.MULTILINE | re.DOTALL)
_WIDEST = 160
"""Longer lines of output are cut, and end with ``…``."""


def documents() -> list[Path]:
    """The pages that may have such blocks."""
    return sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def updated(text: str, *, programs: Path = Path(sys.executable).parent, folder: Path = ROOT) -> str:
    """The text of a page with what its commands print today, in a folder, by the programs of another one."""

    def block(found: re.Match[str]) -> str:
        commands = [line for line in found[1].splitlines() if line.startswith("$ ")]
        lines = "\n".join(f"{line}\n{_output(line.removeprefix('$ '), programs, folder)}" for line in commands)
        return f"```console\n{lines}```"

    return _BLOCK.sub(block, text)


def _output(command: str, programs: Path, folder: Path) -> str:
    """The output of a command, standard error included."""
    path = f"{programs}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TZ": "GMT", "LOGDUMP_HISTORY": "", "COLUMNS": "120"}
    done = subprocess.run(  # noqa: S603
        ["/bin/bash", "-c", f"exec 2>&1; {command}"],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = [line.replace(str(folder), HOME).rstrip() for line in done.stdout.splitlines()]
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
