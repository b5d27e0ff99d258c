"""Where ``apply`` goes on: at the position of each table, if that is one of the trail at hand, and of that table."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.changes import Change, insert
from fixtures.flavour import ORACLE_12
from fixtures.shop import ORACLE_SALES, sale
from fixtures.statements import Ddl
from logdump.tables.errors import BadOption, FileChanged, SourceError
from logdump.targets.applier import FirstCsn
from logdump.targets.beginning import _start
from logdump.targets.positions import OtherTrail, check_position
from logdump.targets.request import ApplyRequest
from logdump.targets.run import DdlFound
from logdump.targets.statements import statements_between
from logdump.targets.target import AppliedPosition, BadTarget, LastTransaction, place_of
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.searching import Random
from tests.simulated.dimensions import SizedExtract
from tests.trailformat.samples import row, table_record, trail_of
from trailformat.records.record_header import ONLY

TEAS, SALES = "TEAHOUSE.TEAS", "TEAHOUSE.SALES"


def trail(
    folder: Path, numbers: range, rolls: tuple[int, ...] = (), name: str = "sm", sales: tuple[int, ...] = ()
) -> Path:
    """A transaction of a row for each number; a new file after some, and some of them rows of SALES.

    A trail with more numbers in the same folder is the same one that has grown.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    extract = SizedExtract(folder, tables=(ORACLE_12.teas, ORACLE_SALES))
    for number in numbers:
        extract.begin(number)
        extract.rows([_sold(number)] if number in sales else [extract.change()], 1)
        if number in rolls:
            extract.roll()
    extract.close()
    for path in extract.paths:
        path.rename(path.with_name(path.name.replace("sm", name)))
    return folder / f"{name}*"


def _sold(number: int) -> Change:
    return insert(ORACLE_SALES, sale(number, "UJI-1", "2024-03-14:09:30:00", grams=1, amount="1.00"))


@pytest.fixture
def target(tmp_path: Path) -> Place:
    """A file of SQLite."""
    return sqlite_place(tmp_path)


def csn(number: int) -> str:
    """The CSN of a transaction."""
    return ORACLE_12.csn(number)


def codes(target: Place) -> list[str]:
    """The keys of the rows of TEAS, in order."""
    return sorted(row[0] for row in target.rows(TEAS))


def expected(*numbers: int) -> list[str]:
    """Those keys of rows of these transactions."""
    return sorted(f"{number}.0" for number in numbers)


@pytest.mark.parametrize("spelled", ["TEAHOUSE.TEAS", "teahouse.teas", "Teahouse.teaS", "teahouse.te*", "*.TEAS"])
def test_a_table_is_one_however_it_is_spelled(spelled: str, tmp_path: Path, target: Place, apply: Apply) -> None:
    """One call with each spelling, in any order: each change comes once."""
    path = trail(tmp_path / "a", range(1, 6))
    assert apply(path, target, TEAS, create=True).rows == 5
    for given in (spelled, {spelled: ""}, [spelled, TEAS]):
        assert apply(path, target, given).rows == 0
    trail(tmp_path / "a", range(1, 9))
    assert apply(path, target, spelled).rows == 3
    assert codes(target) == expected(*range(1, 9))
    assert target.query("SELECT table_name, changes FROM logdump_position") == [(TEAS, 8)]


def test_a_first_call_in_other_capitals_keeps_the_position_of_the_table(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    path = trail(tmp_path / "a", range(1, 4))
    assert [apply(path, target, name, create=True).rows for name in ("teahouse.teas", TEAS, "*")] == [3, 0, 0]


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        ({"teahouse.teas": "a", TEAS: "b"}, "TEAHOUSE.TEAS has two names in the target, a and b"),
        ({"TEAHOUSE.*": "a"}, r"TEAHOUSE\.\* is a wildcard, and cannot have the name a"),
        ("TEAHOUSE.TEES", r"there is no table TEAHOUSE\.TEES; did you mean TEAHOUSE\.TEAS\?"),
        (["TEAHOUSE.TEAS", "HR.*"], r"no table that the trail defines is called like HR\.\*"),
    ],
)
def test_tables_that_do_not_exist_or_are_named_twice_are_refused(
    tables: Any, problem: str, tmp_path: Path, target: Place, apply: Apply
) -> None:
    with pytest.raises(BadOption, match=problem):
        apply(trail(tmp_path / "a", range(1, 3)), target, tables, create=True)


