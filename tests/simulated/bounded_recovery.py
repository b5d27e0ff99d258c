"""A database whose transactions stay open, its redo log, and the trail that an Extract writes of those committed."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from fixtures.capture import Capture
from fixtures.changes import insert
from fixtures.flavour import ORACLE_12, Flavour
from fixtures.headers import file_header
from fixtures.shop import SENCHA
from tests.searching import Random
from trailformat import TrailWriter, from_datetime, make_token, to_datetime
from trailformat.records.file_header import replace_values
from trailformat.records.record_header import FIRST, INSERT, LAST, MIDDLE, ONLY, RESTART_OK

SECOND = 1_000_000
MINUTE, HOUR = 60 * SECOND, 3600 * SECOND
BEGUN = from_datetime(datetime(2022, 3, 14, tzinfo=UTC))
"""The moment from which the times of the simulation count."""
_RECORD = 580
_LOG = 100 * _RECORD


class Worked(NamedTuple):
    """A transaction: moments of its operations and of its end; rolled back unless it is committed.

    ``end`` is None of one that stays open; ``thread`` is that of the redo log.
    """

    number: int
    operations: tuple[int, ...]
    end: int | None
    is_committed: bool = True
    thread: int = 0

    @property
    def begin(self) -> int:
        """The moment of its first operation."""
        return self.operations[0]

    @property
    def xid(self) -> str:
        """TRANID."""
        return f"9.9.{self.number}"


Place = tuple[int, int]


def redo_of(history: Iterable[Worked], first_logs: tuple[int, ...] = (59, 4711)) -> dict[int, list[Place]]:
    """The redo positions of the operations of each transaction, by its number."""
    written: Counter[int] = Counter()
    places: dict[int, list[Place]] = {}
    for _, number, thread in sorted(
        (moment, transaction.number, transaction.thread) for transaction in history for moment in transaction.operations
    ):
        log, position = divmod(written[thread] * _RECORD, _LOG)
        written[thread] += 1
        places.setdefault(number, []).append((first_logs[thread] + log, position + 512))
    return places


def write_trail(
    path: Path,
    history: Iterable[Worked],
    *,
    created: int = 0,
    restart: int | None = None,
    flavour: Flavour = ORACLE_12,
    commit_times: bool = True,
    first_logs: tuple[int, ...] = (59, 4711),
) -> Path:
    """The trail of the committed ones, in the order of their commits; IO Times are commits, or times of operations."""
    known = list(history)
    places = redo_of(known, first_logs)
    head = replace_values(file_header(flavour), "TrailInfo", {"CreationTime": BEGUN + created})
    writer = TrailWriter(path, order=flavour.order, file_header=head)
    capture = Capture(writer, flavour)
    capture.now = BEGUN + created
    capture.database()
    capture.table(flavour.teas)
    done = sorted(
        (worked.end, worked.number, worked) for worked in known if worked.is_committed and worked.end is not None
    )
    for number, (end, _, transaction) in enumerate(done):
        if restart is not None and end >= restart:
            capture.now, restart = BEGUN + restart, None
            capture.event(RESTART_OK, trans_ind=ONLY)
        tokens = make_token("L", str(41_882_300 + 17 * number).encode()), make_token("6", transaction.xid.encode())
        for at, (moment, place) in enumerate(zip(transaction.operations, places[transaction.number], strict=True)):
            header = capture.header(
                INSERT,
                flavour.teas.number,
                io_time=BEGUN + (end if commit_times else moment),
                audit_rba=place[0],
                audit_pos=place[1],
                partition=capture.partition,
                before_after=ord("A"),
                orig_node=255,
                trans_ind=_place(at, len(transaction.operations)),
            )
            images = insert(flavour.teas, SENCHA).images(flavour.order)
            writer.write_values(header, images, tokens if at == 0 else ())
    writer.commit()
    return path


def _place(at: int, operations: int) -> int:
    if operations == 1:
        return ONLY
    return FIRST if at == 0 else LAST if at == operations - 1 else MIDDLE


def drawn_history(
    random: Random, *, hours: int = 30, short: int = 200, long: int = 12, threads: int = 1
) -> list[Worked]:
    """Many transactions of one operation that are committed at once, and some that stay open for hours.

    Half of all begin on the hour, where checkpoints are.
    """
    span, history = hours * 3600, []
    for number in range(short):
        moment = _begin(random, hours) * SECOND
        history.append(Worked(number, (moment,), moment, thread=random.randrange(threads)))
    for number in range(short, short + long):
        begin = _begin(random, hours)
        end = min(span, begin + random.choice((600, 7200, 20_000, 60_000)))
        middle = sorted(random.randrange(begin, end + 1) for _ in range(random.randrange(1, 5)))
        operations = tuple(moment * SECOND for moment in (begin, *middle))
        is_open = random.random() < 0.2
        history.append(
            Worked(
                number,
                operations,
                None if is_open else end * SECOND,
                not is_open and random.random() < 0.8,
                random.randrange(threads),
            )
        )
    return history


def _begin(random: Random, hours: int) -> int:
    """A second, as often as not at the beginning of an hour."""
    return random.choice((random.randrange(hours * 3600), random.randrange(hours) * 3600))


_SHORT = 10 * MINUTE
N = 2
"""The number of the seed's checkpoint n, from the first one at the beginning, every four hours."""
INTERVAL = 4 * HOUR
N_3000 = (N + 3000) * INTERVAL


def diagrams() -> list[Worked]:
    """The time line of the three diagrams: T(27) and T(45) stay open for 3000 intervals, the others do not."""
    end = N_3000 + 5 * HOUR
    named = [
        Worked(27, (70 * MINUTE, 100 * MINUTE, 200 * MINUTE), end),
        Worked(45, (150 * MINUTE, 9 * HOUR), end + MINUTE),
        Worked(801, (310 * MINUTE, 320 * MINUTE), 13 * HOUR),
        Worked(950, (360 * MINUTE, 13 * HOUR), 14 * HOUR),
        Worked(1024, (440 * MINUTE, 450 * MINUTE), 13 * HOUR + MINUTE),
        Worked(208_412, (N_3000 - 100 * MINUTE, N_3000 - HOUR), N_3000 + 4 * HOUR),
        Worked(208_863, (N_3000 - 40 * MINUTE, N_3000), N_3000 + 4 * HOUR + MINUTE),
    ]
    moments = (*range(0, 15 * HOUR, _SHORT), *range(N_3000 - 6 * HOUR, end, _SHORT))
    return [*named, *(Worked(1_000_000 + number, (moment,), moment) for number, moment in enumerate(moments))]


def write_diagrams(folder: Path) -> None:
    """The trail up to n + 1 alone, that of all three, and a file with those that are open shortly behind n."""
    early = [
        transaction._replace(end=min(transaction.end or 0, 17 * HOUR))
        for transaction in diagrams()
        if transaction.begin < 16 * HOUR
    ]
    with contextlib.chdir(folder):  # the file header holds the path that is given
        write_trail(Path("bn000000000"), early)
        write_trail(Path("br000000000"), diagrams())
    lines = [f"{transaction.xid},{iso(transaction.begin)}," for transaction in diagrams()[:5]]
    (folder / "begins.csv").write_text("\n".join(["xid,begin,end", *lines, f"9.9.666,{iso(5 * MINUTE)},", ""]))


def iso(moment: int) -> str:
    """A moment of the simulation in ISO 8601."""
    found = to_datetime(BEGUN + moment)
    assert found is not None
    return found.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
