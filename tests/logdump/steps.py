"""Counting what a command does: lines of Python that run, in all threads; no clock."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Steps:
    """The steps counted so far, in ``number``."""

    def __init__(self) -> None:
        self.number = 0

    def trace(self, _frame: FrameType, event: str, _argument: Any) -> Any:
        """Take a line in that is about to run."""
        if event == "line":
            self.number += 1
        return self.trace


@contextmanager
def counted() -> Iterator[Steps]:
    """Count the steps of what runs inside."""
    steps, former = Steps(), sys.gettrace()
    threading.settrace(steps.trace)
    sys.settrace(steps.trace)
    try:
        yield steps
    finally:
        sys.settrace(former)
        threading.settrace(former)
