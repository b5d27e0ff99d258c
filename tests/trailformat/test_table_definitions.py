from __future__ import annotations

from itertools import accumulate
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.trailformat.samples import BOTH, metadata_record, row, table_record, trail_of
from trailformat import ByteOrder, Record, TrailFile
from trailformat.index import attach, build, index_of
from trailformat.records.record_header import DATABASE, REFERENCE, TABLE
from trailformat.trail import file

DDR = metadata_record(DATABASE, 0, "")


@pytest.fixture(autouse=True, params=["walking", "by a kernel"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How the definitions are found: short ways are walked, for long ones there is a kernel."""
    if request.param == "by a kernel":
        monkeypatch.setattr(file, "_FAR", 1)


def names(path: Path) -> list[str]:
    with TrailFile(path) as trail:
        return [trail.name_of(record) for record in trail.records() if not record.is_metadata]


@pytest.mark.parametrize("order", BOTH)
def test_an_index_means_the_definition_before_it(tmp_path: Path, order: ByteOrder) -> None:
    records = table_record(1, "TEAS", order), table_record(2, "SALES", order), row(name=2, order=order)
    assert names(trail_of(tmp_path, *records)) == ["SALES"]


def test_an_index_means_the_latest_definition_before_it(tmp_path: Path) -> None:
    records = table_record(1, "OLD"), row(name=1), table_record(1, "NEW"), row(name=1)
    assert names(trail_of(tmp_path, *records)) == ["OLD", "NEW"]


def test_the_order_in_which_somebody_asks_does_not_matter(tmp_path: Path) -> None:
    path = trail_of(tmp_path, table_record(1, "OLD"), row(name=1), table_record(1, "NEW"), row(name=1))
    with TrailFile(path) as trail:
        rows = [record for record in trail.records_backwards() if not record.is_metadata]
        assert [trail.name_of(record) for record in rows] == ["NEW", "OLD"]


def test_a_definition_behind_the_row_does_not_count(tmp_path: Path) -> None:
    assert names(trail_of(tmp_path, row(name=1), table_record(1, "LATE"))) == [""]


def test_a_reference_takes_the_next_free_index(tmp_path: Path) -> None:
    records = table_record(1, "TEAS"), metadata_record(REFERENCE, 1, "ARCHIVE"), row(name=2), row(name=1)
    assert names(trail_of(tmp_path, *records)) == ["ARCHIVE", "TEAS"]


def test_a_reference_has_the_columns_of_the_definition_it_refers_to(tmp_path: Path) -> None:
    tdr = table_record(1, "TEAS", columns=3)
    path = trail_of(tmp_path, DDR, tdr, metadata_record(REFERENCE, 1, "ARCHIVE"), row(name=2))
    with TrailFile(path) as trail:
        entry = trail.table_of(list(trail.records())[-1])
        assert entry is not None
        assert entry.definition_rba == DDR.length
        columns = trail.tables.columns(entry)
        assert columns is not None
        assert len(columns.columns) == 3


def test_a_reference_has_the_columns_that_its_table_was_last_given(tmp_path: Path) -> None:
    tdrs = table_record(1, "TEAS", columns=3), table_record(1, "TEAS", columns=5)
    path = trail_of(tmp_path, DDR, *tdrs, metadata_record(REFERENCE, 1, "ARCHIVE"), row(name=2))
    with TrailFile(path) as trail:
        entry = trail.table_of(list(trail.records())[-1])
        assert entry is not None
        columns = trail.tables.columns(entry)
        assert columns is not None
        assert len(columns.columns) == 5


def test_a_reference_to_a_lost_definition_has_a_name_and_no_columns(tmp_path: Path) -> None:
    path = trail_of(tmp_path, metadata_record(REFERENCE, 1, "ARCHIVE"), row(name=2))
    with TrailFile(path) as trail:
        entry = trail.table_of(list(trail.records())[-1])
        assert entry is not None
        assert entry.name == "ARCHIVE"
        assert trail.tables.columns(entry) is None


def test_a_definition_that_does_not_decode_has_a_name_and_no_columns(tmp_path: Path) -> None:
    path = trail_of(tmp_path, metadata_record(2, 1, "TEAS", b"junk"), row(name=1))
    with TrailFile(path) as trail:
        entry = trail.table_of(list(trail.records())[-1])
        assert entry is not None
        assert entry.name == "TEAS"
        assert trail.tables.columns(entry) is None


@pytest.mark.parametrize("garbage", [b"x" * 50, b"G\1\0\x40H\0\0\x24E"], ids=["text", "like a record"])
def test_definitions_in_front_of_and_behind_damage_count(tmp_path: Path, garbage: bytes) -> None:
    last: tuple[Record | bytes, ...] = table_record(2, "SALES"), row(name=1), row(name=2)
    path = trail_of(tmp_path, table_record(1, "TEAS"), garbage, *last)
    with TrailFile(path) as trail:
        begin = path.stat().st_size - row(name=1).length - row(name=2).length
        assert [trail.name_of(record) for record in trail.records(begin)] == ["TEAS", "SALES"]


def test_the_database_is_the_latest_ddr_before(tmp_path: Path) -> None:
    path = trail_of(tmp_path, DDR, row(), DDR, row())
    with TrailFile(path) as trail:
        second = DDR.length + row().length
        assert trail.tables.database_before(0) is None
        assert trail.tables.database_before(second) == 0
        assert trail.tables.database_before(second + 1) == second


def test_a_row_with_a_name_needs_no_definition(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(name="TEA.LEAVES"))
    with TrailFile(path) as trail:
        (record,) = trail.records()
        assert trail.table_of(record) is None
        assert trail.name_of(record) == "TEA.LEAVES"


def test_what_is_in_force_at_any_place_even_inside_a_record(tmp_path: Path) -> None:
    parts = [table_record(1, "OLD"), row(name=1), table_record(1, "NEW"), table_record(2, "TEAS"), row(name=1)]
    starts = list(accumulate((record.length for record in parts), initial=0))
    with TrailFile(trail_of(tmp_path, *parts)) as trail:
        for rba, expected in [
            (starts[3] + 1, ["NEW", "TEAS"]),
            (0, []),
            (starts[1] + 5, ["OLD"]),
            (starts[2], ["OLD"]),
        ]:
            assert [entry.name for entry in trail.tables.in_force(rba)] == expected
        assert [trail.name_of(record) for record in trail.records(starts[4])] == ["NEW"]


def test_an_attached_index_tells_where_definitions_are(tmp_path: Path) -> None:
    path = trail_of(tmp_path, table_record(1, "TEAS"), row(name=1), row(name=1))
    with TrailFile(path) as trail, TrailFile(path) as other:
        for _ in build(other, index_of(other)):
            pass
        attach(trail, index_of(other))
        trail.tables.lookup(1, 1)
        assert trail.tables.known_to == trail.size


def test_of_too_many_definitions_those_beyond_the_index_are_found_by_walking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trailformat.index.record_index.MOST_METADATA", 2)
    tables = [part for number in range(5) for part in (table_record(number, f"T{number}"), row(name=number))]
    assert names(trail_of(tmp_path, *tables)) == ["T0", "T1", "T2", "T3", "T4"]


def test_the_entries_are_all_definitions_of_the_file(tmp_path: Path) -> None:
    records = table_record(1, "OLD"), row(name=1), table_record(1, "NEW"), metadata_record(REFERENCE, 1, "LIKE")
    with TrailFile(trail_of(tmp_path, *records)) as trail:
        assert sorted(entry.name for entry in trail.tables.entries()) == ["LIKE", "NEW", "OLD"]


def test_definitions_with_the_same_data_are_one(tmp_path: Path) -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        tables = [record.raw for record in trail.records() if record.is_metadata and record.header.orig_node == TABLE]
    with TrailFile(trail_of(tmp_path, tables[0], row(name=1), tables[0], tables[1], row(name=1))) as trail:
        first, again, other = (trail.tables.columns(entry) for entry in sorted(trail.tables.entries()))
        assert first is again is not None
        assert other not in (None, first)


def meanings(folder: Path, name: str, *records: Record | bytes) -> list[int]:
    """What the bytes of each row of a trail depend on."""
    with TrailFile(trail_of(folder, *records, name=name)) as trail:
        return [trail.tables.meaning_at(record.rba) for record in trail.records() if not record.is_metadata]


def test_places_are_alike_where_each_index_means_the_same(tmp_path: Path) -> None:
    teas, sales, more = table_record(1, "TEAS"), table_record(2, "SALES"), table_record(1, "TEAS", columns=2)
    found = meanings(tmp_path, "aa000000000", DDR, teas, row(name=1), sales, row(name=1), more, row(name=1))
    assert len({*found}) == 3
    assert meanings(tmp_path, "bb000000000", sales, teas, DDR, row(name=1), more, row(name=2), teas, row(name=1)) == [
        found[1],
        found[2],
        found[1],
    ]
    assert meanings(tmp_path, "cc000000000", DDR, table_record(1, "CUPS"), sales, row(name=1))[0] not in found
    assert meanings(tmp_path, "dd000000000", teas, sales, row(name=1))[0] not in found


def test_places_are_alike_for_who_goes_on_from_a_place_too(tmp_path: Path) -> None:
    records = DDR, table_record(1, "OLD"), table_record(1, "NEW"), table_record(2, "SALES"), row(name=1)
    path = trail_of(tmp_path, *records)
    rba = path.stat().st_size - records[-1].length
    with TrailFile(path) as trail, TrailFile(path) as other:
        other.tables.resume(trail.tables.state_at(rba))
        assert other.tables.meaning_at(rba) == trail.tables.meaning_at(rba)


def test_a_definition_that_is_lost_is_like_no_other(tmp_path: Path) -> None:
    lost = metadata_record(REFERENCE, 7, "ARCHIVE")
    [meaning] = meanings(tmp_path, "aa000000000", lost, row(name=8))
    assert meanings(tmp_path, "aa000000000", lost, row(name=8)) != [meaning]
