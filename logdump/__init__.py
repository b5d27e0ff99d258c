"""Logdump without GoldenGate: its command language over trail files.

    import duckdb, logdump

    teas = logdump.read("dirdat/lt*", table="TEAHOUSE.TEAS")
    duckdb.sql("SELECT op, count(*) FROM teas GROUP BY op")

:func:`read` returns a trail as a table of Arrow batches, :mod:`logdump.spark` as a DataFrame; :func:`apply` applies its
changes to the tables of a database or a lake, and :func:`publish` makes messages of Kafka of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from logdump.features.sql.trail_table import TrailTable, read
    from logdump.targets.in_process import apply, retry
    from logdump.targets.kafka.publisher import publish
    from logdump.targets.target import ApplyProgress

__version__ = "1.0.0"
__all__ = ["ApplyProgress", "TrailTable", "apply", "publish", "read", "retry"]

_HOMES = {
    "ApplyProgress": "logdump.targets.target",
    "TrailTable": "logdump.features.sql.trail_table",
    "apply": "logdump.targets.in_process",
    "publish": "logdump.targets.kafka.publisher",
    "read": "logdump.features.sql.trail_table",
    "retry": "logdump.targets.in_process",
}
"""The module of each public name, which loads pyarrow."""
_MISSING = "A trail as a table needs pyarrow: pip install 'logdump[export]'"


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        module = importlib.import_module(_HOMES[name])
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "pyarrow":
            raise
        raise ModuleNotFoundError(f"{error}. {_MISSING}", name=error.name) from error
    return getattr(module, name)
