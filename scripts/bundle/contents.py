"""What is in the folder of the bundle: the launcher, Python less what the program does not use, packages, licences."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from scripts import wheelhouse
from scripts.bundle.interpreter import GLIBC, PYTHON
from scripts.bundle.sources import CannotBundle, every_source, run
from scripts.bundle.symbols import highest_glibc, programs_and_libraries

MACHINE = "x86_64"


class Kind(NamedTuple):
    """A kind of bundle: the word in its name after the version, empty for none, and the extras that are in it."""

    word: str
    extras: Sequence[str]


KINDS = (Kind("", ("tui", "packed")), Kind("full", ("tui", "packed", "export", "xlsx", "sql")))
_UNUSED = (
    # of Python
    "python/include",
    "python/share/man",
    "python/lib/pkgconfig",
    "python/lib/libpython*.a",
    "python/lib/python*/config-*",
    "python/lib/python*/ensurepip",
    "python/lib/python*/idlelib",
    "python/lib/python*/pydoc_data",
    "python/lib/python*/sqlite3",
    "python/lib/python*/test",
    "python/lib/python*/tkinter",
    "python/lib/python*/turtledemo",
    "python/lib/python*/turtle.py",
    "python/lib/python*/venv",
    "python/bin/idle*",
    "python/bin/pydoc*",
    "python/bin/python3",
    "python/bin/python*-config",
    "python/bin/[!ip]*",  # programs of packages
    "python/bin/pygmentize",
    # of packages: what their own tests, builds and type checkers use
    "python/lib/python*/site-packages/**/tests",
    "python/lib/python*/site-packages/**/*.pyi",
    "python/lib/python*/site-packages/numpy/_core/*_tests.*.so",
    "python/lib/python*/site-packages/numpy/_core/_simd.*.so",
    "python/lib/python*/site-packages/numpy/_core/include",
    "python/lib/python*/site-packages/numpy/f2py",
    "python/lib/python*/site-packages/numpy/**/*.a",
    "python/lib/python*/site-packages/zstandard/_cffi.*",
    "python/lib/python*/site-packages/pyarrow/include",
    "python/lib/python*/site-packages/pyarrow/src",
    "python/lib/python*/site-packages/pyarrow/*.p[xy][dxi]",
    "python/lib/python*/site-packages/pyarrow/libarrow_flight.*",
    "python/lib/python*/site-packages/pyarrow/_flight.*",
    "python/lib/python*/site-packages/pyarrow/libarrow_python_flight.*",
    "python/lib/python*/site-packages/pyarrow/_substrait.*",
)
_README = """logdump {version}: reads trail files of Oracle GoldenGate, without GoldenGate.

    ./logdump check /u01/ogg/dirdat/lt
    ./logdump help pages

Nothing is to be installed: this folder may lie anywhere, read-only too, and a link to the program works.
It needs Linux on x86-64 with glibc {glibc} or later. Do not unpack another version into this folder.
The folder licences says what else is in here.
"""


def fill(folder: Path, home: Path, wheels: Path, kind: Kind) -> None:
    """Fill an empty folder with a kind of bundle.

    Args:
        folder: becomes the root of the bundle.
        home: what ``interpreter.build`` has made.
        wheels: has the wheel of this checkout, and gets those that it requires.
        kind: which extras are in it.

    Raises:
        CannotBundle: a wheel is missing, or a file needs a newer C library than is promised.
    """
    shutil.copytree(home / "prefix" / "python", folder / "python", symlinks=True)
    shutil.copy2(home / "logdump", folder / "logdump")
    requirements = list(wheelhouse.requirements(kind.extras))
    if wheelhouse.download(wheels, PYTHON, MACHINE, requirements):
        raise CannotBundle(f"not all wheels for Python {PYTHON} can be fetched")
    python = folder / "python" / "bin" / f"python{PYTHON}"
    _install(python, wheels, kind)
    # without /proc the loader does not know where Python is, but where numpy is
    for library in (folder / "python" / "lib").glob("lib*.so.*"):
        shutil.copy2(library, folder / "python" / "lib" / f"python{PYTHON}" / "site-packages" / "numpy.libs")
    for pattern in _UNUSED:
        for path in sorted(folder.glob(pattern), reverse=True):
            _remove(path)
    for path in folder.glob("python/lib/python*/site-packages/zstandard/*.so"):
        run(["strip", "--strip-debug", str(path)], folder)  # nine tenths of it
    _compile(python, folder)
    _describe(folder, home, version_of(wheels))
    too_new = {path: highest_glibc(path) for path in programs_and_libraries(folder) if highest_glibc(path) > GLIBC}
    if too_new:
        raise CannotBundle(f"needs a newer glibc than {GLIBC}: {too_new}")


def version_of(wheels: Path) -> str:
    """Return the version of the wheel of this checkout in a folder."""
    (wheel,) = wheels.glob(f"logdump-*_{MACHINE}.whl")
    return wheel.name.split("-")[1]


def _install(python: Path, wheels: Path, kind: Kind) -> None:
    """Install with the pip of this environment: the Python of the bundle has none, and reaches no network."""
    what = f"logdump[{','.join(kind.extras)}]" if kind.extras else "logdump"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--quiet", "--disable-pip-version-check"]
    options = ["--no-index", "--find-links", str(wheels), "--no-compile", "--no-warn-script-location"]
    if run([*pip, "install", *options, "--root-user-action", "ignore", what], wheels):
        raise CannotBundle(f"pip cannot install {what} from {wheels}")


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _compile(python: Path, folder: Path) -> None:
    """Compile all modules once: the folder may be read-only, and files have other times where it is unpacked."""
    for path in sorted(folder.rglob("__pycache__")):
        shutil.rmtree(path)
    where = ["-s", str(folder), "-p", "/", str(folder / "python" / "lib")]
    command = [str(python), "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", *where]
    if run(command, folder):
        raise CannotBundle("a module cannot be compiled")


def _describe(folder: Path, home: Path, version: str) -> None:
    """Write what the bundle is and which licences its parts have."""
    text = _README.format(version=version, glibc=".".join(map(str, GLIBC)))
    (folder / "README.txt").write_text(text, "utf-8")
    licences = folder / "licences"
    licences.mkdir()
    lines = [f"{source.name}: {source.file}, {source.name}.txt" for source in every_source()]
    lines += ["expat, libmpdec, HACL* and others: in Python's sources, Python-parts.txt"]
    lines += ["OpenSSL 1.1.1: in Python's module ssl, which pyarrow imports, OpenSSL.txt"]
    lines += ["musl: in the program that starts Python, musl.txt"]
    lines += ["libstdc++, libgcc: of GCC 10, with its runtime library exception, gcc-10-base.txt"]
    for path in sorted(home.glob("*.licence")):
        shutil.copyfile(path, licences / f"{path.stem}.txt")
    packages = folder / "python" / "lib" / f"python{PYTHON}" / "site-packages"
    for path in sorted(packages.glob("*.dist-info"), key=lambda path: path.name.lower()):
        lines.append(f"{path.name.removesuffix('.dist-info').replace('-', ' ')}: {path.relative_to(folder)}")
    (licences / "contents.txt").write_text("".join(f"{line}\n" for line in lines), "utf-8")
