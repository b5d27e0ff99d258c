"""Kernels as an object file, by numba; only where none is kept is this, and numba, loaded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import llvmlite.binding as llvm
from numba import njit


def compile_kernels(kernels: Sequence[Callable[..., int]], machine: Any) -> bytes:
    """The object file of kernels for a machine, each under its own name.

    A kernel takes int64 and returns one. As numba has it, the function of that name takes two addresses before: of the
    result, and of where an exception would be noted, which no kernel raises; it returns 0.
    """
    whole = llvm.parse_assembly("")
    for kernel in kernels:
        whole.link_in(_module(kernel))
    return bytes(machine.emit_object(whole))


def argument_count(kernel: Callable[..., int]) -> int:
    """The number of int64 that a kernel takes."""
    return len(inspect.signature(kernel).parameters)


def _module(kernel: Callable[..., int]) -> Any:
    arguments = ", ".join(["int64"] * argument_count(kernel))
    options = {"nogil": True, "error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: Any = njit(f"int64({arguments})", **options)(kernel)
    (signature,) = compiled.signatures
    module = llvm.parse_assembly(compiled.inspect_llvm(signature))
    module.get_function(compiled.overloads[signature].fndesc.llvm_func_name).name = kernel.__name__
    return module
