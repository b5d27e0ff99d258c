"""DIFF tells each edit of a drawn copy with its places, names, parts and numbers, in JSON and in text.

The truth is what was done, transaction by transaction, and never found by an alignment.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from logdump.features.diff import comparison
from tests.logdump.program import logdump
from tests.logdump.recovery.recovery_model import plain
from tests.searching import Random, examples
from tests.trailformat.samples import header, row, trail_of
from trailformat import Images, Record, make_column, make_record, make_token
from trailformat.records.record import build_user_tokens
from trailformat.records.record_header import (
    FIRST,
    INSERT,
    LAST,
    MIDDLE,
    ONLY,
    RESTART_ABEND,
    UNIFIED_UPDATE,
    io_type_name,
)

Object = dict[str, Any]
_TABLES = ("TEA.LEAVES", "TEA.POTS")
_MARKER = row(b"", io_type=RESTART_ABEND)
_EDITS = ("keep", "keep", "missing", "extra", "text", "before", "absent", "order", "row missing", "row extra", "csn")


class Cells(NamedTuple):
    """A row: its table, its number in the transaction, its images as pairs of index and text."""

    table: str
    number: int
    before: tuple[tuple[int, bytes], ...]
    after: tuple[tuple[int, bytes], ...]

    @property
    def io_type(self) -> int:
        """An update has both images."""
        return UNIFIED_UPDATE if self.before else INSERT


class Sold(NamedTuple):
    """A transaction; without a name ``csn`` is empty."""

    csn: str
    rows: tuple[Cells, ...]

    @property
    def xid(self) -> str:
        """Its TRANID, of the CSN without what is only its form."""
        return f"1.1.{int(self.csn)}" if self.csn else ""


class Placed(NamedTuple):
    """Where the rows of a transaction stand in one of the trails."""

    sold: Sold
    places: tuple[Object, ...]


def _records(sold: Sold) -> Iterator[Record]:
    last = len(sold.rows) - 1
    for at, cells in enumerate(sold.rows):
        trans_ind = ONLY if not last else FIRST if not at else LAST if at == last else MIDDLE
        named = (("L", sold.csn), ("6", sold.xid)) if sold.csn and not at else ()
        fields = header(cells.table, io_type=cells.io_type, trans_ind=trans_ind, audit_pos=cells.number)
        images = Images(
            tuple(make_column(index, text) for index, text in cells.before) or None,
            tuple(make_column(index, text) for index, text in cells.after),
            prefix_size=4 if cells.before else 0,
        )
        yield make_record(fields, images, tuple(make_token(token, text.encode()) for token, text in named))


class Copies:
    """A drawn trail ``a`` and its edited copy ``b``, and what DIFF has to tell of them."""

    def __init__(self, folder: Path, random: Random, *, ignores_absent: bool) -> None:
        self._random, self._ignores_absent = random, ignores_absent
        self.a: list[Sold] = []
        self.b: list[Sold] = []
        self._csn = 100
        self._told: list[Callable[[], Object]] = []
        self.equal = self.changed = 0
        for _ in range(random.randint(3, 8)):
            if random.random() < 0.2:
                self._nameless()
            self._edited(random.choice(_EDITS))
        self._tail(random.choice(("", "moved", "moved back", "copy moved", "twice", "twice in a")))
        self.restarts = [0, 0]
        self._places: dict[tuple[str, int], Placed] = {}
        self.files = [self._write(folder, side) for side in ("a", "b")]
        self.differences = [tell() for tell in self._told]

    def _new(self, least: int = 1, *, is_named: bool = True) -> Sold:
        random = self._random
        self._csn += 10
        rows = []
        for number in range(random.randint(least, 4)):
            image = ((0, b"k%d" % number), (1, b"v%d" % random.randrange(9)))
            rows.append(Cells(random.choice(_TABLES), number, random.choice(((), image)), image))
        return Sold(str(self._csn) if is_named else "", tuple(rows))

    def _pair(self, sold: Sold, other: Sold, *, is_equal: bool, is_counted: bool = True) -> None:
        self.a.append(sold)
        self.b.append(other)
        self.changed += not is_equal
        self.equal += is_equal and is_counted

    def _edited(self, edit: str) -> None:
        random = self._random
        if edit in ("missing", "extra"):
            sold = self._new()
            (self.a if edit == "missing" else self.b).append(sold)
            self._alone(edit, sold)
            return
        sold = self._new(least=3)
        at = random.randrange(1, len(sold.rows) - 1)
        row_ = sold.rows[at]
        other, parts = row_, list[Object]()
        if edit == "text":
            other = row_._replace(after=(row_.after[0], (1, b"other")))
            parts = [_part("after", "column 1", row_.after[1][1], b"other")]
        elif edit == "before" and row_.before:
            other = row_._replace(before=((0, b"key"), row_.before[1]))
            parts = [_part("before", "column 0", row_.before[0][1], b"key")]
        elif edit == "absent":
            other = row_._replace(after=row_.after[:1])
            parts = [] if self._ignores_absent else [_part("after", "column 1", row_.after[1][1], None)]
        elif edit == "order":
            other = row_._replace(after=row_.after[::-1])
            before = "0 1 " if row_.before else ""
            text = {"part": "columns", "column": None, "a": f"{before}0 1", "b": f"{before}1 0"}
            parts = [] if self._ignores_absent else [text]
        if edit in ("row missing", "row extra"):
            fewer = sold._replace(rows=(*sold.rows[:at], *sold.rows[at + 1 :]))
            is_missing = edit == "row missing"
            self._pair(*((sold, fewer) if is_missing else (fewer, sold)), is_equal=False)
            self._tell_row("missing" if is_missing else "extra", (sold, at), (sold, at), [])
            return
        changed = sold._replace(rows=(*sold.rows[:at], other, *sold.rows[at + 1 :]))
        if edit == "csn":
            at, changed = 0, sold._replace(csn=f"000{sold.csn}")
            texts = (f"LOGCSN {each.csn}, TRANID {each.xid}" for each in (sold, changed))
            parts = [{"part": "transaction", "column": None, **dict(zip("ab", texts, strict=True))}]
        self._pair(sold, changed, is_equal=not parts)
        if parts:
            self._tell_row("changed", (sold, at), (changed, at), parts)

    def _nameless(self) -> None:
        """Some transactions without a name in each: as many are pairs, in order, that differ in their first rows."""
        sides = [[self._new(least=2, is_named=False) for _ in range(self._random.randrange(3))] for _ in "ab"]
        begin = 10 * self._csn  # no two are equal, so that each has one place
        sides[0] = [_first(old_sold, b"one %d" % (begin + at)) for at, old_sold in enumerate(sides[0])]
        if len(sides[0]) == len(sides[1]):
            for at, sold in enumerate(sides[0]):
                texts = b"one %d" % (begin + at), b"two %d" % (begin + at)
                two = _first(sold, texts[1])
                self._pair(sold, two, is_equal=False)
                parts = [_part("after", "column 1", *texts)]
                self._tell_row("changed", (sold, 0), (two, 0), parts)
        else:
            like = [*sides[0], *sides[1]]
            sides[1] = [_first(like[at], b"two %d" % (begin + at)) for at in range(len(sides[1]))]
            for side, kind, alone in zip((self.a, self.b), ("missing", "extra"), sides, strict=True):
                side.extend(alone)
                for sold in alone:
                    self._alone(kind, sold)
        self._edited("keep")

    def _tail(self, kind: str) -> None:
        """Three transactions that stay, and one that stands before or behind them in one or both."""
        sold = self._new()
        if "copy" in kind or "twice" in kind:
            self._pair(sold, sold, is_equal=True)
        stays = [self._new() for _ in range(3)]
        if "moved" in kind:
            before, behind = (self.b, self.a) if "back" in kind else (self.a, self.b)
            before.append(sold)
            for each in stays:
                self._pair(each, each, is_equal=True)
            behind.append(sold)
            later = -len(stays) if "back" in kind else len(stays)
            at = -1 if "copy" in kind else 0
            self._tell("moved", sold, lambda: (self._place("a", sold, at), self._place("b", sold, at)), later=later)
            return
        for each in stays:
            self._pair(each, each, is_equal=True)
        if "twice" in kind:
            side = "a" if "in a" in kind else "b"
            (self.a if side == "a" else self.b).append(sold)
            self._tell("twice", sold, lambda: (self._place(side, sold), self._place(side, sold, -1)), side=side)

    def _alone(self, kind: str, sold: Sold) -> None:
        self._tell(
            kind,
            sold,
            lambda: (self._place("a", sold), None) if kind == "missing" else (None, self._place("b", sold)),
        )

    def _tell(self, kind: str, sold: Sold, places: Callable[[], tuple[Any, Any]], **more: Any) -> None:
        def tell() -> Object:
            a, b = places()
            told = {"kind": kind, "a": a, "b": b, "csn": sold.csn or None, "xid": sold.xid or None, "table": None}
            numbers: Object = {"op": None, "records": len(sold.rows), "parts": [], "later": None, "side": None}
            return {**told, **numbers, **more}

        self._told.append(tell)

    def _tell_row(self, kind: str, a: tuple[Sold, int], b: tuple[Sold, int], parts: list[Object]) -> None:
        def tell() -> Object:
            sold, at = a
            cells = sold.rows[at]
            return {
                "kind": kind,
                "a": self._place("a", sold, row_at=at) if kind != "extra" else None,
                "b": self._place("b", b[0], row_at=b[1]) if kind != "missing" else None,
                "csn": sold.csn or None,
                "xid": sold.xid or None,
                "table": cells.table,
                "op": io_type_name(cells.io_type),
                "records": 1,
                "parts": parts,
                "later": None,
                "side": None,
            }

        self._told.append(tell)

    def _place(self, side: str, transaction: Sold, which: int = 0, row_at: int = 0) -> Object:
        """Where a row of a transaction stands in a trail, ``which`` of several."""
        found = [placed for (where, _), placed in self._places.items() if where == side and placed.sold == transaction]
        return found[which].places[row_at]

    def _write(self, folder: Path, side: str) -> str:
        random, number, raw = self._random, 0, b""
        (folder / side).mkdir()
        for at, sold in enumerate(self.a if side == "a" else self.b):
            if raw and random.random() < 0.2:
                trail_of(folder / side, raw, name=f"tt{number:09}")
                number, raw = number + 1, b""
            if random.random() < 0.2:
                raw += _MARKER.raw
                self.restarts["ab".index(side)] += 1
            places = []
            for record in _records(sold):
                places.append({"file": str(folder / side / f"tt{number:09}"), "rba": len(raw)})
                raw += record.raw
            self._places[side, at] = Placed(sold, tuple(places))
        trail_of(folder / side, raw, name=f"tt{number:09}")
        return f"{folder / side}/tt"


def _first(sold: Sold, text: bytes) -> Sold:
    """A transaction with another value in its first row."""
    head = sold.rows[0]._replace(table=_TABLES[0], before=(), after=((0, b"k"), (1, text)))
    return sold._replace(rows=(head, *sold.rows[1:]))


def _part(part: str, column: str, a: bytes | None, b: bytes | None) -> Object:
    texts = (text.hex() if text is not None else None for text in (a, b))
    return {"part": part, "column": column, **dict(zip("ab", texts, strict=True))}


def _sorted(told: list[Object]) -> list[str]:
    return sorted(json.dumps(finding, sort_keys=True) for finding in told)


def _text_of(finding: Object) -> str:
    """The line of a difference."""
    places = [place for place in (finding["a"], finding["b"]) if place is not None]
    where = " | ".join(f"RBA {place['rba']} of {Path(place['file']).name}" for place in places)
    findings = {
        "missing": "only in the first",
        "extra": "only in the second",
        "twice": f"twice in the {'first' if finding['side'] == 'a' else 'second'}",
        "moved": f"{abs(finding['later'] or 0)} {'later' if (finding['later'] or 0) > 0 else 'earlier'} in the second",
    }
    name = " ".join(["Transaction", *([finding["xid"], f"CSN {finding['csn']}"] if finding["csn"] else [])])
    number = f"{finding['records']} record{'s' if finding['records'] != 1 else ''}"
    subject = f"{where}, {finding['table']} {finding['op']}" if finding["table"] else f"{name}, {where}, {number}"
    parts = [
        f"{part['column'] or part['part']}{' before' if part['part'] == 'before' else ''} {part['a']} | "
        f"{part['b'] or 'absent'}"
        for part in finding["parts"]
    ]
    mark = {"missing": "-", "extra": "+", "changed": "!", "moved": ">", "twice": "="}[finding["kind"]]
    return f"{mark} {subject}: {', '.join(parts) or findings[finding['kind']]}"


@pytest.mark.parametrize("seed", range(examples(200, short=30)))
@pytest.mark.parametrize("ignores_absent", [False, True])
def test_each_edit_is_told_and_nothing_else(seed: int, tmp_path: Path, *, ignores_absent: bool) -> None:
    copies = Copies(tmp_path, Random(f"{seed} {ignores_absent}"), ignores_absent=ignores_absent)
    words = ("diff", *copies.files, *(("ignore", "absent") if ignores_absent else ()))
    answer = logdump(*words, "--format", "jsonl")
    *told, summary = (plain(json.loads(line)) for line in answer.out.splitlines())
    assert _sorted(told) == _sorted(copies.differences)
    of_rows = Counter(finding["kind"] for finding in copies.differences if finding["table"] is not None)
    of_transactions = Counter(finding["kind"] for finding in copies.differences if finding["table"] is None)
    assert {name: summary[name] for name in ("equal", "changed", "transactions", "records", "listed")} == {
        "equal": copies.equal,
        "changed": copies.changed,
        "transactions": of_transactions,
        "records": of_rows,
        "listed": len(copies.differences),
    }
    for side, transactions, restarts in zip("ab", (copies.a, copies.b), copies.restarts, strict=True):
        assert (summary[side]["transactions"], summary[side]["restarts"]) == (len(transactions), restarts)
    assert answer.status == (3 if copies.differences else 0)
    lines = logdump(*words).out.splitlines()
    assert sorted(lines[: len(told)]) == sorted(map(_text_of, copies.differences))


_OF_PART = {
    "TIME": "time",
    "POSITION": "position",
    "ROWID": "row_id",
    "TOKENS": "tokens",
    "USERTOKENS": "user_tokens",
}


@pytest.mark.parametrize("seed", range(examples(60, short=12)))
def test_what_is_ignored_is_left_out_and_nothing_else(seed: int, tmp_path: Path) -> None:
    """Records of two trails differ in drawn parts; the words of IGNORE are drawn."""
    random = Random(seed)
    differing = random.sample(list(_OF_PART), random.randint(1, 5))
    ignored = random.sample(list(_OF_PART), random.randint(0, 4))
    for side in "ab":
        (tmp_path / side).mkdir()
        is_other = {word: side == "b" and word in differing for word in _OF_PART}
        fields = header(trans_ind=ONLY)
        fields = fields._replace(io_time=fields.io_time + is_other["TIME"], audit_pos=7 + is_other["POSITION"])
        tokens = (("L", b"10"), ("6", b"1.1"), ("R", b"AA%d" % is_other["ROWID"]), ("t", b"%d" % is_other["TOKENS"]))
        users = build_user_tokens(((b"TOKEN", b"%d" % is_other["USERTOKENS"]),))
        trail_of(
            tmp_path / side,
            make_record(fields, b"leaf", tuple(make_token(*token) for token in tokens), user_tokens=users),
        )
    words = ("ignore", ",".join(ignored)) if ignored else ()
    out = logdump("diff", f"{tmp_path}/a/tt", f"{tmp_path}/b/tt", *words, "--format", "jsonl").out
    parts = [part["part"] for line in out.splitlines() for part in json.loads(line).get("parts", ())]
    assert sorted(parts) == sorted(_OF_PART[word] for word in differing if word not in ignored)


@pytest.mark.parametrize("seed", range(examples(60, short=12)))
def test_rows_in_any_order_that_are_too_many_are_told_of_their_own_side(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each trail has rows of a table of its own beside common ones; few of them are kept to be paired."""
    random = Random(seed)
    monkeypatch.setattr(comparison, "MOST_ROWS", most := random.randint(1, 3))
    monkeypatch.setattr(comparison, "MOST_COUNTED", random.choice((1, 2, 100)))
    common, own = [b"c%d" % at for at in range(random.randint(0, 3))], [random.randrange(6) for _ in "ab"]
    for side, table, number in zip("ab", _TABLES, own, strict=True):
        rows = [Cells("TEA.CUPS", 0, (), ((0, text),)) for text in common]
        rows += [Cells(table, 100 * ord(side) + at, (), ((0, b"o%d" % at),)) for at in range(number)]
        random.shuffle(rows)
        (tmp_path / side).mkdir()
        rows = [Cells("TEA.CUPS", 0, (), ((0, b"head"),)), *rows]
        trail_of(tmp_path / side, *_records(Sold("10", tuple(rows))))
    out = logdump("diff", f"{tmp_path}/a/tt", f"{tmp_path}/b/tt", "anyorder", "--format", "jsonl").out
    *told, summary = map(json.loads, out.splitlines())
    kinds = Counter((finding["kind"], finding["table"], finding["a"] is None, finding["b"] is None) for finding in told)
    expected = {("missing", _TABLES[0], False, True): own[0], ("extra", _TABLES[1], True, False): own[1]}
    assert kinds == Counter({kind: number for kind, number in expected.items() if number})
    assert summary["unaligned"] == any(number > most for number in own)


@pytest.mark.parametrize("seed", range(examples(40, short=8)))
def test_trails_with_csns_of_two_forms_are_too_different_to_be_aligned(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No transaction has a counterpart; the order of CSNs says so, unless they are of two forms."""
    random = Random(seed)
    monkeypatch.setattr(comparison, "MOST_TRANSACTIONS", 3)
    mixed = random.choice(("", "a", "b", "ab"))
    for side, start in zip("ab", random.choice(((100, 200), (200, 100))), strict=True):
        (tmp_path / side).mkdir()
        records: list[Record] = []
        for at in range(6):
            is_other = side in mixed and at % 2
            csn = f"binlog.000001:{start + at}" if is_other else str(start + at)
            tokens = (make_token("L", csn.encode()), make_token("6", b"1.%d" % (start + at)))
            records.append(make_record(header(trans_ind=ONLY), b"leaf", tokens))
        trail_of(tmp_path / side, *records)
    out = logdump("diff", f"{tmp_path}/a/tt", f"{tmp_path}/b/tt", "--format", "jsonl").out
    assert json.loads(out.splitlines()[-1])["unaligned"] == bool(mixed)
