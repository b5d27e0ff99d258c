"""A workbook of Excel (.xlsx): rows of Python values on sheets, in bounded memory. It needs XlsxWriter.

What Excel would change is text: a number of more than 15 digits, a time before March 1900 or with parts of a
millisecond. No text becomes a formula or a link. Characters that XML lacks are ``_x0007_``, which Excel reads as
the character.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, NamedTuple
from zipfile import ZipFile

import xlsxwriter
from xlsxwriter.exceptions import XlsxWriterException
from xlsxwriter.worksheet import Worksheet

from logdump.arrow.plain_values import plain
from logdump.features.export.files import Place, opened
from logdump.session.errors import CommandError
from logdump.session.events import Notice

MOST_ROWS = 1_048_576
"""Rows of a sheet, its head among them."""
MOST_COLUMNS = 16_384
MOST_LETTERS = 32_767
"""Letters of a cell, in UTF-16."""
MOST_SHEETS = 250
"""Sheets of a workbook: each has an open file until the workbook is whole."""
_NAME = 31
"""Letters of the name of a sheet, in UTF-16."""
_NOT_IN_NAMES = "[]:*?/\\"
_DIGITS = 15
"""Digits of a number that Excel keeps."""
_LEAST_TOO_LONG = 10**15
_LEAST, _MOST = Decimal("1e-300"), Decimal("1e300")
_FIRST_DATE = date(1900, 3, 1)
"""The first date whose number is the same in all programs: Excel has a day too many before it."""
_CHUNK = 1 << 20


class CutText(NamedTuple):
    """A text that is longer than a cell: the sheet, the row from 1 on, the column."""

    sheet: str
    row: int
    column: str


_MARK = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_NO_XML = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]")


class _Sheet(Worksheet):  # type: ignore[misc]  # the package has no types
    """A sheet on which every text is a text: one with the package's marks of formatted text or of a character too."""

    @staticmethod
    def _escape_control_characters(data: Any) -> Any:
        if not isinstance(data, str):
            return data
        return _NO_XML.sub(lambda match: f"_x{ord(match[0]):04X}_", _MARK.sub("_x005F_", data))

    def _xml_rich_inline_string(self, string: str, attributes: Sequence[tuple[str, object]] = ()) -> None:
        self._xml_inline_string(string, True, attributes)  # noqa: FBT003 - keeps blanks


class Workbook:
    """A workbook that is written to a place when it is closed.

    Args:
        place: the file, or standard output.

    Attributes:
        cut: number of texts that are longer than a cell; ``first_cut`` is the first of them.
    """

    def __init__(self, place: Place) -> None:
        self.cut = 0
        self.first_cut: CutText | None = None
        self._place = place
        self._file = opened(place)
        self._folder = tempfile.TemporaryDirectory(prefix="logdump-")
        options = {"constant_memory": True, "tmpdir": self._folder.name, "use_zip64": True}
        self._book = xlsxwriter.Workbook(str(place) if isinstance(place, Path) else self._file, options)
        self._names = set[str]()
        self.head = self._book.add_format({"bold": True})
        self._formats = {
            pattern: self._book.add_format({"num_format": pattern})
            for pattern in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", "yyyy-mm-dd hh:mm:ss.000", "hh:mm:ss", "hh:mm:ss.000")
        }

    def format(self, pattern: str) -> Any:
        """Return the format of a pattern of dates."""
        return self._formats[pattern]

    def sheet(self, name: str) -> tuple[str, Any]:
        """Add a sheet; returns its name, which is as much of the given one as a sheet may have, and the sheet.

        Raises:
            CommandError: there are too many.
        """
        if len(self._names) == MOST_SHEETS:
            raise CommandError(f"A workbook takes {MOST_SHEETS} sheets, one for each table: select tables by --table.")
        own = next(name for name in _names(name) if name.casefold() not in self._names)
        self._names.add(own.casefold())
        return own, self._book.add_worksheet(own, _Sheet)

    def note_cut(self, cut: CutText) -> None:
        """Count a text that is cut."""
        self.cut += 1
        self.first_cut = self.first_cut or cut

    def close(self) -> list[int]:
        """Write the workbook; returns the number of rows of each sheet in the file, their heads among them.

        Raises:
            OSError: it cannot be written.
        """
        try:
            self._book.close()
        except XlsxWriterException as error:
            raise _cause_of(error) from error
        self._file.close()
        self._folder.cleanup()
        return [*_rows_in(self._place, len(self._names))] if isinstance(self._place, Path) else []

    def abandon(self) -> None:
        """Discard the workbook."""
        for sheet in self._book.worksheets():
            sheet.row_data_fh.close()
        self._file.abandon()
        self._folder.cleanup()

    def notices(self) -> Iterator[Notice]:
        """Yield a notice about texts that are cut."""
        if self.first_cut is None:
            return
        are = "1 text is" if self.cut == 1 else f"{self.cut:,} texts are"
        sheet, row, column = self.first_cut
        longer = f"{are} longer than the {MOST_LETTERS:,} letters of a cell, and cut"
        yield Notice((f"{longer}; the first: sheet {sheet}, row {row}, column {column}",))


