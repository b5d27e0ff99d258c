"""What a commit costs does not grow with the tables that it does not change, and each has its position."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from logdump.targets.database import DatabaseTarget
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

_POSITION = re.compile(r"(?:UPDATE|INSERT INTO) logdump_position\b")


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The statements on positions, as they are sent."""
    made: list[str] = []
    make = DatabaseTarget._cursor

    class Cursor:
        def __init__(self, cursor: Any) -> None:
            self._cursor = cursor

        def __getattr__(self, name: str) -> Any:
            found = getattr(self._cursor, name)
            if not name.startswith("execute"):
                return found

            def noted(statement: str, *given: Any) -> Any:
                made.extend(_POSITION.findall(statement))
                return found(statement, *given)

            return noted

    monkeypatch.setattr(DatabaseTarget, "_cursor", lambda target: Cursor(make(target)))
    return made


def test_positions_of_many_tables_are_sent_together_whichever_are_there(
    tmp_path: Path, place: Place, apply: Apply, calls: list[str]
) -> None:
    random, names = Random("many"), [f"S.T{number}" for number in range(12)]
    trail = Trail({name: {"ID": "INT64", "N": "INT32"} for name in names})
    for key in range(3):
        calls.clear()
        for name in names if key == 0 else random.sample(names, 2):
            trail.insert(name, key, random.randrange(100))
        path = trail.write(tmp_path / "a")
        apply(path, place, [*names], create=True)
        assert 0 < len(calls) <= 4, calls
    rows = place.query("SELECT table_name, place, csn FROM logdump_position")
    assert {row[0] for row in rows} == {*names}
    assert len({row[1:] for row in rows}) == 1


def test_positions_that_go_during_a_run_are_written_again(tmp_path: Path, place: Place, apply: Apply) -> None:
    names = [f"S.T{number}" for number in range(6)]
    trail = Trail({name: {"ID": "INT64", "N": "INT32"} for name in names})
    for key in range(6):
        for name in names:
            trail.insert(name, key, key)
    path = trail.write(tmp_path / "a")
    lots = iter([names, names[:1], names[2:4]])

    def remove(_progress: object) -> None:
        gone = next(lots, [])
        place.run(*(f"DELETE FROM logdump_position WHERE table_name = '{name}'" for name in gone))

    apply(path, place, [*names], create=True, batch=path.stat().st_size // 5, progress=remove)
    assert next(lots, None) is None
    assert {row[0] for row in place.query("SELECT table_name FROM logdump_position")} == {*names}
    assert len({row[0] for row in place.query("SELECT place FROM logdump_position")}) == 1
