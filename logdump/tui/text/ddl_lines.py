"""What the parameter files in use make of the DDL record on a page: the verdict, with DETAIL on the steps below it."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.parameters.in_use import ParametersInUse
from logdump.session.session import Session
from logdump.session.settings import Detail
from logdump.tui.text.styled import Line, line
from trailformat import Record
from trailformat.records.io_types import DDL_OP


def ddl_lines(session: Session, record: Record) -> Iterator[Line]:
    """The lines below what NEXT prints; none of a record that is no DDL, and where no parameter file is in use."""
    parameters = session.kept(ParametersInUse)
    if parameters is None or record.is_file_header or record.header.io_type != DDL_OP:
        return
    from logdump.features.ddl.evaluation import evaluate  # noqa: PLC0415 - where parameter files are in use
    from logdump.features.ddl.text import evaluation_lines  # noqa: PLC0415
    from logdump.features.ddl.trail_statements import subject_of_record  # noqa: PLC0415

    shows_steps = session.settings.detail is not Detail.OFF
    for result in evaluate(subject_of_record(session.trail, record), parameters.for_trail(session.trail.path)):
        yield line("")
        first, *others = evaluation_lines(result._replace(shows_steps=shows_steps), session.settings)
        yield line(first, "strong")
        yield from (line(text, "dim") for text in others)
