"""REDO of the effective trail leaves the rows of the source, also where a part of the trail was written again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from fixtures.flavour import MYSQL_21
from tests.logdump.line import Line
from tests.logdump.statements.servers import PostgreSQLServer
from tests.simulated.recovery import append_recovery, rebuilt
from tests.simulated.replicat import replicat
from tests.simulated.source import Rows


def _script(paths: list[Path], folder: Path) -> Iterator[str]:
    """EXPORT SQL of all files."""
    line = Line()
    line(f"across on; open {paths[0]}; export sql to {folder / 'script.sql'} postgresql")
    line.session.close()
    yield from (folder / "script.sql").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("seed", range(3))
def test_postgresql_applies_the_effective_trail_and_has_the_rows_of_the_source(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int
) -> None:
    made = rebuilt(tmp_path, Random(seed), MYSQL_21)
    script = _script(made.extract.paths, tmp_path)
    assert postgresql.rows_after(made.source.first_rows, script) == shown(made.source.rows)


@pytest.mark.parametrize("seed", range(3))
def test_postgresql_has_the_rows_of_the_source_whatever_the_kills(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int
) -> None:
    extract = append_recovery(tmp_path, Random(seed), MYSQL_21)
    expected, _ = replicat(extract.written, extract.first_rows)
    assert postgresql.rows_after(extract.first_rows, _script(extract.paths, tmp_path)) == shown(expected)


def shown(rows: Rows) -> list[str]:
    """Rows as the server tells them."""
    return sorted("|".join("NULL" if one is None else str(one) for one in row) for row in rows.values())
