"""A command and its arguments as values: what a verb of the shell runs, and the line that means the same.

    Call("SAFE", (ValueWord("2,913"),))               SAFE 2,913
    Call("CHECK", (ValueWord("a;b"),))                CHECK "a;b"
    Call("LIST", ("ALL",))                        LIST ALL

A value is not read from the line: it may have any characters, and is never a keyword.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from logdump.language.reader import Context, Form, Stretch, parse
from logdump.language.words import split_commands

_QUOTE = '"'
_LONGEST_NAME = 2
"""Words of letters alone that are longer, and those of _SHORT_KEYWORDS, may be keywords: they are put in quotes."""
_SHORT_KEYWORDS = ("TO", "BY")


class ValueWord(NamedTuple):
    """A value among the words of a call.

    Attributes:
        text: the text that the form reads, and the line shows.
        is_phrase: True if the line shows the text as it is.
        value_in: returns the value where it is not read from the text by the form. Raises CommandError.
    """

    text: str
    is_phrase: bool = False
    value_in: Callable[[Context], Any] | None = None


class PhraseEnd(NamedTuple):
    """A keyword that ends a phrase before it, whatever the phrase is."""

    text: str


Argument = str | ValueWord | PhraseEnd
"""A word of a call; text is typed words."""


class Call(NamedTuple):
    """A command with its arguments: words as they are typed, and values.

    Attributes:
        name: the full name of the command.
        words: the arguments, in order.
        label: what messages call it, such as ``--since``; empty: the command itself.
    """

    name: str
    words: tuple[Argument, ...] = ()
    label: str = ""

    @property
    def line(self) -> str:
        """The line that means the same, if :meth:`is_typed`."""
        return f"{self.name} {self._text()[0]}".rstrip()

    @property
    def is_typed(self) -> bool:
        """True if the line can be typed: it is one command, without control characters."""
        return self.line.isprintable() and split_commands(self.line) == [self.line]

    def read(self, form: Form[Any], context: Context) -> Any:
        """Return the value of the arguments. Raises CommandError."""
        text, values = self._text()
        return parse(form, text, context, values)

    def _text(self) -> tuple[str, dict[int, Stretch]]:
        """Return the arguments as text, and the values in it by the offsets at which they begin."""
        text, values = "", dict[int, Stretch]()
        for word in self.words:
            text += " " if text else ""
            shown = word if isinstance(word, str) else word.text
            if isinstance(word, ValueWord):
                shown = shown if word.is_phrase else quoted(shown)
            if not isinstance(word, str):
                is_value = isinstance(word, ValueWord)
                value_in = word.value_in if isinstance(word, ValueWord) else None
                values[len(text)] = Stretch(word.text, len(text), len(text) + len(shown), is_value, value_in)
            text += shown
        return text, values


def quoted(word: str) -> str:
    """Return a value as a word of a line, in quotes if it would be read otherwise; quotes inside are doubled."""
    has_separators = not word or any(character.isspace() or character in ';,"' for character in word) or word[0] in "-#"
    may_be_keyword = word.isalpha() and (len(word) > _LONGEST_NAME or word.upper() in _SHORT_KEYWORDS)
    return in_quotes(word) if has_separators or may_be_keyword else word


def phrase(name: str, text: str) -> str:
    """Return a phrase of a command as it is typed: in quotes if a semicolon in it would end the command."""
    line = f"{name} {text}".rstrip()
    return text if split_commands(line) == [line] else in_quotes(text)


def in_quotes(text: str) -> str:
    """Return a text in double quotes, those inside doubled."""
    return _QUOTE + text.replace(_QUOTE, _QUOTE * 2) + _QUOTE
