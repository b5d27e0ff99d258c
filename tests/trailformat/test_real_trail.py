"""The trail that GoldenGate 12.2.0.1 wrote, as far as it is known what it must say.

A large trail takes no more memory than a small one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from tests.trailformat.samples import row
from trailformat import (
    ByteOrder,
    ColumnDefinition,
    Record,
    TableDefinition,
    TrailFile,
    TrailWriter,
    decode_value,
    encode_value,
    io_type_name,
    to_datetime,
)
from trailformat.changes.row_changes import changes
from trailformat.definitions.metadata import DatabaseDefinition, build_database, build_table
from trailformat.records.columns import Columns, build_images
from trailformat.records.file_header import Value
from trailformat.values import Plain

_RECORDS = 30_000
_GROWTH = 4_000_000
_STATUS = Path("/proc/self/status")


def private_bytes() -> int:
    """Memory of this process that is not a mapped file."""
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    pytest.skip("this system does not tell private memory")


@pytest.fixture
def large(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "lt000000000"
    thousand = row().raw * 1000
    with path.open("wb") as file:
        for _ in range(_RECORDS // 1000):
            file.write(thousand)
    yield path
    path.unlink()


@pytest.mark.skipif(not _STATUS.exists(), reason="this system does not tell private memory")
def test_very_many_records_are_read_in_a_few_megabytes(large: Path) -> None:
    with TrailFile(large) as trail:
        begin = highest = private_bytes()
        number = inserts = 0
        for number, record in enumerate(trail.records(), 1):
            inserts += record.header.io_type == 5
            if number % 5000 == 0:
                highest = max(highest, private_bytes())
    assert (number, inserts) == (_RECORDS, _RECORDS)
    assert highest - begin < _GROWTH


NAME = "tr000000000"


@pytest.fixture
def real(evidence: Path) -> Iterator[TrailFile]:
    with TrailFile(evidence / NAME) as trail:
        yield trail


def rows(trail: TrailFile) -> list[Record]:
    return [record for record in trail.records() if not record.is_file_header and not record.is_metadata]


def definitions(trail: TrailFile) -> dict[str, TableDefinition]:
    found = {record.name: record.metadata for record in trail.records() if record.is_metadata}
    return {name: definition for name, definition in found.items() if isinstance(definition, TableDefinition)}


def values(trail: TrailFile, record: Record, columns: Columns | None) -> dict[str, Plain]:
    table = definitions(trail)[trail.name_of(record)].columns
    return {
        table[column.index].name: decode_value(column, table[column.index], record.order).value
        for column in columns or ()
    }


def test_it_is_big_endian_and_walked_to_its_last_byte(real: TrailFile) -> None:
    assert real.size == 5660
    assert real.order is ByteOrder.BIG
    assert sum(record.length for record in real.records()) == 5660


@pytest.mark.parametrize(
    ("group", "name", "value"),
    [
        ("TrailInfo", "Compatibility", 5),
        ("TrailInfo", "FileName", "dirdat/tr000000000"),
        ("TrailInfo", "Seqno", 0),
        ("TrailInfo", "FileSize", None),
        ("TrailInfo", "FirstCSN", "7824137832"),
        ("TrailInfo", "LastCSN", None),
        ("TrailInfo", "BITFLAGS", 4),
        ("MachineInfo", "Sysname", "Linux"),
        ("MachineInfo", "Nodename", "slcaa318"),
        ("DatabaseInfo", "Vendor", 7),
        ("DatabaseInfo", "Instance", "ora1120i"),
        ("DatabaseInfo", "MajorVersion", 11),
        ("DatabaseInfo", "DbTimeZone", "GMT"),
        ("DatabaseInfo", "DbObjMetadata", bytes.fromhex("14141414141414141414141411141414")),
        ("ProducerInfo", "Name", "ETEST"),
        ("ProducerInfo", "MajorVersion", 12),
        ("ContinunityInfo", "RecoveryMode", 1),
    ],
)
def test_its_header_says(real: TrailFile, group: str, name: str, value: Value) -> None:
    assert real.file_header is not None
    assert real.file_header.get(group, name) == value


def test_its_database_definition_says(real: TrailFile) -> None:
    record = real.record_at(1414)
    assert record is not None
    database = record.metadata
    assert isinstance(database, DatabaseDefinition)
    assert database.name == "ORA1120I"
    assert database.time_zone == "GMT"
    assert (database.version, database.charset, database.ncharset) == (1, 0, 1)


@pytest.mark.parametrize(
    ("table", "columns", "keys"),
    [
        ("QASOURCE.TCUSTMER", ["CUST_CODE", "NAME", "CITY", "STATE"], ["CUST_CODE"]),
        (
            "QASOURCE.TCUSTORD",
            [
                "CUST_CODE",
                "ORDER_DATE",
                "PRODUCT_CODE",
                "ORDER_ID",
                "PRODUCT_PRICE",
                "PRODUCT_AMOUNT",
                "TRANSACTION_ID",
            ],
            ["CUST_CODE", "ORDER_DATE", "PRODUCT_CODE", "ORDER_ID"],
        ),
    ],
)
def test_its_table_definitions_have_these_columns(
    real: TrailFile, table: str, columns: list[str], keys: list[str]
) -> None:
    definition = definitions(real)[table]
    assert [column.name for column in definition.columns] == columns
    assert [column.name for column in definition.columns if column.is_key] == keys
    assert definition.key_columns == len(keys)


@pytest.mark.parametrize(
    ("column", "sizes"),
    [("NAME", (64, 30, 1)), ("STATE", (0, 2, 96)), ("ORDER_DATE", (192, 19, 12)), ("PRODUCT_PRICE", (134, 10, 2))],
)
def test_its_columns_have_type_length_and_native_type(
    real: TrailFile, column: str, sizes: tuple[int, int, int]
) -> None:
    every = {
        column_definition.name: column_definition
        for definition in definitions(real).values()
        for column_definition in definition.columns
    }
    found_column: ColumnDefinition = every[column]
    assert (found_column.data_type, found_column.external_length, found_column.native_type) == sizes


def test_behind_its_header_are_19_records_3_of_them_definitions(real: TrailFile) -> None:
    kinds = Counter(io_type_name(record.header.io_type) for record in real.records(real.first_rba))
    assert kinds == {"Metadata": 3, "Insert": 10, "GGSUnifiedUpdate": 4, "Delete": 2}


def test_its_rows_are_5_transactions_each_begun_with_csn_and_xid(real: TrailFile) -> None:
    first = [record for record in rows(real) if record.header.trans_ind == 0]
    assert [record.csn for record in first] == ["7824137832", "7824137914", "7824137917", "7824137919", "7824137921"]
    assert [record.xid for record in first][:2] == ["2.3.228025", "11.33.1268278"]
    assert {record.csn for record in rows(real) if record.header.trans_ind != 0} == {None}


def test_its_rows_have_a_row_id(real: TrailFile) -> None:
    assert [record.row_id for record in rows(real)][:2] == ["AAKifQAAKAAAFDHAAA", "AAKifQAAKAAAFDHAAB"]


def test_its_rows_belong_to_two_tables(real: TrailFile) -> None:
    tables = Counter(real.name_of(record) for record in rows(real))
    assert tables == {"QASOURCE.TCUSTMER": 6, "QASOURCE.TCUSTORD": 10}


def test_the_io_time_of_its_first_row(real: TrailFile) -> None:
    assert to_datetime(rows(real)[0].header.io_time) == datetime(2015, 11, 5, 18, 45, 36, tzinfo=UTC)


def test_the_values_of_an_insert(real: TrailFile) -> None:
    record = real.record_at(2928)
    assert record is not None
    assert record.images is not None
    assert values(real, record, record.images.after) == {
        "CUST_CODE": "WILL",
        "ORDER_DATE": datetime(1994, 9, 30, 15, 33),  # noqa: DTZ001 - a DATE has no zone
        "PRODUCT_CODE": "CAR",
        "ORDER_ID": Decimal(144),
        "PRODUCT_PRICE": Decimal("17520.00"),
        "PRODUCT_AMOUNT": Decimal(3),
        "TRANSACTION_ID": Decimal(100),
    }


def test_the_price_has_its_two_decimals(real: TrailFile) -> None:
    record = real.record_at(2928)
    assert record is not None
    assert record.images is not None
    assert str(values(real, record, record.images.after)["PRODUCT_PRICE"]) == "17520.00"


def test_the_values_of_a_unified_update(real: TrailFile) -> None:
    record = real.record_at(5100)
    assert record is not None
    assert record.images is not None
    before, after = values(real, record, record.images.before), values(real, record, record.images.after)
    assert before == {"CUST_CODE": "ANN", "NAME": "ANN'S BOATS", "CITY": "SEATTLE", "STATE": "WA"}
    assert after == {"CUST_CODE": "ANN", "CITY": "NEW YORK", "STATE": "NY"}


def test_the_values_of_a_delete_are_its_before_image(real: TrailFile) -> None:
    record = real.record_at(5272)
    assert record is not None
    assert record.images is not None
    assert record.images.after is None
    assert values(real, record, record.images.before)["CUST_CODE"] == "DAVE"


CHANGES = [
    ("INSERT", ["WILL"], {}),
    ("INSERT", ["JANE"], {}),
    ("INSERT", ["WILL", "1994-09-30 15:33:00", "CAR", "144"], {}),
    ("INSERT", ["JANE", "1995-11-11 13:52:00", "PLANE", "256"], {}),
    ("INSERT", ["DAVE"], {}),
    ("INSERT", ["BILL"], {}),
    ("INSERT", ["ANN"], {}),
    ("INSERT", ["BILL", "1995-12-31 15:00:00", "CAR", "765"], {}),
    ("INSERT", ["BILL", "1996-01-01 00:00:00", "TRUCK", "333"], {}),
    ("INSERT", ["DAVE", "1993-11-03 07:51:35", "PLANE", "600"], {}),
    ("UPDATE", ["BILL", "1995-12-31 15:00:00", "CAR", "765"], {"PRODUCT_PRICE": "14000.00"}),
    ("UPDATE", ["BILL", "1996-01-01 00:00:00", "TRUCK", "333"], {"PRODUCT_PRICE": "25000.00"}),
    ("UPDATE", ["WILL", "1994-09-30 15:33:00", "CAR", "144"], {"PRODUCT_PRICE": "16520.00"}),
    ("UPDATE", ["ANN"], {"CITY": "NEW YORK", "STATE": "NY"}),
    ("DELETE", ["DAVE", "1993-11-03 07:51:35", "PLANE", "600"], {}),
    ("DELETE", ["JANE", "1995-11-11 13:52:00", "PLANE", "256"], {}),
]
"""What the sample scripts do to the two tables: the operation, the key, and what changes."""


def test_its_changes_are_those_of_the_sample_scripts(real: TrailFile) -> None:
    found = list(changes(real, real.records()))
    keys = [[(column.after or column.before) for column in each.columns if column.is_key] for each in found]
    changed = [
        {column.name: column.after.text for column in each.columns if column.after and column.is_changed}
        for each in found
    ]
    shown = [[value.text for value in key if value] for key in keys]
    assert list(zip([change.op for change in found], shown, changed, strict=True)) == CHANGES


def test_every_value_of_its_rows_decodes_and_is_written_again(real: TrailFile) -> None:
    every = [
        (column.definition, value)
        for change in changes(real, real.records())
        for column in change.columns
        for value in (column.before, column.after)
        if value is not None
    ]
    assert {value.problem for _, value in every} == {None}
    for definition, value in every:
        assert definition is not None
        assert encode_value(value.value, definition, real.order) == value.data


def test_it_reads_the_same_backwards(real: TrailFile) -> None:
    forwards = [record.rba for record in real.records()]
    assert [record.rba for record in real.records_backwards()] == forwards[::-1]


def test_a_copy_from_its_decoded_parts_has_the_same_bytes(real: TrailFile, evidence: Path, tmp_path: Path) -> None:
    with TrailWriter(tmp_path / NAME) as writer:
        for record in real.records():
            writer.write(Record(record.build(), order=record.order))
    assert (tmp_path / NAME).read_bytes() == (evidence / NAME).read_bytes()


@pytest.mark.parametrize("table", ["QASOURCE.TCUSTMER", "QASOURCE.TCUSTORD"])
def test_its_definitions_are_built_again_byte_for_byte(real: TrailFile, table: str) -> None:
    record = next(
        trail_record for trail_record in real.records() if trail_record.is_metadata and trail_record.name == table
    )
    assert build_table(definitions(real)[table], real.order) == record.data


def test_its_database_definition_is_built_again_byte_for_byte(real: TrailFile) -> None:
    record = real.record_at(1414)
    assert record is not None
    assert isinstance(record.metadata, DatabaseDefinition)
    assert build_database(record.metadata, real.order) == record.data


def test_its_columns_are_built_again_byte_for_byte(real: TrailFile) -> None:
    for record in rows(real):
        assert record.images is not None
        assert build_images(record.images, real.order) == record.data
