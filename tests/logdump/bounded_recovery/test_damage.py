"""A place of damage counts once, whichever command counts it, and whatever transaction it stands in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.features.bounded_recovery.model import BoundedRecoveryShown
from logdump.features.explain.model import Explained
from logdump.features.recovery.model import RecoveryShown
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random, examples
from tests.simulated.bounded_recovery import HOUR, Worked, write_trail
from trailformat import TrailFile

TRANSACTIONS = [Worked(number, (number * HOUR,) * 4, number * HOUR) for number in range(6)]
"""Each of four records."""


def rows(path: Path) -> list[tuple[int, int]]:
    """RBA and length of each row."""
    with TrailFile(path) as trail:
        return [
            (record.rba, record.length)
            for record in trail.records()
            if not (record.is_file_header or record.is_metadata)
        ]


def damage(path: Path, places: list[tuple[int, int]]) -> None:
    """Make the middle of these records, their length in it, unreadable."""
    content = bytearray(path.read_bytes())
    for rba, length in places:
        content[rba : rba + length // 2] = bytes(length // 2)
    path.write_bytes(content)


def counted(line: Line, path: Path) -> Iterator[int]:
    """The places that RECOVERY, BR and EXPLAIN LAG count."""
    for command in ("recovery", "br", "explain lag"):
        line(f"open {path}; {command}")
        for event in line.events:
            if isinstance(event, RecoveryShown | BoundedRecoveryShown | Explained):
                yield event.state.damaged if isinstance(event, RecoveryShown) else event.damaged


@pytest.mark.parametrize("row", range(0, 24, 1 if IS_LONG else 5))
def test_damage_in_any_record_of_a_transaction_is_one_place(row: int, line: Line, tmp_path: Path) -> None:
    path = write_trail(tmp_path / "br000000000", TRANSACTIONS)
    damage(path, [rows(path)[row]])
    assert list(counted(line, path)) == [1, 1, 1]


@pytest.mark.parametrize("seed", range(examples(6)))
def test_places_of_damage_are_as_many_for_all_commands(seed: int, line: Line, tmp_path: Path) -> None:
    random = Random(seed)
    for seqno in range(2):
        path = write_trail(
            tmp_path / f"br{seqno:09}",
            [transaction._replace(number=transaction.number + 10 * seqno) for transaction in TRANSACTIONS],
        )
        damage(path, random.sample(rows(path)[::2], random.randint(0, 5)))
        if random.random() < 0.5:
            path.write_bytes(path.read_bytes()[:-40])
    recovery, *others = counted(line, path)
    assert others == [recovery, recovery]
