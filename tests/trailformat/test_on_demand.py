"""Imports that are put off until a name is used."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from trailformat.codec.on_demand import on_demand

_MODULES = ("late_first", "late_second", "late_third")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path with three modules, and a package with one."""
    for name in _MODULES:
        (tmp_path / f"{name}.py").write_text(f"NAME = {name!r}\n", encoding="utf-8")
    (tmp_path / "late_package").mkdir()
    (tmp_path / "late_package" / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "late_package" / "inner.py").write_text("NAME = 'inner'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for name in (*_MODULES, "late_package", "late_package.inner"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return tmp_path


def _names(statements: str) -> dict[str, object]:
    """What a module with these statements in the context holds."""
    names: dict[str, object] = {"on_demand": on_demand}
    exec(f"with on_demand:\n    {statements}", names)
    return names


@pytest.mark.usefixtures("folder")
def test_a_module_is_loaded_when_a_name_of_it_is_used() -> None:
    names = _names("import late_first as first; import late_second; from late_package import inner")
    assert not {"late_first", "late_second", "late_package", "late_package.inner"} & set(sys.modules)
    assert names["late_second"].NAME == "late_second"  # type: ignore[attr-defined]
    assert names["inner"].NAME == "inner"  # type: ignore[attr-defined]
    assert "late_first" not in sys.modules
    assert names["first"].NAME == "late_first"  # type: ignore[attr-defined]


@pytest.mark.usefixtures("folder")
def test_what_is_not_there_is_an_error_where_it_is_used() -> None:
    names = _names("import no_such_package; import late_third")
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        _ = names["no_such_package"].NAME  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="OTHER"):
        _ = names["late_third"].OTHER  # type: ignore[attr-defined]


def test_a_name_that_a_test_replaces_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    resync = _names("from trailformat.trail import resync")["resync"]
    assert callable(resync.next_sound)  # type: ignore[attr-defined]
    monkeypatch.setattr("trailformat.trail.resync.next_sound", "replaced")
    assert resync.next_sound == "replaced"  # type: ignore[attr-defined]


def test_a_module_of_ours_stands_in_place_of_its_proxy_once_it_is_used() -> None:
    names = _names("from trailformat.trail import resync; from trailformat.trail import name_list as other")
    assert names["resync"] is not sys.modules.get("trailformat.trail.resync")
    assert callable(names["resync"].next_sound)  # type: ignore[attr-defined]
    assert names["resync"] is sys.modules["trailformat.trail.resync"]
    assert type(names["other"]) is not type(sys), "what was not used is loaded at its use"


def test_a_proxy_is_the_same_in_another_process() -> None:
    json = pickle.loads(pickle.dumps(_names("import json")["json"]))
    assert json.dumps([1]) == "[1]"


@pytest.mark.usefixtures("folder")
def test_other_threads_import_as_always() -> None:
    loaded: list[str] = []

    def load() -> None:
        import late_second  # type: ignore[import-not-found]

        loaded.append(late_second.NAME)

    with on_demand:
        thread = threading.Thread(target=load)
        thread.start()
        thread.join()
    assert loaded == ["late_second"]
    first = importlib.import_module("late_first")
    assert (first.NAME, type(first)) == ("late_first", type(sys))


def test_an_error_in_the_context_ends_it() -> None:
    program = (
        "from trailformat.codec.on_demand import on_demand\n"
        "try:\n    with on_demand: 1 / 0\nexcept ZeroDivisionError: pass\n"
        "import json, sys; print('json' in sys.modules)"
    )
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert answer.stdout == "True\n"


def test_a_thread_waits_for_a_module_that_another_one_imports(folder: Path) -> None:
    """Names of a module that is half imported are missing."""
    text = "import sys\nbegun, goes_on = sys.late_events\nbegun.set()\ngoes_on.wait(30)\nNAME = 'late_first'\n"
    (folder / "late_first.py").write_text(text, encoding="utf-8")
    begun, goes_on = threading.Event(), threading.Event()
    sys.late_events = begun, goes_on  # type: ignore[attr-defined]
    try:
        module, names = _names("import late_first as module")["module"], []
        threads = [threading.Thread(target=lambda: names.append(module.NAME)) for _ in range(3)]  # type: ignore[attr-defined]
        threads[0].start()
        assert begun.wait(30)
        for thread in threads[1:]:
            thread.start()
        threads[1].join(0.1)
        goes_on.set()
        for thread in threads:
            thread.join(30)
        assert names == ["late_first"] * 3
    finally:
        del sys.late_events  # type: ignore[attr-defined]
