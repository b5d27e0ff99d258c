"""EXPORT JSONL … OGG: the messages of GoldenGate's JSON formatter, held against lines and rules written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from fixtures.changes import (
    Change,
    delete,
    insert,
    key_update,
    truncate,
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
from tests.logdump.export.test_changes_of_debezium import written
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.trailformat.samples import row as record_of
from tests.trailformat.samples import trail_of
from trailformat.records import record_header

SHARED = Path(__file__).parents[4] / "shared" / "ogg-json.md"
NOW = re.compile(r'"current_ts":"[^"]*",')


def exported(target: Path, *lines: str) -> tuple[list[str], list[str]]:
    """The messages written after some commands, and what EXPORT says."""
    line = Line()
    for command in lines:
        line(command)
    said = line(f"export jsonl to {target} ogg")
    line.session.close()
    return target.read_text(encoding="utf-8").splitlines(), said


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared/ogg-json.md")
def test_the_messages_of_the_sample_trail_are_those_of_the_notes(tmp_path: Path) -> None:
    """The notes have the default of the formatter, without ``primary_keys``, and another time of writing."""
    text = SHARED.read_text(encoding="utf-8")
    noted = [line for line in text.splitlines() if line.startswith('{"table":"TEAHOUSE')][:17]
    messages, _ = exported(tmp_path / "m", f"open {TRAILS / 'et000000000'}")
    keys = re.compile(r'"primary_keys":\["(TEA_CODE|SALE_ID)"\],?')
    plain = [keys.sub("", NOW.sub("", message)).replace(",}", "}") for message in messages]
    assert plain == [NOW.sub("", line) for line in noted]


@pytest.mark.parametrize(
    ("rba", "message"),
    [
        (
            3260,
            (
                '{"table":"TEAHOUSE.TEAS","op_type":"U","op_ts":"2024-03-14 09:33:00.000000",'
                '"pos":"00000000000000003260",'
                '"primary_keys":["TEA_CODE"],"before":{},"after":{"TEA_CODE":"SEN01","PRICE":9.40}}'
            ),
        ),
        (
            4635,
            (
                '{"table":"TEAHOUSE.TEAS","op_type":"U","op_ts":"2024-03-14 09:37:00.000000",'
                '"pos":"00000000000000004635",'
                '"primary_keys":["TEA_CODE"],"before":{"TEA_CODE":"ASS02"},"after":{"TEA_CODE":"ASS01"}}'
            ),
        ),
        (
            5352,
            (
                '{"table":"TEAHOUSE.SALES","op_type":"T","op_ts":"2024-03-14 09:40:00.000000",'
                '"pos":"00000000000000005352","primary_keys":["SALE_ID"]}'
            ),
        ),
    ],
)
def test_a_message_is_written_as_it_was_seen(rba: int, message: str) -> None:
    answer = logdump("export", str(TRAILS / "et000000000"), "--format", "ogg", "--rba", str(rba), "--limit", "1")
    assert NOW.sub("", answer.out) == f"{message}\n"
    assert answer.status == 0


TABLES = (ORACLE_12.teas, ORACLE_12.sales)
TEXTS = ("Sencha", "Pu'er, ripe", "玉露", 'a "quoted" \\ one', "tab\tand\x1b[31m", "", "  ")


def _number(draw: Random, scale: int) -> Decimal:
    return draw.choice([Decimal(0), Decimal(draw.randint(-999, 99999))]).scaleb(-scale)


def _row(draw: Random, table: ShopTable, key: int) -> Row:
    text = [draw.choice([None, *TEXTS]) for _ in range(2)]
    if table is TABLES[0]:
        return f"T{key:05d}", *text, draw.choice([None, "A ", "AA"]), _number(draw, 2), _number(draw, 0)
    at = draw.choice([None, "2024-03-14:10:02:11", "1999-12-31:23:59:59"])
    return Decimal(500000 + key), f"T{key:05d}", at, _number(draw, 0), _number(draw, 2), text[0]


def _other(draw: Random, table: ShopTable, row: Row) -> Row:
    """Another row with the same key; at least one column differs."""
    place = draw.randrange(1, len(row))
    others = [_row(draw, table, 1) for _ in range(9)]
    new = next((other_row[place] for other_row in others if other_row[place] != row[place]), None)
    return (*row[:place], new, *row[place + 1 :]) if new != row[place] else _other(draw, table, row)


KINDS = (insert, upsert, delete, update, unified_update, key_update, unified_key_update)


def _drawn(draw: Random, count: int) -> Iterator[tuple[Change, ...]]:
    """Changes of each kind at least once; a pair is an update in two records."""
    kinds: list[Any] = [*KINDS, truncate, update_pair]
    chosen = [*kinds, *(draw.choice(kinds) for _ in range(count))]
    draw.shuffle(chosen)
    for key, make in enumerate(chosen):
        table = draw.choice(TABLES)
        row = _row(draw, table, key)
        if make is truncate:
            yield (truncate(table),)
        elif make in (insert, upsert, delete):
            yield (make(table, row),)
        else:
            other = _other(draw, table, row)
            moved = (_row(draw, table, key + 5000)[0], *other[1:])
            made: Any = make(table, row, moved if make in (key_update, unified_key_update) else other)
            yield made if make is update_pair else (made,)


LETTERS = {
    record_header.INSERT: "I",
    record_header.UPSERT: "I",
    record_header.DELETE: "D",
    record_header.PURGE_DATA: "T",
}
TEXT_COLUMNS = {"TEA_CODE", "NAME", "ORIGIN", "GRADE", "SOLD_AT", "NOTE", "SALE_ID"}


def _value(name: str, value: Any) -> str:
    """The JSON of a value: text and a NUMBER without scale are text, other numbers have their digits."""
    if value is None:
        return "null"
    if name == "SOLD_AT":
        return f'"{value[:10]} {value[11:]}"'
    if name in TEXT_COLUMNS:
        return json.dumps(str(value), ensure_ascii=False)
    return f"{value:f}" if value else "0"


def _image(table: ShopTable, row: Row, places: set[int]) -> str:
    pairs = [(column.name, row[at]) for at, column in enumerate(table.columns) if at in places]
    return "{" + ",".join(f'"{name}":{_value(name, value)}' for name, value in pairs) + "}"


def _images(change: tuple[Change, ...]) -> str:
    """The members of a message after ``primary_keys``, by what the records of each kind of change hold."""
    last = change[-1]
    before, after, table = last.before or (), last.after or (), last.table
    everything = set(range(len(table.columns)))
    if last.io_type == record_header.PURGE_DATA:
        return ""
    if last.io_type in (record_header.INSERT, record_header.UPSERT):
        return f',"after":{_image(table, after, everything)}'
    if last.io_type == record_header.DELETE:
        return f',"before":{_image(table, before, everything)}'
    changed = {0} | {at for at in everything if before[at] != after[at]}
    held = {
        record_header.FIELD_COMP: changed if len(change) == 2 else set(),
        record_header.PK_UPDATE: {0},
    }.get(last.io_type, everything)
    return f',"before":{_image(table, before, held)},"after":{_image(table, after, changed)}'


@pytest.mark.parametrize("case", range(examples(8)))
def test_drawn_changes_are_the_messages_of_a_model(case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever batches and blocks of rows end."""
    draw = Random(f"ogg {case}")
    changes = list(_drawn(draw, 12))
    monkeypatch.setattr(batch_walk, "_ROWS", draw.choice([1, 2, 5, 1 << 16]) if case else 1 << 16)
    monkeypatch.setattr(group, "_MOST_CELLS", draw.choice([1, 40, 1 << 21]) if case else 1 << 21)
    path = written(tmp_path, *(record for change in changes for record in change))
    messages, _ = exported(tmp_path / "m", f"open {path}")
    known = [json.loads(message) for message in messages]
    expected = [
        f'{{"table":"{change[-1].table.name}","op_type":"{LETTERS.get(change[-1].io_type, "U")}",'
        f'"op_ts":"{message["op_ts"]}","pos":"{message["pos"]}",'
        f'"primary_keys":["{change[-1].table.columns[0].name}"]{_images(change)}}}'
        for change, message in zip(changes, known, strict=True)
    ]
    assert [NOW.sub("", message) for message in messages] == expected
    for member, form in (("pos", r"\d{20}"), ("op_ts", r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}")):
        assert all(re.fullmatch(form, message[member]) for message in known)
    assert [message["pos"] for message in known] == sorted({message["pos"] for message in known})
    times = [message["current_ts"] for message in known]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}", time) for time in times)
    assert times == sorted(set(times))


