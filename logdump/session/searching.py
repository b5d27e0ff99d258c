"""A search: if it fails or is stopped, the position is unchanged and a message has the range without a match."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from logdump.filters import Criterion, CriterionSet, FilterError, FilterSet, Match, parse_criterion
from logdump.filters.conditions import begins_condition, columns_in
from logdump.filters.value_criteria import any_value
from logdump.notation.times import GMT
from logdump.notation.values import unquote
from logdump.session.across import return_to
from logdump.session.chosen_trail import files_of_trail
from logdump.session.cursor import Place
from logdump.session.defined_names import undefined_column
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Search, Session
from trailformat import Record, TrailFile
from trailformat.changes.csn import csn_key
from trailformat.changes.transactions import own_transaction
from trailformat.trail import command_files
from trailformat.trail.peek import TrailPeek, peek
from trailformat.trail.sequence import FilePosition
from trailformat.trail.time_search import RecordTest, first_that_passes, is_at_or_after

_HEX = re.compile(r"HEX\s+(?P<digits>.+)", re.IGNORECASE | re.DOTALL)
_QUOTES = "\"'"
_ANY_CASE = re.compile(r"[Bb]\s*,\s*(?=[\"'])")


def parse_search(session: Session, text: str) -> Search:
    """Return the search that ``text`` describes, in the open trail.

    A text without quotes that is a number, a date or a time is also looked for among the values of the columns.

    Raises:
        CommandError: the text cannot be parsed, or names a column that no table of the trail has.
    """
    if match := _HEX.fullmatch(text):
        return Search(text, _all(_criterion(f'HEX "{match["digits"].strip().strip(_QUOTES)}"')))
    if begins_condition(text):
        condition = _criterion(f"VALUE {text}")
        _check_defined(session, text, condition)
        return Search(text, _all(condition))
    value = _ANY_CASE.sub("", text)
    mark = "B," if value != text else ""
    wanted = unquote(value).replace('"', '""')
    string, values = _criterion(f'STRING {mark}"{wanted}"'), any_value(text)
    criteria = [string] if values is None else [string, values]
    return Search(text, FilterSet(include=CriterionSet(criteria, Match.ANY)), values)


def _criterion(statement: str) -> Criterion:
    try:
        return parse_criterion(statement, GMT)
    except FilterError as error:
        raise CommandError(f"FIND: {error}") from error


def _all(*criteria: Criterion) -> FilterSet:
    return FilterSet(include=CriterionSet(list(criteria), Match.ALL))


def _check_defined(session: Session, text: str, condition: Criterion) -> None:
    """Raise CommandError if a condition names a column that no table of the trail has."""
    for table, name in columns_in(condition):
        if (undefined := undefined_column(session, name, table)) is not None:
            raise CommandError(undefined, f'FIND "{text}" looks for the text itself.')


class Goal(NamedTuple):
    """The goal of a search: its text, and tests of a record and of the bounds in a file header (None: unknown)."""

    text: str
    passes: RecordTest
    first_passes: Callable[[TrailPeek], bool | None]
    last_passes: Callable[[TrailPeek], bool | None]


def csn_goal(csn: str) -> Goal | None:
    """Return the goal of the first transaction with at least this CSN; None if the CSN has no known form."""
    wanted = csn_key(csn)
    if wanted is None:
        return None

    def at_least(csn: str | None) -> bool | None:
        key = csn_key(csn) if csn else None
        return key.parts >= wanted.parts if key is not None and key.kind == wanted.kind else None

    return Goal(
        f"CSN >= {csn}",
        lambda record: None if record.is_file_header else at_least(own_transaction(record).csn),
        lambda header: at_least(header.first_csn),
        lambda header: at_least(header.last_csn),
    )


def time_goal(moment: int, text: str) -> Goal:
    """Return the goal of the first row at or after a time (Julian microseconds)."""

    def at_or_after(time: int | None) -> bool | None:
        return None if time is None else time >= moment

    return Goal(
        f"a time at or after {text}",
        is_at_or_after(moment),
        lambda header: at_or_after(header.first_time),
        lambda header: at_or_after(header.last_time),
    )


def find_in_sequence(
    trail: TrailFile, goal: Goal, note: Callable[[FilePosition], object] = lambda _position: None
) -> Record | None:
    """Return the first record that reaches the goal, in the trail of the open file; None if there is none.

    ``note`` is called with positions before which there is no match.

    Raises:
        TrailError: a file cannot be read.
    """
    for path in _candidates(files_of_trail(trail.path), goal):
        command_files.announce([path])
        with nullcontext(trail) if path == trail.path else TrailFile(path) as file:
            record = first_that_passes(file, goal.passes, lambda rba, path=path: note(FilePosition(path, rba)))  # type: ignore[misc]
        if record is not None:
            return record
    return None


def _candidates(paths: Sequence[Path], goal: Goal) -> Iterator[Path]:
    """Yield the files that can contain the record, without files that are no trail."""
    header_of = cache(peek)

    def begins_before(path: Path) -> bool | None:
        header = header_of(path)
        begins_there = goal.first_passes(header) if header is not None else None
        return None if begins_there is None else not begins_there

    first = _last_begun_before(paths, begins_before)
    for index, path in enumerate(paths[first:], first):
        header = header_of(path)
        if header is None:
            continue
        following = next((later_path for later_path in paths[index + 1 :] if header_of(later_path) is not None), None)
        ends_before = goal.last_passes(header) is False
        if not ends_before and not (following is not None and begins_before(following)):
            yield path


def _last_begun_before(paths: Sequence[Path], begins_before: Callable[[Path], bool | None]) -> int:
    """Return the index of the last file that is known to begin before the goal, by binary search; 0 if none is."""
    low, high = 0, len(paths)
    while low < high:
        middle = (low + high) // 2
        begun = next((index for index in range(middle, high) if begins_before(paths[index]) is not None), None)
        if begun is not None and begins_before(paths[begun]):
            low = begun + 1
        else:
            high = middle
    return max(low - 1, 0)


T = TypeVar("T")


class Searching:
    """A search of a session.

    Args:
        session: the session, whose position moves with the search.
        what: the target of the search, in words that follow "no".
        start: the position to return to; the present one by default.
        since: the start of a search that does not move the position, and calls ``note`` instead.

    Attributes:
        what: the same; ``look_on`` changes it.
        since: the position at which the search for ``what`` began.
        passes: the position before which there is no match; None: that of the session.
    """

    def __init__(
        self, session: Session, what: str, *, start: Place | None = None, since: FilePosition | None = None
    ) -> None:
        self._session = session
        self.what = what
        self._start = start or session.cursor.place
        self.since = _here(session) if since is None else since
        self.position = since

    def run(self, search: Generator[Event, None, T]) -> Generator[Event, None, T]:
        """Run a search.

        Raises:
            CommandError: the search has failed; the former position is restored.
            KeyboardInterrupt: the user stopped it; the same, after a notice of the range without a match.
        """
        try:
            try:
                return (yield from search)
            except CommandError:
                self.position = self.position or _here(self._session)
                yield from return_to(self._session, self._start)
                raise
        except KeyboardInterrupt:
            message = self._told(self.position or _here(self._session))
            yield from return_to(self._session, self._start)
            yield Notice((message,), ExitStatus.INTERRUPTED)
            raise

    def run_whole(self, search: Callable[[], T]) -> Generator[Event, None, T]:
        """Run a search that consists of one step."""

        def run() -> Generator[Event, None, T]:
            yield from ()
            return search()

        return self.run(run())

    def look_on(self, what: str) -> None:
        """Go on to search for something else, from the position on."""
        self.what, self.since = what, _here(self._session)

    @property
    def searched(self) -> str:
        """What has been searched when nothing was found: ``from RBA 0 of lt000000000 to the end of lt000000002``."""
        side, path = "beginning" if self._session.cursor.is_backwards else "end", self._session.trail.path
        begin, end = (f" of {self.since.path.name}", f" of {path.name}") if path != self.since.path else ("", "")
        return f"from RBA {self.since.rba}{begin} to the {side}{end}"

    def note(self, position: FilePosition) -> None:
        """Note that no match is before a position."""
        self.position = position

    def _told(self, position: FilePosition) -> str:
        since = self.since
        if position == since:
            return f"Stopped with nothing searched yet for {self.what}: the position stays."
        of = f" of {since.path}" if since.path != position.path else ""
        return (
            f"Stopped at RBA {position.rba} of {position.path}: "
            f"no {self.what} from RBA {since.rba}{of} to there, the position stays."
        )


def _here(session: Session) -> FilePosition:
    return FilePosition(session.trail.path, session.cursor.next)
