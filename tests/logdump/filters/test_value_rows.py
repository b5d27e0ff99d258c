"""VALUE over rows of every shape: which hold the value is said by hand, and asked record by record and by columns."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from unittest.mock import Mock

import pytest

from logdump.filters import value_masks
from logdump.session import passing
from logdump.session.passing import passing_batches
from logdump.session.selection import Selection
from tests.trailformat.samples import column, header, metadata_record, trail_of
from tests.trailformat.values.kinds import of
from trailformat import (
    ByteOrder,
    Column,
    ColumnDefinition,
    DatabaseDefinition,
    Images,
    Record,
    TableDefinition,
    TrailFile,
    make_record,
)
from trailformat.codec.charsets import BY_NAME
from trailformat.definitions.metadata import build_database, build_table
from trailformat.records.record_header import (
    COMPRESSED,
    DELETE,
    FIELD_COMP,
    INSERT,
    NAME_IS_INDEX,
    PK_UPDATE,
    PURGE_DATA,
    UNIFIED_UPDATE,
)
from trailformat.scan import Workers, parallel
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.values import decode_value

from .test_by_hand import by_columns, by_record, told

np = pytest.importorskip("numpy", reason="a filter by columns needs numpy")

QTY, NOTE = column("QTY", scale=0), of(64, 400)._replace(name="NOTE")
SEVEN, EIGHT, NULL = (b"\0\0" + (7).to_bytes(8, "big"), b"\0\0" + (8).to_bytes(8, "big"), b"\xff\xff\0\0")
ROW = COMPRESSED | NAME_IS_INDEX


class Rows:
    """Makes the rows of a trail of this order."""

    def __init__(self, order: ByteOrder) -> None:
        self.order = order

    def table(self, index: int, *columns: ColumnDefinition) -> Record:
        """A definition."""
        data = build_table(TableDefinition(1, 1, columns), self.order)
        return metadata_record(2, index, f"TEA.T{index}", data, self.order)

    def of(
        self, before: list[Column] | None, after: list[Column] | None, io_type: int = INSERT, prefix: int = 0
    ) -> Record:
        """A row of table 1 with these images."""
        old, new = (None if columns is None else tuple(columns) for columns in (before, after))
        images = Images(old, new, prefix)
        return self.raw(images, io_type, before_after=ord("B" if after is None else "A"))

    def one(self, at: int, stored: bytes, index: int = 1) -> Record:
        """An insert of one column."""
        return self.raw(Images(None, (Column(at, stored),)), table=index)

    def note(self, text: bytes) -> Record:
        """An insert of a NOTE."""
        return self.one(1, b"\0\0" + self.order.encode(len(text), 2) + text)

    def raw(self, data: bytes | Images, io_type: int = INSERT, table: int = 1, **fields: int) -> Record:
        """A row of a table with this data."""
        fields = {"partition": ROW, **fields}
        return make_record(header(table, self.order, io_type=io_type, **fields), data, order=self.order)


def shapes(order: ByteOrder) -> Iterator[tuple[Record, bool]]:
    """Each record, and whether its QTY is 7 before or after."""
    rows = Rows(order)
    seven, eight = Column(0, SEVEN), Column(0, EIGHT)
    yield rows.one(0, SEVEN), False  # no definition stands before it
    yield rows.table(1, QTY, NOTE), False
    yield rows.one(0, SEVEN), True
    yield rows.one(0, EIGHT), False
    yield rows.one(0, NULL), False
    yield rows.one(1, SEVEN), False  # NOTE
    yield rows.one(2, SEVEN), False  # a column that the definition has not
    yield rows.one(0, SEVEN[:-1]), False  # no INT64
    yield rows.of([seven], None, DELETE), True
    yield rows.of([eight], None, DELETE), False
    yield rows.of(None, [Column(1, NULL), seven], FIELD_COMP), True
    yield rows.of([seven], [eight], UNIFIED_UPDATE, 4), True
    yield rows.of([eight], [seven], UNIFIED_UPDATE, 4), True
    yield rows.of([eight], [eight], UNIFIED_UPDATE, 4), False
    yield rows.of([seven], [Column(1, NULL)], UNIFIED_UPDATE, 4), True
    yield rows.of([seven], [eight], PK_UPDATE, 2), True
    yield rows.of([], [seven], PK_UPDATE, 2), True
    yield rows.of([eight], [], PK_UPDATE, 2), False
    columns = rows.one(0, SEVEN).data
    yield rows.raw(columns + b"\0"), False  # the last column is cut
    yield rows.raw(columns, partition=NAME_IS_INDEX), False  # a full image, whose columns have no frames
    yield rows.raw(columns, PURGE_DATA), False
    yield rows.raw(b""), False
    yield rows.raw(b"", UNIFIED_UPDATE), False
    yield rows.table(2, NOTE), False
    yield rows.one(0, SEVEN, 2), False
    yield rows.one(0, SEVEN), True
    yield rows.table(1, NOTE, QTY), False
    yield rows.one(0, SEVEN), False
    yield rows.one(1, SEVEN), True
    yield rows.table(2, NOTE, NOTE._replace(name="N2"), QTY), False
    yield rows.one(2, SEVEN, 2), True
    yield rows.one(1, SEVEN), True


@pytest.fixture(scope="module", params=ByteOrder, ids=lambda order: order.name)
def trail(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[int]]:
    """A trail of all shapes, and the RBAs of the rows that hold 7."""
    made = list(shapes(request.param))
    path, rba, holding = trail_of(tmp_path_factory.mktemp("values"), *(record for record, _ in made)), 0, []
    for record, holds in made:
        holding += [rba] * holds
        rba += len(record.raw)
    return path, holding


def test_record_by_record(trail: tuple[Path, list[int]]) -> None:
    path, holding = trail
    with TrailFile(path) as file:
        assert by_record(file, told(["VALUE QTY = 7"])) == holding


@pytest.mark.parametrize("size", [1, 2, 5, 1000])
def test_by_columns(trail: tuple[Path, list[int]], size: int) -> None:
    path, holding = trail
    with TrailFile(path) as file:
        assert by_columns(file, told(["VALUE QTY = 7"]), size) == holding


@pytest.mark.parametrize("most", [1, 100, 1000])
def test_by_columns_some_bytes_at_a_time(
    trail: tuple[Path, list[int]], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("logdump.filters.value_masks._MOST_BYTES", most)
    path, holding = trail
    with TrailFile(path) as file:
        assert by_columns(file, told(["VALUE QTY = 7"]), 1000) == holding


def test_by_threads(trail: tuple[Path, list[int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "PIECE", 300)
    monkeypatch.setattr(passing, "BATCH_SIZE", 2)
    path, holding = trail
    with TrailFile(path) as file, Workers(3) as workers:
        chosen = Selection(file, [told(["VALUE QTY = 7"])], lambda: RowDefinitions(file))
        batches = passing_batches(chosen, file, workers)
        assert [rba for batch, mask in batches for rba in np.asarray(batch.rba)[mask]] == holding


def test_two_filters_look_for_their_own_values(trail: tuple[Path, list[int]]) -> None:
    path, holding = trail
    with TrailFile(path) as file:
        either = told(["VALUE QTY = 7", "VALUE QTY = 8"])
        both = told(["VALUE QTY = 7", "VALUE QTY = 8", "MATCH ALL"])
        assert set(by_columns(file, either, 1000)) > set(holding) > set(by_columns(file, both, 1000))
        assert by_columns(file, either, 1000) == by_record(file, either)
        assert by_columns(file, both, 1000) == by_record(file, both) != []


def test_a_column_that_stands_twice_in_an_image_is_asked_of_the_record(tmp_path: Path) -> None:
    rows = Rows(ByteOrder.BIG)
    twice = [rows.of(None, [Column(0, first), Column(0, other)]) for first, other in ((SEVEN, EIGHT), (EIGHT, SEVEN))]
    path = trail_of(tmp_path, rows.table(1, QTY, NOTE), *twice)
    with TrailFile(path) as file:
        filters = told(["VALUE QTY = 7"])
        assert by_columns(file, filters, 1000) == by_record(file, filters)


@pytest.mark.parametrize("order", ByteOrder)
def test_what_was_decoded_is_kept_within_bounds(
    order: ByteOrder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Short values are decoded once while they fit, long ones each time; what is found does not depend on it."""
    decode = Mock(side_effect=decode_value)
    monkeypatch.setattr(value_masks, "decode_value", decode)
    monkeypatch.setattr(value_masks, "_MOST_KEPT", 2)
    rows = Rows(order)
    binary = of(64, 400, sub=4)._replace(name="NOTE")
    texts = [b"leaf", b"leaf", b"bud", b"leaf", b"stem", b"leaf", b"x" * 254, b"x" * 254, b"y" * 255, b"y" * 255]
    path = trail_of(tmp_path, rows.table(1, QTY, binary), *(rows.note(text) for text in texts))
    with TrailFile(path) as file:
        found = by_columns(file, told([f"VALUE NOTE >= {b'leaf'.hex()}"]), 1)
    assert len(found) == len(texts) - 1
    assert decode.call_count == len(["leaf", "bud", "stem", "leaf", "x", "y", "y"])