class SheetRows:
    """Rows under their heads on a sheet, and on further ones what is more than a sheet takes.

    Args:
        book: the workbook.
        name: the name of the sheet, if it may have it.
        heads: names of the columns.
        numbers: indexes of columns of texts that are numbers.

    Raises:
        CommandError: there are more columns than a sheet has.
    """

    def __init__(self, book: Workbook, name: str, heads: Sequence[str], numbers: frozenset[int] = frozenset()) -> None:
        if len(heads) > MOST_COLUMNS:
            raise CommandError(f"{name} has {len(heads):,} columns, and a sheet {MOST_COLUMNS:,}: export it as CSV.")
        self.sheets: list[tuple[str, int]] = []
        self._book = book
        self._name = name
        self._heads = heads
        self._numbers = numbers
        self._widths = [max(len(head) + 2, 10) for head in heads]
        self._begin()

    def _begin(self) -> None:
        name, self._sheet = self._book.sheet(self._name)
        self.sheets.append((name, 0))
        self._sheet.freeze_panes(1, 0)
        for column, head in enumerate(self._heads):
            self._sheet.set_column(column, column, min(self._widths[column], 40))
            self._sheet.write_string(0, column, self._whole(head, 0, column), self._book.head)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return sum(rows for _, rows in self.sheets)

    def add(self, rows: Iterable[Sequence[Any]]) -> None:
        """Write rows of values."""
        for values in rows:
            name, written = self.sheets[-1]
            if written == MOST_ROWS - 1:
                self._begin()
                name, written = self.sheets[-1]
            for column, value in enumerate(values):
                if value is not None:
                    self._WRITERS.get(type(value), SheetRows._other)(self, written + 1, column, value)
            self.sheets[-1] = name, written + 1

    def _text(self, row: int, column: int, text: str) -> None:
        if column in self._numbers and (number := _number_of(text)) is not None:
            self._sheet.write_number(row, column, number)
            return
        self._sheet.write_string(row, column, self._whole(text, row, column))

    def _other(self, row: int, column: int, value: Any) -> None:
        shown = plain(value)
        is_text = isinstance(shown, str)
        self._text(row, column, shown if is_text else json.dumps(shown, ensure_ascii=False, separators=(",", ":")))

    def _boolean(self, row: int, column: int, value: bool) -> None:  # noqa: FBT001 - a value
        self._sheet.write_boolean(row, column, value)

    def _number(self, row: int, column: int, value: float | Decimal) -> None:
        if is_kept(value):
            self._sheet.write_number(row, column, value)
        else:
            self._text(row, column, format(value, "f") if isinstance(value, Decimal) else str(value))

    def _moment(self, row: int, column: int, value: datetime) -> None:
        wall = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo is not None else value
        self._date(row, column, wall, "yyyy-mm-dd hh:mm:ss", is_kept=wall.date() >= _FIRST_DATE)

    def _day(self, row: int, column: int, value: date) -> None:
        self._date(row, column, value, "yyyy-mm-dd", is_kept=value >= _FIRST_DATE)

    def _clock(self, row: int, column: int, value: time) -> None:
        self._date(row, column, value, "hh:mm:ss", is_kept=value.tzinfo is None)

    def _date(self, row: int, column: int, value: date | time, pattern: str, *, is_kept: bool) -> None:
        """Write a date or a time as a number with a format; as text if Excel would change it."""
        microsecond = getattr(value, "microsecond", 0)
        if not is_kept or microsecond % 1000:
            self._text(row, column, value.isoformat(" ") if isinstance(value, datetime) else value.isoformat())
            return
        fine = pattern + ".000" * bool(microsecond)
        self._sheet.write_datetime(row, column, value, self._book.format(fine))

    def _whole(self, text: str, row: int, column: int) -> str:
        """Return a text, cut to what a cell takes."""
        if len(text) * 2 <= MOST_LETTERS or _letters(text) <= MOST_LETTERS:
            return text
        self._book.note_cut(CutText(self.sheets[-1][0], row + 1, self._heads[column]))
        return _cut(text, MOST_LETTERS)

    _WRITERS: ClassVar[dict[type, Callable[[SheetRows, int, int, Any], None]]] = {
        bool: _boolean,
        **dict.fromkeys((int, float, Decimal), _number),
        str: _text,
        datetime: _moment,
        date: _day,
        time: _clock,
    }


