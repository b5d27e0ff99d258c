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


def updated(text: str) -> str:
    """The text of a page with what its commands print today."""
    return _BLOCK.sub(lambda found: f"```console\n{_block(found[1])}```", text)


def _block(text: str) -> str:
    commands = [line for line in text.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{line}\n{_output(line.removeprefix('$ '))}" for line in commands)


def _output(command: str) -> str:
    """The output of a command, standard error included."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TZ": "GMT", "LOGDUMP_HISTORY": "", "COLUMNS": "120"}
    done = subprocess.run(  # noqa: S603
        ["/bin/bash", "-c", f"exec 2>&1; {command}"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    lines = [line.replace(str(ROOT), HOME).rstrip() for line in done.stdout.splitlines()]
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
