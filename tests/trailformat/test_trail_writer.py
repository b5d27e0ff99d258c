from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from fixtures import TRAILS
from fixtures.catalogue import names
from tests.searching import Random, some_trails
from tests.trailformat.samples import BOTH, IO_TIME, header, metadata_record, row, table_record
from trailformat import (
    BadData,
    ByteOrder,
    CannotRead,
    CannotWrite,
    FileHeader,
    Images,
    Record,
    TrailFile,
    TrailWriter,
    make_column,
    make_file_header,
    make_file_header_record,
    make_token,
)
from trailformat.records.file_header import Value
from trailformat.records.record_header import DATABASE, REFERENCE
from trailformat.trail.whole_file import early

HEADER = make_file_header({"TrailInfo": {"URI": "uri:samovar", "FileName": "", "Seqno": 0, "FirstCSN": "42"}})
DDR = metadata_record(DATABASE, 0, "")
TEAS = table_record(1, "TEAS")
SALES = table_record(2, "SALES")


def sound_records(path: Path) -> list[Record]:
    """The records of a file as far as they are sound, damage left out."""
    found = []
    with TrailFile(path) as trail:
        rba: int | None = 0
        while rba is not None and rba < trail.size:
            record = trail.record_at(rba) if trail.next_good_header(rba) == rba else None
            found += [record] if record else []
            rba = rba + record.length if record else trail.next_good_header(rba + 1)
    return found


def read(path: Path) -> list[Record]:
    with TrailFile(path) as trail:
        return list(trail.records())


_DAMAGED = "cfgw"
"""How the names of trails with damage begin."""


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write_two_files(path: Path, before_the_end: Callable[[], object] = lambda: None) -> None:
    with TrailWriter(path, max_bytes=1) as writer:
        writer.write(row())
        writer.write(row())
        before_the_end()


@pytest.mark.parametrize("name", some_trails(names(), __name__))
def test_a_copy_has_the_bytes_of_every_sound_record(trails: Path, tmp_path: Path, name: str) -> None:
    records = sound_records(trails / name)
    with TrailWriter(tmp_path / name) as writer:
        for record in records:
            rebuilt = Record(record.build(), order=record.order)
            writer.write(rebuilt)
    assert (tmp_path / name).read_bytes() == b"".join(record.raw for record in records)
    assert name[0] in _DAMAGED or (tmp_path / name).read_bytes() == (trails / name).read_bytes()
    assert writer.records_written == len(records)


@pytest.mark.parametrize("order", BOTH)
def test_values_are_written_in_the_writer_s_order(tmp_path: Path, order: ByteOrder) -> None:
    with TrailWriter(tmp_path / "lt000000", order=order) as writer:
        images = Images(None, (make_column(0, b"leaf"),))
        first = writer.write_values(header(order=order), images, [make_token("L", b"42")], b"a\0b\0")
        second = writer.write_values(header(order=order))
    assert [record.raw for record in read(tmp_path / "lt000000")] == [first.raw, second.raw]
    assert [record.order for record in read(tmp_path / "lt000000")] == [order, order]
    assert (first.rba, second.rba) == (0, first.length)
    assert (first.csn, first.user_tokens) == ("42", ((b"a", b"b"),))


def test_the_file_header_gets_the_name_and_the_number_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lt000007"
    with TrailWriter(path, file_header=HEADER):
        pass
    with TrailFile(path) as trail:
        assert trail.file_header is not None
        assert trail.file_header.get("TrailInfo", "FileName") == str(path)
        assert trail.file_header.get("TrailInfo", "Seqno") == 7
        assert trail.file_header.get("TrailInfo", "URI") == "uri:samovar"


def test_a_path_that_is_no_utf_8_stands_in_the_header_as_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9")
    with TrailWriter(path, file_header=HEADER):
        pass
    assert b"caf\xe9" in path.read_bytes()


