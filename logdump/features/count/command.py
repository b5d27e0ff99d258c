"""The command COUNT: its syntax and execution."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import nullcontext
from typing import Any

from logdump.features.count.survey import CountOptions, CountRun, count_files
from logdump.language.command import Command
from logdump.language.forms import AnyOrder, Keyword, fitting
from logdump.language.parameters import File, Number, OneOf, Table, Time
from logdump.language.reader import ArgumentReader, Context
from logdump.language.words import plain
from logdump.notation.times import TIME_FORMS
from logdump.session.errors import ArgumentError
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.scan import Workers
from trailformat.totals.counting import Totals

with on_demand:
    import difflib

    from logdump.session import effective_rows


def run_count(session: Session, options: CountOptions) -> Iterator[Event]:
    """Count records of the open trail, of another file, or of all files that match a wildcard.

    Afterwards the read position of the open trail is at its beginning (ENV of the 11.1 session). Ctrl+C ends the count
    with the result so far, marked as partial.
    """
    started = time.perf_counter()
    with Workers() as workers:
        counter = yield from _counter(session, options, workers)
        with effective_rows.only_effective(session, workers) if options.effective else nullcontext():
            title = yield from count_files(counter, session)
    yield from counter.results(title)
    if counter.stopped_at is not None:
        raise KeyboardInterrupt
    if session.settings.hash_stats and counter.detail:
        yield _hash_statistics(counter.count, time.perf_counter() - started)


def _counter(session: Session, options: CountOptions, workers: Workers) -> Generator[Event, None, CountRun]:
    """Return the counter of the session's engine, or of this process if that leaves the count to it."""
    counter: CountRun | None = None
    if (engine := session.settings.engine) is not None:
        counter = yield from engine.jobs["COUNT"](session, options, workers)
    return counter or CountRun(session, options, workers)


def _hash_statistics(count: Totals, seconds: float) -> Event:
    """Return the two lines of HASHSTATS; a Python dict shows neither collisions nor chains, so both are 0."""
    average = int(seconds * 1_000_000 / count.lookups) if count.lookups else 0
    return say(
        f"Files {len(count.tables):>6}, Coll {0:>6}, Chain {0:>6}",
        f"Avg Hash lookup time {average:>4} across {count.lookups} lookups",
    )


_MINUTE = 60_000_000
_MOST_MINUTES = 10 * 366 * 24 * 60
_NOT_AN_OPTION = "{!r} is not an option of COUNT; put a file name with blanks into quotes."
_LABELS = {
    "detail": "DETAIL",
    "start": "STARTTIME",
    "end": "ENDTIME",
    "interval": "INTERVAL",
    "logtrail": "LOGTRAIL",
    "file": "FILE",
    "effective": "EFFECTIVE",
}
_ONE_VALUE = {name: f"{_LABELS[name]} takes one value." for name in ("start", "end", "interval", "logtrail", "file")}
_ONE_VALUE["path"] = _NOT_AN_OPTION


class OtherFile(File):
    """A trail file to be counted; a word that resembles an option and is no file is refused."""

    def parse(self, text: str, context: Context) -> str:
        """Return the path."""
        near = difflib.get_close_matches(text.upper(), map(plain, _KEYWORDS), n=1, cutoff=0.7)
        if near and not path_of(text).exists():
            raise ArgumentError(f"{text!r} is neither an option nor a file; did you mean {near[0]}?")
        return super().parse(text, context)

    def begins(self, typed: str, context: Context) -> bool:
        """Return True if a file begins with the text."""
        return any(self.offers(typed, context))


class CountForm(AnyOrder[CountOptions]):
    """Options, optionally separated by commas; a file comes first, after a comma or after DETAIL."""

    ends = ","

    def read(self, reader: ArgumentReader) -> CountOptions:
        """Read the options."""
        reader.keywords = self._stops
        values: dict[str, Any] = {}
        before, begun = "", 0
        while True:
            while reader.skip(","):
                before = ""
            for name in values:
                if name != "path" and reader.comes(self._options[name]):
                    raise ArgumentError(f"{_LABELS[name]} is given twice.")
            is_closed = before in _ONE_VALUE
            left = {
                name: form
                for name, form in self._options.items()
                if name not in values and not (name == "path" and is_closed)
            }
            forms, word = fitting(left.values(), reader), reader.word()
            if word is None:
                return self._make(**values)
            if not forms:
                wrong = _ONE_VALUE[before] if is_closed else "a file name is given twice."
                raise reader.wrong(wrong, word._replace(text=reader.text[begun : word.end]))
            begun, before = word.start, next(name for name, form in left.items() if form is forms[0])
            values[before] = forms[0].read(reader)


def _count_options(interval: int = 0, **options: Any) -> CountOptions:
    times = {name: options.pop(name).julian for name in ("start", "end") if name in options}
    return CountOptions(interval=interval * _MINUTE, **times, **options)


_KEYWORDS = ("DET[AIL]", "START[TIME]", "END[TIME]", "INT[ERVAL]", "LOG[TRAIL]", "FILE", "EFFECTIVE")
_FORM = CountForm(
    _count_options,
    {"detail": OneOf({"DET[AIL]": True})},
    {
        "start": Keyword("START[TIME]", Time(label="STARTTIME: ")),
        "end": Keyword("END[TIME]", Time(label="ENDTIME: ", is_end=True)),
        "interval": Keyword(
            "INT[ERVAL]", Number("<minutes>", 1, _MOST_MINUTES, "a number of minutes", missing=_ONE_VALUE["interval"])
        ),
        "logtrail": Keyword("LOG[TRAIL]", File("<wildcard>", missing=_ONE_VALUE["logtrail"])),
        "file": Keyword("FILE", Table("<wildcard>", missing=_ONE_VALUE["file"])),
        "effective": OneOf({"EFFECTIVE": True}),
        "path": OtherFile("<filename>"),
    },
    others="[, <options>]",
    ends_phrases=True,
)

COMMANDS = (
    Command(
        "COUNT",
        _FORM,
        "Count the records in the file by type; with DETAIL by table",
        run_count,
        details=(
            "START[TIME] <time>, END[TIME] <time>, INT[ERVAL] <minutes>, LOG[TRAIL] <wildcard>, FILE <wildcard>",
            "COUNT DETAIL <filename> counts another file.",
            f"<time> is {TIME_FORMS}.",
            "INTERVAL shows a block per interval, one line for many empty ones, then totals.",
            "LOG counts several trail files, FILE certain tables.",
            "EFFECTIVE leaves out the rows of transactions that a Replicat does not apply.",
            "Example: COUNT DETAIL, START 2024-03-01 09:00, END 2024-03-01 10:00",
        ),
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
