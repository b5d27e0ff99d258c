"""EXPLAIN LAG: each rule on a replication that is late for that reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from logdump.features.explain.lag import RULES
from logdump.features.explain.lag_facts import LagWindow, TransactionsAround
from logdump.features.explain.model import Explained, Span, When
from tests.logdump.line import Line
from tests.searching import Random, examples, in_turn, part_of
from tests.simulated import late_replication as late
from tests.simulated.heartbeat_trails import BEGUN, HeartbeatTrail
from tests.simulated.late_replication import MINUTE, SECOND, write
from tests.trailformat.samples import row, trail_of
from trailformat.records.record_header import DDL_OP, ONLY
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.whole_trail import WholeTrail

SCENARIOS: dict[str, tuple[Callable[[HeartbeatTrail], None], str]] = {
    "late pump": (late.late_pump, "one_hop"),
    "late Extract": (late.late_extract, "one_hop"),
    "late Replicat": (late.late_replicat, "one_hop"),
    "long transaction": (late.long_transaction, "waits_for_commit"),
    "stopped Extract": (late.stopped_extract, "extract_down"),
    "stopped Extract, beats overwritten": (late.stopped_extract_without_beats, "extract_down"),
    "stopped Extract, started several times": (late.restarted_often, "extract_down"),
    "stopped Extract, then late": (late.late_after_restarts, "extract_down"),
    "restarted in time": (late.restarted_in_time, "no_lag"),
    "stopped job": (late.stopped_job, "beats_missing"),
    "job stopped for good": (late.stopped_for_good, "beats_missing"),
    "wrong clocks": (late.wrong_clocks, "clocks_differ"),
    "in time": (late.in_time, "no_lag"),
    "several": (late.several, "several_hops"),
    "no beats": (late.no_beats, "no_heartbeat"),
}


def explained(
    line: Line,
    scenario: Callable[[HeartbeatTrail], None],
    folder: Path,
    command: str = "",
    untidy: Random | None = None,
) -> Explained:
    line(f"open {write(scenario, folder / 'hb000000000', untidy)}; explain lag {command}")
    return next(event for event in line.events if isinstance(event, Explained))


def at(minute: float) -> str:
    return f"at 2024-01-01T00:{int(minute):02}:{int(minute % 1 * 60):02}Z"


def verdict(shown: Explained) -> str:
    return "".join(map(_said, shown.verdict.text))


def _said(part: str | When | Span) -> str:
    """A part of a text; moments as minutes from the beginning."""
    if isinstance(part, str):
        return part
    return f"<{(part.julian - BEGUN) / MINUTE:g}>" if isinstance(part, When) else f"{part.microseconds / MINUTE:g} min"


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_verdict_is_that_of_the_reason(name: str, line: Line, tmp_path: Path) -> None:
    scenario, rule = SCENARIOS[name]
    assert explained(line, scenario, tmp_path).verdict.rule == rule


@pytest.mark.parametrize(("name", "seed"), in_turn(part_of(SCENARIOS, 0, 2), range(examples(2))))
def test_it_is_the_same_where_beats_are_off_their_minutes_late_and_equal(
    name: str, seed: int, line: Line, tmp_path: Path
) -> None:
    scenario, rule = SCENARIOS[name]
    assert explained(line, scenario, tmp_path, untidy=Random(seed)).verdict.rule == rule


def test_every_rule_has_a_scenario() -> None:
    assert {rule.name for rule in RULES} == {rule for _, rule in SCENARIOS.values()} | {"trail_ends"}


def parts(shown: Explained) -> list[str]:
    return ["".join(map(_said, part.text)) for part in shown.parts]


def test_missing_beats_are_told_without_a_moment_asked_for(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.stopped_job, tmp_path)
    assert verdict(shown) == "No beat from <5> to <12>: 6 missing, and no restart of Extract."
    assert "Greatest lag: 2.000 s, beat of <0>" in parts(shown)


def test_beats_that_do_not_come_any_more_are_missing(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.stopped_for_good, tmp_path)
    assert verdict(shown) == "No beat from <5> to the end of the trail, <17>: 11 missing, and no restart of Extract."
    line(f"explain lag {at(9)}")
    assert next(event for event in line.events if isinstance(event, Explained)).verdict.rule == "beats_missing"


def test_of_several_restarts_the_last_one_where_beats_are_missing_counts(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.restarted_often, tmp_path)
    assert verdict(shown) == "Extract was down from <5> to <12>."
    assert "Extract restarted <12>" in parts(shown)


def test_of_several_restarts_the_last_one_before_a_late_beat_arrived_counts(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.late_after_restarts, tmp_path)
    assert verdict(shown) == "Extract was down from <5.01667> to <12>: 363.000 s of the 364.000 s lag."


def test_a_restart_that_no_beat_shows_is_told(line: Line, tmp_path: Path) -> None:
    assert "Extract restarted 1 time in this trail, at last <5.5>" in parts(
        explained(line, late.restarted_in_time, tmp_path)
    )


def test_beats_that_are_missing_for_less_than_the_lag_are_told_beside_it(line: Line, tmp_path: Path) -> None:
    def scenario(trail: HeartbeatTrail) -> None:
        for minute in (*range(6), *range(7, 18)):
            trail.insert(late.beat(minute * MINUTE, 300.0 if minute == 9 else 1.0), minute * MINUTE)

    shown = explained(line, scenario, tmp_path)
    assert shown.verdict.rule == "one_hop"
    assert "Missing: 1 beat after <5>, next <7>" in parts(shown)


def test_a_moment_beyond_the_trail_is_told_with_its_end(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.in_time, tmp_path, at(40))
    assert shown.verdict.rule == "trail_ends"
    assert verdict(shown).startswith("The trail ends before that moment, <19>; its last beat is from <19>.")
    line(f"explain lag {at(19.5)}")
    assert next(event for event in line.events if isinstance(event, Explained)).verdict.rule == "no_lag"


def test_at_a_moment_the_newest_beat_before_it_counts_though_an_older_one_comes_late(
    line: Line, tmp_path: Path
) -> None:
    def scenario(trail: HeartbeatTrail) -> None:
        for minute in (0, 1, 2, 4, 3, 5):
            trail.insert(late.beat(minute * MINUTE, 10.0 + minute), minute * MINUTE)

    shown = explained(line, scenario, tmp_path, at(4.5))
    assert parts(shown)[:1] == ["Path: SRC => TGT   EXT1 ==> PMP1"]
    assert parts(shown)[1].startswith("Beat of <4>")


@pytest.mark.parametrize("order", [(0, 2, 1, 3), (3, 2, 1, 0), (1, 0, 0, 2, 3, 3)])
def test_a_late_beat_is_not_missing(order: tuple[int, ...], line: Line, tmp_path: Path) -> None:
    def scenario(trail: HeartbeatTrail) -> None:
        for minute in order:
            trail.insert(late.beat(minute * MINUTE, 1.0), 4 * MINUTE)

    assert explained(line, scenario, tmp_path).verdict.rule == "no_lag"


def test_a_late_pump_is_named_with_its_part_of_the_lag(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.late_pump, tmp_path)
    assert verdict(shown) == "Most of the lag is in the pump or distribution path: 600.000 s of 602.000 s."


def test_a_late_extract_is_named_with_what_was_committed_meanwhile(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.late_extract, tmp_path)
    assert verdict(shown) == "Most of the lag is in Extract: 812.000 s of 813.000 s."
    # the beat itself is a transaction too
    (volume,) = (part for part in shown.parts if str(part.text[0]).startswith("Committed in that time"))
    assert str(volume.text[0]).startswith("Committed in that time: 51 transactions, 51 records, ")


def test_a_replicat_that_applies_late_is_told_from_the_history_of_the_target(line: Line, tmp_path: Path) -> None:
    assert verdict(explained(line, late.late_replicat, tmp_path)).startswith(
        "Most of the lag is in Replicat, until it applies: 300.000 s"
    )


def test_the_transaction_that_extract_waits_for_is_named(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.long_transaction, tmp_path)
    assert verdict(shown) == (
        "Extract waits for the commit of 9.9.27, <15>: 3 records, open for 50 min; lag 240.000 s."
    )


def test_a_stopped_extract_is_told_from_when_to_when(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.stopped_extract, tmp_path)
    assert verdict(shown) == "Extract was down from <5.01667> to <12>: 363.000 s of the 364.000 s lag."


def test_beats_that_are_missing_around_a_restart_mean_that_extract_was_down(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.stopped_extract_without_beats, tmp_path, at(8))
    assert (shown.verdict.rule, verdict(shown)) == ("extract_down", "Extract was down from <5> to <12>.")


def test_beats_that_are_missing_without_a_restart_are_told_as_such(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.stopped_job, tmp_path, at(8))
    assert shown.verdict.rule == "beats_missing"
    assert verdict(shown) == "No beat from <5> to <12>: 6 missing, and no restart of Extract."


def test_at_a_moment_the_beat_before_it_counts(line: Line, tmp_path: Path) -> None:
    assert explained(line, late.late_pump, tmp_path, at(8.5)).verdict.rule == "no_lag"
    shown = next(event for event in _again(line, at(9.5)) if isinstance(event, Explained))
    assert shown.verdict.rule == "one_hop"


def _again(line: Line, command: str) -> list[object]:
    line(f"explain lag {command}")
    return list(line.events)


def test_before_the_first_beat_nothing_is_told(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.in_time, tmp_path, "at 2023-12-31")
    assert verdict(shown) == "No beat before that moment."


def test_without_beats_the_clock_of_a_definition_is_a_lower_bound(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.no_beats, tmp_path)
    assert verdict(shown) == "No heartbeat; a definition record gives a lower bound, <1>: 40.000 s."
    assert [(part.hop, part.lag) for part in shown.parts if part.hop] == [("extract_lag", 40 * SECOND)]
    assert any("ADD HEARTBEATTABLE" in reason for reason in shown.not_known)


@pytest.mark.parametrize("has_beats", [False, True])
def test_definitions_are_held_against_rows_where_there_is_no_beat(has_beats: bool, line: Line, tmp_path: Path) -> None:
    def scenario(trail: HeartbeatTrail) -> None:
        late.no_beats(trail)
        if has_beats:
            late.in_time(trail)

    shown = explained(line, scenario, tmp_path)
    assert any(part.startswith("A definition was written ") for part in parts(shown)) is not has_beats


def test_every_hop_that_is_told_has_its_lag_and_its_place(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.late_pump, tmp_path)
    hops = {part.hop: (part.lag, len(part.positions)) for part in shown.parts if part.hop}
    assert hops == {"extract_lag": (2 * SECOND, 1), "routing_lag": (600 * SECOND, 1)}


def test_what_is_not_known_names_what_would_tell_it(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.late_pump, tmp_path)
    assert shown.not_known == (
        "the lag of Replicat (read a trail captured from the target)",
        "transactions rolled back or still open (see V$TRANSACTION or SEND EXTRACT … SHOWTRANS)",
    )


def test_moments_are_shown_in_the_zone_of_the_session(line: Line, tmp_path: Path) -> None:
    shown = explained(line, late.stopped_extract, tmp_path)
    assert When(BEGUN + 12 * MINUTE) in shown.verdict.text
    line("timeoffset gmt +02:00")
    assert any("2024/01/01 02:12:00.000.000" in text for text in line("explain lag"))


@pytest.mark.parametrize(
    ("moments", "statements", "first"),
    [
        ((0, 2, 4, 6, 9), 3, 1),
        ((9, 4, 2, 6, 0), 3, 1),
        ((6, 9, 0, 2, 4), 3, 0),
        ((0, 0, 9, 9, 6), 1, 4),
        ((0, 9, 0, 9, 0), 0, None),
    ],
)
def test_the_ddl_of_a_window_is_counted_and_the_first_in_the_trail_named(
    moments: tuple[int, ...], statements: int, first: int | None, tmp_path: Path
) -> None:
    """Five statements committed at these minutes, the window being minutes 2 to 6."""
    records = [row(trans_ind=ONLY, io_type=DDL_OP, io_time=BEGUN + moment * MINUTE) for moment in moments]
    path = trail_of(tmp_path, *records)
    whole = WholeTrail([path])
    around = TransactionsAround(whole, LagWindow(BEGUN + 2 * MINUTE, BEGUN + 6 * MINUTE))
    for item in transactions_of(whole):
        around.take(item)
    facts = around.facts()
    place = FilePosition(path, sum(record.length for record in records[:first])) if first is not None else None
    assert (facts.ddl, facts.first_ddl) == (statements, place)
