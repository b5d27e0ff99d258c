"""The rows whose columns do not fit, against a reader of the bytes that is written here."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures import TRAILS
from tests.kernels import WAYS, Kernels, run
from tests.searching import Random, examples, some_trails
from tests.simulated.drawn_histories import KINDS, drawn
from tests.trailformat.samples import BOTH, column, header, metadata_record, trail_of
from trailformat import (
    ByteOrder,
    Column,
    ColumnDefinition,
    Record,
    TableDefinition,
    TrailError,
    TrailFile,
    make_record,
)
from trailformat.arrays.column_check import ColumnCheck, ColumnFault
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import (
    DELETE,
    INSERT,
    PK_UPDATE,
    RECORD_FRAGMENT,
    TABLE,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
)
from trailformat.scan import Workers, kernel_run, measuring, parallel
from trailformat.scan.measuring import measured_batches
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.values.data_types import limit_of

_WITH_BOTH = {115: 2, 134: 4, 135: 4}
_WITH_ONE = (3, 5, 10, 15)
_SIZES = {130: 2, 131: 2, 132: 4, 133: 4, 134: 8, 135: 8, 142: 4, 143: 8}


def found(path: Path, *, batch_size: int = 7, threads: int = 1) -> list[ColumnFault]:
    """The faults of a file, in batches of some rows."""
    with TrailFile(path) as trail, Workers(threads) as workers:
        check = ColumnCheck(trail, RowDefinitions(trail))
        batches = measured_batches(trail, workers, batch_size)
        return [fault for measured in batches for fault in check.faults(measured)]


class Place(NamedTuple):
    """The data of a row: its first byte in the file, its bytes, its header's type, its definition."""

    rba: int
    at: int
    data: bytes
    io_type: int
    columns: tuple[ColumnDefinition, ...] | None


def rows_of(path: Path) -> Iterator[Place]:
    """The rows that are lists of columns, on their own, of a trail without damage to its frames."""
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        for record in trail.records():
            if record.is_file_header or record.header.continued:
                continue
            io_type, table = record.header.io_type, definitions.of(record).table
            is_list = io_type in _WITH_ONE and record.header.is_compressed
            if record.data and (is_list or io_type in _WITH_BOTH):
                at = record.rba + record.raw.index(record.data, 8)
                yield Place(record.rba, at, record.data, io_type, table.columns if table is not None else None)


