"""The kernels, ready to be called: loaded from the user's cache by llvmlite, which takes a tenth of numba's time.

numba itself is loaded where the cache has none, to compile them. A call releases the interpreter's lock.
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from trailformat.scan.kernels import cache as kernel_cache

Kernel = Callable[..., int]

_ARGUMENTS = {"fill": 8, "count": 8, "find": 6, "carry": 7, "gather": 6, "mark_rows": 5}
"""How many int64 each kernel takes."""


@cache
def kernels() -> dict[str, Kernel]:
    """Each kernel by its name.

    Raises:
        ImportError: they are not in the cache and numba, which would compile them, cannot be loaded.
    """
    machine = _machine()
    path = kernel_cache.kept(f"{llvmlite.__version__} {machine.triple} {_processor()}")
    code = kernel_cache.read(path) if path else None
    if code is None:
        from trailformat.scan.kernels.compiler import compile_kernels  # noqa: PLC0415 - it loads numba

        code = compile_kernels(machine)
        if path:
            kernel_cache.keep(path, code)
    return _loaded(code, machine)


def _processor() -> tuple[str, str]:
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _machine() -> Any:
    with contextlib.suppress(RuntimeError):
        # newer releases do this by themselves, and say so with an error
        llvm.initialize()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    name, features = _processor()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=name, features=features, opt=3, reloc="pic", codemodel="jitdefault", jit=True
    )


_engines: list[Any] = []
"""What owns the code; never let go, because functions into it may be held anywhere."""


def _loaded(code: bytes, machine: Any) -> dict[str, Kernel]:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    return {name: _callable(engine.get_function_address(name), number) for name, number in _ARGUMENTS.items()}


def _callable(address: int, number: int) -> Kernel:
    pointer, word = ctypes.c_void_p, ctypes.c_int64
    function = ctypes.CFUNCTYPE(ctypes.c_int32, pointer, pointer, *[word] * number)(address)

    def kernel(*arguments: int) -> int:
        result, exception = word(), pointer()
        function(ctypes.byref(result), ctypes.byref(exception), *arguments)
        return result.value

    return kernel