def test_a_text_is_compared_in_the_character_set_of_the_database(tmp_path: Path) -> None:
    rows = Rows(ByteOrder.BIG)
    database = DatabaseDefinition(1, BY_NAME["WINDOWS-1252"], 1, 0, "GMT", bytes(16), "TEADB")
    described = metadata_record(1, 0, "", build_database(database, rows.order), rows.order)
    leaf = rows.note("Blätter".encode("cp1252"))
    path = trail_of(tmp_path, described, rows.table(1, QTY, NOTE._replace(charset=-1)), leaf, rows.note(b"Blatter"))
    with TrailFile(path) as file:
        filters = told(["VALUE NOTE = Blätter"])
        assert by_columns(file, filters, 1000) == by_record(file, filters)
        assert len(by_record(file, filters)) == 1


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_each_text_is_compared_in_the_character_set_of_its_own_database(size: int, tmp_path: Path) -> None:
    """Of three databases in one trail, whose tables are defined alike: the same bytes are other texts."""
    rows, records = Rows(ByteOrder.BIG), list[Record]()
    texts = ["Tee für Gäste".encode("cp1252"), "Tee für Gäste".encode()]
    for index, charset in enumerate(("WINDOWS-1252", "WINDOWS-1251", "UTF-8"), 1):
        database = DatabaseDefinition(1, BY_NAME[charset], 1, 0, "GMT", bytes(16), f"DB{index}")
        records.append(metadata_record(1, 0, "", build_database(database, rows.order), rows.order))
        records.append(rows.table(index, QTY, NOTE._replace(charset=-1)))
        records += [rows.one(1, b"\0\0" + rows.order.encode(len(text), 2) + text, index) for text in texts]
    with TrailFile(trail_of(tmp_path, *records)) as file:
        places = [record.rba for record in file.records() if not record.is_metadata]
        meant = (("Tee für Gäste", [0, 5]), (texts[0].decode("cp1251"), [2]), (texts[1].decode("cp1251"), [3]))
        for text, expected in meant:
            filters = told([f"VALUE NOTE = '{text}'"])
            assert by_columns(file, filters, size) == by_record(file, filters) == [places[at] for at in expected], text


