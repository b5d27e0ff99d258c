"""Every record in the transcripts whose bytes can be had is rebuilt, shown, and compared line for line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from logdump.display.first_match import show_record
from logdump.display.record_text import record_lines
from logdump.display.text import render
from logdump.features.count.model import CountShown
from logdump.features.count.text import count_lines
from logdump.session.events import Failure, Notice
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from logdump.session.settings import Detail, Level, Release, Settings
from tests.conftest import UseZone
from tests.evidence.rebuild import completed_file_header, from_tokens, header_of, with_raw_tokens
from tests.evidence.transcript import Block, blocks
from tests.logdump.display.records import Alone
from tests.oracles.count_by_record import RecordTotals
from tests.trailformat.samples import trail_of
from trailformat import ByteOrder, Record, TableEntry, TrailFile, from_datetime
from trailformat.records import record_header
from trailformat.records.record import make_record
from trailformat.records.record_header import HEADER_SIZE, parse_header

EVIDENCE = Path(__file__).parents[2].parent / "shared" / "evidence"
pytestmark = pytest.mark.skipif(not EVIDENCE.is_dir(), reason="the transcripts (../shared/evidence) are not here")


def _blocks(name: str) -> list[Block]:
    return blocks(EVIDENCE / name) if EVIDENCE.is_dir() else []


def _printed(record: Record, table: TableEntry | None, settings: Settings, folder: Path) -> list[str]:
    """What standard output gets of a record by NEXT, every addition of ours included."""
    session = Session()
    session.settings = settings
    session.open(trail_of(folder, record))
    printed: list[str] = []
    for event in show_record(session, record):
        if isinstance(event, KnownRecord):
            vars(event).update(table=table, vendor="MYSQL")
        if not isinstance(event, Notice | Failure):
            printed += render(event, settings)
    session.end()
    return [line.rstrip() for line in printed]


def _trimmed(lines: list[str] | tuple[str, ...]) -> list[str]:
    """Lines without trailing blanks, without blank lines at both ends."""
    kept = [line.rstrip() for line in lines]
    return "\n".join(kept).strip("\n").split("\n")


def _squeezed(lines: list[str] | tuple[str, ...]) -> list[str]:
    """Lines without any blanks, for the sources that lost theirs."""
    return [text for line in lines if (text := re.sub(r"\s", "", line))]


def _table(block: Block) -> TableEntry | None:
    found = next((f for line in block.lines if (f := re.match(r"Name: (\S+)  \(TDR Index: (\d+)\)", line))), None)
    return TableEntry(0, int(found[2]), found[1], None) if found else None


NEW = [
    (f"{name}-{block.rba}", block)
    for name in ("mysql-21.3c-pkupdate.txt", "mysql-21c.txt", "postgresql-21c.txt")
    for block in _blocks(name)
]


@pytest.mark.parametrize("block", [block for _, block in NEW], ids=[name for name, _ in NEW])
def test_a_record_of_21c_is_shown_as_in_its_transcript(block: Block, use_zone: UseZone, tmp_path: Path) -> None:
    use_zone("Asia/Seoul")
    record = from_tokens(block, ByteOrder.LITTLE)
    settings = Settings(
        ghdr=True, detail=Detail.DATA, ggstoken=Level.DETAIL, headertoken=Level.DETAIL, release=Release.R21_3
    )
    shown = _printed(record, _table(block), settings, tmp_path)
    assert _without_locale(shown) == _without_locale(list(block.lines))


def _without_locale(lines: list[str]) -> list[str]:
    """Lines without en_US, whose code is not known."""
    return [re.sub(r"^Locale: (en_US|neutral)$", "Locale:", line) for line in lines]


def test_the_database_definition_of_the_real_trail_is_of_the_neutral_locale() -> None:
    with TrailFile(EVIDENCE / "tr000000000") as trail:
        record = trail.record_at(1414)
        assert record is not None
        known = Alone(record, definition=record.metadata, vendor="ORACLE")
        assert "Locale: neutral" in list(record_lines(known, Settings()))


def test_there_are_records_of_21c_of_every_kind_in_the_transcripts() -> None:
    kinds = {block.matching(r"\d{4}/\S+ \S+ (\S+)")[1] for _, block in NEW}
    assert {"Insert", "FieldComp", "GGSPKUpdate", "DDLOP", "Metadata"} <= kinds
    assert len(NEW) == 10


def test_a_rebuilt_record_has_the_length_that_its_transcript_tells() -> None:
    for _, block in NEW:
        length = int(block.matching(r"TokenID x47 .*Length +(\d+)")[1])
        assert from_tokens(block, ByteOrder.LITTLE).length == length


def test_a_field_comp_of_2016_is_shown_as_in_its_transcript(use_zone: UseZone) -> None:
    use_zone("Asia/Shanghai")
    block = _blocks("oracle-2016.txt")[-1]
    moment = from_datetime(_local(2016, 4, 28, 12, 10, 10, 386832))
    header = header_of(block, moment, "TEST001.DEMO1")
    data = block.dump_after_line(r"After  Image")
    record = with_raw_tokens(header, data, block.dump_after_line("GGS tokens"), 1063, ByteOrder.BIG)
    settings = Settings(ghdr=True, detail=Detail.DATA, ggstoken=Level.ON, release=Release.R12_1)
    assert [line.rstrip() for line in record_lines(Alone(record), settings)] == list(block.lines)


def test_a_file_header_of_2016_is_shown_as_in_its_transcript(use_zone: UseZone) -> None:
    use_zone("Asia/Shanghai")
    block = _blocks("oracle-2016.txt")[0]
    record = completed_file_header(block.dump_after_line("Name:"), block.length)
    shown = _trimmed(list(record_lines(Alone(record), Settings(release=Release.R12_1))))
    assert _squeezed(shown) == _squeezed(block.lines)


def test_a_file_header_of_12_3_is_shown_as_far_as_its_transcript_goes(use_zone: UseZone) -> None:
    use_zone("Asia/Kolkata")
    block = _blocks("oracle-12.3-fileheader.txt")[0]
    record = completed_file_header(block.dump_after_line("Name:"), block.length)
    settings = Settings(fileheader=Level.DETAIL, detail=Detail.ON, reclen=200, release=Release.R12_3)
    shown = _trimmed(list(record_lines(Alone(record), settings)))
    whole = [line for line in block.lines if not line.startswith(" ") or "|" in line]
    assert shown[: len(whole)] == whole


def test_an_insert_of_2012_is_shown_as_in_its_transcript(use_zone: UseZone) -> None:
    use_zone("GMT")
    block = _blocks("oracle-2012-insert.txt")[0]
    header = parse_header(bytes(HEADER_SIZE), ByteOrder.BIG)._replace(
        partition=4,
        before_after=ord("A"),
        io_type=record_header.INSERT,
        io_time=from_datetime(_local(2012, 4, 19, 13, 40, 4)),
        trans_ind=3,
        name_field=b"ABC.S1\0",
    )
    record = make_record(header, block.dump_after_line("After"))
    record.rba = 1071
    shown = record_lines(Alone(record), Settings(detail=Detail.DATA, release=Release.R11_1))
    assert _squeezed(list(shown)) == _squeezed(block.lines)


def test_the_key_update_of_19_1_is_shown_as_in_its_transcript(use_zone: UseZone) -> None:
    use_zone("GMT")
    block = _blocks("oracle-19.1-sfet.txt")[-1]
    header = header_of(block, from_datetime(_local(2021, 7, 13, 17, 35, 19, 275)), "A")
    record = make_record(header, bytes(952))
    record.rba = 521250
    shown = list(record_lines(Alone(record), Settings(ghdr=True, release=Release.R19_1)))
    assert shown[: len(block.lines)] == list(block.lines)


def _session_11_1() -> list[str]:
    return (EVIDENCE / "oracle-11.1-session.txt").read_text(encoding="utf-8").splitlines()


def test_an_insert_of_11_1_is_shown_as_in_its_transcript(use_zone: UseZone) -> None:
    use_zone("GMT")
    lines = _session_11_1()
    start = next(at for at, line in enumerate(lines) if line.startswith("____"))
    expected = lines[start : next(at for at, line in enumerate(lines) if at > start and line.startswith("2.1.4"))]
    data = bytes.fromhex("".join(line.split("|")[0] for line in expected[12:15]))
    header = parse_header(bytes(HEADER_SIZE), ByteOrder.BIG)._replace(
        hdr_ind=0x45,
        partition=4,
        before_after=ord("A"),
        io_type=5,
        orig_node=255,
        io_time=from_datetime(_local(2011, 11, 17, 13, 11, 28)),
        audit_rba=23,
        audit_pos=16783888,
        format_type=ord("R"),
        rec_count=1,
        name_field=b"DAVE.BL\0",
    )
    record = make_record(header, data)
    record.rba = 1009
    settings = Settings(ghdr=True, detail=Detail.DATA, reclen=1000, release=Release.R11_1)
    assert _squeezed(list(record_lines(Alone(record), settings))) == _squeezed(expected)


def test_the_file_header_of_11_1_is_shown_as_in_its_transcript(use_zone: UseZone) -> None:
    use_zone("Asia/Shanghai")
    lines = _session_11_1()
    start = next(at for at, line in enumerate(lines) if "FileHeader Len" in line)
    expected = lines[start : start + 12]
    shown_bytes = bytes.fromhex("".join(line.split("|")[0] for line in expected[2:]))
    record = completed_file_header(shown_bytes, 942)
    shown = record_lines(Alone(record), Settings(reclen=200, release=Release.R11_1))
    assert _squeezed(list(shown)) == _squeezed(expected)


def _trail_of_37_records() -> Iterator[tuple[Record, str]]:
    """The trail behind the COUNT of 11.1: a file header, RestartOK, DDL, 34 inserts in three transactions."""
    header = parse_header(bytes(HEADER_SIZE), ByteOrder.BIG)._replace(before_after=ord("A"), trans_ind=3)
    yield completed_file_header(bytes.fromhex("3000019930000008474 70d0a544c0a0d".replace(" ", "")), 942), ""
    yield make_record(header._replace(io_type=151)), ""
    yield make_record(header._replace(io_type=160), bytes(1153)), ""
    sizes = [51] * 33 + [1739 - 33 * 51]
    for number, size in enumerate(sizes):
        end = number in (9, 19, 33)
        yield make_record(header._replace(io_type=5, partition=4, trans_ind=2 if end else 1), bytes(size)), "DAVE.BL"


def test_count_detail_of_11_1_is_shown_as_in_its_transcript() -> None:
    count = RecordTotals()
    for record, name in _trail_of_37_records():
        count.add(record, name)
    lines = _session_11_1()
    start = next(at for at, line in enumerate(lines) if line.startswith("LogTrail /u01"))
    expected = lines[start : next(at for at, line in enumerate(lines) if at > start and line.startswith("2.1.7"))]
    shown = count_lines(
        CountShown("LogTrail /u01/ggate/dirdat/lt000008", count, detail=True), Settings(release=Release.R11_1)
    )
    assert _squeezed(list(shown)) == _squeezed(expected)


def _local(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)  # type: ignore[misc, arg-type]
