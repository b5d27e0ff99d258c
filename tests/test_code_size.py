"""``scripts.code_size`` counts lines of code and nothing else."""

from __future__ import annotations

from pathlib import Path

from scripts.code_size import code_size, table

_MODULE = '''"""What it is.

More of it.
"""

from __future__ import annotations

import os
from pathlib import (
    Path,
)

if os.name:
    from trailformat import errors

# a comment
SIZE = 1  # a comment beside code
"""What SIZE is."""


def size(path: Path) -> int:
    """Return it."""
    import sys

    text = """a text
over lines"""
    return len(text) + sys.maxsize


print(
    os.name,
)
'''


def test_blanks_comments_docstrings_and_imports_are_no_code() -> None:
    assert code_size(_MODULE) == 8
    assert code_size('"""Only a docstring."""\n') == 0


def test_a_room_is_counted_with_all_its_files(tmp_path: Path) -> None:
    for path in (
        "logdump/room/a.py",
        "logdump/room/inner/b.py",
        "logdump/cli.py",
        "trailformat/x.py",
        "pyspark_trail/y.py",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(_MODULE, encoding="utf-8")
    lines = {name: (int(files), int(code)) for name, files, code in map(str.split, table(tmp_path))}
    assert lines["logdump.room"] == (2, 16)
    assert (lines["logdump.cli"], lines["logdump"], lines["all"]) == ((1, 8), (3, 24), (5, 40))
