"""HEARTBEAT: text and JSON of one answer, over one file or several, through the filter."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from logdump.commands import REGISTRY
from logdump.display import json_lines
from logdump.features.heartbeat import lags as spread
from logdump.features.parameters.model import ParametersShown
from logdump.language.execute import run_line
from logdump.session.session import Session
from tests.logdump.line import Line
from tests.searching import Random
from tests.simulated import late_replication as late
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.heartbeats import Database, Link, Process, Row, travel
from trailformat import TrailFile

SECOND = 1_000_000
MINUTE = 60 * SECOND
BEATS = 12


class Journey:
    """Beats from EAST to WEST, and what each trail on the way holds of them."""

    def __init__(self, folder: Path) -> None:
        random = Random(11)
        pumps = (Process("PMP1", SECOND),)
        link = Link(Database("EAST"), Process("EXT1", 4 * SECOND), pumps, Process("REP1", SECOND), Database("WEST"))
        self.behind_pump = folder / "rt000000000"
        self.target = folder / "hh000000000"
        behind_pump, target = HeartbeatTrail(self.behind_pump), HeartbeatTrail(self.target)
        self.rows: list[Row] = []
        self.history: list[Row] = []
        for number in range(BEATS):
            moment = number * MINUTE
            hops, received = travel(link, link.source.beat("WEST", moment), moment, random)
            assert received is not None
            behind_pump.insert(hops[1].row, moment)
            target.insert(received[0], moment)
            target.insert(received[1], moment, "_HISTORY")
            self.rows.append(hops[1].row)
            self.history.append(received[1])
        behind_pump.close()
        target.close()

    def lags(self, rows: list[Row], later: str, earlier: str) -> list[float]:
        """Seconds from one timestamp of rows to another."""
        return [(int(row[later] or 0) - int(row[earlier] or 0)) / SECOND for row in rows]


@pytest.fixture
def journey(tmp_path: Path) -> Journey:
    return Journey(tmp_path)


def objects(path: Path | None, line: str) -> list[dict[str, Any]]:
    """The JSON objects of a line."""
    session = Session()
    if path is not None:
        session.open(path)
    found = [
        json.loads(text)
        for event in run_line(session, REGISTRY, line)
        for text in json_lines.render(event, session.settings)
    ]
    session.close()
    return [item for item in found if item["type"] not in ("progress", "text")]


def test_each_beat_is_told_with_the_lag_of_each_hop(journey: Journey) -> None:
    *beats, whole = objects(journey.target, "heartbeat history")
    assert whole["beats"] == len(beats) == BEATS
    for member, later, earlier in (
        ("extract_lag", "INCOMING_EXTRACT_TS", "INCOMING_HEARTBEAT_TS"),
        ("routing_lag", "INCOMING_ROUTING_TS", "INCOMING_EXTRACT_TS"),
        ("replicat_read_lag", "INCOMING_REPLICAT_TS", "INCOMING_ROUTING_TS"),
        ("replicat_lag", "HEARTBEAT_RECEIVED_TS", "INCOMING_REPLICAT_TS"),
        ("total_lag", "HEARTBEAT_RECEIVED_TS", "INCOMING_HEARTBEAT_TS"),
    ):
        assert [beat[member] for beat in beats] == pytest.approx(
            journey.lags(journey.history, later, earlier), abs=1e-9
        )
    assert {tuple(beat["path"]) for beat in beats} == {("EXT1", "PMP1", "REP1")}


def test_a_way_is_summed_up_over_several_files(journey: Journey) -> None:
    wildcard = journey.target.parent / "??000000000"
    whole, *ways = objects(None, f'heartbeat over "{wildcard}"')
    assert (whole["beats"], whole["paths"]) == (2 * BEATS, 2)
    assert [(way["path"], way["direction"], way["beats"]) for way in ways] == [
        (["EXT1", "PMP1", "REP1"], "incoming", BEATS),
        (["EXT1", "PMP1"], "outgoing", BEATS),
    ]
    routing = journey.lags(journey.rows, "OUTGOING_ROUTING_TS", "OUTGOING_EXTRACT_TS")
    assert (ways[1]["routing_lag"]["least"], ways[1]["routing_lag"]["greatest"]) == (min(routing), max(routing))
    assert ways[1]["replicat_lag"] is None


def test_with_across_beats_of_the_files_after_the_open_one_count_too(tmp_path: Path, line: Line) -> None:
    link = Link(Database("EAST"), Process("EXT1", SECOND), (), Process("REP1", SECOND), Database("WEST"))
    for seqno in range(3):
        trail = HeartbeatTrail(tmp_path / f"lt{seqno:09}", behind=2 * seqno)
        for moment in (2 * seqno * MINUTE, (2 * seqno + 1) * MINUTE):
            trail.insert(travel(link, link.source.beat("WEST", moment), moment, Random(3))[0][0].row, moment)
        trail.close()
    line(f"open {tmp_path / 'lt000000001'}; across on")
    summary, *_ = line("heartbeat")
    assert "4 beats, 1 path, 2024/01/01 00:02" in summary


def test_start_end_and_path_choose_beats(journey: Journey) -> None:
    (whole,) = objects(journey.target, "heartbeat gaps start 2024-01-01T00:03Z end 2024-01-01T00:05Z")
    assert (whole["beats"], whole["first"]) == (2, "2024-01-01T00:03:00.000000Z")
    (whole,) = objects(journey.target, 'heartbeat gaps path "ext1 ==> pmp1*"')
    assert whole["beats"] == BEATS
    (whole,) = objects(journey.target, "heartbeat gaps path EXT2*")
    assert whole["beats"] == 0


def test_the_moment_of_the_answer_is_given_or_that_of_the_trail(journey: Journey) -> None:
    _, way = objects(journey.target, "heartbeat at 2024-01-01T01:00Z")
    assert (way["age"], way["at_source"]) == ((60 - BEATS + 1) * 60, "given")
    whole, way = objects(journey.target, "heartbeat")
    assert way["at_source"] == "trail"
    assert way["at"] == whole["at"] >= way["last_beat"]


def test_a_file_that_was_begun_after_the_last_beat_tells_the_time(journey: Journey) -> None:
    begun = HeartbeatTrail(journey.target.with_name("hh000000001"), created=60 * MINUTE).close()
    with TrailFile(begun) as trail:
        size = trail.first_rba
    begun.write_bytes(begun.read_bytes()[:size])
    _, way = objects(None, f'heartbeat over "{journey.target.parent / "hh*"}"')
    assert (way["at"], way["age"]) == ("2024-01-01T01:00:00.000000Z", (60 - BEATS + 1) * 60)


def test_what_is_known_to_one_per_cent_is_marked(journey: Journey, line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread, "MOST_EXACT", BEATS // 2)
    line(f"open {journey.behind_pump}")
    marked = [text.split()[0] for text in line("heartbeat") if "~" in text]
    assert marked == ["Extract", "Routing", "Missing"]
    assert "  Missing        none (one every 60.000 s)" in line("heartbeat frequency 60")


def test_the_filter_applies(journey: Journey) -> None:
    (*_, whole) = objects(journey.target, "filter exclude filename *_HISTORY; heartbeat history")
    assert whole["tables"] == ["GGADMIN.GG_HEARTBEAT"]


def test_intervals_count_the_beats_that_begin_in_them(journey: Journey) -> None:
    *intervals, whole = objects(journey.target, "heartbeat history every 5")
    assert [interval["beats"] for interval in intervals] == [5, 5, 2]
    assert [interval["start"][11:16] for interval in intervals] == ["00:00", "00:05", "00:10"]
    assert whole["beats"] == BEATS


def test_ways_that_alternate_or_come_one_after_the_other_have_intervals_of_their_own(journey: Journey) -> None:
    *intervals, _ = objects(None, f'heartbeat history every 5 over "{journey.target.parent / "??000000000"}"')
    beats = {(tuple(interval["path"]), interval["start"][11:16]): interval["beats"] for interval in intervals}
    ways = ("EXT1", "PMP1", "REP1"), ("EXT1", "PMP1")
    assert beats == {(way, start): count for way in ways for start, count in (("00:00", 5), ("00:05", 5), ("00:10", 2))}
    assert len(intervals) == len(beats)


@pytest.mark.parametrize("lost", [0, 5, BEATS - 1])
def test_beats_up_to_damage_count_and_those_after_it_are_not_applied(
    lost: int, journey: Journey, tmp_path: Path, line: Line
) -> None:
    with TrailFile(journey.behind_pump) as trail:
        rows = [record for record in trail.records(trail.first_rba) if not record.is_metadata]
    content = bytearray(journey.behind_pump.read_bytes())
    content[rows[lost].rba : rows[lost].rba + 60] = bytes(60)
    (damaged := tmp_path / "dt000000000").write_bytes(content)
    notice, whole, *_ = objects(damaged, "heartbeat")
    assert (notice["type"], notice["status"], whole["damaged"]) == ("notice", 4, 1)
    assert whole["beats"] == (lost or None), "none found in a part is not none"
    assert whole["not_applied"] == BEATS - lost - 1
    line(f"open {damaged}")
    assert "Damage at 1 place, see CHECK: beats there are not known." in line("heartbeat")


def test_half_a_record_at_the_end_is_no_damage(journey: Journey, tmp_path: Path) -> None:
    (cut := tmp_path / "ct000000000").write_bytes(journey.behind_pump.read_bytes()[:-40])
    whole, notice = objects(cut, "heartbeat gaps")
    assert whole["damaged"] == 0
    assert notice["status"] == 4


def test_a_file_that_is_no_trail_is_named_and_the_others_are_read(journey: Journey) -> None:
    (journey.target.parent / "aa000000000").write_bytes(b"no trail")
    notice, partial, whole, *ways = objects(None, f'heartbeat over "{journey.target.parent / "??000000000"}"')
    assert notice["status"] == 4
    assert notice["file"].endswith("aa000000000")
    assert partial["lines"] == ["1 file not read: this is partial, without a verdict."]
    assert (whole["beats"], len(ways)) == (2 * BEATS, 2)


def test_a_total_says_where_it_ends(journey: Journey, line: Line) -> None:
    line(f"open {journey.target}; filter exclude filename *_HISTORY")
    assert any(text.endswith(", to Replicat") for text in line("heartbeat") if "Total lag" in text)
    line("filter clear")
    assert not any("to Replicat" in text for text in line("heartbeat"))


def test_retention_counts_what_a_purge_would_remove(journey: Journey) -> None:
    (whole,) = objects(journey.target, "heartbeat gaps retention 1 at 2024-01-02T00:06Z")
    limit = 6 * MINUTE
    assert whole["purged"] == sum(int(row["HEARTBEAT_RECEIVED_TS"] or 0) < limit for row in journey.history)


def test_rows_are_shown_with_their_columns(journey: Journey) -> None:
    *rows, _ = objects(journey.behind_pump, "heartbeat rows")
    assert len(rows) == BEATS
    assert rows[0]["stage"] == "routing"
    assert rows[0]["columns"]["outgoing_extract"] == "EXT1"


def test_rows_are_those_of_the_beats_that_are_chosen(journey: Journey) -> None:
    *rows, whole = objects(journey.target, "heartbeat rows start 2024-01-01T00:03Z end 2024-01-01T00:05Z")
    assert whole["beats"] == 2
    assert [row["columns"]["incoming_heartbeat_ts"][11:16] for row in rows] == ["00:03", "00:03", "00:04", "00:04"]


def test_the_position_stays(journey: Journey, line: Line) -> None:
    line(f"open {journey.target}; next 3")
    before = line.session.cursor.next
    line("heartbeat")
    assert line.session.cursor.next == before


def test_a_file_cut_inside_a_beat_tells_those_before_it(journey: Journey, tmp_path: Path) -> None:
    content = journey.behind_pump.read_bytes()
    (cut := tmp_path / "ct000000000").write_bytes(content[:-40])
    whole, _notice = objects(cut, "heartbeat gaps")
    assert whole["beats"] == BEATS - 1


def test_one_database_on_both_sides_is_noticed(tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    trail.insert({**Database("EAST").beat("EAST", 0), "OUTGOING_EXTRACT": "EXT1", "OUTGOING_EXTRACT_TS": 5}, 0)
    whole, *_ = objects(trail.close(), "heartbeat")
    assert whole["same_database"]


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("GLOBALS globals", "GGSCHEMA ops\nHEARTBEATTABLE OPS.PULSE\n"),
        ("GLOBALS globals", 'HeartbeatTable "OPS"."PULSE"\n'),
        ("ext1.prm", "EXTRACT ext1\nHEARTBEATTABLE ops.pulse\nTABLE app.*;\n"),
    ],
)
def test_the_tables_are_those_that_a_parameter_file_names(
    file: str, text: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trail = HeartbeatTrail(tmp_path / "pu000000000", base="OPS.PULSE")
    trail.insert(late.beat(0, 1.0) | {"INCOMING_EXTRACT_RESTART_CSN": "17"}, 0)
    Path(file.split(maxsplit=1)[0]).write_text(text)
    line(f"open {trail.close()}")
    assert line("heartbeat")[0] == "No heartbeats found."
    line(f"params {file}")
    assert line("params")
    (shown,) = (event for event in line.events if isinstance(event, ParametersShown))
    assert [used for _, keyword, used in shown.statements if keyword == "HEARTBEATTABLE"] == [True]
    assert line("heartbeat")[0].startswith("Heartbeats of OPS.PULSE: 1 beat, 1 path")
    line("export jsonl to beats.jsonl heartbeats")
    assert len(Path("beats.jsonl").read_text().splitlines()) == 1
    assert any("No significant lag" in shown_line for shown_line in line("explain lag"))
    assert any("CSN 17" in shown_line for shown_line in line("br first 2023-12-31 restart 2024-01-02"))
    where = f"{file.split(maxsplit=1)[0]} line {[*map(str.upper, text.splitlines())].index(_of_table(text)) + 1}"
    line(f"open {tmp_path / 'pu000000000'}; heartbeat start 2025-01-01")
    assert line("heartbeat start 2025-01-01")[0].endswith(where + ".")
    assert line("heartbeat table GG_HEARTBEAT")[0] == "No heartbeats found."


def _of_table(text: str) -> str:
    return next(line for line in text.upper().splitlines() if line.startswith("HEARTBEATTABLE"))
