"""ROW says of trails in which rows change often what a model says that follows them change by change."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from fixtures.flavour import ORACLE_12
from logdump.notation.times import iso_time
from tests.logdump.program import logdump
from tests.logdump.recovery.test_eventful import objects
from tests.searching import Random, examples
from tests.simulated.eventful_rows import KEYS, EventfulRows, RowPiece
from tests.trailformat.small_batches import in_batches
from trailformat.transactions import whole_trail

Object = dict[str, Any]
_CHANGES = ("insert", "delete", "unified", "pair", "key", "unified key")
_NAMES = {"insert": "INSERT", "delete": "DELETE"}
_TEXTS = {True: "after them the row exists", False: "after them the row was deleted"}


class RowModel:
    """The row of a key.

    Args:
        trail: the trail.
        table, key: of the row.
        files: how many files are read.
    """

    def __init__(self, trail: EventfulRows, table: str, key: str, files: int) -> None:
        self.trail, self.table, self.files = trail, table, files
        self.read = [piece for piece in trail.pieces if piece.file < files]
        self._judge()
        self.changes = self._of_row(key)
        self.applied = [piece for piece in self.changes if piece.occurrence in self._applied]

    def _judge(self) -> None:
        """Which transactions a Replicat applies: whole ones, once each, up to the first damage of the whole trail."""
        self._applied: set[int] = set()
        names: set[int] = set()
        is_passed = False
        for piece in self.trail.pieces:
            is_passed |= piece.step.kind == "damage"
            if piece.number and piece.is_whole and piece.occurrence not in self._applied:
                if piece.number not in names and not is_passed:
                    self._applied.add(piece.occurrence)
                names.add(piece.number)
                names.add(-piece.occurrence)

    def _of_row(self, key: str) -> list[RowPiece]:
        """The changes of the rows that had the key at some time: a key is that of one row at a time."""
        owner: dict[str, int] = {}
        of_row: dict[int, list[RowPiece]] = {}
        for number, piece in enumerate(self.read):
            step = piece.step
            if step.table != self.table or step.kind not in _CHANGES:
                continue
            row = owner.pop(step.before, number) if step.before is not None else number
            if step.after is not None:
                owner[step.after] = row
            of_row.setdefault(row, []).append(piece)
        had = [row for row, pieces in of_row.items() if any(key in keys_of(piece) for piece in pieces)]
        return sorted((piece for row in had for piece in of_row[row]), key=lambda piece: piece.place)

    @property
    def truncates(self) -> list[RowPiece]:
        """Where the table is emptied."""
        return [piece for piece in self.read if (piece.step.table, piece.step.kind) == (self.table, "truncate")]

    @property
    def is_partial(self) -> bool:
        """Whether more may have changed the row."""
        unknown = (self.table, "unknown")
        return any(piece.step.kind == "damage" or (piece.step.table, piece.step.kind) == unknown for piece in self.read)

    @property
    def is_there(self) -> bool | None:
        """Whether the row exists in the end."""
        if not self.applied:
            return None
        emptied = [piece.place for piece in self.truncates if piece.occurrence in self._applied]
        return self.applied[-1].step.after is not None and max(emptied, default=(0, 0)) < self.applied[-1].place

    @property
    def keys(self) -> list[str]:
        """The keys that it had, in order."""
        return list(dict.fromkeys(key for piece in self.changes for key in keys_of(piece)))

    def is_applied(self, piece: RowPiece) -> bool:
        """Whether a Replicat applies a change."""
        return piece.occurrence in self._applied

    def change_objects(self) -> list[Object]:
        """The changes in the words of JSON."""
        return [
            {
                "file": str(self.trail.paths[piece.file]),
                "rba": piece.rba,
                "time": iso_time(piece.time),
                "kind": {"insert": "insert", "delete": "delete"}.get(piece.step.kind, "update"),
                "table": self.table,
                "csn": ORACLE_12.csn(piece.number),
                "xid": ORACLE_12.xid(piece.number),
                "applied": self.is_applied(piece),
                "user_tokens": [],
            }
            for piece in self.changes
        ]

    def story(self) -> Object:
        """The summary."""
        return {
            "table": self.table,
            "keys": self.keys,
            "changes": len(self.changes),
            "not_applied": len(self.changes) - len(self.applied),
            "later_files": len(self.trail.paths) - self.files,
            "there": None if self.is_partial else self.is_there,
            "partial": self.is_partial,
        }

    def sentence(self) -> str:
        """The summary as text."""
        number, left_out = len(self.changes), len(self.changes) - len(self.applied)
        counted = f"{number} change{'s' * (number > 1)}"
        if left_out:
            counted += (
                ", not applied by a Replicat"
                if left_out == number
                else f", {left_out} of them not applied by a Replicat"
            )
        ends = "the row is as it was before" if self.is_there is None else _TEXTS[self.is_there]
        ends = "not all was read, so there may be more" if self.is_partial else ends
        later = len(self.trail.paths) - self.files
        if later:
            files, are = ("files", "are") if later > 1 else ("file", "is")
            ends += f"; {later} later {files} of the trail {are} not read: ACROSS ON reads them"
        return f"{self.table} {' → '.join(self.keys)}: {counted}; {ends}."


def keys_of(piece: RowPiece) -> list[str]:
    """The keys of a change, that before it first."""
    return [key for key in (piece.step.before, piece.step.after) if key is not None]


def _drawn(seed: str, monkeypatch: pytest.MonkeyPatch) -> Random:
    """Draws, and small batches."""
    drawn = Random(seed)
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(drawn.choice((1, 2, 3, 100))))
    return drawn


@pytest.mark.parametrize("seed", range(examples(300, short=50)))
def test_row_tells_what_happened(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = _drawn(f"row {seed}", monkeypatch)
    trail = EventfulRows(tmp_path, random)
    for key in random.sample(KEYS, 3):
        is_across = random.random() < 0.8
        table = random.choice(trail.tables)
        model = RowModel(trail, table, key, len(trail.paths) if is_across else 1)
        line = f"across {'on' if is_across else 'off'}; row {table} TEA_CODE={key}"
        status, told = objects(str(trail.paths[0]), "-c", line)
        if not model.changes:
            assert "row_story" not in told
            continue
        (story,) = told["row_story"]
        assert story == model.story()
        expected = model.change_objects()
        assert [{name: change[name] for name in expected[0]} for change in told["row_change"]] == expected
        assert bool(status) == model.is_partial
        answer = logdump(str(trail.paths[0]), "-c", line)
        lines = [text for text in answer.out.splitlines() if re.match(r"rw\d+:", text)]
        assert [text.split()[0] for text in lines] == [
            f"{trail.paths[piece.file].name}:{piece.rba}" for piece in model.changes
        ]
        assert [text.endswith("(not applied)") for text in lines] == [
            not model.is_applied(piece) for piece in model.changes
        ]
        assert answer.out.splitlines()[-1] == model.sentence()


def _statement(piece: RowPiece) -> tuple[str, str]:
    """What takes a change back: the verb, and the stock that it restores or the key that it deletes."""
    step = piece.step
    if step.kind == "insert":
        return "DELETE", str(step.after)
    return ("INSERT" if step.kind == "delete" else "UPDATE"), str(step.before)


@pytest.mark.parametrize("seed", range(examples(300, short=40)))
def test_row_undo_takes_back_the_last_changes_that_are_applied(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = _drawn(f"row undo {seed}", monkeypatch)
    trail = EventfulRows(tmp_path, random, is_sound=True)
    for key in random.sample(KEYS, 3):
        table = trail.tables[0]
        model = RowModel(trail, table, key, len(trail.paths))
        if not model.changes or any(piece.step.kind == "unknown" for piece in trail.pieces):
            continue
        piece = random.choice(model.changes)
        words, taken = random.choice(_bounds(model, piece, random.randint(1, 4)))
        answer = logdump(str(trail.paths[0]), "-c", f"across on; row undo {words} {table} TEA_CODE={key}")
        first = next(line for line in (*answer.out.splitlines(), *answer.err.splitlines()) if "Current" not in line)
        if not model.applied:
            row = f"{table} {keys_of(model.changes[-1])[-1]}"
            assert first == f"-- No change of {row} is applied by a Replicat: there is nothing to take back."
            continue
        if not taken:
            assert answer.err.splitlines()[-1].endswith(": there is nothing to take back.")  # after notices of TRUNCATE
            assert answer.status
            continue
        number, last = len(taken), keys_of(taken[-1])[-1]
        kind = _NAMES.get(taken[0].step.kind, "UPDATE")
        state = "does not exist, as" if kind == "INSERT" else "is as it was"
        assert first == (
            f"-- Takes back {number} change{'s' * (number > 1)} of {table} {last}, the last one first: run as a whole, "
            f"the row {state} before the {kind} at RBA {taken[0].rba} of {trail.paths[taken[0].file].name}."
        )
        sql = [line for line in answer.out.splitlines() if re.match("DELETE|INSERT|UPDATE", line)]
        assert [line.split()[0] for line in sql] == [_statement(taken_piece)[0] for taken_piece in reversed(taken)]
        assert all(
            f"'{_statement(taken_piece)[1]}'" in line for line, taken_piece in zip(sql, reversed(taken), strict=True)
        )


def _bounds(model: RowModel, piece: RowPiece, last: int) -> list[tuple[str, list[RowPiece]]]:
    """Words of ROW UNDO, and the changes that it takes back: with the first one that it reaches, all after it."""
    applied = model.applied
    by_time = [taken_piece.time >= piece.time for taken_piece in applied]
    by_csn = [taken_piece.number >= piece.number for taken_piece in applied]
    time = iso_time(piece.time)
    return [
        ("", applied),
        (f"last {last}", applied[-last:]),
        (f"since {time}", applied[by_time.index(True) :] if True in by_time else []),
        (f"csn {ORACLE_12.csn(piece.number)}", applied[by_csn.index(True) :] if True in by_csn else []),
    ]
