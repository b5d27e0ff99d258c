"""Logdump without GoldenGate: its command language over trail files.

    import duckdb, logdump

    teas = logdump.read("dirdat/lt*", table="TEAHOUSE.TEAS")
    duckdb.sql("SELECT op, count(*) FROM teas GROUP BY op")

:func:`read` returns a trail as a table of Arrow batches, :mod:`logdump.spark` as a DataFrame.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logdump.features.sql.trail_table import TrailTable, read

__version__ = "1.0.0"
__all__ = ["TrailTable", "read"]

_MISSING = "A trail as a table needs pyarrow: pip install 'logdump[export]'"


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from logdump.features.sql import trail_table  # noqa: PLC0415 - it loads pyarrow
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "pyarrow":
            raise
        raise ModuleNotFoundError(f"{error}. {_MISSING}", name=error.name) from error
    return getattr(trail_table, name)
