"""The statements of a parameter file: where each ends, and those about the file itself, such as INCLUDE and MACRO."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.parameters.lexer import MOST_PARAMETERS, Lexeme, LexemeKind, Lexer, Macro, text_of
from logdump.parameters.model import ParameterError, ParameterPlace
from logdump.parameters.names import NamePattern, name_of

UP_TO_SEMICOLON = frozenset({"TABLE", "MAP", "SEQUENCE", "FILE"})
"""Statements that extend to a semicolon; all others end with their line, unless ``&`` ends it."""
MOST_WORDS = 100_000
"""Maximum number of words and marks of a statement."""
_SECRETS = frozenset({"PASSWORD", "DEFAULTUSERPASSWORD", "ENCRYPTKEY", "DECRYPTTRAIL", "ENCRYPTTRAIL", "PASSWD"})
_LOGINS = frozenset({"USERID", "TRANLOGOPTIONS"})
_HIDDEN = "***"
_RUNTIME = re.compile(r"(?:[^=.?*]*+=)?(\?[A-Za-z_]\w*+)")
_GAP = r"(?:\s|--[^\n]*+\n)*+"
_HEAD = rf"{_GAP}(?P<name>[^\s(),;]++){_GAP}(?:,{_GAP})?(?:PARAMS{_GAP}\((?P<parameters>[^)]*+)\){_GAP})?"
_MACRO = re.compile(
    rf"{_HEAD}BEGIN\b(?P<body>(?:'[^'\n]*+'|\"[^\"\n]*+\"|--[^\n]*+|(?!\bEND\b{_GAP};).)*+)END{_GAP};",
    re.IGNORECASE | re.DOTALL,
)


class ParameterStatement(NamedTuple):
    """A statement: its keyword in capitals and the text after it, without the semicolon and with passwords replaced.

    ``runtime`` is a value ``?NAME`` in the text that is known only when GoldenGate runs, if there is one.
    """

    keyword: str
    lexemes: tuple[Lexeme, ...]
    place: ParameterPlace
    text: str
    runtime: str | None


def statements(path: Path, *, may_include: bool = True) -> Iterator[ParameterStatement]:
    """Yield the statements of a file and of its included files, with macros expanded.

    Raises:
        ParameterError: a file cannot be read or has a syntax error.
    """
    lexer = Lexer(path)
    while (first := lexer.next()) is not None:
        if first.kind is LexemeKind.LINE_END or first.text in ("", ";"):
            continue
        keyword = first.text.upper() if first.kind is LexemeKind.WORD else ""
        lexer.begin_statement()
        if keyword in _OF_THE_FILE:
            if keyword in ("INCLUDE", "OBEY") and not may_include:
                raise ParameterError(first.place, f"{keyword} cannot be in GLOBALS")
            _OF_THE_FILE[keyword](lexer, first.place, keyword)
            continue
        yield _statement(first, keyword, _rest(lexer, first.place, keyword))


def _statement(first: Lexeme, keyword: str, lexemes: list[Lexeme]) -> ParameterStatement:
    head, *operands = _without_secrets([first, *lexemes])
    words = (lexeme.text for lexeme in operands if lexeme.kind is LexemeKind.WORD)
    runtime = next((match[1] for word in words if (match := _RUNTIME.fullmatch(word))), None)
    return ParameterStatement(keyword, tuple(operands), first.place, text_of([head, *operands]), runtime)


def _rest(lexer: Lexer, place: ParameterPlace, keyword: str) -> list[Lexeme]:
    """Return the lexemes after the keyword, up to the end of the statement."""
    is_long, lexemes = keyword in UP_TO_SEMICOLON, list[Lexeme]()
    while (lexeme := lexer.next(over_lines=is_long)) is not None:
        if lexeme.kind is LexemeKind.MARK and lexeme.text == ";":
            return lexemes
        if len(lexemes) == MOST_WORDS:
            raise ParameterError(place, f"{keyword} has more than {MOST_WORDS} words")
        if lexeme.kind is not LexemeKind.LINE_END:
            lexemes.append(lexeme)
        elif not is_long:
            return lexemes
    if is_long:
        raise ParameterError(place, f"{keyword} is not closed by ;")
    return lexemes


def _without_secrets(lexemes: list[Lexeme]) -> Iterator[Lexeme]:
    """Yield the lexemes with passwords replaced, so that no output shows them."""
    before, is_login = "", False
    for lexeme in lexemes:
        word = lexeme.text.upper()
        if before in _SECRETS and lexeme.kind is not LexemeKind.MARK:
            yield lexeme._replace(text=_HIDDEN)
        elif is_login and "/" in lexeme.text:
            yield lexeme._replace(text=re.sub(r"/[^@]*", f"/{_HIDDEN}", lexeme.text))
        else:
            yield lexeme
        is_login = is_login or word in _LOGINS
        before = word if lexeme.kind is LexemeKind.WORD else before


def _define(lexer: Lexer, place: ParameterPlace, _keyword: str) -> None:
    """Read MACRO #name [PARAMS (#a, …)] BEGIN … END;."""
    match = lexer.up_to(_MACRO, "MACRO is not #name [PARAMS (#a, …)] BEGIN … END;")
    character = lexer.macros.character
    parameters = [parameter.strip() for parameter in (match["parameters"] or "").split(",") if parameter.strip()]
    for name in (match["name"], *parameters):
        if re.fullmatch(rf"{re.escape(character)}[\w$-]+", name) is None:
            raise ParameterError(place, f"{name} is not a name of a macro or parameter: {character}name")
    names = [parameter[len(character) :].upper() for parameter in parameters]
    if len(names) > MOST_PARAMETERS or len(set(names)) != len(names):
        raise ParameterError(place, f"{match['name']} has more than {MOST_PARAMETERS} parameters, or one twice")
    lexer.macros.define(Macro(match["name"][len(character) :].upper(), tuple(names), match["body"].strip(), place))


