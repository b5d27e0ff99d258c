"""Tables that change in a trail, without a database: which definition ends a part, and what a definition adds."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

from logdump.arrow.tables.layout import TableLayout
from logdump.tables.defined_tables import PlacedLayout
from logdump.targets.beginning import Beginning
from logdump.targets.evolution import TrailPart, alterations, difference_of
from logdump.targets.target import AppliedPosition, Mask, SourceTable
from tests.searching import Random, examples
from tests.trailformat.samples import column

_WHOLE = {8: 127, 16: 32_767, 32: 2_147_483_647, 64: 9_223_372_036_854_775_807}


class Kind(NamedTuple):
    """A type of a column: its kind, and its sizes."""

    kind: str
    sizes: tuple[int | None, ...] = ()

    @property
    def arrow(self) -> pa.DataType:
        """The type in Arrow."""
        size = self.sizes[0] if self.sizes else None
        return {
            "int": getattr(pa, f"int{size}", pa.int64),
            "decimal": lambda: pa.decimal128(*self.sizes),
            "number": pa.string,
            "text": pa.string,
            "bytes": pa.binary,
            "date": pa.date32,
            "timestamp": lambda: pa.timestamp("us"),
            "in UTC": lambda: pa.timestamp("us", "UTC"),
            "float": pa.float64,
        }[self.kind]()

    def has_room_for(self, other: Kind) -> bool:
        """Whether each value of another type is one of this, by the largest and the finest of its values."""
        if self.kind == other.kind and self.kind in ("text", "bytes"):
            (own,), (its,) = self.sizes, other.sizes
            return own is None or (its is not None and own >= its)
        if self.kind == "number":
            return other.kind in ("int", "decimal", "number")
        if self.kind == "timestamp" and other.kind == "date":
            return True
        if not {self.kind, other.kind} <= {"int", "decimal"}:
            return self == other
        return self.largest >= other.largest and self.finest >= other.finest

    @property
    def largest(self) -> int:
        """The largest whole number that it holds."""
        first, *more = (size or 0 for size in self.sizes)
        return _WHOLE[first] if self.kind == "int" else int(10 ** (first - more[0]) - 1)

    @property
    def finest(self) -> int:
        """The digits after the point that it holds."""
        return 0 if self.kind == "int" else (self.sizes[1] or 0)


def _drawn(random: Random, *, is_numeric: bool) -> Kind:
    others = ("text", "text", "bytes", "date", "timestamp", "in UTC", "float", "number")
    kind = random.choice(("int", "int", "decimal", "decimal", "decimal", "number") if is_numeric else others)
    if kind == "int":
        return Kind(kind, (random.choice((8, 16, 32, 64)),))
    if kind == "decimal":
        scale = random.choice((0, 0, 1, 2))
        return Kind(kind, (scale + random.choice((2, 3, 4, 5, 9, 10, 18, 19, 20)), scale))
    return Kind(kind, (random.choice((None, 5, 10, 20)),) if kind in ("text", "bytes") else ())


def _source(kinds: dict[str, Kind], **more: Any) -> SourceTable:
    columns = {"ID": pa.int64(), **{name: kind.arrow for name, kind in kinds.items()}}
    numbers = frozenset(name for name, kind in kinds.items() if kind.kind == "number")
    return SourceTable("S.T", None, MappingProxyType(columns), ("ID",), numbers=numbers, **more)


def _lengths(kinds: dict[str, Kind]) -> dict[str, int | None]:
    return {name.lower(): kind.sizes[0] for name, kind in kinds.items() if kind.kind in ("text", "bytes")}


@pytest.mark.parametrize("case", range(examples(1200, short=300)))
def test_a_column_is_wider_where_it_has_room_for_every_value_and_for_more(case: int) -> None:
    random = Random(case)
    numeric = random.random() < 0.6
    before = {name: _drawn(random, is_numeric=numeric) for name in random.sample("ABCD", 3)}
    after = {name: _drawn(random, is_numeric=numeric) for name in random.sample("ABCD", 3)}
    after |= {name: kind for name, kind in before.items() if name in after and random.random() < 0.2}
    masked = {name for name in after if random.random() < 0.2}
    target = _source(after, masks={name: Mask("null") for name in masked})
    told = difference_of(_source(before), target, (_lengths(before), _lengths(after)))
    both = [name for name in after if name in before and name not in masked and before[name] != after[name]]
    wider = [name for name in both if after[name].has_room_for(before[name])]
    assert told.added == [name for name in after if name not in before]
    assert told.gone == [name for name in before if name not in after]
    assert told.wider == {name: _lengths(after).get(name.lower()) for name in wider}
    assert [text.split()[1] for text in told.other] == [name for name in both if name not in wider]


def _layout(name: str, columns: int) -> TableLayout:
    made = tuple(column(f"C{number}") for number in range(columns))
    return TableLayout(name, made, "utf-8")


@pytest.mark.parametrize("case", range(examples(240, short=60)))
def test_a_part_of_a_trail_ends_at_the_first_definition_that_differs_from_the_one_before_it(case: int) -> None:
    random = Random(case)
    places = sorted(random.sample([(seqno, rba) for seqno in (3, 4, 10) for rba in (0, 900, 1000, 20_000)], 9))
    layouts: dict[str, list[PlacedLayout]] = {name: [] for name in random.sample(("S.A", "S.B", "S.C"), 3)}
    for seqno, rba in places:
        name = random.choice([*layouts])
        layouts[name].append(PlacedLayout(seqno, rba, _layout(name, random.randint(1, 3))))
    differ = []
    for seqno, rba in places:
        for name, placed in layouts.items():
            at = next((at for at, layout in enumerate(placed) if (layout.seqno, layout.rba) == (seqno, rba)), None)
            if at is not None and (not at or placed[at].layout != placed[at - 1].layout):
                seen = {placed_layout.layout for placed_layout in placed[:at]}
                differ.append(((seqno, rba), name, placed[at - 1].layout if at else None, placed[at].layout in seen))
    found = alterations(layouts)
    assert [
        ((alteration.where.seqno, alteration.where.rba), alteration.table, alteration.before, alteration.is_back)
        for alteration in found
    ] == differ
    begins = {name: random.choice([(0, 0), *places]) for name in layouts if random.random() < 0.7}
    handled = [place for place, *_ in differ if random.random() < 0.2]
    new = {name for name in layouts if random.random() < 0.5}
    positions = {name: AppliedPosition(_text(place), _text(place)) for name, place in begins.items()}
    part = TrailPart.of(
        layouts, Beginning(positions, {}, {}), [], [_text(place) for place in handled], lambda name: name in new
    )
    ends = [
        place
        for place, name, before, _ in differ
        if place not in handled and place >= begins.get(name, (0, 0)) and (before is not None or name in new)
    ]
    end = min(ends, default=None)
    assert (part.end and (part.end.where.seqno, part.end.where.rba)) == end
    options = {} if end is None else {"endSeqno": end[0], "endRba": end[1] - 1} if end[1] else {"endSeqno": end[0] - 1}
    assert part.options == options
    for name, placed in layouts.items():
        known = [
            placed_layout.layout
            for placed_layout in placed
            if end is None or (placed_layout.seqno, placed_layout.rba) < end
        ]
        if known or not placed:
            assert part.layouts[name] == (known[-1] if known else None)
        else:
            assert name not in part.layouts


def _text(place: tuple[int, int]) -> str:
    return f"{place[0]:010}.{place[1]:016}."
