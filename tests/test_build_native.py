"""The library of kernels is built where that can be done; else it is said what is missing, and nothing is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts import build_native
from trailformat.native.loaded import LIBRARY, NOTE

NUMBA = "numba does not load (No module named 'numba'); make native installs it"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the library of other sources lies."""
    monkeypatch.setattr(build_native, "PACKAGE", tmp_path)
    for name in (LIBRARY, NOTE):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("old")
    return tmp_path


def _without_a_compiler(patch: pytest.MonkeyPatch, _folder: Path) -> str:
    patch.setenv("CC", "no-such-compiler")
    return "there is no C compiler (cc)"


def _with_one_that_fails(patch: pytest.MonkeyPatch, folder: Path) -> str:
    program = folder / "broken"
    program.write_text("#!/bin/sh\necho 'cannot find crti.o' >&2\nexit 1\n")
    program.chmod(0o755)
    patch.setenv("CC", str(program))
    patch.setattr(build_native, "_compiled", lambda _machine: (b"", {}))
    return f"{program} fails: cannot find crti.o"


def _without_numba(patch: pytest.MonkeyPatch, folder: Path) -> str:
    program = folder / "working"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    patch.setenv("CC", str(program))
    patch.setattr(build_native, "_compiled", _raise)
    return NUMBA


def _raise(_machine: object) -> None:
    raise build_native.CannotBuild(NUMBA)


@pytest.mark.parametrize("lack", [_without_a_compiler, _with_one_that_fails, _without_numba])
@pytest.mark.parametrize(("words", "status"), [((), 1), (("--if-possible",), 0)])
def test_what_is_missing_is_told_in_a_line(
    lack: object,
    words: tuple[str, ...],
    status: int,
    package: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert callable(lack)
    missing = lack(monkeypatch, tmp_path)
    assert build_native.main(*words) == status
    assert capsys.readouterr().err == f"The kernels are not compiled, so large trails are read slowly: {missing}\n"
    assert not any((package / name).exists() for name in (LIBRARY, NOTE))


def test_numba_that_is_not_installed_is_named() -> None:
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "from scripts import build_native\n"
        "try: build_native._compiled(build_native.HERE)\n"
        "except build_native.CannotBuild as error: print(error)\n"
    )
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout.startswith("numba does not load (")


@pytest.mark.skipif(not build_native.is_built(), reason="the kernels are not built")
def test_a_library_of_these_sources_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    assert build_native.main() == 0


@pytest.mark.parametrize(("compiler", "tools"), [("sh", ["numba>=0.61"]), ("no-such-compiler", [])])
def test_a_wheel_asks_for_numba_only_where_it_can_be_linked(
    compiler: str, tools: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("setuptools", reason="pip brings setuptools for a build")
    from scripts import build_backend

    monkeypatch.setattr("setuptools.build_meta.get_requires_for_build_wheel", lambda _settings: [])
    monkeypatch.setenv("CC", compiler)
    assert build_backend.get_requires_for_build_wheel() == tools


@pytest.mark.parametrize("is_there", [True, False])
def test_a_wheel_is_for_one_kind_of_machine_where_it_holds_the_library(
    is_there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("setuptools", reason="pip brings setuptools for a build")
    from scripts import build_backend

    made: list[dict[str, object]] = []
    library = tmp_path / "kernels.so"
    if is_there:
        library.touch()
    monkeypatch.setattr(build_backend, "_LIBRARY", library)
    monkeypatch.setattr(subprocess, "run", lambda *_command, **_how: None)
    monkeypatch.setattr("setuptools.build_meta.build_wheel", lambda _folder, given, _metadata: made.append(given))
    build_backend.build_wheel("dist")
    assert [bool(given) for given in made] == [is_there]
