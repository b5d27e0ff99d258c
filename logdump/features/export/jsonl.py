"""JSON lines: records as ``--format jsonl`` prints them, or BY TABLE one object per row.

{"file":"dirdat/et000000000","rba":1811,"op":"INSERT","csn":"41882317","xid":"5.1.8801",…,"after_PRICE":"8.90",…}

A column that an image of the row lacks is no member; one that is NULL, or does not decode, is null.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING

from logdump.arrow.tables.layout import DATA, FIXED, NUMBERS, PROBLEMS, TableLayout
from logdump.arrow.tables.rows import RowProblem
from logdump.display import json_lines
from logdump.display.json_shape import Shape, exact
from logdump.features.export.line_count import count_lines
from logdump.session.events import Event
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings

if TYPE_CHECKING:
    from logdump.arrow.tables.lines import RowForm
    from logdump.features.export.member_forms import MemberForms
    from trailformat.arrays import FieldForm


class JsonLines:
    """The spelling of records and rows as JSON lines."""

    takes_file_header = True

    def head(self, layout: TableLayout) -> str:  # noqa: ARG002 - other formats begin with a head
        """Return "": JSON lines have no header."""
        return ""

    def head_of(self, shape: Shape) -> str:  # noqa: ARG002 - other formats begin with a head
        """Return "": JSON lines have no header."""
        return ""

    def line_of(self, shape: Shape, event: Event) -> str:  # noqa: ARG002 - it is that of the event
        """Return the line of an event's object."""
        return "".join(f"{line}\n" for line in json_lines.render(event, Settings()))

    def record(self, known: KnownRecord) -> str:
        """Return the line of a record."""
        return "".join(f"{line}\n" for line in json_lines.render(known, Settings()))

    def problems(self, problems: list[RowProblem]) -> str:
        """Return the problems of a row as JSON."""
        return json.dumps(exact([problem._asdict() for problem in problems]), ensure_ascii=True, separators=(",", ":"))

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """The form of the lines of a table in a trail."""
        from logdump.arrow.tables.lines import RowForm  # noqa: PLC0415 - it needs numpy
        from trailformat.arrays import Escapes, FieldForm, LineForm  # noqa: PLC0415 - it needs numpy

        def field(name: str) -> FieldForm:
            key, quote = f",{json.dumps(name)}:", "" if name in NUMBERS else '"'
            texts = f"{key}{quote}".encode(), quote.encode(), f"{key}null".encode()
            return FieldForm(*texts, escapes=Escapes.JSON_ASCII)

        line = LineForm(f'{{"{FIXED[0]}":{json.dumps(str(path))}'.encode(), b"}\n")
        key = f',"{PROBLEMS}":'.encode()
        fixed, images = [*map(field, FIXED[1:])], [*map(field, layout.image_names)]
        return RowForm(line, fixed, field(DATA), images, FieldForm(key, null=key + b"[]"))

    def members(self) -> MemberForms:
        """The forms of the members of ordinary records."""
        from logdump.features.export.member_forms import MemberForms  # noqa: PLC0415 - it needs pyarrow
        from trailformat.arrays import Escapes, FieldForm, LineForm  # noqa: PLC0415 - likewise

        def form(quote: str, name: str) -> FieldForm:
            texts = f',"{name}":{quote}'.encode(), quote.encode(), f',"{name}":null'.encode()
            return FieldForm(*texts, escapes=Escapes.JSON_ASCII if quote else Escapes.PLAIN)

        return MemberForms(
            number=partial(form, ""),
            text=partial(form, '"'),
            json=partial(form, ""),
            quoted=str,
            nested=Escapes.JSON_ASCII,
            line=lambda path: LineForm(f'{{"type":"record","file":{json.dumps(str(path))}'.encode(), b"}\n"),
        )

    def count_rows(self, file: IO[bytes]) -> int:
        """Return the number of lines."""
        return count_lines(file, is_quoted=False)
