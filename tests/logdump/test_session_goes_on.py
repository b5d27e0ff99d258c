"""A session that goes on: each line is answered as in a session that begins where this one stands.

What a session is to keep is copied: the open file, the position, the switches, the filter, marks, the last search. All
else that it keeps, as an index, definitions, transactions or records read ahead, must not be told from reading anew:
in another file with the same RBAs, in a file that has grown, under another filter.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures import TRAILS
from logdump.session.cursor import Place
from logdump.session.errors import ExitStatus
from logdump.session.settings import Settings
from tests.logdump.line import Line
from tests.searching import Random, examples

SHOP = (TRAILS / "et000000000").read_bytes()
DEFINITIONS = Path(__file__).parents[1] / "transcripts" / "obey" / "teahouse.def"
OTHERS = ((b"TEAHOUSE", b"HOUSEOFT"), (b"41882", b"41993"), (b"SEN01", b"SEN07"), (b"STOCK_KG", b"WARES_KG"))
"""What the twin has in place of bytes of the shop's trail: another schema, CSNs, a row, a column."""
GROWS_FROM, PIECE = 2722, 411
"""The growing file: its size at the beginning, and the bytes that come at a time, which end inside of records."""
OUT = "out"

TRAILS_OPENED = ["et000000000", "tw000000000", "gr000000000", "gt000000000", "kt000000000", "dt000000000"]
FILES_OPENED = [*TRAILS_OPENED, *TRAILS_OPENED[:3], "st000000000", "st000000001", "at000000000", "at000000001"]
PLACES = [0, 1261, 1811, 2170, 2722, 3069, 3391, 3522, 3817, 4635, 5183, 5352]
MOVES = [
    "n",
    "n 3",
    "skip 2",
    "pos first",
    "pos eof",
    "pos rev",
    "pos for",
    "pos last",
    "sfh prev",
    "list 2",
    "find ASS",
]
FILTERS = [
    "filter include filename *.TEAS",
    "filter include filename *.SALES",
    "filter include rectype insert",
    "filter exclude rectype 170",
    "filter include value STOCK_KG > 100",
    "filter include csn > 41882351",
    "filter clear",
    "filter off",
    "filter on",
]
SWITCHES = [
    "across on",
    "across off",
    "across gaps",
    f"sourcedefs {DEFINITIONS} override",
    "sourcedefs off",
    "values on",
]
SWITCHES += ["sourcedefs other.def override", "sourcedefs other.def"]
SWITCHES += ["timeoffset +02:00", "format jsonl", "format text", "ghdr on; detail data", "transhist 2", "engine local"]

WHOLE = [
    *("row TEAS TEA_CODE=ASS02", "row TEAHOUSE.TEAS TEA_CODE=SEN01", "row undo TEAS TEA_CODE=ASS02"),
    *("row undo last 1 TEAHOUSE.SALES SALE_ID=500002", "show filter"),
    *("sql select count(*), max(csn), min(rba) from records", "sql select tea_code, stock_kg from teas order by 1, 2"),
    *("sql effective select count(*) from records where csn > 41882351", "check", "check values", "check et000000000"),
    *("transactions", "transactions 2", "transactions over st000000000", "ddl all"),
    *("diff tw000000000", "diff et000000000 values", "diff gr000000000 records limit 3", "recovery", "recovery files"),
    *("explain restart at csn 41882351", "doctor", "compress", "fileinfo", "heartbeat", "show open"),
]
"""Lines that leave the position as it is, and are answered alike wherever it is."""
KEEPING = ["row", "safe", "safe 3391", "safe 4500", "pos", "mark", "mark b", "explain restart", "dump 64", "env"]
KEEPING += ["lob 1811", "lob 2853"]
"""Lines that leave the position as it is, about what is there, or in the direction of reading."""
MOVING = [
    *("count", "count detail", "count detail, log", "count start 2024-03-14 09:32:00 end 2024-03-14 09:37:00"),
    *("n", "n 4", "n all", "skip 3", "skip 2 filter", "list", "list 3 columns stock_kg", "list all"),
    *("redo", "redo 2", "redo 2 mysql include cut", "undo", "undo 3"),
    *("find ASS02", "find next", "find prev", "find STOCK_KG = 310", "find TEAS.PRICE > 9"),
    *(
        "export jsonl to out",
        "export jsonl to out 3 records",
        "export csv to out by table",
        "export sql to out 2 transactions",
        "save out 3 records",
        "save out",
    ),
    *("save et000000000", "export jsonl to et000000000", "pos csn 99999999", "find NOWHERE", "sft 150"),
    *("transaction begin", "transaction end", "transaction next", "transaction previous"),
    *("sametable next", "sametable previous", "sfh", "sfh prev", "sft 5", "sfnt", "sfet", "sfmd", "sfmd tdr"),
    *("sfts 2024-03-14 09:33:00", "begin 2024-03-14 09:34:00", "pos csn 41882368", "pos time 2024-03-14 09:35:00"),
    *("pos record 6", "pos last", "pos csn 41882402 rev", "nexttrail", "pos mark a"),
]


