"""Conversions of numbers, times and character sets; DUMP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from logdump.language.command import AnyCommand, Command
from logdump.language.forms import Maybe
from logdump.language.parameters import FreeText, Number, Time
from logdump.language.reader import Context, Form
from logdump.notation import conversions
from logdump.notation.hexdump import hexdump
from logdump.notation.times import GMT
from logdump.session.errors import ArgumentError
from logdump.session.events import Event, say
from logdump.session.session import Session

_DEFAULT = 256
_MOST = 28672


def run_dump(session: Session, wanted: int | None) -> Iterator[Event]:
    """Dump ``wanted`` bytes, or 256, from the position on, without moving it."""
    start = min(session.cursor.next, session.trail.size)
    data = session.trail.bytes[start : start + (wanted or _DEFAULT)]
    yield say(f"Dump {len(data):>5}  Bytes at RBA {start}", *hexdump(data, gutter=session.settings.dump_gutter))


A = TypeVar("A")
_LARGEST = 2**64 - 1


class SignedNumber(Number):
    """A whole number of 64 bits, which may have a minus sign."""

    surplus = "{!r} is not a number."

    def parse(self, text: str, context: Context) -> int:
        """Return the number."""
        if text.startswith("-"):
            return -super().parse(text[1:], context)
        return super().parse(text, context)


def _conversion(
    name: str, form: Form[A], summary: str, convert: Callable[[A], str | list[str]], detail: str
) -> AnyCommand:
    """Return a command that prints the result of ``convert``, whose ValueError becomes an ArgumentError."""

    def run(_session: Session, argument: A) -> Iterator[Event]:
        try:
            lines = convert(argument)
        except ValueError as error:
            raise ArgumentError(f"{error}.") from error
        yield say(lines) if isinstance(lines, str) else say(*lines)

    return Command(name, form, summary, run, details=tuple(detail.splitlines()))


def _integer(syntax: str) -> SignedNumber:
    return SignedNumber(syntax, most=_LARGEST)


COMMANDS = (
    _conversion(
        "FLOAT",
        FreeText("<value> [<format>]", missing="FLOAT takes a number, decimal or in hex after 0x, %H, X or H."),
        "Show a number in hex and as floating point",
        conversions.float_line,
        """\
FLOAT 2.2 FMT %e        a C99 specifier after FMT or FORMAT; %f without
FLOAT 0x400199999999999a F64
<value> is decimal, or hex after 0x, %H, X or H; F32, 32bit, F64, 64bit, IEEE, TDM ... give its size.""",
    ),
    _conversion(
        "CTIME",
        _integer("<C-time>"),
        "Show a C time (seconds since 1970) as text",
        conversions.ctime_lines,
        "CTIME 1109823330",
    ),
    _conversion(
        "COMPUTETIMESTAMP",
        Time("<date-time>", zone=GMT),
        "Show the Julian timestamp of a date and time in GMT",
        lambda moment: conversions.compute_timestamp(moment.text),
        "COMPUTETIMESTAMP 2005-01-01 12:00:00",
    ),
    _conversion(
        "INTERPRETTIMESTAMP",
        _integer("<timestamp>"),
        "Show a Julian timestamp as text, GMT and local",
        conversions.interpret_timestamp,
        "INTERPRETTIMESTAMP 211976584185800569",
    ),
    _conversion(
        "INTERPRETINTERVAL",
        _integer("<interval>"),
        "Show an interval in microseconds as days-hh:mm:ss.ms.us",
        conversions.interpret_interval,
        "INTERPRETINTERVAL 1234567",
    ),
    _conversion(
        "ESBLOCK",
        _integer("<syskey>"),
        "Show the syskey of an entry-sequenced file as block.record",
        conversions.esblock_lines,
        "ESBLOCK 4294967302",
    ),
    Command(
        "DUMP",
        Maybe(Number("<bytes>", least=1, most=_MOST)),
        "Dump the bytes at the read position (256; up to 28672)",
        run_dump,
    ),
)
