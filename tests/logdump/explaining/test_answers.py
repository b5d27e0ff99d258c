"""What EXPLAIN answers beside the record: JSON as text, kinds of errors, transactions by name, one screen, pastes."""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

from logdump.commands import REGISTRY
from logdump.features.explain.explained_log import pasted_line
from logdump.features.explain.json_text import expanded
from logdump.features.explain.places import MessagePlace, named_transaction, places_in
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import Random, examples

_ALTER = re.compile(r"EXTSEQNO (\d+), EXTRBA (\d+)")
_BEGINS = {3260: "41882351", 3391: "41882368", 3987: "41882402", 4635: "41882419"}
"""The begin of some transactions of the sample, and their CSNs."""
_AFTER = {3260: 3391, 3391: 3629, 3987: 4635, 4635: 4767}
_XIDS = {3260: "5.3.8803", 3391: "5.4.8804", 3987: "5.6.8806", 4635: "5.7.8807"}


@pytest.fixture
def home(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of GoldenGate with files 66 to 68 of one trail."""
    content = (trails / "et000000000").read_bytes()
    (tmp_path / "dirdat").mkdir()
    for number in (66, 67, 68):
        (tmp_path / "dirdat" / f"rt{number:09}").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _alters(out: str) -> list[tuple[int, int]]:
    return [(int(seqno), int(rba)) for seqno, rba in _ALTER.findall(out)]


def _wrapped(value: Any, random: Random) -> str:
    """JSON as tools print it: on one line or on several, alone, or after the lines of curl."""
    text = json.dumps(value, indent=random.choice((None, None, 2)), ensure_ascii=random.choice((True, False)))
    before = random.choice(("", "", "$ curl -s https://host/services/v2/x\n", "HTTP/1.1 200 OK\n\n"))
    return f"{before}{text}{random.choice(('', chr(10)))}"


def _answer(value: Any) -> dict[str, Any]:
    return {"$schema": "api:standardResponse", "links": [], "response": value}


def _status(seqno: int, rba: int, random: Random) -> Any:
    members = [("name", "rt"), ("path", "dirdat/"), ("sequence", seqno), ("offset", rba)]
    random.shuffle(members)
    place = {"$schema": "ogg:trailPosition", **dict(members)}
    return _answer({"$schema": "ogg:replicatStatus", "status": "abended", "lag": 3, "position": place})


def _checkpoints(seqno: int, rba: int, random: Random) -> Any:
    place = {"name": "rt", "path": "dirdat/", "sequence": seqno, "offset": rba}
    written = {"name": "zz", "path": "dirdat/", "sequence": 66, "offset": 4635}
    other = {**place, "sequence": 66, "offset": 3391}
    parts = [
        ("input", [{"startup": other, "current": place}]),
        ("output", [{"current": written}]),
    ]
    random.shuffle(parts)
    return _answer({"current": dict(parts)})


def _lines(seqno: int, rba: int, random: Random) -> Any:
    head = "2024-03-14T01:10:04.123+0000  {}  Oracle GoldenGate Delivery for Oracle, rep1.prm:  "
    filler = [f"{head.format('INFO    OGG-06506')}Wildcard MAP resolved {'x' * 80}."] * random.choice((0, 1, 60))
    lines = [
        *filler,
        f"{head.format('ERROR   OGG-01296')}Error mapping from A.B to A.B.",
        f"{head.format('INFO    OGG-02333')}Reading dirdat/rt{seqno:09}, current RBA {rba:,}, 3 records.",
    ]
    return {"$schema": "ogg:messages", "messages": lines}


def _objects(seqno: int, rba: int, random: Random) -> Any:
    message = {"$schema": "ogg:message", "title": "Nothing.", "code": "OGG-06506", "severity": "INFO"}
    failed = {
        **message,
        "title": f"Incompatible record 101 in dirdat/rt{seqno:09}, rba {rba:,}.",
        "code": "OGG-02191",
        "severity": "ERROR",
        "issued": "2024-03-14T00:10:04.123Z",
    }
    filler = [{**message, "type": "x" * 100}] * random.choice((0, 1, 60))
    later = {
        **failed,
        "issued": "2024-03-14T01:10:04.123Z",
        "title": "Positioning (Seq#: 66, RBA: 3260).",
        "code": "OGG-02501",
        "severity": "INFO",
    }
    return {**_answer({}), "messages": [*filler, failed, *[later] * random.choice((0, 1))]}


def _operation(seqno: int, rba: int, random: Random) -> Any:
    place = random.choice(("pos", "position"))
    return {
        "table": "A.B",
        "op_type": "U",
        "before": {"C": "x" * random.choice((3, 9000))},
        place: f"{seqno:010}{rba:010}",
    }


@pytest.mark.parametrize("kind", [_status, _checkpoints, _lines, _objects, _operation])
@pytest.mark.parametrize("way", ["pasted", "file", "stdin"])
def test_json_leads_to_the_record_as_text_does(kind: Any, way: str, home: Path) -> None:
    random = Random(f"{kind.__name__} {way}")
    for _ in range(examples(4)):
        seqno, rba = random.choice((66, 67, 68)), random.choice((*_BEGINS,))
        text = _wrapped(kind(seqno, rba, random), random)
        (home / "answer.json").write_text(text)
        ways = {"pasted": [text], "file": ["answer.json"], "stdin": ["-"]}
        answer = logdump("explain", *ways[way], typed=text if way == "stdin" else "")
        assert answer.status == 0, (text, answer)
        assert _alters(answer.out) == [(seqno, rba), (seqno, _AFTER[rba])], (text, answer)


def test_json_that_is_broken_deep_or_long_is_text() -> None:
    for text in (
        '{"a":' * 100_000,
        "[" * 1_000_000,
        '["a",\n' * 50_000,
        '{"sequence":1',
        "{}",
        "[1, 2]",
        '{"a":' + "1" * 9000 + "}",
    ):
        assert expanded(text) == text
    nested = '{"sequence":1,"offset":2}'
    for _ in range(200):
        nested = f'{{"a":{nested}}}'
    assert expanded(nested) == nested


_DATABASE = {"sequence": 67, "offset": 3987, "thread": 1, "scn": "0.41882402"}


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "value",
    [
        _answer({"current": {"input": [{"current": _DATABASE}]}}),
        _answer({"current": {"input": [{"recovery": {"sequence": 67, "offset": 3987, "name": "rt"}}]}}),
        _answer(
            {"current": {"output": [{"current": {"name": "rt", "path": "dirdat", "sequence": 67, "offset": 3987}}]}}
        ),
    ],
)
def test_a_place_of_json_that_no_reader_is_set_to(value: Any) -> None:
    answer = logdump("explain", json.dumps(value))
    assert not _alters(answer.out), answer


def test_of_a_log_each_kind_of_error_is_named_once_with_its_number_and_times(home: Path) -> None:
    """The last error is explained, the others are listed; ALL explains the last one of each kind."""
    random = Random("kinds")
    head = "2024-03-14T01:{:02}:04.123+0000  ERROR   {}  Oracle GoldenGate Delivery for Oracle, rep{}.prm:  "
    for _ in range(examples(6)):
        codes = random.sample(["OGG-01028", "OGG-01396", "OGG-02191", "OGG-01184"], 3)
        errors = [
            (minute * 3, random.choice(codes), random.choice((*_BEGINS,))) for minute in range(random.choice((1, 2, 9)))
        ]
        log = "".join(
            f"{head.format(minute, code, minute % 2)}Error, file ./dirdat/rt000000067, rba {rba}.\n"
            for minute, code, rba in errors
        )
        (home / "ggserr.log").write_text(log)
        answer, every = logdump("explain", "ggserr.log"), logdump("explain", "ggserr.log", "--all")
        *others, (_, _, last) = errors
        assert _alters(answer.out) == [(67, last), (67, _AFTER[last])]
        listed = re.findall(r"^  (OGG-\d+): (\d+) times?, \S+?(?: to (\S+?))?, (REP.*)$", answer.out, re.MULTILINE)
        kinds = {code: [minute for minute, kind, _ in others if kind == code] for code in codes}
        assert {code: (int(number), latest, {*who.split(", ")}) for code, number, latest, who in listed} == {
            code: (
                len(minutes),
                f"2024-03-14T01:{minutes[-1]:02}:04+0000" * (len(minutes) > 1),
                {f"REP{minute % 2}" for minute in minutes},
            )
            for code, minutes in kinds.items()
            if minutes
        }
        times = {
            code: [f"2024-03-14T01:{minute:02}:04+0000" for minute, kind, _ in errors if kind == code] for code in codes
        }
        latest = sorted((max(times[code]), code) for code in codes if times[code])
        shown = re.findall(r"^(OGG-\d+): (\d+) times?, (\S+?)(?: to (\S+?))?, REP", every.out, re.MULTILINE)
        assert [row[0] for row in shown] == [code for _, code in latest]
        for code, number, first, end in shown:
            assert (int(number), first, end or first) == (len(times[code]), times[code][0], times[code][-1])
        places = [next(rba for minute, kind, rba in reversed(errors) if kind == code) for _, code in latest]
        assert _alters(every.out) == [(67, place) for rba in places for place in (rba, _AFTER[rba])]


@pytest.mark.parametrize("is_open", [True, False])
def test_a_transaction_that_a_text_names_is_looked_for_in_the_trail(is_open: bool, home: Path) -> None:
    for number in (66, 68):
        (home / "dirdat" / f"rt{number:09}").unlink()
    random = Random(f"named {is_open}")
    for _ in range(examples(8)):
        rba = random.choice((*_BEGINS,))
        csn, xid = _BEGINS[rba], _XIDS[rba]
        text = random.choice((
            f"CSN {csn}", f"csn={csn}.", f"SCN 0.{csn} ({csn})", f'"csn":"{csn}"', f"XID {xid}", f'"xid": "{xid}"',
            f"Low watermark position: {csn}.", f"WARNING OGG-05509 The given CSN {csn} does not occur.",
            f"ERROR OGG-02983 The record of transaction ID {xid} with CSN {csn} was not found.",
        ))  # fmt: skip
        answer = logdump("-c", f"open dirdat/rt000000067; explain {text}") if is_open else logdump("explain", text)
        assert _alters(answer.out) == [(67, rba), (67, _AFTER[rba])], (text, answer)


@pytest.mark.usefixtures("home")
def test_a_transaction_that_is_not_in_the_trail_has_no_place_or_that_of_the_next_one() -> None:
    answer = logdump("explain", "CSN 41882352")
    assert "No transaction has CSN 41882352; the next one has CSN 41882368, at RBA 3391" in answer.out
    for text in ("CSN 99999999", "XID 9.9.9999"):
        answer = logdump("explain", text)
        assert answer.status == 4
        assert "The trail has no transaction with" in answer.err
        assert not _alters(answer.out)


@pytest.mark.parametrize(
    ("text", "csn", "xid"),
    [
        ("CSN 0/5002818 and more", "0/5002818", None),
        ("LSN: 00000d7e:0000036b:01bd", "00000d7e:0000036b:01bd", None),
        ("CSN: Not Available", None, None),
        ("the CSN of XID 1.22.333", None, "1.22.333"),
        ("transaction ID 5.3.8803, CSN 7", "7", "5.3.8803"),
        ("CSNS 5", None, None),
    ],
)
def test_the_name_of_a_transaction_in_a_text(text: str, csn: str | None, xid: str | None) -> None:
    named = named_transaction(text)
    assert (named.csn, named.xid) == (csn, xid) if named is not None else csn is xid is None


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    "text", ["{}", "I|A.B|2024-03-14 01:07:01.000000|{}|6701|row 1", '"U","A.B","{}"', "U\tA.B\t{}\n"]
)
def test_20_digits_of_a_row_of_delimited_text_are_a_place(text: str) -> None:
    answer = logdump("-c", f"open dirdat/rt000000066; explain {text.format('00000000670000003987')}")
    assert _alters(answer.out) == [(67, 3987), (67, 4635)], answer
    beyond = logdump("-c", f"open dirdat/rt000000066; explain {text.format('10000000670000003987')}")
    assert "is not one of" in beyond.err


_OF_REDO = """\
EXTRACT    EXT1      Last Started 2024-03-14 01:00   Status {}
Checkpoint Lag       00:00:03 (updated 00:00:02 ago)
Log Read Checkpoint  Oracle {} Redo Logs
                     2024-03-14 01:07:01{}
                     SCN 0.41882402 (41882402)
{}
"""
_TARGETS = """
  Target Extract Trails:

  Trail Name                                       Seqno        RBA     Max MB Trail Type

  ./dirdat/rt                                         67       3987        500 EXTTRAIL
"""


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("state", ["RUNNING", "ABENDED"])
@pytest.mark.parametrize("place", ["", "  Thread 1, Seqno 67, RBA 3987"])
@pytest.mark.parametrize("targets", ["", _TARGETS])
def test_an_extract_that_reads_redo_is_set_to_no_place_of_a_trail(state: str, place: str, targets: str) -> None:
    """Neither to that of its SCN, nor to where it writes."""
    text = _OF_REDO.format(state, "Integrated" if not place else "", place, targets)
    for answer in (
        logdump("explain", text),
        logdump("-c", f'open dirdat/rt000000066; explain "{text.replace(chr(10), " ")}"'),
    ):
        assert not _alters(answer.out), answer
    assert ("RBA 3987 of " in logdump("explain", text).out) == bool(targets)


def test_paths_of_info_are_relative_to_its_current_directory(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    text = "REPLICAT REP1 Last Started\nLog Read Checkpoint  File ./dirdat/rt000000067\n   RBA 3987\n"
    assert not _alters(logdump("explain", text).out)
    assert _alters(logdump("explain", f"{text}\nCurrent directory    {home}\n").out) == [(67, 3987), (67, 4635)]


@pytest.mark.parametrize(
    ("text", "rbas"),
    [
        (
            "OGG-01163 Bad column length (99) specified for column NAME in table TEAHOUSE.TEAS, maximum length is 16.",
            [3069, 3629, 4767],
        ),
        ("OGG-01161 Bad column index(5) specified for table TEAHOUSE.SALES, max columns = 5.", [2722, 2892, 3817]),
        (
            'OGG-01154 ORA-12899: value too large for column "TEAHOUSE"."TEAS"."NAME" (actual: 17, maximum: 16)',
            [3069, 3629, 4767],
        ),
    ],
)
@pytest.mark.parametrize("away", [0, 1, 2, 3])
@pytest.mark.parametrize("direction", [1, -1])
def test_rows_that_do_not_fit_are_looked_for_in_the_files_around_the_open_one(
    text: str, rbas: list[int], away: int, direction: int, home: Path
) -> None:
    """Up to two files away; the nearest file that has some is shown, and the open file stays open."""
    content = (home / "dirdat" / "rt000000067").read_bytes()
    for number in range(64, 71):
        (home / "dirdat" / f"rt{number:09}").write_bytes(content[:1130])
    number = 67 + away * direction
    (home / "dirdat" / f"rt{number:09}").write_bytes(content)
    answer = logdump("-c", f"open dirdat/rt000000067; explain ERROR {text}; pos")
    shown = re.findall(r"^(rt\d+, )?RBA (\d+): ", answer.out, re.MULTILINE)
    name = "" if away == 0 else f"rt{number:09}, "
    assert shown == ([(name, str(rba)) for rba in rbas] if away < 3 else []), answer
    assert ("of the files around it have no" in answer.out) == (away == 3)
    assert answer.out.splitlines()[-2].startswith("rt000000067 has")


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("table", ["TEAHOUSE.TEAS", "STAFF.TEAS", "teahouse.teas", "TEAHOUSE.TEA"])
@pytest.mark.parametrize("most", [16, 17])
def test_a_table_that_the_trail_does_not_have_is_not_called_one_without_long_values(table: str, most: int) -> None:
    """The longest name of the trail's teas has 17 bytes; Replicat may tell the name of the target."""
    text = f"OGG-01163 Bad column length (99) specified for column NAME in table {table}, maximum is {most}."
    answer = logdump("-c", f"open dirdat/rt000000067; explain ERROR {text}")
    is_there = table == "TEAHOUSE.TEAS"
    assert ("17 bytes, 16 allowed" in answer.out) == (is_there and most == 16)
    assert ("no value of column NAME" in answer.out) == (is_there and most == 17)
    assert (f"no change of {table}, which may be the name in the target" in answer.out) == (not is_there)


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("rba", [4000, 99999])
def test_a_value_of_a_record_that_is_not_there_leaves_the_rest_of_the_answer(rba: int) -> None:
    column = 'ORA-12899: value too large for column "TEAHOUSE"."TEAS"."NAME" (actual: 17, maximum: 16)'
    answer = logdump("explain", f"ERROR OGG-01296 {column}, file dirdat/rt000000067, rba {rba}.")
    assert answer.status == 4
    assert answer.out.splitlines()[-1].startswith("rt000000067 has 22 good records")


@pytest.mark.parametrize("given", ["dirdat/rt", "dirdat/rt000000066"])
def test_a_trail_that_is_given_has_the_files_of_numbers_alone(given: str, home: Path) -> None:
    for number in (66, 67, 68):
        (home / "dirdat" / f"zz{number:09}").write_bytes((home / "dirdat" / f"rt{number:09}").read_bytes())
    (home / "kafka.log").write_text('{"pos":"00000000670000003987"}')
    answer = logdump("explain", "kafka.log", "--trails", given)
    assert _alters(answer.out) == [(67, 3987), (67, 4635)]
    assert f"RBA 3987 of {home / 'dirdat' / 'rt000000067'}:" in answer.out
    assert not _alters(logdump("explain", "kafka.log", "--trails", "dirdat").out)
    assert logdump("explain", "kafka.log", "--trails", "dirdat/no").status == 4


def test_digits_alone_are_no_file() -> None:
    assert places_in("CSN 41882402 and 12345678901").others == ()
    assert places_in("in /gg/12000067, rba 5").others == (MessagePlace("/gg/12000067", rba=5),)


def test_the_ordinary_answer_fits_one_screen(home: Path) -> None:
    for number in (66, 68):
        (home / "dirdat" / f"rt{number:09}").unlink()
    head = "2024-03-14 01:10:04  {} "
    (home / "rep1.rpt").write_text(
        f"{head.format('WARNING OGG-01004')} Aborted grouped transaction on TEAHOUSE.TEAS, Database error 1403.\n\n"
        f"{head.format('WARNING OGG-01003')} Repositioning to rba 3391 in seqno 67.\n\n"
        f"{head.format('WARNING OGG-01154')} SQL error 1403 mapping TEAHOUSE.TEAS to TEAHOUSE.TEAS.\n\n"
        f"{head.format('ERROR   OGG-01296')} Error mapping from TEAHOUSE.TEAS to TEAHOUSE.TEAS.\n\n"
        "Reading dirdat/rt000000067, current RBA 3522, 3 records, m_file_seqno = 67, m_file_rba = 3629\n"
    )
    out = logdump("explain", "rep1.rpt").out
    shown = [part for line in out.splitlines() for part in textwrap.wrap(line, 80) or [""]]
    assert len(shown) <= 25, out
    for part in (
        "OGG-01296", "OGG-01154", "Values of UPDATE TEAHOUSE.TEAS", "ALTER REPLICAT <group>, EXTSEQNO 67, EXTRBA 3391",
        '{"begin":{"sequence":67,"offset":3391}}', "EXTRBA 3629", '{"begin":{"sequence":67,"offset":3629}}', "no gap",
    ):  # fmt: skip
        assert part in out


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("text", "process"),
    [
        (
            "EXTRACT    PMP1  Last Started 2024-03-14 01:00   Status RUNNING\nLog Read Checkpoint  File {}\n  RBA 3987",
            "EXTRACT",
        ),
        (
            "REPLICAT   REP1  Last Started 2024-03-14 01:00   Status RUNNING\nLog Read Checkpoint  File {}\n  RBA 3987",
            "REPLICAT",
        ),
        ("ERROR   OGG-01028  Oracle GoldenGate Capture for Oracle, pmp1.prm:  Record in {}, rba 3987.", "EXTRACT"),
        ("ERROR   OGG-01028  Oracle GoldenGate Delivery for Oracle, rep1.prm:  Record in {}, rba 3987.", "REPLICAT"),
        ("ERROR   OGG-01028  Record in {}, rba 3987.", "REPLICAT"),
    ],
)
def test_the_command_is_for_the_process_of_the_text(text: str, process: str) -> None:
    """And has its name, where the text does."""
    group = next((name for name in ("PMP1", "REP1") if name in text.upper()), "<group>")
    out = logdump("explain", text.format("dirdat/rt000000067")).out
    commands = re.findall(r"ALTER (\w+ \S+), EXTSEQNO 67, EXTRBA (\d+)", out)
    assert commands == [(f"{process} {group}", rba) for rba in ("3987", "4635")]
    assert (f"/services/v2/replicats/{group} " in out) == (process == "REPLICAT")


