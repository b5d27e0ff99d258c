"""Read the arguments of a command in one pass over the text, by the form that the command declares.

A form determines the value that the command runs with, its line in HELP, the offers of Tab, and whether a line that is
being typed is valid. An unfinished text is read like any other: Tab offers the parameters that were expected at its
last word.
"""

from __future__ import annotations

import enum
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar

from logdump.notation.times import GMT, TimeOffset
from logdump.session.errors import ArgumentError, CommandError
from trailformat.codec.remote.url import lacks_secret

T = TypeVar("T")
_QUOTE = '"'


class Validity(enum.Enum):
    """The validity of a line; INCOMPLETE: further text may make it valid."""

    VALID = "valid"
    INCOMPLETE = "incomplete"
    ERROR = "error"


def _no_columns(_table: str) -> Iterable[str]:
    return ()


class Context(NamedTuple):
    """The context of arguments: the zone of times; for completion, the names in the trail and the marks.

    ``columns_of`` returns the names of the columns of a table.
    """

    offset: TimeOffset = GMT
    tables: Iterable[str] = ()
    marks: Iterable[str] = ()
    columns_of: Callable[[str], Iterable[str]] = _no_columns


class Stretch(NamedTuple):
    """A part of the text: a word without its quotes, or a phrase with them. ``end`` is exclusive.

    ``is_value`` is True for a word in quotes and for a given value: neither is a keyword. ``value_in`` is that of the
    given value.
    """

    text: str
    start: int
    end: int
    is_value: bool = False
    value_in: Callable[[Context], Any] | None = None


class Expectation(NamedTuple):
    """A parameter that was expected at the end of the text; ``typed`` is its text so far."""

    parameter: Parameter[Any]
    typed: str


