"""Indexes kept as files, one for each trail file, told by its path, size and modification time.

    logdump index 1 0123abcd       the number of this layout, CRC-32 of the rest
    {"path": …, "size": …, "mtime_ns": …, "places": {…}, "sums": {…} or null}

Columns in the second line are base64. A file that reads otherwise, or tells of another state of the trail, is no index:
it costs nothing but going over the trail again.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import zlib
from pathlib import Path
from typing import Any

from trailformat.errors import NotATrail, TrailError
from trailformat.index.trail_index import TrailIndex
from trailformat.trail.file import TrailFile
from trailformat.trail.whole_file import WholeFile

MOST_BYTES = 16 << 20
"""Of one file; what would be larger is not kept."""
MOST_FILES = 200
"""In the folder; the oldest go first."""
_FIRST_LINE = b"logdump index 1 %08x\n"
_SUFFIX = ".index"
_WRONG = (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError)
"""What a JSON text of any other content leads to."""


class IndexFolder:
    """A folder of kept indexes, which is made when the first is written; its owner alone can read it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def recall(self, trail: TrailFile) -> TrailIndex | None:
        """The index that was kept of a file as it is now; None without one."""
        try:
            state = _state_of(trail)
            kept = _parse(_read(self._path(state)))
            if {name: kept[name] for name in state} != state:
                return None
            index = TrailIndex.of_state(kept)
            is_right = index.places.end == state["size"] and index.fits(trail)
        except (OSError, NotATrail, *_WRONG):
            return None
        return index if is_right else None

    def keep(self, trail: TrailFile, index: TrailIndex) -> bool:
        """Keep the index of a file, whole or not at all; only if it is complete, and the file goes by its name still.

        Sums that do not reach the end of the file are left out.
        """
        try:
            state = _state_of(trail)
            if not index.places.end == index.places.metadata_end == state["size"] or not index.fits(trail):
                return False
            body = json.dumps(state | index.state(), separators=(",", ":")).encode()
            data = _FIRST_LINE % zlib.crc32(body) + body
            if len(data) > MOST_BYTES:
                return False
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._holds(self._path(state), data):
                with WholeFile(self._path(state), replace=True, mode=0o600) as file:
                    file.write(data)
                self._drop_the_oldest()
        except (OSError, TrailError, ValueError):
            return False
        return True

    def _path(self, state: dict[str, Any]) -> Path:
        return self.folder / (hashlib.sha256(os.fsencode(state["path"])).hexdigest()[:32] + _SUFFIX)

    def _holds(self, path: Path, data: bytes) -> bool:
        try:
            return _read(path) == data
        except (OSError, ValueError):
            return False

    def _drop_the_oldest(self) -> None:
        kept = sorted(self.folder.glob(f"*{_SUFFIX}"), key=lambda path: path.stat().st_mtime_ns)
        for path in kept[: max(0, len(kept) - MOST_FILES)]:
            path.unlink(missing_ok=True)


def _state_of(trail: TrailFile) -> dict[str, Any]:
    """What tells one state of a file from another. Raises OSError, or ValueError when another has its name."""
    status = trail.path.stat()
    if not os.path.samestat(status, trail.status):
        raise ValueError("another file")
    return {"path": str(trail.path.absolute()), "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _read(path: Path) -> bytes:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
        raise ValueError("not kept by us")
    with path.open("rb") as file:
        return file.read(MOST_BYTES)


def _parse(data: bytes) -> Any:
    first, _, body = data.partition(b"\n")
    if first + b"\n" != _FIRST_LINE % zlib.crc32(body):
        raise ValueError("not an index, or damaged")
    return json.loads(body)
