"""EXPLAIN RESTART: which rule gives the verdict where several hold, what its sentence names, what is read for it."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import pytest

from fixtures.flavour import ORACLE_12
from logdump.features.bounded_recovery.model import BrOptions
from logdump.features.explain.model import Explained, Span, conclusion
from logdump.features.explain.restart import RULES, RestartFacts, RestartQuestion
from logdump.features.recovery.model import KeepShown, RecoveryShown, TrailState
from logdump.session.errors import ExitStatus
from tests.logdump.extents import BEFORE, HERE, NEXT, OPEN, OVERTAKEN, WHOLE
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.test_sequence_search import ORACLE
from tests.logdump.test_sequence_search import write_trail as write_trail_of_files
from tests.searching import Random, examples
from tests.simulated.bounded_recovery import BEGUN, HOUR, Worked, write_trail
from tests.simulated.recovery import Kill, RecoveringExtract
from tests.simulated.source import Source
from tests.simulated.trail_faults import Faulty
from tests.trailformat.small_batches import in_batches
from trailformat import TrailFile
from trailformat.records.record_header import RESTART_ABEND
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.header_promises import HeaderMismatch
from trailformat.transactions.restart_places import RestartPlaces
from trailformat.transactions.whole_trail import WholeTrail

PAGE = Path(__file__).parents[3] / "docs" / "explain.md"
ORDER = ("nothing_whole", "damaged", "inside", "short", "begin_missing", "lost", "twice", "safe")
MISMATCHES = tuple(HeaderMismatch(path, "FileSize", "9", "7", is_short=True) for path in (HERE, BEFORE, NEXT))
"""Of three files in an order that is not that of their names."""
PLACE = FilePosition(HERE, 200)
INSIDE = RestartPlaces(PLACE, WHOLE._replace(before=2), whole=WHOLE, leave_out=FilePosition(NEXT, 640))
BETWEEN = RestartPlaces(PLACE, leave_out=PLACE)


def facts_of(*names: str, cut: int = 0) -> RestartFacts:
    """Facts for which the rules of these names hold, and the last one."""
    state = TrailState(
        mismatches=MISMATCHES if "short" in names else (),
        lost=2 if "lost" in names else 0,
        twice=3 if "twice" in names else 0,
        restarts=4,
    )
    recovery = RecoveryShown(
        title="",
        modes=(),
        state=state,
        files=3,
        transactions=9,
        effective=8,
        after_damage=0,
        cut=cut,
        twice_records=7,
        unnamed=0,
        is_unsure=False,
        incomplete=0,
        has_earlier=False,
        versions=(5,),
        reader=None,
        too_new=(),
        open=None,
        half_record=None,
        is_partial=False,
        is_stopped=False,
        is_listed=True,
        is_filtered=False,
    )
    is_whole = "nothing_whole" not in names
    return RestartFacts(
        recovery,
        KeepShown(PLACE, HERE, (), 0) if is_whole else None,
        (INSIDE if "inside" in names else BETWEEN) if is_whole else None,
        damaged=5 if "damaged" in names else 0,
        reach=None,
        no_reach="",
        begins_missing=(FilePosition(NEXT, 10), FilePosition(NEXT, 20)) if "begin_missing" in names else (),
    )


def verdict(facts: RestartFacts) -> str:
    return "".join(map(str, conclusion(RULES, facts).text))


SUBSETS = [names for number in range(len(ORDER)) for names in combinations(ORDER[:-1], number)]


def test_of_all_reasons_that_hold_the_first_is_given() -> None:
    for names in SUBSETS:
        expected = next(name for name in ORDER if name in (*names, "safe"))
        assert conclusion(RULES, facts_of(*names, cut=2)).rule == expected, names


def test_the_page_lists_the_rules_in_their_order() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("\n## RESTART\n")[2].partition("\n## ")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == ORDER == tuple(rule.name for rule in RULES)


def test_the_sentences_name_what_is_so_of_several() -> None:
    assert verdict(facts_of("damaged")) == "Not safe: damage at 5 places, where a Replicat abends."
    assert verdict(facts_of("short")).startswith(f"Not certainly safe: {HERE.name} is not as its header says")
    assert verdict(facts_of("begin_missing")).startswith(
        "Not certainly safe: 2 transactions whose beginnings are not in the trail"
    )
    assert verdict(facts_of("lost", cut=5)).startswith("Not certainly safe: 2 transactions cut by a restart of Extract")
    assert verdict(facts_of("twice")).endswith("second whole copies of 3 transactions, 7 records.")
    assert conclusion(RULES, facts_of(cut=5)).rule == "safe"  # all of them have a whole copy


def test_inside_the_first_whole_copy_is_named_and_both_places_to_start_at() -> None:
    """Three copies follow: a cut one, and two whole ones."""
    copies = [(OPEN, 700), (WHOLE, 800), (WHOLE, 900)]
    again = tuple(extent._replace(begin=FilePosition(NEXT, rba)) for extent, rba in copies)
    facts = facts_of("inside")._replace(places=INSIDE._replace(extent=OVERTAKEN._replace(before=2), again=again))
    assert verdict(facts) == (
        "Not safe: the place is inside 5.2.88, after 2 of its records, which has a whole copy at RBA 800 of "
        "et000000008; begin at RBA 100 of et000000007 to apply it whole, at RBA 640 of et000000008 to skip it."
    )
    alone = facts._replace(places=INSIDE._replace(leave_out=None, extent=OPEN._replace(before=2)))
    assert verdict(alone).endswith("after 2 of its records; begin at RBA 100 of et000000007 to apply it whole.")
    headless = facts._replace(places=INSIDE._replace(extent=WHOLE._replace(begin=None, before=2)))
    assert "; its beginning is not in the trail, at RBA 640 of et000000008 to skip it." in verdict(headless)


# What is read for it


def explained(line: Line, command: str) -> Explained:
    line(command)
    return next(event for event in line.events if isinstance(event, Explained))


def texts(shown: Explained) -> list[str]:
    return [str(part.text[0]) for part in shown.parts]


class Kept(RecoveringExtract):
    """An Extract that has written whole transactions, some of which it has cut and written again before."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, Random(3), ORACLE_12, roll_chance=0)
        self.source = Source(Random(3), ORACLE_12.teas)

    def add(self, number: int) -> None:
        """Write some whole transactions of several records."""
        for _ in range(number):
            self.whole(self.source.transaction() * 2)

    def interrupted(self, *, comes_again: bool) -> None:
        """Begin a transaction, restart, and write it again, whole, or not."""
        changes = self.source.transaction() * 2
        self.begin()
        self.fail(changes, Kill(1, rolls=False, marker=RESTART_ABEND))
        if comes_again:
            self.rows(changes, len(changes))


