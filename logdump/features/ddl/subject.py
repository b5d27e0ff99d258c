"""The statement that is evaluated: what is known of it from its text and its record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from logdump.features.ddl.statement import StatementHead, WrittenName, read_statement
from logdump.notation.sql_tokens import MYSQL, SqlTokenizer, SqlTokenKind, tokenizer_of
from logdump.parameters.names import MOST_PARTS, NAME_PARTS, ObjectName

MOST_CHARACTERS = 4 << 20
"""A longer statement is evaluated by the items of its record alone."""


class DdlSubject(NamedTuple):
    """A statement and its objects; names are as the database keeps them, as far as that is known.

    ``items`` are the items of its record, ``size`` its length in characters, ``sql`` reads its text. ``trusts_text`` is
    whether the names in the text are those of the record, so that they may be replaced. ``owner`` is the schema that
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
        """``CREATE TABLE TEAHOUSE.TEAS``, ``RENAME TABLE TEAHOUSE.TEAS TO TEAHOUSE.HERBS``."""
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
        problems.append("the statement is longer than 4 MB: evaluated by the items of its record alone")
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
    """Yield where operation or type differ between record and text; one type may have more words than the other."""
    operation, kind = items.get("B6", "").upper(), items.get("B5", "").upper()
    if operation and read.operation and operation != read.operation and not (read.is_rename and operation == "RENAME"):
        yield f"the record says {operation}, the text {read.operation}"
    if kind and read.object_type and kind not in read.object_type and read.object_type not in kind:
        yield f"the record says {kind}, the text {read.object_type}"


class _Names:
    """The names of base and derived object, from the text and from the items of the record.

    ``folds_any``: True if the database folds unquoted names to capitals or small letters, which a record shows.
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

    def _of(self, found: WrittenName | None) -> ObjectName | None:
        """A name of the text with what it leaves out."""
        if found is None:
            return None
        parts = [
            one.plain.upper() if self._folds and one.kind is SqlTokenKind.WORD else one.plain
            for one in reversed(found.tokens)
        ]
        name, owner, catalog = [*parts, "", ""][:3]
        whole = ObjectName(name, owner or ("" if found.link else self._owner), catalog, found.link)
        return whole._replace(plain=self._plain_parts(found)) if self._is_plain else whole

    def _plain_parts(self, found: WrittenName) -> tuple[str, ...]:
        """Return the parts written without quotes, those of the default owner included."""
        kinds = [one.kind for one in reversed(found.tokens)]
        kinds += [SqlTokenKind.WORD] * (MOST_PARTS - len(kinds))
        return tuple(part for part, kind in zip(NAME_PARTS, kinds, strict=False) if kind is SqlTokenKind.WORD)

    def _checked(
        self, base: ObjectName | None, derived: ObjectName | None
    ) -> tuple[ObjectName | None, ObjectName | None]:
        """Return both names, the one that the record names with its spelling.

        If neither matches, it becomes the base.
        """
        if not self._name:
            return base, derived
        recorded = ObjectName(self._name, self._owner)
        for one, other in ((base, derived), (derived, base)):
            if one is not None and _is_same(one, recorded):
                spelled = recorded._replace(catalog=one.catalog)
                return (spelled, other) if one is base else (other, spelled)
        if base is not None or derived is not None:
            self.problems.append(f"the record says {recorded}, the text {base or derived}")
        self.trusts_text = False
        return recorded, None


def _folds(main: WrittenName, name: str) -> bool:
    """Return True if the database folds unquoted names to capitals, judged by this name."""
    last = main.tokens[-1]
    return last.kind is SqlTokenKind.WORD and last.text != name and last.text.upper() == name


def _is_same(one: ObjectName, recorded: ObjectName) -> bool:
    if one.link:
        return False
    same_owner = not one.owner or not recorded.owner or one.owner.upper() == recorded.owner.upper()
    return same_owner and one.name.upper() == recorded.name.upper()
