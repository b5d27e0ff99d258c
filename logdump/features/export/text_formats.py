r"""JSON lines, and CSV as in RFC 4180: a header line, fields separated by commas, lines ended by CR LF, in UTF-8.

rba,op,after_NAME,after_ORIGIN,nulls
1811,"INSERT","Sencha ""Uji"" tin",,"[""after_ORIGIN""]"

Every text is in quotes, with quotes in it doubled; line breaks and other control characters are unchanged. An empty
field has no value: ``nulls`` names the columns that are NULL; the image lacks the others. The empty text is ``""``.
Lists and objects are JSON.
"""

from __future__ import annotations

import functools
import io
import json
import os
from collections.abc import Iterable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from logdump.arrow.tables.layout import ALL, DATA, FIXED, NULLS, NUMBERS, PROBLEMS, RowProblem, TableLayout
from logdump.display import json_lines, json_record
from logdump.display.json_shape import Shape, exact
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from trailformat.codec.on_demand import on_demand
from trailformat.native.loaded import why_interpreted

with on_demand:
    import numpy as np

    from logdump.arrow.tables import lines
    from logdump.features.export import batch_walk
    from trailformat import arrays

if TYPE_CHECKING:
    from logdump.arrow.tables.lines import RowForm
    from logdump.features.export.members import MemberForms
    from trailformat.arrays import LineBreaks


_MANY_BYTES = 1 << 22
"""Bytes from which a kernel counts: loading it with pyarrow takes 280 ms, counting these without it takes 210 ms."""
_CHUNK = 1 << 20


def count_lines(file: IO[bytes], *, is_quoted: bool) -> int:
    """Return the number of line breaks, without those in quotes if ``is_quoted``."""
    if isinstance(file, io.BufferedReader) and _pays(file):
        breaks = _breaks_in(file)
        return breaks.even if is_quoted else breaks.total
    chunks: Iterable[bytes] = iter(lambda: file.read(_CHUNK), b"")
    if not is_quoted:
        return sum(chunk.count(b"\n") for chunk in chunks)
    rows = quotes = 0
    for chunk in chunks:
        pieces = chunk.split(b'"')
        rows += sum(piece.count(b"\n") for piece in pieces[quotes % 2 :: 2])
        quotes += len(pieces) - 1
    return rows


def _pays(file: io.BufferedReader) -> bool:
    return os.fstat(file.fileno()).st_size >= _MANY_BYTES and why_interpreted() is None


