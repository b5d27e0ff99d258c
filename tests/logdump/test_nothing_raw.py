"""No byte of a trail, nor of a file's name, reaches a terminal raw: whatever command, switches and format show it."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures.heartbeats import CSNS, HEARTBEAT, PATHS
from logdump.commands import REGISTRY
from logdump.display import json_lines, text
from logdump.language.execute import run_line
from logdump.notation.text import escape, escape_block
from logdump.session.session import Session
from tests.hostile import NASTY, hostile_trails, nasty, raw_characters
from tests.logdump.program import logdump
from tests.searching import IS_LONG
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.trailformat.samples import header, row, trail_of
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import FIRST, ONLY, RESTART_ABEND

_ALL = "ghdr on; detail data; usertoken detail; ggstoken detail; headertoken detail; fileheader detail; reclen 4000; "
_FORMATS = "metadata ddlformat data; metadata defgenformat data; metadata sqlformat data; metadata detail on"
SWITCHES = (
    f"{_ALL} {_FORMATS}; values on; asciidump on; columndata on",
    f"{_ALL} values off; ebcdicdata on",
    "ghdr on; detail on; usertoken on; ggstoken on; headertoken on; fileheader on",
    "ghdr off",
)
DEFINITIONS = "definitions\x1b[2J"
PARAMETERS = "parameters\x1b[2J"
ODD = "".join(character for character in NASTY if ord(character) >= ord("\x80"))
PARAMETER_FILE = f"""
REPLICAT r{ODD}
DDL INCLUDE ALL, EXCLUDE INSTR '{ODD}' EVENTACTIONS (x{ODD}) OBJNAME x{ODD}.y
DDLSUBST 'e' WITH 'e{ODD}'
DDLERROR DEFAULT DISCARD INCLUDE INSTR 'x{ODD}'
NOTHING {ODD} ?X{ODD}
MAPEXCLUDE x.a{ODD}
MAP *.*, TARGET x{ODD}.*;
"""
SHOWS = {
    "OPEN": ("open",),
    "NEXTTRAIL": ("nt",),
    "ROW": ("row *owned* A=1",),
    "ONERROR": ("onerror",),
    "DOCTOR": ("doctor", "doctor nagios", "doctor since \x1b[2J/x"),
    "REDACT": ("redact to /nowhere/\x1b[2J", "redact over \x1b[2J to /nowhere/x"),
    "PUBLISH": ("publish over rc* to kafka://\x1b[2J once", "publish over \x1b[2J to kafka://127.0.0.1:1 once"),
    "APPLY": ("apply over rc* to sqlite:////nowhere/\x1b[2J once", "apply over \x1b[2J to sqlite:////nowhere/x once"),
    "WATCH": ("watch * once", "watch \x1b[2J once", "watch * once listen \x1b[2J textfile \x1b[2J"),
    "REPORT": ("report to \x1b[2J.md", "report to \x1b[2J/x.html"),
    "TRANSACTIONS": ("transactions; transactions all",),
    "LIST": ("pos 0; list all; across on; pos 0; list all; across off",),
    "FOLLOW": ("pos 0; follow list",),
    "NEXT": ("pos 0; n 60",),
    "SKIP": ("pos 0; skip 3",),
    "POSITION": ("pos first; pos last; pos 40; n; pos eof; pos record 3; pos 999999",),
    "BEGIN": ("begin 2024-03-14 09:31:00",),
    "SCANFORHEADER": ("pos 0; skip 14; sfh; sfh prev",),
    "SCANFORTYPE": ("pos 0; sft 77; pos 0; sft insert, *",),
    "SCANFORRBA": ("pos 0; sfr 211, *",),
    "SCANFORTIME": ("pos 0; sfts 2024-03-14 09:31:00, *",),
    "SCANFORENDTRANS": ("pos 0; sfet; sfet",),
    "SCANFORNEXTTRANS": ("pos 0; sfnt; sfnt",),
    "SCANFORMETADATA": ("pos 0; sfmd; sfmd next; sfmd tdr 1; sfmd ddr",),
    "MARK": ("mark here note; mark",),
    "FIND": ("pos 0; find owned; find next; find previous",),
    "TRANSACTION": ("pos 0; transaction next; transaction end; transaction previous; transaction begin",),
    "SAMETABLE": ("pos 0; skip 5; sametable next; sametable previous",),
    "SAFE": ("safe {rba}", "safe 99999"),
    "COUNT": ("pos 0; count", "count detail", "count, file *", "count detail, int 1", "count log *", "count \x1b[2J"),
    "CHECK": ("check", "check *"),
    "RECOVERY": ("recovery keep", "recovery cut", "recovery files reader 12.2", "recovery over *", "recovery \x1b[2J"),
    "DIFF": ("diff rc* values", "diff rc000000001 ignore cut; diff rc000000001 bytes anyorder", "diff \x1b[2J"),
    "REPAIR": ("repair to /dev/null/x dry", "repair over * to /dev/null/x dry all", "repair to \x1b[2J/x"),
    "EXPLAIN": ("explain lag; explain restart", f"params {PARAMETERS}; explain ddl; params off", "explain \x1b[2J"),
    "COMPRESS": ("compress by table", "compress images by table", "compress over *", "compress \x1b[2J"),
    "BR": ("br restart 2024-03-14T12:00:00 compare 1h", "br longer 1m over rc*", "br begins \x1b[2J"),
    "HEARTBEAT": ("heartbeat", "heartbeat history", "heartbeat history every 1", "heartbeat rows", "heartbeat gaps"),
    "ACROSS": ("pos 0; across on; n 99; across gaps; n 99; count; check; across off",),
    "SOURCEDEFS": ("sourcedefs \x1b[2J", f"sourcedefs {DEFINITIONS}"),
    "REDO": ("pos 0; redo 20", "pos 0; redo 20 mysql", "pos 0; redo 20 postgresql", "pos 0; redo 20 ansi"),
    "UNDO": ("pos 0; undo 20", "pos 0; undo 20 mysql", "pos 0; undo 20 postgresql", "pos 0; undo 20 ansi"),
    "PARAMS": (
        "params \x1b[2J",
        f"params {PARAMETERS}; params; params show; params show \x1b[2J; params coverage; params off",
    ),
    "DDL": (
        f"params {PARAMETERS}; pos 0; ddl all steps; ddl all whatif error 1; ddl over * leftout; params off",
        f'params {PARAMETERS}; ddl \x1b[2J; ddl text "drop table x\x1b[2J.y /* \x9b31m" steps; params off',
    ),
    "TRANSHIST": ("transhist 20; pos 0; count; transhist",),
    "HASHSTATS": ("hashstats on; pos 0; n 5; hashstats off",),
    "FILTER": ('filter include filename "*\x1b*"; filter show; pos 0; n 9; filter clear',),
    "DUMP": ("pos 0; dump 4000", "pos 5000; dump 4000"),
    "ENV": ("env",),
    "SHOW": ("show env; show open; show filter; show time; show rectype",),
    "FILES": ("files", "files *"),
    "HISTORY": ("history",),
    "FC": ("fc nonsense",),
    "BULKIOSTATS": ("bulkiostats",),
    "HELP": ("help \x1b[2J",),
    "CD": ("cd .", "cd \x1b[2J"),
    "OBEY": ("obey \x1b[2J",),
    "LOG": ("log to \x1b[2J/x", "log"),
    "SAVE": ("save \x1b[2J/x",),
    "LOB": ("lob {rba}", "lob {rba} name to \x1b[2J/x"),
    "EXPORT": ("export jsonl to \x1b[2J/x",),
    "DATAFILE": ("datafile \x1b[2J",),
    "FLOAT": ("float \x1b[2J",),
    "CTIME": ("ctime \x9b31m",),
    "COMPUTETIMESTAMP": ("computetimestamp \x9b31m",),
    "INTERPRETTIMESTAMP": ("interprettimestamp \x9b31m",),
    "INTERPRETINTERVAL": ("interpretinterval \x9b31m",),
    "ESBLOCK": ("esblock \x9b31m",),
}
"""What is run of each command that shows something of a trail, of a file's name, or of what was entered."""
SILENT = set(
    """
    GHDR DETAIL USERTOKEN GGSTOKEN HEADERTOKEN FILEHEADER RECLEN TIMEOFFSET RELEASE ASCIIHEADER EBCDICHEADER ASCIIDATA
    EBCDICDATA ASCIIDUMP EBCDICDUMP METADATA COLUMNDATA VALUES NOTIFY SCANSCROLLING TRANSRECLIMIT TRANSBYTELIMIT
    HASHCLEAR TIME BIO TRAILFORMAT SAVEFILECOMMENT PRINTMXCOLUMNINFO WRITELOG X FORMAT ENGINE EXIT CALCTLFKEY DECRYPT
    ENCRYPT DEBUG ARGETNONDATACHANGES ARSTOPNONDATACHANGES WRITEREC GGSAUDITREAD TMFBEFOREIMAGE TMFGETRECADDR
    NOTMFGETRECADDR TMFIGNORERECCOUNT SQL TUI
    """.split()  # noqa: SIM905 - a list of so many would fill a page
)
"""Commands that show switches and numbers; SQL shows rows by the same renderer (test_rows_text), TUI the screen."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Hostile trails in a hostile folder."""
    folder = tmp_path_factory.mktemp("hostile") / nasty("dir")
    folder.mkdir()
    (folder / DEFINITIONS).write_text(f"* {NASTY}\nDefinition for table {nasty('table')}\n{NASTY}")
    (folder / PARAMETERS).write_text(PARAMETER_FILE)
    return [*hostile_trails(folder), _heartbeats(folder / "hb000000000"), *_cut_off(folder)]


