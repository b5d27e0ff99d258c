"""What stands around statements and in place of a transaction: exact lines for each way in which one is not whole."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import cast

import pytest

from logdump.display.sql import (
    DIALECTS,
    Closing,
    NotRun,
    Opening,
    SkippedTransaction,
    Statement,
    script_lines,
    statement_lines,
)
from logdump.notation.times import TimeOffset
from tests.logdump.extents import HERE, NEXT, OPEN, OVERTAKEN, WHOLE
from tests.logdump.statements.made_changes import change
from trailformat import TrailFile
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.records.record_header import INSERT, NO_TRANSACTION, RESTART_ABEND, RESTART_OK, Transaction
from trailformat.trail.sequence import Spot
from trailformat.transactions.extent import Damage, Ended, Extent, Moment, Restart

_TIME = Moment(JULIAN_UNIX_EPOCH)
_WHOLE, _OPEN, _OVERTAKEN = (
    one._replace(records=2, first_moment=_TIME, last_moment=_TIME, tables={"SHOP.TEAS": Counter({INSERT: 2})})
    for one in (WHOLE, OPEN, OVERTAKEN)
)
_LOST = _WHOLE._replace(begin=None)
_FRONT = "-- Left out: transaction 5.2.88 CSN 4188 1970/01/01 00:00:00.000.000, RBA 100, 2 records: "
_FOREIGN = "\n; DROP TABLE x; --\x1b[2J"


class _File:
    """As much of an open file as the lines ask for."""

    path = HERE


_TRAIL = cast("TrailFile", _File())


def _lines(item: Opening | Closing | SkippedTransaction | NotRun, dialect: str = "ANSI", offset: int = 0) -> list[str]:
    return list(script_lines(item, DIALECTS[dialect], TimeOffset(offset)))


def _cut(io_type: int, at: Spot) -> Extent:
    return _OPEN._replace(ended=Ended.CUT, marker=Restart(at, io_type), after=at)


@pytest.mark.parametrize(
    ("extent", "reason"),
    [
        (_cut(RESTART_ABEND, Spot(HERE, 400)), "cut by RestartAbend at RBA 400: a Replicat drops it."),
        (
            _cut(RESTART_OK, Spot(NEXT, 9)),
            "cut by RestartOK at RBA 9 of dirdat/et000000008: a Replicat drops it.",
        ),
        (_OVERTAKEN, "it has no last record, the next begins at RBA 400: a Replicat drops it."),
        (
            _OVERTAKEN._replace(after=Spot(NEXT, 9)),
            "it has no last record, the next begins at RBA 9 of dirdat/et000000008: a Replicat drops it.",
        ),
        (_LOST._replace(missing=NEXT), "it begins in dirdat/et000000008, which is not here."),
        (_LOST, "its first record is not here."),
        (_OPEN._replace(missing=NEXT), "it continues in dirdat/et000000008, which is not here."),
        (_OPEN, "it is open at the end of the trail: its rest is not written yet, or will never come."),
        (
            _OPEN._replace(damage=(Damage(HERE, 400, 7, is_partial=True),)),
            "it is open at the end of the trail: its rest is not written yet, or will never come.",
        ),
        (
            _LOST._replace(ended=Ended.DAMAGE, damage=(Damage(HERE, 200, 7, is_partial=False),)),
            "damage at RBA 200, 7 bytes: what it held is not known.",
        ),
        (
            _WHOLE._replace(
                ended=Ended.DAMAGE,
                damage=(Damage(HERE, 150, 3, is_partial=True), Damage(NEXT, 200, 7, is_partial=False)),
            ),
            "damage at RBA 200 of dirdat/et000000008, 7 bytes: what it held is not known.",
        ),
    ],
)
def test_a_transaction_that_is_left_out_says_why(extent: Extent, reason: str) -> None:
    (line,) = _lines(SkippedTransaction(extent, 2, _TRAIL))
    assert line == _FRONT + reason


@pytest.mark.parametrize(
    ("extent", "title"),
    [
        (_WHOLE, "5.2.88 CSN 4188 1970/01/01 00:00:00.000.000, RBA 100 to 400, 2 records"),
        (
            _WHOLE._replace(transaction=Transaction("4188", None)),
            "CSN 4188 1970/01/01 00:00:00.000.000, RBA 100 to 400, 2 records",
        ),
        (_WHOLE._replace(transaction=NO_TRANSACTION), "1970/01/01 00:00:00.000.000, RBA 100 to 400, 2 records"),
        (
            _WHOLE._replace(after=Spot(NEXT, 9)),
            "5.2.88 CSN 4188 1970/01/01 00:00:00.000.000, RBA 100 to 9 of dirdat/et000000008, 2 records",
        ),
        (
            _WHOLE._replace(first=Spot(NEXT, 50)),
            "5.2.88 CSN 4188 1970/01/01 00:00:00.000.000, RBA 50 of dirdat/et000000008 to 400, 2 records",
        ),
    ],
)
def test_the_title_of_a_transaction(extent: Extent, title: str) -> None:
    assert _lines(Opening(extent, 2, _TRAIL))[0] == f"-- Transaction {title}"


def test_a_transaction_of_which_no_record_is_known() -> None:
    extent = _LOST._replace(first=None, last=None, transaction=NO_TRANSACTION, missing=NEXT)
    title = "1970/01/01 00:00:00.000.000, RBA not known, 1 record"
    assert _lines(SkippedTransaction(extent, 1, _TRAIL)) == [
        f"-- Left out: transaction {title}: it begins in dirdat/et000000008, which is not here."
    ]


@pytest.mark.parametrize(
    ("dialect", "begin"),
    [("ANSI", ["START TRANSACTION;"]), ("MYSQL", ["START TRANSACTION;"]), ("POSTGRESQL", ["BEGIN;"]), ("ORACLE", [])],
)
def test_each_dialect_opens_a_transaction(dialect: str, begin: list[str]) -> None:
    assert _lines(Opening(_WHOLE, 2, _TRAIL), dialect)[1:] == begin
    assert _lines(Closing(0, 0), dialect) == ["COMMIT;"]


def test_what_was_left_out_and_what_could_not_be_written_stand_before_the_commit() -> None:
    assert _lines(Closing(2, 1)) == [
        "-- The filter left out 2 changes of this transaction.",
        "-- 1 of the changes above could not be written: think before you commit.",
        "COMMIT;",
    ]
    assert _lines(Closing(1, 0))[0] == "-- The filter left out 1 change of this transaction."


def test_the_time_of_a_title_is_that_of_the_session() -> None:
    assert "1970/01/01 02:00:00" in _lines(Opening(_WHOLE, 2, _TRAIL), offset=120)[0]


def test_a_statement_is_ended_and_a_reason_is_a_comment() -> None:
    made = change("INSERT")
    assert list(statement_lines(Statement(made, "TRUNCATE TABLE x"))) == ["TRUNCATE TABLE x;"]
    assert list(statement_lines(Statement(made, "DROP\nTABLE x", ending="\n/"))) == ["DROP", "TABLE x", "/"]
    assert list(statement_lines(Statement(made, None, "it is a test"))) == [
        "-- RBA 0 INSERT SHOP.STOCK: it is a test",
    ]
    assert list(statement_lines(Statement(made, None, "it is a test", elsewhere=NEXT))) == [
        "-- RBA 0 of dirdat/et000000008 INSERT SHOP.STOCK: it is a test",
    ]


def test_statements_that_are_not_to_be_run_are_comments_line_by_line() -> None:
    made = change("INSERT")
    assert _lines(NotRun(Statement(made, "DROP\nTABLE x", ending="\n/"))) == ["-- DROP", "-- TABLE x", "-- /"]
    assert _lines(NotRun(Statement(made, None, "no SQL"))) == ["-- RBA 0 INSERT SHOP.STOCK: no SQL"]


def test_a_comment_does_not_end_with_the_hyphen_that_joins_lines_in_sql_plus() -> None:
    made = change("INSERT")._replace(table="T")
    assert list(statement_lines(Statement(made, None, "x-"))) == ["-- RBA 0 INSERT T: x-."]


def test_no_text_of_a_trail_and_no_name_of_a_file_ends_its_comment() -> None:
    odd = Path(f"dir{_FOREIGN}/et000000008")
    made = change("INSERT")._replace(table=_FOREIGN)
    foreign = Transaction(_FOREIGN, _FOREIGN)
    lines = [
        *_lines(Opening(_WHOLE._replace(transaction=foreign, first=Spot(odd, 1), after=Spot(odd, 2)), 2, _TRAIL)),
        *_lines(SkippedTransaction(_LOST._replace(transaction=foreign, missing=odd), 2, _TRAIL)),
        *_lines(SkippedTransaction(_OPEN._replace(missing=odd), 2, _TRAIL)),
        *_lines(SkippedTransaction(_cut(RESTART_OK, Spot(odd, 1)), 2, _TRAIL)),
        *_lines(NotRun(Statement(made, None, _FOREIGN, elsewhere=odd))),
        *statement_lines(Statement(made, None, _FOREIGN, elsewhere=odd)),
    ]
    assert all(one.isprintable() for one in lines)
    assert [one for one in lines if not one.startswith("-- ")] == ["START TRANSACTION;"]