def test_with_a_fixed_time_two_exports_are_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever thread writes which lines first."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1710409267")
    monkeypatch.setattr(group, "_MOST_CELLS", 1)
    lines = [exported(tmp_path / name, f"open {TRAILS / 'rt000000000'}")[0] for name in ("a", "b")]
    assert lines[0] == lines[1]
    assert json.loads(lines[0][0])["current_ts"].startswith("2024-03-14T09:41:07.000")


def test_a_row_that_has_no_definition_is_no_message(tmp_path: Path) -> None:
    """GoldenGate would stop; it is counted among those left out, and its data among what does not decode."""
    answer = logdump("export", str(trail_of(tmp_path, record_of(b"odd"))), "--format", "ogg")
    assert (answer.out, answer.status) == ("", 4)
    assert "Left out" in answer.err
    assert "no definition of its columns" in answer.err


def test_a_value_that_does_not_decode_is_left_out_of_its_message(tmp_path: Path) -> None:
    messages, said = exported(tmp_path / "m", f"open {TRAILS / 'kt000000000'}")
    names = [set(json.loads(message)["after"]) for message in messages]
    assert any({"NAME", "ORIGIN"} - columns for columns in names)
    assert any("do not decode" in text for text in said)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("jsonl to x ogg truncates", "TRUNCATES goes with DEBEZIUM"),
        ("jsonl to x truncates", "TRUNCATES goes with DEBEZIUM"),
        ("jsonl to x ogg by table", "OGG is one file, in the order of the trail: it does not go with BY TABLE."),
        ("csv to x ogg", "OGG goes with JSONL, not with CSV."),
        ("sql to x truncates", "TRUNCATES goes with JSONL, not with SQL."),
    ],
)
def test_what_does_not_go_with_it_is_refused(words: str, message: str) -> None:
    line = Line()
    assert message in "\n".join(line(f"open {TRAILS / 'et000000000'}; export {words}"))
    line.session.close()


@pytest.mark.parametrize("shape", ["ogg", "csv", None])
def test_the_option_of_truncates_goes_with_debezium_alone(shape: str | None, tmp_path: Path) -> None:
    words = ["--format", shape] if shape else []
    answer = logdump("export", str(TRAILS / "et000000000"), *words, "--truncates", "-o", str(tmp_path / "x"))
    assert answer.status == 2
    assert "--truncates goes with --format debezium" in answer.err
    assert not (tmp_path / "x").exists()