class ArgumentReader:
    """The text of the arguments, and how far it has been read.

    ``values`` replace words of the text, by the offset at which each begins: they may have any characters.

    Attributes:
        at: offset up to which the text has been read.
        begin: offset after the innermost keyword.
        ends: characters that end a word besides a blank.
        keywords: parameter whose keywords end a phrase.
        expected: parameters that the last word may be.
        unoffered: forms that are accepted here, but not offered.
        is_unfinished: True if further text may correct the error.
    """

    def __init__(
        self, text: str, context: Context, ends: str = "", values: Mapping[int, Stretch] = MappingProxyType({})
    ) -> None:
        self.text = text
        self.context = context
        self._values = values
        self.ends = ends
        self.at = self.begin = 0
        self.keywords: Parameter[Any] | None = None
        self.expected: list[Expectation] = []
        self.unoffered: list[Form[Any]] = []
        self.is_unfinished = False
        self._declined: list[tuple[int, Form[Any]]] = []

    @property
    def rest(self) -> str:
        """The text that has not been read."""
        return self.text[self.at :].strip()

    def look(self, parameter: Parameter[Any]) -> Stretch | None:
        """Return the next word or phrase, as the parameter takes it, None at the end. The text is not consumed."""
        piece = self._phrase() if parameter.is_phrase else self.word()
        if piece is not None and piece.end == len(self.text):
            self.expected.append(Expectation(parameter, self.text[piece.start :]))
        elif piece is None and not self.rest and (not self.text or self.text[-1] in self.ends + " \t"):
            self.expected.append(Expectation(parameter, ""))
        return piece

    def word(self, offset: int | None = None) -> Stretch | None:
        """Return the next word, which may have quoted blanks; None at the end or before a character of ``ends``.

        Quotes are removed; two of them inside quotes are one of the word.
        """
        text, letters, quoted = self.text, list[str](), False
        start = offset = self._after_blanks(self.at if offset is None else offset)
        if start in self._values:
            return self._values[start]
        while offset < len(text) and (quoted or not (text[offset].isspace() or text[offset] in self.ends)):
            is_doubled = quoted and text.startswith(_QUOTE * 2, offset)
            if text[offset] != _QUOTE or is_doubled:
                letters.append(text[offset])
            quoted ^= text[offset] == _QUOTE and not is_doubled
            offset += 1 + is_doubled
        is_value = offset > start + 1 and text[start] == text[offset - 1] == _QUOTE
        return Stretch("".join(letters), start, offset, is_value) if offset > start else None

    def _after_blanks(self, offset: int) -> int:
        while offset < len(self.text) and self.text[offset].isspace():
            offset += 1
        return offset

    def _phrase(self) -> Stretch | None:
        """Return the words up to a keyword, a character of ``ends`` or the end, unchanged."""
        first = last = self.word()
        if first is None or last is None or self._is_keyword(first):
            return None
        if first.start in self._values:
            return first
        while (word := self.word(last.end)) and not (self._is_keyword(word) or word.start in self._values):
            last = word
        if self.keywords is not None and last != first and last.end == len(self.text):
            self.expected.append(Expectation(self.keywords, last.text))
        end = last.end if self.text[last.end :].strip() else len(self.text)
        return Stretch(self.text[first.start : end], first.start, end)

    def _is_keyword(self, word: Stretch) -> bool:
        return self.keywords is not None and not word.is_value and self.keywords.accepts(word.text)

    def skip(self, character: str) -> bool:
        """Consume a character and the blanks before it; return False if another character is next."""
        offset = self._after_blanks(self.at)
        is_next = self.text.startswith(character, offset)
        self.at = offset + 1 if is_next else self.at
        return is_next

    def comes(self, form: Form[Any]) -> bool:
        """Return True if a form fits, without adding it to ``expected``."""
        known = len(self.expected)
        fits = form.fits(self)
        del self.expected[known:]
        return fits

    def decline(self, form: Form[Any]) -> None:
        """Remember a form that does not fit here: if the next word is surplus, its error may be the better one."""
        self._declined.append((self.at, form))

    def missing(self, message: str) -> ArgumentError:
        """Return the error for a missing word."""
        self.is_unfinished = not self.rest
        return ArgumentError(message)

    def wrong(self, message: str, word: Stretch) -> ArgumentError:
        """Return the error for a word that does not fit; the word takes the place of ``{}``."""
        self.refuse(word)
        return ArgumentError(message.format(word.text))

    def refuse(self, piece: Stretch) -> None:
        """Set ``is_unfinished`` if further text could make a refused piece fit."""
        known = len(self.expected)
        for form in self.unoffered:
            form.fits(self)
        self.is_unfinished = piece.end == len(self.text) and self.begins(self.expected)
        del self.expected[known:]

    def begins(self, expected: Iterable[Expectation]) -> bool:
        """Return True if further text could make the last word one of these parameters."""
        return any(
            parameter.begins(typed if parameter.is_phrase else typed.replace(_QUOTE, ""), self.context)
            for parameter, typed in expected
        )

    def finish(self, form: Form[Any]) -> None:
        """Check that the whole text has been read.

        Raises:
            CommandError: text is left.
        """
        if not self.rest:
            return
        word = self.word()
        if form.surplus == Form.surplus or (word is not None and not self.text[word.end :].strip()):
            for offset, declined in self._declined:
                if offset == self.at == self.begin:
                    declined.read(self)
        if word is not None:
            self.refuse(word)
        raise ArgumentError(form.surplus.format(self.text.strip()))


