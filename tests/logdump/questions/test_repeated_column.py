"""A column that stands twice in an image: no reader gives one of the two values, and each says why."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures.capture import Capture
from fixtures.changes import insert
from fixtures.flavour import MYSQL_21
from logdump import read
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.questions.test_every_type import NAME, _read, _row
from trailformat import Images, TrailWriter, make_column
from trailformat.records.columns import Columns
from trailformat.records.record_header import (
    DELETE,
    FIELD_COMP,
    FIRST,
    INSERT,
    LAST,
    UNIFIED_UPDATE,
    UPDATE,
    UPSERT,
)

TABLE = MYSQL_21.teas
TYPES = {INSERT: "A", DELETE: "B", UPDATE: "A", FIELD_COMP: "A", UPSERT: "A", UNIFIED_UPDATE: "A"}
REASON = "the image has this column twice"
REPEATED: dict[str, Callable[[Columns], Columns]] = {
    "the key, at once": lambda columns: (columns[0], *columns),
    "the key, out of order": lambda columns: (columns[2], columns[0], columns[1], columns[0], *columns[3:]),
    "another, at the end": lambda columns: (*columns, columns[1]),
    "another, NULL at first": lambda columns: (columns[0], make_column(1, None), *columns[1:]),
    "another, NULL at last": lambda columns: (*columns, make_column(1, None)),
}


def _written(path: Path, io_type: int, columns: Columns, *, is_before: bool) -> int:
    """Write a trail of an insert and the record, whose RBA is returned."""
    order = MYSQL_21.order
    with TrailWriter(path, order=order) as writer:
        capture = Capture(writer, MYSQL_21)
        capture.database()
        capture.table(TABLE)
        capture.begin()
        capture._row(insert(TABLE, _row(1)), FIRST, ())
        whole = insert(TABLE, _row(2)).images(order).after
        single = Images(columns, None) if io_type == DELETE else Images(None, columns)
        old, new = (columns, whole) if is_before else (whole, columns)
        paired = Images(old, new, prefix_size=4)
        header = capture.header(
            io_type,
            TABLE.number,
            partition=capture.partition,
            orig_node=255,
            trans_ind=LAST,
            before_after=ord(TYPES[io_type]),
        )
        return writer.write_values(header, paired if io_type == UNIFIED_UPDATE else single, ()).rba


@pytest.mark.parametrize("how", REPEATED)
@pytest.mark.parametrize(("io_type", "is_before"), [*((number, False) for number in TYPES), (UNIFIED_UPDATE, True)])
def test_each_reader_gives_no_value_and_the_same_reason(
    tmp_path: Path, line: Line, io_type: int, how: str, *, is_before: bool
) -> None:
    path, plain = tmp_path / "rc000000000", insert(TABLE, _row(2)).images(MYSQL_21.order).after or ()
    number = 0 if "key" in how else 1
    side, name = "before" if is_before or io_type == DELETE else "after", TABLE.columns[number].name
    rba = _written(path, io_type, REPEATED[how](plain), is_before=is_before)
    shown = line(f"open {path}; values on; pos {rba}; n")
    assert f"? {name} {side}: {REASON}" in shown
    if not number and io_type != UNIFIED_UPDATE:
        assert any(text.endswith(f"column {name} is not decoded: {REASON}") for text in line(f"pos {rba}; redo"))
    told = map(json.loads, logdump("-c", f"format jsonl; open {path}; pos {rba}; n").out.splitlines())
    line(f"pos 0; export jsonl to {tmp_path / 'records'}")
    exported = map(json.loads, (tmp_path / "records").read_text(encoding="ascii").splitlines())
    for records in (told, exported):
        [record] = [record for record in records if record.get("rba") == rba and record.get("type") != "position"]
        entries = [(column["problem"], column["text"]) for column in record[side] if column["index"] == number]
        assert entries == [(REASON, None)] * 2
    line(f"pos 0; export jsonl to {tmp_path / 'tables'} by table")
    lines = (tmp_path / "tables" / f"{NAME}.jsonl").read_text(encoding="ascii").splitlines()
    for rows in (map(json.loads, lines), read(path, table=NAME, undecodable="null").to_arrow().to_pylist()):
        [row] = [row for row in rows if row["rba"] == rba]
        assert [(each["column"], each["image"], each["reason"]) for each in row["problems"]] == [(name, side, REASON)]
        assert row.get(f"{side}_{name}") is None
        assert row[f"{side}_{TABLE.columns[2].name}"] == "Uji"
    [change] = [row for row in _read(path, changesOf=NAME, undecodable="null") if row["_rba"] == rba]
    assert [problem["reason"] for problem in change["_problems"]] == [REASON]
    assert is_before or change[name] is None
    [record] = [row for row in _read(path, undecodable="null") if row["rba"] == rba]
    assert record["problems"] == [f"{side}.{name}: {REASON}"]
    assert {column["value"] for column in record[side] if column["index"] == number} == {None}
    value = "T0002" if not number else "Sencha"
    asked = f"open {path}; filter include value {name} = {value}; filter include rba = {rba}; filter match all; count"
    is_other_sound = io_type == UNIFIED_UPDATE
    assert ("has 1 records" in " ".join(line(asked))) == is_other_sound
