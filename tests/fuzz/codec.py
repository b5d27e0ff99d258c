"""What the codec and kernels must do with any bytes: records or a TrailError, the same in every way, and no other.

:func:`compare` is quick: the record walk and the scan by native and by interpreted kernels give the same rows, and
records that are known to be intact are among them. :func:`decode` takes records apart and puts them together again;
:func:`follow` does all that a reader of a file does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.fuzz.behaviour import Behaviour
from tests.kernels import WAYS, Kernels, run
from tests.trailformat.samples import IO_TIME
from trailformat import ByteOrder, PartialRecord, Record, TrailError, TrailFile, change_of, parse_ddl, to_datetime
from trailformat.changes.canonical import canonical
from trailformat.changes.lobs import lobs_of, read_lob
from trailformat.changes.segments import SegmentContext, whole_record
from trailformat.changes.transaction_context import TransactionContext
from trailformat.records.columns import build_images
from trailformat.records.record_header import ENDS, NOT_TRANSACTIONAL, build_header
from trailformat.scan import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, Batch, BatchColumn, Scan, kernel_run, scan
from trailformat.scan.position import first_position
from trailformat.trail.time_search import first_at_or_after
from trailformat.transactions.around import extent_at
from trailformat.transactions.tracker import TransactionTracker

PARTS = (
    *("tokens", "header", "data", "data_length", "gg_tokens", "user_tokens", "metadata", "name", "images"),
    *("csn", "xid", "row_id", "table_index", "is_metadata", "metadata_indexes", "trailer", "frame", "file_header"),
)
_COLUMNS = [field.name for field in fields(Batch) if field.name not in {"names", "table"}]
Row = tuple[int, ...]
_FIELDS = 11
_NO_FIELDS, _NO_PLACES = (0,) * (_FIELDS - 1), (0,) * 4
_KNOWN: dict[tuple[ByteOrder, bytes], Row] = {}
"""The fields of records by their bytes: the most of an input has been seen before."""
_MOST_KNOWN = 20_000
_SEEN: set[tuple[ByteOrder, bytes]] = set()
"""Records that were taken apart already."""


def compare(trail: TrailFile, batch_size: int, behaviour: Behaviour) -> list[Record]:
    """The sound records of a file, after the walk over them and both kinds of kernels have said the same."""
    rows, records = _walked(trail, behaviour)
    position = first_position(trail)
    first, *others = [_scanned(trail, position, batch_size, way) for way in WAYS]
    assert all(0 < len(batch) <= batch_size for batch in first)
    scanned = [row for batch in first for row in zip(*_columns(batch), strict=True)]
    assert scanned == rows, ("the scan and the walk", set(scanned) ^ set(rows))
    for other in others:
        _assert_same(first, other)
    for record in records[-1:]:
        named = [
            batch.names[int(key)]
            for batch in first
            for rba, key in zip(batch.rba, batch.table, strict=True)
            if rba == record.rba
        ]
        assert [trail.name_of(record)] == named
    return records


def _assert_same(batches: list[Batch], others: list[Batch]) -> None:
    """Batches by two kinds of kernels hold the same."""
    assert len(batches) == len(others)
    for batch, other in zip(batches, others, strict=True):
        for left, right in zip(_columns(batch), _columns(other), strict=True):
            assert bytes(memoryview(left)) == bytes(memoryview(right)), (list(left), list(right))  # type: ignore[arg-type]
        assert [batch.names[int(key)] for key in batch.table] == [other.names[int(key)] for key in other.table]


def _columns(batch: Batch) -> list[BatchColumn]:
    return [getattr(batch, name) for name in _COLUMNS]


def _walked(trail: TrailFile, behaviour: Behaviour) -> tuple[list[Row], list[Record]]:
    """What a scan has to give, by the walk with record_at and next_good_header; and the records."""
    rows: list[Row] = []
    records: list[Record] = []
    transaction, size = 0, trail.size
    rba: int | None = 0
    while rba is not None and rba < size:
        try:
            record = trail.record_at(rba)
        except TrailError as error:
            behaviour.note("frame", error.problem)
            good = trail.next_good_header(rba + 1)
            kind = PARTIAL if isinstance(error, PartialRecord) else BAD_SPAN
            rows.append((rba, (good or size) - rba, kind, *_NO_FIELDS, -1, *_NO_PLACES))
            rba = good
            continue
        assert record is not None
        records.append(record)
        about = _fields(record)
        is_inside = about[0] == RECORD and about[2] not in NOT_TRANSACTIONAL
        rows.append((rba, record.length, *about[:_FIELDS], transaction if is_inside else -1, *about[_FIELDS:]))
        transaction += is_inside and about[4] in ENDS
        rba += record.length
    return rows, records


def _fields(record: Record) -> Row:
    """Kind, order, the columns of the header and the places of the payloads."""
    key = (record.order, record.raw)
    if (known := _KNOWN.get(key)) is not None:
        return known
    if len(_KNOWN) > _MOST_KNOWN:
        _KNOWN.clear()
    is_little = int(record.order is ByteOrder.LITTLE)
    if record.is_file_header:
        about: Row = (FILE_HEADER, is_little, *(0,) * 5, record.data_length, *(0,) * 3, *_NO_PLACES)
    else:
        header = record.header
        about = (
            *(
                RECORD,
                is_little,
                header.io_type,
                header.orig_node,
                header.trans_ind,
                header.before_after,
                header.partition,
            ),
            *(record.data_length, header.io_time, header.audit_pos, header.audit_rba),
            *_places(record),
        )
    _KNOWN[key] = about
    return about


def _places(record: Record) -> Row:
    at = 6 if record.frame.is_wide else 4
    found: dict[int, tuple[int, int]] = {}
    for token in record.tokens:
        at += token.header_size
        found.setdefault(token.id, (at, len(token.payload)))
        at += len(token.payload)
    return (*found.get(ord("D"), (0, 0)), *found.get(ord("T"), (0, 0)))


def forget() -> None:
    """Forget what has been seen, so that the next input takes as long as it would by itself."""
    _KNOWN.clear()
    _SEEN.clear()


def find_intact(records: list[Record], intact: list[tuple[int, bytes]]) -> None:
    """Each record that damage has left alone is found at its place."""
    found = {record.rba: record.raw for record in records}
    missing = [rba for rba, raw in intact if found.get(rba) != raw]
    assert not missing, f"intact records are not found at RBA {missing}"


def decode(trail: TrailFile, records: Iterable[Record], behaviour: Behaviour) -> None:
    """Every part of records that have not been looked at yet, their rows and values; each is put together again."""
    for record in records:
        key = (record.order, record.raw)
        if key in _SEEN:
            continue
        if len(_SEEN) > _MOST_KNOWN:
            _SEEN.clear()
        _SEEN.add(key)
        decode_record(record, behaviour)
        _decode_row(trail, record, behaviour)
        _decode_pieces(trail, record, behaviour)


def decode_record(record: Record, behaviour: Behaviour) -> None:
    """Every part of one record, and its bytes made of them."""
    for part in PARTS:
        with behaviour.only_trail_error(part):
            getattr(record, part)
    with behaviour.only_trail_error("build"):
        assert record.build() == record.raw
    with behaviour.only_trail_error("groups"):
        _ = [token.value for group in record.file_header.groups for token in group.tokens]
    with behaviour.only_trail_error("header"):
        assert build_header(record.header, record.order) == record.token("H").payload  # type: ignore[union-attr]
        behaviour.note(f"type {record.header.io_type}")
        to_datetime(record.header.io_time)
        parse_ddl(record.data)
    with behaviour.only_trail_error("images"):
        if (images := record.images) is not None:
            assert build_images(images, record.order) == record.data
    repr(record)


def _decode_row(trail: TrailFile, record: Record, behaviour: Behaviour) -> None:
    with behaviour.only_trail_error("row"):
        change = change_of(trail, record)
        for column in change.columns if change else ():
            for value in (column.before, column.after):
                assert value is None or isinstance(value.text, str)
        if change is not None and change.problem is not None:
            behaviour.note("change", change.problem)
    with behaviour.only_trail_error("canonical"):
        canonical(trail, record)


def _decode_pieces(trail: TrailFile, record: Record, behaviour: Behaviour) -> None:
    with behaviour.only_trail_error("segment"):
        SegmentContext(trail).of(record)
    with behaviour.only_trail_error("whole record"):
        whole_record(trail, record)
    with behaviour.only_trail_error("lobs"):
        for lob in lobs_of(trail, record.rba):
            behaviour.note("lob", "whole" if lob.is_whole else "not whole")
            with behaviour.only_trail_error("lob"):
                read_lob(trail, record.rba, lob.ordinal, len)


def follow(trail: TrailFile, behaviour: Behaviour) -> None:
    """All that a reader of a file does: transactions from the front and from any place, backwards, by time."""
    transactions = TransactionContext(trail)
    for rba in trail.sound_rbas(0, trail.size):
        record = trail.record_at(rba)
        assert record is not None
        transactions.of(record)
    assert trail.end_of_records() <= trail.size
    assert trail.file_header is None or trail.first_rba > 0
    first_at_or_after(trail, IO_TIME)
    for place in (0, trail.first_rba, trail.size // 2, trail.end_of_records()):
        with behaviour.only_trail_error("extent"):
            extent_at(trail, place)
    with behaviour.only_trail_error("backwards"):
        for _ in trail.records_backwards():
            pass


def compare_transactions(trail: TrailFile) -> None:
    """Kernels, native and interpreted, and the walk by record say the same of the transaction of each record."""
    transactions = TransactionContext(trail)
    told: list[Any] = []
    for rba in trail.sound_rbas(0, trail.size):
        record = trail.record_at(rba)
        assert record is not None
        told.append((rba, transactions.of(record)))
    for way in WAYS:
        with run(way):
            assert _tracked(trail) == told, way


_SMALL_WINDOWS = {1: 64, 3: 300}
"""Bytes of a window, by the rows of a batch. No input that is drawn fills a window of the usual size."""


def _scanned(trail: TrailFile, position: Any, batch_size: int, way: Kernels) -> list[Batch]:
    capacity = _SMALL_WINDOWS.get(batch_size, kernel_run.CAPACITY)
    with run(way), patch.object(kernel_run, "CAPACITY", capacity):
        return list(Scan(trail, position, None, batch_size))


def _tracked(trail: TrailFile) -> list[Any]:
    tracker = TransactionTracker(trail)
    told: list[Any] = []
    for batch in scan(trail):
        owners = tracker.of(batch)
        rows = zip(batch.rba, batch.kind, owners.index, strict=True)
        told += [(int(rba), owners.transactions[number]) for rba, kind, number in rows if kind <= FILE_HEADER]
    return told


def walk(path: Path) -> None:
    """All that a reader does with a file, whatever it holds."""
    behaviour = Behaviour()
    with behaviour.only_trail_error("open"), TrailFile(path) as trail:
        places = trail.sound_rbas(0, trail.size)
        decode(trail, (record for rba in places if (record := trail.record_at(rba)) is not None), behaviour)
        follow(trail, behaviour)
