"""DDL records of which each piece is known: what has to stay, and what is secret: names of words of SQL too."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from fixtures.flavour import MYSQL_21, ORACLE_12
from fixtures.headers import file_header
from tests.logdump.redact.drawn_secrets import column_of
from tests.searching import Random
from tests.trailformat.samples import header, metadata_record
from trailformat import ByteOrder, Images, Record, TableDefinition, make_column, make_record
from trailformat.codec.tokens import make_token
from trailformat.definitions.metadata import build_table
from trailformat.records.record import make_file_header_record
from trailformat.records.record_header import COMPRESSED, DDL_OP, INSERT, NAME_IS_INDEX

WORDS = """ROLE USER TYPE VALUE LEVEL COMMENT TEXT KEY SIZE YEAR DATE TIME MONTH DAY NUMBER SESSION PROFILE OBJECT
OPTION RECORD STATISTICS SYSTEM LINK LIST LIBRARY CONTEXT START NEXT WRITE READ ACCESS PACKAGE ZONE SECOND HASH ENGINE
STORAGE DIRECTORY SCHEMA SPACE ROW END""".split()  # noqa: SIM905 - a table
"""Names of the drawn trails that are words of SQL."""
PLAIN = ["STATUS", "NAME", "ACCOUNT", "WARD", "IBAN", "PIN", "QX", "ZJ"]
"""Names that are none."""
_STATEMENTS = """\
create table [owner].[table] ([column] varchar2(30) default '[word]', [one] number(12) default [number])
create table [table] ("[quoted]" raw(16) check ([two] in ([n],[n])), [one] integer) -- ~owner~ ~one~ ~=select~ ~other~
create table [table] ([one] decimal(10,2) default ([n]), [two] nvarchar2(4000), [three] timestamp(6) with time zone)
alter table [table] add constraint [three] primary key ([alone], [four])
alter table [table] add partition [partition] values less than ([n])
create user [one] identified by [password] default tablespace [two]
create user [two] identified by "[=Values#1]" /* ~=identified~ ~=by~ ~three~ */
insert into [four] values ([n], [n], '[=update]', [number], '[word]')
grant select on [table] to [other]
alter table [table] rename column [one] to [four]
create view [three] as select [n] + [defined] - [quoted] from [table]
grant [granted] to [other]
create view [three] as select [listed], [n] from [table]
alter table [table] exchange partition [three] with table [stage]
create view [three] as select [n], [two] from [owner].[table] where [one] in ([n],[n],'[=in]') or [two] = char([n])
"""
"""Statements: in [] the key of a secret, or ``=`` and the secret itself; in ~~ the same in prose; other words stay."""


class Piece(NamedTuple):
    """A piece of a statement.

    ``kind``: ``keep``, a word of SQL or a size; ``secret``; ``prose``, secret and no name; ``sign``, which may stay.
    """

    text: str
    kind: str


class Place(NamedTuple):
    """A piece in the file: where it begins, its bytes, its kind."""

    at: int
    data: bytes
    kind: str


_SPLIT = re.compile(r"\[([^]]*)]|~([^~]*)~|(\w+)|([^\w[~]+)")
_KINDS = ("secret", "prose", "keep", "sign")


class Statements:
    """Draws the names of a trail, and statements with them.

    Args:
        random: draws.
        order: the byte order.
        are_words: True if most names are words of SQL.
    """

    def __init__(self, random: Random, order: ByteOrder, *, are_words: bool) -> None:
        self.random, self.order = random, order
        drawn = random.sample(WORDS, 12) if are_words else [f"{name}_{random.randint(1, 99)}" for name in WORDS[:12]]
        keys = "owner table column defined quoted other alone partition password listed granted stage"
        self.names = dict(zip(keys.split(), drawn, strict=True))
        self.names |= zip(["one", "two", "three", "four"], random.sample(PLAIN, 4), strict=True)
        self.word = "".join(random.choices("ABCDEFGHJKLMNPQRSTVWXYZ", k=2)) + str(random.randint(10, 99))
        self.number = random.randint(1000, 999_999)

    def text(self, key: str) -> str:
        """What a key stands for; a name in capitals, small letters or both."""
        if key.startswith("="):
            return key[1:]
        if key in self.names:
            return self.random.choice([str.upper, str.lower, str.title])(self.names[key])
        return {"word": self.word, "number": str(self.number)}.get(key) or str(self.random.randint(1, 999))

    def pieces(self) -> list[list[Piece]]:
        """The statements in pieces, in any order."""
        lines = _STATEMENTS.splitlines()
        self.random.shuffle(lines)
        return [
            [
                Piece(self.text(text) if kind in ("secret", "prose") else text, kind)
                for texts in _SPLIT.findall(line)
                for text, kind in zip(texts, _KINDS, strict=True)
                if text
            ]
            for line in lines
        ]

    def record(self, pieces: list[Piece], *, is_escaped: bool) -> tuple[Record, list[tuple[int, Piece]]]:
        """A DDL record, and the offsets of its pieces in its data."""
        names = self.names
        items = {"B3": names["owner"], "B4": names["table"], "C12": names["other"], "B9": names["one"]}
        found = [Piece(",B5='TABLE',,B6='CREATE',", "keep")]
        for item, name in items.items():
            found += [Piece(f",{item}='", "keep"), Piece(name, "secret"), Piece("',", "keep")]
        account = str(self.random.randint(10**8, 10**9 - 1))
        for before, text in ((",", f"D{account}"), ("='", account), ("',,C17('", "ACCOUNTKEY"), ("')='", "GERMAN")):
            found += [Piece(before, "keep"), Piece(text, "secret")]
        found.append(Piece("',,C18_2('1')='',,C1='", "keep"))
        for piece in pieces:
            found.append(piece._replace(text=re.sub(r"[\\',=()]", r"\\\g<0>", piece.text)) if is_escaped else piece)
        found.append(Piece("',", "keep"))
        data, places = "", []
        for piece in found:
            places.append((len(data), piece))
            data += piece.text
        token = make_token("D", b"\0".join([items["B3"].encode(), items["B4"].encode(), b"1", b""]))
        head = header("", self.order, io_type=DDL_OP, partition=COMPRESSED)
        return make_record(head, data.encode(), [token], order=self.order), places

    def rows(self) -> list[Record]:
        """A table whose name and columns are among the names, and a row with the literals of the statements."""
        order = self.order
        columns = (
            column_of(self.text("defined"), "varchar"),
            column_of(self.text("column"), "integer")._replace(scale=0),
        )
        data = build_table(TableDefinition(1, 1, columns), order)
        word = self.word.encode()
        values = order.encode(len(word), 2) + word, self.number.to_bytes(8, "big")
        image = Images(None, tuple(make_column(index, value) for index, value in enumerate(values)))
        head = header(1, order, io_type=INSERT, partition=COMPRESSED | NAME_IS_INDEX, trans_ind=3)
        return [
            metadata_record(2, 1, f"{self.text('owner')}.{self.text('table')}", data, order),
            make_record(head, image, order=order),
        ]


class DrawnStatements(NamedTuple):
    """A trail of statements: its path, the places of all pieces, and what was drawn."""

    path: Path
    places: tuple[Place, ...]
    drawn: Statements


def drawn_statements(folder: Path, seed: int, order: ByteOrder, *, are_words: bool = True) -> DrawnStatements:
    """Write the trail of a seed: of Oracle in one byte order, of MySQL in the other."""
    random = Random(f"statements {seed}")
    drawn = Statements(random, order, are_words=are_words)
    flavour = MYSQL_21 if order is ByteOrder.LITTLE else ORACLE_12
    out = bytearray(make_file_header_record(file_header(flavour)).raw)
    places: list[Place] = []
    rows = drawn.rows()
    if random.random() < 0.5:
        out += b"".join(trail_record.raw for trail_record in rows)
        rows = []
    for pieces in drawn.pieces():
        record, own = drawn.record(pieces, is_escaped=random.random() < 0.5)
        begin = len(out) + record.raw.index(record.data)
        places += [Place(begin + at, piece.text.encode(), piece.kind) for at, piece in own]
        out += record.raw
    out += b"".join(trail_record.raw for trail_record in rows)
    path = folder / "tt000000000"
    path.write_bytes(out)
    return DrawnStatements(path, tuple(places), drawn)
