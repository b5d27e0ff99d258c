"""Under ACROSS a trail in several files is saved, exported and repeated as the same records in one file are."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq
import pytest

from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from logdump.session.events import StatementShown
from tests.logdump.line import Line
from tests.logdump.test_across import FLAVOURS, cuts_of, records, split, trail_of
from tests.searching import IS_LONG, Random, in_turn
from tests.simulated.extract import Extract
from tests.simulated.source import Source
from tests.trailformat.samples import row
from tests.trailformat.samples import trail_of as trail_with
from trailformat import Record, TrailFile, TrailWriter
from trailformat.changes.transactions import is_transactional
from trailformat.codec.byte_order import ByteOrder

DEFINED = {"big": ORACLE_12, "little": MYSQL_21}
"""Writers of trails whose files begin with a header and the definitions of their rows."""


def defined_trail(folder: Path, flavour: Flavour, transactions: int = 12) -> Path:
    """A trail of two tables in one file."""
    name, content = _defined(flavour, transactions)
    (folder / name).write_bytes(content)
    return folder / name


@cache
def _defined(flavour: Flavour, transactions: int) -> tuple[str, bytes]:
    random = Random(11)
    source = Source(random, flavour.teas, flavour.sales)
    tables = (flavour.teas, flavour.sales)
    with TemporaryDirectory() as folder:
        extract = Extract(Path(folder), random, roll_chance=0, flavour=flavour, tables=tables, is_headed=True)
        for _ in range(transactions):
            extract.begin()
            changes = source.transaction()
            extract.rows(changes, len(changes))
        extract.close()
        return extract.paths[0].name, extract.paths[0].read_bytes()


def in_files_of(path: Path, size: int, folder: Path) -> list[Path]:
    """The records of a trail in files of at most so many bytes, each with a header and definitions of its own."""
    folder.mkdir()
    with TrailFile(path) as trail, TrailWriter(folder / path.name, max_bytes=size) as writer:
        for record in trail.records():
            writer.write(record)
    return writer.paths


def cut_in_three(path: Path, folder: Path) -> list[Path]:
    """The same in three files."""
    paths = in_files_of(path, path.stat().st_size * 3 // 5, folder)
    assert len(paths) == 3
    return paths


def stands(line: Line) -> tuple[Path, int]:
    """The file and the RBA at which a session stands."""
    return line.session.trail.path, line.session.cursor.next


def rows_of(path: Path) -> list[Record]:
    return [record for record in records(path) if not record.is_file_header and is_transactional(record)]


@pytest.fixture(params=DEFINED)
def whole(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A trail with definitions, in one file."""
    return defined_trail(tmp_path, DEFINED[request.param])


@pytest.fixture
def files(whole: Path, tmp_path: Path) -> list[Path]:
    """The same in three files."""
    return cut_in_three(whole, tmp_path / "parts")


@pytest.mark.parametrize("order", FLAVOURS)
def test_the_same_records_are_saved_wherever_files_end(order: str, line: Line, tmp_path: Path) -> None:
    path = trail_of(order, tmp_path)
    line("across on")
    for number, cuts in enumerate(cuts_of(path)):
        (folder := tmp_path / str(number)).mkdir()
        paths = split(path, cuts, folder)
        line(f"open {paths[0]}; save {folder / 'saved'}")
        assert (folder / "saved").read_bytes() == path.read_bytes(), cuts
        assert stands(line) == (paths[-1], paths[-1].stat().st_size)


def test_the_rows_of_every_file_keep_their_definitions(
    line: Line, whole: Path, files: list[Path], tmp_path: Path
) -> None:
    target = tmp_path / "sv000000007"
    line(f"open {files[0]}; across on; save {target}")
    assert [record.raw for record in rows_of(target)] == [record.raw for record in rows_of(whole)]
    with TrailFile(target) as saved, TrailFile(whole) as before:
        names = [[trail.name_of(record) for record in rows_of(trail.path)] for trail in (saved, before)]
        headers = [record for record in saved.records() if record.is_file_header]
    assert names[0] == names[1]
    assert [record.file_header.get("TrailInfo", "Seqno") for record in headers] == [7]


def test_the_limit_is_one_for_all_files(line: Line, whole: Path, files: list[Path], tmp_path: Path) -> None:
    number = len(rows_of(files[0])) + 3
    line(f"open {files[0]}; across on; filter exclude rectype metadata; save {tmp_path / 'sv000000'} {number} records")
    assert [record.raw for record in rows_of(tmp_path / "sv000000")] == [record.raw for record in rows_of(whole)][
        :number
    ]
    assert line.session.trail.path == files[1]
    line(f"save {tmp_path / 'sv000001'}")
    assert [record.raw for record in rows_of(tmp_path / "sv000001")] == [record.raw for record in rows_of(whole)][
        number:
    ]


