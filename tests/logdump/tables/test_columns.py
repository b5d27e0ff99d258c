"""Each column says of each record what the record says of itself; what is not asked for is not decoded."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.arrow.records.columns.header import name_parts, timestamps
from logdump.arrow.records.errors import ValueTooLarge
from logdump.arrow.records.schema import COLUMNS
from logdump.tables.errors import BadTrail, SplitMismatch
from tests.logdump.tables.reads import batches, rows
from tests.searching import Random, examples, in_turn, some_trails
from trailformat import (
    Column,
    ColumnDefinition,
    Record,
    TrailError,
    TrailFile,
    io_type_name,
    make_header,
    make_record,
    parse_ddl,
    to_datetime,
)
from trailformat.changes.transaction_context import TransactionContext
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.records.columns import Columns
from trailformat.records.ddl import ddl_name
from trailformat.records.record_header import DDL_OP
from trailformat.trail.row_definitions import RowDefinition, RowDefinitions
from trailformat.values import decode_value, plain_text

WHOLE = some_trails((path for path in TRAILS.iterdir() if path.name[0] in "eondrpuvhsbm"), __name__)
BULK = [column.name for column in COLUMNS if column.name not in {"before", "after", "gg_tokens", "user_tokens", "ddl"}]


def expected(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file, made record by record."""
    with TrailFile(path) as trail:
        context, definitions = TransactionContext(trail), RowDefinitions(trail)
        for record in filter(None, map(trail.record_at, trail.sound_rbas(0, trail.size))):
            number = "".join(filter(str.isdigit, path.name))
            place = {
                "file": str(path),
                "seqno": int(number),
                "file_order": 0,
                "rba": record.rba,
                "length": record.length,
            }
            row = {**dict.fromkeys(column.name for column in COLUMNS), **place, "raw": record.raw}
            row["record_length"] = record.data_length
            if record.is_file_header:
                yield {**row, "op": "FileHeader"}
            else:
                transaction = context.of(record)
                yield {**row, **_of_header(record), **_of_name(trail.name_of(record)), **transaction._asdict()} | {
                    **_of_tokens(record),
                    **_of_images(definitions, record),
                }


def _of_header(record: Record) -> dict[str, Any]:
    header = record.header
    return {
        "op": io_type_name(header.io_type),
        "op_code": header.io_type,
        "time": to_datetime(header.io_time),
        "trans_ind": header.trans_ind,
        "before_after": chr(header.before_after),
        "audit_rba": None if record.is_metadata else header.audit_rba,
        "audit_pos": Decimal(header.audit_pos),
        "tdr_index": record.table_index,
        "partition": header.partition,
        "ddl": [(ddl_name(key) or key, value) for key, value in parse_ddl(record.data)]
        if header.io_type == DDL_OP
        else None,
    }


def _of_name(name: str) -> dict[str, str | None]:
    schema, _, last = name.rpartition(".")
    return {"table": name or None, "schema": schema or None, "name": last or None}


def _of_tokens(record: Record) -> dict[str, Any]:
    found = {"row_id": _or_none(lambda: record.row_id), "user_tokens": _or_none(lambda: record.user_tokens)}
    if found["user_tokens"] is not None:
        found["user_tokens"] = [(name.decode(), value.decode()) for name, value in found["user_tokens"]]
    return found


def _of_images(definitions: RowDefinitions, record: Record) -> dict[str, Any]:
    images = _or_none(lambda: record.images)
    known = definitions.of(record)
    return {side: _image(images and getattr(images, side), record, known) for side in ("before", "after")}


def _image(columns: Columns | None, record: Record, known: RowDefinition) -> list[dict[str, Any]] | None:
    if columns is None:
        return None
    described = known.table.columns if known.table else ()
    times = Counter(column.index for column in columns)
    cells = [_column(column, record, described[column.index :], known) for column in columns]
    # of a column that comes twice it is not known which holds
    return [cell if times[cell["index"]] == 1 else {**cell, "value": None} for cell in cells]


def _column(
    column: Column, record: Record, described: tuple[ColumnDefinition, ...], known: RowDefinition
) -> dict[str, Any]:
    value = decode_value(column, described[0], record.order, known.charset).value if described else None
    return {
        "index": column.index,
        "name": described[0].name if described else None,
        "bytes": None if column.is_null else column.value,
        "is_null": column.is_null,
        "value": None if value is None else plain_text(value),
    }


