"""The record list: opening, moving, and how the session moves along.

Which bytes of a record are what, in the hex page and in the display.
The page of a DDL record says what the parameter files in use make of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.language.execute import run_line
from logdump.notation.times import GMT
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Settings
from logdump.tui.reading.rows import RowKind, RowReader
from logdump.tui.text.hex_text import fields_of, hex_text, line_pieces, placed_tokens
from logdump.tui.text.record_pages import detail_lines
from tests.logdump.tui.conftest import Golden
from tests.logdump.tui.drive import NARROW, SWITCHES, WIDE, Screen, drive, rba_of, trails
from tests.logdump.tui.test_record_list import NAMES, forwards
from tests.searching import in_turn
from trailformat import Record, TrailFile

SETTINGS = Settings(time_offset=GMT)


def records(name: str) -> list[Record]:
    with TrailFile(TRAILS / name) as trail:
        found = []
        for rba in trail.sound_rbas(0, trail.size):
            record = trail.record_at(rba)
            assert record is not None
            found.append(record)
        return found


@pytest.mark.parametrize("name", NAMES)
def test_tokens_lie_end_to_end_over_the_record(name: str) -> None:
    for record in records(name):
        placed = list(placed_tokens(record))
        assert placed[0].place.start == 0
        for token, following in pairwise(placed):
            assert token.place.at + token.place.size == following.place.start
        assert placed[-1].place.at == record.length


@pytest.mark.parametrize("name", NAMES)
def test_fields_follow_each_other_without_overlap(name: str) -> None:
    for record in records(name):
        fields = fields_of(record, SETTINGS)
        assert all(field.end <= following.start for field, following in pairwise(fields))
        assert not fields or fields[-1].end <= record.length


def test_columns_and_tokens_hold_their_bytes() -> None:
    record = next(trail_record for trail_record in records("et000000000") if trail_record.rba == 1811)
    fields = {field.name: record.raw[field.start : field.end] for field in fields_of(record, SETTINGS)}
    assert fields["Column 0"].endswith(b"SEN01")
    assert fields["LOGCSN"].endswith(b"41882317")
    assert fields["TransInd"] == b"\0"


@pytest.fixture
def session() -> Iterator[Session]:
    opened = Session()
    opened.settings = Settings(time_offset=GMT, detail=Detail.DATA, ghdr=True, ggstoken=Level.DETAIL)
    yield opened
    opened.end()


@pytest.mark.parametrize(("width", "name"), in_turn([60, 90], NAMES))
def test_the_hex_page_shows_each_payload_byte_once(session: Session, name: str, width: int) -> None:
    trail = session.open(TRAILS / name)
    for rba in trail.sound_rbas(0, trail.size):
        record = trail.record_at(rba)
        assert record is not None
        lines = hex_text(session, rba, width).lines
        places = [at for line in lines for at in range(line.start, line.start + len(line.data))]
        assert len(places) == len(set(places))
        assert all(record.raw[line.start : line.start + len(line.data)] == line.data for line in lines)
        bare = sum(token.place.at - token.place.start for token in placed_tokens(record))
        assert record.length - bare - len(places) < bare + 200


def test_a_hex_line_fits_eighty_columns_where_rbas_are_short(session: Session) -> None:
    session.open(TRAILS / "et000000000")
    text = hex_text(session, 1811, 80)
    assert text.bytes_per_line == 20
    assert max(len("".join(part for part, _ in line_pieces(text, line, 4, None))) for line in text.lines) == 80


def test_damage_is_shown_as_bytes(session: Session) -> None:
    trail = session.open(TRAILS / "gt000000000")
    bad = next(row for row in forwards(RowReader(trail)) if row.kind is RowKind.BAD)
    text = hex_text(session, bad.rba, 80)
    assert b"".join(line.data for line in text.lines) == trail.bytes[bad.rba : bad.end]


def test_lines_of_the_display_know_their_fields(session: Session) -> None:
    session.open(TRAILS / "et000000000")
    fields = {line.text: line.fields for line in detail_lines(session, 1811)}
    assert fields["TransInd   :     .  (x00)     FormatType :     R  (x52)"] == ("TransInd", "FormatType")
    assert fields["Column 0 (0x0000), Length 9 (0x0009)."] == ("Column 0",)
    assert fields["TokenID x4c 'L' LOGCSN           Info x00  Length    8"] == ("LOGCSN",)


def test_the_margin_names_columns_and_tells_what_they_were(session: Session) -> None:
    session.open(TRAILS / "et000000000")
    notes = [text for line in detail_lines(session, 4767) for text, _ in line.margin]
    assert any(" = " in note and "   was " in note for note in notes)
    assert "the whole transaction" in notes


def test_the_margin_is_no_part_of_the_text(session: Session) -> None:
    session.open(TRAILS / "et000000000")
    assert all(note not in line.text for line in detail_lines(session, 1811) for note, _ in line.margin)


def test_the_page_of_a_ddl_record_shows_the_verdict_and_with_detail_the_steps(tmp_path: Path) -> None:
    path = tmp_path / "rep.prm"
    path.write_text("REPLICAT r\nDDL INCLUDE MAPPED\nMAP teahouse.*, TARGET tea2.*;\n", encoding="utf-8")

    def page(screen: Screen) -> str:
        return "\n".join(line.text for line in screen.app.pages.page("detail").lines)

    async def steps(screen: Screen) -> None:
        await screen.type("pos 1130; detail off")
        assert "applied as" not in page(screen)
        await screen.type(f"params {path}")
        assert page(screen).endswith("\n\nCREATE TABLE TEAHOUSE.TEAS: applied as tea2.TEAS")
        await screen.type("detail on")
        assert "  6  base name TEAHOUSE.TEAS -> tea2.TEAS" in page(screen)
        await screen.type("params off")
        assert "base name" not in page(screen)

    drive(steps, "dt000000000")


_SIZES = [NARROW, WIDE]
SIZES = pytest.mark.parametrize("size", _SIZES, ids=["80x24", "120x36"])


@pytest.mark.parametrize("size", [*_SIZES, (200, 50)], ids=["80x24", "120x36", "200x50"])
def test_moving_shows_the_record_under_the_cursor(size: tuple[int, int], golden: Golden) -> None:
    async def steps(screen: Screen) -> None:
        assert rba_of(screen) == screen.app.session.cursor.current == 0
        await screen.press("j", "j", "j")
        assert rba_of(screen) == screen.app.session.cursor.current == 1811
        golden(f"record-{size[0]}x{size[1]}", screen.text)

    drive(steps, size=size, page="values", place="records")


def test_next_reads_on_from_the_cursor() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "j", "j", "j", "n")
        assert rba_of(screen) == 2008

    drive(steps)


def test_position_moves_the_cursor() -> None:
    async def steps(screen: Screen) -> None:
        await screen.type("pos 2170")
        assert rba_of(screen) == 2170
        assert "Reading forward from RBA 2170" in screen.text

    drive(steps)


def test_the_end_is_reached_at_once_and_next_prints_nothing_there() -> None:
    async def steps(screen: Screen) -> None:
        await screen.press("escape", "G")
        assert rba_of(screen) == (TRAILS / "et000000000").stat().st_size
        before = screen.lines("detail")
        await screen.press("n")
        last = screen.app.mode.transcript.last
        assert last is not None
        assert (last.line, last.printed, screen.lines("detail")) == ("NEXT", 0, before)

    drive(steps)


@pytest.mark.parametrize("trail", ["et000000000", "el000000000", "ot000000", "gt000000000", "ut000000000"])
def test_the_detail_is_what_line_mode_prints(trail: str) -> None:
    session = Session()
    session.settings.time_offset = GMT
    for line in (f"open {trails() / trail}", SWITCHES):
        list(run_line(session, REGISTRY, line))

    async def steps(screen: Screen) -> None:
        await screen.press("escape", "home")
        rba, before = rba_of(screen), -1
        while rba is not None and rba != before:
            session.cursor.move(rba)
            printed = [text for event in run_line(session, REGISTRY, "n") for text in render(event, session.settings)]
            assert screen.lines("detail") == printed
            before = rba
            await screen.press("j")
            rba = rba_of(screen)

    drive(steps, trail)
    session.end()


def test_a_missing_file_is_told_and_the_view_stays() -> None:
    async def steps(screen: Screen) -> None:
        assert "No such file or directory" in "\n".join(screen.app.mode.transcript.entries[0].lines())

    drive(steps, "zz000000000")


def test_a_file_that_is_no_trail_is_told(tmp_path: Path) -> None:
    path = tmp_path / "no.txt"
    path.write_text("no trail\n" * 10)

    async def steps(screen: Screen) -> None:
        assert "this is not a trail file" in " ".join(screen.app.mode.transcript.entries[0].lines())

    drive(steps, path)
