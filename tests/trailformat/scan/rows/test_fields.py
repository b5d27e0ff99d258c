"""Many records taken apart at once come to the same parts as one after the other.

Fields of the headers of many records are those that each record has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import (
    Random,
    examples,
    some_trails,
)
from tests.trailformat.samples import BOTH, header, trail_of
from trailformat import ByteOrder, TrailError, TrailFile, make_column, make_record, make_token
from trailformat.codec.tokens import MOST_PARTS, build_tokens, parse_tokens
from trailformat.records.columns import build_columns, parse_columns
from trailformat.scan import scan
from trailformat.scan.rows import NO_INDEX, RowBytes, headers_of
from trailformat.scan.rows.images import Fields, columns_in, tokens_in

np = pytest.importorskip("numpy")

pytestmark = pytest.mark.usefixtures("kernels")


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_headers_of_a_file(name: str) -> None:
    _check(TRAILS / name)


def _check(path: Path) -> None:
    with TrailFile(path) as trail:
        for batch in scan(trail):
            rows = RowBytes(trail.buffer, batch, np.arange(len(batch)))
            found = headers_of(rows)
            for row in np.flatnonzero(rows.is_record).tolist():
                record = rows.record(row)
                index = NO_INDEX if record.table_index is None else record.table_index
                assert (found.table_index[row], found.is_continued[row]) == (index, record.header.continued != 0)
            others = ~rows.is_record
            assert (found.table_index[others] == NO_INDEX).all()
            assert not found.is_continued[others].any()


@pytest.mark.parametrize("order", BOTH)
def test_a_header_that_ends_before_its_index_has_none(order: ByteOrder, tmp_path: Path) -> None:
    rows = [make_record(header(1, order)._replace(name_field=bytes(size)), order=order) for size in range(3)]
    _check(trail_of(tmp_path, *rows))


_Found = list[tuple[int, bytes]]


def one_by_one(regions: Sequence[tuple[bytes, ByteOrder]], parse: Callable[..., Any], pick: Any) -> list[_Found | None]:
    """What the decoder of one record says of each region; None for an error."""
    found: list[_Found | None] = []
    for data, order in regions:
        try:
            found.append([pick(part) for part in parse(data, order)])
        except TrailError:
            found.append(None)
    return found


def together(regions: Sequence[tuple[bytes, ByteOrder]], walk: Callable[..., Fields]) -> list[_Found | None]:
    gap = b"\xff\xff\xff"
    view = np.frombuffer(gap + gap.join(data for data, _ in regions) + gap, np.uint8)
    sizes = np.array([len(data) for data, _ in regions], np.int64)
    ends = np.cumsum(sizes + len(gap))
    parts = walk(view, ends - sizes, ends, np.array([order is ByteOrder.LITTLE for _, order in regions]))
    found: list[_Found | None] = []
    for region in range(len(regions)):
        places = range(int(parts.first[region]), int(parts.first[region + 1]))
        assert parts.is_sound[region] or not places
        texts = [view[parts.start[at] : parts.start[at] + parts.size[at]].tobytes() for at in places]
        numbers = [int(parts.number[at]) for at in places]
        found.append(list(zip(numbers, texts, strict=True)) if parts.is_sound[region] else None)
    return found


def damaged(data: bytes, draw: Random) -> bytes:
    """The same bytes, cut or with one of them changed, most of the time."""
    if not data or draw.random() < 0.3:
        return data
    if draw.random() < 0.5:
        return data[: draw.randrange(len(data))]
    changed = bytearray(data)
    changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(changed)


@pytest.mark.parametrize("seed", range(20))
def test_columns(seed: int) -> None:
    draw = Random(seed)
    regions = []
    for _ in range(examples(60)):
        order = draw.choice(list(ByteOrder))
        values = [draw.randbytes(draw.randrange(40)) if draw.random() < 0.9 else None for _ in range(draw.randrange(9))]
        columns = [make_column(draw.randrange(1000), value) for value in values]
        regions.append((damaged(build_columns(columns, order), draw), order))
    assert together(regions, columns_in) == one_by_one(regions, parse_columns, lambda part: (part.index, part.raw))


@pytest.mark.parametrize("seed", range(20))
def test_tokens(seed: int) -> None:
    draw = Random(seed)
    regions = []
    for _ in range(examples(60)):
        order = draw.choice(list(ByteOrder))
        tokens = [
            make_token(draw.randrange(256), draw.randbytes(draw.randrange(30)), draw.choice((0, 1, 0x40, 0xFF)))
            for _ in range(draw.randrange(6))
        ]
        regions.append((damaged(build_tokens(tokens, order), draw), order))
    assert together(regions, tokens_in) == one_by_one(regions, parse_tokens, lambda part: (part.id, part.payload))


def test_regions_without_parts() -> None:
    assert together([(b"", ByteOrder.BIG), (b"", ByteOrder.LITTLE)], tokens_in) == [[], []]


def test_regions_of_more_than_there_can_be_are_left_to_others() -> None:
    token = build_tokens([make_token("A")], ByteOrder.BIG)
    view, ends = np.frombuffer(token * (MOST_PARTS + 1), np.uint8), len(token) * np.array([MOST_PARTS, MOST_PARTS + 1])
    parts = tokens_in(view, np.zeros(2, int), ends, np.zeros(2, bool))
    assert (parts.is_sound.tolist(), parts.first.tolist()) == ([True, False], [0, MOST_PARTS, MOST_PARTS])


def test_some_regions_are_picked() -> None:
    data = [build_tokens([make_token(name, b"x")] * 2, ByteOrder.BIG) for name in "ABC"]
    view = np.frombuffer(b"".join(data), np.uint8)
    ends = np.cumsum([len(content) for content in data])
    parts = tokens_in(view, ends - len(data[0]), ends, np.zeros(3, bool)).only(np.array([True, False, True]))
    assert parts.first.tolist() == [0, 2, 2, 4]
    assert parts.region.tolist() == [0, 0, 2, 2]
    assert bytes(parts.number.tolist()) == b"AACC"
