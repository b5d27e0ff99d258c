"""The CSN of a row in the list is the one that JSON has for its record, wherever in its transaction that stands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.tui.panes.row_text import csn_text
from logdump.tui.reading import rows as rows_module
from logdump.tui.reading.rows import ListRow, PageRequest, RowKind, RowReader, read_page
from logdump.tui.text.styled import UNICODE
from tests.logdump.program import logdump
from tests.logdump.tui.test_record_list import NAMES, forwards
from tests.searching import in_turn
from tests.trailformat.samples import BOTH, header, row, trail_of
from tests.trailformat.transaction_shapes import shapes
from trailformat import ByteOrder, Record, TrailFile, make_record, make_token
from trailformat.index import build, index_of
from trailformat.records.record_header import FIRST, LAST, MIDDLE

_LONG = 5000


def in_json(path: Path) -> dict[int, str | None]:
    """The CSN of each record by its RBA, as line mode writes it."""
    answer = logdump("--format", "jsonl", "-c", f"open {path}; n 100000{'; sfh; n 100000' * 3}")
    found = [json.loads(line) for line in answer.out.splitlines()]
    return {item["rba"]: item["csn"] for item in found if item["type"] == "record" and "csn" in item}


def in_list(path: Path, around: int, *, is_indexed: bool = False, rbas: list[int] | None = None) -> dict[int, ListRow]:
    """The rows under the cursor, each in a page of its own."""
    found = {}
    with TrailFile(path) as trail:
        if is_indexed:
            list(build(trail, index_of(trail)))
        for rba in rbas or [list_row.rba for list_row in forwards(RowReader(trail))]:
            page = read_page(RowReader(trail), PageRequest(rba, 0, around), trail.size)
            found[rba] = page.rows[page.at]
    return found


def csns(rows: dict[int, ListRow]) -> dict[int, str | None]:
    return {rba: list_row.csn for rba, list_row in rows.items() if list_row.kind is RowKind.RECORD}


@pytest.mark.parametrize(("name", "around"), in_turn(NAMES, [0, 3]))
def test_each_row_of_each_fixture(name: str, around: int) -> None:
    expected = in_json(TRAILS / name)
    shown = csns(in_list(TRAILS / name, around))
    assert shown == {rba: expected[rba] for rba in shown}


@pytest.mark.parametrize(("is_indexed", "order"), in_turn([False, True], BOTH))
def test_each_shape_of_a_transaction(tmp_path: Path, order: ByteOrder, *, is_indexed: bool) -> None:
    kinds = shapes(order)
    path = trail_of(tmp_path, *[content for first in kinds[1:9] for content in (first, *kinds[9:])][:90])
    shown, expected = csns(in_list(path, 0, is_indexed=is_indexed)), in_json(path)
    both = expected.keys() & shown.keys()
    assert len(both) > len(kinds)
    assert {rba: shown[rba] for rba in both} == {rba: expected[rba] for rba in both}


def long_trail(folder: Path) -> tuple[Path, Path]:
    """A transaction that begins in one file and is long in the next."""
    begin = make_record(header(trans_ind=FIRST), b"", [make_token("L", b"4711")])
    trail_of(folder, begin, name="tt000000")
    inside: list[Record | bytes] = [row(trans_ind=MIDDLE)] * _LONG
    return folder / "tt000000", trail_of(folder, *inside, row(trans_ind=LAST), name="tt000001")


def test_a_row_far_inside_a_transaction_that_began_in_the_file_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = long_trail(tmp_path)
    monkeypatch.setattr(rows_module, "_SEARCHED_WITH_INDEX", 1000)
    with TrailFile(path) as trail:
        rbas = [trail.previous_good_header(at) or 0 for at in (trail.size, trail.size // 2, trail.size // 3)]
    assert set(csns(in_list(path, 3, is_indexed=True, rbas=rbas)).values()) == {"4711"}


def test_before_the_index_a_page_looks_no_further_than_its_limit_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = long_trail(tmp_path)
    monkeypatch.setattr(rows_module, "_SEARCHED", 1000)
    with TrailFile(path) as trail:
        last = trail.previous_good_header(trail.size) or 0
    (shown,) = in_list(path, 3, rbas=[last]).values()
    assert (shown.is_complete, csn_text(shown, UNICODE)) == (False, "…")
    (near,) = in_list(path, 3, rbas=[0]).values()
    assert csn_text(near, UNICODE) == "4711"


def test_a_transaction_whose_beginning_is_gone_has_none(tmp_path: Path) -> None:
    first, path = long_trail(tmp_path)
    first.unlink()
    (shown,) = in_list(path, 3, rbas=[0]).values()
    assert (shown.is_complete, csn_text(shown, UNICODE)) == (True, "")
