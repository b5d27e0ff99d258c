"""EXPORT SQL makes statements by columns: byte for byte what an oracle makes change by change."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.flavour import MYSQL_21
from logdump.display.sql import block_lines, blocks
from logdump.features.export import files
from tests.logdump.export.drawn_transactions import TABLES, DrawnTransactions, definition
from tests.logdump.export.scripts import DIRECTIONS, EITHER, check, written
from tests.logdump.export.strategies import records_of_a_table
from tests.logdump.line import Line
from tests.logdump.statements.history import without_key, write_history
from tests.searching import IS_LONG, Random, all_in_turn, examples, in_turn, some_trails
from tests.trailformat.samples import BOTH, header, metadata_record, trail_of
from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, Column, Images, Record, TableDefinition, make_column, make_record
from trailformat.definitions.metadata import KEY, build_table
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record_header import DELETE, FIELD_COMP, INSERT, LARGE_OBJECT, PURGE_DATA, UNIFIED_UPDATE


@pytest.mark.parametrize(("seed", "order", "direction"), all_in_turn(range(20 if IS_LONG else 1), BOTH, DIRECTIONS))
def test_rows_with_large_objects_come_to_the_same_bytes(
    seed: int, order: ByteOrder, direction: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_MOST_BYTES", 1500)
    monkeypatch.setattr(blocks, "_CUT_ROWS", 5)
    random = Random(f"{seed} {order} {direction}")
    drawn = DrawnTransactions(random, order)
    records = [definition(name, index, order) for index, name in enumerate(TABLES, 1)]
    records += [record for _ in range(25 if IS_LONG else 15) for record in drawn.transaction()]
    dialect = random.choice(("oracle", "mysql", "postgresql", "ansi"))
    before = random.choice(("", "", "filter include filename TEA.POTS", "filter include rectype 5"))
    assert "COMMIT" in check(trail_of(tmp_path, *records), f"{dialect} {direction}", before)


@EITHER
@pytest.mark.parametrize("image", "BA")
@pytest.mark.parametrize("value", [b"x", b"pot"])
def test_a_value_in_pieces_is_compared_with_that_of_the_other_image(
    value: bytes, image: str, direction: str, tmp_path: Path
) -> None:
    order = ByteOrder.BIG
    before = tuple(make_column(at, b"\0\1x") for at in range(3))
    update = make_record(header(1, io_type=UNIFIED_UPDATE), Images(before, (*before[:2], make_column(2, b"\0\1y")), 4))
    place = PieceHeader(1, 1, 1, 0, len(value))
    piece = header(1, io_type=LARGE_OBJECT, rec_count=1, before_after=ord(image), trans_ind=1)
    transaction = [_with_place(update, 0), make_record(piece, build_piece(place, value, order)), _with_place(update, 2)]
    path = trail_of(tmp_path, definition(TABLES[0], 1, order), *transaction * 3)
    assert check(path, f"ansi {direction}").count("SET") == 6


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


@EITHER
@pytest.mark.parametrize("value", [b"new", b"old"])
def test_a_large_object_beside_any_image_comes_to_the_same_bytes(value: bytes, direction: str, tmp_path: Path) -> None:
    """Of an update that has the column or not in each image, with an object of each image or of neither."""
    records = [definition(TABLES[0], 1, ByteOrder.BIG)]
    for had, has, is_old, is_new in product((False, True), repeat=4):
        places = [0, *([1] if had else []), 2], [0, *([1] if has else []), 2]
        before = tuple(make_column(at, b"\0\3old") for at in places[0])
        after = tuple(make_column(at, b"\0\3" + (b"new" if at == 2 else b"old")) for at in places[1])
        row = [make_record(header(1, io_type=UNIFIED_UPDATE), Images(before, after, 4))]
        for image, data in (("B", b"old"),) * is_old + (("A", value),) * is_new:
            place = header(1, io_type=LARGE_OBJECT, rec_count=1, before_after=ord(image))
            row.append(make_record(place, build_piece(PieceHeader(1, 1, 1, 0, 3), data, ByteOrder.BIG)))
        other = make_record(header(1, io_type=UNIFIED_UPDATE), Images(after, after[:1], 4))
        records += [_with_place(record, min(number, 1)) for number, record in enumerate((*row, other))]
        records.append(_with_place(other, 2))
    trail = trail_of(tmp_path, *records)
    script = check(trail, f"ansi {direction}")
    assert script.count("COMMIT") == 2**4, script


def _with_place(record: Record, trans_ind: int) -> Record:
    return make_record(record.header._replace(trans_ind=trans_ind), record.images or record.data, order=record.order)


FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
DIALECTS = ("oracle", "mysql", "postgresql", "ansi")
ORDER = ByteOrder.BIG
RECORDS = records_of_a_table(st.sampled_from([3, 3, 3, 0, 1, 2]))


@pytest.mark.parametrize(
    ("trail", "direction"), in_turn(FILES, DIRECTIONS), ids=lambda parameter: getattr(parameter, "name", parameter)
)
def test_every_trail_comes_to_the_same_bytes(trail: Path, direction: str) -> None:
    check(trail, direction)


@pytest.mark.parametrize(
    ("words", "direction", "before"),
    all_in_turn(
        ["include cut", "2 transactions"],
        DIRECTIONS,
        ["next 6", "filter include rectype insert", "filter filename TEA*", "across on"],
    ),
)
def test_a_part_of_a_trail_comes_to_the_same_bytes(before: str, words: str, direction: str) -> None:
    check(TRAILS / "st000000000", f"{words} {direction}", before)


@pytest.mark.parametrize(
    ("trail", "words", "command"),
    all_in_turn(["et000000000", "gt000000000", "dt000000000"], ["99", "3 include cut"], ["redo", "undo"]),
)
def test_redo_and_undo_print_the_same_lines(trail: str, words: str, command: str) -> None:
    shown = []
    for takes_lines in (False, True):
        line = Line()
        line(f"open {TRAILS / trail}")
        line.session.takes_lines = takes_lines
        shown.append(("\n".join(line(f"{command} {words}")), line.session.cursor.next))
        line.session.close()
    assert shown[0] == shown[1]


@settings(max_examples=examples(7), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(first=RECORDS, second=RECORDS, data=st.data())
def test_values_of_every_type_good_or_bad_come_to_the_same_bytes(
    first: list[Record], second: list[Record], data: st.DataObject, tmp_path: Path
) -> None:
    rows = data.draw(st.permutations(second[1:] + first[1:])) if first[0] == second[0] else second[1:]
    words = data.draw(st.sampled_from(DIALECTS)) + data.draw(st.sampled_from([" undo", ""]))
    check(trail_of(tmp_path, *first, second[0], *rows), words)


@pytest.mark.parametrize(("dialect", "direction"), in_turn(DIALECTS, DIRECTIONS))
def test_a_history_with_strange_texts_comes_to_the_same_bytes(dialect: str, direction: str, tmp_path: Path) -> None:
    number = DIALECTS.index(dialect)
    for place, table in enumerate([MYSQL_21.teas, without_key(MYSQL_21.teas)]):
        path = tmp_path / f"k{place}000000000"
        write_history(path, number, table, odd_words=True)
        check(path, f"{dialect} {direction}")


@EITHER
def test_no_statement_of_an_ordinary_row_is_made_by_itself(
    direction: str, tmp_path: Path, singles: list[list[Record]]
) -> None:
    for seed, table in enumerate((MYSQL_21.teas, without_key(MYSQL_21.teas))):
        path = write_history(tmp_path / f"k{seed}000000000", seed, table, can_be_undone=True).path
        script = written(path, f"ansi {direction}", "", by_columns=True)[0] or b""
        remarks = script.decode().count("no column is changed")
        assert len(singles) <= remarks
        singles.clear()


def _definition(*names: str, keys: int = 1, table: str = "TEA.POTS") -> Record:
    columns = tuple(of(64)._replace(name=name, flags=KEY if at < keys else 0) for at, name in enumerate(names))
    return metadata_record(2, 1, table, build_table(TableDefinition(1, 1, columns), ORDER))


def _image(values: tuple[str | None, ...]) -> tuple[Column, ...]:
    stored = (None if value is None else value.encode() for value in values)
    return tuple(
        make_column(at, content if content is None else len(content).to_bytes(2) + content)
        for at, content in enumerate(stored)
    )


def _row(
    io_type: int,
    before: tuple[str | None, ...] | None,
    after: tuple[str | None, ...] | None,
    trans_ind: int = 3,
) -> Record:
    old, new = (None if image is None else _image(image) for image in (before, after))
    base = header(1, io_type=io_type, trans_ind=trans_ind, before_after=ord("B" if new is None else "A"))
    return make_record(base, Images(old, new, 4 if old and new else 0))


def _insert(*values: str | None, trans_ind: int = 3) -> Record:
    return _row(INSERT, None, values, trans_ind)


def _delete(*values: str | None, trans_ind: int = 3) -> Record:
    return _row(DELETE, values, None, trans_ind)


def _transaction(*rows: Callable[[int], Record]) -> list[Record]:
    """Rows of one transaction."""
    return [row(0 if at == 0 else 2 if at == len(rows) - 1 else 1) for at, row in enumerate(rows)]


NAMES = [('say "tea"', "back\\slash", "煎茶"), ("a`b", "x.y", "😀"), ("line\nbreak", "B", "C"), ("", "B", "C")]


@pytest.mark.parametrize(("names", "dialect", "direction"), all_in_turn(NAMES, DIALECTS, DIRECTIONS))
def test_names_that_need_quotes_or_cannot_be_written_are_treated_alike(
    names: tuple[str, ...], dialect: str, direction: str, tmp_path: Path
) -> None:
    rows = [_insert("a", "b", "c"), _delete("a", "b", "c"), _row(UNIFIED_UPDATE, ("a", "b", "c"), ("a", "x", "c"))]
    check(trail_of(tmp_path, _definition(*names, table='TEA."POTS"'), *rows), f"{dialect} {direction}")


VALUES = (None, "", "NULL", "it's", "'" * 1200, "x" * 999, "é" * 1001, "\0", "a\\b\n", "\ud7ff", "\u202e")


@pytest.mark.parametrize(("keys", "dialect", "direction"), all_in_turn([0, 1, 2], DIALECTS, DIRECTIONS))
def test_null_empty_and_strange_keys_find_their_rows_alike(
    keys: int, dialect: str, direction: str, tmp_path: Path
) -> None:
    rows = [make(value, "b") for value in VALUES for make in (_insert, _delete)]
    rows += [_row(UNIFIED_UPDATE, (value, "b"), (value, other)) for value, other in pairwise(VALUES)]
    check(trail_of(tmp_path, _definition("A", "B", keys=keys), *rows), f"{dialect} {direction}")


def test_an_empty_text_is_null_in_the_conditions_of_oracle_alone(tmp_path: Path, singles: list[list[Record]]) -> None:
    trail = trail_of(tmp_path, _definition("A", "B", keys=2), _delete("", "b"), _delete("a", None))
    expected = {"oracle": '"A" IS NULL AND "B" = \'b\'', "ansi": "\"A\" = '' AND \"B\" = 'b'"}
    for dialect, condition in expected.items():
        script = (written(trail, dialect, "", by_columns=True)[0] or b"").decode()
        assert f'DELETE FROM "TEA"."POTS" WHERE {condition};\n' in script
        assert 'WHERE "A" = \'a\' AND "B" IS NULL;\n' in script
    assert not singles


def _half(values: tuple[str | None, ...], *, is_before: bool) -> Callable[[int], Record]:
    before, after = (values, None) if is_before else (None, values)
    return lambda trans_ind: _row(FIELD_COMP, before, after, trans_ind)


def _large() -> list[Record]:
    """A transaction of updates in two records, pieces of large objects, and rows."""
    before, after = _half(("k", "b"), is_before=True), _half(("k", "c"), is_before=False)

    def piece(trans_ind: int) -> Record:
        return make_record(header(1, io_type=LARGE_OBJECT, trans_ind=trans_ind), b"no piece that is known")

    def insert(trans_ind: int) -> Record:
        return _insert("k", "v", trans_ind=trans_ind)

    rows: list[Callable[[int], Record]] = [piece, piece]
    rows += [insert, before, after, before, insert, after, insert, piece, piece, before, piece, after, piece] * 4
    return _transaction(*rows)


@pytest.mark.parametrize(
    ("before", "direction"),
    in_turn(["", "filter include rectype insert", "filter include rectype 15"], DIRECTIONS),
)
def test_parts_of_a_large_transaction_are_parts_of_one(
    before: str, direction: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_MOST_BYTES", 300)
    monkeypatch.setattr(blocks, "_CUT_ROWS", 4)
    monkeypatch.setattr(blocks, "_MOST_ROWS", 16)
    monkeypatch.setattr(block_lines, "_MOST_CELLS", 4)
    small = _insert("a", "b")
    trail = trail_of(tmp_path, _definition("A", "B"), *[small] * 9, *_large(), small, *_large(), small)
    check(trail, f"ansi {direction}", before)


def test_updates_that_cannot_be_taken_back_are_comments_and_counted(
    tmp_path: Path, singles: list[list[Record]]
) -> None:
    rows = [_half(("k", "b", letter), is_before=False) for letter in "xy"]
    trail = trail_of(tmp_path, _definition("A", "B", "C"), *_transaction(*rows), _insert("k", "b", "c"))
    script = check(trail, "ansi undo")
    assert script.count("UPDATE TEA.POTS: the trail has no before image of B, C\n") == 2
    assert "-- 2 of the changes above could not be written" in script
    singles.clear()
    assert written(trail, "ansi undo", "", by_columns=True)[0] == script.encode()
    assert not singles


@EITHER
def test_damage_ends_both_ways_alike(direction: str, tmp_path: Path) -> None:
    rows = [_insert("a", "b"), _delete("a", "b")]
    trail = trail_of(tmp_path, _definition("A", "B"), *rows, b"\x00\x01damage\xff" * 3, *rows)
    assert written(trail, direction, "", by_columns=True)[2]
    check(trail, direction)


def test_an_export_that_is_interrupted_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(files.TextFile, "append", interrupt)
    line = Line()
    with pytest.raises(KeyboardInterrupt):
        line(f"open {TRAILS / 'et000000000'}; export sql to {tmp_path / 'out'}")
    line.session.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("later", "direction"), in_turn([("A", "C"), ("B", "A"), ("A", "B", "C"), ("A",)], DIRECTIONS))
def test_a_table_that_is_altered_in_the_file_is_written_by_its_definition_then(
    later: tuple[str, ...], direction: str, tmp_path: Path
) -> None:
    """Definitions of one name alternate, in one block and from one transaction to the next."""
    first = ("A", "B")
    rows = {
        names: [make(*(f"{name}{at}" for name in names)) for at in range(2) for make in (_insert, _delete)]
        for names in (first, later)
    }
    records = [record for names in (first, later, first, later) for record in (_definition(*names), *rows[names])]
    script = check(trail_of(tmp_path, *records), f"ansi {direction}")
    assert {f'"{name}"' in script for name in {*first, *later}} == {True}


LENGTH, INDICATOR = 5, 3
"""Where a byte of the length of a column, and of the mark of NULL, stands before the text of its value."""


@EITHER
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("broken", [(0,), (1,), (0, 1)], ids=["first half", "second half", "both"])
@pytest.mark.parametrize("byte", [LENGTH, INDICATOR], ids=["length", "indicator"])
def test_an_update_of_which_one_half_does_not_come_apart_is_written_alike(
    byte: int, broken: tuple[int, ...], place: int, direction: str, tmp_path: Path
) -> None:
    """It stands before, between and behind others that do, in one transaction."""
    parts: list[Record | bytes] = [_definition("A", "B")]
    for number in range(3):
        before, after = (f"k{number}", "old"), (f"k{number}", "new")
        halves = [
            _row(FIELD_COMP, before, None, 0 if number == 0 else 1),
            _row(FIELD_COMP, None, after, 2 if number == 2 else 1),
        ]
        for at, half in enumerate(halves):
            data = bytearray(half.raw)
            if number == place and at in broken:
                data[data.index(f"k{number}".encode()) - byte] += 40
            parts.append(bytes(data))
    script = check(trail_of(tmp_path, *parts), f"ansi {direction}")
    statements = [line for line in script.splitlines() if line.startswith("UPDATE")]
    assert (len(statements), script.count("\n-- RBA ")) == (2, 1)
    assert not any(f"'k{place}'" in line for line in statements)


@EITHER
def test_truncates_are_no_single_changes(direction: str, tmp_path: Path, singles: list[list[Record]]) -> None:
    truncate = make_record(header(1, io_type=PURGE_DATA), b"")
    trail = trail_of(tmp_path, _definition("A", "B"), *[_insert("a", "b"), truncate] * 3)
    script = check(trail, f"ansi {direction}")
    assert script.count("TRUNCATE TABLE" if not direction else "rows that TRUNCATE deleted") == 3
    singles.clear()
    assert (written(trail, f"ansi {direction}", "", by_columns=True)[0] or b"").decode() == script
    assert not singles


@pytest.mark.parametrize(("keys", "direction"), in_turn([0, 1], DIRECTIONS))
def test_what_lacks_in_front_of_a_value_that_cannot_be_written_is_the_reason(
    keys: int, direction: str, tmp_path: Path
) -> None:
    """Each row lacks something else; PostgreSQL has no literal for one value of some of them."""
    old, new = _image(("k", "a\0", "c")), _image(("k", "b\0", "d"))
    sets = [[at for at in range(3) if places >> at & 1] for places in range(8)]
    rows = [
        make_record(
            header(1, io_type=UNIFIED_UPDATE), Images(tuple(old[at] for at in had), tuple(new[at] for at in has), 4)
        )
        for had in sets
        for has in sets
    ]
    trail = trail_of(tmp_path, _definition("A", "B", "C", keys=keys), *rows)
    script = check(trail, f"postgresql {direction}")
    assert "PostgreSQL stores no text with a NUL character" in script
