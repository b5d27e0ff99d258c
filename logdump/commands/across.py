"""ACROSS: whether reading goes on in the next file of the trail."""

from __future__ import annotations

from logdump.commands.switches import switch
from logdump.language.command import Command, Origin
from logdump.session.settings import Across

COMMANDS = (
    Command(
        "ACROSS",
        "ACROSS {ON | OFF | GAPS}",
        "Read on in the next file of the trail, at the end of the open one",
        switch("Across", "across", {"ON": Across.ON, "OFF": Across.OFF, "GAPS": Across.GAPS}),
        options=("ON", "OFF", "GAPS"),
        details=(
            "ON: NEXT, SKIP, SCANFOR..., FIND, SAMETABLE and TRANSACTION read over the files of the trail, both ways;",
            "a line tells of each file. Where a file is missing between two, they stop and name it; GAPS reads on.",
        ),
        origin=Origin.OURS,
    ),
)
