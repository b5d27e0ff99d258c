"""To which transaction a record belongs: one answer, whoever is asked, and from wherever the reading starts."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.kernels import WAYS, run
from tests.searching import examples
from tests.trailformat.samples import header, row, table_record, trail_of
from tests.trailformat.small_batches import in_batches
from trailformat import Record, TrailFile, make_record, make_token
from trailformat.changes.transaction_context import TransactionContext, transaction_at
from trailformat.index import attach, build
from trailformat.index.trail_index import TrailIndex
from trailformat.records.record_header import (
    COMMENT,
    FIRST,
    LAST,
    MIDDLE,
    ONLY,
    RECORD_FRAGMENT,
    RESTART_ABEND,
    RESTART_OK,
)
from trailformat.scan import scan
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import whole_trail
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.tracker import TransactionTracker
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import WholeTrail

GARBAGE = b"\x00\x01garbage between records\xff" * 3
_TRANS_INDS = {"b": FIRST, "m": MIDDLE, "l": LAST, "o": ONLY}
Told = dict[FilePosition, str | None]


def _record(letter: str, number: int) -> Record | bytes:
    """b, m, l, o: rows by TransInd; A, O restarts; T a TDR; C a comment; F, G fragments; # damage."""
    special = {
        "A": (RESTART_ABEND, ONLY),
        "O": (RESTART_OK, MIDDLE),
        "C": (COMMENT, FIRST),
        "F": (RECORD_FRAGMENT, ONLY),
        "G": (RECORD_FRAGMENT, MIDDLE),
    }
    if letter == "#":
        return GARBAGE
    if letter == "T":
        return table_record(1, "TEA.LEAVES")
    if letter in special:
        io_type, trans_ind = special[letter]
        return row(b"more", io_type=io_type, trans_ind=trans_ind)
    tokens = [make_token("L", f"{number}".encode()), make_token("6", b"1.1")] if letter in "bo" else []
    return make_record(header(trans_ind=_TRANS_INDS[letter]), b"leaf", tokens)


class _Trail:
    """Files by letters, and by a plain reading of the rule the CSN of each record."""

    def __init__(self, folder: Path, texts: list[str]) -> None:
        self.paths: list[Path] = []
        self.told: Told = {}
        self.letters: dict[FilePosition, str] = {}
        self._csn: str | None = None
        self._is_open = self._has_ended = False
        number = 0
        for at, text in enumerate(texts):
            path, rba, records = folder / f"tt{at:09}", 0, []
            self._has_ended = False
            for letter in text:
                number += 1
                record = _record(letter, number)
                self._take(FilePosition(path, rba), letter, number)
                records.append(record)
                rba += len(record) if isinstance(record, bytes) else record.length
            self.paths.append(trail_of(folder, *records, name=path.name))

    def _take(self, position: FilePosition, letter: str, number: int) -> None:
        if letter == "#":
            self._csn, self._has_ended = None, False
            return
        self.letters[position] = letter
        if letter in "bo":
            self._csn, self._is_open = str(number), True
        elif letter in "AO":
            self._csn, self._is_open, self._has_ended = None, False, False
        elif letter in "ml" and not self._is_open:
            self._csn, self._is_open = None, True
        belongs = letter in "bmol" or (letter in "FG" and (self._is_open or self._has_ended))
        self.told[position] = self._csn if belongs else None
        if letter in "bmol":
            self._has_ended, self._is_open = letter in "ol", letter not in "ol"


def _by_context(trail: TrailFile) -> Told:
    context = TransactionContext(trail)
    return {
        FilePosition(trail.path, record.rba): context.of(record)[0]
        for rba in _rbas(trail)
        if (record := trail.record_at(rba)) is not None
    }


def _backwards(trail: TrailFile) -> Told:
    context = TransactionContext(trail)
    records = [trail.record_at(rba) for rba in reversed(_rbas(trail))]
    return {FilePosition(trail.path, record.rba): context.of(record)[0] for record in records if record is not None}


def _each_alone(trail: TrailFile) -> Told:
    return {FilePosition(trail.path, rba): transaction_at(trail, rba)[0] for rba in _rbas(trail)}


def _by_batches(trail: TrailFile, size: int, start: int = 0) -> Told:
    tracker, told = TransactionTracker(trail), {}
    for batch in scan(trail, start, batch_size=size):
        owners = tracker.of(batch)
        for at, rba in enumerate(batch.rba):
            if batch.kind[at] <= 1:
                told[FilePosition(trail.path, int(rba))] = owners.of_row(at)[0]
    return told


def _rbas(trail: TrailFile) -> list[int]:
    return list(trail.sound_rbas(0, trail.size))


@given(
    texts=st.lists(st.text("bbmmlloooAOTCFG#", min_size=1, max_size=9), min_size=1, max_size=3), size=st.integers(1, 5)
)
@example(texts=["bmT", "AmFl"], size=2)
@example(texts=["bF#Fm", "FlF"], size=1)
@example(texts=["oFml"], size=1)
@settings(max_examples=examples(50), deadline=None)
def test_all_who_are_asked_tell_the_same_transaction(texts: list[str], size: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        known = _Trail(Path(folder), [f"T{text}" for text in texts])
        for path in known.paths:
            with TrailFile(path) as trail:
                expected = {position: csn for position, csn in known.told.items() if position.path == path}
                assert _by_context(trail) == expected
                assert _backwards(trail) == expected
                assert _each_alone(trail) == expected
                for way in WAYS:
                    with run(way):
                        assert _by_batches(trail, size) == expected
                for start in _rbas(trail):
                    behind = {position: csn for position, csn in expected.items() if position.rba >= start}
                    assert _by_batches(trail, size, start) == behind
                index = TrailIndex()
                attach(trail, index)
                for _ in build(trail, index):
                    pass
                assert _each_alone(trail) == expected


@given(
    texts=st.lists(st.text("bbmmllooAOTCFG", min_size=1, max_size=9), min_size=1, max_size=3), size=st.integers(1, 5)
)
@settings(max_examples=examples(40), deadline=None)
def test_a_walk_over_transactions_counts_the_records_that_say_so_themselves(texts: list[str], size: int) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        known = _Trail(Path(folder), [f"T{text}" for text in texts])
        expected = Counter(csn for csn in known.told.values() if csn is not None)
        with TrailFile(known.paths[0]) as trail:
            walk = [
                item
                for item in TransactionWalk(trail, FilePosition(trail.path, 0), nearby=size)
                if isinstance(item, Extent)
            ]
        assert {extent.transaction.csn: extent.records for extent in walk if extent.transaction.csn} == expected
        patch.setattr(whole_trail, "scan_in_threads", in_batches(size))
        found: Counter[str] = Counter()
        for batch in transaction_batches(WholeTrail(known.paths)):
            for at, csn in enumerate(batch.csns):
                if csn is not None:
                    found[csn] += int(batch.columns.records[at])
        assert found == expected
