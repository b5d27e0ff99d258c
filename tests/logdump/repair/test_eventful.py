"""REPAIR of trails in which much happens at once: what is lost, the bytes of the copy, where a reader goes on."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from logdump.notation.text import amount
from tests.logdump.program import logdump
from tests.logdump.recovery.recovery_model import Object, Place, RecoveryModel, Stretch
from tests.logdump.recovery.test_eventful import objects
from tests.searching import Random, examples
from tests.simulated.eventful import Eventful, EventfulFile, Piece
from tests.trailformat.small_batches import in_batches
from trailformat.transactions import whole_trail


class RepairModel:
    """What REPAIR has to say of a trail and what its copy holds.

    Args:
        trail: the trail.
        is_all: whether rows of transactions that are not whole are copied.
        stops: whether the copy ends at the first damage.
    """

    def __init__(self, trail: Eventful, *, is_all: bool, stops: bool) -> None:
        self._trail, self._is_all = trail, is_all
        self.model = RecoveryModel(trail)
        self._damage = [*self.model.damage, *([self.model.half] if self.model.half else [])]
        self.stop = min((piece.place for piece in self._damage), default=None) if stops else None
        self._end_of_all = (len(trail.files), 0)
        self.lost: list[tuple[Stretch, str]] = []
        for stretch in self.model.stretches:
            if not self._is_beyond(stretch.first) and (reason := self._reason(stretch)) is not None:
                self.lost.append((stretch, reason))
        if not is_all:
            self._lose_joined()
        kept = [stretch for stretch in self._inside if stretch not in self._lost_ones]
        while kept and kept[-1].ended == "overtaken" and not is_all:
            self.lost.append((kept.pop(), "open"))

    def _is_beyond(self, place: Place) -> bool:
        return self.stop is not None and place >= self.stop

    @property
    def _inside(self) -> list[Stretch]:
        return [stretch for stretch in self.model.stretches if not self._is_beyond(stretch.first)]

    @property
    def _lost_ones(self) -> list[Stretch]:
        return [stretch for stretch, _ in self.lost]

    def _lose_joined(self) -> None:
        """Lose the overtaken transactions with which rows without a begin would go on in the copy."""
        lost, overtaken, last = self._lost_ones, list[Stretch](), (0, 0)
        for stretch in self._inside:
            if any(
                last <= restart.place < stretch.first for restart in self.model.restarts if restart.kind != "rollover"
            ):
                overtaken = []
            last = stretch.first
            if stretch in lost:
                continue
            if not stretch.has_begin:
                self.lost += [(other, "overtaken") for other in overtaken]
            overtaken = overtaken if stretch.has_begin and stretch.ended == "overtaken" else []
            overtaken += [stretch] if stretch.ended == "overtaken" else []

    def _reason(self, stretch: Stretch) -> str | None:
        """Why a transaction is lost; None for one that is whole or that the source itself has so."""
        if stretch.ended == "damage":
            return "damage"
        is_behind_gap = stretch.first[0] and self._trail.files[stretch.first[0] - 1].state != "trail"
        if not stretch.has_begin and is_behind_gap:
            return "missing_file"
        if stretch.ended != "file_end":
            return None
        return "missing_file" if self._stretch_end(stretch) < self._end_of_all else "open"

    def _stretch_end(self, stretch: Stretch) -> Place:
        """The place behind the files in which a transaction can be."""
        ends = [at for at, file in enumerate(self._trail.files) if file.state != "trail" and at > stretch.first[0]]
        return (min(ends, default=self._end_of_all[0]), 0)

    def _range(self, stretch: Stretch) -> tuple[Place, Place]:
        """What is taken out with a transaction: its damage too."""
        begin = stretch.first
        before = [piece for piece in self._damage if piece.file == begin[0] and piece.place < begin]
        if not stretch.has_begin and stretch.ended == "damage" and before:
            begin = before[-1].place
        return begin, stretch.after or self._stretch_end(stretch)

    def _known(self, piece: Piece) -> bool:
        return any(begin <= piece.place < end for begin, end in map(self._range, self._lost_ones))

    def loss_objects(self) -> list[Object]:
        """The losses, in the order of JSON: transactions, then damage of which nothing is known."""
        told = []
        for stretch, reason in self.lost:
            begin, end = self._range(stretch)
            damage = next((piece.place for piece in self._damage if begin <= piece.place <= end), None)
            csn, xid = stretch.name
            told.append(
                {
                    "csn": str(csn) if csn is not None else None,
                    "xid": xid,
                    "begin": self.model.place(stretch.first) if stretch.has_begin else None,
                    "records": len([row for row in stretch.rows if not self._is_beyond(row.place)]),
                    "reason": reason,
                    "place": self.model.place(damage),
                    "spot": self.model.place(damage),
                    "copied": self._is_all,
                }
            )
        unknown = {"csn": None, "xid": None, "begin": None, "records": 0, "copied": False}
        told += [
            {
                **unknown,
                "reason": "half_record" if piece is self.model.half else "unknown",
                **self.model.both_places(piece.place),
            }
            for piece in self.looked_at
            if not self._known(piece)
        ]
        return told

    @property
    def looked_at(self) -> list[Piece]:
        """The damage that was found: under STOP the first alone."""
        return self._damage if self.stop is None else [piece for piece in self._damage if piece.place == self.stop]

    @property
    def left_out(self) -> set[Place]:
        """The places of rows that are left out."""
        return set() if self._is_all else {row.place for stretch in self._lost_ones for row in stretch.rows}

    def bodies(self) -> list[bytes]:
        """What stands in the files of the copy behind their headers."""
        files = [
            file
            for at, file in enumerate(self._trail.files)
            if file.state == "trail" and not self._is_beyond((at, 0)) and (file.head is not None or self._body(file))
        ]
        return [self._body(file) for file in files]

    def _body(self, file: EventfulFile) -> bytes:
        """What is copied of a file, without its header."""
        left_out = self.left_out | {piece.place for piece in self._damage}
        data, head = file.path.read_bytes(), file.head_size
        return data[head : file.pieces[0].rba if file.pieces else len(data)] + b"".join(
            data[piece.rba : piece.rba + piece.length]
            for piece in file.pieces
            if piece.place not in left_out and not self._is_beyond(piece.place)
        )

    def header_objects(self) -> list[Object]:
        """What was done with the file headers."""
        told = []
        for at, file in enumerate(self._trail.files):
            if file.state != "trail" or self._is_beyond((at, 0)):
                continue
            if file.head is None and not self._body(file):
                continue
            gone = [piece for piece in file.pieces if piece.kind in ("damage", "half") or piece.place in self.left_out]
            is_reopened = file.head is not None and file.head.last_csn is not None and bool(gone)
            origin = "kept" if file.head is not None else "none"
            told.append({"file": str(file.path), "origin": origin, "reopened": is_reopened})
        return told

    @property
    def restart_at(self) -> Place | None:
        """Where a reader of the copy continues in the source."""
        for stretch in reversed(self._lost_ones):
            is_over_end = stretch.after is None and self._stretch_end(stretch) == self._end_of_all
            is_over_stop = self.stop is not None and self.stop < self._range(stretch)[1]
            if stretch.has_begin and not self._is_all and (is_over_end or is_over_stop):
                return stretch.first
        return self.stop or (self.model.half.place if self.model.half is not None else None)

    @property
    def after_csn(self) -> str | None:
        """The CSN of the last whole transaction of the copy."""
        csns = [stretch.name[0] for stretch in self._inside if stretch.is_whole]
        return str(csns[-1]) if csns else None

    def bytes_lost(self) -> int:
        """Bytes without a sound record: of damage, of what is no trail, under STOP of all behind it."""
        files = self._trail.files
        no_trails = sum(file.size for file in files if file.state == "no trail")
        if self.stop is None:
            return sum(piece.length for piece in self._damage) + no_trails
        here, rba = self.stop
        return (
            files[here].size - rba + sum(file.size for file in files[here + 1 :] if file.state == "trail") + no_trails
        )


_JOINED = ("overtaken", "overtaken", "overtaken", "torn", "torn", "headless", "headless", "whole", "restart")


@pytest.mark.parametrize("seed", range(examples(150, short=25)))
@pytest.mark.parametrize("words", ["", "all", "stop", "joined"])
def test_what_is_lost_is_told_and_the_rest_is_copied(
    seed: int, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Joined: where rows without a begin would go on with an overtaken transaction, as all between is lost."""
    random = Random(f"{seed} {words}")
    trail = Eventful(tmp_path, random, steps=_JOINED) if words == "joined" else Eventful(tmp_path, random)
    words = words.removesuffix("joined")
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(random.choice((1, 2, 3, 100))))
    expected = RepairModel(trail, is_all=words == "all", stops=words == "stop")
    line = f'repair over "{tmp_path}/tt*" to "{tmp_path}/cp000000000" {words}'
    status, told = objects("-c", line)
    if not expected.bodies():
        assert status != 0
        assert {"error", "failure"} & told.keys()
        assert not list(tmp_path.glob("cp*"))
        return
    (summary,) = told["repair"]
    losses = expected.loss_objects()
    assert _sorted(told.get("repair_loss", [])) == _sorted(losses)
    assert _numbers(summary) == _expected_numbers(trail, expected, losses)
    assert [{name: header[name] for name in ("file", "origin", "reopened")} for header in summary["header"]] == (
        expected.header_objects()
    )
    assert status == (3 if losses or expected.bytes_lost() or summary["gaps"] else 0)
    assert _sentence(summary) in logdump("-c", f"{line} replace").out.splitlines()
    copies = sorted(tmp_path.glob("cp*"))
    copied = [path.read_bytes() for path in copies]
    assert [data[len(data) - len(body) :] for data, body in zip(copied, expected.bodies(), strict=True)] == (
        expected.bodies()
    )


