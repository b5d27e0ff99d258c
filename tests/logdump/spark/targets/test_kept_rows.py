"""Ways of writing: mirrors, histories, soft deletes and rows for each change, held against a model of a few lines."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import logdump
from logdump.tables.errors import BadOption
from logdump.targets.applier import Applier
from logdump.targets.parts import Rows
from logdump.targets.target import BadTarget, Refused
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import COLUMNS, TABLE, WAYS, Model, Row, Step, expected, found, transaction, write
from tests.searching import IS_LONG, Random
from trailformat import make_token

KEPT = [way for way in WAYS if way != "mirror"]


_APPLY = Applier.apply


def _cut(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """Have changes go to the target so many at a time, also inside of transactions."""

    def cut(applier: Applier, rows: Rows, end: str) -> bool:
        return _APPLY(
            applier, lambda: (part.slice(at, size) for part in rows() for at in range(0, len(part), size)), end
        )

    monkeypatch.setattr(Applier, "apply", cut)
    monkeypatch.setattr("logdump.targets.applier._MOST_ROWS", size)


@pytest.mark.parametrize("way", WAYS)
def test_a_target_has_what_drawn_transactions_make_of_a_table(
    way: str, place: Place, tmp_path: Path, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the batches, the steps of a transaction and the runs in which they come."""
    for number in range(30 if IS_LONG else 2):
        random = Random(f"{way} {number}")
        trail, model, rows = Trail({TABLE: COLUMNS}), Model(), dict[int, Row]()
        place.run(*(f"DROP TABLE IF EXISTS {name}" for name in ("t", "logdump_position")))
        told, csn = [], 100
        for _ in range(3):
            if way != "soft":  # a part of a transaction leaves what it deletes as it was in the part before
                _cut(monkeypatch, random.choice((1, 2, 3, 200_000)))
            for _ in range(random.randint(1, 8)):
                csn, steps = csn + 1, transaction(random, rows)
                told.append(steps)
                write(trail, steps)
                model.transaction(str(csn), steps)
            batch: dict[str, Any] = random.choice(({"maxTransactionsPerTrigger": 1}, {"batch": "700b"}, {}))
            apply(trail.write(tmp_path / "a"), place, create=True, **WAYS[way], **batch)
            assert found(place, way) == expected(model, way), told


@pytest.mark.parametrize("truncates", [False, True])
def test_the_parts_of_a_transaction_leave_one_version_of_a_row(
    tmp_path: Path, place: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch, *, truncates: bool
) -> None:
    """Each change is a part here."""
    _cut(monkeypatch, 1)
    trail, model = Trail({TABLE: COLUMNS}), Model()
    steps: list[Step] = [
        ("insert", None, 1, ("one", 1)),
        ("update", 1, 1, (..., 2)),
        ("insert", None, 2, ("two", 1)),
        *([("truncate", None, None, ())] * truncates),
        ("insert", None, 3, ("three", 1)),
        ("move", 3, 4, (..., ...)),
        ("update", 4, 4, ("four", ...)),
        ("delete", 4, None, ()),
        ("insert", None, 4, ("five", 5)),
    ]
    later: list[Step] = [("update", 4, 4, ("x", ...)), ("update", 4, 4, (..., 7))]
    for csn, transaction_steps in (("101", steps), ("102", later)):
        write(trail, transaction_steps)
        model.transaction(csn, transaction_steps)
    apply(trail.write(tmp_path / "a"), place, create=True, write="history")
    assert found(place, "history") == expected(model, "history")


@pytest.mark.parametrize("truncates", [False, True])
def test_versions_end_though_a_later_transaction_has_the_xid_of_theirs(
    tmp_path: Path, place: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch, *, truncates: bool
) -> None:
    """A source uses XIDs again: a version that another transaction has begun is no part of this one."""
    trail = Trail({TABLE: COLUMNS})
    monkeypatch.setattr(
        trail, "_tokens", lambda: (make_token("L", b"%d" % (100 + trail._number)), make_token("6", b"1.2.7"))
    )
    for key in (1, 2):
        trail.insert(TABLE, key, "name", key)
    apply(trail.write(tmp_path / "a"), place, create=True, write="history")
    if truncates:
        trail.truncate(TABLE)
    else:
        trail.delete(TABLE, 1, "name", 1)
    apply(trail.write(tmp_path / "a"), place, write="history")
    ends = dict(place.query("SELECT id, _valid_to_csn FROM t"))
    assert ends == {1: "103", 2: "103" if truncates else None}


def _two_versions(folder: Path) -> Path:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "one", 1)
    trail.insert(TABLE, 2, "two", 2)
    trail.update(TABLE, 1, ..., 10)
    trail.delete(TABLE, 2)
    return trail.write(folder / "a")


