"""Rows of drawn files mean in one saved file what they meant: tables altered or defined anew, other databases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.trailformat.samples import metadata_record, row, table_record, trail_of
from trailformat import Record, TrailFile
from trailformat.records.record_header import ONLY
from trailformat.trail.row_definitions import RowDefinitions

Meaning = tuple[bytes, str, int, bytes | None]
"""The text of a row, its table, how many columns that has, and the data of the definition of its database."""


def _meanings(path: Path) -> list[Meaning]:
    found = []
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        for record in trail.records(trail.first_rba):
            if record.is_metadata or record.images is None or not record.images.after:
                continue
            table, database = definitions.of(record).table, trail.tables.database_before(record.rba)
            ddr = trail.record_at(database) if database is not None else None
            columns = len(table.columns) if table is not None else 0
            data = ddr.data if ddr is not None else None
            found.append((record.images.after[0].raw[2:], trail.name_of(record), columns, data))
    return found


@pytest.mark.parametrize("seed", range(examples(60, short=12)))
@pytest.mark.parametrize("words", ["", "filter include rectype 5; "])
def test_rows_that_are_saved_keep_their_tables_and_databases(words: str, seed: int, line: Line, tmp_path: Path) -> None:
    """Under a filter for rows the definitions of the source do not pass themselves: SAVE writes what rows need."""
    random = Random(f"{seed} {words}")
    paths = []
    for number in range(random.randint(1, 3)):
        records: list[Record] = []
        defined: list[int] = []
        for at in range(random.randint(2, 8)):
            step = random.choice(("database", "table", "row", "row"))
            if step == "database" or not records:
                records.append(metadata_record(1, 0, "TEADB", b"db%d%d" % (number, at)))
                defined = []  # tables of another database are defined anew
            elif step == "table" or not defined:
                index = random.choice((1, 2))
                name = random.choice(("TEA.LEAVES", "TEA.POTS"))
                records.append(table_record(index, name, columns=random.randint(1, 4)))
                defined.append(index)
            else:
                records.append(row(b"%d %d" % (number, at), random.choice(defined), trans_ind=ONLY))
        paths.append(trail_of(tmp_path, *records, name=f"tt{number:09}"))
    expected = [meaning for path in paths for meaning in _meanings(path)]
    line(f"open {paths[0]}; across on; {words}save {tmp_path / 'sv000000000'}")
    saved = tmp_path / "sv000000000"
    assert (_meanings(saved) if saved.exists() else []) == expected
