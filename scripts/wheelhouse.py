"""``python -m scripts.wheelhouse [--pythons …] [--machines …] [--extras …]``: all wheels for a host without a network.

``dist/wheelhouse`` gets the wheels of this checkout, those that they and their extras require, for each Python and
machine, and ``install.sh``; it is there with all of them or not at all. PySpark is left out: it is a source package of
some 430 MB.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "dist" / "wheelhouse"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
MACHINES = ("x86_64", "aarch64")
EXTRAS = ("tui", "export", "xlsx", "sql", "packed", "remote", "gs", "azure", "apply", "kafka", "mcp")
"""All that a user may install but spark, which is no wheel."""
_GLIBC = ("manylinux2014", *(f"manylinux_2_{minor}" for minor in range(5, 29)))
"""Tags of wheels that run on glibc 2.28, the oldest that is served: pip takes those that are named alone."""


def main(*arguments: str) -> int:
    """Fill the folder; return the exit status, that of the first download that fails, after which it is not there."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pythons", nargs="+", default=PYTHONS, metavar="X.Y")
    parser.add_argument("--machines", nargs="+", default=MACHINES)
    parser.add_argument("--extras", nargs="*", default=EXTRAS, choices=EXTRAS)
    options = parser.parse_args(arguments)
    own = sorted((ROOT / "dist").glob("logdump-*.whl"))
    if not own:
        sys.stderr.write("There is no wheel in dist: make wheels makes it.\n")
        return 1
    wheels = HOUSE / "wheels"
    shutil.rmtree(HOUSE, ignore_errors=True)
    wheels.mkdir(parents=True)
    for wheel in own:
        shutil.copy2(wheel, wheels)
    shutil.copy2(ROOT / "scripts" / "install.sh", HOUSE)
    for python in options.pythons:
        for machine in options.machines:
            if status := download(wheels, python, machine, list(requirements(options.extras))):
                shutil.rmtree(HOUSE)
                said = f"not all wheels for Python {python} on {machine} can be fetched"
                sys.stderr.write(f"There is no wheelhouse: {said}.\n")
                return status
    size = sum(path.stat().st_size for path in wheels.iterdir())
    sys.stdout.write(f"{HOUSE}: {len(list(wheels.iterdir()))} wheels, {size / 1e6:.0f} MB\n")
    return 0


def requirements(extras: Sequence[str]) -> Iterator[str]:
    """Yield what the package and some of its extras require, but for other extras of the package and PySpark."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    named = [*project["dependencies"], *(text for extra in extras for text in optional[extra])]
    yield from dict.fromkeys(text for text in named if re.split(r"[\[<>=]", text)[0] not in ("logdump", "pyspark"))


def download(wheels: Path, python: str, machine: str, wanted: Sequence[str]) -> int:
    """Download wheels for a Python and a machine to a folder; return the exit status of pip."""
    platforms = [word for glibc in _GLIBC for word in ("--platform", f"{glibc}_{machine}")]
    where = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(wheels)]
    command = [sys.executable, "-m", "pip", "download", *where, "--python-version", python, *platforms, *wanted]
    return subprocess.run(command, check=False).returncode  # noqa: S603 - our own command


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
