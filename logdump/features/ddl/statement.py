"""Reads the head of a DDL statement, word by word, without a grammar.

Base and derived object are Oracle's terms: for an index, trigger or synonym the base is the table; for a RENAME the new
name is the base and the old one is derived. A name that is not found is None, and no statement is rejected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from logdump.notation.sql_tokens import MYSQL, STANDARD, SqlToken, SqlTokenizer, SqlTokenKind, meaningful, tokenizer_of
from logdump.parameters.names import MOST_PARTS, NAME_PARTS, ObjectName
from logdump.session.events import Bad, Event, Notice, Progress
from logdump.session.selection import Selection
from trailformat import Record, TrailError, TrailFile, parse_ddl
from trailformat.changes.csn import csn_key
from trailformat.changes.segments import joined
from trailformat.records.record_header import DDL_OP
from trailformat.scan import scan
from trailformat.trail import command_files

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
_TYPES = tuple(tuple(words.split()) for words in (*_LONG_TYPES, *_SHORT_TYPES.split()))
"""The types of objects, longer ones first."""
_OF_A_TABLE = frozenset({"INDEX", "TRIGGER", "SYNONYM", "PUBLIC SYNONYM"})
_BEFORE_A_NAME = frozenset({"IF", "NOT", "EXISTS", "CONCURRENTLY", "ONLY"})
_AFTER_ON = frozenset({"ONLY", "TABLE", "CLUSTER"})
_OF_ALL = frozenset({"SCHEMA", "DATABASE"})
OLD_NAMES = {"SNAPSHOT": "MATERIALIZED VIEW", "SNAPSHOT LOG": "MATERIALIZED VIEW LOG"}
"""Old names of types, and their names in Oracle's dictionary."""


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
        return tuple(token.plain for token in self.tokens)

    @property
    def is_qualified(self) -> bool:
        """True if the name has a schema."""
        return len(self.tokens) > 1


