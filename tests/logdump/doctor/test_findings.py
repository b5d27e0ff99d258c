"""DOCTOR: the findings of a trail in which something of each kind is wrong, written by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.text import Severity
from logdump.features.check import command as check
from logdump.features.check.model import BadRowShown
from logdump.features.doctor import command as doctor
from logdump.features.doctor.findings_scan import FindingsScan
from logdump.features.doctor.images import ImageSurvey
from logdump.features.doctor.model import DoctorShown
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.trailformat.samples import IO_TIME, row, table_record, trail_of
from trailformat import Record, TrailFile, make_file_header_record, make_record, make_token
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record_header import COMPRESSED, FIELD_COMP, FIRST, LAST, ONLY, RESTART_ABEND
from trailformat.scan import scan
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition

HOUR = 3_600_000_000
GARBAGE = b"no record at all, but bytes " * 4
MARKER = row(b"", io_type=RESTART_ABEND)
DAMAGE, WARNING, NOTE = Severity.DAMAGE, Severity.WARNING, Severity.NOTE
LEFT_OPEN = "not closed by its writer, although a later file exists: a reader may wait at its end"


def _head(**values: Value) -> Record:
    with TrailFile(TRAILS / "at000000000") as trail:
        own = trail.file_header
    assert own is not None
    return make_file_header_record(replace_values(own, "MachineInfo", values))


def _begun(
    csn: str, kind: int = FIRST, name: str | int = "TEA.LEAVES", text: bytes = b"leaf", hours: int = 0
) -> Record:
    """The first record of a transaction, which is whole if ``kind`` is ONLY."""
    first = row(text, name, trans_ind=kind, io_time=IO_TIME + hours * HOUR)
    return make_record(first.header, first.data, [make_token("L", csn.encode()), make_token("6", f"1.{csn}".encode())])


def _whole(csn: str, name: str | int = "TEA.LEAVES", text: bytes = b"leaf", hours: int = 0) -> Record:
    return _begun(csn, ONLY, name, text, hours)


def _file(folder: Path, number: int, *records: Record | bytes) -> Path:
    return trail_of(folder, *records, name=f"tt{number:09}")


def _at(*records: Record | bytes) -> int:
    """The RBA behind these."""
    return sum(len(record.raw if isinstance(record, Record) else record) for record in records)


def _examined(line: Line, folder: Path) -> DoctorShown:
    line(f'doctor "{folder}/tt*"')
    (shown,) = (event for event in line.events if isinstance(event, DoctorShown))
    return shown


def test_each_finding_has_its_severity_and_its_place_and_the_most_severe_come_first(line: Line, tmp_path: Path) -> None:
    a, b = _head(Nodename="a"), _head(Nodename="b")
    last = row(trans_ind=LAST)
    first: list[Record | bytes] = [a, _whole("10"), _begun("20"), MARKER, _whole("30")]
    second: list[Record | bytes] = [b, _whole("30"), _begun("40"), MARKER, _begun("40"), last, GARBAGE, _whole("35")]
    third: list[Record | bytes] = [b, _whole("50"), _begun("60")]
    for number, records in ((0, first), (1, second), (3, third)):
        _file(tmp_path, number, *records)
    shown = _examined(line, tmp_path)
    findings = [
        (
            finding.severity,
            finding.text,
            finding.position and (int(finding.position.path.name[2:]), finding.position.rba),
        )
        for finding in shown.findings
    ]
    assert findings == [
        (DAMAGE, f"damage, {len(GARBAGE)} bytes: no record starts here", (1, _at(*second[:6]))),
        (DAMAGE, "missing: tt000000002", (3, 0)),
        (WARNING, "cut: transaction 1.20, CSN 20, 1 record; no whole copy follows", (0, _at(*first[:2]))),
        (WARNING, "twice: transaction 1.30, CSN 30", (1, _at(b))),
        (WARNING, "CSN 35 after 40: 1 transaction out of order", (1, _at(*second[:7]))),
        (NOTE, LEFT_OPEN, (0, 0)),
        (NOTE, LEFT_OPEN, (1, 0)),
        (NOTE, "open at the end: transaction 1.60, CSN 60, 1 record", (3, _at(*third[:2]))),
        (NOTE, "Extract abended and was restarted", (0, _at(*first[:3]))),
        (NOTE, "Extract was restarted into a new file", (1, 0)),
        (NOTE, "Extract abended and was restarted", (1, _at(*second[:3]))),
        (NOTE, "cut: transaction 1.40, CSN 40, 1 record; a whole copy follows", (1, _at(*second[:2]))),
        (NOTE, "Extract was restarted into a new file", (3, 0)),
        (NOTE, "MachineInfo.Nodename changes from a to b", (1, 0)),
    ]
    assert shown.status is ExitStatus.BAD_DATA
    assert shown.recovery is not None
    assert shown.check is not None
    assert shown.check.states == (shown.recovery.state,)
    assert (shown.growth.size, shown.growth.first) == (_at(*first) + _at(*second) + _at(*third), IO_TIME)


@pytest.mark.parametrize(
    ("records", "status"),
    [
        ([_whole("10"), _whole("20")], ExitStatus.OK),
        ([_begun("10"), MARKER, _begun("10"), row(trans_ind=LAST)], ExitStatus.OK),
        ([_begun("10"), MARKER, _whole("20")], ExitStatus.FINDINGS),
        ([_whole("20"), _whole("10")], ExitStatus.FINDINGS),
        ([_whole("10"), _whole("10")], ExitStatus.FINDINGS),
        ([_whole("20"), _whole("10"), GARBAGE, _whole("30")], ExitStatus.BAD_DATA),
    ],
)
def test_the_status_is_that_of_the_most_severe_finding(
    records: list[Record | bytes], status: ExitStatus, line: Line, tmp_path: Path
) -> None:
    _file(tmp_path, 0, *records)
    assert _examined(line, tmp_path).status is status


@pytest.mark.parametrize("most", range(5))
def test_so_many_bad_rows_and_definitions_are_findings_and_the_others_are_counted(
    most: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows and definitions in any order, of which up to two of each hold bytes that are neither columns nor tokens."""
    monkeypatch.setattr(doctor, "MOST_BAD", most)
    random = Random(f"bad {most}")
    monkeypatch.setattr(check, "_TOGETHER", random.choice((1, 2, 100)))
    good, definition = row(trans_ind=ONLY), table_record(1, "TEA.LEAVES")
    bad = [make_record(good.header, b"leaf")] * random.choice((0, 1, 2, 2))
    bad += [make_record(definition.header, b"no token")] * random.choice((0, 1, 2, 2))
    records = random.sample([good, good, definition, *bad], 3 + len(bad))
    path = _file(tmp_path, 0, *records)
    places = [_at(*records[:number]) for number, record in enumerate(records) if record in bad]
    findings = [finding for finding in _examined(line, tmp_path).findings if finding.severity is DAMAGE]
    spots = [finding.position for finding in findings if finding.position is not None]
    assert spots == [FilePosition(path, rba) for rba in places[:most]]
    more = len(places) - most
    shown = [(finding.text, finding.counts) for finding in findings[len(spots) :]]
    assert shown == ([(f"{more} more bad row{'s' * (more > 1)}", (("bad rows", more),))] if more > 0 else [])
    assert not any(isinstance(event, BadRowShown) for event in line.events)


