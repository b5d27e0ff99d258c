"""Halves of updates and pieces of LOBs, in any order, with what may stand between them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.searching import Random
from tests.trailformat.samples import header, metadata_record, row
from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, Images, Record, TableDefinition, make_column, make_record
from trailformat.definitions.metadata import build_table
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record_header import (
    COMMENT,
    FIELD_COMP,
    INSERT,
    LARGE_OBJECT,
    NAME_IS_INDEX,
    PURGE_DATA,
    RECORD_FRAGMENT,
    RESTART_OK,
    UPDATE,
    UPDATE_COMP,
)

_BEFORE, _AFTER = (FIELD_COMP, "B", 0), (FIELD_COMP, "A", 2)
_HALVES = [_BEFORE, _AFTER, (FIELD_COMP, "A", 3), (UPDATE, "B", 1), (UPDATE, "A", 1)]
_INDEXES = [[0], [0, 1], [0, 1, 2], [0, 1, 2], [1, 2], [2, 3], [1, 0]]
_SIZE = 5


class RelatedRecords:
    """Makes records of two tables; the same seed makes the same."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._order = self._random.choice(list(ByteOrder))
        columns = tuple(of(64)._replace(name=name) for name in ("CODE", "NOTE", "GRADE"))
        data = build_table(TableDefinition(1, 1, columns), self._order)
        self._tables = [
            metadata_record(2, index, name, data, self._order) for index, name in ((1, "TEA.POTS"), (2, "TEA.LEAVES"))
        ]

    def records(self, parts: int) -> Iterator[Record | bytes]:
        """So many pairs, runs of pieces and other parts behind the definitions."""
        yield from self._tables
        restart = row(order=self._order, name=1, io_type=RESTART_OK)
        plain = [row(order=self._order, name=1, io_type=io_type) for io_type in (PURGE_DATA, UPDATE_COMP, COMMENT, 77)]
        full = row(order=self._order, name=1, io_type=INSERT, partition=NAME_IS_INDEX)
        undefined = [row(text, order=self._order) for text in (b"leaf", b"\0\0leaf", b"\xff\xff", b"\0")]
        between: list[Record | bytes] = [*self._tables, b"?" * 70, restart, *undefined, *plain, full]
        for _ in range(parts):
            kind = self._random.randrange(8)
            if kind < 4:
                yield self._half(*self._mostly(_BEFORE))
                yield self._half(*self._mostly(_AFTER))
            elif kind < 6:
                yield self._half(FIELD_COMP, "A", 3)
                yield from (self._piece() for _ in range(self._random.randrange(4)))
            else:
                yield self._half(*self._random.choice(_HALVES)) if kind < 7 else self._random.choice(between)

    def _mostly(self, kind: tuple[int, str, int]) -> tuple[int, str, int]:
        return kind if self._random.random() < 0.8 else self._random.choice(_HALVES)

    def _half(self, io_type: int, side: str, trans_ind: int) -> Record:
        random, order = self._random, self._order
        values = [None, *(order.encode(len(text), 2) + text for text in (b"", b"leaf", b"buds"))]
        columns = tuple(make_column(index, random.choice(values)) for index in random.choice(_INDEXES))
        images = Images(columns, None) if side == "B" else Images(None, columns)
        fields = {"io_type": io_type, "before_after": ord(side), "trans_ind": trans_ind}
        plain = header(random.choice([1] * 9 + [2]), order, continued=int(random.random() < 0.05), **fields)
        return make_record(plain, images, order=order)

    def _piece(self) -> Record:
        random, order = self._random, self._order
        pieces = random.randint(1, 3)
        number = random.randint(1, pieces)
        numbers = PieceHeader(random.randrange(3), number, pieces, _SIZE * (number - 1), _SIZE * pieces)
        odd = numbers._replace(**{random.choice(PieceHeader._fields): random.choice([0, 2, 1 << 17])})
        laid_out = build_piece(random.choice([numbers, numbers, odd]), b"leaf\n", order)
        data = random.choice([laid_out, laid_out, laid_out[:20], b"no layout", b""])
        continued, rec_count = random.choice([(number < pieces, pieces)] * 2 + [(True, 1), (True, 2), (False, 255)])
        fields = {"continued": int(continued), "rec_count": rec_count, "trans_ind": 1}
        io_type = random.choice([LARGE_OBJECT] * 7 + [RECORD_FRAGMENT])
        return make_record(header(1, order, io_type=io_type, **fields), data, order=order)
