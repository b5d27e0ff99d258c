"""The files of a trail as one: in the order in which they were written, with what is missing named."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest

from tests.searching import Random, examples
from tests.trailformat.samples import row, trail_of
from trailformat import CannotRead, NotATrail, TrailFile
from trailformat.records.record_header import FIRST, MIDDLE
from trailformat.scan import BAD_SPAN, PARTIAL
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import whole_trail as module
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail, gaps_among, missing_among

ONE = row()


def files(folder: Path, *names: str) -> list[Path]:
    """Files of one record each."""
    return [trail_of(folder, ONE, name=name) for name in names]


def names(whole: WholeTrail) -> list[str]:
    return [path.name for path in whole.paths]


def test_after_the_highest_number_comes_the_first(tmp_path: Path) -> None:
    whole = WholeTrail(files(tmp_path, "lt000000", "lt000001", "lt999998", "lt999999"))
    assert names(whole) == ["lt999998", "lt999999", "lt000000", "lt000001"]
    assert whole.gaps == ()


def test_files_with_nine_digits_come_behind_those_with_six(tmp_path: Path) -> None:
    whole = WholeTrail(files(tmp_path, "lt000000008", "lt000007"))
    assert names(whole) == ["lt000007", "lt000000008"]
    assert whole.gaps == ()


def test_missing_files_are_named_by_the_first_and_the_last(tmp_path: Path) -> None:
    whole = WholeTrail(files(tmp_path, "lt000003", "lt000004", "lt000006", "lt000009"))
    assert [(gap.first.name, gap.last.name, gap.file_after.name) for gap in whole.gaps] == [
        ("lt000005", "lt000005", "lt000006"),
        ("lt000007", "lt000008", "lt000009"),
    ]


@pytest.mark.parametrize("case", range(4))
def test_a_gap_is_missing_if_no_file_of_it_exists(case: int, tmp_path: Path) -> None:
    """Each of ten numbers, drawn, is asked for, is there only, or is not there; in nine digits and beside all are."""
    random = Random(f"gaps {case}")
    files(tmp_path, *(f"rt{number:06}" for number in range(10)), *(f"lt{number:09}" for number in range(10)))
    states = ["asked for", *random.choices(("asked for", "there", "not there"), k=8), "asked for"]
    for number, state in enumerate(states):
        if state != "not there":
            files(tmp_path, f"lt{number:06}")
    asked = [number for number, state in enumerate(states) if state == "asked for"]
    expected = [
        (f"lt{first + 1:06}", f"lt{behind - 1:06}", f"lt{behind:06}", "there" in states[first:behind])
        for first, behind in pairwise(asked)
        if behind - first > 1
    ]
    paths = [tmp_path / f"lt{number:06}" for number in asked]
    for gaps in (WholeTrail(paths).gaps, gaps_among(random.sample(paths, len(paths)))):
        assert [(gap.first.name, gap.last.name, gap.file_after.name, gap.is_left_out) for gap in gaps] == expected
    assert [gap.file_after.name for gap in missing_among(paths)] == [gap[2] for gap in expected if not gap[3]]


def test_where_the_folder_cannot_be_listed_nothing_is_called_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = files(tmp_path, "lt000001", "lt000003")

    def refuse(folder: Path) -> list[Path]:
        raise PermissionError(folder)

    monkeypatch.setattr(module, "entries_of", refuse)
    assert [gap.is_left_out for gap in WholeTrail(asked).gaps] == [True]


@pytest.mark.parametrize("given", [[], ["lt000000", "rt000000"], ["lt000000", "readme"]])
def test_files_of_one_trail_are_wanted(tmp_path: Path, given: list[str]) -> None:
    with pytest.raises(NotATrail):
        WholeTrail(files(tmp_path, *given))


def test_a_file_of_another_name_is_a_trail_by_itself(tmp_path: Path) -> None:
    (path,) = files(tmp_path, "saved")
    assert WholeTrail.around(path).paths == (path,)


@pytest.mark.parametrize("name", ["lt000001", "lt"])
def test_a_file_and_the_name_of_its_trail_lead_to_all_of_it(tmp_path: Path, name: str) -> None:
    files(tmp_path, "lt000000", "lt000001", "lt000002", "rt000000")
    assert names(WholeTrail.around(tmp_path / name)) == ["lt000000", "lt000001", "lt000002"]


def test_a_newest_file_that_is_still_empty_is_left_out(tmp_path: Path) -> None:
    paths = files(tmp_path, "lt000000", "lt000001")
    paths[1].write_bytes(b"")
    assert names(WholeTrail(paths)) == ["lt000000"]


def test_a_transaction_goes_on_in_the_next_file_unless_that_is_missing(tmp_path: Path) -> None:
    paths = files(tmp_path, "lt000000", "lt000001", "lt000003", "lt000004")
    paths[3].write_bytes(b"no trail")
    whole = WholeTrail(paths)
    assert [whole.following(path) for path in paths] == [
        (paths[1], None),
        (None, tmp_path / "lt000002"),
        (None, paths[3]),
        (None, None),
    ]


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("case", range(examples(16)))
def test_what_a_transaction_lacks_is_the_next_file_that_is_missing_or_no_trail(case: int, tmp_path: Path) -> None:
    """Of seven files, drawn, each is there, missing or no trail; in each one a transaction begins."""
    random = Random(f"lacks {case}")
    kinds = ["there", "no trail", "there", *random.choices(["there", "missing", "no trail"], k=4)]
    paths = [tmp_path / f"lt{number:09}" for number in range(len(kinds))]
    begun = row(trans_ind=FIRST), row(trans_ind=MIDDLE)
    for path, kind in zip(paths, kinds, strict=True):
        if kind != "missing":
            trail_of(tmp_path, *(begun if kind == "there" else [b"no record at all, but bytes "]), name=path.name)
    last = max(number for number, kind in enumerate(kinds) if kind != "missing")
    there = [number for number, kind in enumerate(kinds) if kind == "there"]
    lacks = [paths[number + 1] if number < last and number + 1 not in there else None for number in there]
    whole = WholeTrail.around(paths[0])
    found = [item for item in transactions_of(whole) if isinstance(item, Extent)]
    assert [(item.begin, item.missing) for item in found] == [
        (FilePosition(paths[number], 0), path) for number, path in zip(there, lacks, strict=True)
    ]
    assert [whole.missing_after(whole.ordinals[paths[number]]) for number in there] == lacks


def test_batches_come_file_after_file_and_say_where_nothing_goes_on(tmp_path: Path) -> None:
    whole = WholeTrail(files(tmp_path, "lt000000", "lt000001", "lt000003"))
    assert [
        (file_batch.ordinal, len(file_batch.batch), file_batch.begins, file_batch.breaks)
        for file_batch in whole.batches()
    ] == [
        (0, 1, True, True),
        (1, 1, True, False),
        (2, 1, True, True),
    ]


@pytest.mark.usefixtures("kernels")
def test_half_a_record_is_no_damage_at_the_end_of_the_newest_file_alone(tmp_path: Path) -> None:
    paths = [trail_of(tmp_path, ONE, ONE.raw[:-5], name=f"lt00000{number}") for number in range(2)]
    whole = WholeTrail(paths)
    assert [int(file_batch.batch.kind[-1]) for file_batch in whole.batches()] == [BAD_SPAN, PARTIAL]


def test_a_walk_begins_at_any_record(tmp_path: Path) -> None:
    paths = [trail_of(tmp_path, ONE, ONE, ONE, name=f"lt00000{number}") for number in range(2)]
    found = [len(file_batch.batch) for file_batch in WholeTrail(paths).batches(TrailPosition(0, ONE.length))]
    assert found == [2, 3]


def test_one_file_is_open_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now, most = 0, 0

    class Counted(TrailFile):
        def __init__(self, path: Path) -> None:
            nonlocal now, most
            super().__init__(path)
            now, most = now + 1, max(most, now + 1)

        def close(self) -> None:
            nonlocal now
            now -= 1
            super().close()

    monkeypatch.setattr(module, "TrailFile", Counted)
    for _ in WholeTrail(files(tmp_path, *(f"lt00000{number}" for number in range(5)))).batches():
        pass
    assert (now, most) == (0, 1)


def test_a_file_that_is_shorter_in_the_second_pass_ends_it(tmp_path: Path) -> None:
    """Two passes over files of other contents would make one answer of both; a file that grows changes nothing."""
    first, second = files(tmp_path, "lt000000", "lt000001")
    whole = WholeTrail([first, second])
    assert len([*whole.batches()]) == 2
    second.write_bytes(second.read_bytes() + first.read_bytes())
    assert len([*whole.batches()]) == 2
    os.truncate(second, first.stat().st_size)
    with pytest.raises(CannotRead, match="the file was truncated"):
        [*whole.batches()]
