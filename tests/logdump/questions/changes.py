"""Which changes: those that REDO, UNDO and their JSON tell, each by the records that it consists of."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from logdump.session.events import StatementShown
from tests.logdump.program import logdump
from tests.logdump.questions.asker import opened
from tests.logdump.questions.question import Holds, Question
from tests.simulated.plain_reader import PlainRecord

Change = tuple[int, ...]
"""RBAs: of one record, or of the two that hold the images of an update."""
_RESTARTS = (150, 151)


def whole_transactions(records: Sequence[PlainRecord]) -> Iterator[list[PlainRecord]]:
    """The rows of each transaction that has both its ends: a restart, or the next one, drops what is open."""
    rows: list[PlainRecord] = []
    for record in records:
        if record.io_type in _RESTARTS:
            rows = []
        elif record.op:
            rows = [record] if record.trans_ind in (0, 3) else [*rows, record]
            if record.trans_ind in (2, 3):
                yield rows
                rows = []


def changes_of(records: Sequence[PlainRecord], passes: Holds) -> list[Change]:
    """The changes of whole transactions of which a record passes."""
    found: list[Change] = []
    for rows in whole_transactions(records):
        waiting: list[PlainRecord] = []
        for record in rows:
            waiting.append(record)
            is_first_half = record.op == "UPDATE" and record.after is None
            if is_first_half:
                continue
            if any(map(passes, waiting)):
                found.append(tuple(half.rba for half in waiting))
            waiting = []
    return found


def redone(path: Path, question: Question, command: str = "redo 99999") -> list[Change]:
    """What REDO tells."""
    line = opened(path, question)
    line(command)
    shown = [event.statement.change for event in line.events if isinstance(event, StatementShown)]
    return [tuple(record.rba for record in change.records) for change in shown]


def undone(path: Path, question: Question) -> list[Change]:
    """What UNDO tells, in the order in which it was done."""
    return redone(path, question, "undo 99999")[::-1]


def redone_in_json(path: Path, question: Question) -> list[int]:
    """Where the changes begin that REDO tells under --format jsonl."""
    lines = logdump(str(path), "--format", "jsonl", "-c", f"{question.settings}; redo 99999").out.splitlines()
    return [item["rba"] for item in map(json.loads, lines) if item["type"] == "statement"]
