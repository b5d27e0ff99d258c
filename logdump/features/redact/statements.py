"""Substitutes of DDL records: words of SQL and sizes of types stay, names, literals, numbers and comments do not.

    ,B4='ROLE',,C1='create table role (id number(10) default 4711) -- the role of a user'
    ,B4='KQWE',,C1='create table kqwe (yt number(10) default 8056) -- dfv kqwe yl p qmsn'

A word of SQL that is a name somewhere in the trail is one everywhere in DDL: it does not stay. The statement has no
grammar here: quotes and comments are found as each database finds them, and where they differ both are believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.ddl.statement import read_statement
from logdump.features.redact.characters import MARKS
from logdump.notation.sql_tokens import MYSQL, STANDARD, SqlTokenizer, SqlTokenKind
from trailformat.records.ddl import ddl_places, escaped, unescaped
from trailformat.records.file_header import ORACLE

if TYPE_CHECKING:
    from logdump.features.redact.substitutes import Substitutes
    from trailformat import TrailFile

SIZED = frozenset(
    b"""BIGINT BINARY BIT CHAR CHARACTER DATETIME DAY DEC DECIMAL DOUBLE FLOAT INT INTEGER MEDIUMINT NCHAR NUMBER
    NUMERIC NVARCHAR NVARCHAR2 PRECISION RAW REAL SECOND SMALLINT TIME TIMESTAMP TINYINT UROWID VARBINARY VARCHAR
    VARCHAR2 VARYING YEAR""".split()
)
"""Words that end the name of a data type with a size in parentheses."""
_TYPES = SIZED | frozenset(
    b"""BFILE BINARY_DOUBLE BINARY_FLOAT BLOB BOOLEAN CLOB DATE ENUM INTERVAL JSON LONG LONGBLOB LONGTEXT MEDIUMBLOB
    MEDIUMTEXT NATIONAL NCLOB ROWID TEXT XMLTYPE""".split()
)
"""Words that begin or end the name of a data type."""
OF_STATEMENTS = _TYPES | frozenset(
    b"""ACCESS ADD ADMIN AFTER ALL ALTER ALWAYS ANALYZE AND ANY AS ASC AUDIT AUTHORIZATION BEFORE BEGIN BETWEEN BITMAP
    BODY BY BYTE CACHE CASCADE CASE CAST CHECK CLUSTER COALESCE COLLATE COLUMN COLUMNS COMMENT COMMIT COMPRESS COMPUTE
    CONSTRAINT CONSTRAINTS CONTEXT CREATE CURRENT CURRVAL CYCLE DATABASE DATAFILE DECLARE DEFAULT DEFERRABLE DEFERRED
    DEFINER DELETE DESC DIMENSION DIRECTORY DISABLE DISTINCT DROP EACH ELSE ENABLE END ENGINE EXCEPTION EXCHANGE
    EXECUTE EXISTS EXTENT EXTERNAL FALSE FETCH FLUSH FOR FOREIGN FROM FULL FUNCTION GENERATED GLOBAL GRANT GROUP HASH
    HAVING HOUR IDENTIFIED IDENTITY IF IMMEDIATE IN INCREMENT INDEX INITIAL INITIALLY INITRANS INNODB INSERT INTO
    INVALID INVISIBLE IS JOIN KEY LEFT LESS LEVEL LIBRARY LIKE LINK LIST LOB LOCAL LOCK LOGGING MATERIALIZED MAXEXTENTS
    MAXVALUE MERGE MINEXTENTS MINUTE MINVALUE MODIFY MONITORING MONTH MOVE NESTED NEXT NEXTVAL NO NOCACHE NOCOMPRESS
    NOCYCLE NOLOGGING NOMAXVALUE NOMINVALUE NOORDER NOPARALLEL NOT NOVALIDATE NULL OBJECT OF OFFLINE ON ONLINE ONLY
    OPERATOR OPTION OR ORDER OUTER OVERFLOW PACKAGE PARALLEL PARTITION PARTITIONS PCTFREE PCTINCREASE PCTUSED PRIMARY
    PRIVILEGES PROCEDURE PROFILE PUBLIC PURGE RANGE READ REBUILD RECORD REFERENCES RENAME REPLACE RETURN RETURNING
    REUSE REVOKE RIGHT ROLE ROLLBACK ROW ROWDEPENDENCIES ROWS SAVEPOINT SCHEMA SEGMENT SELECT SEQUENCE SESSION SET
    SHRINK SIZE SPACE SPLIT START STATISTICS STORAGE SUBPARTITION SUBPARTITIONS SUPPLEMENTAL SYNONYM SYSDATE
    SYSTIMESTAMP SYSTEM TABLE TABLES TABLESPACE TEMPORARY THAN THEN TO TRIGGER TRUE TRUNCATE TYPE UNDER UNION UNIQUE
    UNLIMITED UNSIGNED UNUSABLE UPDATE USER USING VALIDATE VALUE VALUES VARRAY VIEW VIRTUAL VISIBLE WHEN WHERE
    WHITESPACE WITH WITHOUT WORK WRITE YES ZONE""".split()
)
"""Words of SQL and of DDL records that stay, unless they are names in the trail."""
_BEFORE_TYPES = frozenset(b"AS CHAR CHARACTER DOUBLE INTERVAL LONG NATIONAL NCHAR RETURN RETURNING TO TYPE".split())
"""Words of SQL after which a data type may follow; else it follows a name."""
_BEFORE_COLUMNS = frozenset(b"( , ADD CHANGE COLUMN EXISTS MODIFY".split())
"""Words and signs that precede the name of a column whose data type follows it."""
_BEFORE_PARTS = frozenset(b"COLUMN CONSTRAINT PARTITION REFERENCES SUBPARTITION TABLESPACE".split())
"""Words before the name of a part of a table."""
_BEFORE_NAMES = _BEFORE_PARTS | frozenset(b"FROM INTO JOIN LINK ROLE SCHEMA TABLE TO USER".split())
_NO_NAMES = frozenset(
    b"""BY CHECK DEFAULT EXISTS FOR FOREIGN FROM GROUP IDENTIFIED IF IS NOT NULL ON ONLY PRIMARY PUBLIC SET TO UNIQUE
    USING VALUES WITH""".split()
)
"""Words that follow those of ``_BEFORE_NAMES`` without being names."""
_FIELDS = frozenset(b"DAY HOUR MINUTE MONTH SECOND YEAR".split())
"""Words that follow TO in the name of a data type."""
_BEFORE_VALUES = frozenset(b"( , AND BY DISTINCT OR SELECT SET WHERE".split())
_AFTER_VALUES = frozenset([*b", ) ; = < > ASC BETWEEN DESC FROM HAVING IN IS LIKE ORDER".split(), b""])
_CONSTANTS = frozenset(b"ALL DEFAULT FALSE MAXVALUE MINVALUE NULL SYSDATE SYSTIMESTAMP TRUE".split())
"""Words between those of ``_BEFORE_VALUES`` and of ``_AFTER_VALUES`` without being names."""
_ITEMS_OF_WORDS = frozenset({"B5", "B6", "C9", "C15"})
"""Type of object, operation, validity, whether to ignore: items whose words stay, as they are no names."""
_ITEM = re.compile(r"[A-Z]\d{1,2}(?:_\d{1,3})?", re.ASCII)
"""Ids of items that stay; their keys do not, unless they are short numbers."""
_KEY = re.compile(r"'\d{1,3}'\)", re.ASCII)
_REST = re.compile(rb",?([A-Z]\d{1,2}(?:_\d{1,3})?)='?")
"""The beginning of an item that is cut."""
_LARGEST = 1 << 22
"""Bytes of a statement above which no word of it stays."""
_MOST_PARTS = 8
"""Parts of the size of a data type, parentheses included."""
_SIZE = re.compile(rb"\( (?:\d{1,5}|\*)(?: , (?:- )?\d{1,5})?(?: (?:CHAR|BYTE))? \)", re.IGNORECASE)
"""A size, with one blank between its parts."""
_MARKS = re.compile(rb"[%s]" % re.escape(MARKS))
"""What the layout of items and literals consists of; it stays where it is."""
_SIGNS = b"!#$%&@^`~{}|?<>:+"
_RUN = rb"[!#$%&@^`~{}|?<>:+/*.\[\]\"\x01-\x08\x0b\x0c\x0e-\x1f\x7f-]{3,}"
_PART = re.compile(
    rb"(?P<word>[A-Za-z_$#\x80-\xff][\w$#\x80-\xff]*)|(?P<number>\d+(?:\.\d+)?(?![\w.$#\x80-\xff])|\d[\w$#\x80-\xff]*)"
    rb"|(?P<blank>\s+)|(?P<signs>%s)|(?P<sign>.)" % _RUN,
    re.DOTALL,
)
_WORD = re.compile(rb"[\w$#\x80-\xff]+|%s" % _RUN)
_SIGN_RUN = re.compile(_RUN)
_LETTER = re.compile(rb"[A-Za-z0-9\x80-\xff]")
_LEAST_SIGNS = 3
_LITERAL = re.compile(rb"([nN]?[qQ]|[eE])?'(.*)'", re.DOTALL)
_COMMENTS = (b"--", b"/*", b"#")
_VERSIONED = (b"/*!", b"/*M!")
"""The beginnings of comments that MySQL and MariaDB read as text."""
_QUOTED = {SqlTokenKind.STRING, SqlTokenKind.NAME, SqlTokenKind.COMMENT}


class _Part(NamedTuple):
    """A part of a statement: its kind (``word``, ``number``, ``blank``, ``signs``, ``sign``, ``quoted``), its bytes."""

    kind: str
    data: bytes

    @property
    def upper(self) -> bytes:
        """The bytes in capitals."""
        return self.data.upper()

    @property
    def is_meaningful(self) -> bool:
        """True if it is neither blank nor a comment."""
        return self.kind != "blank" and not (self.kind == "quoted" and self.data.startswith(_COMMENTS))

    @property
    def is_quoted_name(self) -> bool:
        """True for a text in the quotes of a name."""
        return self.kind == "quoted" and self.data[:1] in b'"`'


def _hidden(text: str, tokenizers: Iterable[SqlTokenizer]) -> list[tuple[int, int]]:
    """Return the spans of quotes and comments by any of the tokenizers, in order; those that overlap are one."""
    spans = sorted(
        (token.begin, token.end) for each in tokenizers for token in each.tokens_of(text) if token.kind in _QUOTED
    )
    merged: list[tuple[int, int]] = []
    for begin, end in spans:
        if merged and begin < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged


def _parts(statement: bytes, tokenizers: Iterable[SqlTokenizer]) -> list[_Part]:
    """Return the parts of a statement without escapes."""
    text = statement.decode("utf-8", "surrogateescape")
    parts: list[_Part] = []
    at = 0
    for begin, end in [*_hidden(text, tokenizers), (len(text), len(text))]:
        gap = text[at:begin].encode("utf-8", "surrogateescape")
        parts += [_Part(match.lastgroup or "", match[0]) for match in _PART.finditer(gap)]
        if end > begin:
            parts.append(_Part("quoted", text[begin:end].encode("utf-8", "surrogateescape")))
        at = end
    return parts


def words_in(name: bytes) -> Iterator[bytes]:
    """Yield the words of SQL that are words of a name, in capitals."""
    return (word for word in _WORD.findall(name.upper()) if word in OF_STATEMENTS)


def names_in(data: bytes, tokenizers: tuple[SqlTokenizer, ...]) -> Iterator[bytes]:
    """Yield the words of SQL that are names in a DDL record, in capitals: in its items, and in its statement."""
    for place in ddl_places(data):
        value = data[place.begin : place.end]
        if place.item in ("", "C1"):
            yield from _names_in_statement(unescaped(value), tokenizers)
        elif place.item not in _ITEMS_OF_WORDS:
            yield from words_in(value)


def _names_in_statement(statement: bytes, tokenizers: tuple[SqlTokenizer, ...]) -> Iterator[bytes]:
    """Yield words by their places: in quotes, beside a dot, before a type, alone in a list, after IDENTIFIED BY.

    A word that is taken for a name by mistake is one that does not stay.
    """
    if len(statement) > _LARGEST:
        return
    head = read_statement(statement.decode("utf-8", "surrogateescape"), tokenizers[0])
    for name in (head.base, head.derived, head.main):
        for text in name.parts if name is not None else ():
            yield from words_in(text.encode("utf-8", "surrogateescape"))
    parts = [part for part in _parts(statement, tokenizers) if part.is_meaningful]
    nothing = _Part("sign", b"")
    is_grant = bool(parts) and parts[0].upper in (b"GRANT", b"REVOKE")
    around = zip([nothing, nothing, *parts], [nothing, *parts], parts, [*parts[1:], nothing], strict=False)
    for earlier, before, part, after in around:
        if part.is_quoted_name:
            yield from words_in(part.data)
        if part.kind == "word" and part.upper in OF_STATEMENTS:
            is_value = not is_grant and _is_value(part.upper, before.upper, after.upper)
            if is_value or _is_name(part.upper, earlier.upper, before.upper, after.upper):
                yield part.upper


def _is_name(word: bytes, earlier: bytes, before: bytes, after: bytes) -> bool:
    """Return True if a word is a name between the parts before and after it."""
    if before in (b".", b"@", b"[") or after in (b".", b"@"):
        return True
    if before == b"BY" and earlier == b"IDENTIFIED":
        return word != b"VALUES"
    if before in (b"GRANT", b"REVOKE"):
        return after in (b"TO", b"FROM") and word not in _CONSTANTS
    if before in _BEFORE_COLUMNS and after in _TYPES and word not in _BEFORE_PARTS:
        return True
    return before in _BEFORE_NAMES and word not in _NO_NAMES and not (before == b"TO" and word in _FIELDS)


def _is_value(word: bytes, before: bytes, after: bytes) -> bool:
    """Return True if a word is a name in an expression or in a list."""
    return before in _BEFORE_VALUES and after in _AFTER_VALUES and word not in _CONSTANTS


class StatementSubstitutes:
    """The substitutes of DDL records of one file.

    Args:
        substitutes: those of the run.
        names: words of SQL that are names in the trail, in capitals.
        tokenizers: those of the databases that the file may be of.
    """

    def __init__(self, substitutes: Substitutes, names: frozenset[bytes], tokenizers: tuple[SqlTokenizer, ...]) -> None:
        self._substitutes, self._tokenizers = substitutes, tokenizers
        self._kept = OF_STATEMENTS - names

    def of(self, data: bytes) -> bytes:
        """Return the substitute of the data of a DDL record: the same items with other values."""
        out = bytearray(data)
        begun = 0
        for place in ddl_places(data):
            at = place.begin
            if not place.item and (match := _REST.match(data, at, place.end)):
                at = match.end()
            item, bracket, key = place.item.partition("(")
            is_kept = not item or _ITEM.fullmatch(item) is not None
            if not is_kept or (bracket and _KEY.fullmatch(key) is None):
                first = data.index(b"(", begun) if is_kept else begun
                out[first : place.begin] = self._in_words(data[first : place.begin])
            out[at : place.end] = self._value(place.item, data[at : place.end], is_quoted=place.is_quoted)
            begun = place.end
        return bytes(out)

    def _value(self, item: str, value: bytes, *, is_quoted: bool) -> bytes:
        make: Callable[[bytes], bytes] = self._in_words
        if item in _ITEMS_OF_WORDS:
            make = self._of_words
        elif item in ("", "C1") and len(value) <= _LARGEST:
            make = self._statement
        plain = unescaped(value) if is_quoted else value
        return escaped(make(plain)) if plain != value else make(value)

    def _of_words(self, value: bytes) -> bytes:
        """Return an item of words: those of SQL stay, whether they are names or not."""
        return _WORD.sub(lambda match: match[0] if match[0].upper() in OF_STATEMENTS else self._word(match), value)

    def _in_words(self, data: bytes) -> bytes:
        """Return a text with another word for each, as in names."""
        return _WORD.sub(self._word, data)

    def _word(self, match: re.Match[bytes]) -> bytes:
        return self._substitutes.word(match[0]) if _LETTER.search(match[0]) else self._signs(match[0])

    def _signs(self, text: bytes) -> bytes:
        """Return other signs for three or more, but for those of the layout."""
        if len(text) < _LEAST_SIGNS:
            return text
        draws = self._substitutes.raw(text)
        signs = (_SIGNS[draw % len(_SIGNS)] if sign in _SIGNS else sign for sign, draw in zip(text, draws, strict=True))
        return bytes(signs)

    def _statement(self, statement: bytes) -> bytes:
        parts = _parts(statement, self._tokenizers)
        sizes = self._sizes(parts)
        return b"".join(part.data if at in sizes else self._part(part) for at, part in enumerate(parts))

    def _part(self, part: _Part) -> bytes:
        if part.kind in ("blank", "sign") or self._stays(part):
            return part.data
        if part.kind == "signs":
            return self._signs(part.data)
        if part.kind == "quoted":
            return self._quoted(part.data)
        number = self._substitutes.number_text(part.data) if part.kind == "number" else None
        return self._in_words(part.data) if number is None else number

    def _stays(self, part: _Part) -> bool:
        return part.kind == "word" and part.upper in self._kept

    def _quoted(self, data: bytes) -> bytes:
        """Return a literal as the value that it is, unless that needs escapes, a comment as one; all else by words."""
        if data.startswith(_COMMENTS) and not data.startswith(_VERSIONED):
            return _SIGN_RUN.sub(lambda signs: self._signs(signs[0]), self._substitutes.prose(data))
        match = _LITERAL.fullmatch(data)
        if match is None:
            return self._in_words(data)
        is_plain = match[1] is None and _MARKS.search(match[2]) is None
        make = self._substitutes.text if is_plain else self._in_words
        return data[: match.start(2)] + make(match[2]) + data[match.end(2) :]

    def _sizes(self, parts: list[_Part]) -> set[int]:
        """Return the places of the sizes of data types: numbers in parentheses after a type that is after a name."""
        found: set[int] = set()
        places = [place for place, part in enumerate(parts) if part.is_meaningful]
        for at, (before, place) in enumerate(pairwise(places), 2):
            part, earlier = parts[place], parts[before]
            if part.upper not in SIZED or not self._stays(part):
                continue
            is_type = earlier.is_quoted_name or (
                earlier.kind == "word" and (not self._stays(earlier) or earlier.upper in _BEFORE_TYPES)
            )
            after = places[at : at + _MOST_PARTS]
            match = _SIZE.match(b" ".join(parts[each].data for each in after)) if is_type else None
            if match is not None:
                found.update(each for each in after[: match[0].count(b" ") + 1] if parts[each].kind == "number")
        return found


def tokenizers_of(trail: TrailFile) -> tuple[SqlTokenizer, ...]:
    """Return the tokenizers of the databases that a file may be of."""
    header = trail.file_header
    return (STANDARD,) if header is not None and header.vendor == ORACLE else (STANDARD, MYSQL)
