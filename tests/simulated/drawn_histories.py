"""Trails that are drawn: restarts, cuts, copies, roll-overs, damage, overwrite mode, missing files."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from fixtures.flavour import MYSQL_21, Flavour
from tests.searching import IS_LONG, Random
from tests.simulated.extract import Written
from tests.simulated.recovery import append_recovery, overwritten, rebuilt
from tests.simulated.restarted_replicat import History, Zeros

KINDS = ("append", "rebuilt", "overwritten", "damaged", "damaged copies", "missing", "damaged missing", "gap")


@contextmanager
def drawn(kind: str, seed: int, flavour: Flavour = MYSQL_21) -> Iterator[History]:
    """A trail of a kind, in a folder into which nothing else is written.

    The short form asks for the same few trails in each test: they are kept. In the long form the folder goes.
    """
    if not IS_LONG:
        yield _kept(kind, seed, flavour)
        return
    with tempfile.TemporaryDirectory() as name:
        yield _drawn_in(Path(name), kind, seed, flavour)


@cache
def _kept(kind: str, seed: int, flavour: Flavour) -> History:
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return _drawn_in(Path(folder), kind, seed, flavour)


def _drawn_in(folder: Path, kind: str, seed: int, flavour: Flavour) -> History:
    random = Random(seed)
    if kind == "overwritten":
        made = overwritten(folder, random, flavour)
        first_left = min((record.rba for record in made.left), default=made.path.stat().st_size)
        zeros = [Zeros(made.path, made.end, first_left)] if made.is_broken else []
        return History([made.path], made.written, zeros)
    if kind in ("rebuilt", "damaged copies"):
        extract = rebuilt(folder, random, flavour).extract
    else:
        extract = append_recovery(folder, random, flavour)
    paths, written = list(extract.paths), list(extract.written)
    zeros = [_destroyed(random, written) for _ in range(random.randint(1, 2) if "damaged" in kind else 0)]
    if "missing" in kind:
        paths = _files_from(random, paths)
    elif kind == "gap":
        paths = _without_one(random, paths)
    written, zeros = (
        [record for record in written if record.path in paths],
        [stretch for stretch in zeros if stretch.path in paths],
    )
    return History(paths, written, zeros)


def _destroyed(random: Random, written: list[Written]) -> Zeros:
    """One record whose bytes become zeros."""
    record = random.choice(written)
    data = record.path.read_bytes()
    stop = record.rba + record.length
    record.path.write_bytes(data[: record.rba] + bytes(record.length) + data[stop:])
    return Zeros(record.path, record.rba, stop)


def _files_from(random: Random, paths: list[Path]) -> list[Path]:
    """The files from one on; those before it are removed."""
    first = random.randrange(len(paths))
    for path in paths[:first]:
        path.unlink()
    return paths[first:]


def _without_one(random: Random, paths: list[Path]) -> list[Path]:
    """All files but one between the first and the last, which is removed, if there is one."""
    if len(paths) < 3:
        return paths
    gone = paths[random.randrange(1, len(paths) - 1)]
    gone.unlink()
    return [path for path in paths if path != gone]
