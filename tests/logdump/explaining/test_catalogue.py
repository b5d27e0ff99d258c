"""Each message of the catalogue in its own form, with digits, words and an order of its own: one oracle for all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.features.explain.messages import Meaning, meanings
from logdump.features.explain.places import PlaceRole
from tests.logdump.explaining.message_parts import PARTS
from tests.logdump.program import Answer, logdump
from tests.searching import Random, examples

_ALTER = re.compile(r"EXTSEQNO (\d+), EXTRBA (\d+)")
_CODES = sorted(meanings())
_GROUPS = [_CODES[start : start + 30] for start in range(0, len(_CODES), 30)]


class Sample(NamedTuple):
    """A record of the sample, the transaction that it is of, and the place after that."""

    begin: int
    record: int
    after: int
    csn: str
    xid: str


_SAMPLES = (
    Sample(3987, 4427, 4635, "41882402", "5.6.8806"),
    Sample(3987, 4234, 4635, "41882402", "5.6.8806"),
    Sample(3260, 3260, 3391, "41882351", "5.3.8803"),
    Sample(3629, 3817, 3987, "41882385", "5.5.8805"),
)
_OTHER = Sample(4989, 5183, 5352, "41882453", "5.9.8809")
_NUMBERS = (66, 67, 68)
_READERS = {
    PlaceRole.RECORD, PlaceRole.READING, PlaceRole.BEGIN, PlaceRole.RESTART, PlaceRole.START, PlaceRole.FILE,
}  # fmt: skip
_LABELS = {
    "file": ("file {}", "in {}", "trail file {},", "('{}')", "\u30d5\u30a1\u30a4\u30eb{}\u306e"),
    "other_file": ("next file {}", "and {} exists", "to {}"),
    "trail": ("trail {}", "trail {},", "on {}", "Extract Trail: {}"),
    "seqno": ("seqno {}", "SEQNO {},", "(Seq#: {},", "Sequence: {},", "sequence number {}", "\u5e8f\u5217\u53f7 {},"),
    "rba": ("rba {}", "RBA {},", "RBA: {})", "at RBA={}"),
    "csn": ("CSN {}", "csn {},", "with CSN: {}"),
    "xid": ("XID {}", "transaction ID {},"),
    "table": ("table {}", "{}", "to {},"),
    "column": ("column {}", "COLUMN {},"),
    "number": ("({})", "status {}."),
}


class Drawn(NamedTuple):
    """A message that was drawn, and where it is about."""

    text: str
    seqno: int
    sample: Sample


@pytest.fixture
def home(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of GoldenGate with files 66 to 68 of one trail."""
    content = (trails / "et000000000").read_bytes()
    (tmp_path / "dirdat").mkdir()
    for number in _NUMBERS:
        (tmp_path / "dirdat" / f"rt{number:09}").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_message_of_the_catalogue_has_its_parts() -> None:
    assert sorted(PARTS) == _CODES


def _grouped(number: int, random: Random) -> str:
    return f"{number:{random.choice((',', ''))}}".replace(",", random.choice((",", ".", " ", "'", "\u00a0")))


