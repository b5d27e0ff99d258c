from __future__ import annotations

import pytest
from hypothesis import given

from tests.trailformat.samples import BOTH
from tests.trailformat.strategies import ORDERS, U32
from trailformat import ByteOrder, CannotWrite


@given(ORDERS, U32)
def test_decode_is_the_inverse_of_encode(order: ByteOrder, value: int) -> None:
    assert order.decode(order.encode(value, 4)) == value


def test_big_writes_the_high_byte_first() -> None:
    assert ByteOrder.BIG.encode(0x0102, 2) == b"\1\2"


def test_little_writes_the_low_byte_first() -> None:
    assert ByteOrder.LITTLE.encode(0x0102, 2) == b"\2\1"


@pytest.mark.parametrize("order", BOTH)
def test_each_order_is_the_other_of_its_other(order: ByteOrder) -> None:
    assert order.other is not order
    assert order.other.other is order


@pytest.mark.parametrize("value", [-1, 0x10000])
def test_a_number_that_does_not_fit_cannot_be_written(value: int) -> None:
    with pytest.raises(CannotWrite) as caught:
        ByteOrder.BIG.encode(value, 2)
    assert caught.value.expected == "2 bytes"
    assert caught.value.found == str(value)
