"""Packed trails give the rows of the same trail unpacked, in one slice or in many."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from tests.logdump.spark.reads import rows

NAMES = ("at000000000", "at000000001", "at000000002")
COLUMNS = ("file", "rba", "op", "csn", "xid")


def without_place(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**row, "file": Path(row["file"]).name.removesuffix(".gz")} for row in found]


@pytest.mark.parametrize("options", [{}, {"maxPartitionBytes": "900"}])
def test_a_folder_of_packed_files_is_read_like_the_plain_one(options: dict[str, str], tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((TRAILS / name).read_bytes()))
    plain = [row for name in NAMES for row in rows(TRAILS / name, "file", "rba", "op", "csn", "xid", **options)]
    packed = [
        row for name in NAMES for row in rows(tmp_path / f"{name}.gz", "file", "rba", "op", "csn", "xid", **options)
    ]
    assert without_place(packed) == without_place(plain)
