"""What is released: the Dockerfile's steps make a wheel, with which alone the first page of README runs.

The steps run without a network: setuptools and numba are those here, and so are numpy and construct, which the wheel
requires.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from functools import cache
from importlib import metadata
from pathlib import Path

import pytest

from logdump import __version__
from scripts import shown
from tests.test_documents import ROOT

setuptools = pytest.importorskip("setuptools", minversion="77", reason="the build needs it")
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
OFFLINE = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
UNCOMPILED = {"PIP_COMPILE": "0"}
"""The few modules that the tests load are compiled when they are."""
README = (ROOT / "README.md").read_text(encoding="utf-8")


@cache
def tracked() -> list[str]:
    """The files of the project, those that are new too."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    names = [name for name in done.stdout.splitlines() if (ROOT / name).is_file()]
    return names or pytest.skip("this is no checkout")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout as it is when it was built once: the library of kernels is there."""
    folder = tmp_path_factory.mktemp("source")
    built = [str(path.relative_to(ROOT)) for path in (ROOT / "trailformat" / "native").glob("kernels.*")]
    for name in [*tracked(), *built]:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes())
    return folder


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that the first stage of the Dockerfile makes."""
    wheels = tmp_path_factory.mktemp("wheels")
    run_steps(0, SOURCE=str(source), WHEELS=str(wheels))
    (made,) = wheels.iterdir()
    return made


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment with what the second stage of the Dockerfile installs, and nothing else."""
    home = tmp_path_factory.mktemp("home") / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(home)}))
    for requirement in metadata.requires("logdump") or ():
        if "extra ==" not in requirement:
            name = re.split(r"[<>=!\[; ]", requirement)[0]
            tops = {path.parts[0] for path in metadata.files(name) or () if ".." not in path.parts}
            for top in tops - {"__pycache__"}:
                (packages / top).symlink_to(str(metadata.distribution(name).locate_file(top)))
    run_steps(1, WHEELS=str(wheel.parent), PIP_PYTHON=str(home / "bin" / "python"))
    return home / "bin"


def run_steps(stage: int, **variables: str) -> None:
    """Run the RUN lines of a stage of the Dockerfile."""
    lines = re.split(r"^FROM .*$", DOCKERFILE, flags=re.MULTILINE)[stage + 1].splitlines()
    for step in (line.removeprefix("RUN ") for line in lines if line.startswith("RUN ")):
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment = {**own, **OFFLINE, **UNCOMPILED, **variables, "PATH": path}
        done = subprocess.run(
            ["sh", "-ec", step], cwd=variables["WHEELS"], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_has_every_module_the_kernels_and_what_they_read(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packages = ("logdump/", "trailformat/", "pyspark_trail/")
    modules = {name for name in tracked() if name.startswith(packages)}
    assert sorted(modules - names) == []
    assert ("trailformat/native/kernels.so" in names) == (ROOT / "trailformat" / "native" / "kernels.so").exists()
    assert wheel.name.startswith(f"logdump-{__version__}-")


def _built(source: Path, wheels: Path, *options: str) -> Path:
    """The wheel of a folder with sources, built offline at a given time."""
    environment = {**os.environ, **OFFLINE, **UNCOMPILED, "SOURCE_DATE_EPOCH": "1700000000"}
    environment.pop("PYTHONPATH", None)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(wheels), *options, str(source)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return next(wheels.iterdir())


def test_a_wheel_with_the_library_is_for_any_python_and_linux(wheel: Path) -> None:
    """The tag is right because the library needs no other one; the test of its build reads its symbols."""
    with zipfile.ZipFile(wheel) as archive:
        has_library = "trailformat/native/kernels.so" in archive.namelist()
    if not (has_library and platform.libc_ver()[0] == "glibc"):
        pytest.skip("no library for glibc is built here")
    assert wheel.name == f"logdump-{__version__}-py3-none-manylinux_2_17_{platform.machine()}.whl"


def test_a_wheel_without_the_library_is_for_all_and_leaves_the_library_there(source: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in (source / "trailformat" / "native").glob("kernels.*")}
    made = _built(source, tmp_path, "--config-settings", "kernels=none")
    assert made.name == f"logdump-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(made) as archive:
        assert [name for name in archive.namelist() if "/kernels." in name] == []
    assert {path.name: path.read_bytes() for path in (source / "trailformat" / "native").glob("kernels.*")} == before


@pytest.mark.slow
def test_the_same_sources_make_the_same_wheel_byte_for_byte_and_so_does_the_source_package(
    source: Path, tmp_path: Path
) -> None:
    """Each builds its own library; one builds beside what an older build has left."""
    program = f"import sys; sys.path.insert(0, 'scripts'); import build_backend as b; b.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, check=True)
    with tarfile.open(next(tmp_path.glob("*.tar.gz"))) as archive:
        archive.extractall(tmp_path / "package", filter="data")
    stale = tmp_path / "stale"
    shutil.copytree(source, stale, ignore=shutil.ignore_patterns("kernels.*"))
    (stale / "build" / "lib" / "logdump").mkdir(parents=True)
    (stale / "build" / "lib" / "logdump" / "of_an_older_build.py").write_text("", "utf-8")
    sources = [source, next((tmp_path / "package").iterdir()), stale]
    wheels = [_built(path, tmp_path / f"wheel{number}") for number, path in enumerate(sources)]
    assert len({wheel.name for wheel in wheels}) == 1
    assert len({wheel.read_bytes() for wheel in wheels}) == 1


def test_the_source_package_has_every_file(source: Path, tmp_path: Path) -> None:
    program = f"import sys; sys.path.insert(0, 'scripts'); import build_backend as b; b.build_sdist({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", program], cwd=source, capture_output=True, check=True)
    with tarfile.open(next(tmp_path.iterdir())) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert sorted(name for name in tracked() if name not in names and not name.startswith(".")) == []


def test_the_version_stands_in_one_place_and_is_released() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "logdump.__version__"}
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{__version__}]" in changes


def test_the_environment_has_nothing_but_the_wheel_and_what_it_requires(programs: Path) -> None:
    others = ("textual", "pyarrow", "duckdb", "numba", "llvmlite")
    text = f"import importlib.util as u; print([m for m in {others} if u.find_spec(m)])"
    done = subprocess.run([programs / "python", "-c", text], capture_output=True, text=True, check=True, cwd=programs)
    assert done.stdout == "[]\n"


def test_with_the_wheel_alone_the_first_page_prints_what_it_shows(programs: Path, tmp_path: Path) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    assert shown.updated(README, programs=programs, folder=tmp_path) == README


@pytest.mark.parametrize("page", ["finding.md", "reference/keys.md"])
def test_the_pages_of_the_documents_are_installed(programs: Path, page: str, tmp_path: Path) -> None:
    command = [str(programs / "logdump"), "help", page.rpartition("/")[2]]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines() == (ROOT / "docs" / page).read_text(encoding="utf-8").rstrip("\n").split("\n")


def test_it_runs_as_the_image_starts_it(programs: Path) -> None:
    (entry,) = re.findall(r'^ENTRYPOINT \["(.*)"\]$', DOCKERFILE, re.MULTILINE)
    done = subprocess.run([programs / entry, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"logdump {__version__}\n"
