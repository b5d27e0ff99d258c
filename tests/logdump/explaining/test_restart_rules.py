"""EXPLAIN RESTART: each rule on a trail that an Extract has left so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fixtures.flavour import ORACLE_12
from logdump.features.bounded_recovery.model import BrRestartShown
from logdump.features.explain.model import Explained, When
from logdump.features.explain.restart import RULES
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.searching import Random
from tests.simulated.bounded_recovery import BEGUN, HOUR, Worked, iso, write_trail
from tests.simulated.recovery import Kill, RecoveringExtract
from tests.simulated.source import Source
from tests.simulated.trail_faults import Faulty
from trailformat.records.record_header import FIRST, MIDDLE, RESTART_ABEND


def explained(line: Line, command: str) -> Explained:
    line(command)
    return next(event for event in line.events if isinstance(event, Explained))


def events(line: Line, command: str) -> list[object]:
    line(command)
    return list(line.events)


class Left(RecoveringExtract):
    """An Extract that has written three transactions, of which it can repeat the last, or lose a fourth."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Random(7), ORACLE_12, roll_chance=0)
        self.source = Source(Random(7), ORACLE_12.teas)
        self.done = [self.source.transaction() for _ in range(3)]
        for changes in self.done:
            self.whole(changes)

    def opened(self, line: Line) -> Line:
        """A session in which its trail is open."""
        self.close()
        line(f"open {self.paths[-1]}")
        return line


def test_between_two_transactions_a_restart_is_safe(line: Line, tmp_path: Path) -> None:
    shown = explained(Left(tmp_path).opened(line), "explain restart")
    assert shown.verdict.rule == "safe"


def test_a_cut_transaction_that_does_not_come_again_is_not_safe_for_certain(line: Line, tmp_path: Path) -> None:
    extract = Left(tmp_path)
    extract.begin()
    extract.fail(extract.source.transaction() * 2, Kill(1, rolls=False, marker=RESTART_ABEND))
    extract.whole(extract.source.transaction())
    shown = explained(extract.opened(line), "explain restart")
    assert shown.verdict.rule == "lost"
    assert "1 transaction cut by a restart of Extract without a whole copy" in str(shown.verdict.text[0])


def test_whole_transactions_that_come_again_are_safe_unless_duplicates_are_not_filtered(
    line: Line, tmp_path: Path
) -> None:
    extract = Left(tmp_path)
    extract.whole(extract.done[-1], 3)
    shown = explained(extract.opened(line), "explain restart")
    assert shown.verdict.rule == "twice"
    assert "NOFILTERDUPTRANSACTIONS" in str(shown.verdict.text[0])


def test_inside_a_transaction_its_begin_and_what_is_behind_it_are_named(line: Line, trails: Path) -> None:
    line(f"open {trails / 'et000000000'}")
    records = [
        record for record in line.session.trail.records() if not record.is_file_header and not record.is_metadata
    ]
    first, inside = (
        next(record for record in records if record.header.trans_ind == which) for which in (FIRST, MIDDLE)
    )
    shown = explained(line, f"explain restart at 0 {inside.rba}")
    assert shown.verdict.rule == "inside"
    assert f"after 1 of its records; begin at RBA {first.rba} of et000000000" in str(shown.verdict.text[0])


def test_damage_stops_a_replicat(line: Line, trails: Path) -> None:
    assert explained(line, f"open {trails / 'gt000000000'}; explain restart").verdict.rule == "damaged"


def test_a_file_that_lacks_its_end_is_not_safe_for_certain(line: Line, tmp_path: Path) -> None:
    Faulty(tmp_path, Random(2), ["none", "short", "longer", "none"])
    shown = explained(line, f"open {tmp_path / 'ff000000000'}; explain restart")
    assert (shown.verdict.rule, shown.status) == ("short", ExitStatus.BAD_DATA)
    assert "ff000000001 is not as its header says" in str(shown.verdict.text[0])
    places = [part.positions[0].path.name for part in shown.parts if "of the header is" in str(part.text[0])]
    assert places == ["ff000000001"] * 2 + ["ff000000002"] * 2


def test_transactions_without_their_beginning_are_not_safe_for_certain(line: Line, tmp_path: Path) -> None:
    Faulty(tmp_path, Random(2), ["none", "headless", "headless", "none"])
    shown = explained(line, f"open {tmp_path / 'ff000000000'}; explain restart")
    assert (shown.verdict.rule, shown.status) == ("begin_missing", ExitStatus.OK)
    (places,) = [part.positions for part in shown.parts if part.text[0] == "Without their beginning"]
    assert [place.path.name for place in places] == ["ff000000001", "ff000000002"]


