"""pyarrow without pandas: it imports pandas with the first list that becomes an array, which takes a second."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec


class _NoPandas:
    """A finder for which pandas is not installed."""

    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def leave_out_pandas() -> None:
    """Have pyarrow look for pandas now and find none, unless it is loaded.

    It is for the program alone: in a process of others ``pa.array`` has to know their Series. ``to_pandas`` imports it
    all the same.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa  # noqa: PLC0415 - a quarter of a second

    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
