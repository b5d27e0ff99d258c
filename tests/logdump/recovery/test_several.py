"""Of several restarts, gaps, order breaks and places of damage each is told where it belongs, not with a neighbour."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.recovery.model import KeepShown, TrailFileShown
from logdump.features.recovery.versions import release_number
from logdump.session.errors import ExitStatus
from logdump.session.events import Progress
from tests.logdump.line import Line
from tests.logdump.recovery.small_files import LAST_ROW, MIDDLE_ROW, RESTART, first_row, only_row, size_of, trail_file
from tests.logdump.recovery.surveys import report, surveyed
from tests.searching import Random
from tests.trailformat.samples import row
from tests.trailformat.small_batches import in_batches
from tests.trailformat.test_applied import transaction
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Record, TrailFile, make_file_header_record
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record_header import (
    LAST,
    MIDDLE,
)
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import whole_trail
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.whole_trail import WholeTrail

_APPEND, _OVERWRITE = 1, 0


def _head(group: str, **values: Value) -> Record:
    """The file header of a fixture with other values."""
    with TrailFile(TRAILS / "at000000000") as trail:
        own = trail.file_header
    assert own is not None
    return make_file_header_record(replace_values(own, group, values))


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("places", [1, 2, 3])
def test_of_several_places_of_damage_before_old_data_the_first_is_told(
    places: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    before = [*transaction("10", "1.1"), *transaction("20", "1.2")]
    path = trail_file(tmp_path, 0, *before, *(GARBAGE, MIDDLE_ROW) * places, *transaction("10", "1.1"))
    told = [(shown.position.rba, shown.csn, shown.was_passed) for shown in report([path]).overwritten()]
    assert told == [(size_of(*before), "10", True)]


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_of_the_damage_before_each_of_several_old_transactions_the_first_is_told(
    rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three old transactions, the middle one not the oldest, after one to three places of damage each."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    random = Random(rows)
    records: list[Record | bytes] = [record for csn in ("10", "20", "30", "40") for record in transaction(csn, "1.1")]
    expected = []
    for csn in random.sample(("10", "20", "30"), 3):
        expected.append((size_of(*records), csn, True))
        records += [*(GARBAGE, MIDDLE_ROW) * random.randint(1, 3), *transaction(csn, "1.1")]
    records += transaction("50", "1.5")
    told = [
        (shown.position.rba, shown.csn, shown.was_passed)
        for shown in report([trail_file(tmp_path, 0, *records)]).overwritten()
    ]
    assert told == expected


@pytest.mark.parametrize("modes", [(_APPEND, _OVERWRITE, _APPEND), (_OVERWRITE, _APPEND, _OVERWRITE)])
@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_the_mode_of_the_file_that_is_damaged_decides_whether_data_may_be_old(
    damaged: int, modes: tuple[int, ...], tmp_path: Path
) -> None:
    """The next whole transaction is in the file behind it."""
    paths = [
        trail_file(
            tmp_path,
            number,
            _head("ContinunityInfo", RecoveryMode=mode),
            *transaction(f"1{number}", f"1.{number}"),
            *([GARBAGE] if number == damaged else []),
        )
        for number, mode in enumerate((*modes, _APPEND))
    ]
    told = [shown.position.path for shown in report(paths).overwritten()]
    assert told == ([paths[damaged]] if modes[damaged] == _OVERWRITE else [])


@pytest.mark.parametrize(("numbers", "missing"), [((0, 2, 4), 0), ((0, 1, 3), 0), ((0, 2, 3), 1), ((0, 1, 2), 1)])
def test_a_begin_is_missing_if_something_is_before_it_behind_the_last_gap(
    numbers: tuple[int, int, int], missing: int, tmp_path: Path
) -> None:
    """The last file begins with the end of a transaction; what is before an earlier gap says nothing of it."""
    first, second, last = numbers
    paths = [trail_file(tmp_path, number, *transaction(f"1{number}", f"1.{number}")) for number in (first, second)]
    shown = report([*paths, trail_file(tmp_path, last, LAST_ROW)]).shown("", None, is_partial=False)
    assert shown.state.begins_missing == missing


@pytest.mark.parametrize("no_trail", [1, 2])
def test_a_file_that_is_no_trail_is_where_a_stretch_ends(no_trail: int, tmp_path: Path) -> None:
    paths = [trail_file(tmp_path, number, *transaction(f"1{number}", f"1.{number}")) for number in range(3)]
    paths[no_trail].write_bytes(b"no trail")
    shown = report([*paths, trail_file(tmp_path, 3, LAST_ROW)]).shown("", None, is_partial=False)
    assert (shown.state.begins_missing, shown.has_earlier) == (int(no_trail == 1), False)


def test_each_order_break_has_the_transactions_below_it(tmp_path: Path) -> None:
    csns = ("50", "10", "20", "60", "30", "70", "35", "36", "37")
    path = trail_file(tmp_path, 0, *(record for csn in csns for record in transaction(csn, f"1.{csn}")))
    told = [(shown.csn, shown.greatest, shown.transactions) for shown in report([path]).order_breaks()]
    assert told == [("10", "50", 2), ("30", "60", 1), ("35", "70", 3)]


def test_of_several_restarts_each_has_the_transaction_before_it_and_a_reader_needs_the_last(tmp_path: Path) -> None:
    """Two transactions behind each of three restarts, each in a file of its own."""
    csns = [("10", "11"), ("20", "21"), ("30", "31")]
    files = [
        [RESTART, *transaction(first, f"1.{first}"), *transaction(second, f"1.{second}")] for first, second in csns
    ]
    paths = [trail_file(tmp_path, number, *records) for number, records in enumerate(files)]
    told = report(paths)
    before = [shown.last_complete for shown in told.restarts()]
    assert [ref.csn if ref else None for ref in before] == [None, "11", "21"]
    keep = told.keep()
    assert keep is not None
    assert keep.position == FilePosition(paths[1], size_of(*files[1]))
    assert keep.free == (paths[0],)


def test_of_three_cuts_each_has_the_copy_of_its_own(tmp_path: Path) -> None:
    """The first and the last are written again, in the other order; that in the middle is lost."""
    cut = [record for csn in ("10", "20", "30") for record in (first_row(csn), RESTART)]
    again = [record for csn in ("30", "10") for record in (first_row(csn), LAST_ROW)]
    told = report([trail_file(tmp_path, 0, *cut, *again)])
    copies = [(shown.cut.csn, shown.again.ref.csn if shown.again else None) for shown in told.cuts(is_alone=True)]
    assert copies == [("10", "10"), ("20", None), ("30", "30")]
    assert [(shown.cut.csn if shown.cut else None) for shown in told.restarts()] == ["10", "20", "30"]
    assert told.shown("", None, is_partial=False).state.lost == 1


def test_one_copy_of_three_cuts_is_that_of_all(tmp_path: Path) -> None:
    shown = report([trail_file(tmp_path, 0, *(first_row("10"), RESTART) * 3, first_row("10"), LAST_ROW)]).shown(
        "", None, is_partial=False
    )
    assert (shown.cut, shown.state.lost) == (3, 0)


@pytest.mark.parametrize("differs", [None, 0, 1, 2])
def test_a_copy_is_compared_with_each_record_of_the_cut_transaction(differs: int | None, tmp_path: Path) -> None:
    """Three records were written before the cut, and the copy has another after these."""
    texts = [b"one", b"two", b"three"]
    before = [first_row("10"), *(row(text, trans_ind=MIDDLE) for text in texts)]
    cut = [*before, RESTART, *transaction("05", "1.5")]
    if differs is not None:
        texts[differs] = b"another"
    copy = [first_row("10"), *(row(text, trans_ind=MIDDLE) for text in texts), LAST_ROW]
    path = trail_file(tmp_path, 0, *cut, *copy)
    (shown,) = report([path]).cuts(is_alone=True)
    assert shown.again is not None
    assert shown.again.likeness == ("prefix" if differs is None else "differs")
    if differs is not None:
        places = size_of(*before[: differs + 1]), size_of(*cut, *copy[: differs + 1])
        assert shown.again.difference == tuple(FilePosition(path, rba) for rba in places)


@pytest.mark.parametrize("no_trails", [{0}, {1}, {2}, {0, 2}, {1, 3}])
def test_files_that_are_no_trails_count_from_the_place_on(no_trails: set[int], tmp_path: Path) -> None:
    """Of four files, from each that can be read on."""
    paths = [
        trail_file(tmp_path, number, b"no trail" * 9)
        if number in no_trails
        else trail_file(tmp_path, number, *transaction("10", "1.1"))
        for number in range(4)
    ]
    survey = surveyed(paths)
    for number in {*range(4)} - no_trails:
        assert survey.damaged_from(FilePosition(paths[number], 0)) == sum(other > number for other in no_trails)


@pytest.mark.parametrize("lengths", [(2, 3, 4), (4, 2, 3)])
def test_the_records_of_copies_are_all_of_theirs(lengths: tuple[int, ...], tmp_path: Path) -> None:
    """Of three transactions the second comes twice more, the third once."""
    records, two, three = (
        [first_row(f"{at}0"), *[MIDDLE_ROW] * length, LAST_ROW] for at, length in enumerate(lengths, 1)
    )
    shown = report([trail_file(tmp_path, 0, *records, *two, *three, *two, *three, *two)]).shown(
        "", None, is_partial=False
    )
    assert (shown.state.twice, shown.twice_records) == (3, 2 * len(two) + len(three))


@pytest.mark.parametrize("ill", [None, "damaged", "no trail", "missing"])
@pytest.mark.parametrize("at", [0, 1])
def test_what_is_free_is_said_only_after_all_was_read(at: int, ill: str | None, line: Line, tmp_path: Path) -> None:
    """Three files: in one of the first two is what the reading lacks."""
    for number in range(3):
        records = list[Record | bytes](transaction(f"{number + 1}0", f"1.{number}"))
        if number == at and ill in ("damaged", "no trail"):
            records = [*records, GARBAGE, *records] if ill == "damaged" else [GARBAGE]
        trail_file(tmp_path, number + (ill == "missing" and number > at), *records)
    line(f'recovery over "{tmp_path}/tt*" keep')
    shown = [event for event in line.events if isinstance(event, KeepShown)]
    assert len(shown) == (ill is None)


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize("copies", [0, 1, 2, 3])
def test_cuts_of_one_transaction_are_lost_until_the_first_of_its_copies(
    copies: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three cuts, between others, and up to three whole copies: of each only the first is no copy of another."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    cut, whole = [first_row("20"), RESTART], [first_row("20"), MIDDLE_ROW, LAST_ROW]
    records = [*transaction("10", "1.5"), *cut, *cut, *cut, *whole * copies, *transaction("30", "1.6")]
    told = report([trail_file(tmp_path, 0, *records)])
    state = told.shown("", None, is_partial=False).state
    assert (state.lost, state.twice) == (0 if copies else 3, max(0, copies - 1))
    begin = size_of(*transaction("10", "1.5"), *cut * 3)
    positions = [
        shown.again.ref.begin.rba if shown.again and shown.again.ref.begin else None
        for shown in told.cuts(is_alone=True)
    ]
    assert positions == [begin if copies else None] * 3


@pytest.mark.parametrize("rows", [1, 2, 100])
@pytest.mark.parametrize("shape", ["x", "xwx", "xwxwx", "wx", "xwr", "xr"])
def test_rows_without_a_begin_are_damaged_if_the_last_thing_before_them_is(
    shape: str, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damage, whole transactions and restarts before them: a restart or a transaction between shows that none is."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(rows))
    parts: list[Record | bytes] = [*transaction("10", "1.1")]
    for at, what in enumerate(shape):
        parts += transaction(f"2{at}", f"2.{at}") if what == "w" else [GARBAGE if what == "x" else RESTART]
    path = trail_file(tmp_path, 0, *parts, MIDDLE_ROW, LAST_ROW, *transaction("90", "1.9"))
    survey = surveyed([path])
    assert survey.begins_missing.number == (shape[-1] != "x")
    (lost,) = (item for item in transactions_of(WholeTrail([path])) if isinstance(item, Extent) and item.begin is None)
    assert len(lost.damage) == (shape[-1] == "x")


def test_each_file_is_compared_with_the_one_before_it(tmp_path: Path) -> None:
    hosts = ("a", "b", "b", "a")
    paths = [
        trail_file(tmp_path, number, _head("MachineInfo", Nodename=host), *transaction(f"1{number}", f"1.{number}"))
        for number, host in enumerate(hosts)
    ]
    told = [(shown.path, shown.before, shown.after) for shown in report(paths).producer_changes()]
    assert told == [(paths[1], "a", "b"), (paths[3], "b", "a")]


@pytest.mark.parametrize("ends", [0, 1, 2])
def test_damage_is_counted_from_a_place_on(ends: int, tmp_path: Path) -> None:
    """Three places of damage; from the end of the one on, those behind it are left."""
    before: list[Record | bytes] = [*transaction("10", "1.1"), GARBAGE]
    path = trail_file(tmp_path, 0, *before * 3, *transaction("20", "1.2"))
    survey = surveyed([path])
    places = list(survey.damage)
    assert survey.damaged_from(FilePosition(path, places[ends].after)) == 2 - ends
    assert survey.damaged_from(FilePosition(path, places[ends].after - 1)) == 3 - ends
    assert survey.damaged_from(None) == 3


@pytest.mark.parametrize(("release", "version"), [("12", 6), ("12.2", 5), ("12.2.0.1", 5), ("19c", 7), ("20", None)])
def test_a_release_reads_up_to_the_highest_version_of_its_name(release: str, version: int | None) -> None:
    assert release_number(release) == version


@pytest.mark.parametrize(("begun", "number", "free"), [(0, 0, 0), (0, 2, 0), (1, 1, 1), (1, 2, 1), (2, 2, 2)])
def test_a_reader_inside_a_transaction_needs_the_file_in_which_it_begins(
    begun: int, number: int, free: int, line: Line, tmp_path: Path
) -> None:
    """Three files; the transaction goes on to the end of the last one."""
    lengths = []
    for at in range(3):
        before = transaction(f"1{at}", f"1.{at}") if at <= begun else []
        inside = [first_row("20")] if at == begun else [MIDDLE_ROW] if at > begun else []
        trail_file(
            tmp_path, at, *before, *inside, *([MIDDLE_ROW, LAST_ROW if at == 2 else MIDDLE_ROW] if at >= begun else [])
        )
        lengths.append(size_of(*before, *inside))
    line(f"open {tmp_path / 'tt000000000'}; recovery keep {number} {lengths[number]}")
    (keep,) = (event for event in line.events if isinstance(event, KeepShown))
    assert [path.name for path in keep.free] == [f"tt{at:09}" for at in range(free)]
    assert keep.size == sum(path.stat().st_size for path in keep.free)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_reader_at_the_end_of_a_file_needs_it_though_rows_without_a_begin_follow(
    number: int, line: Line, tmp_path: Path
) -> None:
    paths = [trail_file(tmp_path, at, only_row(f"{at}", f"1.{at}")) for at in range(number + 1)]
    paths.append(trail_file(tmp_path, number + 1, MIDDLE_ROW, LAST_ROW, only_row("9", "9.9")))
    line(f"open {paths[0]}; recovery keep {number} {paths[number].stat().st_size}")
    (keep,) = (event for event in line.events if isinstance(event, KeepShown))
    assert (keep.first, list(keep.free)) == (paths[number], paths[:number])


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_transaction_is_listed_if_any_of_its_records_passes(at: int, line: Line, tmp_path: Path) -> None:
    """The table of the filter is that of one of three records, of a transaction in the second file."""
    names = ["TEA.LEAVES", "TEA.LEAVES", "TEA.LEAVES"]
    names[at] = "TEA.POTS"
    inside = [first_row("10", names[0]), *(row(name=name, trans_ind=MIDDLE) for name in names[1:])]
    trail_file(tmp_path, 0, *transaction("9", "1.0"), first_row("8"), RESTART)
    trail_file(tmp_path, 1, *inside, RESTART, *transaction("11", "1.2"))
    line(f"open {tmp_path / 'tt000000000'}; filter include filename TEA.POTS")
    told = line("recovery cut filtered")
    assert [text for text in told if text.startswith("Cut at")] == ["Cut at RBA 0 of tt000000001: by a restart"]


@pytest.mark.parametrize("restarts", [0, 1])
def test_half_a_record_at_the_end_is_damage_where_nothing_else_is(restarts: int, tmp_path: Path) -> None:
    """A restart that cut nothing is no finding either."""
    path = trail_file(tmp_path, 0, *transaction("10", "1.1"), *[RESTART] * restarts, first_row("11").raw[:20])
    shown = report([path]).shown("", None, is_partial=False)
    assert (shown.half_record is not None, shown.state.status, shown.status) == (
        True,
        ExitStatus.OK,
        ExitStatus.BAD_DATA,
    )


def test_half_a_record_at_the_end_leaves_a_finding_what_it_is(tmp_path: Path) -> None:
    path = trail_file(tmp_path, 0, *transaction("11", "1.2"), *transaction("10", "1.1"), first_row("12").raw[:20])
    assert report([path]).shown("", None, is_partial=False).status is ExitStatus.FINDINGS


def test_files_are_listed_where_they_are_asked_for_alone(line: Line, tmp_path: Path) -> None:
    for number in range(3):
        trail_file(tmp_path, number, *transaction(f"1{number}", f"1.{number}"))
    line(f"open {tmp_path / 'tt000000000'}; recovery")
    assert not [event for event in line.events if isinstance(event, TrailFileShown)]
    line("recovery files")
    assert len([event for event in line.events if isinstance(event, TrailFileShown)]) == 3


def test_progress_is_told_at_each_multiple_of_notify_over_all_files(line: Line, tmp_path: Path) -> None:
    """Four files of three records, told every four."""
    for number in range(4):
        csns = range(3 * number + 10, 3 * number + 13)
        trail_file(tmp_path, number, *(record for csn in csns for record in transaction(str(csn), f"1.{csn}")))
    line(f"open {tmp_path / 'tt000000000'}; notify 4; recovery")
    assert [event.records for event in line.events if isinstance(event, Progress)] == [6, 9, 12]


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_an_order_break_is_listed_if_its_transaction_passes(broken: int, line: Line, tmp_path: Path) -> None:
    """Of three order breaks that of one table."""
    records = []
    for number in range(3):
        name = "TEA.POTS" if number == broken else "TEA.LEAVES"
        records += [*transaction(f"{number + 5}0", f"1.{number}"), first_row(f"1{number}", name), row(trans_ind=LAST)]
    path = trail_file(tmp_path, 0, *records)
    line(f"open {path}; filter include filename TEA.POTS")
    told = [text for text in line("recovery order filtered") if text.startswith("Order: ")]
    assert [text.partition(" CSN ")[2].split()[0] for text in told] == [f"1{broken}"]