Other = Callable[[Path], Path]
"""Makes another trail than that of five transactions in two files, with the position at the end of the second."""
OTHERS: dict[str, tuple[Other, str]] = {
    "another name": (lambda folder: trail(folder / "b", range(1, 9), (2,), "rt"), "trail sm, not of rt"),
    "more of other transactions": (lambda folder: trail(folder / "b", range(5, 14), (6,)), f"{csn(5)}.*{csn(9)}"),
    "as many of other transactions": (lambda folder: trail(folder / "b", range(5, 10), (6,)), f"{csn(5)}.*{csn(9)}"),
    "one of them before the rest": (lambda folder: trail(folder / "b", range(6), (1,)), f"{csn(5)}.*{csn(4)}"),
    "written anew, longer rows": (lambda folder: _longer(folder / "b"), "no record ends there"),
    "shorter": (lambda folder: trail(folder / "b", range(1, 5), (2,)), r"which has \d+ bytes"),
    "fewer files": (lambda folder: trail(folder / "b", range(1, 9)), "sm000000001 is missing.*bring it back"),
    "purged": (lambda folder: _purged(folder / "b"), "sm000000001 is missing.*bring it back"),
}


def _longer(folder: Path) -> Path:
    path = trail(folder, range(1, 3), (2,))
    extract = SizedExtract(folder / "..", tables=(ORACLE_12.teas,))
    for number in range(3, 9):
        extract.whole(number, number)
    extract.close()
    extract.paths[0].rename(folder / "sm000000001")
    return path


def _purged(folder: Path) -> Path:
    path = trail(folder, range(1, 9), (2, 5))
    (folder / "sm000000000").unlink()
    (folder / "sm000000001").unlink()
    return path


@pytest.mark.parametrize("other", OTHERS)
def test_a_position_of_another_trail_is_refused_until_it_is_adopted(
    other: str, tmp_path: Path, target: Place, apply: Apply
) -> None:
    make, problem = OTHERS[other]
    first = trail(tmp_path / "a", range(1, 6), (2,))
    apply(first, target, TEAS, create=True)
    before = target.query("SELECT * FROM logdump_position")
    path = make(tmp_path)
    with pytest.raises((OtherTrail, FileChanged), match=rf"^nothing was written: .*{problem}.*adopt='<CSN>'"):
        apply(path, target, TEAS)
    assert target.query("SELECT * FROM logdump_position") == before
    assert codes(target) == expected(*range(1, 6))
    target.run("DELETE FROM teas")
    for _ in range(2):
        apply(path, target, TEAS, adopt=csn(4))
    rows = {number for number in range(4, 29) if (other, number) in _adopted(path)}
    assert rows or other == "one of them before the rest"
    assert {row[0] for row in target.rows(TEAS)} >= {f"{number}.0" for number in rows}
    assert apply(path, target, TEAS).rows == 0
    if other != "shorter":  # its position is one of the first trail too
        with pytest.raises((OtherTrail, FileChanged)):
            apply(first, target, TEAS)


def _adopted(path: Path) -> set[tuple[str, int]]:
    """Each transaction from CSN 4 on that the trail of a case has."""
    from trailformat import TrailFile

    texts = set[tuple[str, int]]()
    numbers = {csn(number): number for number in range(1, 29)}
    for file in sorted(path.parent.glob(path.name)):
        with TrailFile(file) as trail_file:
            have = {numbers[record.csn] for record in trail_file.records() if record.csn in numbers}
        texts |= {(other, number) for other in OTHERS for number in have if number >= 4}
    return texts


