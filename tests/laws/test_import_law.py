"""What is loaded when: the arrows between the packages, and the heavy packages that line mode does without."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from fixtures import TRAILS

HEAVY = {"textual", "pyspark", "pyarrow", "numpy", "numba", "llvmlite", "pandas"}
OF_OTHERS = {"pyspark", "pyarrow.compute", "numpy.ma", "logdump.filters"}
"""What takes long to load and an answer in SQL does not need."""
TRAIL = TRAILS / "et000000000"
ROOT = Path(__file__).parents[2]


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh Python has loaded after ``code``."""
    program = f"{code}\nimport sys\nsys.stderr.write(' '.join(sys.modules))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, timeout=60)
    return set(done.stderr.split())


def run(commands: str, *arguments: str) -> str:
    return f"from logdump.cli import main\nmain([{''.join(f'{one!r}, ' for one in arguments)}'-c', {commands!r}])"


@pytest.mark.parametrize(
    "code",
    [
        run(f"open {TRAIL}; n; count detail"),
        run("engine spark local[4]; engine; help sql; sql"),
    ],
)
def test_nothing_heavy_is_loaded(code: str) -> None:
    assert {name.split(".")[0] for name in loaded_by(code)} & HEAVY == set()


def test_a_small_read_in_spark_does_without_numba() -> None:
    read = f"from tests.logdump.spark.reads import rows\nassert rows({str(TRAIL)!r})"
    assert "numba" not in loaded_by(read)


@pytest.mark.parametrize(
    ("command", "unneeded"),
    [
        (
            "sql select op, count(*) from records group by op",
            {"pyspark", "pyarrow.compute", "numpy.ma", "logdump.filters"},
        ),
        ("sql select op, after_PRICE from teahouse.teas", {"pyspark", "numpy.ma", "logdump.filters"}),
        ("export parquet to {folder} by table", set()),
    ],
)
def test_what_goes_through_arrow_loads_no_pandas(command: str, unneeded: set[str], tmp_path: Path) -> None:
    loaded = loaded_by(run(f"open {TRAIL}; {command.format(folder=tmp_path / 'rows')}"))
    assert "pyarrow" in loaded
    assert not loaded & {"pandas", *unneeded}


def test_a_statement_loads_the_analyses_that_it_names() -> None:
    loaded = loaded_by(run(f"open {TRAIL}; sql select count(*) from restarts"))
    analyses = {name.rpartition(".")[2] for name in loaded if name.startswith("logdump.spark.analyses.")}
    assert analyses & {"ddl", "heartbeats", "transactions"} == {"transactions"}


def test_json_the_filters_and_construct_are_loaded_for_those_who_ask() -> None:
    plain = loaded_by(run(f"open {TRAIL}; n"))
    assert {"json", "logdump.filters", "construct"}.isdisjoint(plain)
    in_json = loaded_by(run(f"open {TRAIL}; n", "--format", "jsonl"))
    assert "logdump.display.json_record" in in_json
    assert {"logdump.features.recovery.json", "construct"}.isdisjoint(in_json)


def test_the_screen_loads_what_other_pages_need_when_they_are_shown() -> None:
    of_other_pages = ("logdump.filters", "logdump.features.timeline", "logdump.features.ddl", "logdump.display.diff")
    assert [name for name in loaded_by("import logdump.tui.app") if name.startswith(of_other_pages)] == []
