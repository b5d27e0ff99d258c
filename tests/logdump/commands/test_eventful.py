"""COUNT, CHECK and SAFE say of trails in which much happens at once what follows from their pieces, in JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from logdump.features.count.text import type_name
from logdump.features.safe import text as safe_text
from logdump.notation.times import iso_time
from tests.logdump.program import logdump
from tests.logdump.recovery.recovery_model import Object, RecoveryModel, Stretch
from tests.logdump.recovery.test_eventful import objects
from tests.searching import Random, examples
from tests.simulated.eventful import TABLES, Eventful, EventfulFile, Piece
from tests.trailformat.samples import IO_TIME
from tests.trailformat.small_batches import in_batches
from trailformat.records.record_header import INSERT, METADATA, RESTART_ABEND
from trailformat.transactions import whole_trail

_HEADER_BYTES = 48
_MINUTE = 60_000_000


def _trail(
    seed: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *, is_sound: bool = False
) -> tuple[Random, Eventful]:
    random = Random(seed)
    trail = Eventful(folder, random, is_sound=is_sound)
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(random.choice((1, 2, 3, 100))))
    return random, trail


def _readable(trail: Eventful) -> list[EventfulFile]:
    return [file for file in trail.files if file.state == "trail"]


def _sound(trail: Eventful) -> list[Piece]:
    return [piece for file in _readable(trail) for piece in file.pieces if piece.kind in ("row", "restart")]


def _runs(rows: list[Piece], is_counted: set[Piece]) -> Iterator[list[Piece]]:
    """The counted rows up to each end of a transaction, over cuts and files."""
    run: list[Piece] = []
    for row in rows:
        run += [row] if row in is_counted else []
        if row.ends:
            if run:
                yield run
            run = []


def _counted(trail: Eventful, left_out: set[Piece], table: str) -> Object:
    """The numbers of COUNT, of the rows of one table (empty: of all) but those left out."""
    pieces = [
        piece for piece in _sound(trail) if piece not in left_out and piece.table in (table, table or piece.table)
    ]
    heads = [file.head_size - 8 for file in _readable(trail) if file.head_size and not table]
    sizes = [size for file in _readable(trail) for size in file.definitions if not table]
    sizes += [file.definitions[0] for file in _readable(trail) if table and file.definitions]
    records, data = len(pieces) + len(heads) + len(sizes), sum(piece.data for piece in pieces) + sum(heads) + sum(sizes)
    rows = [piece for piece in _sound(trail) if piece.kind == "row"]
    runs = list(_runs(rows, {piece for piece in pieces if piece.kind == "row"}))
    number = len(runs)
    types = Counter(piece.io_type for piece in pieces) + Counter({METADATA: len(sizes)})
    return {
        "records": records,
        "data_bytes": data,
        "average_bytes": data // records if records else 0,
        "types": {type_name(io_type): count for io_type, count in types.items()}
        | ({"FileHeader": len(heads)} if heads else {}),
        "before_images": 0,
        "after_images": len(pieces) + len(sizes),
        "transactions": number,
        "bytes_per_transaction": (data + _HEADER_BYTES * records) // number if number else 0,
        "records_per_transaction": records // number if number else 0,
        "tables_per_transaction": sum(len({row.table for row in run}) for run in runs) // number if number else 0,
    }


def _numbers(told: Object, expected: Object) -> Object:
    types = {tally["io_type_name"]: tally["records"] for tally in told["types"]}
    return {name: types if name == "types" else told[name] for name in expected}


@pytest.mark.parametrize("seed", range(examples(150, short=30)))
@pytest.mark.parametrize("option", ["", "table", "effective", "interval"])
def test_count_adds_up_the_pieces(option: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random, trail = _trail(f"count {option} {seed}", tmp_path, monkeypatch)
    model = RecoveryModel(trail)
    table = random.choice(TABLES) if option == "table" else ""
    left_out = {row for stretch in model.stretches if stretch not in _applied(model) for row in stretch.rows}
    words = {"table": f", file {table}", "effective": ", effective", "interval": ", interval 1"}.get(option, "")
    status, told = objects("-c", f"count log {tmp_path}/tt*{words}")
    expected = _counted(trail, left_out if option == "effective" else set(), table)
    (summary,) = told["count"]
    assert _numbers(summary, expected) == expected
    names = "".join(file.state[0] for file in trail.files).strip("m")  # missing files before and after are not missed
    assert (status == 4) == bool(model.damage or model.half or "m" in names or len(_readable(trail)) < len(trail.there))
    if option == "interval":
        by_start: Counter[str] = Counter()
        for interval in told.get("interval", ()):
            by_start[interval["start"]] += interval["records"]
        times = _times(trail)
        begin = times[0] - times[0] % _MINUTE if times else 0
        assert {start: number for start, number in by_start.items() if number} == Counter(
            iso_time(time - (time - begin) % _MINUTE) for time in times
        )


def _times(trail: Eventful) -> list[int]:
    """The IO Time of each record but the file headers, in order."""
    times: list[int] = []
    for file in _readable(trail):
        times += [IO_TIME] * len(file.definitions)
        times += [piece.time for piece in file.pieces if piece.kind in ("row", "restart")]
    return times


def _applied(model: RecoveryModel) -> list[Stretch]:
    """The transactions that a Replicat applies."""
    damage, copies = model.first_damage, [copy for _, copy in model.copies]
    return [stretch for stretch in model.whole if stretch not in copies and (damage is None or stretch.first < damage)]


@pytest.mark.parametrize("seed", range(examples(150, short=40)))
def test_check_lists_each_gap_and_counts_the_rest(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, trail = _trail(f"check {seed}", tmp_path, monkeypatch)
    model = RecoveryModel(trail)
    status, told = objects("check", trail.name)
    gaps: list[Object] = [
        {
            "file": model.path(piece.file),
            "rba": piece.rba,
            "length": piece.length,
            "next_good": piece.rba + piece.length if piece.after[1] < trail.files[piece.file].size else None,
            "partial": piece.kind == "half",
        }
        for piece in (*model.damage, *([model.half] if model.half else []))
    ]
    no_trails = [file for file in trail.files if file.state == "no trail"]
    gaps += [
        {"file": str(file.path), "rba": 0, "length": file.size, "next_good": None, "partial": False}
        for file in no_trails
    ]
    found = [
        {name: gap[name] for name in ("file", "rba", "length", "next_good", "partial")} for gap in told.get("gap", [])
    ]
    assert sorted(map(str, found)) == sorted(map(str, gaps))
    (summary,) = told["check"]
    files = _readable(trail)
    records = len(_sound(trail)) + sum(len(file.definitions) + (file.head_size > 0) for file in files)
    bad = sum(piece.kind == "row" for file in files if file.definitions for piece in file.pieces)  # texts in a NUMBER
    assert {name: summary[name] for name in ("bytes", "records", "transactions", "gaps", "gap_bytes", "restarts")} == {
        "bytes": sum(file.size for file in trail.there),
        "records": records - bad,
        "transactions": sum(piece.ends for piece in _sound(trail) if piece.kind == "row"),
        "gaps": len(gaps),
        "gap_bytes": sum(gap["length"] for gap in gaps),
        "restarts": len(model.restarts),
    }
    (state,) = summary["trails"]
    assert {name: state[name] for name in ("damaged", "lost", "twice", "order_breaks", "begins_missing")} == {
        "damaged": len(model.damage),
        "lost": sum(model.again(cut) is None for cut in model.cuts),
        "twice": len(model.copies),
        "order_breaks": len(model.falls),
        "begins_missing": len(model.begins_missing),
    }
    assert status == (4 if gaps or bad else model.status)


@pytest.mark.parametrize("seed", range(examples(40, short=8)))
def test_two_trails_have_the_states_of_both(seed: int, tmp_path: Path) -> None:
    random = Random(f"two trails {seed}")
    trails = []
    for name in "ab":
        (tmp_path / name).mkdir()
        trails.append(Eventful(tmp_path / name, random, is_sound=random.random() < 0.5))
    alone = [objects("check", trail.name) for trail in trails]
    status, told = objects("check", *(str(file.path) for trail in trails for file in trail.there))
    assert status == max(exit_status for exit_status, _ in alone)
    summary, numbers = told["check"][0], [answers["check"][0] for _, answers in alone]
    assert summary["trails"] == [answer["trails"][0] for answer in numbers]
    for name in ("bytes", "records", "transactions", "gaps", "bad_rows"):
        assert (summary[name] or 0) == sum(answer[name] or 0 for answer in numbers)


class SafeModel:
    """What SAFE has to say at a row of a transaction."""

    def __init__(self, model: RecoveryModel, stretch: Stretch) -> None:
        self.model, self.stretch = model, stretch
        self.near: list[Stretch] = []
        self.late: list[Stretch] = []
        self.others = 0
        if stretch.name[1] is not None:
            self._follow()

    def _follow(self) -> None:
        model, stretch = self.model, self.stretch
        copies = [copy for _, copy in model.copies]
        is_passed, between = stretch.after is None, 0
        is_cut = stretch.ended in ("cut", "overtaken")
        file = stretch.rows[-1].file
        for other in sorted(model.stretches, key=lambda each: each.first):
            if other.first <= stretch.first:
                continue
            is_passed = is_passed or any(file < at <= other.first[0] for at in model.breaks)
            if other.name == stretch.name:
                (self.late if is_passed else self.near).extend([other] if other.is_whole or not is_passed else [])
                self.others, between = (
                    (self.others + between, 0)
                    if other.is_whole and not is_passed
                    else (
                        self.others,
                        between,
                    )
                )
            elif other.is_whole:
                between += other not in copies and not is_passed
                is_awaited = is_cut and not any(copy.is_whole for copy in self.near)
                is_passed |= (other.name[0] or 0) > (stretch.name[0] or 0) and not is_awaited

    def occurrences(self) -> list[Object]:
        """The further occurrences."""
        return [
            {
                "begin": self.model.place(other.first),
                "end": self.model.place(other.after),
                "records": len(other.rows),
                "whole": other.is_whole,
                "late": is_late,
            }
            for is_late, found in ((False, self.near), (True, self.late))
            for other in found
        ]

    def at(self, row: Piece) -> Object:
        """The members of JSON at a row."""
        stretch, model = self.stretch, self.model
        number = stretch.rows.index(row)
        before = [
            other
            for other in model.whole
            if other.first < stretch.first and other.name == stretch.name and stretch.name[1]
        ]
        markers = [piece for file in model.trail.files for piece in file.pieces if piece.kind == "restart"]
        marker = next((mark for mark in markers if mark.after == stretch.after and not stretch.rows[-1].ends), None)
        return {
            "safe": row.begins and not stretch.is_damaged,
            "csn": str(stretch.name[0]) if stretch.name[0] is not None else None,
            "xid": stretch.name[1],
            "begin": model.place(stretch.first) if stretch.has_begin else None,
            "last": model.place(stretch.rows[-1].place),
            "end": model.place(stretch.after),
            "has_end": stretch.rows[-1].ends,
            "ended": stretch.ended,
            "marker": model.place(marker.place) if marker is not None else None,
            "records": len(stretch.rows),
            "records_before": number,
            "copy_of": model.place(before[0].first) if before else None,
            "again": self.occurrences(),
            "others_left_out": self.others,
            "tables": _tables(stretch),
        }

    def leave_out(self) -> Object:
        """Where a Replicat goes on in a sound trail, and what it skips: the changes of the whole occurrence."""
        stretch = self.stretch
        whole = [other for other in (stretch, *self.near) if other.is_whole]
        after = (whole or [stretch])[-1].after
        return {
            "leave_out": self.model.place(after),
            "after": self.model.place(after),
            "skipped": _tables((whole or [stretch])[0]) if after is not None else [],
            "lost_bytes": 0,
        }


_SKIPS_COPIES = "Replicat skips copies, unless it runs with NOFILTERDUPTRANSACTIONS."


class SafeText:
    """What SAFE prints at a row of a trail without damage, each transaction of which has its beginning."""

    def __init__(self, safe: SafeModel, row: Piece) -> None:
        self._safe, self._model, self._stretch, self._row = safe, safe.model, safe.stretch, row
        self._whole = next((stretch for stretch in (self._stretch, *safe.near) if stretch.is_whole), None)
        self._is_dropped = self._stretch.ended in ("cut", "overtaken")

    def lines(self, most: int) -> list[str]:
        """The lines; ``most`` tables are named that are skipped."""
        stretch, at = self._stretch, self._safe.at(self._row)
        told = [self._verdict()]
        if at["copy_of"] is not None:
            place = self._place_of(at["copy_of"])
            told.append(f"The trail has it whole before, at {place}: this is a copy. {_SKIPS_COPIES}")
        told += [self._how(), self._alter(stretch.first)]
        for copy in self._safe.near + self._safe.late:
            how = "complete" if copy.is_whole else "but not complete"
            late = f", after a later transaction. {_SKIPS_COPIES}" if copy in self._safe.late else "."
            told.append(f"Extract wrote the transaction again, {how}, at {self._place(copy.first)}{late}")
        after = (([other for other in (stretch, *self._safe.near) if other.is_whole] or [stretch])[-1]).after
        if after is not None:
            told += [self._skip(most), self._alter(after)]
        if self._safe.others:
            told.append(f"That also skips {_amount(self._safe.others, 'transaction')} that a Replicat would apply.")
        half = self._model.half
        if half is not None and stretch.after is None:
            where = f"RBA {half.rba} of {self._model.path(half.file)}"
            told.append(f"A record that is not complete begins at {where}, {half.length} bytes: more may follow.")
        return told + self._transaction()

    def _verdict(self) -> str:
        stretch, name = self._stretch, self._model.trail.files[self._row.file].path.name
        where, number = f"RBA {self._row.rba} of {name}", stretch.rows.index(self._row)
        if number:
            before = f"{number} of {_amount(len(stretch.rows), 'record')} before it"
            return f"{where} is inside a transaction, {before}: a restart there is not safe."
        if stretch.after is None:
            end = "whose end is not in the trail yet: a restart there applies it once its end is available"
            return f"{where} begins a transaction {end}."
        if not self._is_dropped:
            return f"{where} begins a transaction: a restart there applies it again, whole."
        known = "is cut here and has a whole copy" if self._whole is not None else "is never applied"
        return f"{where} begins a transaction that {known}: a restart there is safe."

    def _how(self) -> str:
        if self._is_dropped:
            if any(copy.is_whole for copy in self._safe.near):
                return "To apply it (Replicat drops the cut part and applies the copy):"
            return "To restart before it (Replicat drops the cut part):"
        return (
            "To apply it once its end is available:"
            if self._stretch.after is None
            else ("To apply the whole transaction again:")
        )

    def _skip(self, most: int) -> str:
        whole = self._whole or self._stretch
        tables = sorted(whole.tables.items())
        listed = ", ".join(f"{table} {number} Insert" for table, number in tables[:most])
        more = f", and {_amount(len(tables) - most, 'more table')}" if len(tables) > most else ""
        records = len(whole.rows)
        return f"To skip it, {_amount(records, 'record')} ({_amount(records, 'change')}: {listed}{more}):"

    def _transaction(self) -> list[str]:
        stretch, (csn, xid) = self._stretch, self._stretch.name
        marker = self._safe.at(self._row)["marker"]
        if marker is not None:
            kind = next(mark.io_type for mark in self._markers() if self._model.place(mark.place) == marker)
            name = "RestartAbend" if kind == RESTART_ABEND else "RestartOK"
            end = f"no end record. Cut by {name} at {self._place_of(marker)}: a Replicat drops it"
        elif stretch.after is None:
            end = "not in the trail yet: the transaction is open at the end of the trail"
        elif self._is_dropped:
            end = f"no end record: the next transaction begins at {self._place(stretch.after)}: a Replicat drops it"
        else:
            end = f"{self._place(stretch.after)}, the first RBA after it"
        return [
            f"Transaction {xid or 'without TRANID'}, CSN {csn}",
            f"  Begins at  {self._place(stretch.first)}",
            f"  Last at    {self._place(stretch.rows[-1].place)}",
            f"  Ends at    {end}",
            *(f"{'':13}{table}: {_amount(n, 'record')}, {n} Insert" for table, n in sorted(stretch.tables.items())),
        ]

    def _markers(self) -> list[Piece]:
        return [piece for file in self._model.trail.files for piece in file.pieces if piece.kind == "restart"]

    def _place(self, place: tuple[int, int]) -> str:
        path = "" if place[0] == self._row.file else f" of {self._model.path(place[0])}"
        return f"RBA {place[1]}{path}"

    def _place_of(self, told: Object) -> str:
        paths = [str(file.path) for file in self._model.trail.files]
        return self._place((paths.index(told["file"]), told["rba"]))

    def _alter(self, place: tuple[int, int]) -> str:
        return f"  ALTER REPLICAT <group>, EXTSEQNO {place[0]}, EXTRBA {place[1]}"


def _amount(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def _tables(stretch: Stretch) -> list[Any]:
    return [
        {
            "table": table,
            "records": number,
            "types": [{"io_type": INSERT, "io_type_name": "Insert", "records": number}],
        }
        for table, number in sorted(stretch.tables.items())
    ]


@pytest.mark.parametrize("seed", range(examples(100, short=40)))
def test_safe_tells_the_transaction_of_each_row_and_its_copies(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, trail = _trail(f"safe {seed}", tmp_path, monkeypatch, is_sound=seed % 2 == 0)
    most = random.choice((1, 2, 5))
    monkeypatch.setattr(safe_text, "_MOST_TABLES", most)
    model = RecoveryModel(trail)
    is_plain = not model.is_partial and all(stretch.has_begin for stretch in model.stretches)
    places = [(stretchetch, row) for stretchetch in model.stretches for row in stretchetch.rows]
    copied = [(stretchetch, row) for stretchetch, row in places if row.begins and SafeModel(model, stretchetch).late]
    copied.sort(
        key=lambda place: all(copy.rows[0].file == copy.rows[-1].file for copy in SafeModel(model, place[0]).late)
    )
    for stretch, row in (*random.sample(places, min(5, len(places))), *copied[:3]):
        status, told = objects("safe", model.path(row.file), str(row.rba))
        if stretch.name[1] is not None and any(file.state == "no trail" for file in trail.files):
            assert status == 4
        (point,) = told["safe_point"]
        safe = SafeModel(model, stretch)
        open_end: Object = {"leave_out": None, "lost_bytes": 0, "skipped": []} if stretch.after is None else {}
        expected = {**safe.at(row), **open_end, **(safe.leave_out() if is_plain else {})}
        assert {name: point[name] for name in expected} == expected
        text = logdump(model.path(row.file), "-c", f"safe {row.rba}").out
        if is_plain:
            assert text.splitlines()[1:] == SafeText(safe, row).lines(most)
        assert ("once its end is available:" in text) == (stretch.has_begin and stretch.ended == "file_end")
        assert text.count("Extract wrote the transaction again, ") == len(expected["again"])


@pytest.mark.parametrize("seed", range(examples(100, short=60)))
def test_a_restart_between_two_transactions_is_safe_whatever_is_before_it(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not where damage follows, at which a Replicat abends."""
    _, trail = _trail(f"between {seed}", tmp_path, monkeypatch)
    for file in _readable(trail):
        for before, marker, after in zip(file.pieces, file.pieces[1:], file.pieces[2:], strict=False):
            is_between = before.kind in ("restart", "damage") or before.ends
            if marker.kind != "restart" or not is_between or _is_inside(trail, marker) or after.kind != "row":
                continue
            _, told = objects("safe", str(file.path), str(marker.rba))
            (point,) = told["safe_point"]
            assert (point["safe"], point["csn"], point["damage"]) == (True, None, None)


def _is_inside(trail: Eventful, marker: Piece) -> bool:
    """Whether a restart cuts a transaction."""
    stretches = RecoveryModel(trail).stretches
    return any(
        stretch.first < marker.place and (stretch.after is None or marker.place < stretch.after)
        for stretch in stretches
    )
