"""What REDO prints of any trail leaves the rows that a Replicat leaves, and UNDO brings the first ones back.

The trails are those of an Extract that is killed and started again, rolls over inside of transactions, and whose files
are cut and damaged (:mod:`tests.simulated`).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logdump.display.sql import DIALECTS, Opening, SqlScript, Statement, script_lines, statement_lines
from logdump.notation.times import TimeOffset
from tests.logdump.statements.servers import PostgreSQLServer
from tests.searching import Random, examples
from tests.simulated.extract import Extract, Written
from tests.simulated.memory_database import memory_database
from tests.simulated.replicat import replicat
from tests.simulated.source import Rows, Source
from trailformat import TrailError, TrailFile

_DIALECT = DIALECTS["POSTGRESQL"]
_CREATE = "CREATE TABLE teahouse.teas (tea_code, name, origin, grade, price NUMERIC, stock_kg NUMERIC);"
_GARBAGE = b"\x00\x07no record\xff"


class Simulated(NamedTuple):
    """A trail, what is in it, and the rows in front of it."""

    paths: list[Path]
    written: list[Written]
    first_rows: Rows


def simulate(folder: Path, random: Random) -> Simulated:
    """A trail of some transactions, which may end inside one."""
    source, extract = Source(random), Extract(folder, random)
    for _ in range(random.randint(1, 7)):
        extract.write(source.transaction())
    end = random.random()
    if end < 0.3:
        extract.open_end(source.transaction())
    elif end < 0.5:
        extract.cut(source.transaction())
    extract.close()
    return Simulated(extract.paths, extract.written, source.first_rows)


class Printed(NamedTuple):
    """The lines of a script by transaction, known by its first record; and the RBA of the damage that ended it."""

    transactions: dict[tuple[Path, int], list[str]]
    skipped: list[str]
    failed_at: int | None


def printed(path: Path, *, takes_back: bool = False) -> Printed:
    """The script of one file, from its beginning."""
    found: dict[tuple[Path, int], list[str]] = {}
    skipped: list[str] = []
    lines = skipped
    try:
        with TrailFile(path) as trail:
            for item in SqlScript(trail, _DIALECT, takes_back=takes_back).items(0):
                if isinstance(item, Statement):
                    assert item.sql is not None or item.reason == "no column is changed", item.reason
                    lines += statement_lines(item)
                    continue
                if isinstance(item, Opening):
                    assert item.extent.begin is not None
                    lines = found.setdefault((item.extent.begin.path, item.extent.begin.rba), [])
                lines += script_lines(item, _DIALECT, TimeOffset(0))
                if lines[-1] == _DIALECT.commit:
                    lines = skipped
    except TrailError as error:
        return Printed(found, skipped, error.rba)
    return Printed(found, skipped, None)


def whole_script(paths: list[Path], *, takes_back: bool = False) -> Iterator[str]:
    """Each transaction once, from file after file, up to damage; the last file first where they are taken back."""
    done: set[tuple[Path, int]] = set()
    for path in reversed(paths) if takes_back else paths:
        script = printed(path, takes_back=takes_back)
        for begin, lines in script.transactions.items():
            if begin not in done:
                done.add(begin)
                yield from lines
        yield from script.skipped
        if script.failed_at is not None:
            return


def run_on_sqlite(rows: Rows, lines: Iterator[str]) -> Rows:
    """The rows that a script leaves of these."""
    database = memory_database(isolation_level=None)
    database.execute("ATTACH ':memory:' AS teahouse")
    database.execute(_CREATE)
    values = [[str(value) if isinstance(value, Decimal) else value for value in row] for row in rows.values()]
    database.executemany("INSERT INTO teahouse.teas VALUES (?, ?, ?, ?, ?, ?)", values)
    database.executescript("\n".join(lines))
    assert not database.in_transaction
    found = database.execute("SELECT * FROM teahouse.teas").fetchall()
    return {row[0]: (*row[:4], Decimal(str(row[4])), Decimal(str(row[5]))) for row in found}


def same(found: Rows, expected: Rows) -> bool:
    return found.keys() == expected.keys() and all(found[key] == expected[key] for key in found)


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=examples(15))
def test_redo_leaves_the_rows_of_a_replicat_and_undo_brings_the_first_ones_back(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trail = simulate(Path(folder), Random(seed))
        expected, _ = replicat(trail.written, trail.first_rows)
        left = run_on_sqlite(trail.first_rows, whole_script(trail.paths))
        assert same(left, expected)
        assert same(run_on_sqlite(expected, whole_script(trail.paths, takes_back=True)), trail.first_rows)


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=examples(15))
def test_every_file_tells_each_transaction_that_has_records_in_it_whole_and_once(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trail = simulate(Path(folder), Random(seed))
        _, applied = replicat(trail.written, trail.first_rows)
        for path in trail.paths:
            here = [_begin(records) for records in applied if any(record.path == path for record in records)]
            assert list(printed(path).transactions) == here
            assert list(printed(path, takes_back=True).transactions) == here[::-1]


def _begin(records: list[Written]) -> tuple[Path, int]:
    return records[0].path, records[0].rba


@given(seed=st.integers(0, 1 << 32))
@example(seed=441)
@settings(max_examples=examples(15))
def test_damage_ends_the_script_and_what_it_touches_is_not_run(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trail = simulate(Path(folder), Random(seed))
        at = Random(seed).randrange(len(trail.written)) if trail.written else None
        if at is None:
            return
        hit = trail.written[at]
        data = bytearray(hit.path.read_bytes())
        garbage = (_GARBAGE * hit.length)[: hit.length]
        data[hit.rba : hit.rba + hit.length] = garbage
        hit.path.write_bytes(data)
        expected, _ = replicat(trail.written[:at], trail.first_rows)
        assert same(run_on_sqlite(trail.first_rows, whole_script(trail.paths)), expected)
        assert printed(hit.path).failed_at == hit.rba


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=examples(15))
def test_a_trail_that_is_still_written_gives_what_is_whole(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trail = simulate(Path(folder), Random(seed))
        last = trail.paths[-1]
        here = [record for record in trail.written if record.path == last]
        if not here:
            return
        cut = Random(seed).choice(here)
        size = cut.rba + Random(seed).randrange(1, cut.length)
        last.write_bytes(last.read_bytes()[:size])
        left = [record for record in trail.written if record.path != last or record.rba < cut.rba]
        expected, _ = replicat(left, trail.first_rows)
        assert same(run_on_sqlite(trail.first_rows, whole_script(trail.paths)), expected)
        assert same(run_on_sqlite(expected, whole_script(trail.paths, takes_back=True)), trail.first_rows)


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=examples(15))
def test_half_a_transaction_is_never_run_where_a_file_is_missing(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        trail = simulate(Path(folder), Random(seed))
        gone = Random(seed).choice(trail.paths)
        gone.unlink()
        _, applied = replicat(trail.written, trail.first_rows)
        whole = [_begin(records) for records in applied if all(record.path != gone for record in records)]
        for path in trail.paths:
            assert path == gone or printed(path).transactions.keys() <= set(whole)


@pytest.mark.parametrize("seed", range(6))
def test_postgresql_leaves_the_rows_of_a_replicat(postgresql: PostgreSQLServer, tmp_path: Path, seed: int) -> None:
    trail = simulate(tmp_path, Random(seed))
    expected, _ = replicat(trail.written, trail.first_rows)
    assert postgresql.rows_after(trail.first_rows, whole_script(trail.paths)) == _shown(expected)
    back = whole_script(trail.paths, takes_back=True)
    assert postgresql.rows_after(expected, back) == _shown(trail.first_rows)


def _shown(rows: Rows) -> list[str]:
    return sorted("|".join("NULL" if value is None else str(value) for value in row) for row in rows.values())
