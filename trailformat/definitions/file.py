"""Definitions files of DEFGEN: the columns of tables, for trails without definitions.

    *+- Defgen version 5.0, Encoding windows-1252
    * comments
    Database type: ORACLE
    Character set ID: we8mswin1252
    Definition for table SCOTT.DEPT
    Record length: 50
    Syskey: 0
    Columns: 3
    DEPTNO  134      8        0  0  0 1 0      8      8      8 0 0 0 0 1    0 1   3    2       -1      0 0 0
    …
    End of definition

The first line and the lines about the database were added in later releases; files without them are read too. A column
has its name and 17 numbers, from version 2 on 18, in version 5 23; the fields are those that the file's own comments
name. (Public files of versions 2.0 and 5.0, one without a version; transcripts of 21c print the same lines.)
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trailformat.codec import charsets
from trailformat.codec.charsets import BY_NAME, DATABASE
from trailformat.codec.mapped_file import open_regular
from trailformat.definitions.metadata import ELEMENTARY, KEY, NULLABLE, TAIL_12_2, ColumnDefinition, TableDefinition
from trailformat.errors import BadData, not_opened

MOST_BYTES = 1 << 28
_LEAST_NUMBERS, _MOST_NUMBERS = 17, 23
_MOST_COLUMNS = 1 << 16
_LONGEST_LINE = 1 << 14
_VERSION = re.compile(r"\*\+- *Defgen version (\d{1,9}(?:\.\d{1,9})?)(?:, *Encoding (\S{1,64}))?", re.IGNORECASE)
_PROPERTY = re.compile(r"([A-Za-z ]{1,40}): *(.*)")
_TABLE = re.compile(r"Definition for (?:table|record|file|def\w*) +(\S.*)", re.IGNORECASE)
_END = "end of definition"
_NUMBER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_QUOTED = re.compile(r'"((?:[^"]|"")+)"')
_BITS = 32
_FIELDS = (
    "data_type",
    "external_length",
    "fetch_offset",
    "scale",
    "level",
    "null",
    "bump_if_odd",
    "internal_length",
    "binary_length",
    "table_length",
    "most_significant",
    "least_significant",
    "high_precision",
    "low_precision",
    "elementary",
    "occurs",
    "key",
    "sub_data_type",
    "native_type",
    "charset",
    "character_length",
    "lob_type",
    "partial_type",
)
"""Fields 2 to 24 of a column."""
_STORED = frozenset(ColumnDefinition._fields)
_MAY_BE_NEGATIVE = frozenset({"scale", "sub_data_type", "native_type", "charset"})


class FileTable(NamedTuple):
    """A table of a definitions file.

    Attributes:
        name: the name in the file, without quotes.
        line: the number of its first line.
        record_length: size in bytes of a full record image.
        definition: its columns.
    """

    name: str
    line: int
    record_length: int
    definition: TableDefinition


class DefinitionsFile(NamedTuple):
    """A definitions file.

    Attributes:
        version: from its first line; empty without one.
        encoding: the character set of the file itself, from its first line.
        properties: values of the lines about the database, by the words before the colon.
        tables: the tables by name.
    """

    version: str
    encoding: str
    properties: dict[str, str]
    tables: dict[str, FileTable]

    @property
    def charset(self) -> str:
        """The codec of the database's character set; UTF-8 if none is named or it is unknown."""
        named = self.properties.get("Character set ID", "")
        number = BY_NAME.get(named.upper())
        return (charsets.codec_of(number) if number is not None else charsets.codec_named(named)) or charsets.UTF_8

    def table(self, name: str) -> FileTable | None:
        """Return the table with this name, in any case if only one such table exists; None if not found."""
        if name in self.tables or not name:
            return self.tables.get(name)
        fitting = [table for key, table in self.tables.items() if key.upper() == name.upper()]
        return fitting[0] if len(fitting) == 1 else None


def read_definitions(path: str | os.PathLike[str]) -> DefinitionsFile:
    """Return the definitions file at ``path``.

    Raises:
        NotATrail: it cannot be opened.
        CannotRead: reading it has failed.
        BadData: it is not a definitions file; the line is named.
    """
    path = Path(path)
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise not_opened(error, path) from error
    try:
        return parse_definitions(data)
    except BadData as error:
        raise error.at(path, None) from None


def parse_definitions(data: bytes) -> DefinitionsFile:
    """Return the definitions in the bytes of a file.

    Raises:
        BadData: they are not definitions, or one of them contradicts itself; the line is named.
    """
    if len(data) > MOST_BYTES:
        raise BadData("too large for a definitions file", expected=f"at most {MOST_BYTES} bytes")
    first = _VERSION.match(data[:200].decode("latin-1"))
    version, encoding = (first[1], first[2] or "") if first else ("", "")
    properties: dict[str, str] = {}
    tables: dict[str, FileTable] = {}
    lines = _Lines(_text(data, encoding))
    for line in lines:
        if match := _TABLE.fullmatch(line):
            table = _table(match[1], lines)
            tables[table.name] = table
        elif match := _PROPERTY.fullmatch(line):
            properties[match[1].strip()] = match[2].strip()
        else:
            raise lines.error("neither a definition nor a comment", "Definition for table …", line)
    if not tables:
        raise BadData("no table in this file", expected="Definition for table …")
    return DefinitionsFile(version, encoding, properties, tables)


