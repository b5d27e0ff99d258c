"""What all tests share: where the material is, and how hypothesis searches."""

from __future__ import annotations

import ctypes
import gc
import marshal
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import core, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

from fixtures import TRAILS
from scripts import build_native, spark_classes
from tests.kernels import WAYS, Kernels, run
from tests.searching import IS_LONG, SEED, examples
from trailformat.codec import layout

UseZone = Callable[[str], None]
ROOT = Path(__file__).parents[1]
OF_SPARK = ("spark", "spark, the second half")
_SECOND_HALF = "tests/logdump/spark/test_p"
"""The first module of the second half, by the time that they take: each half has a session of its own."""
BUILD = layout.build
"""As it is without :func:`_what_was_built_is_not_built_again`."""
FSYNC = os.fsync
"""As it is without :func:`_is_not_durable`."""
_MOST_KEPT = 100_000
_EVIDENCE = ROOT.parent / "shared" / "evidence"

# The tests start the program some thousand times: without its bytecode each start compiles what it imports again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
for _name, _value in spark_classes.environment().items():
    os.environ.setdefault(_name, _value)
settings.register_profile("drawn", max_examples=examples(100), deadline=None, print_blob=True, database=None)
settings.load_profile("drawn")
core.global_force_seed = SEED  # type: ignore[assignment]
# Hypothesis draws numbers and texts of the program too: from the modules that are loaded, so that an example would
# depend on the tests before it, and with a search through all of them for each range that is drawn from.
providers._get_local_constants = Constants


@pytest.fixture
def held_by_permissions() -> Iterator[None]:
    """A test run by root reads what its owner may read, and nothing else."""
    if os.geteuid() != 0:
        yield
        return
    libc, header, sets = ctypes.CDLL(None), (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    libc.capget(header, sets)
    effective = sets[0]
    sets[0] = effective & ~0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
    libc.capset(header, sets)
    yield
    sets[0] = effective
    libc.capset(header, sets)


@pytest.fixture(autouse=True)
def _in_the_same_folder() -> Iterator[None]:
    """What CD and the like have changed does not reach the next test."""
    before = Path.cwd()
    yield
    os.chdir(before)


@pytest.fixture(scope="session")
def evidence() -> Path:
    """The folder with the real trail and the transcripts, which are not ours to copy."""
    if not _EVIDENCE.is_dir():
        pytest.skip(f"no evidence at {_EVIDENCE}")
    return _EVIDENCE


@pytest.fixture(scope="session")
def as_after_make_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the fixtures, the examples, and ``.venv/bin/logdump``."""
    home = tmp_path_factory.mktemp("logdump")
    shutil.copytree(TRAILS, home / "fixtures" / "trails")
    shutil.copytree(Path(__file__).parents[1] / "examples", home / "examples")
    programs = home / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "logdump").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m logdump "$@"\n')
    (programs / "logdump").chmod(0o755)
    (programs / "activate").write_text(f'PATH="{programs}:$PATH"\n')
    return home


@pytest.fixture(params=WAYS, ids=lambda way: way.value)
def kernels(request: pytest.FixtureRequest) -> Iterator[None]:
    """Kernels run as machine code, and once more interpreted."""
    way: Kernels = request.param
    with run(way):
        yield


@pytest.fixture(scope="session", autouse=True)
def _is_not_durable() -> Iterator[None]:
    """Files of most tests need not outlive the machine: writing waits for the disk under ``synced`` alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", os.fstat)
        yield


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The paths that are fsynced, in order, by the names that they have then; nothing replaces fsync."""
    paths: list[Path] = []

    def sync(handle: int) -> None:
        FSYNC(handle)
        paths.append(Path(f"/proc/self/fd/{handle}").readlink())

    monkeypatch.setattr(os, "fsync", sync)
    return paths


@pytest.fixture(scope="session", autouse=True)
def _what_was_built_is_not_built_again() -> Iterator[None]:
    """Drawn trails consist of the same tokens and columns again and again, and construct is slow."""
    kept: dict[tuple[int, bytes], tuple[object, bytes]] = {}

    def build_once(built_layout: Any, value: Any, what: str) -> bytes:
        try:
            key = id(built_layout), marshal.dumps(value, 2)
        except ValueError:  # a value that has a class of its own
            return BUILD(built_layout, value, what)
        if key not in kept:
            if len(kept) == _MOST_KEPT:
                kept.clear()
            kept[key] = built_layout, BUILD(built_layout, value, what)  # the layout too, so that no other gets its id
        return kept[key][1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(layout, "build", build_once)
        yield


@pytest.fixture(scope="session")
def trails() -> Path:
    """The folder of the fixtures' trails."""
    return TRAILS


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-golden``: see tests/transcripts."""
    parser.addoption("--update-golden", action="store_true", help="write the transcripts' answers again")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Build the kernels where that can be done; under ``-n`` whole modules go to the workers, in their order."""
    if not hasattr(config, "workerinput") and not build_native.is_built():
        subprocess.run([sys.executable, "-m", "scripts.build_native", "--if-possible"], check=True, cwd=ROOT)
    if getattr(config.option, "dist", "no") == "load":
        config.option.dist = "loadscope"
        config.option.loadscopereorder = False


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say which draws these are."""
    terminal = session.config.pluginmanager.getplugin("terminalreporter")
    if terminal is not None:
        terminal.write_line(f"SEED={SEED} draws the same again")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say it at each failure too."""
    report = yield
    if report.failed:
        report.sections.append(("draws", f"SEED={SEED} draws the same again"))
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker tells of a test that has passed once, not six times: that took a twentieth of the processor time."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Workers begin with the tests that need Spark, which take longest; slow ones are for the long form."""
    for item in items:
        if not IS_LONG and item.get_closest_marker("slow") is not None:
            item.add_marker(pytest.mark.skip(reason="make test-long has the time"))
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: [*OF_SPARK, scope_of(item.nodeid)].index(scope_of(item.nodeid)))


