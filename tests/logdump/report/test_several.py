"""REPORT with more records, tables and series than one."""

from __future__ import annotations

import re
from itertools import accumulate, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from logdump.display.text import Severity
from logdump.features.check.model import GapShown
from logdump.features.doctor.model import Finding
from logdump.features.recovery.model import BeginMissingShown, CutShown, RestartShown, TransactionRef
from logdump.features.report import parts, place
from logdump.features.report.chart import legend, svg_lines, text_lines
from logdump.features.report.model import ReportChart, ReportLines, ReportSeries, ReportTable
from logdump.notation.text import amount, escape
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.searching import Random, examples
from tests.trailformat.samples import IO_TIME, row, table_record, trail_of
from trailformat import TrailError
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Ended

if TYPE_CHECKING:
    from logdump.features.doctor.model import DoctorShown
    from logdump.features.recovery.model import SecondCopy


def _section(line: Line, folder: Path, title: str, words: str = "") -> list[str]:
    path = folder / "page.md"
    line(f"report {words} to {path} replace")
    assert line.failures == []
    (section,) = (part for part in path.read_text(encoding="utf-8").split("\n## ") if part.startswith(title))
    return section.splitlines()


@pytest.mark.parametrize("most", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("definition", [0, 1, 2, 3])
def test_the_records_of_a_transaction_that_are_not_listed_are_counted(
    definition: int, most: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four records, before one of which (or before all) there is a definition; others come before and behind."""
    monkeypatch.setattr(place, "MOST_RECORDS", most)
    own = [row(trans_ind=mark) for mark in (FIRST, MIDDLE, MIDDLE, LAST)]
    other, bags = row(trans_ind=ONLY), table_record(4, "TEA.BAGS")
    records = [other, *own[:definition], bags, *own[definition:]]
    begins = list(accumulate((record.length for record in records), initial=0))
    places = [begin for begin, record in zip(begins, records, strict=False) if record not in (other, bags)]
    line(f"open {trail_of(tmp_path, *records, other, name='tt000000000')}")
    lines = _section(line, tmp_path, "The transaction", f"at {places[-1]}")
    listed = [int(text.split()[0]) for text in lines if text.strip() and text.split()[0].isdigit()]
    assert listed == places[:most]
    assert (f"… {amount(4 - most, 'more record')}" in lines) is (most < 4)
    assert any("more record" in text for text in lines) is (most < 4)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@pytest.mark.parametrize("order", list(permutations((1, 20, 40))))
def test_the_largest_tables_are_listed_and_the_others_counted(
    order: tuple[int, ...], most: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "MOST_TABLES", most)
    records = [row(b"x" * size, f"TEA.T{size}", trans_ind=ONLY) for size in order]
    line(f"open {trail_of(tmp_path, *records, name='tt000000000')}")
    section = "\n".join(_section(line, tmp_path, "Tables and operations"))
    assert re.findall(r"TEA\.T(\d+)", section) == ["40", "20", "1"][:most]
    assert (f"… {3 - most} more tables" in section) is (most < 3)


SERIES = (((20, 5.0), (30, 9.0)), ((10, 4.0), (25, 40.0)), ((15, 1.0), (50, 8.0)))


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("interval", [0, 10])
def test_a_chart_reaches_from_the_earliest_to_the_latest_point_of_all_its_series(
    interval: int, order: tuple[int, ...]
) -> None:
    """The drawing is 680 wide from 70 on, and 146 high down to 156; the greatest value is at its top."""
    second = 1_000_000
    series = tuple(
        ReportSeries(escape(f"S{at}"), tuple((time * second, value) for time, value in SERIES[at])) for at in order
    )
    chart = ReportChart("Lag", "seconds", series, interval * second)
    svg = "\n".join(svg_lines(chart))
    name, x, y = ("rect", "x", "y") if interval else ("circle", "cx", "cy")
    drawn = [(float(left), float(top)) for left, top in re.findall(rf'<{name} {x}="([\d.]+)" {y}="([\d.]+)"', svg)]
    points = [point for at in order for point in SERIES[at]]
    assert drawn == [
        pytest.approx((70 + (time - 10) / (40 + interval) * 680, 10 + (1 - value / 40) * 146), abs=0.06)
        for time, value in points
    ]
    assert legend(chart) == [f"S{at}" for at in order]
    bars = [text for text in text_lines(chart) if "  " in text]
    assert [text.count("█") for text in bars] == [round(value) for _, value in points]


@pytest.mark.parametrize("cuts", [(1, 2), (2, 3), (1, 5)])
def test_what_happened_over_time_is_that_of_all_files(cuts: tuple[int, int], line: Line, tmp_path: Path) -> None:
    """Six records of three minutes, the file in the middle being neither the first nor the largest in time."""
    minutes = [0, 2, 1, 1, 0, 2]
    records = [
        row(b"x" * 9 * (at + 1), trans_ind=ONLY, io_time=IO_TIME + minute * 60_000_000)
        for at, minute in enumerate(minutes)
    ]
    whole = trail_of(tmp_path, *records, name="ww000000000")
    first, second = cuts
    for number, part in enumerate((records[:first], records[first:second], records[second:])):
        trail_of(tmp_path, *part, name=f"tt{number:09}")
    line(f"open {whole}")
    expected = _section(line, tmp_path, "Over time")
    assert _section(line, tmp_path, "Over time", f'over "{tmp_path}/tt*"') == expected


def test_parameters_in_use_that_would_change_an_answer_are_named_as_by_the_command(line: Line, tmp_path: Path) -> None:
    parameters = tmp_path / "ext.prm"
    parameters.write_text(
        "EXTRACT EXT\nRECOVERYOPTIONS OVERWRITEMODE\nEXTTRAIL dirdat/tt\nTABLE TEA.*;\n", encoding="utf-8"
    )
    path = trail_of(tmp_path, row(trans_ind=ONLY))
    named = [said for said in line(f"params {parameters}; open {path}; recovery") if "RECOVERYOPTIONS" in said]
    assert named
    assert [said for said in _section(line, tmp_path, "Restarts") if "RECOVERYOPTIONS" in said] == named
    other = Line()
    other(f"open {path}")
    assert not [said for said in _section(other, tmp_path, "Restarts") if "RECOVERYOPTIONS" in said]


_WHERE = Path("tt000000000")


def _cut(rba: int) -> TransactionRef:
    return TransactionRef("10", "1.1", FilePosition(_WHERE, rba), None, 1, 1, Ended.CUT)


_COPY = cast("SecondCopy", object())
_EVENTS = {
    "gap": GapShown(_WHERE, 500, 9, None, TrailError("damage")),
    "half": GapShown(_WHERE, 700, 9, None, TrailError("half")),
    "cut with a copy": CutShown(_cut(100), _COPY),
    "restart": RestartShown(FilePosition(_WHERE, 150), "ok", None, None, None),
    "restart with a copy": RestartShown(FilePosition(_WHERE, 250), "abend", None, None, None, _cut(200), _COPY),
    "cut": CutShown(_cut(300)),
    "restart that cut": RestartShown(FilePosition(_WHERE, 450), "abend", None, None, None, _cut(400)),
    "begin missing": BeginMissingShown(FilePosition(_WHERE, 350), _cut(350)),
}
_LOSSES = {"cut": 300, "restart that cut": 400, "begin missing": 350}


@pytest.mark.parametrize("case", range(examples(160, short=40)))
def test_what_is_lost_first_is_damage_or_what_has_no_whole_copy(case: int) -> None:
    """The half record at the end of the trail is no loss."""
    random = Random(case)
    names = random.sample([*_EVENTS], random.randint(0, len(_EVENTS)))
    shown = cast("DoctorShown", SimpleNamespace(half_record=FilePosition(_WHERE, 700)))
    found = parts.first_loss([_EVENTS[name] for name in names], shown)
    losses = [500] if "gap" in names else [_LOSSES[name] for name in names if name in _LOSSES]
    assert found == (FilePosition(_WHERE, losses[0]) if losses else None)


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_the_findings_that_are_not_listed_are_counted(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_FINDINGS", most)
    found = [Finding(Severity.WARNING, f"finding {number}", None, "CHECK") for number in range(3)]
    table, *more = parts.findings(found)
    assert isinstance(table, ReportTable)
    assert [row[2] for row in table.rows] == [f"finding {number}" for number in range(min(most, 3))]
    assert more == [ReportLines((escape(f"… {3 - most} more findings"),))] * (most < 3)


_WARNING = Finding(Severity.WARNING, "old data", None, "CHECK")
_HALF = FilePosition(_WHERE, 700)


@pytest.mark.parametrize(
    ("findings", "half", "status", "text", "severity"),
    [
        ((), None, 0, "No damage, no problem.", None),
        ((_WARNING._replace(severity=Severity.NOTE),), None, 0, "No damage, no problem; 1 note.", None),
        ((), None, 4, "The place asked for is damaged. (exit status 4)", Severity.NOTE),
        ((), _HALF, 0, "No damage; the last record is not complete yet: its writer may be writing it.", None),
        ((_WARNING,), _HALF, 3, "Warning: old data. (exit status 3)", Severity.WARNING),
        ((_WARNING, _WARNING), None, 3, "Warning: old data. 1 other problem below. (exit status 3)", Severity.WARNING),
    ],
)
def test_the_result_names_the_heaviest_and_counts_the_others(
    findings: tuple[Finding, ...], half: FilePosition | None, status: int, text: str, severity: Severity | None
) -> None:
    shown = cast("DoctorShown", SimpleNamespace(findings=findings, half_record=half))
    verdict = parts.verdict(shown, [], ExitStatus(status))
    assert (str(verdict.sentence), verdict.severity) == (text, severity)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_in_a_record_the_advice_is_about_the_one_after_it(number: int, line: Line, tmp_path: Path) -> None:
    record = row(trans_ind=ONLY)
    line(f"open {trail_of(tmp_path, record, record, record, record)}")
    advice = place.restart_at(line.session, number * record.length - 5)
    assert advice.is_damaged
    assert advice.extent is not None
    assert advice.extent.begin is not None
    assert advice.extent.begin.rba == number * record.length