def test_of_the_cut_transactions_those_with_a_whole_copy_are_counted(line: Line, tmp_path: Path) -> None:
    extract = Kept(tmp_path)
    extract.add(2)
    for comes_again in (True, False, True):
        extract.interrupted(comes_again=comes_again)
        extract.add(1)
    extract.close()
    shown = explained(line, f"open {extract.paths[0]}; explain restart")
    (trail,) = [text for text in texts(shown) if text.startswith("Trail: ")]
    assert trail.endswith("; 3 cut by 3 restarts, 2 of them with a whole copy")
    assert shown.verdict.rule == "lost"


def begins_of(path: Path) -> list[tuple[int, str]]:
    """RBA and CSN of the first records of its transactions."""
    with TrailFile(path) as trail:
        records = [record for record in trail.records() if not record.is_file_header and not record.is_metadata]
        return [(record.rba, record.csn) for record in records if record.csn is not None]


@pytest.mark.parametrize("case", range(examples(8)))
def test_a_place_is_that_of_its_file_whichever_is_open(case: int, line: Line, tmp_path: Path) -> None:
    """By number and RBA as by CSN; what is assumed is said only where no place is given."""
    random = Random(case)
    paths = write_trail_of_files(tmp_path, ORACLE, files=random.choice((3, 4, 6)))
    line(f"open {random.choice(paths)}")
    path = random.choice(paths)
    rba, csn = random.choice(begins_of(path))
    for command in (f"explain restart at {int(path.name[-9:])} {rba}", f"explain restart at csn {csn}"):
        shown = explained(line, command)
        (place,) = [part.positions[0] for part in shown.parts if part.text == ("Replicat starts at this place",)]
        assert place == FilePosition(path, rba), command
        assert f"Files: {path.name} and all later ones" in "".join(texts(shown))
        assert not any("last recovery point" in text for text in shown.assumed)
    assert "Replicat continues at the last recovery point" in explained(line, "explain restart").assumed