def _or_none(get: Any) -> Any:
    try:
        return get()
    except TrailError:
        return None


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.name)
def test_rows_are_what_the_records_say(path: Path) -> None:
    for found, wanted in zip(rows(path, undecodable="null"), expected(path), strict=True):
        shown = {name: found[name] for name in wanted if name not in {"gg_tokens", "problems"}}
        assert shown == {name: value for name, value in wanted.items() if name in shown}


@pytest.mark.parametrize(
    ("seed", "name"), in_turn(range(examples(4)), ["et000000000", "ul000000000", "dt000000000", "sl000000000"])
)
def test_so_they_are_in_a_file_with_flipped_bits(name: str, seed: int, tmp_path: Path) -> None:
    draw, data = Random(seed), bytearray((TRAILS / name).read_bytes())
    for _ in range(6):
        data[draw.randrange(1200, len(data))] ^= 1 << draw.randrange(8)
    path = tmp_path / "lt000000000"
    path.write_bytes(data)
    found = rows(path, mode="PERMISSIVE")
    sound = [row for row in found if row["_corrupt_record"] is None]
    for row, wanted in zip(sound, expected(path), strict=True):
        shown = {name: row[name] for name in wanted if name not in {"gg_tokens", "problems"}}
        assert shown == {name: value for name, value in wanted.items() if name in shown}
    for size in (333, 1000):
        with contextlib.suppress(SplitMismatch):
            assert rows(path, mode="PERMISSIVE", maxPartitionBytes=size) == found


def test_tokens_have_names_and_bytes() -> None:
    found = [row["gg_tokens"] for row in rows(TRAILS / "et000000000", "gg_tokens")]
    assert ("LOGCSN", b"41882317") in found[3]
    assert all(name != "LOGCSN" for name, _ in found[4])


def test_a_token_that_stands_there_twice_is_told_once() -> None:
    pairs = rows(TRAILS / "dt000000000", "gg_tokens")[1]["gg_tokens"]
    assert len([name for name, _ in pairs if name == "LOGCSN"]) == 1


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("", (None, None, None)),
        ("TEAS", (None, None, "TEAS")),
        ("HR.TEAS", (None, "HR", "TEAS")),
        ("PDB1.HR.TEAS", ("PDB1", "HR", "TEAS")),
        (r"\TRILL.$QA01.QASRC.ACCTN", (r"\TRILL.$QA01", "QASRC", "ACCTN")),
        ('"a.b"."c.d"', (None, '"a.b"', '"c.d"')),
        ("...", (None, None, "...")),
    ],
)
def test_a_name_comes_apart(name: str, parts: tuple[str | None, ...]) -> None:
    assert name_parts(name) == (name or None, *parts)


def test_times_outside_of_the_calendar_are_null() -> None:
    import numpy as np

    stored = [0, -(2**63), 2**63 - 1, JULIAN_UNIX_EPOCH, JULIAN_UNIX_EPOCH - 62_135_596_800_000_000]
    found = timestamps(np.array(stored), np.ones(5, bool)).to_pylist()
    assert found == [None, None, None, datetime(1970, 1, 1, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)]


def test_audit_pos_is_unsigned(tmp_path: Path) -> None:
    path = tmp_path / "lt000000"
    path.write_bytes(make_record(make_header(5, audit_pos=(1 << 64) - 2, name_field=b"A\0")).raw)
    assert rows(path, "audit_pos") == [{"audit_pos": Decimal((1 << 64) - 2)}]


LOOKS = {
    "images": "logdump.arrow.records.columns.images.images_of",
    "tokens": "logdump.arrow.records.texts.tokens_in",
    "pairs": "logdump.arrow.records.texts.parse_user_tokens",
    "names": "trailformat.trail.table_definitions.TableDefinitions.lookup",
    "transactions": "trailformat.transactions.tracker.TransactionTracker.of",
    "record": "trailformat.trail.file.TrailFile.record_at",
}