def test_a_version_ends_at_the_moment_when_the_next_one_begins(tmp_path: Path, place: Place, apply: Apply) -> None:
    apply(_two_versions(tmp_path), place, create=True, write="history")
    columns = "id, n, _valid_from_csn, _valid_from_xid, _valid_to_csn, _valid_from, _valid_to"
    rows = sorted(place.query(f"SELECT {columns} FROM t"), key=repr)
    assert [row[:5] for row in rows] == [
        (1, 1, "101", "1.2.1", "103"),
        (1, 10, "103", "1.2.3", None),
        (2, 2, "102", "1.2.2", "104"),
    ]
    times = [[time and datetime.fromisoformat(str(time)).replace(tzinfo=None) for time in row[5:]] for row in rows]
    first = times[0][0]
    assert first is not None
    second = timedelta(seconds=1)
    assert times == [[first, first + 2 * second], [first + 2 * second, None], [first + second, first + 3 * second]]


def test_soft_deletes_have_the_moment_and_end_when_the_row_comes_back(
    tmp_path: Path, place: Place, apply: Apply
) -> None:
    trail = Trail({TABLE: COLUMNS})
    for key in (1, 2, 3):
        trail.insert(TABLE, key, "there", key)
    trail.delete(TABLE, 1)
    trail.move(TABLE, (2,), (4,))
    path = trail.write(tmp_path / "a")
    apply(path, place, create=True, deletes="soft")
    rows = [(1, "there", 1, "104"), (2, "there", 2, "105"), (3, "there", 3, None), (4, "there", 2, None)]
    assert sorted(found(place, "soft")) == rows
    assert [bool(row[0]) for row in place.query("SELECT _deleted FROM t ORDER BY id")] == [True, True, False, False]
    trail.insert(TABLE, 1, "back", 7)
    trail.truncate(TABLE)
    trail.insert(TABLE, 2, "back", 8)
    apply(trail.write(tmp_path / "a"), place, deletes="soft")
    rows = [(1, "back", 7, "107"), (2, "back", 8, None), (3, "there", 3, "107"), (4, "there", 2, "107")]
    assert sorted(found(place, "soft")) == rows


