"""Access to the kernels: machine code if there is a library for this machine, else interpreted.

A library is used only if its note shows that it was built from the sources in this package and that its bytes are
intact: the system's loader crashes on a truncated file. A call releases the interpreter's lock. Without a library the
same sources are interpreted, some hundred times as slow. The note has:

sources 3d0c...         SHA-256 of the kernels' sources and of the numbers of the format that are compiled in
library 91fe...         SHA-256 of the library
processor x86-64-v2     the oldest processor that runs it
made_by logdump 0.1.0, numba 0.68.1
kernel fill 8           a kernel and the number of its arguments
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pkgutil
import sys
from array import array
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from trailformat.codec.on_demand import on_demand
from trailformat.native import constants

with on_demand:
    import tempfile

    import numpy as np

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


LIBRARY, NOTE = "native/kernels.so", "native/kernels.txt"
"""The library and its note, in the package."""
SOURCES = ("native", "native/scan", "native/arrays")
"""Folders of the kernels' sources, in the package."""


_MACHINE_AT = 18
"""Offset in an ELF file of the kind of machine that it is for."""
_MACHINES = {b"\x3e\0": "x86_64", b"\xb7\0": "aarch64"}
"""Kinds of machine, as the system calls them, by these bytes."""


class LibraryNote(NamedTuple):
    """The contents of the note."""

    sources: str
    library: str
    processor: str
    made_by: str
    kernels: dict[str, int]

    def is_of(self, code: bytes) -> bool:
        """Return whether these are the bytes of the library."""
        return hashlib.sha256(code).hexdigest() == self.library

    def __str__(self) -> str:
        lines = [f"{name} {getattr(self, name)}" for name in self._fields[:-1]]
        return "\n".join([*lines, *(f"kernel {name} {count}" for name, count in self.kernels.items()), ""])


def read_note(text: str) -> LibraryNote:
    """Return the note in a text.

    Raises:
        ImportError: the text is not a note.
    """
    try:
        lines = [line.split(" ", 1) for line in text.splitlines()]
        kernels = {name: int(count) for word, rest in lines if word == "kernel" for name, count in [rest.split()]}
        return LibraryNote(**{word: rest for word, rest in lines if word != "kernel"}, kernels=kernels)
    except (TypeError, ValueError) as error:
        raise ImportError("the note of the kernel library cannot be read") from error


def source_digest(package: Traversable | None = None) -> str:
    """Return the SHA-256 of the kernels' sources in a package, by default this one, and of the numbers compiled in."""
    digest = hashlib.sha256(constants.values().encode())
    for folder in SOURCES:
        sources = (package or _package()).joinpath(folder)
        for source in sorted(sources.iterdir(), key=lambda source: source.name):
            if source.name.endswith(".py"):
                digest.update(source.name.encode() + b"\n" + source.read_bytes())
    return digest.hexdigest()


def _package() -> Traversable:
    folder = Path(__file__).parents[1]
    if folder.is_dir():
        return folder
    from importlib.resources import files  # noqa: PLC0415 - only for a package in a zip

    return files("trailformat")


Kernel = Callable[..., int]
HOW_TO_GET_THEM = "make native, or pip install where there is a C compiler"
"""How to build the library, for messages to users."""


def kernels() -> dict[str, Kernel]:
    """Return each kernel by name."""
    return native_kernels() if why_interpreted() is None else interpreted_kernels()


@cache
def why_interpreted() -> str | None:
    """Return the reason why there is no machine code, in a few words; None if there is."""
    try:
        native_kernels()
    except (ImportError, OSError) as error:
        return str(error)
    return None


@cache
def interpreted_kernels() -> dict[str, Kernel]:
    """Return each interpreted kernel by name; words of 64 bits wrap around without a warning."""
    from trailformat.native.library import KERNELS  # noqa: PLC0415 - it needs numpy

    return {kernel.__name__: _wrapping(kernel) for kernel in KERNELS}


def _wrapping(kernel: Kernel) -> Kernel:
    @wraps(kernel)
    def run(*arguments: int) -> int:
        with np.errstate(over="ignore"):
            return int(kernel(*arguments))

    return run


@cache
def native_kernels() -> dict[str, Kernel]:
    """Return each kernel in the library by name.

    Raises:
        ImportError: there is no library, or it was built from other sources or for other processors.
        OSError: the system cannot load it.
    """
    if sys.byteorder != "little":
        raise ImportError("the kernel library is for little-endian machines")
    note = library_note()
    if note.sources != source_digest():
        raise ImportError("the kernel library was built from other sources")
    library = _opened(note)
    if not library["runs_here"]():
        raise ImportError(f"the kernel library needs a processor like {note.processor}")
    return {name: _callable(library, name, count) for name, count in note.kernels.items()}


def library_note() -> LibraryNote:
    """Return the note of the library; raises ImportError if there is none."""
    return read_note(_data(NOTE).decode(errors="replace"))


def _data(name: str) -> bytes:
    try:
        return pkgutil.get_data("trailformat", name) or b""
    except OSError as error:
        raise ImportError("the kernel library was not built") from error


def _opened(note: LibraryNote) -> ctypes.CDLL:
    code = _data(LIBRARY)
    if not note.is_of(code):
        raise ImportError("the kernel library does not match its note (checksum)")
    built_for = _MACHINES.get(code[_MACHINE_AT : _MACHINE_AT + 2], os.uname().machine)
    if built_for != os.uname().machine:  # glibc would say that there is no such file
        raise ImportError(f"the kernel library is for {built_for}, and this machine is {os.uname().machine}")
    path = Path(__file__).parents[1] / LIBRARY
    if path.is_file():
        return ctypes.CDLL(str(path))
    # the package is in a zip (Spark's --py-files): the library is loaded from a copy that only this user can write
    with tempfile.NamedTemporaryFile(suffix=".so") as copy:
        copy.write(code)
        copy.flush()
        return ctypes.CDLL(copy.name)


def _callable(library: ctypes.CDLL, name: str, number: int) -> Kernel:
    pointer, word = ctypes.c_void_p, ctypes.c_int64
    function = library[name]
    function.restype, function.argtypes = ctypes.c_int32, [pointer, pointer, *[word] * number]

    def kernel(*arguments: int) -> int:
        result = word()
        # nothing is written to the second address, because no kernel raises
        function(ctypes.byref(result), None, *arguments)
        return result.value

    return kernel


def address_of(numbers: array[int]) -> int:
    """Return the address of the numbers, valid until one is appended."""
    return numbers.buffer_info()[0]


def address_of_bytes(data: bytes) -> int:
    """Return the address of bytes, valid as long as they are referenced."""
    return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
