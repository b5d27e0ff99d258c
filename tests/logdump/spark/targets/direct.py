"""``apply`` without a JVM: the micro-batches of the source, read here, are given to it as Spark would give them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import logdump.spark
from logdump.spark.source.data_source import TrailSource
from logdump.spark.stream import apply as stream
from tests.logdump.spark.targets.bank import ReadMaxBytes

Apply = Callable[..., logdump.spark.ApplyProgress]


class _Frame(NamedTuple):
    """Stands for a stream: its options, and its schema."""

    options: Mapping[str, str]
    schema: Any


class _Batch(NamedTuple):
    """Stands for a micro-batch: the reader, and two offsets."""

    reader: Any
    start: Any
    end: Any

    def tables(self) -> Iterator[pa.Table]:
        """Its rows, those of each task together."""
        for part in self.reader.partitions(self.start, self.end):
            if batches := [*self.reader.read(part)]:
                yield pa.Table.from_batches(batches)


def _changes(_spark: Any, path: Any, tables: list[str], **options: Any) -> _Frame:
    given = {**options, "path": str(path), "changesOf": ",".join(tables), "arrowBatches": False}
    given.pop("stream")
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
    return _Frame(texts, TrailSource(texts).schema())


def _stream(run: Any, frame: _Frame, _trigger: Any) -> None:
    source: Any = TrailSource(dict(frame.options))
    reader = source.streamReader(source.schema())
    reader.prepareForTriggerAvailableNow()
    offsets = Path(run._notes) / "offsets"
    offsets.mkdir()
    at, number = reader.initialOffset(), 0
    while (end := reader.latestOffset(at, ReadMaxBytes())) != at:
        (offsets / str(number)).write_text(json.dumps(end))
        run._batch(_Batch(reader, at, end), number)
        at, number = end, number + 1


STAND_INS: tuple[tuple[Any, str, Any], ...] = (
    (stream, "changes", _changes),
    (stream, "arrow_tables", _Batch.tables),
    (stream._Run, "_stream", _stream),
)
"""What stands for Spark: the owner, its attribute, and the value."""


@pytest.fixture
def apply(monkeypatch: pytest.MonkeyPatch) -> Apply:
    """``logdump.spark.apply`` of what is there, without its first argument."""
    for owner, name, stand_in in STAND_INS:
        monkeypatch.setattr(owner, name, stand_in)

    def applied(path: Any, place: Any, tables: Any = "*", **given: Any) -> logdump.spark.ApplyProgress:
        session: Any = None
        return logdump.spark.apply(session, path, place.url, tables, once=True, **given)

    return applied
