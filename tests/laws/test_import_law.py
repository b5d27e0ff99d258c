"""What is loaded when: the arrows between the packages, and the heavy packages that line mode does without."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.laws.imports import modules, nodes_of

HEAVY = {"textual", "pyspark", "pyarrow", "numpy", "numba", "llvmlite", "pandas"}
ROOT = Path(__file__).parents[2]
_TRAIL = str(TRAILS / "et000000000")


def _run(commands: str, *arguments: str, status: int = 0) -> str:
    return f"assert main({[*arguments, '-c', f'open {_TRAIL}; {commands}']!r}) == {status}"


STEPS = {
    "next": _run("n"),
    "count": _run("count detail"),
    "engine": _run("engine spark local[4]; engine; help sql; sql", status=1),
    "json": _run("n", "--format", "jsonl"),
    "screen": "import logdump.tui.app",
    "sql": _run("sql select op, count(*) from records group by op"),
    "columns": _run("sql select op, after_PRICE from teahouse.teas"),
    "restarts": _run("sql select count(*) from restarts"),
    "export": _run("export parquet to {folder} by table"),
    "read": f"from tests.logdump.tables.reads import rows\nassert rows({_TRAIL!r})",
}
"""What one fresh Python does, in this order: what is not loaded after a step, the steps before it do without too."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The modules that are loaded after each step."""
    folder = str(tmp_path_factory.mktemp("exported") / "rows")
    note = "sys.stderr.write('\\nLOADED ' + ' '.join(sys.modules) + '\\n')"
    program = "\n".join(["import sys", "from logdump.cli import main", *(f"{step}\n{note}" for step in STEPS.values())])
    command = [sys.executable, "-c", program.replace("{folder}", folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    noted = [set(line.split()) for line in done.stderr.splitlines() if line.startswith("LOADED ")]
    return dict(zip(STEPS, noted, strict=True))


MOST_MODULES = {"n": 60, "count": 75, "count detail": 75, "coun": 75, "help": 60}
"""Modules of ours, packages among them, that a command by itself may load."""
MOST_FILES = {"n": 44, "count": 50, "safe": 60}
"""Files of ours whose functions run when a command runs by itself: opening a trail passes through 32 of them."""
MOST_IN_FUNCTIONS = 90
"""Imports inside functions: ``with on_demand`` defers what is heavy or seldom needed."""


@pytest.mark.parametrize("command", MOST_MODULES)
def test_a_command_loads_few_modules(command: str) -> None:
    note = "sys.stderr.write(' '.join(sys.modules))"
    program = f"import sys\nfrom logdump.cli import main\n{_run(command)}\n{note}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    )
    ours = [name for name in done.stderr.split() if name in modules()]
    assert len(ours) <= MOST_MODULES[command], ours


_PASSED = """
import sys, threading
from logdump.cli import main
files = set()
def note(frame, event, argument):
    code, caller = frame.f_code, frame
    while caller is not None and (caller.f_code.co_name != "<module>" or caller.f_code.co_filename == "<string>"):
        caller = caller.f_back
    if event == "call" and caller is None and code.co_flags & 1:
        files.add(code.co_filename)
sys.setprofile(note)
threading.setprofile(note)
"""
"""Notes the files whose functions are called, but for calls while a module is loaded; bodies of classes lack flag 1."""


@pytest.mark.parametrize("command", MOST_FILES)
def test_a_command_passes_through_few_files(command: str) -> None:
    program = f"{_PASSED}\n{_run(command)}\nsys.setprofile(None)\nsys.stderr.write('\\n'.join(files))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    )
    paths = {str(path) for path in modules().values()}
    ours = [name for name in done.stderr.splitlines() if name in paths]
    assert len(ours) <= MOST_FILES[command], sorted(ours)


def test_few_imports_stand_inside_functions() -> None:
    inside = [
        f"{module}:{node.lineno}"
        for module, path in modules().items()
        for function in nodes_of(path)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert len(set(inside)) <= MOST_IN_FUNCTIONS, sorted(set(inside))


@pytest.mark.parametrize("step", ["next", "count", "engine"])
def test_nothing_heavy_is_loaded(step: str, loaded: dict[str, set[str]]) -> None:
    assert {name.split(".")[0] for name in loaded[step]} & HEAVY == set()


def test_a_small_read_in_spark_does_without_numba(loaded: dict[str, set[str]]) -> None:
    assert "numba" not in loaded["read"]


@pytest.mark.parametrize(
    ("step", "unneeded"),
    [
        ("sql", {"pyspark", "pyarrow.compute", "numpy.ma", "logdump.filters"}),
        ("columns", {"pyspark", "numpy.ma", "logdump.filters"}),
        ("export", set()),
    ],
)
def test_what_goes_through_arrow_loads_no_pandas(step: str, unneeded: set[str], loaded: dict[str, set[str]]) -> None:
    assert "pyarrow" in loaded[step]
    # DuckDB 1.5 imports it itself, where it is installed, and what it imports
    by_duckdb = {"pandas", "pyarrow.compute", "numpy.ma"} if version("duckdb") < "2" else set[str]()
    assert not loaded[step] & ({"pandas", *unneeded} - by_duckdb)


def test_a_statement_loads_the_analyses_that_it_names(loaded: dict[str, set[str]]) -> None:
    views = [name for name in loaded["restarts"] if re.fullmatch(r"logdump\.features\.\w+\.views", name)]
    assert views == ["logdump.features.recovery.views"]


def test_json_the_filters_and_construct_are_loaded_for_those_who_ask(loaded: dict[str, set[str]]) -> None:
    assert {"json", "logdump.filters", "construct"}.isdisjoint(loaded["next"])
    assert "logdump.display.json_record" in loaded["json"] - loaded["engine"]
    assert {"logdump.features.recovery.json", "construct"}.isdisjoint(loaded["json"])


def test_the_screen_loads_what_other_pages_need_when_they_are_shown(loaded: dict[str, set[str]]) -> None:
    of_other_pages = ("logdump.filters", "logdump.features.timeline", "logdump.features.ddl", "logdump.display.diff")
    assert [name for name in loaded["screen"] if name.startswith(of_other_pages)] == []
