"""Reader of the head of a DDL statement, word by word, without a grammar.

Base and derived object are Oracle's words: of an index, trigger or synonym the table is the base; of a RENAME the new
name is the base and the old one is derived. What is not found stays None, and no statement is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from logdump.notation.sql_tokens import SqlToken, SqlTokenizer, SqlTokenKind, meaningful

_MOST_TOKENS = 10_000
_MOST_MODIFIERS = 16
_LONG_TYPES = (
    "MATERIALIZED VIEW LOG",
    "SNAPSHOT LOG",
    "PUBLIC DATABASE LINK",
    "MATERIALIZED VIEW",
    "DATABASE LINK",
    "PACKAGE BODY",
    "TYPE BODY",
    "PUBLIC SYNONYM",
    "FOREIGN TABLE",
)
_SHORT_TYPES = (
    "SNAPSHOT TABLE INDEX TRIGGER SEQUENCE VIEW FUNCTION PACKAGE PROCEDURE SYNONYM TYPE CLUSTER USER ROLE DATABASE "
    "SCHEMA TABLESPACE PROFILE DIRECTORY EVENT DOMAIN EXTENSION OPERATOR CONTEXT LIBRARY"
)
_TYPES = tuple(tuple(one.split()) for one in (*_LONG_TYPES, *_SHORT_TYPES.split()))
"""The types of objects, longer ones first."""
_OF_A_TABLE = frozenset({"INDEX", "TRIGGER", "SYNONYM", "PUBLIC SYNONYM"})
_BEFORE_A_NAME = frozenset({"IF", "NOT", "EXISTS", "CONCURRENTLY", "ONLY"})
_BEHIND_ON = frozenset({"ONLY", "TABLE", "CLUSTER"})
_OF_ALL = frozenset({"SCHEMA", "DATABASE"})
OLD_NAMES = {"SNAPSHOT": "MATERIALIZED VIEW", "SNAPSHOT LOG": "MATERIALIZED VIEW LOG"}
"""What Oracle's dictionary calls some types."""


class WrittenName(NamedTuple):
    """A name of one to three parts in the text of a statement, and its database link."""

    tokens: tuple[SqlToken, ...]
    link: str = ""

    @property
    def begin(self) -> int:
        """Offset of the name in the text."""
        return self.tokens[0].begin

    @property
    def end(self) -> int:
        """Offset after the name in the text."""
        return self.tokens[-1].end

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the name, unquoted."""
        return tuple(one.plain for one in self.tokens)

    @property
    def is_qualified(self) -> bool:
        """True if the name has a schema."""
        return len(self.tokens) > 1


class StatementHead(NamedTuple):
    """Operation, type and names of a statement.

    ``main`` is the name after the type, ``has_more`` True if others follow.
    """

    operation: str = ""
    object_type: str = ""
    base: WrittenName | None = None
    derived: WrittenName | None = None
    main: WrittenName | None = None
    is_rename: bool = False
    has_more: bool = False


class _Head:
    """A cursor over the tokens of a statement's head."""

    def __init__(self, text: str, sql: SqlTokenizer) -> None:
        self.tokens = list(meaningful(islice(sql.tokens_of(text), _MOST_TOKENS)))
        self.at = 0

    def word(self, ahead: int = 0) -> str:
        """Return a word from here on in capitals; empty if the token there is not a word."""
        at = self.at + ahead
        return (
            self.tokens[at].text.upper() if at < len(self.tokens) and self.tokens[at].kind is SqlTokenKind.WORD else ""
        )

    def mark(self) -> str:
        """Return the punctuation at the cursor, empty if there is none."""
        found = self.tokens[self.at] if self.at < len(self.tokens) else None
        return found.text if found is not None and found.kind is SqlTokenKind.PUNCTUATION else ""

    def skip(self, words: frozenset[str]) -> None:
        """Skip any of these words."""
        while self.word() in words:
            self.at += 1

    def type(self, most: int = 1) -> str:
        """Read the type of an object, after up to ``most - 1`` other words; without one, return "" and read nothing."""
        for ahead in range(most):
            for words in _TYPES:
                if all(self.word(ahead + number) == word for number, word in enumerate(words)):
                    self.at += ahead + len(words)
                    return OLD_NAMES.get(" ".join(words), " ".join(words))
        return ""

    def name(self, most: int = 3) -> WrittenName | None:
        """Read the name at the cursor, of at most ``most`` parts; None if there is none."""
        found = list[SqlToken]()
        while self.at < len(self.tokens) and self.tokens[self.at].kind in (SqlTokenKind.WORD, SqlTokenKind.NAME):
            found.append(self.tokens[self.at])
            self.at += 1
            if len(found) == most or self.mark() != ".":
                break
            self.at += 1
        return WrittenName(tuple(found)) if found else None

    def link(self) -> str:
        """Read the database link after a name, with domain and qualifier; empty if there is none."""
        begin = self.at
        while self.mark() == "@" or (self.mark() == "." and self.at > begin):
            self.at += 2
        return "".join(one.plain for one in self.tokens[begin + 1 : self.at])

    def skip_past(self, word: str) -> bool:
        """Move past the next occurrence of a word outside of parentheses; return False if there is none."""
        depth = 0
        while self.at < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self.mark(), 0)
            found = depth == 0 and self.word() == word
            self.at += 1
            if found:
                return True
        return False


