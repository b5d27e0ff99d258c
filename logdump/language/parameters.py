"""The types of parameters: numbers, keywords, files, times, names in the trail, text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from logdump.language.reader import ArgumentReader, Context, Parameter
from logdump.language.words import is_keyword, plain, split_words
from logdump.notation.text import whole_number
from logdump.notation.times import TimeOffset, begins_datetime
from logdump.session.errors import ArgumentError, CommandError
from trailformat import IO_TYPES
from trailformat.codec.remote.path import absolute, path_of
from trailformat.codec.remote.url import is_url

T = TypeVar("T")
_QUOTE = '"'


class Number(Parameter[int]):
    """An unsigned number within bounds, as ``notation.text`` reads it; ``what`` describes it in the error."""

    surplus = "takes one number, but got {!r}."

    def __init__(self, syntax: str, least: int = 0, most: int = 2**63 - 1, what: str = "a number", **more: Any) -> None:
        super().__init__(syntax, **more)
        self._least, self._most, self._what = least, most, what

    def parse(self, text: str, context: Context) -> int:  # noqa: ARG002 - the context does not matter
        """Return the number."""
        value = whole_number(text)
        if value is None or not self.accepts(text):
            raise ArgumentError(f"{text!r} is not {self._what}.")
        if not self._least <= value <= self._most:
            raise ArgumentError(f"{text} is out of range: {self._least} to {self._most}.")
        return value

    def accepts(self, word: str) -> bool:
        """Return True if the word is a number, in range or not."""
        return word[:1].isdigit() and whole_number(word) is not None

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if further digits could bring it in range: one digit, or the rest of a group of three."""
        for digits in ("0", "1", "00", "000"):
            try:
                self.parse(typed + digits, context)
            except CommandError:
                continue
            return True
        return False


class OneOf(Parameter[T]):
    """One of several keywords, each with its value; brackets in a keyword mark the part that may be omitted.

    ``wrong`` is the error for any other word, which takes the place of ``{}``.
    """

    is_choice = True

    def __init__(self, values: Mapping[str, T], wrong: str = "", *, syntax: str = "", **more: Any) -> None:
        self._wrong = wrong or f"{{!r}} is not one of {', '.join(map(plain, values))}."
        super().__init__(syntax or " | ".join(map(plain, values)), surplus=self._wrong, **more)
        self.values = values
        self.keywords = tuple(values)

    def parse(self, text: str, context: Context) -> T:  # noqa: ARG002 - the context does not matter
        """Return the value of the keyword."""
        for spelling, value in self.values.items():
            if is_keyword(text, spelling):
                return value
        raise ArgumentError(self._wrong.format(text))

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the next word is one of the keywords, and not in quotes."""
        piece = reader.look(self)
        return piece is not None and not piece.is_value and self.accepts(piece.text)

    def accepts(self, word: str) -> bool:
        """Return True if the word is one of the keywords."""
        return any(is_keyword(word, spelling) for spelling in self.values)

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if a keyword begins with the typed text."""
        return bool(self.offers(typed, context))

    def offers(self, typed: str, context: Context) -> list[str]:  # noqa: ARG002 - the context does not matter
        """Return the keywords that begin with the typed text."""
        return beginning(typed, map(plain, self.values))


ON_OFF = OneOf({"ON": True, "OFF": False})


class FreeText(Parameter[str]):
    """The rest of the text, unchanged."""

    is_phrase = True
    is_open = True

    def parse(self, text: str, context: Context) -> str:  # noqa: ARG002 - the context does not matter
        """Return the text."""
        return text