def test_the_copy_s_own_file_header_is_not_changed(tmp_path: Path) -> None:
    record = make_file_header_record(HEADER)
    with TrailWriter(tmp_path / "lt000007") as writer:
        writer.write(record)
    assert (tmp_path / "lt000007").read_bytes() == record.raw


def test_size_and_records_written_count_along(tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000000") as writer:
        assert (writer.size, writer.records_written) == (0, 0)
        writer.write(row())
        assert (writer.size, writer.records_written) == (row().length, 1)


def test_a_full_file_is_followed_by_the_next_number(tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000009", max_bytes=3 * row().length) as writer:
        for _ in range(7):
            writer.write(row())
    assert left_in(tmp_path) == ["lt000009", "lt000010", "lt000011"]
    assert [path.name for path in writer.paths] == left_in(tmp_path)
    assert [len(read(path)) for path in writer.paths] == [3, 3, 1]


def test_every_file_gets_a_header_with_its_own_name_and_number(tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000000", max_bytes=1) as writer:
        writer.write(make_file_header_record(HEADER))
        writer.write(row())
        writer.write(row())
    second = read(tmp_path / "lt000001")[0].file_header
    assert second.get("TrailInfo", "FileName") == str(tmp_path / "lt000001")
    assert second.get("TrailInfo", "Seqno") == 1
    assert second.get("TrailInfo", "FirstCSN") is None


def test_a_rolled_file_does_not_say_that_it_begins_with_the_first_one(tmp_path: Path) -> None:
    """POSITION CSN and POSITION TIME go by what the headers say of a file's beginning."""
    begin: dict[str, Value] = {"Seqno": 0, "FirstCSN": "4711", "FirstIOTime": IO_TIME}
    with TrailWriter(tmp_path / "lt000000", max_bytes=1) as writer:
        writer.write(make_file_header_record(make_file_header({"TrailInfo": begin})))
        writer.write(row())
        writer.write(row())
    first, second = (read(tmp_path / name)[0].file_header for name in ("lt000000", "lt000001"))
    assert (first.get("TrailInfo", "FirstCSN"), first.get("TrailInfo", "FirstIOTime")) == ("4711", IO_TIME)
    assert (second.get("TrailInfo", "FirstCSN"), second.get("TrailInfo", "FirstIOTime")) == (None, None)


def test_a_record_larger_than_a_file_has_one_of_its_own(tmp_path: Path) -> None:
    large = row(bytes(500))
    with TrailWriter(tmp_path / "lt000000", max_bytes=100) as writer:
        for record in (row(), large, row()):
            writer.write(record)
    assert [[trail_record.length for trail_record in read(path)] for path in writer.paths] == [
        [row().length],
        [large.length],
        [row().length],
    ]


def rolled(folder: Path, *records: Record) -> list[str]:
    """What the second file holds when every row after the first three records gets a file of its own."""
    with TrailWriter(
        folder / "lt000000", max_bytes=sum(trail_record.length for trail_record in records[:-1])
    ) as writer:
        for record in records:
            writer.write(record)
    assert len(writer.paths) == 2
    with TrailFile(writer.paths[1]) as trail:
        return [
            f"TDR {trail_record.name}" if trail_record.is_metadata else trail.name_of(trail_record)
            for trail_record in trail.records()
        ]


def test_a_new_file_gets_the_definitions_that_its_rows_need(tmp_path: Path) -> None:
    assert rolled(tmp_path, DDR, TEAS, SALES, row(name=2)) == ["TDR ", "TDR SALES", "SALES"]


def test_a_definition_in_a_new_file_comes_behind_the_database(tmp_path: Path) -> None:
    assert rolled(tmp_path, DDR, TEAS, SALES) == ["TDR ", "TDR SALES"]


def test_a_reference_goes_on_as_a_definition_of_its_own(tmp_path: Path) -> None:
    reference = metadata_record(REFERENCE, 1, "ARCHIVE")
    assert rolled(tmp_path, DDR, TEAS, reference, row(name=2)) == ["TDR ", "TDR ARCHIVE", "ARCHIVE"]


def test_rows_that_have_their_names_need_no_definitions(tmp_path: Path) -> None:
    assert rolled(tmp_path, DDR, TEAS, row(name="TEA.LEAVES")) == ["TEA.LEAVES"]


@pytest.mark.parametrize("name", ["rt000000000", "rl000000000"])
def test_rows_of_a_rolled_copy_keep_their_tables_and_bytes(trails: Path, tmp_path: Path, name: str) -> None:
    with TrailWriter(tmp_path / name, max_bytes=1) as writer, TrailFile(trails / name) as source:
        for record in source.records():
            writer.write(record)
        rows = [
            (source.name_of(trail_record), trail_record.raw)
            for trail_record in source.records()
            if not _is_definition(trail_record)
        ]
    copied = []
    for path in writer.paths:
        with TrailFile(path) as trail:
            copied += [
                (trail.name_of(trail_record), trail_record.raw)
                for trail_record in trail.records()
                if not _is_definition(trail_record)
            ]
    assert copied == rows


def _is_definition(record: Record) -> bool:
    return record.is_file_header or record.is_metadata


def test_rolling_over_needs_a_number_in_the_name(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="no sequence number to roll over from; expected a name like lt000000"):
        write_two_files(tmp_path / "trail")
    assert left_in(tmp_path) == []


def test_nothing_has_its_name_before_all_is_written(tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000000", max_bytes=1) as writer:
        writer.write(row())
        writer.write(row())
        assert [name for name in left_in(tmp_path) if not name.startswith(".lt0000")] == []
    assert left_in(tmp_path) == ["lt000000", "lt000001"]


def test_nothing_is_left_after_abort(tmp_path: Path) -> None:
    writer = TrailWriter(tmp_path / "lt000000", max_bytes=1)
    writer.write(row())
    writer.write(row())
    writer.abort()
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_after_an_exception(tmp_path: Path, error: type[BaseException]) -> None:
    def fail() -> NoReturn:
        raise error

    with pytest.raises(error):
        write_two_files(tmp_path / "lt000000", fail)
    assert left_in(tmp_path) == []


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "lt000000").write_bytes(b"precious")
    with pytest.raises(CannotWrite, match="lt000000: file exists already"):
        TrailWriter(tmp_path / "lt000000")
    assert left_in(tmp_path) == ["lt000000"]
    assert (tmp_path / "lt000000").read_bytes() == b"precious"


def test_an_existing_file_is_not_rolled_over_either(tmp_path: Path) -> None:
    (tmp_path / "lt000001").write_bytes(b"precious")
    with pytest.raises(CannotWrite, match="lt000001: file exists already"):
        write_two_files(tmp_path / "lt000000")
    assert left_in(tmp_path) == ["lt000001"]


def test_a_file_that_appears_while_writing_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="File exists"):
        write_two_files(tmp_path / "lt000000", lambda: (tmp_path / "lt000001").write_bytes(b"precious"))
    assert left_in(tmp_path) == ["lt000001"]
    assert (tmp_path / "lt000001").read_bytes() == b"precious"


def test_an_existing_file_is_replaced_on_demand(tmp_path: Path) -> None:
    (tmp_path / "lt000000").write_bytes(b"old")
    with TrailWriter(tmp_path / "lt000000", replace=True) as writer:
        writer.write(row())
        assert (tmp_path / "lt000000").read_bytes() == b"old"
    assert (tmp_path / "lt000000").read_bytes() == row().raw


def test_a_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    with TrailWriter(tmp_path / "lt000000"):
        pass
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("other", "lt000000")]
    assert modes[0] == modes[1]


@pytest.mark.parametrize("name", ["missing/lt000000", "x" * 300, "lt\x0000000"], ids=["folder", "length", "NUL"])
def test_a_target_that_cannot_be_created_cannot_be_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotWrite):
        TrailWriter(tmp_path / name)
    assert left_in(tmp_path) == []


