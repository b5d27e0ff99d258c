"""``doctor --nagios``: one line, and the statuses of Nagios' plugins whatever happens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.doctor.command import Examination
from logdump.session.events import Event
from tests.logdump.program import Answer, logdump
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.late_replication import MINUTE, applied
from tests.trailformat.samples import row, trail_of
from trailformat import Record
from trailformat.records.record_header import FIRST, RESTART_ABEND

GARBAGE = b"no record at all, but bytes " * 4
LINE = re.compile(r"LOGDUMP (OK|WARNING|CRITICAL|UNKNOWN) - [^|\n]+(?: \| ([^|\n]+))?\n")
DATUM = re.compile(r"(\w+)=(-?[0-9.]+)(B|s)?(?:;(\d*);(\d*);(\d*))?")
NAMES = ("OK", "WARNING", "CRITICAL", "UNKNOWN")


def asked(*words: str) -> tuple[Answer, dict[str, float]]:
    """The answer, one line whose name is that of its status, and its performance data."""
    answer = logdump("doctor", *words, "--nagios")
    match = LINE.fullmatch(answer.out)
    assert match is not None, answer
    assert NAMES.index(match[1]) == answer.status
    data = {}
    for text in (match[2] or "").split():
        datum = DATUM.fullmatch(text)
        assert datum is not None, text
        data[datum[1]] = float(datum[2])
    return answer, data


@pytest.mark.parametrize("case", range(examples(12)))
def test_the_line_has_what_a_trail_was_made_of(case: int, tmp_path: Path) -> None:
    """Damage is critical, a transaction that was cut alone is a warning, restarts and the like are neither."""
    draw = Random(f"nagios {case}")
    damages, cuts = draw.choice([(0, 0), (0, 1), (0, 2), (1, 0), (2, 1), (3, 2)])
    pieces = [*["damage"] * damages, *["cut"] * cuts, *["row"] * draw.randint(1, 3)]
    draw.shuffle(pieces)
    records = list[Record | bytes]()
    kinds: dict[str, list[Record | bytes]] = {
        "damage": [GARBAGE],
        "cut": [row(b"", trans_ind=FIRST), row(b"", io_type=RESTART_ABEND)],
        "row": [],
    }
    for piece in pieces:
        records += kinds[piece]
        records.append(row(b""))
    path = trail_of(tmp_path, *records)
    answer, data = asked(str(path))
    assert answer.status == (2 if damages else 1 if cuts else 0)
    assert data["damage"] == damages
    assert data["warnings"] >= cuts
    assert data["size"] == path.stat().st_size
    assert data["files"] == 1
    assert answer.err == ""


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["nothere"],
        [str(TRAILS / "et"), str(TRAILS / "at")],
        [str(TRAILS / "et"), "--bad"],
        [str(TRAILS / "et"), "--format", "jsonl"],
        [str(TRAILS / "et"), "-o", "x"],
        [str(TRAILS / "et"), "--since-last", "x"],
        [str(TRAILS / "et"), "--reports", "nowhere"],
        [str(TRAILS / "et"), "surplus words"],
    ],
)
def test_what_cannot_be_told_is_unknown_and_never_critical(words: list[str]) -> None:
    assert asked(*words)[0].status == 3


def test_a_bar_in_a_name_does_not_begin_performance_data(tmp_path: Path) -> None:
    folder = tmp_path / "a|b"
    folder.mkdir()
    answer, data = asked(str(trail_of(folder, row(b""))))
    assert answer.out.count("|") == 1
    assert data["damage"] == 0


def test_a_record_that_is_being_written_is_no_problem(tmp_path: Path) -> None:
    """Neither for Nagios, nor since the last run; the page says it, and has the status of any answer that lacks it."""
    path = trail_of(tmp_path, row(b""), row(b"half").raw[:30])
    assert asked(str(path))[0].status == 0
    since = ("doctor", str(path), "--since-last", str(tmp_path / "state"))
    assert [logdump(*since).status, logdump(*since)] == [0, Answer(0, "", "")]
    page = logdump("doctor", str(path))
    assert page.status == 4
    assert "the last record is incomplete: more may follow" in page.out
    assert "damage" not in page.out


def test_an_examination_that_is_stopped_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(_examination: Examination) -> Iterator[Event]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(Examination, "run", stopped)
    answer = logdump("doctor", str(TRAILS / "at000000000"), "--nagios")
    assert (answer.status, answer.out.splitlines()) == (3, ["LOGDUMP UNKNOWN - interrupted"])


@pytest.mark.parametrize("lags", list(permutations((1.0, 7.0, 3.0))))
def test_the_lag_is_the_greatest_of_the_newest_beats_of_all_paths(lags: tuple[float, ...], tmp_path: Path) -> None:
    trail = HeartbeatTrail(tmp_path / "lt000000000")
    for minute, past in enumerate((50.0, 0.0)):
        for number, lag in enumerate(lags):
            beat = applied(minute * MINUTE, 0.0, lag + past) | {"INCOMING_EXTRACT": f"EXT{number}"}
            trail.insert(beat, minute * MINUTE + number, "_HISTORY")
    assert asked(str(trail.close()))[1]["lag"] == 2 + max(lags)