class Form(ABC, Generic[T]):
    """The form of arguments, and the type of value that they are converted to.

    Attributes:
        syntax: as HELP prints it.
        surplus: the error for surplus words; the whole text takes the place of ``{}``.
        ends: the characters that end a word besides a blank, for all of the text.
        keywords: the keywords that it begins with.
        is_choice: True if the syntax is a choice, which is put in braces as part of a longer syntax.
        is_open: True if any word fits, so that every other form takes precedence.
    """

    syntax: str = ""
    surplus: str = "cannot read {!r}."
    ends: str = ""
    keywords: tuple[str, ...] = ()
    is_choice: bool = False
    is_open: bool = False

    @property
    def grouped(self) -> str:
        """The syntax as part of a longer one, in braces if it is a choice."""
        return f"{{{self.syntax}}}" if self.is_choice and " | " in self.syntax else self.syntax

    @abstractmethod
    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the next word begins the form."""

    @abstractmethod
    def read(self, reader: ArgumentReader) -> T:
        """Read the arguments and return their value.

        Raises:
            CommandError: the next words do not fit.
        """


class Parameter(Form[T]):
    """A form of one word or one phrase.

    Args:
        syntax: as HELP prints it.
        missing: the error for a missing one; the whole text takes the place of ``{}``.
        surplus: the error for more than one word.

    Attributes:
        is_phrase: True if it takes all words up to a comma, a keyword or the end; False: one word.
        is_compared: True if it is compared with what a trail has: without a password that was left out it is another.
    """

    is_phrase = False
    is_compared = False

    def __init__(self, syntax: str = "", *, missing: str = "", surplus: str = "") -> None:
        self.syntax = syntax
        self.surplus = surplus or self.surplus
        self._missing = missing

    @abstractmethod
    def parse(self, text: str, context: Context) -> T:
        """Return the value of a word or phrase.

        Raises:
            CommandError: the text is not a value.
        """

    def accepts(self, word: str) -> bool:  # noqa: ARG002 - most parameters accept any word
        """Return True if a word looks like a value."""
        return True

    def begins(self, typed: str, context: Context) -> bool:  # noqa: ARG002 - most accept any text that may go on
        """Return True if further text could make a refused text valid."""
        return False

    def offers(self, typed: str, context: Context) -> Iterable[str]:  # noqa: ARG002 - most parameters have no offers
        """Return the words that can replace the last word typed."""
        return ()

    def _absent(self, context: Context) -> str:
        """Return the error for a missing word: that of an empty one, or else the syntax."""
        try:
            self.parse("", context)
        except CommandError as error:
            return str(error)
        return f"takes {self.grouped}."

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the next word looks like a value."""
        piece = reader.look(self)
        return piece is not None and self.accepts(piece.text)

    def read(self, reader: ArgumentReader) -> T:
        """Read the next word or phrase and return its value."""
        piece = reader.look(self)
        if piece is None:
            raise reader.missing(self._missing.format(reader.text.strip()) or self._absent(reader.context))
        try:
            value = self._value(piece, reader.context)
        except CommandError:
            reader.refuse(piece)
            raise
        reader.at = piece.end
        return value

    def _value(self, piece: Stretch, context: Context) -> T:
        if self.is_compared and lacks_secret(piece.text):
            raise CommandError(
                "The text has a URL with a password or a signature, which no line keeps: it cannot be looked for. "
                "Look for a part of it without the scheme, as user:password@host."
            )
        if piece.value_in is not None:
            value: T = piece.value_in(context)
            return value
        return self.parse(piece.text.strip() if self.is_phrase and not piece.is_value else piece.text, context)


class Partial(NamedTuple, Generic[T]):
    """The result for a text that may be unfinished: its value or the error, and the parameters expected at its end."""

    value: T | None
    error: CommandError | None
    validity: Validity
    expected: list[Expectation]


def parse_partial(form: Form[T], text: str, context: Context) -> Partial[T]:
    """Read a text that may be unfinished."""
    reader = ArgumentReader(text, context, form.ends)
    try:
        value = _read(reader, form)
    except CommandError as error:
        validity = Validity.INCOMPLETE if reader.is_unfinished else Validity.ERROR
        return Partial(None, error, validity, reader.expected)
    return Partial(value, None, Validity.VALID, reader.expected)


def parse(form: Form[T], text: str, context: Context, values: Mapping[int, Stretch] = MappingProxyType({})) -> T:
    """Return the value of a text, in which ``values`` replace words, by the offset at which each begins.

    Raises:
        CommandError: the text is unfinished or wrong; usually an ArgumentError.
    """
    return _read(ArgumentReader(text, context, form.ends, values), form)


def _read(reader: ArgumentReader, form: Form[T]) -> T:
    value = form.read(reader)
    reader.finish(form)
    return value
