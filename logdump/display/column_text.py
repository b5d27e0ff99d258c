"""The column list under DETAIL, in the spelling of the release.

Column     0 (x0000), Len    10 (x000a)          up to 19.1, and inside key updates in every release
Column 0 (0x0000), Length 10 (0x000a).           21.3
"""

from __future__ import annotations

from functools import lru_cache

from logdump.notation.escape import Harmless, escape
from logdump.notation.hexdump import hexdump
from logdump.session.settings import Detail, Settings
from trailformat import Images, Record
from trailformat.records.columns import COLUMN_HEAD, Columns


def column_lines(record: Record, settings: Settings) -> list[Harmless]:
    """The columns of a record's images; empty if it has none.

    Raises:
        BadData: the data does not match its type.
    """
    images = record.images
    if images is None:
        return []
    if images.prefix_size:
        return _paired_lines(record, images, settings)
    form = _SHORT if settings.release.has_short_column_line else _LONG
    return _image_lines(form, images.before or images.after or (), settings)


_SHORT, _LONG, _LONG_KEY = (
    "Column {0} (0x{0:04x}), Length {1} (0x{1:04x}).",
    "Column {0:>5} (x{0:04x}), Len {1:>5} (x{1:04x})",
    "KeyCol {0:>5} (x{0:04x}), Len {1:>5} (x{1:04x})",
)
"""Lines of columns; they take index and length."""


@lru_cache(maxsize=8192)
def _column_line(form: str, index: int, size: int) -> Harmless:
    """Most columns have an index and a length that others had before."""
    return escape(form.format(index, size))


def _image_lines(form: str, columns: Columns, settings: Settings) -> list[Harmless]:
    if settings.detail is not Detail.DATA:
        return [_column_line(form, column.index, len(column.raw)) for column in columns]
    lines: list[Harmless] = []
    limit, gutter = settings.reclen, settings.data_gutter
    for column in columns:
        lines.append(_column_line(form, column.index, len(column.raw)))
        lines += hexdump(column.raw, limit, gutter)
    return lines


def _paired_lines(record: Record, images: Images, settings: Settings) -> list[Harmless]:
    """Before and after in one record; the form is that of a GGSPKUpdate in the MySQL 21.3c transcript."""
    is_key_update = images.prefix_size == 2
    before = sum(COLUMN_HEAD + len(column.raw) for column in images.before or ())
    after = len(record.data) - before - images.prefix_size
    before_length = before + images.prefix_size
    form, length_label = (_LONG_KEY, "KeyLen") if is_key_update else (_LONG, "BeforeColumnLen")
    return [
        escape(f"Before Image          Len {before_length:>5} (x{before_length:08x})"),
        escape(f"{length_label} {before:>5} (x{before:08x})"),
        *_image_lines(form, images.before or (), settings),
        escape(""),
        escape(f"After Image           Len {after:>5} (x{after:08x})"),
        *_image_lines(_LONG, images.after or (), settings),
    ]
