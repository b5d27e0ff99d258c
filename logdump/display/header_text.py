"""The GHDR block: a ruler and the fields of the record header in two columns."""

from __future__ import annotations

from functools import lru_cache, partial
from operator import attrgetter

from logdump.notation.ebcdic import gutter_table
from logdump.notation.escape import Harmless, escape
from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from trailformat import Record

RULE = escape("_" * 67)


def _letter(code: int, gutter: str) -> str:
    shown = gutter[code].replace(" ", ".")
    return f"{shown:>5}  (x{code:02x})  "


def _number(value: int, digits: int = 2) -> str:
    return f"{value:>5}  (x{value:0{digits}x})"


def ghdr_lines(record: Record, settings: Settings) -> list[Harmless]:
    """The block for one record, without the blank line after it."""
    header = record.header
    time = format_timestamp(header.io_time, settings.time_offset)
    if record.is_metadata:
        ddr, tdr = record.metadata_indexes
        audit = f"DDR/TDR index:   ({ddr:03d}, {tdr:03d})     "
    else:
        audit = f"AuditRBA   : {header.audit_rba:>10}       "
    hdr_ind, undo_flag, io_type, trans_ind, syskey_len, continued = _rows_alike(
        *_FIELDS_ALIKE(header), gutter_table(ebcdic=settings.ebcdic_header)
    )
    return [
        RULE,
        hdr_ind,
        undo_flag,
        _row(f"RecLength  : {_number(header.record_length, 4)}", f"IO Time    : {time}"),
        io_type,
        trans_ind,
        syskey_len,
        _row(audit, f"AuditPos   : {header.audit_pos}"),
        continued,
    ]


_FIELDS_ALIKE = attrgetter(
    *("hdr_ind", "partition", "undo_flag", "before_after", "io_type", "orig_node", "trans_ind", "format_type"),
    *("syskey_len", "incomplete", "continued", "rec_count"),
)
"""The fields of a header that are alike in many records."""


@lru_cache(maxsize=1024)
def _rows_alike(
    hdr_ind: int,
    partition: int,
    undo_flag: int,
    before_after: int,
    io_type: int,
    orig_node: int,
    trans_ind: int,
    format_type: int,
    syskey_len: int,
    incomplete: int,
    continued: int,
    rec_count: int,
    gutter: str,
) -> tuple[Harmless, ...]:
    """The rows that show nothing but these fields."""
    letter = partial(_letter, gutter=gutter)
    goes_on = "Y" if continued else "N"
    rows = (
        (f"Hdr-Ind    : {letter(hdr_ind)}", f"Partition  : {letter(partition)}"),
        (f"UndoFlag   : {letter(undo_flag)}", f"BeforeAfter: {letter(before_after)}"),
        (f"IOType     : {_number(io_type)}", f"OrigNode   : {_number(orig_node)}"),
        (f"TransInd   : {letter(trans_ind)}", f"FormatType : {letter(format_type)}"),
        (f"SyskeyLen  : {_number(syskey_len)}", f"Incomplete : {letter(incomplete)}"),
        (f"Continued  : {goes_on:>5}  (x{continued:02x})", f"RecCount   : {_number(rec_count)}"),
    )
    return tuple(_row(*row) for row in rows)


def _row(left: str, right: str) -> Harmless:
    return escape(f"{left:<30}{right}".rstrip())
