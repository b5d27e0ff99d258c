"""The GHDR block: a ruler and the fields of the record header in two columns."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.ebcdic import gutter_table
from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from trailformat import Record

RULE = "_" * 67


def _letter(code: int, gutter: str) -> str:
    shown = gutter[code].replace(" ", ".")
    return f"{shown:>5}  (x{code:02x})  "


def _number(value: int, digits: int = 2) -> str:
    return f"{value:>5}  (x{value:0{digits}x})"


def ghdr_lines(record: Record, settings: Settings) -> Iterator[str]:
    """The block for one record, without the blank line after it."""
    header = record.header
    gutter = gutter_table(ebcdic=settings.ebcdic_header)
    time = format_timestamp(header.io_time, settings.time_offset)
    if record.is_metadata:
        ddr, tdr = record.metadata_indexes
        audit = f"DDR/TDR index:   ({ddr:03d}, {tdr:03d})     "
    else:
        audit = f"AuditRBA   : {header.audit_rba:>10}       "
    continued = "Y" if header.continued else "N"
    rows = (
        (f"Hdr-Ind    : {_letter(header.hdr_ind, gutter)}", f"Partition  : {_letter(header.partition, gutter)}"),
        (f"UndoFlag   : {_letter(header.undo_flag, gutter)}", f"BeforeAfter: {_letter(header.before_after, gutter)}"),
        (f"RecLength  : {_number(header.record_length, 4)}", f"IO Time    : {time}"),
        (f"IOType     : {_number(header.io_type)}", f"OrigNode   : {_number(header.orig_node)}"),
        (f"TransInd   : {_letter(header.trans_ind, gutter)}", f"FormatType : {_letter(header.format_type, gutter)}"),
        (f"SyskeyLen  : {_number(header.syskey_len)}", f"Incomplete : {_letter(header.incomplete, gutter)}"),
        (audit, f"AuditPos   : {header.audit_pos}"),
        (f"Continued  : {continued:>5}  (x{header.continued:02x})", f"RecCount   : {_number(header.rec_count)}"),
    )
    yield RULE
    for left, right in rows:
        yield f"{left:<30}{right}".rstrip()
