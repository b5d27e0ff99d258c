"""A drawn trail with a secret in every place that can hold one, and copies of it by several keys."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any, NamedTuple

from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from fixtures.headers import file_header
from tests.logdump.program import logdump
from tests.searching import Random
from tests.trailformat.samples import column, header, metadata_record, row
from trailformat import ByteOrder, ColumnDefinition, Images, Record, TableDefinition, make_column, make_record
from trailformat.codec.charsets import BY_NAME
from trailformat.codec.tokens import Token, build_tokens, make_token
from trailformat.definitions.metadata import DatabaseDefinition, build_database, build_table
from trailformat.records.columns import NULL, Column, PieceHeader, build_columns, build_piece
from trailformat.records.ddl import build_ddl
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record import build_record, build_user_tokens, make_file_header_record
from trailformat.records.record_header import (
    COMMENT,
    COMPRESSED,
    DDL_OP,
    DELETE,
    INSERT,
    LARGE_OBJECT,
    NAME_IS_INDEX,
    PK_UPDATE,
    RECORD_FRAGMENT,
    UNIFIED_UPDATE,
)
from trailformat.values import CHAR, DATETIME, VARCHAR

KEYS = 5
"""Copies that are made: by chance a place is the same in one of them, in all of them what was not replaced."""
_ALPHABETS = (
    string.ascii_letters,
    string.ascii_letters + string.digits,
    string.ascii_letters + "!%&()*+,-./:;<=>?@[]^`{|}~",
    string.ascii_letters + "éßñøλж日本語",
)
_NAMES = string.ascii_uppercase + string.digits
UNKNOWN_TYPE, UNKNOWN_INT = 77, 3000


class Drawn(NamedTuple):
    """A trail, and the secrets in it, in the bytes of the file."""

    path: Path
    secrets: tuple[bytes, ...]


class Secrets:
    """Draws secrets, and keeps them."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.drawn: list[bytes] = []

    def text(self, least: int = 4, most: int = 60) -> bytes:
        """A text that no word list has: letters at its ends, of one of several alphabets."""
        random = self.random
        alphabet = random.choice(_ALPHABETS)
        inner = "".join(random.choices(alphabet, k=random.randint(least - 2, most)))
        return self.kept(f"{random.choice(string.ascii_letters)}{inner}{random.choice(string.ascii_letters)}".encode())

    def name(self) -> str:
        """A name of 9 to 20 letters and digits: longer than the words that DDL keeps."""
        name = "Q" + "".join(self.random.choices(_NAMES, k=self.random.randint(8, 19)))
        return self.kept(name.encode()).decode()

    def number(self, digits: int) -> str:
        """A number of so many digits."""
        return str(self.random.randint(10 ** (digits - 1), 10**digits - 1))

    def kept(self, secret: bytes) -> bytes:
        """Keep a secret."""
        self.drawn.append(secret)
        return secret


def column_of(name: str, kind: str) -> ColumnDefinition:
    """A column of a kind: ``varchar``, ``char``, ``number`` as text, ``integer``, ``date`` or ``raw``."""
    plain = column(name, data_type=VARCHAR, scale=0, sub_data_type=0, internal_length=400, external_length=400)
    changed: dict[str, dict[str, Any]] = {
        "varchar": {},
        "char": {"data_type": CHAR, "internal_length": 80, "external_length": 80},
        "number": {"sub_data_type": 2},
        "integer": {"data_type": 134, "internal_length": 8, "scale": 2},
        "date": {"data_type": DATETIME, "internal_length": 26, "least_significant": 6},
        "raw": {"sub_data_type": 4},
        "unknown": {"data_type": UNKNOWN_INT},
    }
    return plain._replace(**changed[kind])


KINDS = ("varchar", "char", "number", "integer", "date", "raw", "unknown")


