"""How far a trail has been written, as a stream sees it: where nothing is open, never back, from file to file."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from fixtures import TRAILS
from logdump.arrow.records.schema import COLUMNS, Selected
from logdump.tables.errors import BadTrail, FileChanged, NoTrailFiles, SourceError
from logdump.tables.options import Options, Use, parse_options
from logdump.tables.reader import read
from logdump.tables.slice import Slice
from logdump.tables.slices import Request
from logdump.tables.stream_trail import StreamTrail
from logdump.tables.stream_walk import Limit, Offset
from tests.logdump.tables.reads import closed_places, rows, table
from tests.searching import Random, examples, in_turn
from tests.simulated.five_tables import bank_trail
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile
from trailformat.records.record_header import FIRST, LAST, ONLY, PIECES

SAMPLE = (TRAILS / "et000000000").read_bytes()
SIZE = len(SAMPLE)


def _ends() -> list[int]:
    with TrailFile(TRAILS / "et000000000") as trail:
        return [record.rba + record.length for record in trail.records()]


ENDS = _ends()
CLOSED = closed_places(TRAILS / "et000000000")
"""The ends of records behind which no transaction is open."""


def _put(directory: Path, *sizes: int) -> None:
    """Files 0, 1, … of the trail lt, each with so many bytes."""
    for number, size in enumerate(sizes):
        (directory / f"lt{number:09d}").write_bytes(SAMPLE[:size])


def _stream(directory: Path, **given: str) -> StreamTrail:
    return StreamTrail(parse_options({"path": str(directory), **given}, Use.STREAM))


def _places(slices: list[Slice]) -> list[tuple[int | None, int, int]]:
    return [(part.seqno, part.start, part.stop) for part in slices]


def test_a_stream_begins_at_the_beginning(tmp_path: Path) -> None:
    _put(tmp_path, SIZE)
    assert _stream(tmp_path).first() == Offset(0, 0)


def test_a_stream_begins_where_the_options_say(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE)
    assert _stream(tmp_path, startSeqno="1").first() == Offset(1, 0)
    assert _stream(tmp_path, startSeqno="1", startRba=str(ENDS[3] - 1)).first() == Offset(1, ENDS[3])


def test_there_must_be_something_to_follow(tmp_path: Path) -> None:
    with pytest.raises(NoTrailFiles, match="no trail files match"):
        _stream(tmp_path).first()
    _put(tmp_path, SIZE)
    with pytest.raises(NoTrailFiles, match="no file with startSeqno 3"):
        _stream(tmp_path, startSeqno="3").first()
    with pytest.raises(SourceError, match="startRba needs startSeqno"):
        _stream(tmp_path, startRba="3").first()


@pytest.mark.parametrize("cut", range(0, SIZE + 1, 97))
def test_what_is_half_written_waits(cut: int, tmp_path: Path) -> None:
    """A record, and a transaction."""
    _put(tmp_path, cut)
    whole = max((end for end in CLOSED if end <= cut), default=0)
    stream = _stream(tmp_path)
    assert stream.after(Offset(0, 0)) == stream.newest() == Offset(0, whole)


def test_the_walk_goes_on_from_where_it_was(tmp_path: Path) -> None:
    _put(tmp_path, ENDS[5] + 10)
    stream = _stream(tmp_path)
    reached = stream.after(Offset(0, ENDS[0]))
    assert reached == Offset(0, ENDS[2])
    assert stream.after(reached) == reached
    _put(tmp_path, SIZE)
    assert stream.after(reached) == Offset(0, SIZE)


def test_it_goes_from_file_to_file(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE, ENDS[1])
    stream = _stream(tmp_path)
    end = stream.after(Offset(0, ENDS[4]))
    assert end == stream.newest() == Offset(2, ENDS[1])
    slices = list(stream.slices(Offset(0, ENDS[4]), end))
    assert _places(slices) == [(0, ENDS[4], SIZE), (1, 0, SIZE), (2, 0, ENDS[1])]


@pytest.mark.parametrize("size", [0, 10])
def test_a_next_file_that_is_just_being_made_waits(size: int, tmp_path: Path) -> None:
    _put(tmp_path, SIZE, size)
    stream = _stream(tmp_path)
    assert stream.after(Offset(0, 0)) == stream.newest() == Offset(0, SIZE)


def test_nothing_new_gives_no_slices(tmp_path: Path) -> None:
    _put(tmp_path, SIZE)
    assert list(_stream(tmp_path).slices(Offset(0, SIZE), Offset(0, SIZE))) == []


def test_pieces_of_a_stretch_begin_at_records(tmp_path: Path) -> None:
    _put(tmp_path, SIZE)
    slices = list(_stream(tmp_path, maxPartitionBytes="1000").slices(Offset(0, ENDS[1]), Offset(0, ENDS[-2])))
    assert len(slices) > 2
    assert [part.start for part in slices] == [ENDS[1], *(part.stop for part in slices[:-1])]
    assert slices[-1].stop == ENDS[-2]
    assert {part.stop for part in slices} <= set(ENDS)


@pytest.mark.parametrize("size", [1, 300, 1000, SIZE - 1, SIZE])
def test_no_piece_is_empty_wherever_batches_end(size: int, tmp_path: Path) -> None:
    """Also where a batch ends at the end of a piece, of what was there, or of a file; pieces follow each other."""
    random, at, stream = Random(size), Offset(0, 0), None
    for upto in (CLOSED[len(CLOSED) // 2], SIZE, CLOSED[-3] + SIZE):
        _put(tmp_path, *[SIZE] * (upto // SIZE), upto % SIZE)
        stream = stream or _stream(tmp_path, maxPartitionBytes=str(size))
        while (end := stream.after(at, Limit(random.choice((None, 1, 700, SIZE))))) != at:
            places = _places([*stream.slices(at, end)])
            assert all(begin < stop for _, begin, stop in places), places
            begins = [(at.seqno, at.rba) if at.rba < SIZE else (at.seqno + 1, 0), *_behind(places)]
            assert [place[:2] for place in places] == begins[:-1]
            assert places[-1][::2] == (end.seqno, end.rba)
            at = end
    assert at == Offset(1, CLOSED[-3])


def _behind(places: list[tuple[int | None, int, int]]) -> list[tuple[int | None, int]]:
    """Where the piece after each begins."""
    return [(number, stop) if stop < SIZE else ((number or 0) + 1, 0) for number, _, stop in places]


@pytest.mark.parametrize("most", [1, 700, 2000, SIZE, SIZE + 300])
def test_bytes_are_limited_at_commits(most: int, tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE, CLOSED[-3])
    stream = _stream(tmp_path)
    at, steps = Offset(0, 0), []
    while (end := stream.after(at, Limit(bytes=most))) != at:
        taken = sum(part.stop - part.start for part in stream.slices(at, end))
        steps.append((taken, at, end))
        at = end
    assert at == Offset(2, CLOSED[-3])
    closed = {0, *CLOSED}
    singles = {later - earlier for earlier, later in zip([0, *CLOSED], CLOSED, strict=False)}
    assert all(start.rba in closed and end.rba in closed for _, start, end in steps)
    assert all(taken <= most or taken in singles for taken, _, _ in steps)
    assert sum(taken for taken, _, _ in steps) == 2 * SIZE + CLOSED[-3]


def _most(start: Offset, files: list[list[int]], limit: Limit) -> Offset:
    """Record by record: up to where a batch goes from an offset, when the files have records with these ends."""
    best, taken, begun_files, is_over = start, 0, set[int](), False
    for number in range(start.seqno, len(files)):
        for rba, end in zip([0, *files[number]], files[number], strict=False):
            if (number, rba) < start:
                continue
            is_over = is_over or (limit.bytes is not None and taken + end - rba > limit.bytes)
            is_one_file_more = number not in begun_files and len(begun_files) == limit.files
            if best > start and (is_over or is_one_file_more):
                return best
            taken, begun_files = taken + end - rba, begun_files | {number}
            best = Offset(number, end) if end in CLOSED else best
    return best


@pytest.mark.parametrize(
    ("most", "files"),
    in_turn([None, 1, 300, 700, 1801, SIZE - 1, SIZE, SIZE + 1, SIZE + 777, 2 * SIZE + ENDS[0]], [None, 1, 2]),
)
def test_a_batch_takes_as_much_as_its_limits_allow(most: int | None, files: int | None, tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE, CLOSED[-3])
    stream, limit, ends = _stream(tmp_path), Limit(most, files), [ENDS, ENDS, ENDS[:-3]]
    for number, rba in [(0, 0), *((number, end) for number in (0, 1) for end in (ENDS[0], CLOSED[5], SIZE))]:
        start = Offset(number, rba)
        assert stream.after(start, limit) == _most(start, ends, limit), start


@pytest.mark.parametrize(("most", "name"), in_turn([1, 900, 3000], ["st*", "pt*", "pl*", "zl*", "kt*"]))
def test_what_is_read_bit_by_bit_is_what_is_read_at_once(most: int, name: str) -> None:
    options = parse_options({"path": str(TRAILS / name), "undecodable": "null"}, Use.STREAM)
    stream = StreamTrail(options)
    whole = table(TRAILS / name, undecodable="null")
    request = Request(tuple(Selected(column.name, column) for column in COLUMNS), options)
    at = stream.first()
    found: list[Any] = []
    while (end := stream.after(at, Limit(bytes=most))) != at:
        found += read(list(stream.slices(at, end)), request)
        at = end
    streamed = pa.Table.from_batches(found).combine_chunks()
    assert streamed["file_order"].null_count == len(streamed), "files come later that nobody can count"
    assert streamed.drop(["file_order"]).equals(whole.drop(["file_order"]))


@pytest.mark.parametrize("name", ["pt000000000", "pl000000000", "zt000000000", "kl000000000"])
def test_a_batch_ends_behind_all_pieces_of_a_row(name: str, tmp_path: Path) -> None:
    """Also where the first piece of them is not written yet, which the row announces."""
    with TrailFile(TRAILS / name) as trail:
        kinds = {record.rba: record.header.io_type for record in trail.records() if not record.is_file_header}
        data = trail.bytes[0 : trail.size]
    for cut in (*kinds, len(data)):
        (tmp_path / "lt000000000").write_bytes(data[:cut])
        end = _stream(tmp_path).after(Offset(0, 0))
        assert kinds.get(end.rba) not in PIECES, (cut, end)
    assert end == Offset(0, len(data))


@pytest.mark.parametrize("seed", range(examples(24)))
def test_behind_files_that_are_missing_or_no_trails_a_stream_has_what_a_read_of_all_has(
    seed: int, tmp_path: Path
) -> None:
    """Transactions over files before, at and behind the gaps; a stream that is begun anew now and then."""
    random = Random(seed)
    _, extract = bank_trail(tmp_path, 30, seed, roll_chance=0.3, cut_chance=0.1)
    files = sorted(extract.paths)
    for path in random.sample(files[1:-1], min(random.choice((1, 1, 2)), len(files[1:-1]))):
        if random.random() < 0.5:
            path.unlink()
        else:
            path.write_bytes(b"no trail" * 100)
    passing = {"effective": "true", "ignoreMissingFiles": "true", "ignoreCorruptFiles": "true"}
    options = parse_options({"path": str(tmp_path), **passing}, Use.STREAM)
    request = Request(tuple(Selected(column.name, column) for column in COLUMNS if column.name in _PLACE), options)
    found, at = _streamed(options, request, random)
    everything = rows(tmp_path / "sm*", *_PLACE, **passing)
    assert found == [place for row in everything if (place := (row["seqno"], row["rba"])) < at]


@pytest.mark.parametrize("seed", range(examples(20, short=10)))
def test_behind_a_gap_batches_end_where_no_transaction_is_open(seed: int, tmp_path: Path) -> None:
    """Each file ends in a transaction that goes on in the next one; only that before a file that is no trail is cut."""
    random = Random(f"gap {seed}")
    number = random.randint(5, 8)
    gaps = random.sample(range(1, number - 3), random.choice((1, 1, 2)) if number > 5 else 1)
    closed = set[Offset]()
    for n in range(number):
        over = [row(trans_ind=LAST)] * (n > 0) + [row(trans_ind=ONLY)] + [row(trans_ind=FIRST)] * (n < number - 1)
        path = trail_of(tmp_path, *over, name=f"tt{n:09}")
        ends = [sum(record.length for record in over[: at + 1]) for at in range(len(over))]
        if n in gaps:
            ends = [800]
            path.write_bytes(b"no trail" * 100)
        closed |= {Offset(n, end) for end in (ends[:-1] if n < number - 1 and n not in gaps else ends)}
        closed |= {Offset(n, 0)} if n - 1 in gaps else set()
    for effective in ("true", "false"):
        options = parse_options(
            {"path": str(tmp_path), "effective": effective, "ignoreCorruptFiles": "true"}, Use.STREAM
        )
        stream, at = StreamTrail(options), Offset(0, 0)
        while (end := stream.after(at, Limit(bytes=random.randrange(1, 1200)))) != at:
            assert end in closed
            at = end
        assert at.seqno == number - 1


_PLACE = ("seqno", "rba")


def _streamed(options: Options, request: Request, random: Random) -> tuple[list[tuple[int, int]], Offset]:
    """The places of the rows of a stream that is begun anew now and then, and where it ends."""
    stream, found = StreamTrail(options), list[tuple[int, int]]()
    at, state = stream.first(), None
    while (end := stream.after(at, Limit(bytes=random.randrange(1, 9000)), state=state)) != at:
        for batch in read(list(stream.slices(at, end, state)), request):
            found += [(row["seqno"], row["rba"]) for row in batch.to_pylist()]
        at, state = end, stream.state
        if random.random() < 0.3:
            stream, state = StreamTrail(options), random.choice((state, None))
    return found, at


@pytest.mark.parametrize("seed", range(examples(16)))
def test_a_stream_that_begins_anywhere_has_what_a_read_from_there_has(seed: int, tmp_path: Path) -> None:
    """Also inside of a transaction, and of one that a restart cuts."""
    random = Random(seed)
    bank_trail(tmp_path, 20, seed, roll_chance=0.2, cut_chance=0.2)
    every = rows(tmp_path / "sm*", *_PLACE)
    for found_row in random.sample(every, 6):
        start = {"startSeqno": str(found_row["seqno"]), "startRba": str(found_row["rba"])}
        given = {"effective": random.choice(("true", "true", "false")), **start}
        options = parse_options({"path": str(tmp_path), **given}, Use.STREAM)
        request = Request(tuple(Selected(column.name, column) for column in COLUMNS if column.name in _PLACE), options)
        found, at = _streamed(options, request, random)
        expected = [(row_after["seqno"], row_after["rba"]) for row_after in rows(tmp_path / "sm*", *_PLACE, **given)]
        assert found == [place for place in expected if place < at], given


def test_a_transaction_that_a_missing_file_cuts_is_in_no_batch_however_large_batches_are(tmp_path: Path) -> None:
    """It is open at the end of the first file, and the next one is the third: however far the limit lets it be read."""
    first = (TRAILS / "st000000000").read_bytes()
    (tmp_path / "lt000000000").write_bytes(first)
    (tmp_path / "lt000000002").write_bytes(SAMPLE)
    given = {"path": str(tmp_path), "effective": "true", "ignoreMissingFiles": "true"}
    expected = [(row["seqno"], row["rba"]) for row in rows(tmp_path / "lt*", *_PLACE, effective=True)]
    with TrailFile(TRAILS / "st000000000") as trail:
        assert {(0, record.rba) for record in trail.records()} > {place for place in expected if not place[0]}
    options = parse_options(given, Use.STREAM)
    request = Request(tuple(Selected(column.name, column) for column in COLUMNS if column.name in _PLACE), options)
    for most in range(1, len(first) + 3000, 397):
        stream, found = StreamTrail(options), list[tuple[int, int]]()
        at = stream.first()
        while (end := stream.after(at, Limit(bytes=most))) != at:
            for batch in read(list(stream.slices(at, end)), request):
                found += [(row["seqno"], row["rba"]) for row in batch.to_pylist()]
            at = end
        assert found == expected, most


def test_files_are_limited(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE, SIZE, SIZE)
    stream = _stream(tmp_path)
    assert stream.after(Offset(0, 0), Limit(files=2)) == Offset(1, SIZE)
    assert stream.after(Offset(1, SIZE), Limit(files=2)) == Offset(3, SIZE)


def test_a_target_is_not_passed(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, ENDS[6])
    stream = _stream(tmp_path)
    target = stream.newest()
    _put(tmp_path, SIZE, SIZE, SIZE)
    assert stream.after(Offset(0, 0), target=target) == target
    assert stream.after(target, target=target) == target
    assert stream.after(Offset(0, 0), Limit(bytes=SIZE + ENDS[2]), target) == Offset(1, ENDS[2])


def test_a_file_that_became_shorter_is_told(tmp_path: Path) -> None:
    _put(tmp_path, ENDS[3])
    with pytest.raises(FileChanged, match=rf"seqno 0, RBA {SIZE}: the stream has read so far, .* only {ENDS[3]} bytes"):
        _stream(tmp_path).after(Offset(0, SIZE))


def test_a_file_that_was_written_anew_is_told(tmp_path: Path) -> None:
    _put(tmp_path, SIZE)
    with pytest.raises(FileChanged, match="no record ends there: the file was rewritten"):
        _stream(tmp_path).after(Offset(0, ENDS[3] + 1))


def test_a_file_that_has_gone_is_told(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE, SIZE)
    (tmp_path / "lt000000000").unlink()
    with pytest.raises(
        FileChanged, match=r"seqno 0 has gone: the stream has read it up to RBA 7; .*lt000000000 is miss"
    ):
        _stream(tmp_path).after(Offset(0, 7))
    assert _stream(tmp_path, ignoreMissingFiles="true").after(Offset(0, 7)) == Offset(2, SIZE)


def test_files_that_were_purged_before_they_were_read_are_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    _put(tmp_path, SIZE, SIZE, SIZE, SIZE)
    for number in range(3):
        (tmp_path / f"lt{number:09d}").unlink()
    with pytest.raises(FileChanged, match=r"lt000000000 to lt000000002 are missing; option ignoreMissingFiles"):
        _stream(tmp_path).after(Offset(0, 7))
    assert _stream(tmp_path, ignoreMissingFiles="true").after(Offset(0, 7)) == Offset(3, SIZE)
    assert "lt000000000 to lt000000002 are missing" in caplog.text


def test_where_the_file_of_the_last_batch_has_gone_it_goes_on_with_the_next_one(tmp_path: Path) -> None:
    """Of those that are left some are older, and some are newer."""
    _put(tmp_path, SIZE, SIZE, SIZE, SIZE, SIZE)
    (tmp_path / "lt000000002").unlink()
    with pytest.raises(FileChanged, match=r"seqno 2 has gone: .* up to RBA 7; \S*lt000000002 is missing"):
        _stream(tmp_path).after(Offset(2, 7))
    stream = _stream(tmp_path, ignoreMissingFiles="true")
    end = stream.after(Offset(2, 7))
    assert end == Offset(4, SIZE)
    assert _places(stream.slices(Offset(2, 7), end)) == [(3, 0, SIZE), (4, 0, SIZE)]


def test_a_missing_number_is_told(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE, SIZE)
    (tmp_path / "lt000000001").unlink()
    with pytest.raises(FileChanged, match="lt000000001 is missing, while later files are there"):
        _stream(tmp_path).after(Offset(0, 0))
    assert _stream(tmp_path, ignoreMissingFiles="true").after(Offset(0, 0)) == Offset(2, SIZE)


def test_the_last_file_of_a_batch_must_be_there(tmp_path: Path) -> None:
    _put(tmp_path, SIZE, SIZE)
    with pytest.raises(FileChanged, match="seqno 5 has gone"):
        list(_stream(tmp_path).slices(Offset(0, 0), Offset(5, 10)))


def test_numbers_start_over(tmp_path: Path) -> None:
    for name in ("lt999998", "lt999999", "lt000000", "lt000001"):
        shutil.copy(TRAILS / "et000000000", tmp_path / name)
    stream = _stream(tmp_path)
    assert stream.first() == Offset(999998, 0)
    assert stream.after(stream.first()) == Offset(1, SIZE)
    assert [part.seqno for part in stream.slices(Offset(999999, ENDS[0]), Offset(1, SIZE))] == [999999, 0, 1]


def test_one_trail_is_followed(tmp_path: Path) -> None:
    _put(tmp_path, SIZE)
    shutil.copy(TRAILS / "et000000000", tmp_path / "rt000000000")
    with pytest.raises(SourceError, match=r"follows one trail, and the path leads to .*lt000000000, .*rt000000000"):
        _stream(tmp_path).first()
    assert _stream(tmp_path / "lt").first() == Offset(0, 0)


def test_a_file_without_a_number_is_not_followed(tmp_path: Path) -> None:
    shutil.copy(TRAILS / "et000000000", tmp_path / "notrail")
    with pytest.raises(SourceError, match="notrail: a stream follows a trail, and this has no sequence number"):
        _stream(tmp_path).first()


def test_a_file_that_is_no_trail_is_told(tmp_path: Path) -> None:
    (tmp_path / "lt000000000").write_bytes(b"nonsense" * 100)
    with pytest.raises(BadTrail, match="lt000000000, seqno 0, RBA 0: this is not a trail file"):
        _stream(tmp_path).after(Offset(0, 0))
