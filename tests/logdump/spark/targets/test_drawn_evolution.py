"""Tables that change at drawn places, in each database and each way of writing, held against a model by hand."""

from __future__ import annotations

import datetime as dt
import hmac
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from logdump.targets.run import DdlFound
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import WAYS
from tests.searching import Random

T = "S.T"
VALUES: dict[str, Sequence[Any]] = {
    "INT16": (0, 1, -(1 << 15), (1 << 15) - 1),
    "INT32": (0, 1, -(1 << 31), (1 << 31) - 1),
    "INT64": (0, 1, -(1 << 63), (1 << 63) - 1),
    "UINT32": (0, 1, (1 << 32) - 1),
    "UINT64": (0, 1, (1 << 64) - 1),
    "VARCHAR of a number": (Decimal(-7), Decimal("12345678901234567890.123")),
    "DECIMAL LSS": (Decimal("-7.25"), Decimal("1234567.89")),
    "VARCHAR:10": ("", "a", "é", "z ", "Q" * 10),
    "VARCHAR:30": ("", "a", "é", "z ", "Q" * 30),
    "DATETIME": tuple(map(dt.datetime.fromisoformat, ("2020-01-02 03:04:05.678901", "1999-12-31"))),
}
WIDER = [["INT16", "INT32", "INT64"], ["VARCHAR:10", "VARCHAR:30"], ["DATETIME"], ["DECIMAL LSS"]]
"""Types, each with those that it may become."""
WIDER_ON_SERVERS = [*WIDER, ["UINT32", "UINT64"], ["INT64", "VARCHAR of a number"]]
"""SQLite cannot give a column another type."""
ADDED = {
    "mirror": [],
    "soft": ["_deleted_csn"],
    "history": ["_valid_from_csn", "_valid_to_csn"],
    "append": ["_op", "_csn"],
}
Row = dict[str, Any]


class Drawn:
    """A table whose columns come, go, come back and get wider between drawn changes, and the rows that each way makes.

    Attributes:
        kinds: the columns that it has now; ``every``: those that it has had.
        masks: masks of some of its columns.
        rows: the rows of the target, in order; a column that one does not name is NULL.
    """

    def __init__(self, random: Random, way: str, wider: Sequence[Sequence[str]], *, is_masked: bool) -> None:
        self._random, self._way, self._wider, self._is_masked = random, way, wider, is_masked
        self.kinds, self._lost, self._next = {"ID": "INT64"}, dict[str, str](), dict[str, list[str]]()
        self.masks, self.rows, self._now = dict[str, Any](), list[Row](), dict[int, Row]()
        self._csn = 101
        self._come()
        self.every = dict(self.kinds)
        self.trail = Trail({T: self.kinds})

    def _come(self) -> None:
        random, name = self._random, f"C{len(self._next)}"
        self.kinds[name], *self._next[name] = random.choice(self._wider)
        if self._is_masked and random.random() < 0.5:
            fixed = "2020-01-02 00:00:00" if self.kinds[name] == "DATETIME" else "7"
            self.masks[name] = random.choice(("hash", "null", {"fixed": fixed}))

    def alter(self) -> None:
        """Another definition."""
        random, own = self._random, [name for name in self.kinds if name != "ID"]
        narrow = [name for name in own if self._next[name]]
        ways = ["come"] * 3 + ["wider"] * 2 * bool(narrow) + ["go"] * bool(own) + ["back"] * bool(self._lost)
        match random.choice(ways):
            case "come":
                self._come()
            case "wider":
                name = random.choice(narrow)
                self.kinds[name] = self._next[name].pop(0)
            case "go":
                name = random.choice(own)
                self._lost[name] = self.kinds.pop(name)
            case _:
                name = random.choice(sorted(self._lost))
                self.kinds[name] = self._lost.pop(name)
        self.every |= self.kinds
        self.trail.alter(T, self.kinds)

    def change(self) -> None:
        """A change of a row."""
        random, now = self._random, self._now
        there, free = sorted(now), [key for key in range(1, 6) if key not in now]
        ops = (
            ["insert"] * 2 * bool(free) + ["update", "update", "delete"] * bool(there) + ["move"] * bool(there and free)
        )
        op = random.choice(ops)
        key = random.choice(free if op == "insert" else there)
        new = random.choice(free) if op == "move" else key
        values = {name: self._drawn(kind, is_given=op == "insert") for name, kind in self.kinds.items() if name != "ID"}
        match op:
            case "delete":
                self.trail.delete(T, key)
            case "move":
                self.trail.move(T, (key,), (new, *values.values()))
            case _:
                getattr(self.trail, op)(T, key, *values.values())
        given = {name: self._masked(name, value) for name, value in values.items() if value is not ...}
        self._write(op, key, {"ID": new, **given})
        self._csn += 1

    def _drawn(self, kind: str, *, is_given: bool) -> Any:
        random = self._random
        return ... if not is_given and random.random() < 0.3 else random.choice((None, *VALUES[kind]))

    def _masked(self, name: str, value: Any) -> Any:
        mask = self.masks.get(name)
        if mask == "hash" and value is not None:
            text = plain(value) if isinstance(value, int | Decimal) else str(value)
            return hmac.digest(b"k", text.encode(), "sha256").hex()
        return value if mask in (None, "hash") else None if mask == "null" else mask["fixed"]

    def _write(self, op: str, key: int, row: Row) -> None:
        """What a change does in the target; a row before it is there as long as its way keeps it."""
        csn, before = str(self._csn), self._now.pop(key, None)
        if op != "delete":
            self._now[row["ID"]] = row = {**(before or {}), **row} if self._way != "append" else row
        if self._way == "append":
            fixed = {name: mask["fixed"] for name, mask in self.masks.items() if isinstance(mask, dict)}
            fixed = {name: value for name, value in fixed.items() if name in self.kinds}
            self.rows += [{**fixed, "ID": key, "_op": "delete", "_csn": csn}] * (op in ("move", "delete"))
            name = "insert" if op == "move" else op
            self.rows += [{**fixed, **row, "_op": name, "_csn": csn}] * (op != "delete")
            return
        for kept in [
            kept for kept in self.rows if before is not None and kept["ID"] == key and kept.get("_end") is None
        ]:
            kept["_end"] = csn
        self.rows = [kept for kept in self.rows if self._is_kept(kept, None if op == "delete" else row["ID"])]
        self.rows += [{**row, "_begin": csn}] * (op != "delete")

    def _is_kept(self, kept: Row, new: int | None) -> bool:
        """Whether a row stays when another one with a key comes, if one does."""
        is_there = kept.get("_end") is None
        return self._way == "history" or is_there or (self._way == "soft" and kept["ID"] != new)

    def expected(self, names: Sequence[str]) -> list[tuple[str, ...]]:
        """The rows that the target must have."""
        spelled = {"_valid_from_csn": "_begin", "_valid_to_csn": "_end", "_deleted_csn": "_end"}
        return [tuple(plain(row.get(spelled.get(name, name))) for name in names) for row in self.rows]


