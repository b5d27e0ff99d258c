"""EXPLAIN of a message shows the file that the message names, in each way in which messages name it, or none."""

from __future__ import annotations

import gzip
import re
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest

from logdump.features.explain.places import MessagePlace, PlaceRole, place_in, places_in
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random, examples
from trailformat import TrailError, TrailFile

_RBA = 3987
"""A record of the sample that begins a transaction, which ends before 4635."""
_NUMBERS = (66, 67, 68, 70)
_GONE = 69
_ALTER = re.compile(r"EXTSEQNO (\d+|<n>), EXTRBA (\d+)")

_WITH_NAME = (
    "ERROR OGG-01296 Error mapping from A.B to A.C, file {folder}{trail}{seqno:09d}, rba {rba}.",
    "ERROR OGG-02191 Incompatible record 101 in {folder}{trail}{seqno:09d}, rba {rba} when getting trail header.",
    "ERROR OGG-01396 A complete after image, in UPDATE at rba {rba} in file {folder}{trail}{seqno:09d}.",
    "ERROR OGG-01409 file={folder}{trail}{seqno:09d}\u306eRBA {rba}",
)
_WITH_TRAIL = (
    "ERROR OGG-01184 Expected 4 bytes in trail {folder}{trail}, seqno {seqno}, reading token at RBA {rba}.",
    "WARNING OGG-01003 Aborting transaction on {folder}{trail} beginning at seqno {seqno} rba {rba}.",
    "INFO OGG-02544 Sequence #: {seqno} RBA: {rba} Extract Trail: {folder}{trail}",
)
_ALONE = (
    "WARNING OGG-01003 Repositioning to rba {rba} in seqno {seqno}.",
    "ERROR OGG-01024 Operation failed at seqno {seqno} rba {rba}",
    "ERROR OGG-01362 Positioning (Seq#: {seqno}, RBA: {rba}).",
    "ERROR OGG-02501 Sequence {seqno}, RBA {rba}",
    "INFO OGG-01014 extseqno {seqno}, extrba {rba}",
    "ERROR OGG-15051 operation: table=[A.B], op pos={seqno:010d}{plain:010d}, tx pos=00000000010000000001",
)
_GROUPED = ("3987", "3,987", "3.987", "3 987", "3'987", "3\u00a0987")
_FOLDERS = ("", "./dirdat/", "/gg/dirdat/", "D:\\GG\\dirdat\\", "..\\dirdat\\", "dirdat/")


