"""The rows of each file are read by the definitions of that file, whichever is open and was read before."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.display.text import Severity
from logdump.features.check.model import BadRowShown
from logdump.features.doctor.model import DoctorShown
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.trailformat.samples import header, table_record, trail_of
from trailformat import Images, Record, TrailFile, make_column, make_record
from trailformat.trail.sequence import FilePosition


def _row(columns: int) -> Record:
    """A row with so many columns, which need that many in the definition."""
    values = tuple(make_column(index, index.to_bytes(8)) for index in range(columns))
    return make_record(header(1), Images(None, values))


class Defined:
    """A file that defines a table with so many columns; of its rows some have one column more."""

    def __init__(self, folder: Path, name: str, columns: int, random: Random) -> None:
        self.columns, rows = columns, [_row(columns), *(_row(columns + random.randint(0, 1)) for _ in range(4))]
        self.path = trail_of(folder, table_record(1, "TEA.LEAVES", columns=columns), *rows, name=f"{name}000000000")
        rba, self.bad = table_record(1, "TEA.LEAVES", columns=columns).length, list[FilePosition]()
        for record in rows:
            if record.length > rows[0].length:
                self.bad.append(FilePosition(self.path, rba))
            rba += record.length


@pytest.fixture
def files(request: pytest.FixtureRequest, tmp_path: Path) -> list[Defined]:
    """Files of three trails, the first with the fewest columns."""
    random = Random(request.node.name)
    numbers = zip(("ta", "tb", "tc"), sorted(random.sample(range(1, 9), 3)), strict=True)
    return [Defined(tmp_path, name, columns, random) for name, columns in numbers]


@pytest.mark.parametrize("case", range(examples(8)))
def test_definitions_are_those_of_the_file_that_is_asked_about(case: int, line: Line, files: list[Defined]) -> None:
    """In any order, with any of them open, and inside of a reading of another one."""
    random = Random(f"definitions {case}")
    for opened in random.sample(files, 3):
        line(f"open {opened.path}")
        assert _columns(line, line.session.trail) == opened.columns
        for asked in [*random.sample(files, 3), opened]:
            with TrailFile(asked.path) as trail:
                assert _columns(line, trail) == asked.columns
                with line.session.reading(trail):
                    assert _columns(line, line.session.trail) == asked.columns
            assert _columns(line, line.session.trail) == opened.columns


def _columns(line: Line, trail: TrailFile) -> int:
    *_, record = trail.records()
    table = line.session.definitions_of(trail).of(record).table
    assert table is not None
    return len(table.columns)


@pytest.mark.parametrize("command", ["check", "check values", "doctor"])
def test_rows_of_other_files_are_held_to_their_own_definitions(command: str, line: Line, files: list[Defined]) -> None:
    """The definitions of the open file, by which its rows were listed, would call each row of the others bad."""
    for opened in files:
        line(f"open {opened.path}; list all")
        for other in files:
            line(f'{command} "{other.path}"')
            assert _bad(line) == other.bad


def _bad(line: Line) -> list[FilePosition]:
    shown = [event for event in line.events if isinstance(event, DoctorShown)]
    if shown:
        return [
            finding.position
            for finding in shown[0].findings
            if finding.severity is Severity.DAMAGE and finding.position
        ]
    return [FilePosition(event.path, event.rba) for event in line.events if isinstance(event, BadRowShown)]