def test_missing_files_are_named(line: Line, tmp_path: Path) -> None:
    Faulty(tmp_path, Random(2), ["none", "missing", "none", "missing", "missing", "none"])
    shown = explained(line, f"open {tmp_path / 'ff000000000'}; explain restart")
    missing = [str(part.text[0]) for part in shown.parts if "Missing" in str(part.text[0])]
    assert missing == [
        f"Missing: {tmp_path}/ff000000001, before ff000000002",
        f"Missing: {tmp_path}/ff000000003 to ff000000004, before ff000000005",
    ]


def test_where_nothing_is_whole_there_is_no_place(line: Line, trails: Path) -> None:
    assert explained(line, f"open {trails / 'ht000000000'}; explain restart").verdict.rule == "nothing_whole"


def test_the_rules_are_those_of_these_tests() -> None:
    tested = {"safe", "lost", "twice", "inside", "short", "begin_missing", "damaged", "nothing_whole"}
    assert {rule.name for rule in RULES} == tested


@pytest.fixture
def open_for_long(line: Line, tmp_path: Path) -> Line:
    """A session with the trail of a transaction that is open for nine hours."""
    short = [Worked(10 + number, (number * HOUR // 2,), number * HOUR // 2) for number in range(20)]
    path = write_trail(tmp_path / "br000000000", [Worked(2, (HOUR, 2 * HOUR), 10 * HOUR), *short], created=0)
    line(f"open {path}")
    return line


def test_extract_reads_from_where_bounded_recovery_has_it(open_for_long: Line) -> None:
    shown = explained(open_for_long, f"explain restart at {iso(9 * HOUR)}")
    lines = {part.text[0]: part.text[1] for part in shown.parts if str(part.text[0]).startswith("Extract")}
    assert lines == {
        "Extract, with BR: redo from ": When(BEGUN + 8 * HOUR),
        "Extract, without BR: redo from ": When(BEGUN + HOUR),
    }


def test_the_redo_log_is_named_by_sequence_and_position(open_for_long: Line) -> None:
    """As BR names it, for each way of recovery."""
    (restart,) = [
        event for event in events(open_for_long, f"br restart {iso(9 * HOUR)}") if isinstance(event, BrRestartShown)
    ]
    shown = explained(open_for_long, f"explain restart at {iso(9 * HOUR)}")
    places = [part.text[2] for part in shown.parts if str(part.text[0]).startswith("Extract, ")]
    assert restart.with_br.start.place != restart.without_br.start.place
    assert places == [
        f", log sequence {place.log}, position {place.position}"
        for place in (restart.with_br.start.place, restart.without_br.start.place)
        if place is not None
    ]
    assert len(places) == 2


def test_a_place_is_given_by_file_and_rba_or_by_csn(open_for_long: Line) -> None:
    second = [record.rba for record in open_for_long.session.trail.records() if not record.is_file_header][3]
    by_csn = explained(open_for_long, "explain restart at csn 41882317")
    by_rba = explained(open_for_long, f"explain restart at 0 {second}")
    assert by_csn.parts[0] == by_rba.parts[0]
    assert by_rba.parts[0].positions[0].rba == second


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("at 7 0", "No file of this trail has the number 7."),
        ("at csn tea", "'tea' is not a CSN."),
        ("at csn 99999999", "No transaction with CSN >= 99999999."),
        ("at 0 2300", r"Bad record found at RBA 2300: position is inside a record, expected 2\d\d\d or 2\d\d\d$"),
        ("at sometime", re.escape("EXPLAIN: AT: a time is [[yy]yy-mm-dd] [hh[:mm][:ss]] or ISO 8601, ")),
    ],
)
def test_a_place_that_is_not_there_is_refused(wrong: str, why: str, open_for_long: Line) -> None:
    assert re.match(why, open_for_long(f"explain restart {wrong}")[0])
    assert len(open_for_long.failures) == 1


def test_where_bounded_recovery_is_not_told_the_reason_is(line: Line, trails: Path) -> None:
    shown = explained(line, f"open {trails / 'el000000000'}; explain restart")
    assert any("Bounded Recovery exists for Oracle only" in reason for reason in shown.not_known)


def test_files_that_are_not_needed_are_counted(line: Line, trails: Path) -> None:
    shown = explained(line, f"open {trails / 'at000000001'}; explain restart")
    assert any("not needed: 1 earlier file" in str(part.text[0]) for part in shown.parts)


def test_the_interval_of_bounded_recovery_is_that_of_the_parameter_files(line: Line, tmp_path: Path) -> None:
    left = Left(tmp_path).opened(line)
    (tmp_path / "ext1.prm").write_text("EXTRACT ext1\nBR BRINTERVAL 1H\nTABLE T.*;\n")
    line(f"params {tmp_path / 'ext1.prm'}")
    assert any("BRINTERVAL 1H (ext1.prm, line 2)" in text for text in explained(left, "explain restart").assumed)
