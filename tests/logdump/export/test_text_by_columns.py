"""EXPORT CSV and JSONL of large files go by columns: byte for byte what they write record by record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.features.export import files as appended_file
from tests.logdump.export.related import RelatedRecords
from tests.logdump.export.strategies import records_of_a_table
from tests.logdump.line import Line
from tests.oracles.records_one_by_one import RecordByRecord
from tests.oracles.table_rows import RowByRow
from tests.searching import IS_LONG, examples, in_turn, some_trails
from tests.trailformat.samples import header, metadata_record, trail_of
from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, Column, Images, Record, TableDefinition, make_column, make_record, make_token
from trailformat.definitions.metadata import build_table
from trailformat.records.record_header import COMPRESSED, FIELD_COMP, INSERT, NAME_IS_INDEX, UNIFIED_UPDATE

batches = pytest.importorskip("logdump.arrow.tables.group", reason="exports by columns need numpy and kernels")
text_export = pytest.importorskip("logdump.features.export.text_export", reason="likewise")
record_pieces = pytest.importorskip("logdump.features.export.record_lines", reason="likewise")
batch_walk = pytest.importorskip("logdump.features.export.batch_walk", reason="likewise")

FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
FORMATS = ["csv", "jsonl", "csv by table", "jsonl by table"]
EACH = FORMATS if IS_LONG else ["jsonl", "csv by table"]
"""Both formats, and both kinds of lines."""
ORDER = ByteOrder.BIG


class Exported(NamedTuple):
    """What an export leaves: its files, what it tells, and where the session stands then."""

    files: dict[str, bytes]
    told: list[str]
    position: int


def _exported(path: Path, words: str, *, by_columns: bool, before: str) -> Exported:
    """Export a trail; NOTIFY reports often."""
    line = Line()
    line.session.open(path)
    line(f"notify 3; {before}")
    format_, _, rest = words.partition(" ")
    with pytest.MonkeyPatch.context() as patched, TemporaryDirectory() as folder:
        if not by_columns:
            patched.setattr(text_export, "TextOfTables", RowByRow)
            patched.setattr(text_export, "TextOfRecords", RecordByRecord)
        told = line(f"export {format_} to {folder}/out {rest}")
        target = Path(folder) / "out"
        paths = target.iterdir() if target.is_dir() else [target]
        files = {file.name: file.read_bytes() for file in paths}
    position = line.session.cursor.next
    line.session.close()
    assert not line.failures
    return Exported(files, [text.replace(folder, "") for text in told], position)


def _check(path: Path, words: str, before: str = "") -> Exported:
    """Export both ways; returns what both leave."""
    by_records = _exported(path, words, by_columns=False, before=before)
    assert _exported(path, words, by_columns=True, before=before) == by_records
    return by_records


@pytest.mark.parametrize(
    ("trail", "format_"), in_turn(FILES, EACH), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_every_trail_comes_to_the_same_bytes(trail: Path, format_: str) -> None:
    _check(trail, format_)


@pytest.mark.parametrize(
    ("before", "words"),
    in_turn(
        ["", "next 6", "filter include rectype insert"],
        ["csv 7 records", "jsonl 9 records", "csv by table 8 records", "jsonl by table 99 records"],
    ),
)
def test_a_part_of_a_damaged_trail_comes_to_the_same_bytes(words: str, before: str) -> None:
    _check(TRAILS / "gt000000000", words, before)


@pytest.mark.parametrize("format_", FORMATS)
@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(first=records_of_a_table(), second=records_of_a_table(), data=st.data())
def test_values_of_every_type_good_or_bad_come_to_the_same_bytes(
    format_: str, first: list[Record], second: list[Record], data: st.DataObject, tmp_path: Path
) -> None:
    rows = data.draw(st.permutations(second[1:] + first[1:])) if first[0] == second[0] else second[1:]
    _check(trail_of(tmp_path, *first, second[0], *rows), format_)


@pytest.mark.parametrize(("words", "format_"), in_turn(["", "override"], EACH))
def test_definitions_of_another_file_are_taken_alike(words: str, format_: str) -> None:
    definitions = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
    for name in ("ot000000", "et000000000"):
        _check(TRAILS / name, format_, f"sourcedefs {definitions} {words}")


@pytest.mark.parametrize(("words", "format_"), in_turn(["", " 30 records"], FORMATS))
def test_all_files_of_a_trail_are_written_alike(words: str, format_: str) -> None:
    _check(TRAILS / "st000000000", format_ + words, "across on")


def _definition(index: int, *names: str, table: str = "TEA.POTS") -> Record:
    columns = tuple(of(64)._replace(name=name) for name in names)
    return metadata_record(2, index, table, build_table(TableDefinition(1, 1, columns), ORDER))


def _row(*values: bytes | None, table: int = 1, more: tuple[Column, ...] = (), **fields: Any) -> Record:
    columns = (make_column(at, value and len(value).to_bytes(2) + value) for at, value in enumerate(values))
    plain = {"io_type": INSERT, "trans_ind": 3, "partition": COMPRESSED | NAME_IS_INDEX, **fields}
    return make_record(header(table, **plain), Images(None, (*columns, *more)))


@pytest.mark.parametrize("format_", FORMATS)
def test_any_index_of_a_table_is_told_alike(format_: str, tmp_path: Path) -> None:
    """The least and the greatest too, defined or not."""
    indexes = (0, 1, 2, 0x7FFF, 0x8000, 0xFFFF)
    definitions = [_definition(index, "NOTE", table=f"TEA.POTS{index}") for index in indexes[::2]]
    _check(trail_of(tmp_path, *definitions, *(_row(b"x", table=index) for index in indexes * 2)), format_)


NAMES = ['say "tea"', "back\\slash", "煎茶", "a,b\r\n", "\U0001f375"]


@pytest.mark.parametrize("format_", FORMATS)
def test_names_that_need_quotes_or_escapes_are_written_alike(format_: str, tmp_path: Path) -> None:
    folder = tmp_path / 'the "blue" pot'
    folder.mkdir()
    rows = [_row(*[None] * len(NAMES)), _row(*[b"x"] * len(NAMES))]
    _check(trail_of(folder, _definition(1, *NAMES, table='TEA."POTS"'), *rows), format_)


@pytest.mark.parametrize("format_", FORMATS)
def test_long_values_are_written_alike(format_: str, tmp_path: Path) -> None:
    values = [b'"' * 32_000, b"\\\n\x7f" * 10_000, "煎\U0001f375é".encode() * 3_000, b"", b"\xff" * 9]
    _check(trail_of(tmp_path, _definition(1, "NOTE"), *map(_row, values)), format_)


@pytest.mark.parametrize("format_", EACH)
def test_tables_of_a_thousand_columns_are_written_block_by_block(
    format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "_MOST_CELLS", 2000)
    monkeypatch.setattr(record_pieces, "_MOST_BYTES", 300)
    wide = _definition(1, *(f"C{number}" for number in range(1000)))
    both = Images((make_column(7, b"\0\1a"), make_column(999, None)), (make_column(998, b"\0\1b"),), 4)
    update = make_record(header(1, io_type=UNIFIED_UPDATE, trans_ind=3, partition=COMPRESSED | NAME_IS_INDEX), both)
    small = _definition(2, "NOTE", table="TEA.LEAVES")
    rows = [update, _row(b"x", table=2), _row(b"x" * 9, more=(make_column(1500, b"\0\1b"),)), _row(b"y")] * 2
    found = _check(trail_of(tmp_path, wide, small, *rows), format_)
    assert len(found.files) == 1 + format_.endswith("table")


@pytest.mark.parametrize("format_", FORMATS)
def test_rows_of_one_table_under_two_numbers_stay_in_their_order(format_: str, tmp_path: Path) -> None:
    definitions = _definition(1, "NOTE"), _definition(2, "NOTE")
    rows = [_row(b"%d" % number, table=1 + number % 3 // 2) for number in range(9)]
    bad = make_record(header(2, io_type=INSERT, trans_ind=3, partition=COMPRESSED | NAME_IS_INDEX), b"\0\1")
    found = _check(trail_of(tmp_path, *definitions, *rows, bad, *rows), format_)
    assert len(found.files) == 1


@pytest.mark.parametrize("format_", FORMATS)
def test_an_export_that_is_interrupted_leaves_nothing(
    format_: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_arguments: object) -> Iterator[object]:
        raise KeyboardInterrupt

    monkeypatch.setattr(appended_file.TextFile, "append", interrupt)
    line = Line()
    kind, _, rest = format_.partition(" ")
    with pytest.raises(KeyboardInterrupt):
        line(f"open {TRAILS / 'et000000000'}; export {kind} to {tmp_path / 'out'} {rest}")
    line.session.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format_", ["csv", "jsonl"])
def test_an_update_in_two_records_and_what_its_tokens_hold_are_written_alike(format_: str, tmp_path: Path) -> None:
    of_before = header(1, io_type=FIELD_COMP, before_after=ord("B"), trans_ind=0)
    half = make_record(of_before, Images((make_column(0, b"\0\1a"),), None))
    other = _row(b"b", io_type=FIELD_COMP, trans_ind=2)
    texts = [b"5.1.7", b"\x00\x01", "é".encode(), b"\xff", b'"']
    tokens = [make_token("6", text) for text in texts]
    plain = header(1, trans_ind=3)
    images = Images(None, (make_column(0, b"\0\1c"),))
    marked = [make_record(plain, images, [*tokens[:at], make_token("R", b"AAAQ0AAAEAAAAMeAAA")]) for at in range(6)]
    unusual = make_record(plain, images, tokens, user_tokens=b"TK\x001\x00")
    records = [half, other, other, *marked, other, unusual, half, _definition(2, "X"), other]
    _check(trail_of(tmp_path, _definition(1, "NOTE"), *records), format_)


@pytest.mark.parametrize(("before", "rows"), [("", 99), ("next 7", 11), ("filter exclude reclen 9", 30)])
@pytest.mark.parametrize("seed", range(examples(1)))
def test_halves_of_updates_and_pieces_of_lobs_are_written_alike(
    seed: int, before: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_walk, "_ROWS", rows)
    monkeypatch.setattr(record_pieces, "_MOST_BYTES", 20 * rows)
    path = trail_of(tmp_path, *RelatedRecords(seed).records(200 if IS_LONG else 70))
    _check(path, ["csv", "jsonl"][seed % 2], before)
