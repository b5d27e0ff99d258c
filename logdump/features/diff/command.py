"""DIFF: the differences of two trails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

from logdump.features.diff.comparison import TrailComparison
from logdump.features.diff.model import BeginAligned, DifferenceShown, DiffLevel
from logdump.features.diff.rows import RowOptions, every_record
from logdump.features.diff.side import IGNORABLE, CsnBounds, OfTables, Side, csn_bounds, row_options
from logdump.features.diff.side_by_side import SideBySide
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword, Maybe, Sequence
from logdump.language.parameters import File, Number, OneOf, Table, Word
from logdump.language.reader import ArgumentReader, Context, Form
from logdump.session.across import files_from
from logdump.session.chosen_trail import refuse_filter, trail_named
from logdump.session.errors import ArgumentError
from logdump.session.events import Event
from logdump.session.reading import Reading, answered
from logdump.session.session import Session
from trailformat import TrailFile
from trailformat.changes.csn import CsnKey, csn_key
from trailformat.transactions.batches import TransactionRecord, TransactionRecords
from trailformat.transactions.whole_trail import WholeTrail

LIMIT = 100


class DiffOptions(NamedTuple):
    """The options of DIFF; if ``b`` is None, the open trail is the first and ``a`` the second."""

    a: str
    b: str | None = None
    level: DiffLevel = DiffLevel.RECORDS
    ignored: frozenset[str] = frozenset()
    only: str | None = None
    first: CsnKey | None = None
    last: CsnKey | None = None
    is_any_order: bool = False
    limit: int = LIMIT
    filtered: bool = False

    def of_rows(self, takes: Callable[[TransactionRecord], bool]) -> RowOptions:
        """Return the options of the row comparison; positions count only if all rows are compared, and in order."""
        return row_options(self.level, self.ignored, takes, is_any_order=self.is_any_order)

    @property
    def bounds(self) -> CsnBounds:
        """The bounds of the transactions compared."""
        return csn_bounds(self.level, self.ignored, self.first, self.last)


class DiffRun:
    """One run of DIFF over two trails."""

    def __init__(self, session: Session, options: DiffOptions) -> None:
        self._session, self._options = session, options
        self._selected: tuple[TrailFile, Any] | None = None
        self._listed = 0

    def events(self) -> Iterator[Event]:
        """Yield the differences up to the limit, and the summary."""
        options = self._options
        (a, whole), (b, other) = self._trails()
        takes = every_record if options.only is None and not options.filtered else self._takes
        of_rows = options.of_rows(takes)
        with ExitStack() as stack:
            sides = [
                Side(letter, title, trail, stack.enter_context(self._records(trail)), of_rows, options.bounds)
                for letter, title, trail in (("a", a, whole), ("b", b, other))
            ]
            step, view = self._session.settings.notify, self._view(sides)
            comparison = TrailComparison(
                sides[0], sides[1], of_rows, is_any_order=options.is_any_order, step=step, view=view
            )

            def results(reading: Reading) -> Iterator[Event]:
                shown = comparison.shown(self._listed, is_partial=reading.is_partial)
                if view is not None:
                    view.end(shown)
                yield shown

            yield from answered(self._differences(comparison, view), comparison.reading, results)

    def _differences(self, comparison: TrailComparison, view: SideBySide | None) -> Iterator[Event]:
        """Yield the differences up to the limit, and Progress."""
        for event in comparison.differences():
            if not isinstance(event, DifferenceShown):
                yield event
                continue
            if view is not None:
                view.add_difference(event)
            if self._listed < self._options.limit:
                self._listed += 1
                yield event

    def _view(self, sides: list[Side]) -> SideBySide | None:
        """Return the view that shows both trails side by side; None if no differences are listed."""
        begin: BeginAligned | None = self._session.begin_aligned
        a, b = sides
        if begin is None or not self._options.limit:
            return None
        return SideBySide(a, b, begin(self._options.level, a.title, b.title))

    def _trails(self) -> Iterator[tuple[str, WholeTrail]]:
        if self._options.b is None:
            yield str(self._session.trail.path), WholeTrail(files_from(self._session))
        for name in (self._options.a, self._options.b):
            if name is not None:
                yield name, trail_named(self._session, name, "DIFF")

    def _records(self, whole: WholeTrail) -> TransactionRecords:
        return TransactionRecords(whole, self._session.definitions_of)

    def _takes(self, record: TransactionRecord) -> bool:
        """Return True if a record is of a table of ONLY, and passes the filter under FILTERED."""
        only = self._options.only
        if only is not None and not OfTables(only)(record):
            return False
        if not self._options.filtered:
            return True
        if self._selected is None or self._selected[0] is not record.trail:
            self._selected = record.trail, self._session.selection(record.trail)
        return bool(self._selected[1].accepts(record.record))


def run_diff(session: Session, options: DiffOptions) -> Iterator[Event]:
    """Show the differences of two trails; the read position does not change."""
    refuse_filter(session, "DIFF", filtered=options.filtered)
    yield from DiffRun(session, options).events()


class _Csn(Word):
    """A CSN of any known form."""

    def __init__(self) -> None:
        super().__init__("<csn>")

    def parse(self, text: str, context: Context) -> Any:  # noqa: ARG002 - the signature of Word
        """Return the sort key of the CSN."""
        key = csn_key(text)
        if key is None:
            raise ArgumentError(f"{text!r} is not a CSN.")
        return key


class _IgnoredParts(Form[frozenset[str]]):
    """The words of IGNORE, separated by commas."""

    syntax = "<what>[, <what>…]"

    def __init__(self) -> None:
        self._word = OneOf({word: word for word in IGNORABLE})

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the next word names a part that can be ignored."""
        return self._word.fits(reader)

    def read(self, reader: ArgumentReader) -> frozenset[str]:
        """Return the words read."""
        words: set[str] = set()
        ends, reader.ends = reader.ends, ","
        while True:
            words.add(self._word.read(reader))
            if not reader.skip(","):
                reader.ends = ends
                return frozenset(words)