@pytest.mark.parametrize("large", [{0}, {1}, {2}, {0, 1}, {0, 2}])
def test_the_largest_hour_is_the_last_one_with_the_most_bytes(large: set[int], line: Line, tmp_path: Path) -> None:
    """One or two of three hours, each in a file of its own."""
    largest = max(large)
    for number in range(3):
        text = b"a long leaf" if number in large else b"leaf"
        _file(tmp_path, number, _whole(f"1{number}", text=text, hours=number))
    (start, data_bytes) = _examined(line, tmp_path).growth.largest_hour or (0, 0)
    assert start <= IO_TIME + largest * HOUR < start + HOUR
    assert data_bytes == len(row(b"a long leaf").data)


def test_tables_have_their_partitions_added_up_and_the_one_with_the_most_bytes_is_first(
    line: Line, tmp_path: Path
) -> None:
    """Rows of one table in two partitions, less than those of a second and more than those of a third."""
    names = {"TEA.CUPS": b"cup", "TEA.LEAVES": b"leaf", "TEA.POTS": b"a pot of tea"}
    rows = [row(text, name, trans_ind=ONLY) for name, text in names.items()]
    other = row(b"leaf", "TEA.LEAVES", trans_ind=ONLY, partition=COMPRESSED | 0x40)
    _file(tmp_path, 0, *rows, other, other, table_record(4, "TEA.BAGS"))
    tables = [(name, totals.records, totals.data_bytes) for name, totals in _examined(line, tmp_path).tables]
    cups, leaves, pots = (len(record.data) for record in rows)
    expected = [("TEA.LEAVES", 3, 3 * leaves), ("TEA.POTS", 1, pots), ("TEA.CUPS", 1, cups)]
    assert tables == sorted(expected, key=lambda item: -item[2])