def test_the_same_trail_in_another_folder_or_packed_is_gone_on_with(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    trail(tmp_path / "a", range(1, 6), (2,))
    apply(tmp_path / "a" / "sm*", target, TEAS, create=True)
    shutil.move(tmp_path / "a", tmp_path / "b")
    (tmp_path / "b" / "sm000000000").unlink()
    assert apply(tmp_path / "b" / "sm*", target, TEAS).rows == 0


def test_positions_of_the_first_release_are_gone_on_with_and_get_what_proves_them(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    path = trail(tmp_path / "a", range(1, 6), (2,))
    apply(path, target, TEAS, create=True)
    _as_in_the_first_release(target)
    trail(tmp_path / "a", range(1, 9), (2,))
    assert apply(path, target, TEAS).rows == 3
    assert target.query("SELECT trail, last_csn, target_table FROM logdump_position") == [("sm", csn(8), "main.teas")]
    with pytest.raises(OtherTrail):
        apply(trail(tmp_path / "b", range(11, 29), (12,)), target, TEAS)


def _as_in_the_first_release(target: Place) -> None:
    names = "table_name, place, start_at, csn, source_time, changes, applied_at"
    target.run(
        "ALTER TABLE logdump_position RENAME TO newer",
        "CREATE TABLE logdump_position (table_name VARCHAR(255) NOT NULL PRIMARY KEY, place VARCHAR(255) NOT NULL, "
        "start_at VARCHAR(255), csn VARCHAR(255), source_time TIMESTAMP, changes BIGINT NOT NULL, applied_at TEXT)",
        f"INSERT INTO logdump_position SELECT {names} FROM newer",
        "DROP TABLE newer",
    )


def test_a_second_table_of_the_target_is_refused(tmp_path: Path, target: Place, apply: Apply) -> None:
    path = trail(tmp_path / "a", range(1, 6))
    apply(path, target, TEAS, create=True)
    target.run("CREATE TABLE copy AS SELECT * FROM teas WHERE 0")
    with pytest.raises(
        BadTarget, match=r"TEAHOUSE\.TEAS is applied to main\.teas .* not of main\.copy: .*target_table"
    ):
        apply(path, target, {TEAS: "copy"})
    target.run("DROP TABLE copy", "ALTER TABLE teas RENAME TO copy")
    with pytest.raises(BadTarget, match=r"applied to main\.teas"):
        apply(path, target, {TEAS: "copy"})
    with pytest.raises(BadTarget, match=r"no table TEAHOUSE\.TEAS, and it has a position in logdump_position"):
        apply(path, target, TEAS, create=True)
    target.run("UPDATE logdump_position SET target_table = 'main.copy'")
    assert apply(path, target, {TEAS: "copy"}).rows == 0


def test_two_tables_do_not_share_one(tmp_path: Path, target: Place, apply: Apply) -> None:
    path = trail(tmp_path / "a", range(1, 6), sales=(2, 3))
    for given in ({TEAS: "x", SALES: "x"}, {TEAS: "x", SALES: "X"}):
        with pytest.raises(BadTarget, match=r"TEAHOUSE\.TEAS and TEAHOUSE\.SALES would share the table"):
            apply(path, target, given, create=True)
    assert not target.query("SELECT name FROM sqlite_master WHERE name = 'x'")


@pytest.mark.parametrize("ahead", [TEAS, SALES])
@pytest.mark.parametrize("seed", range(3))
def test_tables_at_different_positions_get_each_change_once(
    seed: int, ahead: str, tmp_path: Path, target: Place, apply: Apply
) -> None:
    """One of two tables is a part of the trail ahead of the other; both are gone on with together."""
    random = Random(seed)
    sales = tuple(random.sample(range(1, 20), 9))
    rolls = tuple(random.sample(range(1, 20), 3))
    behind = TEAS if ahead == SALES else SALES
    for last, names in ((5, [TEAS, SALES]), (10, [ahead]), (12, [behind]), (15, [ahead]), (19, ["*"])):
        path = trail(tmp_path / "a", range(1, last + 1), tuple(roll for roll in rolls if roll <= last), sales=sales)
        apply(path, target, names, create=True)
    assert codes(target) == expected(*{*range(1, 20)} - {*sales})
    assert sorted(int(row[0]) for row in target.rows(SALES)) == sorted(sales)
    assert dict(target.query("SELECT table_name, changes FROM logdump_position")) == {TEAS: 10, SALES: 9}


def test_a_purge_between_the_positions_of_two_tables_is_named(tmp_path: Path, target: Place, apply: Apply) -> None:
    """The stream would begin at the first file that is left, without the changes of the table that is behind."""
    path = trail(tmp_path / "a", range(1, 10), (4, 6), sales=(1, 5, 8))
    apply(trail(tmp_path / "b", range(1, 3), sales=(1,)), target, TEAS, create=True)
    shutil.rmtree(tmp_path / "b")
    for number in (0, 1):
        (tmp_path / "a" / f"sm{number:09}").unlink()
    for names in (TEAS, [TEAS, SALES], "*"):
        with pytest.raises(FileChanged, match=r"sm000000000 is missing, in which the position of TEAHOUSE\.TEAS"):
            apply(path, target, names, create=True)


@pytest.mark.parametrize("first", [1, 4, 7, 9, 12])
def test_a_table_that_comes_later_begins_with_its_csn_and_the_others_with_their_positions(
    first: int, tmp_path: Path, target: Place, apply: Apply
) -> None:
    sales = (2, 3, 6, 8, 10)
    apply(trail(tmp_path / "a", range(1, 6), (3,), sales=sales), target, TEAS, create=True)
    path = trail(tmp_path / "a", range(1, 12), (3, 7), sales=sales)
    for _ in range(2):
        apply(path, target, [TEAS, SALES], create=True, from_csn=csn(first))
    assert codes(target) == expected(*{*range(1, 12)} - {*sales})
    assert sorted(int(row[0]) for row in target.rows(SALES)) == [number for number in sales if number >= first]


def test_several_trails_into_one_target_have_positions_of_their_own(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    """Trails of other names, numbers and tables, by turns; neither is taken for the other."""
    for last in (4, 9):
        first = trail(tmp_path / "a", range(1, last), (2,))
        second = trail(tmp_path / "b", range(101, 100 + last), (103,), "rt", tuple(range(101, 100 + last)))
        assert apply(first, target, TEAS, create=True).rows == apply(second, target, SALES, create=True).rows > 0
        with pytest.raises(OtherTrail, match="trail sm, not of rt"):
            apply(second, target, [TEAS, SALES])
    assert codes(target) == expected(*range(1, 9))
    assert sorted(int(row[0]) for row in target.rows(SALES)) == [*range(101, 109)]
    assert sorted(target.query("SELECT trail, changes FROM logdump_position")) == [("rt", 8), ("sm", 8)]


def test_a_first_csn_holds_until_it_is_reached(
    tmp_path: Path, target: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream that begins before its first CSN and is begun again leaves out what is before it, as the first one."""
    monkeypatch.setattr("logdump.targets.applier.IDLE", -1.0)
    for last in (2, 4, 6, 9):
        path = trail(tmp_path / "a", range(1, last + 1), (3,))
        apply(path, target, TEAS, create=True, from_csn=csn(6))
    assert codes(target) == expected(6, 7, 8, 9)


def _stated(folder: Path, sales: tuple[int, ...] = (), until: int = 9, *, ends_stated: bool = True) -> Path:
    """Rows, and after every second one, perhaps but the last, a statement on TEAS or SALES in turn."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    extract = SizedExtract(folder, tables=(ORACLE_12.teas, ORACLE_SALES))
    for number in range(1, until + 1):
        extract.begin(number)
        extract.rows([_sold(number)] if number in sales else [extract.change()], 1)
        if number % 2 == 0 and (ends_stated or number < until):
            table = "TEAS" if number % 4 == 0 else "SALES"
            extract.statement(Ddl("COMMENT", "TABLE", table, f"comment on table teahouse.{table} is '{number}'"))
    extract.close()
    return folder / "sm*"


_ORDERS = [*permutations(([TEAS], [SALES], [TEAS, SALES])), [[TEAS], [TEAS, SALES]], [[SALES], [TEAS, SALES]]]


@pytest.mark.parametrize("order", _ORDERS)
def test_each_statement_stops_its_table_once_wherever_the_tables_are(
    order: Sequence[list[str]], tmp_path: Path, target: Place, apply: Apply
) -> None:
    """Statements exactly at a position, before that of the other table, and of a table that has none yet."""
    sales, met = (1, 4, 5, 7), list[str]()
    for until in (4, 9):
        for names in order:
            path = _stated(tmp_path / "a", sales, until)
            for _ in range(9):
                try:
                    apply(path, target, names, create=True)
                except DdlFound as error:
                    met += re.findall(r"is '(\d)'", str(error))
                else:
                    break
    assert sorted(met) == ["2", "4", "6", "8"]
    assert codes(target) == expected(*{*range(1, 10)} - {*sales})
    assert sorted(int(row[0]) for row in target.rows(SALES)) == sorted(sales)


@pytest.mark.parametrize("until", [4, 8])
def test_a_statement_that_is_written_where_the_position_is_is_met(
    until: int, tmp_path: Path, target: Place, apply: Apply
) -> None:
    """The record after the last one that was applied is the statement."""
    met = list[str]()
    for ends_stated in (False, True, True):
        path = _stated(tmp_path / "a", (), until, ends_stated=ends_stated)
        for _ in range(9):
            try:
                apply(path, target, TEAS, create=True)
            except DdlFound as error:
                met += re.findall(r"is '(\d)'", str(error))
            else:
                break
        assert codes(target) == expected(*range(1, until + 1))
        assert met == [str(number) for number in range(4, until + ends_stated, 4)]


def test_a_statement_before_the_first_csn_is_not_met(tmp_path: Path, target: Place, apply: Apply) -> None:
    """The statements are transactions of their own, numbered from 1: of TEAS the second and the fourth."""
    path = _stated(tmp_path / "a")
    with pytest.raises(DdlFound, match="is '8'"):
        apply(path, target, TEAS, create=True, from_csn=csn(3))
    apply(path, target, TEAS, from_csn=csn(3))
    assert codes(target) == expected(*range(3, 10))


def test_a_csn_that_is_none_is_refused(tmp_path: Path, target: Place, apply: Apply) -> None:
    path = trail(tmp_path / "a", range(1, 3))
    for name in ("from_csn", "adopt"):
        with pytest.raises(SourceError, match=f"^{name}: 'now' is not a CSN"):
            apply(path, target, TEAS, **{name: "now"})


@pytest.mark.parametrize(
    ("firsts", "starts", "options"),
    [
        ({"A": "5", "B": "5"}, {}, {"startCsn": "5"}),
        ({"A": "5", "B": "3"}, {}, {}),
        ({"A": "3", "B": "5"}, {}, {}),
        ({"A": "5"}, {}, {}),
        ({"A": "5"}, {"B": (1, 40)}, {}),
        ({}, {"A": (1, 40), "B": (1, 7)}, {"startSeqno": 1, "startRba": 7}),
        ({}, {"A": (0, 900), "B": (1, 7)}, {"startSeqno": 0, "startRba": 900}),
        ({}, {"A": (0, 900)}, {}),
        ({}, {}, {}),
    ],
)
def test_a_stream_begins_where_it_has_the_changes_of_every_table(
    firsts: dict[str, str], starts: dict[str, tuple[int, int]], options: dict[str, str | int]
) -> None:
    """At the earliest position, at a first CSN that all have, or else with the trail."""
    places = {name: place_of(*place) for name, place in starts.items()}
    positions = {name: AppliedPosition(place, place) for name, place in places.items()}
    first_csns = {name: FirstCsn(csn) for name, csn in firsts.items()}
    assert _start(["A", "B"], positions, first_csns) == options


RENAMES = ("alter table teahouse.TEAS rename to HERBS", "rename TEAS to HERBS")


@pytest.mark.parametrize("text", RENAMES)
@pytest.mark.parametrize("tables", [[TEAS], ["TEAHOUSE.HERBS"], [TEAS, "TEAHOUSE.HERBS"], [SALES]])
def test_a_statement_that_renames_a_table_is_one_of_both_its_names(
    text: str, tables: list[str], tmp_path: Path
) -> None:
    """The new name is the base object of the statement, the old one the derived object."""
    extract = SizedExtract(tmp_path)
    extract.whole()
    extract.statement(Ddl("ALTER", "TABLE", "TEAS", text))
    extract.close()
    files = ApplyRequest(f"{tmp_path}/sm*", {}, {}, None, "stop", {}).files()
    found = [*statements_between(files, place_of(0, 0), place_of(9, 0), tables)]
    assert len(found) == (tables != [SALES])
    assert {statement.table for statement in found} <= {*tables}


@pytest.mark.parametrize("names", [(0, 1), (0,), (1,)])
def test_both_places_of_a_position_have_to_be_there(names: tuple[int, ...], tmp_path: Path) -> None:
    """Those of the changes and of the stream, which begins with the transactions that were open."""
    for number in names:
        shutil.copy(TRAILS / f"st00000000{number}", tmp_path)
    files = ApplyRequest(f"{tmp_path}/st*", {}, {}, None, "stop", {}).files()
    for start, place in ((0, 1), (1, 1), (0, 0)):
        position = AppliedPosition(place_of(place, 1000), place_of(start, 900))
        missing = {start, place} - {*names}
        with pytest.raises(FileChanged, match=f"st00000000{min(missing)} is missing") if missing else nullcontext():
            check_position(TEAS, position, files)


@pytest.mark.parametrize("purged", [0, 1, 2])
def test_a_position_behind_no_transaction_is_of_this_trail_only_where_the_one_before_it_was_purged(
    purged: int, tmp_path: Path
) -> None:
    """Three files without a transaction, of which the first were purged, before the one in which the position is."""
    for number in range(purged, 4):
        trail_of(tmp_path, table_record(1, "TEA.POTS"), *[row(trans_ind=ONLY)] * (number == 3), name=f"tt{number:09}")
    files = ApplyRequest(f"{tmp_path}/tt*", {}, {}, None, "stop", {}).files()
    for number in range(3):
        witness = LastTransaction("tt", place_of(number, 0), "10", "1.1")
        position = AppliedPosition(place_of(3, 0), place_of(3, 0), witness=witness)
        is_there = number >= purged
        with pytest.raises(OtherTrail, match="the trail has no transaction there") if is_there else nullcontext():
            check_position(TEAS, position, files)
