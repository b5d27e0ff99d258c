"""Hostile statements that our reader takes for one: drawn of all that opens and closes something in some client."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from logdump.display.sql import Unwritable
from logdump.display.sql.client_text import client_of, one_statement
from tests.searching import Random

CANARY = "CANARY"
"""The file that a client makes when it takes a part of a statement for a command of its own."""
_OPENINGS = (
    "CREATE TABLE d{} (x int) ",
    "CREATE TABLE d{} (x int DEFAULT 1",
    "CREATE TABLE d{} (x varchar(9) DEFAULT ",
    "CREATE VIEW d{} AS SELECT 1",
    "COMMENT ON TABLE d{} IS ",
    "ALTER TABLE d{} ADD ",
    "-- made by hand\nCREATE TABLE d{} (x int) ",
    "/* made by hand */ CREATE TABLE d{} (x int) ",
)
_QUOTES = (
    "'",
    '"',
    "`",
    "$$",
    "$a$",
    "$",
    "[",
    "]",
    "''",
    '""',
    "'a'",
    '"a"',
    "E'",
    "e'",
    "q'[",
    "]'",
    "nq'{",
    "U&'",
    "n'",
)
_COMMENTS = (
    "/*",
    "*/",
    "/",
    "*",
    "/**/",
    "/* a */",
    "--",
    "-- ",
    "-",
    "#",
    "/*!",
    "/*M!",
    "/*+",
    "//",
    "\n",
    "--\n",
    "#\n",
)
_JOINED = (
    "1",
    "1e",
    "1e5",
    ".",
    "0x",
    "1_",
    "e",
    "E",
    "q",
    "é",
    "²",
    "€",
    "a",
    "_",
    "1e-",
    "+",
    "@",
    "!",
    "=",
    "|",
    "~",
)
_ESCAPES = ("\\", "\\\\", "\\'", '\\"', ":", "::", ":'", ':"', ":{", "?", "&", "%", "^", "<", ">")
_REST = (
    " ",
    "  ",
    "\t",
    ",",
    "(",
    ")",
    ";",
    ";\n",
    "x int",
    "BEGIN",
    "END",
    "CASE",
    "TRIGGER",
    "\ndelimiter //\n",
    "\n/\n",
)
_COMMANDS = (
    *(f"\\! touch {CANARY} #", f"\nsystem touch {CANARY}\n", f"\n.shell touch {CANARY}\n", f"\\g | touch {CANARY}\n"),
    *("\nDROP TABLE canary;", "; DROP TABLE canary; --", "\ngo\n", f"\n!touch {CANARY}\n", f":HOST touch {CANARY}"),
)
_PIECES = (_QUOTES, _COMMENTS, _JOINED, _ESCAPES, _REST, _COMMANDS)
_CLOSINGS = ("", "'", '"', "`", "*/", ")", "')", '")', "*/)", "' */", '" */', "\n", "\n)", "'#')", "' */ */)")
_HOSTILE = 0.6


def is_printed(text: str, dialect: str) -> bool:
    """Whether REDO prints the statement."""
    try:
        one_statement(text, client_of(dialect))
    except Unwritable:
        return False
    return True


def drawn_texts(random: Random) -> Iterator[str]:
    """Statements without end; few of them are one statement to anybody."""
    number = 0
    while True:
        pieces = [random.choice(random.choice(_PIECES)) for _ in range(random.randint(1, 8))]
        if random.random() < _HOSTILE:
            pieces.insert(random.randint(0, len(pieces)), random.choice(_COMMANDS))
        opening = random.choice(_OPENINGS).format(number)
        yield opening + random.choice(("", " ")).join(pieces) + random.choice(_CLOSINGS)
        number += 1


@cache
def printed_texts(seed: int, dialect: str, count: int) -> list[str]:
    """The first of them that REDO prints."""
    random = Random(seed)
    found: list[str] = []
    for text in drawn_texts(random):
        if not is_printed(text, dialect):
            continue
        found.append(text)
        if len(found) == count:
            break
    return found
