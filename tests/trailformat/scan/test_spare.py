"""What one scan leaves to the next."""

from __future__ import annotations

from trailformat.scan.kernel_run import Spare


def test_a_buffer_is_used_again() -> None:
    spare = Spare(bytearray)
    first = spare.take(8)
    spare.give(8, first)
    assert spare.take(8) is first
    assert spare.take(8) is not first


def test_a_buffer_of_another_size_is_not() -> None:
    spare = Spare(bytearray)
    spare.give(8, bytearray(8))
    assert len(spare.take(16)) == 16


def test_few_buffers_are_kept() -> None:
    spare = Spare(bytearray)
    given = [bytearray(8) for _ in range(9)]
    for one in given:
        spare.give(8, one)
    taken = [spare.take(8) for _ in given]
    assert sum(any(one is other for other in given) for one in taken) == 4