@pytest.mark.parametrize("restarted", [0, 1, 2])
def test_a_reader_needs_the_files_from_the_last_restart_on(restarted: int, line: Line, tmp_path: Path) -> None:
    """Of three files the one has a restart behind its transaction, and so have those before it."""
    for number in range(3):
        _file(tmp_path, number, _whole(f"1{number}"), *([MARKER] if number <= restarted else []), _whole(f"2{number}"))
    shown = _examined(line, tmp_path)
    assert [file.keeps for file in shown.files] == [number >= restarted for number in range(3)]
    assert shown.keep is not None
    assert len(shown.keep.free) == restarted


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("lone", [(), (0,), (1,), (2,), (0, 1, 2)])
def test_a_before_image_is_lone_once_wherever_a_batch_ends(lone: tuple[int, ...], size: int, tmp_path: Path) -> None:
    """Three updates in two records each; of those in ``lone`` the second is not there."""
    first = row(trans_ind=FIRST, io_type=FIELD_COMP, before_after=ord("B"))
    second = row(trans_ind=LAST, io_type=FIELD_COMP, before_after=ord("A"))
    other = row(trans_ind=ONLY)
    pairs = [[first, *([second] if number not in lone else []), other, other] for number in range(3)]
    path = _file(tmp_path, 0, *(record for pair in pairs for record in pair))
    with TrailFile(path) as trail:
        images = ImageSurvey(RowDefinitions)
        for batch in scan(trail, batch_size=size):
            images.take(trail, batch)
    places = [FilePosition(path, _at(*(record for pair in pairs[:number] for record in pair))) for number in lone]
    assert (images.lone_number, images.lone) == (len(lone), places)


@pytest.mark.parametrize("kinds", [*product(("whole", "half"), repeat=3)])
def test_half_a_record_is_damage_in_each_file_but_the_last(kinds: tuple[str, ...], line: Line, tmp_path: Path) -> None:
    """The last one may go on: that is a note. In damage elsewhere nothing is taken for it."""
    half = _whole("99").raw[:-7]
    files: list[list[Record | bytes]] = [
        [_whole(f"{number}0"), GARBAGE, _whole(f"{number}5"), *([half] if kind == "half" else [])]
        for number, kind in enumerate(kinds, 1)
    ]
    paths = [_file(tmp_path, number, *records) for number, records in enumerate(files)]
    ends = [FilePosition(path, _at(*records[:3])) for path, records in zip(paths, files, strict=True)]
    damage = [FilePosition(path, _at(records[0])) for path, records in zip(paths, files, strict=True)]
    damage += [end for end, kind in zip(ends[:-1], kinds, strict=False) if kind == "half"]
    shown = _examined(line, tmp_path)
    told = [finding.position for finding in shown.findings if finding.severity is DAMAGE]
    assert sorted(told, key=str) == sorted(damage, key=str)
    goes_on = [finding.position for finding in shown.findings if finding.text.startswith("the last record is incompl")]
    assert goes_on == ([ends[-1]] if kinds[-1] == "half" else [])


@pytest.mark.parametrize("seed", range(examples(16)))
def test_a_run_for_the_screen_that_is_stopped_is_begun_again_and_one_that_is_whole_is_not(
    seed: int, line: Line, tmp_path: Path
) -> None:
    """It is stopped at any steps, again and again; once it is whole, only a file that grows begins another."""
    random, found = Random(f"stopped {seed}"), FindingsScan()
    damage = [_at(*[row()] * number) for number in (1, 2, 3)]
    paths = [_file(tmp_path, number, *[row()] * (number + 1), GARBAGE, row(), row()) for number in range(3)]
    expected = [FilePosition(path, rba) for path, rba in zip(paths, damage, strict=True)]
    line(f"open {random.choice(paths)}; notify 1")
    steps = len(list(FindingsScan().extend(line.session)))
    for stop in random.sample(range(1, steps), 3):
        run = found.extend(line.session)
        for _ in range(stop):
            next(run)
        run.close()
        assert found.found is not None
        assert not found.found.is_whole
    for grows in (False, True):
        if grows:
            expected.append(FilePosition(paths[2], paths[2].stat().st_size))
            _file(tmp_path, 2, paths[2].read_bytes(), GARBAGE, row())
        assert list(found.extend(line.session))
        assert found.found is not None
        assert found.found.is_whole
        assert [finding.position for finding in found.found.findings if finding.severity is DAMAGE] == expected
        assert not list(found.extend(line.session))
