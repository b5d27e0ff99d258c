"""The words of SQL before and after a statement, each with and without it; and the bounds of what is shown."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pytest

from fixtures import TRAILS
from logdump.arrow.plain_values import named
from logdump.features.sql import command
from logdump.features.sql.local_query import LocalQuery
from logdump.features.sql.model import RowsShown
from logdump.features.sql.output import printed, write_result
from logdump.features.sql.rows import LineFormat, Output, ResultRows, no_rows
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, say
from tests.logdump.sql.told import Asked
from tests.searching import Random, examples

AT, ST = f"{TRAILS}/at*", f"{TRAILS}/st*"
APPLIED = {
    "records": ("count(*)", 30, 25),
    "summary": ("sum(records)", 30, 25),
    "TEAHOUSE.TEAS": ("count(*)", 11, 7),
    "TEAHOUSE.SALES": ("count(*)", 4, 3),
    "transactions": ("count(*)", 10, 10),
    "restarts": ("count(*)", 4, 4),
}
"""What EFFECTIVE changes of each view: of the rows some are in transactions that were cut, or open at the end."""


@pytest.mark.parametrize("view", APPLIED)
@pytest.mark.parametrize(
    "source", ["over {at} {effective} {columns} from {view}", "{effective} {columns} from {trail}"]
)
def test_effective_leaves_rows_out_of_records_and_tables_alone(source: str, view: str) -> None:
    columns, everything, applied = APPLIED[view]
    for word, expected in (("", everything), ("effective", applied)):
        trail = f"trail('{AT}', '{view}')"
        statement = source.format(at=AT, effective=word, columns=f"select {columns}", view=view, trail=trail)
        assert Asked().rows(statement) == [(expected,)], statement


@pytest.mark.parametrize("line", ["", "filter include iotype insert delete", "filter include rba > 10"])
def test_mode_holds_with_and_without_a_filter(line: str) -> None:
    asked = Asked(f"open {TRAILS / 'ft000000000'}")
    asked(line)
    statement = "select count(*) > 0 from records where rba > 3000"
    assert "RBA 3522" in asked.refusal(statement)
    for mode in ("permissive", "dropmalformed"):
        assert asked.rows(f"mode {mode} {statement}") == [(True,)]


def test_a_trail_that_a_statement_names_is_read_alone() -> None:
    """Whichever the open trail, and the files of OVER, are."""
    for before in ("", f"over {AT} ", f"over {TRAILS}/at000000000,{TRAILS}/at000000001 "):
        asked = Asked(f"open {TRAILS / 'et000000000'}")
        assert asked.rows(f"{before}select count(*), count(distinct file) from trail('{ST}')") == [(26, 2)]


def _packed(names: Sequence[str], target: Path) -> Path:
    """A folder or an archive with these trail files and others that are none."""
    folder = target.parent / f"files of {target.name}"
    folder.mkdir()
    for name in names:
        shutil.copy(TRAILS / name, folder)
    for name in ("README.txt", "lt000000000.def", "_SUCCESS", ".hidden"):
        (folder / name).write_text("Not a trail.")
    if not target.suffix:
        return folder.rename(target)
    kind = {".zip": "zip", ".tar": "tar", ".tgz": "gztar"}[target.suffix]
    return Path(shutil.make_archive(str(target), kind, folder)).rename(target)


@pytest.mark.parametrize("suffix", ["", ".zip", ".tar", ".tgz"])
def test_over_takes_the_trail_files_of_a_folder_or_of_an_archive(suffix: str, tmp_path: Path) -> None:
    """Whatever else lies in it, alone and among other names; without any it is refused with what it holds."""
    names = ("at000000000", "at000000001", "at000000002")
    packed, asked = _packed(names, tmp_path / f"all{suffix}"), Asked()
    assert asked.rows(f"over {packed} select count(*), count(distinct file) from records") == [(30, 3)]
    for several in (f"{packed},{ST}", f"{ST},{packed}"):
        assert asked.rows(f"over {several} select count(*), count(distinct file) from records") == [(56, 5)]
    none = _packed((), tmp_path / f"none{suffix}")
    for several in (str(none), f"{packed},{none}", f"{none},{ST}"):
        said = asked.refusal(f"over {several} select count(*) from records")
        assert re.search(rf"No trail file is in {re.escape(str(none))}; it holds .*README.txt", said), said


@pytest.mark.parametrize("rows", [2, 3, 4])
def test_of_more_rows_than_are_shown_the_first_are_shown_and_that_is_told(
    rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "MOST_ROWS", 3)
    asked = Asked()
    shown = asked.rows(f"select i from range({rows}) t(i) order by i")
    notices = [event for event in asked.events if isinstance(event, Notice)]
    assert shown == [(number,) for number in range(min(rows, 3))]
    assert [notice.lines[0].startswith("Only the first 3 rows") for notice in notices] == [True] * (rows > 3)


@pytest.mark.parametrize("most", [1, 3, 2500, None])
def test_no_more_rows_are_made_than_are_asked_for(most: int | None) -> None:
    """Of very many rows only those that are shown: all of them would not fit into memory."""
    for text in ("select i from range(5000) t(i)", f"select rba from trail('{AT}') a, range(300)"):
        rows = sum(batch.num_rows for batch in LocalQuery({}, {}).batches(text, most))
        assert rows == most if most is not None else rows in (5000, 9000)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_all_rows_of_several_batches_are_written_and_counted(ending: str, tmp_path: Path) -> None:
    asked = Asked()
    asked(f"sql select i from range(25000) t(i) order by i to {tmp_path / f'rows.{ending}'}")
    assert "Wrote 25,000 rows" in str(asked.events) or "Wrote 25000 rows" in str(asked.events)
    if ending == "jsonl":
        lines = (tmp_path / "rows.jsonl").read_text().splitlines()
        assert [json.loads(line)["i"] for line in lines] == [*range(25_000)]


@pytest.mark.parametrize("seed", range(examples(40, short=20)))
@pytest.mark.parametrize("format_", LineFormat)
def test_lines_that_are_printed_are_those_of_a_file_however_the_rows_are_cut_into_batches(
    format_: LineFormat, seed: int, tmp_path: Path
) -> None:
    """Empty batches and what is said between them add no line; the names of the columns come once, and first."""
    random = Random(f"{format_} {seed}")
    number = random.randint(0, 9)
    rows = pa.RecordBatch.from_pydict(
        {"a": [*range(number)], "b,c": [random.choice(("x", 'y"', None, "")) for _ in range(number)]}
    )
    cuts = sorted(random.choices(range(number + 1), k=random.randint(0, 4)))
    results: list[Event | ResultRows] = [ResultRows(no_rows(rows.schema))]
    for begin, stop in pairwise((0, *cuts, number)):
        results += [say("between"), ResultRows(rows.slice(begin, stop - begin))]
    path = tmp_path / f"rows.{format_.value.lower()}"
    said = [event for event in write_result(Output(path, replaces=False), iter(results)) if event == say("between")]
    texts = [*printed(format_, iter(results))]
    lines = [line for text in texts if text != say("between") for line in text.lines]  # type: ignore[attr-defined]
    assert lines == path.read_text().splitlines()
    assert len(lines) == number + (format_ is LineFormat.CSV)
    assert texts.count(say("between")) == len(said) == len(cuts) + 1


def test_a_table_has_the_rows_of_all_batches_of_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MOST_ROWS", 12_000)
    shown = Asked()(f"sql over {AT} select i from range(11000) t(i) order by i")
    [rows] = [event.rows for event in shown if isinstance(event, RowsShown)]
    assert [row[0] for row in rows] == [*range(11_000)]


@pytest.mark.parametrize(
    "given", ["{0}*", "{0}000000000,{0}000000002", "{1}*,{0}*", "{0}000000002,{1}000000000,{0}000000000"]
)
def test_a_file_that_is_missing_is_told_wherever_it_is_named(given: str, tmp_path: Path) -> None:
    for name in ("at000000000", "at000000002", "st000000000", "st000000001"):
        shutil.copy(TRAILS / name, tmp_path)
    asked = Asked()
    asked.rows(f"over {given.format(tmp_path / 'at', tmp_path / 'st')} select count(*) from records")
    notices = [event for event in asked.events if isinstance(event, Notice)]
    assert [notice.status for notice in notices] == [ExitStatus.BAD_DATA]
    asked.rows(f"over {tmp_path}/st* select count(*) from records")
    assert not [event for event in asked.events if isinstance(event, Notice)]


@pytest.mark.parametrize("given", ["{0}000000000,{0}000000002", "{0}000000002,{0}000000000"])
def test_a_file_that_was_not_asked_for_is_not_missing(given: str, tmp_path: Path) -> None:
    for number in range(3):
        shutil.copy(TRAILS / f"at{number:09}", tmp_path)
    asked = Asked()
    asked.rows(f"over {given.format(tmp_path / 'at')} select count(*) from records")
    assert not [event for event in asked.events if isinstance(event, Notice)]


def test_names_that_repeat_are_numbered_from_the_second_on() -> None:
    names = ("a", "a", "a", "a_2", "b", "a")
    assert named(names, [1, 2, 3, 4, 5, 6]) == {"a": 1, "a_2": 2, "a_3": 3, "a_2_2": 4, "b": 5, "a_4": 6}
