"""EXPORT and SAVE that do not get to their end, in every form: nothing is left, and the next run has all of it."""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures import TRAILS
from logdump.features.export import batch_walk
from logdump.session import scan as session_scan
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.logdump.writers import WRITERS, Rows, Writer, added_up, rows_of
from tests.searching import IS_LONG, in_turn
from trailformat import Record, TrailFile

Failing = Callable[[Path], AbstractContextManager[None]]
"""Has what is written below a folder fail."""
SHOP = TRAILS / "et000000000"
_NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


def _raising(error: BaseException, *targets: tuple[object, str]) -> Iterator[None]:
    def fail(*_arguments: object, **_named: object) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in targets:
            patch.setattr(owner, name, fail)
        yield


@contextmanager
def _full_when_synced(_folder: Path) -> Iterator[None]:
    yield from _raising(_NO_SPACE, (os, "fsync"))


@contextmanager
def _full_when_written(_folder: Path) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (300, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def _without_a_name(_folder: Path) -> Iterator[None]:
    names = ("rename", "replace", "hardlink_to")
    yield from _raising(OSError(errno.EIO, "Input/output error"), *((Path, name) for name in names))


@contextmanager
def _interrupted_when_synced(_folder: Path) -> Iterator[None]:
    yield from _raising(KeyboardInterrupt(), (os, "fsync"))


@contextmanager
def _interrupted_while_named(_folder: Path) -> Iterator[None]:
    yield from _raising(KeyboardInterrupt(), *((Path, name) for name in ("rename", "replace", "hardlink_to")))


@contextmanager
def _interrupted_while_read(_folder: Path) -> Iterator[None]:
    """Ctrl+C when some records have been looked at, whether as records or as columns."""
    calls = iter(range(4))

    def interrupted(original: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object) -> object:
            if next(calls, None) is None:
                raise KeyboardInterrupt
            return original(*arguments)

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Record, "header", property(interrupted(Record.header.func)))
        patch.setattr(TrailFile, "record_at", interrupted(TrailFile.record_at))
        yield


FAILURES: dict[str, tuple[Failing, str]] = {
    "a disk that is full when it is written": (_full_when_written, "File too large"),
    "a disk that is full when it is synced": (_full_when_synced, "No space left on device"),
    "a name that cannot be given": (_without_a_name, "Input/output error"),
    "Ctrl+C while records are read": (_interrupted_while_read, ""),
    "Ctrl+C while files are synced": (_interrupted_when_synced, ""),
    "Ctrl+C while files get their names": (_interrupted_while_named, ""),
}
"""What fails, and what the message says; Ctrl+C comes out as it is."""


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _fail(shop: Line, writer: Writer, target: Path, failure: str, words: str = "") -> None:
    failing, message = FAILURES[failure]
    with failing(target.parent):
        if message:
            assert message in " ".join(shop(writer.to(target, words)))
            assert [event.status for event in shop.failures] == [ExitStatus.COMMAND_FAILED]
        else:
            with pytest.raises(KeyboardInterrupt):
                shop(writer.to(target, words))


@pytest.mark.parametrize(("failure", "name"), in_turn(FAILURES, WRITERS))
def test_a_failed_run_leaves_nothing_and_the_next_one_is_whole(
    failure: str, name: str, shop: Line, tmp_path: Path
) -> None:
    writer, folder, undisturbed = WRITERS[name], tmp_path / "folder", tmp_path / "undisturbed"
    target = undisturbed / "xx000000000"
    folder.mkdir()
    undisturbed.mkdir()
    shop(f"pos 1811; {writer.to(target)}")
    assert not shop.failures
    shop("pos 1811")
    _fail(shop, writer, folder / target.name, failure)
    assert _contents(folder) == {}
    assert list(folder.iterdir()) == []
    assert shop.session.cursor.next == 1811
    shop(writer.to(folder / target.name))
    assert not shop.failures
    assert [path.name for path in folder.iterdir()] == [target.name]
    assert rows_of(writer, folder / target.name) == rows_of(writer, target) != []


@pytest.mark.parametrize(("failure", "name"), in_turn(FAILURES, WRITERS))
def test_what_was_there_stays_until_a_run_is_whole(failure: str, name: str, shop: Line, tmp_path: Path) -> None:
    writer, target = WRITERS[name], tmp_path / "xx000000000"
    shop(f"filter rectype insert; {writer.to(target)}; filter off")
    former = _contents(tmp_path)
    shop("pos 1811")
    _fail(shop, writer, target, failure, "!")
    assert _contents(tmp_path) == former
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    assert shop.session.cursor.next == 1811
    shop(writer.to(target, "!"))
    assert not shop.failures
    assert _contents(tmp_path) != former
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


