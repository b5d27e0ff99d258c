"""Trails that are hostile in every text field: what a terminal would obey stands in names, columns and values, in
LOGCSN and TRANID, in tokens, DDL, comments, the strings of the file header, and in the name of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from fixtures import rare
from fixtures.capture import Capture
from fixtures.changes import delete, insert, key_update, update_pair
from fixtures.flavour import MYSQL_21, ORACLE_11, ORACLE_12, Flavour
from fixtures.headers import file_header
from fixtures.shop import Row, ShopTable
from trailformat import FileHeader, TrailWriter, make_token
from trailformat.records.ddl import build_ddl
from trailformat.records.file_header import replace_values
from trailformat.records.record_header import COMMENT, DDL_OP, INSERT
from trailformat.values import CHAR, VARCHAR

NASTY = "\x1b]0;owned\x07\x1b[2J\x9b31m\x85\x7f\x08\t\x0b\r\n\u202e\u2066\u200f\u061c\u2028"
"""A title, a cleared screen and a colour by ESC and by C1, what moves the cursor, what turns the writing around."""
FLAVOURS = (ORACLE_12, ORACLE_11, MYSQL_21)
_RAW = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_WIDE = 400


def nasty(word: str) -> str:
    """A word with what is hostile inside."""
    return f"{word}{NASTY}{word}"


def raw_characters(text: str) -> list[str]:
    """What a terminal may not get of ``text``, each with what stands before it; a newline ends a line."""
    return [repr(text[max(0, found.start() - 60) : found.end()]) for found in _RAW.finditer(text)]


@dataclass(frozen=True)
class _Hostile(Flavour):
    """A flavour whose transactions have hostile ids."""

    oracle: bool = True

    @property
    def is_oracle(self) -> bool:
        return self.oracle

    def csn(self, transaction: int) -> str:
        return nasty(f"csn{transaction}")

    def xid(self, transaction: int) -> str:
        return nasty(f"xid{transaction}")


def hostile_trails(folder: Path) -> Iterator[Path]:
    """Write a trail of each flavour into ``folder``, and after each the same with damage in its middle."""
    for number, flavour in enumerate(FLAVOURS):
        path = write_hostile_trail(folder / f"{nasty('tr')}{number:06}", flavour)
        yield path
        data = path.read_bytes()
        middle = len(data) // 2
        damaged = folder / f"{nasty('bad')}{number:06}"
        damaged.write_bytes(data[:middle] + nasty("damage").encode() + data[middle + 80 : -3])
        yield damaged


def write_hostile_trail(path: Path, flavour: Flavour = ORACLE_12) -> Path:
    """Write one trail, without damage; returns its path."""
    hostile = _hostile(flavour)
    with TrailWriter(path, order=hostile.order, file_header=_header(flavour)) as writer:
        capture = Capture(writer, hostile)
        capture.database()
        capture.table(hostile.teas)
        for write in (_changes, _events, _statements, rare.large_object, rare.large_objects_of_two_columns):
            write(capture)
    return path


def _hostile(flavour: Flavour) -> Flavour:
    teas, sales = map(_hostile_table, (flavour.teas, flavour.sales))
    database = flavour.database
    if database is not None:
        database = database._replace(name=nasty("DB"), time_zone=nasty("GMT"))
    return _Hostile(flavour.release, flavour.order, teas, sales, database, flavour.is_oracle)


def _hostile_table(table: ShopTable) -> ShopTable:
    """A table under a hostile name, its columns too; texts have room."""
    columns = tuple(
        column._replace(name=nasty(column.name), internal_length=_WIDE, external_length=_WIDE, binary_length=_WIDE)
        if column.data_type in (CHAR, VARCHAR)
        else column._replace(name=nasty(column.name))
        for column in table.columns
    )
    return ShopTable(".".join(map(nasty, table.name.split("."))), table.number, columns)


def _header(flavour: Flavour) -> FileHeader:
    """The usual file header with hostile text wherever it has text."""
    header = file_header(flavour)
    for group in header.groups:
        texts = {token.name: nasty(token.name) for token in group.tokens if isinstance(token.value, str)}
        header = replace_values(header, group.name, {name: _short(name, text) for name, text in texts.items()})
        if any(token.name == "URIHistory" for token in group.tokens):
            header = replace_values(header, group.name, {"URIHistory": (nasty("uri"),)})
    return header


def _short(name: str, text: str) -> str:
    """A CSN has room for so many bytes."""
    return text[:60] if name.endswith(("CSN", "BSN")) else text


def _row(key: str, *, is_old: bool = False) -> Row:
    return nasty(key), nasty("old" if is_old else "new"), None, nasty("g"), Decimal("8.90"), Decimal(7)


def _changes(capture: Capture) -> None:
    teas, tokens = capture.flavour.teas, ((nasty("token").encode(), nasty("value").encode()),)
    capture.commit(insert(teas, _row("a")), insert(teas, _row("b")), user_tokens=tokens)
    capture.commit(*update_pair(teas, _row("a", is_old=True), _row("a")))
    capture.commit(key_update(teas, _row("a"), _row("c")), delete(teas, _row("b")))


def _events(capture: Capture) -> None:
    capture.event(COMMENT, (nasty("comment") + "\0").encode(), name=nasty("name"))
    odd = (make_token("R", nasty("rowid").encode()), make_token("q", nasty("q").encode() + b"\xff\xfe"))
    capture.event(77, nasty("unknown").encode(), odd, name=nasty("name"))
    capture.event(INSERT, nasty("no image").encode(), name=nasty("name"), orig_node=255)


def _statements(capture: Capture) -> None:
    blanks = "create table\x1ft\x85(x\x0bint\u2028)"
    for statement in (
        blanks,
        f'create table "{nasty("t")}" (x int) -- {nasty("c")}',
        f"drop table t /* {nasty('c')} */",
    ):
        capture.begin()
        csn, xid = capture.transaction_tokens()
        details = "\0".join(map(nasty, ("owner", "table", "version", "compat", "N")))
        ids = ("C5", "B7", "B2", "C21", "B3", "B4", "C12", "B5", "B6", "B8", "Z9")
        data = build_ddl([*((item_id, nasty(item_id)) for item_id in ids), ("C1", statement)])
        capture.event(DDL_OP, data, (xid, csn, make_token("D", details.encode()), csn, xid), audit_pos=0, audit_rba=0)
