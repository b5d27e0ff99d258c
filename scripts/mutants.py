"""``python -m scripts.mutants [<area> …]``: count the deliberate mistakes in the code that the tests notice.

mutmut changes one operator, number, name or argument at a time in the modules that decide correctness, and runs the
tests that call the changed function. Each area is one run in a copy of the repository, which takes less than an hour. A
mistake that mypy refuses counts as noticed; one that changes nothing is listed in ``mutants.toml`` with the reason.
``--write`` puts the figures of the areas that ran into tests/robustness.md.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.marked import ROOT, table, with_content

PAGE = ROOT / "tests" / "robustness.md"
EXPLAINED = ROOT / "scripts" / "mutants.toml"
WORKSHOP = ROOT / "build" / "mutants"
MARKER = "mutants"
HEAD = ("area", "mistakes", "noticed by tests", "by types", "explained", "not noticed", "noticed or explained")


class Area(NamedTuple):
    """Modules that get mistakes, and the tests that must notice them (globs relative to the root)."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


class Figures(NamedTuple):
    """Numbers of the mistakes of an area by outcome; ``unnoticed`` are mutmut's names of those that passed."""

    total: int
    by_tests: int
    by_types: int
    explained: int
    unnoticed: tuple[str, ...]


class Explanation(NamedTuple):
    """A mistake that changes nothing: the module, the original lines, and the lines with the mistake."""

    module: str
    was: str
    becomes: str


_COMMANDS = "tests/logdump/commands/"
_TRANSCRIPTS = "tests/transcripts"
_EXPORT = "tests/logdump/export/test_"
_STATEMENTS = "tests/logdump/statements/test_"