class FullDisk:
    """A file on a disk that is full."""

    def __init__(self, handle: int, _mode: str) -> None:
        self._handle = handle

    def write(self, _data: bytes) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def close(self) -> None:
        os.close(self._handle)


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdopen", FullDisk)
    with (
        pytest.raises(CannotWrite, match="lt000000: No space left on device"),
        TrailWriter(tmp_path / "lt000000") as writer,
    ):
        writer.write(row())
    assert left_in(tmp_path) == []


def test_a_disk_that_is_full_at_the_file_header_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdopen", FullDisk)
    with pytest.raises(CannotWrite, match="No space left on device"):
        TrailWriter(tmp_path / "lt000000", file_header=HEADER)
    assert left_in(tmp_path) == []


def test_a_disk_that_is_full_at_the_end_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(_handle: int) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(CannotWrite, match="No space left on device"), TrailWriter(tmp_path / "lt000000") as writer:
        writer.write(row())
    assert left_in(tmp_path) == []


def test_a_writer_that_failed_does_not_commit_what_it_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdopen", FullDisk)
    writer = TrailWriter(tmp_path / "lt000000")
    _swallowed(CannotWrite, writer, row())
    assert left_in(tmp_path) == []


def test_a_file_header_that_does_not_decode_is_copied_all_the_same(tmp_path: Path) -> None:
    good = make_file_header_record(HEADER).raw
    broken = Record(good[:8] + good[8:12].replace(b"\0", b"\x7f", 1) + good[12:])
    with TrailWriter(tmp_path / "lt000000") as writer:
        writer.write(broken)
    assert (tmp_path / "lt000000").read_bytes() == broken.raw


