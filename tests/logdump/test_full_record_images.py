"""A full record image of another length than its definition is not decoded: no command shows or writes values of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logdump.export.scripts import check
from tests.logdump.line import Line
from tests.trailformat.samples import column, header, metadata_record, trail_of
from trailformat import ByteOrder, ColumnDefinition, Record, TableDefinition, make_record
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import DELETE, INSERT, NAME_IS_INDEX
from trailformat.values import CHAR

_NAME = "TEA.LEAVES"
_REASON = "the row has {} bytes, its definition 8 to 9"


def _char(name: str, offset: int) -> ColumnDefinition:
    kind = column(name, data_type=CHAR, scale=0, sub_data_type=0)
    return kind._replace(internal_length=4, external_length=4, fetch_offset=offset, flags=1)


def _row(data: bytes, io_type: int) -> Record:
    image = ord("B") if io_type == DELETE else ord("A")
    return make_record(header(1, io_type=io_type, partition=NAME_IS_INDEX, before_after=image, trans_ind=3), data)


@pytest.fixture(params=[4, 7, 10, 12])
def odd(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int]:
    """A trail of sound rows, of rows of another length, and that length."""
    definition = TableDefinition(1, 1, (_char("CODE", 0), _char("NOTE", 4)))
    rows = [
        _row(b"SEN1good" if good else b"LOST" * 3, io_type) for good in (True, False) for io_type in (INSERT, DELETE)
    ]
    cut = [
        make_record(record.header, record.data[: request.param]) if record.data[:1] == b"L" else record
        for record in rows
    ]
    return trail_of(tmp_path, metadata_record(2, 1, _NAME, build_table(definition, ByteOrder.BIG)), *cut), request.param


@pytest.mark.parametrize("words", ["", "undo"], ids=["redo", "undo"])
def test_it_is_a_comment_in_a_script(odd: tuple[Path, int], words: str) -> None:
    script = check(odd[0], words)
    assert (script.count("SEN1"), script.count("LOST")) == (2, 0)
    assert script.count(_REASON.format(odd[1])) == 2


def test_values_shows_its_bytes_and_json_has_no_column_of_it(odd: tuple[Path, int]) -> None:
    path, length = odd
    line = Line()
    line(f"open {path}; values on")
    shown = line("next 6")
    problem = f"its columns do not decode: {_REASON.format(length)}"
    assert shown.count(f"Values cannot be shown: {problem}") == 2
    assert shown.count(f"?'{(b'LOST' * 3)[:length].hex()}'") == 2
    assert sum("'SEN1'" in text for text in shown) == 2
    assert not any("'LOST" in text for text in shown)
    line.session.close()


def test_an_export_has_the_reason_in_place_of_its_values(odd: tuple[Path, int], tmp_path: Path) -> None:
    path, length = odd
    line = Line()
    line(f"open {path}; export jsonl to {tmp_path / 'out'} by table")
    line.session.close()
    rows = [json.loads(text) for text in (tmp_path / "out" / f"{_NAME}.jsonl").read_text().splitlines()]
    assert [damaged_row["problems"] for damaged_row in rows[:2]] == [[], []]
    for row in rows[2:]:
        assert not any(name.startswith(("before_", "after_")) for name in row)
        assert [part["reason"] for part in row["problems"]] == [_REASON.format(length)]
