r"""Check that a statement from the trail is one statement to the client that it will be pasted into.

DDL is in the trail as the source ran it. A client may interpret it differently than the database: psql and mariadb run
the text after a backslash, SQL*Plus a line that begins with ``HOST``, ``!`` or ``@``; a comment or a quote that is not
closed includes the COMMIT. So a statement is read by the rules of the client, and refused unless it is certainly one
statement for both. This is not an SQL parser: it recognizes quotes, comments, parentheses and words.

    CREATE TABLE teas (name text) \! rm -rf /    refused: a backslash is a command of psql
    CREATE TABLE teas (name text); DROP ...      refused: more than one statement
    CREATE TABLE teas (name text) -- final       one statement; its end goes on a line of its own
"""

from __future__ import annotations

import re
from typing import NamedTuple

from logdump.display.sql.dialects import Unwritable


class Client(NamedTuple):
    """The rules by which a client reads its input.

    Attributes:
        name: name of the client.
        quotes: the characters that open a quoted text or name.
        in_words: characters allowed in a word besides letters, digits and underlines.
        refused: characters outside of quotes that open constructs unknown to this reader.
        hash_comments: True if ``#`` begins a comment.
        bare_dashes: True if ``--`` begins a comment whatever follows it.
        lines: pattern that no line may match, even in quotes: the client reads lines.
        words: words that no statement may have outside of quotes.
        anywhere: pattern that may not occur at all, not even in quotes and comments.
        units: statements that contain others, and end with a slash on a line of its own; None if the client has none.
        reads_lines: True if a blank line, or a semicolon at the end of any line, may end a statement.
        has_variables: True if a colon may begin a variable.
        knows_prefixes: True if the client reads E'…' and U&'…' as the database does.
        waits_for_end: True if it waits for an END after the word BEGIN.
    """

    name: str
    quotes: str = "'\""
    in_words: str = "$"
    refused: str = "\\`$[{?"
    hash_comments: bool = False
    bare_dashes: bool = True
    lines: re.Pattern[str] | None = None
    words: frozenset[str] = frozenset()
    anywhere: re.Pattern[str] | None = None
    units: re.Pattern[str] | None = None
    reads_lines: bool = False
    has_variables: bool = False
    knows_prefixes: bool = False
    waits_for_end: bool = False


class OneStatement(NamedTuple):
    """A statement, and its ending."""

    sql: str
    ending: str


_COMMANDS = r"[.!@#$:]|/(?!\*)|(?:HOST|HO|GO|RUN)\b"
_LONE = r"(?:/|\.|GO)\s*$"
SQL_PLUS = Client(
    "SQL*Plus",
    in_words="$#",
    refused="\\`[{?",
    lines=re.compile(rf"\s*(?:[!@#$]|(?:HOST|HO)\b|{_LONE})|.*-\s*$", re.IGNORECASE),
    anywhere=re.compile("&"),
    units=re.compile(
        r"CREATE[ \t]+(?:OR[ \t]+REPLACE[ \t]+)?(?:PROCEDURE|FUNCTION|PACKAGE|TRIGGER|TYPE)\b", re.IGNORECASE
    ),
    reads_lines=True,
)
_FOREIGN = rf"[!@]|{_LONE}"
"""Lines that are commands of other clients, and never SQL."""
PSQL = Client(
    "psql",
    refused="\\`$",
    lines=re.compile(rf"\s*(?:{_FOREIGN})", re.IGNORECASE),
    has_variables=True,
    knows_prefixes=True,
    waits_for_end=True,
)
_NAMED = (
    r"(?:SOURCE|SYSTEM|TEE|PAGER|EDIT|CONNECT|QUIT|EXIT|EGO|GO|USE|CHARSET|PROMPT|HELP)\b|\?"
    r"|(?:CLEAR|NOPAGER|NOTEE|NOWARNING|PRINT|REHASH|RESETCONNECTION|SANDBOX|STATUS|WARNINGS)\s*$"
)
"""Commands under --named-commands, at the beginning of a line or as a whole line."""
_READ_BY_SOME = r"/\*(?:M?!|\+)"
"""Comments whose text MySQL, MariaDB or their clients interpret."""
MARIADB = Client(
    "the client of MariaDB and MySQL",
    quotes="'\"`",
    refused="\\$[",
    hash_comments=True,
    bare_dashes=False,
    lines=re.compile(rf"\s*(?:{_NAMED}|{_FOREIGN})", re.IGNORECASE),
    words=frozenset({"DELIMITER"}),
    anywhere=re.compile(_READ_BY_SOME, re.IGNORECASE),
)
_UNKNOWN = Client(
    "a client that is not known",
    lines=re.compile(rf"\s*(?:{_COMMANDS}|{_NAMED}|{_LONE})|.*-\s*$", re.IGNORECASE),
    refused="\\`$[{?#@!",
    bare_dashes=False,
    words=frozenset({"DELIMITER", "TRIGGER"}),
    anywhere=re.compile(rf"{_READ_BY_SOME}|&", re.IGNORECASE),
    reads_lines=True,
    has_variables=True,
    waits_for_end=True,
)
"""The strictest client: a text that is one statement to it is the same statement to all others."""
_CLIENTS = {"ORACLE": SQL_PLUS, "POSTGRESQL": PSQL, "MYSQL": MARIADB}
_VERBS = frozenset({"ALTER", "ANALYZE", "AUDIT", "COMMENT", "CREATE", "DROP", "FLASHBACK", "GRANT", "NOAUDIT"})
_VERBS |= {"PURGE", "RENAME", "REVOKE", "TRUNCATE"}
_BLANK_LINE = re.compile(r"\n(?:[ \t]*\n)+")
_MODIFIERS = frozenset({"OR", "REPLACE", "EDITIONABLE", "NONEDITIONABLE", "AND", "RESOLVE", "COMPILE", "FORCE"})
_UNITS = frozenset(["PROCEDURE", "FUNCTION", "PACKAGE", "TRIGGER", "TYPE", "LIBRARY", "JAVA"])
"""Objects whose CREATE is a unit in SQL*Plus, which a semicolon does not end."""
_VARIABLE = re.compile(r":[\w'\"{]")
_SIGNS = frozenset("()[]{},.;=<>+-*/%|^~&!?@#:$")
"""Characters allowed outside of quotes besides words and numbers; a client refuses some."""
_RUN = r"[0-9A-Za-z_.]*+"
_NUMBER = re.compile(rf"[0-9]{_RUN}(?:(?<=[Ee])[+-][0-9]{_RUN})?+(?![\w$#'\"`\\]|[^\x00-\x7f]|(?<=[Ee])[+-])")
"""psql reads ``1e--`` as the number ``1e-`` and a hyphen, and in ``1e5$a$`` a quote that begins with the ``$``."""
_PREFIX = re.compile(r"(?<![A-Z0-9_$#])(?:N?Q|U|E)$")
"""Letters that change the meaning of a quote after them, also after a character that is no letter to some clients."""


