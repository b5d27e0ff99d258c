"""ONERROR: whether a script goes on after a command that has failed."""

from __future__ import annotations

from logdump.language.command import Origin
from logdump.language.parameters import OneOf
from logdump.language.switches import switch

COMMANDS = (
    switch(
        "ONERROR",
        OneOf({"STOP": True, "CONTINUE": False}),
        "End a script at the first command that fails, or go on",
        "stops_at_failure",
        details=(
            "Under STOP, or logdump --stop, -c and -f end with the first command whose exit status is not 0, findings",
            "of CHECK, DIFF and RECOVERY included; nothing after it runs. At a prompt it has no effect.",
        ),
        origin=Origin.OURS,
    ),
)
