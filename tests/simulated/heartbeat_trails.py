"""Trails of heartbeat rows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fixtures import heartbeats
from fixtures.capture import Capture
from fixtures.changes import Change, delete, insert, update, update_pair
from fixtures.flavour import MYSQL_21, ORACLE_12, Flavour
from fixtures.headers import file_header
from fixtures.heartbeats import HEARTBEAT, HISTORY
from fixtures.shop import SENCHA
from fixtures.shop import Row as Values
from tests.searching import Random
from tests.simulated.heartbeats import Database, Link, Process, Row, travel
from trailformat import TrailWriter, from_datetime, make_token
from trailformat.records.file_header import replace_values
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RESTART_OK

EPOCH = datetime(2024, 1, 1, tzinfo=UTC)
BEGUN = from_datetime(EPOCH)
"""The first microsecond of the simulation in Julian microseconds."""
OTHER_TABLE = MYSQL_21.teas._replace(number=3)
"""A table that has nothing to do with heartbeats."""
_MINUTE = 60_000_000
JITTER = 1_500_000


def values(row: Row, columns: Sequence[str]) -> Values:
    """The values of a row in the order of the columns."""
    moments = {
        name: EPOCH + timedelta(microseconds=value) if isinstance(value, int) else value for name, value in row.items()
    }
    return heartbeats.values(moments, columns)


class HeartbeatTrail:
    """A trail file of heartbeat rows, each a transaction of its own.

    Args:
        path: the file.
        heartbeat, history: the columns of the two tables, in any order, any of them missing.
        base: the name of the tables.
        flavour: who writes, and in what byte order.
        created: when the file is begun, in microseconds of the simulation.
        behind: the number of transactions before the first one, in earlier files.
    """

    def __init__(
        self,
        path: Path,
        *,
        heartbeat: Sequence[str] = HEARTBEAT,
        history: Sequence[str] = HISTORY,
        base: str = "GGADMIN.GG_HEARTBEAT",
        flavour: Flavour = ORACLE_12,
        created: int = 0,
        behind: int = 0,
    ) -> None:
        self.path = path
        self._columns = {"": tuple(heartbeat), "_HISTORY": tuple(history)}
        self._tables = {
            ending: heartbeats.table(f"{base}{ending}", columns, number)
            for number, (ending, columns) in enumerate(self._columns.items(), 1)
        }
        self._has_other_table, self._work = False, 26
        header = replace_values(file_header(flavour), "TrailInfo", {"CreationTime": BEGUN + created})
        self._writer = TrailWriter(path, order=flavour.order, file_header=header)
        self._capture = Capture(self._writer, flavour)
        self._capture.go_on_behind(behind)
        self._capture.now = BEGUN + created
        self._capture.database()
        for table in self._tables.values():
            self._capture.table(table)

    def insert(self, row: Row, moment: int, ending: str = "") -> None:
        """A row that comes, at a moment of the source's clock."""
        self._write([insert(self._tables[ending], values(row, self._columns[ending]))], moment)

    def update(self, before: Row, after: Row, moment: int, ending: str = "") -> None:
        """Columns of a row that change: its first column and those stand in the trail."""
        columns = self._columns[ending]
        self._write([update(self._tables[ending], values(before, columns), values(after, columns))], moment)

    def update_in_two(self, before: Row, after: Row, moment: int, ending: str = "") -> None:
        """The same as two records, the old values in the first."""
        columns = self._columns[ending]
        self._write(update_pair(self._tables[ending], values(before, columns), values(after, columns)), moment)

    def delete(self, row: Row, moment: int, ending: str = "") -> None:
        """A row that goes."""
        self._write([delete(self._tables[ending], values(row, self._columns[ending]))], moment)

    def both(self, row: Row, history: Row, moment: int, *, cut: bool = False) -> None:
        """A row and one of the history in one transaction, as Replicat writes them; cut: the first of them alone."""
        changes = [
            insert(self._tables[ending], values(fields, self._columns[ending]))
            for ending, fields in (("", row), ("_HISTORY", history))
        ]
        if not cut:
            self._write(changes, moment)
            return
        self._capture.now = BEGUN + moment - _MINUTE
        self._capture.cut(*changes, records=1)

    def go_back(self, transactions: int) -> None:
        """The next transactions are the last ones once more, by their CSNs and TRANIDs."""
        self._capture.go_on_behind(-transactions)

    def restart(self, moment: int, io_type: int = RESTART_OK) -> None:
        """Extract is started again."""
        self._capture.now = BEGUN + moment
        self._capture.event(io_type, trans_ind=ONLY)

    def defined(self, moment: int) -> None:
        """The definition of the table of other transactions, by the clock of Extract."""
        self._capture.now = BEGUN + moment
        self._capture.table(OTHER_TABLE)
        self._has_other_table = True

    def worked(self, *moments: int) -> None:
        """A transaction with an operation at each of these moments, whose records bear them."""
        if not self._has_other_table:
            self.defined(moments[0])
        self._work += 1
        table = OTHER_TABLE
        change = insert(table, SENCHA)
        for at, moment in enumerate(moments):
            self._capture.now = BEGUN + moment
            place = ONLY if len(moments) == 1 else FIRST if at == 0 else LAST if at == len(moments) - 1 else MIDDLE
            header = self._capture.header(
                change.io_type,
                table.number,
                partition=self._capture.partition,
                before_after=ord("A"),
                orig_node=255,
                trans_ind=place,
            )
            tokens = (make_token("L", b"41882300"), make_token("6", b"9.9.%d" % self._work)) if at == 0 else ()
            self._writer.write_values(header, change.images(self._capture.flavour.order), tokens)

    def _write(self, changes: Iterable[Change], moment: int) -> None:
        self._capture.now = BEGUN + moment - _MINUTE  # each transaction begins a minute later
        self._capture.commit(*changes)

    def close(self) -> Path:
        """The file, whole."""
        self._writer.commit()
        return self.path


