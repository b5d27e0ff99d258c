"""POSITION CSN and POSITION TIME: the right file of the trail, and the right record in it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logdump.session import searching
from tests.logdump.line import Line
from tests.searching import Random, examples, in_turn
from tests.trailformat.samples import header, table_record
from trailformat import (
    FileHeader,
    Record,
    TrailFile,
    TrailWriter,
    from_datetime,
    make_file_header,
    make_record,
    make_token,
)
from trailformat.records.file_header import SIGNATURE
from trailformat.records.record_header import FIRST, LAST, ONLY
from trailformat.trail.peek import TrailPeek, peek
from trailformat.trail.time_search import first_that_passes

ORACLE = [str(1000 + 10 * number) for number in range(60)]
MYSQL = [f"{4 + number // 25:021}:{1095 + 300 * (number % 25):015}" for number in range(60)]
POSTGRESQL = [f"00000000/{0x05002818 + 0x80 * number:08X}" for number in range(60)]
SQL_SERVER = [f"{0xD7E:08x}:{0x36B + number:08x}:0001" for number in range(60)]
START = from_datetime(datetime(2024, 3, 14, 9, 30, tzinfo=UTC))
SECOND = 1_000_000


def _head(csns: list[str] | None) -> FileHeader:
    """A file header that tells the first and last CSN of its file, or neither."""
    return _header({"FirstCSN": csns[0], "LastCSN": csns[-1]} if csns else {})


def _header(told: dict[str, str | int]) -> FileHeader:
    return make_file_header({"TrailInfo": {"Signature": SIGNATURE, "FileName": "", "Seqno": 0, **told}})


def write_trail(folder: Path, csns: list[str], *, files: int = 3, with_headers: bool = True) -> list[Path]:
    """Transactions of two records a second apart, in so many files."""
    share = len(csns) // files
    paths = []
    for number in range(files):
        some = csns[number * share : (number + 1) * share]
        path = folder / f"sq{number:09}"
        with TrailWriter(path, file_header=_head(some if with_headers else None)) as writer:
            for at, csn in enumerate(some, number * share):
                time = START + at * SECOND
                tokens = [make_token("L", csn.encode()), make_token("6", b"1.2.%d" % at)]
                writer.write(make_record(header(trans_ind=FIRST, io_time=time), b"", tokens))
                writer.write(make_record(header(trans_ind=LAST, io_time=time)))
        paths.append(path)
    return paths


def place(line: Line) -> tuple[str, str | None, int]:
    """The file, the CSN of the record at the position, and its TransInd."""
    record = line.session.trail.record_at(line.session.cursor.next)
    assert record is not None
    return line.session.trail.path.name, record.csn, record.header.trans_ind


CSNS = {"Oracle": ORACLE, "MySQL": MYSQL, "PostgreSQL": POSTGRESQL, "MSSQL": SQL_SERVER}
WAYS = {
    f"{way}, {headers}": (near, headers == "headers")
    for way, near in (("by reading", 1 << 16), ("by halving", 256))
    for headers in ("headers", "no headers")
}
"""How many bytes are read without halving them, and whether file headers name CSNs."""


@pytest.mark.parametrize(("database", "way"), in_turn(CSNS, WAYS))
def test_every_csn_is_found_in_its_file(
    database: str, way: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    csns, (near, with_headers) = CSNS[database], WAYS[way]
    monkeypatch.setattr("trailformat.trail.time_search._NEAR", near)
    paths = write_trail(tmp_path, csns, with_headers=with_headers)
    line(f"open {paths[1]}")
    for at in (0, 1, 19, 20, 33, 39, 40, 59):
        line(f"pos csn {csns[at]}")
        assert place(line) == (paths[at // 20].name, csns[at], FIRST)


def test_a_csn_between_two_finds_the_later(line: Line, tmp_path: Path) -> None:
    paths = write_trail(tmp_path, ORACLE)
    line(f"open {paths[0]}; pos csn 1195")
    assert place(line) == (paths[1].name, "1200", FIRST)
    line("pos csn 1")
    assert place(line) == (paths[0].name, "1000", FIRST)


def test_a_csn_behind_the_last_is_not_there_and_the_position_stays(line: Line, tmp_path: Path) -> None:
    paths = write_trail(tmp_path, ORACLE)
    line(f"open {paths[1]}; n 3")
    before = line.session.cursor.next
    (said,) = line("pos csn 999999")
    assert said.startswith("No record with CSN >= 999999 in this trail. It goes from CSN 1000 to 1590, ")
    assert (line.session.trail.path, line.session.cursor.next) == (paths[1], before)


def test_a_csn_of_another_database_is_never_reached(line: Line, tmp_path: Path) -> None:
    paths = write_trail(tmp_path, ORACLE)
    said = line(f"open {paths[0]}; pos csn 00000000/05002818")
    assert said[-1].startswith("No record with CSN >= 00000000/05002818 in this trail. It goes from CSN 1000 to 1590, ")
    assert len(line.failures) == 1


def test_what_is_no_csn_is_refused(line: Line, tmp_path: Path) -> None:
    assert "is not a CSN" in line(f"open {write_trail(tmp_path, ORACLE)[0]}; pos csn yesterday")[1]


@pytest.mark.parametrize(
    ("text", "file", "csn"),
    [
        ("2024-03-14 09:30:00", 0, "1000"),
        ("2024-03-14 09:30:20", 1, "1200"),
        ("2024-03-14 09:30:59", 2, "1590"),
        ("2001-01-01", 0, "1000"),
    ],
)
def test_a_time_is_found_in_its_file(text: str, file: int, csn: str, line: Line, tmp_path: Path) -> None:
    paths = write_trail(tmp_path, ORACLE)
    line(f"open {paths[2]}; pos time {text}")
    assert place(line) == (paths[file].name, csn, FIRST)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a time is [[yy]yy-mm-dd] [hh[:mm][:ss]] or ISO 8601, yyyy-mm-ddThh:mm:ss with Z or +hh:mm, not ''."),
        (
            "noon",
            "a time is [[yy]yy-mm-dd] [hh[:mm][:ss]] or ISO 8601, yyyy-mm-ddThh:mm:ss with Z or +hh:mm, not 'noon'.",
        ),
        ("2024-02-30", "'2024-02-30' does not exist: the day is 1 to 29."),
    ],
)
def test_what_is_no_time_is_refused(text: str, why: str, shop: Line) -> None:
    assert (shop(f"pos time {text}")[0], len(shop.failures)) == (f"POSITION: {why}", 1)


def test_the_headers_decide_which_files_are_read(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = write_trail(tmp_path, ORACLE, files=6)
    line(f"open {paths[0]}")
    opened: list[str] = []

    def noted(path: Path) -> TrailFile:
        opened.append(path.name)
        return TrailFile(path)

    monkeypatch.setattr(searching, "TrailFile", noted)
    line("pos csn 1450")
    assert opened == [paths[4].name]


class Drawn(NamedTuple):
    """A transaction of a drawn trail: the file, the RBA of its first record, its CSN, its time in seconds."""

    file: int
    rba: int
    csn: int
    time: int


def drawn_trail(folder: Path, random: Random, tells: list[str]) -> tuple[list[Path], list[Drawn]]:
    """Files of none to four transactions, whose times are often equal, and whose headers tell some of the bounds."""
    paths, transactions, csn, time = list[Path](), list[Drawn](), 1000, 0
    for file in range(random.randint(3, 7)):
        some = []
        for _ in range(random.choice((0, 1, 1, 2, 4))):
            csn, time = csn + random.choice((1, 5)), time + random.choice((0, 0, 1, 3))
            some.append((csn, time))
        told = random.choice(tells).split() if some else []
        bounds: dict[str, str | int] = {}
        for field, (number, second) in (("First", some[0]), ("Last", some[-1])) if some else ():
            bounds |= {f"{field}CSN": str(number)} if f"{field}CSN" in told else {}
            bounds |= {f"{field}IOTime": START + second * SECOND} if f"{field}IOTime" in told else {}
        paths.append(folder / f"sq{file:09}")
        with TrailWriter(paths[-1], file_header=_header(bounds)) as writer:
            for number, second in some:
                if random.random() < 0.3:  # the time of a definition is that of its writing, after that of the rows
                    table = table_record(1, "TEA.LEAVES")
                    writer.write(make_record(table.header._replace(io_time=START + 99 * SECOND), table.data))
                tokens = [make_token("L", str(number).encode()), make_token("6", b"1.2.%d" % number)]
                writer.write(make_record(header(trans_ind=ONLY, io_time=START + second * SECOND), b"", tokens))
        with TrailFile(paths[-1]) as trail:
            rbas = [record.rba for record in trail.records() if not record.is_file_header and not record.is_metadata]
        transactions += [Drawn(file, rba, *numbers) for rba, numbers in zip(rbas, some, strict=True)]
    return paths, transactions


ALL_BOUNDS = "FirstCSN LastCSN FirstIOTime LastIOTime"
TELLS = [ALL_BOUNDS, ALL_BOUNDS, "FirstCSN FirstIOTime", "LastCSN LastIOTime", "FirstCSN", "FirstIOTime", ""]
"""What the header of a file tells: all of a closed file, the beginning of an open one, or less."""


@pytest.mark.parametrize("case", range(examples(24)))
def test_whatever_the_headers_tell_it_is_the_first_at_or_after_the_goal(case: int, line: Line, tmp_path: Path) -> None:
    random = Random(case)
    paths, transactions = drawn_trail(tmp_path, random, TELLS)
    line(f"open {random.choice(paths)}; timeoffset gmt")
    last = transactions[-1] if transactions else Drawn(0, 0, 1000, 0)
    goals = [(f"csn {csn}", csn, 0) for csn in range(1000, last.csn + 2)]
    goals += [(f"time 2024-03-14 09:30:{second:02}", 0, second) for second in range(last.time + 2)]
    for goal, csn, time in random.sample(goals, min(8, len(goals))):
        expected = next((drawn for drawn in transactions if drawn.csn >= csn and drawn.time >= time), None)
        line(f"pos {goal}")
        if expected is None:
            assert len(line.failures) == 1, goal
        else:
            assert (line.session.trail.path, line.session.cursor.next) == (paths[expected.file], expected.rba), goal


@pytest.mark.parametrize("case", range(examples(16)))
def test_where_all_headers_tell_their_bounds_one_file_is_read(
    case: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the next files have no row and their headers tell nothing."""
    random = Random(case)
    paths, transactions = drawn_trail(tmp_path, random, [ALL_BOUNDS])
    read: list[Path] = []

    def noted(trail: TrailFile, *rest: Any) -> Record | None:
        read.append(trail.path)
        return first_that_passes(trail, *rest)

    monkeypatch.setattr(searching, "first_that_passes", noted)
    line(f"open {paths[0]}")
    for expected in random.sample(transactions, min(4, len(transactions))):
        read.clear()
        line(f"pos csn {expected.csn}")
        assert [path for path in read if any(paths[drawn.file] == path for drawn in transactions)] == [
            paths[expected.file]
        ]


