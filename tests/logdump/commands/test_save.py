from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.save import saver as saving
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from trailformat import Record, TrailFile, TrailSequence
from trailformat.records.record_header import COMMENT

SOUND = sorted(path for path in TRAILS.glob("??*") if path.name[0] in "ehorpusv" and path.name != "README.md")


def _records(path: Path) -> list[Record]:
    with TrailFile(path) as trail:
        return list(trail.records())


def _rows(path: Path) -> list[tuple[str, bytes]]:
    """Every row under the name that its file gives it."""
    with TrailFile(path) as trail:
        return [
            (trail.name_of(record), record.data)
            for record in trail.records()
            if not record.is_file_header and not record.is_metadata
        ]


@pytest.mark.parametrize("source", SOUND, ids=lambda path: path.name)
def test_a_whole_trail_is_saved_byte_for_byte_behind_its_header(source: Path, line: Line, tmp_path: Path) -> None:
    target = tmp_path / "xx000000007"
    line(f"open {source}; save {target}")
    assert not line.failures
    saved, original = _records(target), _records(source)
    assert [record.raw for record in saved if not record.is_file_header] == [
        record.raw for record in original if not record.is_file_header
    ]


def test_the_saved_header_tells_its_own_name_and_number(shop: Line, tmp_path: Path) -> None:
    target = tmp_path / "xx000000007"
    shop(f"save {target} 1 record")
    with TrailFile(target) as trail:
        header = trail.file_header
    assert header is not None
    assert header.get("TrailInfo", "FileName") == str(target)
    assert header.get("TrailInfo", "Seqno") == 7
    assert header.get("TrailInfo", "LastCSN") is None


@pytest.mark.parametrize("start", range(2, 12))
def test_rows_saved_from_the_middle_keep_their_tables(start: int, line: Line, tmp_path: Path) -> None:
    for name in ("et000000000", "el000000000", "rt000000000", "rl000000000"):
        source, target = TRAILS / name, tmp_path / f"{name[:2]}000000009"
        line(f"open {source}; skip {start}; save {target}")
        with TrailFile(target) as trail:
            assert trail.file_header is not None
            assert all(
                trail.table_of(record) for record in trail.records() if not record.is_file_header and record.table_index
            )
        assert _rows(target) == _rows(source)[len(_rows(source)) - len(_rows(target)) :]


def test_the_filter_says_what_is_saved_and_definitions_come_along(shop: Line, tmp_path: Path) -> None:
    target = tmp_path / "xx000000000"
    assert shop(f"filter filename *.sales; filter rectype insert; filter match all; save {target}")[-1] == (
        f"Saved 3 records to {target}"
    )
    kinds = ["F" if record.is_file_header else str(record.header.io_type) for record in _records(target)]
    assert kinds == ["F", "170", "170", "5", "5", "5"]
    assert {name for name, _ in _rows(target)} == {"TEAHOUSE.SALES"}


def test_records_are_counted_without_header_and_carried_definitions(shop: Line, tmp_path: Path) -> None:
    shop(f"skip 7; save {tmp_path / 'xx000000000'} 2 records")
    assert len(_rows(tmp_path / "xx000000000")) == 2


def test_bytes_bound_what_is_saved(shop: Line, tmp_path: Path) -> None:
    shop(f"skip 7; save {tmp_path / 'xx000000000'} 400 bytes")
    with TrailFile(tmp_path / "xx000000000") as trail:
        rows = [record for record in trail.records() if not record.is_file_header and not record.is_metadata]
    assert rows
    assert sum(record.length for record in rows) <= 400


def test_the_position_moves_past_what_was_saved(shop: Line, tmp_path: Path) -> None:
    shop("skip 5")
    expected = shop("n")
    shop("pos 0; skip 3")
    shop(f"save {tmp_path / 'xx000000000'} 2 records")
    assert shop("n") == expected


def test_transind_changes_every_record_and_nothing_else(shop: Line, tmp_path: Path) -> None:
    shop(f"skip 7; save {tmp_path / 'xx000000000'} 3 records transind only")
    saved = [
        record for record in _records(tmp_path / "xx000000000") if not record.is_file_header and not record.is_metadata
    ]
    assert [record.header.trans_ind for record in saved] == [3, 3, 3]
    with TrailFile(TRAILS / "et000000000") as trail:
        originals = {record.data: record.header for record in trail.records() if not record.is_file_header}
    assert all(record.header == originals[record.data]._replace(trans_ind=3) for record in saved)