AREAS = {
    "statements": Area(
        ("logdump/display/sql/*.py",),
        (
            *(_STATEMENTS + name for name in ("[acl]*.py", "dialects.py", "replicat.py", "s*.py")),
            _COMMANDS + "test_redo.py",
            _TRANSCRIPTS,
        ),
    ),
    "export": Area(
        tuple(
            f"logdump/features/export/{name}*.py"
            for name in ("[a-q]", "record_b", "record_w", "sql_sc", "ta", "text_e", "text_f")
        ),
        (
            _EXPORT + "[fhmoptw]*.py",
            _EXPORT + "row*.py",
            _COMMANDS + "test_export.py",
            "tests/logdump/test_second_runs.py",
            "tests/logdump/test_writing_across.py",
        ),
    ),
    "lines": Area(
        (
            *(f"logdump/features/export/{name}.py" for name in ("record_lines", "record_lists", "record_pieces")),
            *(f"logdump/features/export/{name}.py" for name in ("line_count", "text_export")),
            "logdump/arrow/tables/lines.py",
            "trailformat/arrays/lines.py",
            "trailformat/scan/rows/related.py",
        ),
        (_EXPORT + "text*.py", _EXPORT + "line_count.py", "tests/trailformat/arrays/test_lines.py"),
    ),
    "scripts": Area(
        tuple(
            f"logdump/display/sql/{name}.py" for name in ("block*", "changed_rows", "literals", "object_rows", "units")
        ),
        (_EXPORT + "sql*.py",),
    ),
    "tables": Area(
        ("logdump/arrow/tables/[a-km-z]*.py", "logdump/arrow/tables/layout.py"),
        (_EXPORT + "generated.py", _EXPORT + "ro*.py", "tests/logdump/tables"),
    ),
    "changes": Area(
        ("trailformat/changes/row_changes.py", "trailformat/changes/encrypted.py", "trailformat/records/columns.py"),
        (
            "tests/trailformat/test_changes*.py",
            "tests/trailformat/test_update_halves.py",
            "tests/trailformat/test_encrypted.py",
            "tests/trailformat/test_full_images.py",
            "tests/trailformat/test_images.py",
            "tests/trailformat/test_lobs.py",
            "tests/trailformat/test_segments.py",
            "tests/logdump/test_encrypted_trails.py",
            _COMMANDS + "test_values.py",
        ),
    ),
    "transactions": Area(
        (
            "trailformat/changes/transaction*.py",
            "trailformat/transactions/tracker.py",
            "trailformat/transactions/walk.py",
            "trailformat/transactions/extents.py",
            "trailformat/transactions/around.py",
        ),
        ("tests/trailformat/test_transaction*.py", _COMMANDS + "test_transaction.py", _COMMANDS + "test_restarts.py"),
    ),
    "segments": Area(
        ("trailformat/changes/segments.py",),
        (
            "tests/trailformat/test_segment*.py",
            "tests/trailformat/test_whole_records.py",
            _COMMANDS + "test_values.py",
            _TRANSCRIPTS,
        ),
    ),
    "lobs": Area(
        ("trailformat/changes/lobs.py", "trailformat/records/columns.py"),
        ("tests/trailformat/test_lob*.py", _COMMANDS + "test_lob.py", "tests/logdump/statements"),
    ),
    "values": Area(
        ("trailformat/values/*.py",), ("tests/trailformat/values", "tests/trailformat/test_definitions_file.py")
    ),
    "filters": Area(("logdump/filters/*.py",), ("tests/logdump/filters", "tests/logdump/test_selection.py")),
    "parameters": Area(
        ("logdump/parameters/*.py",),
        ("tests/logdump/parameters", "tests/logdump/ddl", _COMMANDS + "test_params.py"),
    ),
    "ddl": Area(
        ("logdump/features/ddl/*.py", "logdump/notation/sql_tokens.py", "logdump/features/ddl/text.py"),
        ("tests/logdump/ddl", _COMMANDS + "test_ddl.py", _COMMANDS + "test_params.py", _TRANSCRIPTS),
    ),
    "framing": Area(
        ("trailformat/records/framing.py", "trailformat/trail/resync.py"),
        (
            "tests/trailformat/test_framing*.py",
            "tests/trailformat/test_trail_file.py",
            "tests/trailformat/scan/test_resync.py",
        ),
    ),
    "record": Area(
        ("trailformat/records/record.py", "trailformat/records/record_header.py"),
        ("tests/trailformat/test_record*.py", "tests/trailformat/test_trail_writer.py"),
    ),
    "safe": Area(
        ("logdump/features/safe/text.py", "logdump/features/safe/json.py", "logdump/commands/transaction.py"),
        (_COMMANDS + "test_transaction.py", _COMMANDS + "test_restarts.py", _TRANSCRIPTS, "tests/logdump/display"),
    ),
    "position": Area(
        ("logdump/commands/position.py", "logdump/session/cursor.py"),
        (
            _COMMANDS + "test_position.py",
            _COMMANDS + "test_scan.py",
            _COMMANDS + "test_find.py",
            "tests/logdump/questions/test_interrupted.py",
            _TRANSCRIPTS,
        ),
    ),
    "save": Area(
        ("logdump/features/save/*.py",),
        (
            _COMMANDS + "test_save.py",
            "tests/logdump/test_range_saving.py",
            "tests/logdump/test_second_runs.py",
        ),
    ),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the named areas, or all; return the exit status, 1 if a run failed."""
    parser = argparse.ArgumentParser(description="How many deliberate mistakes the tests notice, by area.")
    parser.add_argument("areas", nargs="*", metavar="area", help=f"one of {', '.join(AREAS)}; all unless named")
    parser.add_argument("--write", action="store_true", help="put the figures into tests/robustness.md")
    parser.add_argument("--show", action="store_true", help="show each mistake that passed")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.areas if name not in AREAS]
    if unknown:
        parser.error(f"no area {', '.join(unknown)}; there are {', '.join(AREAS)}")
    for name in options.areas or AREAS:
        figures = run(name, AREAS[name])
        if figures is None:
            return 1
        sys.stdout.write(" | ".join(row_of(name, figures)) + "\n")
        if options.show:
            sys.stdout.writelines(f"{mutant}\n{diff}\n" for mutant, diff in differences(name, figures.unnoticed))
        if options.write:
            PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), name, figures), encoding="utf-8")
    return 0


def run(name: str, area: Area) -> Figures | None:
    """Return the figures of one area; None if mutmut failed, for which its log has the reason."""
    workshop = WORKSHOP / name
    shutil.rmtree(workshop, ignore_errors=True)
    copy_repository(workshop)
    with (workshop / "pyproject.toml").open("a", encoding="utf-8") as project:
        project.write(settings(area, workshop))
    with (workshop / "tests" / "conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(_QUIET_CHILDREN)
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    with (workshop / "mutmut.log").open("w", encoding="utf-8") as log:
        done = subprocess.run(
            [sys.executable, "-m", "mutmut", "run"],
            cwd=workshop,
            env=alone,
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    statuses = dict(results(workshop))
    if done.returncode or not statuses:
        sys.stderr.write(f"mutmut failed on {name}: see {workshop / 'mutmut.log'}\n")
        return None
    return figures_of(name, statuses)


def figures_of(name: str, statuses: dict[str, int | None]) -> Figures:
    """Return the figures of an area from mutmut's exit codes by mistake."""
    passed = [mutant for mutant, status in statuses.items() if status not in _NOTICED]
    known = explanations()
    explained = {mutant for mutant, diff in differences(name, passed) if mistake_in(mutant, diff) in known}
    by_types = Counter(statuses.values())[_BY_TYPES]
    unnoticed = tuple(mutant for mutant in passed if mutant not in explained)
    return Figures(len(statuses), len(statuses) - len(passed) - by_types, by_types, len(explained), unnoticed)


def copy_repository(target: Path) -> None:
    """Copy every file of the repository that git tracks or does not ignore."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()  # noqa: S603
    for name in names:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


_SOURCES = ["trailformat", "logdump"]
_HANGS = 5
"""A mistake hangs if its tests take this many times as long as without it."""


def settings(area: Area, workshop: Path) -> str:
    """Return the section of pyproject.toml that mutmut reads."""
    copied = sorted(
        path.name for path in workshop.iterdir() if path.name not in {"trailformat", "logdump", "pyproject.toml"}
    )
    tests = [path for pattern in area.tests for path in sorted(map(str, relative(workshop, pattern)))]
    members = {
        "source_paths": _SOURCES,
        "only_mutate": list(area.modules),
        "also_copy": copied,
        "pytest_add_cli_args": ["-p", "no:xdist", "-p", "no:cacheprovider", "-x", "-m", "not spark"],
        "pytest_add_cli_args_test_selection": tests,
        "timeout_multiplier": _HANGS,
        "type_check_command": [sys.executable, "-m", "mypy", "--output=json", "--no-warn-unused-ignores", *_SOURCES],
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in members.items()]
    return "\n".join(["", "[tool.mutmut]", *lines, ""])


def relative(workshop: Path, pattern: str) -> Iterator[Path]:
    """Return the files and folders in the workshop that match a glob, relative to it."""
    return (path.relative_to(workshop) for path in workshop.glob(pattern))


_QUIET_CHILDREN = """

@pytest.fixture(autouse=True, scope="session")
def _children_count_no_calls() -> None:
    import os

    if os.environ.get("MUTANT_UNDER_TEST") == "stats":
        del os.environ["MUTANT_UNDER_TEST"]
"""
"""Without it, a program that a test starts while mutmut records calls would look for mutmut's settings."""

_BY_TYPES = 37
_NOTICED = frozenset({1, 3, _BY_TYPES, 36, 24, 152, 255, -24, -11, -9, -7})
"""mutmut's exit codes of noticed mistakes: a test failed, mypy refused it, it hung, it crashed."""


def results(workshop: Path) -> Iterator[tuple[str, int | None]]:
    """Yield the name of each mistake and mutmut's exit code for it."""
    for path in (workshop / "mutants").rglob("*.meta"):
        yield from json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"].items()


_SHOW = """
import sys
from mutmut.mutation.diff_apply import find_mutant, get_diff_for_mutant
paths = {}
for name in sys.stdin.read().split():
    module = name.rpartition(".")[0]
    path = paths.get(module) or find_mutant(name).path
    paths[module] = path
    print(name, get_diff_for_mutant(name, path=path), sep="\\n", end="\\0")
"""


def differences(name: str, mutants: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each of these mistakes with its difference from the original code."""
    names = "\n".join(mutants)
    if not names:
        return
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-c", _SHOW], input=names, cwd=WORKSHOP / name, capture_output=True, text=True, check=True
    )
    for part in done.stdout.split("\0")[:-1]:
        mutant, _, difference = part.partition("\n")
        yield mutant, difference


def mistake_in(mutant: str, difference: str) -> Explanation:
    """Return the module of a mistake, and the removed and added lines of its difference, without indentation."""
    lines = difference.splitlines()[2:]
    gone, come = ("\n".join(line[1:].strip() for line in lines if line.startswith(sign)) for sign in "-+")
    module = mutant.rpartition(".")[0]
    return Explanation(module, gone, come)


def explanations() -> set[Explanation]:
    """Return the mistakes for which ``mutants.toml`` has the reason why no test can notice them."""
    document = tomllib.loads(EXPLAINED.read_text(encoding="utf-8"))
    return {
        Explanation(mutant["module"], mutant["was"].strip(), mutant["becomes"].strip())
        for mutant in document.get("mutant", [])
    }


def row_of(name: str, figures: Figures) -> tuple[str, ...]:
    """Return the cells of an area's row in the table."""
    share = 1 - len(figures.unnoticed) / figures.total if figures.total else 1.0
    numbers = (figures.total, figures.by_tests, figures.by_types, figures.explained, len(figures.unnoticed))
    return (name, *map(str, numbers), f"{share:.1%}")


def page_with(text: str, name: str, figures: Figures) -> str:
    """Return the page with the row of this area replaced or added."""
    _, _, rest = text.partition(f"<!-- {MARKER} -->")
    former = [line for line in rest.partition(f"<!-- end of {MARKER} -->")[0].splitlines() if line.startswith("| ")]
    rows = {
        cells[0]: cells for line in former[2:] if (cells := tuple(cell.strip() for cell in line.strip("|").split("|")))
    }
    rows[name] = row_of(name, figures)
    return with_content(text, MARKER, table(HEAD, [rows[area] for area in AREAS if area in rows]))


if __name__ == "__main__":
    raise SystemExit(main())
