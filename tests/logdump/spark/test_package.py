"""The package without PySpark, and what the wheel holds for PySpark to find."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import logdump.spark
from logdump.spark.jobs.local_session import prepare_workers

ROOT = Path(__file__).parents[3]
WITHOUT = "import sys\nfor name in ('pyspark', 'pyarrow'): sys.modules[name] = None\nimport logdump.spark\n"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)


def test_it_is_imported_without_pyspark() -> None:
    assert run(WITHOUT).returncode == 0


@pytest.mark.parametrize("name", ["TrailSource", "register", "session"])
def test_what_needs_pyspark_names_the_extra(name: str) -> None:
    done = run(f"{WITHOUT}logdump.spark.{name}")
    assert "pip install 'logdump[spark]'" in done.stderr.splitlines()[-1]


def test_workers_find_the_package_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {"PYTHONPATH": "elsewhere"})
    prepare_workers()
    assert os.environ["PYTHONPATH"].split(os.pathsep) == [str(ROOT), "elsewhere"]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'sesion'"):
        _ = logdump.spark.sesion


def test_pyspark_finds_the_source_without_loading_arrow_or_numba() -> None:
    code = "import pyspark_trail, sys\nprint(pyspark_trail.DefaultSource.name(), *sys.modules)"
    name, *loaded = run(code).stdout.split()
    assert name == "trail"
    assert not {"numba", "logdump.spark.source.reader"} & set(loaded)
