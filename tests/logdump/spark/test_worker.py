"""What Spark does between the tasks of a worker does not read archives of the path again."""

from __future__ import annotations

import importlib
import os
import sys
import zipfile
import zipimport
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from logdump.spark.source.worker import hide_traceback, keep_archives, show_tracebacks


def _written(archive: Path, *modules: str) -> Path:
    with zipfile.ZipFile(archive, "w") as file:
        for name in modules:
            file.writestr(name, "X = 1\n")
    return archive


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An archive in the path, with a package from which a module was imported; its finders are kept."""
    path = _written(tmp_path / "code.zip", "kept_package/__init__.py", "kept_package/module.py")
    monkeypatch.syspath_prepend(path)
    monkeypatch.setattr(sys, "path_importer_cache", dict(sys.path_importer_cache))
    importlib.import_module("kept_package.module")
    keep_archives()
    importlib.invalidate_caches()
    yield path
    for name in [name for name in sys.modules if name.startswith("kept_package")]:
        del sys.modules[name]


@pytest.mark.usefixtures("archive")
def test_an_archive_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    monkeypatch.setattr(zipimport, "_read_directory", read.append)
    importlib.invalidate_caches()
    assert read == []


def test_an_archive_that_was_replaced_before_it_was_kept_is_read_again(archive: Path) -> None:
    sys.path_importer_cache[str(archive)] = zipimport.zipimporter(str(archive))
    _written(archive, "kept_package/__init__.py", "kept_package/module.py", "added_before.py")
    keep_archives()
    importlib.invalidate_caches()
    assert importlib.import_module("added_before").X == 1


def test_an_archive_that_was_replaced_is_read_again(archive: Path) -> None:
    _written(archive, "kept_package/__init__.py", "kept_package/module.py", "kept_package/added.py")
    importlib.invalidate_caches()
    assert importlib.import_module("kept_package.added").X == 1


def test_an_archive_that_is_gone_has_no_modules(archive: Path) -> None:
    archive.unlink()
    importlib.invalidate_caches()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("kept_package.added")


@pytest.mark.parametrize(
    ("main", "words", "hides"),
    [
        ("pyspark.daemon", ["pyspark.daemon", "pyspark.sql.worker.create_data_source"], True),
        ("pyspark.sql.worker.plan_data_source_read", ["-m", "pyspark.sql.worker.plan_data_source_read"], True),
        ("pyspark.daemon", ["pyspark.daemon", "pyspark.worker"], False),
        ("pytest.__main__", ["pyspark.sql.worker.create_data_source"], False),
        (None, ["pyspark.sql.worker.create_data_source"], False),
    ],
)
def test_only_a_process_that_plans_hides_a_traceback_and_only_of_one_error(
    main: str | None, words: list[str], hides: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = SimpleNamespace(name=main) if main is not None else None
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(__spec__=spec))
    monkeypatch.setattr(sys, "orig_argv", ["python", *words])
    monkeypatch.delenv("SPARK_HIDE_TRACEBACK", raising=False)
    hide_traceback()
    assert ("SPARK_HIDE_TRACEBACK" in os.environ) == hides
    show_tracebacks()
    assert "SPARK_HIDE_TRACEBACK" not in os.environ
    monkeypatch.setenv("SPARK_HIDE_TRACEBACK", "1")
    hide_traceback()
    show_tracebacks()
    assert os.environ["SPARK_HIDE_TRACEBACK"] == "1"
