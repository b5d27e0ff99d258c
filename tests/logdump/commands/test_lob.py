from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.logdump.line import Line
from tests.logdump.program import logdump
from trailformat import TrailFile

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
POEM = "The first cup moistens my lips and throat; the second breaks my loneliness; "


@pytest.fixture(params=["t", "l"])
def lobs(request: pytest.FixtureRequest, line: Line, trails: Path) -> Line:
    """A session in which the trail with two LOBs is open, in either byte order."""
    line(f"open {trails / f'k{request.param}000000000'}")
    return line


def _rows(line: Line) -> list[int]:
    trail = line.session.trail
    return [record.rba for record in trail.records(trail.first_rba) if record.header.io_type == 5]


def test_the_lobs_of_a_row_are_listed(lobs: Line) -> None:
    row = _rows(lobs)[0]
    said = lobs(f"lob {row}")
    assert said[0].upper().startswith("LOB 1: COLUMN 1 NAME, 4 PIECES FROM RBA ")
    assert said[0].endswith(", 219 bytes, whole")
    assert said[1].endswith(", 150 bytes, whole")


def test_a_lob_bears_the_name_that_the_definitions_file_in_use_gives_its_column(lobs: Line, tmp_path: Path) -> None:
    definitions = tmp_path / "other.def"
    definitions.write_text(DEFINITIONS.read_text(encoding="utf-8").replace("NAME    ", "MOTTO   "), encoding="utf-8")
    row = _rows(lobs)[0]
    assert "column 1 MOTTO" in lobs(f"sourcedefs {definitions} override; lob {row}")[-2]
    assert lobs(f"lob {row} motto to {tmp_path / 'note'}")[-1].startswith("Saved 219 bytes")


def test_any_piece_leads_to_the_same_list(lobs: Line) -> None:
    trail = lobs.session.trail
    pieces = [record.rba for record in trail.records(trail.first_rba) if record.header.io_type == 116][:7]
    assert len({tuple(lobs(f"lob {rba}")) for rba in pieces}) == 1


@pytest.mark.parametrize("column", ["name", "NAME", "1"])
def test_a_lob_is_written_whole(column: str, lobs: Line, tmp_path: Path) -> None:
    target = tmp_path / "note.txt"
    said = lobs(f"lob {_rows(lobs)[0]} {column} to {target}")
    assert said == [f"Saved 219 bytes of 4 pieces to {target}"]
    assert target.read_text().startswith(POEM)


def test_a_lob_of_bytes_is_written_byte_for_byte(lobs: Line, tmp_path: Path) -> None:
    lobs(f"lob {_rows(lobs)[0]} 2 to {tmp_path / 'bytes'}")
    assert (tmp_path / "bytes").read_bytes() == bytes(range(150))


def test_a_lob_with_a_gap_is_not_written(lobs: Line, tmp_path: Path) -> None:
    said = lobs(f"lob {_rows(lobs)[1]} to {tmp_path / 'note'}")
    assert said == ["LOB 1 is not whole; nothing is written.", "missing: 64 bytes from byte 64 on"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("column", "what"), [("", "more than one LOB"), ("price", "no LOB price"), ("9", "no LOB 9")])
def test_which_lob_has_to_be_clear(column: str, what: str, lobs: Line, tmp_path: Path) -> None:
    assert what in lobs(f"lob {_rows(lobs)[0]} {column} to {tmp_path / 'note'}")[0]


def test_an_existing_file_is_replaced_on_demand_only(lobs: Line, tmp_path: Path) -> None:
    target = tmp_path / "note"
    target.write_text("old")
    lobs(f"lob {_rows(lobs)[0]} name to {target}")
    assert (lobs.failures[0].lines[0].endswith("file exists already"), target.read_text()) == (True, "old")
    lobs(f"lob {_rows(lobs)[0]} name to {target} !")
    assert target.read_text().startswith(POEM)


def test_the_open_trail_is_never_replaced(lobs: Line) -> None:
    path = lobs.session.trail.path
    before = path.read_bytes()
    assert "never writes over it" in lobs(f"lob {_rows(lobs)[0]} name to {path} !")[0]
    assert path.read_bytes() == before


def test_pieces_of_an_unknown_layout_are_written_as_stored_on_demand_only(
    line: Line, trails: Path, tmp_path: Path
) -> None:
    line(f"open {trails / 'pt000000000'}")
    assert "layout of its pieces is not known" in line(f"lob 1811 to {tmp_path / 'note'}")[0]
    assert list(tmp_path.iterdir()) == []
    line(f"lob 1811 1 to {tmp_path / 'note'} raw")
    assert (tmp_path / "note").read_text().startswith(POEM)


@pytest.mark.parametrize(
    "arguments", ["", "x", "1811 to", "1811 name", "1811 name into x", "1811 to x y", "1811 to x raw now", "99999"]
)
def test_what_cannot_be_read_or_is_not_there_is_refused(
    arguments: str, shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shop(f"lob {arguments}")
    assert shop.failures or "is not followed by LOB pieces" in shop("lob 1811")[0]
    assert list(tmp_path.iterdir()) == []


def test_json_lists_what_is_missing(trails: Path) -> None:
    path = trails / "kt000000000"
    with TrailFile(path) as trail:
        row = [record.rba for record in trail.records(trail.first_rba) if record.header.io_type == 5][1]
    (shown,) = (
        json.loads(json_line)
        for json_line in logdump("--format", "jsonl", "-c", f"open {path}; lob {row}").out.split("\n")[1:2]
    )
    assert shown["type"] == "lobs"
    assert shown["lobs"][0]["missing"] == [{"offset": 64, "length": 64}]
    assert shown["lobs"][0]["whole"] is False
