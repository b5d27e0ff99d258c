"""Of several transactions, gaps and places of damage over three files: which a copy lacks, and which it names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from logdump.features.repair.model import LossReason
from tests.logdump.line import Line
from tests.logdump.repair.repaired import losses, repair, rows, shown, texts
from tests.trailformat.samples import header, row, trail_of
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY
from trailformat.trail.sequence import FilePosition

GARBAGE = b"no record at all, but bytes " * 4


def _whole(csn: str | None) -> Record:
    return make_record(header(trans_ind=ONLY), b"", [make_token("L", csn.encode())] if csn is not None else [])


def _lengths(*records: Record | bytes) -> int:
    return sum(len(record.raw if isinstance(record, Record) else record) for record in records)


def _written(folder: Path, files: Sequence[Sequence[Record | bytes]], numbers: Sequence[int] = (0, 1, 2)) -> list[Path]:
    return [trail_of(folder, *records, name=f"tt{number:09}") for number, records in zip(numbers, files, strict=True)]


def _copies(line: Line, folder: Path, words: str = "") -> list[list[bytes]]:
    """The rows of each file of the copy."""
    line(f'repair over "{folder}/tt*" to {folder / "cp000000000"} {words}')
    assert line.failures == []
    return [texts(path) for path in sorted(folder.glob("cp*"))]


@pytest.mark.parametrize(
    ("csns", "last"),
    [
        (["41", "42", "43"], "43"),
        (["43", "41", "42"], "42"),
        (["41", "42", None], "42"),
        (["41", None, None], "41"),
        ([None, None, None], None),
    ],
)
def test_the_last_csn_is_that_of_the_last_transaction_in_the_trail_that_has_one(
    csns: list[str | None], last: str | None, line: Line, tmp_path: Path
) -> None:
    repair(line, tmp_path, *map(_whole, csns))
    assert shown(line).after_csn == last


@pytest.mark.parametrize("begins_in", [0, 1])
def test_an_open_transaction_takes_what_is_behind_the_next_gap_not_with_it(
    begins_in: int, line: Line, tmp_path: Path
) -> None:
    """Two gaps, between three files."""
    files: list[list[Record | bytes]] = [[*rows("a")], [*rows("b")], [*rows("c")]]
    files[begins_in].append(row(b"x", trans_ind=FIRST))
    _written(tmp_path, files, (0, 2, 4))
    assert _copies(line, tmp_path) == [[b"a"], [b"b"], [b"c"]]
    assert [(loss.reason, loss.records) for loss in losses(line)] == [(LossReason.MISSING_FILE, 1)]


def test_a_transaction_over_three_files_is_left_out_of_all_and_nothing_else_is(line: Line, tmp_path: Path) -> None:
    """It begins behind other rows, and ends before others, at RBAs that are greater in the first file."""
    first = [*rows("abc"), *rows("def"), row(b"x", trans_ind=FIRST)]
    middle: list[Record | bytes] = [row(b"y", trans_ind=MIDDLE), GARBAGE, row(b"y", trans_ind=MIDDLE)]
    last = [row(b"z", trans_ind=LAST), *rows("ghi"), *rows("jkl"), *rows("mno")]
    _written(tmp_path, [first, middle, last])
    assert [text for texts_of_file in _copies(line, tmp_path) for text in texts_of_file] == [
        bytes([letter]) for letter in b"abcdefghijklmno"
    ]
    (loss,) = losses(line)
    assert (loss.reason, loss.records) == (LossReason.DAMAGE, 4)
    assert loss.spot == FilePosition(tmp_path / "tt000000001", _lengths(middle[0]))


@pytest.mark.parametrize("damaged", [(0, 1, 2), (1, 2), (2,), (0, 2), (1,)])
def test_of_damage_in_three_files_the_first_in_the_transaction_is_named(
    damaged: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """In the later files it is at the beginning, before the RBA at which the transaction begins in the first."""
    kinds = [[FIRST, MIDDLE], [MIDDLE, MIDDLE], [MIDDLE, LAST]]
    files: list[list[Record | bytes]] = []
    for number, (one, other) in enumerate(kinds):
        inside: list[Record | bytes] = [
            row(b"x", trans_ind=one),
            *([GARBAGE] if number in damaged else []),
            row(b"x", trans_ind=other),
        ]
        files.append([*(rows("abc") if number == 0 else []), *inside, *(rows("d") if number == 2 else [])])
    paths = _written(tmp_path, files)
    assert _copies(line, tmp_path)[0] == [b"a", b"b", b"c"]
    before = _lengths(*rows("abc")) if damaged[0] == 0 else 0
    named = {loss.spot for loss in losses(line) if loss.begin is not None}
    assert named == {FilePosition(paths[damaged[0]], before + _lengths(row(b"x")))}


@pytest.mark.parametrize("words", ["", "all"])
def test_records_that_a_copy_has_are_not_counted_as_left_out(words: str, line: Line, tmp_path: Path) -> None:
    inside: list[Record | bytes] = [
        row(b"x", trans_ind=FIRST),
        GARBAGE,
        row(b"y", trans_ind=MIDDLE),
        row(b"z", trans_ind=LAST),
    ]
    copied = repair(line, tmp_path, *rows("ab"), *inside, *rows("c"), words=words)
    assert copied == ([b"a", b"b", b"x", b"y", b"z", b"c"] if words else [b"a", b"b", b"c"])
    result = shown(line)
    assert (result.left_out_records, result.copied) == ((0, 6) if words else (3, 3))


@pytest.mark.parametrize("damaged", [0, 1, 2])
def test_a_copy_that_stops_goes_on_at_the_transaction_that_is_cut_there(
    damaged: int, line: Line, tmp_path: Path
) -> None:
    """Three transactions, one of them with damage inside, the others with some between them and a sound one."""
    parts: list[list[Record | bytes]] = []
    for number, letters in enumerate(("ab", "cd", "ef")):
        first, last = rows(letters)
        parts.append([first, *([GARBAGE] if number == damaged else []), last])
    before = rows("z")
    source = trail_of(tmp_path, *before, *(record for part in parts for record in part), name="tt000000000")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'} stop")
    result = shown(line)
    begin = _lengths(*before, *(record for part in parts[:damaged] for record in part))
    assert result.restart_at == FilePosition(source, begin)
    assert result.stopped_at == FilePosition(source, begin + _lengths(parts[damaged][0]))


@pytest.mark.parametrize("is_half", [False, True])
def test_damage_is_half_a_record_only_where_the_trail_ends_inside_one(
    is_half: bool, line: Line, tmp_path: Path
) -> None:
    """Damage between transactions, and half a record at the end or none."""
    half = [row(b"half").raw[:20]] if is_half else []
    repair(line, tmp_path, *rows("a"), GARBAGE, *rows("b"), *half)
    reasons = [loss.reason for loss in losses(line)]
    assert reasons == [LossReason.UNKNOWN, *([LossReason.HALF_RECORD] if is_half else [])]
    begin = _lengths(*rows("a"), GARBAGE, *rows("b"))
    assert shown(line).restart_at == (FilePosition(tmp_path / "tt000000000", begin) if is_half else None)


@pytest.mark.parametrize("follows", ["nothing", "an empty file", "a file"])
def test_an_open_transaction_goes_on_if_a_file_with_records_follows(follows: str, line: Line, tmp_path: Path) -> None:
    source = trail_of(tmp_path, *rows("a"), row(b"x", trans_ind=FIRST), name="tt000000000")
    if follows != "nothing":
        trail_of(tmp_path, *([row(b"y", trans_ind=LAST)] if follows == "a file" else []), name="tt000000001")
    line(f'repair over "{source}" to {tmp_path / "cp000000000"}')
    assert [loss.reason for loss in losses(line)] == ([] if follows == "a file" else [LossReason.OPEN])


def test_places_of_damage_that_touch_are_told_as_one(line: Line, tmp_path: Path) -> None:
    source = trail_of(tmp_path, *rows("a"), GARBAGE, *rows("b"), GARBAGE, *rows("c"), name="tt000000000")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'}")
    spots = [loss.spot.rba for loss in losses(line) if loss.spot is not None]
    assert all(one < other for one, other in pairwise(spots))
    assert (shown(line).places, shown(line).bytes_lost) == (2, 2 * len(GARBAGE))