class UntidyTrail(HeartbeatTrail):
    """The same with rows as they come in the field: off their minutes, now and then late, now and then twice."""

    def __init__(self, path: Path, random: Random, **options: Any) -> None:
        super().__init__(path, **options)
        self._random = random
        self._held: list[tuple[Row, int, str]] = []
        self._rows = 0

    def insert(self, row: Row, moment: int, ending: str = "") -> None:
        """A row, up to a second and a half off; one in five comes behind the next, one in seven comes twice."""
        off = self._random.randint(-JITTER, JITTER)
        row = {name: value + off if isinstance(value, int) else value for name, value in row.items()}
        self._rows += 1
        if self._rows % 5 == 0 and not self._held:
            self._held.append((row, moment + off, ending))
            return
        for _ in range(2 if self._rows % 7 == 0 else 1):
            super().insert(row, moment + off, ending)
        self._release()

    def restart(self, moment: int, io_type: int = RESTART_OK) -> None:
        """Extract is started again; it has written everything before."""
        self._release()
        super().restart(moment, io_type)

    def _release(self) -> None:
        while self._held:
            super().insert(*self._held.pop())

    def close(self) -> Path:
        """The file, whole."""
        self._release()
        return super().close()


def target_trail(path: Path, moments: Iterable[int], replicats: Sequence[str] = ("REP1",)) -> Path:
    """A trail captured from WEST, of the beats that EAST generates at these moments, through each of the Replicats.

    The FileName in its header has no folder in it, so that its records stand at the same places wherever it lies.
    """
    random, west = Random(11, is_fixed=True), Database("WEST")
    ways = [
        Link(Database("EAST"), Process("EXT1", 4 * 10**6), (Process("PMP1", 10**6),), Process(name, 10**6), west)
        for name in replicats
    ]
    with contextlib.chdir(path.parent):
        trail = HeartbeatTrail(Path(path.name))
        for moment in moments:
            for way in ways:
                _, received = travel(way, way.source.beat("WEST", moment), moment, random)
                assert received is not None
                trail.insert(received[0], moment)
                trail.insert(received[1], moment, "_HISTORY")
        trail.close()
    return path
