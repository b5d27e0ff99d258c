"""Spark's daemon of workers, with which the processor seconds of workers that have ended are not lost.

Run by Spark as ``spark.python.daemon.module``. Spark's own ignores SIGCHLD: the system forgets such a process when it
ends. Here it stays, as a zombie, until the daemon ends, and ``processor_seconds`` of ``spark_peers`` counts it.
"""

from __future__ import annotations

import signal
from typing import Any

from pyspark import daemon


class _Signals:
    """The module ``signal`` that leaves SIGCHLD as it is."""

    def __getattr__(self, name: str) -> Any:
        return getattr(signal, name)

    def signal(self, number: int, handler: Any) -> None:
        if number != signal.SIGCHLD:
            signal.signal(number, handler)


if __name__ == "__main__":
    daemon.signal = _Signals()  # type: ignore[assignment, attr-defined]
    daemon.manager()
