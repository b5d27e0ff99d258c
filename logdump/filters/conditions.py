"""VALUE: conditions on the values of columns, the one language of FILTER VALUE, ``--where`` and FIND (ours).

    PRODUCT_PRICE > 15000            HR.JOBS.SALARY >= 100            "Mixed Case" <> 'it''s'
    STATUS LIKE 'A%'                 ID BETWEEN 4600 AND 4612         STATUS IN ('NEW', 'SENT')
    NOTE IS NULL                     BEFORE STATUS = 'SENT'           CHANGED STATUS
    STATUS = 'NEW' AND (AMOUNT > 100 OR NOTE IS NOT NULL)

A condition is about one value, before or after the change; AND and OR combine what a record satisfies.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from logdump.filters.comparison import AllTests, Comparison, Likeness, ValueComparison, ValueTest, comparison_named
from logdump.filters.criterion import Criterion, Needs, Option, combined_mask
from logdump.filters.name_criteria import FileName
from logdump.filters.value_criteria import (
    FIELDS,
    ColumnValue,
    ImageSide,
    ValueCriterion,
    header_value,
    shown_operand,
)
from logdump.filters.words import FilterError, check_count, quoted
from logdump.notation.times import GMT, TimeOffset
from logdump.notation.values import QUOTES, ColumnOperand, is_quoted, name_notation, read_operand, unquote
from trailformat import ColumnDefinition, change_of
from trailformat.changes.row_changes import OPERATIONS, ColumnChange
from trailformat.values.comparing import NULL, Operand

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask
    from trailformat import Record

_MAX_NAME, _MAX_DEPTH = 1024, 32
_NAME = r'"(?:[^"]|"")+"|[^\s<>=!"(),]+'
_COLUMN = re.compile(rf"(?P<table>(?:[\w$#]+\.)*)(?P<name>{_NAME})")
_SIGN = re.compile(r"[<>=!]+|(?<=\s)(?:EQ|NE|LT|LE|GT|GE)(?=\s)", re.IGNORECASE)
_IS_NULL = re.compile(r"IS\s+(?P<not>NOT\s+)?NULL\b", re.IGNORECASE)
_WORD = re.compile(r"(?P<not>NOT\s+)?(?P<word>LIKE|BETWEEN|IN)(?=[\s('\"])", re.IGNORECASE)
_IMAGE = re.compile(
    rf"(?P<image>BEFORE|AFTER)\s+(?=(?:{_NAME})\s*(?:[<>=!]|\s(?:IS|NOT|LIKE|BETWEEN|IN|EQ|NE|LT|LE|GT|GE)\b))",
    re.IGNORECASE,
)
_CHANGED = re.compile(rf"CHANGED\s+(?=(?:{_NAME})\s*(?:\Z|\)|AND\b|OR\b))", re.IGNORECASE)
_QUOTED = re.compile(r"""X?'(?:[^']|'')*'|"(?:[^"]|"")*\"""", re.IGNORECASE)
_BLANK = re.compile(r"\s*")
_ENDS = {
    signs: re.compile(rf"(?<!\s)\s+(?:AND|OR)(?=[\s(]|\Z)|{f'[{signs}]|' if signs else ''}\Z", re.IGNORECASE)
    for signs in ("", ")", ",)")
}
"""The end of a value that is not in quotes, by the signs that end it too. Blanks are looked at once, not from each."""
_UPDATES = tuple(number for number, op in OPERATIONS.items() if "UPDATE" in op)
_BEGINS = re.compile(
    r"""\(*\s*(?:(?:BEFORE|AFTER)\s+)?(?:[\w$\#]+\.)*(?:[\w$\#]+)\s*
    (?:<=|>=|<>|!=|==|=|<|>|\sIS\s+(?:NOT\s+)?NULL\s*(?:\Z|\)|\sAND\s|\sOR\s)
    |\s(?:NOT\s+)?(?:LIKE\s*['"]|BETWEEN\s.+\sAND\s|IN\s*\())""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def begins_condition(text: str) -> bool:
    """Return True if a text begins like a condition on a column, and not like any other text."""
    return _BEGINS.match(text) is not None or re.fullmatch(r"CHANGED\s+[\w$#.]+", text, re.IGNORECASE) is not None


class NamedColumn(NamedTuple):
    """A column that a condition names, and the table before it; empty without one."""

    table: str
    name: str


@dataclass(frozen=True)
class ColumnTest(ValueCriterion):
    """A test of the values of the columns of a name that is more than one comparison, or of one image."""

    column: str
    is_exact: bool
    value_test: ValueTest
    text: str
    of_image: ImageSide = ImageSide.EITHER

    @property
    def test(self) -> ValueTest:
        """See ValueCriterion."""
        return self.value_test

    @property
    def image(self) -> ImageSide:  # type: ignore[override]
        """The image whose values are tested."""
        return self.of_image

    def compares(self, definition: ColumnDefinition) -> bool:
        """See ValueCriterion."""
        return ColumnOperand(self.column, self.is_exact, NULL).is_of(definition.name)

    def describe(self) -> list[tuple[str, ...]]:
        """Return the condition as it may be entered."""
        return [(f"{self.of_image.value} {_shown_name(self.column, is_exact=self.is_exact)} {self.text}".lstrip(),)]


@dataclass(frozen=True)
class ColumnChanged(Criterion):
    """CHANGED: updates that change a column, by what LIST shows as changed."""

    column: str
    is_exact: bool
    keyword: ClassVar[str] = "VALUE"
    label: ClassVar[str] = "Value"
    uses: ClassVar[Needs] = Needs.NAME | Needs.DATA | Needs.VALUES
    is_slow: ClassVar[bool] = True

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records of updates, one or both of an update in two records, that change the column."""
        source = rows.source

        def holds(record: Record) -> bool | None:
            change = change_of(source.trail, record, source.definitions)
            if change is not None and any(column.definition is None for column in change.columns):
                return None
            return change is not None and any(map(self._is_changed, change.columns))

        return rows.by_record(holds, rows.any_of("io_type", _UPDATES))

    def _is_changed(self, column: ColumnChange) -> bool:
        if not ColumnOperand(self.column, self.is_exact, NULL).is_of(column.name):
            return False
        return column.is_changed or (column.before is None and column.after is not None and not column.is_key)

    def describe(self) -> list[tuple[str, ...]]:
        """Return the condition as it may be entered."""
        return [(f"CHANGED {_shown_name(self.column, is_exact=self.is_exact)}",)]


@dataclass(frozen=True)
class Combination(Criterion):
    """Conditions joined by AND if ``is_all``, else by OR."""

    parts: tuple[Criterion, ...]
    is_all: bool
    keyword: ClassVar[str] = "VALUE"
    label: ClassVar[str] = "Value"
    is_slow: ClassVar[bool] = True

    @property
    def statement(self) -> str:
        """The option, with moments in GMT."""
        return f"{self.keyword} {self.describe()[0][0]}"

    @property
    def needs(self) -> Needs:
        """See Criterion."""
        needs = Needs.NOTHING
        for part in self.parts:
            needs |= part.needs
        return needs

    def mask(self, rows: FilterRows) -> Mask:
        """See Criterion."""
        return combined_mask(self.parts, rows, is_all=self.is_all)

    def describe(self) -> list[tuple[str, ...]]:
        """Return the conditions as they may be entered."""
        texts = (part.describe()[0][0] for part in self.parts)
        nested = (isinstance(part, Combination) for part in self.parts)
        joined = (" AND " if self.is_all else " OR ").join(
            f"({text})" if is_nested else text for text, is_nested in zip(texts, nested, strict=True)
        )
        return [(joined,)]


@dataclass(frozen=True)
class OfTable(Criterion):
    """A condition on a column of the tables of a name."""

    table: str
    condition: Criterion
    keyword: ClassVar[str] = "VALUE"
    label: ClassVar[str] = "Value"
    uses: ClassVar[Needs] = Needs.NAME | Needs.DATA | Needs.VALUES
    is_slow: ClassVar[bool] = True

    def mask(self, rows: FilterRows) -> Mask:
        """See Criterion."""
        named = FileName((self.table, f"*.{self.table}"))
        return combined_mask((named, self.condition), rows, is_all=True)

    def describe(self) -> list[tuple[str, ...]]:
        """Return the condition as it may be entered, with the table before the column."""
        text = self.condition.describe()[0][0]
        words = "CHANGED ", "BEFORE ", "AFTER "
        word = next((word for word in words if text.startswith(word)), "")
        return [(f"{word}{self.table}.{text.removeprefix(word)}",)]


def columns_in(criterion: Criterion) -> Iterator[NamedColumn]:
    """Yield the columns that a condition names."""
    if isinstance(criterion, Combination):
        for part in criterion.parts:
            yield from columns_in(part)
    elif isinstance(criterion, OfTable):
        yield from (column._replace(table=criterion.table) for column in columns_in(criterion.condition))
    elif isinstance(criterion, ColumnValue | ColumnTest | ColumnChanged):
        yield NamedColumn("", criterion.column)


def _shown_name(name: str, *, is_exact: bool) -> str:
    return name_notation(ColumnOperand(name, is_exact, NULL))


class _Subject(NamedTuple):
    """The column that a condition is about, or one of FIELDS: its table, its name as entered, the image, the zone."""

    table: str
    name: str
    image: ImageSide
    offset: TimeOffset

    @property
    def is_field(self) -> bool:
        """True if it is a field of the record header."""
        return not self.table and self.name.upper() in FIELDS

    def compared(self, comparison: Comparison, operand: Operand) -> Criterion:
        """Return the criterion of a comparison. Raises FilterError."""
        if operand.is_null and comparison not in (Comparison.EQUAL, Comparison.NOT_EQUAL):
            raise FilterError("NULL is compared by = and <> only")
        if self.is_field and self.image is ImageSide.EITHER:
            return header_value(self.name.upper(), comparison, operand.as_text, self.offset)
        if self.image is ImageSide.EITHER:
            return ColumnValue(comparison, operand, unquote(self.name), is_quoted(self.name))
        return self.tested(ValueComparison(comparison, operand), f"{comparison.value} {shown_operand(operand)}")

    def tested(self, test: ValueTest, text: str) -> Criterion:
        """Return the criterion of another test, whose text after the column is given. Raises FilterError."""
        if self.is_field:
            raise FilterError(f"{self.name.upper()} is a field of the record: it has no image and is not a text")
        return ColumnTest(unquote(self.name), is_quoted(self.name), test, text, self.image)


def _of_table(table: str, criterion: Criterion) -> Criterion:
    """Return a condition on a column of one table; of any if it is empty."""
    if table and isinstance(criterion, Combination):
        return Combination(tuple(OfTable(table, part) for part in criterion.parts), is_all=criterion.is_all)
    return OfTable(table, criterion) if table else criterion


class ConditionReader:
    """Reads one text.

    Args:
        text: the conditions.
        offset: the zone of times without one.
    """

    def __init__(self, text: str, offset: TimeOffset) -> None:
        self._text, self._offset = text, offset
        self._place = self._depth = 0

    def read(self) -> Criterion:
        """Return the criterion of the whole text. Raises FilterError."""
        criterion = self._alternatives()
        if self._rest:
            raise FilterError(f"{quoted(self._rest)} follows a condition: AND, OR or nothing may")
        return criterion

    @property
    def _rest(self) -> str:
        return self._text[self._place :].strip()

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Return the match of a pattern after blanks, and move past it; None if it does not match."""
        self._place = self._after_blanks()
        match = pattern.match(self._text, self._place)
        self._place = match.end() if match is not None else self._place
        return match

    def _after_blanks(self) -> int:
        blank = _BLANK.match(self._text, self._place)
        return blank.end() if blank is not None else self._place

    def _alternatives(self) -> Criterion:
        return self._joined("OR", lambda: self._joined("AND", self._condition))

    def _joined(self, word: str, read: Callable[[], Criterion]) -> Criterion:
        parts = [read()]
        while self._take(re.compile(rf"{word}(?=[\s(]|\Z)", re.IGNORECASE)):
            parts.append(read())
        return parts[0] if len(parts) == 1 else Combination(tuple(parts), is_all=word == "AND")

    def _condition(self) -> Criterion:
        if self._take(re.compile(r"\(")):
            self._depth += 1
            if self._depth > _MAX_DEPTH:
                raise FilterError(f"more than {_MAX_DEPTH} brackets")
            criterion = self._alternatives()
            if not self._take(re.compile(r"\)")):
                raise FilterError(f"a closing bracket is missing before {quoted(self._rest)}")
            self._depth -= 1
            return criterion
        if self._take(_CHANGED):
            table, name = self._column()
            return _of_table(table, ColumnChanged(unquote(name), is_quoted(name)))
        image = self._take(_IMAGE)
        return self._test(ImageSide[image["image"].upper()] if image else ImageSide.EITHER)

    def _column(self) -> tuple[str, str]:
        begin, match = self._place, self._take(_COLUMN)
        if match is None or not 0 < len(match["name"]) <= _MAX_NAME:
            reason = f"a name has 1 to {_MAX_NAME} characters" if match else ""
            text = self._text[begin:].strip() or self._text
            raise FilterError(reason or f"{quoted(text)} is not a comparison of a column")
        return match["table"].rstrip(".").upper(), match["name"]

    def _test(self, image: ImageSide) -> Criterion:
        """Read a column and what its values are tested for."""
        begin = self._place
        subject = _Subject(*self._column(), image, self._offset)
        if (match := self._take(_IS_NULL)) is not None:
            criterion = subject.compared(Comparison.NOT_EQUAL if match["not"] else Comparison.EQUAL, NULL)
        elif (match := self._take(_WORD)) is not None:
            reader = {"LIKE": self._like, "BETWEEN": self._between, "IN": self._among}[match["word"].upper()]
            criterion = reader(subject, is_negated=bool(match["not"]))
        elif (sign := self._take(_SIGN)) is not None:
            criterion = subject.compared(comparison_named(sign[0]), self._value())
        else:
            raise FilterError(f"{quoted(self._text[begin:].strip())} is not a comparison of a column")
        return _of_table(subject.table, criterion)

    def _like(self, subject: _Subject, *, is_negated: bool) -> Criterion:
        operand = self._value()
        if operand.text is None:
            raise FilterError("LIKE takes a text with % and _")
        return subject.tested(Likeness(operand.text, is_negated), f"{'NOT ' * is_negated}LIKE {shown_operand(operand)}")

    def _between(self, subject: _Subject, *, is_negated: bool) -> Criterion:
        low = self._value()
        if not self._take(re.compile(r"AND(?=\s)", re.IGNORECASE)):
            raise FilterError("BETWEEN takes two values with AND between")
        high = self._value()
        if is_negated:
            parts = subject.compared(Comparison.LESS, low), subject.compared(Comparison.GREATER, high)
            return Combination(parts, is_all=False)
        bounds = (Comparison.GREATER_OR_EQUAL, low), (Comparison.LESS_OR_EQUAL, high)
        compared = tuple(subject.compared(*bound) for bound in bounds)
        if subject.is_field:
            return Combination(compared, is_all=True)
        test = AllTests(tuple(ValueComparison(*bound) for bound in bounds))
        return subject.tested(test, f"BETWEEN {shown_operand(low)} AND {shown_operand(high)}")

    def _among(self, subject: _Subject, *, is_negated: bool) -> Criterion:
        if not self._take(re.compile(r"\(")):
            raise FilterError("IN takes values in brackets, with commas between")
        operands = [self._value(in_list=True)]
        while self._take(re.compile(",")):
            operands.append(self._value(in_list=True))
        if not self._take(re.compile(r"\)")):
            raise FilterError(f"a closing bracket is missing before {quoted(self._rest)}")
        check_count(len(operands))
        comparison = Comparison.NOT_EQUAL if is_negated else Comparison.EQUAL
        if is_negated and not subject.is_field:
            tests = AllTests(tuple(ValueComparison(comparison, operand) for operand in operands))
            return subject.tested(tests, f"NOT IN ({', '.join(map(shown_operand, operands))})")
        parts = tuple(subject.compared(comparison, operand) for operand in operands)
        return parts[0] if len(parts) == 1 else Combination(parts, is_all=is_negated)

    def _value(self, *, in_list: bool = False) -> Operand:
        """Read a value: in quotes, or up to AND, OR, a closing bracket, or in a list a comma."""
        if (match := self._take(_QUOTED)) is not None and self._ends_value(in_list=in_list):
            return read_operand(match[0])
        if match is not None:
            self._place = match.start()
        end = self._bare_end(in_list=in_list)
        text = self._text[self._place : end].strip()
        if not text:
            raise FilterError("a value is missing")
        if text[0] in QUOTES:
            hint = "is not closed by the quote it begins with; a quote inside is doubled"
            raise FilterError(f"{quoted(self._rest)} {hint}")
        self._place = end
        return read_operand(text)

    def _ends_value(self, *, in_list: bool) -> bool:
        """Return whether a value in quotes ends here: nothing follows but what ends one without."""
        return self._bare_end(in_list=in_list) in (self._place, self._after_blanks())

    def _bare_end(self, *, in_list: bool) -> int:
        """Return where a value without quotes ends that begins here."""
        signs = ",)" if in_list else ")" if self._depth else ""
        end = _ENDS[signs].search(self._text, self._place)
        return end.start() if end is not None else len(self._text)


def parse_conditions(text: str, offset: TimeOffset = GMT) -> Criterion:
    """Return the criterion of conditions as they are entered. Raises FilterError."""
    return ConditionReader(text.strip(), offset).read()


OPTIONS = (
    Option(
        "VALUE",
        "VALUE [BEFORE | AFTER] <column> {= | <> | < | <= | > | >= | LIKE} {<value> | NULL}",
        "a column's value before or after, compared by its type (not in Oracle's Logdump)",
        "VALUE PRODUCT_PRICE > 15000",
        parse_conditions,
        Needs.HEADER | Needs.NAME | Needs.DATA | Needs.VALUES,
    ),
)
