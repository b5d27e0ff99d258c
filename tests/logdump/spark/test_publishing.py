"""A job's files get their names all together, or everything is as before.

The folder of a job: one place for each attempt, an owner in its name, nothing left.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.spark.write import publish as publishing
from logdump.spark.write.publish import PartFiles, SavedFile, SourceFiles, StagedFile, publish, roll_back, sweep
from logdump.spark.write.target import JobFolder, Mode, Target, TargetRefused, is_at_work, job_folders, new_job_folder
from tests.logdump.spark.written import body, header
from tests.searching import Random, examples
from tests.trailformat.samples import row
from trailformat import CannotWrite, Record


def _ended_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_attempts_of_one_task_have_folders_of_their_own(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path, os.getpid())
    folders = {folder.attempt(3, 17), folder.attempt(3, 18)}
    assert {path.name for path in folders} == {"part-00003-17", "part-00003-18"}
    assert {path.parent for path in folders} == {folder.directory}


def test_the_folder_is_found_again_in_its_target(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path, os.getpid())
    assert job_folders(tmp_path) == []
    folder.make()
    assert job_folders(tmp_path) == [JobFolder(folder.directory)]


def test_discarding_leaves_nothing(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path / "out", os.getpid())
    (folder.attempt(0, 0) / "tr000000000").write_bytes(b"x")
    folder.discard()
    assert list(tmp_path.iterdir()) == []


def test_a_target_that_was_there_stays(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path, os.getpid())
    folder.make()
    folder.discard()
    assert tmp_path.is_dir()


def test_a_target_with_something_in_it_stays(tmp_path: Path) -> None:
    folder = new_job_folder(tmp_path / "out", os.getpid())
    folder.make()
    (tmp_path / "out" / "lt000000000").touch()
    folder.discard()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["lt000000000"]


def test_a_job_of_a_living_process_is_at_work(tmp_path: Path) -> None:
    assert is_at_work(new_job_folder(tmp_path, os.getpid()))


def test_a_job_of_a_process_that_has_ended_is_not(tmp_path: Path) -> None:
    assert not is_at_work(new_job_folder(tmp_path, _ended_process()))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not tell when a process began")
def test_another_process_with_the_same_number_is_not_the_owner(tmp_path: Path) -> None:
    name = new_job_folder(tmp_path, os.getpid()).directory.name.split("-")
    name[3] = "1"
    assert not is_at_work(JobFolder(tmp_path / "-".join(name)))


@pytest.mark.parametrize(("hours", "expected"), [(1, True), (30, False)])
def test_a_job_of_another_machine_counts_until_nothing_has_changed_for_a_day(
    hours: int, expected: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "_temporary-0123456789ab-77-1-another-machine"
    folder.mkdir()
    moment = folder.stat().st_mtime - hours * 3600
    os.utime(folder, (moment, moment))
    assert is_at_work(JobFolder(folder)) is expected


def test_a_place_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(CannotWrite, match=r"out/_temporary-.*Not a directory"):
        new_job_folder(tmp_path / "out", os.getpid()).make()


SAMPLE = TRAILS / "et000000000"
OLD = TRAILS / "st000000000"


def _job(out: Path, files: int = 2, sample: Path = SAMPLE) -> tuple[JobFolder, list[StagedFile]]:
    """A job that has written copies of a sample."""
    folder = new_job_folder(out, os.getpid())
    parts = []
    for number in range(files):
        path = folder.attempt(number, number) / "tr000000000"
        path.write_bytes(sample.read_bytes())
        parts.append(StagedFile(str(path), "/dirdat/lt000000005", 21, path.stat().st_size))
    return folder, parts


def _holding(tmp_path: Path, *names: str) -> Path:
    out = tmp_path / "out"
    out.mkdir()
    for name in names:
        (out / name).write_bytes(OLD.read_bytes() if name != "_SUCCESS" else b"")
    return out


def _contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_the_report_tells_what_was_written(tmp_path: Path) -> None:
    out = tmp_path / "out"
    folder, parts = _job(out)
    saved = publish(folder, Target.parse(str(out)), Mode.ERROR, parts)
    size = SAMPLE.stat().st_size
    assert saved == [SavedFile(str(out / f"lt00000000{n}"), "/dirdat/lt000000005", 21, size) for n in range(2)]
    assert sorted(_contents(out)) == ["_SUCCESS", "lt000000000", "lt000000001"]


@pytest.mark.parametrize("name", ["lt000001", "out/rt000000012", "a-much-longer-name/than/before/zz000000000"])
def test_headers_tell_the_new_name_and_number(name: str, tmp_path: Path) -> None:
    first = tmp_path / name
    folder, parts = _job(first.parent)
    saved = publish(folder, Target.parse(str(first)), Mode.ERROR, parts)
    assert saved[0].file == str(first)
    for saved_file in saved:
        assert header(saved_file.file).get("TrailInfo", "FileName") == saved_file.file
        assert header(saved_file.file).get("TrailInfo", "Seqno") == int(saved_file.file[-6:])
        assert body(saved_file.file) == body(SAMPLE)


def test_a_first_file_in_a_directory_of_others_leaves_no_mark(tmp_path: Path) -> None:
    out = _holding(tmp_path, "xx000000000")
    folder, parts = _job(out)
    publish(folder, Target.parse(str(out / "lt000000000")), Mode.ERROR, parts)
    assert sorted(_contents(out)) == ["lt000000000", "lt000000001", "xx000000000"]


def test_files_without_a_header_are_named_as_they_are(tmp_path: Path) -> None:
    folder, parts = _job(tmp_path / "out", 1, TRAILS / "nh000000")
    [saved] = publish(folder, Target.parse(str(tmp_path / "out")), Mode.ERROR, parts)
    assert Path(saved.file).read_bytes() == (TRAILS / "nh000000").read_bytes()


def test_appending_adds_files(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000007", "_SUCCESS")
    folder, parts = _job(out)
    publish(folder, Target.parse(str(out)), Mode.APPEND, parts)
    assert sorted(_contents(out)) == ["_SUCCESS", "lt000000007", "lt000000008", "lt000000009"]


def test_overwriting_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000000", "lt000000005", "xx000000000", "_SUCCESS")
    folder, parts = _job(out)
    publish(folder, Target.parse(str(out)), Mode.OVERWRITE, parts)
    assert sorted(_contents(out)) == ["_SUCCESS", "lt000000000", "lt000000001"]
    assert body(out / "lt000000000") == body(SAMPLE)


def test_overwriting_a_first_file_leaves_the_others(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000000", "lt000000005")
    folder, parts = _job(out, 1)
    publish(folder, Target.parse(str(out / "lt000000005")), Mode.OVERWRITE, parts)
    assert body(out / "lt000000000") == body(OLD)
    assert body(out / "lt000000005") == body(SAMPLE)


def test_a_job_without_rows_leaves_a_mark_alone(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000000")
    folder, _ = _job(out, 0)
    assert publish(folder, Target.parse(str(out)), Mode.OVERWRITE, []) == []
    assert list(_contents(out)) == ["_SUCCESS"]


def test_a_name_that_was_taken_meanwhile_is_not_taken_away(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000001")
    before = _contents(out)
    folder, parts = _job(out)
    with pytest.raises(CannotWrite, match=r"lt000000001: .*exists"):
        publish(folder, Target.parse(str(out / "lt000000000")), Mode.ERROR, parts)
    assert _contents(out) == before


def test_a_directory_that_was_filled_meanwhile_is_refused(tmp_path: Path) -> None:
    folder, parts = _job(tmp_path / "out")
    (tmp_path / "out" / "lt000000009").write_bytes(OLD.read_bytes())
    with pytest.raises(TargetRefused, match="is not empty"):
        publish(folder, Target.parse(str(tmp_path / "out")), Mode.ERROR, parts)
    assert list(_contents(tmp_path / "out")) == ["lt000000009"]


@pytest.mark.parametrize("mode", [Mode.APPEND, Mode.OVERWRITE])
@pytest.mark.parametrize("step", ["_give_name", "sync_names"])
def test_an_error_in_the_middle_leaves_everything_as_it_was(
    mode: Mode, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = _holding(tmp_path, "lt000000000", "lt000000001", "_SUCCESS")
    before = _contents(out)
    folder, parts = _job(out)
    calls: list[object] = []
    do = getattr(publishing, step)

    def fail(*arguments: object) -> None:
        calls.append(arguments)
        if len(calls) == (1 if step == "sync_names" else 2):
            raise OSError(28, "No space left on device", str(out))
        do(*arguments)

    monkeypatch.setattr(publishing, step, fail)
    with pytest.raises(CannotWrite, match="No space left on device"):
        publish(folder, Target.parse(str(out)), mode, parts)
    assert _contents(out) == before


@pytest.mark.parametrize("mode", [Mode.APPEND, Mode.OVERWRITE])
def test_an_error_before_anything_was_moved_leaves_the_mark(
    mode: Mode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever waits for ``_SUCCESS`` reads the folder of the job before as complete."""
    out = _holding(tmp_path, "lt000000000", "_SUCCESS")
    before = _contents(out)
    folder, parts = _job(out)

    rename, calls = Path.rename, list[Path]()

    def fail_once(path: Path, name: Path) -> Path:
        calls.append(path)
        if len(calls) == 1:
            raise OSError(5, "Input/output error", str(path))
        return rename(path, name)

    monkeypatch.setattr(Path, "rename", fail_once)
    with pytest.raises(CannotWrite, match="Input/output error"):
        publish(folder, Target.parse(str(out)), mode, parts)
    assert _contents(out) == before