def test_a_closed_writer_cannot_write(tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000000") as writer:
        writer.write(row())
    kept = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    _nothing_goes_on(writer, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == kept


def test_an_aborted_writer_says_so_and_ends_its_context_in_peace(tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000000", max_bytes=1) as writer:
        writer.write(row())
        writer.abort()
    _nothing_goes_on(writer, tmp_path)
    assert left_in(tmp_path) == []


def _nothing_goes_on(writer: TrailWriter, folder: Path) -> None:
    """What a closed writer is told it refuses: the next file too, and a second commit."""
    with TrailFile(TRAILS / "et000000000") as trail:
        contents = trail._source
        assert contents is not None
        calls: list[Callable[[], object]] = [
            lambda: writer.write(row()),
            lambda: writer.write_values(header()),
            lambda: writer.write_bytes(row().raw, 1),
            lambda: writer.copy_range(contents, 0, trail.size, 1),
            lambda: writer.begin(folder / "zt000000"),
            writer.commit,
        ]
        for call in Random(1).sample(calls, len(calls)):
            with pytest.raises(CannotWrite, match="the writer is closed"):
                call()


def _swallowed(error: type[Exception], writer: TrailWriter, record: Record) -> None:
    """Write a record, catch the error, and go on: the end of the context raises it again, and a commit."""

    def goes_on() -> None:
        with writer, contextlib.suppress(error):
            writer.write(record)

    for end in (goes_on, writer.commit):
        with pytest.raises(error):
            end()


class _Torn(Record):
    """A record whose second piece cannot be read, as of a file that became shorter."""

    def pieces(self) -> Iterator[bytes]:
        yield self.raw[: self.length // 2]
        raise self.error

    error: Exception = CannotRead("the file has been truncated")


@pytest.mark.parametrize("error", [CannotRead("truncated"), BadData("of it"), CannotWrite("no"), RuntimeError("x")])
@pytest.mark.parametrize("most", [None, 1])
def test_half_a_record_is_never_committed(error: Exception, most: int | None, tmp_path: Path) -> None:
    torn = _Torn(row().raw)
    torn.error = error
    writer = TrailWriter(tmp_path / "lt000000", max_bytes=most)
    writer.write(row())
    _swallowed(type(error), writer, torn)
    assert left_in(tmp_path) == []


def test_a_trail_without_the_record_that_had_no_file_is_not_committed(tmp_path: Path) -> None:
    """The next file of the roll-over is there already, and the caller catches the error."""
    (tmp_path / "lt000001").write_bytes(b"precious")
    writer = TrailWriter(tmp_path / "lt000000", max_bytes=1)
    writer.write(row())
    _swallowed(CannotWrite, writer, row())
    assert left_in(tmp_path) == ["lt000001"]


def test_a_record_that_cannot_be_built_is_none_of_the_trail(tmp_path: Path) -> None:
    """Nothing of it was written: the caller may write another one."""
    with TrailWriter(tmp_path / "lt000000") as writer:
        with pytest.raises(CannotWrite):
            writer.write_values(header(), Images(None, (make_column(70000, b"leaf"),)))
        writer.write(row())
    assert (tmp_path / "lt000000").read_bytes() == row().raw


def test_a_header_without_trail_info_is_written_as_it_is(tmp_path: Path) -> None:
    head = FileHeader(())
    with TrailWriter(tmp_path / "lt000000", file_header=head):
        pass
    assert (tmp_path / "lt000000").read_bytes() == make_file_header_record(head).raw


def test_the_disk_begins_with_a_long_file_before_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(early, "_PART", 3 * row().length)
    monkeypatch.setattr(early, "_begin_writing", lambda _file, start, length: told.append((start, length)))
    with TrailWriter(tmp_path / "lt000000") as writer:
        for _ in range(4):
            writer.write(row())
        writer.write_bytes(row().raw * 2, 2)
        writer.write_bytes(row().raw * 2, 2)
    assert told == [(0, 3 * row().length), (3 * row().length, 3 * row().length)]


@pytest.mark.parametrize("most", [None, 1, 150, 400])
def test_a_record_that_is_written_knows_where_it_is(most: int | None, tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000000", file_header=HEADER, max_bytes=most) as writer:
        written = []
        for number in range(7):
            record = writer.write_values(header(), Images(None, (make_column(0, b"x" * number),)))
            written.append((record.path, record.rba, record.raw))
        paths = writer.paths
    assert list(dict.fromkeys(path for path, _, _ in written)) == paths
    for path, rba, raw in written:
        assert path is not None
        assert path.read_bytes()[rba : rba + len(raw)] == raw


def test_a_definition_goes_before_the_record_in_a_rolled_file(tmp_path: Path) -> None:
    with TrailWriter(tmp_path / "lt000000", max_bytes=300) as writer:
        writer.write(TEAS)
        for _ in range(6):
            record = writer.write_values(header(1), Images(None, (make_column(0, b"leaf"),)))
            path = writer.paths[-1]
    with TrailFile(path) as trail:
        found = trail.record_at(record.rba)
    assert found is not None
    assert found.raw == record.raw


@pytest.mark.parametrize("files", [1, 3])
def test_a_writer_that_is_dropped_leaves_nothing(files: int, tmp_path: Path) -> None:
    writer = TrailWriter(tmp_path / "lt000000", max_bytes=1)
    for _ in range(files):
        writer.write(row())
    assert len(left_in(tmp_path)) == files
    with pytest.warns(ResourceWarning, match="was dropped before it committed"):
        del writer
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("end", [TrailWriter.commit, TrailWriter.abort])
def test_a_writer_that_has_ended_says_nothing(end: Callable[[TrailWriter], None], tmp_path: Path) -> None:
    writer = TrailWriter(tmp_path / "lt000000")
    writer.write(row())
    end(writer)
    kept = left_in(tmp_path)
    del writer
    assert left_in(tmp_path) == kept