def _value(part: str, drawn: Drawn, random: Random) -> str:
    seqno, sample = drawn.seqno, drawn.sample
    file = f"./dirdat/rt{seqno:09}"
    positions = (
        f"op pos={seqno:010}{sample.record:010}, tx pos={seqno:010}{sample.begin:010}, op ts=2024-03-14 01:07:01"
    )
    values = {
        "file": file,
        "other_file": f"./dirdat/rt{seqno + 1:09}",
        "trail": "./dirdat/rt",
        "seqno": str(seqno),
        "rba": _grouped(sample.record, random),
        "csn": sample.csn,
        "xid": sample.xid,
        "table": random.choice(("SHOP.ITEM", '"SHOP"."ITEM"', "PDB1.SHOP.ITEM")),
        "column": random.choice(("ID", "NOTE", "SOLD_AT")),
        "number": str(random.randrange(1, 5000)),
        "time": "2024-03-14 01:07:01.000000",
        "group": "REP2",
        "checkpoint": "/gg/dirchk/REP2.cpe",
        "words": random.choice(("a value", "when getting it", "x", "(none)", "ORA-01403: no data found")),
        "sql": f'SQL <UPDATE "A"."B" SET C = \'rba {_OTHER.record} in seqno 66\' WHERE D > 5>',
        "java": f"Java or JNI exception:\norg.x.GGException: table=[A.B], {positions}.\n\tat org.x.Y.z(Y.java:7)",
        "reading": f"Reading {file}, current RBA {_grouped(sample.record, random)}, 3 records, m_file_seqno = {seqno}, "
        f"m_file_rba = {_grouped(sample.after, random)}",
        "redo": f"Could not find archived log for sequence {seqno} thread 1, error reading sequence {seqno}, rba 3987",
        "index": "column index(5)",
        "length": "length (17)",
    }
    return random.choice(_LABELS.get(part, ("{}",))).format(values[part])


def _drawn(code: str, random: Random) -> Drawn:
    """A message of a form; its parts are in the order of English, or in another one if each of them is there once."""
    drawn = Drawn("", random.choice(_NUMBERS[:2]), random.choice(_SAMPLES))
    parts, written = list(PARTS[code]), list[str]()
    if len(set(parts)) == len(parts) and not {"java", "rba*"} & {*parts} and random.random() < 0.5:
        random.shuffle(parts)
    for part in parts:
        about = drawn._replace(seqno=68, sample=_OTHER) if part.endswith("*") else drawn
        written.append(_value(part.rstrip("*"), about, random))
    meaning = meanings()[code]
    head = f"2024-03-14T01:10:04.123+0000  {meaning.severity:<7}  {code}  Oracle GoldenGate Delivery for Oracle, "
    separator = random.choice((" ", "  ", ", "))
    return drawn._replace(text=f"{head}{random.choice(('rep1', 'REP1'))}.prm:  {separator.join(written)}.\n")


def _expected(code: str, meaning: Meaning, drawn: Drawn) -> list[tuple[str, str]]:
    """Return the places that a reader may be set to."""
    parts, (begin, _, after, _, _) = set(PARTS[code]), drawn.sample
    advises = not meaning.roles or bool(_READERS & {*meaning.roles})
    has_place = bool(parts & {"java", "reading"}) or ("rba" in parts and bool(parts & {"file", "seqno"}))
    if "redo" in parts or not advises:
        return []
    if has_place or parts & {"csn", "xid"}:
        return [(str(drawn.seqno), str(begin)), (str(drawn.seqno), str(after))]
    if code == "OGG-01519":
        return [(str(drawn.seqno + 1), "0")]
    return [(str(drawn.seqno), "0")] if meaning.begins_file else []


def _asked(text: str, random: Random, home: Path) -> Answer:
    (home / "ggserr.log").write_text(text)
    return logdump("explain", random.choice((text, "ggserr.log")))


@pytest.mark.parametrize("codes", _GROUPS)
def test_a_message_leads_to_its_place_and_to_no_other(codes: list[str], home: Path) -> None:
    for code in codes:
        random, meaning = Random(code), meanings()[code]
        for _ in range(examples(2)):
            drawn = _drawn(code, random)
            only = drawn.seqno if {"csn", "xid"} & {*PARTS[code]} and "rba" not in PARTS[code] else None
            hidden = [home / "dirdat" / f"rt{number:09}" for number in _NUMBERS if only not in (None, number)]
            for file in hidden:
                file.rename(f"{file}.away")
            answer = _asked(drawn.text, random, home)
            for file in hidden:
                Path(f"{file}.away").rename(file)
            said = (drawn.text, answer)
            assert answer.status == 0, said
            assert meaning.text in answer.out, said
            assert _ALTER.findall(answer.out) == _expected(code, meaning, drawn), said
            assert "REPLICAT <group>" not in answer.out, said
