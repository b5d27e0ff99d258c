"""Token ids and the names that Logdump prints for them, one table per level of the tree.

Ids are those of the transcripts (X-MY, X-KR, X-MYT) and of the real trail; names without a known id are in
``trail-format.md`` and are shown by id until one is seen. RestartOK carries one of those, GROUPNAME: its record has 55
bytes and those of the Extract group's name (two sessions; inferred).
"""

from __future__ import annotations

RECORD_TOKENS = {
    "G": "Record Header",
    "F": "File Header",
    "H": "GHDR",
    "D": "Data",
    "T": "GGS Tokens",
    "U": "User Tokens",
    "Z": "Record Trailer",
}

GGS_TOKENS = {
    "R": "ORAROWID",
    "L": "LOGCSN",
    "6": "TRANID",
    "t": "ORATAG",
    "D": "DDL",
}

ROWID, LOGCSN, TRANID = b"RL6"
"""Ids of GGS tokens that the code reads."""


def token_name(table: dict[str, str], token_id: int) -> str:
    """Return the name of an id, "" for an unknown one."""
    return table.get(chr(token_id), "")
