"""``python -m logdump``, and the command ``logdump``."""

from __future__ import annotations

import gc
import sys


def main() -> int:
    """Run ``logdump``; returns the exit status."""
    # modules are no garbage: to look for it among them is a twelfth of the start
    gc.disable()
    try:
        from logdump.cli import main as run  # noqa: PLC0415 - the collector is off by now
    except (ImportError, OSError) as error:
        sys.exit(f"logdump: a part of the program cannot be loaded: {error}")
    gc.freeze()
    gc.enable()
    return run()


if __name__ == "__main__":
    sys.exit(main())
