"""REPAIR: write a sound copy of a damaged trail in five steps: survey, plan, copy, proof, renaming."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from logdump.features.repair.definitions import CopiedDefinitions, DefinitionSources
from logdump.features.repair.file_survey import ByteRange, ByteRanges, FileSurvey
from logdump.features.repair.headers import HeaderChoice, HeaderPlan, NewHeader
from logdump.features.repair.model import LossReason, RepairShown
from logdump.features.repair.plan import SurveyedFile, TransactionPlan
from logdump.features.repair.proof import Proof
from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, AnyOrder, Keyword, Sequence
from logdump.language.parameters import File, Number, OneOf, file_path
from logdump.session.across import files_from
from logdump.session.chosen_trail import trail_named, trail_title, whole_trail_of
from logdump.session.copies import check_targets
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice, Progress
from logdump.session.session import Session
from trailformat import Record, TrailFile, TrailName, TrailWriter
from trailformat.changes.transactions import is_transactional
from trailformat.codec.mapped_file import FileContents
from trailformat.codec.remote.path import path_of, place
from trailformat.records.record_header import REFERENCE
from trailformat.trail.packed import unpacked_size
from trailformat.trail.sequence import FilePosition, next_file
from trailformat.trail.writer import definition_of
from trailformat.transactions.header_promises import mismatches_of
from trailformat.transactions.whole_trail import WholeTrail

_CHUNK = 1 << 20


class FileCopy(NamedTuple):
    """The parts of a source file that are copied; ``left_out`` has the ranges of transactions that are not."""

    survey: FileSurvey
    definitions: CopiedDefinitions
    left_out: ByteRanges

    def first_row(self, trail: TrailFile) -> Record | None:
        """Return the first record in the copy that belongs to a transaction; None without one."""
        records = (record for piece in self.pieces(trail, 0) for record in _records(trail, piece))
        return next((record for record in records if is_transactional(record)), None)

    def pieces(self, trail: TrailFile, begin: int) -> Iterator[ByteRange | Record]:
        """Yield the parts in order: byte ranges of the source from ``begin`` on, and records from other files."""
        additions = iter(self.definitions.additions)
        addition = next(additions, None)
        position = begin
        end = [ByteRange(self.survey.end, self.survey.end)]
        for gap in merge(self.survey.damage, self._rows(trail), self._references(trail), end):
            stop = min(gap.start, self.survey.end)
            while addition is not None and addition.rba <= stop:
                if position < addition.rba:
                    yield ByteRange(position, addition.rba)
                    position = addition.rba
                yield addition.record
                addition = next(additions, None)
            if position < stop:
                yield ByteRange(position, stop)
            position = max(position, gap.stop)

    def is_same(self, trail: TrailFile) -> bool:
        """Return True if the copy has the bytes of the file, and nothing else."""
        return list(islice(self.pieces(trail, 0), 2)) == [ByteRange(0, trail.size)]

    def _rows(self, trail: TrailFile) -> Iterator[ByteRange]:
        """Yield the records left out with their transactions; definitions and restart records among them are copied."""
        for span in self.left_out:
            for run in self.survey.damage.outside(span.start, min(span.stop, self.survey.end)):
                for record in filter(is_transactional, _records(trail, run)):
                    yield ByteRange(record.rba, record.rba + record.length)

    def _references(self, trail: TrailFile) -> Iterator[ByteRange]:
        for rba in self.definitions.left_out:
            yield ByteRange(rba, rba + trail.record_length(rba))


def _records(trail: TrailFile, piece: ByteRange | Record) -> Iterator[Record]:
    if isinstance(piece, Record):
        yield piece
        return
    for rba in trail.sound_rbas(*piece):
        record = trail.record_at(rba)
        if record is not None:
            yield record


def write_as_it_is(writer: TrailWriter, trail: TrailFile, copy: FileCopy, header: NewHeader) -> None:
    """Write the copy of one source file as one file."""
    if header.record is not None:
        writer.write_bytes(header.record.raw, 1)
    for piece in copy.pieces(trail, header.begin):
        if isinstance(piece, Record):
            writer.write_bytes(piece.raw, 1)
            continue
        if isinstance(trail.buffer, FileContents):
            writer.copy_range(trail.buffer, *piece, 0)
            continue
        for start in range(*piece, _CHUNK):
            writer.write_bytes(trail.bytes[start : min(start + _CHUNK, piece.stop)], 0)


def write_on(writer: TrailWriter, trail: TrailFile, copy: FileCopy, header: NewHeader | None) -> Iterator[Record]:
    """Append the copy of a file record by record, and begin a new file when one is full.

    Yields each record that is written. Without a ``header`` the file header is omitted.
    """
    if header is not None and header.record is not None:
        writer.write(header.record)
    for piece in copy.pieces(trail, header.begin if header is not None else trail.first_rba):
        for record in _records(trail, piece):
            writer.write(_own_form(trail, record))
            yield record


def _own_form(trail: TrailFile, record: Record) -> Record:
    """Return a reference as a TDR, as its implied index may differ in the copy; other records unchanged."""
    if record.is_metadata and record.header.orig_node == REFERENCE and record.path is not None:
        entry = trail.tables.defined_at(record.rba)
        return (definition_of(trail, entry) if entry is not None else None) or record
    return record


def targets_from(first: Path, number: int) -> list[Path]:
    """Return the names of ``number`` files, from the first one on.

    Raises:
        CommandError: the first has no number, and there are several.
    """
    name = TrailName.parse(first)
    if number > 1 and name is None:
        raise CommandError(f"{first.name} has no number: a copy of {number} files takes a name like lt000000000.")
    targets = [first]
    while name is not None and len(targets) < number:
        name = name.next
        targets.append(name.path)
    return targets


_MEGABYTE = 1 << 20


class RepairOptions(NamedTuple):
    """The options of REPAIR.

    Attributes:
        target: the first file of the copy; ``name`` as entered, for its header.
        over: a wildcard for the files of the source; None for the open one.
        replaces: True if an existing copy may be replaced.
        stops: True if the copy ends at the first damage.
        is_all: True if sound records of transactions that are not whole are copied.
        header: treatment of file headers; ``header_from``: the file whose header is used.
        definitions: a trail that has the definitions of the source.
        megabytes: maximum size of a file of the copy; None for one file for each of the source.
        is_dry: True if nothing is written.
    """

    target: Path
    name: str
    over: str | None = None
    replaces: bool = False
    stops: bool = False
    is_all: bool = False
    header: HeaderChoice = HeaderChoice.AUTO
    header_from: str | None = None
    definitions: str | None = None
    megabytes: int | None = None
    is_dry: bool = False


class Repair:
    """One run of REPAIR over a trail.

    Args:
        session: the session.
        whole: the source.
        title: its name.
        options: the options of REPAIR.

    Attributes:
        is_written: True if the copy has been renamed to its name.

    Raises:
        CommandError: the copy may not be written.
    """

    def __init__(self, session: Session, whole: WholeTrail, title: str, options: RepairOptions) -> None:
        self._whole, self._title, self._options = whole, title, options
        self._session, self._step = session, session.settings.notify
        self._named = trail_named(session, options.definitions, "REPAIR").paths if options.definitions else ()
        self._from = path_of(options.header_from).absolute() if options.header_from else None
        self._files: dict[int, SurveyedFile] = {}
        self._plan = TransactionPlan(whole, {}, is_all=options.is_all, goes_on=False)
        self._ordinals: list[int] = []
        self._headers: dict[int, NewHeader] = {}
        self._scanned = 0
        self.is_written = False
        self._check([options.target])

    def events(self) -> Iterator[Event]:
        """Survey the source, write the copy and prove it, then yield the losses.

        Raises:
            CommandError: nothing can be copied, the copy can have no header, or the proof fails.
            TrailError: the source is not a trail, or the copy cannot be written; no partial files remain.
        """
        yield from self._survey()
        yield from self._decide()
        targets = self._targets()
        if targets[1:]:
            self._check(targets)
        for ordinal, target in zip(self._ordinals, targets, strict=False):
            with TrailFile(self._whole.paths[ordinal]) as trail:
                self._headers[ordinal] = self._header(ordinal, trail, target)
        if self._options.megabytes is not None:
            self._check_alike()
        if not self._options.is_dry:
            yield from self._write(targets)
            self.is_written = True
        yield from self._plan.losses
        yield self._shown()

    def _check(self, targets: list[Path]) -> None:
        paths = (*self._named, *((self._from,) if self._from is not None else ()))
        check_targets(self._session, "REPAIR", targets, (*self._whole.paths, *paths), replaces=self._options.replaces)

    def _survey(self) -> Iterator[Progress]:
        """Find damage and lost definitions, up to the end of the copy."""
        for ordinal, path in enumerate(self._whole.paths):
            trail = self._whole.open(ordinal)
            if trail is None:
                continue
            with trail:
                survey = FileSurvey(trail, stops=self._options.stops)
                yield from survey.run(self._step)
                sources = DefinitionSources(path, trail.order, self._named)
                self._files[ordinal] = SurveyedFile(survey, CopiedDefinitions(trail, survey, sources))
            if survey.stop is not None:
                break
        if not self._files:
            raise next(iter(self._whole.unreadable.values()))

    def _decide(self) -> Iterator[Progress]:
        last = next_file(self._whole.paths[-1])[0]
        goes_on = last is not None and unpacked_size(last) > 0
        self._plan = TransactionPlan(self._whole, self._files, is_all=self._options.is_all, goes_on=goes_on)
        for batch in self._plan.run():
            if (progress := batch.progress) is not None:
                before, self._scanned = self._scanned, self._scanned + progress.records
                if before // self._step != self._scanned // self._step:
                    yield Progress(self._scanned, progress.place.rba, progress.time, self._whole.size)
        self._ordinals = [ordinal for ordinal in self._files if self._has_anything(ordinal)]
        if not self._ordinals:
            target = self._options.target
            raise CommandError(f"There is no record to copy and no file header: {target} is not written.")

    def _has_anything(self, ordinal: int) -> bool:
        """Return True if a file of the source has a header or records to copy."""
        with TrailFile(self._whole.paths[ordinal]) as trail:
            if self._header_plan(ordinal, trail).has_header:
                return True
            return next(self._copy(ordinal).pieces(trail, trail.first_rba), None) is not None

    def _targets(self) -> list[Path]:
        return targets_from(self._options.target, 1 if self._options.megabytes else len(self._ordinals))

    def _copy(self, ordinal: int) -> FileCopy:
        return FileCopy(*self._files[ordinal], self._plan.left_out(ordinal))

    def _header(self, ordinal: int, trail: TrailFile, target: Path) -> NewHeader:
        name = str(place(self._options.name).with_name(target.name))
        copy, plan = self._copy(ordinal), self._header_plan(ordinal, trail)
        is_same = self._options.megabytes is None and copy.is_same(trail) and not mismatches_of(trail)
        return plan.header(target, name, copy.first_row(trail), is_same=is_same)

    def _header_plan(self, ordinal: int, trail: TrailFile) -> HeaderPlan:
        return HeaderPlan(trail, self._files[ordinal].survey, self._options.header, self._from)

    def _write(self, targets: list[Path]) -> Iterator[Progress]:
        """Write the copy, prove it, and rename it."""
        options, size = self._options, self._options.megabytes
        limit = size * _MEGABYTE if size is not None else None
        with TrailWriter(options.target, max_bytes=limit, replace=options.replaces, is_copy=True) as writer:
            for number, ordinal in enumerate(self._ordinals):
                with TrailFile(self._whole.paths[ordinal]) as trail:
                    if limit is not None:
                        written = write_on(writer, trail, self._copy(ordinal), self._headers.get(ordinal))
                        yield from self._progress(written, trail.size)
                        continue
                    if number:
                        writer.begin(targets[number])
                    write_as_it_is(writer, trail, self._copy(ordinal), self._headers[ordinal])
            self._check(writer.paths)
            proof = Proof(self._whole, self._plan, writer.finish(), self._step)
            yield from proof.run(is_all=options.is_all)
            added = sum(len(file.definitions.additions) for file in self._files.values())
            rebuilt = sum(header.record is not None for header in self._headers.values())
            expected = self._copied() + added + rebuilt
            if limit is None and proof.records != expected:
                raise CommandError(f"The copy has {proof.records} records, {expected} were expected: it is deleted.")

    def _progress(self, records: Iterator[Record], size: int) -> Iterator[Progress]:
        """Yield progress at the interval of NOTIFY while the records of a file are written."""
        for number, record in enumerate(records, 1):
            if number % self._step == 0:
                yield Progress.at(number, record)._replace(size=size)

    def _check_alike(self) -> None:
        """Refuse sources that one file cannot hold: mixed byte orders or versions."""
        surveys = [self._files[ordinal].survey for ordinal in self._ordinals]
        for what, kinds in (
            ("byte orders", {survey.order for survey in surveys} - {None}),
            ("versions", {survey.version for survey in surveys} - {None}),
        ):
            if len(kinds) > 1:
                raise CommandError(f"The files have several {what}: one file cannot hold both.")

    def _copied(self) -> int:
        """Return the number of source records in the copy."""
        files = self._files.values()
        in_files = sum(file.survey.records - file.survey.embedded - len(file.definitions.left_out) for file in files)
        replaced = sum(header.begin > 0 for header in self._headers.values())
        skipped = sum(file.survey.has_header for ordinal, file in self._files.items() if ordinal not in self._headers)
        return in_files - self._plan.records - replaced - skipped

    def _bytes_lost(self) -> int:
        surveys = [file.survey for file in self._files.values()]
        lost = sum(survey.damage.size if survey.stop is None else survey.size - survey.stop for survey in surveys)
        known = {survey.path for survey in surveys}
        return lost + sum(unpacked_size(path) for path in self._whole.paths if path not in known)

    def _shown(self) -> RepairShown:
        plan, surveys = self._plan, [file.survey for file in self._files.values()]
        definitions = [file.definitions for file in self._files.values()]
        known = plan.losses.number - plan.numbers[LossReason.UNKNOWN] - plan.numbers[LossReason.HALF_RECORD]
        stop = next((survey for survey in surveys if survey.stop is not None), None)
        return RepairShown(
            self._title,
            self._options.target,
            len(self._whole),
            self._whole.gaps,
            tuple(self._whole.unreadable),
            copied=self._copied(),
            left_out_transactions=0 if self._options.is_all else known,
            left_out_records=plan.records,
            partial_transactions=known if self._options.is_all else 0,
            bytes_lost=self._bytes_lost(),
            places=sum(len(survey.damage) for survey in surveys),
            unknown=plan.numbers[LossReason.UNKNOWN],
            embedded=sum(survey.embedded for survey in surveys),
            headers=tuple(header.shown for header in self._headers.values()),
            definitions_copied=tuple(definition for each in definitions for definition in each.copied),
            definitions_lost=tuple(definition for each in definitions for definition in each.lost),
            restart_at=plan.position(plan.restart_at),
            after_csn=plan.after_csn,
            stopped_at=FilePosition(stop.path, stop.stop) if stop is not None and stop.stop is not None else None,
            is_dry=self._options.is_dry,
            losses=plan.losses.number,
            listed=len(plan.losses.listed),
        )


_NO_TARGET = "takes TO and the name of a file."


def run_repair(session: Session, options: RepairOptions) -> Iterator[Event]:
    """Write a sound copy of the open file, or of a trail; the read position does not change."""
    if session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError("REPAIR copies whole transactions, not what passes a filter: FILTER OFF.")
    if options.over is None:
        whole, title = WholeTrail(files_from(session)), str(session.trail.path)
    else:
        whole, title = whole_trail_of(session, options.over, "REPAIR"), options.over
    repair = Repair(session, whole, trail_title(title), options)
    try:
        yield from repair.events()
    except KeyboardInterrupt:
        what = "the copy is complete, this is partial" if repair.is_written else "nothing was written"
        yield Notice((f"Stopped before the end: {what}.",), ExitStatus.INTERRUPTED)
        raise


def _options(name: str, header: dict[str, Any] | None = None, **given: Any) -> RepairOptions:
    return RepairOptions(file_path(name), name, **given, **(header or {}))


COMMANDS = (
    Command(
        "REPAIR",
        AnyOrder(
            _options,
            {
                "over": Keyword("OVER", File("<wildcard>")),
                "name": Keyword("TO", File("<file>", missing=_NO_TARGET)),
                "replaces": OneOf({"REPLACE": True}),
                "stops": OneOf({"SKIP": False, "STOP": True}),
                "is_all": OneOf({"WHOLE": False, "ALL": True}),
                "header": Keyword(
                    "HEADER",
                    Alternatives(
                        OneOf({"KEEP": {"header": HeaderChoice.KEEP}, "REBUILD": {"header": HeaderChoice.REBUILD}}),
                        Keyword("FROM", Sequence(lambda name: {"header_from": name}, File("<file>"))),
                    ),
                ),
                "definitions": Keyword("DEFINITIONS", File("<trail>")),
                "megabytes": Keyword("MEGABYTES", Number("<n>", least=1)),
                "is_dry": OneOf({"DRY": True}),
            },
            wrong="{!r} is not an option of REPAIR.",
            needed={"name": _NO_TARGET},
        ),
        "Write a sound copy of a damaged trail, and list what it lacks",
        run_repair,
        details=(
            "The open file, or the files of <wildcard>; each becomes one file of the copy, or of MEGABYTES at most.",
            "SKIP leaves out damage, STOP ends the copy there. WHOLE: only transactions of which nothing is lost;",
            "ALL: every sound record. HEADER: the file header is kept, rebuilt, or that of another file.",
            "DEFINITIONS: a trail with the definitions that are lost. REPLACE: an existing copy is replaced.",
            "DRY: nothing is written. The copy gets its name when CHECK and DIFF have found it sound.",
            "Under -c and -f the exit status is 3 when it lacks anything. docs/repair.md has the rules.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops, nothing is written",
    ),
)
