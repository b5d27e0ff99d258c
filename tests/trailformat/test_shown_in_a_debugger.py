"""What a prompt of Python and a debugger show: ``repr`` has the fields, of damaged ones too, and no raw text."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.hostile import NASTY, hostile_trails, raw_characters
from tests.searching import Random, some_trails
from tests.trailformat.samples import header
from trailformat import (
    ByteOrder,
    Images,
    Record,
    TrailFile,
    TrailSequence,
    TrailWriter,
    make_column,
    make_record,
    make_token,
)
from trailformat.errors import TrailError

TEAS = TRAILS / "et000000000"


def sound(trail: TrailFile) -> list[Record]:
    """The records before the first damage."""
    found = []
    with contextlib.suppress(TrailError):
        for record in trail.records():
            found.append(record)  # noqa: PERF402 - what is before the damage is kept
    return found


def test_a_record_shows_its_type_its_place_its_table_and_its_csn() -> None:
    with TrailFile(TEAS) as trail:
        shown = [repr(record) for record in trail.records()][:4]
    assert shown == [
        "<Record FileHeader at RBA 0, 1130 bytes>",
        "<Record Metadata at RBA 1130, 131 bytes>",
        "<Record Metadata at RBA 1261, 550 bytes, name 'TEAHOUSE.TEAS'>",
        "<Record Insert at RBA 1811, 197 bytes, table 1, CSN '41882317'>",
    ]


def test_a_file_header_shows_its_values_by_name_and_none_that_is_not_set() -> None:
    with TrailFile(TEAS) as trail:
        shown = repr(trail.file_header)
        assert trail.file_header is not None
        unset = [token for group in trail.file_header.groups for token in group.tokens if token.value is None]
    assert unset
    for part in ("<FileHeader TrailInfo(", "URI='uri:samovar::u01:ogg:EXTTEA'", "Seqno=0", "FirstCSN='41882317'"):
        assert part in shown
    assert "=None" not in shown
    assert "Token" not in shown


def test_files_and_writers_show_where_they_are(tmp_path: Path) -> None:
    size = TEAS.stat().st_size
    with TrailFile(TEAS) as trail:
        assert repr(trail) == f"<TrailFile {str(TEAS)!r}, {size} bytes, big-endian>"
    assert repr(trail) == f"<TrailFile {str(TEAS)!r}, {size} bytes, big-endian, closed>"
    path = tmp_path / "lt000000"
    with TrailWriter(path, order=ByteOrder.LITTLE) as writer:
        assert repr(writer) == f"<TrailWriter {str(path)!r}, 0 bytes, 0 records written>"
        record = writer.write_values(header(order=ByteOrder.LITTLE), Images(None, (make_column(0, b"leaf"),)))
        assert repr(writer) == f"<TrailWriter {str(path)!r}, {record.length} bytes, 1 records written>"
    assert repr(writer).endswith("1 records written, closed>")
    with TrailFile(path) as trail:
        assert repr(trail).endswith("little-endian>")
    assert repr(TrailSequence(path)) == f"<TrailSequence {str(tmp_path / 'lt')!r}, 1 file>"
    path.with_name("lt000001").write_bytes(path.read_bytes())
    assert repr(TrailSequence(path)) == f"<TrailSequence {str(tmp_path / 'lt')!r}, 2 files>"


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_damaged_record_is_shown_too(name: str) -> None:
    """Bytes flipped, cut and made up: a debugger that shows a local variable raises no error."""
    random = Random(name)
    with TrailFile(TRAILS / name) as trail:
        records = sound(trail)
    drawn = [b"", b"G", b"F", random.randbytes(random.randrange(60))]
    for record in random.sample(records, min(len(records), 20)):
        raw = bytearray(record.raw)
        for _ in range(random.randrange(4)):
            raw[random.randrange(min(len(raw), 120))] = random.randrange(256)
        drawn += [bytes(raw), bytes(raw[: random.randrange(len(raw))])]
    for raw_bytes in drawn:
        for order in ByteOrder:
            shown = repr(Record(raw_bytes, order=order))
            assert re.match(r"<Record \S.* at RBA 0, \d+ bytes", shown), (raw_bytes, shown)


def test_nothing_of_a_trail_is_shown_raw(tmp_path: Path) -> None:
    for path in hostile_trails(tmp_path):
        with TrailFile(path) as trail:
            records = sound(trail)
            parts: list[object] = [trail, trail.file_header, TrailSequence(path), *records]
            for record in records:
                with contextlib.suppress(TrailError):
                    parts += [record.header, record.gg_tokens, record.images, record.metadata]
        assert records
        assert raw_characters("".join(map(repr, parts))) == [], path


def test_a_damaged_token_and_a_csn_are_shown_escaped() -> None:
    csn = make_record(header(), gg_tokens=[make_token("L", NASTY.encode())])
    for record in (csn, Record(b"G\0\0\x0c" + b"\x1b\x07\x9b\x85" + b"Z\0\0\x0c")):
        assert raw_characters(repr(record)) == []
    assert "\\x1b[2J" in repr(csn)


def test_a_file_header_has_no_images() -> None:
    with TrailFile(TEAS) as trail:
        images = [record.images for record in trail.records()]
    assert images[0] is None
    assert any(images)
