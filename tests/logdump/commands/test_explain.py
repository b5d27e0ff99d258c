from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.features.ddl.model import Outcome
from logdump.features.explain import lag
from logdump.features.explain.ddl import RULES, DdlFacts
from logdump.features.explain.model import NO_VERDICT, Conclusion, Evidence, Explained, Question, conclusion
from logdump.features.explain.text import MOST_LINES
from logdump.language.execute import run_line
from logdump.parameters.model import ProcessSide
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.simulated import late_replication as late
from trailformat.trail.sequence import FilePosition

DDL_TRAIL = "dt000000000"


def explained(line: Line, command: str) -> Explained:
    line(command)
    return next(event for event in line.events if isinstance(event, Explained))


@pytest.fixture
def statements(line: Line, trails: Path, tmp_path: Path) -> Line:
    """A session in which a trail with DDL is open."""
    line(f"open {trails / DDL_TRAIL}; cd {tmp_path}")
    return line


def parameters(folder: Path, *lines: str) -> Path:
    path = folder / "rep.prm"
    path.write_text("\n".join(("REPLICAT rep", *lines, "MAP *.*, TARGET *.*;", "")))
    return path


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        (("DDL INCLUDE ALL", "DDLERROR DEFAULT IGNORE"), "all_through"),
        (("DDL INCLUDE ALL", "DDLERROR DEFAULT ABEND"), "abends_on_error"),
        (("DDL INCLUDE ALL",), "abends_on_error"),
        (("DDL EXCLUDE ALL",), "left_out"),
        (("DDL INCLUDE OPTYPE ALTER",), "left_out"),
        (("DDL INCLUDE SIDEWAYS",), "unsure"),
    ],
)
def test_what_becomes_of_the_statements_gives_the_verdict(
    lines: tuple[str, ...], rule: str, statements: Line, tmp_path: Path
) -> None:
    assert explained(statements, f"params {parameters(tmp_path, *lines)}; explain ddl").verdict.rule == rule


def test_statements_that_do_not_get_through_are_named_with_place_and_rule(statements: Line, tmp_path: Path) -> None:
    shown = explained(statements, f"params {parameters(tmp_path, 'DDL EXCLUDE ALL')}; explain ddl")
    about = [part for part in shown.parts if part.positions]
    assert about
    assert all("rep.prm line 2" in str(part.text[0]) or "left out" in str(part.text[0]) for part in about)


def test_a_trail_without_ddl_says_so(shop: Line, tmp_path: Path) -> None:
    shown = explained(shop, f"params {parameters(tmp_path, 'DDL INCLUDE ALL')}; explain ddl")
    assert shown.verdict.rule == "no_ddl"


def test_without_a_parameter_file_ddl_is_refused(statements: Line) -> None:
    statements("explain ddl")
    assert "PARAMS <file> reads one" in statements.failures[0].lines[0]


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ({Outcome.LEFT_OUT: 1}, "1 of 9 statements are not replicated."),
        ({Outcome.IGNORED: 2}, "2 of 9 statements are not replicated."),
        ({Outcome.DISCARDED: 3}, "3 of 9 statements are not replicated."),
        ({Outcome.IGNORED: 2, Outcome.LEFT_OUT: 4, Outcome.DISCARDED: 1}, "7 of 9 statements are not replicated."),
        ({Outcome.UNKNOWN: 2}, "2 of 9 statements cannot be judged, the others are replicated."),
        ({Outcome.UNKNOWN: 2, Outcome.IGNORED: 1}, "1 of 9 statements are not replicated."),
        ({Outcome.CAPTURED: 9, Outcome.APPLIED: 9}, "All 9 statements are replicated."),
        ({Outcome.APPLIED: 9, Outcome.COPY: 1, Outcome.NOT_APPLIED: 2}, "All 9 statements are replicated."),
    ],
)
def test_statements_are_not_replicated_whichever_side_drops_them(outcomes: dict[Outcome, int], verdict: str) -> None:
    for side in (ProcessSide.EXTRACT, ProcessSide.REPLICAT):
        counted = Counter({(side, outcome): number for outcome, number in outcomes.items()})
        assert conclusion(RULES, DdlFacts(9, counted, 0)).text == (verdict,)


