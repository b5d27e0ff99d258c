"""LOBs in rows of a table: the value that the pieces hold, or a problem that says why there is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from logdump.arrow.tables import row_lobs
from logdump.spark.errors import BadTrail
from tests.logdump.export.strategies import TABLE
from tests.logdump.spark.test_tables import _defined, _inserted, rows_of
from tests.trailformat.samples import header, table_record, trail_of
from tests.trailformat.test_lobs import TEXT, pieces, plain
from trailformat import Images, Record, make_column, make_record

COLUMNS = ("rba", "after_ID", "after_BODY", "problems")


def _row(number: int) -> Record:
    """A row whose image has no BODY."""
    return _inserted(("INT32", number))


def _bodies(path: Path, *columns: str, **given: str) -> list[Any]:
    return [(one["after_ID"], one["after_BODY"]) for one in rows_of(path, TABLE, *columns, **given)]


@pytest.mark.parametrize("given", [{}, {"batchRows": "1"}, {"maxPartitionBytes": "100"}])
def test_the_pieces_of_a_lob_are_the_value_of_its_column(given: dict[str, str], tmp_path: Path) -> None:
    path = trail_of(
        tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *pieces(1, TEXT), _row(2), _row(3),
        table_record(7, "TEA.CUPS"), *pieces(1, b"short"),
    )  # fmt: skip
    assert _bodies(path, *COLUMNS, **given) == [(1, TEXT.decode()), (2, None), (3, "short")]
    assert [one["problems"] for one in rows_of(path, TABLE, **given)] == [None, None, None]


def test_a_lob_in_the_next_file_is_the_value_too(tmp_path: Path) -> None:
    trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1))
    trail_of(tmp_path, *pieces(1, TEXT), name="tt000000001")
    assert _bodies(tmp_path / "tt000000000") == [(1, TEXT.decode())]


def test_a_column_with_a_lob_is_not_null(tmp_path: Path) -> None:
    null = make_record(header(1), Images(None, (make_column(1, None),)))
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), null, *pieces(1, TEXT), null)
    assert [(one["after_BODY"], one["nulls"]) for one in rows_of(path, TABLE)] == [
        (TEXT.decode(), None),
        (None, ["after_BODY"]),
    ]


@pytest.mark.parametrize(
    ("records", "column", "reason"),
    [
        (pieces(1, TEXT)[:1] + pieces(1, TEXT)[2:], "BODY", "LOB 1 is not whole: 64 bytes at byte 64 are missing"),
        (plain(b"one", b"two"), None, "LOB 1 is in pieces whose layout is not known"),
        (pieces(9, TEXT), None, "LOB 1 is of column 9, which the definition lacks"),
        (pieces(1, b"\xff" * 9), "BODY", "not"),
        (pieces(0, TEXT), "ID", "a LOB is no int32"),
    ],
)
def test_a_lob_without_a_value_is_a_problem(
    records: list[Record], column: str | None, reason: str, tmp_path: Path
) -> None:
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *records)
    [one] = rows_of(path, TABLE, undecodable="null")
    assert one["after_BODY"] is None
    [problem] = one["problems"]
    assert problem["column"] == column
    assert reason in problem["reason"]
    with pytest.raises(BadTrail, match=r"LOB|BODY"):
        rows_of(path, TABLE)


def test_a_lob_of_a_column_that_is_not_read_ends_nothing(tmp_path: Path) -> None:
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *pieces(1, TEXT)[1:])
    assert rows_of(path, TABLE, "after_ID") == [{"after_ID": 1}]


def test_a_lob_over_the_limit_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_lobs, "LARGEST", len(TEXT) - 1)
    path = trail_of(tmp_path, _defined(("ID", "INT32"), ("BODY", "VARCHAR")), _row(1), *pieces(1, TEXT))
    [one] = rows_of(path, TABLE, undecodable="null")
    assert one["after_BODY"] is None
    assert "bytes, more than" in one["problems"][0]["reason"]
