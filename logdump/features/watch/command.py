"""WATCH: looks at trails again and again, and serves their state as metrics."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from logdump.features.watch.model import MetricsShown
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword, Sequence
from logdump.language.parameters import File, Number, OneOf, Word
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice, Pause
from logdump.session.files import matching_files
from logdump.session.session import Session
from logdump.session.state_file import StateFile
from trailformat import CannotWrite, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import RemotePath, path_of
from trailformat.trail.command_files import one_reading
from trailformat.trail.sequence import trails_among
from trailformat.trail.whole_file import WholeFile, cannot_write, check_target

with on_demand:
    from logdump.features.watch import exposition, metrics, server, watched_trail

LISTEN = "127.0.0.1:9464"
"""The address at which metrics are served by default."""
EVERY = 30
"""Seconds between two looks by default."""
_TEXTFILE = ".prom"
_TRAILS = "trails"


class WatchOptions(NamedTuple):
    """The options of WATCH.

    Attributes:
        every: seconds between two looks.
        listen: the address at which the metrics are served; None for none, unless there is no other place for them.
        textfile: the file that has them, for Prometheus' node exporter.
        once: True to look once and show them.
        state: the file from which another run goes on.
    """

    every: int = EVERY
    listen: str | None = None
    textfile: str | None = None
    once: bool = False
    state: str | None = None


class _Question(NamedTuple):
    files: str
    options: WatchOptions


def run_watch(session: Session, question: _Question) -> Iterator[Event]:
    """Look at the trails until Ctrl+C, or once.

    Raises:
        CommandError: there is no such trail, an option is wrong, the address or the state is in use.
        CannotWrite: the state or the text file cannot be written.
    """
    if session.standard_output is None:
        raise CommandError("The screen has no WATCH: run logdump watch in a shell.")
    options = question.options
    textfile = path_of(Path(options.textfile)) if options.textfile is not None else None
    if textfile is not None and textfile.suffix != _TEXTFILE:
        raise CommandError(f"{textfile}: the node exporter reads files that end with {_TEXTFILE} only.")
    if textfile is not None:
        try:
            check_target(textfile, replace=True)
        except (OSError, ValueError) as error:
            raise cannot_write(error, textfile) from error
    with contextlib.ExitStack() as stack:
        state = StateFile(path_of(Path(options.state)), "watch") if options.state is not None else None
        watch = Watch(_trails_of(question.files), textfile, state)
        if state is not None:
            stack.enter_context(state.locked())
            yield from watch.resume(state)
        if options.once:
            yield from watch.look()
            watch.write()
            yield from watch.shown(has_page=textfile is None)
            return
        if options.listen is not None or textfile is None:
            stack.callback(server.MetricsServer(options.listen or LISTEN, watch.page).close)
        while True:
            with one_reading() as files:  # each look has files of its own: a trail may be replaced between two of them
                files.goes_on = True
                events = [*watch.look(), *watch.written()]
            yield from events
            yield Pause()
            time.sleep(options.every)


def _trails_of(names: str) -> list[Path]:
    """Return the folder and the prefix of each trail that has one of these files."""
    trails, others = trails_among(matching_files(names))
    if others:
        with TrailFile(others[0]):  # what is no trail at all is said like that
            pass
        raise CommandError(f"{others[0]} is no file of a trail with a number: WATCH takes trails.")
    paths = [own[0].trail.absolute() for own in trails]
    if any(isinstance(path, RemotePath) for path in paths):
        raise CommandError("WATCH takes trails on this machine, not in a store.")
    return paths


class Watch:
    """The trails that are watched, and the page of their metrics.

    Args:
        paths: the folder and the prefix of the files of each trail.
        textfile, state: the files that are written after a look.
        clock: returns the time, in seconds since 1970.
    """

    def __init__(
        self,
        paths: list[Path],
        textfile: Path | None = None,
        state: StateFile | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._textfile, self._state, self._clock = textfile, state, clock
        self._trails = [watched_trail.WatchedTrail(path) for path in paths]
        files = {"state": state, "textfile": textfile}
        self._metrics = metrics.Metrics(self._trails, [name for name, file in files.items() if file is not None])
        self._kept: dict[str, Any] | None = None
        self._others: dict[str, Any] = {}
        self._said = set[str]()
        self._unwritten: dict[str, str] = {}
        self._is_up = False
        self._show()

    def _show(self) -> None:
        self._shown = tuple(self._metrics.at(self._clock()))

    def page(self, *, is_open_metrics: bool) -> str:
        """Return the metrics of the last look."""
        return exposition.exposed(self._shown, is_open_metrics=is_open_metrics)

    def look(self) -> Iterator[Event]:
        """Read what is new in the trails; yield a notice about each thing that was not said at the last look."""
        said = {text: None for trail in self._trails for text in trail.look()}
        for text in said:
            if text not in self._said:
                yield Notice((text,), ExitStatus.OK)
        self._said = set(said)
        self._is_up = all(trail.is_up for trail in self._trails)
        self._metrics.looked = self._clock()
        self._show()

    def shown(self, *, has_page: bool) -> Iterator[Event]:
        """Yield the page, and a notice with a status if a trail could not be read."""
        if has_page:
            yield MetricsShown(self._shown)
        if not self._is_up:
            down = ", ".join(str(trail.path) for trail in self._trails if not trail.is_up)
            yield Notice((f"{down}: not read to the end",), ExitStatus.BAD_DATA)

    def resume(self, state: StateFile) -> Iterator[Event]:
        """Go on from a state; yield a notice about each trail that it does not have."""
        kept = state.read()
        trails = kept.values.get(_TRAILS)
        trails = trails if isinstance(trails, dict) else {}
        for trail in self._trails:
            own = trails.pop(str(trail.path), None)
            try:
                trail.resume(own)
            except (KeyError, TypeError, ValueError, AttributeError):
                why = kept.problem or ("it has nothing of this trail" if own is None else "it is damaged")
                text = f"{state.path}: {why}: {trail.path} is read from its beginning"
                yield Notice((text,), ExitStatus.OK)
        self._others = trails
        self._show()

    def write(self) -> None:
        """Write the state, unless nothing has changed, and the text file. Raises CannotWrite."""
        self._keep()
        self._expose()

    def written(self) -> Iterator[Event]:
        """Write them; yield a notice if one cannot be written, unless that was said at the last look."""
        failures = dict[str, str]()
        for name, put in (("state", self._keep), ("textfile", self._expose)):
            try:
                put()
            except (CannotWrite, OSError) as error:
                failures[name] = str(error)
                self._metrics.failures[name] += 1
                self._show()
                if self._unwritten.get(name) != failures[name]:
                    yield Notice((f"{failures[name]}: tried again at each look",), ExitStatus.OK)
        self._unwritten = failures

    def _expose(self) -> None:
        if self._textfile is not None:
            with WholeFile(self._textfile, replace=True, mode=0o644, is_durable=False) as file:
                file.write(self.page(is_open_metrics=False).encode())

    def _keep(self) -> None:
        own = {str(trail.path): trail.as_values() for trail in self._trails}
        values = {_TRAILS: {**self._others, **own}}
        if self._state is not None and (values != self._kept or not self._state.path.is_file()):
            self._state.write(values)
            self._kept = values


_FORM = Sequence(
    _Question,
    File("<filename> | <wildcard>", missing="takes the files of one trail or several."),
    AnyOrder(
        WatchOptions,
        {
            "every": Keyword("EVERY", Number("<seconds>", least=1, most=86_400)),
            "listen": Keyword("LISTEN", Word("<host:port>")),
            "textfile": Keyword("TEXTFILE", File("<file>.prom")),
            "once": OneOf({"ONCE": True}),
            "state": Keyword("STATE", File("<file>")),
        },
        wrong="{!r} is none of EVERY, LISTEN, TEXTFILE, ONCE and STATE.",
    ),
)
COMMANDS = (
    Command(
        "WATCH",
        _FORM,
        "Follow trails and serve their state as metrics for Prometheus, until Ctrl+C",
        run_watch,
        details=(
            f"LISTEN: where, {LISTEN} if neither it nor TEXTFILE is given; the page is /metrics.",
            "TEXTFILE: a file for the node exporter, written whole at each look. EVERY: seconds between two looks.",
            "ONCE: look once, and print the metrics. STATE: a file from which another run goes on where this ended.",
            "Counters are of this run, or of all runs with STATE. docs/watch.md lists the metrics.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C ends it",
    ),
)
