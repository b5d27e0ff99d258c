"""LIST: a record as one line, the same that the screen shows.

FOLLOW: records as they are written, in whatever pieces, over whatever files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from itertools import accumulate, pairwise
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.display.listing.stated import row_text
from logdump.display.record_row import RecordRows
from logdump.features.list import command
from logdump.session.files import FileState, file_state
from logdump.session.session import Session
from tests.logdump.list.conftest import Change
from tests.logdump.program import logdump
from tests.searching import Random, examples
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile
from trailformat.changes.transaction_context import TransactionContext
from trailformat.records.record_header import DELETE, ONLY
from trailformat.trail.row_definitions import RowDefinitions

GARBAGE = b"no record at all, but bytes " * 4


def _append(path: Path, data: bytes) -> None:
    with path.open("ab") as file:
        file.write(data)


@pytest.fixture
def whole(trails: Path) -> bytes:
    """The bytes of a trail."""
    return (trails / "et000000000").read_bytes()


@pytest.fixture
def rbas(trails: Path) -> list[str]:
    """The RBAs of its records."""
    return [line.split()[0] for line in logdump("list", str(trails / "et000000000")).out.splitlines()]


@pytest.mark.parametrize("step", [97, 550, 4096])
def test_records_are_shown_once_each_however_they_are_written(
    step: int, tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path = tmp_path / "lt000000000"
    path.write_bytes(whole[:1200])
    ends = [*range(1200, len(whole), step), len(whole)]

    def appends(begin: int, end: int) -> Change:
        return lambda: _append(path, whole[begin:end])

    shown, said = follows(path, *(appends(begin, end) for begin, end in pairwise(ends)))
    assert shown == rbas
    assert said == []


def test_it_goes_on_in_the_next_file_when_that_has_a_record(
    tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path, following = tmp_path / "lt000000000", tmp_path / "lt000000001"
    path.write_bytes(whole)
    shown, said = follows(path, following.touch, lambda: following.write_bytes(whole[:1130]))
    assert shown == [*rbas, "0"]
    assert said == []


@pytest.mark.parametrize("late", [(3391,), (3391, 3629), (3391, 3629, 3987)])
def test_records_that_come_late_into_the_last_file_but_one_are_shown_before_the_next_file(
    late: tuple[int, ...],
    tmp_path: Path,
    whole: bytes,
    rbas: list[str],
    follows: Callable[..., tuple[list[str], list[str]]],
) -> None:
    """At each look one more of them: the writer closes this file after it has opened the next one."""
    path, following = tmp_path / "lt000000000", tmp_path / "lt000000001"
    path.write_bytes(whole[:3260])

    def appends(begin: int, end: int) -> Change:
        return lambda: _append(path, whole[begin:end])

    comes = [appends(begin, end) for begin, end in pairwise((3260, *late))]
    shown, said = follows(path, lambda: following.write_bytes(whole[:1130]), *comes)
    assert shown == [*(rba for rba in rbas if int(rba) < late[-1]), "0"]
    assert said == []


@pytest.mark.parametrize("case", range(examples(12)))
@pytest.mark.parametrize("later", [1, 2])
def test_a_file_that_grows_while_the_next_one_is_looked_for_is_read_first(
    later: int,
    case: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    follows: Callable[..., tuple[list[str], list[str]]],
) -> None:
    """By one small record between the reading and a look; with one later file nothing came at the look before some."""
    random = Random(f"grows {later} {case}")
    parts = [row(bytes(random.randint(1, 300)), trans_ind=ONLY).raw for _ in range(8)]
    path = trail_of(tmp_path, *parts[:2], name="lt000000000")
    for number in range(1, later + 1):
        trail_of(tmp_path, parts[0], name=f"lt{number:09}")
    comes = parts[2:]
    quiet = [False] * len(comes)
    if later == 1:  # FOLLOW waits for a second look at which nothing came
        for at in (0, len(comes) - 1, *random.sample(range(1, len(comes) - 1), 2)):
            quiet[at] = True
    pattern = [
        each for is_quiet, part in zip(quiet, comes, strict=True) for each in ([b""] if is_quiet else []) + [part]
    ]

    def grown(trail: TrailFile) -> FileState:
        if trail.path == path and pattern:
            _append(path, pattern.pop(0))
        return file_state(trail)

    monkeypatch.setattr(command, "file_state", grown)
    shown, said = follows(path)
    assert shown == [*(str(at) for at in accumulate(map(len, parts[:-1]), initial=0)), *["0"] * later]
    assert said == []


def test_a_record_that_a_roll_over_leaves_half_is_said(
    tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path, following = tmp_path / "lt000000000", tmp_path / "lt000000001"
    path.write_bytes(whole[:-10])
    shown, said = follows(path, lambda: following.write_bytes(whole[:1130]))
    assert shown == [*rbas[:-1], "0"]
    assert said == [f"{path} ends inside a record, 91 bytes from RBA 5352 on: the next file follows"]


def test_what_is_said_once_of_a_file_is_said_of_the_next_one_too(
    tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    """Of three files two end inside a record."""
    paths = [tmp_path / f"lt{number:09}" for number in range(3)]
    paths[0].write_bytes(whole[:-10])
    shown, said = follows(
        paths[0], lambda: paths[1].write_bytes(whole[:-20]), *[lambda: None] * 3, lambda: paths[2].write_bytes(whole)
    )
    assert shown == [*rbas[:-1], *rbas[:-1], *rbas]
    assert [text.split(",")[0] for text in said] == [f"{path} ends inside a record" for path in paths[:2]]


def test_a_file_that_is_cut_is_said_and_what_comes_then_is_shown(
    tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path = tmp_path / "lt000000000"
    path.write_bytes(whole)
    shown, said = follows(path, lambda: os.truncate(path, 5183), lambda: _append(path, whole[5183:]))
    assert shown == [*rbas, "5183", "5352"]
    assert said == [f"{path}: the file was truncated to 5183 bytes while it was read"]


def test_a_file_that_is_replaced_is_read_from_its_beginning(
    tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path, other = tmp_path / "lt000000000", tmp_path / "other"
    path.write_bytes(whole)
    other.write_bytes(whole)
    shown, said = follows(path, lambda: other.replace(path))
    assert shown == rbas * 2
    assert said == [f"{path} was replaced: reading the new file from its beginning"]


@pytest.mark.parametrize("grows", [False, True])
def test_a_file_that_is_replaced_or_grows_is_read_before_the_next_one(
    grows: bool, tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    """Both happen between two looks."""
    path, following, other = tmp_path / "lt000000000", tmp_path / "lt000000001", tmp_path / "other"
    path.write_bytes(whole[:3260])
    other.write_bytes(whole)

    def change() -> None:
        following.write_bytes(whole[:1130])
        if grows:
            _append(path, whole[3260:])
        else:
            other.replace(path)

    shown, said = follows(path, change)
    before = [rba for rba in rbas if int(rba) < 3260]
    assert shown == [*before, *(rbas[len(before) :] if grows else rbas), "0"]
    assert said == ([] if grows else [f"{path} was replaced: reading the new file from its beginning"])


def test_a_file_that_is_removed_is_said_and_the_next_one_is_waited_for(
    tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path, following = tmp_path / "lt000000000", tmp_path / "lt000000001"
    path.write_bytes(whole)
    shown, said = follows(path, path.unlink, lambda: None, lambda: following.write_bytes(whole))
    assert shown == rbas * 2
    assert said == [f"{path} was removed: waiting for the next file"]


def test_damage_is_said_once_and_the_records_after_it_are_shown(
    tmp_path: Path, trails: Path, follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path = tmp_path / "lt000000000"
    shutil.copy(trails / "ft000000000", path)
    shown, said = follows(path, lambda: None, lambda: None)
    assert "3522" not in shown
    assert "3629" in shown
    assert len(said) == 1


@pytest.mark.parametrize("case", range(examples(12)))
def test_damage_is_said_once_for_each_of_several_places(
    case: int, tmp_path: Path, follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    """In drawn places, some before the first look and the others after it; one may be the last that is there then."""
    random, good = Random(f"damage {case}"), row(trans_ind=ONLY)
    parts: list[bytes] = [good.raw, GARBAGE, good.raw, GARBAGE, good.raw]
    for _ in range(random.randint(0, 6)):
        parts += [good.raw] if parts[-1] == GARBAGE else [random.choice((good.raw, GARBAGE))]
    parts.append(good.raw)
    places = list(accumulate(map(len, parts), initial=0))
    seen = random.randrange(1, len(parts))
    path = trail_of(tmp_path, *parts[:seen], name="lt000000000")
    shown, said = follows(path, lambda: None, lambda: _append(path, b"".join(parts[seen:])), lambda: None)
    assert shown == [str(at) for at, part in zip(places, parts, strict=False) if part == good.raw]
    gaps = [at for at, part in zip(places, parts, strict=False) if part == GARBAGE]
    assert [int(number) for text in said for number in re.findall(r"lt000000000, RBA (\d+): ", text)] == gaps, said
    assert len(said) == len(gaps)


def test_from_the_end_on_only_what_comes_is_shown(
    tmp_path: Path, whole: bytes, follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path = tmp_path / "lt000000000"
    path.write_bytes(whole[:5200])
    shown, _ = follows(path, lambda: _append(path, whole[5200:]), words="position eof")
    assert shown == ["5183", "5352"]


def test_it_reads_forward_whatever_the_direction_was(
    tmp_path: Path, whole: bytes, rbas: list[str], follows: Callable[..., tuple[list[str], list[str]]]
) -> None:
    path = tmp_path / "lt000000000"
    path.write_bytes(whole[:3391])
    shown, said = follows(path, lambda: _append(path, whole[3391:]), words="pos 2722; pos rev")
    assert shown == rbas[rbas.index("2722") :]
    assert said == []


def test_the_filter_applies(tmp_path: Path, whole: bytes, follows: Callable[..., tuple[list[str], list[str]]]) -> None:
    path = tmp_path / "lt000000000"
    path.write_bytes(whole[:3000])
    shown, _ = follows(path, lambda: _append(path, whole[3000:]), words="filter rectype delete")
    assert shown == ["4989", "5183"]


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


def test_fields_stand_where_awk_finds_them() -> None:
    fields = logdump("list", "et000000000", "--rba", "3522", "--limit", "1").out.split(maxsplit=7)
    assert fields[:7] == [
        "3522",
        "2024/03/14",
        "09:34:00.000.000",
        "UPDATE",
        "TEAHOUSE.TEAS",
        "41882368",
        "5.4.8804",
    ]
    assert fields[7] == "ASS02  STOCK_KG 260→310\n"


@pytest.mark.parametrize("path", sorted(TRAILS.glob("?t000000000")), ids=lambda path: path.name)
def test_a_line_for_each_record_tells_what_the_row_of_the_screen_tells(path: Path) -> None:
    answer = logdump("list", str(path))
    with TrailFile(path) as trail:
        rows = RecordRows(trail, RowDefinitions(trail), TransactionContext(trail))
        records = [record for record in map(trail.record_at, _rbas(trail)) if record is not None]
        told = [(str(record.rba), row_text(rows.of(record))) for record in records]
    lines = answer.out.splitlines()
    assert [line.split()[0] for line in lines] == [rba for rba, _ in told]
    assert all(line.endswith(text.rstrip()) for line, (_, text) in zip(lines, told, strict=True))


def _rbas(trail: TrailFile) -> list[int]:
    rbas, rba = [], 0
    while (good := trail.next_good_header(rba)) is not None:
        rbas.append(good)
        rba = good + trail.record_length(good)
    return rbas


def test_it_reads_on_over_damage_and_says_where() -> None:
    answer = logdump("list", "ft000000000")
    assert answer.status == 4
    assert "RBA 3522: record has no trailer" in answer.err
    assert "reading on at RBA 3629" in answer.err
    assert len(answer.out.splitlines()) == 21


def test_over_several_files_a_line_begins_with_the_file() -> None:
    lines = logdump("list", "at").out.splitlines()
    assert {line.split(":")[0] for line in lines} == {"at000000000", "at000000001", "at000000002"}


def test_a_command_lists_a_screenful_from_the_position_on() -> None:
    listed = logdump("et000000000", "-c", "pos 1811; list 2; list all").out.splitlines()
    assert listed[2].split()[0] == "1811"
    assert len(listed) == 2 + 19


@pytest.mark.parametrize("words", ["", "filter include rectype insert"])
@pytest.mark.parametrize("case", range(examples(8)))
def test_each_of_several_lists_has_its_number_of_lines_and_ends_behind_the_last(
    case: int, words: str, tmp_path: Path
) -> None:
    """Fewer lines than a screenful and more, of a trail with damage and records that do not pass the filter."""
    random = Random(f"lists {case}")
    passes, other = row(trans_ind=ONLY).raw, row(trans_ind=ONLY, io_type=DELETE).raw
    parts = [*random.choices([passes, passes, other, GARBAGE], k=400), *[passes] * 200]
    wanted = {passes} if words else {passes, other}
    places = accumulate(map(len, parts), initial=0)
    left = [(at, at + len(part)) for at, part in zip(places, parts, strict=False) if part in wanted]
    numbers = [1, 19, 20, 21, 22, random.randint(23, 60), random.randint(2, 18)]
    random.shuffle(numbers)
    lists = "; ".join(f"list {number}; pos" for number in numbers)
    answer = logdump("-c", f"open {trail_of(tmp_path, *parts)}; {words}; {lists}").out
    *answers, rest = re.split(r"Reading forward from RBA (\d+)\n", answer.partition("\n")[2])
    told = [
        ([int(at) for at in re.findall(r"^ *(\d+) ", lines, re.MULTILINE)], int(rba))
        for lines, rba in zip(*[iter(answers)] * 2, strict=True)
    ]
    assert rest == ""
    for number, (rbas, position) in zip(numbers, told, strict=True):
        assert (rbas, position) == ([at for at, _ in left[:number]], left[number - 1][1]), numbers
        del left[:number]


def test_in_json_null_and_absent_values_differ() -> None:
    columns = json.loads(logdump("list", "et000000000", "--rba", "4427", "--limit", "1", "--format", "jsonl").out)[
        "columns"
    ]
    note = next(column for column in columns if column["name"] == "NOTE")
    assert (note["has_before"], note["before"], note["after"]) == (True, None, "for a friend")


def test_the_screen_refuses_to_follow_in_its_prompt(trails: Path) -> None:
    from logdump.commands import REGISTRY
    from logdump.language.execute import run_commands
    from logdump.session.events import Failure

    session = Session()
    session.open(trails / "et000000000")
    failures = [event for event in run_commands(session, REGISTRY, "follow") if isinstance(event, Failure)]
    assert failures[0].lines == ("The screen follows the trail by the key w.",)


def test_a_name_that_is_not_defined_is_told_though_records_were_listed() -> None:
    answer = logdump("-c", f"open {TRAILS / 'et000000000'}; list all columns nothing")
    assert len(answer.out.splitlines()) > 20
    assert "NOTHING" in answer.err


def test_a_name_of_the_filter_that_is_not_defined_is_told_only_if_nothing_was_listed() -> None:
    named = f"open {TRAILS / 'et000000000'}; filter include filename NOBODY.TEAS"
    assert "NOBODY.TEAS" in logdump("-c", f"{named}; list all").err
    answer = logdump("-c", f"{named}; filter include rectype insert; filter match any; list all")
    assert len(answer.out.splitlines()) > 5
    assert answer.err == ""


@pytest.mark.parametrize("name", ["et000000000", "al000000000"])
@pytest.mark.parametrize("columns", ["stock_kg,PRICE", "Price,STOCK_KG"])
def test_columns_are_named_in_any_case(columns: str, name: str) -> None:
    """Those of the second trail are in small letters."""
    lines = logdump("-c", f"open {TRAILS / name}; filter include rectype insert; list all columns {columns}").out
    shown = [line.split("  ")[-1].lower() for line in lines.splitlines() if ".teas" in line.lower()]
    assert shown[1:]
    assert all("price" in line and "stock_kg" in line and "name" not in line for line in shown)
    assert "GYO01" not in lines
    keyed = logdump("-c", f"open {TRAILS / name}; list all columns {columns},Tea_Code").out
    assert "GYO01" in keyed


@pytest.mark.parametrize("behind", [True, False])
def test_damage_is_passed_over_where_a_record_follows_and_else_an_error(behind: bool, tmp_path: Path) -> None:
    good = row(trans_ind=ONLY)
    path = trail_of(tmp_path, good, b"no record at all, but bytes " * 4, *([good] if behind else []))
    answer = logdump("-c", f"open {path}; list")
    assert len(answer.out.splitlines()) == 2 + behind
    assert f"RBA {good.length}" in answer.err
    assert ("No good header after it" in answer.err) != behind
