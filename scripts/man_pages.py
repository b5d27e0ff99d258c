"""The manual page ``man/logdump.1``, generated from the texts of ``--help`` and HELP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from logdump import __version__
from logdump.commands import REGISTRY
from logdump.commands.help import explanation

MAN = Path(__file__).parents[1] / "man"
_HEADING = re.compile(r"(?P<title>[a-z][a-z ]*):$")


def pages() -> dict[str, str]:
    """Return all pages by file name."""
    return {"logdump.1": "\n".join(_page()) + "\n"}


def _page() -> Iterator[str]:
    yield f'.TH LOGDUMP 1 "" "logdump {__version__}"'
    yield from (".SH NAME", "logdump \\- read Oracle GoldenGate trail files")
    yield from (".SH DESCRIPTION", ".nf")
    for line in _help().splitlines():
        if heading := _HEADING.match(line):
            yield from (".fi", f".SH {heading['title'].upper()}", ".nf")
        else:
            yield _plain(line)
    yield ".fi"
    yield ".SH COMMANDS"
    for command in REGISTRY.commands:
        first, *rest = explanation(command)
        yield from (".TP", f".B {_plain(first)}", ".nf", *_lines(rest), ".fi")


def _help() -> str:
    """Return the output of ``logdump --help``, 80 columns wide."""
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    command = [sys.executable, "-m", "logdump", "--help"]
    done = subprocess.run(command, capture_output=True, check=True, cwd=MAN.parent, env=environment)  # noqa: S603 - our own
    return done.stdout.decode()


def _lines(lines: Iterable[str]) -> Iterator[str]:
    return (_plain(line.strip()) for line in lines)


def _plain(line: str) -> str:
    r"""Return a line as source of troff, with backslashes, hyphens and a leading dot or quote escaped."""
    text = line.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text[:1] in (".", "'") else text


def main() -> None:
    """Write the pages."""
    MAN.mkdir(exist_ok=True)
    for name, text in pages().items():
        (MAN / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