def _breaks_in(file: io.BufferedReader) -> LineBreaks:
    size = os.fstat(file.fileno()).st_size
    bounds = [size * part // batch_walk.WORKERS for part in range(batch_walk.WORKERS + 1)]
    with batch_walk.new_pool() as pool:
        parts = pool.map(lambda bound: _breaks_between(file.name, *bound), pairwise(bounds))
        return functools.reduce(arrays.LineBreaks.then, parts)


def _breaks_between(path: str, begin: int, end: int) -> LineBreaks:
    """Return the line breaks in ``range(begin, end)`` of the bytes of a file."""
    breaks, buffer = arrays.LineBreaks(), np.empty(_CHUNK, np.uint8)
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - the name of an open file
        file.seek(begin)
        while begin < end and (count := file.readinto(buffer[: end - begin].data)):
            breaks = breaks.then(arrays.line_breaks(buffer[:count]))
            begin += count
    return breaks


class JsonLines:
    """The spelling of records and rows as JSON lines."""

    takes_file_header = True

    def head(self, layout: TableLayout) -> str:  # noqa: ARG002 - other formats begin with a head
        """Return "": JSON lines have no header."""
        return ""

    def head_of(self, shape: Shape) -> str:  # noqa: ARG002 - other formats begin with a head
        """Return "": JSON lines have no header."""
        return ""

    def line_of(self, shape: Shape, event: Event) -> str:  # noqa: ARG002 - the event determines it
        """Return the line of an event's object."""
        return "".join(f"{line}\n" for line in json_lines.render(event, Settings()))

    def record(self, known: KnownRecord) -> str:
        """Return the line of a record."""
        return "".join(f"{line}\n" for line in json_lines.render(known, Settings()))

    def problems(self, problems: list[RowProblem]) -> str:
        """Return the problems of a row as JSON."""
        return json.dumps(exact([problem._asdict() for problem in problems]), ensure_ascii=True, separators=(",", ":"))

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """Return the form of the lines of a table in a trail file."""

        def field(name: str) -> arrays.FieldForm:
            key, quote = f",{json.dumps(name)}:", "" if name in NUMBERS else '"'
            texts = f"{key}{quote}".encode(), quote.encode(), f"{key}null".encode()
            return arrays.FieldForm(*texts, escapes=arrays.Escapes.JSON_ASCII)

        line = arrays.LineForm(f'{{"{FIXED[0]}":{json.dumps(str(path))}'.encode(), b"}\n")
        key = f',"{PROBLEMS}":'.encode()
        fixed, images = [*map(field, FIXED[1:])], [*map(field, layout.image_names)]
        return lines.RowForm(line, fixed, field(DATA), images, arrays.FieldForm(key, null=key + b"[]"))

    def members(self) -> MemberForms:
        """Return the forms of the members of ordinary records."""
        from logdump.features.export.members import MemberForms  # noqa: PLC0415 - it needs pyarrow

        def form(quote: str, name: str) -> arrays.FieldForm:
            texts = f',"{name}":{quote}'.encode(), quote.encode(), f',"{name}":null'.encode()
            return arrays.FieldForm(*texts, escapes=arrays.Escapes.JSON_ASCII if quote else arrays.Escapes.PLAIN)

        return MemberForms(
            number=partial(form, ""),
            text=partial(form, '"'),
            json=partial(form, ""),
            quoted=str,
            nested=arrays.Escapes.JSON_ASCII,
            line=lambda path: arrays.LineForm(f'{{"type":"record","file":{json.dumps(str(path))}'.encode(), b"}\n"),
        )

    def count_rows(self, file: IO[bytes]) -> int:
        """Return the number of lines."""
        return count_lines(file, is_quoted=False)


_END = "\r\n"


class CsvText:
    """The spelling of records and rows as CSV."""

    takes_file_header = False

    def head(self, layout: TableLayout) -> str:
        """Return the header line; for records, the names of their members in JSON."""
        return csv_line(names_of(layout))

    def head_of(self, shape: Shape) -> str:
        """Return the header line of objects of one shape."""
        return csv_line([field.name for field in shape.members])

    def line_of(self, shape: Shape, event: Event) -> str:
        """Return the line of an event's object."""
        return csv_line([*exact(shape.build(event)).values()])

    def record(self, known: KnownRecord) -> str:
        """Return the line of a record, which is not a file header."""
        members = exact(json_record.RECORD.build_what_decodes(known))
        return csv_line([members[field.name] for field in json_record.RECORD.members])

    def problems(self, problems: list[RowProblem]) -> str:
        """Return the problems of a row as a field."""
        return _field(exact([problem._asdict() for problem in problems]))

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """Return the form of the lines of a table in a trail file."""
        number, text = (
            arrays.FieldForm(b"," + quote, quote, b",", b",", escapes=arrays.Escapes.CSV) for quote in (b"", b'"')
        )
        line = arrays.LineForm(_field(str(path)).encode(), _END.encode(), b',"[', b",", b']"', b",")
        fixed = [number if name in NUMBERS else text for name in FIXED[1:]]
        names = [_field(json.dumps(name, ensure_ascii=False))[1:-1].encode() for name in layout.image_names]
        images = [text._replace(name=name) for name in names]
        return lines.RowForm(line, fixed, text, images, arrays.FieldForm(b",", null=b","))

    def members(self) -> MemberForms:
        """Return the forms of the members of ordinary records."""
        from logdump.features.export.members import MemberForms  # noqa: PLC0415 - it needs pyarrow

        number, text = (
            arrays.FieldForm(b"," + quote, quote, b",", escapes=arrays.Escapes.CSV) for quote in (b"", b'"')
        )
        return MemberForms(
            number=lambda _: number,
            text=lambda _: text,
            json=lambda _: text,
            quoted=lambda shown: shown.replace('"', '""'),
            nested=arrays.Escapes.JSON_IN_CSV,
            line=lambda path: arrays.LineForm(_field(str(path)).encode(), _END.encode()),
        )

    def count_rows(self, file: IO[bytes]) -> int:
        """Return the number of lines after the header; line breaks in quotes do not count."""
        return max(count_lines(file, is_quoted=True) - 1, 0)


def names_of(layout: TableLayout) -> list[str]:
    """Return the names of the fields of a line."""
    if layout == ALL:
        return [field.name for field in json_record.RECORD.members]
    return [*FIXED, *([DATA] if layout.columns is None else []), *layout.image_names, NULLS, PROBLEMS]


def csv_line(values: Iterable[Any]) -> str:
    """Return a line of values: text in quotes, objects and lists as JSON, None as an empty field."""
    return ",".join(map(_field, values)) + _END


def _field(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return str(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return '"' + text.replace('"', '""') + '"'