def _cut_off(folder: Path) -> list[Path]:
    """A trail of two files whose transactions are cut, come again, stand twice and go back."""
    xid, table = make_token("6", nasty("xid").encode()), nasty("table")

    def record(csn: str, trans_ind: int) -> Record:
        return make_record(header(table, trans_ind=trans_ind), b"leaf", [make_token("L", csn.encode()), xid])

    cut = [record(nasty("csn"), FIRST), row(io_type=RESTART_ABEND), record("7", FIRST), record("9", ONLY)]
    again = [record(csn, ONLY) for csn in ("7", "9", "8", nasty("csn"))]
    return [trail_of(folder, *records, name=f"rc00000000{at}") for at, records in enumerate((cut, again))]


def _heartbeats(path: Path) -> Path:
    """Rows of heartbeat tables whose texts are hostile, and one whose timestamp is."""
    trail = HeartbeatTrail(path, heartbeat=(*HEARTBEAT, nasty("more").upper()), base=f"{nasty('owner')}.GG_HEARTBEAT")
    texts = dict.fromkeys((*PATHS, *CSNS, "LOCAL_DATABASE", nasty("more").upper()), nasty("name"))
    trail.insert({**texts, "HEARTBEAT_TIMESTAMP": 7, "OUTGOING_EXTRACT_TS": 9}, 1)
    trail.insert({**texts, "HEARTBEAT_TIMESTAMP": 10**9, "INCOMING_HEARTBEAT_TS": 5, "OUTGOING_EXTRACT_TS": 9}, 2)
    trail.insert({**texts, "HEARTBEAT_RECEIVED_TS": 9, "INCOMING_HEARTBEAT_TS": 5}, 3, "_HISTORY")
    return trail.close()