@pytest.mark.usefixtures("home")
def test_an_extract_is_set_to_no_transaction_of_a_trail() -> None:
    """Its CSN is one of the redo; the trail that has it may be the one that it writes."""
    text = "WARNING OGG-05509  Oracle GoldenGate {} for Oracle, a.prm:  The CSN 41882402 does not occur."
    assert not _alters(logdump("explain", text.format("Capture")).out)
    assert "begins at RBA 3987" in logdump("explain", text.format("Capture")).out
    assert _alters(logdump("explain", text.format("Delivery")).out)


@pytest.mark.usefixtures("home")
def test_a_wide_record_shows_its_key_and_the_column_of_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.features.explain.text._MOST_COLUMNS", 2)
    for column in ("NOTE", "AMOUNT", "TEA_CODE"):
        text = f"ERROR OGG-01161 Bad value of column {column}, file dirdat/rt000000067, rba 4427."
        rows = re.findall(r"^[K ]  (\w+) ", logdump("explain", text).out, re.MULTILINE)
        assert set(rows) == {"Column", "SALE_ID", column}


@pytest.mark.parametrize(
    ("text", "is_explained"),
    [
        ("pos 2014\nn\nn\n", False),
        ("-- a comment\nn\n", False),
        ("list 5\ncount detail\n", False),
        ("some words\nof no meaning\n", False),
        ("ERROR OGG-01296 Error mapping.", False),
        (
            "2024-03-14 01:10:04  ERROR   OGG-01296  Error mapping.\nReading dirdat/rt000000067, current RBA 3987\n",
            True,
        ),
        ("REPLICAT   REP1  Last Started\nLog Read Checkpoint  File dirdat/rt000000067\n   RBA 3987\n", True),
        ('{"position":\n{"name":"rt","sequence":67,"offset":3987}}', True),
    ],
)
def test_several_pasted_lines_are_explained_unless_they_are_commands(
    text: str, is_explained: bool, home: Path, line: Line
) -> None:
    pasted = pasted_line(text, REGISTRY)
    assert (pasted is not None) == is_explained
    if pasted is not None:
        line(f"open {home / 'dirdat' / 'rt000000066'}")
        said = "\n".join(line(pasted))
        assert _alters(said) == [(67, 3987), (67, 4635)], said
        assert pasted not in line.session.history.lines
