"""Whatever the damage: the copy is sound, has all that the damage did not touch, and nothing that was not there."""

from __future__ import annotations

import tempfile
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.session.check_events import CheckShown
from tests.logdump.line import Line
from tests.searching import examples
from tests.simulated.damage import KINDS, Damage, damaged
from trailformat import Record, TrailFile
from trailformat.changes.transactions import BEGINS, ENDS, is_transactional
from trailformat.records.io_types import RECORD_FRAGMENT

SOUND = tuple(sorted(path.name for path in TRAILS.iterdir() if path.name[0] not in "bcfghmw" and path.name[2:] != ""))


class Truth(NamedTuple):
    """A transaction of a sound file: its records, and where it begins and ends."""

    rows: tuple[bytes, ...]
    start: int
    stop: int


@cache
def _transactions(name: str) -> list[Truth]:
    """The transactions of a fixture that are whole, by TransInd alone."""
    found: list[Truth] = []
    rows: list[Record] = []
    with TrailFile(TRAILS / name) as trail:
        for record in filter(is_transactional, trail.records()):
            stop, trans_ind = record.rba + record.length, record.header.trans_ind
            if record.header.io_type == RECORD_FRAGMENT:
                if rows:
                    rows.append(record)
                elif found and found[-1].stop == record.rba:
                    found[-1] = found[-1]._replace(rows=(*found[-1].rows, record.raw), stop=stop)
                continue
            rows = [record] if trans_ind in BEGINS else [*rows, record]
            if trans_ind in ENDS:
                if rows[0].header.trans_ind in BEGINS:
                    found.append(Truth(tuple(one.raw for one in rows), rows[0].rba, stop))
                rows = []
    return found


class Run(NamedTuple):
    """A repair of a damaged fixture."""

    line: Line
    source: Path
    target: Path
    original: Path
    damage: Damage


def _rows(path: Path) -> list[bytes]:
    with TrailFile(path) as trail:
        return [record.raw for record in trail.records() if is_transactional(record)]


def _repaired(folder: Path, name: str, damage: Damage, words: str = "") -> Run | None:
    """A fixture, damaged and repaired, with its definitions and header at hand; None where nothing is left of it."""
    source, target, original = folder / "in" / name, folder / "out" / name, TRAILS / name
    for path in (source, target):
        path.parent.mkdir(exist_ok=True)
    source.write_bytes(damage.data)
    line = Line()
    line(f"open {source}")
    if line.failures:
        return None
    line(f"repair to {target} definitions {original} {words}")
    if line.failures and "HEADER FROM" in line.failures[0].lines[0]:
        line(f"repair to {target} definitions {original} {words} header from {original}")
    return Run(line, source, target, original, damage)


def _has_in_a_row(rows: list[bytes], part: tuple[bytes, ...]) -> bool:
    return any(tuple(rows[at : at + len(part)]) == part for at in range(len(rows) - len(part) + 1))


DAMAGE = st.builds(
    lambda name, seed, kind, place: (name, seed, kind, place),
    st.sampled_from(SOUND),
    st.integers(0, 1 << 32),
    st.sampled_from(KINDS),
    st.floats(0, 1, exclude_max=True),
)


def _damage(name: str, seed: int, kind: str, place: float) -> Damage:
    data = (TRAILS / name).read_bytes()
    return damaged(Random(seed), data, kind, int(place * len(data)))


@given(drawn=DAMAGE)
@settings(max_examples=examples(60), deadline=None)
def test_a_copy_is_sound_and_has_every_transaction_that_was_not_touched(
    drawn: tuple[str, int, str, float],
) -> None:
    name, damage = drawn[0], _damage(*drawn)
    with tempfile.TemporaryDirectory() as folder:
        before = sha256(damage.data).digest()
        run = _repaired(Path(folder), name, damage)
        if run is None:
            return
        assert run.line.failures == []
        rows = _rows(run.target)
        for one in _transactions(name):
            if not damage.touches(one.start, one.stop):
                assert _has_in_a_row(rows, one.rows), one.start
        assert all(row in damage.data for row in rows)
        assert sha256(run.source.read_bytes()).digest() == before
        assert [path.name for path in run.target.parent.iterdir()] == [name]
        run.line(f"check {run.target}")
        (checked,) = (event for event in run.line.events if isinstance(event, CheckShown))
        assert checked.gaps == 0
