"""Whatever the damage: the copy is sound, has all that the damage did not touch, and nothing that was not there."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from fixtures.flavour import ORACLE_12
from logdump.features.repair.model import RepairShown
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.simulated.damage import KINDS, Damage, damaged
from tests.simulated.pairs import drawn, written
from trailformat import ByteOrder, Record, TrailFile
from trailformat.changes.transactions import is_transactional
from trailformat.records.record_header import BEGINS, ENDS, RECORD_FRAGMENT

SOUND = tuple(sorted(path.name for path in TRAILS.iterdir() if path.name[0] not in "bcfghmw"))
SEEDS = st.integers(0, 1 << 32)
NOTHING = "There is no record to copy and no file header"


class Truth(NamedTuple):
    """A transaction of sound files: its records, and where each begins and ends in which file."""

    rows: tuple[bytes, ...]
    extents: tuple[tuple[int, int, int], ...]

    def is_touched(self, damage: dict[int, Damage]) -> bool:
        """Whether damage lies between its first byte and its last; damage at the edge of a file on the way does too."""
        first, last = self.extents[0], self.extents[-1]
        for file, span in damage.items():
            start = first[1] if file == first[0] else 0
            stop = last[2] if file == last[0] else 1 << 40
            if first[0] <= file <= last[0] and span.touches(start, stop):
                return True
        return False


def transactions_of(paths: list[Path]) -> list[Truth]:
    """The whole transactions of sound files, by TransInd alone."""
    found: list[list[tuple[int, Record]]] = []
    rows: list[tuple[int, Record]] = []
    for number, path in enumerate(paths):
        with TrailFile(path) as trail:
            for record in filter(is_transactional, trail.records()):
                if record.header.io_type == RECORD_FRAGMENT:
                    (rows or found[-1]).append((number, record))
                    continue
                rows = rows if record.header.trans_ind not in BEGINS else []
                rows.append((number, record))
                if record.header.trans_ind in ENDS:
                    found += [rows] if rows[0][1].header.trans_ind in BEGINS else []
                    rows = []
    return [
        Truth(
            tuple(record.raw for _, record in numbered),
            tuple((number, record.rba, record.rba + record.length) for number, record in numbered),
        )
        for numbered in found
    ]


@cache
def _of_fixture(name: str) -> list[Truth]:
    return transactions_of([TRAILS / name])


def names_of(paths: list[Path]) -> list[tuple[bytes, str]]:
    """The rows of files that have no damage, and the names of their tables."""
    found = []
    for path in paths:
        with TrailFile(path) as trail:
            found += [(record.raw, trail.name_of(record)) for record in trail.records() if is_transactional(record)]
    return found


def has_in_a_row(rows: list[bytes], part: tuple[bytes, ...]) -> bool:
    """Whether a transaction is among rows, whole."""
    return any(tuple(rows[at : at + len(part)]) == part for at in range(len(rows) - len(part) + 1))


def repaired(source: str, target: Path, words: str) -> Line:
    """A session that has repaired files, and before told the same without doing it."""
    line = Line()
    line(f'repair over "{source}" to {target} dry {words}')
    told = [str(event).replace("is_dry=True", "is_dry=False") for event in line.events]
    assert not target.parent.exists() or list(target.parent.iterdir()) == []
    line(f'repair over "{source}" to {target} {words}')
    assert [str(event) for event in line.events] == told
    return line


@given(name=st.sampled_from(SOUND), seed=SEEDS, kind=st.sampled_from(KINDS), place=st.floats(0, 1, exclude_max=True))
@settings(max_examples=examples(15), deadline=None)
def test_a_copy_has_every_transaction_that_was_not_touched(name: str, seed: int, kind: str, place: float) -> None:
    data = (TRAILS / name).read_bytes()
    damage = damaged(Random(seed), data, kind, int(place * len(data)))
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder) / name, Path(folder) / "out" / name
        source.write_bytes(damage.data)
        target.parent.mkdir()
        words = f"definitions {TRAILS / name}"
        line = repaired(str(source), target, words)
        if line.failures and "HEADER FROM" in line.failures[0].lines[0]:
            line = repaired(str(source), target, f"{words} header from {TRAILS / name}")
        rows = [raw for raw, _ in names_of([target] if target.exists() else [])]
        assert [
            failure for failure in line.failures if not failure.bad and not failure.lines[0].startswith(NOTHING)
        ] == []
        for truth in _of_fixture(name):
            assert truth.is_touched({0: damage}) or has_in_a_row(rows, truth.rows)
        assert all(row in damage.data for row in rows)
        assert source.read_bytes() == damage.data


@given(seed=SEEDS)
@settings(max_examples=examples(8), deadline=None)
def test_rows_of_a_copied_trail_have_the_tables_that_they_had(seed: int) -> None:
    """Lost definitions come from the files beside; a row whose definition is nowhere is not in the copy."""
    random = Random(seed)
    flavour = replace(ORACLE_12, order=random.choice(list(ByteOrder)))
    with tempfile.TemporaryDirectory() as folder:
        source = written(Path(folder) / "a", drawn(random, 9), flavour=flavour, cuts=random, is_headed=seed % 2 == 0)
        files = sorted((Path(folder) / "a").iterdir())
        transactions, names = transactions_of(files), dict(names_of(files))
        number = random.randrange(len(files))
        data = files[number].read_bytes()
        first = data.index(b"TEAHOUSE.TEAS")
        at = random.choice((first + random.randrange(14, 600), random.randrange(len(data))))
        damage = damaged(random, data, random.choice(KINDS), min(at, len(data) - 1))
        files[number].write_bytes(damage.data)
        target = Path(folder) / "b" / "cp000000000"
        target.parent.mkdir()
        line = repaired(source, target, random.choice(("", "skip whole", "megabytes 1")))
        shown = [event for event in line.events if isinstance(event, RepairShown)][-1]
        rows = names_of(sorted(target.parent.iterdir()))
        if len(shown.definitions_lost) == 0:
            for truth in transactions:
                assert truth.is_touched({number: damage}) or has_in_a_row([raw for raw, _ in rows], truth.rows)
        if shown.places:
            assert [name for raw, name in rows if names.get(raw, name) != name] == []
