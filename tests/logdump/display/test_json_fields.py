"""Members of JSON that come from the fields of a class: their type, meaning, name and value."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import pytest

from logdump.display.json_fields import fields
from logdump.display.json_shape import Member, Shape, columns_of
from trailformat.trail.sequence import FilePosition

if TYPE_CHECKING:
    from trailformat.codec.timestamps import Julian, Microseconds

NOON = 211976583000000000
"""2005-03-03 04:10:00 GMT."""


class Leaf(enum.Enum):
    """Kinds of tea."""

    GREEN = "green"
    BLACK = "black"


class Cup(NamedTuple):
    """A part of a result."""

    size: Annotated[int, "Millilitres", "bytes"]


class Tea(NamedTuple):
    """A result with a field of each kind."""

    path: Annotated[Path, "Path of the file", "file"]
    records: Annotated[int, "How many"]
    ratio: Annotated[float | None, "One of two"]
    is_hot: Annotated[bool, "Whether it is hot"]
    leaf: Annotated[Leaf, "Its kind"]
    other: Annotated[Leaf | None, "Another kind"]
    time: Annotated[Julian | None, "When"]
    steeped: Annotated[Microseconds, "How long"]
    notes: Annotated[tuple[str, ...], "In words"]
    position: Annotated[FilePosition | None, "Where", "place", "spot"]
    cups: Annotated[tuple[Cup, ...], "Its cups"]
    first: Annotated[Cup | None, "The first"]
    more: Annotated[tuple[Cup, ...] | None, "Others"]
    payload: Annotated[bytes, "Its bytes"]
    by_table: Annotated[dict[str, int], "By table"]
    secret: int = 0


CUP = Shape("cup", "A cup.", fields(Cup))
TYPES = {
    "file": "string",
    "records": "number",
    "ratio": "number or null",
    "hot": "boolean",
    "leaf": "string",
    "other": "string or null",
    "time": "string or null",
    "steeped": "number",
    "notes": "list of string",
    "place": "place or null",
    "spot": "place or null",
    "cups": "list of cup",
    "first": "cup or null",
    "more": "list of cup, or null",
    "payload": "string",
    "by_table": "object",
}
TEA = Shape("tea", "Tea.", fields(Tea, Cup=CUP))
POSITION = FilePosition(Path("lt000000007"), 99)
CUPS = (Cup(1), Cup(2), Cup(3))
FULL = Tea(
    Path("a"),
    3,
    0.5,
    True,
    Leaf.GREEN,
    Leaf.BLACK,
    NOON,
    1_500_000,
    ("x",),
    POSITION,
    CUPS,
    CUPS[0],
    CUPS,
    b"a",
    {"T": 1},
)
EMPTY = FULL._replace(ratio=None, other=None, time=None, position=None, first=None, more=None, cups=(), notes=())


def test_type_meaning_and_name_are_those_of_the_field() -> None:
    assert {part.name: part.type for part in TEA.members} == TYPES
    meanings = {part.name: part.meaning for part in TEA.members}
    assert (meanings["hot"], meanings["place"]) == ("Whether it is hot", "Where")
    assert meanings["spot"].startswith("The former name of `place`")


def test_values_are_converted_by_the_type_of_the_field() -> None:
    place = {"file": POSITION.path, "seqno": 7, "rba": 99, "alter": "ALTER REPLICAT <group>, EXTSEQNO 7, EXTRBA 99"}
    cups = [{"bytes": 1}, {"bytes": 2}, {"bytes": 3}]
    assert TEA.build(FULL) == {
        "file": Path("a"),
        "records": 3,
        "ratio": 0.5,
        "hot": True,
        "leaf": "green",
        "other": "black",
        "time": "2005-03-03T04:10:00.000000Z",
        "steeped": 1.5,
        "notes": ("x",),
        "place": place,
        "spot": place,
        "cups": cups,
        "first": cups[0],
        "more": cups,
        "payload": b"a",
        "by_table": {"T": 1},
    }
    empty = {name: value for name, value in TEA.build(EMPTY).items() if value in (None, [], ())}
    assert list(empty) == ["ratio", "other", "time", "notes", "place", "spot", "cups", "first", "more"]
    assert (empty["cups"], empty["more"]) == ([], None)


def test_some_fields_in_their_own_order_and_those_of_a_part() -> None:
    names = [part.name for part in fields(Tea, "records path")]
    assert names == ["records", "file"]
    (size,) = fields(Cup, of="first?")
    assert (size.value(FULL), size.value(EMPTY)) == (1, None)


@pytest.mark.parametrize("name", ["secret", "nothing"])
def test_a_field_without_a_meaning_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"Tea has no such fields with a meaning: {name}"):
        fields(Tea, f"path {name}")


def test_columns_of_tables_have_the_names_and_meanings_of_the_fields() -> None:
    simple: tuple[Member, ...] = fields(Tea, "path records is_hot notes")
    columns = columns_of(Shape("tea", "Tea.", simple), {})
    assert [(column.name, column.meaning) for column in columns] == [(part.name, part.meaning) for part in simple]
