"""The lines that EXPORT writes as text: how values, lists and problems stand in CSV and JSON lines."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.line import Line
from tests.trailformat.samples import header, row, table_record, trail_of
from trailformat import ByteOrder, Images, make_column, make_record

SHOP = TRAILS / "et000000000"
ORDER = ByteOrder.BIG
OF_ANOTHER_SIZE = {
    "column": "C0",
    "image": "after",
    "bytes": "6c656166",
    "reason": "INT64: wrong size of the value; expected 8 bytes; found 4 bytes",
}


@pytest.fixture
def undecodable(tmp_path: Path) -> Path:
    """Three rows of TEA.LEAVES: the first is right, the second has text for a number, the third an unknown column."""
    images = Images(None, (make_column(0, bytes(8)), make_column(1, b"x")))
    return trail_of(
        tmp_path,
        table_record(1, "TEA.LEAVES", ORDER, columns=1),
        row(bytes(8), 1, ORDER),
        row(b"leaf", 1, ORDER),
        make_record(header(1, ORDER), images, order=ORDER),
    )


def _exported(line: Line, trail: Path, words: str, target: Path) -> Path:
    line(f"open {trail}; export {words.replace('T', str(target), 1)}")
    assert not line.failures
    return target


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


@pytest.mark.parametrize("words", ["jsonl to T", "jsonl to T by table"])
def test_each_line_of_json_is_compact_ascii(words: str, line: Line, tmp_path: Path) -> None:
    path = _exported(line, SHOP, words, tmp_path / "out")
    lines = _lines(path / "TEAHOUSE.TEAS.jsonl" if "by table" in words else path)
    assert any("\\u7389" in text for text in lines)
    assert lines == [json.dumps(json.loads(text), separators=(",", ":")) for text in lines]


def test_a_list_in_csv_is_the_one_of_json_lines_in_utf_8(line: Line, tmp_path: Path) -> None:
    as_json = [json.loads(text) for text in _lines(_exported(line, SHOP, "jsonl to T", tmp_path / "json"))]
    as_csv = _rows(_exported(line, SHOP, "csv to T", tmp_path / "csv"))
    lists = [
        json.dumps(item["after"], ensure_ascii=False, separators=(",", ":")) for item in as_json if item.get("after")
    ]
    assert [csv_row["after"] for csv_row in as_csv if csv_row["after"]] == lists
    assert any("玉露" in text for text in lists)


def test_a_row_of_json_has_null_for_what_does_not_decode_and_says_why(
    line: Line, undecodable: Path, tmp_path: Path
) -> None:
    folder = _exported(line, undecodable, "jsonl to T by table", tmp_path / "out")
    good, bad, _ = map(json.loads, _lines(folder / "TEA.LEAVES.jsonl"))
    assert (good["after_C0"], good["problems"]) == ("0.00", [])
    assert (bad["after_C0"], bad["problems"]) == (None, [OF_ANOTHER_SIZE])


def test_a_row_of_csv_has_nothing_for_what_does_not_decode_and_says_why(
    line: Line, undecodable: Path, tmp_path: Path
) -> None:
    folder = _exported(line, undecodable, "csv to T by table", tmp_path / "out")
    good, bad, _ = _rows(folder / "TEA.LEAVES.csv")
    assert (good["after_C0"], good["problems"]) == ("0.00", "")
    assert (bad["after_C0"], json.loads(bad["problems"])) == ("", [OF_ANOTHER_SIZE])


def test_values_of_records_that_do_not_decode_are_counted_by_column(
    line: Line, undecodable: Path, tmp_path: Path
) -> None:
    reason = OF_ANOTHER_SIZE["reason"]
    told = line(f"open {undecodable}; export csv to {tmp_path / 'out'}")
    assert told[-1] == f"2 values or parts do not decode; the first: RBA 229, C0: {reason}"
    told = line(f"pos 291; export csv to {tmp_path / 'rest'}")
    assert told[-1] == "1 values or parts do not decode; the first: RBA 291, #1: no definition of this column"


def test_values_of_records_by_columns_are_named_with_their_image(line: Line, undecodable: Path, tmp_path: Path) -> None:
    told = line(f"open {undecodable}; export parquet to {tmp_path / 'out'}")
    assert f"the first: RBA 229: after.C0: {OF_ANOTHER_SIZE['reason']}" in told[-1]


@pytest.mark.parametrize("words", ["csv to T compression gzip", "jsonl to T compression gzip"])
@pytest.mark.parametrize("filters", ["", "; filter rectype 1"])
def test_a_compressed_file_does_not_tell_when_it_was_made(words: str, filters: str, line: Line, tmp_path: Path) -> None:
    line("filter off" + filters)
    content = _exported(line, SHOP, words, tmp_path / "out").read_bytes()
    assert content[:3] == b"\x1f\x8b\x08"
    assert content[4:8] == bytes(4)
    assert gzip.decompress(content)