def plain(value: Any) -> str:
    """A value as text, whatever its type is: a number and a time may be text in a target."""
    with suppress(ValueError, ArithmeticError):
        if isinstance(value, int | Decimal) or (isinstance(value, str) and value[-1:].isdigit() and len(value) != 64):
            return format(Decimal(value).normalize(), "f")
    with suppress(ValueError):
        return str(dt.datetime.fromisoformat(str(value)).replace(tzinfo=None))
    return repr(value)


@pytest.mark.parametrize("way", ADDED)
@pytest.mark.parametrize("is_masked", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_table_that_changes_at_drawn_places(
    seed: int, is_masked: bool, way: str, tmp_path: Path, place: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Masks are of all columns that come, in one run: those of a table are fixed."""
    monkeypatch.setenv("LOGDUMP_MASK_KEY", "k")
    random, is_server = Random(f"{seed} {way} {is_masked}"), not place.url.startswith("sqlite")
    drawn = Drawn(random, way, WIDER_ON_SERVERS if is_server else WIDER, is_masked=is_masked)
    for _ in range(1 if is_masked else 4):
        for _ in range(random.randrange(12, 24) if is_masked else random.randrange(1, 8)):
            if random.random() < 0.3:
                drawn.alter()
            drawn.change()
        path, size = drawn.trail.write(tmp_path / "a"), random.choice((1, 2, 1000))
        given: dict[str, Any] = {**WAYS[way], "mask": {T: drawn.masks}, "create": True, "evolve": "add"}
        for _ in range(40):  # a definition that loses a column stops it, once
            with suppress(DdlFound):
                apply(path, place, T, maxTransactionsPerTrigger=size, **given)
                break
        else:
            pytest.fail("it does not go on")
        names = [*drawn.every, *ADDED[way]]
        order = " ORDER BY _sequence" if way == "append" else ""
        columns = ", ".join(map(str.lower, names))
        found = [tuple(map(plain, row)) for row in place.query(f"SELECT {columns} FROM t{order}")]
        wanted = drawn.expected(names)
        assert found == wanted if way == "append" else sorted(found) == sorted(wanted)
