"""Counting what a command does, in all threads: lines of Python that run, and items that builtins go through."""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import length_hint
from types import CodeType, FrameType
from typing import Any
from unittest.mock import patch

from tests.conftest import BUILD
from trailformat.codec import layout

_LOOPS = (all, any, max, min, sorted, sum)
"""Builtins that go through what they are given in one line; of an iterator of Python the lines are counted anyway."""


class _Function:
    """The steps of one function: ``count`` is its local trace function."""

    def __init__(self, code: CodeType) -> None:
        self.name = f"{code.co_filename}:{code.co_qualname}"
        self.number = 0
        self._code = code  # it keeps its id

        def count(_frame: FrameType, _event: str, _argument: Any) -> Any:
            self.number += 1
            return count

        self.count = count


class Steps:
    """The steps counted so far."""

    def __init__(self) -> None:
        self._functions: dict[int, _Function] = {}

    @property
    def of_functions(self) -> dict[str, int]:
        """The steps of each function, by file and name."""
        numbers: dict[str, int] = {}
        for function in self._functions.values():
            numbers[function.name] = numbers.get(function.name, 0) + function.number
        return numbers

    def _function(self, frame: FrameType) -> _Function:
        # by id, since the hash of a code object goes over its bytes
        function = self._functions.get(id(frame.f_code))
        if function is None:
            function = self._functions[id(frame.f_code)] = _Function(frame.f_code)
        return function

    def trace(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        """A function is called: count its lines."""
        return self._function(frame).count

    def loop(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """A builtin that adds the length of its first argument to the steps of its caller."""

        def call(*arguments: Any, **more: Any) -> Any:
            self._function(sys._getframe(1)).number += length_hint(arguments[0], 0)
            return real(*arguments, **more)

        return call


@contextmanager
def counted() -> Iterator[Steps]:
    """Count the steps of what runs inside, where nothing is built already."""
    steps, former = Steps(), sys.gettrace()
    with (
        patch.object(layout, "build", BUILD),
        patch.dict(vars(builtins), {real.__name__: steps.loop(real) for real in _LOOPS}),
    ):
        threading.settrace(steps.trace)
        sys.settrace(steps.trace)
        try:
            yield steps
        finally:
            sys.settrace(former)
            threading.settrace(former)
