"""What RECOVERY has to say of an eventful trail, told from its pieces one by one, without batches, columns or keys."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.simulated.eventful import Eventful, EventfulFile, Piece
from trailformat.records.record_header import RESTART_ABEND

Place = tuple[int, int]
Object = dict[str, Any]


@dataclass
class Stretch:
    """A transaction where it stands: its rows, how it ended, and the first place after it."""

    rows: list[Piece]
    is_damaged: bool = False
    ended: str = ""
    after: Place | None = None

    @property
    def first(self) -> Place:
        """The place of its first row that is there."""
        return self.rows[0].place

    @property
    def has_begin(self) -> bool:
        """Whether that is its first row."""
        return self.rows[0].begins

    @property
    def is_whole(self) -> bool:
        """Whether nothing of it lacks."""
        return self.has_begin and self.ended == "last"

    @property
    def name(self) -> tuple[int | None, str | None]:
        """LOGCSN and TRANID, which its first row has."""
        planned = self.rows[0].planned
        return (planned.csn, planned.xid) if self.has_begin and planned is not None else (None, None)

    @property
    def tables(self) -> Counter[str]:
        """The number of its rows by table."""
        return Counter(row.table for row in self.rows)


@dataclass
class Restart:
    """A restart, the last whole transaction before it, and the one that it cut."""

    place: Place
    kind: str
    time: int
    last: Stretch | None
    cut: Stretch | None = None


@dataclass
class OrderBreak:
    """Where CSNs go back."""

    stretch: Stretch
    greatest: int
    number: int = 1


@dataclass
class RecoveryModel:
    """Follows the pieces of a trail and keeps what RECOVERY tells.

    Args:
        trail: the trail.
        most: how many findings of a kind are listed.
        table: the findings to be told have a row of this table; empty: of any.
    """

    trail: Eventful
    most: int = 10_000
    table: str = ""
    stretches: list[Stretch] = field(default_factory=list)
    restarts: list[Restart] = field(default_factory=list)
    damage: list[Piece] = field(default_factory=list)
    half: Piece | None = None
    breaks: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Follow the pieces."""
        self._open: Stretch | None = None
        self._is_lost = False
        files = self.trail.files
        for at, file in enumerate(files):
            if file.state != "trail":
                self._end("file_end", None)
                self._is_lost = False
                self.breaks.append(at + 1)
                continue
            self._roll(files, at)
            for piece in file.pieces:
                self._take(piece)
        self._end("file_end", None)
        self.whole = [stretch for stretch in self.stretches if stretch.is_whole]
        for restart in self.restarts:
            ended = [stretch for stretch in self.whole if stretch.after is not None and stretch.after <= restart.place]
            restart.last = ended[-1] if ended else None
        self._judge()
        self._sort_out()

    def _roll(self, files: list[EventfulFile], at: int) -> None:
        """Note a restart if the header of a file says that one has begun it."""
        before = [file for file in files[:at] if file.state == "trail"]
        head, last = files[at].head, before[-1] if before else None
        if head is None or last is None or last.head is None:
            return
        is_late = not last.head.last_csn and last.last_time is not None and head.created > last.last_time
        if last.head.host != head.host or is_late:
            self.restarts.append(Restart((at, 0), "rollover", head.created, None))

    def _take(self, piece: Piece) -> None:
        if piece.kind == "half" and piece.file == len(self.trail.files) - 1:
            self.half = piece
        elif piece.kind in ("damage", "half"):
            self.damage.append(piece)
            self._is_lost = True
            if self._open is not None:
                self._open.is_damaged = True
        elif piece.kind == "restart":
            self._end("cut", piece.after)
            self._is_lost = False
            kind = "abend" if piece.io_type == RESTART_ABEND else "ok"
            self.restarts.append(Restart(piece.place, kind, piece.time, None))
        else:
            self._take_row(piece)

    def _take_row(self, piece: Piece) -> None:
        if piece.begins or self._open is None:
            self._end("overtaken", piece.place)
            self._open = Stretch([], is_damaged=self._is_lost and not piece.begins)
            self._is_lost = False
        self._open.rows.append(piece)
        if piece.ends:
            self._end("last", piece.after)

    def _end(self, how: str, after: Place | None) -> None:
        if self._open is not None:
            self._open.ended, self._open.after = ("damage" if self._open.is_damaged else how), after
            self.stretches.append(self._open)
            self._open = None
            self._is_lost = False

    def _judge(self) -> None:
        """Find copies and CSNs that go back among the whole transactions."""
        self.copies: list[tuple[Stretch, Stretch]] = []
        self.falls: list[OrderBreak] = []
        self.late: list[Stretch] = []
        firsts: dict[tuple[int | None, str | None], Stretch] = {}
        greatest = previous = -1
        for stretch in self.whole:
            csn, xid = stretch.name
            assert csn is not None
            goes_back, previous = csn < previous, csn
            if csn <= greatest:
                self.late.append(stretch)
                if xid is not None and stretch.name in firsts:
                    self.copies.append((firsts[stretch.name], stretch))
                if csn < greatest and (goes_back or not self.falls):
                    self.falls.append(OrderBreak(stretch, greatest))
                elif csn < greatest and len(self.falls) <= self.most:
                    self.falls[-1].number += 1
            greatest = max(greatest, csn)
            firsts.setdefault(stretch.name, stretch)

    def _sort_out(self) -> None:
        """Sort the transactions that are not whole."""
        self.cuts: list[Stretch] = []
        self.begins_missing: list[Stretch] = []
        self.open: Stretch | None = None
        self.incomplete, self.has_earlier = 0, False
        marks = [restart.place for restart in self.restarts if restart.kind != "rollover"]
        for stretch in (each for each in self.stretches if not each.is_whole):
            begin = (max((at for at in self.breaks if at <= stretch.first[0]), default=0), 0)
            is_headless = not stretch.has_begin and stretch.ended != "damage"
            before = [*marks, *(other.first for other in self.stretches)]
            is_behind = any(begin <= place < stretch.first for place in before)
            if is_headless and is_behind:
                self.begins_missing.append(stretch)
            elif is_headless and not begin[0]:
                self.has_earlier = True
            if stretch.ended in ("cut", "overtaken") and stretch.has_begin:
                self.cuts.append(stretch)
                self._bind(stretch)
            elif stretch.ended == "file_end" and not any(at > stretch.first[0] for at in self.breaks):
                self.open = stretch
            elif not (is_headless and is_behind):
                self.incomplete += 1

    def _bind(self, cut: Stretch) -> None:
        for restart in self.restarts[: self.most]:
            if cut.after is not None and cut.first < restart.place < cut.after:
                restart.cut = cut
                return

    def again(self, cut: Stretch) -> Stretch | None:
        """The first whole transaction after a cut one that has its name."""
        later = (
            stretch
            for stretch in self.whole
            if stretch.first > cut.first and stretch.name == cut.name and stretch.name[1] is not None
        )
        return next(later, None)

    @property
    def first_damage(self) -> Place | None:
        """Where a Replicat abends."""
        no_trails = [(at, 0) for at, file in enumerate(self.trail.files) if file.state == "no trail"]
        return min([piece.place for piece in self.damage] + no_trails, default=None)

    @property
    def is_partial(self) -> bool:
        """Whether something of the trail cannot be read."""
        return bool(self.damage) or any(file.state != "trail" for file in self.trail.files)

    def place(self, place: Place | None) -> Object | None:
        """A place in the words of JSON."""
        return {"file": self.path(place[0]), "rba": place[1]} if place is not None else None

    def both_places(self, place: Place) -> Object:
        """The place of a finding, under both its names."""
        return {"place": self.place(place), "spot": self.place(place)}

    def path(self, number: int) -> str:
        """The path of a file."""
        return str(self.trail.files[number].path)

    def ref(self, stretch: Stretch | None, *, with_tables: bool = False) -> Object | None:
        """A transaction in the words of JSON."""
        if stretch is None:
            return None
        csn, xid = stretch.name
        return {
            "csn": str(csn) if csn is not None else None,
            "xid": xid,
            "begin": self.place(stretch.first) if stretch.has_begin else None,
            "after": self.place(stretch.after),
            "records": len(stretch.rows),
            "bytes": sum(row.length for row in stretch.rows),
            "tables": dict(stretch.tables) if with_tables and stretch.has_begin else None,
            "ended": stretch.ended,
        }

    def passes(self, stretch: Stretch) -> bool:
        """Whether a transaction passes the filter; what has no beginning is not read."""
        return not self.table or (stretch.has_begin and self.table in stretch.tables)

    def _likeness(self, cut: Stretch) -> Object:
        """The whole copy of a cut transaction, and how it differs."""
        again = self.again(cut)
        if again is None:
            return {"again": None, "again_is": None, "first_difference": None}
        told = {"again": self.ref(again), "again_is": "equal", "first_difference": None}
        for number in range(max(len(cut.rows), len(again.rows))):
            pieces, other = (rows[number : number + 1] for rows in (cut.rows, again.rows))
            if not pieces:
                return {**told, "again_is": "prefix"}
            if not other or _content(pieces[0]) != _content(other[0]):
                places = {"cut": self.place(pieces[0].place), "again": self.place(other[0].place) if other else None}
                return {**told, "again_is": "differs", "first_difference": places}
        return told

    def restart_objects(self) -> list[Object]:
        """Its restarts."""
        return [
            {
                "file": self.path(restart.place[0]),
                "rba": restart.place[1],
                "kind": restart.kind,
                "time": restart.time,
                "last_complete": self.ref(restart.last),
                "recovery_point": self.place(restart.last.after) if restart.last is not None else None,
                "cut": self.ref(restart.cut, with_tables=True),
                **(self._likeness(restart.cut) if restart.cut is not None else _NO_COPY),
            }
            for restart in self.restarts[: self.most]
            if restart.cut is None or self.passes(restart.cut)
        ]

    def cut_objects(self, *, is_alone: bool) -> list[Object]:
        """Its cut transactions; those that no restart shows, unless ``is_alone``."""
        shown = [] if is_alone else [id(restart.cut) for restart in self.restarts]
        cuts = [cut for cut in self.cuts[: self.most] if id(cut) not in shown and self.passes(cut)]
        return [{"cut": self.ref(cut, with_tables=True), **self._likeness(cut)} for cut in cuts]

    def copy_objects(self) -> list[Object]:
        """The copies of whole transactions."""
        return [
            {
                "csn": str(copy.name[0]),
                "xid": copy.name[1],
                "first": self.place(first.first),
                "copy": self.ref(copy, with_tables=True),
            }
            for first, copy in self.copies[: self.most]
            if self.passes(copy)
        ]

    def order_objects(self) -> list[Object]:
        """The places where CSNs go back."""
        return [
            {
                **self.both_places(fall.stretch.first),
                "csn": str(fall.stretch.name[0]),
                "xid": fall.stretch.name[1],
                "greatest": str(fall.greatest),
                "transactions": fall.number,
            }
            for fall in self.falls[: self.most]
            if self.passes(fall.stretch)
        ]

    def begin_objects(self) -> list[Object]:
        """The transactions whose beginning is missing."""
        return [
            {**self.both_places(stretch.first), "transaction": self.ref(stretch)}
            for stretch in self.begins_missing[: self.most]
        ]

    def overwrite_objects(self) -> list[Object]:
        """The damage before old data, or in a file that is in overwrite mode."""
        return self._overwrites()[: self.most]

    def _overwrites(self) -> list[Object]:
        told: list[Object] = []
        seen: set[Place] = set()
        for damage in self.damage:
            following = next((stretch for stretch in self.whole if stretch.first > damage.place), None)
            if following is None or following.first in seen:
                continue
            seen.add(following.first)
            head = self.trail.files[damage.file].head
            was_passed = following in self.late
            if was_passed or (head is not None and head.mode == 0):
                csn = str(following.name[0])
                told.append(
                    {**self.both_places(damage.place), "length": damage.length, "csn": csn, "was_passed": was_passed}
                )
        return told

    def change_objects(self) -> list[Object]:
        """The headers that differ from those before them."""
        told = []
        files = [file for file in self.trail.files if file.state == "trail"]
        for before, after in itertools.pairwise(files):
            if before.head is None or after.head is None:
                continue
            values = (
                ("TrailInfo.Compatibility", before.head.version, after.head.version),
                ("MachineInfo.Nodename", before.head.host, after.head.host),
            )
            told += [
                {"file": str(after.path), "member": name, "before": str(value), "after": str(other)}
                for name, value, other in values
                if value != other
            ]
        return told

    @property
    def findings(self) -> tuple[list[Any], ...]:
        """All findings, each kind a list."""
        return self.restarts, self.cuts, self.copies, self.falls, self.begins_missing, self._overwrites()

    def summary(self) -> Object:
        """The numbers of the whole."""
        files = [file for file in self.trail.files if file.state == "trail"]
        heads = [file.head for file in files if file.head is not None]
        lost = sum(self.again(cut) is None for cut in self.cuts)
        damage = self.first_damage
        copies = [copy for _, copy in self.copies]
        behind = [
            stretch for stretch in self.whole if damage is not None and stretch.first > damage and stretch not in copies
        ]
        return {
            "title": f"LogTrail {self.trail.name}",
            "mode": sorted({head.mode for head in heads}),
            "files": len(self.trail.there),
            "restarts": len(self.restarts),
            "transactions": len(self.stretches),
            "effective": len(self.whole) - len(copies) - len(behind),
            "after_damage": len(behind),
            "behind_damage": len(behind),
            "cut": len(self.cuts),
            "lost": None if self.is_partial else lost,
            **{
                name: number or (None if self.is_partial else 0)
                for name, number in (
                    ("begins_missing", len(self.begins_missing)),
                    ("twice", len(copies)),
                    ("twice_records", sum(len(copy.rows) for copy in copies)),
                    ("order_breaks", len(self.falls)),
                )
            },
            "unnamed": sum(stretch.name[1] is None for stretch in self.whole),
            "unsure": False,
            "damaged": len(self.damage),
            "incomplete": self.incomplete,
            "gaps": self._gaps(),
            "unreadable": [str(file.path) for file in self.trail.files if file.state == "no trail"],
            "mismatches": [],
            "left_open": [str(file.path) for file in files[:-1] if file.head is not None and not file.head.last_csn],
            "versions": sorted({head.version for head in heads}),
            "reader": None,
            "too_new": None if self.is_partial else [],
            "open": self.ref(self.open, with_tables=True),
            "half_record": self.place(self.half.place if self.half is not None else None),
            "listed": None if self.is_partial else all(len(findings) <= self.most for findings in self.findings),
            "filtered": bool(self.table),
            "partial": self.is_partial,
        }

    def file_objects(self, keep: Place | None) -> list[Object]:
        """The files, and whether a reader at ``keep`` needs them."""
        told: list[Object] = []
        for at, file in enumerate(self.trail.files):
            if file.state == "missing":
                continue
            head = file.head if file.state == "trail" else None
            told.append(
                {
                    "file": str(file.path),
                    "bytes": file.size,
                    "version": head.version if head is not None else None,
                    "recovery_mode": head.mode if head is not None else None,
                    "created": head.created if head is not None else None,
                    "last_csn": head.last_csn if head is not None else None,
                    "problem": file.state == "no trail",
                    "needed": at >= keep[0] if keep is not None else None,
                }
            )
        unborn = self.trail.unborn
        nothing = dict.fromkeys(("version", "recovery_mode", "created", "last_csn", "needed"))
        last = {"file": str(unborn), "bytes": 0, **nothing, "problem": False}
        return [*told, last] if unborn is not None else told

    @property
    def recovery_point(self) -> Place | None:
        """Where a reader continues: after the last whole transaction before the last restart, or of all."""
        last = self.restarts[-1].last if self.restarts else self.whole[-1] if self.whole else None
        return last.after if last is not None else None

    def _gaps(self) -> list[Object]:
        gaps: list[Object] = []
        paths = [(file.path, file.state == "missing") for file in self.trail.files]
        for at, (path, is_missing) in enumerate(paths):
            if is_missing and not paths[at - 1][1]:
                gaps.append({"first": str(path), "left_out": False})
            if is_missing:
                gaps[-1] |= {"last": str(path)}
        return gaps

    @property
    def status(self) -> int:
        """The exit status."""
        findings = self.begins_missing or self.copies or self.falls or any(self.again(cut) is None for cut in self.cuts)
        return 4 if self.is_partial else 3 if findings else 4 if self.half is not None else 0


_NO_COPY: Object = {"again": None, "again_is": None, "first_difference": None}


def _content(row: Piece) -> tuple[Any, ...]:
    """What a row says, wherever it is."""
    found_row = row.planned.rows[row.number] if row.planned is not None else None
    return found_row, row.trans_ind, row.planned.csn if row.planned is not None and row.begins else None


def plain(told: Any) -> Any:
    """JSON without what is derived of a place, and without type and schema."""
    if isinstance(told, list):
        return [plain(item) for item in told]
    if not isinstance(told, dict):
        return told
    left_out = {
        "seqno",
        "alter",
        "type",
        "schema",
        *(
            (
                "behind",
                "after",
            )
            if "last" in told and "first" in told
            else ()
        ),
    }
    return {name: plain(value) for name, value in told.items() if name not in left_out}