def test_every_command_is_shown_here_or_shows_nothing_of_a_trail() -> None:
    names = {command.name for command in REGISTRY.commands}
    assert names == SILENT | set(SHOWS)


def _lines(session: Session, command: str) -> Iterator[str]:
    rbas = list(session.trail.sound_rbas(0, session.trail.size))
    for line in SHOWS[command]:
        yield from (line.replace("{rba}", str(rba)) for rba in (rbas if "{rba}" in line else [0]))


def _rendered(session: Session, line: str) -> Iterator[str]:
    """What the events of a line come to in every renderer, line by line."""
    for event in run_line(session, REGISTRY, line):
        for render in (text.render, json_lines.render):
            yield from render(event, session.settings)


def _of_flavours(hostile: list[Path], case: int) -> list[Path]:
    """The trails for one of many cases: in the short form those of one writer, and the last three."""
    *flavours, beats, cut, again = hostile
    first = 2 * (case % (len(flavours) // 2))
    return hostile if IS_LONG else [*flavours[first : first + 2], beats, cut, again]


@pytest.mark.parametrize("command", SHOWS)
def test_no_command_shows_what_is_raw(command: str, hostile: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(hostile[0].parent)
    case = list(SHOWS).index(command)
    others = SWITCHES[1:] if IS_LONG else [SWITCHES[1 + case % (len(SWITCHES) - 1)]]
    for number, path in enumerate(_of_flavours(hostile, case)):
        for switches in [SWITCHES[0], *(others if not number else ())]:
            session = Session()
            session.open(path)
            list(run_line(session, REGISTRY, switches))
            for line in _lines(session, command):
                for printed in _rendered(session, line):
                    assert raw_characters(printed) == [], line
                    assert "\n" not in printed, line
            session.end()


EXPORTS = ("jsonl", "sql", "sql mysql", "sql postgresql", "sql ansi", "sql undo", "jsonl by table", "jsonl heartbeats")


@pytest.mark.parametrize("export", EXPORTS)
def test_no_export_that_a_terminal_may_show_holds_what_is_raw(export: str, hostile: list[Path], tmp_path: Path) -> None:
    for number, path in enumerate(_of_flavours(hostile, EXPORTS.index(export))):
        target = tmp_path / f"out{number}"
        session = Session()
        session.open(path)
        form, *options = export.split()
        printed = "\n".join(_rendered(session, f"export {form} to {target} {' '.join(options)}"))
        assert raw_characters(printed) == []
        for file in [target] if target.is_file() else target.glob("*"):
            assert raw_characters(file.read_bytes().decode()) == []
            assert raw_characters(file.name) == []
        session.end()


@pytest.mark.parametrize("arguments", [("-c",), ("--format", "jsonl", "-c")])
def test_neither_stream_of_the_program_gets_what_is_raw(arguments: tuple[str, ...], hostile: list[Path]) -> None:
    name = str(hostile[1]).replace("\n", "*")
    for command in (f'open "{hostile[1].parent}"', f"open {name}", "open \x1b[2J", "\x1b[2J", "count log \x9b31m"):
        done = logdump(*arguments, command.replace("\n", " "))
        assert raw_characters(done.out + done.err) == []
        assert done.status


def test_what_a_csv_holds_is_exact(hostile: list[Path], tmp_path: Path) -> None:
    session = Session()
    session.open(hostile[0])
    list(run_line(session, REGISTRY, f"export csv to {tmp_path / 'out'} by table"))
    files = [file.read_bytes().decode() for file in (tmp_path / "out").iterdir()]
    rows = [row for file in files for row in csv.DictReader(io.StringIO(file, newline=""))]
    assert nasty("new") in {value for row in rows for value in row.values()}
    session.end()


def _is_tried(code: int) -> bool:
    """In the short form the first two planes of Unicode, and of each other plane both ends."""
    return IS_LONG or code < 0x20000 or not 0x400 <= code & 0xFFFF < 0xFC00


def test_no_character_leaves_the_escape_raw() -> None:
    every = "".join(map(chr, filter(_is_tried, range(sys.maxunicode + 1))))
    escaped = escape(every)
    assert raw_characters(escaped) == []
    assert escaped.isprintable()


@pytest.mark.parametrize("lines", [["plain", "", "煎茶"], ["a\x1b[2J", "b"], ["é\u202e", "c\r", "\x85"]])
def test_a_block_of_lines_is_escaped_like_each_of_them(lines: list[str]) -> None:
    assert escape_block("\n".join(lines).encode()) == "\n".join(map(escape, lines))