def _sentence(summary: Object) -> str:
    """What a Replicat misses, in words."""
    between = "the contents of damage between transactions"
    left_out, partial = (summary[name] for name in ("left_out_transactions", "partial_transactions"))
    more = f", and {between}" if summary["unknown"] else ""
    if left_out:
        records = amount(summary["left_out_records"], "sound record")
        return f"A Replicat that reads the copy misses {amount(left_out, 'transaction')} ({records}){more}."
    if partial:
        return f"A Replicat that reads the copy applies {amount(partial, 'transaction')} in part{more}."
    if summary["unknown"]:
        return f"A Replicat that reads the copy misses {between}."
    return "No transaction is lost." if summary["bytes_lost"] else "Nothing is lost."


def _sorted(objects_: list[Object]) -> list[str]:
    return sorted(json.dumps(item, sort_keys=True) for item in objects_)


def _numbers(summary: Object) -> Object:
    names = (
        *("files", "left_out_transactions", "left_out_records", "partial_transactions", "bytes_lost", "damage"),
        *("unknown", "embedded", "restart_at", "after_csn", "stopped_at", "listed", "unreadable"),
    )
    return {name: summary[name] for name in names}


def _expected_numbers(trail: Eventful, expected: RepairModel, losses: list[Object]) -> dict[str, Any]:
    reasons = Counter(loss["reason"] for loss in losses)
    transactions = sum(reasons.values()) - reasons["unknown"] - reasons["half_record"]
    is_all = any(loss["copied"] for loss in losses)
    return {
        "files": len(trail.there),
        "left_out_transactions": 0 if is_all else transactions,
        "left_out_records": 0 if is_all else sum(loss["records"] for loss in losses),
        "partial_transactions": transactions if is_all else 0,
        "bytes_lost": expected.bytes_lost(),
        "damage": len(expected.looked_at),
        "unknown": reasons["unknown"],
        "embedded": 0,
        "restart_at": expected.model.place(expected.restart_at),
        "after_csn": expected.after_csn,
        "stopped_at": expected.model.place(expected.stop),
        "listed": len(losses),
        "unreadable": [str(file.path) for file in trail.files if file.state == "no trail"],
    }
