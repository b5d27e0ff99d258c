"""DOCTOR with several of a kind: which findings, files, transactions and types are told, and in what order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.text import PlacedLine, Severity
from logdump.features.doctor import images as doctor_images
from logdump.features.doctor import text as doctor_text
from logdump.features.doctor.images import ImageSurvey
from logdump.features.doctor.model import DoctorShown, OpImages, TableImages
from logdump.features.doctor.text import _columns
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.trailformat.samples import IO_TIME, row, table_record, trail_of
from trailformat import Record, TrailFile, change_of, make_file_header_record
from trailformat.records.file_header import replace_values
from trailformat.records.record_header import FIELD_COMP, FIRST, LAST, MIDDLE, ONLY, RESTART_ABEND, RESTART_OK
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition

GARBAGE = b"no record at all, but bytes " * 4


def _file(folder: Path, number: int, *records: Record | bytes) -> Path:
    return trail_of(folder, *records, name=f"tt{number:09}")


def _at(*records: Record | bytes) -> int:
    """The RBA behind these."""
    return sum(len(record.raw if isinstance(record, Record) else record) for record in records)


def _examined(line: Line, folder: Path) -> tuple[DoctorShown, list[str]]:
    text = line(f'doctor "{folder}/tt*"')
    (shown,) = (event for event in line.events if isinstance(event, DoctorShown))
    whole = list[str]()
    for part in text:  # lines are broken between words
        if part.startswith(" " * 7):
            whole[-1] += f" {part.strip()}"
        else:
            whole.append(part)
    return shown, whole


OK, ABEND = row(b"", io_type=RESTART_OK), row(b"", io_type=RESTART_ABEND)
KINDS: dict[str, Record | bytes] = {"restart": OK, "abend": ABEND, "damage": GARBAGE}


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("order", list(permutations(KINDS)))
def test_the_most_severe_findings_are_told_and_the_others_counted(
    order: tuple[str, ...], most: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two restarts, which are notes, and damage, in any order; a second damage comes last."""
    monkeypatch.setattr(doctor_text, "_MOST_FINDINGS", most)
    whole = row(trans_ind=ONLY)
    records = [piece for kind in order for piece in (whole, KINDS[kind])] + [whole, GARBAGE, whole]
    _file(tmp_path, 0, *records)
    places = {kind: _at(*records[: 2 * at + 1]) for at, kind in enumerate(order)}
    damage = [f"tt000000000 RBA {place}: damage, " for place in (places["damage"], _at(*records[:7]))]
    notes = [
        f"tt000000000 RBA {places[kind]}: Extract {'abended and ' * (kind == 'abend')}was restarted"
        for kind in order
        if kind != "damage"
    ]
    shown, text = _examined(line, tmp_path)
    assert [finding.severity for finding in shown.findings] == [Severity.DAMAGE] * 2 + [Severity.NOTE] * 2
    begin = next(at for at, line_text in enumerate(text) if line_text.startswith("Findings"))
    assert text[begin] == "Findings     2 problems, 2 notes"
    for line_text, expected in zip(text[begin + 1 :], [*damage, *notes][:most], strict=False):
        assert expected in line_text
    more = text[begin + 1 + min(most, 4)]
    assert (more == f"     ... {4 - most} more") is (most < 4)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@pytest.mark.parametrize("files", [1, 2, 3])
def test_the_newest_files_are_told_and_those_before_them_counted(
    files: int, most: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_text, "_MOST_FILES", most)
    paths = [_file(tmp_path, number, row(trans_ind=ONLY)) for number in range(files)]
    _, text = _examined(line, tmp_path)
    begin = next(at for at, line_text in enumerate(text) if line_text.startswith("File "))
    expected = [path.name for path in paths[-most:]]
    assert [line_text.split()[0] for line_text in text[begin + 1 :][: len(expected)]] == expected
    more = f"... {files - most} files before these   [RECOVERY FILES]"
    assert (more in text) is (files > most)