@pytest.mark.parametrize(
    ("columns", "looked_at"),
    [
        (("file", "rba", "length", "op", "table", "name", "time", "audit_pos", "record_length", "raw"), set()),
        (("tdr_index", "before_after", "_corrupt_record"), set()),
        (("csn", "rba"), {"transactions"}),
        (("after", "rba"), {"images"}),
        (("gg_tokens",), {"tokens"}),
        (("row_id",), {"tokens"}),
        (("user_tokens",), {"tokens", "pairs"}),
        (("ddl",), set()),
    ],
)
def test_only_what_is_asked_for_is_decoded(
    columns: tuple[str, ...], looked_at: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = TRAILS / "ot000000"
    whole = rows(path)
    looks = _note_calls(monkeypatch)
    assert rows(path, *columns) == [{name: row[name] for name in columns} for row in whole]
    assert looks - {"record"} == looked_at


def _note_calls(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Notes which parts of a trail are looked at."""
    looks: set[str] = set()
    for what, target in LOOKS.items():
        module, _, name = target.rpartition(".")
        owner = resolve_name(module)
        call = getattr(owner, name)

        def look(*arguments: Any, call: Any = call, what: str = what, **named: Any) -> Any:
            looks.add(what)
            return call(*arguments, **named)

        monkeypatch.setattr(owner, name, look)
    return looks


def test_only_the_first_row_of_each_table_is_made_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []
    make = Record.__init__

    def note(record: Record, raw: bytes, **named: Any) -> None:
        made.append(named.get("rba", 0))
        make(record, raw, **named)

    monkeypatch.setattr(Record, "__init__", note)
    others = ("before", "after", "gg_tokens", "row_id", "user_tokens", "problems", "raw")
    found = rows(TRAILS / "st000000000", "rba", "table", *others)
    tables = {row["rba"]: row["table"] for row in found if row["after"] and row["row_id"]}
    assert len(tables) > 5
    assert sorted(tables[rba] for rba in made if rba in tables) == sorted(set(tables.values()))


def test_raw_bytes_of_neighbours_are_not_copied() -> None:
    (batch,) = batches(TRAILS / "et000000000", "raw")
    (part,) = batches(TRAILS / "et000000000", "raw", where="IOTYPE Insert")
    assert batch.column(0).buffers()[2].size == (TRAILS / "et000000000").stat().st_size
    assert part.column(0).buffers()[2].size == sum(map(len, part.column(0).to_pylist()))


def test_what_cannot_be_decoded_is_null_where_problems_are_told() -> None:
    found = [row for row in rows(TRAILS / "pt000000000", "op", "after", "problems") if row["problems"]]
    assert [row["op"] for row in found] == ["Insert"]
    assert found[0]["after"] is None
    assert found[0]["problems"] == ["images: the columns continue in the record fragments that follow"]


def test_what_cannot_be_decoded_ends_a_read_that_would_hide_it() -> None:
    with pytest.raises(BadTrail, match=r"RBA 2407: column .*; with mode PERMISSIVE"):
        rows(TRAILS / "pt000000000", "op", "after")


def test_a_record_over_a_gigabyte_is_named(tmp_path: Path) -> None:
    path = huge(tmp_path / "lt000000")
    with pytest.raises(ValueTooLarge, match=r"seqno 0, RBA 1130: \d+ bytes do not fit in a value of Spark"):
        rows(path, "raw", maxPartitionBytes=0)
    head, large = rows(path, "rba", "raw", "length", maxPartitionBytes=0, mode="PERMISSIVE")
    assert len(head["raw"]) == head["length"] == 1130
    assert large == {"rba": 1130, "raw": None, "length": path.stat().st_size - 1130}


def huge(path: Path) -> Path:
    """A file header and a record whose data are a gibibyte of zeros that take no room on the disk."""
    front = (TRAILS / "ht000000000").read_bytes()
    size = 1 << 30
    head = make_record(make_header(116, name_field=b"A.B\0")).raw[4:-4]
    length = 6 + len(head) + 6 + size + 6
    with path.open("wb") as file:
        file.write(front + b"G\x40" + length.to_bytes(4) + head + b"D\x40" + size.to_bytes(4))
        file.seek(len(front) + length - 6)
        file.write(b"Z\x40" + length.to_bytes(4))
    return path
