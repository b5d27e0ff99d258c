"""Of several transactions, gaps and places of damage over three files: which a copy lacks, and which it names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

import pytest

from logdump.features.repair.command import Repair
from logdump.features.repair.model import LossReason
from logdump.session.events import Notice
from tests.logdump.line import Line
from tests.logdump.repair.repaired import losses, refused, repair, rows, shown, texts
from tests.searching import Random
from tests.trailformat.samples import header, metadata_record, row, table_record, trail_of
from tests.trailformat.small_batches import in_batches
from trailformat import Record, TrailFile, make_record, make_token
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RECORD_FRAGMENT, RESTART_ABEND
from trailformat.trail.sequence import FilePosition
from trailformat.transactions import whole_trail

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
    assert loss.position == FilePosition(tmp_path / "tt000000001", _lengths(middle[0]))


@pytest.mark.parametrize("damaged", [(0, 1, 2), (1, 2), (2,), (0, 2), (1,)])
def test_of_damage_in_three_files_the_first_in_the_transaction_is_named(
    damaged: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """In the later files it is at the beginning, before the RBA at which the transaction begins in the first."""
    kinds = [[FIRST, MIDDLE], [MIDDLE, MIDDLE], [MIDDLE, LAST]]
    files: list[list[Record | bytes]] = []
    for number, (kind, other) in enumerate(kinds):
        inside: list[Record | bytes] = [
            row(b"x", trans_ind=kind),
            *([GARBAGE] if number in damaged else []),
            row(b"x", trans_ind=other),
        ]
        files.append([*(rows("abc") if number == 0 else []), *inside, *(rows("d") if number == 2 else [])])
    paths = _written(tmp_path, files)
    assert _copies(line, tmp_path)[0] == [b"a", b"b", b"c"]
    before = _lengths(*rows("abc")) if damaged[0] == 0 else 0
    named = {loss.position for loss in losses(line) if loss.begin is not None}
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


@pytest.mark.parametrize("size", [1, 2, 3, 100])
@pytest.mark.parametrize("between", ["nothing", "a restart", "a restart and damage", "a row", "at last a restart"])
def test_rows_without_a_begin_go_on_from_an_overtaken_transaction_unless_something_is_between(
    between: str, size: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restart parts them wherever it stands, be it alone in what is read at a time."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    restart = make_record(header(io_type=RESTART_ABEND, trans_ind=ONLY))
    parts: dict[str, list[Record | bytes]] = {
        "nothing": [],
        "a restart": [restart],
        "a restart and damage": [restart, GARBAGE],
        "a row": [row(b"o", trans_ind=ONLY)],
        "at last a restart": [],
    }
    overtaken = [row(b"a", trans_ind=FIRST), row(b"b", trans_ind=FIRST), row(b"b", trans_ind=MIDDLE)]
    without_begin = [row(b"d", trans_ind=MIDDLE), row(b"e", trans_ind=LAST)]
    lost: list[Record | bytes] = [row(b"c", trans_ind=FIRST), GARBAGE, row(b"c", trans_ind=LAST)]
    after: list[Record | bytes] = [GARBAGE, restart] if between == "at last a restart" else []
    repair(line, tmp_path, *overtaken, *parts[between], *lost, *after, *without_begin, *rows("z"))
    left_out = [loss for loss in losses(line) if loss.reason is LossReason.OVERTAKEN]
    assert len(left_out) == (2 if between == "nothing" else 0)
    copied = [text for text in texts(tmp_path / "cp000000000") if text]
    first = [] if left_out else [b"a", b"b", b"b"]
    assert copied == [*first, *([b"o"] if between == "a row" else []), b"d", b"e", b"z"]


@pytest.mark.parametrize("size", [1, 2, 100])
@pytest.mark.parametrize("between", [[], [row(b"o", trans_ind=ONLY)]])
def test_rows_without_a_begin_that_are_overtaken_are_left_out_if_others_would_go_on_with_them(
    between: list[Record | bytes], size: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    lost: list[Record | bytes] = [row(b"c", trans_ind=FIRST), GARBAGE, row(b"c", trans_ind=LAST)]
    without_begin = [row(b"d", trans_ind=MIDDLE), row(b"e", trans_ind=LAST)]
    repair(line, tmp_path, *rows("y"), row(b"m", trans_ind=MIDDLE), *lost, *between, *without_begin, *rows("z"))
    left_out = [loss for loss in losses(line) if loss.reason is LossReason.OVERTAKEN]
    assert len(left_out) == (not between)
    copied = [text for text in texts(tmp_path / "cp000000000") if text]
    assert copied == [b"y", *([b"m", b"o"] if between else []), b"d", b"e", b"z"]
    line.events.clear()
    repair(
        line, tmp_path, *rows("y"), row(b"m", trans_ind=MIDDLE), *lost, *between, *without_begin, words="all replace"
    )
    assert not [loss for loss in losses(line) if loss.reason is LossReason.OVERTAKEN]


@pytest.mark.parametrize("size", [1, 2, 100])
def test_each_transaction_at_the_end_of_a_copy_is_lost_once_for_its_first_reason(
    size: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows without a begin would go on from an overtaken transaction, and be open at the end themselves."""
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(size))
    overtaken = [row(b"a", trans_ind=FIRST), row(b"b", trans_ind=FIRST)]
    damaged: list[Record | bytes] = [row(b"c", trans_ind=FIRST), GARBAGE, row(b"c", trans_ind=LAST)]
    end: list[Record | bytes] = [row(b"d", trans_ind=MIDDLE), row(b"f", trans_ind=FIRST), row(b"half").raw[:20]]
    copied = repair(line, tmp_path, *rows("z"), *overtaken, *damaged, *end)
    reasons = sorted(loss.reason.name for loss in losses(line) if loss.reason is not LossReason.HALF_RECORD)
    assert reasons == ["DAMAGE", "OPEN", "OPEN", "OVERTAKEN", "OVERTAKEN"]
    assert copied == [b"z"]


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