def test_a_reference_to_a_definition_means_its_table_behind_an_earlier_file(
    line: Line, trails: Path, tmp_path: Path
) -> None:
    for number, name in enumerate(("et000000000", "rt000000000")):
        (tmp_path / f"zz{number:09}").write_bytes((trails / name).read_bytes())
    line(f"open {tmp_path / 'zz000000000'}; across on; save {tmp_path / 'saved'}")
    assert not line.failures
    expected: list[str] = []
    for number in range(2):
        with TrailFile(tmp_path / f"zz{number:09}") as trail:
            expected += [trail.name_of(record) for record in rows_of(trail.path)]
    with TrailFile(tmp_path / "saved") as trail:
        assert [trail.name_of(record) for record in rows_of(trail.path)] == expected


def _jsonl(path: Path) -> Iterator[dict[str, Any]]:
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _csv(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _parquet(path: Path) -> Iterator[dict[str, Any]]:
    yield from pq.read_table(path).to_pylist()


READERS = {"jsonl": _jsonl, "csv": _csv, "parquet": _parquet}
OF_A_FILE = {"file", "rba", "other_rba", "changed"}
"""What depends on the file in which a record stands, or the other half of its update."""


def _without(value: Any) -> Any:
    """A value of JSON without that."""
    if isinstance(value, dict):
        return {name: _without(member) for name, member in value.items() if name not in OF_A_FILE}
    return list(map(_without, value)) if isinstance(value, list) else value


def _exported(target: Path, format_: str) -> dict[str, list[dict[str, Any]]]:
    """The rows in each file of an export, without what their own file makes different."""
    files = sorted(target.iterdir()) if target.is_dir() else [target]
    return {
        path.name: [
            _without(item)
            for item in READERS[format_](path)
            if item.get("io_type_name") != "Metadata" and item.get("type") != "file_header"
        ]
        for path in files
    }


FORMS = ["jsonl to T", "jsonl to T by table", "csv to T by table", "parquet to T by table"]


@pytest.mark.parametrize(("words", "whole"), in_turn(FORMS, DEFINED), indirect=["whole"])
def test_the_rows_of_all_files_are_exported_to_one_target(
    words: str, line: Line, whole: Path, files: list[Path], tmp_path: Path
) -> None:
    found = []
    for number, path in enumerate((whole, files[0])):
        (target := tmp_path / str(number)).mkdir()
        line(f"across on; open {path}; export {words.replace('T', str(target / 'out'))}")
        assert not line.failures
        found.append(_exported(target / "out", words.split(maxsplit=1)[0]))
    assert found[0] == found[1]
    assert sum(map(len, found[0].values())) > 10
    assert line.session.trail.path == files[-1]


def test_an_export_ends_with_its_limit_in_whatever_file(line: Line, files: list[Path], tmp_path: Path) -> None:
    line(f"across on; filter exclude rectype metadata; open {files[0]}; pos 0; next")
    number = len(rows_of(files[0])) + 2
    line(f"export jsonl to {tmp_path / 'one'} {number} records")
    assert len(list(_jsonl(tmp_path / "one"))) == number
    assert line.session.trail.path == files[1]


def test_the_next_export_of_everything_begins_in_the_first_file_again(
    line: Line, files: list[Path], tmp_path: Path
) -> None:
    line(f"across on; open {files[0]}; export jsonl to {tmp_path / 'one'}; export jsonl to {tmp_path / 'two'}")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def _statements(line: Line) -> list[str | None]:
    return [event.statement.sql for event in line.events if isinstance(event, StatementShown)]


@pytest.mark.parametrize(("command", "whole"), in_turn(["redo", "undo"], DEFINED), indirect=["whole"])
def test_a_script_goes_over_the_files(command: str, line: Line, whole: Path, tmp_path: Path) -> None:
    line(f"open {whole}")
    line(f"{command} 1000 ansi")
    expected, size = _statements(line), whole.stat().st_size
    line("across on")
    for number, part in enumerate(range(size // 6, size * 4 // 5, size // (24 if IS_LONG else 6))):
        paths = in_files_of(whole, part, tmp_path / str(number))
        line(f"open {paths[0]}")
        line(f"{command} 1000 ansi")
        assert _statements(line) == expected
        assert line.session.trail.path == paths[-1]


def test_a_number_of_transactions_ends_a_script_behind_the_last(line: Line, whole: Path, files: list[Path]) -> None:
    line(f"open {whole}; redo 12 ansi")
    line("pos 0")
    line("redo 12 ansi")
    expected = _statements(line)
    line(f"across on; open {files[0]}")
    found: list[str | None] = []
    for _ in range(4):
        line("redo 3 ansi")
        found += _statements(line)
    assert found == expected


def test_export_sql_holds_what_redo_prints(line: Line, files: list[Path], tmp_path: Path) -> None:
    line(f"across on; open {files[0]}; export sql to {tmp_path / 'out'} ansi")
    line(f"open {files[0]}")
    printed = line("redo 1000 ansi")
    script = (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert [text for text in printed if "LogTrail" not in text] == script[-(len(printed) - 2) :]


WRITING = [
    "save T",
    "export jsonl to T",
    "export parquet to T",
    "export csv to T by table",
    "export sql to T",
    "undo 99",
]


@pytest.mark.parametrize(("words", "whole"), in_turn(WRITING, DEFINED), indirect=["whole"])
def test_a_file_that_is_missing_is_named_and_nothing_is_written(
    words: str, line: Line, files: list[Path], tmp_path: Path
) -> None:
    files[1].unlink()
    line(f"across on; open {files[0]}; next 2")
    place = stands(line)
    line(words.replace("T", str(tmp_path / "out")))
    assert [failure.lines[0] for failure in line.failures] == [
        f"{files[1]} is missing. ACROSS GAPS reads on in {files[2].name}."
    ]
    assert stands(line) == place
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("words", "whole"), in_turn(WRITING, DEFINED), indirect=["whole"])
def test_a_file_between_that_is_no_trail_is_an_error_and_nothing_is_written(
    words: str, line: Line, files: list[Path], tmp_path: Path
) -> None:
    files[1].write_bytes(b"no trail")
    line(f"across on; open {files[0]}; next 2")
    place = stands(line)
    line(words.replace("T", str(tmp_path / "out")))
    assert [failure.lines[0].split(":")[0] for failure in line.failures] == ["Error"]
    assert str(files[1]) in line.failures[0].lines[0]
    assert stands(line) == place
    assert not (tmp_path / "out").exists()


def test_redo_tells_what_stands_in_front_of_a_missing_file(line: Line, files: list[Path]) -> None:
    files[1].unlink()
    line(f"across on; open {files[0]}")
    shown = line("redo 99 ansi")
    assert len(_statements(line)) > 2
    assert shown[-1] == f"{files[1]} is missing. ACROSS GAPS reads on in {files[2].name}."


def test_with_gaps_everything_that_is_there_is_written(line: Line, files: list[Path], tmp_path: Path) -> None:
    expected = [record.raw for path in (files[0], files[2]) for record in rows_of(path)]
    files[1].unlink()
    line(f"across gaps; open {files[0]}; save {tmp_path / 'out'}")
    assert [record.raw for record in rows_of(tmp_path / "out")] == expected
    line(f"open {files[0]}; redo 99 ansi")
    assert line.session.trail.path == files[2]


@pytest.mark.parametrize(("words", "whole"), in_turn(WRITING[:5], DEFINED), indirect=["whole"])
def test_an_interrupt_in_a_later_file_leaves_nothing_and_the_position_as_it_was(
    words: str, line: Line, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line(f"across on; open {files[0]}; next 2")
    place = stands(line)
    before = TrailFile.__init__

    def opened(self: TrailFile, path: Path, **given: Any) -> None:
        if path == files[2]:
            raise KeyboardInterrupt
        before(self, path, **given)

    monkeypatch.setattr(TrailFile, "__init__", opened)
    with pytest.raises(KeyboardInterrupt):
        line(words.replace("T", str(tmp_path / "out")))
    assert stands(line) == place
    assert sorted(path.name for path in tmp_path.iterdir()) == ["parts", files[0].name]


@pytest.mark.parametrize("words", ["save T !", "export jsonl to T replace"])
def test_a_file_that_is_read_is_never_written_over(words: str, line: Line, files: list[Path]) -> None:
    before = files[2].read_bytes()
    line(f"across on; open {files[0]}")
    line(words.replace("T", str(files[2])))
    assert line.failures[0].lines[0].startswith(f"{files[2]} is a file of the open trail: ")
    assert files[2].read_bytes() == before


def test_files_of_two_byte_orders_are_not_saved_as_one(line: Line, tmp_path: Path) -> None:
    first, second = (
        trail_with(tmp_path, row(order=order), name=f"tt{number:09}") for number, order in enumerate(ByteOrder)
    )
    line(f"across on; open {first}; save {tmp_path / 'out'}")
    told = "has byte order LITTLE", "has BIG: one file cannot hold both."
    assert line.failures[0].lines == (f"{second} {told[0]}, {first} {told[1]}",)
    assert not (tmp_path / "out").exists()
