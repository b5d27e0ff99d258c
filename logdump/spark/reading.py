"""Slices to Arrow batches: what a task does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from logdump.spark.options import Options
from logdump.spark.planning import Slice
from logdump.spark.schema import Selected


class Request(NamedTuple):
    """What is asked for: the columns in their order, and the options."""

    selected: tuple[Selected, ...]
    options: Options


def read(slices: Sequence[Slice], request: Request) -> Iterator[Any]:
    """The records of the slices, as ``pyarrow.RecordBatch``.

    Raises:
        SourceError: damage under FAILFAST, a file that changed, a value too large, pieces that do not fit together.
    """
    raise NotImplementedError
