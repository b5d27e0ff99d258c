"""What may be a change of a table that is read, undefined or damaged, is never left out without a word."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import logdump
from logdump.tables.errors import LOG, BadTrail
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.test_changes import changes_in
from tests.logdump.tables.test_tables import rows_of
from tests.searching import Random

FIRST, MIDDLE, LAST = TABLES = ("S.FIRST", "S.MIDDLE", "S.LAST")
Read = Callable[..., list[dict[str, Any]]]
READS: dict[str, Read] = {
    "rows": lambda path, **given: rows_of(path, LAST, **given),
    "changes": lambda path, **given: changes_in(path, FIRST, LAST, **given),
    "all changes": lambda path, **given: changes_in(path, *TABLES, **given),
    "messages of ogg": lambda path, **given: changes_in(path, *TABLES, messages="ogg", **given),
    "messages of debezium": lambda path, **given: changes_in(path, *TABLES, messages="debezium", **given),
}
SEEN = {"rows": [LAST], "changes": [FIRST, LAST]}
"""The tables of a read; all of them otherwise."""


class Written(NamedTuple):
    """A folder with files of which the second does not define a table, and the table of each change by file."""

    folder: Path
    tables: list[list[str]]


@pytest.fixture
def written(request: pytest.FixtureRequest, tmp_path: Path) -> Written:
    random, tables = Random(request.node.name), list[list[str]]()
    more = [MIDDLE] * 2 * ("PERMISSIVE" in request.node.name)  # so that some cases lose three changes or more
    for number in range(random.randint(2, 3)):
        trail = Trail({table: {"ID": "INT64"} for table in TABLES})
        trail._number = 100 * number  # no transaction is a copy of one in another file
        order = [*TABLES, *more, *random.choices(TABLES, k=random.randint(0, 6))]
        tables.append(random.sample(order, len(order)))
        for at, table in enumerate(tables[-1]):
            trail.insert(table, at)
        if number == 1:
            trail.undefine(MIDDLE)
        trail.write(tmp_path / "one").rename(tmp_path / f"tt{number:09}")
    (tmp_path / "one").rmdir()
    return Written(tmp_path, tables)


@pytest.mark.parametrize("undecodable", [None, "fail", "null"])
@pytest.mark.parametrize("read", READS)
def test_it_ends_a_read_that_may_pass_over_nothing(read: str, undecodable: str | None, written: Written) -> None:
    given = {} if undecodable is None else {"undecodable": undecodable}
    with pytest.raises(BadTrail, match=r"tt000000001.*RBA \d+: a change of a table that is not defined before it"):
        READS[read](written.folder, **given)


@pytest.mark.parametrize("mode", ["PERMISSIVE", "DROPMALFORMED"])
@pytest.mark.parametrize("read", READS)
def test_they_are_counted_where_damage_may_be_passed_over(
    read: str, mode: str, written: Written, caplog: pytest.LogCaptureFixture
) -> None:
    seen, lost = SEEN.get(read, TABLES), written.tables[1].count(MIDDLE)
    with caplog.at_level(logging.WARNING, LOG):
        told = READS[read](written.folder, mode=mode)
    changes = sum(table in seen for tables in written.tables for table in tables)
    assert len(told) == changes - lost * (MIDDLE in seen)
    lines = [record.getMessage() for record in caplog.records]
    assert lines
    change = r"/tt000000001, .*RBA (\d+): a change of a table that is not defined .*"
    told_of = [re.search(rf"{change}; it (?:is|and (\d+) more up to RBA (\d+) are) left out$", text) for text in lines]
    assert sum(1 + int(found[2] or 0) for found in told_of if found) == lost
    assert all(found and int(found[1]) < int(found[3] or found[1]) + (found[2] is None) for found in told_of)


@pytest.mark.parametrize("mode", ["FAILFAST", "PERMISSIVE", "DROPMALFORMED"])
@pytest.mark.parametrize("read", [name for name in READS if name != "rows"])
@pytest.mark.parametrize("is_whole_file", [True, False])
def test_damage_has_no_row_among_changes_but_is_told(
    read: str, mode: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, *, is_whole_file: bool
) -> None:
    for number in range(3):
        trail = Trail({table: {"ID": "INT64"} for table in TABLES})
        trail._number = 100 * number
        for table in TABLES:
            trail.insert(table, number)
        path = trail.write(tmp_path / "one").rename(tmp_path / f"tt{number:09}")
        if number == 1:
            path.write_bytes(b"this is no record" * 9 + path.read_bytes() * (not is_whole_file))
    (tmp_path / "one").rmdir()
    if mode == "FAILFAST":
        with pytest.raises(BadTrail, match="tt000000001"):
            READS[read](tmp_path)
        return
    with caplog.at_level(logging.WARNING, LOG):
        told = READS[read](tmp_path, mode=mode)
    assert len(told) == (3 - is_whole_file) * len(SEEN.get(read, TABLES))
    assert caplog.records
    assert all("/tt000000001" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("mode", ["FAILFAST", "PERMISSIVE", "DROPMALFORMED"])
@pytest.mark.parametrize("case", range(3))
def test_where_may_pass_over_nothing_either(
    mode: str, case: int, written: Written, caplog: pytest.LogCaptureFixture
) -> None:
    """A condition that cannot tell of a change ends the read, or says so; one that can tell is answered."""
    random = Random(f"where {mode} {case}")
    wanted = random.randrange(8)
    where = random.choice([f"VALUE ID = {wanted}", "FILENAME S.*", "RECTYPE 5"])
    decides = where == "RECTYPE 5" or MIDDLE not in written.tables[1]
    table = logdump.read(str(written.folder), where=where, mode=mode)
    with caplog.at_level(logging.WARNING, LOG):
        if mode == "FAILFAST" and not decides:
            with pytest.raises(BadTrail, match=r"tt000000001.*RBA \d+: whether the change matches is not known"):
                table.to_arrow()
            return
        rows = table.to_arrow().to_pylist()
    assert ("whether the change matches is not known" in caplog.text) is not decides
    defined = [name for number, names in enumerate(written.tables) for name in names if number != 1 or name != MIDDLE]
    if where == "FILENAME S.*":
        assert [row["table"] for row in rows if row["op"] == "Insert"] == defined
