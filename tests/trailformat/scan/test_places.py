"""Where the parts of a record are: kernels and numpy find them in many records where the framing of one finds them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.kernels import WAYS, Kernels, run
from tests.laws.imports import modules
from tests.searching import Random, examples, some_trails
from tests.trailformat.samples import BOTH, trail_of
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, NotATrail, TrailFile
from trailformat.codec.tokens import LOGCSN, TRANID, walk_tokens
from trailformat.records.framing import frame_at, header_at, is_sound
from trailformat.scan import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, scan
from trailformat.scan.row_tokens import csn_and_xid_of, rows_with_token
from trailformat.scan.rows.definitions import header_positions

KERNELS = ("frames", "tokens")
"""Modules of kernels that walk over tokens."""


class Places(NamedTuple):
    """Length of a record, offset of the payload of ``H``, offset and size of those of ``D`` and ``T``."""

    length: int
    header: int
    data: tuple[int, int]
    tokens: tuple[int, int]


def _framed(data: bytes, rba: int, order: ByteOrder) -> Places:
    length, places = frame_at(data, rba, len(data), order)
    found = {token: (at, size) for token, _, at, size in reversed(places[1:])}
    assert header_at(data, rba) - rba == places[0][2]
    return Places(length, places[0][2], found.get(ord("D"), (0, 0)), found.get(ord("T"), (0, 0)))


def _first(data: bytes, places: tuple[int, int], order: ByteOrder, rba: int) -> dict[int, str]:
    """The first LOGCSN and TRANID in the payload of a ``T``; none where its tokens do not fill it."""
    start = rba + places[0]
    tokens, end = walk_tokens(data, start, start + places[1], order)
    if end != start + places[1] or not places[0]:
        return {}
    return {token: data[at : at + size].decode("latin-1") for token, _, at, size in reversed(tokens)}


def _check(path: Path) -> int:
    """Compare all rows of a file; returns how many records there were."""
    data, records, order = path.read_bytes(), 0, ByteOrder.BIG
    with TrailFile(path) as trail:
        for batch in scan(trail):
            view = np.frombuffer(data, np.uint8)
            rows = np.flatnonzero(np.asarray(batch.kind) == RECORD)
            headers = dict(
                zip(rows.tolist(), header_positions(view, np.asarray(batch.rba)[rows]).tolist(), strict=True)
            )
            rows = np.arange(len(batch))
            csns, xids = csn_and_xid_of(batch, rows, np.ones(len(batch), bool), trail.buffer)
            is_told = rows_with_token(batch, trail.buffer, TRANID)
            for row, kind in enumerate(map(int, batch.kind)):
                rba, length = int(batch.rba[row]), int(batch.length[row])
                order = (ByteOrder.BIG, ByteOrder.LITTLE)[int(batch.order[row])]
                if kind in (BAD_SPAN, PARTIAL):
                    inside = range(rba, min(rba + length, rba + 300))
                    assert not any(is_sound(data, at, len(data), byte_order) for at in inside for byte_order in BOTH)
                elif kind == FILE_HEADER:
                    assert length == frame_at(data, rba, len(data), order)[0]
                else:
                    records += 1
                    of_batch = (
                        (int(batch.data_offset[row]), int(batch.data_size[row])),
                        (int(batch.token_offset[row]), int(batch.token_size[row])),
                    )
                    expected = _framed(data, rba, order)
                    assert Places(length, headers[row] - rba, *of_batch) == expected
                    told = _first(data, expected.tokens, order, rba)
                    assert bool(is_told[row]) == (TRANID in told)
                    for token, column in ((LOGCSN, csns), (TRANID, xids)):
                        assert (column[row] is None) == (token not in told)
    return records


@pytest.mark.parametrize("way", WAYS)
def test_places_in_fixtures(way: Kernels) -> None:
    with run(way):
        assert sum(_check(TRAILS / name) for name in some_trails(names(), __name__))


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("way", WAYS)
def test_places_in_damaged_records(tmp_path: Path, way: Kernels, order: ByteOrder) -> None:
    chance = Random(f"{order.value} {way.value}")
    shapes = [shape for shape in everything(order) if len(shape) < 60_000]
    records = 0
    with run(way):
        for _ in range(examples(30, short=8)):
            data = bytearray(b"".join(chance.choices(shapes, k=12)))
            for _ in range(chance.choice([0, 1, 3, 20, 60])):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            try:
                records += _check(trail_of(tmp_path, bytes(data)))
            except NotATrail:
                continue
    assert records


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_have_no_numbers_of_the_format_of_their_own(name: str) -> None:
    """What they add to a place is named in ``native.constants``, which takes it from the readers of one record."""
    tree = ast.parse(modules()[f"trailformat.native.scan.{name}"].read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            sides = [side.value for side in (node.left, node.right) if isinstance(side, ast.Constant)]
            assert not sides or set(sides) <= {0, 1, -2}, ast.unparse(node)
        if isinstance(node, ast.Compare | ast.IfExp):
            numbers = [side.value for side in ast.iter_child_nodes(node) if isinstance(side, ast.Constant)]
            assert all(number in (-1, 0, 1) for number in numbers), ast.unparse(node)
