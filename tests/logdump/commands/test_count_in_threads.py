"""COUNT by kernels in threads prints to the byte what COUNT prints that goes over the records one by one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest

from logdump.features.count import survey as count_command
from logdump.session.events import Notice
from tests.logdump.line import Line
from tests.oracles.count_by_record import CountByRecord
from tests.searching import in_turn
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import TrailFile
from trailformat.scan import (
    KernelTotals,
    Workers,
    counting,
    parallel,
    parallel_counts,
)

FORMS = [
    "count",
    "count detail",
    "count detail, interval 1",
    "count start 2024-03-14 09:31:00, end 2024-03-14 09:32:30, detail",
    "count detail, file *.sales",
    "filter include filename *.sales; count detail",
    'filter include string "G"; count detail',
    "filter include value tea_code = SEN01; count detail",
    "filter include rectype 5; filter exclude transind 1; count, interval 2",
    'filter include usertoken /a/; count; filter csn = "41882351"; count',
    "transhist 3; transreclimit 1; count detail",
]


def said(text: str) -> list[str]:
    line = Line()
    try:
        return line(f"notify 3; scanscrolling off; {text}")
    finally:
        line.session.end()


def said_by_record(text: str) -> list[str]:
    with mock.patch("logdump.features.count.command.CountRun", CountByRecord):
        return said(text)


THREADS_AND_ROWS = [(1, 1 << 15), (3, 1 << 15), (3, 4)]


@pytest.fixture(params=THREADS_AND_ROWS, ids=str)
def in_threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    threads, rows = request.param
    monkeypatch.setattr(parallel, "PIECE", 700)
    monkeypatch.setattr(counting, "ROWS", rows)
    monkeypatch.setattr("logdump.features.count.command.Workers", lambda: Workers(threads))


EACH_FORM = pytest.mark.parametrize(
    ("in_threads", "form"), in_turn(THREADS_AND_ROWS, FORMS), ids=str, indirect=["in_threads"]
)


@EACH_FORM
@pytest.mark.usefixtures("in_threads")
def test_one_file(form: str, trails: Path) -> None:
    for name in ("et000000000", "el000000000", "gt000000000", "ct000000000"):
        expected = said_by_record(f"open {trails / name}; {form}")
        assert said(f"open {trails / name}; {form}") == expected


@EACH_FORM
@pytest.mark.usefixtures("in_threads")
def test_all_files_of_a_folder(form: str, trails: Path) -> None:
    form = form.replace("count", f"count log {trails}/*,")
    expected = said_by_record(form)
    assert said(form) == expected


def interrupted(trail: TrailFile, workers: Workers, taken: Any, _breakdown: Any) -> Any:
    def results() -> Iterator[tuple[KernelTotals, int]]:
        yield next(iter(parallel_counts(trail, workers, taken).results()))
        raise KeyboardInterrupt

    return SimpleNamespace(results=results)


def test_an_interrupt_gives_the_count_so_far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counting, "ROWS", 3)
    monkeypatch.setattr(count_command, "parallel_counts", interrupted)
    trail_of(tmp_path, table_record(1, "A"), *[row(name=1)] * 9)
    line = Line()
    with pytest.raises(KeyboardInterrupt):
        line(f"count log {tmp_path}/*")
    notice = next(event for event in line.events if isinstance(event, Notice))
    assert "after 3 records: this count is partial" in notice.lines[0]


def test_a_file_that_is_cut_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(counting, "ROWS", 3)
    path = trail_of(tmp_path, table_record(1, "A"), *[row(name=1)] * 9)
    line = Line()
    read_into = TrailFile.read_into

    def cutting(trail: TrailFile, target: memoryview, rba: int, until: int | None = None) -> int:
        with path.open("r+b") as file:
            file.truncate(200)
        return read_into(trail, target, rba, until)

    monkeypatch.setattr(TrailFile, "read_into", cutting)
    line(f"count {path}")
    assert "the file was cut" in "".join("".join(one.lines) for one in line.failures)
