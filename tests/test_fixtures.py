from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from fixtures import README
from fixtures.catalogue import DAMAGED, FIXTURES, names
from fixtures.generate import main, readme
from fixtures.shop import SENCHA
from trailformat import ByteOrder, Record, TrailError, TrailFile, decode_value, io_type_name
from trailformat.definitions.metadata import TableDefinition


def read(path: Path) -> list[Record]:
    with TrailFile(path) as trail:
        return list(trail.records())


def kinds(path: Path) -> Counter[str]:
    return Counter(io_type_name(record.header.io_type) for record in read(path) if not record.is_file_header)


def test_generating_again_into_a_folder_gives_the_same_bytes(trails: Path, tmp_path: Path) -> None:
    main([str(tmp_path / "made")])
    made = {path.name: path.read_bytes() for path in (tmp_path / "made").iterdir()}
    assert sorted(made) == sorted(names())
    assert made == {path.name: path.read_bytes() for path in trails.iterdir()}


def test_the_list_is_in_step_with_the_trails() -> None:
    assert README.read_text(encoding="utf-8") == readme()


def test_every_trail_has_one_line_in_the_list() -> None:
    lines = [line for line in readme().splitlines() if line.startswith("| `")]
    assert [line.split("`")[1] for line in lines] == names()


def test_all_of_them_together_are_small(trails: Path) -> None:
    assert sum(path.stat().st_size for path in trails.iterdir()) < 200_000


def test_every_shape_exists_in_both_byte_orders() -> None:
    orders: dict[str, set[ByteOrder]] = {}
    for fixture in FIXTURES:
        orders.setdefault(fixture.names[0][0], set()).add(fixture.flavour.order)
    assert all(both == set(ByteOrder) for both in orders.values())


@pytest.mark.parametrize("name", [name for fixture in FIXTURES for name in fixture.names])
def test_a_sound_trail_is_read_to_its_last_byte(trails: Path, name: str) -> None:
    assert sum(record.length for record in read(trails / name)) == (trails / name).stat().st_size


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_the_everyday_trail_has_every_operation_on_a_row(trails: Path, name: str) -> None:
    assert kinds(trails / name) == {
        "Metadata": 3,
        "Insert": 7,
        "FieldComp": 3,
        "GGSUnifiedUpdate": 3,
        "GGSPKUpdate": 1,
        "GGSUnifiedPKUpdate": 1,
        "Delete": 2,
        "GGSPurgedata": 1,
    }


@pytest.mark.parametrize("name", ["ot000000", "ol000000"])
def test_the_old_trail_has_restarts_ddl_and_user_tokens(trails: Path, name: str) -> None:
    assert {"RestartOK", "RestartAbend", "DDLOP", "Update"} <= set(kinds(trails / name))
    assert any(record.user_tokens for record in read(trails / name))
    assert all(record.table_index is None for record in read(trails / name)[1:])


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_only_the_first_record_of_a_transaction_has_csn_and_xid(trails: Path, name: str) -> None:
    rows = [record for record in read(trails / name) if not record.is_file_header and not record.is_metadata]
    assert {record.header.trans_ind for record in rows} == {0, 1, 2, 3}
    for record in rows:
        assert (record.csn is not None) == (record.xid is not None) == (record.header.trans_ind in (0, 3))


@pytest.mark.parametrize("name", ["pt000000000", "pl000000000"])
def test_the_trail_of_pieces_has_large_objects_and_fragments(trails: Path, name: str) -> None:
    pieces = [
        record.header for record in read(trails / name) if not record.is_file_header and record.header.io_type == 116
    ]
    assert [record.continued for record in pieces] == [1, 1, 1, 0]
    assert {record.rec_count for record in pieces} == {4}
    assert kinds(trails / name)["RecordFragment"] == 2


@pytest.mark.parametrize("name", ["st00000000", "sl00000000"])
def test_the_trail_of_two_files_names_every_table_in_both(trails: Path, name: str) -> None:
    for number in (0, 1):
        with TrailFile(trails / f"{name}{number}") as trail:
            rows = [record for record in trail.records() if not record.is_file_header and not record.is_metadata]
            assert "" not in {trail.name_of(record) for record in rows}
            assert trail.file_header is not None
            assert trail.file_header.get("TrailInfo", "Seqno") == number


@pytest.mark.parametrize("name", [fixture.name for fixture in DAMAGED if fixture.kind in "fg"])
def test_a_trail_damaged_in_the_middle_goes_on_behind(trails: Path, name: str) -> None:
    with TrailFile(trails / name) as trail:
        with pytest.raises(TrailError) as caught:
            list(trail.records())
        assert caught.value.rba is not None
        good = trail.next_good_header(caught.value.rba + 1)
        assert good is not None
        assert len(list(trail.records(good))) > 5


@pytest.mark.parametrize("name", [fixture.name for fixture in DAMAGED if fixture.kind == "c"])
def test_a_trail_cut_short_ends_before_its_last_record(trails: Path, name: str) -> None:
    with TrailFile(trails / name) as trail:
        assert sum(record.length for record in trail.records()) == trail.end_of_records() < trail.size


@pytest.mark.parametrize("name", [fixture.name for fixture in DAMAGED if fixture.kind == "m"])
def test_a_trail_without_a_definition_has_rows_without_a_name(trails: Path, name: str) -> None:
    with TrailFile(trails / name) as trail:
        rows = [record for record in trail.records() if not record.is_file_header and record.table_index == 2]
        assert len(rows) > 5
        assert {trail.name_of(record) for record in rows} == {""}


@pytest.mark.parametrize("name", [fixture.name for fixture in DAMAGED if fixture.kind == "b"])
def test_a_name_that_is_no_utf_8_is_escaped(trails: Path, name: str) -> None:
    with TrailFile(trails / name) as trail:
        tables = {trail.name_of(record).lower() for record in trail.records() if not record.is_file_header}
        assert r"teahouse.t\xe9as" in tables


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_the_first_row_decodes_to_what_the_shop_entered(trails: Path, name: str) -> None:
    with TrailFile(trails / name) as trail:
        first = next(record for record in trail.records() if not record.is_file_header and not record.is_metadata)
        entry = trail.table_of(first)
        table = trail.tables.columns(entry) if entry else None
        assert isinstance(table, TableDefinition)
        assert first.images is not None
        stored = first.images.after or ()
        values = [decode_value(column, table.columns[column.index], first.order).value for column in stored]
        assert [value.strip() if isinstance(value, str) else value for value in values] == list(SENCHA)
