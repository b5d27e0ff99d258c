"""Where a search begins: after a change of direction, and in a file that is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.session import passing
from logdump.session import scan as session_scan
from logdump.session.across import files_from
from tests.logdump.line import Line
from trailformat import TrailFile

HITS = (1811, 2722, 3260)
"""The first three records of the tea shop with SEN01."""


@pytest.mark.parametrize(
    "changes", ["", "forward", "reverse", "reverse; position forward", "forward; position reverse"]
)
@pytest.mark.parametrize("direction", ["forward", "reverse"])
@pytest.mark.parametrize("again", ["find", "find next", 'find "SEN01"'])
def test_find_goes_on_behind_the_record_that_it_has_shown_and_from_the_position_where_the_direction_has_changed(
    again: str, direction: str, changes: str, shop: Line
) -> None:
    """In reverse the position is before the record: read forwards, it is the next one once more."""
    shop(f'position {HITS[0]}; position {direction}; find "SEN01"')
    first = shop.rbas
    shop(again)
    assert [first, shop.rbas] == [[HITS[0]], [HITS[1]]]
    if changes:
        shop(f"position {changes}")
    last = (changes.split() or [direction])[-1]
    shop(again)
    assert shop.rbas == [HITS[1] if (direction, last) == ("reverse", "forward") else HITS[2]]


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
@pytest.mark.parametrize("start", [0, *HITS])
def test_sfr_goes_on_in_the_open_file_though_it_is_named_and_begins_another(
    start: int, name: str, shop: Line, trails: Path
) -> None:
    shop(f"position {start}; sfr -1, {trails / name}")
    first = next(
        record.rba for record in shop.session.trail.records() if not record.is_file_header and not record.is_metadata
    )
    assert shop.session.trail.path.name == name
    assert shop.rbas == [first if name == "el000000000" else max(start, first)]


@pytest.mark.parametrize("step", ["next", "skip 1", "sfh", "position {}", "sfr -1", "find SEN01"])
def test_scanforheader_prev_goes_on_back_only_where_nothing_has_moved_the_position(step: str, shop: Line) -> None:
    rbas = [record.rba for record in shop.session.trail.records()]
    shop(f"position {rbas[6]}; sfh prev")
    assert shop.rbas == [rbas[5]]
    shop("sfh prev")
    assert shop.rbas == [rbas[4]]
    shop(step.format(rbas[9]))
    here = shop.session.cursor.next
    shop("sfh prev")
    assert shop.rbas == [max(rba for rba in rbas if rba < here)]


REPEATED = {
    "filter include filename *.teas; next": "*.TEAS",
    "sft 5": 5,
    "sft 15, *.teas": 15,
    'find "SEN01"': b"SEN01",
}


@pytest.mark.parametrize("words", REPEATED)
def test_the_same_search_from_another_position_has_nothing_of_the_records_read_before(words: str, shop: Line) -> None:
    """After a hit, from each record on, before it and behind it, twice in a row."""
    records = [record for record in shop.session.trail.records() if not record.is_file_header]
    wanted = REPEATED[words]
    hits = []
    for record in records:
        name = (shop.session.trail.name_of(record) or "").upper()
        fits = {
            "*.TEAS": name.endswith(".TEAS"),
            5: record.header.io_type == 5,
            15: record.header.io_type == 15 and name.endswith(".TEAS"),
            b"SEN01": b"SEN01" in record.data,
        }
        hits += [record.rba] if fits[wanted] else []
    for start in records:
        shop(f"filter clear; position first; {words}")
        assert shop.rbas == hits[:1]
        shop(f"position {start.rba}; {words}")
        behind = [rba for rba in hits if rba >= start.rba]
        assert shop.rbas == behind[:1]
        shop(words)
        assert shop.rbas == (behind[1:2] if behind else [])


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("bad", [(6,), (6, 9), (4, 8, 12), (11,), (3, 4)])
def test_a_search_in_reverse_ends_at_the_last_damage_before_it_whatever_the_blocks_are(
    size: int, bad: tuple[int, ...], line: Line, trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two records back the file is scanned from its beginning: several batches, with damage between them."""
    monkeypatch.setattr(session_scan, "_LARGEST", 1)
    monkeypatch.setattr(session_scan, "_BACK", 1)
    monkeypatch.setattr(passing, "BATCH_SIZE", size)
    content, path = bytearray((trails / "et000000000").read_bytes()), tmp_path / "et000000000"
    with TrailFile(trails / "et000000000") as trail:
        records = list(trail.records())
        names = {record.rba: trail.name_of(record) or "" for record in records}
    for at in bad:
        content[records[at].rba : records[at].rba + 30] = bytes(30)
    path.write_bytes(content)
    line(f"open {path}; position eof; position reverse")
    expected = [record.rba for record in records[bad[-1] + 1 :] if names[record.rba].endswith(".TEAS")]
    line("filter include filename *.teas; next 100")
    assert line.rbas == expected[::-1]
    last = max(at for at in bad if at - 1 not in bad)
    assert line.failures[0].lines[0].startswith(f"Bad record found at RBA {records[last].rba}")


DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


@pytest.mark.parametrize("shown", [1, 2, 3])
@pytest.mark.parametrize("words", ["next", "find STOCK_KG > 20"])
def test_records_behind_the_one_shown_pass_by_the_definitions_that_have_come_since(
    words: str, shown: int, line: Line, trails: Path, tmp_path: Path
) -> None:
    """The definitions file has the names of two columns exchanged; another session has it from the beginning."""
    swapped = tmp_path / "swapped.def"
    text = DEFINITIONS.read_text().replace("PRICE     ", "swap      ").replace("STOCK_KG  ", "PRICE     ")
    swapped.write_text(text.replace("swap      ", "STOCK_KG  "))
    first, filtered = Line(), "filter value STOCK_KG > 20" if words == "next" else "filter clear"
    first(f"open {trails / 'et000000000'}; {filtered}")
    for _ in range(shown):
        first(words)
    assert len(first.rbas) == 1
    position = first.session.cursor.next
    first(f"sourcedefs {swapped} override")
    line(f"open {trails / 'et000000000'}; sourcedefs {swapped} override; {filtered}; position {position}")
    before, after = list[int](), list[int]()
    for hits, session in ((before, line), (after, first)):
        session(words)
        while session.rbas:
            hits.extend(session.rbas)
            session(words)
    first.session.close()
    assert after == before


@pytest.mark.parametrize("bad", [(6,), (6, 9), (11,)])
@pytest.mark.parametrize("words", ["list 100", "list 3", "list"])
def test_list_in_reverse_ends_at_damage(
    words: str, bad: tuple[int, ...], line: Line, trails: Path, tmp_path: Path
) -> None:
    content, path = bytearray((trails / "et000000000").read_bytes()), tmp_path / "et000000000"
    with TrailFile(trails / "et000000000") as trail:
        records = list(trail.records())
    for at in bad:
        content[records[at].rba : records[at].rba + 30] = bytes(30)
    path.write_bytes(content)
    said = line(f"open {path}; position eof; position reverse; {words}")
    expected = [record.rba for record in records[bad[-1] + 1 :]][::-1][: 3 if words == "list 3" else None]
    assert [int(text.split()[0]) for text in said if " 2024/03/14 " in text] == expected


@pytest.mark.parametrize("opened", [0, 1, 2])
@pytest.mark.parametrize("last", [None, 0, 1, 2])
def test_files_are_read_up_to_that_of_across_to_and_to_the_end_where_it_lies_before(
    last: int | None, opened: int, line: Line, trails: Path
) -> None:
    paths = [trails / f"at00000000{number}" for number in range(3)]
    line(f"open {paths[opened]}; across {f'to {paths[last]}' if last is not None else 'on'}")
    end = 2 if last is None or last < opened else last
    assert list(files_from(line.session)) == paths[opened : end + 1]
    line("across off")
    assert list(files_from(line.session)) == [paths[opened]]
