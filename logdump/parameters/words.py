"""Going over the lexemes of a statement, word by word."""

from __future__ import annotations

from logdump.parameters.lexer import Lexeme, LexemeKind, text_of
from logdump.parameters.model import ParameterError, ParameterPlace
from logdump.parameters.names import NamePattern, name_of
from logdump.parameters.statements import ParameterStatement


class Words:
    """A cursor over the lexemes of a statement; commas between options are ignored.

    Args:
        statement: their statement; its position is used for errors at its end.
        ansi_quotes: True if double quotes enclose names and single quotes texts.
    """

    def __init__(self, statement: ParameterStatement, *, ansi_quotes: bool = True) -> None:
        self._statement = statement
        self._lexemes = statement.lexemes
        self._ansi_quotes = ansi_quotes
        self.at = 0

    @property
    def place(self) -> ParameterPlace:
        """The position of the next word, at the end that of the statement."""
        return self._lexemes[self.at].place if self.at < len(self._lexemes) else self._statement.place

    def error(self, problem: str) -> ParameterError:
        """Return an error at this position."""
        return ParameterError(self.place, f"{self._statement.keyword}: {problem}")

    def text_since(self, begin: int) -> str:
        """Return the text read since ``begin``, without a trailing comma."""
        return text_of(self._lexemes[begin : self.at]).removesuffix(",")

    def skip_commas(self) -> None:
        """Skip commas."""
        while self.at < len(self._lexemes) and self._lexemes[self.at].text == ",":
            self.at += 1

    def peek(self) -> str:
        """The next word in capitals; empty at the end, and for a text in quotes or a mark."""
        self.skip_commas()
        one = self._lexemes[self.at] if self.at < len(self._lexemes) else None
        return one.text.upper() if one is not None and one.kind is LexemeKind.WORD else ""

    @property
    def is_at_end(self) -> bool:
        """True if no lexeme is left."""
        self.skip_commas()
        return self.at >= len(self._lexemes)

    def take(self) -> Lexeme:
        """The next lexeme, whatever it is."""
        if self.is_at_end:
            raise self.error("something is missing at its end")
        self.at += 1
        return self._lexemes[self.at - 1]

    def keyword(self, word: str) -> bool:
        """Read the next word if it is this one; return whether it is."""
        found = self.peek() == word
        self.at += found
        return found

    def string(self, what: str) -> str:
        """A text in quotes, of either kind."""
        if self.is_at_end or self._lexemes[self.at].kind not in (LexemeKind.SINGLE, LexemeKind.DOUBLE):
            raise self.error(f"{what} takes a text in quotes")
        return self.take().text

    def word_or_string(self, what: str) -> str:
        """A word, or a text in quotes."""
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
        found = name_of(self._lexemes[begin : self.at], quotes_hold_names=quotes_hold_names or not self._ansi_quotes)
        if found is None:
            written = text_of(self._lexemes[begin : self.at])
            self.at = begin
            raise self.error(f"{what} takes a name, not {written or 'nothing'}")
        return found

    def names(self, what: str) -> tuple[NamePattern, ...]:
        """Read a name, or several in parentheses, as in MySQL; a whole name may be in quotes."""
        if not self._mark("("):
            return (self.name(what, quotes_hold_names=True),)
        found = [self.name(what, quotes_hold_names=True)]
        while not self._mark(")"):
            found.append(self.name(what, quotes_hold_names=True))
        return tuple(found)

    def _mark(self, text: str) -> bool:
        """Read the next lexeme if it is this mark; return whether it is."""
        one = None if self.is_at_end else self._lexemes[self.at]
        found = one is not None and one.kind is LexemeKind.MARK and one.text == text
        self.at += found
        return found

    def group(self) -> tuple[str, ...]:
        """Read the words in parentheses, nested ones included; empty if none open here."""
        if self.is_at_end or self._lexemes[self.at].text != "(" or self._lexemes[self.at].kind is not LexemeKind.MARK:
            return ()
        depth, found = 0, list[str]()
        while self.at < len(self._lexemes):
            one = self._lexemes[self.at]
            self.at += 1
            if one.kind is LexemeKind.MARK:
                depth += {"(": 1, ")": -1}.get(one.text, 0)
                if depth == 0:
                    return tuple(found)
            else:
                found.append(one.text)
        raise self.error("a parenthesis is not closed")
