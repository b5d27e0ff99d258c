"""Where a job may write, by the mode; and the names it gives."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice, permutations
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.spark.write.target import Mode, Target, TargetRefused, new_job_folder
from logdump.tables.errors import SourceError

SAMPLE = (TRAILS / "et000000000").read_bytes()


def _holding(tmp_path: Path, *names: str) -> Path:
    out = tmp_path / "out"
    out.mkdir()
    for name in names:
        (out / name).write_bytes(SAMPLE)
    return out


def _first(path: Path, mode: Mode, *sources: str) -> str:
    return next(Target.parse(str(path)).names(mode, sources)).name


@pytest.mark.parametrize(
    ("text", "mode"), [("error", Mode.ERROR), ("Append", Mode.APPEND), ("overwrite", Mode.OVERWRITE)]
)
def test_modes_are_spelt_as_sparks(text: str, mode: Mode) -> None:
    assert Mode.parse(text) is mode


def test_another_mode_is_refused() -> None:
    with pytest.raises(SourceError, match="errorifexists, append or overwrite, not 'ignore'"):
        Mode.parse("ignore")


@pytest.mark.parametrize("mode", Mode)
def test_a_new_directory_may_be_written(mode: Mode, tmp_path: Path) -> None:
    Target.parse(str(tmp_path / "a" / "b")).check(mode)


def test_a_directory_with_something_in_it_is_refused(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000000")
    with pytest.raises(TargetRefused, match="is not empty: it holds lt000000000"):
        Target.parse(str(out)).check(Mode.ERROR)


def test_marks_and_hidden_files_make_a_directory_no_fuller(tmp_path: Path) -> None:
    Target.parse(str(_holding(tmp_path, "_SUCCESS", ".hidden"))).check(Mode.ERROR)


def test_a_directory_with_other_files_is_not_overwritten(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000000")
    (out / "notes.txt").touch()
    with pytest.raises(TargetRefused, match=r"not overwritten: notes.txt in it is no trail file"):
        Target.parse(str(out)).check(Mode.OVERWRITE)


def test_a_file_that_is_only_named_like_a_trail_is_not_overwritten(tmp_path: Path) -> None:
    out = _holding(tmp_path)
    (out / "my123456").write_text("no trail")
    with pytest.raises(TargetRefused, match="my123456"):
        Target.parse(str(out)).check(Mode.OVERWRITE)


def test_a_target_in_use_is_refused(tmp_path: Path) -> None:
    out = _holding(tmp_path)
    new_job_folder(out, os.getpid()).make()
    with pytest.raises(TargetRefused, match="is in use: another job writes there, _temporary-"):
        Target.parse(str(out)).check(Mode.APPEND)


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(TargetRefused, match="out is not a directory"):
        Target.parse(str(tmp_path / "out")).check(Mode.APPEND)
    with pytest.raises(TargetRefused, match=r"cannot be written: .*out is not a directory"):
        Target.parse(str(tmp_path / "out" / "deeper")).check(Mode.APPEND)


def test_a_directory_without_permission_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(TargetRefused, match="no permission to write"):
        Target.parse(str(tmp_path / "out")).check(Mode.APPEND)


def test_a_path_with_a_scheme_is_a_file_of_this_machine(tmp_path: Path) -> None:
    assert Target.parse(f"file://{tmp_path}").directory == tmp_path


@pytest.mark.parametrize("name", ["lt000000", "lt000000000"])
def test_a_trail_name_is_the_first_file(name: str, tmp_path: Path) -> None:
    target = Target.parse(str(tmp_path / name))
    assert target.directory == tmp_path
    assert str(target) == str(tmp_path / name)


def test_a_directory_may_be_called_like_a_trail(tmp_path: Path) -> None:
    (tmp_path / "lt000000").mkdir()
    assert Target.parse(str(tmp_path / "lt000000")).first is None


def test_a_first_file_that_exists_is_refused(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000003", "notes.txt")
    with pytest.raises(TargetRefused, match="lt000000003 exists already"):
        Target.parse(str(out / "lt000000003")).check(Mode.ERROR)
    for mode, name in ((Mode.ERROR, "lt000000004"), (Mode.OVERWRITE, "lt000000003")):
        Target.parse(str(out / name)).check(mode)


@pytest.mark.parametrize("target", [".", "et000000003"])
def test_a_source_in_the_target_is_refused(target: str) -> None:
    with pytest.raises(TargetRefused, match="is being read"):
        Target.parse(str(TRAILS / target)).refuse_source(TRAILS / "et000000000")


def test_another_trail_in_the_directory_of_the_source_may_be_written(tmp_path: Path) -> None:
    Target.parse(str(tmp_path / "rt000000000")).refuse_source(tmp_path / "lt000000000")


def test_names_are_those_of_the_source(tmp_path: Path) -> None:
    names = Target.parse(str(tmp_path / "out")).names(Mode.ERROR, [None, "/dirdat/lt000077"])
    assert [path.name for path in islice(names, 3)] == ["lt000000", "lt000001", "lt000002"]


@pytest.mark.parametrize(
    "order", [*permutations((None, "/dirdat/lt000077", "/dirdat/rt000000001", "/dirdat/notes.txt"))]
)
def test_of_several_sources_the_first_that_has_the_name_of_a_trail_gives_its_names(
    order: tuple[str | None, ...], tmp_path: Path
) -> None:
    named = next(Path(source).name for source in order if source is not None and source[-3:] != "txt")
    first = next(Target.parse(str(tmp_path / "out")).names(Mode.ERROR, order)).name
    assert first == ("lt000000" if named == "lt000077" else "rt000000000")


def test_names_of_unknown_sources_begin_with_tr(tmp_path: Path) -> None:
    assert _first(tmp_path / "out", Mode.ERROR) == "tr000000000"


def test_numbers_begin_with_the_first_file(tmp_path: Path) -> None:
    assert _first(tmp_path / "rt000007", Mode.ERROR, "/dirdat/lt000000000") == "rt000007"


def test_appending_goes_on_after_the_highest_number(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000004", "lt000000005")
    assert _first(out, Mode.APPEND, "/dirdat/lt000000000") == "lt000000006"
    assert _first(out, Mode.APPEND, "/dirdat/xx000000000") == "lt000000006"
    assert _first(out / "lt000000001", Mode.APPEND) == "lt000000006"
    assert _first(out / "lt000000009", Mode.APPEND) == "lt000000009"


def test_appending_to_one_of_several_trails_needs_its_name(tmp_path: Path) -> None:
    out = _holding(tmp_path, "lt000000004", "rt000000001")
    assert _first(out, Mode.APPEND, "/dirdat/rt000000000") == "rt000000002"
    with pytest.raises(TargetRefused, match="holds several trails, lt, rt"):
        _first(out, Mode.APPEND, "/dirdat/xx000000000")


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _link(path: Path) -> None:
    path.with_name("file").write_bytes(b"mine")
    path.symlink_to("file")


@pytest.mark.parametrize("make", [_fifo, _link])
@pytest.mark.parametrize("mode", Mode)
def test_only_a_file_is_replaced(make: Callable[[Path], None], mode: Mode, tmp_path: Path) -> None:
    path = tmp_path / "rt000001"
    make(path)
    with pytest.raises(TargetRefused, match=r"is a FIFO|is a link to file"):
        Target.parse(str(path)).check(mode)
    before = Target.parse(str(tmp_path / "rt000000"))
    with pytest.raises(TargetRefused, match=r"is a FIFO|is a link to file"):
        before.replaced(mode, [tmp_path / "rt000000", path])
    with pytest.raises(TargetRefused, match=r"rt000001|not empty|file in it"):
        Target.parse(str(tmp_path)).check(Mode.OVERWRITE)


@pytest.mark.parametrize(
    ("there", "appended", "others"),
    [
        ((), 5, 5),
        ((5,), 6, 5),
        ((4,), 5, 5),
        ((3, 5, 7), 8, 5),
        ((6,), 7, 5),
    ],
)
def test_append_goes_on_behind_the_last_file_and_not_before_the_first_that_is_named(
    there: tuple[int, ...], appended: int, others: int, tmp_path: Path
) -> None:
    for number in there:
        (tmp_path / f"rt{number:09d}").write_bytes((TRAILS / "et000000000").read_bytes())
    target = Target.parse(str(tmp_path / "rt000000005"))
    for mode, first in ((Mode.APPEND, appended), (Mode.OVERWRITE, others)):
        names = [path.name for path in islice(target.names(mode, []), 3)]
        assert names == [f"rt{first + number:09d}" for number in range(3)]
