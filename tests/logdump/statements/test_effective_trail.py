"""REDO of the effective trail leaves the rows of the source, also where a part of the trail was written again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fixtures.flavour import MYSQL_21
from logdump.render.sql import DIALECTS, SqlScript, Statement, statement_lines
from tests.logdump.recovery.surveys import effective
from tests.logdump.statements.servers import PostgreSQLServer
from tests.simulated.recovery import append_recovery, rebuilt
from tests.simulated.replicat import replicat
from tests.simulated.source import Rows
from trailformat import TrailFile


def _script(paths: list[Path]) -> Iterator[str]:
    """REDO of the effective trail."""
    dialect = DIALECTS["POSTGRESQL"]
    for spot in effective(paths):
        with TrailFile(spot.path) as trail:
            for item in SqlScript(trail, dialect).items(spot.rba, 1):
                if isinstance(item, Statement):
                    yield from statement_lines(item)


@pytest.mark.parametrize("seed", range(3))
def test_postgresql_applies_the_effective_trail_and_has_the_rows_of_the_source(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int
) -> None:
    made = rebuilt(tmp_path, Random(seed), MYSQL_21)
    found = postgresql.rows_after(made.source.first_rows, _script(made.extract.paths))
    assert found == shown(made.source.rows)


@pytest.mark.parametrize("seed", range(3))
def test_postgresql_has_the_rows_of_the_source_whatever_the_kills(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int
) -> None:
    extract = append_recovery(tmp_path, Random(seed), MYSQL_21)
    expected, _ = replicat(extract.written, extract.first_rows)
    assert postgresql.rows_after(extract.first_rows, _script(extract.paths)) == shown(expected)


def shown(rows: Rows) -> list[str]:
    """Rows as the server tells them."""
    return sorted("|".join("NULL" if one is None else str(one) for one in row) for row in rows.values())