def client_of(dialect: str) -> Client:
    """Return the client for statements in a dialect; if it is not known, a client with the rules of all of them."""
    return _CLIENTS.get(dialect, _UNKNOWN)


def one_statement(text: str, client: Client) -> OneStatement:
    """Return the statement in ``text``, and the ending that it needs.

    Raises:
        Unwritable: it is not certainly one statement, or the client would interpret it differently.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise Unwritable("the record has no statement")
    if not text.replace("\n", " ").replace("\t", " ").isprintable():
        raise Unwritable("the statement holds characters that are not printable")
    is_unit = client.units is not None and client.units.match(text) is not None
    reading = _Reading(text, client, is_unit=is_unit)
    reading.read()
    text = text.replace("\t", " ")
    sql = text[: reading.end].rstrip()
    if client.reads_lines and not is_unit:
        sql = _BLANK_LINE.sub("\n", sql)
    _check_lines(sql, client, is_unit=is_unit)
    return OneStatement(sql, "\n/" if is_unit else "\n;")


def _check_lines(sql: str, client: Client, *, is_unit: bool) -> None:
    if client.anywhere is not None and (match := client.anywhere.search(sql)):
        raise Unwritable(f"{match[0]!r} in the statement means something to {client.name}")
    if client.lines is None:
        return
    for line in sql.split("\n"):
        if client.lines.match(line):
            raise Unwritable(f"{client.name} may take the line {line.strip()[:40]!r} for a command")
        if client.reads_lines and not is_unit and line.rstrip().endswith(";"):
            raise Unwritable(f"the line {line.strip()[:40]!r} would end the statement in {client.name}")


class _Reading:
    """One pass over the text of a statement.

    Attributes:
        end: the end of the statement: a semicolon, or the end of the text.
    """

    def __init__(self, text: str, client: Client, *, is_unit: bool) -> None:
        self.end = len(text)
        self._text = text
        self._client = client
        self._is_unit = is_unit
        self._at = self._depth = 0
        self._words: list[str] = []
        self._is_ended = False

    def read(self) -> None:
        """Read the text. Raises like one_statement."""
        while self._at < len(self._text):
            if not self._comment():
                self._token()
        if self._depth:
            raise Unwritable("the statement has a parenthesis that is not closed")
        words = self._words
        if not words or words[0] not in _VERBS:
            raise Unwritable(f"the statement begins with {words[0] if words else 'no word'}: it may not be DDL")
        if self._client.waits_for_end and "BEGIN" in words:
            raise Unwritable(f"{self._client.name} waits for the END of a BEGIN in a statement")
        kind = next((word for word in words[1:] if word not in _MODIFIERS), "")
        if self._client.reads_lines and not self._is_unit and words[0] == "CREATE" and kind in _UNITS:
            raise Unwritable(f"SQL*Plus may end this form of CREATE … {kind} at another place")

    def _comment(self) -> bool:
        """Skip a comment that begins here; return False if none does."""
        text, start = self._text, self._at
        if text.startswith("/*", start):
            end = text.find("*/", start + 2)
            if end < 0:
                raise Unwritable("the statement has a comment that is not closed")
            # the "/" of "*/" may close a comment, or with the "*" before it begin one: "/*/" is both
            if text.find("/*", start + 1, end + 1) >= 0 or text.startswith("/*/", start):
                raise Unwritable("the statement has a comment in a comment: not all databases read it alike")
            if self._client.reads_lines and not self._words and not text[start + 2].isspace():
                raise Unwritable(
                    "a comment at the beginning without a blank after /*: SQL*Plus takes it for the command /"
                )
            self._step_over(end + 2)
            return True
        is_dashes = text.startswith("--", start)
        if is_dashes and not self._client.bare_dashes and text[start + 2 : start + 3] not in ("", " ", "\t", "\n"):
            raise Unwritable("'--' without a blank after it is not a comment in all databases")
        if is_dashes or (self._client.hash_comments and text[start] == "#"):
            end = text.find("\n", start)
            self._at = len(text) if end < 0 else end
            return True
        return False

    def _token(self) -> None:
        character = self._text[self._at]
        if character.isspace():
            self._at += 1
            return
        if self._is_ended:
            raise Unwritable("more than one statement")
        if character == "_" or character.isalpha():
            start = self._at
            while self._at < len(self._text) and self._is_in_word(self._text[self._at]):
                self._at += 1
            self._word(self._text[start : self._at].upper())
        elif character in "0123456789":
            self._number()
        else:
            self._other(character)

    def _is_in_word(self, character: str) -> bool:
        return character == "_" or character.isalnum() or character in self._client.in_words

    def _word(self, word: str) -> None:
        if word in self._client.words:
            raise Unwritable(f"{word} in the statement means something to {self._client.name}")
        prefix = _PREFIX.search(word) if self._text.startswith("'", self._at) else None
        if prefix is not None and not self._client.knows_prefixes:
            raise Unwritable(f"the statement has a quote of the kind {prefix[0].lower()}'…'")
        self._words.append(word)

    def _number(self) -> None:
        """Skip digits and the suffix of a size or an exponent."""
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            raise Unwritable("a number that something is joined to: not all databases end it at the same place")
        self._at = match.end()

    def _other(self, character: str) -> None:
        client = self._client
        if character in client.quotes:
            self._quoted(character)
            return
        is_known = character in _SIGNS and character not in client.refused
        if not is_known or (character == ":" and self._is_variable()):
            raise Unwritable(f"a {character} outside of quotes means something to {client.name}, or may")
        if self._text.startswith("*/", self._at):
            raise Unwritable("the end of a comment that was not begun: not all databases read it alike")
        if character == ";" and not self._is_unit:
            self._is_ended, self.end = True, self._at
        self._depth += (character == "(") - (character == ")")
        if self._depth < 0:
            raise Unwritable("the statement closes a parenthesis that is not open")
        self._at += 1

    def _is_variable(self) -> bool:
        """Return True if a colon may begin a variable of psql; ``::`` is a cast."""
        is_cast = self._text.startswith("::", self._at)
        if is_cast:
            self._at += 1
        return self._client.has_variables and not is_cast and _VARIABLE.match(self._text, self._at) is not None

    def _quoted(self, quote: str) -> None:
        """Skip a quoted text or name; the text after a doubled quote is read like another quoted text."""
        end = self._text.find(quote, self._at + 1)
        if end < 0:
            raise Unwritable(f"the statement has a {quote} that is not closed")
        inside = self._text[self._at + 1 : end]
        if (len(inside) - len(inside.rstrip("\\"))) % 2:
            raise Unwritable(f"a backslash before {quote}: not all databases read it alike")
        if "\t" in inside:
            raise Unwritable(f"a tab between {quote} and {quote}: not all that shows a statement keeps it")
        self._step_over(end + 1)

    def _step_over(self, end: int) -> None:
        """Skip a comment or a quote; SQL*Plus may end a statement at a blank line in one."""
        if self._client.reads_lines and not self._is_unit and _BLANK_LINE.search(self._text, self._at, end):
            raise Unwritable("a blank line in a quote or a comment: SQL*Plus may end the statement there")
        self._at = end
