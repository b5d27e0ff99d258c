"""pyarrow without pandas, which it would import with the first list that becomes an array; that takes a second."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec

from trailformat.codec.on_demand import on_demand

with on_demand:
    import pyarrow as pa


class _NoPandas:
    """A finder that reports pandas as not installed."""

    @staticmethod
    def find_spec(name: str, _path: Sequence[str] | None = None, _target: object = None) -> ModuleSpec | None:
        if name == "pandas":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def leave_out_pandas() -> None:
    """Make pyarrow search for pandas now and find none, unless pandas is loaded.

    Only for the program ``logdump``: in another process ``pa.array`` must accept Series of pandas. ``to_pandas``
    imports it all the same.
    """
    if "pandas" in sys.modules:
        return
    sys.meta_path.insert(0, _NoPandas)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(_NoPandas)
