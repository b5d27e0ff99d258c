"""A position moves over a long stretch of a trail that has no change of its tables, so that files may be purged."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import logdump
from logdump.targets.dialects.oracle import OracleDialect
from logdump.targets.dialects.target_url import TargetUrl
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

ROW = {"ID": "INT64", "NAME": "VARCHAR"}


def test_a_position_moves_where_its_tables_have_no_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As soon as the last commit is ten seconds old, and not with each batch."""
    place, random, now = sqlite_place(tmp_path), Random(), 0.0
    trail = Trail(dict.fromkeys(("S.T", "S.U"), ROW))
    trail.insert("S.T", 1, "one")
    for number in range(60):
        trail.insert("S.U", number, "other")
    path = trail.write(tmp_path / "a")
    commits = list[logdump.ApplyProgress]()

    def clock() -> float:
        nonlocal now
        now += random.choice((0.5, 1.0))
        return now

    monkeypatch.setattr("logdump.targets.applier.time.monotonic", clock)
    given: dict[str, Any] = {"create": True, "once": True, "maxTransactionsPerTrigger": 1, "progress": commits.append}
    logdump.apply(path, place.url, "S.T", **given)
    [(reached, start)] = place.query("SELECT place, start_at FROM logdump_position")
    assert 3 < len(commits) < 30
    assert commits[-1].rows == 1
    size = path.stat().st_size
    assert int(reached[11:27]) > size // 2
    assert start == reached


def test_texts_of_oracle_are_read_as_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """CLOB and NCLOB are fetched as strings by its own connections alone."""
    oracledb = pytest.importorskip("oracledb")
    connection = SimpleNamespace(outputtypehandler=None)
    monkeypatch.setattr(oracledb, "connect", lambda **_given: connection)
    before = oracledb.defaults.fetch_lobs
    OracleDialect(TargetUrl.of("oracle://joe:x@h/s", "oracle")).connect()
    cursor = SimpleNamespace(arraysize=7, var=lambda kind, arraysize: (kind, arraysize))
    kinds = {name: getattr(oracledb, f"DB_TYPE_{name}") for name in ("CLOB", "NCLOB", "BLOB", "NUMBER", "VARCHAR")}
    handled: Any = connection.outputtypehandler
    taken = {name: handled(cursor, SimpleNamespace(type_code=kind)) for name, kind in kinds.items()}
    text = (oracledb.DB_TYPE_LONG, 7)
    assert taken == {"CLOB": text, "NCLOB": text, "BLOB": None, "NUMBER": None, "VARCHAR": None}
    assert oracledb.defaults.fetch_lobs == before
