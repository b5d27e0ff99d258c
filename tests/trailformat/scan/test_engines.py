"""Which engine is taken, and what is loaded for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trailformat import TrailFile
from trailformat.scan import NUMBA_PAYS, Engine, choose_engine, engines, is_available, scan
from trailformat.scan.engines import NUMBA_PAYS_LOADED

ROOT = Path(__file__).parents[3]
TRAIL = ROOT / "fixtures" / "trails" / "et000000000"


@pytest.mark.parametrize(("is_loaded", "least"), [(False, NUMBA_PAYS), (True, NUMBA_PAYS_LOADED)])
def test_a_small_file_is_read_in_python(is_loaded: bool, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "is_available", lambda _: True)
    if is_loaded:
        monkeypatch.setitem(sys.modules, engines.NUMBA_ENGINE, sys)
    else:
        monkeypatch.delitem(sys.modules, engines.NUMBA_ENGINE, raising=False)
    assert choose_engine(least - 1) is Engine.PYTHON
    assert choose_engine(least) is Engine.NUMBA


def test_an_engine_that_does_not_load_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    engines.why_no_kernels.cache_clear()
    monkeypatch.setitem(sys.modules, engines.NUMBA_ENGINE, None)
    assert not is_available(Engine.NUMBA)
    engines.why_no_kernels.cache_clear()


@pytest.mark.parametrize("engine", Engine)
def test_a_large_file_is_read_by_what_is_there(monkeypatch: pytest.MonkeyPatch, engine: Engine) -> None:
    monkeypatch.setattr(engines, "is_available", lambda _: engine is Engine.NUMBA)
    assert choose_engine(NUMBA_PAYS) is engine


def test_a_batch_of_no_rows_is_refused() -> None:
    with TrailFile(TRAIL) as trail, pytest.raises(ValueError, match="at least one row"):
        scan(trail, batch_size=0)


def loaded(engine: str, home: Path) -> set[str]:
    code = (
        "import sys; from trailformat import TrailFile; from trailformat.scan import Engine, choose_engine, scan\n"
        f"with TrailFile({str(TRAIL)!r}) as trail: list(scan(trail, engine={engine}))\n"
        "print(*sys.modules)"
    )
    environment = {"PATH": "", "HOME": str(home)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment, timeout=600)
    return set(done.stdout.split())


def test_nothing_heavy_for_a_small_file(tmp_path: Path) -> None:
    assert not loaded("None", tmp_path) & {"numpy", "numba", engines.NUMBA_ENGINE}