CUTS = [5352 + part for part in ((1, 3, 40, 100) if IS_LONG else (1, 40))]
"""Ends of the shop's trail inside its last record."""


HALVES = [(batch, cut) for batch in (1, 1 << 16) for cut in CUTS]


@pytest.mark.parametrize(("name", "half"), in_turn([name for name in WRITERS if name != "save"], HALVES))
def test_half_a_record_is_left_to_the_next_run(
    half: tuple[int, int], name: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever part of it is there: the position stays at it, and both runs have each record once."""
    writer, content, (batch, cut) = WRITERS[name], SHOP.read_bytes(), half
    most = f"! 99999 {writer.amount}"
    path, part, rest, whole = (tmp_path / f"{kind}000000000" for kind in ("aa", "bb", "cc", "dd"))
    path.write_bytes(content)
    line(f"open {path}; {writer.to(whole, most)}")
    monkeypatch.setattr(batch_walk, "_ROWS", batch)
    path.write_bytes(content[:cut])
    line(f"open {path}; {writer.to(part, most)}")
    assert line.session.cursor.next == 5352
    path.write_bytes(content)
    line(f"{writer.to(rest, most)}")
    assert not line.failures
    assert line.session.cursor.next == len(content)
    assert _one_after_the_other(writer, part, rest) == rows_of(writer, whole)


def test_save_refuses_half_a_record_and_has_it_when_it_is_whole(line: Line, tmp_path: Path) -> None:
    path, target, content = tmp_path / "aa000000000", tmp_path / "bb000000000", SHOP.read_bytes()
    line(f"open {SHOP}; pos 1811; save {target}")
    whole = rows_of(WRITERS["save"], target)
    target.unlink()
    for cut in CUTS:
        path.write_bytes(content[:cut])
        shown = line(f"open {path}; pos 1811; save {target}")
        assert any(text.startswith("Partial record found at RBA 5352") for text in shown)
        assert [failure.status for failure in line.failures] == [ExitStatus.BAD_DATA]
        assert [file.name for file in tmp_path.iterdir()] == [path.name]
        assert line.session.cursor.next == 1811
        path.write_bytes(content)
        line(f"save {target}")
        assert rows_of(WRITERS["save"], target) == whole != []
        target.unlink()


def _one_after_the_other(writer: Writer, *targets: Path) -> Rows:
    """The rows of several runs as one run has them: BY TABLE the files in order, undone the last run first."""
    runs = [rows_of(writer, target) for target in (reversed(targets) if "undo" in writer.command else targets)]
    rows = [row for run in runs for row in run]
    return sorted(rows, key=lambda row: row[0]) if "by table" in writer.command else rows


def _set_batches(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", rows)
    monkeypatch.setattr(session_scan, "_LARGEST", rows)


def _runs(shop: Line, writer: Writer, folder: Path, limit: str) -> list[Path]:
    """The targets of runs with a limit, up to the end of the trail."""
    targets: list[Path] = []
    while shop.session.cursor.next < shop.session.trail.size and len(targets) < 12:
        targets.append(folder / f"xx{len(targets) + 1:09}")
        shop(f"{writer.to(targets[-1])} {limit}")
        assert not shop.failures
    return targets


class Batches(NamedTuple):
    """Rows of a batch, a filter, and the limit of each run."""

    rows: int
    filters: str
    most: int


BATCHES = [Batches(rows, *pair) for pair in (("filter off", 4), ("filter filename *.sales", 3)) for rows in (1, 3)]


@pytest.mark.parametrize(("name", "batches"), in_turn(WRITERS, BATCHES))
def test_a_number_of_records_or_transactions_holds_over_batches(
    name: str, batches: Batches, shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs of a few after each other have what one run has, each record once."""
    rows, filters, most = batches
    writer, whole = WRITERS[name], tmp_path / "xx000000000"
    shop(f"{filters}; {writer.to(whole)}; pos 0")
    _set_batches(rows, monkeypatch)
    targets = _runs(shop, writer, tmp_path, f"{most} {writer.amount}")
    assert len(targets) > 1
    assert added_up(_one_after_the_other(writer, *targets)) == added_up(rows_of(writer, whole))


@pytest.mark.parametrize("rows", [1, 3])
def test_a_number_of_bytes_holds_over_batches(
    rows: int, shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _set_batches(rows, monkeypatch)
    writer, whole = WRITERS["save"], tmp_path / "xx000000000"
    shop(f"{writer.to(whole)}; pos 0")
    targets = _runs(shop, writer, tmp_path, "700 BYTES")
    assert len(targets) > 5
    assert added_up(_one_after_the_other(writer, *targets)) == added_up(rows_of(writer, whole))
