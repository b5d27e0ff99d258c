"""What EXPORT has written, read by other means."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq

FORMATS = ["jsonl", "csv", "parquet", "arrow", "sql"]


def rbas_in(path: Path) -> list[int]:
    """The RBAs of the records in a file of Parquet, CSV or JSONL."""
    head = path.read_bytes()[:1]
    if head == b"P":
        return [int(rba) for rba in pq.read_table(path)["rba"].to_pylist()]
    if head == b'"':
        with path.open(encoding="utf-8", newline="") as file:
            return [int(fields["rba"]) for fields in csv.DictReader(file)]
    return [json.loads(line)["rba"] for line in path.read_text(encoding="utf-8").splitlines()]
