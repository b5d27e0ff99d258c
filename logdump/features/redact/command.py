"""REDACT: write a copy of a trail with the same structure and other values, so that it can be given away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from logdump.features.redact.model import RedactShown, Unknown, UnknownShown
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword
from logdump.language.parameters import File, OneOf, file_path
from logdump.session.across import files_from
from logdump.session.chosen_trail import trail_title, whole_trail_of
from logdump.session.copies import check_targets
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice, Progress
from logdump.session.session import Session
from trailformat import TrailFile, TrailName, TrailWriter
from trailformat.changes.encrypted import may_be_encrypted
from trailformat.codec.on_demand import on_demand
from trailformat.transactions.whole_trail import WholeTrail

with on_demand:
    from logdump.features.redact import csns, records, redacted_file, statements, substitutes, survey, values

_PIECE = 1 << 20


class RedactOptions(NamedTuple):
    """The options of REDACT.

    Attributes:
        target: the first file of the copy, or a folder for files of the same names.
        over: a wildcard for the files of the source; None for the open one.
        replaces: True if an existing copy may be replaced.
    """

    target: Path
    over: str | None = None
    replaces: bool = False


class Redaction:
    """One run of REDACT over a trail.

    Args:
        session: the session.
        whole: the source.
        title: its name.
        options: the options of REDACT.

    Attributes:
        is_written: True if the copy has been renamed to its name.

    Raises:
        CommandError: the copy may not be written.
    """

    def __init__(self, session: Session, whole: WholeTrail, title: str, options: RedactOptions) -> None:
        self._session, self._whole, self._title = session, whole, title
        self._targets = targets_of(options.target, whole.paths)
        self._replaces = options.replaces
        self._substitutes = substitutes.Substitutes()
        self._values = values.ValueSubstitutes(self._substitutes)
        self._csns = csns.CsnSubstitutes((), self._substitutes.name)
        self._names = frozenset[bytes]()
        self._unknown: Counter[Unknown] = Counter()
        self._records = self._size = self._places = self._damaged = 0
        self._rest = b""
        self.is_written = False
        check_targets(session, "REDACT", self._targets, whole.paths, replaces=options.replaces)

    def events(self) -> Generator[Event, None, None]:
        """Write the copy, compare its places with those of the source, then yield the summary.

        Raises:
            CommandError: the trail is encrypted, or a place in the copy differs from that in the source.
            TrailError: a file is not a trail, has a record that is too large, or the copy cannot be written.
        """
        for path in self._whole.paths:
            with TrailFile(path) as trail:
                if may_be_encrypted(trail):
                    raise CommandError(
                        f"{path} looks encrypted: what is secret in it cannot be found, and REDACT does not copy it."
                    )
        source = self._session.source_definitions
        found = survey.SourceSurvey(self._whole.paths, source.file if source is not None else None)
        self._csns = csns.CsnSubstitutes(found.csns(), self._substitutes.name)
        self._names = found.names
        with TrailWriter(self._targets[0], replace=self._replaces, is_copy=True) as writer:
            sizes: list[int] = []
            for path, target in zip(self._whole.paths, self._targets, strict=True):
                if target is not self._targets[0]:
                    writer.begin(target)
                with TrailFile(path) as trail:
                    sizes.append((yield from self._write(writer, trail, target)))
            self._prove(writer.finish(), sizes)
        self.is_written = True
        yield self._shown()

    def _write(self, writer: TrailWriter, trail: TrailFile, target: Path) -> Generator[Progress, None, int]:
        """Write the substitute of one file; return the number of its bytes."""
        made = records.RecordSubstitutes(
            trail,
            self._session.definitions_of(trail),
            self._substitutes,
            self._values,
            self._csns,
            statements.StatementSubstitutes(self._substitutes, self._names, statements.tokenizers_of(trail)),
            renumbered(trail.path, target),
        )
        made.go_on_from(self._rest)
        file, step = redacted_file.RedactedFile(trail, made), self._session.settings.notify
        waiting, size, begun = bytearray(), 0, self._records
        for piece in file.pieces():
            waiting += piece.data
            size += len(piece.data)
            if piece.record is not None:
                self._records += 1
                if self._records % step == 0:
                    yield Progress.at(self._records, piece.record)._replace(size=file.size)
            if len(waiting) >= _PIECE:
                writer.write_bytes(bytes(waiting), 0)
                waiting.clear()
        writer.write_bytes(bytes(waiting), self._records - begun)
        self._rest = made.rest
        self._unknown += made.unknown
        self._size += size
        self._places += file.places
        self._damaged += file.damaged
        return size

    def _prove(self, copies: tuple[Path, ...], sizes: list[int]) -> None:
        """Compare the places of records and damage in the copy with those in the source."""
        for path, copy, size in zip(self._whole.paths, copies, sizes, strict=True):
            with TrailFile(path) as trail, TrailFile(copy) as other:
                rba = redacted_file.first_difference(trail, other, size)
            if rba is not None:
                raise CommandError(f"The copy differs from {path} in more than values, at RBA {rba}: it is deleted.")

    def _shown(self) -> RedactShown:
        unknown = tuple(UnknownShown(*what, number) for what, number in sorted(self._unknown.items()))
        return RedactShown(
            self._title,
            self._targets[0],
            len(self._targets),
            self._whole.gaps,
            self._records,
            self._size,
            self._csns.are_kept,
            unknown,
            self._places,
            self._damaged,
        )


def targets_of(target: Path, sources: tuple[Path, ...]) -> list[Path]:
    """Return the file of the copy for each file of the source: numbers are as far apart as those of the source.

    Raises:
        CommandError: the target has no number, and there are several files.
    """
    names = [TrailName.parse(source) for source in sources]
    if target.is_dir():
        return [
            target / (name.plain_path.name if name is not None else source.name)
            for source, name in zip(sources, names, strict=True)
        ]
    first, own = names[0], TrailName.parse(target)
    if len(sources) == 1:
        return [target]
    if first is None or own is None:
        raise CommandError(
            f"{target.name} has no number: a copy of {len(sources)} files takes a name like lt000000000."
        )
    return [own.beyond(name.seqno - first.seqno).path for name in names if name is not None]


def renumbered(source: Path, target: Path) -> Callable[[int], int]:
    """Return a function from a number in the header of a file to that of its copy."""
    own, other = TrailName.parse(source), TrailName.parse(target)

    def number(seqno: int) -> int:
        return other.seqno if own is not None and other is not None and seqno == own.seqno else seqno

    return number


_NO_TARGET = "takes TO and the name of a file or folder."


def run_redact(session: Session, options: RedactOptions) -> Iterator[Event]:
    """Write a redacted copy of the open file, or of a trail; the read position does not change."""
    if session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError("REDACT copies a whole trail, not what passes a filter: FILTER OFF.")
    if options.over is None:
        whole, title = WholeTrail(files_from(session)), str(session.trail.path)
    else:
        whole, title = whole_trail_of(session, options.over, "REDACT"), options.over
    redaction = Redaction(session, whole, trail_title(title, len(whole)), options)
    try:
        yield from redaction.events()
    except KeyboardInterrupt:
        what = "the copy is complete" if redaction.is_written else "nothing was written"
        yield Notice((f"Stopped before the end: {what}.",), ExitStatus.INTERRUPTED)
        raise


def _options(name: str, **given: Any) -> RedactOptions:
    return RedactOptions(file_path(name), **given)


COMMANDS = (
    Command(
        "REDACT",
        AnyOrder(
            _options,
            {
                "over": Keyword("OVER", File("<wildcard>")),
                "name": Keyword("TO", File("<file>", missing=_NO_TARGET)),
                "replaces": OneOf({"REPLACE": True}),
            },
            wrong="{!r} is not an option of REDACT.",
            needed={"name": _NO_TARGET},
        ),
        "Write a copy of a trail with other values, names and texts, to give away",
        run_redact,
        details=(
            "The open file, or the files of <wildcard>; TO names the first file of the copy, or a folder.",
            "Every record, place, length, type and time stays; values, names, DDL, tokens and definitions are",
            "replaced by others of the same form, equal ones by equal ones, by a key that is drawn for each run.",
            "What is not understood is replaced as bytes, and named; so is damage: the exit status is 3 then.",
            "Encrypted trails are refused. REPLACE: an existing copy is replaced. docs/redact.md has the rules.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops, nothing is written",
    ),
)
