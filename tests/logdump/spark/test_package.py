"""The package without PySpark, and what the wheel holds for PySpark to find."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from pyspark.errors import AnalysisException

import logdump.spark
from logdump.spark import TrailSource
from logdump.spark.jobs.local_session import prepare_workers, register

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


class _Session:
    """A session of Spark that finds the format or does not, and counts what is registered."""

    def __init__(self, problem: str | None) -> None:
        self.problem = problem
        self.registered: list[type] = []
        self.read = self.dataSource = self

    def format(self, _name: str) -> _Session:
        return self

    def option(self, _name: str, _value: str) -> _Session:
        return self

    def load(self, _path: str) -> _Session:
        return self

    @property
    def schema(self) -> str:
        if self.problem is not None:
            raise AnalysisException(self.problem)
        return "rba bigint"

    def register(self, source: type) -> None:
        if self.problem == IN_PIPELINE:
            raise AnalysisException(self.problem)
        self.registered.append(source)


IN_PIPELINE = "[ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION] Operations that trigger analysis are not allowed."
NOT_FOUND = "[DATA_SOURCE_NOT_FOUND] Failed to find the data source: trail."


@pytest.mark.parametrize(
    ("python", "problem", "expected"),
    [
        ("./env/bin/python", None, []),
        ("./env/bin/python", NOT_FOUND, [TrailSource]),
        (None, None, []),
        (sys.executable, None, [TrailSource]),
        ("./env/bin/python", IN_PIPELINE, []),
        (sys.executable, IN_PIPELINE, []),
    ],
)
def test_the_format_is_registered_where_spark_does_not_find_it(
    python: str | None, problem: str | None, expected: list[type], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ``--archives`` a registered source would be planned by a Python that is not on the driver.

    A query function of a pipeline may ask for nothing; what it reads was registered before.
    """
    monkeypatch.setattr(os, "environ", {"PYSPARK_PYTHON": python} if python else {})
    session = _Session(problem)
    register(cast("SparkSession", session))
    assert session.registered == expected


def test_another_error_of_spark_is_no_reason_to_register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    with pytest.raises(AnalysisException, match="BadOption"):
        register(cast("SparkSession", _Session("[PYTHON_DATA_SOURCE_ERROR] BadOption")))
