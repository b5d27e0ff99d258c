"""Kernels, ready to be called: loaded from the user's cache by llvmlite, which takes a tenth of numba's time.

numba itself is loaded where the cache has none, to compile them. A call releases the interpreter's lock.
"""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from trailformat.scan.kernels import cache as kernel_cache
from trailformat.scan.kernels.machine import kept_file, this_machine

Kernel = Callable[..., int]


class Library:
    """Kernels that are compiled into one object file.

    Args:
        package: the package of their sources, whose module ``library`` lists them as ``KERNELS``.
        folder: of the package.
    """

    def __init__(self, package: str, folder: Path) -> None:
        self._package = package
        self._folder = folder

    def kernels(self) -> dict[str, Kernel]:
        """Each kernel by its name.

        Raises:
            ImportError: they are not in the cache and numba, which would compile them, cannot be loaded.
        """
        machine = this_machine()
        path = kept_file(self._folder)
        code = kernel_cache.read(path) if path else None
        if code is None:
            code = self._compiled(machine)
            if path:
                kernel_cache.keep(path, code)
        return _loaded(code, machine)

    def _compiled(self, machine: Any) -> bytes:
        from trailformat.scan.kernels import compiler  # noqa: PLC0415 - it loads numba

        kernels = importlib.import_module(f"{self._package}.library").KERNELS
        names = " ".join(f"{kernel.__name__} {compiler.argument_count(kernel)}" for kernel in kernels)
        return names.encode() + b"\n" + compiler.compile_kernels(kernels, machine)


@cache
def kernels() -> dict[str, Kernel]:
    """The kernels of the scan and of rows by their names; raises like :meth:`Library.kernels`."""
    return Library(__package__, Path(__file__).parent).kernels()


_engines: list[Any] = []
"""What owns the code; never let go, because functions into it may be held anywhere."""


def _loaded(code: bytes, machine: Any) -> dict[str, Kernel]:
    names, _, objects = code.partition(b"\n")
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(objects))
    engine.finalize_object()
    _engines.append(engine)
    words = iter(names.decode().split())
    return {
        name: _callable(engine.get_function_address(name), int(count)) for name, count in zip(words, words, strict=True)
    }


def _callable(address: int, number: int) -> Kernel:
    pointer, word = ctypes.c_void_p, ctypes.c_int64
    function = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, *[word] * number)(address)

    def kernel(*arguments: int) -> int:
        result = word()
        # nothing is written to the second address, because no kernel raises
        function(ctypes.byref(result), None, *arguments)
        return result.value

    return kernel
