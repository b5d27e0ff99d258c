"""CHECK and DOCTOR on rows whose columns do not fit, and CHECK VALUES on values that do not decode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.text import Severity
from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from logdump.features.doctor.model import DoctorShown
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.simulated.encryption import by_aes, encrypted, not_at_all, write_rows
from tests.trailformat.arrays.test_column_check import Place, rows_of
from tests.trailformat.samples import column, header, metadata_record, trail_of
from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, Column, Images, Record, TableDefinition, TrailFile, make_record
from trailformat.changes.row_changes import row_columns
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import COMPRESSED, INSERT, NAME_IS_INDEX
from trailformat.trail.row_definitions import RowDefinitions

NAMES = ("et000000000", "el000000000")


def written_over(path: Path, name: str, *changes: tuple[int, bytes]) -> Path:
    """A copy of a sample trail with other bytes at some places."""
    content = bytearray((TRAILS / name).read_bytes())
    for at, new in changes:
        content[at : at + len(new)] = new
    path.write_bytes(content)
    return path


def result(line: Line) -> CheckShown:
    return next(event for event in line.events if isinstance(event, CheckShown))


def bad_rows(line: Line) -> list[BadRowShown]:
    return [event for event in line.events if isinstance(event, BadRowShown)]


@pytest.mark.parametrize("name", NAMES)
def test_thirty_bytes_in_any_row_are_found(name: str, line: Line, tmp_path: Path) -> None:
    places = [place for place in rows_of(TRAILS / name) if len(place.data) > 40]
    for number, place in enumerate(places[:: 1 + len(places) // examples(40, short=6)]):
        at = Random(number).randrange(len(place.data) - 34)
        path = written_over(tmp_path / name, name, (place.at + at, b"\xff" * 30))
        line(f'check "{path}"')
        (row,) = bad_rows(line)
        assert (row.rba, row.path) == (place.rba, path)
        assert (result(line).records, result(line).bad_rows, result(line).gaps, result(line).status) == (21, 1, 0, 4)
        line(f'doctor "{path}"')
        (shown,) = (event for event in line.events if isinstance(event, DoctorShown))
        assert shown.status == 4
        damage = [finding for finding in shown.findings if finding.severity is Severity.DAMAGE]
        assert [(finding.position.rba if finding.position else None) for finding in damage] == [place.rba]
        del line.events[:]
        line(f'check "{path}" values')
        told = [(bad.rba, bad.column, str(bad.error)) for bad in bad_rows(line)]
        assert (row.rba, row.column, str(row.error)) in told, "its values do not decode either: its first fault is told"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("noun", ["definition", "file header"])
def test_what_list_cannot_decode_is_found_in_definitions_and_file_headers_too(
    noun: str, name: str, line: Line, tmp_path: Path
) -> None:
    with TrailFile(TRAILS / name) as trail:
        records = [
            trail_record
            for trail_record in trail.records()
            if (trail_record.is_file_header if noun == "file header" else trail_record.is_metadata)
        ]
    undecoded = number = 0
    while number < examples(60, short=12) or not undecoded:
        number += 1
        assert number < 1000, "some are not decoded"
        random = Random(f"{noun} {number}")
        record = random.choice(records)
        at = record.rba + random.randrange(record.length // 4, record.length - 34)
        path = written_over(tmp_path / name, name, (at, random.choice((b"\xff", b"\0")) * 30))
        rows = [text for text in line(f'open "{path}"; list all') if "does not decode: " in text]
        line(f'check "{path}"')
        shown = [(bad.noun, bad.rba) for bad in bad_rows(line) if bad.noun != "row"]
        assert shown == ([(noun, record.rba)] if rows else [])
        if rows:
            undecoded += 1
            bad = sum(bad.noun == "row" for bad in bad_rows(line))
            assert (result(line).bad_definitions, result(line).bad_rows, result(line).status) == (1, bad, 4)


NOTE = b"gift wrap"


def _noted(name: str) -> Place:
    """The row with the note."""
    return next(place for place in rows_of(TRAILS / name) if NOTE in place.data)


def test_the_lines_say_where_and_why(tmp_path: Path) -> None:
    place = _noted(NAMES[0])
    at = place.at + place.data.index(NOTE) - 2
    path = written_over(tmp_path / "lt000000000", NAMES[0], (at, b"\x00\x08"))
    answer = logdump("check", str(path))
    why = "the length does not match the data, expected 9, found 8"
    lines = [
        f"Bad row in {path} at RBA {place.rba}, TEAHOUSE.SALES, column NOTE: {why}",
        f"LogTrail {path} has 21 good records in 10 transactions, 1 bad row, no gap in 5453 bytes",
    ]
    assert (answer.status, answer.out.splitlines()) == (4, lines)
    answer = logdump("check", str(path), "--format", "jsonl")
    row, check = map(json.loads, answer.out.splitlines())
    place_of = {
        "type": "bad_row",
        "schema": 1,
        "file": str(path),
        "rba": place.rba,
        "table": "TEAHOUSE.SALES",
        "column": "NOTE",
    }
    assert row == {
        **place_of,
        "record": "row",
        "error": "the length does not match the data",
        "expected": "9",
        "found": "8",
    }
    assert (check["records"], check["bad_rows"], check["gaps"]) == (21, 1, 0)


def test_values_are_decoded_when_asked(line: Line, tmp_path: Path) -> None:
    place = _noted(NAMES[0])
    path = written_over(tmp_path / "lt000000000", NAMES[0], (place.at + place.data.index(NOTE), b"\xff\xfe"))
    assert logdump("check", str(path)).status == 0
    answer = logdump("check", str(path), "--values")
    assert answer.status == 4
    assert f"Bad row in {path} at RBA {place.rba}, TEAHOUSE.SALES, column NOTE: VARCHAR: " in answer.out
    line(f'check values "{path}"')
    assert (result(line).records, result(line).bad_rows) == (21, 1)


def _does_not_decode(path: Path) -> list[int]:
    """The rows with a value or an image that does not decode, record by record."""
    rbas = []
    with TrailFile(path) as trail:
        definitions = RowDefinitions(trail)
        for place in rows_of(path):
            record = trail.record_at(place.rba)
            assert record is not None
            columns = row_columns(record, definitions.of(record))
            values = [value for column in columns for value in (column.before, column.after) if value is not None]
            rbas += [place.rba] * any(value.problem is not None for value in values)
    return rbas


@pytest.mark.parametrize("name", [*NAMES, "bl000000000", "yt000000000"])
def test_values_that_do_not_decode_are_those_of_the_records(name: str, line: Line, tmp_path: Path) -> None:
    """Bytes of values are changed, so that frames stay as they are."""
    places = [place for place in rows_of(TRAILS / name) if place.io_type in (3, 5, 15)]
    order, seen = "little" if name[1] == "l" else "big", 0
    for seed in range(examples(80, short=8)):
        random, changes = Random(f"{name} {seed}"), []
        for place in random.sample(places, 3):
            at = 0
            while at + 4 <= len(place.data):
                size = int.from_bytes(place.data[at + 2 : at + 4], order)  # type: ignore[arg-type]
                if size > 6 and random.random() < 0.4:
                    where = random.randrange(at + 8, at + 4 + size)
                    changes.append((place.at + where, bytes([random.choice((0xFF, 0x80, ord("x"), 0))])))
                at += 4 + size
        path = written_over(tmp_path / name, name, *changes)
        line(f'check values "{path}"')
        expected = _does_not_decode(path)
        assert [row.rba for row in bad_rows(line)] == expected
        assert not [event for event in line.events if isinstance(event, GapShown)]
        seen += len(expected)
    assert seen


@pytest.mark.parametrize("rows", [1, 2, 5, 9, 40])
def test_rows_of_an_encrypted_file_are_not_called_bad_however_few(rows: int, line: Line, tmp_path: Path) -> None:
    plain = write_rows(tmp_path / "pp000000", rows=rows)
    for cipher, name in ((by_aes, "aa000000"), (not_at_all, "bb000000")):
        path = encrypted(plain, tmp_path / name, cipher)
        line(f"check {path}")
        assert (bad_rows(line), result(line).status) == ([], 0)


def test_bad_rows_and_gaps_are_in_the_order_of_the_file(line: Line, tmp_path: Path) -> None:
    places = list(rows_of(TRAILS / NAMES[0]))
    first, second, third = places[2], places[5], places[9]
    changes = (first.at, b"\xff" * 4), (second.rba, b"X"), (third.at, b"\xff" * 4)
    line(f"check {written_over(tmp_path / 'lt000000000', NAMES[0], *changes)}")
    shown = [(type(event), event.rba) for event in line.events if isinstance(event, BadRowShown | GapShown)]
    assert shown == [(BadRowShown, first.rba), (GapShown, second.rba), (BadRowShown, third.rba)]


def test_doctor_names_twenty_and_counts_the_rest(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = list(rows_of(TRAILS / NAMES[0]))[:5]
    path = written_over(tmp_path / "lt000000000", NAMES[0], *((place.at, b"\xff" * 4) for place in places))
    monkeypatch.setattr("logdump.features.doctor.command.MOST_BAD", 2)
    line(f"doctor {path}")
    (shown,) = (event for event in line.events if isinstance(event, DoctorShown))
    damage = [finding for finding in shown.findings if finding.severity is Severity.DAMAGE]
    assert [finding.position.rba if finding.position else finding.text for finding in damage] == [
        *(place.rba for place in places[:2]),
        "3 more bad rows",
    ]
    assert shown.check is not None
    assert shown.check.bad_rows == 5


DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


def test_a_definitions_file_is_the_definition_where_the_trail_has_none(line: Line, tmp_path: Path) -> None:
    text = DEFINITIONS.read_text(encoding="utf-8")
    path = TRAILS / "ot000000"
    line(f"check {path}")
    assert bad_rows(line) == []
    line(f"sourcedefs {DEFINITIONS}; check {path}")
    assert bad_rows(line) == []
    narrow = tmp_path / "narrow.def"
    (name,) = (row for row in text.splitlines() if row.startswith("NAME "))
    narrow.write_text(text.replace(name, name.replace("40", " 4")), encoding="utf-8")
    line(f"sourcedefs {narrow}; check {path}")
    assert {(row.table, row.column) for row in bad_rows(line)} == {("TEAHOUSE.TEAS", "NAME")}


@pytest.mark.parametrize("order", ByteOrder)
@pytest.mark.parametrize("case", range(examples(8)))
def test_a_row_whose_columns_go_on_in_records_that_are_not_there_is_no_bad_row(
    case: int, order: ByteOrder, line: Line, tmp_path: Path
) -> None:
    """Drawn rows: sound, cut, of images that are no columns, of values that do not decode; three are cut at least."""
    random = Random(f"cut {case}")
    columns = (column("QTY", scale=0), of(64)._replace(name="NOTE"))
    definition = build_table(TableDefinition(1, 1, columns), order)
    kinds = ["cut", *random.choices(["sound", "cut", "no columns", "no text"], k=12), "cut", "no columns", "cut"]
    records, expected, at = [metadata_record(2, 1, "TEA.POTS", definition, order)], dict[str, list[int]](), 0
    for kind in kinds:
        at += records[-1].length
        records.append(_row_of(kind, order, random))
        expected.setdefault(kind, []).append(at)
    path = trail_of(tmp_path, *records)
    for words, bad in (("", {"no columns"}), ("values", {"no columns", "no text"})):
        line(f'check "{path}" {words}')
        told = [row.rba for row in bad_rows(line)]
        assert told == sorted(rba for kind in bad for rba in expected.get(kind, [])), kinds
        assert (result(line).records, result(line).bad_rows) == (len(records) - len(told), len(told))


def _row_of(kind: str, order: ByteOrder, random: Random) -> Record:
    """A row of a number and a text; in a cut one the last bytes of the text are missing."""
    text = random.randbytes(6).hex().encode()
    text = b"\xff\xfe" + text if kind == "no text" else text
    stored = [random.randrange(1 << 40).to_bytes(8, "big"), len(text).to_bytes(2, order.word) + text]
    images = Images(None, tuple(Column(index, b"\0\0" + value) for index, value in enumerate(stored)))
    head = header(1, order, io_type=INSERT, partition=COMPRESSED | NAME_IS_INDEX)
    whole = make_record(head, images, order=order)
    if kind in ("sound", "no text"):
        return whole
    data = whole.data[: -random.randint(1, 9)]
    return make_record(head._replace(continued=int(kind == "cut")), data, order=order)