@pytest.mark.parametrize("way", ["history", "soft"])
@pytest.mark.parametrize("op", ["update", "delete", "move", "insert"])
def test_a_change_of_a_row_that_has_ended_or_an_insert_of_one_that_has_not_is_refused(
    op: str, way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    trail = Trail({TABLE: COLUMNS})
    trail.insert(TABLE, 1, "one", 1)
    trail.insert(TABLE, 2, "two", 2)
    trail.delete(TABLE, 2)
    apply(trail.write(tmp_path / "a"), place, create=True, **WAYS[way])
    before = found(place, way)
    trail.insert(TABLE, 5, "five", 5)
    steps: Mapping[str, Step] = {
        "update": ("update", 2, 2, ("x", 1)),
        "delete": ("delete", 2, None, ()),
        "move": ("move", 2, 3, (..., ...)),
        "insert": ("insert", None, 1, ("x", 1)),
    }
    write(trail, [steps[op]])
    path = trail.write(tmp_path / "a")
    with pytest.raises(Refused, match=r"CSN 105: [a-z ]+ of S\.T: .* (does not have|has) the row"):
        apply(path, place, **WAYS[way])
    assert len(found(place, way)) == len(before) + 1


@pytest.mark.parametrize("way", KEPT)
@pytest.mark.parametrize("other", WAYS)
def test_a_table_that_was_written_in_one_way_is_not_gone_on_with_in_another(
    other: str, way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    path = _two_versions(tmp_path)
    apply(path, place, create=True, **WAYS[way])
    if other == way:
        assert apply(path, place, **WAYS[way]).rows == 0
        return
    with pytest.raises(BadTarget, match=r"^nothing was written: S\.T: the t"):
        apply(path, place, **WAYS[other])


@pytest.mark.parametrize("way", KEPT)
def test_a_table_with_a_column_of_the_name_of_one_that_is_added_is_refused(
    way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    names = {"history": "_VALID_TO", "soft": "_Deleted", "append": "_op"}
    trail = Trail({TABLE: {"ID": "INT64", names[way]: "VARCHAR"}})
    trail.insert(TABLE, 1, "x")
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTarget, match=r"of its own, and (write|deletes)='\w+' adds one of this name"):
        apply(path, place, create=True, **WAYS[way])
    assert apply(path, place, create=True).rows == 1


@pytest.mark.parametrize(
    "given",
    [
        {"write": "history", "deletes": "soft"},
        {"write": "append", "deletes": "soft"},
        {"write": "history", "collisions": "overwrite"},
        {"write": "append", "collisions": "overwrite"},
        {"deletes": "soft", "collisions": "overwrite"},
        {"write": "scd2"},
        {"deletes": "no"},
    ],
)
def test_arguments_that_do_not_go_together_are_refused(
    given: dict[str, str], tmp_path: Path, place: Place, apply: Apply
) -> None:
    with pytest.raises(BadOption):
        apply(_two_versions(tmp_path), place, create=True, **given)


def test_append_needs_no_key(tmp_path: Path, place: Place, apply: Apply) -> None:
    trail = Trail({TABLE: COLUMNS}, keyless=True)
    trail.insert(TABLE, 1, "x", 1)
    trail.insert(TABLE, 1, "x", 1)
    path = trail.write(tmp_path / "a")
    with pytest.raises(BadTarget, match="has no key"):
        apply(path, place, create=True, write="history")
    with pytest.raises(BadTarget, match="has no key"):
        apply(path, place, create=True, write="append", errors="table")
    assert apply(path, place, create=True, write="append").rows == 2
    assert [row[:4] for row in found(place, "append")] == [("insert", 1, "x", 1)] * 2


NO_BAD = {
    "sqlite": (
        "CREATE TRIGGER bad BEFORE INSERT ON t WHEN NEW.name = 'bad' BEGIN SELECT RAISE(ABORT, 'bad name'); END",
        "DROP TRIGGER bad",
    ),
    "postgresql": ("ALTER TABLE t ADD CONSTRAINT bad CHECK (name <> 'bad')", "ALTER TABLE t DROP CONSTRAINT bad"),
    "mariadb": ("ALTER TABLE t ADD CONSTRAINT bad CHECK (name <> 'bad')", "ALTER TABLE t DROP CONSTRAINT bad"),
}


@pytest.mark.parametrize("way", KEPT)
def test_what_is_refused_is_noted_and_retried(way: str, tmp_path: Path, place: Place, apply: Apply) -> None:
    """The later changes of its row wait for it; others of its transaction do not."""
    begin, end = NO_BAD[place.url.partition(":")[0]]
    trail, model, csn = Trail({TABLE: COLUMNS}), Model(), 100

    def add(*steps: Step) -> None:
        nonlocal csn
        csn += 1
        write(trail, [*steps])
        model.transaction(str(csn), [*steps])

    add(("insert", None, 1, ("one", 1)))
    apply(trail.write(tmp_path / "a"), place, create=True, **WAYS[way])
    place.run(begin)
    add(("insert", None, 2, ("two", 2)), ("update", 1, 1, ("bad", ...)), ("insert", None, 3, ("three", 3)))
    add(("update", 1, 1, (..., 5)))
    add(("update", 3, 3, ("bad", ...)), ("update", 3, 3, ("good", ...)))
    add(("delete", 1, None, ()))
    path = trail.write(tmp_path / "a")
    done = apply(path, place, errors="table", maxTransactionsPerTrigger=1, **WAYS[way])
    assert (done.rows, done.refused) == ((2, 5) if way == "append" else (4, 3))
    place.run(end)
    assert logdump.retry(path, place.url, **WAYS[way]).refused == 0
    assert sorted(found(place, way), key=repr) == sorted(expected(model, way), key=repr)


def _with_bad_names(steps: list[Step]) -> list[Step]:
    return [(op, key, other, tuple("bad" if value == "x" else value for value in row)) for op, key, other, row in steps]


@pytest.mark.parametrize("way", WAYS)
def test_a_truncate_takes_nothing_along_that_is_noted_where_former_rows_are_kept(
    way: str, tmp_path: Path, place: Place, apply: Apply
) -> None:
    """It stops until that is applied, or ends no row; then the target has what drawn transactions make of a table."""
    begin, end = NO_BAD[place.url.partition(":")[0]]
    stops = noted = 0
    for number in range(40 if IS_LONG else 6):
        random = Random(f"truncate {way} {number}")
        trail, model, rows, told = Trail({TABLE: COLUMNS}), Model(), dict[int, Row](), list[list[Step]]()
        place.run(*(f"DROP TABLE IF EXISTS {name}" for name in ("t", "logdump_position", "logdump_errors")))
        for csn in range(101, 110):
            steps: list[Step] = [("truncate", None, None, ())]
            if csn == 101:
                steps = [("insert", None, 6, ("first", 1))]
                rows[6] = ()
            elif csn == 107:
                rows.clear()
            else:
                steps = _with_bad_names(transaction(random, rows, truncates=0))
            told.append(steps)
            write(trail, steps)
            model.transaction(str(csn), steps)
            if csn == 101:
                apply(trail.write(tmp_path / "a"), place, create=True, **WAYS[way])
                place.run(begin)
        path = trail.write(tmp_path / "a")
        given: dict[str, Any] = {"errors": "table", "maxTransactionsPerTrigger": 1, **WAYS[way]}
        try:
            noted += apply(path, place, **given).refused > 0
        except Refused as error:
            stops += "noted in logdump_errors" in str(error)
        place.run(end)
        logdump.retry(path, place.url, **WAYS[way])
        apply(path, place, **given)
        assert place.query("SELECT count(*) FROM logdump_errors") == [(0,)]
        wanted, had = sorted(expected(model, way), key=repr), sorted(found(place, way), key=repr)
        if way == "soft":  # a row that came and went in one transaction, of which a part was noted
            had = [row for row in had if row[-1] is None or row[0] in {values[0] for values in wanted}]
        assert had == wanted, told
    assert (stops > 0) == (way in ("history", "soft"))
    assert noted or way != "append"
