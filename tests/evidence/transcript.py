"""Reading Logdump's transcripts: the blocks that display a record, and the bytes that can be had from them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

PROMPT = re.compile(r"Logdump ?\d+ ?>")
HEX_LINE = re.compile(r" ?((?:[0-9a-f]{2,} ?)+?) *\| .*|.*\|$")
RECORD_LINE = re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d\.\d{3}\.\d{3} +(\S+) +Len +(\d+) RBA (\d+)")
TOKEN_LINE = re.compile(r"TokenID x(..) '.' .*Info x(..)  Length +(\d+)")


@dataclass(frozen=True)
class Block:
    """The lines that display one record, trimmed on the right."""

    lines: tuple[str, ...]

    def matching(self, pattern: str) -> re.Match[str]:
        """The first line that begins with ``pattern``."""
        for line in self.lines:
            if found := re.match(pattern, line):
                return found
        raise LookupError(pattern)

    @property
    def rba(self) -> int:
        """The RBA in the record line."""
        return int(self.matching(RECORD_LINE.pattern)[3])

    @property
    def length(self) -> int:
        """The Len of the record line."""
        return int(self.matching(RECORD_LINE.pattern)[2])

    def dump_after(self, start: int) -> bytes:
        """The bytes of the hex lines that follow line ``start``."""
        data = b""
        for line in self.lines[start + 1 :]:
            found = HEX_LINE.fullmatch(line)
            if not found:
                break
            data += bytes.fromhex(line.split("|")[0])
        return data

    def dump_after_line(self, pattern: str) -> bytes:
        """The bytes of the hex lines that follow the first line that begins with ``pattern``."""
        return self.dump_after(next(at for at, line in enumerate(self.lines) if re.match(pattern, line)))

    def index(self, text: str) -> int:
        """The number of the first line that reads ``text``, or the number of lines."""
        return self.lines.index(text) if text in self.lines else len(self.lines)


def blocks(path: Path) -> list[Block]:
    """The blocks of a transcript, cut at prompts and at the collector's own lines."""
    found: list[list[str]] = [[]]
    for line in path.read_text(encoding="utf-8").splitlines():
        if PROMPT.match(line) or line.startswith("#"):
            found.append([])
        else:
            found[-1].append(line.rstrip())
    cut = [Block(tuple(_without_head(lines))) for lines in found]
    return [block for block in cut if any(RECORD_LINE.match(line) for line in block.lines)]


def _without_head(lines: list[str]) -> list[str]:
    """The lines from the first that is not blank on; blank lines at the end are Logdump's."""
    while lines and not lines[0]:
        lines = lines[1:]
    return lines
