"""What happened to a process, from its messages: those that stop it seldom name a place, so its others are joined.

    01:10:04 WARNING OGG-01003  Repositioning to rba 1486 in seqno 67.         the begin of the transaction
    01:10:04 ERROR   OGG-01296  Error mapping from SHOP.ITEM to SHOP.ITEM.     what happened
    Reading ./dirdat/rt000000067, current RBA 1613, …, m_file_rba = 1720       the record, and the place after it

Messages of another process, or of another time, are never joined.
"""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Annotated, NamedTuple

from logdump.features.explain.log_lines import LogMessage
from logdump.features.explain.messages import Meaning, meanings, text_meaning
from logdump.features.explain.places import MessagePlace, Named, PlaceRole, names_place, places_in
from trailformat.trail.sequence import first_written

_NEAR = 60.0
"""Seconds between two messages of one incident."""
_MOST_NEAR = 32
"""Messages of a process that are kept before its error, and after it."""
_MOST_PROCESSES = 256
"""Processes whose last messages are kept."""
_MOST_KINDS = 128
"""Kinds of errors that are counted."""
_MOST_NAMED = 4
"""Processes of a kind of error that are named."""
OF_ONE = re.compile(r"^[ \t]*(REPLICAT|EXTRACT)[ \t]+([\w$#]{1,64})[ \t]*;?[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
"""The parameter that names the process of a report."""
_OF_EXTRACT = re.compile(r"^\s*EXTRACT\s|\brequest to EXTRACT\b|Oracle GoldenGate Capture\b", re.MULTILINE)
_GROUP = re.compile(
    r"^\s*(?:REPLICAT|EXTRACT)\s+(?!RUNNING|STOPPED|ABENDED|STARTING)([\w$#]{1,64})\s+(?:Last Started|Initialized)\b"
    r"|\brequest to (?:EXTRACT|REPLICAT) ([\w$#]{1,64})\s*\.\.\."
    r"|\bprocess started, group ([\w$#]{1,64}) discard file\b"
    r"|Oracle GoldenGate (?:Capture|Delivery)\b[^\n:]{0,80}, *([\w$#]{1,64})\.prm\b",
    re.MULTILINE | re.IGNORECASE,
)
"""The name of an Extract or a Replicat."""
_OPENED = "OGG-02243"
"""The number of the message that names the trail which a process reads."""
_WAITS_AT_END = "OGG-01519"
"""The number of the warning that a process waits at the end of a file, though there is a later one."""
_NUMBERS = (10**6, 10**9)
"""How many numbers files have before they wrap, of six and of nine digits."""
_OWN_STARTS = frozenset({"OGG-00992", "OGG-00993", "OGG-00995", "OGG-00996"})
"""The messages of an Extract or a Replicat that starts, or has started."""
_OWN_STOPS = frozenset({"OGG-00991", "OGG-00994"})
"""The messages of an Extract or a Replicat that has stopped normally."""
_STARTS = _OWN_STARTS | {"OGG-00975"}
_ORDER = (
    PlaceRole.RECORD,
    PlaceRole.READING,
    PlaceRole.NOW,
    PlaceRole.BEGIN,
    PlaceRole.RESTART,
    PlaceRole.START,
    PlaceRole.FILE,
    PlaceRole.WRITING,
    PlaceRole.AFTER,
)
"""The roles, that of the place which is shown first."""


class RolePlace(NamedTuple):
    """A place of an incident, and the message that names it."""

    place: MessagePlace
    message: LogMessage

    @property
    def role(self) -> PlaceRole:
        """Return the role of the place."""
        return self.place.role


class ProcessFacts(NamedTuple):
    """What a text says of a process, however far from its error.

    Attributes:
        group: its name; empty if the text does not name it.
        is_extract: True for an Extract, such as a pump.
        trail: the path of the trail that it reads, without a number; None if the text does not name it.
    """

    group: str = ""
    is_extract: bool = False
    trail: str | None = None

    def after(self, message: LogMessage) -> ProcessFacts:
        """Return the facts with those of the next message."""
        text = f"{message.text}\n{message.below}"
        named, parameter = _GROUP.search(text), OF_ONE.search(text)
        group = parameter[2] if parameter else next(filter(None, named.groups())) if named else self.group
        is_extract = _OF_EXTRACT.search(text) is not None or (
            parameter is not None and parameter[1].upper() == "EXTRACT"
        )
        trail = _trail_read(message) if message.code == _OPENED else None
        return ProcessFacts(group.upper(), self.is_extract or is_extract, trail or self.trail)


class Incident(NamedTuple):
    """What happened to a process.

    Attributes:
        main: the message that says it.
        messages: it and those of the process around it, in their order.
        places: the places that they name, each role with the last one; a name of a trail fills in those without one.
        facts: what is known of the process.
    """

    main: LogMessage
    messages: tuple[LogMessage, ...]
    places: tuple[RolePlace, ...]
    facts: ProcessFacts

    @property
    def meaning(self) -> Meaning | None:
        """What the main message means; None if it is not known."""
        main = self.main
        return meanings().get(main.code) if main.code is not None else text_meaning(f"{main.text}\n{main.below}")

    @property
    def target(self) -> RolePlace | None:
        """The place to show; None without one."""
        places = {named.role: named for named in self.places if named.role is not PlaceRole.REDO}
        with_rba = {role: named for role, named in places.items() if named.place.rba is not None}
        chosen = next((with_rba[role] for role in _ORDER if role in with_rba), None)
        named = next((places[role] for role in _ORDER if role in places), None)
        return chosen or named or next(iter(self.places), None)

    @property
    def has_rba(self) -> bool:
        """True if it names an RBA, of a trail or of a log of the database."""
        return any(named.place.rba is not None for named in self.places)

    def other(self, role: PlaceRole) -> MessagePlace | None:
        """Return the place of a role; None without one."""
        return next((named.place for named in self.places if named.role is role), None)

    @property
    def is_error(self) -> bool:
        """True if a message of it is an error."""
        return any(message.severity == "ERROR" for message in self.messages)

    @property
    def weight(self) -> int:
        """How much it says of a trail: an error with a cause or a place, a known warning, an end, a place, nothing."""
        meaning = self.meaning
        says = bool(self.places) or (meaning is not None and not meaning.is_frame)
        if not says:
            return 2 if self.is_error and meaning is not None else 0
        if self.is_error:
            return WITH_CAUSE
        return 3 if self.main.severity == "WARNING" and meaning is not None else 1


WITH_CAUSE = 4
"""The weight of an error that says something about a trail."""


class MessageKind(NamedTuple):
    """The errors of a log with the same number.

    Attributes:
        latest: the last one, with the messages around it.
        others: the same without the latest one; None if that is the only one.
    """

    code: Annotated[str, "The number of the messages, empty for those without one"]
    number: Annotated[int, "How many there are"]
    first: Annotated[str, "The time of the first one as it is written, empty without one"]
    last: Annotated[str, "The time of the last one"]
    processes: Annotated[tuple[str, ...], "The first processes that have it"]
    latest: Incident
    others: MessageKind | None = None


def incident_of(messages: Iterable[LogMessage], facts: ProcessFacts | None = None, *, typed: bool = False) -> Incident:
    """Return the incident of messages of one process; in a ``typed`` text any place counts, wherever it is.

    ``facts`` are those of the messages before these.
    """
    ordered = tuple(messages)
    facts = reduce(ProcessFacts.after, ordered, facts or ProcessFacts())
    named = [(message, _places(message, typed=typed)) for message in ordered]
    main = _main(named)
    places = dict[PlaceRole, RolePlace]()
    for message, own_places in named:
        roles = set[PlaceRole]()
        for place in own_places:
            is_main = places.get(place.role) is not None and places[place.role].message is main
            if place.role not in roles and not is_main:
                places[place.role] = RolePlace(place, message)
            roles.add(place.role)
    return Incident(main, ordered, tuple(_with_trail(list(places.values()), facts.trail)), facts)


def _main(named: list[tuple[LogMessage, tuple[MessagePlace, ...]]]) -> LogMessage:
    """Return the message that says what happened: an error before a warning, one with a place before another."""
    known = meanings()

    def rank(number: int) -> tuple[int, ...]:
        message, places = named[number]
        meaning = known.get(message.code or "")
        is_cause = message.code is not None and not (meaning is not None and meaning.is_frame)
        severity = {"ERROR": 2, "WARNING": 1}.get(message.severity or "", 0)
        has_record = any(place.role in (PlaceRole.RECORD, PlaceRole.FILE) for place in places)
        return is_cause, severity, has_record, meaning is not None, number

    return named[max(range(len(named)), key=rank)][0]


def _by_number(places: Iterable[MessagePlace]) -> tuple[MessagePlace, ...]:
    """Return places in the order in which their files were written, also where the numbers have wrapped."""
    ordered = sorted(places, key=lambda place: place.number or 0)
    numbers = [place.number or 0 for place in ordered]
    first = max(first_written(numbers, modulus) for modulus in _NUMBERS)
    return (*ordered[first:], *ordered[:first])


def _places(message: LogMessage, *, typed: bool) -> tuple[MessagePlace, ...]:
    """Return the places of a message, with the roles that its number gives them."""
    named: Named = places_in(message.text, message.below)
    if not message.text:
        named = places_in(message.below)
    meaning = meanings().get(message.code or "")
    others = named.others if typed or message.code is not None else ()
    roles = meaning.roles if meaning is not None else ()
    if PlaceRole.NEXT_FILE in roles:  # whatever the order is in the language of the text
        others = _by_number(others)
    given = list[MessagePlace]()
    for number, place in enumerate(others):
        role = place.role
        if role is PlaceRole.RECORD and roles:
            role = roles[min(number, len(roles) - 1)]
        if place.file is not None and role is PlaceRole.REDO:
            role = PlaceRole.RECORD
        if place.file is not None and place.rba is None and role is PlaceRole.RECORD:
            role = PlaceRole.FILE
        is_redo = place.is_redo or role is PlaceRole.REDO
        given.append(place._replace(role=PlaceRole.REDO if is_redo else role, is_redo=is_redo))
    return (*named.shaped, *given)


_NOT_READ = frozenset({PlaceRole.WRITING, PlaceRole.REDO, PlaceRole.NEXT_FILE})
"""The roles of places that the process does not read."""


def _trail_read(message: LogMessage) -> str | None:
    """Return the path of the trail that a process reads, without a number; None if the message does not name it."""
    named = places_in(message.text, message.below)
    trails = (place.trail_name for place in (*named.shaped, *named.others) if place.role not in _NOT_READ)
    return next((trail for trail in trails if trail is not None), None)


def _with_trail(places: list[RolePlace], read: str | None) -> Iterator[RolePlace]:
    """Yield the places; one with a number alone is of the trail that the process reads, if another one names it.

    ``read`` is that trail by the messages before; None if they do not name it.
    """
    named_trails = (named.place.trail_name for named in places if named.role not in _NOT_READ)
    trails = dict.fromkeys(trail for trail in named_trails if trail is not None) or dict.fromkeys(filter(None, [read]))
    for named in places:
        place = named.place
        is_bare = place.file is None and place.trail is None and place.seqno is not None and not place.is_redo
        if is_bare and len(trails) == 1 and place.role is not PlaceRole.WRITING:
            place = place._replace(trail=next(iter(trails)))
        yield named._replace(place=place)


class _Process:
    """The last messages of a process, and its incident that is not over yet."""

    def __init__(self) -> None:
        self.before: deque[LogMessage] = deque(maxlen=_MOST_NEAR)
        self.facts = ProcessFacts()
        self.incident: list[LogMessage] = []
        self._error: LogMessage | None = None

    def take(self, message: LogMessage) -> Incident | None:
        """Take the next message; return the incident that is over by it, None if none is."""
        over: Incident | None = None
        is_start = message.code in _STARTS
        if self._error is not None and (is_start or not _is_near(self._error, message)):
            over, self._error = self.over(), None
            self.before.clear()
        if is_start:
            self.before.clear()
        elif message.code == _OPENED:  # what it has waited for before is over
            self.before = deque((own for own in self.before if own.code != _WAITS_AT_END), maxlen=_MOST_NEAR)
        self.facts = self.facts.after(message)
        if message.severity == "ERROR":
            self._error = message
        if self.incident:
            if len(self.incident) < 2 * _MOST_NEAR:
                self.incident.append(message)
        elif message.severity == "ERROR":
            self.incident = [*(near for near in self.before if _is_near(near, message)), message]
            self.before.clear()
        else:
            self.before.append(message)
        return over

    def over(self) -> Incident | None:
        """Return the incident, which gets no more messages; None without one."""
        messages, self.incident = self.incident, []
        return incident_of(messages, self.facts) if messages else None


def _is_near(message: LogMessage, later: LogMessage) -> bool:
    """Return whether two messages may be of one incident; those without a time are."""
    first, second = message.moment, later.moment
    return first is None or second is None or is_near(first, second)


def is_near(moment: float, other: float) -> bool:
    """Return whether two moments are so near that messages of them may be of one incident."""
    return abs(moment - other) <= _NEAR


class _Stretch(NamedTuple):
    """Messages of a process, and what was known of it at the last one."""

    messages: tuple[LogMessage, ...]
    facts: ProcessFacts


class _Quiet:
    """The last messages without an error that may say something about a trail, each with those around it."""

    def __init__(self) -> None:
        self._warnings: _Stretch | None = None
        self._others: deque[_Stretch] = deque(maxlen=_MOST_NEAR)

    def take(self, message: LogMessage, process: _Process) -> None:
        """Take the next message of a process; what it says is found out only at the end."""
        meaning = meanings().get(message.code or "")
        is_known = meaning is not None and not meaning.is_frame
        if message.severity == "WARNING" and is_known:
            self._warnings = _Stretch((*process.before,), process.facts)
            return
        if message.code == _OPENED and self._ends_wait(message):
            self._warnings = None
        if (is_known and self._warnings is None) or names_place(message.text) or names_place(message.below):
            self._others.append(_Stretch((*process.before,), process.facts))

    def _ends_wait(self, opened: LogMessage) -> bool:
        """Return whether the last warning is that its process waits for a file, and it has opened one since."""
        if self._warnings is None:
            return False
        waits = self._warnings.messages[-1]
        is_since = waits.moment is None or opened.moment is None or waits.moment <= opened.moment
        return waits.code == _WAITS_AT_END and waits.process == opened.process and is_since

    def incident(self) -> Incident | None:
        """Return the last warning about a trail, else the last message that names a place; None without one.

        A wait that is over is no such warning.
        """
        for messages, facts in filter(None, (self._warnings, *reversed(self._others))):
            *earlier, last = messages
            if incident_of((last,)).weight:
                near = (message for message in earlier if _is_near(message, last))
                return incident_of((*near, last), facts)._replace(main=last)
        return None


class KindTally:
    """The errors about trails of a log by kind, which is the number of the message; of each the latest is kept."""

    def __init__(self) -> None:
        self._kinds: dict[str, MessageKind] = {}

    def take(self, incident: Incident) -> None:
        """Count an error; beyond a number of kinds, only those that are known already."""
        code, time = incident.main.code or "", incident.main.time or ""
        key = code or f" {incident.main.process}"
        known = self._kinds.pop(key, None) or MessageKind(code, 0, time, time, (), incident)
        who = incident.main.process
        processes = known.processes
        if who and who not in processes and len(processes) < _MOST_NAMED:
            processes = (*processes, who)
        if known.number or len(self._kinds) < _MOST_KINDS:
            first, last = known.first or time, time or known.last
            others = known._replace(others=None) if known.number else None
            self._kinds[key] = MessageKind(code, known.number + 1, first, last, processes, incident, others)

    def kinds(self) -> tuple[MessageKind, ...]:
        """Return the kinds, that of the latest error last."""
        return tuple(self._kinds.values())


def incidents_in(messages: Iterable[LogMessage]) -> Iterator[Incident]:
    """Yield what happened to each process: its errors, and last a message without an error that says something."""
    processes = OrderedDict[str, _Process]()
    quiet = _Quiet()
    for message in messages:
        process = processes.get(message.process) or processes.setdefault(message.process, _Process())
        processes.move_to_end(message.process)
        over = process.take(message)
        if over is not None:
            yield over
        if len(processes) > _MOST_PROCESSES and (over := processes.popitem(last=False)[1].over()) is not None:
            yield over
        if message.severity != "ERROR" and not process.incident:
            quiet.take(message, process)
    yield from filter(None, [process.over() for process in processes.values()])
    if (incident := quiet.incident()) is not None:
        yield incident


class LogFindings:
    """What a log has.

    Attributes:
        last: the last incident of the greatest weight; None if nothing is about a trail.
        tally: the errors about trails by kind.
        by_process: the last error of each process, the latest last; of a report all are of one process without a name.
        only: the message of a log that has one alone; None of other logs.
        begun: the clock of the first message with a time; None without one.
        starts, stops: the clock of the last start of each process, and of the last normal stop.
    """

    def __init__(self, messages: Iterable[LogMessage]) -> None:
        self.last: Incident | None = None
        self.tally = KindTally()
        self.by_process: dict[str, Incident] = {}
        self.only: LogMessage | None = None
        self.begun: float | None = None
        self.starts: dict[str, float] = {}
        self.stops: dict[str, float] = {}
        heaviest = 1
        for incident in incidents_in(self._noting(messages)):
            weight = incident.weight
            if incident.is_error:
                self.by_process.pop(incident.main.process, None)
                if len(self.by_process) < _MOST_PROCESSES:
                    self.by_process[incident.main.process] = incident
            if weight >= WITH_CAUSE:
                self.tally.take(incident)
            if weight >= heaviest:
                heaviest, self.last = weight, incident

    def _noting(self, messages: Iterable[LogMessage]) -> Iterator[LogMessage]:
        for number, message in enumerate(messages):
            self.only = message if number == 0 else None
            clocks = self._clocks_of(message)
            if (self.begun is None or clocks is not None) and (clock := message.clock) is not None:
                self.begun = clock if self.begun is None else self.begun
                if clocks is not None and (message.process in clocks or len(clocks) < _MOST_PROCESSES):
                    # of a long log an early piece may be read last
                    clocks[message.process] = max(clock, clocks.get(message.process, clock))
            yield message

    def _clocks_of(self, message: LogMessage) -> dict[str, float] | None:
        """Return where the clock of a start or of a stop is kept; None for any other message."""
        return self.starts if message.code in _OWN_STARTS else self.stops if message.code in _OWN_STOPS else None
