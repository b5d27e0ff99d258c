"""The files that an export writes: bytes come in the order in which they were written, and are counted on the disk.

The lines of large files are counted by parts as those of small ones, and as csv reads them.
"""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logdump.features.export import files, text_formats
from logdump.features.export.files import AppendedFile, StandardOutput, TextFile, Waiting, opened
from logdump.features.export.target import ExportOptions, ExportTally
from tests.kernels import needs_native
from tests.logdump.line import Line
from tests.searching import Random
from tests.trailformat.samples import row, trail_of
from trailformat import CannotWrite

CHARACTERS = st.sampled_from(["\n", '""', '"a\nb"', "leaf", ",", "\x0b\x8a\x22", "\x01"])


@needs_native
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(CHARACTERS, max_size=30), chunk=st.integers(1, 40), is_quoted=st.booleans())
def test_parts_of_a_file_have_the_lines_of_all_of_it(
    texts: list[str], chunk: int, tmp_path: Path, *, is_quoted: bool
) -> None:
    path = tmp_path / "out"
    path.write_text("".join(texts), encoding="latin-1")
    with pytest.MonkeyPatch.context() as patched, path.open("rb") as file:
        expected = text_formats.count_lines(file, is_quoted=is_quoted)
        patched.setattr(text_formats, "_MANY_BYTES", 0)
        patched.setattr(text_formats, "_CHUNK", chunk)
        assert text_formats.count_lines(file, is_quoted=is_quoted) == expected


def test_line_breaks_in_quotes_end_no_line() -> None:
    text = '"a ""b""\r\nc",d\r\n,\r\n"",""\r\n'
    assert text_formats.count_lines(io.BytesIO(text.encode()), is_quoted=True) == len(
        list(csv.reader(io.StringIO(text)))
    )


