"""A trail whose bytes are written over in place while a command reads it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from logdump.features.export import batch_walk, record_lines
from tests.logdump.line import Line
from trailformat import TrailFile
from trailformat.codec import mapped_file
from trailformat.codec.mapped_file import MappedFile
from trailformat.records.record_header import HEADER_SIZE, PLACES

_HEADER_AT = 8
"""Behind the frame of a record and that of its header."""
NONSENSE = (b"\xff", b"\0", b"\x7f", b"G")


@cache
def places(path: Path) -> dict[str, list[range]]:
    """The bytes of each field in all records but the first, by the name of the field."""
    found: dict[str, list[range]] = {}
    with TrailFile(path) as trail:
        records = [trail_record for trail_record in trail.records() if not trail_record.is_file_header]
    for record in records:
        rba = record.rba
        fields = {name: range(place.start, place.end) for name, place in PLACES.items()}
        fields = {name: range(_HEADER_AT + at.start, _HEADER_AT + at.stop) for name, at in fields.items()}
        fields |= {"frame": range(1), "info": range(1, 2), "length": range(2, 4), "header frame": range(4, 8)}
        fields |= {"name": range(_HEADER_AT + HEADER_SIZE, _HEADER_AT + HEADER_SIZE + 2)}
        data = record.raw.find(record.data, _HEADER_AT) if record.data else 0
        if data:
            fields |= {"data frame": range(data - 4, data), "column": range(data, data + 2)}
            fields |= {"column length": range(data + 2, data + 4), "value": range(data + 4, data + 8)}
            fields |= {"data": range(data, data + len(record.data))}
        end = record.length
        fields |= {"trailer": range(end - 4, end), "tokens": range(data + len(record.data), end - 4)}
        for name, at in fields.items():
            found.setdefault(name, []).append(range(rba + at.start, min(rba + at.stop, rba + end)))
    return found


class Overwriting:
    """Writes over places of a file after a number of reads of any file."""

    def __init__(self, path: Path, at: list[range], byte: bytes, after: int) -> None:
        self._path, self._at, self._byte, self._left = path, at, byte, after
        self.is_done = False

    def note_read(self) -> None:
        """Count a read; the last one is followed by the writing."""
        self._left -= 1
        if self._left == 0:
            with self._path.open("r+b") as file:
                for place in self._at:
                    file.seek(place.start)
                    file.write(self._byte * len(place))
            self.is_done = True


@contextmanager
def overwriting(overwrite: Overwriting) -> Iterator[None]:
    """Every read of a trail is counted."""
    copy, read_into = MappedFile.copy, mapped_file.read_into

    def counted_copy(self: MappedFile, start: int, stop: int) -> bytes:
        made = copy(self, start, stop)
        overwrite.note_read()
        return made

    def counted_read(*arguments: Any) -> int:
        made = read_into(*arguments)
        overwrite.note_read()
        return made

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(MappedFile, "copy", counted_copy)
        patched.setattr(mapped_file, "read_into", counted_read)
        yield


def run(source: Path, folder: Path, command: str, field: str, byte: bytes, after: int) -> bool:
    """Run a command on a copy of a trail that is written over after some reads; returns whether it came to that."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    path = folder / source.name
    shutil.copyfile(source, path)
    line = Line()
    line(f"open {path}; notify 3")
    overwrite = Overwriting(path, places(source)[field], byte, after)
    with pytest.MonkeyPatch.context() as patched, overwriting(overwrite):
        patched.setattr(batch_walk, "_ROWS", 3)
        patched.setattr(record_lines, "_MOST_BYTES", 300)
        line(command.replace("OUT", str(folder / "out")))
    line.session.close()
    return overwrite.is_done