class Writer:
    """Writes one drawn trail.

    Args:
        random: draws.
        order: the byte order of its records.
    """

    def __init__(self, random: Random, order: ByteOrder) -> None:
        self.random, self.order, self.secrets = random, order, Secrets(random)
        self.csn = random.randint(10**9, 10**10 - 10**6)

    def value(self, kind: str) -> bytes:
        """The stored bytes of a secret value of a kind."""
        random, secrets = self.random, self.secrets
        if kind in ("varchar", "char"):
            text = secrets.text(most=30)
            return self.order.encode(len(text), 2) + text if kind == "varchar" else text
        if kind == "number":
            text = secrets.number(random.randint(6, 20)).encode() + random.choice([b"", b".73951"])
            return self.order.encode(len(text), 2) + text
        if kind == "integer":
            return int(secrets.number(random.randint(6, 18))).to_bytes(8, "big")
        if kind == "date":
            day = f"{random.randint(1950, 2050)}-{random.randint(1, 12):02d}-{random.randint(1, 28):02d}"
            return f"{day}:{random.randint(10, 23)}:{random.randint(10, 59)}:{random.randint(10, 59)}.584736".encode()
        if kind == "raw":
            data = random.randbytes(16)
            return self.order.encode(len(data), 2) + data
        return random.choice([secrets.text(), secrets.text() + b"\0\0\0", random.randbytes(12)])

    def image(self, kinds: tuple[str, ...]) -> tuple[Column, ...]:
        """Columns with secrets; one has a secret behind the indicator of NULL, or no indicator."""
        random = self.random
        columns = [make_column(index, self.value(kind)) for index, kind in enumerate(kinds)]
        columns.append(Column(len(kinds), random.choice([NULL, b""]) + self.secrets.text()))
        return tuple(columns)

    def tokens(self) -> list[Token]:
        """The GGS tokens of the first record of a transaction, an unknown one among them."""
        self.csn += self.random.randint(1, 5)
        xid = f"{self.random.randint(10, 99)}.{self.random.randint(10, 99)}.{self.secrets.number(7)}"
        rowid = "".join(self.random.choices(string.ascii_letters, k=18)).encode()
        return [
            make_token("R", self.secrets.kept(rowid) + b"\0\1"),
            make_token("L", str(self.csn).encode()),
            make_token("6", xid.encode()),
            make_token("t", self.secrets.text()),
            make_token("q", self.secrets.text()),
        ]

    def user_tokens(self) -> bytes:
        """User tokens with secrets in names and values."""
        return build_user_tokens([(self.secrets.name().encode(), self.secrets.text()) for _ in range(2)])

    def table(self, index: int, kinds: tuple[str, ...]) -> Record:
        """The definition of a table with these columns, and one more."""
        names = [self.secrets.name() for _ in (*kinds, "varchar")]
        columns = tuple(column_of(name, kind) for name, kind in zip(names, (*kinds, "varchar"), strict=True))
        data = build_table(TableDefinition(1, 1, columns), self.order)
        return metadata_record(2, index, f"{self.secrets.name()}.{self.secrets.name()}", data, self.order)

    def ddl(self) -> Record:
        """A DDL record: names, literals and a comment are secret."""
        owner, table, word = self.secrets.name(), self.secrets.name(), self.secrets.name()
        named = f'create table {owner}."{table}" ({self.secrets.name()} varchar2(40)'
        address = self.secrets.kept(".".join(str(self.random.randint(100, 255)) for _ in range(4)).encode()).decode()
        short = self.secrets.kept(f"{self.random.randint(100, 999)}x".encode()).decode()
        statement = f"{named} default '{word}!{word} {address}') /* {word} {short} */"
        items = [
            ("B3", owner),
            ("B4", table),
            ("B5", "TABLE"),
            ("B6", "CREATE"),
            ("C5", self.secrets.number(8)),
            ("C1", statement),
        ]
        token = b"\0".join([owner.encode(), table.encode(), b"1", b"1", b""])
        tokens = [make_token("D", token), *self.tokens()]
        return make_record(
            header("", self.order, io_type=DDL_OP, partition=COMPRESSED), build_ddl(items), tokens, order=self.order
        )

    def rows(self, index: int, kinds: tuple[str, ...]) -> list[Record]:
        """Rows of every shape: single, paired, in fragments, by a name, of a table without a definition."""
        order, random = self.order, self.random
        name = f"{self.secrets.name()}.{self.secrets.name()}"
        partition = COMPRESSED | NAME_IS_INDEX
        insert = header(index, order, io_type=INSERT, partition=partition, trans_ind=3)
        after = Images(None, self.image(kinds))
        pair = Images(self.image(kinds), self.image(kinds), 4)
        short_pair = Images(self.image(kinds), self.image(kinds), 2)
        delete = insert._replace(io_type=DELETE, before_after=ord("B"))
        by_name = header(name, order, io_type=INSERT, trans_ind=3)
        padded = by_name._replace(name_field=by_name.name_field + self.secrets.text())
        data = build_columns(self.image(kinds), order)
        cut = random.randrange(1, len(data))
        tail = header("", order, io_type=RECORD_FRAGMENT, trans_ind=3)
        return [
            make_record(insert, after, self.tokens(), self.user_tokens(), order),
            make_record(delete, Images(self.image(kinds), None), self.tokens(), order=order),
            make_record(insert._replace(io_type=UNIFIED_UPDATE), pair, self.tokens(), order=order),
            make_record(insert._replace(io_type=PK_UPDATE), short_pair, self.tokens(), order=order),
            make_record(padded, after, self.tokens(), order=order),
            make_record(insert._replace(continued=1), data[:cut], self.tokens(), order=order),
            make_record(tail, data[cut:], order=order),
        ]

    def odd(self) -> list[Record]:
        """Records that nobody understands: unknown types and tokens, data that cannot be split, broken tokens."""
        order, secrets = self.order, self.secrets
        row_header = header(1, order, io_type=INSERT, partition=COMPRESSED | NAME_IS_INDEX)
        piece = PieceHeader(3, 1, 1, 0, len(text := secrets.text(most=200)))
        lob = header("", order, io_type=LARGE_OBJECT, rec_count=1)
        plain = row(b"leaf", 1, order)
        unknown = [*plain.tokens, make_token("Y", secrets.text())]
        broken = [*plain.tokens, make_token("T", secrets.text()), make_token("U", secrets.text())]
        return [
            make_record(header("", order, io_type=UNKNOWN_TYPE), secrets.text(), order=order),
            make_record(header("", order, io_type=COMMENT), secrets.text(), order=order),
            make_record(lob, build_piece(piece, text, order), order=order),
            make_record(lob, secrets.text(), order=order),
            make_record(row_header, build_columns(self.image(("varchar",)), order) + secrets.text(), order=order),
            make_record(row_header, secrets.text(), order=order),
            make_record(row_header._replace(io_type=UNIFIED_UPDATE), secrets.text(), order=order),
            make_record(row_header._replace(partition=NAME_IS_INDEX), secrets.text(), order=order),
            make_record(header("", order, io_type=RECORD_FRAGMENT), secrets.text(), order=order),
            metadata_record(2, 9, secrets.name(), secrets.text(), order),
            Record(build_record(1, build_tokens(unknown, order), order), order=order),
            Record(build_record(1, build_tokens(broken, order), order), order=order),
        ]

    def head(self, flavour: Flavour) -> Record:
        """A file header with secrets in its texts and in a token and a group without a name."""
        secrets = self.secrets
        named = {"Nodename": secrets.name(), "Release": secrets.name(), "Version": secrets.name(), "Sysname": "Linux"}
        made = replace_values(file_header(flavour), "MachineInfo", {**named})
        account = secrets.kept(secrets.number(8).encode()).decode()
        texts: dict[str, Value] = {"Name": secrets.name(), "Instance": secrets.name(), "DbObjMetadata": secrets.text()}
        version: dict[str, Value] = {
            "VerString": f"12.2.0.1 for {account}, {secrets.name()}",
            "ClientVerString": secrets.name(),
        }
        made = replace_values(made, "DatabaseInfo", {**texts, **version, "DbTimeZone": f"Europe/{secrets.name()}"})
        name = self.random.choice(["tt000000000", secrets.kept(secrets.number(9).encode()).decode()])
        uri = f"uri:{secrets.name()}:{secrets.name()}"
        csns = {"FirstCSN": str(self.csn), "LOGBSN": str(self.csn)}
        made = replace_values(
            made, "TrailInfo", {"URI": uri, "FileName": f"/{secrets.name()}/{name}", "Seqno": 0, **csns}
        )
        return make_file_header_record(replace_values(made, "ProducerInfo", {"Name": secrets.name()}))

    def garbage(self) -> bytes:
        """Bytes that are no record, some with a beginning like one."""
        begun = b"G\1" + self.order.encode(5000, 2) + b"H\0" + self.order.encode(40, 2) + b"E"
        return self.random.choice([b"", begun]) + b"\0".join(self.secrets.text() for _ in range(3))