def test_what_cannot_be_undone_yet_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = _holding(tmp_path, "lt000000000")
    before = _contents(out)
    folder, parts = _job(out)
    with monkeypatch.context() as patch:

        def fail(*_: object) -> None:
            raise OSError(5, "Input/output error")

        patch.setattr(publishing, "_give_name", fail)
        patch.setattr(publishing, "_take_name", fail)
        with pytest.raises(OSError, match="Input/output error"):
            publish(folder, Target.parse(str(out)), Mode.OVERWRITE, parts)
        folder.discard()
    roll_back(folder)
    folder.discard()
    assert _contents(out) == before


def test_a_file_system_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    out = _holding(tmp_path, "lt000000000")
    folder, parts = _job(out)
    publish(folder, Target.parse(str(out)), Mode.APPEND, parts)
    assert sorted(_contents(out)) == ["_SUCCESS", "lt000000000", "lt000000001", "lt000000002"]


ROOT = Path(__file__).parents[3]
_KILLED = """
import os, sys
from pathlib import Path
from logdump.spark.write import publish as publishing
from logdump.spark.write.target import Mode, Target
from tests.logdump.spark.test_publishing import _job

for step, links, mode, out in zip(*[iter(sys.argv[1:])] * 4):
    if not os.fork():
        break
    os.wait()
else:
    sys.exit()
out, do, calls = Path(out), getattr(publishing, step), []

def die(*arguments):
    calls.append(arguments)
    if len(calls) == (1 if step == "sync_names" else 2):
        os._exit(9)
    do(*arguments)

if links == "rename":
    def no_links(*_):
        raise PermissionError(1, "Operation not permitted")
    Path.hardlink_to = no_links
folder, parts = _job(out, 3)
setattr(publishing, step, die)
publishing.publish(folder, Target.parse(str(out)), Mode(mode), parts)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="each driver is a fork")
def test_what_a_killed_driver_has_begun_is_undone_by_the_next(tmp_path: Path) -> None:
    cases = [
        (step, links, mode)
        for links in ("link", "rename")
        for step, mode in (("_give_name", "overwrite"), ("sync_names", "append"))
    ]
    outs = []
    for case in cases:
        (tmp_path / "-".join(case)).mkdir()
        outs.append(_holding(tmp_path / "-".join(case), "lt000000000", "lt000000001", "_SUCCESS"))
    before = _contents(outs[0])
    given = [word for case, out in zip(cases, outs, strict=True) for word in (*case, str(out))]
    subprocess.run([sys.executable, "-c", _KILLED, *given], cwd=ROOT, check=True, timeout=60)
    for out in outs:
        assert any(path.name.startswith("_temporary-") for path in out.iterdir()), out
        sweep(out)
        assert _contents(out) == before, out


def test_a_job_at_work_is_left_alone(tmp_path: Path) -> None:
    folder, _ = _job(tmp_path / "out")
    sweep(tmp_path / "out")
    assert folder.directory.is_dir()


class _NoDefinitions:
    """Those of records that need none."""

    def before(self, record: Record) -> Iterator[Record]:  # noqa: ARG002 - that of the protocol
        """None."""
        return iter(())

    def own_form(self, record: Record) -> Record:
        """The record as it is."""
        return record


@pytest.mark.parametrize("seed", range(examples(40, short=15)))
def test_each_file_of_an_attempt_has_its_own_records_and_as_many_as_fit(seed: int, tmp_path: Path) -> None:
    """Of several sources, with records that are larger than a file may be, some of them written as bytes."""
    random = Random(f"parts {seed}")
    most = random.choice((1, 300, 700, None))
    files, expected = PartFiles(lambda: tmp_path, most), list[tuple[str, list[Record]]]()
    for number in range(random.randint(1, 3)):
        files.begin(SourceFiles(f"lt{number}", None, _NoDefinitions))
        is_begun = False
        for record in [row(b"leaf" * random.randint(1, 60)) for _ in range(random.randint(0, 9))]:
            size = sum(trail_record.length for trail_record in expected[-1][1]) if is_begun else 0
            fits = is_begun and (most is None or size + record.length <= most)
            if fits and random.random() < 0.3:
                files.write_bytes(record.raw, 1)
            else:
                assert files.write(record) != fits
            expected += [] if fits else [(f"lt{number}", [])]
            expected[-1][1].append(record)
            is_begun = True
    files.end()
    told = [(part.source, part.records, part.bytes, Path(part.path).read_bytes()) for part in files.parts]
    raws = [(source, len(records), b"".join(record.raw for record in records)) for source, records in expected]
    assert told == [(source, number, len(raw), raw) for source, number, raw in raws]
