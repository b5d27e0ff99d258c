"""Strings in one array of bytes, laid out as in Arrow but without pyarrow; and values spelled as such strings."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from trailformat.arrays.array_types import ANY_SIZE, ArrayType, DecodePath
from trailformat.arrays.stored import KernelArray, StoredColumn
from trailformat.errors import BadData
from trailformat.native.arrays.arguments import (
    FOUND_HIGH,
    FOUND_MISSING,
    FOUND_SIZE,
    FOUND_UNDECIDED,
    P_CELLS,
    P_DOUBLES_QUOTES,
    P_FORM,
    P_HEAD,
    P_IS_BARE,
    P_IS_SIGNED,
    P_IS_UPPER,
    P_IS_UTF_8,
    P_MOST,
    P_ODD,
    P_OPENING,
    P_SCALE,
    P_TEXTS,
    P_WHOLE,
    P_WIDTH,
    SPARE,
    SPELL_BYTES,
    SPELL_DATES,
    SPELL_INTEGERS,
    SPELL_MOMENTS,
    SPELL_NUMBERS,
    SPELL_SHORT_BYTES,
    SPELL_SHORT_TEXTS,
    SPELL_TEXTS,
    SPELLING_SIZE,
)
from trailformat.native.loaded import kernels
from trailformat.scan.batch import StringColumn
from trailformat.scan.rows.row_bytes import Array

MOST_BYTES = (1 << 31) - 1 - SPARE
"""Maximum number of bytes of the strings of one array: offsets have 32 bits."""
_LEADING, _CONTINUES = 0xC0, 0x80
"""Mask of the leading bits of a UTF-8 byte, and their value in a byte that continues a character."""


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """Byte strings, texts in UTF-8; some may be null.

    Attributes:
        data: uint8.
        offsets: int32, one more than strings: string n has the bytes from ``offsets[n]`` to before ``offsets[n + 1]``.
        valid: uint8, a bit for each string, lowest bit first, 0 for null; None if no string is null.
    """

    data: Array
    offsets: Array
    valid: Array | None = None

    @classmethod
    def of(cls, texts: Iterable[str | bytes | None]) -> Strings:
        """Return these texts as Strings; raises BadData if they are too large for one array."""
        listed = list(texts)
        stored = [text.encode("utf-8", "backslashreplace") if isinstance(text, str) else text or b"" for text in listed]
        present = np.array([text is not None for text in listed], bool)
        return cls(np.frombuffer(b"".join(stored), np.uint8), _offsets([*map(len, stored)]), _bits(present))

    @classmethod
    def nulls(cls, count: int) -> Strings:
        """Strings that are all null."""
        return cls(np.empty(0, np.uint8), np.zeros(count + 1, np.int32), np.zeros((count + 7) >> 3, np.uint8))

    @classmethod
    def at(cls, data: Array, starts: Array, sizes: Array) -> Strings:
        """Return the bytes at these places of ``data``; raises BadData if they are too large for one array."""
        offsets = _offsets(sizes)
        return cls(joined_runs([data], np.zeros(len(sizes), np.int64), starts, starts + sizes), offsets)

    @classmethod
    def of_column(cls, column: StringColumn) -> Strings:
        """Return the texts of a column of a scan; raises BadData if they are too large for one array."""
        starts, sizes = np.asarray(column.starts), np.asarray(column.sizes)
        is_stored = sizes >= 0
        texts = cls.at(np.frombuffer(column.data, np.uint8), np.where(is_stored, starts, 0), np.maximum(sizes, 0))
        texts = cls(texts.data, texts.offsets, _bits(is_stored))
        return texts.with_rows([*texts.rows_with(texts.data >= _ASCII).tolist(), *column.known], column.__getitem__)

    @classmethod
    def joined(cls, parts: list[Strings]) -> Strings:
        """Return the strings of all parts; raises BadData if they are too large for one array."""
        data = np.concatenate([part.data[part.offsets[0] : part.offsets[-1]] for part in parts])
        offsets = _offsets(np.concatenate([part.sizes for part in parts]))
        return cls(data, offsets, _bits(np.concatenate([part.present for part in parts])))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> Array:
        """The size of each string in bytes."""
        sizes: Array = np.diff(self.offsets)
        return sizes

    @property
    def present(self) -> Array:
        """A mask of the strings that are not null."""
        if self.valid is None:
            return np.ones(len(self), bool)
        return np.unpackbits(self.valid, count=len(self), bitorder="little").view(bool)

    @property
    def nbytes(self) -> int:
        """The size of all strings in bytes."""
        return int(self.offsets[-1]) - int(self.offsets[0])

    def take(self, numbers: Array) -> Strings:
        """Return the strings with these numbers; raises BadData if they are too large for one array."""
        strings = Strings.at(self.data, self.offsets[numbers].astype(np.int64), self.sizes[numbers])
        return strings if self.valid is None else Strings(strings.data, strings.offsets, _bits(self.present[numbers]))

    def replaced(self, rows: Array, replacements: Strings, numbers: Array | None = None) -> Strings:
        """Return the strings with those in ``rows`` replaced by ``replacements``.

        Row n of ``rows`` gets the string ``numbers[n]`` of ``replacements``; without numbers, string n.

        Raises:
            BadData: the result is too large for one array.
        """
        numbers = np.arange(len(replacements)) if numbers is None else numbers
        source, present = np.zeros(len(self), np.int64), self.present
        source[rows], present[rows] = 1, replacements.present[numbers]
        begins, ends = (self.offsets[part].astype(np.int64) for part in (slice(None, -1), slice(1, None)))
        begins[rows], ends[rows] = replacements.offsets[:-1][numbers], replacements.offsets[1:][numbers]
        data = joined_runs([self.data, replacements.data], source, begins, ends)
        return Strings(data, _offsets(ends - begins), _bits(present))

    def with_rows(self, rows: Iterable[int], text_of: Callable[[int], str | None]) -> Strings:
        """Return the strings with those of some rows replaced by ``text_of`` each; raises BadData as ``of`` does."""
        chosen = sorted(set(rows))
        return self.replaced(np.array(chosen), Strings.of(map(text_of, chosen))) if chosen else self

    def rows_with(self, mask: Array) -> Array:
        """Return the rows, ascending, of the strings that have a byte in ``mask``, which is as long as ``data``."""
        rows = np.searchsorted(self.offsets[1:], np.flatnonzero(mask), side="right")
        distinct: Array = rows[np.diff(rows, prepend=-1) != 0]
        return distinct

    def distinct(self) -> tuple[list[bytes], Array]:
        """Return the distinct strings by first occurrence, and for each string its index among them."""
        data, ends = self.data.tobytes(), self.offsets.tolist()
        known: dict[bytes, int] = {}
        numbers = [known.setdefault(data[begin:end], len(known)) for begin, end in pairwise(ends)]
        return [*known], np.array(numbers, np.int64)

    def are_in(self, texts: Collection[bytes]) -> Array:
        """Return a mask of the strings that equal one of a few texts; null equals none."""
        mask, sizes = np.zeros(len(self), bool), self.sizes
        for text in texts:
            rows = np.flatnonzero(sizes == len(text))
            for index, byte in enumerate(text):
                rows = rows[self.data[self.offsets[rows] + index] == byte]
            mask[rows] = True
        return mask & self.present

    def are_utf_8(self) -> bool:
        """Return whether each string is valid UTF-8."""
        data = self.data[self.offsets[0] : self.offsets[-1]]
        begins = self.offsets[:-1][self.sizes > 0]
        if (self.data[begins] & _LEADING == _CONTINUES).any():
            return False
        try:
            codecs.utf_8_decode(data.data, "strict", True)  # noqa: FBT003 - the arguments have no names
        except UnicodeDecodeError:
            return False
        return True


def check_size(size: int) -> None:
    """Raise BadData if ``size`` bytes are too many for one array."""
    if size > MOST_BYTES:
        raise BadData("too much text for one array", expected=f"at most {MOST_BYTES} bytes", found=f"{size} bytes")


def _offsets(sizes: Array | list[int]) -> Array:
    ends = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    check_size(int(ends[-1]))
    return ends.astype(np.int32)


def _bits(present: Array) -> Array | None:
    return None if present.all() else np.packbits(present, bitorder="little")


def joined_runs(sources: list[Array], of_source: Array, begins: Array, ends: Array) -> Array:
    """Return concatenated runs: run n is ``begins[n]`` to before ``ends[n]`` of ``sources[of_source[n]]``, uint8."""
    addresses = np.array([source.ctypes.data for source in sources], np.int64)
    runs = np.stack((addresses[of_source] + begins, ends - begins), 1)
    out = np.empty(int(runs[:, 1].sum()), np.uint8)
    kernels()["join_runs"](runs.ctypes.data, len(runs), out.ctypes.data)
    return out


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
_SHORT = {SPELL_TEXTS: SPELL_SHORT_TEXTS, SPELL_BYTES: SPELL_SHORT_BYTES}
_LONGEST = {SPELL_INTEGERS: 48, SPELL_MOMENTS: 32, SPELL_SHORT_BYTES: 32}
"""Upper bound of the written size in bytes, for forms where it does not depend on the stored size."""
_GROWTH = {SPELL_INTEGERS: 0, SPELL_MOMENTS: 0, SPELL_BYTES: 2, SPELL_SHORT_BYTES: 2}
"""Maximum number of bytes written for a stored byte, of the forms where that is not 1."""


class ShortForm(NamedTuple):
    """How long texts, or long bytes, are cut.

    Attributes:
        whole: the cells of a terminal up to which a text is whole, or the number of bytes.
        cut: the text in place of the middle of a text, of one cell; after the number of bytes.
        head: the number of bytes that are written of more; ``TextForm.other`` has the texts around them.
        cells: uint8[65536], the cells of each character, above 2 if it does not print; without it texts beyond ASCII
            are undecided.
        is_bare: whether nothing is around words (``notation.values.is_word``); other texts beyond ASCII are undecided.
    """

    whole: int
    cut: bytes
    head: int = 0
    cells: Array | None = None
    is_bare: bool = False


class TextForm(NamedTuple):
    """The spelling of usual values of one decode path; other values are left undecided.

    Attributes:
        around: the texts before and after each value; ``other`` for texts beyond ASCII and timestamps with a fraction.
        most: maximum size of a value in bytes; a longer one is undecided.
        undecidable: uint8[256], marks the characters that make a text undecided. Of the printable ones only backslash
            and quote may be marked; None marks none.
        is_printable: whether texts with unprintable characters are undecided.
        doubles_quotes: whether single quotes in texts are doubled.
        is_upper: whether hex digits of bytes are capitals.
        short: how long texts and bytes are cut; None if they are not.
    """

    around: tuple[bytes, bytes] = (b"", b"")
    other: tuple[bytes, bytes] = (b"", b"")
    most: int = ANY_SIZE
    undecidable: Array | None = None
    is_printable: bool = False
    doubles_quotes: bool = False
    is_upper: bool = False
    short: ShortForm | None = None


def can_be_spelled(target: ArrayType) -> bool:
    """Return whether a kernel spells values of this type."""
    return target.path in _FORMS


def spelled(column: StoredColumn, form: TextForm) -> KernelArray[Strings]:
    """Return the texts of a column; if a text is invalid, all values with a byte beyond ASCII are undecided."""
    texts, has_high = _spelled(column, form)
    if not has_high or _are_right(texts.array, column.target, form):
        return texts
    without = column._replace(sizes=column.sizes.copy())
    described = without.described()
    kernels()["drop_high_bytes"](described.ctypes.data)
    return _spelled(without, form)[0]


def _are_right(texts: Strings, target: ArrayType, form: TextForm) -> bool:
    """Return whether the bytes beyond ASCII are valid: UTF-8, and printable if the form requires it."""
    if target.path is not DecodePath.TEXT:
        return False
    return texts.are_utf_8() and (
        not form.is_printable or texts.data[texts.data >= _ASCII].tobytes().decode().isprintable()
    )


def _spelled(column: StoredColumn, form: TextForm) -> tuple[KernelArray[Strings], bool]:
    """Return the texts, and whether some have bytes beyond ASCII."""
    texts = b"".join(_texts_of(form)) + bytes(SPARE)
    described, spelling = column.described(), _described(column.target, form, texts)
    rows = len(column.sizes)
    stored, kind = int(np.maximum(column.sizes, 0).sum(dtype=np.int64)), int(spelling[P_FORM])
    growth = _GROWTH.get(kind, 1 + form.doubles_quotes)
    room = rows * (len(texts) + _LONGEST.get(kind, 0)) + growth * stored
    valid, offsets = np.zeros((rows + 7) >> 3, np.uint8), np.empty(rows + 1, np.int32)
    out, results = np.empty(room + SPARE, np.uint8), np.empty(FOUND_SIZE, np.int64)
    addresses = (array.ctypes.data for array in (described, spelling, offsets, valid, out, results))
    end = kernels()["spell_values" if form.short is None else "spell_short_values"](*addresses)
    strings = Strings(out[:end], offsets, valid if results[FOUND_MISSING] else None)
    return KernelArray(strings, int(results[FOUND_UNDECIDED]), valid), bool(results[FOUND_HIGH])


def _texts_of(form: TextForm) -> tuple[bytes, ...]:
    return (*form.around, *form.other, form.short.cut if form.short is not None else b"")


def _described(target: ArrayType, form: TextForm, texts: bytes) -> Array:
    """Return a spelling as a kernel argument. It holds the addresses of ``texts`` and of the mask of odd characters."""
    spelling = np.zeros(SPELLING_SIZE, np.int64)
    spelling[P_FORM], spelling[P_MOST] = _FORMS[target.path], form.most
    spelling[P_WIDTH], spelling[P_IS_UPPER] = target.width, form.is_upper
    spelling[P_IS_SIGNED] = target.type.is_signed
    spelling[P_SCALE] = target.type.scale
    spelling[P_DOUBLES_QUOTES] = form.doubles_quotes
    spelling[P_ODD] = 0 if form.undecidable is None else form.undecidable.ctypes.data
    if (short := form.short) is not None:
        spelling[P_FORM] = _SHORT[int(spelling[P_FORM])]
        spelling[P_WHOLE], spelling[P_HEAD], spelling[P_IS_BARE] = short.whole, short.head, short.is_bare
        spelling[P_IS_UTF_8] = target.path is DecodePath.TEXT
        spelling[P_CELLS] = 0 if short.cells is None else short.cells.ctypes.data
    spelling[P_TEXTS] = np.frombuffer(texts, np.uint8).ctypes.data
    sizes = np.array([len(text) for text in _texts_of(form)], np.int64)
    spelling[P_OPENING::2], spelling[P_OPENING + 1 :: 2] = np.cumsum(sizes) - sizes, sizes
    return spelling
