"""NEXT of many records makes their lines together, or by columns: byte for byte what it shows record by record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.commands import REGISTRY, position
from logdump.commands.records import many_rows
from logdump.display import json_lines, text
from logdump.language.execute import run_line
from logdump.session.events import Event, Progress, RecordsInLines
from logdump.session.settings import OutputFormat
from tests.logdump.export.strategies import records_of_a_table
from tests.logdump.line import Line
from tests.searching import examples, in_turn, some_trails
from tests.trailformat.samples import row, table_record, trail_of
from trailformat import Record, Token, TrailFile, make_record, make_token
from trailformat.records.record_header import FIELD_COMP

DEFINITIONS = Path(__file__).parents[1] / "transcripts" / "obey" / "teahouse.def"
FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
BLOCKS = "ghdr on; detail data; ggstoken detail; usertoken detail; headertoken detail; reclen 30"
PLACES: tuple[tuple[int, list[Token]], ...] = ((1, []), (1, []), (1, []), (2, []))
"""TransInd and tokens of the later records of a transaction."""
FORMS = {"text": "", "text with all blocks": BLOCKS, "json": "format jsonl"}
"""What is set for each form; JSON goes by columns."""


class Shown(NamedTuple):
    """What NEXT shows, how far it says to be, and where the session stands then."""

    lines: Sequence[str]
    progress: Sequence[tuple[int, int, int]]
    places: tuple[str, int, int] | None


@pytest.fixture(autouse=True)
def _few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(position, "_MANY", 2)
    monkeypatch.setattr(position, "_ROW_BYTES", 1)
    monkeypatch.setattr(many_rows, "_TOGETHER", 6)


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    """One of FORMS."""
    return FORMS[request.param]


def _line(path: Path, before: str, *, together: bool) -> Line:
    line = Line()
    line(f"open {path}; notify 3; {before}")
    line.session.takes_lines = 4 * together
    return line


def _lines(event: Event, line: Line) -> list[str]:
    is_json = line.session.settings.format is OutputFormat.JSONL
    shown = (json_lines if is_json else text).render(event, line.session.settings)
    return "\n".join(shown).split("\n") if shown else []


def _shown(path: Path, command: str, before: str, *, together: bool) -> Shown:
    line = _line(path, before, together=together)
    with closing(line.session):
        events = list(run_line(line.session, REGISTRY, command))
        shown = [text for event in events for text in _lines(event, line)]
        progress = [(event.records, event.rba, event.time) for event in events if isinstance(event, Progress)]
        if not line.session.has_trail:
            return Shown(shown, progress, None)
        cursor = line.session.cursor
        return Shown(shown, progress, (line.session.trail.path.name, cursor.next, cursor.current))


def _check(path: Path, command: str, before: str) -> None:
    assert _shown(path, command, before, together=True) == _shown(path, command, before, together=False)


@pytest.mark.parametrize(("trail", "form"), in_turn(FILES, FORMS), indirect=["form"])
def test_every_trail_is_shown_alike(trail: Path, form: str) -> None:
    _check(trail, "n 9999; n 2", form)


@pytest.mark.parametrize(
    "before",
    [
        "next 6",
        "pos 7",
        "filter include rectype insert",
        "across on",
        "pos eof; pos rev",
        "values on",
        "ebcdicheader on",
    ],
)
def test_a_part_of_a_trail_is_shown_alike(before: str, form: str) -> None:
    _check(TRAILS / "gt000000000", "n 5; n 9", f"{form}; {before}")


@pytest.mark.parametrize("command", ["n 9999", "n 7; n 30; n 9999", "n 26; n 3"])
def test_records_of_several_files_are_counted_and_shown_alike(command: str, form: str, tmp_path: Path) -> None:
    """What was shown together before the end of a file counts for the records that follow, and for NOTIFY."""
    for number in range(4):
        trail_of(tmp_path, *[row(b"tea %d" % at) for at in range(7 + number)]).rename(tmp_path / f"nh{number:06}")
    _check(tmp_path / "nh000000", command, f"{form}; across on")


def test_a_number_means_another_table_from_its_next_definition_on(form: str, tmp_path: Path) -> None:
    rows = [row(name=1), row(name=1)]
    tables = [table_record(1, f"TEA.{name}") for name in ("LEAVES", "POTS", "CUPS")]
    path = trail_of(tmp_path, *[record for table in tables for record in (table, *rows)])
    _check(path, "n 9999", form)
    shown = "\n".join(_shown(path, "n 9999", form, together=True).lines)
    assert [shown.count(f"TEA.{name}") >= len(rows) for name in ("LEAVES", "POTS", "CUPS")] == [True, True, True]


@pytest.mark.parametrize("skipped", range(1, 9))
def test_records_inside_a_transaction_have_what_its_first_record_says(skipped: int, form: str, tmp_path: Path) -> None:
    """Of three, of which the last is open at the end of the file."""
    records = [
        make_record(row().header._replace(trans_ind=place), b"", tokens)
        for number in (1, 2, 3)
        for place, tokens in ((0, [make_token("L", b"41%d" % number), make_token("6", b"1.2.%d" % number)]), *PLACES)
    ][:-1]
    _check(trail_of(tmp_path, *records), "n 9999", f"{form}; skip {skipped}")
    _check(trail_of(tmp_path, *records), "n 9999", f"{form}; n {skipped}")


@pytest.mark.parametrize("name", ["ot000000", "et000000000"])
@pytest.mark.parametrize("words", ["", " override"])
def test_rows_of_a_definitions_file_are_shown_alike(name: str, words: str, form: str) -> None:
    _check(TRAILS / name, "n 9999", f"{form}; sourcedefs {DEFINITIONS}{words}")


@settings(max_examples=examples(6), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(records=records_of_a_table(), again=st.integers(0, 9), skipped=st.integers(0, 9))
def test_values_of_every_type_good_or_bad_are_shown_alike(
    records: list[Record], again: int, skipped: int, tmp_path: Path, form: str
) -> None:
    """The definition comes again somewhere, and NEXT begins anywhere."""
    path = trail_of(tmp_path, *records[: again + 1], records[0], *records[again + 1 :])
    _check(path, "n 9999", f"{form}; skip {skipped}")


@pytest.mark.parametrize("skipped", range(6))
def test_both_halves_of_an_update_are_shown_alike_wherever_next_begins(skipped: int, form: str, tmp_path: Path) -> None:
    after = row(b"new", 1, io_type=FIELD_COMP, trans_ind=1)
    before = row(b"old", 1, io_type=FIELD_COMP, trans_ind=1, before_after=ord("B"))
    table = table_record(1, "TEA.LEAVES")
    path = trail_of(tmp_path, table, before, table, after, before, after, after, before)
    _check(path, "n 9999", f"{form}; skip {skipped}")


@settings(max_examples=examples(4), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@example(name="bt000000000", changed=[(3444 / 5453, 1)])  # the indicator of a value that is not changed
@given(
    name=st.sampled_from([path.name for path in FILES]),
    changed=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_a_trail_with_any_bytes_changed_is_shown_alike(
    name: str, changed: list[tuple[float, int]], tmp_path: Path, form: str
) -> None:
    data = bytearray((TRAILS / name).read_bytes())
    for place, byte in changed:
        data[int(place * len(data))] = byte
    (tmp_path / name).write_bytes(data)
    _check(tmp_path / name, "n 9999; sfh; n 9999; sfh; n 9999", form)


def test_rows_that_were_shown_are_not_searched_for_definitions(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, without_definition = row(name=1), row(name="TEA.OTHERS")
    rows = [known, without_definition, *[known] * 60]
    path = trail_of(tmp_path, table_record(1, "TEA.LEAVES"), *rows, table_record(2, "TEA.BAGS"), row(name=2))
    walked: list[int] = []
    search = TrailFile.metadata_rbas

    def noted(trail: TrailFile, start: int, stop: int) -> tuple[list[int], int]:
        found = search(trail, start, stop)
        walked.append(found[1] - start)
        return found

    monkeypatch.setattr(TrailFile, "metadata_rbas", noted)
    _shown(path, "n 9999", form, together=True)
    assert max(walked, default=0) < 20 * known.length


@pytest.mark.parametrize("until", [1, 2, 3])
@pytest.mark.parametrize("form", ["json"], indirect=True)
def test_after_an_interrupt_next_goes_on_behind_what_was_printed(until: int, form: str) -> None:
    line = _line(TRAILS / "et000000000", form, together=True)
    events = run_line(line.session, REGISTRY, "n 9999")
    printed = list(_until(until, events, line))
    events.close()
    again = [rba for event in run_line(line.session, REGISTRY, "n 9999") for rba in _rbas(event, line)]
    assert printed + again == _all_rbas(form)


@pytest.mark.parametrize("form", ["json"], indirect=True)
def test_after_an_interrupt_next_goes_on_before_what_was_not_printed_yet(form: str) -> None:
    line = _line(TRAILS / "et000000000", form, together=True)
    events = run_line(line.session, REGISTRY, "n 9999")
    printed = list(_until(1, events, line))
    while not isinstance(event := next(events), RecordsInLines):
        printed += _rbas(event, line)
    events.close()
    again = [rba for event in run_line(line.session, REGISTRY, "n 9999") for rba in _rbas(event, line)]
    assert printed + again == _all_rbas(form)


def _until(number: int, events: Iterator[Event], line: Line) -> Iterator[int]:
    """The RBAs of the records shown, up to some events that hold many."""
    while number:
        event = next(events)
        yield from _rbas(event, line)
        number -= isinstance(event, RecordsInLines)


def _rbas(event: Event, line: Line) -> list[int]:
    objects = map(json.loads, _lines(event, line))
    return [item["rba"] for item in objects if item["type"] in ("record", "file_header")]


def _all_rbas(form: str) -> list[int]:
    line = _line(TRAILS / "et000000000", form, together=False)
    return [rba for event in run_line(line.session, REGISTRY, "n 9999") for rba in _rbas(event, line)]


@pytest.mark.parametrize(("count", "bytes_of_row", "together"), [(19, 1, False), (20, 1, True), (20, 1 << 30, False)])
@pytest.mark.parametrize("form", ["json"], indirect=True)
def test_records_are_made_by_columns_from_a_number_on(
    count: int, bytes_of_row: int, form: str, monkeypatch: pytest.MonkeyPatch, *, together: bool
) -> None:
    monkeypatch.setattr(position, "_MANY", 20)
    monkeypatch.setattr(position, "_ROW_BYTES", bytes_of_row)
    line = _line(TRAILS / "et000000000", form, together=True)
    events = [*run_line(line.session, REGISTRY, f"n {count}")]
    line.session.close()
    assert any(isinstance(event, RecordsInLines) for event in events) == together