def test_a_file_that_is_there_is_emptied(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("former")
    AppendedFile(tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == b""


def test_bytes_wait_until_there_are_many_and_all_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_WAITING", 6)
    file = AppendedFile(tmp_path / "out")
    seen = []
    for data in (b"abc", b"def", b"g", b"hi"):
        assert file.write(data) == len(data)
        seen.append((file.tell(), (tmp_path / "out").read_bytes()))
    assert seen == [(3, b""), (6, b""), (7, b"abcdefg"), (9, b"abcdefg")]
    file.flush()
    assert (tmp_path / "out").read_bytes() == b"abcdefghi"


class _Reluctant(io.FileIO):
    """A file that takes no more than two bytes at a time."""

    def write(self, data: Any) -> int:
        return super().write(bytes(data[:2]))


def test_what_a_disk_does_not_take_at_once_is_written_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "open", lambda path, mode, _buffering=-1: _Reluctant(path, mode.replace("b", "")))
    file = AppendedFile(tmp_path / "out")
    for data in (b"abcde", b"fgh"):
        file.write(data)
        file.flush()
    monkeypatch.undo()
    assert (tmp_path / "out").read_bytes() == b"abcdefgh"
    assert file.tell() == 8


def test_a_closed_file_has_all_that_was_written(tmp_path: Path) -> None:
    file = AppendedFile(tmp_path / "out")
    file.write(b"abc")
    assert not file.closed
    file.close()
    file.close()
    assert file.closed
    assert (tmp_path / "out").read_bytes() == b"abc"


def test_nothing_is_written_to_an_abandoned_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = AppendedFile(tmp_path / "out")
    file.write(b"abc")
    file.abandon()
    assert file.closed
    monkeypatch.setattr(files, "_MOST_WAITING", 2)
    assert file.write(b"def") == 3
    file.flush()
    file.close()
    assert (tmp_path / "out").read_bytes() == b""


class _Stream(io.BytesIO):
    def __init__(self, *, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal = is_terminal
        self.flushed = 0

    def isatty(self) -> bool:
        return self._is_terminal

    def flush(self) -> None:
        self.flushed += 1


def test_standard_output_takes_bytes_as_they_are() -> None:
    stream = _Stream(is_terminal=False)
    output = StandardOutput(stream)
    assert opened(output) is output
    assert output.write(b"a\x1b[31m\r\n\xff") == 9
    assert stream.getvalue() == b"a\x1b[31m\r\n\xff"
    output.write(b"bc")
    assert output.tell() == 11


def test_a_terminal_gets_printable_lines() -> None:
    stream = _Stream(is_terminal=True)
    output = StandardOutput(stream)
    output.write("a\x1b[31m\r\n玉露\n".encode() + b"\xff\n")
    assert stream.getvalue().decode() == "a\\x1b[31m\n玉露\n\\xff\n"


def test_standard_output_is_flushed_when_it_is_closed_and_stays_open() -> None:
    stream = _Stream(is_terminal=False)
    output = StandardOutput(stream)
    assert not output.closed
    output.close()
    output.close()
    assert output.closed
    assert stream.flushed == 1
    assert not stream.closed


def test_standard_output_that_is_abandoned_is_not_flushed() -> None:
    stream = _Stream(is_terminal=False)
    output = StandardOutput(stream)
    output.abandon()
    assert output.closed
    assert output.write(b"abc") == 3
    output.close()
    assert (stream.flushed, stream.getvalue()) == (0, b"")


def _lines(file: IO[bytes]) -> int:
    return sum(1 for _ in file)


def test_text_waits_in_its_file_and_is_counted_over_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_WAITING", 4)
    waiting = Waiting()
    first, second = (
        TextFile(tmp_path / name, compression="NONE", count_rows=_lines, waiting=waiting)
        for name in ("first", "second")
    )
    first.write("é\n")
    second.write("b\n")
    assert waiting.bytes == 5
    second.write("c\n")
    assert (waiting.bytes, (tmp_path / "second").read_bytes()) == (7, b"")
    second.write("d\n")
    assert (waiting.bytes, (tmp_path / "second").read_bytes()) == (3, b"b\nc\nd\n")
    assert (first.close(), second.close(), waiting.bytes) == (1, 3, 0)
    assert (tmp_path / "first").read_text(encoding="utf-8") == "é\n"


def test_compressed_text_is_of_several_members_and_one_where_there_is_none(tmp_path: Path) -> None:
    file, empty = (TextFile(tmp_path / name, compression="GZIP", count_rows=_lines) for name in ("file", "empty"))
    for number in range(2):
        file.write(f"{number}\n")
        file.flush()
    assert (file.close(), empty.close()) == (2, 0)
    assert gzip.decompress((tmp_path / "file").read_bytes()) == b"0\n1\n"
    assert gzip.decompress((tmp_path / "empty").read_bytes()) == b""
    assert [path.read_bytes().count(b"\x1f\x8b\x08") for path in (tmp_path / "file", tmp_path / "empty")] == [2, 1]
    assert [path.read_bytes()[4:8] for path in (tmp_path / "file", tmp_path / "empty")] == [bytes(4)] * 2
    again = TextFile(tmp_path / "again", compression="GZIP", count_rows=_lines)
    again.write("0\n")
    again.flush()
    again.write("1\n")
    again.close()
    assert (tmp_path / "again").read_bytes() == (tmp_path / "file").read_bytes()


def test_plain_text_without_a_row_is_an_empty_file(tmp_path: Path) -> None:
    assert TextFile(tmp_path / "out", compression="NONE", count_rows=_lines).close() == 0
    assert (tmp_path / "out").read_bytes() == b""


def test_a_head_is_no_row(tmp_path: Path) -> None:
    file = TextFile(tmp_path / "out", compression="NONE", count_rows=lambda lines: _lines(lines) - 1)
    file.write("head\n", 0)
    file.write("1\n2\n", 2)
    assert file.close() == 2


def test_a_file_that_lacks_a_row_is_named(tmp_path: Path) -> None:
    file = TextFile(tmp_path / "out", compression="NONE", count_rows=lambda _: 1)
    file.write("1\n2\n", 2)
    with pytest.raises(CannotWrite) as raised:
        file.close()
    error = raised.value
    assert (error.problem, error.path) == ("the file does not hold what was written", tmp_path / "out")
    assert (error.expected, error.found) == ("2 rows", "1")


def test_rows_on_standard_output_are_those_that_were_written() -> None:
    stream = _Stream(is_terminal=False)
    file = TextFile(StandardOutput(stream), compression="NONE", count_rows=lambda _: 99)
    file.write("1\n2\n", 2)
    assert file.close() == 2
    assert stream.getvalue() == b"1\n2\n"


@pytest.mark.parametrize("stop", [None, 0, 100])
@pytest.mark.parametrize("files_", [1, 3])
def test_an_export_up_to_a_place_ends_in_the_file_of_that_place(
    files_: int, stop: int | None, line: Line, tmp_path: Path
) -> None:
    """Under ACROSS, from the first of three files on."""
    paths = [trail_of(tmp_path, row(trans_ind=3), name=f"tt{number:09}") for number in range(files_)]
    line(f"open {paths[0]}; across on")
    options = ExportOptions("CSV", tmp_path / "out", stop=stop)
    read = [trail.path for trail in files.exported_files(line.session, options, ExportTally())]
    assert read == (paths if stop is None else paths[:1])


def test_lines_are_counted_over_the_ends_of_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Line breaks in quotes do not count, whatever piece of a file they are in: held against a walk by bytes."""
    drawn = Random()
    for _ in range(50):
        text = bytes(drawn.choices(b'"\na', k=drawn.randrange(20)))
        monkeypatch.setattr(text_formats, "_CHUNK", drawn.randint(1, 5))
        is_open, rows = False, 0
        for byte in text:
            is_open ^= byte == ord('"')
            rows += byte == ord("\n") and not is_open
        assert text_formats.count_lines(io.BytesIO(text), is_quoted=True) == rows
        assert text_formats.count_lines(io.BytesIO(text), is_quoted=False) == text.count(b"\n")
