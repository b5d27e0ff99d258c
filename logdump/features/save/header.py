"""The file header of a saved trail: its source's, under its own name and number."""

from __future__ import annotations

import os
from pathlib import Path

from trailformat import FileHeader, Record, TrailName
from trailformat.changes.transactions import is_transactional, own_transaction
from trailformat.records.file_header import replace_values


def own_header(header: FileHeader, target: Path, name: str, first: Record | None) -> FileHeader:
    """The source's header with the name, number and beginning of the new file; what its end would determine is not set.

    ``name`` is the target as it was typed, which the header keeps; ``first`` the first record of the new file.
    """
    row = first if first is not None and is_transactional(first) else None
    return renamed(
        replace_values(
            header,
            "TrailInfo",
            {
                "FileSize": None,
                "FirstCSN": own_transaction(row).csn if row is not None else None,
                "LastCSN": None,
                "FirstIOTime": row.header.io_time if row is not None else None,
                "LastIOTime": None,
            },
        ),
        target,
        name,
    )


def renamed(header: FileHeader, target: str | os.PathLike[str], name: str) -> FileHeader:
    """``header`` with the FileName ``name`` and the Seqno in the name of ``target``, 0 when there is none."""
    parts = TrailName.parse(target)
    return replace_values(header, "TrailInfo", {"FileName": name, "Seqno": parts.seqno if parts else 0})