def read_statement(text: str, sql: SqlTokenizer) -> StatementHead:
    """Return the operation of a statement, the type of its object, and the names in it with their places."""
    head = _Head(text, sql)
    operation = head.word()
    head.at = 1
    return _READERS.get(operation, _other)(head, operation)


def _other(head: _Head, operation: str) -> StatementHead:
    return StatementHead(operation, head.type(_MOST_MODIFIERS))


def _object(head: _Head, operation: str) -> StatementHead:
    """Read CREATE, ALTER and DROP."""
    object_type = head.type(_MOST_MODIFIERS)
    if not object_type:
        return StatementHead(operation, head.word())
    if object_type == "MATERIALIZED VIEW LOG":
        head.skip(frozenset({"ON"}))
    head.skip(_BEFORE_A_NAME)
    main = None if head.word() == "ON" else head.name()
    if object_type in _OF_A_TABLE and operation != "ALTER":
        return _of_a_table(head, operation, object_type, main)
    has_more = operation == "DROP" and head.mark() == ","
    new = _new_name(head) if operation == "ALTER" else None
    if new is not None:
        return StatementHead(operation, object_type, new, main, main, is_rename=True)
    return StatementHead(operation, object_type, main, None, main, has_more=has_more)


def _of_a_table(head: _Head, operation: str, object_type: str, main: WrittenName | None) -> StatementHead:
    """Read an index, trigger or synonym, and its table."""
    if not head.skip_past("FOR" if "SYNONYM" in object_type else "ON"):
        return StatementHead(operation, object_type, None, main, main)
    head.skip(_BEHIND_ON)
    if object_type == "TRIGGER" and head.word() in _OF_ALL:
        return StatementHead(operation, object_type, main, None, main)
    table = head.name()
    if table is not None and "SYNONYM" in object_type:
        table = table._replace(link=head.link())
    return StatementHead(operation, object_type, table, main, main)


def _new_name(head: _Head) -> WrittenName | None:
    """Return the name that ALTER … RENAME gives to the object itself; MySQL may omit TO."""
    while head.skip_past("RENAME"):
        if head.word() in ("TO", "AS"):
            head.at += 1
            return head.name()
        begin = head.at
        found = head.name()
        if found is not None and (head.at >= len(head.tokens) or head.mark() in (",", ";")):
            return found
        head.at = begin
    return None


def _rename(head: _Head, operation: str) -> StatementHead:
    """RENAME <old> TO <new>, with TABLE in MySQL."""
    object_type = head.type() or "TABLE"
    old = head.name()
    new = head.name() if head.skip_past("TO") else None
    return StatementHead(operation, object_type, new, old, old, is_rename=True, has_more=head.mark() == ",")


def _truncate(head: _Head, operation: str) -> StatementHead:
    object_type = head.type() or "TABLE"
    head.skip(_BEFORE_A_NAME)
    main = head.name()
    return StatementHead(operation, object_type, main, None, main, has_more=head.mark() == ",")


def _comment(head: _Head, operation: str) -> StatementHead:
    """COMMENT ON <type> <name> IS …; of a column the table is the object."""
    head.skip(frozenset({"ON"}))
    if head.word() != "COLUMN":
        object_type = head.type(2)
        main = head.name()
        return StatementHead(operation, object_type, main, None, main)
    head.at += 1
    column = head.name(4)
    table = WrittenName(column.tokens[:-1]) if column is not None and len(column.tokens) > 1 else None
    return StatementHead(operation, "TABLE", table, None, table)


def _grant(head: _Head, operation: str) -> StatementHead:
    """Read GRANT and REVOKE of privileges on an object; system privileges have no object."""
    if not head.skip_past("ON"):
        return StatementHead(operation)
    if head.word() == "ALL":
        return StatementHead(operation, "SCHEMA")
    object_type = head.type() or "TABLE"
    main = head.name()
    return StatementHead(operation, object_type, main, None, main, has_more=head.mark() == ",")


def _analyze(head: _Head, operation: str) -> StatementHead:
    object_type = head.type(2)
    main = head.name() if object_type else None
    return StatementHead(operation, object_type, main, None, main)


_READERS: dict[str, Callable[[_Head, str], StatementHead]] = {
    "CREATE": _object,
    "ALTER": _object,
    "DROP": _object,
    "RENAME": _rename,
    "TRUNCATE": _truncate,
    "COMMENT": _comment,
    "GRANT": _grant,
    "REVOKE": _grant,
    "ANALYZE": _analyze,
}
"""What reads the rest of a statement, by its first word."""
