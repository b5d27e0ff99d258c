"""The exit statuses of ``logdump``."""

from __future__ import annotations

import enum


class ExitStatus(enum.IntEnum):
    """Exit status under ``-c`` and ``-f``: that of the first thing that went wrong."""

    OK = 0
    COMMAND_FAILED = 1
    USAGE = 2
    FINDINGS = 3
    BAD_DATA = 4
    INTERRUPTED = 130
