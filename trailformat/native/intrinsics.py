"""The functions of :mod:`.loads` for compiled kernels: ``scripts.build_native`` substitutes this module for it.

This module needs numba and is imported nowhere else. Kernels take addresses, because numba counts the references of an
array at every call, and because a caller without numba can only pass plain integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

AHEAD = 6
"""Number of rows by which the bytes of scattered rows are prefetched."""
Function = TypeVar("Function", bound=Callable[..., Any])


def inlined(function: Function) -> Function:
    """Compile a function that is inlined into the kernels that call it."""
    compiled: Function = njit(forceinline=True, error_model="numpy")(function)
    return compiled


def _intrinsic(function: Callable[..., Any]) -> Any:
    return intrinsic(function)


def _pointer(context: Any, builder: Any, place: Any, word: Any) -> Any:
    """Return a pointer to an element of a byte array, not a cast address: only so LLVM sees neighbours in a loop."""
    address, offset = place
    octets = builder.inttoptr(address, context.get_value_type(types.int8).as_pointer())
    return builder.bitcast(builder.gep(octets, [offset]), word.as_pointer())


def _prefetch_type(pointer: Any) -> Any:
    word = ir.IntType(32)
    return ir.FunctionType(ir.VoidType(), [pointer, word, word, word])


def _loader(bits: int) -> Any:
    @_intrinsic
    def load(_context: Any, data: Any, at: Any) -> Any:  # noqa: ARG001 - numba matches them by name
        def generate(_context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            word = _context.get_value_type(signature.return_type)
            return builder.load(_pointer(_context, builder, arguments, word), align=1)

        return getattr(types, f"uint{bits}")(types.int64, types.int64), generate

    return load


def _storer(bits: int) -> Any:
    @_intrinsic
    def store(_context: Any, data: Any, at: Any, value: Any) -> Any:  # noqa: ARG001 - numba matches them by name
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            address, offset, number = arguments
            word = _context.get_value_type(getattr(types, f"int{bits}"))
            pointer = _pointer(_context, builder, (address, offset), word)
            builder.store(number if bits == 64 else builder.trunc(number, word), pointer, align=1)
            return _context.get_dummy_value()

        return types.void(types.int64, types.int64, types.int64), generate

    return store


@_intrinsic
def fetch(_context: Any, data: Any, at: Any) -> Any:  # noqa: ARG001 - numba matches them by name
    """Prefetch the byte at an offset into the cache; the address need not be valid."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer = _pointer(_context, builder, arguments, _context.get_value_type(types.int8))
        number = _context.get_constant
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], _prefetch_type(pointer.type))
        builder.call(prefetch, [pointer, *(number(types.int32, value) for value in (0, 3, 1))])
        return _context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


load64 = _loader(64)
_load32 = _loader(32)
_load16 = _loader(16)
_load8 = _loader(8)
"""Load the little-endian integer at an offset, aligned or not."""
store64 = _storer(64)
store32 = _storer(32)
store16 = _storer(16)
store8 = _storer(8)
"""Store the low bits of an int64 at an offset."""
n64 = load64


@inlined
def _swapped64(word: Any) -> Any:
    high = np.uint64(0x00FF00FF00FF00FF)
    word = ((word >> np.uint64(8)) & high) | ((word & high) << np.uint64(8))
    high = np.uint64(0x0000FFFF0000FFFF)
    word = ((word >> np.uint64(16)) & high) | ((word & high) << np.uint64(16))
    return (word >> np.uint64(32)) | (word << np.uint64(32))


@inlined
def i64(data: int, at: int) -> Any:
    """Return the signed 64-bit integer at an offset, in the machine's byte order."""
    return np.int64(load64(data, at))


@inlined
def put64(data: int, at: int, word: Any) -> None:
    """Store eight bytes of a text, as ``load64`` returns them, at an offset."""
    store64(data, at, np.int64(word))


@inlined
def n32(data: int, at: int) -> Any:
    """Return the unsigned 32-bit integer at an offset, in the machine's byte order."""
    return np.int64(_load32(data, at))


@inlined
def i32(data: int, at: int) -> Any:
    """Return the signed 32-bit integer at an offset, in the machine's byte order."""
    return np.int64(np.int32(np.uint32(_load32(data, at))))


@inlined
def u64(data: int, at: int, little: int) -> Any:
    """Return eight bytes as an unsigned integer."""
    word = load64(data, at)
    return word if little else _swapped64(word)


@inlined
def u32(data: int, at: int, little: int) -> Any:
    """Return four bytes as an unsigned integer."""
    word = np.int64(_load32(data, at))
    if little:
        return word
    return (word >> 24) | ((word >> 8) & 0xFF00) | ((word << 8) & 0xFF0000) | ((word << 24) & 0xFF000000)


@inlined
def u16(data: int, at: int, little: int) -> Any:
    """Return two bytes as an unsigned integer."""
    word = np.int64(_load16(data, at))
    return word if little else (word >> 8) | ((word << 8) & 0xFF00)


@inlined
def u8(data: int, at: int) -> Any:
    """Return the byte at an offset."""
    return np.int64(_load8(data, at))