class StatementHead(NamedTuple):
    """Operation, type and names of a statement.

    ``main`` is the name after the type; ``has_more`` is True if other names follow it.
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
        """Return the word ``ahead`` tokens after the cursor in capitals, empty if that token is not a word."""
        index = self.at + ahead
        return (
            self.tokens[index].text.upper()
            if index < len(self.tokens) and self.tokens[index].kind is SqlTokenKind.WORD
            else ""
        )

    def mark(self) -> str:
        """Return the punctuation at the cursor, empty if there is none."""
        token = self.tokens[self.at] if self.at < len(self.tokens) else None
        return token.text if token is not None and token.kind is SqlTokenKind.PUNCTUATION else ""

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
        tokens = list[SqlToken]()
        while self.at < len(self.tokens) and self.tokens[self.at].kind in (SqlTokenKind.WORD, SqlTokenKind.NAME):
            tokens.append(self.tokens[self.at])
            self.at += 1
            if len(tokens) == most or self.mark() != ".":
                break
            self.at += 1
        return WrittenName(tuple(tokens)) if tokens else None

    def link(self) -> str:
        """Read the database link after a name, with domain and qualifier; empty if there is none."""
        begin = self.at
        while self.mark() == "@" or (self.mark() == "." and self.at > begin):
            self.at += 2
        return "".join(token.plain for token in self.tokens[begin + 1 : self.at])

    def skip_past(self, word: str) -> bool:
        """Move past the next occurrence of a word outside of parentheses; return False if there is none."""
        depth = 0
        while self.at < len(self.tokens):
            depth += {"(": 1, ")": -1}.get(self.mark(), 0)
            is_word = depth == 0 and self.word() == word
            self.at += 1
            if is_word:
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
    head.skip(_AFTER_ON)
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
        name = head.name()
        if name is not None and (head.at >= len(head.tokens) or head.mark() in (",", ";")):
            return name
        head.at = begin
    return None


def _rename(head: _Head, operation: str) -> StatementHead:
    """Read RENAME <old> TO <new>; MySQL has TABLE before the name."""
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
    """Read COMMENT ON <type> <name> IS …; for a column the object is its table."""
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
"""Readers of the rest of a statement, by its first word."""


MOST_CHARACTERS = 4 << 20
"""Longer statements are evaluated by the items of their record alone."""


class DdlSubject(NamedTuple):
    """A statement and its objects; names have the spelling of the database, as far as it is known.

    ``items`` are the items of its record, ``size`` is its length in characters, ``sql`` its tokenizer. ``trusts_text``
    is True if the names in the text agree with the record, so that they can be replaced. ``owner`` is the schema that
    was given.
    """

    text: str
    size: int
    sql: SqlTokenizer
    operation: str
    object_type: str
    base: ObjectName | None
    derived: ObjectName | None
    is_rename: bool
    trusts_text: bool
    items: Mapping[str, str]
    owner: str
    problems: tuple[str, ...]

    @property
    def title(self) -> str:
        """Operation, type and names: ``CREATE TABLE TEAHOUSE.TEAS``, ``RENAME TABLE TEAHOUSE.TEAS TO …``."""
        name = str(self.derived or self.base or "")
        if self.is_rename:
            name += f"{' RENAME' if self.operation != 'RENAME' else ''} TO {self.base}"
        return " ".join(word for word in (self.operation, self.object_type, name) if word) or "no statement"


def subject_of(
    text: str, items: Mapping[str, str] | None = None, owner: str = "", sql: SqlTokenizer | None = None
) -> DdlSubject:
    """Return the subject of a statement.

    Args:
        text: the statement.
        items: the items of its DDL record by their ids; they take precedence over the text.
        owner: the schema of unqualified names, if no record has it.
        sql: the tokenizer of its database; None: derived from the text.
    """
    items, sql = items or {}, sql or tokenizer_of(text)
    is_long = len(text) > MOST_CHARACTERS
    read = StatementHead() if is_long else read_statement(text, sql)
    names = _Names(read, items, owner, folds_any=sql is not MYSQL)
    problems = [*_contradictions(read, items), *names.problems]
    if is_long:
        problems.append("the statement is longer than 4 MB: only the items of its record are evaluated")
    if read.has_more:
        problems.append("the statement names more than one object: only the first is evaluated")
    if names.base is not None and names.base.link:
        problems.append(f"{names.base} is in another database: no TABLE or MAP takes it")
    return DdlSubject(
        text,
        len(text),
        sql,
        items.get("B6", "").upper() or read.operation,
        items.get("B5", "").upper() or read.object_type,
        names.base,
        names.derived,
        read.is_rename,
        names.trusts_text and not is_long,
        items,
        owner,
        tuple(problems),
    )


def _contradictions(read: StatementHead, items: Mapping[str, str]) -> Iterator[str]:
    """Yield the differences in operation and type between record and text; a type may be part of the other."""
    operation, kind = items.get("B6", "").upper(), items.get("B5", "").upper()
    if operation and read.operation and operation != read.operation and not (read.is_rename and operation == "RENAME"):
        yield f"the record says {operation}, the text {read.operation}"
    if kind and read.object_type and kind not in read.object_type and read.object_type not in kind:
        yield f"the record says {kind}, the text {read.object_type}"


class _Names:
    """The names of base and derived object, from the text and from the items of the record.

    ``folds_any``: True if the database folds unquoted names to upper or lower case; the record shows to which.
    """

    def __init__(self, read: StatementHead, items: Mapping[str, str], owner: str, *, folds_any: bool) -> None:
        self._owner = items.get("B3", "") or owner
        self._name = items.get("B4", "")
        self._is_plain = folds_any and not self._name
        self._folds = bool(self._name) and read.main is not None and _folds(read.main, self._name)
        self.problems = list[str]()
        base, derived = self._of(read.base), self._of(read.derived)
        if read.is_rename and base is not None and derived is not None and read.base and not read.base.is_qualified:
            base = base._replace(owner=derived.owner, catalog=derived.catalog)
        master = ObjectName(items.get("C13", ""), items.get("C12", "")) if items.get("C13") else None
        if base is None and derived is not None and master is not None:
            base = master
        self.trusts_text = read.main is not None or read.base is not None
        self.base, self.derived = self._checked(base, derived)

    def _of(self, written: WrittenName | None) -> ObjectName | None:
        """Return a name of the text with the default owner, folded as by the database; None without a name."""
        if written is None:
            return None
        parts = [
            token.plain.upper() if self._folds and token.kind is SqlTokenKind.WORD else token.plain
            for token in reversed(written.tokens)
        ]
        name, owner, catalog = [*parts, "", ""][:3]
        whole = ObjectName(name, owner or ("" if written.link else self._owner), catalog, written.link)
        return whole._replace(plain=self._plain_parts(written)) if self._is_plain else whole

    def _plain_parts(self, written: WrittenName) -> tuple[str, ...]:
        """Return the parts written without quotes, those of the default owner included."""
        kinds = [token.kind for token in reversed(written.tokens)]
        kinds += [SqlTokenKind.WORD] * (MOST_PARTS - len(kinds))
        return tuple(part for part, kind in zip(NAME_PARTS, kinds, strict=False) if kind is SqlTokenKind.WORD)

    def _checked(
        self, base: ObjectName | None, derived: ObjectName | None
    ) -> tuple[ObjectName | None, ObjectName | None]:
        """Return base and derived name; the one that matches the name in the record takes its spelling.

        If neither matches, the name in the record is the base, and nothing is derived.
        """
        if not self._name:
            return base, derived
        recorded = ObjectName(self._name, self._owner)
        for object_name, other in ((base, derived), (derived, base)):
            if object_name is not None and _is_same(object_name, recorded):
                spelled = recorded._replace(catalog=object_name.catalog)
                return (spelled, other) if object_name is base else (other, spelled)
        if base is not None or derived is not None:
            self.problems.append(f"the record says {recorded}, the text {base or derived}")
        self.trusts_text = False
        return recorded, None


def _folds(main: WrittenName, name: str) -> bool:
    """Return True if the database folds unquoted names to capitals, judged by this name."""
    last = main.tokens[-1]
    return last.kind is SqlTokenKind.WORD and last.text != name and last.text.upper() == name


def _is_same(object_name: ObjectName, recorded: ObjectName) -> bool:
    if object_name.link:
        return False
    same_owner = not object_name.owner or not recorded.owner or object_name.owner.upper() == recorded.owner.upper()
    return same_owner and object_name.name.upper() == recorded.name.upper()


_STATEMENT = "C1"
_BY_CSN = {"MySQL position": MYSQL}


def ddl_records(trail: TrailFile, start: int, selection: Selection, notify: int) -> Iterator[Record | Event]:
    """Yield the DDL records from an RBA that pass the filter, damage as a Notice, and Progress as set by NOTIFY.

    Each record is reported as reached first, because its evaluation takes as long as the reading of many records.
    """
    scanned = 0
    for batch in scan(trail, start):
        spans = set(batch.spans())
        passing = selection.rows(batch)
        for row, io_type in enumerate(batch.io_type):
            rba = int(batch.rba[row])
            if row in spans:
                yield _damage(trail, rba, int(batch.length[row]))
            elif io_type == DDL_OP and passing[row] and (record := trail.record_at(rba)) is not None:
                command_files.report(trail.path, rba)
                yield record
        begun, scanned = scanned, scanned + len(batch)
        if begun // notify != scanned // notify:
            yield Progress(scanned, int(batch.rba[-1]), int(batch.io_time[-1]), trail.size)


def _damage(trail: TrailFile, rba: int, length: int) -> Notice:
    try:
        trail.record_at(rba)
    except TrailError as error:
        return Notice((f"{error.at(trail.path, rba)}: {length} bytes are not read",), bad=Bad(error, length))
    return Notice((f"{trail.path}, RBA {rba}: {length} bytes are not read",))


def subject_of_record(trail: TrailFile, record: Record) -> DdlSubject:
    """Return the statement of a DDL record."""
    items = dict(parse_ddl(joined(trail, record).data))
    subject = subject_of(items.pop(_STATEMENT, ""), items, sql=_tokenizer_by(record.csn))
    if not subject.text:
        return subject._replace(problems=("its record has no complete statement", *subject.problems))
    return subject


def _tokenizer_by(csn: str | None) -> SqlTokenizer | None:
    """Return the tokenizer of the database whose CSNs have this form, None if the form is unknown."""
    key = csn_key(csn) if csn is not None else None
    return None if key is None else _BY_CSN.get(key.kind, STANDARD)
