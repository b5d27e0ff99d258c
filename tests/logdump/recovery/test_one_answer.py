"""One answer to what is applied of a trail, what not and why, and where it begins and ends, whoever is asked.

Trails are drawn (:mod:`tests.simulated.drawn_histories`); a model of a Replicat knows what is in them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fixtures.flavour import MYSQL_21, ORACLE_12
from logdump.features.bounded_recovery.model import BrOptions
from logdump.features.bounded_recovery.survey import BrSurvey
from logdump.features.count.model import CountShown, TransactionsShown
from logdump.features.diff.model import DiffShown
from logdump.features.recovery.model import RecoveryShown
from logdump.session.effective_rows import NotAppliedByFile
from logdump.tui.reading.rows import RowReader
from tests.logdump.line import Line
from tests.logdump.tables.reads import rows
from tests.searching import examples, part_of
from tests.simulated.drawn_histories import KINDS, drawn
from tests.simulated.extract import Written
from tests.simulated.restarted_replicat import History, Occurrence
from tests.trailformat.index.reference import built
from trailformat import TrailName
from trailformat.changes.transaction_context import TransactionContext
from trailformat.records.record_header import LAST, NOT_TRANSACTIONAL, ONLY
from trailformat.scan import scan
from trailformat.totals.counting import OTHERS
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.around import extent_at
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.restart_places import restart_places
from trailformat.transactions.tracker import TransactionTracker
from trailformat.transactions.whole_trail import WholeTrail

SEEDS = st.integers(0, 1 << 32)
_NO_ROWS = {*NOT_TRANSACTIONAL, OTHERS}

Told = list[tuple[FilePosition, FilePosition, bool, str]]
"""Of each transaction its first and last record, whether it begins there, and how it ended."""


def _model(history: History) -> Told:
    return sorted(
        (occurrence.first, occurrence.last, occurrence.begin is not None, occurrence.ended)
        for occurrence in history.occurrences
    )


def _of_extents(extents: Iterator[object]) -> Told:
    found = [extent for extent in extents if isinstance(extent, Extent)]
    return sorted(
        (extent.first, extent.last, extent.begin is not None, extent.ended.value)  # type: ignore[misc]
        for extent in found
        if extent.first
    )


def _applied(history: History, *, past_damage: bool = False) -> set[FilePosition]:
    return set(history.run(FilePosition(history.paths[0], 0), past_damage=past_damage).begins)


@pytest.mark.parametrize("kind", part_of(KINDS, 0, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(3, short=1), deadline=None)
def test_the_walk_and_the_view_of_spark_tell_where_each_transaction_begins_and_how_it_ended(
    kind: str, seed: int
) -> None:
    with drawn(kind, seed) as history:
        expected, applied = _model(history), _applied(history)
        assert _of_extents(transactions_of(WholeTrail(history.paths))) == expected
        told = rows(",".join(map(str, history.paths)), analysis="transactions", mode="PERMISSIVE")
        assert {
            FilePosition(Path(listed["begin_file"]), listed["begin_rba"]) for listed in told if listed["is_effective"]
        } == applied
        assert sorted(
            (
                FilePosition(Path(listed["begin_file"]), listed["begin_rba"]),
                FilePosition(Path(listed["end_file"]), listed["end_rba"]),
                listed["ended"],
            )
            for listed in told
        ) == [(first, last, ended) for first, last, _, ended in expected]
        assert sum(item["records"] for item in told) == sum(len(occurrence.rows) for occurrence in history.occurrences)


@pytest.mark.parametrize("kind", part_of(KINDS, 1, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(2, short=1), deadline=None)
def test_from_each_record_transaction_and_safe_find_the_one_that_the_walk_finds(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        for occurrence in history.occurrences:
            for row in occurrence.rows:
                with TrailFile(row.path) as trail:
                    extent, places = extent_at(trail, row.rba), restart_places(trail, row.rba)
                assert extent is not None
                assert _of_extents(iter([extent])) == [
                    (occurrence.first, occurrence.last, occurrence.begin is not None, occurrence.ended)
                ]
                assert places.extent == extent._replace(before=occurrence.rows.index(row))


@pytest.mark.parametrize("kind", part_of(KINDS, 2, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(2, short=1), deadline=None)
def test_csn_and_brackets_of_a_record_are_those_of_its_transaction(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        for occurrence in history.occurrences:
            is_named = occurrence.begin is not None
            for row in occurrence.rows if occurrence.ended != "damage" else occurrence.rows[:1]:
                csn = MYSQL_21.csn(occurrence.number) if is_named else None
                with TrailFile(row.path) as trail:
                    record = trail.record_at(row.rba)
                    assert record is not None
                    assert TransactionContext(trail).of(record).csn == csn
                    [shown] = RowReader(trail).for_screen([RowReader(trail).at(row.rba)])
                    assert (shown.csn, shown.place) == (csn, _place(occurrence, row))
                    batch = next(scan(trail, row.rba))
                    assert TransactionTracker(trail).of(batch).of_row(0).csn == csn


def _place(occurrence: Occurrence, row: Written) -> int:
    """First, middle, last, only: whether it begins with this record, and whether it ends with it."""
    begins = occurrence.begin is not None and row is occurrence.rows[0]
    ends = row.trans_ind in (LAST, ONLY)
    return {(True, False): 0, (False, False): 1, (False, True): 2, (True, True): 3}[begins, ends]


@pytest.mark.parametrize("kind", part_of(KINDS, 3, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(2, short=1), deadline=None)
def test_commands_apply_the_same_transactions_and_say_the_same_of_the_others(
    kind: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    exported = tmp_path_factory.mktemp("exported") / "rows"
    with drawn(kind, seed) as history:
        run, folder = history.run(FilePosition(history.paths[0], 0)), history.paths[0].parent
        line, xids = Line(), [MYSQL_21.xid(number) for number in run.whole]
        begin = f"open {history.paths[0]}"
        line(f"{begin}; across {'gaps' if kind == 'gap' else 'on'}; recovery")
        (shown,) = (event for event in line.events if isinstance(event, RecoveryShown))
        ended = [occurrence.ended for occurrence in history.occurrences if occurrence.begin is not None]
        assert (shown.transactions, shown.effective) == (len(history.occurrences), len(run.whole))
        assert shown.cut == sum(state in ("cut", "overtaken") for state in ended)
        assert _begun(line("redo 99999")) == xids
        # REDO stops at damage as a Replicat does, and at a missing file unless it is told to go on behind it
        # what stands behind damage may be applied too, so that nothing before it can be undone
        assert _begun(line(f"{begin}; undo 99999")) == ([] if history.zeros else xids[::-1])
        line(f"count effective, log {folder / '*0*'}")
        (counted,) = (event for event in line.events if isinstance(event, CountShown))
        types = counted.counted.total.types
        assert sum(number for io_type, number in types.items() if io_type not in _NO_ROWS) == len(run.rows)
        line(f"{begin}; export jsonl to {exported} effective")
        assert _exported(exported) == run.rows
        # HEARTBEAT goes by these
        ranges = NotAppliedByFile(WholeTrail(history.paths))
        written = [row for occurrence in history.occurrences for row in occurrence.rows]
        assert {FilePosition(row.path, row.rba) for row in written if not ranges.of(row.path).hold(row.rba)} == run.rows
        trail = folder / history.paths[0].name[:2]
        line(f"diff {trail} {trail} ignore cut quiet")
        (compared,) = (event for event in line.events if isinstance(event, DiffShown))
        past_damage = len(_applied(history, past_damage=True))
        assert (compared.equal, compared.a.transactions) == (past_damage, past_damage)


def _begun(script: list[str]) -> list[str]:
    return [text.split()[2] for text in script if text.startswith("-- Transaction ")]


def _exported(path: Path) -> set[FilePosition]:
    told = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {FilePosition(Path(item["file"]), item["rba"]) for item in told if item.get("csn") is not None}


@pytest.mark.parametrize("kind", part_of(KINDS, 4, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(2, short=1), deadline=None)
def test_bounded_recovery_takes_each_whole_transaction_once(kind: str, seed: int) -> None:
    with drawn(kind, seed, ORACLE_12) as history:
        survey = BrSurvey(WholeTrail(history.paths), BrOptions(), {})
        for _ in survey.run(1 << 40):
            pass
        whole = sum(occurrence.is_whole for occurrence in history.occurrences)
        applied = len(_applied(history, past_damage=True))
        shown = survey.shown("", is_partial=False)
        assert (sum(shown.sources.values()), shown.copies) == (applied, whole - applied)


@pytest.mark.parametrize("kind", part_of(KINDS, 5, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(3, short=1), deadline=None)
def test_the_columns_of_spark_and_the_index_of_the_screen_have_the_transactions_of_the_walk(
    kind: str, seed: int
) -> None:
    with drawn(kind, seed) as history:
        known = {
            (row.path, row.rba): (MYSQL_21.csn(occurrence.number), MYSQL_21.xid(occurrence.number))
            if occurrence.begin
            else (None, None)
            for occurrence in history.occurrences
            for row in (occurrence.rows if occurrence.ended != "damage" else occurrence.rows[:1])
        }
        told = rows(",".join(map(str, history.paths)), "file", "rba", "csn", "xid", mode="PERMISSIVE")
        found = {(Path(item["file"]), item["rba"]): (item["csn"], item["xid"]) for item in told}
        assert {place: found[place] for place in known} == known
        for path in history.paths:
            spans = built(path).sums.transactions
            listed = [*spans.largest, *([spans.open] if spans.open is not None else [])]
            here = [[row for row in occurrence.rows if row.path == path] for occurrence in history.occurrences]
            assert sorted((span.begin, span.records) for span in listed) == sorted(
                (own[0].rba, len(own)) for own in here if own
            )


@pytest.mark.parametrize("kind", part_of(KINDS, 6, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(2, short=1), deadline=None)
def test_explain_transaction_count_and_repair_know_the_same_transactions(
    kind: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    copy = tmp_path_factory.mktemp("repaired") / "zz000000000"
    with drawn(kind, seed) as history:
        occurrences, folder, line = history.occurrences, history.paths[0].parent, Line()
        applied = len(_applied(history))
        shown = " ".join(line(f"open {history.paths[0]}; across on; explain restart"))
        assert f"Trail: {len(occurrences)} transactions, {applied} effective" in shown
        for occurrence in occurrences[:: max(len(occurrences) // 6, 1)]:
            middle = occurrence.rows[len(occurrence.rows) // 2]
            line(f"open {middle.path}; pos {middle.rba}")
            if occurrence.begin is not None:
                line("transaction begin")
                assert (line.session.trail.path, line.session.cursor.current) == occurrence.begin
        ends = sum(row.trans_ind in (LAST, ONLY) for occurrence in occurrences for row in occurrence.rows)
        line(f"count log {folder / '*0*'}")
        (counted,) = (event for event in line.events if isinstance(event, CountShown))
        assert counted.counted.transactions == ends
        line(f"repair over {folder / '*0*'} to {copy} skip")
        line(f"open {copy}; across on; recovery")
        (copied,) = (event for event in line.events if isinstance(event, RecoveryShown))
        assert copied.effective == len(_applied(history, past_damage=True))


@pytest.mark.parametrize("kind", part_of(KINDS, 7, 2))
@given(seed=SEEDS)
@settings(max_examples=examples(2, short=1), deadline=None)
def test_transhist_of_the_effective_trail_lists_the_transactions_that_a_replicat_applies(kind: str, seed: int) -> None:
    with drawn(kind, seed) as history:
        line, applied = Line(), _applied(history)
        line("transhist 200; transreclimit 1; transbytelimit 1")
        line(f"count effective, log {history.paths[0].parent / '*0*'}")
        listed = [event for event in line.events if isinstance(event, TransactionsShown)]
        assert {
            (transaction.seqno, transaction.rba, transaction.records)
            for event in listed
            for transaction in event.transactions
        } == {
            (_seqno(occurrence.first), occurrence.first.rba, len(occurrence.rows))
            for occurrence in history.occurrences
            if occurrence.begin in applied
        }


def _seqno(position: FilePosition) -> int:
    name = TrailName.parse(position.path)
    assert name is not None
    return name.seqno
