"""The package without PySpark, and what the wheel holds for PySpark to find.

Java is looked for before Spark is started, and what is missing is said in one line.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException

import logdump.spark
from fixtures import TRAILS
from logdump.spark import TrailSource
from logdump.spark.jobs import java
from logdump.spark.jobs.java import LEAST, java_version, missing_java
from logdump.spark.jobs.local_session import prepare_workers, register
from logdump.tables.errors import BadOption

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def only_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it but what the test puts there; returns where ``java`` would be."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path / "java"


def make(program: Path, says: str) -> None:
    program.parent.mkdir(exist_ok=True)
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n", encoding="utf-8")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("says", "version"),
    [('openjdk version "17.0.15" 2025-04-15', 17), ('java version "1.8.0_392"', 1), ("not a Java", None)],
)
def test_the_version_is_the_major_one(only_java: Path, says: str, version: int | None) -> None:
    make(only_java, says)
    assert java_version() == version


def test_java_home_comes_first(only_java: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    make(only_java, 'openjdk version "11.0.1"')
    make(tmp_path / "bin" / "java", 'openjdk version "21.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java_version() == 21


@pytest.mark.usefixtures("only_java")
def test_without_java_the_message_names_the_command() -> None:
    assert missing_java() == (
        "Spark needs Java 17 or later, and there is none; on Debian and Ubuntu: "
        "apt-get install --yes default-jre-headless"
    )


def test_an_old_java_is_none(only_java: Path) -> None:
    make(only_java, 'openjdk version "11.0.1"')
    assert "and this is 11;" in (missing_java() or "")


@pytest.mark.usefixtures("only_java")
def test_a_session_without_java_is_refused() -> None:
    from logdump.spark import session
    from logdump.tables.errors import SourceError

    with pytest.raises(SourceError, match="needs Java 17"):
        session()


@pytest.mark.parametrize("version", [None, 1, 8, 11, LEAST - 1, LEAST, LEAST + 1, 21, 25])
def test_what_is_missing_is_a_java_older_than_the_least(version: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "java_version", lambda: version)
    assert (missing_java() is None) == (version is not None and version >= 17)


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
    assert not {"numba", "logdump.tables.reader"} & set(loaded)


class _Session:
    """A session of Spark that finds the format or does not, and counts what is registered; its own context too."""

    def __init__(
        self, problem: str | None, kind: type[Exception] = AnalysisException, master: str = "local[2]"
    ) -> None:
        self.problem, self.kind, self.master = problem, kind, master
        self.registered: list[type] = []
        self.pythonExec = "python3"
        self.read = self.dataSource = self.sparkContext = self
        self.conf: dict[str, str] = {}

    def format(self, _name: str) -> _Session:
        return self

    def option(self, _name: str, _value: str) -> _Session:
        return self

    def load(self, _path: str) -> _Session:
        return self

    @property
    def schema(self) -> str:
        if self.problem is not None:
            raise self.kind(self.problem)
        return "rba bigint"

    def register(self, source: type) -> None:
        if self.problem in (IN_PIPELINE, THERE_ALREADY):
            raise self.kind(self.problem)
        self.registered.append(source)


IN_PIPELINE = "[ATTEMPT_ANALYSIS_IN_PIPELINE_QUERY_FUNCTION] Operations that trigger analysis are not allowed."
THERE_ALREADY = "[DATA_SOURCE_ALREADY_EXISTS] Data source 'trail' already exists."
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
        (sys.executable, THERE_ALREADY, []),
    ],
)
@pytest.mark.parametrize("kind", [AnalysisException, Py4JError], ids=["of Spark 4.0", "of Spark 4.3"])
def test_the_format_is_registered_where_spark_does_not_find_it(
    python: str | None,
    problem: str | None,
    expected: list[type],
    kind: type[Exception],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With ``--archives`` a registered source would be planned by a Python that is not on the driver.

    A query function of a pipeline may ask for nothing; what it reads was registered before.
    """
    monkeypatch.setattr(os, "environ", {"PYSPARK_PYTHON": python} if python else {})
    session = _Session(problem, kind)
    register(cast("SparkSession", session))
    assert session.registered == expected


@pytest.mark.parametrize(
    ("master", "python", "conf", "is_ours"),
    [
        ("local", None, {}, True),
        ("local[*]", None, {}, True),
        ("local[2]", "./env/bin/python", {}, False),
        ("local[2]", None, {"spark.pyspark.python": "/opt/python"}, False),
        ("yarn", None, {}, False),
        ("spark://host:7077", None, {}, False),
    ],
)
def test_workers_of_a_local_session_run_this_python_unless_another_is_named(
    master: str, python: str | None, conf: dict[str, str], is_ours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {"PYSPARK_PYTHON": python} if python else {})
    session = _Session(NOT_FOUND, master=master)
    session.conf = conf
    register(cast("SparkSession", session))
    assert session.pythonExec == (sys.executable if is_ours else "python3")


def test_another_error_of_spark_is_no_reason_to_register(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", {})
    with pytest.raises(AnalysisException, match="BadOption"):
        register(cast("SparkSession", _Session("[PYTHON_DATA_SOURCE_ERROR] BadOption")))


def test_an_error_of_the_source_has_the_traceback_of_one_call() -> None:
    """Spark prints the traceback where its session does not hide it."""
    with pytest.raises(BadOption) as met:
        TrailSource({"path": str(TRAILS), "mode": "lenient"}).schema()
    assert len(met.traceback) == 2, "that of the test, and that of the source"


SESSION_OF_ONES_OWN = """
import sys
sys.path.insert(0, {root!r})
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.sparkContext.setLogLevel("OFF")
import logdump.spark
logdump.spark.register(spark)
logdump.spark.register(spark)
trail = spark.read.format("trail").load({path!r})
print(trail.schema.names[:2], trail.count())
"""


@pytest.mark.slow
@pytest.mark.spark
@pytest.mark.parametrize("is_activated", [True, False])
def test_register_works_in_a_session_of_ones_own_whose_workers_do_not_find_the_format(
    is_activated: bool, tmp_path: Path
) -> None:
    """The workers have a Python of their own; or the environment is not activated, so that ``python3`` is another."""
    code = SESSION_OF_ONES_OWN.format(root=str(Path(__file__).parents[3]), path=str(TRAILS / "et000000000"))
    names = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    python = Path(sys.executable)
    if is_activated:
        names["PYSPARK_PYTHON"] = (
            f"{python.parent}/./{python.name}"  # as one for the workers only: the format is sought
        )
    else:
        names.pop("PYSPARK_PYTHON", None)
        other = tmp_path / "bin" / "python3"
        other.parent.mkdir()
        other.write_text(f'#!/bin/sh\nexec {python} -S "$@"\n', encoding="utf-8")
        other.chmod(0o755)
        names["PATH"] = f"{other.parent}{os.pathsep}{names['PATH']}"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=names, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1:] == ["['file', 'seqno'] 22"], done.stderr[-2000:]
