"""The kernels, ready to be called: machine code of one shared library, compiled when the package is built.

A library is used only where its note (see :mod:`trailformat.scan.kernels.note`) says that it was made of the sources in
this package and that its bytes are whole: the system's loader does not survive a file that is cut. A call releases the
interpreter's lock.
"""

from __future__ import annotations

import ctypes
import pkgutil
from collections.abc import Callable
from functools import cache
from pathlib import Path

from trailformat.scan.kernels.note import LIBRARY, NOTE, LibraryNote, read_note, source_digest

Kernel = Callable[..., int]


@cache
def kernels() -> dict[str, Kernel]:
    """Each kernel by its name.

    Raises:
        ImportError: there is no library, it was made of other sources or is for other processors.
        OSError: the system does not load it.
    """
    note = library_note()
    if note.sources != source_digest():
        raise ImportError("the library of kernels was made of other sources")
    library = _opened(note)
    if not library["runs_here"]():
        raise ImportError(f"the library of kernels needs a processor like {note.processor}")
    return {name: _callable(library, name, count) for name, count in note.kernels.items()}


def library_note() -> LibraryNote:
    """What the library says of itself; raises ImportError where there is none."""
    return read_note(_data(NOTE).decode(errors="replace"))


def _data(name: str) -> bytes:
    try:
        return pkgutil.get_data("trailformat", name) or b""
    except OSError as error:
        raise ImportError("the library of kernels was not built") from error


def _opened(note: LibraryNote) -> ctypes.CDLL:
    code = _data(LIBRARY)
    if not note.is_of(code):
        raise ImportError("the library of kernels is not what was built")
    path = Path(__file__).parents[2] / LIBRARY
    if path.is_file():
        return ctypes.CDLL(str(path))
    # the package is in a zip, as Spark's --py-files has it: the library is loaded from a copy that only we can write
    import tempfile  # noqa: PLC0415 - of a package in a zip only

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
