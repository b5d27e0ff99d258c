"""POSITION CSN, TIME and MARK: to places that may lie in another file of the trail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from logdump.language.arguments import time_argument
from logdump.language.command import ArgumentError
from logdump.operations.sequence_search import Goal, csn_goal, find_in_sequence, time_goal
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session


def _to_csn(session: Session, text: str) -> Iterator[Event]:
    """Stand on the first record of the trail whose transaction has at least this CSN."""
    goal = csn_goal(text)
    if goal is None:
        raise ArgumentError(f"{text!r} is no CSN; write a number, 4:1095, 00000000/05002818 or the like.")
    yield from _to_goal(session, goal)


def _to_time(session: Session, text: str) -> Iterator[Event]:
    """Stand on the first row of the trail at or after a time."""
    yield from _to_goal(session, time_goal(time_argument(text, session.settings.time_offset), text))


def _to_goal(session: Session, goal: Goal) -> Iterator[Event]:
    record = find_in_sequence(session.trail, goal)
    if record is None or record.path is None:
        raise CommandError(f"No record with {goal.text} in this trail.")
    yield from stand_at(session, record.path, record.rba)


def _to_mark(session: Session, text: str) -> Iterator[Event]:
    """Stand where a mark is."""
    mark = session.marks.get(text)
    if mark is None:
        raise CommandError(f"No mark {text!r}; MARK lists them.")
    yield from stand_at(session, mark.path, mark.rba)


def stand_at(session: Session, path: Path, rba: int) -> Iterator[Event]:
    """Open the file unless it is open, and stand at an RBA of it, reading forward."""
    if not session.has_trail or path != session.trail.path:
        session.open(path)
        yield say(f"Current LogTrail is {session.trail.path}")
    session.cursor.is_backwards = False
    session.cursor.move(rba)


JUMPS: dict[str, Callable[[Session, str], Iterator[Event]]] = {"CSN": _to_csn, "TIME": _to_time, "MARK": _to_mark}
"""By the word behind POSITION."""
