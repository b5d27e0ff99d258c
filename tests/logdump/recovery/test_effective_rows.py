"""COUNT EFFECTIVE and EXPORT EFFECTIVE see the rows that a Replicat applies, and all records that are not rows."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.flavour import MYSQL_21
from logdump.features.count.model import CountShown, TransactionsShown
from logdump.session.effective_rows import not_applied_around
from logdump.session.session import Session
from tests.logdump.line import Line
from tests.logdump.recovery.surveys import whole_trail
from tests.searching import Random, examples
from tests.simulated.extract import Written
from tests.simulated.recovery import append_recovery, rebuilt
from tests.simulated.replicat import replicat
from tests.trailformat.samples import trail_of
from tests.trailformat.test_applied import transaction
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.not_applied import NotApplied


def _applied(written: list[Written]) -> set[tuple[Path, int]]:
    """The rows that a Replicat applies that skips what it has had."""
    known, rows = set[int](), set[tuple[Path, int]]()
    for records in _whole(written):
        if records[0].transaction not in known:
            known.add(records[0].transaction)
            rows |= {(record.path, record.rba) for record in records}
    return rows


def _whole(written: list[Written]) -> list[list[Written]]:
    """The transactions that are whole, whatever they change."""
    rows = [record._replace(change=record.change and record.change._replace(is_before=True)) for record in written]
    _, applied = replicat(rows, {})
    return applied


@pytest.mark.usefixtures("kernels")
@given(seed=st.integers(0, 1 << 32), is_rebuilt=st.booleans())
@settings(max_examples=examples(8), deadline=None)
def test_the_places_left_out_are_those_of_all_other_rows(seed: int, *, is_rebuilt: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        random = Random(seed)
        extract = (
            rebuilt(Path(folder), random, MYSQL_21).extract
            if is_rebuilt
            else append_recovery(Path(folder), random, MYSQL_21)
        )
        found = NotApplied(whole_trail(extract.paths))
        rows = [record for record in extract.written if record.change is not None]
        kept = {(record.path, record.rba) for record in rows if not found.of(record.path).hold(record.rba)}
        assert kept == _applied(extract.written)


def _counted(line: Line) -> int:
    """The records of the last COUNT."""
    return next(event.counted for event in line.events if isinstance(event, CountShown)).total.records


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize(("name", "left_out"), [("at000000000", 3), ("at000000001", 0), ("at000000002", 2)])
def test_count_leaves_out_what_is_cut_or_open(line: Line, trails: Path, name: str, left_out: int) -> None:
    line(f"open {trails / name}; count")
    every = _counted(line)
    line("count effective")
    assert every - _counted(line) == left_out


def test_count_of_several_files_leaves_out_copies_in_later_ones(line: Line, trails: Path, tmp_path: Path) -> None:
    for number in range(2):
        (tmp_path / f"zz00000000{number}").write_bytes((trails / "et000000000").read_bytes())
    line(f"count log {tmp_path / 'zz*'}")
    both = _counted(line)
    line(f"count effective, log {tmp_path / 'zz*'}")
    rows = 18
    assert _counted(line) == both - rows


@pytest.mark.usefixtures("kernels")
def test_behind_a_missing_file_rows_are_applied_again(trails: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "zz000000000", tmp_path / "zz000000005"]
    for path, name in zip(paths, ("at000000000", "at000000001"), strict=True):
        path.write_bytes((trails / name).read_bytes())
    found = NotApplied(whole_trail(paths))
    assert found.of(paths[0]).hold(3939)
    assert [rba for rba in (2363, 2554, 2744) if found.of(paths[1]).hold(rba)] == []


def test_export_leaves_out_rows_and_keeps_what_is_no_row(line: Line, trails: Path, tmp_path: Path) -> None:
    line(f"open {trails / 'at000000000'}; export jsonl to {tmp_path / 'all'}; pos 0")
    line(f"export jsonl to {tmp_path / 'some'} effective")
    every, some = (
        [json.loads(text) for text in (tmp_path / name).read_text(encoding="utf-8").splitlines()]
        for name in ("all", "some")
    )
    left_out = [item for item in every if item not in some]
    assert [(item["csn"], item["rba"]) for item in left_out] == [
        ("41882334", 2722),
        ("41882334", 2913),
        ("41882368", 3939),
    ]


def test_the_filter_is_as_before_when_the_command_is_done(line: Line, trails: Path) -> None:
    line(f"open {trails / 'at000000000'}; count effective")
    line("count")
    assert line.session.narrowing is None


def test_the_largest_transactions_are_those_of_rows_that_are_applied(line: Line, trails: Path) -> None:
    line("transhist 10; transreclimit 1")
    line(f"open {trails / 'at000000000'}")
    line("count effective")
    (shown,) = (event for event in line.events if isinstance(event, TransactionsShown))
    assert [(large.rba, large.records) for large in shown.transactions] == [(3130, 3), (2363, 2), (3738, 1)]


@pytest.mark.parametrize("files", [1, 2, 3])
def test_what_is_not_applied_is_found_anew_when_the_newest_file_has_grown(files: int, tmp_path: Path) -> None:
    """A session asks, the newest file gets copies of what stands in each of the others, and it asks again."""
    records = [transaction(f"{number + 1}0", f"1.{number}")[0] for number in range(files)]
    paths = [trail_of(tmp_path, record, name=f"tt{number:09}") for number, record in enumerate(records)]
    session = Session()
    assert not not_applied_around(session, paths[-1]).holds(FilePosition(paths[-1], 0))
    for number, record in enumerate(records):
        end = paths[-1].stat().st_size
        paths[-1].write_bytes(paths[-1].read_bytes() + record.raw)
        assert not_applied_around(session, paths[-1]).holds(FilePosition(paths[-1], end)), number
