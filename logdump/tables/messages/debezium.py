"""Changes as consumers of Debezium's events expect them: an update of the key is a delete and an insert.

    before, after, source, transaction, op, ts_ms, ts_us, ts_ns

``after`` is the whole row as far as the trail has it; it has UNAVAILABLE for each value that the trail lacks, and
``absent`` of ``source`` names these columns. In ``before`` they are null, as Debezium has them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from logdump.arrow.records.columns.header import name_parts
from logdump.arrow.tables.changes import BEFORE, Changed
from logdump.arrow.tables.group import Array
from logdump.arrow.tables.layout import TableLayout
from logdump.display.json_shape import EXACT, encoded
from logdump.tables.messages.blocks import ColumnTokens, Scene, column_tokens, is_finite, row_object
from trailformat import ColumnDefinition
from trailformat.arrays import ValueSpelling
from trailformat.arrays.text_arrays import PLAIN_TEXT
from trailformat.values import Family, data_type_of

UNAVAILABLE = "__debezium_unavailable_value"
"""The text that Debezium writes, unless another is configured, in place of a value that it does not have."""
CONNECTOR = "logdump"
_MARK = json.dumps(UNAVAILABLE)
_OF_CHANGE = {
    "file": "_file",
    "pos": "_rba",
    "scn": "_csn",
    "commit_scn": "_csn",
    "txId": "_xid",
    "sequence": "_sequence",
    "absent": "_absent",
    "problems": "_problems",
}
"""Members of ``source``, and the columns of changes that fill them."""


class _Operation(NamedTuple):
    """The form of a kind of change: its letter, and the image that its columns are; None for no image."""

    letter: str
    image: str | None


_OPERATIONS = {
    "insert": _Operation("c", "after"),
    "upsert": _Operation("c", "after"),
    "update": _Operation("u", "after"),
    "delete": _Operation("d", "before"),
    "truncate": _Operation("t", None),
}


class DebeziumForm:
    """The form of Debezium's events.

    Args:
        has_truncates: True if truncates are messages, which Debezium leaves out unless it is configured.
    """

    is_split = True
    needs_definition = False

    def __init__(self, *, has_truncates: bool) -> None:
        self.has_truncates = has_truncates

    def spelling(self, definition: ColumnDefinition) -> ValueSpelling:  # noqa: ARG002 - other forms look at it
        """Return the spelling of values: their text."""
        return PLAIN_TEXT

    def messages(
        self,
        layout: TableLayout,
        changed: Changed,
        places: Array,  # noqa: ARG002 - other forms count
        scene: Scene,
    ) -> Iterator[tuple[str | None, str]]:
        """Yield the key and the value of the message of each change of a table."""
        before = changed.fixed[BEFORE]
        own, old = (_tokens(layout, arrays) for arrays in ([*changed.own.values()], before.flatten()))
        has_old = before.is_valid().to_pylist()
        absent = _absent(layout, changed)
        known = {column: changed.fixed[column].to_pylist() for column in {"_op", *_OF_CHANGE.values()}}
        micros = changed.fixed["_time"].cast(pa.int64()).to_pylist()
        fixed = _fixed(layout, scene)
        for row, (op, time) in enumerate(zip(known["_op"], micros, strict=True)):
            letter, image = _OPERATIONS.get(op, _Operation("", None))
            images = {"before": row_object(old, row) if op == "update" and has_old[row] else "null", "after": "null"}
            if image is not None and layout.columns is not None:
                is_after = image == "after"
                images[image] = row_object(own, row, absent[row], _MARK if is_after else "null")
            source = encoded(fixed | {member: known[column][row] for member, column in _OF_CHANGE.items()})
            yield (
                _key(layout, own, row, absent[row]),
                (
                    f'{{"before":{images["before"]},"after":{images["after"]},"source":{source[:-1]},{_times(time)}}},'
                    f'"transaction":null,"op":{json.dumps(letter or None)},{_times(time)}}}'
                ),
            )


def _fixed(layout: TableLayout, scene: Scene) -> dict[str, Any]:
    """Return the members of ``source`` that all changes of a table share."""
    _, catalog, schema, name = name_parts(layout.name)
    return {
        "version": scene.release,
        "connector": CONNECTOR,
        "name": scene.extract,
        "snapshot": "false",
        "db": catalog or scene.database,
        "schema": schema or "",
        "table": name or "",
    }


def _times(micros: int | None) -> str:
    """Return a time in milliseconds, microseconds and nanoseconds as members."""
    times = ["null"] * 3 if micros is None else [str(micros // 1000), str(micros), str(micros * 1000)]
    return ",".join(f'"ts_{unit}":{time}' for unit, time in zip(("ms", "us", "ns"), times, strict=True))


def _absent(layout: TableLayout, changed: Changed) -> list[set[int]]:
    """Return the numbers of the columns of each change that the trail lacks."""
    numbers = {name: number for number, name in enumerate(layout.column_names)}
    return [{numbers[name] for name in names or ()} for names in changed.fixed["_absent"].to_pylist()]


def _tokens(layout: TableLayout, arrays: list[pa.Array]) -> list[ColumnTokens]:
    definitions = zip(layout.column_names, layout.columns or (), arrays, strict=True)
    return [
        column_tokens(name, array, _MAKERS.get(data_type_of(definition).family, json.dumps), is_ascii=True)
        for name, definition, array in definitions
    ]


def _key(layout: TableLayout, columns: list[ColumnTokens], row: int, absent: set[int]) -> str | None:
    """Return the key of a change as an object; None if the table has none, or part of it is not known."""
    keys = [number for number, column in enumerate(layout.columns or ()) if column.is_key]
    if not keys or any(number in absent or columns[number].values[row] is None for number in keys):
        return None
    return row_object([columns[number] for number in keys], row)


def _integer(text: str) -> str:
    """Return an integer as a number if every reader of JSON keeps it; other numbers as text."""
    return text if text.lstrip("-").isdigit() and -EXACT <= int(text) <= EXACT else json.dumps(text)


def _real(text: str) -> str:
    return text if is_finite(text) else json.dumps(text)


_MAKERS = {Family.INTEGER: _integer, Family.REAL: _real}
"""How values become JSON by their kind; text unless it is here."""
