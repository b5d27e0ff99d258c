"""The messages of a block of rows, in the order of the trail: for EXPORT, and for the tasks of Spark."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.arrow_rows import all_problems, text_batch_of
from logdump.arrow.tables.changes import Changed, TableChanges
from logdump.arrow.tables.group import Array, Group
from logdump.arrow.tables.layout import PROBLEMS, RowProblem, TableLayout
from logdump.arrow.tables.row_lobs import LobValue, RowLobs, with_lobs
from logdump.arrow.tables.update_halves import BeforeImages, UpdateHalves
from trailformat import ColumnDefinition, TrailFile
from trailformat.arrays import ValueSpelling, array_type
from trailformat.arrays.array_types import BINARY

Lobs = tuple[list[LobValue], list[tuple[int, RowProblem]]]


class MessageRows(NamedTuple):
    """The rows of a group, the values of their LOBs, and their before images in other records, if there are some."""

    group: Group
    lobs: Lobs
    before: BeforeImages | None

    @staticmethod
    def of(group: Group, lobs: RowLobs, halves: UpdateHalves) -> MessageRows:
        """Read what messages need of other records."""
        return MessageRows(group, lobs.of(group), halves.of(group))


class Message(NamedTuple):
    """One message.

    Attributes:
        sequence: its place in the trail, as text that sorts.
        key: its key for a topic; None if the row has none.
        value: the message as one line of JSON, without a line break; None for a tombstone.
        table: name of the table.
        rba: place of the record of the change.
        csn, xid: of its transaction; None if unknown.
        time: IO Time in microseconds since 1970, UTC; None if unknown.
    """

    sequence: str
    key: str | None
    value: str | None
    table: str
    rba: int
    csn: str | None
    xid: str | None
    time: int | None


class Messages(NamedTuple):
    """The messages of a block.

    Attributes:
        messages: in the order of the trail.
        records: number of records that became messages.
        left_out: number of records that did not, by IOType.
        problems: undecodable values: RBA, column, reason.
        truncates: RBAs of truncates; ``left_out`` counts them too if the form leaves them out.
    """

    messages: list[Message]
    records: int
    left_out: Counter[int]
    problems: list[tuple[int, str, str]]
    truncates: list[int]


class Scene(NamedTuple):
    """Where changes come from.

    Attributes:
        seqno: sequence number of the file in its trail; None if its name has none.
        database, extract, release: names of the source database and the Extract, and GoldenGate's release, from the
            file header; None if it lacks them.
        file_order: number of the file in its trail where its name has none.
    """

    seqno: int | None
    database: str | None = None
    extract: str | None = None
    release: str | None = None
    file_order: int = 0

    @staticmethod
    def of(trail: TrailFile, seqno: int | None, file_order: int = 0) -> Scene:
        """Return the scene of a file."""
        header = trail.file_header
        if header is None:
            return Scene(seqno, file_order=file_order)
        database, extract, release = (header.get(*path) for path in _NAMES)
        version = str(release or "").removeprefix("Version ").split()
        return Scene(seqno, _name(database), _name(extract), version[0] if version else None, file_order)


_NAMES = (("DatabaseInfo", "Name"), ("ProducerInfo", "Name"), ("ProducerInfo", "VerString"))
"""Fields of the file header."""


def _name(text: object) -> str | None:
    return str(text) if text else None


class MessageForm(Protocol):
    """A form of messages.

    Attributes:
        is_split: True if an update of the key is a delete and an insert.
        has_truncates: True if truncates are messages.
        needs_definition: True if a row without a definition is no message.
    """

    is_split: bool
    has_truncates: bool
    needs_definition: bool

    def spelling(self, definition: ColumnDefinition) -> ValueSpelling:
        """Return the spelling of the values of a column."""

    def messages(
        self, layout: TableLayout, changed: Changed, places: Array, scene: Scene
    ) -> Iterator[tuple[str | None, str]]:
        """Yield the key and the value of the message of each change of a table.

        ``places`` has the place in the block of the record of each change.
        """


def messages_of(block: list[MessageRows], form: MessageForm, scene: Scene, *, tombstones: bool = False) -> Messages:
    """Return the messages of the changes of some tables.

    Args:
        block: the rows of the tables, of one stretch of the trail.
        form: the form of the messages.
        scene: where they come from.
        tombstones: True to put a message without a value after each delete.
    """
    made: list[Message] = []
    problems: list[tuple[int, str, str]] = []
    left_out, records, truncates = Counter[int](), 0, list[int]()
    begin = min((int(rows.group.rows.rows[0]) for rows in block if len(rows.group.rows)), default=0)
    for rows in block:
        changed, undecoded = _changed(rows, form, scene)
        problems += undecoded
        layout, records_of = rows.group.layout, rows.group.rows
        ops = changed.fixed["_op"].to_pylist()
        is_truncate = np.array([op == "truncate" for op in ops], bool)
        is_out = is_truncate & (not form.has_truncates)
        truncates += records_of.of("rba")[changed.rows[is_truncate]].tolist()
        if form.needs_definition and layout.columns is None:
            is_out |= ~is_truncate
        is_message = np.isin(np.arange(len(records_of)), changed.rows[~is_out])
        left_out.update(records_of.of("io_type")[~is_message].tolist())
        records += int(is_message.sum())
        places = records_of.rows[changed.rows] - begin
        times = changed.fixed["_time"].cast(pa.int64()).to_pylist()
        about = zip(*(changed.fixed[name].to_pylist() for name in ("_rba", "_csn", "_xid")), times, strict=True)
        sequences = changed.fixed["_sequence"].to_pylist()
        messages = form.messages(layout, changed, places, scene)
        for sequence, own, op, is_left, (key, value) in zip(
            sequences, about, ops, is_out.tolist(), messages, strict=True
        ):
            if is_left:
                continue
            made.append(Message(sequence, key, value, layout.name, *own))
            if tombstones and op == "delete" and key is not None:
                made.append(Message(f"{sequence}.t", key, None, layout.name, *own))
    made.sort(key=itemgetter(0))
    problems.sort(key=itemgetter(0))
    return Messages(made, records, left_out, problems, truncates)


def row_count(block: list[MessageRows]) -> int:
    """Return the number of records of the trail from the first row of a block to its last one."""
    numbers = [int(rows.group.rows.rows[end]) for rows in block if len(rows.group.rows) for end in (0, -1)]
    return max(numbers) - min(numbers) + 1 if numbers else 0


def _changed(rows: MessageRows, form: MessageForm, scene: Scene) -> tuple[Changed, list[tuple[int, str, str]]]:
    """Return the changes of a group with their values as text, and its undecodable values."""
    group, lobs, before = rows
    batch, problems = text_batch_of(group, form.spelling)
    batch, lost = with_lobs(group, batch, [_as_text(group.layout, lob) for lob in lobs[0]], lobs[1])
    batch = batch.set_column(batch.schema.get_field_index(PROBLEMS), PROBLEMS, all_problems(batch, lost))
    rbas, layout = group.rows.of("rba"), group.layout
    problems += [(int(rbas[row]), problem.column or "", problem.reason) for row, problem in lost]
    halves = before.source if before else None
    others = [text_batch_of(other, form.spelling)[0] for other in before.others] if before else []
    age = scene.file_order if scene.seqno is None else scene.seqno
    maker = TableChanges(layout.name, layout.column_names, layout.keys, age, is_split=form.is_split, is_whole=True)
    return maker.of_rows(group, batch, halves, others), problems


def _as_text(layout: TableLayout, lob: LobValue) -> LobValue:
    """Return a LOB with its bytes as hex, as the other values of its column are."""
    is_binary = array_type((layout.columns or ())[lob.column], layout.codec).type == BINARY
    return lob._replace(value=lob.value.hex()) if is_binary and isinstance(lob.value, bytes) else lob


class ColumnTokens(NamedTuple):
    """The values of a column in each change as JSON; None for NULL, undecodable values and those not in the image."""

    opening: str
    values: list[str | None]


def column_tokens(name: str, texts: pa.Array, make: Callable[[str], str], *, is_ascii: bool) -> ColumnTokens:
    """Return the values of a column; ``make`` returns the JSON of a text, ``is_ascii`` is of the column's name."""
    kept = lru_cache(1 << 12)(make)
    values = [None if text is None else kept(text) for text in texts.to_pylist()]
    return ColumnTokens(f"{json.dumps(name, ensure_ascii=is_ascii)}:", values)


def row_object(columns: Sequence[ColumnTokens], row: int, absent: Container[int] = (), mark: str | None = None) -> str:
    """Return the columns of a change as an object; the columns ``absent`` are ``mark``, or left out if it is None."""
    members = []
    for number, (opening, values) in enumerate(columns):
        if number not in absent:
            members.append(f"{opening}{'null' if values[row] is None else values[row]}")
        elif mark is not None:
            members.append(opening + mark)
    return "{" + ",".join(members) + "}"


def is_finite(text: str) -> bool:
    """Return True if JSON has a floating-point number of this text."""
    return math.isfinite(float(text))
