"""Trails of one table that hypothesis makes: columns of every type, values that fit or do not."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.trailformat.samples import header, metadata_record
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Column, ColumnDefinition, Images, Record, TableDefinition, encode_value, make_record
from trailformat.definitions.metadata import KEY, build_table
from trailformat.records.record_header import (
    COMPRESSED,
    DELETE,
    FIELD_COMP,
    INSERT,
    NAME_IS_INDEX,
    PURGE_DATA,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
    UPDATE,
    UPDATE_COMP,
)

TABLE = "TEA.LEAVES"
ANY_TRANS_IND = st.integers(0, 3)
_BOTH = (UNIFIED_UPDATE, UNIFIED_PK_UPDATE)
_ROW = COMPRESSED | NAME_IS_INDEX


def _raw(definition: ColumnDefinition, order: ByteOrder) -> st.SearchStrategy[bytes]:
    unnamed = definition._replace(name="", flags=0)
    kind = next(
        known_kind for known_kind in KINDS.values() if known_kind.definition._replace(name="", flags=0) == unnamed
    )
    good = kind.values.map(lambda value: b"\0\0" + encode_value(value, definition, order))
    return st.one_of(good, st.just(b"\xff\xff\0\0"), st.binary(max_size=12), st.binary(max_size=9).map(b"\0\0".__add__))


@st.composite
def records_of_a_table(draw: st.DrawFn, trans_inds: st.SearchStrategy[int] = ANY_TRANS_IND) -> list[Record]:
    """The definition of TABLE, and rows."""
    order = draw(st.sampled_from(ByteOrder))
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=6))
    keys = draw(st.sets(st.integers(0, len(kinds) - 1), max_size=2))
    columns = tuple(
        KINDS[kind].definition._replace(name=f"C{at}", flags=KEY if at in keys else 0) for at, kind in enumerate(kinds)
    )
    records = [metadata_record(2, 1, TABLE, build_table(TableDefinition(1, 1, columns), order), order)]
    return [*records, *draw(st.lists(_row(columns, order, trans_inds), min_size=1, max_size=8))]


@st.composite
def _row(
    draw: st.DrawFn, columns: tuple[ColumnDefinition, ...], order: ByteOrder, trans_inds: st.SearchStrategy[int]
) -> Record:
    def image() -> tuple[Column, ...]:
        wanted = draw(st.lists(st.integers(0, len(columns)), unique=True, max_size=len(columns) + 1))
        return tuple(
            Column(index, draw(_raw(columns[index], order) if index < len(columns) else st.binary(max_size=5)))
            for index in sorted(wanted)
        )

    io_type = draw(st.sampled_from([INSERT, DELETE, FIELD_COMP, UPDATE, UPDATE_COMP, *_BOTH, PURGE_DATA]))
    fields: dict[str, Any] = {"io_type": io_type, "before_after": ord(draw(st.sampled_from("BA"))), "partition": _ROW}
    fields["trans_ind"] = draw(trans_inds)
    data: bytes | Images = b""
    if io_type in _BOTH:
        data = Images(image(), image(), 4)
    elif io_type != PURGE_DATA and draw(st.integers(0, 4)):
        before = fields["before_after"] == ord("B")
        data = Images(image(), None) if before else Images(None, image())
    elif io_type != PURGE_DATA:
        data = draw(st.binary(max_size=60))
        fields["partition"] = draw(st.sampled_from([_ROW, NAME_IS_INDEX]))
    if isinstance(data, Images) and io_type == UPDATE_COMP:
        data = b"\0\1"
    return make_record(header(1, order, **fields), data, order=order)
