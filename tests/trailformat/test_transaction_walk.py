"""The transactions of a trail: each once, in order, over files, with how it ended."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels import WAYS, run
from tests.oracles.walk_by_record import WalkByRecord
from tests.searching import Random, examples
from tests.simulated.extract import Extract, Written
from tests.simulated.source import Source
from tests.trailformat.samples import IO_TIME, row, table_record, trail_of
from tests.trailformat.small_batches import in_batches
from trailformat import NotATrail, Record, TrailFile, make_token
from trailformat.records.record_header import (
    COMMENT,
    FIRST,
    INSERT,
    LAST,
    MIDDLE,
    ONLY,
    RECORD_FRAGMENT,
    RESTART_ABEND,
    RESTART_OK,
)
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import extents, whole_trail
from trailformat.transactions.extent import Damage, DamagedPlaces, Ended, Extent, Restart
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import WholeTrail

GARBAGE = b"\x00\x01garbage between records\xff" * 3
_TRANS_INDS = {"b": FIRST, "m": MIDDLE, "l": LAST, "o": ONLY}


def records_of(text: str) -> list[Record | bytes]:
    """Records by letter: b, m, l, o are rows by TransInd; A, O restart markers; T a TDR; C a comment; F a fragment.

    ``#`` is damage.
    """
    special: dict[str, Record | bytes] = {
        "A": row(b"", io_type=RESTART_ABEND, trans_ind=ONLY),
        "O": row(b"", io_type=RESTART_OK, trans_ind=ONLY),
        "T": table_record(1, "TEA.LEAVES"),
        "C": row(b"a comment", io_type=COMMENT, trans_ind=FIRST),
        "F": row(b"more", io_type=RECORD_FRAGMENT, trans_ind=ONLY),
        "#": GARBAGE,
    }
    return [special[letter] if letter in special else row(b"leaf", trans_ind=_TRANS_INDS[letter]) for letter in text]


def walked(path: Path, until: Path | None = None) -> list[str]:
    """What a walk says, one word each: how many records, and how it ended; ``?`` in front where the beginning lacks."""
    said = []
    with TrailFile(path) as trail:
        for item in TransactionWalk(trail, FilePosition(path, 0), until=until):
            if isinstance(item, Damage):
                said.append("partial" if item.is_partial else "damage")
            elif isinstance(item, Extent):
                said.append(f"{'' if item.begin else '?'}{item.records}{item.ended.value}")
    return said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("obmlo", ["1last", "3last", "1last"]),
        ("bTClo", ["2last", "1last"]),
        ("bFlFFo", ["5last", "1last"]),
        ("bmAbml", ["2cut", "3last"]),
        ("bmOo", ["2cut", "1last"]),
        ("oAAo", ["1last", "1last"]),
        ("bmbl", ["2overtaken", "2last"]),
        ("obm", ["1last", "2file_end"]),
        ("bAml", ["1cut", "?2last"]),
        ("b#lo", ["2damage", "1last"]),
        ("b#Abl", ["1damage", "2last"]),
        ("o#mlo", ["1last", "damage", "?2damage", "1last"]),
        ("o#blo", ["1last", "damage", "2last", "1last"]),
        ("o#Amlo", ["1last", "damage", "?2last", "1last"]),
        ("oF#FFo", ["2last", "damage", "1last"]),
        ("blF#F#Fo", ["3last", "damage", "damage", "1last"]),
        ("oF#Fo#Fo", ["2last", "damage", "1last", "damage", "1last"]),
        ("bF#FlFo", ["5damage", "1last"]),
        ("mlo", ["?2last", "1last"]),
    ],
)
def test_each_ends_as_it_stands_in_the_file(text: str, said: list[str], tmp_path: Path) -> None:
    assert walked(trail_of(tmp_path, *records_of(text), name="tt000000000")) == said


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize("minutes", [*itertools.permutations((1, 2, 3))])
def test_the_commit_of_a_batch_is_the_latest_time_of_its_rows(
    minutes: tuple[int, int, int], size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clocks go back; a comment has a later time, but is no row of a transaction."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    times = [IO_TIME + 60_000_000 * minute for minute in minutes]
    rows = [row(io_time=time, trans_ind=ONLY) for time in times]
    later = row(b"a comment", io_type=COMMENT, trans_ind=FIRST, io_time=IO_TIME + 3_600_000_000)
    path = trail_of(tmp_path, rows[0], later, *rows[1:], later)
    of_batches = {1: [times[:1], times[1:2], times[2:]], 2: [times[:1], times[1:]], 100: [times]}[size]
    commits = [batch.commit for batch in transaction_batches(WholeTrail([path]))]
    assert [commit for commit in commits if commit] == [max(part) for part in of_batches]


@pytest.mark.parametrize(
    "files",
    [
        *(("o#mlo",), ("o#m#lo",), ("o#F#mlo",), ("b#l#mlo",), ("o#mlo#mlo",), ("o#o#bl#Aml#o",)),
        *(("o#", "mlo"), ("o#m", "l#mlo"), ("b#", "m#l", "o#ml")),
    ],
)
def test_damage_that_is_told_twice_counts_once(files: tuple[str, ...], tmp_path: Path) -> None:
    """It is told where it is, and again in the transaction whose begin it may hide."""
    paths = [trail_of(tmp_path, *records_of(text), name=f"tt00000000{at}") for at, text in enumerate(files)]
    places = DamagedPlaces(WholeTrail(paths))
    rbas = []
    with TrailFile(paths[0]) as trail:
        for item in TransactionWalk(trail, FilePosition(paths[0], 0)):
            if isinstance(item, Extent | Damage | Restart):
                rbas += [(damage.path, damage.rba) for damage in places.take(item)]
    expected = [
        (path, sum(len(part if isinstance(part, bytes) else part.raw) for part in records_of(text[:at])))
        for path, text in zip(paths, files, strict=True)
        for at, letter in enumerate(text)
        if letter == "#"
    ]
    assert (rbas, places.number) == (expected, len(expected))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (("ob", "m", "lo"), ["1last", "3last", "1last"]),
        (("ob", "Abl"), ["1last", "1cut", "2last"]),
        (("b", "bl"), ["1overtaken", "2last"]),
        (("b", "#l"), ["2damage"]),
        (("bl", "o"), ["2last", "1last"]),
    ],
)
def test_files_are_gone_over_as_one(files: tuple[str, ...], said: list[str], tmp_path: Path) -> None:
    paths = [trail_of(tmp_path, *records_of(text), name=f"tt00000000{at}") for at, text in enumerate(files)]
    assert walked(paths[0]) == said


def test_what_is_open_where_the_last_file_wanted_ends_is_read_to_its_end(tmp_path: Path) -> None:
    paths = [trail_of(tmp_path, *records_of(text), name=f"tt00000000{at}") for at, text in enumerate(("ob", "m", "lo"))]
    assert walked(paths[0], until=paths[0]) == ["1last", "3last"]
    whole = [trail_of(tmp_path, *records_of(text), name=f"uu00000000{at}") for at, text in enumerate(("ob", "Abl"))]
    assert walked(whole[0], until=whole[0]) == ["1last", "1cut"]


def test_the_file_behind_the_last_one_wanted_is_not_looked_at(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records_of("bl"), name="tt000000000")
    (tmp_path / "tt000000001").write_bytes(b"no trail")
    assert walked(path, until=path) == ["2last"]


def test_half_a_record_is_no_damage_at_the_end_of_the_last_file_alone(tmp_path: Path) -> None:
    first, last = row(b"leaf", trans_ind=FIRST), row(b"leaf", trans_ind=LAST)
    path = trail_of(tmp_path, first, last.raw[:-5], name="tt000000000")
    assert walked(path) == ["1file_end"]
    trail_of(tmp_path, *records_of("Abl"), name="tt000000001")
    assert walked(path) == ["1damage", "2last"]


def test_a_next_file_that_is_no_trail_is_named_by_the_transaction_that_goes_on_there(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records_of("b"), name="tt000000000")
    (tmp_path / "tt000000001").write_bytes(bytes(5000))
    assert walked(path) == ["1file_end"]
    whole = trail_of(tmp_path, *records_of("o"), name="uu000000000")
    (tmp_path / "uu000000001").write_bytes(bytes(5000))
    with pytest.raises(NotATrail):
        walked(whole)


def test_a_transaction_has_the_values_of_its_first_and_last_record(tmp_path: Path) -> None:
    from tests.trailformat.samples import header
    from trailformat import make_record

    tokens = [make_token("L", b"4711"), make_token("6", b"1.2.3")]
    first = header(trans_ind=FIRST)._replace(io_time=5, audit_rba=7, audit_pos=11)
    last = header(trans_ind=LAST)._replace(io_time=6, audit_rba=8, audit_pos=12)
    records = [make_record(first, b"", tokens), make_record(last, b"")]
    path = trail_of(tmp_path, *records)
    with TrailFile(path) as trail:
        (extent,) = (item for item in TransactionWalk(trail, FilePosition(path, 0)) if isinstance(item, Extent))
    assert extent.transaction == ("4711", "1.2.3")
    assert (extent.first_moment, extent.last_moment, extent.has_one_time) == ((5, 7, 11), (6, 8, 12), False)
    assert extent.size == sum(record.length for record in records)


@pytest.mark.parametrize(("times", "has_one_time"), [((5, 5, 5), True), ((5, 6, 5), False), ((5, 5, 6), False)])
def test_records_of_one_time_have_that_of_the_commit(
    times: tuple[int, ...], has_one_time: bool, tmp_path: Path
) -> None:
    records = [row(io_time=at, trans_ind=trans_ind) for at, trans_ind in zip(times, (FIRST, MIDDLE, LAST), strict=True)]
    path = trail_of(tmp_path, *records)
    with TrailFile(path) as trail:
        (extent,) = (item for item in TransactionWalk(trail, FilePosition(path, 0)) if isinstance(item, Extent))
    assert (extent.first_moment.time, extent.last_moment.time) == (times[0], times[-1])
    assert extent.has_one_time is has_one_time


def test_a_table_index_means_what_was_defined_last(tmp_path: Path) -> None:
    teas, cups = table_record(1, "TEAS"), table_record(1, "CUPS")
    path = trail_of(tmp_path, teas, row(name=1, trans_ind=FIRST), cups, row(name=1, trans_ind=LAST))
    with TrailFile(path) as trail:
        (extent,) = (item for item in TransactionWalk(trail, FilePosition(path, 0)) if isinstance(item, Extent))
    assert extent.tables == {"TEAS": {INSERT: 1}, "CUPS": {INSERT: 1}}


def test_of_much_damage_the_last_span_reaches_over_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extents, "MOST_DAMAGE", 3)
    path = trail_of(tmp_path, *records_of("b#m#m#m#m#l"))
    with TrailFile(path) as trail:
        (extent,) = (item for item in TransactionWalk(trail, FilePosition(path, 0)) if isinstance(item, Extent))
    size, garbage = row(b"leaf").length, len(GARBAGE)
    assert extent.damage == (
        Damage(path, size, garbage, is_partial=False),
        Damage(path, 2 * size + garbage, garbage, is_partial=False),
        Damage(path, 3 * size + 2 * garbage, 3 * garbage + 2 * size, is_partial=False),
    )


def test_of_much_damage_the_last_span_ends_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extents, "MOST_DAMAGE", 2)
    paths = [
        trail_of(tmp_path, *records_of(text), name=f"tt00000000{at}") for at, text in enumerate(("b#m#m#", "#m#l"))
    ]
    with TrailFile(paths[0]) as trail:
        (extent,) = (item for item in TransactionWalk(trail, FilePosition(paths[0], 0)) if isinstance(item, Extent))
    assert [damage.path for damage in extent.damage] == [paths[0], paths[0], paths[1]]
    assert extent.last is not None
    assert (extent.damage[-1].rba, extent.damage[-1].length) == (0, extent.last.rba)


def _expected(written: list[Written]) -> list[tuple[Path, int, int, Ended]]:
    """Begin, records and end of every transaction, by a reading of the rule that knows what was written."""
    found: list[tuple[Path, int, int, Ended]] = []
    waiting: list[Written] = []

    def end(how: Ended) -> None:
        if waiting:
            found.append((waiting[0].path, waiting[0].rba, len(waiting), how))
            waiting.clear()

    for record in written:
        if record.change is None:
            end(Ended.CUT)
            continue
        if record.trans_ind in (FIRST, ONLY):
            end(Ended.OVERTAKEN)
        waiting.append(record)
        if record.trans_ind in (LAST, ONLY):
            end(Ended.LAST)
    end(Ended.FILE_END)
    return found


@given(seed=st.integers(0, 1 << 32))
@settings(max_examples=examples(20))
def test_a_trail_of_a_killed_extract_is_told_as_it_was_written(seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        random = Random(seed)
        source, extract = Source(random), Extract(Path(folder), random)
        for _ in range(random.randint(1, 8)):
            extract.write(source.transaction())
        extract.open_end(source.transaction())
        extract.close()
        with TrailFile(extract.paths[0]) as trail:
            walk = list(TransactionWalk(trail, FilePosition(trail.path, 0)))
        found = [(*item.begin, item.records, item.ended) for item in walk if isinstance(item, Extent) and item.begin]
        assert found == _expected(extract.written)


@given(text=st.text("bmmlloTCFAO#", max_size=12), more=st.text("bmloTFA#", max_size=6), asked=st.integers(0, 12))
@settings(max_examples=examples(15))
def test_batches_tell_what_a_walk_record_by_record_tells(text: str, more: str, asked: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = trail_of(Path(folder), *records_of(f"T{text}"), name="tt000000000")
        trail_of(Path(folder), *records_of(f"T{more}"), name="tt000000001")
        with TrailFile(path) as trail:
            rbas = list(trail.sound_rbas(0, trail.size))
            position = FilePosition(path, rbas[asked % len(rbas)])
            by_record = list(WalkByRecord(trail, FilePosition(path, 0), asked=position))
            until_first = list(WalkByRecord(trail, FilePosition(path, 0), until=path))
            for way, nearby in ((WAYS[0], 100), *((way, 1) for way in WAYS)):
                with run(way):
                    assert (
                        list(TransactionWalk(trail, FilePosition(path, 0), asked=position, nearby=nearby)) == by_record
                    )
                    assert list(TransactionWalk(trail, FilePosition(path, 0), until=path, nearby=nearby)) == until_first


def test_half_a_record_in_front_of_a_later_file_is_damage_for_what_goes_on_there(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records_of("o"), row(b"leaf").raw[:-5], name="tt000000000")
    trail_of(tmp_path, *records_of("ml"), name="tt000000001")
    assert walked(path) == ["1last", "damage", "?2damage"]


def test_restart_records_are_told_where_they_stand(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *records_of("AbOo"))
    with TrailFile(path) as trail:
        found = list(TransactionWalk(trail, FilePosition(path, 0)))
    marker, first = row(b"", io_type=RESTART_ABEND).length, row(b"leaf").length
    restarts = [(item.position.rba, item.io_type, item.after) for item in found if isinstance(item, Restart)]
    second = marker + first
    assert restarts == [(0, RESTART_ABEND, marker), (second, RESTART_OK, second + marker)]
    assert [type(item).__name__ for item in found] == ["Restart", "Extent", "Restart", "Extent"]
