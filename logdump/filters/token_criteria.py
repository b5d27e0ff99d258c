"""GGSTOKEN and USERTOKEN: a token of the record, by name, and its value.

A name alone tests whether the record itself has the token. With a value, LOGCSN and TRANID are those of the
transaction, which later records inherit; any other token must be on the record itself, even for ``<>``. LOGCSN is
compared as a CSN; other values as numbers if both are numbers, else as text (case-sensitive). If a token has several
NUL-terminated texts (DDL), one equal text is enough. (All ours; the sources give only the syntax.)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.comparison import Comparison, split_comparison
from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.csn_criteria import check_csn
from logdump.filters.needle import Needle
from logdump.filters.words import FilterError, one_value, quoted
from logdump.notation.times import TimeOffset
from logdump.notation.values import unquote
from trailformat import Record
from trailformat.codec.on_demand import on_demand
from trailformat.codec.tokens import GGS_TOKENS, LOGCSN, ROWID, TRANID, token_name

with on_demand:
    from logdump.filters import text_columns

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

_INHERITED = frozenset({LOGCSN, TRANID})
_NAMES = {name: ord(letter) for letter, name in GGS_TOKENS.items()}
_NAMES_WITHOUT_ID = frozenset(
    [
        "MARKER",
        "FETCHEDDATA",
        "FORCEDCOMMIT",
        "GROUPNAME",
        "VAMSEQID",
        "TRANSID",
        "BEGINSEQNO",
        "BEGINRBA",
        "BEGINTIMESTAMP",
        "PARENTNODE",
        "PROCESSNAME",
        "PROGRAMNAME",
        "HOMENODE",
        "CHILDLIST",
    ]
)
"""Documented names whose ids are not known."""
_NAME_AND_REST = re.compile(r"""("(?:[^"]|"")*"|'(?:[^']|'')*'|[^\s<>=!"',]+)\s*(.*)""", re.DOTALL)
_ID = re.compile(r"0?[xX]([0-9A-Fa-f]{2})")
_NUMBER = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?", re.ASCII)


def text_holds(comparison: Comparison, text: str, wanted: str) -> bool:
    """Compare as numbers if both are numbers, else as text."""
    if _NUMBER.fullmatch(text) and _NUMBER.fullmatch(wanted):
        return comparison.holds(Decimal(text), Decimal(wanted))
    return comparison.holds(text, wanted)


def any_text_holds(comparison: Comparison, texts: list[str], wanted: str) -> bool:
    """Return True if a text satisfies the comparison; for ``<>``, if there are texts and none is equal."""
    if comparison is Comparison.NOT_EQUAL:
        return bool(texts) and not any(text_holds(Comparison.EQUAL, text, wanted) for text in texts)
    return any(text_holds(comparison, text, wanted) for text in texts)