@pytest.mark.parametrize("follows", ["nothing", "an empty file", "an empty file before a file", "a file"])
def test_an_open_transaction_goes_on_if_a_file_with_records_follows(follows: str, line: Line, tmp_path: Path) -> None:
    source = trail_of(tmp_path, *rows("a"), row(b"x", trans_ind=FIRST), name="tt000000000")
    if follows != "nothing":
        trail_of(tmp_path, *([row(b"y", trans_ind=LAST)] if follows == "a file" else []), name="tt000000001")
    if follows == "an empty file before a file":
        trail_of(tmp_path, row(b"y", trans_ind=LAST), name="tt000000002")
    line(f'repair over "{source}" to {tmp_path / "cp000000000"}')
    assert [loss.reason for loss in losses(line)] == ([] if follows == "a file" else [LossReason.OPEN])


def test_places_of_damage_that_touch_are_told_as_one(line: Line, tmp_path: Path) -> None:
    source = trail_of(tmp_path, *rows("a"), GARBAGE, *rows("b"), GARBAGE, *rows("c"), name="tt000000000")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'}")
    positions = [loss.position.rba for loss in losses(line) if loss.position is not None]
    assert all(position < other for position, other in pairwise(positions))
    assert (shown(line).places, shown(line).bytes_lost) == (2, 2 * len(GARBAGE))


@pytest.mark.parametrize("words", ["", "all"])
def test_all_fragments_behind_damage_go_unless_all_is_wanted(words: str, line: Line, tmp_path: Path) -> None:
    """Of records that are lost at three places, of no known transactions; behind one of them there may be none."""
    draw = Random(f"fragments {words}")
    fragment = row(b"m", io_type=RECORD_FRAGMENT, trans_ind=MIDDLE)
    numbers = [3, *draw.sample(range(3), 2)]
    draw.shuffle(numbers)
    lost: list[Record | bytes] = []
    for number in numbers:
        lost += [GARBAGE, *[fragment] * number, *rows("b")]
    source = trail_of(tmp_path, *rows("a"), *lost, name="tt000000000")
    line(f"open {source}; repair to {tmp_path / 'cp000000000'} {words}")
    assert line.failures == []
    fragments = sum(numbers)
    assert (shown(line).copied, shown(line).left_out_records) == ((4 + fragments, 0) if words else (4, fragments))