def is_kept(value: float | Decimal) -> bool:
    """Return True if Excel keeps a number: it has at most 15 digits."""
    if isinstance(value, int):
        return abs(value) < _LEAST_TOO_LONG
    number = Decimal(str(value))
    if not number.is_finite() or (number.is_zero() and number.is_signed()):
        return False
    if number.is_zero():
        return True
    if not _LEAST < abs(number) < _MOST:
        return False
    whole, _, fraction = format(abs(number), "f").partition(".")
    digits = (whole + fraction.rstrip("0")).lstrip("0")
    return len(digits.rstrip("0") if isinstance(value, float) else digits) <= _DIGITS


def _number_of(text: str) -> Decimal | None:
    """Return a number that is written as Excel would write it, None of any other text."""
    digits = text.removeprefix("-")
    whole, dot, fraction = digits.partition(".")
    is_plain = digits.isascii() and whole.isdecimal() and (fraction.isdecimal() if dot else not fraction)
    if not is_plain or (len(whole) > 1 and whole[0] == "0"):
        return None
    number = Decimal(text)
    return number if is_kept(number) else None


def _letters(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _cut(text: str, most: int) -> str:
    """Return the first letters of a text, no half of a pair of UTF-16."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * most].decode("utf-16-le", "ignore")


def _names(name: str) -> Iterator[str]:
    """Yield names for a sheet, none with a sign that Excel refuses: the given one, then numbered ones."""
    signs = (sign if sign.isprintable() and sign not in _NOT_IN_NAMES else "_" for sign in name)
    plain_name = "".join(signs).strip("' ") or "unnamed"
    if plain_name.casefold() == "history":
        plain_name += "_"
    yield _cut(plain_name, _NAME).strip("' ")
    for number in count(2):
        end = f" ({number})"
        yield _cut(plain_name, _NAME - len(end)).strip("' ") + end


def _rows_in(path: Path, sheets: int) -> Iterator[int]:
    """Yield the number of rows of each sheet of a workbook."""
    mark = b"<row "
    with ZipFile(path) as parts:
        for number in range(1, sheets + 1):
            rows, rest = 0, b""
            with parts.open(f"xl/worksheets/sheet{number}.xml") as sheet:
                while chunk := sheet.read(_CHUNK):
                    chunk = rest + chunk
                    rows += chunk.count(mark)
                    rest = chunk[1 - len(mark) :]
            yield rows


def _cause_of(error: XlsxWriterException) -> OSError:
    cause = error.args[0] if error.args else None
    return cause if isinstance(cause, OSError) else OSError(str(error))
