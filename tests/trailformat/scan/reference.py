"""What a scan must give: the rows of the walk with TrailFile and Record, by kernels native and interpreted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.kernels import WAYS, run
from trailformat import ByteOrder, PartialRecord, Record, TrailError, TrailFile
from trailformat.changes.transactions import is_transactional
from trailformat.records.record_header import ENDS
from trailformat.scan import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, scan

Rows = list[dict[str, Any]]

_HEADER = ("io_type", "orig_node", "trans_ind", "before_after", "partition", "io_time", "audit_pos", "audit_rba")
_NO_HEADER = dict.fromkeys((*_HEADER, "order", "record_length"), 0)
_NO_PAYLOADS = {"data": None, "tokens": None}


def walk(path: Path) -> Rows:
    """One dict per record or span, by the serial walk."""
    rows: Rows = []
    transaction = 0
    with TrailFile(path) as trail:
        rba: int | None = 0
        while rba is not None and rba < trail.size:
            try:
                record = trail.record_at(rba)
            except TrailError as error:
                good = trail.next_good_header(rba + 1)
                kind = PARTIAL if isinstance(error, PartialRecord) else BAD_SPAN
                span = {"rba": rba, "length": (good or trail.size) - rba, "kind": kind, "name": "", "transaction": -1}
                rows.append(_NO_HEADER | _NO_PAYLOADS | span)
                rba = good
                continue
            assert record is not None
            rows.append(_row(trail, record))
            if is_transactional(record):
                rows[-1]["transaction"] = transaction
                transaction += record.header.trans_ind in ENDS
            rba += record.length
    return rows


def _row(trail: TrailFile, record: Record) -> dict[str, Any]:
    about = {
        "rba": record.rba,
        "length": record.length,
        "kind": FILE_HEADER if record.is_file_header else RECORD,
        "order": int(record.order is ByteOrder.LITTLE),
        "record_length": record.data_length,
        "name": trail.name_of(record),
        "transaction": -1,
    }
    if record.is_file_header:
        return _NO_HEADER | _NO_PAYLOADS | about
    data, tokens = record.token("D"), record.token("T")
    payloads = {"data": data and data.payload, "tokens": tokens and tokens.payload}
    return {name: getattr(record.header, name) for name in _HEADER} | payloads | about


def scanned(path: Path, batch_size: int = 1 << 16) -> Rows:
    """The same of a scan."""
    rows: Rows = []
    contents = path.read_bytes()
    with TrailFile(path) as trail:
        for batch in scan(trail, batch_size=batch_size):
            columns = {name: list(map(int, column)) for name, column in batch.columns()}
            assert {len(column) for column in columns.values()} == {len(batch)}
            assert 0 < len(batch) <= batch_size
            for values in zip(*columns.values(), strict=True):
                row = dict(zip(columns, values, strict=True))
                row["name"] = batch.names[row.pop("table")]
                for part, name in (("data", "data"), ("token", "tokens")):
                    offset, size = row.pop(f"{part}_offset"), row.pop(f"{part}_size")
                    at = row["rba"] + offset
                    row[name] = contents[at : at + size] if offset else None
                rows.append(row)
    return rows


def assert_same(path: Path, batch_size: int = 1 << 16) -> Rows:
    """A scan says what the walk says, however kernels run; returns its rows, none for a file that is no trail."""
    try:
        expected = walk(path)
    except TrailError:
        return []
    for way in WAYS:
        with run(way):
            assert scanned(path, batch_size) == expected, way
    return expected
