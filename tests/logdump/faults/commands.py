"""Every command that reads or writes files, with the trails that it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.searching import IS_LONG

_SHOP, _PAIR, _BEATS, _LOBS = ("et000000000",), ("st000000000", "st000000001"), ("yt000000000",), ("kt000000000",)
_ACROSS = ("at000000000", "at000000001", "at000000002")
_DDL, _DAMAGED = ("dt000000000", "example.prm"), ("ft000000000",)


class Tried(NamedTuple):
    """A line of commands; the first of the files is open when it runs.

    ``target`` is what it writes, ``former`` whether something stands there before, ``columns`` whether all thresholds
    from which columns are used are 0.
    """

    line: str
    files: tuple[str, ...]
    target: str | None = None
    former: bool = False
    columns: bool = False

    @property
    def name(self) -> str:
        """The line, the file, and what is special."""
        return f"{self.files[0]}: {self.line}{' (columns)' * self.columns}{' (former)' * self.former}"


_READING = {
    _SHOP: (
        "count",
        "count detail",
        "check",
        "ghdr on; detail data; values on; usertoken detail; ggstoken detail; next 30",
        "format jsonl; next 40",
        "find Green; find prev",
        "filter include iotype insert; next 3; count",
        "filter include value TEAHOUSE.TEAS.TEA_ID = 1; count",
        "pos last; pos reverse; next 3",
        "sfh; sfh prev; sft update; pos 0; sfr 1",
        "pos 1812; sfet; sfnt",
        "sfmd tdr; sametable next; pos 9; sfh; pos eof; n",
        "metadata detail on; next 3; dump 64; show filter",
        "files; mark here; pos mark here",
        "pos record 5; transaction next; transaction end",
    ),
    _ACROSS: (
        "across on; count detail",
        "check at*",
        "pos csn 41881900; next; pos record 3; next",
        "safe 2722",
        "pos 2722; transaction begin; transaction end",
        "across on; find zzz",
        "recovery",
        "recovery files; recovery cut; recovery order",
        "explain restart",
        "explain lag",
        "br",
        "br compare 1h,2h",
        "redo 50",
        "undo 50 mysql",
        "across on; redo 50 postgresql",
        "compress",
        "compress images by table",
        "nt; nt; n",
        "hashstats on; count detail; hashclear; count detail",
        "sfts 2030-01-01 00:00:00, at*",
        "repair over at* to target dry",
    ),
    _PAIR: ("transhist 5; across on; count", "recovery twice", "across on; next 100", "undo 50"),
    _BEATS: ("heartbeat", "heartbeat rows; heartbeat gaps", "explain lag", "heartbeat over yt*"),
    _LOBS: ("lob 1811", "values on; next 20", "redo 9 oracle"),
    _DDL: ("params example.prm; ddl all; explain ddl", "sft ddlop; n", "redo 9"),
    _DAMAGED: ("count", "check", "next 40", "recovery", "repair to target dry"),
    ("at000000000", "at000000001", "at000000002", "al000000000", "al000000001", "al000000002"): (
        "diff al000000000 values",
        "diff al records",
    ),
    ("bt000000000", "et000000000"): ("diff et000000000 bytes", "diff et000000000 values"),
}
_BY_COLUMNS = {
    _SHOP: ("count detail", "format jsonl; next 100", "filter include iotype insert; count", "find Green"),
    _ACROSS: ("across on; count detail", "redo 50", "undo 50", "recovery", "safe 2722", "br", "explain restart"),
    _BEATS: ("heartbeat",),
    _DAMAGED: ("check",),
}
_FORMATS, _BY_TABLE = ("jsonl", "csv", "sql", "parquet", "arrow"), ("jsonl", "csv", "parquet", "arrow")
_LOG = "log to target; count; writelog a; log stop"


def _writing() -> Iterator[Tried]:
    for columns in (False, True):
        for name in _FORMATS:
            yield Tried(f"export {name} to target", _SHOP, "target", columns=columns)
            yield Tried(f"across on; export {name} to target", _ACROSS, "target", columns=columns)
        for name in _BY_TABLE:
            yield Tried(f"across on; export {name} to target by table", _ACROSS, "target", columns=columns)
        yield Tried("save target", _SHOP, "target", columns=columns)
        yield Tried("export csv to -", _SHOP, columns=columns)
        yield Tried("export jsonl to -", _SHOP, columns=columns)
    for name in _FORMATS:
        yield Tried(f"export {name} to target replace", _SHOP, "target", former=True)
    for name in ("csv", "arrow"):
        yield Tried(f"export {name} to target by table replace", _SHOP, "target", former=True)
    for line in ("export csv to target compression gzip", "export sql to target undo", "save target 8 records"):
        yield Tried(line, _SHOP, "target")
    yield Tried("filter include iotype insert; save target", _SHOP, "target")
    yield Tried("across on; save target", _ACROSS, "target")
    yield Tried("save target !", _SHOP, "target", former=True)
    yield Tried("export csv to target heartbeats", _BEATS, "target")
    yield Tried("repair to target", _DAMAGED, "target")
    yield Tried("repair over at* to cp000000000", _ACROSS, "cp000000000")
    yield Tried("lob 1811 name to target", _LOBS, "target")
    yield Tried("lob 1811 name to target !", _LOBS, "target", former=True)
    yield Tried("export sql to target", _LOBS, "target")
    yield Tried(_LOG, _SHOP, "target")


_ALL = (
    *(Tried(line, files) for files, lines in _READING.items() for line in lines),
    *(Tried(line, files, columns=True) for files, lines in _BY_COLUMNS.items() for line in lines),
    *_writing(),
)
MANY = ("et000000000: export csv to target replace (former)", "et000000000: save target 8 records")
"""Those of which many calls fail."""
COMMANDS = tuple(tried for at, tried in enumerate(_ALL) if IS_LONG or at % 3 == 0 or tried.name in MANY)
"""In the short form a third, of each kind some."""
