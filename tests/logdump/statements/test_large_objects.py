"""Large objects behind a row are columns of its statement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.capture import Capture
from fixtures.changes import delete, insert, unified_update
from fixtures.flavour import MYSQL_21, Flavour
from fixtures.shop import SENCHA
from logdump.display.sql import DIALECTS, SqlScript, Statement
from logdump.display.sql import literals as module
from trailformat import TrailFile, TrailWriter
from trailformat.codec.charsets import BY_NAME
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record_header import FIRST, LARGE_OBJECT, LAST, MIDDLE

_NAME = 1
_TEXT = "The first cup moistens my lips and throat; " * 5
_OLD_TEXT = "The second shatters the walls of my lonely sadness"
_BINARY = 4


def _write(
    path: Path,
    value: bytes | None,
    *,
    old: bytes | None = None,
    column: int = _NAME,
    sub_data_type: int = 0,
    lost: int = -1,
    flavour: Flavour = MYSQL_21,
    has_table_between: bool = False,
) -> None:
    """A row, and behind it the pieces of one of its columns; an update has an old and a new value of it."""
    teas = flavour.teas
    columns = tuple(
        _with(definition, sub_data_type) if at == _NAME else definition for at, definition in enumerate(teas.columns)
    )
    if value is None:
        change = delete(teas, SENCHA)
    elif old is None:
        change = insert(teas, SENCHA)
    else:
        change = unified_update(teas, SENCHA, (*SENCHA[:4], Decimal(9), SENCHA[5]))
    pieces = [*_pieces(old or b"", ord("B"), column, flavour), *_pieces(value or b"", ord("A"), column, flavour)]
    with TrailWriter(path, order=flavour.order) as writer:
        capture = Capture(writer, flavour)
        capture.database()
        capture.table(teas._replace(columns=columns))
        capture.begin()
        row = {"partition": capture.partition, "orig_node": 255}
        base = capture.header(change.io_type, teas.number, **row, trans_ind=FIRST)
        base = base._replace(before_after=ord("B" if value is None else "A"))
        writer.write_values(base, change.images(flavour.order), capture.transaction_tokens())
        if has_table_between:
            capture.table(flavour.sales, MIDDLE)
        for number, (fields, data) in enumerate(pieces):
            trans_ind = LAST if number == len(pieces) - 1 else MIDDLE
            if number != lost:
                writer.write_values(
                    capture.header(LARGE_OBJECT, teas.number, **row, **fields, trans_ind=trans_ind), data
                )


def _pieces(value: bytes, before_after: int, column: int, flavour: Flavour) -> Iterator[tuple[dict[str, int], bytes]]:
    """The fields and the data of the records that a value comes in."""
    count = -(-len(value) // 64)
    for number in range(count):
        part = value[number * 64 : number * 64 + 64]
        place = PieceHeader(column, number + 1, count, number * 64, len(value))
        fields = {"continued": int(number < count - 1), "rec_count": count, "before_after": before_after}
        yield fields, build_piece(place, part, flavour.order)


def _with(column: ColumnDefinition, sub_data_type: int) -> ColumnDefinition:
    return column._replace(sub_data_type=sub_data_type)


def _last(path: Path, *, takes_back: bool = False) -> Statement:
    """The statement of the row with the large object."""
    with TrailFile(path) as trail:
        script = SqlScript(trail, DIALECTS["POSTGRESQL"], takes_back=takes_back)
        found = [item for item in script.items(0) if isinstance(item, Statement)]
    return found[0 if takes_back else -1]


def test_a_text_is_a_column_of_the_insert(tmp_path: Path) -> None:
    _write(tmp_path / "lo000000000", _TEXT.encode())
    assert f"'{_TEXT}'" in str(_last(tmp_path / "lo000000000").sql)


@pytest.mark.parametrize("takes_back", [False, True])
def test_a_definition_may_stand_between_a_row_and_its_large_object(tmp_path: Path, *, takes_back: bool) -> None:
    _write(tmp_path / "lo000000000", b"the new cup", old=b"the old cup", has_table_between=True)
    set_to = "the old cup" if takes_back else "the new cup"
    assert f"SET \"name\" = '{set_to}', " in str(_last(tmp_path / "lo000000000", takes_back=takes_back).sql)


@pytest.mark.parametrize("takes_back", [False, True])
@pytest.mark.parametrize("opened", ["lo000000000", "lo000000001"])
def test_a_large_object_may_go_on_in_the_next_file(opened: str, tmp_path: Path, *, takes_back: bool) -> None:
    first, second = (tmp_path / f"lo{number:09}" for number in (0, 1))
    _write(first, _TEXT.encode(), old=_OLD_TEXT.encode())
    with TrailFile(first) as trail:
        cut = [record.rba for record in trail.records()][-2]
    data = first.read_bytes()
    first.write_bytes(data[:cut])
    second.write_bytes(data[cut:])
    text = _OLD_TEXT if takes_back else _TEXT
    assert f"SET \"name\" = '{text}', " in str(_last(tmp_path / opened, takes_back=takes_back).sql)


def test_bytes_are_a_binary_literal(tmp_path: Path) -> None:
    value = bytes(range(200))
    _write(tmp_path / "lo000000000", value, sub_data_type=_BINARY)
    assert f"'\\x{value.hex()}'::bytea" in str(_last(tmp_path / "lo000000000").sql)


def test_a_row_is_deleted_whatever_is_missing_of_its_large_object(tmp_path: Path) -> None:
    _write(tmp_path / "in000000000", _TEXT.encode(), lost=1)
    assert str(_last(tmp_path / "in000000000", takes_back=True).sql).startswith("DELETE")
    _write(tmp_path / "de000000000", None, old=_TEXT.encode(), lost=1)
    assert str(_last(tmp_path / "de000000000").sql).startswith("DELETE")


def test_an_update_sets_the_new_text_and_its_undo_the_old_one(tmp_path: Path) -> None:
    _write(tmp_path / "lo000000000", b"the second cup", old=b"the first cup")
    assert "SET \"name\" = 'the second cup', " in str(_last(tmp_path / "lo000000000").sql)
    assert "SET \"name\" = 'the first cup', " in str(_last(tmp_path / "lo000000000", takes_back=True).sql)


@pytest.mark.parametrize("takes_back", [False, True])
def test_an_object_that_the_before_image_alone_has_did_not_change(tmp_path: Path, *, takes_back: bool) -> None:
    """Neither the update nor its undo sets it, as any column that the after image lacks."""
    _write(tmp_path / "lo000000000", b"", old=_OLD_TEXT.encode())
    sql = str(_last(tmp_path / "lo000000000", takes_back=takes_back).sql)
    found, place = re.search(r" SET (.*) WHERE ", sql), 4
    assert found is not None, sql
    value = SENCHA[place] if takes_back else "9.00"
    assert found[1] == f'"{MYSQL_21.teas.columns[place].name}" = {value}'


def test_a_text_is_read_in_the_character_set_of_its_database(tmp_path: Path) -> None:
    assert MYSQL_21.database is not None
    german = replace(MYSQL_21, database=MYSQL_21.database._replace(charset=BY_NAME["WINDOWS-1252"]))
    _write(tmp_path / "lo000000000", "Blätter".encode("cp1252"), flavour=german)
    assert "'Blätter'" in str(_last(tmp_path / "lo000000000").sql)


def test_a_column_that_the_table_does_not_have_has_no_name(tmp_path: Path) -> None:
    _write(tmp_path / "lo000000000", b"x", column=len(MYSQL_21.teas.columns))
    reason = "column 6 has no name: no definition of the table fits (SOURCEDEFS reads some)"
    assert _last(tmp_path / "lo000000000").reason == reason


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


def test_one_that_is_too_long_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(tmp_path / "lo000000000", _TEXT.encode())
    monkeypatch.setattr(module, "LONGEST", len(_TEXT))
    assert f"'{_TEXT}'" in str(_last(tmp_path / "lo000000000").sql)
    monkeypatch.setattr(module, "LONGEST", len(_TEXT) - 1)
    assert _last(tmp_path / "lo000000000").reason == "large object 1 has 215 bytes, more than 214"


def test_pieces_of_an_unknown_layout_are_not_written(trails: Path) -> None:
    with TrailFile(trails / "pl000000000") as trail:
        script = SqlScript(trail, DIALECTS["ANSI"])
        first = next(item for item in script.items(0) if isinstance(item, Statement))
    assert first.reason == "large object 1 is in pieces whose layout is not known"