def _set_character(lexer: Lexer, place: ParameterPlace, _keyword: str) -> None:
    """Read MACROCHAR <character>."""
    character = lexer.rest_of_line().rstrip(";").strip()
    if len(character) != 1 or character.isalnum() or character in "'\"(){},;&-.*?":
        raise ParameterError(place, f"MACROCHAR takes one character, not {character!r}")
    lexer.macros.character = character


def _include(lexer: Lexer, place: ParameterPlace, keyword: str) -> None:
    """Read INCLUDE <file> or OBEY <file>."""
    words = _rest(lexer, place, keyword)
    if not words:
        raise ParameterError(place, f"{keyword} takes a file")
    lexer.include(text_of(words).strip("'\""), place, keyword)


def _skip_comment(lexer: Lexer, _place: ParameterPlace, _keyword: str) -> None:
    """Skip COMMENT <text>."""
    lexer.rest_of_line()


_OF_THE_FILE: dict[str, Callable[[Lexer, ParameterPlace, str], None]] = {
    "MACRO": _define,
    "MACROCHAR": _set_character,
    "INCLUDE": _include,
    "OBEY": _include,
    "COMMENT": _skip_comment,
}


class Words:
    """A cursor over the lexemes of a statement; commas between options are ignored.

    Args:
        statement: the statement; its position is that of errors at its end.
        ansi_quotes: True if double quotes enclose names and single quotes texts.
    """

    def __init__(self, statement: ParameterStatement, *, ansi_quotes: bool = True) -> None:
        self._statement = statement
        self._lexemes = statement.lexemes
        self._ansi_quotes = ansi_quotes
        self.at = 0

    @property
    def place(self) -> ParameterPlace:
        """The position of the next word; at the end, that of the statement."""
        return self._lexemes[self.at].place if self.at < len(self._lexemes) else self._statement.place

    def error(self, problem: str) -> ParameterError:
        """Return an error at this position."""
        return ParameterError(self.place, f"{self._statement.keyword}: {problem}")

    def text_since(self, begin: int) -> str:
        """Return the text read since ``begin``, without a trailing comma."""
        return text_of(self._lexemes[begin : self.at]).removesuffix(",")

    def skip_commas(self) -> None:
        """Skip commas, which are optional between options."""
        while self.at < len(self._lexemes) and self._lexemes[self.at].text == ",":
            self.at += 1

    def peek(self) -> str:
        """Return the next word in capitals; empty at the end, and for a text in quotes or a mark."""
        self.skip_commas()
        lexeme = self._lexemes[self.at] if self.at < len(self._lexemes) else None
        return lexeme.text.upper() if lexeme is not None and lexeme.kind is LexemeKind.WORD else ""

    @property
    def is_at_comma(self) -> bool:
        """True if the next lexeme is a comma."""
        return self.at < len(self._lexemes) and self._lexemes[self.at].text == ","

    @property
    def is_at_end(self) -> bool:
        """True if no lexeme is left."""
        self.skip_commas()
        return self.at >= len(self._lexemes)

    def take(self) -> Lexeme:
        """Read the next lexeme of any kind."""
        if self.is_at_end:
            raise self.error("something is missing at its end")
        self.at += 1
        return self._lexemes[self.at - 1]

    def keyword(self, word: str) -> bool:
        """Read the next word if it is this one; return whether it is."""
        is_next = self.peek() == word
        self.at += is_next
        return is_next

    def string(self, what: str) -> str:
        """Read a text in quotes, single or double."""
        if self.is_at_end or self._lexemes[self.at].kind not in (LexemeKind.SINGLE, LexemeKind.DOUBLE):
            raise self.error(f"{what} takes a text in quotes")
        return self.take().text

    def word_or_string(self, what: str) -> str:
        """Read a word, or a text in quotes."""
        if self.is_at_end or self._lexemes[self.at].kind is LexemeKind.MARK:
            raise self.error(f"{what} takes a word")
        return self.take().text

    def name(self, what: str, *, quotes_hold_names: bool = False) -> NamePattern:
        """Read a name; in some places a whole name may be in quotes, as in older releases."""
        self.skip_commas()
        begin = self.at
        while self.at < len(self._lexemes) and self._lexemes[self.at].kind is not LexemeKind.MARK:
            if self.at > begin and not self._lexemes[self.at].is_glued:
                break
            self.at += 1
        pattern = name_of(self._lexemes[begin : self.at], quotes_hold_names=quotes_hold_names or not self._ansi_quotes)
        if pattern is None:
            written = text_of(self._lexemes[begin : self.at])
            self.at = begin
            raise self.error(f"{what} takes a name, not {written or 'nothing'}")
        return pattern

    def names(self, what: str) -> tuple[NamePattern, ...]:
        """Read a name, or several in parentheses, as in MySQL; a whole name may be in quotes."""
        if not self._mark("("):
            return (self.name(what, quotes_hold_names=True),)
        patterns = [self.name(what, quotes_hold_names=True)]
        while not self._mark(")"):
            patterns.append(self.name(what, quotes_hold_names=True))
        return tuple(patterns)

    def _mark(self, text: str) -> bool:
        """Read the next lexeme if it is this mark; return whether it is."""
        lexeme = None if self.is_at_end else self._lexemes[self.at]
        is_next = lexeme is not None and lexeme.kind is LexemeKind.MARK and lexeme.text == text
        self.at += is_next
        return is_next

    def group(self) -> tuple[str, ...]:
        """Read the words in parentheses, nested ones included; empty if none open here."""
        if self.is_at_end or self._lexemes[self.at].text != "(" or self._lexemes[self.at].kind is not LexemeKind.MARK:
            return ()
        depth, words = 0, list[str]()
        while self.at < len(self._lexemes):
            lexeme = self._lexemes[self.at]
            self.at += 1
            if lexeme.kind is LexemeKind.MARK:
                depth += {"(": 1, ")": -1}.get(lexeme.text, 0)
                if depth == 0:
                    return tuple(words)
            else:
                words.append(lexeme.text)
        raise self.error("a parenthesis is not closed")
