"""Values that are ordinary for their type as texts, made by a kernel; what is not is left null."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.arrays.array_types import ANY_SIZE, ArrayType, DecodePath
from trailformat.arrays.stored import KernelArray, StoredColumn
from trailformat.arrays.strings import Strings
from trailformat.native.arrays.arguments import (
    FOUND_HIGH,
    FOUND_MISSING,
    FOUND_SIZE,
    FOUND_UNDECIDED,
    P_DOUBLES_QUOTES,
    P_FORM,
    P_IS_SIGNED,
    P_IS_UPPER,
    P_MOST,
    P_ODD,
    P_OPENING,
    P_SCALE,
    P_TEXTS,
    P_WIDTH,
    SPARE,
    SPELL_BYTES,
    SPELL_DATES,
    SPELL_INTEGERS,
    SPELL_MOMENTS,
    SPELL_NUMBERS,
    SPELL_TEXTS,
    SPELLING_SIZE,
)
from trailformat.native.loaded import kernels
from trailformat.scan.rows.row_bytes import Array

_ASCII = 0x80
_FORMS = {
    DecodePath.TEXT: SPELL_TEXTS,
    DecodePath.ASCII: SPELL_TEXTS,
    DecodePath.NUMBER: SPELL_NUMBERS,
    DecodePath.INTEGER: SPELL_INTEGERS,
    DecodePath.DATE: SPELL_DATES,
    DecodePath.MOMENT: SPELL_MOMENTS,
    DecodePath.BYTES: SPELL_BYTES,
}
_LONGEST = {SPELL_INTEGERS: 48, SPELL_MOMENTS: 32}
"""More bytes than a value has that may become longer than it is stored."""
_GROWTH = {SPELL_INTEGERS: 0, SPELL_MOMENTS: 0, SPELL_BYTES: 2}
"""Bytes that a stored one becomes, where that is not one."""


class TextForm(NamedTuple):
    """The way ordinary values of one kind are written.

    Attributes:
        around: what stands before and behind each; ``other`` for texts beyond ASCII, and moments with a fraction.
        most: bytes of a value; longer ones are not ordinary.
        odd: uint8[256], marks the characters of texts that are not ordinary: besides backslash and quote none that is
            printable; None for none.
        is_printable: whether texts with characters that are not printable are not ordinary.
        doubles_quotes: whether single quotes in texts stand twice.
        is_upper: whether bytes are in capitals.
    """

    around: tuple[bytes, bytes] = (b"", b"")
    other: tuple[bytes, bytes] = (b"", b"")
    most: int = ANY_SIZE
    odd: Array | None = None
    is_printable: bool = False
    doubles_quotes: bool = False
    is_upper: bool = False


def can_be_spelled(target: ArrayType) -> bool:
    """Whether there is a kernel for values of a type."""
    return target.path in _FORMS


def spelled(column: StoredColumn, form: TextForm) -> KernelArray[Strings]:
    """The texts of a column; when some of them are not right, every one with a byte beyond ASCII is left out."""
    made, has_high = _spelled(column, form)
    if not has_high or _are_right(made.array, column.target, form):
        return made
    without = column._replace(sizes=column.sizes.copy())
    described = without.described()
    kernels()["drop_high_bytes"](described.ctypes.data)
    return _spelled(without, form)[0]


def _are_right(texts: Strings, target: ArrayType, form: TextForm) -> bool:
    """Whether the bytes beyond ASCII of texts are characters that are ordinary."""
    if target.path is not DecodePath.TEXT:
        return False
    return texts.are_utf_8() and (
        not form.is_printable or texts.data[texts.data >= _ASCII].tobytes().decode().isprintable()
    )


def _spelled(column: StoredColumn, form: TextForm) -> tuple[KernelArray[Strings], bool]:
    """The texts, and whether some have bytes beyond ASCII."""
    texts = b"".join((*form.around, *form.other)) + bytes(SPARE)
    described, spelling = column.described(), _described(column.target, form, texts)
    rows = len(column.sizes)
    stored, kind = int(np.maximum(column.sizes, 0).sum(dtype=np.int64)), int(spelling[P_FORM])
    growth = _GROWTH.get(kind, 1 + form.doubles_quotes)
    room = rows * (len(texts) + _LONGEST.get(kind, 0)) + growth * stored
    valid, offsets = np.zeros((rows + 7) >> 3, np.uint8), np.empty(rows + 1, np.int32)
    out, found = np.empty(room + SPARE, np.uint8), np.empty(FOUND_SIZE, np.int64)
    addresses = (array.ctypes.data for array in (described, spelling, offsets, valid, out, found))
    end = kernels()["spell_values"](*addresses)
    strings = Strings(out[:end], offsets, valid if found[FOUND_MISSING] else None)
    return KernelArray(strings, int(found[FOUND_UNDECIDED]), valid), bool(found[FOUND_HIGH])


def _described(target: ArrayType, form: TextForm, texts: bytes) -> Array:
    """A spelling as the kernel takes it; it holds the addresses of ``texts`` and of the mask of odd characters."""
    spelling = np.zeros(SPELLING_SIZE, np.int64)
    spelling[P_FORM], spelling[P_MOST] = _FORMS[target.path], form.most
    spelling[P_WIDTH], spelling[P_IS_UPPER] = target.width, form.is_upper
    spelling[P_IS_SIGNED] = target.type.is_signed
    spelling[P_SCALE] = target.type.scale
    spelling[P_DOUBLES_QUOTES] = form.doubles_quotes
    spelling[P_ODD] = 0 if form.odd is None else form.odd.ctypes.data
    spelling[P_TEXTS] = np.frombuffer(texts, np.uint8).ctypes.data
    sizes = np.array([len(text) for text in (*form.around, *form.other)], np.int64)
    spelling[P_OPENING::2], spelling[P_OPENING + 1 :: 2] = np.cumsum(sizes) - sizes, sizes
    return spelling