class Word(FreeText):
    """Any word but the keyword ``other``."""

    is_phrase = False

    def __init__(self, syntax: str, *, other: str = "", **more: Any) -> None:
        super().__init__(syntax, **more)
        self._other = other

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if there is a word, in quotes or not the keyword."""
        piece = reader.look(self)
        return piece is not None and (piece.is_value or self.accepts(piece.text))

    def accepts(self, word: str) -> bool:
        """Return True unless the word is the keyword."""
        return not self._other or not is_keyword(word, self._other)


class MarkName(FreeText):
    """The name of a mark."""

    def parse(self, text: str, context: Context) -> str:  # noqa: ARG002 - the context does not matter
        """Return the name without the quotes around it."""
        return text.strip(_QUOTE)

    def offers(self, typed: str, context: Context) -> list[str]:
        """Return the marks of the session that begin with the typed text."""
        return beginning(typed, context.marks)


class Table(Word):
    """The name of a table, or a wildcard for several."""

    def offers(self, typed: str, context: Context) -> list[str]:
        """Return the tables of the open trail whose names have no blank."""
        return tables_offered(typed, context)


class File(Word):
    """The path of a file or folder, or a wildcard for several."""

    surplus = "takes one file name; put one with blanks into double quotes: {!r}."

    def offers(self, typed: str, context: Context) -> Iterator[str]:  # noqa: ARG002 - the context does not matter
        """Yield the paths that begin with the typed text, which may have an opening quote, if a word can spell them."""
        quote = typed[:1] if typed.startswith(_QUOTE) else ""
        begun = typed[len(quote) :]
        if _QUOTE in begun:
            return
        start = begun.rfind("/") + 1
        folder, name = begun[:start], begun[start:]
        try:
            entries = sorted(path_of(Path(folder)).iterdir())
            paths = [(folder + entry.name, entry.is_dir()) for entry in entries if entry.name.startswith(name)]
        except OSError:
            return
        for path, is_folder in paths:
            is_home = str(Path(path)).startswith("~") and not folder.startswith("~")
            if path.isprintable() and _QUOTE not in path and not is_home:
                yield _spelled(path, quote, is_folder=is_folder)


def _spelled(path: str, quote: str, *, is_folder: bool) -> str:
    """Return a path as a word, quoted if it was or must be; after a folder the quote stays open."""
    quote = quote or (_QUOTE if any(character.isspace() or character in ";," for character in path) else "")
    return f"{quote}{path}/" if is_folder else f"{quote}{path}{quote}"


class EnteredTime(NamedTuple):
    """A time: as it was entered, and in Julian microseconds."""

    text: str
    julian: int


class Time(Parameter[EnteredTime]):
    """A date and time, in quotes or without, in the zone of TIMEOFFSET unless ``zone`` is given.

    ``label`` precedes the error. ``is_end``: True if it ends a range, see ``parse_datetime``.
    """

    is_phrase = True

    def __init__(
        self,
        syntax: str = "<time>",
        *,
        label: str = "",
        zone: TimeOffset | None = None,
        is_end: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(syntax, **more)
        self._label, self._zone, self._is_end = label, zone, is_end

    def parse(self, text: str, context: Context) -> EnteredTime:
        """Return the time."""
        try:
            zone = self._zone or context.offset
            julian = zone.moment(" ".join(split_words(text)), is_end=self._is_end)
        except ValueError as error:
            raise ArgumentError(f"{self._label}{error}.") from error
        return EnteredTime(text.strip(_QUOTE), julian)

    def begins(self, typed: str, context: Context) -> bool:  # noqa: ARG002 - the zone does not matter
        """Return True if further digits could complete the time."""
        return begins_datetime(typed.replace(_QUOTE, ""))


def beginning(typed: str, words: Iterable[str]) -> list[str]:
    """Return the words that begin with the typed text, in any case."""
    return [word for word in words if word.upper().startswith(typed.upper())]


def tables_offered(typed: str, context: Context) -> list[str]:
    """Return the tables of the open trail that begin with the typed text and have no blank, sorted."""
    return sorted({name for name in beginning(typed, context.tables) if name and " " not in name})


def types_offered(typed: str) -> list[str]:
    """Return the record types that begin with the typed text and have no blank."""
    return [name for name in beginning(typed, IO_TYPES.values()) if " " not in name]


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(?://([^/]*))?(/.*)?", re.DOTALL)


def file_path(text: str) -> Path:
    """Return the absolute path or the URL of a file to write. Raises like ``local_path``, and for an empty name."""
    if not text:
        raise ArgumentError("an empty name names no file")
    return absolute(path_of(text if is_url(text) or text.startswith("file:///") else local_path(text)))


def local_path(text: str) -> str:
    """Return a path without ``file:``; a URL of another scheme is refused, so that no folder ``s3a:`` is created.

    Raises:
        ArgumentError: the text has another scheme, or names another machine.
    """
    match = _SCHEME.fullmatch(text)
    if not match or (match[2] is None and match[3] is None):
        return text
    scheme, machine, path = match[1].lower(), match[2] or "", match[3]
    if scheme != "file":
        raise ArgumentError(f"{text}: only files of this machine's own paths are read and written, not {match[1]}:")
    if path is None or machine.lower() not in ("", "localhost"):
        raise ArgumentError(f"{text}: a path of this machine is file:///path or /path, not one of {machine}")
    return "/" + path.lstrip("/")
