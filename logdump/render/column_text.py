"""The column list under DETAIL, in the spelling of the release.

Column     0 (x0000), Len    10 (x000a)          up to 19.1, and inside key updates in every release
Column 0 (0x0000), Length 10 (0x000a).           21.3
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.hexdump import hexdump
from logdump.session.settings import Detail, Settings
from trailformat import Column, Images, Record
from trailformat.records.columns import Columns, build_columns


def column_lines(record: Record, settings: Settings) -> Iterator[str]:
    """The columns of a record's images; nothing when it holds none.

    Raises:
        BadData: the data does not hold what its type says.
    """
    images = record.images
    if images is None:
        return
    if images.prefix_size:
        yield from _paired_lines(record, images, settings)
    else:
        yield from _image_lines(images.before or images.after or (), settings)


def _image_lines(columns: Columns, settings: Settings) -> Iterator[str]:
    for column in columns:
        if settings.release.has_short_column_line:
            size = len(column.raw)
            yield f"Column {column.index} (0x{column.index:04x}), Length {size} (0x{size:04x})."
        else:
            yield _long_line("Column", column)
        yield from _value_lines(column, settings)


def _long_line(label: str, column: Column) -> str:
    size = len(column.raw)
    return f"{label} {column.index:>5} (x{column.index:04x}), Len {size:>5} (x{size:04x})"


def _value_lines(column: Column, settings: Settings) -> Iterator[str]:
    if settings.detail is Detail.DATA:
        yield from hexdump(column.raw, settings.reclen, settings.data_gutter)


def _paired_lines(record: Record, images: Images, settings: Settings) -> Iterator[str]:
    """Before and after in one record; the form is that of a GGSPKUpdate in the MySQL 21.3c transcript."""
    is_key_update = images.prefix_size == 2
    before = len(build_columns(images.before or (), record.order))
    after = len(record.data) - before - images.prefix_size
    before_length = before + images.prefix_size
    yield f"Before Image          Len {before_length:>5} (x{before_length:08x})"
    label, length_label = ("KeyCol", "KeyLen") if is_key_update else ("Column", "BeforeColumnLen")
    yield f"{length_label} {before:>5} (x{before:08x})"
    for column in images.before or ():
        yield _long_line(label, column)
        yield from _value_lines(column, settings)
    yield ""
    yield f"After Image           Len {after:>5} (x{after:08x})"
    for column in images.after or ():
        yield _long_line("Column", column)
        yield from _value_lines(column, settings)
