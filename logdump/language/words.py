"""Split a line into commands and a command into words; complete the last word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logdump.language.command import Registry
from logdump.language.reader import Context, Validity, parse_partial
from logdump.session.errors import CommandError
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.notation import sql_tokens

_QUOTE = '"'
_COMMENTS = ("--", "#")
_PIECES = re.compile(r'"[^"]*"?|[^";]+|;')
"""Quoted text, other text, and the separator of commands."""
_SQL = re.compile(r"\s*SQL\s", re.IGNORECASE)
_WORDS = re.compile(r'(?:"[^"]*"?|[^\s"]+)+')
MOST_CHARACTERS = 1 << 20
"""Maximum length of a line; a longer one is not executed."""


def split_commands(line: str) -> list[str]:
    """Return the commands of a line that are not empty, split at ``;`` outside double quotes, in SQL also single ones.

    A line that begins with ``--``, as in GoldenGate's parameter files, or with ``#`` is a comment without commands.
    """
    if line.lstrip().startswith(_COMMENTS):
        return []
    commands = (line[begin:end].strip() for begin, end in _bounds(line))
    return [command for command in commands if command]


def _bounds(line: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each command of a line, also of empty ones."""
    begin = 0
    while begin <= len(line):
        end = next((offset for offset, piece in _pieces(line, begin) if piece == ";"), len(line))
        yield begin, end
        begin = end + 1


def _pieces(line: str, begin: int) -> Iterator[tuple[int, str]]:
    """Yield the offset and text of each piece of a line from ``begin`` on; for a command SQL, of each token."""
    if _SQL.match(line, begin):
        return ((token.begin, token.text) for token in sql_tokens.STANDARD.tokens_of(line, begin))
    return ((piece.start(), piece[0]) for piece in _PIECES.finditer(line, begin))


def split_calls(line: str) -> list[tuple[str, str]]:
    """Return the first word and the arguments of each command of a line."""
    return [first_word(command) for command in split_commands(line)]


def split_words(text: str) -> list[str]:
    """Return the words of a command, split at blanks outside double quotes; the quotes are removed."""
    return [word.replace(_QUOTE, "") for word in _WORDS.findall(text)]


def last_command(line: str) -> int:
    """Return the offset at which the last command of a line begins."""
    return [begin for begin, _ in _bounds(line)][-1]


def last_word(line: str) -> int:
    """Return the offset of the last word of a line, or of its opening quote; unquoted blanks and ``;`` end a word."""
    start, quoted = 0, False
    for offset, character in enumerate(line):
        quoted ^= character == _QUOTE
        if character in "; " and not quoted:
            start = offset + 1
    return start


def first_word(text: str) -> tuple[str, str]:
    """Return the first word of ``text``, up to a blank or a comma, and the rest without leading blanks."""
    text = text.lstrip()
    end = next((offset for offset, character in enumerate(text) if character.isspace() or character == ","), len(text))
    return text[:end], text[end:].lstrip()


def is_keyword(word: str, spelling: str) -> bool:
    """Return True if ``word`` spells a keyword whose optional part is in brackets: ``REV[ERSE]``; case is ignored."""
    shortest, _, optional = spelling.rstrip("]").partition("[")
    word = word.upper()
    return len(word) >= len(shortest) and (shortest + optional).startswith(word)


def plain(spelling: str) -> str:
    """Return the full keyword: ``REVERSE`` for ``REV[ERSE]``."""
    return spelling.replace("[", "").replace("]", "")


def complete(registry: Registry, line: str, context: Context = Context()) -> list[str]:  # noqa: B008 - it is a constant
    """Return the words that can replace the last word of ``line``.

    A path with blanks is offered in double quotes; after a folder the quote stays open.
    """
    command_text = line[last_command(line) :].lstrip()
    word, rest = first_word(command_text)
    if not rest and not command_text.endswith(" "):
        return [name for name in registry.words() if name.startswith(word.upper())]
    try:
        command = registry.find(word)
    except CommandError:
        return []
    last, offers = line[last_word(line) :], list[str]()
    for parameter, typed in parse_partial(command.form, rest, context).expected:
        before = last[: len(last) - len(typed[last_word(typed) :])]
        offers += [before + offer for offer in parameter.offers(typed, context)]
    return list(dict.fromkeys(offers))


def completed(line: str, offers: Sequence[str]) -> str:
    """Return the line with its last word replaced by the only offer, or by the common beginning of all offers."""
    if not offers:
        return line
    start = last_word(line)
    if len(offers) == 1:
        return line[:start] + offers[0] + ("" if offers[0].endswith("/") else " ")
    letters = enumerate(zip(*offers, strict=False))
    common = next((index for index, (first, *others) in letters if {first} != {first, *others}), min(map(len, offers)))
    return line[:start] + offers[0][:common] if common > len(line) - start else line


def validity(registry: Registry, line: str, context: Context = Context()) -> Validity:  # noqa: B008 - it is a constant
    """Return the validity of the line: that of its worst command."""
    validities = {_of_command(registry, word, rest, context) for word, rest in split_calls(line)}
    return next((worst for worst in (Validity.ERROR, Validity.INCOMPLETE) if worst in validities), Validity.VALID)


def _of_command(registry: Registry, word: str, rest: str, context: Context) -> Validity:
    try:
        command = registry.find(word)
    except CommandError:
        begins = any(name.startswith(word.upper()) for name in registry.words())
        return Validity.INCOMPLETE if begins and not rest else Validity.ERROR
    return parse_partial(command.form, rest, context).validity