@pytest.mark.parametrize("unread", [(), (0,), (2,), (1, 2)])
@pytest.mark.parametrize("names", list(permutations("abc")))
def test_the_source_is_that_of_the_newest_file_that_can_be_read(
    names: tuple[str, ...], unread: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    with TrailFile(TRAILS / "at000000000") as trail:
        own = trail.file_header
    assert own is not None
    for number, name in enumerate(names):
        head = make_file_header_record(replace_values(own, "MachineInfo", {"Nodename": f"host-{name}"}))
        _file(tmp_path, number, *([GARBAGE] if number in unread else [head, row(trans_ind=ONLY)]))
    newest = next(name for number, name in reversed(list(enumerate(names))) if number not in unread)
    (source,) = (text for text in _examined(line, tmp_path)[1] if text.startswith("Source "))
    assert f"host host-{newest}" in source


_HERE = FilePosition(Path("tt000000000"), 0)


@pytest.mark.parametrize(
    ("images", "text"),
    [
        (OpImages("DELETE", "before", 3, 2, 2, 3, 3, _HERE), "all 2"),
        (OpImages("DELETE", "before", 3, 2, 2, 2, 3, _HERE), "key"),
        (OpImages("DELETE", "before", 3, 2, 2, 2, 2, _HERE), "2 of 5"),
        (OpImages("DELETE", "before", 3, 1, 4, 0, 0, _HERE), "1 to 4 of 5"),
        (OpImages("DELETE", "before", 3, 1, 5, 1, 1, _HERE), "1 to 5 of 5"),
    ],
)
def test_images_with_all_columns_are_told_as_such_before_those_with_the_key(images: OpImages, text: str) -> None:
    assert _columns(images, 5) == text


@pytest.mark.parametrize("case", range(examples(20, short=5)))
def test_the_five_largest_transactions_are_told_the_largest_first(case: int, line: Line, tmp_path: Path) -> None:
    sizes = Random(case).sample(range(1, 12), 7)
    records: list[Record] = []
    begins: dict[int, int] = {}
    for size in sizes:
        begins[size] = _at(*records)
        marks = [ONLY] if size == 1 else [FIRST, *[MIDDLE] * (size - 2), LAST]
        records += [row(trans_ind=mark) for mark in marks]
    _file(tmp_path, 0, *records)
    shown, _ = _examined(line, tmp_path)
    told = [
        (transaction.records, transaction.extent.first and transaction.extent.first.rba)
        for transaction in shown.transactions
    ]
    assert told == [(size, begins[size]) for size in sorted(sizes, reverse=True)[:5]]


UNKNOWN = (231, 232, 233)


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("types", list(permutations(UNKNOWN)))
@pytest.mark.parametrize("size", [1, 3, 100])
def test_records_of_unknown_types_are_told_with_the_place_of_the_first_and_the_most_frequent_type_first(
    size: int, types: tuple[int, ...], most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One, three and two records of three types, with others between, whatever the batches are."""
    monkeypatch.setattr(doctor_images, "_MOST_NAMES", most)
    numbers = dict(zip(UNKNOWN, (1, 3, 2), strict=True))
    records = [row(trans_ind=ONLY)]
    for io_type in types:
        records += [row(io_type=io_type, trans_ind=ONLY)] * numbers[io_type] + [row(trans_ind=ONLY)]
    path = _file(tmp_path, 0, *records)
    survey = ImageSurvey(RowDefinitions)
    with TrailFile(path) as trail:
        for batch in scan(trail, batch_size=size):
            survey.take(trail, batch)
    (shown,) = survey.unexplained()
    assert (shown.records, shown.position) == (6, FilePosition(path, _at(records[0])))
    places = [shown.reason.find(str(io_type)) for io_type in (232, 233, 231)]
    assert [place > 0 for place in places] == [number < most for number in range(3)]
    assert places[:most] == sorted(places[:most])
    assert shown.reason.endswith(f", {3 - most} more types") is (most < 3)


def test_records_without_their_key_are_counted_and_the_first_is_named(line: Line, tmp_path: Path) -> None:
    """Updates whose first column, the key, is made to be another one, in each of two files."""
    whole = (TRAILS / "et000000000").read_bytes()
    content = bytearray(whole)
    with TrailFile(TRAILS / "et000000000") as trail:
        for record in trail.records():
            if not record.is_file_header and record.header.io_type == FIELD_COMP and record.data[:2] == b"\0\0":
                at = whole.index(record.data, record.rba)
                content[at : at + 2] = b"\0\1"
    for number in range(2):
        (tmp_path / f"tt{number:09}").write_bytes(content)
    with TrailFile(tmp_path / "tt000000000") as trail:
        changes = [change_of(trail, record) for record in trail.records() if not record.is_file_header]
    lacking = [
        change
        for change in changes
        if change is not None
        and (change.op, change.table) == ("UPDATE", "TEAHOUSE.TEAS")
        and "TEA_CODE" not in [column.name for column in change.columns]
    ]
    assert len(lacking) > 1
    shown, _ = _examined(line, tmp_path)
    (lack,) = (lack for images in shown.images for lack in images.lacks if images.table == "TEAHOUSE.TEAS")
    assert (lack.records, lack.columns) == (2 * len(lacking), ("TEA_CODE",))
    assert lack.position == FilePosition(tmp_path / "tt000000000", lacking[0].rba)


_OPS = {3: "DELETE", 5: "INSERT", 15: "UPDATE", 115: "UPDATE", 117: "UPDATE", 134: "UPDATE", 135: "UPDATE"}


def _sides(record: Record) -> Iterator[tuple[str, int]]:
    """The images of a row by hand, with the number of their columns."""
    assert record.images is not None
    for side in ("before", "after"):
        columns = getattr(record.images, side)
        if columns:
            yield side, len(columns)


@pytest.mark.parametrize("seed", range(examples(8)))
def test_tables_lead_to_their_first_row_and_images_to_the_first_with_the_fewest_columns(
    seed: int, tmp_path: Path
) -> None:
    """Rows of two tables in any order, over two files, whatever the batches are."""
    draw = Random(f"places {seed}")
    with TrailFile(TRAILS / "et000000000") as trail:
        kept = list(trail.records())
        names = {record.raw: trail.table_of(record) for record in kept if not record.is_file_header}
    definitions = [record for record in kept if record.is_file_header or record.is_metadata]
    rows = [record for record in kept[1:] if not record.is_metadata and record.header.io_type in _OPS]
    draw.shuffle(rows)
    cut = draw.randrange(len(rows) + 1)
    survey, size = ImageSurvey(RowDefinitions), draw.choice((1, 3, 100))
    first: dict[str, FilePosition] = {}
    fewest: dict[tuple[str, str, str], tuple[int, FilePosition]] = {}
    for number, part in enumerate((rows[:cut], rows[cut:])):
        path = _file(tmp_path, number, *definitions, *part)
        for at, record in enumerate(part):
            entry, position = names[record.raw], FilePosition(path, _at(*definitions, *part[:at]))
            assert entry is not None
            first.setdefault(entry.name, position)
            for side, columns in _sides(record):
                key = entry.name, _OPS[record.header.io_type], side
                fewest[key] = min(fewest.get(key, (columns, position)), (columns, position), key=lambda kept: kept[0])
        with TrailFile(path) as trail:
            for batch in scan(trail, batch_size=size):
                survey.take(trail, batch)
    tables = list(survey.tables())
    assert {table.table: table.position for table in tables} == first
    found = {
        (table.table, images.op, images.side): (images.least, images.position)
        for table in tables
        for images in table.images
    }
    assert found == fewest


@pytest.mark.parametrize("seed", range(3))
def test_a_table_leads_to_its_first_row_whichever_of_its_definitions_that_has(seed: int, tmp_path: Path) -> None:
    """Five definitions of two tables before all rows, which name them by their number."""
    draw = Random(f"definitions {seed}")
    names = draw.choices(("TEA.LEAVES", "TEA.POTS"), k=5)
    definitions = [table_record(number, name) for number, name in enumerate(names, 1)]
    numbers = [*draw.choices(range(1, 6), k=3), *range(5, 0, -1)]
    rows = [row(name=number) for number in numbers]
    path = _file(tmp_path, 0, *definitions, *rows)
    survey = ImageSurvey(RowDefinitions)
    with TrailFile(path) as trail:
        for batch in scan(trail):
            survey.take(trail, batch)
    first = {
        names[number - 1]: FilePosition(path, _at(*definitions, *rows[:at]))
        for at, number in reversed([*enumerate(numbers)])
    }
    assert {table.table: table.position for table in survey.tables()} == first


def test_lines_of_tables_images_and_lags_lead_to_a_record(line: Line) -> None:
    text = line(f"doctor {TRAILS / 'yt000000000'}")
    (shown,) = (event for event in line.events if isinstance(event, DoctorShown))
    placed = {
        part: part.position
        for part in doctor_text.doctor_lines(shown, line.session.settings)
        if isinstance(part, PlacedLine)
    }
    assert [str(part) for part in placed if str(part) not in text] == []
    for images in shown.images:
        positions = [position for part, position in placed.items() if part.split()[0] == images.table]
        assert images.position in positions
        assert images.noted in positions
    totals = [(lag.hops["total_lag"], lag) for lag in shown.lags]
    expected = [total.greatest_at if total is not None else lag.last.row.position for total, lag in totals]
    assert [position for part, position in placed.items() if part.startswith("Lag ")] == expected
    assert expected


def test_images_lead_to_a_record_with_a_part_of_the_columns_if_there_is_one() -> None:
    positions = [FilePosition(Path("tt000000000"), rba) for rba in range(4)]
    whole, keys, part, other = (
        OpImages("INSERT", "after", 3, 4, 4, 3, 0, positions[1]),
        OpImages("DELETE", "before", 3, 1, 1, 0, 3, positions[2]),
        OpImages("UPDATE", "after", 3, 1, 4, 1, 1, positions[3]),
        OpImages("UPDATE", "before", 3, 1, 4, 1, 1, positions[0]),
    )
    for images in permutations((whole, keys, part)):
        assert TableImages("T", 4, ("K",), images, positions[0], ()).noted == positions[3]
    assert TableImages("T", 4, ("K",), (whole, part, other), positions[0], ()).noted == positions[3]
    assert TableImages("T", 4, ("K",), (whole, keys), positions[0], ()).noted == positions[0]


@pytest.mark.parametrize("seed", range(examples(20)))
def test_the_time_is_from_the_earliest_to_the_latest_record_whatever_their_order(
    seed: int, line: Line, tmp_path: Path
) -> None:
    """Of several files, with damage and records without a time between them."""
    random = Random(f"times {seed}")
    times = [IO_TIME + random.choice((0, 1, 5, 9)) * 1_000_000 for _ in range(random.randint(1, 9))]
    edges = sorted(random.choices(range(len(times) + 1), k=2))
    for number, part in enumerate((times[: edges[0]], times[edges[0] : edges[1]], times[edges[1] :])):
        records: list[Record | bytes] = [row(io_time=time, trans_ind=ONLY) for time in part]
        if records and random.random() < 0.3:
            records[1:1] = [GARBAGE, row(io_time=0, trans_ind=ONLY)]
        _file(tmp_path, number, row(io_time=0, trans_ind=ONLY), *records)
    shown, _ = _examined(line, tmp_path)
    assert (shown.growth.first, shown.growth.last) == (min(times), max(times))
