"""DDL records (IOType 160): a text of pairs.

    ,C5='000…10444',,B7='',,B2='0',,B3='test',,B4='ogg_test',,B5='TABLE',,B6='CREATE',,B8='GG…

B2 sequence, B3 owner, B4 object, B5 object type, B6 operation, B8 the DDL user's table, C5 CSN, C1 the statement, which
comes last and may stand without quotes. A quote inside a value is doubled. (MySQL 21c transcript.)
"""

from __future__ import annotations

import re

from trailformat import layout

DDL_NAMES = {
    "B2": "sequence",
    "B3": "owner",
    "B4": "object",
    "B5": "object_type",
    "B6": "operation",
    "B8": "ddl_table",
    "C1": "statement",
    "C5": "csn",
}
"""What the ids mean, as far as it is known."""

_PAIR = re.compile(r",?([A-Z]\d+)='((?:[^']|'')*)'(?=,|\Z)", re.DOTALL)
_BARE = re.compile(r",?([A-Z]\d+)=(.*)\Z", re.DOTALL)


def parse_ddl(data: bytes) -> list[tuple[str, str]]:
    """The pairs in order; what cannot be read as a pair comes last, under an empty id."""
    text = data.decode("utf-8", "backslashreplace").rstrip("\0")
    pairs = []
    position = 0
    while position < len(text):
        if found := _PAIR.match(text, position):
            pairs.append((found[1], found[2].replace("''", "'")))
            position = found.end() + (text[found.end() : found.end() + 1] == ",")
        elif found := _BARE.match(text, position):
            pairs.append((found[1], found[2]))
            break
        else:
            pairs.append(("", text[position:]))
            break
    return pairs


_COMMENT = re.compile(r"""('(?:[^']|'')*'|"[^"]*")|/\*(?:.*?\*/|.*)|--[^\n]*""", re.DOTALL)


def split_comments(statement: str) -> tuple[str, list[str]]:
    """The statement without its comments, and the comments as they stand; text in quotes holds none.

    A comment in the middle leaves a blank; the statement loses the blanks around it. One that is not closed reaches to
    the end.
    """
    comments = [found[0] for found in _COMMENT.finditer(statement) if not found[1]]
    return _COMMENT.sub(lambda found: found[1] or " ", statement).strip(), comments


def build_ddl(pairs: list[tuple[str, str]]) -> bytes:
    """The text of pairs, each quoted."""
    text = "".join(",{}='{}',".format(key, value.replace("'", "''")) for key, value in pairs)
    return layout.encode_text(text, "DDL")
