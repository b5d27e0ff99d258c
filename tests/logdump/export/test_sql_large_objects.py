"""EXPORT SQL of rows with large objects: byte for byte what an oracle makes change by change."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from logdump.display.sql import blocks
from tests.logdump.export.drawn_transactions import TABLES, DrawnTransactions, definition
from tests.logdump.export.scripts import EITHER, check, written
from tests.searching import IS_LONG
from tests.trailformat.samples import BOTH, header, trail_of
from trailformat import ByteOrder, Images, Record, make_column, make_record
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record_header import (
    LARGE_OBJECT,
    UNIFIED_UPDATE,
)


@EITHER
@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("seed", range(20 if IS_LONG else 1))
def test_rows_with_large_objects_come_to_the_same_bytes(
    seed: int, order: ByteOrder, direction: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_MOST_BYTES", 1500)
    monkeypatch.setattr(blocks, "_CUT_ROWS", 5)
    random = Random(f"{seed} {order} {direction}")
    drawn = DrawnTransactions(random, order)
    records = [definition(name, index, order) for index, name in enumerate(TABLES, 1)]
    records += [record for _ in range(25) for record in drawn.transaction()]
    dialect = random.choice(("oracle", "mysql", "postgresql", "ansi"))
    before = random.choice(("", "", "filter include filename TEA.POTS", "filter include rectype 5"))
    assert "COMMIT" in check(trail_of(tmp_path, *records), f"{dialect} {direction}", before)


@EITHER
def test_only_a_row_whose_pieces_may_go_on_behind_its_block_is_written_by_itself(
    direction: str, tmp_path: Path, singles: list[list[Record]]
) -> None:
    order = ByteOrder.BIG
    columns = tuple(make_column(at, b"\0\1x") for at in range(3))
    update = make_record(header(1, io_type=UNIFIED_UPDATE), Images(columns, columns, 4))
    place = PieceHeader(1, 1, 1, 0, 3)
    piece = make_record(header(1, io_type=LARGE_OBJECT, rec_count=1), build_piece(place, b"pot", order))
    transaction = [_with_place(update, 0), _with_place(piece, 1), _with_place(update, 1), _with_place(piece, 2)]
    trail = trail_of(tmp_path, definition(TABLES[0], 1, order), *transaction * 3)
    script = written(trail, f"ansi {direction}", "", by_columns=True)[0] or b""
    assert (script.count(b"SET"), len(singles)) == (6, 1)


def _with_place(record: Record, trans_ind: int) -> Record:
    return make_record(record.header._replace(trans_ind=trans_ind), record.images or record.data, order=record.order)
