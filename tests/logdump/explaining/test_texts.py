"""Each kind of text of GoldenGate, with its place in each form, over each state of the file: one oracle for all.

The trail is that of a sample: a transaction of two records, at ``FIRST`` and ``LAST``, which ends before ``AFTER``.
"""

from __future__ import annotations

import re
import shlex
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.logdump.explaining import texts_of_places
from tests.logdump.explaining.texts_of_places import (
    AFTER,
    BARE,
    FIRST,
    LAST,
    TEXTS,
    Place,
    apart,
    info,
    java,
    message,
    opened,
    rest,
    showch,
    status,
)
from tests.logdump.program import Answer, logdump
from tests.searching import Random, examples
from trailformat import TrailFile, make_file_header_record
from trailformat.records.file_header import replace_values

_END = 5453
_HEADER_END = 1130
_ALTER = re.compile(r"EXTSEQNO (\d+), EXTRBA (\d+)")
_SEPARATORS = ("{}", "{:,}", "{:_}")

_FOLDERS = ("./dirdat/", "/gg/dirdat/", "dirdat/")


@pytest.fixture
def home(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of GoldenGate with the folders ``dirdat`` and ``dirrpt``; trail ``zz`` has the same numbers as ``rt``."""
    content = (trails / "et000000000").read_bytes()
    for folder in ("dirdat", "dirrpt"):
        (tmp_path / folder).mkdir()
    for number in (66, 67, 68):
        (tmp_path / "dirdat" / f"rt{number:09}").write_bytes(content)
        (tmp_path / "dirdat" / f"zz{number:09}").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _leave_one_trail(kind: Callable[[Place, int], str], home: Path) -> None:
    """Remove the other trail if a text names none."""
    for file in (home / "dirdat").glob("zz*") if kind in BARE else ():
        file.unlink()


def _asked(text: str, random: Random, home: Path) -> Answer:
    """Explain a text as a file in an encoding of its own, on standard input, or as it is pasted."""
    way = random.choice(("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "stdin", "pasted"))
    if random.random() < 0.3:
        text = text.replace("\n", "\r\n")
    if way == "pasted":
        return logdump("explain", text)
    if way == "stdin":
        return logdump("explain", "-", typed=text)
    log = home / "dirrpt" / "REP1.rpt"
    log.write_bytes(text.encode(way))
    return logdump("explain", str(log))


def _drawn(random: Random) -> tuple[Place, int]:
    form = random.choice(_SEPARATORS)
    begin, record, after = (form.format(rba).replace("_", random.choice(".' \u00a0")) for rba in (FIRST, LAST, AFTER))
    return Place(random.choice(_FOLDERS), random.choice((66, 67, 68)), begin, record, after), random.choice((0, 1, 2))


def _close(file: Path) -> None:
    """Set what a writer sets in the header when it closes a file."""
    with TrailFile(file) as trail:
        header = trail.file_header
    assert header is not None
    content = file.read_bytes()
    closed = replace_values(header, "TrailInfo", {"FileSize": len(content), "LastCSN": "41882470"})
    head = make_file_header_record(closed).raw
    file.write_bytes(head + content[len(head) :])


def _alters(kind: Callable[[Place, int], str], place: Place) -> list[tuple[str, str]]:
    """What is advised about the places of a text: nothing where it is only about what is read now."""
    return [] if kind is status else [(str(place.seqno), "3987"), (str(place.seqno), "4635")]


@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_leads_to_its_record_and_to_the_places_around_its_transaction(
    kind: Callable[[Place, int], str], home: Path
) -> None:
    """Whether its file is closed or not, and is the newest or not."""
    random = Random(kind.__name__)
    _leave_one_trail(kind, home)
    for _ in range(examples(8)):
        for file in (home / "dirdat").iterdir():
            if random.random() < 0.3:
                _close(file)
        place, layout = _drawn(random)
        text = kind(place, layout)
        answer = _asked(text, random, home)
        said = (text, answer)
        assert answer.status == 0, said
        assert _ALTER.findall(answer.out) == _alters(kind, place), said
        assert f"RBA {LAST} of {home / 'dirdat' / f'rt{place.seqno:09}'}:" in answer.out, said
        assert "'for a friend'" in answer.out, said


def _on_one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text).strip()


def _wrapped(text: str) -> str:
    """Lines of 60 characters at most, as mail programs break them; a line that is blank stays."""
    return "\n".join(textwrap.fill(line, 60, break_long_words=False) for line in text.split("\n"))


def _replied(text: str) -> str:
    return re.sub(r"(?m)^", "> ", text.rstrip("\n"))


@pytest.mark.parametrize("passed_on", [_on_one_line, _wrapped, _replied, lambda text: _replied(_replied(text))])
@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_that_was_passed_on_leads_to_the_same_record_or_to_none(
    kind: Callable[[Place, int], str], passed_on: Callable[[str], str], home: Path
) -> None:
    """On one line, as in a ticket, wrapped, or with the marks of a reply, as in a mail."""
    random = Random(f"passed on {kind.__name__}")
    _leave_one_trail(kind, home)
    for _ in range(examples(4)):
        place, layout = _drawn(random)
        text = passed_on(kind(place, layout))
        answer = logdump("explain", text)
        is_open = "is open" in answer.err and kind is opened
        assert _ALTER.findall(answer.out) == ([] if is_open else _alters(kind, place)), (text, answer)


@pytest.mark.parametrize("kind", TEXTS)
def test_of_trails_with_the_same_two_letters_that_beside_the_report_counts(
    kind: Callable[[Place, int], str], home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not that of the current folder, whose files have the same numbers and as many digits, or nine for six."""
    random = Random(f"two {kind.__name__}")
    _leave_one_trail(kind, home)
    digits, elsewhere = random.choice((6, 9)), home / "elsewhere"
    (elsewhere / "dirdat").mkdir(parents=True)
    for file in (home / "dirdat").glob("rt*"):
        (elsewhere / "dirdat" / file.name).write_bytes(file.read_bytes()[:FIRST])
        file.rename(file.with_name(f"rt{int(file.name[2:]):0{digits}}"))
    monkeypatch.chdir(elsewhere)
    place, layout = _drawn(random)
    place = place._replace(folder="./dirdat/", digits=digits)
    log = home / "dirrpt" / "REP1.rpt"
    log.write_text(kind(place, layout))
    answer = logdump("explain", str(log), "--trails", str(home / "dirdat"))
    assert _ALTER.findall(answer.out) == _alters(kind, place), answer
    assert f"RBA {LAST} of {home / 'dirdat' / f'rt{place.seqno:0{digits}}'}:" in answer.out


@pytest.mark.parametrize("state", ["newest", "not closed", "closed"])
@pytest.mark.parametrize("kind", [message, apart, info, showch, rest])
def test_at_the_end_of_a_file_the_next_one_counts_only_if_it_is_not_closed(
    kind: Callable[[Place, int], str], state: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"end {kind.__name__} {state}")
    monkeypatch.setattr(texts_of_places, "LAST", _END)
    place, layout = _drawn(random)
    place = place._replace(seqno=68 if state == "newest" else random.choice((66, 67)), record=f"{_END}")
    if state == "closed":
        _close(home / "dirdat" / f"rt{place.seqno:09}")
    answer = _asked(kind(place, layout), random, home)
    after = [(str(place.seqno + 1), "0")] if state == "not closed" else []
    assert answer.status == 0, answer
    assert _ALTER.findall(answer.out) == [(str(place.seqno), str(_END)), *after], answer
    assert ("no record is there yet" in answer.out) == (state == "newest")
    assert ("goes on with" in answer.out) == (state == "closed")
    assert ("will not go on" in answer.out) == (state == "not closed")


@pytest.mark.parametrize("kind", [info, showch, rest])
@pytest.mark.parametrize("is_newest", [True, False])
def test_an_empty_file_has_a_reader_wait_only_if_it_is_the_newest(
    kind: Callable[[Place, int], str], is_newest: bool, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(f"{kind.__name__} {is_newest}")
    monkeypatch.setattr(texts_of_places, "LAST", 0)
    place, layout = _drawn(random)
    place = place._replace(seqno=68 if is_newest else 67, record="0")
    (home / "dirdat" / f"rt{place.seqno:09}").write_bytes(b"")
    answer = _asked(kind(place, layout), random, home)
    assert not _ALTER.findall(answer.out)
    assert answer.status == (0 if is_newest else 4)
    assert ("a reader waits for its writer there" in answer.out) == is_newest


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("kind", TEXTS)
def test_a_text_that_is_cut_anywhere_ends_in_no_error_of_ours(kind: Callable[[Place, int], str]) -> None:
    """And no place is advised that is neither the begin of a transaction nor the place after one."""
    random = Random(f"cut {kind.__name__}")
    place, layout = _drawn(random)
    text = kind(place._replace(folder="./dirdat/", seqno=67), layout)
    sound = {
        int(rba) for rba in re.findall(r"^ +(\d+) ", logdump("transactions", "dirdat/rt000000067").out, re.MULTILINE)
    }
    for _ in range(examples(6)):
        answer = logdump("explain", text[: random.randrange(1, len(text))])
        assert answer.status in (0, 1, 2, 4)
        assert "Traceback" not in answer.err
        rbas = {int(rba) for _, rba in _ALTER.findall(answer.out)}
        assert rbas <= {*sound, _HEADER_END}, answer


def _half(file: Path) -> str:
    file.write_bytes(file.read_bytes()[: LAST + 20])
    for later in (file.with_name("rt000000068"), file.with_name("zz000000068")):
        later.unlink(missing_ok=True)
    return "the file ends inside the record"


def _missing(file: Path) -> str:
    file.unlink()
    return "is not here"


def _purged(file: Path) -> str:
    for number in (66, 67):
        (file.parent / f"rt{number:09}").unlink(missing_ok=True)
    return "it was purged, or moved"


def _empty(file: Path) -> str:
    file.write_bytes(b"")
    return "the file is empty"


def _shorter(file: Path) -> str:
    file.write_bytes(file.read_bytes()[:FIRST])
    return f"is past the end of the file, which has {FIRST} bytes"


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("state", [_missing, _purged, _empty, _shorter, _half])
def test_without_the_record_there_is_no_place_to_restart_at(
    kind: Callable[[Place, int], str], state: Callable[[Path], str], home: Path
) -> None:
    random = Random(f"{kind.__name__} {state.__name__}")
    place, layout = _drawn(random)
    place = place._replace(seqno=67)
    _leave_one_trail(kind, home)
    why = state(home / "dirdat" / "rt000000067")
    answer = _asked(kind(place, layout), random, home)
    assert answer.status == 4
    assert why in answer.err
    assert not _ALTER.findall(answer.out)


_NEIGHBOURS = (
    ("of the same process, two seconds before", "rep1", "09:09:58", True),
    ("of the same process, a minute before", "rep1", "09:09:00", True),
    ("of the same process, more than a minute before", "rep1", "09:08:59", False),
    ("of the same process, two hours before", "rep1", "07:09:58", False),
    ("of another process", "rep2", "09:09:58", False),
)


@pytest.mark.parametrize(("what", "process", "time", "is_joined"), _NEIGHBOURS)
@pytest.mark.parametrize("layout", [1, 2])
def test_a_message_is_joined_with_those_of_its_process_and_time(
    what: str, process: str, time: str, is_joined: bool, layout: int, home: Path
) -> None:
    place = Place("./dirdat/", 67)
    before = place.head("WARNING", "OGG-01003", layout, 0, process).replace("01:10:00", time)
    error = place.head("ERROR", "OGG-01296", layout, 0).replace("01:10", "09:10")
    noise = place.head("INFO", "OGG-00987", layout, 0, "other").replace("01:10", "09:10")
    (home / "ggserr.log").write_text(
        f"{before}Repositioning to rba 3987 in seqno 67.\n{noise}GGSCI command (oracle): info all.\n"
        f"{error}Error mapping from A.B to A.B.\n{noise}GGSCI command (oracle): info all.\n"
    )
    pasted = f"explain dirdat/rt000000066 '{(home / 'ggserr.log').read_text()}'"
    for answer in (
        logdump("-c", "open dirdat/rt000000066; explain file ggserr.log"),
        logdump(*shlex.split(pasted)),
    ):
        assert "OGG-01296" in answer.out
        assert bool(_ALTER.findall(answer.out)) == is_joined, (what, answer)
        assert ("EXTSEQNO 67, EXTRBA 3987" in answer.out) == is_joined


def test_of_several_repositionings_the_last_one_begins_the_transaction_at_fault(home: Path) -> None:
    place = Place("./dirdat/", 67)
    head = place.head("WARNING", "OGG-01003", 1)
    error = place.head("ERROR", "OGG-01296", 1, 5)
    places = "".join(f"{head}Repositioning to rba {rba} in seqno 67.\n" for rba in (2991, 3391, FIRST))
    (home / "ggserr.log").write_text(f"{places}{error}Error mapping from A.B to A.B.\n")
    answer = logdump("-c", "open dirdat/rt000000066; explain file ggserr.log")
    assert _ALTER.findall(answer.out) == [("67", "3987"), ("67", "4635")]


def test_lines_that_a_report_breaks_inside_of_words_are_joined(home: Path) -> None:
    for code, text in (
        ("OGG-01028", "Record fragment. file ./dirdat/rt000000067, RBA 4427."),
        ("OGG-01003", "Repositioning to rba 4427 in seqno 67."),
        ("OGG-01184", "Expected 4 bytes in trail ./dirdat/rt, seqno 67, reading token at RBA 4427."),
    ):
        head = f"2024-03-14 01:10:04  ERROR   {code}  "
        for filler in range(80):
            whole = f"{head}{'x' * filler} {text}"
            lines = [whole[start : start + 80] for start in range(0, len(whole), 80)]
            (home / "REP1.rpt").write_text("\n".join(line.rstrip() for line in lines) + "\n\nnext\n")
            answer = logdump("-c", "open dirdat/rt000000066; explain file REP1.rpt")
            assert _ALTER.findall(answer.out) == [("67", "3987"), ("67", "4635")], (lines, answer)


_REDO = (
    "Read Checkpoint #1\n  Oracle Redo Log\n  Current Checkpoint (position of last record read):\n    Thread #: 1\n"
    "    Sequence #: 67\n    RBA: 4427\n    SCN: 0.4188\n    Redo File: /o/log\n"
)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "text",
    [
        "WARNING OGG-01003 Repositioning to rba 4427 in seqno 67, Thread 1.",
        "ERROR OGG-00446 Could not find archived log for sequence 67 thread 1, RBA 4427",
        "INFO OGG-01738 BOUNDED RECOVERY: SeqNo: 67, RBA: 4427, SCN: 0.4188",
        "Log Read Checkpoint  Oracle Redo Logs\n  2024-03-14 01:07:01  Thread 1, Seqno 67, RBA 4427",
        _REDO,
        "AuditRBA : 4427  AuditPos : 67",
        "Record Length = 2048\nCurrent Offset = 4427",
    ],
)
def test_a_place_in_the_log_of_the_database_leads_to_no_trail(text: str) -> None:
    answer = logdump("-c", f'open dirdat/rt000000066; explain "{text}"')
    assert not _ALTER.findall(answer.out)
    assert "Values of" not in answer.out
    answer = logdump("explain", text, typed="")
    assert not _ALTER.findall(answer.out)
    assert "Values of" not in answer.out


@pytest.mark.usefixtures("home")
def test_no_reader_is_set_to_a_place_that_a_process_writes() -> None:
    answer = logdump("explain", "ERROR OGG-01049 Collector error 5, file ./dirdat/rt000000067, RBA 4427.")
    assert "RBA 4427" in answer.out
    assert not _ALTER.findall(answer.out)


@pytest.mark.parametrize(
    "named", ["/dev/sd000000067", "file:///dev/rt000067", "s3://bucket/rt000000067", "pipe/rt000067"]
)
def test_what_a_message_names_is_opened_only_if_it_is_a_regular_file(
    named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "rt000067")
    monkeypatch.chdir(tmp_path)
    answer = logdump("explain", f"ERROR OGG-01028 Record fragment. file {named}, RBA 4427.")
    assert answer.status == 4
    assert "is not here" in answer.err


def test_no_text_reaches_the_terminal_raw_and_none_is_held_whole(home: Path) -> None:
    for number, data in enumerate((
        b"\x1b]0;x\x07 ERROR OGG-01296 \x1b[2J\x00 Error mapping, file ./dirdat/rt000000067, rba 4427.\n",
        b"ERROR OGG-01296 " + b"\xff\x1b" * 3_000_000 + b"\nReading ./dirdat/rt000000067, current RBA 4427\n",
        bytes(range(256)) * 4096,
        b"",
        b"\xff\xfe",
        b"\r" * 100_000,
    )):  # fmt: skip
        log = home / f"hostile{number}.log"
        log.write_bytes(data)
        answer = logdump("explain", str(log))
        assert "\x1b" not in answer.out + answer.err
        assert answer.status == (0 if b"4427" in data else 1)


def test_without_a_trail_a_number_is_of_none_of_several(home: Path) -> None:
    """Not even if only one of them has a file of that number: that of the other one may have been purged."""
    (home / "dirdat" / "rt000000067").unlink()
    (home / "dirrpt" / "kafka.log").write_text(java(Place("", 67), 1))
    answer = logdump("explain", "dirrpt/kafka.log")
    assert answer.status == 4
    assert "OPEN a file of that trail" in answer.err
    assert not _ALTER.findall(answer.out)


def test_a_trail_that_is_given_has_the_files_of_numbers(home: Path) -> None:
    (home / "dirrpt" / "kafka.log").write_text(java(Place("", 67), 1))
    answer = logdump("explain", "dirrpt/kafka.log", "dirdat/rt")
    assert answer.status == 0
    assert _ALTER.findall(answer.out) == [("67", "3987"), ("67", "4635")]
    assert f"RBA 4427 of {home / 'dirdat' / 'rt000000067'}:" in answer.out


@pytest.mark.parametrize(
    ("most", "rbas"),
    [(13, [1811, 2008, 3069]), (14, [1811, 3069, 3629]), (16, [3069, 3629, 4767]), (17, [])],
)
def test_values_with_more_bytes_than_a_message_allows(most: int, rbas: list[int], home: Path) -> None:
    """Bytes, not characters: the name at RBA 2008 has ten of these and fourteen of those."""
    text = (
        f"Bad column length (99) specified for column NAME in table TEAHOUSE.TEAS, maximum allowable length is {most}."
    )
    answer = logdump("-c", f"open dirdat/rt000000067; explain ERROR OGG-01163 {text}")
    listed = [int(rba) for rba in re.findall(r"^RBA (\d+): .*, column NAME, ", answer.out, re.MULTILINE)]
    assert listed == rbas
    assert ("have no value of column NAME" in answer.out) == (not rbas)
    (home / "dirrpt" / "REP1.rpt").write_text(
        f"2024-03-14 01:10:04  ERROR   OGG-01163  {text}\n\nReading ./dirdat/rt000000067, current RBA 3629\n"
    )
    answer = logdump("explain", "dirrpt/REP1.rpt")
    assert re.findall(r"^RBA (\d+): .*, column NAME, after", answer.out, re.MULTILINE) == ["3629"] * bool(rbas)


_WAITS = "Waiting at EOF on input trail file {}, which is not marked as complete; but succeeding trail file {} exists."


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize(("first", "second"), [(67, 68), (9, 10), (0, 1), (999_999_998, 999_999_999), (999_999_999, 0)])
def test_the_next_file_is_that_of_the_number_after_in_whatever_order_they_are_named(
    first: int, second: int, home: Path, *, is_swapped: bool
) -> None:
    """As in a language in which the file that exists is named before the one at whose end a reader waits."""
    content = (home / "dirdat" / "rt000000067").read_bytes()
    for path in (home / "dirdat").iterdir():
        path.unlink()
    files = [f"./dirdat/rt{number:09}" for number in (first, second)]
    for file in files:
        (home / file).write_bytes(content)
    text = "{1} exists, and {0} is not marked as complete." if is_swapped else _WAITS
    answer = logdump("explain", f"WARNING OGG-01519 {text.format(*files)}")
    assert answer.status == 0, answer
    assert _ALTER.findall(answer.out) == [(str(second), "0")]
    assert f"rt{first:09} is whole and ends at RBA {len(content)}; rt{second:09}" in answer.out


@pytest.mark.parametrize(
    ("state", "status", "advice"),
    [("there", 0, [("68", "0")]), ("missing", 4, []), ("unborn", 0, []), ("cut", 4, [])],
)
def test_a_reader_goes_to_the_next_file_only_if_the_one_before_is_whole(
    state: str, status: int, advice: list[tuple[str, str]], home: Path
) -> None:
    first, second = home / "dirdat" / "rt000000067", home / "dirdat" / "rt000000068"
    if state == "missing":
        second.unlink()
    elif state == "unborn":
        second.write_bytes(b"")
    elif state == "cut":
        first.write_bytes(first.read_bytes()[:-3])
    answer = logdump(
        "explain", f"WARNING OGG-01519 {_WAITS.format(f'./dirdat/{first.name}', f'./dirdat/{second.name}')}"
    )
    assert answer.status == status, answer
    assert _ALTER.findall(answer.out) == advice
    assert (f"ends at RBA {first.stat().st_size}" in answer.out) == (state == "there")


@pytest.mark.usefixtures("home")
def test_where_reading_had_ended_no_record_was_in_hand() -> None:
    """Then the begin of the transaction counts, and without it there is nothing but the end."""
    end = 5453
    reading = f"Reading ./dirdat/rt000000068, current RBA {end}, 3 records, m_file_seqno = 68, m_file_rba = {end}"
    answer = logdump("explain", reading)
    assert "the record in hand" not in answer.out
    assert f"RBA {end} is the end of the file: no record is there yet." in answer.out
    assert _ALTER.findall(answer.out) == [("68", str(end))]
    begin = "2024-03-14 01:10:04  WARNING OGG-01003  Repositioning to rba 3987 in seqno 68."
    answer = logdump("explain", f"{begin}\n\n{reading}")
    assert _ALTER.findall(answer.out) == [("68", "3987"), ("68", "4635")]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("kind", ["COORDINATED  Coordinator  MAXTHREADS 4", "PARALLEL", ""])
def test_the_checkpoint_of_several_threads_is_that_of_the_slowest(kind: str) -> None:
    text = info(Place("./dirdat/", 67), 0).replace("ABENDED\n", f"ABENDED\n{kind}\n")
    assert ("the slowest thread" in logdump("explain", text).out) == bool(kind)


@pytest.mark.usefixtures("home")
def test_of_a_pump_the_place_that_it_reads_counts_and_not_the_one_that_it_writes() -> None:
    section = "  Current Checkpoint ({} position):\n    Sequence #: {}\n    RBA: {}\n    Extract Trail: ./dirdat/{}\n\n"
    reads = f"Read Checkpoint #1\n\n{section.format('current read', 67, 3987, 'rt')}"
    writes = f"Write Checkpoint #1\n\n{section.format('current write', 68, 3391, 'zz')}"
    assert _ALTER.findall(logdump("explain", reads + writes).out) == [("67", "3987"), ("67", "4635")]
    answer = logdump("explain", writes)
    assert "RBA 3391 of " in answer.out
    assert not _ALTER.findall(answer.out)
