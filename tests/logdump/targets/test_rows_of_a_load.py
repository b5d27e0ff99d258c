"""The rows of an initial load, from frames and from a database that is none: which table, columns and values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice
from types import MappingProxyType, SimpleNamespace
from typing import Any, cast

import pyarrow as pa
import pytest

from logdump.targets import load
from logdump.targets.dialects import DatabaseDialect
from logdump.targets.load import BadLoad, DatabaseRows, FrameRows
from logdump.targets.target import SourceTable, TargetColumn
from tests.searching import Random, examples

KINDS: dict[str, pa.DataType] = {"Id": pa.int64(), "NAME": pa.string(), "AT": pa.timestamp("us", "UTC")}
TABLE = SourceTable("S.Teas", None, MappingProxyType(KINDS), ("Id",))
NOON = dt.datetime(2024, 3, 14, 12, tzinfo=dt.UTC)


def _portions(frame: Sequence[pa.Table]) -> Iterator[pa.Table]:
    return iter(frame)


@pytest.mark.parametrize("case", range(examples(40, short=10)))
def test_all_rows_of_a_frame_come_in_portions_in_the_columns_of_the_table(
    case: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = Random(case)
    most = random.randint(1, 4)
    monkeypatch.setattr(load, "_MOST_ROWS", most)
    names = [random.choice((name, name.upper(), name.lower())) for name in KINDS]
    frame, number = [], 0
    for _ in range(random.randint(1, 3)):
        size = random.randint(0, 9)
        columns: dict[str, Any] = {
            names[2]: pa.array([NOON] * size, KINDS["AT"]),
            "OTHER": pa.array([1] * size),
            names[0]: pa.array(range(number, number + size), pa.int32()),
            names[1]: pa.array([f"tea {at}" for at in range(number, number + size)]),
        }
        frame.append(pa.table(columns))
        number += size
    table = random.choice(("S.Teas", "s.teas", "S.TEAS"))
    portions = [*FrameRows({"s.pots": [], table: frame}, "100", _portions).rows(TABLE)]
    assert all(len(portion) <= most for portion in portions)
    assert all(portion.schema == pa.schema(KINDS.items()) for portion in portions)
    rows = [row for portion in portions for row in portion.to_pylist()]
    assert rows == [{"Id": at, "NAME": f"tea {at}", "AT": NOON} for at in range(number)]


def test_a_frame_without_a_column_or_of_another_table_loads_nothing() -> None:
    for frames, why in (
        ({"S.Teas": [pa.table({"ID": [1], "NAME": ["a"]})]}, "load has no column AT"),
        ({"S.Pots": []}, "load has no frame for it"),
        ({"S.Teas": [pa.table({"ID": ["x"], "NAME": ["a"], "AT": [NOON]})]}, "column Id is not as in the trail"),
    ):
        with pytest.raises(BadLoad, match=why):
            list(FrameRows(frames, "100", _portions).rows(TABLE))


class Source:
    """A database that has some tables, and what it is asked."""

    has_flashback, has_snapshots = True, False

    def __init__(self, tables: list[tuple[str, str]], columns: list[TargetColumn], rows: list[tuple[Any, ...]]) -> None:
        self._tables, self._columns, self._rows = tables, columns, rows
        self.asked: list[str] = []

    def connect(self) -> Any:
        """Return a connection, which is also its cursor."""
        rows = iter(self._rows)
        portions = iter(lambda: list(islice(rows, 2)), [])
        connection = SimpleNamespace(execute=self.asked.append, fetchmany=lambda _most: next(portions, []))
        connection.close = lambda: None
        connection.cursor = lambda: connection
        return connection

    def enter_snapshot(self, _connection: Any, _snapshot: str | None) -> None:
        """Do nothing."""

    def present_csn(self, _cursor: Any) -> str:
        """Return the CSN of now."""
        return "777"

    def reading_cursor(self, connection: Any) -> Any:
        """Return the cursor."""
        return connection

    def tables(self, _cursor: Any, parts: list[str]) -> list[tuple[str, str]]:
        """Return the tables of a name, whatever its capitals."""
        return [table for table in self._tables if table[1].lower() == parts[-1].lower()]

    def columns(self, _cursor: Any, *_table: str) -> list[TargetColumn]:
        """Return the columns."""
        return self._columns

    @staticmethod
    def quoted(name: str) -> str:
        """Return a name in brackets."""
        return f"[{name}]"

    @staticmethod
    def as_text(name: str) -> str:
        """Return a column as text."""
        return f"text({name})"

    @staticmethod
    def query_at(shown: Sequence[str], table: str, csn: str) -> str:
        """Return a query."""
        return f"{', '.join(shown)} of {table} at {csn}"


def _columns(*names: str, families: Sequence[str] = ("integer", "text", "timestamp")) -> list[TargetColumn]:
    return [
        TargetColumn(name, family, family, None, is_needed=False) for name, family in zip(names, families, strict=True)
    ]


def _rows(source: Source, table: SourceTable = TABLE, csn: str | None = "100") -> list[dict[str, Any]]:
    loaded = DatabaseRows(cast("DatabaseDialect", source), csn, None)
    return [row for portion in loaded.rows(table) for row in portion.to_pylist()]


@pytest.mark.parametrize(
    ("there", "chosen"),
    [
        ([("S", "teas")], "teas"),
        ([("S", "TEAS"), ("S", "Teas"), ("S", "teas")], "Teas"),
        ([("S", "TEAS"), ("S", "teas")], None),
        ([("A", "Teas"), ("B", "Teas")], None),
        ([("S", "POTS")], None),
    ],
)
def test_the_table_is_the_one_of_its_very_name_or_the_only_one_in_other_capitals(
    there: list[tuple[str, str]], chosen: str | None
) -> None:
    source = Source(there, _columns("ID", "name", "At"), [])
    if chosen is None:
        with pytest.raises(BadLoad, match=r"has (several tables with|no table with) this name"):
            _rows(source)
        return
    assert _rows(source) == []
    assert source.asked == [f"[ID], [name], [At] of [S].[{chosen}] at 100"]


def test_the_csn_is_that_of_now_unless_it_is_given() -> None:
    source = Source([("S", "Teas")], _columns("Id", "NAME", "AT"), [])
    _rows(source, csn=None)
    assert source.asked[0].endswith("at 777")


def test_what_is_text_in_the_trail_is_asked_for_as_text_unless_it_is_text_there() -> None:
    kinds = {"Id": pa.int64(), "NAME": pa.string(), "AT": pa.string()}
    source = Source([("S", "Teas")], _columns("Id", "NAME", "AT"), [])
    _rows(source, TABLE._replace(columns=MappingProxyType(kinds)))
    assert source.asked == ["[Id], [NAME], text([AT]) of [S].[Teas] at 100"]


def test_values_of_a_driver_become_those_of_the_trail() -> None:
    kinds: dict[str, pa.DataType] = {
        "Id": pa.int64(),
        "NAME": pa.string(),
        "AT": pa.timestamp("us", "UTC"),
        "DAY": pa.date32(),
        "PRICE": pa.decimal128(10, 2),
        "RAW": pa.binary(),
    }
    families = ("integer", "text", "timestamp", "date", "decimal", "binary")
    rows = [
        (Decimal(7), Decimal("1E+3"), NOON.replace(tzinfo=None), NOON.replace(tzinfo=None), 1.5, memoryview(b"a")),
        (8, None, NOON.astimezone(dt.timezone(dt.timedelta(hours=2))), NOON.date(), Decimal("2.50"), b"b"),
        (9, "x", None, None, None, None),
    ]
    source = Source([("S", "Teas")], _columns(*kinds, families=families), rows)
    assert _rows(source, TABLE._replace(columns=MappingProxyType(kinds))) == [
        {"Id": 7, "NAME": "1000", "AT": NOON, "DAY": NOON.date(), "PRICE": Decimal("1.50"), "RAW": b"a"},
        {"Id": 8, "NAME": None, "AT": NOON, "DAY": NOON.date(), "PRICE": Decimal("2.50"), "RAW": b"b"},
        {"Id": 9, "NAME": "x", "AT": None, "DAY": None, "PRICE": None, "RAW": None},
    ]