_OPTIONS: dict[str, Form[Any]] = {
    "level": OneOf({level.name: level for level in DiffLevel}),
    "ignored": Keyword("IGNORE", _IgnoredParts()),
    "only": Keyword("ONLY", Table("<table>")),
    "first": Keyword("FROM", Keyword("CSN", _Csn())),
    "last": Keyword("TO", Keyword("CSN", _Csn())),
    "is_any_order": OneOf({"ORDERED": False, "ANYORDER": True}),
    "limit": Keyword("LIMIT", Number("<n>")),
    "filtered": OneOf({"FILTERED": True}),
}
_QUIET = OneOf({"QUIET": True})
_KEYWORDS = OneOf({word: None for form in (*_OPTIONS.values(), _QUIET) for word in form.keywords})


class _Second(File):
    """A file name that is not a keyword of DIFF."""

    def accepts(self, word: str) -> bool:
        """Return True if the word is not a keyword of DIFF."""
        return not _KEYWORDS.accepts(word)


def _options(a: str, b: str | None, given: dict[str, Any]) -> DiffOptions:
    quiet = {"limit": 0} if given.pop("is_quiet", False) else {}
    return DiffOptions(a, b, **{**given, **quiet})


COMMANDS = (
    Command(
        "DIFF",
        Sequence(
            _options,
            File("<trail>", missing="takes the name of a trail, and that of another unless one is open."),
            Maybe(_Second("<trail>")),
            AnyOrder(dict, {**_OPTIONS, "is_quiet": _QUIET}, wrong="{!r} is not an option of DIFF."),
        ),
        "Show the differences of two trails, transaction by transaction",
        run_diff,
        details=(
            "<trail> is a file, the name of a trail without a number, or a wildcard for its files. With one, the open",
            "file is the first of the two, under ACROSS ON with those after it.",
            "BYTES, RECORDS or VALUES: what must be equal; by default RECORDS. VALUES: as a Replicat applies it.",
            f"IGNORE leaves out {', '.join(IGNORABLE)}.",
            "ONLY: records of tables. FROM and TO: transactions of these CSNs. FILTERED: those that pass a filter.",
            "ANYORDER: the order of records in a transaction does not matter.",
            f"LIMIT: the number of differences that are listed, {LIMIT} unless given; QUIET: none.",
            "Under -c and -f the exit status is 3 when the trails differ. docs/compare.md explains the levels.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops and shows the result so far",
    ),
)
