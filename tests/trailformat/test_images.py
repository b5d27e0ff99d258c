from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import header
from tests.trailformat.strategies import COLUMNS, ORDERS
from trailformat import BadData, ByteOrder, CannotWrite, Images, make_column
from trailformat.records.columns import Columns, build_images, parse_images
from trailformat.records.record_header import (
    COMMENT,
    DDL_OP,
    DELETE,
    FIELD_COMP,
    INSERT,
    METADATA,
    PK_UPDATE,
    PURGE_DATA,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
    UPDATE,
)

OLD = (make_column(0, b"old"),)
NEW = (make_column(0, b"new"), make_column(1, None))
PAIRED = {PK_UPDATE: 2, UNIFIED_UPDATE: 4, UNIFIED_PK_UPDATE: 4}


@given(COLUMNS, COLUMNS, st.sampled_from(sorted(PAIRED)), ORDERS)
def test_two_images_come_back_as_they_were(before: Columns, after: Columns, io_type: int, order: ByteOrder) -> None:
    images = Images(before, after, PAIRED[io_type])
    assert parse_images(header(io_type=io_type), build_images(images, order), order) == images


@given(COLUMNS, st.sampled_from([INSERT, UPDATE, FIELD_COMP]), ORDERS)
def test_one_image_comes_back_as_it_was(columns: Columns, io_type: int, order: ByteOrder) -> None:
    images = Images(None, columns)
    assert parse_images(header(io_type=io_type), build_images(images, order), order) == images


@pytest.mark.parametrize("io_type", [DELETE, FIELD_COMP])
def test_before_after_b_makes_it_the_before_image(io_type: int) -> None:
    data = build_images(Images(OLD, None), ByteOrder.BIG)
    assert parse_images(header(io_type=io_type, before_after=ord("B")), data, ByteOrder.BIG) == Images(OLD, None)


@pytest.mark.parametrize("prefix", [2, 4])
def test_two_images_begin_with_the_length_of_the_first_in_file_order(prefix: int) -> None:
    assert build_images(Images(OLD, NEW, prefix), ByteOrder.BIG).startswith((9).to_bytes(prefix, "big"))
    assert build_images(Images(OLD, NEW, prefix), ByteOrder.LITTLE).startswith((9).to_bytes(prefix, "little"))


def test_the_key_update_of_the_mysql_transcript() -> None:
    data = bytes.fromhex("0a00 0000 0600 0000 0000 000a 0000 0600 0000 0000 0009")
    images = parse_images(header(io_type=PK_UPDATE), data, ByteOrder.LITTLE)
    assert images == Images((make_column(0, b"\0\0\0\x0a"),), (make_column(0, b"\0\0\0\x09"),), 2)


@pytest.mark.parametrize("io_type", [DDL_OP, METADATA, COMMENT, PURGE_DATA, 77])
def test_a_record_that_is_no_row_has_no_images(io_type: int) -> None:
    assert parse_images(header(io_type=io_type), b"anything", ByteOrder.BIG) is None


def test_a_full_record_image_is_not_taken_for_columns() -> None:
    assert parse_images(header(partition=0), b"SEN01 Sencha", ByteOrder.BIG) is None


def test_a_before_image_over_64_kb_cannot_be_written_with_two_bytes_of_length() -> None:
    large = (make_column(0, bytes(40_000)), make_column(1, bytes(40_000)))
    with pytest.raises(CannotWrite, match="before image cannot be written"):
        build_images(Images(large, NEW, 2), ByteOrder.BIG)


C0, C1 = "0000 0005 0000 6f6c64", "0000 0005 0000 6e6577 0001 0002 ffff"
"""OLD and NEW as they stand in a big-endian record."""
WRITTEN = {
    "none": (Images(None, None), ""),
    "after": (Images(None, NEW), C1),
    "before": (Images(OLD, None), C0),
    "two bytes of length": (Images(OLD, NEW, 2), "0009" + C0 + C1),
    "four bytes of length": (Images(OLD, NEW, 4), "00000009" + C0 + C1),
    "no before image": (Images(None, NEW, 4), "00000000" + C1),
    "no after image": (Images(OLD, None, 2), "0009" + C0),
}


@pytest.mark.parametrize(("images", "stored"), WRITTEN.values(), ids=WRITTEN)
def test_images_are_these_bytes(images: Images, stored: str) -> None:
    assert build_images(images, ByteOrder.BIG) == bytes.fromhex(stored)


PROBLEMS = {
    "one image": (INSERT, b"\0\0\0", "column at byte 0 does not fit into the 3 bytes around it"),
    **{f"{number}, no length": (number, b"", "before image cannot be decoded") for number in PAIRED},
    **{f"{number}, too long": (number, b"\x7f\xff\xff\xff\0\0", "before image cannot be decoded") for number in PAIRED},
    "a length past the end": (UNIFIED_UPDATE, b"\0\0\0\1", "before image cannot be decoded"),
    "the before image": (PK_UPDATE, b"\0\1\0", "column at byte 0 does not fit into the 1 bytes around it"),
    "the after image": (PK_UPDATE, b"\0\0\0\0", "column at byte 0 does not fit into the 2 bytes around it"),
}


@pytest.mark.parametrize(("io_type", "data", "problem"), PROBLEMS.values(), ids=PROBLEMS)
def test_what_is_wrong_with_images_is_said(io_type: int, data: bytes, problem: str) -> None:
    with pytest.raises(BadData) as caught:
        parse_images(header(io_type=io_type), data, ByteOrder.BIG)
    assert caught.value.problem == problem


def test_what_cannot_be_written_is_said() -> None:
    with pytest.raises(CannotWrite) as caught:
        build_images(Images(OLD, NEW), ByteOrder.BIG)
    problem = "a record with two images needs a length before the first; expected 2 or 4 bytes"
    assert str(caught.value) == problem