def drawn_trail(folder: Path, seed: int, order: ByteOrder, *, has_damage: bool = True) -> Drawn:
    """Write the drawn trail of a seed."""
    random = Random(f"secrets {seed}")
    writer = Writer(random, order)
    kinds = [tuple(random.choices(KINDS, k=random.randint(3, 6))) for _ in range(2)]
    charset = BY_NAME[random.choice(["UTF-8", "UTF-8", "ISO-8859-1", "UTF-16"])]
    database = DatabaseDefinition(1, charset, charset, 0, "GMT", b"\x14", writer.secrets.name())
    records: list[Record | bytes] = [writer.head(MYSQL_21 if order is ByteOrder.LITTLE else ORACLE_12)]
    records.append(metadata_record(1, 0, database.name, build_database(database, order), order))
    for index, some in enumerate(kinds, 1):
        records += [writer.table(index, some), *writer.rows(index, some)]
    records.append(writer.ddl())
    records += writer.odd()
    if has_damage:
        for _ in range(2):
            records.insert(random.randrange(len(records) // 2, len(records)), writer.garbage())
    records.append(row(writer.secrets.text(), 1, order))
    data = b"".join(record if isinstance(record, bytes) else record.raw for record in records)
    if has_damage and random.random() < 0.5:
        data = data[: -random.randint(1, 12)]
    path = folder / "tt000000000"
    path.write_bytes(data)
    return Drawn(path, tuple(writer.secrets.drawn))


def copies_of(path: Path, folder: Path, number: int = KEYS) -> list[bytes]:
    """The bytes of some redacted copies of a file, each by a key of its own."""
    found = []
    for turn in range(number):
        target = folder / f"copy{turn}"
        target.mkdir()
        answer = logdump("redact", str(path), "-o", str(target))
        assert answer.status in (0, 3), answer
        found.append((target / path.name).read_bytes())
    return found
