"""The lexemes of parameter files, with the files of INCLUDE and OBEY inserted and macros expanded."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from logdump.parameters.model import ParameterError, ParameterPlace
from trailformat.codec.mapped_file import open_regular
from trailformat.codec.remote.path import path_of
from trailformat.errors import reason_of

MOST_PARAMETERS = 30
DEEPEST = 32
_MOST_CALLS = 10_000
_MOST_WORK = 1 << 23
"""Maximum number of characters processed to expand calls: nested macros can double their text many times."""
_IN_A_VALUE = ""
"""Marks, among the macros being expanded, the values of a call, in which a macro may be called again."""
_OPAQUE = r"""'[^'\n]*'|"[^"\n]*"|--[^\n]*"""
_NAME = r"[\w$-]+"
_BRACKETS = {"(": 1, "{": 1, ")": -1, "}": -1}
_BEFORE_A_WORD = " \t\n,;(){}="
_IN_ARGUMENTS = re.compile(rf"(?P<opaque>{_OPAQUE})|(?P<mark>[(){{}},])")


class Macro(NamedTuple):
    """A definition: the names of its parameters in capitals without the macro character, and its body."""

    name: str
    parameters: tuple[str, ...]
    body: str
    place: ParameterPlace


class Macros:
    """The macros of a parameter file defined so far.

    Attributes:
        character: the first character of macro and parameter names; MACROCHAR changes it.
    """

    def __init__(self) -> None:
        self.character = "#"
        self._macros: dict[str, Macro] = {}
        self._calls = self._work = 0

    def define(self, macro: Macro) -> None:
        """Define a macro.

        Raises:
            ParameterError: a macro of this name is defined already.
        """
        if macro.name in self._macros:
            there = self._macros[macro.name].place
            raise ParameterError(macro.place, f"macro {self.character}{macro.name} is defined at {there} already")
        self._macros[macro.name] = macro

    def inside(self, word: str) -> int | None:
        """Return the offset at which a word, after its beginning, calls a known macro; None if it does not."""
        offsets = (
            match.start() for match in self._references().finditer(word, 1) if match["name"].upper() in self._macros
        )
        return next(offsets, None)

    def _references(self) -> re.Pattern[str]:
        character = re.escape(self.character)
        return re.compile(rf"(?<![\w$])(?<!{character}){character}(?P<name>{_NAME})")

    def call(self, text: str, offset: int, place: ParameterPlace) -> tuple[str, int]:
        """Return the expansion of the call whose name begins at ``offset``, and the offset after the call.

        Raises:
            ParameterError: there is no such macro, it takes another number of values, it calls itself, or it expands
                to too much.
        """
        return self._call(text, offset, place, ())

    def _call(self, text: str, offset: int, place: ParameterPlace, active: tuple[str, ...]) -> tuple[str, int]:
        match = self._references().match(text, offset)
        macro = self._macros.get(match["name"].upper()) if match else None
        if match is None or macro is None:
            word = (re.compile(r"[^\s,;(){}]*").match(text, offset) or [""])[0]
            raise ParameterError(place, f"macro {word} is not defined")
        name = f"{self.character}{macro.name}"
        if macro.name in active:
            chain = " -> ".join([*filter(None, active), macro.name])
            raise ParameterError(place, f"macro {name} calls itself: {chain}")
        self._calls += 1
        if len(active) >= DEEPEST or self._calls > _MOST_CALLS:
            raise ParameterError(place, f"macro {name}: too many calls in calls")
        values, end = _arguments(text, match.end(), place)
        if len(values) != len(macro.parameters):
            raise ParameterError(place, f"macro {name} takes {len(macro.parameters)} values, but got {len(values)}")
        expanded = [self._expanded(value, place, (*active, _IN_A_VALUE)) for value in values]
        body = self._substituted(macro, expanded, place)
        return self._expanded(body, place, (*active, macro.name)), end

    def _substituted(self, macro: Macro, values: list[str], place: ParameterPlace) -> str:
        """Return the body with the values in place of the parameters; the longest matching name is replaced."""
        self._count(macro.body, place)
        if not macro.parameters:
            return macro.body
        value_of = dict(zip(macro.parameters, values, strict=True))
        names = "|".join(re.escape(parameter) for parameter in sorted(macro.parameters, key=len, reverse=True))
        character = re.escape(self.character)
        pattern = re.compile(rf"{_OPAQUE}|(?<!{character}){character}(?P<name>{names})(?![\w$])", re.IGNORECASE)
        return pattern.sub(lambda match: value_of[match["name"].upper()] if match["name"] else match[0], macro.body)

    def _expanded(self, text: str, place: ParameterPlace, active: tuple[str, ...]) -> str:
        self._count(text, place)
        pieces, offset = list[str](), 0
        pattern = re.compile(rf"(?P<opaque>{_OPAQUE})|{self._references().pattern}")
        while match := pattern.search(text, offset):
            pieces.append(text[offset : match.start()])
            if match["opaque"] is not None or not self._is_call(match, text):
                pieces.append(match[0])
                offset = match.end()
                continue
            piece, offset = self._call(text, match.start(), place, active)
            pieces.append(piece)
        pieces.append(text[offset:])
        return "".join(pieces)

    def _is_call(self, match: re.Match[str], text: str) -> bool:
        """Return True if a name must be a call: at the beginning of a word, or inside it if the macro is known."""
        before = text[match.start() - 1 : match.start()]
        return match["name"].upper() in self._macros or not before or before in _BEFORE_A_WORD

    def _count(self, text: str, place: ParameterPlace) -> None:
        self._work += len(text)
        if self._work > _MOST_WORK:
            raise ParameterError(place, "macros expand to more than 8 MB")