def test_comments_stand_around_what_was_saved(shop: Line, tmp_path: Path) -> None:
    shop(f"save {tmp_path / 'xx000000000'} 2 records comment")
    records = _records(tmp_path / "xx000000000")
    assert [record.header.io_type for record in (records[1], records[-1])] == [205, 205]
    assert b"et000000000" in records[1].data


@pytest.mark.parametrize("succeeds", [True, False], ids=["saved", "refused"])
def test_the_direction_of_reading_stays(shop: Line, tmp_path: Path, *, succeeds: bool) -> None:
    target = tmp_path / "xx000000000"
    if not succeeds:
        target.write_bytes(b"mine")
    shop(f"pos eof; pos reverse; pos 3391; save {target} 2 records")
    assert bool(shop.failures) is not succeeds
    assert shop.session.cursor.is_backwards


def test_an_existing_file_is_not_replaced_unasked(shop: Line, tmp_path: Path) -> None:
    target = tmp_path / "xx000000000"
    target.write_bytes(b"mine")
    shop(f"save {target}")
    assert shop.failures[0].status is ExitStatus.COMMAND_FAILED
    assert target.read_bytes() == b"mine"
    shop(f"save {target} !")
    assert target.read_bytes()[:1] == b"F"


def test_an_exclamation_mark_behind_the_name_replaces_too(shop: Line, tmp_path: Path) -> None:
    target = tmp_path / "xx000000000"
    target.write_bytes(b"mine")
    assert shop(f"save {target}! 2 records") == [f"Saved 2 records to {target}"]
    assert [path.name for path in tmp_path.iterdir()] == ["xx000000000"]
    assert len(_records(target)) == 3


@pytest.mark.parametrize("how", ["", "!", "truncate"])
def test_the_open_trail_is_never_the_target(how: str, line: Line, tmp_path: Path) -> None:
    source = tmp_path / "et000000000"
    source.write_bytes((TRAILS / "et000000000").read_bytes())
    link = tmp_path / "ll000000000"
    link.symlink_to(source)
    for target in (source, link):
        said = line(f"open {source}; save {target} {how}")
        assert said[-1] == f"{target} is the open trail: SAVE never writes over it."
    assert source.read_bytes() == (TRAILS / "et000000000").read_bytes()


def test_damage_in_the_source_stops_save_and_leaves_nothing(line: Line, tmp_path: Path) -> None:
    line(f"open {TRAILS / 'gt000000000'}; save {tmp_path / 'xx000000000'}")
    assert line.failures[0].status is ExitStatus.BAD_DATA
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["rt000000000", "rl000000000"])
@pytest.mark.parametrize("start", range(2, 10))
def test_every_row_saved_from_the_middle_has_its_columns(start: int, name: str, line: Line, tmp_path: Path) -> None:
    """A reference whose table is not in the new file, or under another index, is written as that table."""
    target = tmp_path / "xx000000009"
    line(f"open {TRAILS / name}; skip {start}; save {target}")
    with TrailFile(target) as trail:
        rows = [record for record in trail.records() if not record.is_file_header and record.table_index]
        entries = [trail.table_of(record) for record in rows]
        names = [trail.name_of(record) for record in rows]
    assert all(entry is not None and entry.definition_rba is not None for entry in entries)
    assert names == [named for named, _ in _rows(TRAILS / name)][len(_rows(TRAILS / name)) - len(names) :]


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_committs_changes_the_time_of_every_record_and_nothing_else(name: str, line: Line, tmp_path: Path) -> None:
    target = tmp_path / "xx000000000"
    line(f"open {TRAILS / name}; skip 7; save {target} 3 records committs 212577168660000001")
    saved = [record for record in _records(target) if not record.is_file_header and not record.is_metadata]
    originals = {record.data: record.header for record in _records(TRAILS / name) if not record.is_file_header}
    assert [record.header.io_time for record in saved] == [212577168660000001] * 3
    assert all(record.header == originals[record.data]._replace(io_time=212577168660000001) for record in saved)


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_comments_have_the_byte_order_of_the_trail_and_the_time_of_the_save(
    name: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "current_timestamp", lambda: 212577168660000002)
    target = tmp_path / "xx000000000"
    line(f"open {TRAILS / name}; save {target} 2 records comment")
    comments = [record for record in _records(target) if not record.is_file_header and record.header.io_type == COMMENT]
    assert [record.header.io_time for record in comments] == [212577168660000002] * 2
    assert {record.order for record in comments} == {_records(TRAILS / name)[1].order}
    assert [record.data.decode() for record in comments] == [
        f"Logdump SAVE of {TRAILS / name} from RBA 0",
        "Logdump SAVE ends, 2 records",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("xx transind", "TRANSIND takes a value."),
        ("xx transind sideways", "TRANSIND takes FIRST, MIDDLE, END or ONLY, not 'sideways'."),
        ("xx committs", "COMMITTS takes a value."),
        ("xx committs noon", "'noon' is not a Julian timestamp."),
        ("xx megabytes", "MEGABYTES takes a value."),
        ("xx oldformat", "SAVE OLDFORMAT is not supported: the format before release 6.0 is not known."),
        ("xx 5", "5 takes a value."),
        ("xx 5 apples", "5 takes RECORDS or BYTES, not 'apples'."),
        ("xx frob", "'frob' is not an option of SAVE or a number of RECORDS or BYTES."),
        ("", "takes a file name."),
        ("!", "takes a file name."),
    ],
)
def test_what_is_wrong_with_the_arguments_is_said_in_full(arguments: str, message: str, shop: Line) -> None:
    assert shop(f"save {arguments}")[0].endswith(message)


