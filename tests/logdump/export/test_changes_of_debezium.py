"""EXPORT JSONL … DEBEZIUM: which records are which lines, in which order, and what is said of the others."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.capture import Capture
from fixtures.changes import Change as RowChange
from fixtures.changes import (
    delete,
    insert,
    key_update,
    unified_key_update,
    unified_update,
    update,
    update_pair,
    upsert,
)
from fixtures.flavour import ORACLE_12
from fixtures.shop import Row, ShopTable
from logdump.arrow.tables import group
from logdump.features.export import batch_walk
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile, TrailWriter
from trailformat.records.record_header import FIELD_COMP, FIRST, LAST, MIDDLE, ONLY, UPDATE

Change = dict[str, Any]


def exported(target: Path, *lines: str, words: str = "") -> tuple[list[Change], list[str]]:
    """The changes written after some commands, and what EXPORT says."""
    line = Line()
    for command in lines:
        line(command)
    said = line(f"export jsonl to {target} debezium {words}")
    line.session.close()
    return [json.loads(text) for text in target.read_text(encoding="ascii").splitlines()], said


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "changes.jsonl"


def test_changes_of_all_tables_come_in_the_order_of_the_trail(target: Path) -> None:
    changes, _ = exported(target, f"open {TRAILS / 'rt000000000'}")
    assert len({change["source"]["table"] for change in changes}) > 1
    sequences = [change["source"]["sequence"] for change in changes]
    assert sequences == sorted(set(sequences))


def test_an_update_of_the_key_is_two_lines_and_an_image_before_in_a_record_of_its_own_none(target: Path) -> None:
    changes, said = exported(target, f"open {TRAILS / 'et000000000'}")
    parts = {change["source"]["pos"]: change["op"] for change in changes if change["source"]["sequence"][-1] == "1"}
    split = [change["op"] for change in changes if change["source"]["pos"] in parts]
    assert split == ["d", "c"] * len(parts)
    assert parts
    assert said == [
        f"Exported {len(changes)} changes to {target}",
        "Left out 6 records that are not changes: FieldComp 1, FileHeader 1, GGSPurgedata 1, Metadata 3",
        "1 truncate is not written, as by Debezium unless it is configured: TRUNCATES writes them",
    ]


def test_with_across_the_changes_of_later_files_follow(target: Path) -> None:
    changes, _ = exported(target, f"open {TRAILS / 'st000000000'}", "across on")
    assert {Path(change["source"]["file"]).name for change in changes} == {"st000000000", "st000000001"}
    sequences = [change["source"]["sequence"] for change in changes]
    assert sequences == sorted(set(sequences))


def test_the_filter_chooses_changes(target: Path) -> None:
    changes, _ = exported(target, f"open {TRAILS / 'et000000000'}", "filter include filename *.SALES")
    assert {change["source"]["table"] for change in changes} == {"SALES"}


def test_effective_leaves_out_what_a_replicat_does_not_apply(tmp_path: Path) -> None:
    line = Line()
    line(f"open {TRAILS / 'at000000000'}; across on")
    counts = {}
    for word in ("", "effective"):
        line(f"export jsonl to {tmp_path / 'changes'} debezium {word} replace")
        counts[word] = len((tmp_path / "changes").read_bytes().splitlines())
    line.session.close()
    assert 0 < counts["effective"] < counts[""]


def test_a_value_that_does_not_decode_is_null_and_a_problem(target: Path) -> None:
    changes, said = exported(target, f"open {TRAILS / 'kt000000000'}")
    problems = {problem["column"]: change for change in changes for problem in change["source"]["problems"] or ()}
    assert problems.keys() == {"ORIGIN", "NAME"}
    for column, change in problems.items():
        assert change["after"][column] is None
        assert column not in (change["source"]["absent"] or ())
    assert any("do not decode" in text for text in said)


def test_a_row_without_a_definition_has_no_images_but_its_bytes(target: Path, tmp_path: Path) -> None:
    changes, _ = exported(target, f"open {trail_of(tmp_path, row(b'odd'))}")
    [change] = changes
    assert (change["before"], change["after"]) == (None, None)
    [problem] = change["source"]["problems"]
    assert b"odd".hex() in problem["bytes"]


TEAS = ORACLE_12.teas
CODE, NAME, ORIGIN, GRADE, PRICE, STOCK = (column.name for column in TEAS.columns)
OLD: Row = ("SEN01", "Sencha", None, "A ", Decimal("8.90"), Decimal(120))
NEW: Row = ("SEN01", "Sencha", "Uji", "AA", Decimal("8.90"), Decimal(90))
MOVED: Row = ("SEN02", "Sencha", None, "A ", Decimal("8.90"), Decimal(7))
UNKNOWN = "__debezium_unavailable_value"


def shown(row: Row, **others: Any) -> Change:
    """A row as a line has it: decimal numbers of a scale as text; some columns otherwise."""
    values = dict(zip((CODE, NAME, ORIGIN, GRADE, PRICE, STOCK), row, strict=True))
    return values | {PRICE: str(row[4]), STOCK: int(row[5] or 0)} | others


def written(folder: Path, *changes: RowChange | ShopTable, cut: int = 0, has_header: bool = False) -> Path:
    """A trail of one transaction; a table is its definition, written again. ``cut``: how many are in a first file."""
    whole = [change for change in changes if not isinstance(change, ShopTable)]
    for age, part in enumerate([changes[:cut], changes[cut:]] if cut else [changes]):
        with TrailWriter(folder / f"dz{age:09d}", order=ORACLE_12.order) as writer:
            capture = Capture(writer, ORACLE_12)
            if has_header:
                with TrailFile(TRAILS / "et000000000") as trail:
                    writer.write(next(trail.records()))
            capture.database()
            for table in dict.fromkeys([TEAS, *(change.table for change in whole)]):
                capture.table(table)
            capture.begin()
            for change in part:
                if isinstance(change, ShopTable):
                    capture.table(change, MIDDLE)
                else:
                    place = FIRST if change is whole[0] else LAST if change is whole[-1] else MIDDLE
                    capture._row(change, ONLY if len(whole) == 1 else place, ())
    return folder / "dz000000000"


@pytest.mark.parametrize("batch", [1, 2, 3, 1 << 16])
@pytest.mark.parametrize("cells", [1, 1 << 21])
@pytest.mark.parametrize("cut", [0, 1, 2, 3])
@pytest.mark.parametrize("has_header", [True, False])
def test_an_update_in_two_records_has_the_whole_row_before_and_after(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, batch: int, cells: int, cut: int, *, has_header: bool
) -> None:
    """Wherever batches, blocks of rows and files end, and with a definition between the records."""
    monkeypatch.setattr(batch_walk, "_ROWS", batch)
    monkeypatch.setattr(group, "_MOST_CELLS", cells)
    first, second = update_pair(TEAS, OLD, NEW)
    last = update_pair(TEAS, NEW, OLD)
    path = written(tmp_path, insert(TEAS, MOVED), first, TEAS, second, *last, cut=cut, has_header=has_header)
    changes, _ = exported(target, f"open {path}", "across on" if cut else "across off")
    known = {NAME: None, PRICE: None}
    assert [(change["op"], change["before"], change["after"]) for change in changes] == [
        ("c", None, shown(MOVED)),
        ("u", shown(OLD, **known), shown(NEW, **dict.fromkeys((NAME, PRICE), UNKNOWN))),
        ("u", shown(NEW, **known), shown(OLD, **dict.fromkeys((NAME, PRICE), UNKNOWN))),
    ]
    assert [change["source"]["absent"] for change in changes] == [None, [NAME, PRICE], [NAME, PRICE]]


def _by_stock(row: Row) -> Row:
    return (*row[:4], row[5], row[4])


_BY_STOCK = TEAS._replace(columns=(*TEAS.columns[:4], TEAS.columns[5], TEAS.columns[4]))
"""The same table with two columns exchanged."""
_CUPS = TEAS._replace(name="TEAHOUSE.CUPS", number=7)
OTHERS: dict[str, tuple[RowChange | ShopTable, ...]] = {
    "another kind": (RowChange(TEAS, UPDATE, OLD, NEW, is_before=True),),
    "another table": (RowChange(_CUPS, FIELD_COMP, OLD, NEW, is_before=True),),
    "another definition": (_BY_STOCK, RowChange(_BY_STOCK, FIELD_COMP, _by_stock(OLD), _by_stock(NEW), is_before=True)),
}


@pytest.mark.parametrize("batch", [1, 2, 1 << 16])
@pytest.mark.parametrize("is_cut", [True, False])
@pytest.mark.parametrize("what", OTHERS)
def test_the_image_before_of_another_update_is_not_that_of_this_one(
    target: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, batch: int, *, is_cut: bool
) -> None:
    """It stands directly before, in the same file or in the one before."""
    monkeypatch.setattr(batch_walk, "_ROWS", batch)
    records = [TEAS, insert(TEAS, MOVED), *OTHERS[what]]
    second = update_pair(TEAS, OLD, NEW)[1]
    path = written(tmp_path, *records, TEAS, second, insert(TEAS, OLD), cut=len(records) if is_cut else 0)
    changes, _ = exported(target, f"open {path}", "across on")
    unknown = dict.fromkeys((NAME, PRICE), UNKNOWN)
    assert [(change["op"], change["before"], change["after"]) for change in changes] == [
        ("c", None, shown(MOVED)),
        ("u", dict.fromkeys(shown(OLD)) | {CODE: "SEN01"}, shown(NEW, **unknown)),
        ("c", None, shown(OLD)),
    ]


def test_a_filter_that_leaves_out_the_before_image_leaves_it_in_the_change(target: Path, tmp_path: Path) -> None:
    path = written(tmp_path, *update_pair(TEAS, OLD, NEW), insert(TEAS, MOVED))
    rba = next(row.split()[0] for row in logdump("list", str(path), "--op", "update").out.splitlines())
    changes, _ = exported(target, f"open {path}", f"filter exclude rba = {rba}", "filter match all")
    assert [change["op"] for change in changes] == ["u", "c"]
    assert changes[0]["before"] == shown(OLD, **{NAME: None, PRICE: None})


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (insert(TEAS, OLD), [("c", None, shown(OLD), None)]),
        (upsert(TEAS, OLD), [("c", None, shown(OLD), None)]),
        (delete(TEAS, OLD), [("d", shown(OLD), None, None)]),
        (
            update(TEAS, OLD, NEW),
            [
                (
                    "u",
                    dict.fromkeys(shown(OLD)) | {CODE: "SEN01"},
                    shown(NEW, **dict.fromkeys((NAME, PRICE), UNKNOWN)),
                    [NAME, PRICE],
                )
            ],
        ),
        (unified_update(TEAS, OLD, NEW), [("u", shown(OLD), shown(NEW), None)]),
        (
            unified_key_update(TEAS, OLD, MOVED),
            [("d", shown(OLD), None, None), ("c", None, shown(MOVED), None)],
        ),
        (
            key_update(TEAS, OLD, MOVED),
            [
                ("d", dict.fromkeys(shown(OLD)) | {CODE: "SEN01"}, None, [NAME, ORIGIN, GRADE, PRICE, STOCK]),
                (
                    "c",
                    None,
                    shown(MOVED, **dict.fromkeys((NAME, ORIGIN, GRADE, PRICE), UNKNOWN)),
                    [NAME, ORIGIN, GRADE, PRICE],
                ),
            ],
        ),
    ],
)
def test_the_row_after_is_whole_as_far_as_the_trail_has_it(
    target: Path, tmp_path: Path, change: Any, expected: list[tuple[Any, ...]]
) -> None:
    """A column that neither image has is marked, and named; NULL is NULL."""
    changes, _ = exported(target, f"open {written(tmp_path, change)}")
    assert [
        (found_change["op"], found_change["before"], found_change["after"], found_change["source"]["absent"])
        for found_change in changes
    ] == expected


def test_an_image_before_without_its_update_is_no_change(target: Path, tmp_path: Path) -> None:
    """Neither is it that of an update of another row, or of one in another transaction."""
    lone = update_pair(TEAS, OLD, NEW)[0]
    path = written(tmp_path, lone, insert(TEAS, MOVED), update(TEAS, OLD, NEW))
    changes, said = exported(target, f"open {path}")
    assert [change["op"] for change in changes] == ["c", "u"]
    assert changes[1]["before"] == dict.fromkeys(shown(OLD)) | {CODE: "SEN01"}
    assert any("FieldComp 1" in text for text in said)


MEMBERS = ["before", "after", "source", "transaction", "op", "ts_ms", "ts_us", "ts_ns"]


def test_the_members_are_those_of_debezium(target: Path) -> None:
    changes, _ = exported(target, f"open {TRAILS / 'et000000000'}")
    assert {tuple(change) for change in changes} == {tuple(MEMBERS)}
    micros = 1710408660000000
    times = {"ts_ms": micros // 1000, "ts_us": micros, "ts_ns": micros * 1000}
    assert {name: changes[0][name] for name in ("transaction", *times)} == {"transaction": None, **times}
    named = {"version": "12.2.0.1.0", "connector": "logdump", "name": "EXTTEA", "snapshot": "false", "db": "TEADB"}
    placed = {"schema": "TEAHOUSE", "table": "TEAS", "pos": 1811, "scn": "41882317", "commit_scn": "41882317"}
    source = changes[0]["source"]
    assert {name: source[name] for name in (*named, *placed, *times)} == named | placed | times


def test_the_database_of_a_name_of_three_parts_is_its_first(target: Path) -> None:
    for name in sorted(path.name for path in TRAILS.iterdir()):
        target.unlink(missing_ok=True)
        changes, _ = exported(target, f"open {TRAILS / name}", words="truncates")
        for source in (change["source"] for change in changes):
            assert "." not in source["schema"] or '"' in source["schema"]


def test_truncates_are_written_if_they_are_wanted(target: Path) -> None:
    """Those of each table, and the status says that some were left out."""
    path = str(TRAILS / "et000000000")
    changes, said = exported(target, f"open {path}", words="truncates")
    [truncated] = [change for change in changes if change["op"] == "t"]
    assert (truncated["before"], truncated["after"], truncated["source"]["pos"]) == (None, None, 5352)
    assert not any(text.startswith("1 truncate") for text in said)
    without = logdump("export", path, "--format", "debezium")
    with_them = logdump("export", path, "--format", "debezium", "--truncates")
    filtered = logdump("export", path, "--format", "debezium", "--op", "insert")
    assert [answer.status for answer in (without, with_them, filtered)] == [3, 0, 0]
    assert with_them.out.splitlines()[:-1] == without.out.splitlines()


OLD_OF_UJI: Row = ("SEN01", "Sencha", "Uji", "A ", Decimal("8.90"), Decimal(120))
LESS: Row = (*OLD_OF_UJI[:5], Decimal(90))
ELSEWHERE: Row = (*LESS[:2], "Shizuoka", *LESS[3:])


@pytest.mark.parametrize(
    "records",
    [
        [unified_update(TEAS, OLD_OF_UJI, LESS)],
        [update_pair(TEAS, OLD_OF_UJI, ELSEWHERE)[0], update(TEAS, OLD_OF_UJI, LESS)],
    ],
)
def test_a_value_before_that_does_not_decode_does_not_become_null_after(
    target: Path, tmp_path: Path, records: list[RowChange]
) -> None:
    """Whether it is in the same record or in one of its own: the change does not say that the column is NULL now."""
    path = written(tmp_path, *records)
    path.write_bytes(path.read_bytes().replace(b"Uji", b"\xff\xfe\xff"))
    changes, _ = exported(target, f"open {path}")
    [change] = changes
    assert change["before"][STOCK] == 120
    assert change["after"] == shown(
        LESS, **({} if len(records) == 1 else {NAME: UNKNOWN, GRADE: UNKNOWN, PRICE: UNKNOWN})
    ) | {ORIGIN: UNKNOWN}
    assert ORIGIN in change["source"]["absent"]
