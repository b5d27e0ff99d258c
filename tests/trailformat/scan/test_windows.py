"""What a scan sees does not depend on where its windows end; a file that is cut is told, not fallen over."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import some_trails
from tests.trailformat.samples import BOTH, header, row, table_record, trail_of
from tests.trailformat.scan.reference import assert_same
from tests.trailformat.scan.test_scan import everything
from trailformat import ByteOrder, CannotRead, TrailFile, make_record
from trailformat.scan import kernel_run, scan

ROOT = Path(__file__).parents[3]
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
        print("the file was cut between two scans")
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
    large = make_record(header(1, name_field=b"\0\1"), bytes(40_000_000))
    path = trail_of(tmp_path, table_record(1, "A"), row(name=1), large, row(name=1))
    with TrailFile(path) as trail:
        (batch,) = scan(trail)
        assert [batch.names[key] for key in batch.table] == ["A"] * 4
        assert batch.record_length[2] == 40_000_000
        assert copied < 4_000_000


@pytest.mark.usefixtures("kernels")
def test_a_file_that_is_cut_between_two_batches(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(bytes(5000))] * 200)
    with TrailFile(path) as trail:
        batches = scan(trail, batch_size=10)
        next(batches)
        with path.open("r+b") as file:
            file.truncate(300_000)
        with pytest.raises(CannotRead, match="the file was cut to 300000 bytes while it was read"):
            list(batches)


@pytest.mark.parametrize("threads", [0, 2])
def test_a_process_that_scans_survives_the_cutting_of_its_file(tmp_path: Path, threads: int) -> None:
    path = trail_of(tmp_path, *[row(bytes(3000))] * 20_000)
    command = [sys.executable, "-c", _SCANS, str(threads), str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(0.5)
        with path.open("r+b") as file:
            file.truncate(1000)
        told, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "the file was cut" in told