DATABASE = metadata_record(1, 0, "TEADB")


def _table(columns: int, name: str = "TEA.LEAVES") -> Record:
    return table_record(4, name, columns=columns)


def _by_index(folder: Path, number: int, *parts: Record | bytes) -> Path:
    """A file with two rows by the index 4 behind each of these."""
    return trail_of(
        folder,
        DATABASE,
        *(record for part in parts for record in (part, row(b"r", 4), row(b"r", 4))),
        name=f"tt{number:09}",
    )


def _taken(line: Line, source: Path, words: str = "") -> list[FilePosition]:
    """The places from which REPAIR has taken definitions."""
    line(f"open {source}; repair to {source.with_name('cp000000000')} {words}")
    assert line.failures == []
    return [definition.source for definition in shown(line).definitions_copied]


def test_the_definition_that_was_in_force_at_the_edges_of_the_files_beside_is_taken(line: Line, tmp_path: Path) -> None:
    """Of three in the file before the last, which is the first of three in the file after it."""
    before = _by_index(tmp_path, 0, _table(1), _table(3), _table(2))
    source = _by_index(tmp_path, 1, GARBAGE)
    _by_index(tmp_path, 2, _table(2), _table(1), _table(3))
    (place,) = _taken(line, source)
    assert place.path == before
    with TrailFile(before) as trail:
        assert place.rba == trail.tables.entries()[-1].rba


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1)])
def test_definitions_of_one_name_that_differ_are_not_sure(before: int, after: int, line: Line, tmp_path: Path) -> None:
    _by_index(tmp_path, 0, _table(before))
    source = _by_index(tmp_path, 1, GARBAGE)
    _by_index(tmp_path, 2, _table(after))
    assert _taken(line, source) == []
    assert shown(line).definitions_lost != ()


def test_an_index_that_is_defined_again_behind_the_damage_says_nothing_of_the_file_after(
    line: Line, tmp_path: Path
) -> None:
    _by_index(tmp_path, 0, _table(2))
    source = _by_index(tmp_path, 1, GARBAGE, _table(1, "TEA.POTS"))
    _by_index(tmp_path, 2, _table(2))
    assert _taken(line, source) == []


def test_an_index_that_was_defined_before_the_damage_says_nothing_of_the_file_before(
    line: Line, tmp_path: Path
) -> None:
    """The name of the lost definition is readable, and the same in all files."""
    _by_index(tmp_path, 0, _table(3))
    source = _by_index(tmp_path, 1, _table(1), _table(2).raw[:-2] + b"??")
    after = _by_index(tmp_path, 2, _table(2))
    assert [place.path for place in _taken(line, source)] == [after]


