"""A layer under the reads and writes of this process: every call is counted, and one of them fails.

The seam is the module ``os`` and what opens files: whatever the program asks of the system by Python goes there.
Imports do not, nor does what other libraries ask by themselves; for those there is ``strace``.
"""

from __future__ import annotations

import builtins
import errno
import fcntl
import io
import mmap
import os
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import trailformat.trail.file as trail_file
from trailformat.codec.mapped_file import MappedFile

_READS = ("read", "pread", "preadv", "readinto", "readall")
_WRITES = ("write", "pwrite", "copy_file_range")
_NAMES = ("open", "mkdir", "unlink", "remove", "rmdir", "rename", "replace", "link", "chmod", "scandir", "listdir")
_LOOKS = ("stat", "lstat", "fstat", "readlink", "dup")
_OTHERS = ("fsync", "close", "setxattr", "flock", "mmap")
CUTS = ("empty", "half")
"""Not the call fails, but each trail is cut while it is made."""


def failures_of(call: str) -> tuple[str, ...]:
    """What may happen to a call. EINTR is not among it: Python makes such a call again by itself (PEP 475)."""
    if call in _WRITES:
        return "EIO", "ENOSPC", "EFBIG", "SHORT", "ENOSPC again"
    if call in {"unlink", "rmdir", "remove", "scandir"}:
        return "EIO", "EACCES", "EIO again"
    if call in _READS:
        return "EIO", "SHORT", *CUTS
    if call in {"fsync", "close"}:
        return "EIO", "ENOSPC"
    if call in {"open", "mkdir", "link", "rename", "replace", "setxattr"}:
        return "EIO", "EACCES", "ENOSPC", "EIO again"
    return "EIO", "EACCES"


class Call(NamedTuple):
    """A call by its name, and its number among those of that name: threads mix those of different names."""

    name: str
    number: int


class Layer:
    """The calls so far, and the one that fails.

    Args:
        failing: the call that fails; None: none does.
        failure: the name of an error number, SHORT, or one of CUTS; with ``again`` all later such calls fail too.
        trails: the files that are cut.
    """

    def __init__(self, failing: Call | None = None, failure: str = "", trails: tuple[Path, ...] = ()) -> None:
        self.calls: list[str] = []
        self._made: Counter[str] = Counter()
        self._to_fail = failing
        self._failure = failure.removesuffix(" again")
        self._failing = ""
        self._is_again = failure.endswith(" again")
        self._trails = trails
        self._real = {name: getattr(os, name) for name in (*_READS[:3], *_WRITES, *_NAMES, *_LOOKS, *_OTHERS[:3])}

    def put(self) -> None:
        """Go under this process for the rest of its life."""
        for name, real in self._real.items():
            setattr(os, name, self._counted(name, real))
        fcntl.flock = self._counted("flock", fcntl.flock)
        io.open = builtins.open = self._opened
        vars(trail_file)["MappedFile"] = self._mapped_file()
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(self._file_class()(1, "w", closefd=False)), encoding="utf-8")

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **more: Any) -> Any:
            happens = self._happens(name)
            if happens == "SHORT":
                return self._short(name, real, arguments)
            if happens == "close":
                real(*arguments)
            if happens is not None and happens not in CUTS:
                raise OSError(getattr(errno, self._failure), os.strerror(getattr(errno, self._failure)))
            return real(*arguments, **more)

        return call

    def _happens(self, name: str) -> str | None:
        """What happens to the call that is made now; None: nothing."""
        call = Call(name, self._made[name])
        self._made[name] += 1
        self.calls.append(name)
        if call == self._to_fail:
            self._failing = name if self._is_again else ""
        elif name != self._failing:
            return None
        if self._failure in CUTS:
            for trail in self._trails:
                size = self._real["stat"](trail).st_size
                os.truncate(trail, 0 if self._failure == "empty" else size // 2)
        return self._failure if name != "close" else "close"

    def _short(self, name: str, real: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Half of what was asked for, and one byte at least."""
        if name in {"read", "pread"}:
            file, size, *rest = arguments
            return real(file, (size + 1) // 2, *rest)
        if name == "preadv":
            file, (buffer,), offset = arguments
            return real(file, [buffer[: (len(buffer) + 1) // 2]], offset)
        if name == "copy_file_range":
            source, target, size, *rest = arguments
            return real(source, target, (size + 1) // 2, *rest)
        file, data, *rest = arguments
        return real(file, data[: (len(data) + 1) // 2], *rest)

    def _file_class(self) -> type[io.FileIO]:
        layer = self

        class File(io.FileIO):
            """A file whose calls are counted."""

            def read(self, size: int | None = -1) -> bytes:
                if size is None or size < 0:
                    return self.readall()
                data = bytearray(size)
                return bytes(data[: self.readinto(data)])

            def readinto(self, buffer: Any) -> int:
                return _counted_into(layer, lambda view: super(File, self).readinto(view), buffer)

            def readall(self) -> bytes:
                layer._counted("readall", lambda: None)() if layer._failure != "SHORT" else layer._happens("readall")
                return super().readall()

            def write(self, data: Any) -> int:
                view = memoryview(data).cast("B")
                if stat.S_ISCHR(layer._real["fstat"](self.fileno()).st_mode):
                    return super().write(view)
                happens = layer._happens("write")
                if happens == "SHORT":
                    return super().write(view[: (len(view) + 1) // 2])
                if happens is not None and happens not in CUTS:
                    number = getattr(errno, layer._failure)
                    raise OSError(number, os.strerror(number))
                return super().write(view)

        return File

    def _opened(
        self,
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        raw_mode = mode.replace("b", "").replace("t", "")
        self._counted("open" if not isinstance(file, int) else "fstat", lambda: None)()
        raw = self._file_class()(file, raw_mode, closefd, opener)
        if buffering == 0:
            return raw
        if "+" in raw_mode:
            binary: Any = io.BufferedRandom(raw)
        else:
            binary = io.BufferedReader(raw) if raw_mode == "r" else io.BufferedWriter(raw)
        return binary if "b" in mode else io.TextIOWrapper(binary, encoding, errors, newline)

    def _mapped_file(self) -> type[Any]:
        layer, real = self, MappedFile

        class Mapped(real):  # type: ignore[misc, valid-type]
            """A mapping that is counted."""

            def __new__(cls, *arguments: Any, **more: Any) -> Any:
                return layer._counted("mmap", mmap.mmap.__new__)(cls, *arguments, **more)

        return Mapped


def _counted_into(layer: Layer, readinto: Callable[[memoryview], int], buffer: Any) -> int:
    view = memoryview(buffer).cast("B")
    happens = layer._happens("readinto")
    if happens == "SHORT":
        view = view[: (len(view) + 1) // 2]
    elif happens is not None and happens not in CUTS:
        number = getattr(errno, layer._failure)
        raise OSError(number, os.strerror(number))
    return readinto(view)


def trials(calls: Iterable[str]) -> Iterator[tuple[Call, str]]:
    """Each call with each failure that may happen to it."""
    made: Counter[str] = Counter()
    for name in calls:
        for failure in failures_of(name):
            yield Call(name, made[name]), failure
        made[name] += 1
