"""Large objects behind a row are columns of its statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.capture import Capture
from fixtures.changes import insert
from fixtures.flavour import MYSQL_21
from fixtures.shop import SENCHA
from logdump.render.sql import DIALECTS, SqlScript, Statement
from logdump.render.sql import large_objects as module
from trailformat import TrailFile, TrailWriter
from trailformat.changes.transactions import FIRST, LAST, MIDDLE
from trailformat.definitions.column import ColumnDefinition
from trailformat.records.io_types import INSERT, LARGE_OBJECT
from trailformat.records.lob_pieces import PieceHeader, build_piece

_NAME = 1
_TEXT = "The first cup moistens my lips and throat; " * 5
_BINARY = 4


def _write(path: Path, value: bytes, *, sub_data_type: int = 0, lost: int = -1) -> None:
    """A row, and behind it the pieces of its column NAME."""
    teas = MYSQL_21.teas
    columns = tuple(_with(one, sub_data_type) if at == _NAME else one for at, one in enumerate(teas.columns))
    table = teas._replace(columns=columns)
    with TrailWriter(path, order=MYSQL_21.order) as writer:
        capture = Capture(writer, MYSQL_21)
        capture.database()
        capture.table(table)
        capture.begin()
        base = capture.header(INSERT, table.number, partition=capture.partition, orig_node=255, trans_ind=FIRST)
        writer.write_values(base, insert(teas, SENCHA).images(MYSQL_21.order), capture.transaction_tokens())
        count = -(-len(value) // 64)
        for number in range(count):
            part = value[number * 64 : number * 64 + 64]
            data = build_piece(PieceHeader(_NAME, number + 1, count, number * 64, len(value)), part, MYSQL_21.order)
            header = capture.header(LARGE_OBJECT, table.number, continued=int(number < count - 1), rec_count=count)
            header = header._replace(partition=capture.partition, orig_node=255, before_after=ord("A"))
            header = header._replace(trans_ind=LAST if number == count - 1 else MIDDLE)
            if number != lost:
                writer.write_values(header, data)


def _with(column: ColumnDefinition, sub_data_type: int) -> ColumnDefinition:
    return column._replace(sub_data_type=sub_data_type)


def _last(path: Path, *, takes_back: bool = False) -> Statement:
    """The statement of the row with the large object."""
    with TrailFile(path) as trail:
        script = SqlScript(trail, DIALECTS["POSTGRESQL"], takes_back=takes_back)
        found = [one for one in script.items(0) if isinstance(one, Statement)]
    return found[0 if takes_back else -1]


def test_a_text_is_a_column_of_the_insert(tmp_path: Path) -> None:
    _write(tmp_path / "lo000000000", _TEXT.encode())
    assert f"'{_TEXT}'" in str(_last(tmp_path / "lo000000000").sql)


def test_bytes_are_a_binary_literal(tmp_path: Path) -> None:
    value = bytes(range(200))
    _write(tmp_path / "lo000000000", value, sub_data_type=_BINARY)
    assert f"'\\x{value.hex()}'::bytea" in str(_last(tmp_path / "lo000000000").sql)


def test_a_row_is_deleted_without_its_large_object(tmp_path: Path) -> None:
    _write(tmp_path / "lo000000000", _TEXT.encode(), lost=1)
    assert str(_last(tmp_path / "lo000000000", takes_back=True).sql).startswith("DELETE")


@pytest.mark.parametrize(
    ("value", "lost", "reason"),
    [
        (_TEXT.encode(), 1, "large object 1 is not whole"),
        (b"\xff" * 99, -1, "column name is not decoded: not utf-8 from byte 0 on"),
    ],
)
def test_one_that_cannot_be_written_says_why(tmp_path: Path, value: bytes, lost: int, reason: str) -> None:
    _write(tmp_path / "lo000000000", value, lost=lost)
    assert _last(tmp_path / "lo000000000").reason == reason


def test_a_long_one_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 100)
    _write(tmp_path / "lo000000000", _TEXT.encode())
    assert _last(tmp_path / "lo000000000").reason == "large object 1 has 215 bytes, more than 100"


def test_pieces_of_an_unknown_layout_are_not_written(trails: Path) -> None:
    with TrailFile(trails / "pl000000000") as trail:
        script = SqlScript(trail, DIALECTS["ANSI"])
        first = next(one for one in script.items(0) if isinstance(one, Statement))
    assert first.reason == "large object 1 is in pieces whose layout is not known"