@pytest.mark.parametrize("wanted", [0, 1, 29, 30, 58, 59])
def test_few_headers_are_read_to_find_the_file(
    wanted: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, looked_at = write_trail(tmp_path, ORACLE, files=60), list[Path]()
    line(f"open {paths[0]}")

    def noted(path: Path) -> TrailPeek | None:
        looked_at.append(path)
        return peek(path)

    monkeypatch.setattr(searching, "peek", noted)
    line(f"pos csn {ORACLE[wanted]}")
    assert place(line)[0] == paths[wanted].name
    nearest = [path for path in looked_at if abs(paths.index(path) - wanted) <= 1]
    assert len(looked_at) - len(nearest) <= len(bin(len(paths)))


def test_a_file_that_is_no_trail_yet_is_passed_over(line: Line, tmp_path: Path) -> None:
    paths = write_trail(tmp_path, ORACLE)
    (tmp_path / "sq000000003").write_bytes(b"")
    line(f"open {paths[0]}; pos csn 1590")
    assert place(line)[0] == paths[2].name


def test_a_file_without_a_sequence_number_stands_alone(line: Line, tmp_path: Path) -> None:
    path = write_trail(tmp_path, ORACLE)[1].rename(tmp_path / "copy")
    line(f"open {path}; pos csn 1000")
    assert place(line) == ("copy", "1200", FIRST)


def test_reading_goes_forward_from_there(line: Line, tmp_path: Path) -> None:
    paths = write_trail(tmp_path, ORACLE)
    said = line(f"open {paths[0]}; pos reverse; pos csn 1200")
    assert said[-2] == f"Current LogTrail is {paths[1]}"
    assert said[-1].startswith("Reading forward from RBA ")
