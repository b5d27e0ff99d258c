"""An export is there whole, or not at all; what was there before stays until then."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from logdump.arrow.tables.layout import ALL as LAYOUT
from logdump.features.export import arrow_export
from logdump.features.export import files as appended_file
from logdump.features.export.exporting import check_whole
from logdump.features.export.target import ExportOptions, ExportTally, FileTally, export_target
from logdump.session.errors import CommandError
from tests.logdump.line import Line
from trailformat import CannotWrite, TrailFile

ALL = [
    "jsonl to T",
    "csv to T",
    "sql to T",
    "parquet to T",
    "arrow to T",
    "jsonl to T by table",
    "csv to T by table",
    "parquet to T by table",
]
TABLES = [words for words in ALL if "by table" in words] + ["arrow to T by table"]
FILES = [words for words in ALL if "by table" not in words]


def _export(line: Line, words: str, target: Path) -> list[str]:
    return line("export " + words.replace("T", str(target), 1))


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("words", ALL)
def test_what_is_there_is_replaced_when_asked_only(words: str, shop: Line, tmp_path: Path) -> None:
    target = tmp_path / "out"
    _export(shop, words, target)
    first = _contents(target)
    shop("pos 0")
    _export(shop, words, target)
    assert shop.failures[0].lines[0] == f"{target} exists already; EXPORT … TO out REPLACE replaces it."
    assert _contents(target) == first
    for how in ("!", "replace"):
        shop("pos 0; filter include rectype insert")
        _export(shop, f"{words} {how}", target)
        assert not shop.failures
    assert _contents(target) != first
    assert _names(tmp_path) == ["out"]


def _contents(target: Path) -> dict[str, bytes]:
    files: Iterator[Path] = target.iterdir() if target.is_dir() else iter([target])
    return {path.name: path.read_bytes() for path in files}


@pytest.mark.parametrize("words", TABLES)
def test_a_folder_with_anything_else_in_it_is_never_replaced(words: str, shop: Line, tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    (target / "letters.txt").write_text("mine")
    assert _export(shop, words, target) == [f"{target} exists already; EXPORT … TO out REPLACE replaces it."]
    refused = f"{target} is not replaced: letters.txt in it is not a file of an export."
    assert _export(shop, f"{words} replace", target) == [refused]
    assert _names(target) == ["letters.txt"]
    assert _names(tmp_path) == ["out"]


def _link(path: Path) -> None:
    path.symlink_to(path.parent.parent)


def _folder_of(*names: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.mkdir()
        for name in names:
            (path / name).write_text("mine")

    return make


def _folder_with_a_link(path: Path) -> None:
    path.mkdir()
    (path / "part-00000.csv").symlink_to(path.parent.parent / "trail")


@pytest.mark.parametrize(
    ("name", "make", "is_ours"),
    [
        ("T.csv", Path.touch, True),
        ("T.csv.gz", Path.touch, True),
        ("T.jsonl", Path.touch, True),
        ("T.parquet", _folder_of("part-00000.parquet", "part-00001.parquet"), True),
        ("T.parquet", _folder_of(), True),
        ("T.parquet", _folder_of("part-00000.parquet", "letters.csv"), False),
        ("T.parquet", _folder_of("part-00000.txt"), False),
        ("T.parquet", _folder_with_a_link, False),
        ("T.sql", Path.touch, False),
        ("T.csv", _link, False),
    ],
)
def test_what_is_replaced_in_a_folder_are_files_of_exports(
    name: str, make: Callable[[Path], None], shop: Line, tmp_path: Path, *, is_ours: bool
) -> None:
    (tmp_path / "out").mkdir()
    make(tmp_path / "out" / name)
    _export(shop, "csv to T by table replace", tmp_path / "out")
    assert _names(tmp_path / "out") == (["TEAHOUSE.SALES.csv", "TEAHOUSE.TEAS.csv"] if is_ours else [name])


@pytest.mark.parametrize("odd", ["a.txt", "c.csv", "e.parquet", "g.txt"])
def test_of_several_files_in_a_folder_none_may_be_anything_else(odd: str, shop: Line, tmp_path: Path) -> None:
    """Wherever it stands among files of exports: before, between, after; a link by the name of one is none."""
    target = tmp_path / "out"
    target.mkdir()
    for name in ("b.csv", "d.csv", "f.csv"):
        (target / name).write_text("rows")
    (target / odd).symlink_to(tmp_path / "elsewhere")
    said = _export(shop, "csv to T by table replace", target)
    assert said == [f"{target} is not replaced: {odd} in it is not a file of an export."]
    assert _names(target) == sorted(["b.csv", "d.csv", "f.csv", odd])
    (target / odd).unlink()
    _export(shop, "csv to T by table replace", target)
    assert _names(target) == ["TEAHOUSE.SALES.csv", "TEAHOUSE.TEAS.csv"]


@pytest.mark.parametrize("words", TABLES)
def test_an_empty_folder_is_filled(words: str, shop: Line, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    _export(shop, words, tmp_path / "out")
    assert len(_names(tmp_path / "out")) == 2
    assert _names(tmp_path) == ["out"]


@pytest.mark.parametrize("words", FILES)
def test_the_open_trail_is_never_the_target(words: str, line: Line, tmp_path: Path) -> None:
    source = tmp_path / "et000000000"
    source.write_bytes((TRAILS / "et000000000").read_bytes())
    (tmp_path / "link").symlink_to(source)
    for target in (source, tmp_path / "link"):
        line(f"open {source}")
        refused = f"{target} is the open trail: EXPORT never writes over it."
        assert _export(line, f"{words} replace", target) == [refused]
    assert source.read_bytes() == (TRAILS / "et000000000").read_bytes()


def test_the_folder_of_the_open_trail_is_never_the_target(line: Line, tmp_path: Path) -> None:
    source = tmp_path / "trail.csv"
    source.write_bytes((TRAILS / "et000000000").read_bytes())
    line(f"open {source}")
    refused = f"{tmp_path} contains the open trail: EXPORT never replaces it."
    assert _export(line, "csv to T by table replace", tmp_path) == [refused]
    assert source.exists()


@pytest.mark.parametrize(("is_folder", "appears"), [(True, Path.touch), (False, Path.mkdir)])
def test_what_comes_in_the_way_of_an_export_is_left_alone(
    appears: Callable[[Path], None], tmp_path: Path, *, is_folder: bool
) -> None:
    export = ExitStack()
    export.enter_context(export_target(tmp_path / "out", is_folder=is_folder, replaces=False))
    appears(tmp_path / "out")
    with pytest.raises(CommandError, match="out exists already"):
        export.close()
    assert _names(tmp_path) == ["out"]


def test_a_file_is_no_folder_and_a_folder_no_file(shop: Line, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder").mkdir()
    assert "is a file" in _export(shop, "csv to T by table replace", tmp_path / "file")[0]
    assert "is a folder" in _export(shop, "csv to T replace", tmp_path / "folder")[0]
    assert _names(tmp_path) == ["file", "folder"]


@pytest.mark.parametrize("words", ALL)
def test_a_folder_that_is_not_there_is_named(words: str, shop: Line, tmp_path: Path) -> None:
    assert "No such file or directory" in _export(shop, words, tmp_path / "none" / "out")[0]


@pytest.mark.parametrize("words", ["jsonl to T", "csv to T", "csv to T by table", "jsonl to T compression gzip"])
def test_a_file_of_text_with_another_number_of_rows_is_not_kept(
    words: str, shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(appended_file.TextFile, "append", _forgetful)
    assert "does not hold what was written" in _export(shop, words, tmp_path / "out")[0]
    assert _names(tmp_path) == []


def _forgetful(file: appended_file.TextFile, _data: bytes, rows: int) -> None:
    file.rows += rows


@pytest.mark.parametrize("format_", ["PARQUET", "ARROW"])
def test_an_arrow_file_with_another_number_of_rows_is_not_kept(
    format_: str, shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = arrow_export.FORMATS[format_]._replace(count_rows=lambda _path: 1)
    monkeypatch.setitem(arrow_export.FORMATS, format_, lost)
    assert "does not hold what was written" in _export(shop, f"{format_.lower()} to T by table", tmp_path / "out")[0]
    assert _names(tmp_path) == []


def test_records_that_are_in_no_file_are_missed() -> None:
    tally, options = ExportTally(), ExportOptions("CSV", Path("/x"))
    tally.selected = 9
    tally.leave_out(170, 2)
    tally.files = [FileTally("first", LAYOUT, 3), FileTally("second", LAYOUT, 4)]
    check_whole(tally, options)
    tally.files.pop()
    check_whole(tally, options._replace(format="SQL"))
    with pytest.raises(CannotWrite) as raised:
        check_whole(tally, options)
    error = raised.value
    assert (error.problem, error.path) == ("the files do not hold every record", Path("/x"))
    assert (error.expected, error.found) == ("7 rows", "3")


def test_the_permissions_are_those_of_a_new_file(shop: Line, tmp_path: Path) -> None:
    mask = os.umask(0o022)
    try:
        _export(shop, "parquet to T by table", tmp_path / "out")
        shop("pos 0")
        _export(shop, "csv to T", tmp_path / "rows")
    finally:
        os.umask(mask)
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o755
    assert {path.stat().st_mode & 0o777 for path in [tmp_path / "rows", *(tmp_path / "out").iterdir()]} == {0o644}


def test_damage_is_stepped_over_and_told(line: Line, tmp_path: Path) -> None:
    path = TRAILS / "gt000000000"
    line(f"open {path}")
    by_columns = _export(line, "parquet to T by table", tmp_path / "columns")
    position = line.session.cursor.next
    line("pos 0")
    by_records = _export(line, "jsonl to T by table", tmp_path / "records")
    assert line.session.cursor.next == position
    told = [text for text in by_columns if "are not exported" in text]
    assert told
    assert told == [text for text in by_records if "are not exported" in text]
    with TrailFile(path) as trail:
        rows = sum(
            not record.is_file_header and not record.is_metadata
            for record in map(trail.record_at, _sound(trail))
            if record
        )
    assert sum(pq.read_metadata(file).num_rows for file in (tmp_path / "columns").iterdir()) == rows


def _sound(trail: TrailFile) -> list[int]:
    return list(trail.sound_rbas(0, trail.size))


def test_a_folder_that_cannot_be_replaced_stays(shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop(f"export csv to {tmp_path / 'out'} by table")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    rename = Path.rename

    def fail_from_part(path: Path, target: Path) -> Path:
        if path.suffix == ".part":
            raise OSError(errno.EIO, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_from_part)
    shop(f"pos 0; filter rectype insert; export csv to {tmp_path / 'out'} by table replace")
    assert "Input/output error" in shop.failures[0].lines[0]
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
