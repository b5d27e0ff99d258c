r"""CSV as RFC 4180 has it: a header line, fields separated by commas, lines ended by CR LF, in UTF-8.

rba,op,after_NAME,after_ORIGIN,nulls
1811,"INSERT","Sencha ""Uji"" tin",,"[""after_ORIGIN""]"

Every text is in quotes, quotes in it doubled, line breaks and other control characters unchanged. Nothing between
two commas means that there is no value: ``nulls`` names the columns that are NULL; the image lacks the others.
The empty text is ``""``. Lists and objects are JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from logdump.arrow.tables.layout import ALL, DATA, FIXED, NULLS, NUMBERS, PROBLEMS, TableLayout
from logdump.arrow.tables.rows import RowProblem
from logdump.display import json_record
from logdump.display.json_shape import Shape, exact
from logdump.features.export.line_count import count_lines
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord

if TYPE_CHECKING:
    from logdump.arrow.tables.lines import RowForm
    from logdump.features.export.member_forms import MemberForms

_END = "\r\n"


class CsvText:
    """The spelling of records and rows as CSV."""

    takes_file_header = False

    def head(self, layout: TableLayout) -> str:
        """The header line; of records the names that members have in JSON."""
        return csv_line(names_of(layout))

    def head_of(self, shape: Shape) -> str:
        """Return the header line of objects of one shape."""
        return csv_line([field.name for field in shape.members])

    def line_of(self, shape: Shape, event: Event) -> str:
        """Return the line of an event's object."""
        return csv_line([*exact(shape.build(event)).values()])

    def record(self, known: KnownRecord) -> str:
        """The line of a record; a file header has none."""
        members = exact(json_record.RECORD.build_what_decodes(known))
        return csv_line([members[field.name] for field in json_record.RECORD.members])

    def problems(self, problems: list[RowProblem]) -> str:
        """Return the problems of a row as a field."""
        return _field(exact([problem._asdict() for problem in problems]))

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """The form of the lines of a table in a trail."""
        from logdump.arrow.tables.lines import RowForm  # noqa: PLC0415 - it needs numpy
        from trailformat.arrays import Escapes, FieldForm, LineForm  # noqa: PLC0415 - it needs numpy

        number, text = (FieldForm(b"," + quote, quote, b",", b",", escapes=Escapes.CSV) for quote in (b"", b'"'))
        line = LineForm(_field(str(path)).encode(), _END.encode(), b',"[', b",", b']"', b",")
        fixed = [number if name in NUMBERS else text for name in FIXED[1:]]
        names = [_field(json.dumps(name, ensure_ascii=False))[1:-1].encode() for name in layout.image_names]
        images = [text._replace(name=name) for name in names]
        return RowForm(line, fixed, text, images, FieldForm(b",", null=b","))

    def members(self) -> MemberForms:
        """The forms of the members of ordinary records."""
        from logdump.features.export.member_forms import MemberForms  # noqa: PLC0415 - it needs pyarrow
        from trailformat.arrays import Escapes, FieldForm, LineForm  # noqa: PLC0415 - it needs numpy

        number, text = (FieldForm(b"," + quote, quote, b",", escapes=Escapes.CSV) for quote in (b"", b'"'))
        return MemberForms(
            number=lambda _: number,
            text=lambda _: text,
            json=lambda _: text,
            quoted=lambda shown: shown.replace('"', '""'),
            nested=Escapes.JSON_IN_CSV,
            line=lambda path: LineForm(_field(str(path)).encode(), _END.encode()),
        )

    def count_rows(self, file: IO[bytes]) -> int:
        """The number of lines after the header; line breaks in quotes end none."""
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
