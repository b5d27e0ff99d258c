"""What stands around statements and in place of a transaction: exact lines for each way in which one is not whole.

Which transactions of a trail a script has statements for, and where damage ends it.
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from pathlib import Path
from typing import cast

import pytest

from fixtures import TRAILS
from logdump.display.sql import (
    DIALECTS,
    Closing,
    NotRun,
    Opening,
    SkippedTransaction,
    SqlScript,
    Statement,
    script_lines,
    script_walk,
    statement_lines,
)
from logdump.notation.times import TimeOffset
from logdump.session.selection import Selection
from tests.logdump.extents import HERE, NEXT, OPEN, OVERTAKEN, WHOLE
from tests.logdump.statements.made_changes import change
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import NotATrail, Record, TrailError, TrailFile
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.records.record_header import (
    FIRST,
    INSERT,
    LARGE_OBJECT,
    LAST,
    MIDDLE,
    NO_TRANSACTION,
    ONLY,
    RECORD_FRAGMENT,
    RESTART_ABEND,
    RESTART_OK,
    Transaction,
)
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import extents
from trailformat.transactions.extent import Damage, Ended, Extent, Moment, Restart, Walked

_GARBAGE = b"\x00\x01garbage between records\xff" * 3
_TABLE = table_record(1, "TEA.LEAVES")


def _row(trans_ind: int) -> Record:
    return row(trans_ind=trans_ind)


def _kinds(path: Path, rba: int = 0, *, takes_back: bool = False) -> list[str]:
    """What a script consists of; "damage" where that ends it."""
    found: list[str] = []
    with TrailFile(path) as trail:
        script = SqlScript(trail, DIALECTS["ANSI"], takes_back=takes_back)
        try:
            found.extend(type(item).__name__ for item in script.items(rba))
        except TrailError:
            found.append("damage")
    return found


_ONE = ["Opening", "Statement", "Closing"]


@pytest.mark.parametrize("following", [[_GARBAGE, _row(LAST)], [_row(MIDDLE), _GARBAGE, _row(LAST)]])
def test_damage_in_the_file_that_a_transaction_goes_on_in_ends_the_script(
    following: list[Record | bytes], tmp_path: Path
) -> None:
    path = trail_of(tmp_path, _TABLE, _row(ONLY), _row(FIRST), name="tt000000000")
    trail_of(tmp_path, *following, _row(ONLY), name="tt000000001")
    assert _kinds(path) == [*_ONE, "SkippedTransaction", "damage"]
    assert _kinds(path, takes_back=True) == ["damage"]


@pytest.mark.parametrize("damaged", [0, 1])
def test_damage_in_an_earlier_file_costs_the_transaction_that_it_hits_alone(damaged: int, tmp_path: Path) -> None:
    for number, place in enumerate((FIRST, MIDDLE)):
        damage: list[Record | bytes] = [_GARBAGE, _row(MIDDLE)] if number == damaged else []
        trail_of(tmp_path, _row(place), *damage, name=f"tt{number:09}")
    path = trail_of(tmp_path, _row(LAST), _row(ONLY), name="tt000000002")
    assert _kinds(path) == ["SkippedTransaction", *_ONE]


@pytest.mark.parametrize("takes_back", [False, True])
def test_a_script_does_not_begin_at_damage_but_behind_it(tmp_path: Path, *, takes_back: bool) -> None:
    path = trail_of(tmp_path, _TABLE, _row(ONLY), _GARBAGE, _row(ONLY))
    damage = len(_TABLE.raw) + len(_row(ONLY).raw)
    assert _kinds(path, damage, takes_back=takes_back) == ["damage"]
    assert _kinds(path, damage + len(_GARBAGE), takes_back=takes_back) == _ONE


@pytest.mark.parametrize("takes_back", [False, True])
def test_a_file_that_is_removed_before_its_part_of_a_transaction_is_read_is_named(
    tmp_path: Path, *, takes_back: bool
) -> None:
    contents = [_row(ONLY)], [_row(FIRST)], [_row(MIDDLE)], [_row(MIDDLE)], [_row(LAST)], [_row(ONLY)]
    paths = [trail_of(tmp_path, *records, name=f"tt{number:09}") for number, records in enumerate(contents)]
    _, first, *_, last, _ = paths
    here, gone = (last, first) if takes_back else (first, last)
    with TrailFile(here) as trail:
        items = SqlScript(trail, DIALECTS["ANSI"], takes_back=takes_back).items(0)
        assert isinstance(next(items), Opening)
        gone.unlink()
        with pytest.raises(NotATrail) as raised:
            list(items)
    assert (raised.value.path, raised.value.problem) == (
        gone,
        "the file is missing, and a transaction continues in it",
    )


def test_a_transaction_without_a_change_is_left_out(tmp_path: Path) -> None:
    assert _kinds(trail_of(tmp_path, _TABLE, row(io_type=RECORD_FRAGMENT, trans_ind=ONLY), _row(ONLY))) == _ONE


def test_the_pieces_of_large_objects_count_where_their_rows_are_missing(tmp_path: Path) -> None:
    places = (FIRST, 1), (MIDDLE, 1), (LAST, 0)
    pieces = [row(io_type=LARGE_OBJECT, trans_ind=trans_ind, continued=continued) for trans_ind, continued in places]
    with TrailFile(trail_of(tmp_path, *pieces, _row(FIRST), *pieces[1:])) as trail:
        items = list(SqlScript(trail, DIALECTS["ANSI"]).items(0))
    assert [item.records for item in items if isinstance(item, Opening)] == [3, 1]


def test_transactions_without_an_end_are_counted(tmp_path: Path) -> None:
    path = trail_of(tmp_path, _TABLE, _row(FIRST), _row(FIRST), _row(ONLY), _row(FIRST))
    with TrailFile(path) as trail:
        script = SqlScript(trail, DIALECTS["ANSI"])
        assert [type(item).__name__ for item in script.items(0)] == [
            "SkippedTransaction",
            "SkippedTransaction",
            *_ONE,
            "SkippedTransaction",
        ]
    assert script.skipped == 3


def test_the_file_in_which_a_transaction_begins_is_named_where_it_is_missing(tmp_path: Path) -> None:
    trail_of(tmp_path, _row(ONLY), name="tt000000000")
    path = trail_of(tmp_path, _row(MIDDLE), _row(LAST), _row(ONLY), name="tt000000002")
    with TrailFile(path) as trail:
        first = next(SqlScript(trail, DIALECTS["ANSI"]).items(0))
    assert isinstance(first, SkippedTransaction)
    assert first.extent.missing == tmp_path / "tt000000001"


def test_statements_and_remarks_are_counted() -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        script = SqlScript(trail, DIALECTS["ANSI"], takes_back=True)
        are_written = [item.sql is not None for item in script.items(0) if isinstance(item, Statement)]
    assert (script.statements, script.remarks) == (are_written.count(True), are_written.count(False))
    assert 0 < script.remarks < script.statements


@pytest.fixture
def five_files(tmp_path: Path) -> list[Path]:
    """A transaction of two rows in each of five files, all of which define table 1 anew."""
    places = (FIRST, MIDDLE), (MIDDLE, MIDDLE), (MIDDLE, MIDDLE), (MIDDLE, MIDDLE), (MIDDLE, LAST)
    contents = [
        [table_record(1, f"TEA.T{number}"), *(row(name=1, trans_ind=trans_ind) for trans_ind in pair)]
        for number, pair in enumerate(places)
    ]
    return [trail_of(tmp_path, *records, name=f"tt{number:09}") for number, records in enumerate(contents)]


def test_a_record_is_read_by_the_definitions_of_its_file_which_its_statement_names(five_files: list[Path]) -> None:
    here = five_files[1]
    with TrailFile(here) as trail:
        found = [item for item in SqlScript(trail, DIALECTS["ANSI"]).items(0) if isinstance(item, Statement)]
    assert [(statement.change.table, statement.elsewhere) for statement in found] == [
        (f"TEA.T{number}", path if path != here else None) for number, path in enumerate(five_files) for _ in range(2)
    ]


class _OfFile(Selection):
    """All records of a file, or none."""

    def __init__(self, trail: TrailFile, *, is_wanted: bool) -> None:
        super().__init__(trail, [], lambda: RowDefinitions(trail))
        self._is_wanted = is_wanted

    def accepts(self, record: Record) -> bool:  # noqa: ARG002 - the file is what counts
        return self._is_wanted


def test_a_record_is_held_against_the_filter_of_its_file(five_files: list[Path]) -> None:
    with TrailFile(five_files[0]) as trail:
        script = SqlScript(trail, DIALECTS["ANSI"], lambda file: _OfFile(file, is_wanted=file.path in five_files[2:4]))
        items = list(script.items(0))
    assert [item.change.table for item in items if isinstance(item, Statement)] == ["TEA.T2"] * 2 + ["TEA.T3"] * 2
    assert [item.left_out for item in items if isinstance(item, Closing)] == [6]


def test_the_other_files_of_a_transaction_are_opened_once_and_no_more_than_three_are_open(
    five_files: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    closed: list[Path] = []

    class Counted(TrailFile):
        def __init__(self, path: Path) -> None:
            super().__init__(path)
            opened.append(path)

        def close(self) -> None:
            super().close()
            closed.append(self.path)

    monkeypatch.setattr(script_walk, "TrailFile", Counted)
    with TrailFile(five_files[0]) as trail:
        most = max(len(opened) - len(closed) for _ in SqlScript(trail, DIALECTS["ANSI"]).items(0))
    assert most == 3
    assert opened == five_files[1:]
    assert sorted(closed) == five_files[1:]


@pytest.mark.parametrize("takes_back", [False, True])
@pytest.mark.parametrize("wanted", [0, 1, 3, 7, None])
def test_what_is_told_of_the_way_is_no_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: int | None, *, takes_back: bool
) -> None:
    one_by_one = partial(scan, batch_size=1)
    monkeypatch.setattr(extents, "scan", lambda trail, start, **_: one_by_one(trail, start))
    path = trail_of(tmp_path, _TABLE, *[_row(ONLY)] * 5)
    with TrailFile(path) as trail:
        items = list(SqlScript(trail, DIALECTS["ANSI"], takes_back=takes_back).items(0, wanted))
    assert sum(isinstance(item, Opening) for item in items) == min(5, 5 if wanted is None else wanted)
    if wanted != 0:
        assert any(isinstance(item, Walked) for item in items)


_TIME = Moment(JULIAN_UNIX_EPOCH)
_WHOLE, _OPEN, _OVERTAKEN = (
    extent._replace(records=2, first_moment=_TIME, last_moment=_TIME, tables={"SHOP.TEAS": Counter({INSERT: 2})})
    for extent in (WHOLE, OPEN, OVERTAKEN)
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


def _cut(io_type: int, at: FilePosition) -> Extent:
    return _OPEN._replace(ended=Ended.CUT, marker=Restart(at, io_type), after=at)


@pytest.mark.parametrize(
    ("extent", "reason"),
    [
        (_cut(RESTART_ABEND, FilePosition(HERE, 400)), "cut by RestartAbend at RBA 400: a Replicat drops it."),
        (
            _cut(RESTART_OK, FilePosition(NEXT, 9)),
            "cut by RestartOK at RBA 9 of dirdat/et000000008: a Replicat drops it.",
        ),
        (_OVERTAKEN, "it has no last record, the next begins at RBA 400: a Replicat drops it."),
        (
            _OVERTAKEN._replace(after=FilePosition(NEXT, 9)),
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
            _WHOLE._replace(after=FilePosition(NEXT, 9)),
            "5.2.88 CSN 4188 1970/01/01 00:00:00.000.000, RBA 100 to 9 of dirdat/et000000008, 2 records",
        ),
        (
            _WHOLE._replace(first=FilePosition(NEXT, 50)),
            "5.2.88 CSN 4188 1970/01/01 00:00:00.000.000, RBA 50 of dirdat/et000000008 to 400, 2 records",
        ),
    ],
)
def test_the_title_of_a_transaction(extent: Extent, title: str) -> None:
    assert _lines(Opening(extent, 2, _TRAIL))[0] == f"-- Transaction {title}"


def test_the_title_has_the_time_of_the_first_record() -> None:
    """A transaction of GoldenGate for Oracle has one time, that of a pump or another source may have several."""
    later = Moment(JULIAN_UNIX_EPOCH + 7_000_000)
    for item in (Opening, SkippedTransaction):
        (line, *_) = _lines(item(_WHOLE._replace(last_moment=later, latest=later.time), 2, _TRAIL))
        assert "1970/01/01 00:00:00.000.000" in line


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
        *_lines(
            Opening(
                _WHOLE._replace(transaction=foreign, first=FilePosition(odd, 1), after=FilePosition(odd, 2)), 2, _TRAIL
            )
        ),
        *_lines(SkippedTransaction(_LOST._replace(transaction=foreign, missing=odd), 2, _TRAIL)),
        *_lines(SkippedTransaction(_OPEN._replace(missing=odd), 2, _TRAIL)),
        *_lines(SkippedTransaction(_cut(RESTART_OK, FilePosition(odd, 1)), 2, _TRAIL)),
        *_lines(NotRun(Statement(made, None, _FOREIGN, elsewhere=odd))),
        *statement_lines(Statement(made, None, _FOREIGN, elsewhere=odd)),
    ]
    assert all(line.isprintable() for line in lines)
    assert [line for line in lines if not line.startswith("-- ")] == ["START TRANSACTION;"]
