"""A question that is put in two parts, or that Ctrl+C interrupts, has the same answer in the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import count, islice, product
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logdump.commands import REGISTRY
from logdump.display import json_lines, text
from logdump.features.count.model import CountShown
from logdump.language.execute import run_line
from logdump.session.events import Event, Notice, Progress
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from tests.logdump.line import Line
from tests.logdump.questions.asker import opened, placed
from tests.logdump.questions.conftest import WAYS
from tests.logdump.questions.drawn import Drawn, drawn
from tests.logdump.questions.question import answer
from tests.logdump.questions.records import RBAs, printed
from tests.logdump.writers import WRITERS, Rows, Writer, added_up, rows_of
from tests.searching import examples, in_turn, stride
from trailformat import Record, TrailFile


def _of_json(lines: Sequence[str]) -> RBAs:
    return [item["rba"] for item in map(json.loads, lines) if item["type"] in ("record", "file_header")]


class Form(NamedTuple):
    """How records are printed, and which records are in what is printed."""

    render: Callable[[Event, Settings], Sequence[str]]
    rbas: Callable[[Sequence[str]], RBAs]


FORMS = {"text": Form(text.render, printed), "jsonl": Form(json_lines.render, _of_json)}
slow = settings(
    max_examples=examples(3), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def _running(line: Line, command: str) -> Generator[Event, None, None]:
    return run_line(line.session, REGISTRY, command)


def _shown(line: Line, form: Form, until: int | None = None) -> RBAs:
    """What NEXT prints, up to so many records: then comes Ctrl+C."""
    events, lines = _running(line, "n 99999"), list[str]()
    if until == 0:
        return []
    for event in events:
        lines += form.render(event, line.session.settings)
        if len(form.rbas(lines)) == until:
            with pytest.raises(KeyboardInterrupt):
                events.throw(KeyboardInterrupt)
            break
    return form.rbas(lines)


def _expected(drawn: Drawn) -> RBAs:
    whole = drawn.question._replace(limit=None)
    return [record.rba for record in answer(drawn.records, whole, drawn.filter.passes)]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(("engine", "form"), in_turn(WAYS, FORMS), indirect=["engine"])
@slow
@given(drawn=drawn(), until=st.integers(0, 12))
def test_next_goes_on_behind_the_record_that_was_printed_last(
    form: str, drawn: Drawn, until: int, tmp_path: Path
) -> None:
    line = placed(drawn.write(tmp_path), drawn.question)
    assert _shown(line, FORMS[form], until) + _shown(line, FORMS[form]) == _expected(drawn)


SWITCHES = ["filter off", "filter value price > 3; filter exclude rectype 3", "values on"]
PLACES = ["pos 0", "pos eof; pos reverse"]


@contextmanager
def _interrupted_at(call: int) -> Iterator[None]:
    """Ctrl+C comes when the program looks at its records for this time."""
    calls = count()

    def interrupted(original: Callable[..., object]) -> Callable[..., object]:
        def looking(*arguments: object) -> object:
            if next(calls) == call:
                raise KeyboardInterrupt
            return original(*arguments)

        return looking

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Record, "header", property(interrupted(Record.header.func)))
        patch.setattr(TrailFile, "record_at", interrupted(TrailFile.record_at))
        yield


def _told(line: Line, call: int) -> tuple[RBAs, bool]:
    """What NEXT shows up to Ctrl+C, and whether that came before the end."""
    told, is_interrupted = list[Event](), False
    with _interrupted_at(call):
        try:
            told += _running(line, "n 99999")
        except KeyboardInterrupt:
            is_interrupted = True
    return [event.record.rba for event in told if isinstance(event, KnownRecord)], is_interrupted


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(("engine", "where"), in_turn(WAYS, [*product(SWITCHES, PLACES)]), indirect=["engine"])
def test_next_loses_no_record_whenever_it_is_interrupted(where: tuple[str, str], shop: Line) -> None:
    switches, place = where
    shop(f"{switches}; {place}; n 99")
    expected = shop.rbas
    for call in count(step=stride(5)):
        shop(place)
        found, is_interrupted = _told(shop, call)
        shop("n 99")
        assert found + shop.rbas == expected
        if not is_interrupted:
            break
    assert call > len(expected) - 5


_TOLD_AGAIN = "it is open at the end of the trail"
"""Of a transaction that every run leaves to the next one."""


def _in_order(writer: Writer, *targets: Path) -> Rows:
    """The rows of several runs as one run has them: of BY TABLE file by file, undone the last run first."""
    runs = [[row for row in rows_of(writer, path) if _TOLD_AGAIN not in str(row[1])] for path in targets]
    rows = [row for run in (runs[::-1] if "undo" in writer.command else runs) for row in run]
    return added_up(sorted(rows, key=lambda row: row[0]) if "by table" in writer.command else rows)


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(("engine", "name"), in_turn(WAYS, WRITERS), indirect=["engine"])
@settings(parent=slow, max_examples=examples(2))
@given(drawn=drawn().filter(lambda case: not case.question.is_backwards), first=st.integers(1, 6))
def test_two_runs_write_what_one_run_writes(name: str, drawn: Drawn, first: int, tmp_path: Path) -> None:
    if name == "save" and drawn.question.is_cut:
        return
    writer, path = WRITERS[name], drawn.write(tmp_path)
    line, targets = placed(path, drawn.question), [path.parent / f"{kind}000000000" for kind in ("aa", "bb", "cc")]
    line(f"{writer.to(targets[0], '!')} {first} {writer.amount}")
    line(writer.to(targets[1], "!"))
    placed(path, drawn.question)(writer.to(targets[2], "!"))
    assert _in_order(writer, *targets[:2]) == _in_order(writer, targets[2])


@pytest.mark.usefixtures("engine")
@slow
@given(drawn=drawn(), until=st.integers(1, 12))
def test_count_that_is_interrupted_counts_the_first_records(drawn: Drawn, until: int, tmp_path: Path) -> None:
    """As many as it says; they are those in front."""
    line = opened(drawn.write(tmp_path), drawn.question)
    line("notify 1")
    events = _running(line, "count")
    reports = (event for event in events if isinstance(event, Progress))
    assert len(list(islice(reports, min(until, len(drawn.records))))) > 0
    told = [events.throw(KeyboardInterrupt)]
    with pytest.raises(KeyboardInterrupt):
        told += events
    counted = next(event.counted for event in told if isinstance(event, CountShown))
    notice = next(
        event_line
        for event in told
        if isinstance(event, Notice)
        for event_line in event.lines
        if "partial" in event_line
    )
    number = int(notice.split(", after ")[1].split()[0])
    assert until <= number or number == len(drawn.records)
    about = [record for record in drawn.records[:number] if drawn.filter.passes(record)]
    assert (counted.total.records, counted.total.data_bytes) == (len(about), sum(len(record.data) for record in about))
