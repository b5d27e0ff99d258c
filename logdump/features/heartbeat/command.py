"""The command HEARTBEAT and its options."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from logdump.features.heartbeat.model import Display, HeartbeatOptions
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword
from logdump.language.parameters import EnteredTime, File, Number, OneOf, Table, Time, Word
from logdump.language.reader import Context, Form
from logdump.notation.times import TIME_FORMS
from logdump.session.errors import ArgumentError
from logdump.session.events import Event
from logdump.session.session import Session
from trailformat.changes.csn import csn_key
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.features.heartbeat import survey

_SECOND = 1_000_000
_MOST_SECONDS = 7999
"""The largest frequency that ADD HEARTBEATTABLE accepts."""
_MOST_DAYS = 2**31 - 2


_NOW = "NOW"


def heartbeat_options(at: EnteredTime | str | None = None, **given: Any) -> HeartbeatOptions:
    """Build the options from the entered words."""
    times: dict[str, Any] = {name: given.pop(name).julian for name in ("start", "end") if name in given}
    if isinstance(at, EnteredTime):
        times["at"] = at.julian
    return HeartbeatOptions(is_now=at == _NOW, **times, **given)


def run_heartbeat(session: Session, options: HeartbeatOptions) -> Iterator[Event]:
    """Show what heartbeats tell."""
    yield from survey.run_heartbeat(session, options)


class _Minutes(Number):
    """A number of minutes, parsed to microseconds."""

    def parse(self, text: str, context: Context) -> int:
        """Return the minutes in microseconds."""
        return super().parse(text, context) * 60 * _SECOND


class _Seconds(Number):
    """A number of seconds, parsed to microseconds."""

    def parse(self, text: str, context: Context) -> int:
        """Return the seconds in microseconds."""
        return super().parse(text, context) * _SECOND


class _Csn(Word):
    """A CSN of one of the known forms."""

    def parse(self, text: str, context: Context) -> str:  # noqa: ARG002
        """Return the CSN as written, after checking its form."""
        if csn_key(text) is None:
            raise ArgumentError(f"{text!r} is not a CSN; write a number, 4:1095, 00000000/05002818 or the like.")
        return text


CHOICE: dict[str, Form[Any]] = {
    "over": Keyword("OVER", File("<wildcard>")),
    "table": Keyword("TABLE", Table("<name>")),
    "path": Keyword("PATH", Word("<wildcard>")),
    "start": Keyword("START", Time(label="START: ")),
    "end": Keyword("END", Time(label="END: ", is_end=True)),
}
"""The options that select beats."""

COMMANDS = (
    Command(
        "HEARTBEAT",
        AnyOrder(
            heartbeat_options,
            {
                "display": OneOf({display.value: display for display in Display}),
                **CHOICE,
                "at": Keyword("AT", Alternatives(OneOf({_NOW: _NOW}), Time(label="AT: ", is_end=True))),
                "every": Keyword("EVERY", _Minutes("<minutes>", 1, 10**6, "a number of minutes")),
                "frequency": Keyword("FREQUENCY", _Seconds("<seconds>", 1, _MOST_SECONDS, "a number of seconds")),
                "low_watermark": Keyword("LWM", _Csn("<csn>")),
                "retention": Keyword("RETENTION", Number("<days>", 1, _MOST_DAYS, "a number of days")),
            },
            ends_phrases=True,
        ),
        "Show the lag of every hop, from the rows of the heartbeat tables in the trail",
        run_heartbeat,
        details=(
            "LAG, the default: each path with its lags, its age, its missing beats; HISTORY: beat by beat,",
            "with EVERY <minutes> in intervals; ROWS: the rows of the tables; GAPS: where beats are missing;",
            "RESTART: from which CSN Extract must capture again for a Replicat at its low watermark,",
            "which is that of the last beat unless LWM gives it.",
            "OVER reads the files that match <wildcard>, ACROSS ON the open file and those after it.",
            "TABLE names the tables; by default HEARTBEATTABLE in the files of PARAMS, else GG_HEARTBEAT.",
            "Rows of transactions that a Replicat does not apply, copies and those not whole, are left out.",
            "PATH is a wildcard for paths like EXT1 ==> PMP1. AT is the moment of the answer, else the newest known.",
            "FREQUENCY: seconds between two beats, by default the median. RETENTION: what a purge would remove.",
            f"<time> is {TIME_FORMS}. The FILTER applies.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