def _arguments(text: str, offset: int, place: ParameterPlace) -> tuple[list[str], int]:
    """Return the values in the parentheses after a macro's name, without braces; empty without parentheses."""
    opening = re.compile(r"[ \t]*\(").match(text, offset)
    if opening is None:
        return [], offset
    values, depth, begin = list[str](), 0, opening.end()
    for match in _IN_ARGUMENTS.finditer(text, begin):
        mark = match["mark"]
        if mark == ")" and depth == 0:
            last = text[begin : match.start()].strip()
            return [*map(_bare, [*values, last])] if values or last else [], match.end()
        if mark == "," and depth == 0:
            values.append(text[begin : match.start()].strip())
            begin = match.end()
        depth += _BRACKETS.get(mark or "", 0)
    raise ParameterError(place, "the values of a macro are not closed by )")


def _bare(value: str) -> str:
    return value[1:-1].strip() if value.startswith("{") and value.endswith("}") else value


MOST_BYTES = 1 << 20
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def read_text(path: Path, place: ParameterPlace | None = None) -> str:
    """Return the text of a file, in UTF-8 or else Latin-1; ``place`` is the position of the INCLUDE that names it.

    Raises:
        ParameterError: the file does not exist, is not regular, is larger than 1 MB, or is not text.
    """
    where = place or ParameterPlace(path, 1)
    try:
        with os.fdopen(open_regular(path), "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ParameterError(where, f"{path} cannot be read: {reason_of(error)}") from error
    except ValueError as error:
        raise ParameterError(where, f"{path} cannot be read: {error}") from error
    if len(data) > MOST_BYTES:
        raise ParameterError(where, f"{path} is larger than 1 MB")
    if match := _CONTROL.search(data):
        line = data.count(b"\n", 0, match.start()) + 1
        raise ParameterError(ParameterPlace(path, line), f"byte x{match[0].hex()} is not text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def found_from(name: str, place: ParameterPlace) -> Path:
    """Return the file that an INCLUDE names, in the including file's folder or its parent, which has ``dirprm``.

    Raises:
        ParameterError: the name cannot be that of a file.
    """
    try:
        path = path_of(Path(name))
        folder = place.path.parent
        candidates = (folder / path, folder.parent / path)
        return next((candidate for candidate in candidates if candidate.exists()), candidates[0])
    except (OSError, ValueError) as error:
        raise ParameterError(place, f"{name} cannot be read: {error}") from error


DEEPEST_INCLUDE = 16
MOST_FILES = 100
MOST_STATEMENTS = 1000
"""Maximum number of statements that one call of a macro expands to."""
_COMMENT_LINES = r"(?:[ \t\f\v]*+--[^\n]*+\n)*+"
_SKIPPED = re.compile(rf"(?:[ \t\f\v]++|--[^\n]*+|&[ \t\f\v]*+(?:--[^\n]*+)?(?:\n{_COMMENT_LINES}|\Z))++")
_WORD = re.compile(r"(?:[^\s,;(){}'\"&-]++|-(?!-)|&(?![ \t\f\v]*+(?:--[^\n]*+)?(?:\n|\Z)))++")
_ON_A_LINE = {"'": re.compile(r"'((?:[^'\n]|'')*+)'"), '"': re.compile(r'"((?:[^"\n]|"")*+)"')}
_OVER_LINES = {"'": re.compile(r"'((?:[^']|'')*+)'"), '"': re.compile(r'"((?:[^"]|"")*+)"')}
_REST_OF_LINE = re.compile(r"[^\n]*+")


class LexemeKind(enum.Enum):
    """The kind of a lexeme: a word, a text in single or double quotes, a punctuation mark, the end of a line."""

    WORD = "word"
    SINGLE = "'"
    DOUBLE = '"'
    MARK = "mark"
    LINE_END = "line end"


class Lexeme(NamedTuple):
    """A word or a mark, without quotes; ``is_glued`` is True if nothing separates it from the one before."""

    kind: LexemeKind
    text: str
    place: ParameterPlace
    is_glued: bool = False

    @property
    def written(self) -> str:
        """The lexeme as written in the file."""
        quote = self.kind.value if self.kind in (LexemeKind.SINGLE, LexemeKind.DOUBLE) else ""
        return f"{quote}{self.text.replace(quote, 2 * quote)}{quote}" if quote else self.text


def text_of(lexemes: Iterable[Lexeme]) -> str:
    """Return lexemes on one line, with blanks where the file separates them."""
    text = ""
    for lexeme in lexemes:
        if lexeme.kind is not LexemeKind.LINE_END:
            text += lexeme.written if lexeme.is_glued or not text else f" {lexeme.written}"
    return text


class _Source:
    """A text that is read once: a file, or the expansion of a call, all of which has the position of the call."""

    def __init__(self, text: str, place: ParameterPlace, *, is_file: bool, keyword: str = "") -> None:
        self.text = text
        self.at = 0
        self.place = place
        self.is_file = is_file
        self.keyword = keyword
        self.statements = 0
        self.has_ended = False
        self.included_at = place
        self._counted = 0

    def here(self) -> ParameterPlace:
        """Return the current line."""
        if self.is_file:
            self.place = ParameterPlace(
                self.place.path, self.place.line + self.text.count("\n", self._counted, self.at)
            )
            self._counted = self.at
        return self.place


class Lexer:
    """Reads a parameter file by lexemes; included files and expansions of macros are read in place.

    Each method raises ParameterError.
    """

    def __init__(self, path: Path) -> None:
        self.macros = Macros()
        self._sources = [_Source(read_text(path), ParameterPlace(path, 1), is_file=True)]
        self._files = 1
        self._is_glued = False

    @property
    def place(self) -> ParameterPlace:
        """The position of the next lexeme."""
        return self._sources[-1].here()

    def begin_statement(self) -> None:
        """Count a statement of the current text; a macro may expand to ``MOST_STATEMENTS``."""
        source = self._sources[-1]
        source.statements += 1
        if not source.is_file and source.statements > MOST_STATEMENTS:
            raise ParameterError(source.here(), f"a macro expands to more than {MOST_STATEMENTS} statements")

    def include(self, name: str, place: ParameterPlace, keyword: str) -> None:
        """Read another file before the text after this position."""
        path = found_from(name, place)
        files = [source for source in self._sources if source.is_file]
        if keyword == "OBEY" and (outer := next((source for source in files if source.keyword == "OBEY"), None)):
            raise ParameterError(place, f"OBEY inside of {outer.place.path}, which is obeyed itself")
        files[-1].included_at = place
        for source in files:
            if source.place.path.resolve() == path.resolve():
                raise ParameterError(place, f"{path} includes itself: by {source.included_at}")
        self._files += 1
        if len(files) > DEEPEST_INCLUDE or self._files > MOST_FILES:
            raise ParameterError(place, f"more than {DEEPEST_INCLUDE} files in files, or {MOST_FILES} in all")
        self._sources.append(_Source(read_text(path, place), ParameterPlace(path, 1), is_file=True, keyword=keyword))

    def rest_of_line(self) -> str:
        """Return the rest of the line, unchanged."""
        source = self._sources[-1]
        match = _REST_OF_LINE.match(source.text, source.at)
        source.at = match.end() if match else source.at
        return match[0].strip() if match else ""

    def up_to(self, pattern: re.Pattern[str], missing: str) -> re.Match[str]:
        """Move past a match of ``pattern`` and return it; ``missing`` is the error without one."""
        source = self._sources[-1]
        match = pattern.match(source.text, source.at)
        if match is None:
            raise ParameterError(source.here(), missing)
        source.at = match.end()
        return match

    def next(self, *, over_lines: bool = False) -> Lexeme | None:
        """Return the next lexeme, None at the end; with ``over_lines`` a quote may be closed on a later line."""
        while self._sources:
            source = self._sources[-1]
            if match := _SKIPPED.match(source.text, source.at):
                source.at, self._is_glued = match.end(), False
            if source.at < len(source.text):
                lexeme = self._lexeme(source, over_lines=over_lines)
                if lexeme is not None:
                    self._is_glued = lexeme.kind is not LexemeKind.LINE_END
                    return lexeme
            elif len(self._sources) == 1:
                return None
            elif source.is_file and not source.has_ended:
                source.has_ended = True
                return Lexeme(LexemeKind.LINE_END, "", source.here())
            else:
                self._sources.pop()
        return None

    def _lexeme(self, source: _Source, *, over_lines: bool) -> Lexeme | None:
        """Return the lexeme that begins here; None if a call was expanded in its place."""
        character, place = source.text[source.at], source.here()
        if character in _ON_A_LINE:
            return self._quoted(source, place, over_lines=over_lines)
        if match := _WORD.match(source.text, source.at):
            return self._word(source, match[0], place)
        source.at += 1
        return Lexeme(LexemeKind.LINE_END if character.isspace() else LexemeKind.MARK, character, place, self._is_glued)

    def _quoted(self, source: _Source, place: ParameterPlace, *, over_lines: bool) -> Lexeme:
        quote = source.text[source.at]
        match = _ON_A_LINE[quote].match(source.text, source.at)
        if match is None and over_lines:
            match = _OVER_LINES[quote].match(source.text, source.at)
        if match is None:
            raise ParameterError(place, f"the quote {quote} is not closed")
        source.at = match.end()
        return Lexeme(LexemeKind(quote), match[1].replace(2 * quote, quote), place, self._is_glued)

    def _word(self, source: _Source, word: str, place: ParameterPlace) -> Lexeme | None:
        character = self.macros.character
        if word.startswith(character) and source.is_file:
            text, source.at = self.macros.call(source.text, source.at, place)
            self._sources.append(_Source(text, place, is_file=False))
            return None
        cut = self.macros.inside(word) if source.is_file else None
        word = word[:cut]
        source.at += len(word)
        return Lexeme(LexemeKind.WORD, word, place, self._is_glued)
