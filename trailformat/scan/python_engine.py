"""The scan in plain Python: ``struct`` and ``array``, no other package.

The usual record has two-byte lengths in its own token and in all others; one ``unpack`` reads its token, that of ``H``
and the header. Whether any other record is sound, and what does not look sound here, is what
:mod:`trailformat.records.framing` says.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence

from trailformat.changes.transactions import ENDS
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.tokens import WIDE, length_at
from trailformat.errors import BadRecord, PartialRecord
from trailformat.records import framing
from trailformat.records.framing import Buffer
from trailformat.records.io_types import METADATA, NOT_TRANSACTIONAL
from trailformat.records.record_header import HDR_IND, HEADER_SIZE, NAME_IS_INDEX, PARTITION_AT, struct_codes
from trailformat.scan.batch import FILE_HEADER, RECORD, TYPE_CODES, Batch
from trailformat.scan.names import NO_NAME, Names
from trailformat.scan.position import ScanPosition, after, first_order
from trailformat.scan.windows import Window

_Row = tuple[int, ...]
_FIELDS = struct_codes("partition", "trans_ind")
"""The header from Partition to TransInd."""
_HEADER = {order: struct.Struct(order.value + _FIELDS) for order in ByteOrder}
_USUAL = {order: struct.Struct(order.value + "BBHBBHB" + _FIELDS) for order in ByteOrder}
_HEAD = 64
"""Bytes that hold the length of any record."""
_USUAL_SIZE = 8 + HEADER_SIZE
"""Bytes of the two tokens and the header."""
_SHORT = {order: struct.Struct(order.value + "BBH") for order in ByteOrder}
_H, _Z, _D, _T = b"HZDT"
_MAX_SHORT = 0xFFFF
_NOTHING = (0,) * 4


class PythonFiller:
    """Fills batches of at most ``batch_size`` rows; see :class:`trailformat.scan.scanning.Filler`."""

    def __init__(self, names: Names, batch_size: int) -> None:
        self.names = names
        self.transactions = 0
        self._batch_size = batch_size
        self._rows: list[_Row] = []
        self._base = 0

    @property
    def is_full(self) -> bool:
        """Whether the batch has all its rows."""
        return len(self._rows) >= self._batch_size

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add the row of a span that is no sound record."""
        self._rows.append((rba, length, kind, *(0,) * 11, -1, *_NOTHING))

    def take(self) -> Batch:
        """The rows so far; the next ones go to a new batch."""
        columns = list(zip(*self._rows, strict=True)) or [()] * len(TYPE_CODES)
        self._rows = []
        return Batch(self.names, *(array(code, column) for code, column in zip(TYPE_CODES, columns, strict=True)))

    def fill(self, window: Window, position: ScanPosition, end: int, stop: int) -> tuple[ScanPosition, int]:
        """Add rows; see the protocol."""
        base, buffer = window.base, window.buffer
        self._base = base
        inside = position._replace(rba=position.rba - base)
        reached, need = self._fill(buffer, inside, window.limit - base, stop - base, end - base)
        return reached._replace(rba=reached.rba + base), need

    def _fill(
        self, buffer: Buffer, position: ScanPosition, limit: int, stop: int, end: int
    ) -> tuple[ScanPosition, int]:
        """The same with places counted from the beginning of the window."""
        rows, most = self._rows, self._batch_size
        while position.rba < stop and len(rows) < most:
            if position.rba + _HEAD > limit and limit < end:
                return position, _HEAD
            position = self._fill_usual(buffer, position, limit, stop)
            if position.rba >= stop or len(rows) >= most:
                break
            if position.rba + _HEAD > limit and limit < end:
                return position, _HEAD
            first = self._first_order(buffer, position)
            for order in (first, first.other):
                length, need = _sound_length(buffer, position.rba, limit, order, end)
                if need:
                    return position, need
                if length >= 0:
                    rows.append(self._row(buffer, position.rba, length, order))
                    position = after(position, length, order, first, is_first=position.rba + self._base == 0)
                    break
            else:
                break
        return position, 0

    def _first_order(self, buffer: Buffer, position: ScanPosition) -> ByteOrder:
        """The order to try first at a place in the window."""
        return first_order(buffer, position) if not self._base else position.order

    def _fill_usual(self, buffer: Buffer, position: ScanPosition, end: int, stop: int) -> ScanPosition:
        """Add the rows of usual records up to the first place where there is none in the same order."""
        rba, order = position.rba, position.order
        rows = self._rows
        most = self._batch_size - len(rows)
        length = _SHORT[order]
        while rba < stop and most > 0 and rba + _USUAL_SIZE <= end:
            raw = buffer[rba : min(end, rba + length.unpack_from(buffer, rba)[2])]
            row = self._usual_row(raw, rba, order)
            if row is None:
                break
            rows.append(row)
            rba += len(raw)
            most -= 1
        return position._replace(rba=rba)

    def _usual_row(self, raw: bytes, rba: int, order: ByteOrder) -> _Row | None:
        """The row of a record if it is sound and has two-byte lengths only; ``raw`` has its length or ends before."""
        last = len(raw) - 4
        if last < _USUAL_SIZE or raw[-4] != _Z or raw[-2:] != raw[2:4] or raw[-3] & WIDE:
            return None
        kind, info, length, token, header_info, size, hdr_ind, *fields = _USUAL[order].unpack_from(raw)
        is_row = kind == framing.RECORD and token == _H and hdr_ind == HDR_IND and size >= HEADER_SIZE
        if not is_row or length != last + 4 or (info | header_info) & WIDE:
            return None
        short = _SHORT[order].unpack_from
        data_at = data_size = token_at = token_size = 0
        at = 8 + size
        while at + 4 <= last:
            token, info, payload = short(raw, at)
            at += 4
            if token == _D and not data_at:
                data_at, data_size = at, payload
            elif token == _T and not token_at:
                token_at, token_size = at, payload
            else:
                return None
            at = last + 1 if info & WIDE else at + payload
        if at != last:
            return None
        places = (data_at, data_size, token_at, token_size)
        return self._finished_row(rba, length, order, fields, raw[8 + HEADER_SIZE : 8 + size], places)

    def _row(self, buffer: Buffer, rba: int, length: int, order: ByteOrder) -> _Row:
        """The row of any sound record."""
        if buffer[rba] == framing.FILE_HEADER:
            is_little = order is ByteOrder.LITTLE
            return (rba + self._base, length, FILE_HEADER, is_little, *(0,) * 5, length - 8, *_NOTHING, -1, *_NOTHING)
        _, parts = framing.frame_at(buffer, rba, rba + length, order)
        _, _, at, size = parts[0]
        fields = _HEADER[order].unpack_from(buffer, rba + at + PARTITION_AT)
        data, tokens = (
            next(((at, size) for token, _, at, size in parts if token == each), (0, 0)) for each in (_D, _T)
        )
        name = buffer[rba + at + HEADER_SIZE : rba + at + size]
        return self._finished_row(rba, length, order, fields, name, (*data, *tokens))

    def _finished_row(
        self, rba: int, length: int, order: ByteOrder, fields: Sequence[int], name: bytes, places: _Row
    ) -> _Row:
        partition, _, before_after, record_length, io_type, orig_node, io_time, audit_pos, audit_rba, trans_ind = fields
        is_little = order is ByteOrder.LITTLE
        if not partition & NAME_IS_INDEX:
            table = self.names.key_of_text(name.split(b"\0", 1)[0])
        else:
            table = self.names.key_of_index(order.decode(name[:2])) if len(name) >= 2 else NO_NAME
        if io_type == METADATA:
            index = audit_rba >> 16 if is_little else audit_rba & 0xFFFF
            self.names.define(orig_node, index, NO_NAME if partition & NAME_IS_INDEX else table)
        size = record_length if length <= _MAX_SHORT else places[1]
        header_fields = (io_type, orig_node, trans_ind, before_after, partition, size, io_time, audit_pos, audit_rba)
        return (
            rba + self._base,
            length,
            RECORD,
            is_little,
            *header_fields,
            table,
            self._transaction(io_type, trans_ind),
            *places,
        )

    def _transaction(self, io_type: int, trans_ind: int) -> int:
        if io_type in NOT_TRANSACTIONAL:
            return -1
        ordinal = self.transactions
        self.transactions += trans_ind in ENDS
        return ordinal


def _sound_length(buffer: Buffer, rba: int, limit: int, order: ByteOrder, end: int) -> tuple[int, int]:
    """The length of the sound record at ``rba`` in this order, or -1; the bytes needed to know it, or 0."""
    try:
        return framing.frame_at(buffer, rba, limit, order)[0], 0
    except BadRecord:
        return -1, 0
    except PartialRecord:
        if end == limit:
            return -1, 0
        length = length_at(buffer, rba, order)[0]
        return -1, length if rba + length <= end else 0