def _text(data: bytes, encoding: str) -> str:
    """Return the text in the encoding that the file names; without one in UTF-8, or if invalid in Latin-1."""
    codec = charsets.codec_named(encoding) if encoding else None
    if encoding and codec is None:
        raise BadData(f"line 1: encoding {encoding} is not known")
    if codec is not None:
        try:
            return charsets.decode(data, codec)
        except BadData as error:
            raise BadData(f"line 1: the file is not in the encoding it names: {error.problem}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Lines:
    """The lines of a file without comments and empty lines; ``number`` is that of the last one returned."""

    def __init__(self, text: str) -> None:
        self.number = 0
        self._lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def __iter__(self) -> Iterator[str]:
        while (line := self.take()) is not None:
            yield line

    def take(self) -> str | None:
        """Return the next line; None at the end."""
        while self.number < len(self._lines):
            line = self._lines[self.number].strip(" \t\0\x1a")
            self.number += 1
            if len(line) > _LONGEST_LINE:
                raise self.error("line is too long", f"at most {_LONGEST_LINE} characters", f"{len(line)}")
            if line and not line.startswith("*"):
                return line
        return None

    def error(self, problem: str, expected: str, found: str) -> BadData:
        """Return an error at the last line returned."""
        return BadData(f"line {self.number}: {problem}", expected=expected, found=repr(found[:60]))


def _table(name: str, lines: _Lines) -> FileTable:
    start = lines.number
    sizes: dict[str, int] = {}
    columns: list[ColumnDefinition] = []
    while (line := lines.take()) is not None:
        if line.lower() == _END:
            return _checked(_unquoted(name), start, sizes, columns, lines)
        match = _PROPERTY.fullmatch(line)
        if match and not columns and _NUMBER.fullmatch(match[2]):
            sizes[match[1].strip().lower()] = int(match[2])
        elif _TABLE.fullmatch(line):
            break
        else:
            columns.append(_column(line, lines))
    raise lines.error(f"definition of {name} from line {start} on has no end", "End of definition", line or "")


def _checked(name: str, start: int, sizes: dict[str, int], columns: list[ColumnDefinition], lines: _Lines) -> FileTable:
    announced = sizes.get("columns", len(columns))
    if announced != len(columns) or len(columns) > _MOST_COLUMNS:
        problem = f"definition of {name}: the number of columns does not match"
        raise lines.error(problem, str(announced), str(len(columns)))
    keys = sum(column.is_key for column in columns)
    definition = TableDefinition(1, keys, tuple(columns))
    return FileTable(name, start, sizes.get("record length", 0), definition)


def _unquoted(name: str) -> str:
    return _QUOTED.sub(lambda part: part[1].replace('""', '"'), name.strip())


def _column(line: str, lines: _Lines) -> ColumnDefinition:
    quoted = _QUOTED.match(line)
    words = line[quoted.end() :].split() if quoted else line.split()
    name_words = (
        0 if quoted else next((index for index, word in enumerate(words) if index and _NUMBER.fullmatch(word)), 1)
    )
    name = quoted[1].replace('""', '"') if quoted else " ".join(words[:name_words])
    numbers: list[int] = []
    for word in words[name_words:]:
        if not _NUMBER.fullmatch(word) or len(numbers) == _MOST_NUMBERS:
            break
        numbers.append(int(word))
    if len(numbers) < _LEAST_NUMBERS:
        raise lines.error(f"column {name} lacks numbers", f"{_LEAST_NUMBERS} to {_MOST_NUMBERS}", line)
    for field, number in zip(_FIELDS, numbers, strict=False):
        least = -(1 << _BITS - 1) if field in _MAY_BE_NEGATIVE else 0
        if not least <= number < 1 << _BITS:
            raise lines.error(f"column {name} has an impossible {field}", f"{least} to {(1 << _BITS) - 1}", str(number))
    return _definition(name, numbers)


def _definition(name: str, numbers: list[int]) -> ColumnDefinition:
    """Return the column of the numbers of fields 2 to 24; missing ones (older versions) are 0, the character set -1."""
    field = dict(zip(_FIELDS, numbers, strict=False))
    flags = (("key", KEY), ("null", NULLABLE), ("elementary", ELEMENTARY))
    known = {key: field.get(key, DATABASE if key == "charset" else 0) for key in _FIELDS if key in _STORED}
    return ColumnDefinition(
        name=name, reserved=0, flags=sum(bit for key, bit in flags if field.get(key)), tail=TAIL_12_2, **known
    )
