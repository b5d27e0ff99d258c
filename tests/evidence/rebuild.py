"""From what a transcript prints back to the bytes of the record."""

from __future__ import annotations

import re

from tests.evidence.transcript import TOKEN_LINE, Block
from trailformat import ByteOrder, ColumnDefinition, DatabaseDefinition, Record, RecordHeader, TableDefinition, Token
from trailformat.codec.tokens import build_tokens, make_token, parse_tokens
from trailformat.definitions.metadata import build_database, build_table
from trailformat.records.record import build_record, make_record
from trailformat.records.record_header import HEADER_SIZE, parse_header

UTF_8, UTF_16BE = 0, 2
"""Their numbers in GoldenGate's ucharset.h."""
ROW = re.compile(r"(\S+)((?: +-?\d+){23})$")


def from_tokens(block: Block, order: ByteOrder) -> Record:
    """A record shown with every switch at DETAIL or DATA; its name is put where the dump has zeros."""
    header = block.dump_after_line(r"TokenID x48")
    header = header[:HEADER_SIZE] + _name_field(block, order, len(header) - HEADER_SIZE)
    tokens = [make_token("H", header)]
    if data := _data(block, order):
        tokens.append(make_token("D", data))
    if gg_tokens := _gg_tokens(block):
        tokens.append(make_token("T", build_tokens(gg_tokens, order)))
    raw = build_record(0x01, build_tokens(tokens, order), order)
    return Record(raw, rba=block.rba, order=order)


def _name_field(block: Block, order: ByteOrder, size: int) -> bytes:
    for line in block.lines:
        if found := re.search(r"\(TDR Index: (\d+)\)", line):
            return order.encode(int(found[1]), size)
        if found := re.match(r"Table Name: (\S+)", line):
            return found[1].encode() + b"\0"
    return bytes(size)


def _data(block: Block, order: ByteOrder) -> bytes:
    if block.index("*") < len(block.lines):
        return _definition(block, order)
    image = next((at for at, line in enumerate(block.lines) if "Partition x" in line and "Image" in line), None)
    shown = block.dump_after(image) if image is not None else b""
    return shown + bytes(block.length - len(shown))


def _gg_tokens(block: Block) -> list[Token]:
    return [
        Token(int(found[1], 16), int(found[2], 16), block.dump_after(at))
        for at in range(block.index("GGS tokens:") + 1, len(block.lines))
        if (found := TOKEN_LINE.match(block.lines[at]))
    ]


def _definition(block: Block, order: ByteOrder) -> bytes:
    if block.matching(r"(Database|Table) Name:")[1] == "Database":
        return build_database(_database(block), order)
    columns = tuple(_column(found) for line in block.lines if (found := ROW.match(line)))
    version = int(block.matching(r"TDR version: (\d+)")[1])
    keys = sum(column.is_key for column in columns)
    return build_table(TableDefinition(version, keys, columns), order)


def _database(block: Block) -> DatabaseDefinition:
    cases = bytes.fromhex(block.matching(r"Case sensitivity: (.*)")[1])
    zone = block.matching(r"TimeZone: (.*)")[1]
    return DatabaseDefinition(int(block.matching(r"DDR Version: (\d+)")[1]), UTF_8, UTF_16BE, 0, zone, cases, "")


def _column(row: re.Match[str]) -> ColumnDefinition:
    number = [int(word) for word in row[2].split()]
    flags = 0x01 * number[16] | 0x02 * number[5] | 0x20 * number[14]
    return ColumnDefinition(
        name=row[1],
        data_type=number[0],
        internal_length=number[7],
        external_length=number[1],
        binary_length=number[8],
        table_length=number[9],
        character_length=number[20],
        fetch_offset=number[2],
        charset=number[19],
        native_type=number[18],
        sub_data_type=number[17],
        most_significant=number[10],
        least_significant=number[11],
        scale=number[3],
        reserved=0,
        flags=flags,
        tail=None,
    )


def header_of(block: Block, io_time: int, name: str) -> RecordHeader:
    """The record header from the fields of a GHDR block."""

    def code(label: str) -> int:
        return next(
            int(found[1], 16)
            for line in block.lines
            if (found := re.search(rf"{label} *: +\S+ +\(x([0-9a-f]+)\)", line))
        )

    def decimal(label: str) -> int:
        return next(int(found[1]) for line in block.lines if (found := re.search(rf"{label} *: +(\d+)", line)))

    fixed = parse_header(bytes(HEADER_SIZE), ByteOrder.BIG)
    return fixed._replace(
        hdr_ind=code("Hdr-Ind"),
        partition=code("Partition"),
        undo_flag=code("UndoFlag"),
        before_after=code("BeforeAfter"),
        io_type=code("IOType"),
        orig_node=code("OrigNode"),
        trans_ind=code("TransInd"),
        format_type=code("FormatType"),
        syskey_len=code("SyskeyLen"),
        incomplete=code("Incomplete"),
        continued=code("Continued"),
        rec_count=code("RecCount"),
        audit_rba=decimal("AuditRBA"),
        audit_pos=decimal("AuditPos"),
        io_time=io_time,
        name_field=name.encode() + b"\0",
    )


def with_raw_tokens(header: RecordHeader, data: bytes, tokens: bytes, rba: int, order: ByteOrder) -> Record:
    """A record from its parts at ``rba``, its GGS tokens given as bytes."""
    record = make_record(header, data, list(parse_tokens(tokens, order)), order=order)
    record.rba = rba
    return record


def completed_file_header(shown: bytes, length: int) -> Record:
    """A file header that begins with the bytes a transcript shows and has its length; tokens fill the rest."""
    group_size = int.from_bytes(shown[2:4], "big")
    inside = _filled(shown[4:], group_size)
    rest = length - 4 - group_size
    body = shown[:4] + inside + build_tokens([Token(0x7E, 0, bytes(rest - 4))], ByteOrder.BIG)
    return Record(build_record(0, body, ByteOrder.BIG, kind="F"))


def _filled(shown: bytes, size: int) -> bytes:
    """``shown`` is cut inside a token: complete that one with zeros, then fill up to ``size`` with an unknown token."""
    at = 0
    while at + 4 <= len(shown):
        at += 4 + int.from_bytes(shown[at + 2 : at + 4], "big")
    shown = shown.ljust(at if at >= len(shown) else at + 4, b"\0")
    return shown + build_tokens([Token(0x7F, 0, bytes(size - len(shown) - 4))], ByteOrder.BIG)