def pytest_collection() -> None:
    """What collecting makes stays to the end: the collector of garbage need not go through it again and again."""
    gc.disable()


def pytest_collection_finish() -> None:
    """See ``pytest_collection``. At the default threshold collections took an eighth of the tests' processor time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()


@cache
def _scope_of_module(path: str) -> str:
    if "mark.spark" not in (ROOT / path).read_text(encoding="utf-8"):
        return path
    return OF_SPARK[path >= _SECOND_HALF]


def scope_of(nodeid: str) -> str:
    """What goes to one worker together: a module, or half of those that need Spark, whose session starts slowly."""
    return _scope_of_module(nodeid.split("::", maxsplit=1)[0])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Whole modules go to whichever worker is free: their fixtures are made once."""
    if config.option.dist != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    scheduler = LoadScopeScheduling(config, log)
    scheduler._split_scope = scope_of
    return scheduler


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say it loudly when Spark's tests were left out."""
    skipped = [report for report in terminalreporter.getreports("skipped") if isinstance(report, pytest.TestReport)]
    of_spark = [report.longrepr for report in skipped if "spark" in report.keywords]
    reasons = [why[2] for why in of_spark if isinstance(why, tuple)]
    without_java = [reason for reason in reasons if "needs Java" in reason]
    if without_java:
        terminalreporter.section("SPARK WAS NOT TESTED", yellow=True, bold=True)
        terminalreporter.line(f"{len(without_java)} tests: {without_java[0]}", yellow=True)


@pytest.fixture
def use_zone() -> Iterator[UseZone]:
    """Sets the machine's zone for one test."""
    with pytest.MonkeyPatch.context() as patch:

        def use(zone: str) -> None:
            patch.setenv("TZ", zone)
            time.tzset()

        yield use
    time.tzset()
