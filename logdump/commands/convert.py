"""FLOAT, CTIME, ESBLOCK and the commands about Julian timestamps: they compute, and need no open trail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from logdump.language.arguments import number
from logdump.language.command import ArgumentError, Command, Run
from logdump.notation import conversions
from logdump.session.events import Event, say
from logdump.session.session import Session

_MOST = 2**64 - 1


def _conversion(convert: Callable[[str], str | Iterable[str]]) -> Run:
    """What a conversion does: say what ``convert`` makes of the arguments."""

    def run(_session: Session, arguments: str) -> Iterator[Event]:
        try:
            lines = convert(arguments)
        except ValueError as error:
            raise ArgumentError(f"{error}.") from error
        yield say(lines) if isinstance(lines, str) else say(*lines)

    return run


def _of_integer(convert: Callable[[int], str | Iterable[str]]) -> Run:
    return _conversion(lambda arguments: convert(_integer(arguments)))


def _integer(text: str) -> int:
    if text.startswith("-"):
        return -number(text[1:], most=_MOST)
    return number(text, most=_MOST)


COMMANDS = (
    Command(
        "FLOAT",
        "FLOAT <value> [<format>]",
        "Show a number in hex and as floating point",
        _conversion(conversions.float_line),
        details=(
            "FLOAT 2.2 FMT %e        a C99 specifier after FMT or FORMAT; %f without",
            "FLOAT 0x400199999999999a F64",
            "<value> is decimal, or hex after 0x, %H, X or H; F32, 32bit, F64, 64bit, IEEE, TDM ... tell its size.",
        ),
    ),
    Command(
        "CTIME",
        "CTIME <C-time>",
        "Show a C time (seconds since 1970) as text",
        _of_integer(conversions.ctime_lines),
        details=("CTIME 1109823330",),
    ),
    Command(
        "COMPUTETIMESTAMP",
        "COMPUTETIMESTAMP <date-time>",
        "Show the Julian timestamp of a date and time in GMT",
        _conversion(conversions.compute_timestamp),
        details=("COMPUTETIMESTAMP 2005-01-01 12:00:00",),
    ),
    Command(
        "INTERPRETTIMESTAMP",
        "INTERPRETTIMESTAMP <timestamp>",
        "Show a Julian timestamp as text, GMT and local",
        _of_integer(conversions.interpret_timestamp),
        details=("INTERPRETTIMESTAMP 211976584185800569",),
    ),
    Command(
        "INTERPRETINTERVAL",
        "INTERPRETINTERVAL <interval>",
        "Show an interval in microseconds as days-hh:mm:ss.ms.us",
        _of_integer(conversions.interpret_interval),
        details=("INTERPRETINTERVAL 1234567",),
    ),
    Command(
        "ESBLOCK",
        "ESBLOCK <syskey>",
        "Show the syskey of an entry-sequenced file as block.record",
        _of_integer(conversions.esblock_lines),
        details=("ESBLOCK 4294967302",),
    ),
)
