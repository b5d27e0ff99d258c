"""REPORT: what each section of the page is about, with three candidates for it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.changes import insert, truncate, unified_update
from fixtures.shop import Row
from logdump.features.report import parts, place
from logdump.features.report.model import ReportWritten
from logdump.features.row.model import RowChangeShown
from logdump.notation.text import amount
from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.logdump.recovery.recovery_model import RecoveryModel
from tests.searching import Random, examples
from tests.simulated.eventful import Eventful
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.late_replication import beat
from tests.simulated.pairs import TEAS, Copier
from tests.trailformat.samples import row, trail_of
from trailformat import Record, TrailFile
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RESTART_OK

GARBAGE = b"no record at all, but bytes " * 4
KINDS = {1: (ONLY,), 2: (FIRST, LAST), 3: (FIRST, MIDDLE, LAST)}


def _file(folder: Path, number: int, *records: Record | bytes) -> Path:
    return trail_of(folder, *records, name=f"tt{number:09}")


def _page(line: Line, folder: Path, words: str = "") -> dict[str, str]:
    """The sections of a page by their titles; the head is that without one."""
    path = folder / "page.md"
    line(f"report {words} to {path} replace")
    assert line.failures == []
    head, *sections = path.read_text(encoding="utf-8").split("\n## ")
    return {"": head} | {section.partition("\n")[0]: section for section in sections}


def _status(line: Line) -> ExitStatus:
    return next(event.status for event in line.events if isinstance(event, ReportWritten))


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("displayed", [0, 1, 2])
def test_the_record_of_at_is_shown_whichever_was_displayed_last(
    displayed: int, at: int, line: Line, tmp_path: Path
) -> None:
    records = [row(trans_ind=ONLY) for _ in range(3)]
    line(f"open {_file(tmp_path, 0, *records)}; position {displayed * records[0].length}; next")
    assert f"Record at RBA {displayed * records[0].length}" in _page(line, tmp_path)
    assert f"Record at RBA {at * records[0].length}" in _page(line, tmp_path, f"at {at * records[0].length}")


def test_a_page_over_other_files_has_no_record_of_the_open_one(line: Line, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    _file(other, 0, row(trans_ind=ONLY), row(trans_ind=ONLY))
    line(f"open {_file(tmp_path, 0, row(trans_ind=ONLY), row(trans_ind=ONLY))}; next 2")
    assert not [title for title in _page(line, tmp_path, f'over "{other}/tt*"') if title.startswith("Record at")]


@pytest.mark.parametrize("files", [1, 2, 3])
def test_a_place_is_one_in_one_file(files: int, line: Line, tmp_path: Path) -> None:
    for number in range(files):
        _file(tmp_path, number, row(trans_ind=ONLY))
    line(f'report over "{tmp_path}/tt*" at 0 to {tmp_path / "page.md"}')
    assert [bool(line.failures), (tmp_path / "page.md").exists()] == [files > 1, files == 1]


@pytest.mark.parametrize("asked", [0, 1, 2])
def test_the_transaction_is_listed_from_its_first_record_to_its_last(asked: int, line: Line, tmp_path: Path) -> None:
    """The second of three, with a restart record between two of its own; asked at any of its records."""
    before = [row(trans_ind=kind) for kind in KINDS[2]]
    inside = [row(trans_ind=kind) for kind in KINDS[3]]
    marker = row(b"", io_type=RESTART_OK)
    rbas = [sum(record.length for record in (*before, *inside[:number])) for number in range(3)]
    path = _file(tmp_path, 0, *before, *inside, *before, marker)
    line(f"open {path}")
    lines = _page(line, tmp_path, f"at {rbas[asked]}")["The transaction"].splitlines()
    listed = [text.split()[0] for text in lines if text.strip() and text.split()[0].isdigit()]
    assert listed == [str(rba) for rba in rbas]


WHOLE = row(trans_ind=ONLY)


@pytest.mark.parametrize(
    ("others", "status"),
    [
        ((WHOLE,), ExitStatus.OK),
        ((row(trans_ind=FIRST), WHOLE, row(trans_ind=LAST)), ExitStatus.FINDINGS),
        ((GARBAGE, WHOLE), ExitStatus.BAD_DATA),
    ],
)
def test_a_place_inside_a_record_is_damage_whatever_else_is_found(
    others: tuple[Record | bytes, ...], status: ExitStatus, line: Line, tmp_path: Path
) -> None:
    """At the begin of the record the status is that of the trail: nothing, a cut transaction, or damage elsewhere."""
    line(f"open {_file(tmp_path, 0, WHOLE, *others)}")
    for at in (0, Random().randrange(1, WHOLE.length)):
        _page(line, tmp_path, f"at {at}")
        assert _status(line) is (ExitStatus.BAD_DATA if at else status)


@pytest.mark.parametrize("seed", range(examples(12)))
def test_a_transaction_over_two_files_is_listed_in_each_as_far_as_it_is_there(
    seed: int, line: Line, tmp_path: Path
) -> None:
    """It begins at a higher RBA of the first file than it ends in the second one; others follow it there."""
    random = Random(f"two files {seed}")
    before, here, there = random.randint(4, 6), random.randint(2, 4), random.randint(1, 3)
    first = [*[WHOLE] * before, row(trans_ind=FIRST), *[row(trans_ind=MIDDLE)] * (here - 1)]
    second = [*[row(trans_ind=MIDDLE)] * (there - 1), row(trans_ind=LAST), *[WHOLE] * random.randint(1, 9)]
    paths = [_file(tmp_path, number, *records) for number, records in enumerate((first, second))]
    own = [range(before, before + here), range(there)]
    for path, numbers in zip(paths, own, strict=True):
        line(f"open {path}")
        lines = _page(line, tmp_path, f"at {random.choice(numbers) * WHOLE.length}")["The transaction"].splitlines()
        listed = [int(text.split()[0]) for text in lines if text.strip() and text.split()[0].isdigit()]
        assert listed == [number * WHOLE.length for number in numbers]
        assert f"… {amount(here + there - len(numbers), 'more record')} in other files" in "\n".join(lines)


@pytest.mark.parametrize("seed", range(examples(12)))
def test_the_story_of_the_row_is_that_of_all_files(seed: int, line: Line, tmp_path: Path) -> None:
    """Each change is in a file of its own, those of another row between them; asked at any of them."""
    random = Random(f"row {seed}")
    (folder := tmp_path / "trail").mkdir()
    copier = Copier(folder, random, roll_chance=1, tables=(TEAS,))
    mine = [_tea("MINE", random) for _ in range(random.randint(3, 5))]
    for number, values in enumerate(mine):
        copier.begin(2 * number + 1)
        copier.rows([unified_update(TEAS, mine[number - 1], values) if number else insert(TEAS, values)], 1)
        copier.begin(2 * number + 2)
        copier.rows([insert(TEAS, _tea("OTHER", random))], 1)
    copier.close()
    places = [(path, rba) for path in sorted(folder.iterdir()) for rba in _rows_of(path, "MINE")]
    assert len({path for path, _ in places}) == len(places) == len(mine)
    path, rba = random.choice(places)
    line(f"open {path}")
    section = _page(line, tmp_path, f"at {rba}")["The row"]
    assert (section.count("INSERT"), section.count("UPDATE")) == (1, len(mine) - 1)
    assert all(at.name in section for at, _ in places)
    assert "OTHER" not in section


def _tea(key: str, random: Random) -> Row:
    return key, "Sencha", "Uji", "A ", Decimal("9.50"), Decimal(random.randint(1, 999))


def _rows_of(path: Path, key: str) -> list[int]:
    with TrailFile(path) as trail:
        return [record.rba for record in trail.records() if not record.is_metadata and key.encode() in record.data]


def test_tables_are_listed_with_the_most_bytes_first(line: Line, tmp_path: Path) -> None:
    names = {"TEA.CUPS": b"x" * 20, "TEA.BAGS": b"x", "TEA.POTS": b"x" * 40}
    line(f"open {_file(tmp_path, 0, *(row(text, name, trans_ind=ONLY) for name, text in names.items()))}")
    section = _page(line, tmp_path)["Tables and operations"]
    places = [section.index(name) for name in ("TEA.POTS", "TEA.CUPS", "TEA.BAGS")]
    assert places == sorted(places)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_lines_beyond_those_shown_are_counted(
    most: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line(f"open {_file(tmp_path, 0, *(row(trans_ind=ONLY), GARBAGE) * 5, row(trans_ind=ONLY))}")
    whole = len(line("check"))
    monkeypatch.setattr(parts, "MOST_FINDINGS", most)
    assert f"{whole - most} more lines" in _page(line, tmp_path)["Damage"]


def test_the_bytes_are_those_of_all_files(line: Line, tmp_path: Path) -> None:
    paths = [_file(tmp_path, number, *[row(trans_ind=ONLY)] * (number + 1)) for number in range(3)]
    line(f"open {paths[0]}")
    assert f"3, {sum(path.stat().st_size for path in paths):,} bytes" in _page(line, tmp_path)[""]


@pytest.mark.parametrize("seed", range(examples(30, short=8)))
def test_records_of_the_transaction_in_other_files_are_counted_and_its_begin_is_named(
    seed: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At any row of a trail of several files in which much happens at once."""
    random, most = Random(f"report {seed}"), Random(seed).choice((1, 2, 200))
    monkeypatch.setattr(place, "MOST_RECORDS", most)
    trail = Eventful(tmp_path, random, is_sound=True, steps=("whole", "over", "over", "cut"))
    stretches = [piece for piece in RecoveryModel(trail).stretches if piece.has_begin]
    over_files = [piece for piece in stretches if piece.rows[0].file != piece.rows[-1].file]
    stretch = random.choice(over_files or stretches)
    at = random.choice(stretch.rows)
    path, first = trail.files[at.file].path, trail.files[stretch.first[0]].path
    line(f"open {path}")
    section = _page(line, tmp_path, f"at {at.rba}")["The transaction"]
    here = [row.rba for row in stretch.rows if row.file == at.file]
    lines = section.splitlines()
    assert [int(text.split()[0]) for text in lines if text.split()[:1] and text.split()[0].isdigit()] == here[:most]
    more = [text for text in lines if text.startswith("…")]
    expected = [f"… {amount(len(here) - most, 'more record')}"] if len(here) > most else []
    if len(here) < len(stretch.rows):
        others = amount(len(stretch.rows) - len(here), "more record")
        expected.append(f"… {others} in other files: it begins at RBA {stretch.first[1]} of {first}")
    assert more == expected
    opened = f"OPEN {first}; " if first != path else ""
    assert f"{opened}POSITION {stretch.first[1]}; LIST" in section


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_notices_are_no_changes_of_the_row(
    most: int, line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row is changed three times, and its table is emptied twice."""
    monkeypatch.setattr(place, "MOST_RECORDS", most)
    trail, values = HeartbeatTrail(tmp_path / "hb000000000"), beat(0, 1.0)
    for minute in range(3):
        trail.insert(values, minute)
        trail._write([truncate(trail._tables["_HISTORY"]), truncate(trail._tables[""])], minute)
    rba = _first_row(trail.close())
    line(f"open {trail.path}; pos {rba}; n")
    rows = [event for event in _events(line, "row") if isinstance(event, RowChangeShown)]
    section = _page(line, tmp_path, f"at {rba}")["The row"]
    assert section.count("INSERT") == min(most, len(rows))
    assert (f"… {amount(len(rows) - most, 'more change')}" in section) is (most < len(rows))
    assert section.count("TRUNCATE of") == 3
    assert section.count("after them the row was deleted.") == 1


def _first_row(path: Path) -> int:
    with TrailFile(path) as trail:
        return next(record.rba for record in trail.records() if not (record.is_file_header or record.is_metadata))


def _events(line: Line, command: str) -> list[object]:
    line(command)
    return list(line.events)
