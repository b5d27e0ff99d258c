"""``python -m logdump``, and the command ``logdump``."""

from __future__ import annotations

import atexit
import gc
import os
import sys
import threading

_INTERRUPTED = 130
"""ExitStatus.INTERRUPTED, while the modules are not loaded."""


def main() -> int:
    """Run ``logdump``; returns the exit status, unless the process has ended with it."""
    # loading modules leaves no garbage: collections would take a twelfth of the start-up time
    gc.disable()
    # numpy starts threads for matrix products, which this program does not compute
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from logdump.cli import main as run  # noqa: PLC0415 - the collector is off by now
    except (ImportError, OSError) as error:
        sys.exit(f"logdump: a part of the program cannot be loaded: {error}")
    except KeyboardInterrupt:
        return _INTERRUPTED
    gc.freeze()
    gc.enable()
    try:
        status = run()
    except KeyboardInterrupt:  # before and after the part of the run that expects it
        status = _INTERRUPTED
    _end(status)
    return status


def _end(status: int) -> None:
    """End the process now, unless a thread still works: unloading all modules takes a tenth of a short run."""
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        return
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):  # the interpreter reports it at its end
        return
    atexit._run_exitfuncs()  # noqa: SLF001 - nothing else runs them before the end
    os._exit(status)


if __name__ == "__main__":
    sys.exit(main())
