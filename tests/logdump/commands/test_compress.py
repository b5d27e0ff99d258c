from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.features.compression import survey
from logdump.features.compression.model import Compression, CompressionShown, ImageSaving, ImagesShown
from logdump.language.execute import run_line
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile
from trailformat.records.record_header import DELETE
from trailformat.scan import Batch, scan


def results(line: Line) -> list[Compression]:
    return [event for event in line.events if isinstance(event, Compression)]


def about(line: Line) -> CompressionShown:
    return next(event for event in line.events if isinstance(event, CompressionShown))


def raw_records(line: Line) -> list[bytes]:
    return [record.raw for record in line.session.trail.records()]


def test_the_whole_file_is_estimated_wherever_the_position_is(shop: Line) -> None:
    shop("pos 4000; compress level 6")
    (found,) = results(shop)
    whole = b"".join(raw_records(shop))
    assert (found.bytes, found.compressed) == (len(whole), len(zlib.compress(whole, 6)))


def test_the_position_stays(shop: Line) -> None:
    shop("pos 211; compress")
    assert shop.session.cursor.next == 211


def test_what_is_assumed_and_what_would_tell_it_comes_first(shop: Line) -> None:
    assert shop("compress")[0].startswith("Assumed: compression by zlib")
    assert shop("compress images")[0].startswith("Assumed: ")


def test_the_ratio_stands_beside_that_of_the_documentation(shop: Line) -> None:
    assert "Oracle's ratio: typically at least 4:1, up to 10:1 in a test" in shop("compress")


def test_without_a_level_three_are_tried(shop: Line) -> None:
    shop("compress")
    assert [compression.level for compression in results(shop)] == [1, 6, 9]


def test_a_threshold_of_nothing_compresses_all_blocks(shop: Line) -> None:
    shop("compress block 1 threshold 0 level 1")
    (found,) = results(shop)
    assert found.blocks_compressed == found.blocks == len(raw_records(shop))


def test_blocks_up_to_the_threshold_are_sent_as_they_are(shop: Line) -> None:
    shop("compress threshold 28000")
    assert {
        (compression.blocks_compressed, compression.bytes - compression.compressed) for compression in results(shop)
    } == {(0, 0)}


def test_a_block_can_end_with_each_transaction(shop: Line) -> None:
    shop("compress flush commit level 1 threshold 0")
    (found,) = results(shop)
    # the ten transactions of the file, and what stands in front of the first is in its block
    assert found.blocks == 10


def test_a_table_alone_is_its_records_in_blocks_of_their_own(shop: Line) -> None:
    shop("compress by table level 6 threshold 0")
    for found in (compression for compression in results(shop) if compression.table):
        trail = shop.session.trail
        records = [
            record for record in trail.records() if not record.is_file_header and trail.name_of(record) == found.table
        ]
        alone = b"".join(record.raw for record in records)
        assert (found.bytes, found.compressed) == (len(alone), len(zlib.compress(alone, 6)))


def test_too_many_tables_are_added_up_as_one(shop: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "MOST_TABLES", 1)
    shop("compress by table")
    assert [compression.table for compression in results(shop) if compression.table][1:] == [survey.OTHERS]
    assert about(shop).others == 1


def test_the_filter_applies(shop: Line) -> None:
    shop("filter include iotype delete; compress level 1")
    assert about(shop).surveyed.is_filtered
    rows = [record for record in shop.session.trail.records() if not record.is_file_header]
    assert results(shop)[0].bytes == sum(record.length for record in rows if record.header.io_type == DELETE)


def test_all_files_of_a_wildcard_are_one_estimate(line: Line, trails: Path) -> None:
    line(f'compress over "{trails / "st*"}" level 6')
    (found,) = results(line)
    assert found.bytes == sum(path.stat().st_size for path in trails.glob("st*"))


def test_encrypted_data_are_named_as_what_they_may_be(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, *(row(Random(number).randbytes(4000)) for number in range(6)))
    assert "  The data do not compress (1.01:1): encrypted?" in line(f"open {path}; compress level 9")


def test_damage_is_left_out_and_makes_the_status(tmp_path: Path) -> None:
    record = row()
    path = trail_of(tmp_path, record, b"\xee" * 50, record)
    done = logdump("--format", "jsonl", "-c", f"open {path}; compress level 6")
    shown = [json.loads(text) for text in done.out.splitlines()]
    assert [(each["damaged"], each["bytes"]) for each in shown if each["type"] == "compression_survey"] == [
        (1, 2 * record.length)
    ]
    assert done.status == ExitStatus.BAD_DATA


@pytest.mark.parametrize("command", ["compress", "compress images"])
def test_interrupted_it_shows_what_it_has_and_says_so(
    command: str, shop: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(trail: TrailFile) -> Iterator[Batch]:
        yield next(iter(scan(trail, batch_size=5)))
        raise KeyboardInterrupt

    monkeypatch.setattr(survey, "scan", interrupted)
    shown: list[Event] = []
    with pytest.raises(KeyboardInterrupt):
        shown.extend(run_line(shop.session, REGISTRY, command))
    (first,) = (event for event in shown if isinstance(event, CompressionShown | ImagesShown))
    assert (first.surveyed.is_partial, first.surveyed.records) == (True, 5)
    assert [notice.status for notice in shown if isinstance(notice, Notice)] == [ExitStatus.INTERRUPTED]


def test_images_by_table_add_up_to_those_of_all(line: Line, trails: Path) -> None:
    line(f"open {trails / 'ut000000000'}; compress images by table")
    savings = [event for event in line.events if isinstance(event, ImageSaving)]
    for whole in (saving for saving in savings if saving.table is None):
        parts = [saving for saving in savings if saving.table is not None and saving.what == whole.what]
        assert sum(saving.saved for saving in parts) == whole.saved


@pytest.mark.parametrize("wrong", ["level 0", "level 10", "threshold 28001", "sample 0", "sample 101", "block 0"])
def test_numbers_out_of_range_are_refused_with_their_bounds(wrong: str, shop: Line) -> None:
    shop(f"compress {wrong}")
    assert "is out of range" in shop.failures[0].lines[0]


def test_that_the_trails_keep_their_sizes_is_said(shop: Line) -> None:
    assert shop("compress")[1].endswith("the trail at the other end keeps its size.")


def test_the_time_that_compression_takes_here_is_told(shop: Line) -> None:
    assert all(text.endswith(" MB/s here") for text in shop("compress")[3:])
    assert all(compression.seconds > 0 for compression in results(shop))


def test_rmthost_of_the_parameter_file_in_use_gives_block_and_threshold(shop: Line, tmp_path: Path) -> None:
    path = tmp_path / "pump.prm"
    host = "RMTHOST target, MGRPORT 7809, COMPRESS, COMPRESSTHRESHOLD 500, TCPFLUSHBYTES 2000"
    path.write_text(f"EXTRACT pump\n{host}\nRMTTRAIL rt\nTABLE *.*;\n")
    shop(f"params {path}; compress")
    assert (about(shop).block, about(shop).threshold) == (2000, 500)
    shop("compress block 3000 threshold 0")
    assert (about(shop).block, about(shop).threshold) == (3000, 0)
