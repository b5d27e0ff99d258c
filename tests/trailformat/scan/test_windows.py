"""What a scan sees does not depend on where its windows end; a file that is cut is told, not fallen over.

What one scan leaves to the next.
Which kernels run, and what is loaded for them.
Jobs run a few ahead of what uses their results, in the order of the jobs.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.kernels import WAYS, Kernels, needs_native, run
from tests.searching import some_trails
from tests.trailformat.samples import BOTH, header, row, table_record, trail_of
from tests.trailformat.scan.reference import assert_same
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, CannotRead, TrailFile, make_record
from trailformat.native.loaded import kernels
from trailformat.scan import kernel_run, scan
from trailformat.scan.kernel_run import Spare
from trailformat.scan.parallel import Ordered


def test_a_buffer_is_used_again() -> None:
    spare = Spare(bytearray)
    first = spare.take(8)
    spare.give(8, first)
    assert spare.take(8) is first
    assert spare.take(8) is not first


def test_a_buffer_of_another_size_is_not() -> None:
    spare = Spare(bytearray)
    spare.give(8, bytearray(8))
    assert len(spare.take(16)) == 16


def test_few_buffers_are_kept() -> None:
    spare = Spare(bytearray)
    given = [bytearray(8) for _ in range(9)]
    for data in given:
        spare.give(8, data)
    taken = [spare.take(8) for _ in given]
    assert sum(any(content is other for other in given) for content in taken) == 4


ROOT = Path(__file__).parents[3]
TRAIL = ROOT / "fixtures" / "trails" / "et000000000"


def test_a_batch_of_no_rows_is_refused() -> None:
    with TrailFile(TRAIL) as trail, pytest.raises(ValueError, match="at least one row"):
        scan(trail, batch_size=0)


@needs_native
def test_each_kernel_of_the_library_has_its_source() -> None:
    native = {*kernels()}
    with run(Kernels.INTERPRETED):
        assert {*kernels()} == native
    assert len(WAYS) == len(Kernels)


@needs_native
def test_a_count_of_a_file_loads_nothing_heavy(tmp_path: Path) -> None:
    code = f"from logdump.cli import main; main(['-c', 'open {TRAIL}; count detail']); import sys; print(*sys.modules)"
    command = [sys.executable, "-c", code]
    environment = {"PATH": "", "HOME": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment, timeout=600)
    assert not {*done.stdout.split()} & {"numpy", "numba", "pyarrow"}


class Jobs:
    """Notes which jobs were begun and which were ended."""

    def __init__(self, count: int) -> None:
        self._count = count
        self.begun: list[int] = []
        self.ended: list[int] = []

    def __iter__(self) -> Iterator[int]:
        for number in range(self._count):
            self.begun.append(number)
            yield number


@pytest.mark.parametrize("ahead", [0, 1, 3, 9])
def test_results_come_in_the_order_of_the_jobs(ahead: int) -> None:
    jobs = Jobs(5)
    assert list(Ordered(jobs, ahead, jobs.ended.append)) == [0, 1, 2, 3, 4]
    assert jobs.ended == []


def test_the_first_jobs_begin_at_once() -> None:
    jobs = Jobs(5)
    Ordered(jobs, 2, jobs.ended.append)
    assert jobs.begun == [0, 1]


def test_so_many_jobs_are_ahead_of_the_one_in_use() -> None:
    jobs = Jobs(5)
    ordered = Ordered(jobs, 2, jobs.ended.append)
    assert [(next(ordered), len(jobs.begun)) for _ in range(5)] == [(0, 3), (1, 4), (2, 5), (3, 5), (4, 5)]


def test_what_is_not_used_is_ended() -> None:
    jobs = Jobs(5)
    with Ordered(jobs, 2, jobs.ended.append) as ordered:
        next(ordered)
    assert jobs.ended == [1, 2]


_SCANS = """
import sys
from trailformat import CannotRead, TrailFile
from trailformat.scan import Workers, parallel_scan, scan
threads, path = sys.argv[1:]
with TrailFile(path) as trail:
    size = trail.size
    print("begun", flush=True)
    try:
        while trail.size == size:
            with Workers(int(threads)) as workers:
                for batch in scan(trail) if threads == "0" else parallel_scan(trail, workers):
                    pass
        print("the file was truncated between two scans")
    except CannotRead as error:
        print(error)
"""


@pytest.mark.parametrize("capacity", [64, 77, 200, 4096])
@pytest.mark.parametrize("order", BOTH)
def test_windows_of_any_size_show_the_same(
    tmp_path: Path, order: ByteOrder, capacity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_run, "CAPACITY", capacity)
    assert assert_same(trail_of(tmp_path, *everything(order), *everything(order.other)))


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_fixture_in_small_windows(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_run, "CAPACITY", 128)
    assert assert_same(TRAILS / name)


@pytest.mark.parametrize("capacity", [64, 200, 4096])
@pytest.mark.parametrize("claimed", [300, 700, 1100])
@pytest.mark.parametrize("order", BOTH)
def test_records_behind_a_damaged_one_that_claims_to_be_larger_than_a_window(
    tmp_path: Path, order: ByteOrder, claimed: int, capacity: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_run, "CAPACITY", capacity)
    sound = row(bytes(30), order=order)
    damaged = bytearray(sound.raw)
    damaged[2:4] = order.encode(claimed, 2)
    assert assert_same(trail_of(tmp_path, sound, bytes(damaged), *[sound] * 20))


@pytest.mark.usefixtures("kernels")
def test_a_large_record_is_not_copied_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copied = 0
    read_into = TrailFile.read_into

    def counted(trail: TrailFile, target: memoryview, rba: int, until: int | None = None) -> int:
        nonlocal copied
        copied += len(target)
        return read_into(trail, target, rba, until)

    monkeypatch.setattr(TrailFile, "read_into", counted)
    large = make_record(header(1, name_field=b"\0\1"), bytes(8_000_000))
    path = trail_of(tmp_path, table_record(1, "A"), row(name=1), large, row(name=1))
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        assert [batch.names[key] for key in batch.table] == ["A"] * 4
        assert batch.record_length[2] == 8_000_000
        assert copied < 4_000_000


@pytest.mark.usefixtures("kernels")
def test_a_file_that_is_cut_between_two_batches(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(5000))] * 200)
    with TrailFile(path) as trail:
        batches = scan(trail, batch_size=10)
        next(batches)
        with path.open("r+b") as file:
            file.truncate(300_000)
        with pytest.raises(CannotRead, match="the file was truncated to 300000 bytes while it was read"):
            list(batches)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_process_that_scans_survives_the_cutting_of_its_file(tmp_path: Path, threads: int) -> None:
    path = trail_of(tmp_path, *[row(bytes(3000))] * 5000)
    command = [sys.executable, "-c", _SCANS, str(threads), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.1)
        with path.open("r+b") as file:
            file.truncate(1000)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "the file was truncated" in told
