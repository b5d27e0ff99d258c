"""LIST makes the lines of many records by columns: byte for byte what an oracle makes record by record."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display import header_texts, text
from logdump.display.listing import located
from logdump.features.list.model import RecordListed
from logdump.language.execute import run_line
from logdump.notation.times import GMT, LOCAL, TimeOffset, format_timestamp
from logdump.session import scan
from logdump.session.events import Event, Progress
from tests.logdump.export.drawn_transactions import TABLES, DrawnTransactions, definition
from tests.logdump.export.strategies import records_of_a_table
from tests.logdump.line import Line
from tests.oracles.listed_line import listed_line
from tests.searching import IS_LONG, Random, all_in_turn, examples, some_trails
from tests.trailformat.samples import BOTH, header, row, table_record, trail_of
from trailformat import ByteOrder, Images, Record, make_column, make_record, make_token
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.records.record_header import FIELD_COMP

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
FILES = some_trails((path for path in TRAILS.iterdir() if path.suffix != ".md"), __name__)
FEWEST = (1, 3)
"""Numbers of rows of a table from which on they are read by columns."""


class Shown(NamedTuple):
    """What LIST shows, and where the session stands then."""

    lines: Sequence[str]
    place: tuple[str, int, int] | None


@pytest.fixture(params=FEWEST, autouse=True)
def _few_are_many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(located, "FEW", request.param)
    monkeypatch.setattr(located, "_MANY", request.param)
    monkeypatch.setattr(located, "_MOST_CELLS", 8 if request.param == 1 else 1 << 20)  # a row, or two, at a time
    monkeypatch.setattr(scan, "_LARGEST", 3)
    monkeypatch.setattr(scan, "_TOGETHER", 7)


def _lines(event: Event, line: Line) -> list[str]:
    if isinstance(event, Progress) and line.session.settings.scan_scrolling:
        return []  # at a terminal, a line that the next one overwrites
    if isinstance(event, RecordListed):
        file = event.path.name if event.has_file else ""
        return [listed_line(event.row, line.session.settings.time_offset, file)]
    shown = text.render(event, line.session.settings)
    return "\n".join(shown).split("\n") if shown else []


def _shown(path: Path, command: str, before: str, takes_lines: int) -> Shown:
    line = Line()
    line(f"open {path}; notify 3; {before}")
    line.session.takes_lines = takes_lines
    with closing(line.session):
        events = list(run_line(line.session, REGISTRY, command))
        shown = [text for event in events for text in _lines(event, line)]
        if not line.session.has_trail:
            return Shown(shown, None)
        cursor = line.session.cursor
        return Shown(shown, (line.session.trail.path.name, cursor.next, cursor.current))


def check(path: Path, command: str = "list all", before: str = "") -> list[str]:
    """Hold lines made together, and one by one, against the oracle; return them."""
    for scrolling in ("on", "off"):
        settings = f"{before}; scanscrolling {scrolling}"
        expected = _shown(path, command, settings, 0)
        for takes_lines in (64, 1):
            assert _shown(path, command, settings, takes_lines) == expected
    return list(expected.lines)


@pytest.mark.parametrize("trail", FILES, ids=lambda path: path.name)
def test_every_trail_is_listed_alike(trail: Path) -> None:
    check(trail)


@pytest.mark.parametrize(
    ("trail", "before", "command"),
    all_in_turn(
        ["gt000000000", "et000000000", "kt000000000", "ft000000000", "al000000000"],
        [
            "next 6",
            "pos 7",
            "filter include rectype insert",
            "filter exclude rectype insert",
            "across on",
            "pos eof; pos rev",
            "timeoffset gmt -03:30",
            f"sourcedefs {DEFINITIONS} override",
        ],
        ["list 5; list 9", "list 3 columns name,price; list all columns Stock_kg", "list; list 2"],
    ),
)
def test_a_part_of_a_trail_is_listed_alike(trail: str, before: str, command: str) -> None:
    check(TRAILS / trail, command, before)


@pytest.mark.parametrize(
    ("seed", "order", "before"),
    all_in_turn(
        range(20 if IS_LONG else 3),
        BOTH,
        ["", "filter include filename TEA.POTS", "filter include rectype 5", "skip 9", "filter exclude rectype 15"],
    ),
)
def test_drawn_transactions_are_listed_alike(seed: int, order: ByteOrder, before: str, tmp_path: Path) -> None:
    drawn = DrawnTransactions(Random(f"{seed} {order} {before}"), order)
    records = [definition(name, index, order) for index, name in enumerate(TABLES, 1)]
    records += [record for _ in range(25 if IS_LONG else 12) for record in drawn.transaction()]
    assert len(check(trail_of(tmp_path, *records), before=before)) > 1


@pytest.mark.parametrize("case", range(examples(12)))
def test_a_line_that_is_taken_alone_leaves_the_session_at_its_record(case: int, tmp_path: Path) -> None:
    """One is taken after the other, and after any of them no more."""
    random = Random(f"alone {case}")
    order = random.choice(BOTH)
    drawn = DrawnTransactions(random, order)
    records = [definition(name, index, order) for index, name in enumerate(TABLES, 1)]
    records += [record for _ in range(8) for record in drawn.transaction()]
    begins = list(accumulate((record.length for record in records), initial=0))
    line = Line()
    line(f"open {trail_of(tmp_path, *records)}")
    line.session.takes_lines = 1
    last = random.randrange(len(records) // 2, len(records))
    with closing(line.session), closing(run_line(line.session, REGISTRY, "list all")) as events:
        for number, event in enumerate(event for event in events if not isinstance(event, Progress)):
            shown = text.render(event, line.session.settings)
            assert [part.split()[0] for part in shown] == [str(begins[number])]
            assert (line.session.cursor.current, line.session.cursor.next) == (begins[number], begins[number + 1])
            if number == last:
                break


@settings(max_examples=examples(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=records_of_a_table())
def test_rows_of_every_type_are_listed_alike(records: list[Record], tmp_path: Path) -> None:
    check(trail_of(tmp_path, *records))


def test_several_files_are_listed_alike_with_damage_in_the_second(tmp_path: Path) -> None:
    for number in range(3):
        rows = [row(b"tea %d" % at, name=1) for at in range(6)]
        damage = [b"no record at all, but bytes " * 4] if number == 1 else []
        trail_of(tmp_path, table_record(1, "TEA.LEAVES"), *rows[:3], *damage, *rows[3:]).rename(
            tmp_path / f"nh{number:06}"
        )
    lines = check(tmp_path / "nh000000", before="across on")
    assert sum("TEA.LEAVES" in line for line in lines) == 3 * 7


@pytest.mark.parametrize("place", range(1, 7))
def test_both_halves_of_updates_are_listed_alike_wherever_batches_end(place: int, tmp_path: Path) -> None:
    """Three updates in two records, of the same columns, one with metadata between its halves."""
    table = table_record(1, "TEA.LEAVES", columns=3)
    halves = [
        make_record(
            header(1, io_type=FIELD_COMP, before_after=ord(side), trans_ind=1),
            Images(image, None) if side == "B" else Images(None, image),
        )
        for number in (1, 2, 3)
        for side in "BA"
        for image in [tuple(make_column(at, (number + (at == 1 and side == "A")).to_bytes(8)) for at in range(3))]
    ]
    records = [*halves[:3], table_record(2, "TEA.POTS"), *halves[3:]]
    start = [row(name=1) for _ in range(place)]
    lines = check(trail_of(tmp_path, table, *start, *records))
    assert sum("before image of the update" in line for line in lines) == 3


@pytest.mark.parametrize("seed", range(examples(24)))
def test_columns_in_any_order_and_more_than_once_are_listed_alike(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    orders = [random.choices(range(4), k=random.randint(1, 7)) for _ in range(12)] + [[0, 3, 1, 3], [2, 0, 1, 0]]
    rows = [
        make_record(
            header(1), Images(None, tuple(make_column(at, number.to_bytes(8)) for number, at in enumerate(order, 1)))
        )
        for order in orders
    ]
    check(trail_of(tmp_path, table_record(1, "TEA.LEAVES", columns=4), *rows))


@pytest.mark.parametrize("wide", [True, False])
def test_transactions_of_any_name_are_fields_of_a_line(wide: bool, tmp_path: Path) -> None:
    names = [b"4188", b"", b"4 1", b"41\xff", "41茶".encode() if wide else b"41\x1b", b"418"]
    records = [
        make_record(header(1, trans_ind=3), Images(None, (make_column(0, b"x"),)), [make_token("L", name)])
        for name in names
    ]
    lines = check(trail_of(tmp_path, table_record(1, "TEA.LEAVES"), *records))
    assert '"4 1"' in "\n".join(lines)


_WORD = 1 << 63
TIMES = st.integers(-_WORD, _WORD - 1) | st.integers(-62_200_000_000, 253_500_000_000).map(
    lambda seconds: seconds * 10**6 + 1
)
OFFSETS = st.sampled_from([GMT, LOCAL, TimeOffset(-210), TimeOffset(899)])


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(times=st.lists(TIMES, max_size=9), offset=OFFSETS)
@example(times=[0, 0, _WORD - 1, -_WORD], offset=GMT)
def test_times_are_those_of_one_record(times: list[int], offset: TimeOffset) -> None:
    julian = [max(-_WORD, min(_WORD - 1, time + JULIAN_UNIX_EPOCH)) for time in times]
    shown = header_texts.shown_times(np.array(julian, np.int64), offset)
    data, offsets = bytes(shown.texts.data), shown.texts.offsets.tolist()
    texts = [data[offsets[number] : offsets[number + 1]].decode() for number in shown.numbers.tolist()]
    assert texts == [format_timestamp(time, offset) for time in julian]
