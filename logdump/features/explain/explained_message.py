"""EXPLAIN of texts of GoldenGate: the meaning, then the record, SAFE and CHECK at the place that they name."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path

from logdump.display.first_match import all_of, problem_notices, show_record
from logdump.features.check.command import CheckOptions, run_check
from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from logdump.features.explain.files import NoFile, Surroundings, file_of, first_file, home_in
from logdump.features.explain.incidents import Incident
from logdump.features.explain.model import MessageExplained, RecordExplained
from logdump.features.explain.places import MessagePlace, PlaceRole, TransactionId, column_in, named_transaction
from logdump.features.safe.command import run_safe
from logdump.filters import parse_criterion
from logdump.notation.text import amount, escape
from logdump.notation.times import format_timestamp
from logdump.session.chosen_trail import files_of_trail, range_of
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, say
from logdump.session.known_record import KnownRecord
from logdump.session.scan import FilteredReader
from logdump.session.searching import csn_goal, find_in_sequence
from logdump.session.session import Session
from logdump.session.settings import OutputFormat
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.csn import csn_key
from trailformat.changes.transactions import own_transaction
from trailformat.codec.on_demand import on_demand
from trailformat.trail.sequence import is_unborn
from trailformat.transactions.header_promises import is_left_open

with on_demand:
    from logdump.features.explain import long_values

_MOST_FINDINGS = 3
"""Gaps and bad rows of CHECK that are shown."""
_FOR_READERS = frozenset(
    {
        PlaceRole.RECORD,
        PlaceRole.READING,
        PlaceRole.BEGIN,
        PlaceRole.RESTART,
        PlaceRole.START,
        PlaceRole.AFTER,
        PlaceRole.FILE,
    }
)
"""The roles of places of a trail that the process reads; no Replicat is to be set to one of another role."""


def explained(session: Session, incident: Incident, near: Surroundings, earlier: int = 0) -> Iterator[Event]:
    """Yield the meaning of a message, the record at its place, and the output of SAFE and CHECK."""
    yield MessageExplained(incident, earlier)
    target, meaning = incident.target, incident.meaning
    code = incident.main.code
    if meaning is None and code is not None:
        ask = f"GET /services/v2/oggerr/{code} of a service explains it."
        yield Notice((f"{code} is not known as a message about trails.", ask), _nothing(incident))
    opened = session.trail.path if session.has_trail else None
    around = near._replace(opened=opened, folders=(*near.folders, *home_in(incident.main)))
    named = named_transaction(f"{incident.main.text}\n{incident.main.below}") if not incident.has_rba else None
    if target is None and named is None and (text_only := _without_place(session, incident)) is not None:
        yield from text_only
        return
    place = target.place if target is not None else MessagePlace()
    file = (first_file(around) if target is None and named else None) or file_of(place, around)
    if isinstance(file, NoFile):
        is_missing = file.is_missing and place.names_file
        yield Notice((f"{escape(file.why)}.",), ExitStatus.BAD_DATA if is_missing else ExitStatus.OK)
        return
    try:
        if file != around.opened:
            session.open(file)
    except TrailError as error:
        if not place.rba and is_unborn(file) and file == files_of_trail(file)[-1]:
            yield say(f"{escape(str(file))} has no records yet: a reader waits for its writer there.")
        else:
            yield Notice((f"Error: {error}.",))
        return
    yield from _in_file(session, incident, place, around, named)


def _without_place(session: Session, incident: Incident) -> tuple[Event, ...] | None:
    """Return what is said of a message that names no place, if no file is to be looked at; else None."""
    meaning = incident.meaning
    if incident.main.code is None and meaning is not None:
        return ()
    if meaning is not None and not meaning.is_frame and not session.has_trail:
        said = "The message names no trail file: OPEN it, and EXPLAIN the message again."
        return (Notice((said,), ExitStatus.OK),)
    return None


def _of_transaction(session: Session, incident: Incident, named: TransactionId) -> Iterator[Event]:
    """Yield the first record of a transaction that a text names, in the trail of the open file, and SAFE for it."""
    what = " ".join(f"{word} {value}" for word, value in (("CSN", named.csn), ("XID", named.xid)) if value)
    record = yield from _first_record(session, named)
    if record is None:
        bounds = range_of(session.trail)
        goes = f" The trail goes {bounds.text(session.settings.time_offset)}." if bounds is not None else ""
        yield Notice((escape(f"The trail has no transaction with {what}.{goes}"),))
        return
    path, own = record.path or session.trail.path, own_transaction(record)
    if path != session.trail.path:
        session.open(path)
    is_next = named.csn is not None and own.csn is not None and csn_key(named.csn) != csn_key(own.csn)
    other = f"No transaction has {what}; the next one has CSN {own.csn}, at" if is_next else f"{what} begins at"
    yield say(escape(f"{other} RBA {record.rba} of {path}:"))
    roles = incident.meaning.roles if incident.meaning is not None else ()
    is_read = not roles or not _FOR_READERS.isdisjoint(roles)
    yield from _at(session, incident, record.rba, advises=is_read and not incident.facts.is_extract)


def _first_record(session: Session, named: TransactionId) -> Generator[Event, None, Record | None]:
    """Return the first record of a transaction: that of its CSN, or of the next one; else by its XID; None without."""
    goal = csn_goal(named.csn) if named.csn is not None else None
    if goal is not None:
        return find_in_sequence(session.trail, goal)
    if named.xid is None:
        return None
    opened = session.trail.path
    criterion = parse_criterion(f'GGSTOKEN TRANID = "{named.xid}"', session.settings.time_offset)
    for path in files_of_trail(opened):
        try:
            session.open(path)
        except TrailError:
            continue
        session.cursor.move(0)
        with closing(FilteredReader(session, filtered=False, also=all_of(criterion), stays=True)) as reader:
            record = yield from reader.find()
        if record is not None:
            return record
    session.open(opened)
    return None


def _nothing(incident: Incident) -> ExitStatus:
    """Return the status of an unknown message: there is nothing to explain if it names no place either."""
    return ExitStatus.OK if incident.places else ExitStatus.COMMAND_FAILED


def _in_file(
    session: Session, incident: Incident, place: MessagePlace, around: Surroundings, named: TransactionId | None
) -> Iterator[Event]:
    """Yield what there is at a place of the file that is open now, or of a transaction, then CHECK of the file."""
    file, meaning = session.trail.path, incident.meaning
    rba = 0 if place.rba is None and meaning is not None and meaning.begins_file else place.rba
    if rba is not None:
        if not place.names_file:
            said = f"The message names no file: RBA {rba} is that of {escape(str(file))}."
            yield Notice((said,), ExitStatus.OK)
        elif file != around.opened:
            yield say(f"RBA {rba} of {escape(str(file))}:")
        if place.file is None and place.trail is None and place.names_file and around.opened is None:
            said = f"The text names no trail: file {place.seqno} is that of the only trail in {file.parent}."
            yield Notice((escape(said),), ExitStatus.OK)
        yield from _at(session, incident, rba, advises=place.role in _FOR_READERS)
    if named is not None:
        yield from _of_transaction(session, incident, named)
        file = session.trail.path
    yield from _values_at_fault(session, incident, rba)
    yield from _shortened(run_check(session, CheckOptions(str(file))), file)
    following = incident.other(PlaceRole.NEXT_FILE)
    if following is not None:
        yield from _next_file(session, incident, file_of(following, around._replace(opened=file)))
    elif rba == session.trail.size and place.role in _FOR_READERS and (later := _file_after(file)) is not None:
        yield from _next_file(session, incident, later)


def _values_at_fault(session: Session, incident: Incident, rba: int | None) -> Iterator[Event]:
    """Yield what a message about a row and its definition does not allow."""
    texts = (incident.main.text, *(message.text for message in reversed(incident.messages)))
    bound = next((bound for text in texts if (bound := long_values.bound_in(text)) is not None), None)
    if bound is not None:
        yield from long_values.values_at_fault(session, bound, rba)


def _at(session: Session, incident: Incident, rba: int, *, advises: bool) -> Iterator[Event]:
    """Yield the record at an RBA, and SAFE for it if a reader can be set to it."""
    size = session.trail.size
    if rba > size:
        yield Notice((f"RBA {rba} is past the end of the file, which has {size} bytes.",))
        return
    if rba == size:
        yet = "" if _file_after(session.trail.path) else ": no record is there yet"
        yield say(f"RBA {rba} is the end of the file{yet}.")
    session.cursor.move(rba)
    is_sound = True
    try:
        record = session.cursor.read() if 0 < rba < size else None
        if record is not None:
            yield from _record(session, record, column_in(incident.main.text))
            session.cursor.move(rba)
            session.cursor.current = rba
            if incident.meaning is not None and incident.meaning.is_of_damage:
                yield say("A sound record begins there: the file has changed since, or the reader has another one.")
    except TrailError as error:
        is_sound, good = False, session.trail.next_good_header(min(rba + 1, size))
        where = f"Next good header at RBA {good}." if good is not None else "No good header after it."
        yield Notice((f"Error: {error}", where))
        if good is not None and (after := session.trail.record_at(good)) is not None:
            own = own_transaction(after)
            yield from [say(escape(f"Transaction {own.xid}, CSN {own.csn} is there."))] if own.xid and own.csn else ()
        begin = _around(session.trail, rba)
        if not begin:  # inside the file header: reading begins after it
            begin = good or rba
        elif begin != rba:
            yield say(f"It is inside the record at RBA {begin}.")
        advises, rba = advises and (good is not None or begin != rba), begin
    if advises:  # of the place itself: a restart at the next good header would lose what the damage has hit
        facts = incident.facts
        yield from run_safe(session, rba, is_brief=is_sound, is_extract=facts.is_extract, group=facts.group)


def _around(trail: TrailFile, rba: int) -> int:
    """Return the RBA of the sound record that an RBA is inside of; the RBA itself if there is none."""
    begin = trail.previous_good_header(rba)
    record = trail.record_at(begin) if begin is not None else None
    return record.rba if record is not None and record.rba + record.length > rba else rba


def _record(session: Session, record: Record, column: str) -> Iterator[Event]:
    """Yield a record with the values of its columns, and a notice for each problem of these."""
    former, session.settings.values = session.settings.values, True
    try:
        if session.settings.format is OutputFormat.JSONL:
            yield from show_record(session, record)
            return
        known = KnownRecord(record, session)
        yield RecordExplained(known, column)
        yield from problem_notices(known, session.settings)
    finally:
        session.settings.values = former


def _shortened(events: Iterator[Event], file: Path) -> Iterator[Event]:
    """Yield the events of CHECK, of its findings only the first ones."""
    findings = 0
    for event in events:
        if isinstance(event, (GapShown, BadRowShown)):
            findings += 1
            if findings > _MOST_FINDINGS:
                continue
        elif findings > _MOST_FINDINGS and not isinstance(event, Notice):
            yield Notice((f"… and {amount(findings - _MOST_FINDINGS, 'more place')}: CHECK lists them.",))
            findings = 0
        yield event._replace(title=file.name) if isinstance(event, CheckShown) else event


def _file_after(file: Path) -> Path | None:
    """Return the next file of a trail that is there; None after the newest one."""
    files = files_of_trail(file)
    return next(iter(files[files.index(file) + 1 :]), None)


def _next_file(session: Session, incident: Incident, file: Path | NoFile) -> Iterator[Event]:
    """Yield what is known of the end of the open file, and the place after it in the file that follows.

    The place is advised only if the open file ends with a whole record and is not closed, and the other file is there.
    """
    trail = session.trail
    name, size, header = escape(trail.path.name), trail.size, trail.file_header
    if header is None or not is_left_open(header):
        goes = f": a reader goes on with {escape(file.name)} by itself" if isinstance(file, Path) else ""
        yield say(f"{name} is closed by its writer{goes}.")
        return
    yield say(f"{name} is not closed: its header has no LastCSN and no FileSize.")
    if isinstance(file, NoFile):
        yield Notice((f"{escape(file.why)}.",))
        return
    if is_unborn(file):
        yield say(f"{escape(str(file))} has no records yet.")
        return
    with TrailFile(file) as later:
        begun = later.file_header.created if later.file_header is not None else None
    when = f" was begun {format_timestamp(begun, session.settings.time_offset)}" if begun else " is there"
    if not _ends_whole(trail):
        yield Notice((f"{name} does not end with a whole record: going to the next file loses the rest of it.",))
        return
    yield say(
        f"The last record of {name} is whole and ends at RBA {size}; {escape(file.name)}{when}.",
        f"Only if the writer of {name} will not go on (ETROLLOVER, or a pump that was interrupted), go to the next",
        "file; else let it finish: what it still writes would be lost.",
    )
    session.open(file)
    facts = incident.facts
    yield from run_safe(session, 0, is_brief=True, is_extract=facts.is_extract, group=facts.group)


def _ends_whole(trail: TrailFile) -> bool:
    """Return whether a file ends where a sound record ends."""
    try:
        last = next(iter(trail.records_backwards()), None)
    except TrailError:
        return False
    return last is not None and last.rba + last.length == trail.size