_MEASURES = "Disk ", '{"type":"doctor"'
_MEASURED = (" MB/s here", ": it is not in the answer.")
"""Ends of lines that depend on the machine, or on how far a block of records was read ahead."""
"""What begins and ends lines that tell of this machine, now."""
STOPPING = ("n", "list", "skip", "redo", "undo")
"""How lines begin that go on up to what they cannot read."""


class Told(NamedTuple):
    """What a line has printed, how it ended, what it has written, and where the session stands behind it."""

    text: list[str]
    statuses: list[ExitStatus]
    written: dict[str, bytes]
    place: Place


class GoingOn:
    """A session in a folder of trails, and for each line one that begins where it stands."""

    def __init__(self) -> None:
        for name in FILES_OPENED:
            if (TRAILS / name).exists():
                shutil.copy(TRAILS / name, name)
        twin = SHOP
        for was, becomes in OTHERS:
            twin = twin.replace(was, becomes)
        Path("tw000000000").write_bytes(twin)
        for path in Path().iterdir():
            os.utime(path, (0, 0))  # what may still grow is not read ahead
        Path("gr000000000").write_bytes(SHOP[:GROWS_FROM])
        text = DEFINITIONS.read_text(encoding="utf-8")
        Path("other.def").write_text(text.replace("PRICE ", "WORTH ").replace("STOCK_KG ", "PRICE "), encoding="utf-8")
        self._line = Line()
        self._kept: list[str] = []
        """The lines of FILTER and SOURCEDEFS, which are entered again."""
        self.told: list[str] = []
        self.change("timeoffset gmt")

    def change(self, line: str) -> None:
        """Enter a line whose answer nobody looks at; ``grow`` has the growing file grow."""
        self.told.append(line)
        if line == "grow":
            with Path("gr000000000").open("ab") as file:
                file.write(SHOP[file.tell() : file.tell() + PIECE])
            return
        self._line(line)
        _written()
        if line.startswith(("filter", "sourcedefs")):
            self._kept.append(line)

    def ask(self, line: str) -> None:
        """Enter a line in both sessions, and compare."""
        self.told.append(line)
        here = self._line.session.cursor.place
        new = self._begun_in(here)
        expected = _told(new, line)
        new.session.end()
        if line in WHOLE:
            new = self._begun_in(Place(here.path, 0, 0, False, None, None, None))
            assert _told(new, line)._replace(place=here) == expected, self.told
            new.session.end()
        told = _told(self._line, line)
        assert told == expected, self.told
        has_failed = ExitStatus.COMMAND_FAILED in told.statuses and not line.startswith(STOPPING)
        if line not in MOVING or has_failed:
            assert told.place == here, self.told

    def _begun_in(self, place: Place) -> Line:
        """A session like this one that has read nothing, and stands at a place."""
        former, new = self._line.session, Line()
        for line in self._kept:
            new(line)
        new.session.settings = Settings(**vars(former.settings))
        new.session.marks, new.session.search = dict(former.marks), former.search
        new.session.open(place.path)
        new.session.cursor.return_to(place)
        return new

    def close(self) -> None:
        self._line.session.end()


def _told(line: Line, entered: str) -> Told:
    text = [
        shown_line
        for shown_line in line(entered)
        if not shown_line.startswith(_MEASURES) and not shown_line.endswith(_MEASURED)
    ]
    statuses = [failure.status for failure in line.failures]
    return Told(text, statuses, _written(), line.session.cursor.place)


def _written() -> dict[str, bytes]:
    """What a line has written, which is taken away."""
    out = Path(OUT)
    paths = [out] if out.is_file() else sorted(out.rglob("*"))
    written = {str(path): path.read_bytes() for path in paths if path.is_file()}
    if out.is_dir():
        shutil.rmtree(out)
    else:
        out.unlink(missing_ok=True)
    return written


@pytest.fixture
def going_on(tmp_path: Path) -> Iterator[GoingOn]:
    with chdir(tmp_path):
        session = GoingOn()
        yield session
        session.close()


def _begin(session: GoingOn, draw: Random) -> None:
    session.change(f"open {draw.choice(FILES_OPENED)}")
    session.change("mark a")


def _change(session: GoingOn, draw: Random) -> None:
    """What may come between two lines: another file with the position of this one, another filter, growth, a move."""
    match draw.randrange(6):
        case 0 | 1:
            session.change(f"open {draw.choice(FILES_OPENED)}")
            session.change(f"pos {draw.choice(PLACES)}")
        case 2:
            session.change(draw.choice(FILTERS))
        case 3:
            session.change(draw.choice(SWITCHES))
        case 4:
            session.change("grow")
        case _:
            session.change(draw.choice(MOVES))


LINES = [*WHOLE, *KEEPING, *MOVING]


@pytest.mark.parametrize("part", range(8))
def test_a_line_is_answered_again_as_in_a_new_session(part: int, going_on: GoingOn) -> None:
    """Each line, before and after each of some changes."""
    draw = Random(part)
    for line in LINES[part::8]:
        _begin(going_on, draw)
        for _ in range(examples(16)):
            going_on.ask(line)
            _change(going_on, draw)
            if draw.random() < 0.5:
                _change(going_on, draw)
