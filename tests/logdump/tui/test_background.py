"""Jobs beside the screen."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial

import pytest

from logdump.tui.reading.background import Background


@pytest.fixture
def background() -> Iterator[Background]:
    one = Background("test")
    yield one
    one.close()


def waited(gate: threading.Event) -> None:
    gate.wait(10)


def test_of_the_jobs_that_wait_under_a_key_the_newest_is_run(background: Background) -> None:
    gate, done, ran = threading.Event(), threading.Event(), list[int]()
    background.do("gate", lambda: waited(gate))
    for number in range(3):
        background.do("page", partial(ran.append, number))
    background.do("end", done.set)
    gate.set()
    assert done.wait(10)
    assert ran == [2]


def test_it_is_idle_when_everything_is_done(background: Background) -> None:
    gate, done = threading.Event(), threading.Event()
    background.do("gate", lambda: waited(gate))
    background.do("end", done.set)
    assert not background.is_idle
    gate.set()
    assert done.wait(10)
    background.close()
    assert background.is_idle


def test_closing_drops_what_waits() -> None:
    gate, ran = threading.Event(), list[int]()
    one = Background("test")
    one.do("gate", lambda: waited(gate))
    one.do("never", lambda: ran.append(1))
    one.close(0.0)
    gate.set()
    one.close()
    assert ran == []