@pytest.mark.parametrize("beside", [(), (0,), (2,), (0, 2)])
def test_the_definition_of_the_database_comes_from_the_nearest_file(
    beside: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """The file before, that after, or the newest of three of the named trail."""
    source = trail_of(tmp_path, *rows("a"), GARBAGE, _table(1), row(b"r", 4), name="tt000000001")
    paths = {number: _by_index(tmp_path, number, _table(1)) for number in beside}
    other = tmp_path / "other"
    other.mkdir()
    named = [_by_index(other, number, _table(1)) for number in range(3)]
    (place,) = _taken(line, source, f'definitions "{other}/tt*"')
    assert place.path == (paths[beside[0]] if beside else named[-1])


@pytest.mark.parametrize(
    ("words", "said"), [("", "the copy is complete, this is partial"), ("dry", "nothing was written")]
)
def test_an_interrupt_behind_the_copy_says_whether_there_is_one(
    words: str, said: str, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Repair) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr(Repair, "_shown", interrupted)
    source = trail_of(tmp_path, *rows("a"), name="tt000000000")
    with pytest.raises(KeyboardInterrupt):
        line(f"open {source}; repair to {tmp_path / 'cp000000000'} {words}")
    (notice,) = (event for event in line.events if isinstance(event, Notice))
    assert notice.lines == (f"Stopped before the end: {said}.",)
    assert (tmp_path / "cp000000000").exists() == (not words)


@pytest.mark.parametrize("name", ["tt000000000", "tt000000007"])
@pytest.mark.parametrize("words", ["definitions {}", "header from {}"])
def test_a_copy_never_becomes_a_file_of_what_is_read_for_it(words: str, name: str, line: Line, tmp_path: Path) -> None:
    """Neither in the place of a file nor as a further one."""
    other = tmp_path / "other"
    other.mkdir()
    named = _by_index(other, 0, _table(1))
    content = named.read_bytes()
    line(f"open {_by_index(tmp_path, 0, GARBAGE)}; repair to {other / name} {words.format(named)}")
    assert "REPAIR" in refused(line)
    assert named.read_bytes() == content
    assert list(other.iterdir()) == [named]


@pytest.mark.parametrize("no_trail", [(), (1,), (1, 2)])
def test_all_bytes_of_a_file_that_is_no_trail_are_lost(no_trail: tuple[int, ...], line: Line, tmp_path: Path) -> None:
    """Beside damage in the first file."""
    paths = _written(tmp_path, [[*rows("a"), GARBAGE], [*rows("b")], [*rows("c")]])
    for number in no_trail:
        paths[number].write_bytes(bytes(100 + number))
    assert [text for copied in _copies(line, tmp_path) for text in copied] == [
        bytes([letter]) for number, letter in enumerate(b"abc") if number not in no_trail
    ]
    assert shown(line).bytes_lost == len(GARBAGE) + sum(100 + number for number in no_trail)


def test_the_definition_of_the_database_is_taken_once_for_all_tables(line: Line, tmp_path: Path) -> None:
    """The definitions of the database and of two tables are lost; those of the file before have all."""
    tables = [_table(1), table_record(5, "TEA.POTS")]
    both = [row(b"r", 4), row(b"r", 5)]
    trail_of(tmp_path, DATABASE, *tables, *both, name="tt000000000")
    source = trail_of(tmp_path, *rows("a"), GARBAGE, *both, name="tt000000001")
    trail_of(tmp_path, DATABASE, *tables, *both, name="tt000000002")
    places = _taken(line, source)
    assert sorted(place.rba for place in places) == [0, _lengths(DATABASE), _lengths(DATABASE, tables[0])]


@pytest.mark.parametrize("damaged", [(0,), (1,), (0, 1), (0, 2), (1, 2)])
def test_a_copy_that_stops_ends_at_the_first_of_several_places_of_damage(
    damaged: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """In three files, each of two transactions with damage between or not."""
    files: list[list[Record | bytes]] = [
        [*rows(f"{number}a"), *([GARBAGE] if number in damaged else []), *rows(f"{number}b")] for number in range(3)
    ]
    _written(tmp_path, files)
    copied = _copies(line, tmp_path, "stop")
    assert [b"".join(texts) for texts in copied] == [
        f"{number}a{number}b".encode() if number < damaged[0] else f"{number}a".encode()
        for number in range(damaged[0] + 1)
    ]
    at = _lengths(*files[damaged[0]][:2])
    assert shown(line).stopped_at == FilePosition(tmp_path / f"tt{damaged[0]:09}", at)


@pytest.mark.parametrize("before", [1, 2, 3])
def test_references_before_the_damage_and_their_rows_are_copied(before: int, line: Line, tmp_path: Path) -> None:
    """After the damage rows have an index that is defined nowhere: what a reference means there is not known."""
    references = [metadata_record(3, 1, f"TEA.CUPS{number}") for number in range(before)]
    sound = [row(f"cup{number}".encode(), name=number + 2, trans_ind=ONLY) for number in range(before)]
    after = [row(b"lost", name=9, trans_ind=ONLY), row(b"pot", name=1, trans_ind=ONLY)]
    copied = repair(line, tmp_path, table_record(1, "TEA.POTS"), *references, *sound, GARBAGE, *after)
    assert copied == [*(f"cup{number}".encode() for number in range(before)), b"pot"]
    with TrailFile(tmp_path / "cp000000000") as copy:
        names = [copy.name_of(record) for record in copy.records() if not record.is_metadata]
    assert names == [*(f"TEA.CUPS{number}" for number in range(before)), "TEA.POTS"]