@pytest.fixture
def folder(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files 66 to 70 of trail rt, without 69, and others of trail zz with the same numbers; elsewhere files of rt."""
    content = (trails / "et000000000").read_bytes()
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    for place in (here, elsewhere):
        place.mkdir()
        for number in _NUMBERS:
            (place / f"rt{number:09d}").write_bytes(content)
    (elsewhere / f"rt{_GONE:09d}").write_bytes(content)
    for number in (*_NUMBERS, _GONE):
        (here / f"zz{number:09d}").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return here


def _alters(said: list[str]) -> list[tuple[str, str]]:
    return [match.groups() for text in said for match in _ALTER.finditer(text)]  # type: ignore[misc]


@pytest.mark.parametrize("layout", [*_WITH_NAME, *_WITH_TRAIL, *_ALONE])
def test_the_place_is_in_the_file_that_the_message_names(layout: str, folder: Path, line: Line) -> None:
    random = Random(layout)
    for _ in range(examples(20)):
        opened, seqno = random.choice(_NUMBERS), random.choice(_NUMBERS)
        where, grouped = random.choice(_FOLDERS), random.choice(_GROUPED)
        text = layout.format(folder=where, trail="rt", seqno=seqno, rba=grouped, plain=_RBA)
        prefix = "rt" if layout in _ALONE else random.choice(("rt", "zz"))
        line(f"open {folder / f'{prefix}{opened:09d}'}")
        said = line(f"explain {text}")
        assert _alters(said) == [(str(seqno), "3987"), (str(seqno), "4635")], text
        assert line.session.trail.path == folder / f"rt{seqno:09d}"
        assert any("RBA 3987" in shown_line for shown_line in said)


@pytest.mark.parametrize("layout", [*_WITH_NAME, *_WITH_TRAIL[:2], *_ALONE])
def test_without_that_file_there_is_no_place(layout: str, folder: Path, line: Line) -> None:
    """Neither in the open file, nor in one of another trail, nor in one elsewhere with the number."""
    text = layout.format(folder="/gg/dirdat/", trail="rt", seqno=_GONE, rba="3,987", plain=_RBA)
    line(f"open {folder / 'rt000000068'}")
    said = line(f"explain {text}")
    assert "is not here" in said[-1]
    assert f"{_GONE}" in said[-1]
    assert not _alters(said)
    assert not [shown_line for shown_line in said if "good records" in shown_line or "Values of" in shown_line]
    assert line.session.trail.path.name == "rt000000068"


def test_a_number_alone_is_of_no_trail_without_an_open_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    answer = logdump("explain", "WARNING OGG-01003 Repositioning to rba 3987 in seqno 67.")
    assert "EXTSEQNO" not in answer.out
    assert "OPEN a file of that trail" in answer.err


_TIME = "2024-03-14 01:10:04"
_NAMING = (
    f"{_TIME}  WARNING OGG-01003  Aborting transaction on ./dirdat/{{}} beginning at seqno 66 rba 3260.\n",
    f"{_TIME}  WARNING OGG-01519  Waiting at EOF on input trail file ./dirdat/{{}}000000066, which is not complete.\n",
    f"{_TIME}  INFO    OGG-99999  At the end.\nReading ./dirdat/{{}}000000068, current RBA 3391, 3 records\n",
)
"""Messages that name a trail that the process reads."""
_WRITING = f"{_TIME}  INFO    OGG-99999  Trail Name Seqno RBA Max MB Trail Type\n  ./dirdat/{{}} 66 3260 100 EXTTRAIL\n"


@pytest.mark.parametrize("named", list(product(("rt", "zz"), repeat=len(_NAMING))))
def test_a_number_alone_is_of_the_trail_that_the_other_messages_name_and_of_none_of_several(
    named: tuple[str, ...], folder: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several it is a number of the open trail, and without one it is not known; a trail that is written is none."""
    random = Random("".join(named))
    opened = random.choice(("rt", "zz"))
    messages = [naming.format(trail) for naming, trail in zip(_NAMING, named, strict=True)]
    messages.append(f"{_TIME}  ERROR   OGG-01024  Operation failed at seqno 67 rba {_RBA}.\n")
    written = "zz" if named[0] == "rt" else "rt"
    messages.append(_WRITING.format(written))
    random.shuffle(messages)
    monkeypatch.chdir(folder)
    Path("ggserr.log").write_text("".join(messages))
    alone = logdump("explain", "ggserr.log")
    line(f"open {opened}000000070; explain file ggserr.log")
    places = [f"RBA {_RBA} of {folder / trail}000000067:" in alone.out.splitlines() for trail in ("rt", "zz")]
    is_alike = len({*named}) == 1
    assert places == [is_alike and named[0] == trail for trail in ("rt", "zz")], messages
    assert ("OPEN a file of that trail" in alone.err) is not is_alike
    assert line.session.trail.path == folder / f"{named[0] if is_alike else opened}000000067"


def test_the_file_beside_the_open_one_comes_before_that_of_the_current_folder(
    folder: Path, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent / "elsewhere")
    line(f"open {folder / 'rt000000068'}")
    line("explain ERROR OGG-01296 Error mapping, file /gg/dirdat/rt000000067, rba 3987.")
    assert line.session.trail.path == folder / "rt000000067"


def test_of_files_with_six_digits_and_packed_ones_too(folder: Path, line: Line) -> None:
    content = (folder / "rt000000067").read_bytes()
    for number in (1, 2):
        (folder / f"ab{number:06d}").write_bytes(content)
    (folder / "cd000000003.gz").write_bytes(gzip.compress(content))
    (folder / "cd000000004").write_bytes(content)
    for opened, seqno, expected in (("ab000001", 2, "ab000002"), ("cd000000004", 3, "cd000000003.gz")):
        line(f"open {folder / opened}")
        assert {number for number, _ in _alters(line(f"explain OGG-01003 rba 3987 in seqno {seqno}."))} == {str(seqno)}
        assert line.session.trail.path == folder / expected


def test_two_numbers_that_contradict_each_other_give_no_place(folder: Path, line: Line) -> None:
    line(f"open {folder / 'rt000000068'}")
    said = line("explain OGG-01184 in trail file ./dirdat/rt000000067, seqno 66, at RBA 3987.")
    assert not _alters(said)
    assert "./dirdat/rt000000067" in said[-1]
    assert "66" in said[-1]


@pytest.mark.parametrize(
    "text",
    [
        "ERROR OGG-01374 Transaction started at Thread 1, Seqno 67, RBA 3987",
        "ERROR OGG-00446 Could not find archived log for sequence 67 thread 1, RBA 3987",
        "ERROR OGG-01376 SCN 0.4188 (Seqno: 67, RBA: 3987)",
    ],
)
def test_a_place_in_the_log_of_a_database_is_none_of_the_trail(text: str, folder: Path, line: Line) -> None:
    line(f"open {folder / 'rt000000068'}")
    said = line(f"explain {text}")
    assert not _alters(said)
    assert "not in a trail" in said[-1]


def test_an_rba_alone_says_of_which_file_it_is_taken(folder: Path, line: Line) -> None:
    line(f"open {folder / 'rt000000068'}")
    said = line("explain OGG-01028 Incompatible record at rba 3987.")
    assert f"The message names no file: RBA 3987 is that of {folder / 'rt000000068'}." in said
    assert {number for number, _ in _alters(said)} == {"68"}


@pytest.mark.parametrize(
    ("written", "place"),
    [
        (["trail ./dirdat/rt,", "seqno 67, rba 1486"], MessagePlace(None, "./dirdat/rt", 67, 1486)),
        (["Sequence #: 67", "RBA: 1,486", "Extract Trail: rt"], MessagePlace(None, "rt", 67, 1486)),
        (["Extract Trail: /gg/rt", "Seqno 67", "RBA 1486"], MessagePlace(None, "/gg/rt", 67, 1486)),
        (["trail rt, seqno 67, rba 1486"], MessagePlace(None, "rt", 67, 1486)),
        (["m_file_seqno = 68, m_file_rba = 1720, seqno 67 rba 1486"], MessagePlace(None, None, 67, 1486)),
        (["the trail is at seqno 67, rba 1486 and/or later"], MessagePlace(None, None, 67, 1486)),
        (["rba 1486, 123 records in seqno 67."], MessagePlace(None, None, 67, 1486)),
        (["rba 1,4865"], MessagePlace(None, None, None, 1)),
        (["rba 1,486 771"], MessagePlace(None, None, None, 1486)),
        (["file '/u01/my gg/rt000000067', rba 1486"], MessagePlace("/u01/my gg/rt000000067", None, None, 1486)),
        (['file "D:\\My GG\\rt000067" rba 1486'], MessagePlace("D:\\My GG\\rt000067", None, None, 1486)),
        (["trail file 'rt', Sequence: 67, RBA: 1486"], MessagePlace(None, "rt", 67, 1486)),
        (["record at seq 67, rba 1486 (5 records)"], MessagePlace(None, None, 67, 1486)),
        (["RBA 1486 dans le numéro de séquence 67"], MessagePlace(None, None, 67, 1486)),
        (["序列号 67 中的 rba 1486"], MessagePlace(None, None, 67, 1486)),
        (["시퀀스 번호 67, rba 1486"], MessagePlace(None, None, 67, 1486)),
        (["sequences of records"], MessagePlace()),
        (["the consequence 5 of it"], MessagePlace()),
    ],
)
def test_a_place_over_one_line_or_several(written: list[str], place: MessagePlace) -> None:
    assert place_in(" ".join(written)) == place
    assert place_in("\n".join(written)) == place


@pytest.mark.parametrize("layout", [*_WITH_NAME, *_WITH_TRAIL[:2], *_ALONE])
def test_lines_below_a_message_complete_its_place_wherever_it_is_broken(layout: str) -> None:
    words = layout.format(folder="./dirdat/", trail="rt", seqno=67, rba="3,987", plain=_RBA).split(" ")
    whole = places_in(" ".join(words))
    assert _RBA in {place.rba for place in (*whole.others, *whole.shaped)}
    for at in range(1, len(words)):
        assert places_in(" ".join(words[:at]), " ".join(words[at:])) == whole, words[:at]


@pytest.mark.parametrize("seqno", [None, 66, 67, 68])
def test_the_place_after_the_record_in_hand_is_in_the_file_with_its_number(seqno: int | None) -> None:
    """Without a number it is in the file that is read."""
    number = f", m_file_seqno = {seqno}" if seqno is not None else ""
    said = f"Reading ./dirdat/rt000000067, current RBA {_RBA}, 3 records{number}, m_file_rba = 4635"
    reading, after = places_in(said).shaped
    assert (reading.role, reading.number, reading.rba) == (PlaceRole.READING, 67, _RBA)
    assert (after.role, after.number, after.rba) == (PlaceRole.AFTER, seqno or 67, 4635)
    assert reading.trail_name == after.trail_name == "./dirdat/rt"


def test_in_a_log_the_place_may_be_in_the_lines_after_the_error(folder: Path, tmp_path: Path) -> None:
    log = tmp_path / "ggserr.log"
    head = "2024-03-14 01:10:0{}  ERROR   OGG-01184  Expected 4 bytes, but got 0 bytes, in trail ./dirdat/rt,"
    log.write_text(
        f"{head.format(1)}\nseqno 67, reading token at RBA 3,987.\n"
        f"{head.format(2)}\n2024-03-14 01:10:03  INFO    OGG-01003  Repositioning to rba 3391 in seqno 66.\n"
    )
    answer = logdump("-c", f"open {folder / 'rt000000068'}; explain file {log} all")
    assert set(_alters(answer.out.splitlines())) == {("67", "3987"), ("67", "4635")}


def _begin_of(path: Path, rba: int) -> int:
    """The RBA of the sound record that an RBA is inside of, else the RBA."""
    with TrailFile(path) as trail:
        for begin in range(rba, max(rba - 700, 0), -1):
            with suppress(TrailError):
                record = trail.record_at(begin)
                if record is not None and begin + record.length > rba:
                    return begin
    return rba


@pytest.mark.parametrize("name", ["et000000000", "ft000000000", "gt000000000", "ct000000000"])
def test_a_place_inside_a_record_or_in_damage_has_the_restarts_that_safe_gives(
    name: str, trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A restart at the next good header loses the transaction that the damage has hit."""
    monkeypatch.chdir(trails)
    random, size = Random(name), (trails / name).stat().st_size
    for rba in (3522, 3600, *(random.randrange(1811, size) for _ in range(examples(6)))):
        is_cut = name == "ct000000000" and rba >= 5352  # its last record is incomplete: nothing is advised there
        safe = logdump("safe", name, str(_begin_of(trails / name, rba)))
        answer = logdump("explain", f"ERROR OGG-01028 Incompatible record (101) in {name}, rba {rba}")
        assert _alters(answer.out.splitlines()) == ([] if is_cut else _alters(safe.out.splitlines())), rba


_BELOW = "file /gg/rt000000067, rba 3987"


@pytest.mark.parametrize(
    ("head", "below", "places"),
    [
        ("Error mapping from A.B to A.C.", _BELOW, (MessagePlace("/gg/rt000000067", rba=3987),)),
        (
            "Error mapping from A.B to A.C.",
            f"{_BELOW}\nfile /gg/rt000000068",
            (MessagePlace("/gg/rt000000067", rba=3987),),
        ),
        ("Error mapping from A.B to A.C.", "at seqno 67, rba 3987", (MessagePlace(seqno=67, rba=3987),)),
        ("Error mapping at rba 12.", "file /gg/rt000000067", (MessagePlace("/gg/rt000000067", rba=12),)),
        ("Error mapping at rba 12.", _BELOW, (MessagePlace("/gg/rt000000067", rba=12),)),
        ("Error in /gg/rt000000066.", "rba 3987", (MessagePlace("/gg/rt000000066", rba=3987),)),
        ("Error in /gg/rt000000066.", _BELOW, (MessagePlace("/gg/rt000000066", rba=3987),)),
        ("Error in /gg/rt000000066, rba 12.", _BELOW, (MessagePlace("/gg/rt000000066", rba=12),)),
        ("Error at seqno 66, rba 12.", _BELOW, (MessagePlace(seqno=66, rba=12),)),
        ("Error mapping from A.B to A.C.", "rba 3987", ()),
        ("Error mapping from A.B to A.C.", "file /gg/rt000000067", ()),
        ("Error in /gg/rt000000066.", "file /gg/rt000000067", (MessagePlace("/gg/rt000000066"),)),
    ],
)
def test_lines_below_a_message_complete_its_place_and_change_none(
    head: str, below: str, places: tuple[MessagePlace, ...]
) -> None:
    """A file and an RBA make a place; what the message says itself counts before what stands below it."""
    assert places_in(f"ERROR OGG-01296 {head}", below).others == places