@pytest.mark.parametrize("size", [1, 2, 1000])
def test_a_definition_holds_up_to_the_next_in_whichever_batch(size: int, tmp_path: Path) -> None:
    rows = Rows(ByteOrder.BIG)
    path = trail_of(
        tmp_path,
        rows.table(1, QTY, NOTE),
        *(rows.one(0, SEVEN) for _ in range(3)),
        rows.table(1, NOTE, QTY),
        *(rows.one(0, SEVEN) for _ in range(3)),
        *(rows.one(1, SEVEN) for _ in range(3)),
    )
    with TrailFile(path) as file:
        found = by_columns(file, told(["VALUE QTY = 7"]), size)
        assert found == by_record(file, told(["VALUE QTY = 7"]))
        assert len(found) == 3 + 3


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("> 6.5", [7, 8]),
        (">= 6.5", [7, 8]),
        ("< 6.5", [-7, -6, 6]),
        ("<= 6.5", [-7, -6, 6]),
        ("= 6.5", []),
        ("<> 6.5", [-7, -6, 6, 7, 8]),
        ("> -6.5", [-6, 6, 7, 8]),
        ("<= -6.5", [-7]),
        ("> 7", [8]),
        (">= 7", [7, 8]),
        ("< 7", [-7, -6, 6]),
        ("<= 7", [-7, -6, 6, 7]),
    ],
)
@pytest.mark.parametrize("scale", [0, 2])
def test_a_number_between_two_values_parts_them(scale: int, condition: str, holds: list[int], tmp_path: Path) -> None:
    """Values in units of the last digit, and a number between two of them, or one of them."""
    rows, values = Rows(ByteOrder.BIG), [7, -6, 8, 6, -7]
    records = [rows.one(0, b"\0\0" + value.to_bytes(8, "big", signed=True)) for value in values]
    definition = of(134, 8, scale=scale)._replace(name="P")
    sign, number = condition.split()
    with TrailFile(trail_of(tmp_path, rows.table(1, definition), *records)) as file:
        places = [record.rba for record in file.records() if not record.is_metadata]
        filters = told([f"VALUE P {sign} {Decimal(number).scaleb(-scale)}"])
        expected = [place for place, value in zip(places, values, strict=True) if value in holds]
        assert by_columns(file, filters, 1000) == by_record(file, filters) == expected


def test_columns_of_a_name_are_read_each_by_its_own_definition(tmp_path: Path) -> None:
    """Of the same bytes each table has another value: 1.50, 150, 0.150, 15000."""
    rows = Rows(ByteOrder.BIG)
    stored = b"\0\0" + (150).to_bytes(8, "big")
    definitions = [of(134, 8, scale=scale)._replace(name="P") for scale in (2, 0, 3, -2)]
    records = [
        record
        for index, definition in enumerate(definitions, 1)
        for record in (rows.table(index, definition), rows.one(0, stored, index))
    ]
    with TrailFile(trail_of(tmp_path, *records)) as file:
        places = [record.rba for record in file.records() if not record.is_metadata]
        for text, expected in (
            ("= 1.5", [0]),
            ("= 150", [1]),
            ("= 0.15", [2]),
            ("= 15000", [3]),
            ("> 100", [1, 3]),
            ("< 2", [0, 2]),
            ("<> 150", [0, 2, 3]),
        ):
            filters = told([f"VALUE P {text}"])
            assert by_columns(file, filters, 1000) == by_record(file, filters) == [places[at] for at in expected]