@pytest.mark.parametrize(("size", "is_right"), [("0", False), ("1", True)])
def test_megabytes_are_at_least_one(size: str, is_right: bool, shop: Line, tmp_path: Path) -> None:
    shop(f"save {tmp_path / 'xx000000000'} 1 record megabytes {size}")
    assert (not shop.failures) is is_right


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "takes a file name"),
        ("xx 5", "takes a value"),
        ("xx 5 apples", "RECORDS or BYTES"),
        ("xx 0 records", "out of range"),
        ("xx transind sideways", "FIRST, MIDDLE, END or ONLY"),
        ("xx committs noon", "Julian timestamp"),
        ("xx oldformat", "not supported"),
        ("xx frobnicate", "not an option"),
    ],
)
def test_wrong_arguments_are_named(arguments: str, message: str, shop: Line) -> None:
    assert message in shop(f"save {arguments}")[0]
    assert len(shop.failures) == 1


def test_without_a_record_and_a_file_header_nothing_is_written(line: Line, tmp_path: Path) -> None:
    target = tmp_path / "xx000000000"
    said = line(f"open {TRAILS / 'nh000000'}; filter include filename no.such; save {target}")
    assert said[-1] == f"There is no record to save and no file header: {target} is not written."
    assert not list(tmp_path.iterdir())


def test_options_of_nonstop_are_accepted(shop: Line, tmp_path: Path) -> None:
    shop(f"save {tmp_path / 'xx000000000'} 1 record ext (10, 20, 30) megabytes 5 newformat nocomment")
    assert not shop.failures


def test_a_saved_piece_can_follow_its_sequence(shop: Line, tmp_path: Path) -> None:
    shop(f"save {tmp_path / 'xx000000000'} 5 records; save {tmp_path / 'xx000000001'}")
    rows = [row for path in TrailSequence(tmp_path / "xx") for row in _rows(path)]
    assert rows == _rows(TRAILS / "et000000000")


@pytest.mark.parametrize("choice", ["pos 1261", "filter include filename *.sales"])
def test_the_database_definition_comes_before_a_table_definition_of_the_range(
    choice: str, shop: Line, tmp_path: Path
) -> None:
    target = tmp_path / "rt000001"
    shop(f"{choice}; save {target}")
    with TrailFile(target) as saved:
        kinds = [record.header.orig_node for record in saved.records(saved.first_rba) if record.is_metadata]
    assert kinds[:2] == [1, 2]


def test_definitions_that_the_range_lacks_stand_once_before_the_first_row_that_needs_them(
    shop: Line, tmp_path: Path
) -> None:
    shop(f"pos 2892; save {tmp_path / 'rt000001'} 4 records")
    sales, teas = "TEAHOUSE.SALES", "TEAHOUSE.TEAS"
    with TrailFile(tmp_path / "rt000001") as saved:
        rows = [
            (record.header.orig_node if record.is_metadata else "row", saved.name_of(record))
            for record in saved.records(saved.first_rba)
        ]
    assert rows == [(1, ""), (2, sales), ("row", sales), (2, teas), ("row", teas), ("row", teas), ("row", teas)]