def _text(payload: bytes) -> str:
    return payload.decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class GgsToken(Criterion):
    """FILTER GGSTOKEN: a token of ``T`` by its id; comparison and value are None for a test of presence."""

    token_id: int
    comparison: Comparison | None
    value: str | None
    keyword: ClassVar[str] = "GGSTOKEN"
    label: ClassVar[str] = "GGSToken"

    @property
    def is_inherited(self) -> bool:
        """True if it compares a token that applies to the whole transaction."""
        return self.comparison is not None and self.token_id in _INHERITED

    @property
    def needs(self) -> Needs:
        """The tokens of the record, or those of its transaction."""
        return Needs.TRANSACTION if self.is_inherited else Needs.TOKENS

    @property
    def stored(self) -> bytes | None:
        """The bytes of every text that is equal to the value; None without a value, or if other bytes may be equal."""
        if not self.value or "\\" in self.value or _NUMBER.fullmatch(self.value):
            return None
        return self.value.encode("utf-8", "surrogateescape")

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows that have the token, with a value that satisfies the comparison if there is one."""
        if self.comparison is None or self.value is None:
            return rows.with_token(self.token_id)
        if self.is_inherited:
            return self._inherited(rows, self.comparison, self.value)
        comparison, value = self.comparison, self.value
        among = rows.among & rows.with_token(self.token_id)
        if comparison is Comparison.EQUAL and self.stored is not None:
            among &= rows.with_bytes(Needle(self.stored), "token")
        return rows.by_payloads(
            self.token_id, among, lambda payloads: any_text_holds(comparison, self._texts(payloads), value)
        )

    def _inherited(self, rows: FilterRows, comparison: Comparison, value: str) -> Mask:
        """Return the rows by LOGCSN or TRANID; each transaction is decided once."""
        if self.token_id == LOGCSN:
            return rows.of_transactions(text_columns.csns_hold(comparison, value, rows.transactions.csns))

        def holds(xid: str | None) -> bool:
            return any_text_holds(comparison, [] if xid is None else [xid], value)

        return rows.of_transactions(text_columns.texts_hold(comparison, self.stored, rows.transactions.xids, holds))

    def _texts(self, payloads: list[bytes]) -> list[str]:
        if self.token_id == ROWID:
            return [_text(payload[:18]) for payload in payloads]
        return [_text(part) for payload in payloads for part in payload.rstrip(b"\0").split(b"\0")]

    def describe(self) -> list[tuple[str, ...]]:
        """Return name, operator and value."""
        name = token_name(GGS_TOKENS, self.token_id) or f"x{self.token_id:02x}"
        return [_described(name, self.comparison, self.value)]


@dataclass(frozen=True)
class UserToken(Criterion):
    """FILTER USERTOKEN: a token of ``U`` by its name, regardless of case; comparison and value as in GgsToken."""

    name: str
    comparison: Comparison | None
    value: str | None
    keyword: ClassVar[str] = "USERTOKEN"
    label: ClassVar[str] = "UserToken"
    uses: ClassVar[Needs] = Needs.TOKENS
    is_slow: ClassVar[bool] = True

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows that have the token, with a value that satisfies the comparison if there is one."""
        return rows.by_record(self._holds)

    def _holds(self, record: Record) -> bool:
        wanted = self.name.casefold()
        texts = [_text(value) for name, value in record.user_tokens if _text(name).casefold() == wanted]
        if self.comparison is None or self.value is None:
            return bool(texts)
        return any_text_holds(self.comparison, texts, self.value)

    def describe(self) -> list[tuple[str, ...]]:
        """Return name, operator and value."""
        return [_described(self.name, self.comparison, self.value)]


def _described(name: str, comparison: Comparison | None, value: str | None) -> tuple[str]:
    return (f"{name} {comparison.value} {value}" if comparison else name,)


def _split(text: str) -> tuple[str, Comparison | None, str | None]:
    """Return name, operator and value; the last two are None if only the name is given."""
    match = _NAME_AND_REST.fullmatch(text)
    if not match or not unquote(match[1]):
        raise FilterError("the name of a token is missing")
    if not match[2]:
        return unquote(match[1]), None, None
    comparison, value = split_comparison(match[2])
    return unquote(match[1]), comparison, one_value(value)


def _parse_ggs(text: str, _offset: TimeOffset) -> Criterion:
    name, comparison, value = _split(text)
    token_id = _token_id(name)
    if token_id == LOGCSN and value is not None:
        check_csn(value)
    return GgsToken(token_id, comparison, value)


def _token_id(name: str) -> int:
    if name.upper() in _NAMES:
        return _NAMES[name.upper()]
    if match := _ID.fullmatch(name):
        return int(match[1], 16)
    if len(name) == 1 and name.isascii():
        return ord(name)
    if name.upper() in _NAMES_WITHOUT_ID:
        raise FilterError(
            f"the id of token {name.upper()} is not known; write the id that GGSTOKEN DETAIL shows, as x52"
        )
    raise FilterError(f"no token {quoted(name)}; write {', '.join(_NAMES)} or an id as x52")


def _parse_user(text: str, _offset: TimeOffset) -> Criterion:
    name, comparison, value = _split(text)
    return UserToken(name, comparison, value)


OPTIONS = (
    Option(
        "GGSTOKEN",
        "GGSTOKEN <tokenname> [<comparison>] [<tokenvalue>]",
        "internal token, by name or id; a name alone: the token exists",
        "GGSTOKEN TRANID = 10.2.2016",
        _parse_ggs,
        Needs.TOKENS | Needs.TRANSACTION,
    ),
    Option(
        "USERTOKEN",
        "USERTOKEN <tokenname> [<comparison>] [<tokenvalue>]",
        "user token, its name case aside; a name alone: the token exists",
        'USERTOKEN TK-OSUSER = "oracle"',
        _parse_user,
        Needs.TOKENS,
    ),
)
