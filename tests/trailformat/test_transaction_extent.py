"""From where to where a transaction reaches: from every place in it, over files, with damage and missing files."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path

import pytest

from tests.searching import IS_LONG, Random, examples, some_trails
from tests.trailformat.samples import BOTH, metadata_record, row, table_record, trail_of
from trailformat import BadRecord, ByteOrder, Record, TrailFile, make_file_header, make_file_header_record, make_token
from trailformat.records.record_header import COMMENT, FIRST, LAST, MIDDLE, ONLY, RECORD_FRAGMENT, RESTART_ABEND
from trailformat.scan import scan
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import around, extents
from trailformat.transactions.around import check_reader_may_begin, extent_at
from trailformat.transactions.extent import Extent

GARBAGE = b"\x00\x01garbage between records\xff" * 3


@pytest.fixture(params=["nearby", "columns", "small batches"], autouse=True)
def _how_to_look_back(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param != "nearby":
        monkeypatch.setattr(around, "NEARBY", 1)
        monkeypatch.setattr(extents, "NEARBY", 1)
    if request.param == "small batches":
        monkeypatch.setattr(around, "scan", partial(scan, batch_size=Random(request.node.name).randint(1, 3)))


def rows(*trans_inds: int, order: ByteOrder = ByteOrder.BIG) -> list[Record]:
    return [row(b"leaf %d" % number, order=order, trans_ind=trans_ind) for number, trans_ind in enumerate(trans_inds)]


def at(path: Path, rba: int) -> Extent | None:
    with TrailFile(path) as trail:
        return extent_at(trail, rba)


def rbas(*records: Record | bytes) -> list[int]:
    found = [0]
    for record in records:
        found.append(found[-1] + (record.length if isinstance(record, Record) else len(record)))
    return found


@pytest.mark.parametrize("order", BOTH)
def test_every_record_of_a_transaction_leads_to_both_its_ends(order: ByteOrder, tmp_path: Path) -> None:
    records = rows(ONLY, FIRST, MIDDLE, MIDDLE, LAST, ONLY, order=order)
    path, places = trail_of(tmp_path, *records), rbas(*records)
    for number in range(1, 5):
        extent = at(path, places[number])
        assert extent is not None
        assert (extent.begin, extent.last, extent.after) == (
            FilePosition(path, places[1]),
            FilePosition(path, places[4]),
            FilePosition(path, places[5]),
        )
        assert (extent.records, extent.before, extent.has_end, extent.missing) == (4, number - 1, True, None)


def test_a_single_record_is_a_whole_transaction(tmp_path: Path) -> None:
    records = rows(ONLY, ONLY)
    path, places = trail_of(tmp_path, *records), rbas(*records)
    extent = at(path, places[1])
    assert extent is not None
    assert (extent.begin, extent.after) == (FilePosition(path, places[1]), FilePosition(path, places[2]))


def test_between_two_transactions_there_is_none(tmp_path: Path) -> None:
    records = [*rows(ONLY), metadata_record(1, 0, "TEADB"), *rows(ONLY)]
    path, places = trail_of(tmp_path, *records), rbas(*records)
    assert at(path, places[1]) is None
    assert at(path, places[3]) is None


def test_a_definition_in_the_middle_belongs_to_the_transaction_around_it(tmp_path: Path) -> None:
    first, last = rows(FIRST, LAST)
    records = [first, table_record(1, "TEA.LEAVES"), last]
    path, places = trail_of(tmp_path, *records), rbas(*records)
    extent = at(path, places[1])
    assert extent is not None
    assert (extent.begin, extent.after, extent.records) == (FilePosition(path, 0), FilePosition(path, places[3]), 2)


def test_records_are_counted_by_table_and_type(tmp_path: Path) -> None:
    records = [
        row(name="TEA.LEAVES", trans_ind=FIRST),
        row(name="TEA.CUPS", trans_ind=MIDDLE, io_type=3),
        row(name="TEA.LEAVES", trans_ind=MIDDLE),
        row(name="TEA.LEAVES", trans_ind=LAST, io_type=3),
    ]
    extent = at(trail_of(tmp_path, *records), 0)
    assert extent is not None
    assert extent.tables == {"TEA.LEAVES": {5: 2, 3: 1}, "TEA.CUPS": {3: 1}}


def test_an_open_transaction_has_no_rba_after_it(tmp_path: Path) -> None:
    records = rows(ONLY, FIRST, MIDDLE)
    path, places = trail_of(tmp_path, *records), rbas(*records)
    for place in places[1:]:
        extent = at(path, place)
        assert extent is not None
        assert (extent.begin, extent.last, extent.after) == (
            FilePosition(path, places[1]),
            FilePosition(path, places[2]),
            None,
        )


def test_a_half_written_record_leaves_its_transaction_open(tmp_path: Path) -> None:
    first, last = rows(FIRST, LAST)
    extent = at(trail_of(tmp_path, first, last.raw[:-7]), 0)
    assert extent is not None
    assert extent.after is None
    assert [(damage.rba, damage.is_partial) for damage in extent.damage] == [(first.length, True)]


def test_damage_inside_is_named(tmp_path: Path) -> None:
    first, middle, last = rows(FIRST, MIDDLE, LAST)
    path = trail_of(tmp_path, first, GARBAGE, middle, last)
    for rba in (0, first.length, first.length + len(GARBAGE)):
        extent = at(path, rba)
        assert extent is not None
        assert extent.begin == FilePosition(path, 0)
        assert [(damage.rba, damage.length) for damage in extent.damage] == [(first.length, len(GARBAGE))]
        assert extent.has_end


def test_damage_behind_the_end_does_not_belong_to_it(tmp_path: Path) -> None:
    extent = at(trail_of(tmp_path, *rows(FIRST, LAST), GARBAGE, *rows(ONLY)), 0)
    assert extent is not None
    assert extent.damage == ()


def test_where_the_end_is_lost_the_next_beginning_is_safe(tmp_path: Path) -> None:
    first, only = rows(FIRST, ONLY)
    path = trail_of(tmp_path, first, GARBAGE, only)
    extent = at(path, 0)
    assert extent is not None
    assert (extent.after, extent.has_end) == (FilePosition(path, first.length + len(GARBAGE)), False)


def test_where_the_beginning_is_lost_there_is_none(tmp_path: Path) -> None:
    only, middle, last = rows(ONLY, MIDDLE, LAST)
    path = trail_of(tmp_path, only, GARBAGE, middle, last)
    extent = at(path, only.length + len(GARBAGE))
    assert extent is not None
    assert (extent.begin, extent.records, len(extent.damage)) == (None, 2, 1)


@pytest.mark.parametrize("is_cut", [False, True])
def test_damage_is_in_the_transaction_around_it_at_every_byte(is_cut: bool, tmp_path: Path) -> None:
    first, last = rows(FIRST, LAST)
    rest = [last.raw[:-7]] if is_cut else [GARBAGE, last]
    extent = at(trail_of(tmp_path, first, *rest), first.length + 3)
    assert extent is not None
    assert (extent.begin, extent.before) == (FilePosition(tmp_path / "tt000000000", 0), 1)


def test_rows_whose_beginning_is_lost_do_not_reach_into_the_transaction_before(tmp_path: Path) -> None:
    only, middle, last = rows(ONLY, MIDDLE, LAST)
    marker = row(b"", io_type=RESTART_ABEND, trans_ind=ONLY)
    for before in (only, marker):
        extent = at(
            trail_of(tmp_path, rows(FIRST)[0], only, before, middle, last), rbas(rows(FIRST)[0], only, before)[3]
        )
        assert extent is not None
        assert (extent.begin, extent.records) == (None, 2)


@pytest.mark.parametrize("ended", [rows(ONLY), rows(FIRST, LAST), [row(b"", io_type=RESTART_ABEND)]])
def test_rows_whose_beginning_is_lost_begin_behind_the_last_of_several_ends(
    ended: list[Record], tmp_path: Path
) -> None:
    before, lost = [*rows(ONLY, FIRST, LAST), *ended, table_record(7, "TEA.LEAVES")], rows(MIDDLE, MIDDLE, MIDDLE, LAST)
    path, places = trail_of(tmp_path, *before, GARBAGE, *lost), rbas(*before, GARBAGE, *lost)
    first = len(before) + 1
    for number in range(first, first + len(lost)):
        extent = at(path, places[number])
        assert extent is not None
        assert (extent.begin, extent.last, extent.before) == (None, FilePosition(path, places[-2]), number - first)


@pytest.mark.parametrize(
    ("last", "is_refused"),
    [(row(b"half").raw[:-9], True), (row(b"whole").raw, False), (GARBAGE, False)],
    ids=["incomplete", "whole", "damage"],
)
def test_a_reader_may_begin_at_an_incomplete_record_and_not_behind_it(
    last: bytes, tmp_path: Path, *, is_refused: bool
) -> None:
    records = rows(ONLY, FIRST, LAST)
    path, end = trail_of(tmp_path, *records, last), rbas(*records)[-1]
    with TrailFile(path) as trail:
        for rba in (0, rbas(*records)[1], end):
            check_reader_may_begin(trail, rba)
        for rba in (end + 1, trail.size):
            with pytest.raises(BadRecord) if is_refused else nullcontext():
                check_reader_may_begin(trail, rba)


def test_behind_a_restart_there_is_no_transaction(tmp_path: Path) -> None:
    marker = row(b"", io_type=RESTART_ABEND, trans_ind=ONLY)
    records = [marker, *rows(FIRST, MIDDLE), marker, *rows(MIDDLE, LAST)]
    path, places = trail_of(tmp_path, *records), rbas(*records)
    extent = at(path, places[5])
    assert extent is not None
    assert (extent.begin, extent.first, extent.records) == (None, FilePosition(path, places[4]), 2)


def test_a_comment_is_no_beginning_whatever_its_trans_ind(tmp_path: Path) -> None:
    comment = row(b"", io_type=COMMENT, trans_ind=FIRST)
    records = [*rows(FIRST, LAST, FIRST, MIDDLE), comment, comment, *rows(LAST)]
    path, places = trail_of(tmp_path, *records), rbas(*records)
    extent = at(path, places[5])
    assert extent is not None
    assert (extent.begin, extent.records) == (FilePosition(path, places[2]), 3)


def test_fragments_end_with_the_record_that_they_belong_to(tmp_path: Path) -> None:
    fragment = row(b"more", trans_ind=ONLY, io_type=RECORD_FRAGMENT)
    records = [*rows(ONLY), fragment, fragment, *[table_record(1, "TEA.LEAVES")] * 2, *rows(FIRST, LAST)]
    path, places = trail_of(tmp_path, *records), rbas(*records)
    assert at(path, places[4]) is None


def test_fragments_of_a_record_that_is_lost_are_of_no_transaction(tmp_path: Path) -> None:
    fragments = [row(b"more", trans_ind=MIDDLE, io_type=RECORD_FRAGMENT)] * 2
    assert at(trail_of(tmp_path, *fragments), 0) is None
    assert at(trail_of(tmp_path, *fragments, *rows(FIRST, LAST)), 0) is None


def test_a_record_and_its_fragments_are_one(tmp_path: Path) -> None:
    base, *_ = rows(ONLY)
    fragments = [row(b"more", trans_ind=ONLY, io_type=RECORD_FRAGMENT) for _ in range(2)]
    records = [*rows(ONLY), base, *fragments, *rows(ONLY)]
    path, places = trail_of(tmp_path, *records), rbas(*records)
    for number in (1, 2, 3):
        extent = at(path, places[number])
        assert extent is not None
        assert (extent.begin, extent.after) == (FilePosition(path, places[1]), FilePosition(path, places[4]))
        assert (extent.records, extent.before) == (3, number - 1)


def test_the_first_record_tells_csn_and_xid(tmp_path: Path) -> None:
    from tests.trailformat.samples import header
    from trailformat import make_record

    tokens = [make_token("L", b"4711"), make_token("6", b"1.2.3")]
    records = [make_record(header(trans_ind=FIRST), b"", tokens), *rows(LAST)]
    extent = at(trail_of(tmp_path, *records), records[0].length)
    assert extent is not None
    assert extent.transaction == ("4711", "1.2.3")


@pytest.mark.parametrize("first", [*rows(ONLY), make_file_header_record(make_file_header({"TrailInfo": {"Seqno": 1}}))])
def test_a_place_inside_a_record_is_refused(first: Record, tmp_path: Path) -> None:
    path = trail_of(tmp_path, first, *rows(ONLY))
    with pytest.raises(BadRecord) as caught:
        at(path, 7)
    expected = f"{path}, RBA 7: position is inside a record; expected 0 or {first.length}"
    assert str(caught.value) == expected


@pytest.mark.parametrize("rba", [-1, 10_000])
def test_a_place_outside_the_file_is_refused(rba: int, tmp_path: Path) -> None:
    path = trail_of(tmp_path, *rows(ONLY))
    with pytest.raises(BadRecord) as caught:
        at(path, rba)
    expected = f"{path}, RBA {rba}: position is outside the file; expected 0 to {path.stat().st_size}"
    assert str(caught.value) == expected


def test_a_transaction_over_three_files(tmp_path: Path) -> None:
    first, second, third = (rows(ONLY, FIRST), rows(MIDDLE, MIDDLE), rows(LAST, ONLY))
    paths = [trail_of(tmp_path, *some, name=f"tt00000000{n}") for n, some in enumerate((first, second, third))]
    for number, (path, rba) in enumerate([(paths[0], first[0].length), (paths[1], 0), (paths[2], 0)]):
        extent = at(path, rba)
        assert extent is not None
        assert extent.begin == FilePosition(paths[0], first[0].length)
        assert extent.after == FilePosition(paths[2], third[0].length)
        assert (extent.records, extent.before) == (4, (0, 1, 3)[number])


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    later = trail_of(tmp_path, *rows(LAST), name="tt000000002")
    trail_of(tmp_path, *rows(FIRST), name="tt000000000")
    extent = at(later, 0)
    assert extent is not None
    assert (extent.begin, extent.missing) == (None, tmp_path / "tt000000001")
    assert extent.after == FilePosition(later, later.stat().st_size)


@pytest.mark.parametrize("after", [(ONLY,), (FIRST, LAST)])
def test_behind_its_last_transaction_a_file_ends_between_two(tmp_path: Path, after: tuple[int, ...]) -> None:
    path = trail_of(tmp_path, *rows(ONLY), name="tt000000000")
    trail_of(tmp_path, *rows(*after), name="tt000000001")
    assert at(path, path.stat().st_size) is None


def test_the_end_of_a_file_lies_inside_a_transaction_whose_beginning_is_lost_where_the_next_file_goes_on_with_it(
    tmp_path: Path,
) -> None:
    path = trail_of(tmp_path, *rows(ONLY), name="tt000000000")
    trail_of(tmp_path, row(b"", io_type=COMMENT, trans_ind=ONLY), name="tt000000001")
    later = trail_of(tmp_path, *rows(MIDDLE, LAST), name="tt000000002")
    extent = at(path, path.stat().st_size)
    assert extent is not None
    assert (extent.begin, extent.first, extent.before, extent.records) == (None, FilePosition(later, 0), 0, 2)


def test_the_file_that_is_missing_may_be_several_files_before(tmp_path: Path) -> None:
    trail_of(tmp_path, *rows(FIRST), name="tt000000000")
    earlier = trail_of(tmp_path, *rows(MIDDLE, MIDDLE), name="tt000000002")
    asked = trail_of(tmp_path, *rows(MIDDLE, LAST), name="tt000000003")
    extent = at(asked, rows(MIDDLE)[0].length)
    assert extent is not None
    assert (extent.begin, extent.first, extent.missing) == (None, FilePosition(earlier, 0), tmp_path / "tt000000001")
    assert (extent.records, extent.before) == (4, 3)


def test_a_file_several_files_before_may_be_no_trail(tmp_path: Path) -> None:
    (tmp_path / "tt000000001").write_bytes(b"no trail")
    trail_of(tmp_path, *rows(MIDDLE), name="tt000000002")
    extent = at(trail_of(tmp_path, *rows(LAST), name="tt000000003"), 0)
    assert extent is not None
    assert (extent.begin, extent.missing) == (None, tmp_path / "tt000000001")


@pytest.mark.parametrize("earlier", [row(b"more", trans_ind=MIDDLE, io_type=RECORD_FRAGMENT), b"no trail"])
def test_fragments_over_files_whose_record_is_lost_are_of_no_transaction(
    earlier: Record | bytes, tmp_path: Path
) -> None:
    fragment = row(b"more", trans_ind=MIDDLE, io_type=RECORD_FRAGMENT)
    trail_of(tmp_path, *rows(ONLY), name="tt000000000")
    trail_of(tmp_path, earlier, name="tt000000002")
    assert at(trail_of(tmp_path, fragment, *rows(FIRST, LAST), name="tt000000003"), 0) is None


@pytest.mark.parametrize("before", [[], [GARBAGE], [*rows(ONLY), GARBAGE], [row(b"", io_type=RESTART_ABEND)]])
def test_a_lost_beginning_in_the_file_before_is_told_the_same_from_either_file(
    before: list[Record | bytes], tmp_path: Path
) -> None:
    earlier = trail_of(tmp_path, *before, *rows(MIDDLE), name="tt000000000")
    later = trail_of(tmp_path, *rows(MIDDLE, LAST), name="tt000000001")
    extent = at(later, 0)
    assert extent is not None
    assert (extent.begin, extent.records, extent.before, extent.missing) == (None, 3, 1, None)
    assert [damage.path for damage in extent.damage] == [earlier] * (GARBAGE in before)
    assert at(earlier, rbas(*before)[-1]) == extent._replace(before=0)


def test_a_file_before_that_is_no_trail_counts_as_missing(tmp_path: Path) -> None:
    earlier = tmp_path / "tt000000001"
    earlier.write_bytes(b"no trail")
    goes_on = trail_of(tmp_path, *rows(LAST, ONLY), name="tt000000002")
    extent = at(goes_on, 0)
    assert extent is not None
    assert (extent.begin, extent.missing) == (None, earlier)
    begins = trail_of(tmp_path, *rows(FIRST, LAST), name="tt000000002")
    extent = at(begins, 0)
    assert extent is not None
    assert extent.begin == FilePosition(begins, 0)


def test_a_missing_file_is_named_though_the_transaction_goes_on_in_later_ones(tmp_path: Path) -> None:
    trail_of(tmp_path, *rows(FIRST), name="tt000000000")
    asked = trail_of(tmp_path, *rows(MIDDLE), name="tt000000002")
    last = trail_of(tmp_path, *rows(LAST), name="tt000000003")
    extent = at(asked, 0)
    assert extent is not None
    assert (extent.begin, extent.missing) == (None, tmp_path / "tt000000001")
    assert extent.after == FilePosition(last, last.stat().st_size)


def test_a_missing_file_behind_leaves_the_transaction_open(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *rows(FIRST), name="tt000000000")
    trail_of(tmp_path, *rows(LAST), name="tt000000002")
    extent = at(path, 0)
    assert extent is not None
    assert (extent.after, extent.missing) == (None, tmp_path / "tt000000001")


@pytest.mark.parametrize("seed", range(examples(60, short=20)))
def test_of_several_missing_files_the_one_before_a_lost_beginning_is_named_else_the_one_behind(
    seed: int, tmp_path: Path
) -> None:
    """A transaction over files of which some are missing or no trail, asked for in each that is there."""
    random = Random(f"missing {seed}")
    number = random.randint(3, 8)
    states = ["there", *random.choices(("there", "missing", "no trail"), k=number - 2), "there"]
    paths, records = [tmp_path / f"tt{n:09}" for n in range(number)], [0] * number
    for n, (path, state) in enumerate(zip(paths, states, strict=True)):
        inds = [MIDDLE] * random.randint(1, 2)
        if state == "there":
            trail_of(tmp_path, *rows(*[FIRST] * (not n), *inds, *[LAST] * (n == number - 1)), name=path.name)
            records[n] = len(inds) + (n in (0, number - 1))
        elif state == "no trail":
            path.write_bytes(bytes(5000))
    gaps = [-1, *(n for n, state in enumerate(states) if state != "there"), number]
    for n in range(number):
        before, behind = max(gap for gap in gaps if gap <= n), min(gap for gap in gaps if gap >= n)
        if before == behind:
            continue
        extent = at(paths[n], 0)
        assert extent is not None
        assert (extent.begin is None, extent.has_end) == (before >= 0, behind == number)
        assert extent.records == sum(records[before + 1 : behind])
        named = before if before >= 0 else behind
        assert extent.missing == (paths[named] if named < number else None), states


@pytest.mark.parametrize("data", [b"", b"G\x01\x04"])
def test_the_next_file_that_is_no_trail_yet_leaves_it_open(data: bytes, tmp_path: Path) -> None:
    path = trail_of(tmp_path, *rows(FIRST), name="tt000000000")
    (tmp_path / "tt000000001").write_bytes(data)
    extent = at(path, 0)
    assert extent is not None
    assert (extent.after, extent.missing) == (None, None)


def test_the_next_file_that_is_no_trail_is_where_it_goes_on(tmp_path: Path) -> None:
    path = trail_of(tmp_path, *rows(FIRST), name="tt000000000")
    (tmp_path / "tt000000001").write_bytes(bytes(5000))
    extent = at(path, 0)
    assert extent is not None
    assert (extent.after, extent.missing) == (None, tmp_path / "tt000000001")


@pytest.mark.parametrize("_how_to_look_back", ["nearby"], indirect=True)
def test_both_engines_find_the_same(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    def all_of(path: Path) -> list[Extent | None]:
        with TrailFile(path) as trail:
            return [extent_at(trail, rba) for rba in trail.sound_rbas(0, trail.size)]

    paths = some_trails((path for path in trails.iterdir() if path.suffix != ".md"), __name__)
    expected = [all_of(path) for path in paths]
    for nearby in (1, 2) if IS_LONG else (2,):
        monkeypatch.setattr(around, "NEARBY", nearby)
        monkeypatch.setattr(extents, "NEARBY", nearby)
        assert [all_of(path) for path in paths] == expected