def test_the_rules_are_those_of_these_tests() -> None:
    tested = {"no_ddl", "left_out", "unsure", "abends_on_error", "all_through"}
    assert {rule.name for rule in RULES} == tested


def test_the_first_line_says_what_is_assumed_and_what_would_tell_more(line: Line, tmp_path: Path) -> None:
    path = late.write(late.late_pump, tmp_path / "hb000000000")
    assert line(f"open {path}; explain lag")[1] == (
        "Assumed: the clocks of the machines agree. "
        "Not known: the lag of Replicat (read a trail captured from the target)."
    )


def test_an_answer_has_at_most_25_lines(line: Line) -> None:
    parts = tuple(Evidence((f"{number}",), (FilePosition(Path("lt000000000"), number),)) for number in range(60))
    shown = Explained(Question.DDL, "it", Conclusion("rule", ("so",)), parts, (), ("this", "that"), 1, is_partial=True)
    lines = list(render(shown, line.session.settings))
    assert len(lines) == MOST_LINES == 25
    assert "… and 40 more" in lines[-2]


def test_damage_is_counted_in_words(line: Line, trails: Path, tmp_path: Path) -> None:
    content = bytearray((trails / "et000000000").read_bytes())
    content[3100:3160] = bytes(60)
    (damaged := tmp_path / "dd000000000").write_bytes(content)
    line(f"open {damaged}")
    assert "Damage at 1 place, see CHECK: its contents are unknown." in line("explain lag")


def test_rows_of_heartbeat_tables_that_do_not_decode_are_not_called_no_heartbeats(
    line: Line, trails: Path, tmp_path: Path
) -> None:
    content = bytearray((trails / "yt000000000").read_bytes())
    middle = len(content) // 2
    content[middle : middle + 300] = bytes(300)
    (spoilt := tmp_path / "yt000000000").write_bytes(content)
    line(f"open {spoilt}")
    first, _, verdict, *rest = line("explain lag")
    assert first.endswith(
        "Not known: the contents of 7 rows of heartbeat tables (HEARTBEAT ROWS shows why they do not decode)."
    )
    assert verdict == "No heartbeat that decodes, and no definition record that shows a lag."
    assert not any("ADD HEARTBEATTABLE" in text for text in rest)


def test_a_filter_is_refused(line: Line, tmp_path: Path) -> None:
    line(f"open {late.write(late.in_time, tmp_path / 'hb000000000')}; filter include iotype delete; explain lag")
    assert "EXPLAIN needs all records of the trail" in line.failures[0].lines[0]


def test_the_position_stays(line: Line, tmp_path: Path) -> None:
    line(f"open {late.write(late.in_time, tmp_path / 'hb000000000')}; n 3")
    before = line.session.cursor.next
    line("explain lag; explain restart")
    assert line.session.cursor.next == before


def test_interrupted_it_answers_with_what_it_has_and_says_so(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Iterator[object]:
        raise KeyboardInterrupt
        yield

    line(f"open {late.write(late.late_pump, tmp_path / 'hb000000000')}")
    monkeypatch.setattr(lag, "walked_once", interrupted)
    shown: list[Event] = []
    with pytest.raises(KeyboardInterrupt):
        shown.extend(run_line(line.session, REGISTRY, "explain lag"))
    (answer,) = (event for event in shown if isinstance(event, Explained))
    assert (answer.is_partial, answer.verdict) == (True, NO_VERDICT)
    assert [notice.status for notice in shown if isinstance(notice, Notice)] == [ExitStatus.INTERRUPTED]


def test_the_object_holds_the_rule_the_hops_in_seconds_and_their_places(tmp_path: Path) -> None:
    path = late.write(late.late_pump, tmp_path / "hb000000000")
    done = logdump("--format", "jsonl", "-c", f"open {path}; explain lag")
    shown = next(item for item in map(json.loads, done.out.splitlines()) if item["type"] == "explanation")
    assert (shown["question"], shown["rule"]) == ("lag", "one_hop")
    hops = {part["hop"]: part["seconds"] for part in shown["parts"] if part["hop"]}
    assert hops == {"extract_lag": 2.0, "routing_lag": 600.0}
    assert all(part["evidence"][0]["file"] == str(path) for part in shown["parts"] if part["hop"])
