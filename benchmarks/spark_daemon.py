"""Spark's daemon of workers, changed so that the processor seconds of workers that have ended are counted.

Run by Spark as ``spark.python.daemon.module``. Spark's own ignores SIGCHLD, so the system forgets workers when they
end. Here they remain as zombies until the daemon ends, and ``processor_seconds`` of ``spark_peers`` counts them.
"""

from __future__ import annotations

import signal
from typing import Any

from pyspark import daemon


class _Signals:
    """The module ``signal``, except that handlers of SIGCHLD are not set."""

    def __getattr__(self, name: str) -> Any:
        return getattr(signal, name)

    def signal(self, number: int, handler: Any) -> None:
        if number != signal.SIGCHLD:
            signal.signal(number, handler)


if __name__ == "__main__":
    daemon.signal = _Signals()  # type: ignore[assignment, attr-defined]
    daemon.manager()