def test_the_number_of_a_file_that_is_missing_is_refused(line: Line, tmp_path: Path) -> None:
    Faulty(tmp_path, Random(2), ["none", "missing", "none", "none"])
    assert line(f"open {tmp_path / 'ff000000000'}; explain restart at 1 0")[-1] == (
        "No file of this trail has the number 1."
    )


@pytest.mark.parametrize("faults", [["none", "missing", "none"], ["missing", "none", "missing", "none"]])
def test_with_a_missing_file_there_is_no_verdict_and_no_place(faults: list[str], line: Line, tmp_path: Path) -> None:
    Faulty(tmp_path, Random(2), ["none", *faults])
    shown = explained(line, f"open {tmp_path / 'ff000000000'}; explain restart")
    assert (shown.is_partial, shown.verdict.rule, shown.verdict.text) == (True, "", ())
    assert "Replicat starts at this place" not in texts(shown)


def test_of_what_was_read_in_part_there_is_no_verdict(trails: Path) -> None:
    whole = WholeTrail.around(trails / "et000000000")
    question = RestartQuestion(whole, None, BrOptions())
    for _ in question.run(1, RowDefinitions):
        pass
    assert question.explained("", is_partial=False).verdict.rule == "safe"
    shown = question.explained("", is_partial=True)
    assert (shown.verdict.rule, "Replicat starts at this place" in texts(shown)) == ("", False)


def test_damage_counts_from_the_place_on(line: Line, tmp_path: Path) -> None:
    """Two stretches, and places before, between and behind them."""
    extract = Kept(tmp_path)
    extract.add(9)
    extract.close()
    (path,) = extract.paths
    begins = [rba for rba, _ in begins_of(path)]
    content = bytearray(path.read_bytes())
    for rba in (begins[2], begins[5]):
        content[rba : rba + 60] = bytes(60)
    path.write_bytes(content)
    line(f"open {path}")
    said = [explained(line, f"explain restart at 0 {begins[at]}") for at in (1, 4, 8)]
    assert [shown.verdict.rule for shown in said[:2]] == ["damaged", "damaged"]
    assert [str(shown.verdict.text[0]).partition(",")[0] for shown in said[:2]] == [
        "Not safe: damage at 2 places",
        "Not safe: damage at 1 place",
    ]
    assert said[2].verdict.rule != "damaged"
    assert [shown.damaged for shown in said] == [2, 2, 2]


def test_a_file_that_is_no_trail_is_damage(line: Line, tmp_path: Path) -> None:
    Faulty(tmp_path, Random(2), ["none", "none", "none"])
    (tmp_path / "ff000000001").write_bytes(b"no trail" * 99)
    shown = explained(line, f"open {tmp_path / 'ff000000000'}; explain restart")
    assert (shown.damaged, shown.status) == (1, ExitStatus.BAD_DATA)
    path = tmp_path / "ff000000000"
    assert logdump("-c", f"open {path}", "-c", "explain restart").status == ExitStatus.BAD_DATA


@pytest.mark.parametrize("size", [1, 2, 3])
def test_extract_stops_with_the_newest_commit_wherever_it_is(
    size: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three the second is the newest: how far back Extract reads counts from there."""
    monkeypatch.setattr("trailformat.transactions.whole_trail.scan_in_threads", in_batches(size))
    history = [Worked(1, (HOUR,), 2 * HOUR), Worked(2, (3 * HOUR,), 5 * HOUR), Worked(3, (4 * HOUR,), 9 * HOUR)]
    path = write_trail(tmp_path / "br000000000", history, created=0)
    with TrailFile(path) as trail:
        rows = [record for record in trail.records() if not record.is_file_header and not record.is_metadata]
    assert [record.header.io_time - BEGUN for record in rows] == [2 * HOUR, 5 * HOUR, 9 * HOUR]
    content = path.read_bytes()
    second, third = (bytes(record.raw) for record in rows[1:])
    path.write_bytes(content[: rows[1].rba] + third + second)
    shown = explained(line, f"open {path}; explain restart")
    backs = [part.text[4] for part in shown.parts if str(part.text[0]).startswith("Extract, ")]
    begins = [part.text[1] for part in shown.parts if str(part.text[0]).startswith("Extract, ")]
    assert backs == [Span(BEGUN + 9 * HOUR - moment.julian) for moment in begins if not isinstance(moment, str | Span)]
    assert len(backs) == 2