def fits(place: Place, order: ByteOrder) -> bool:
    """Whether a row's columns fit, as docs/finding.md has it."""
    data, size = place.data, _WITH_BOTH.get(place.io_type, 0)
    if not size:
        return _image_fits(data, order, place.columns)
    middle = size + (int(struct.unpack_from(order.value + "_HI"[size // 2], data)[0]) if len(data) >= size else 1 << 40)
    halves = data[size:middle], data[middle:]
    return middle <= len(data) and all(_image_fits(half, order, place.columns) for half in halves)


def _image_fits(data: bytes, order: ByteOrder, columns: tuple[ColumnDefinition, ...] | None) -> bool:
    at, indexes = 0, []
    while at < len(data):
        if at + 4 > len(data):
            return False
        index, size = struct.unpack_from(order.value + "HH", data, at)
        raw = data[at + 4 : at + 4 + size]
        if len(raw) < size or (columns is not None and not _column_fits(raw, index, columns, order)):
            return False
        indexes.append(index)
        at += 4 + size
    return len(indexes) == len({*indexes})


def _column_fits(raw: bytes, index: int, columns: tuple[ColumnDefinition, ...], order: ByteOrder) -> bool:
    if index >= len(columns):
        return False
    definition, value = columns[index], raw[2:]
    if raw[:2] != b"\0\0":
        return raw[:2] == b"\xff\xff"
    if definition.data_type in _SIZES:
        return len(value) == _SIZES[definition.data_type]
    if definition.data_type == 0:
        return len(value) <= definition.internal_length
    if definition.data_type == 64:
        whole = len(value) >= 2 and struct.unpack_from(order.value + "H", value)[0] == len(value) - 2
        return bool(whole) and len(value) - 2 <= definition.internal_length
    return True


_WHOLE = [name for name in sorted(path.name for path in TRAILS.iterdir()) if name[0] not in "cfgw"]
"""Fixtures without damage."""


@pytest.mark.parametrize("way", WAYS)
def test_no_row_of_a_sound_trail_is_called_bad(way: Kernels) -> None:
    names = [path.name for path in TRAILS.iterdir()] if way is Kernels.NATIVE else some_trails(_WHOLE, __name__)[:6]
    with run(way):
        assert {name: found(TRAILS / name) for name in names} == {name: [] for name in names}


def _broken(random: Random, place: Place, order: ByteOrder) -> tuple[int, bytes]:
    """Where in a row's data to write, and what: over a frame, a length, a value, or any bytes."""
    data = place.data
    starts, at = [], _WITH_BOTH.get(place.io_type, 0)
    while at + 4 <= len(data):
        starts.append(at)
        at += 4 + struct.unpack_from(order.value + "H", data, at + 2)[0]
    begin = random.choice(starts)
    number = struct.pack(order.value + "H", random.choice((0, 1, 2, 3, 4, 10, 255, 0xFFFF, random.randrange(1 << 16))))
    kind = random.choice(("index", "length", "indicator", "prefix", "before", "bytes", "ones"))
    at = {"length": begin + 2, "indicator": begin + 4, "prefix": begin + 6, "before": 0}.get(kind, begin)
    new = {"bytes": random.randbytes(random.randrange(1, 9)), "ones": b"\xff" * 30}.get(kind, number)
    return at, new[: len(data) - at]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", ["et000000000", "el000000000", "pt000000000", "bl000000000", "yt000000000"])
def test_broken_rows_are_those_that_a_plain_reader_cannot_read(name: str, way: Kernels, tmp_path: Path) -> None:
    path, content = tmp_path / name, (TRAILS / name).read_bytes()
    order = ByteOrder.LITTLE if name[1] == "l" else ByteOrder.BIG
    places, seen = list(rows_of(TRAILS / name)), 0
    for seed in range(examples(120, short=12)):
        random, damaged = Random(f"{name} {seed}"), bytearray(content)
        chosen = random.sample(places, min(len(places), random.choice((1, 2, 5))))
        for place in chosen:
            at, new = _broken(random, place, order)
            damaged[place.at + at : place.at + at + len(new)] = new
        path.write_bytes(damaged)
        after = (place._replace(data=bytes(damaged[place.at : place.at + len(place.data)])) for place in places)
        expected = [place.rba for place in after if not fits(place, order)]
        with run(way):
            faults = found(path, batch_size=random.choice((1, 4, 1000)))
        assert [fault.rba for fault in faults] == expected, seed
        seen += len(expected)
    assert seen > 5


ONE = column("ID", data_type=132, internal_length=4, external_length=4, binary_length=4, sub_data_type=0, scale=0)
TEXT = ONE._replace(name="NOTE", data_type=64, internal_length=5, external_length=5, binary_length=5, native_type=1)
LOB = TEXT._replace(name="DOC", native_type=112)
TABLE_DEFINITION = TableDefinition(1, 1, (ONE, TEXT, LOB))


def _definition(order: ByteOrder, table: TableDefinition = TABLE_DEFINITION, index: int = 1) -> Record:
    return metadata_record(TABLE, index, "TEA.POTS", build_table(table, order), order)


def _col(order: ByteOrder, index: int, raw: bytes) -> bytes:
    return struct.pack(order.value + "HH", index, len(raw)) + raw


def _id(order: ByteOrder) -> bytes:
    return _col(order, 0, b"\0\0\0\0\0\x07")


def _note(order: ByteOrder, text: bytes, index: int = 1) -> bytes:
    return _col(order, index, b"\0\0" + struct.pack(order.value + "H", len(text)) + text)


def _row(order: ByteOrder, data: bytes, io_type: int = INSERT, **fields: int) -> Record:
    return make_record(header(1, order, io_type=io_type, **fields), data, order=order)


def _u(order: ByteOrder, code: str, number: int) -> bytes:
    return struct.pack(order.value + code, number)


def _kinds(order: ByteOrder) -> dict[str, tuple[Record, str | None, str]]:
    """Each kind of bad row: the record, the column that is named, and what is said."""
    key_column, note = _id(order), _note(order, b"leaf")
    beyond = "value runs past the end"
    return {
        "half a head": (_row(order, key_column + note[:3]), None, beyond),
        "past the end": (_row(order, key_column + note[:-1]), None, beyond),
        "twice": (_row(order, key_column + note + key_column), "ID", "the column is twice in one image"),
        "twice, another between": (_row(order, note + key_column + note), "NOTE", "the column is twice in one image"),
        "not defined": (_row(order, key_column + _col(order, 3, b"\0\0")), "#3", "the column is not defined"),
        "longer": (_row(order, key_column + _note(order, b"leaves")), "NOTE", "value is longer than its column"),
        "a wrong length": (
            _row(order, key_column + _col(order, 1, b"\0\0" + _u(order, "H", 9) + b"leaf")),
            "NOTE",
            "the length does not match the data",
        ),
        "no length": (_row(order, _col(order, 1, b"\0\0\0")), "NOTE", "the 2-byte length is missing"),
        "a short number": (
            _row(order, _col(order, 0, b"\0\0\0\x07"), DELETE, before_after=ord("B")),
            "ID",
            "value has another size than its data type",
        ),
        "a number of one byte less": (
            _row(order, _col(order, 0, b"\0\0\0\0\x07")),
            "ID",
            "value has another size than its data type",
        ),
        "a number of one byte more": (
            _row(order, _col(order, 0, b"\0\0\0\0\0\0\x07")),
            "ID",
            "value has another size than its data type",
        ),
        "no indicator": (_row(order, _col(order, 0, b"\0") + note), "ID", "wrong indicator"),
        "another indicator": (_row(order, _col(order, 0, b"\0\xff\0\0\0\x07")), "ID", "wrong indicator"),
        "before image too long": (_row(order, _u(order, "I", 99) + key_column, UNIFIED_UPDATE), None, beyond),
        "no room for its length": (_row(order, b"\0", PK_UPDATE), None, beyond),
        "before image within a column": (
            _row(order, _u(order, "I", len(key_column) + 3) + key_column + key_column + note, UNIFIED_PK_UPDATE),
            None,
            beyond,
        ),
    }


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("kind", [*_kinds(ByteOrder.BIG)])
def test_each_kind_of_bad_row_is_found_between_good_ones(kind: str, order: ByteOrder, tmp_path: Path) -> None:
    record, name, problem = _kinds(order)[kind]
    good = _row(order, _id(order) + _note(order, b"leaf"))
    path = trail_of(tmp_path, _definition(order), good, record, good, record, good)
    for way in WAYS:
        with run(way):
            faults = found(path, batch_size=3)
        starts = len(_definition(order).raw) + len(good.raw)
        assert [fault.rba for fault in faults] == [starts, starts + len(record.raw) + len(good.raw)]
        assert {(fault.table, fault.column) for fault in faults} == {("TEA.POTS", name)}
        if name is not None:
            assert faults[0].error.problem == problem


@pytest.mark.parametrize("order", BOTH)
def test_these_rows_are_good(order: ByteOrder, tmp_path: Path) -> None:
    key_column, note = _id(order), _note(order, b"five5")
    rows = [
        b"",
        note + key_column,
        key_column + _col(order, 1, b"\xff\xff"),
        key_column + _col(order, 1, b"\xff\xff\0\0"),
        key_column + _col(order, 1, b"\xff\xff" + b"what was there before"),
        key_column + _note(order, b"a LOB in a row, longer than its buffer", 2),
        key_column + _col(order, 2, b"\0\x01what only LOBs may have"),
        key_column + _col(order, 2, b"\0\0\0"),
    ]
    records = [_row(order, row) for row in rows]
    pairs = [_row(order, _u(order, "I", len(key_column)) + key_column + key_column + note, UNIFIED_UPDATE)]
    pairs += [_row(order, _u(order, "H", 0) + note, PK_UPDATE)]
    path = trail_of(tmp_path, _definition(order), *records, *pairs)
    assert found(path) == []


def test_without_a_definition_only_frames_are_held(tmp_path: Path) -> None:
    order = ByteOrder.BIG
    any_column = _col(order, 900, b"\x12\x34")
    bad = _row(order, any_column[:-1])
    path = trail_of(tmp_path, _row(order, any_column), _row(order, any_column + any_column), bad)
    assert [(fault.column, fault.table) for fault in found(path)] == [("#900", ""), (None, "")]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_row_is_held_to_the_definition_in_force(
    threads: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = ByteOrder.BIG
    narrow = TableDefinition(1, 1, (ONE, TEXT._replace(internal_length=2, external_length=2, binary_length=2)))
    row, definitions = _row(order, _note(order, b"abc")), (_definition(order), _definition(order, narrow))
    records = [definitions[0], *[row] * 40, definitions[1], *[row] * 40, definitions[0], *[row] * 40]
    path = trail_of(tmp_path, *records)
    monkeypatch.setattr(parallel, "PIECE", 700)
    faults = found(path, batch_size=9, threads=threads)
    first = len(definitions[0].raw) + 40 * row.length + len(definitions[1].raw)
    assert [fault.rba for fault in faults] == [first + number * row.length for number in range(40)]


def test_rows_beyond_the_cells_are_looked_at_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order = ByteOrder.BIG
    wide = TableDefinition(1, 1, tuple(TEXT._replace(name=f"C{number}") for number in range(300)))
    texts = [(299, b"five5"), (298, b"sixsix"), (0, b"sixsix"), (20, b"sixsix"), (20, b"four")]
    records = [_row(order, _note(order, text, index)) for index, text in texts]
    path = trail_of(tmp_path, _definition(order, wide), *records)
    expected = [fault.column for fault in found(path)]
    assert expected == ["C298", "C0", "C20"]
    for most in (0, 16, 40):
        monkeypatch.setattr(measuring, "MOST_CELLS", most)
        assert [fault.column for fault in found(path)] == expected


def test_columns_that_continue_in_fragments_are_held_together(tmp_path: Path) -> None:
    order = ByteOrder.BIG
    for text, columns in ((b"leaf", []), (b"leaves", ["NOTE"])):
        data = _id(order) + _note(order, text)
        for cut in (3, len(_id(order)), len(data) - 1):
            base = _row(order, data[:cut], continued=ord("Y"))
            rest = _row(order, data[cut:], RECORD_FRAGMENT)
            path = trail_of(tmp_path, _definition(order), base, rest, _row(order, _id(order)))
            assert [fault.column for fault in found(path)] == columns
            path.write_bytes(path.read_bytes()[: len(_definition(order).raw) + base.length])
            assert found(path) == [], "the fragment may still come"


def test_the_error_has_the_place(tmp_path: Path) -> None:
    path = trail_of(tmp_path, _definition(ByteOrder.BIG), _row(ByteOrder.BIG, _note(ByteOrder.BIG, b"leaves")))
    (fault,) = found(path)
    assert isinstance(fault.error, TrailError)
    assert (fault.error.path, fault.error.rba) == (path, fault.rba)
    assert fault.error.explained() == "value is longer than its column; expected at most 5 bytes; found 6 bytes"


def test_columns_are_compared_by_index_wherever_they_stand(tmp_path: Path) -> None:
    """Marks of earlier images are not taken for those of this one."""
    order = ByteOrder.BIG
    backwards = _note(order, b"leaf") + _id(order)
    path = trail_of(tmp_path, _definition(order), *[_row(order, backwards)] * 3, _row(order, backwards + _id(order)))
    assert [fault.column for fault in found(path)] == ["ID"]
    assert Column(0, b"") != Column(1, b"")


def test_records_larger_than_a_window_are_held_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    order = ByteOrder.BIG
    wide = TableDefinition(1, 1, (ONE, TEXT._replace(internal_length=600, external_length=600, binary_length=600)))
    rows = [_row(order, _note(order, b"x" * size)) for size in (600, 601, 5, 601)]
    path = trail_of(tmp_path, _definition(order, wide), *rows)
    expected = [fault.rba for fault in found(path)]
    assert len(expected) == 2
    monkeypatch.setattr(kernel_run, "CAPACITY", 300)
    assert [fault.rba for fault in found(path)] == expected
    assert found(TRAILS / "et000000000") == [], "its header is larger"


@pytest.mark.parametrize("kind", KINDS)
def test_no_row_of_a_drawn_trail_is_called_bad(kind: str) -> None:
    """Restarts, copies, roll-overs, overwrite mode, damage elsewhere."""
    for seed in range(examples(8, short=1)):
        with drawn(kind, seed) as history:
            assert {path.name: found(path) for path in history.paths} == {path.name: [] for path in history.paths}


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"data_type": 64, "internal_length": 9, "external_length": 9, "binary_length": 9}, (4, 13, True, True)),
        ({"data_type": 64, "internal_length": 9, "external_length": 30, "binary_length": 12}, (4, 34, True, True)),
        ({"data_type": 64, "internal_length": 9, "character_length": 9}, (4, 40, True, True)),
        ({"data_type": 65, "internal_length": 70, "external_length": 9}, (4, 74, True, True)),
        ({"data_type": 66, "internal_length": 9}, (4, 1 << 16, True, True)),
        ({"data_type": 64, "sub_data_type": 1}, (0, 1 << 16, False, False)),
        ({"data_type": 64, "native_type": 113}, (0, 1 << 16, False, False)),
        ({"data_type": 64, "native_type": 252}, (0, 1 << 16, False, False)),
        ({"data_type": 64, "internal_length": 0, "external_length": 0, "binary_length": 0}, (0, 1 << 16, False, False)),
        ({"data_type": 0, "internal_length": 6}, (2, 8, False, True)),
        ({"data_type": 2, "internal_length": 6}, (2, 1 << 16, False, True)),
        ({"data_type": 192, "internal_length": 19}, (2, 1 << 16, False, True)),
        ({"data_type": 191, "internal_length": 19}, (4, 1 << 16, True, True)),
        ({"data_type": 134}, (10, 10, False, True)),
        ({"data_type": 131}, (4, 4, False, True)),
        ({"data_type": 189, "internal_length": 5}, (2, 1 << 16, False, True)),
        ({"data_type": 999}, (0, 1 << 16, False, False)),
    ],
)
def test_the_limit_of_a_definition(fields: dict[str, int], limit: tuple[int, int, bool, bool]) -> None:
    plain = column("X", internal_length=8, external_length=8, binary_length=8, native_type=1, sub_data_type=0)
    assert limit_of(plain._replace(**fields)) == limit  # type: ignore[arg-type]
