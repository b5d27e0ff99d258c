"""ACROSS: whether reading goes on in the next file of the trail."""

from __future__ import annotations

from logdump.language.command import Origin
from logdump.language.parameters import OneOf
from logdump.language.switches import switch
from logdump.session.settings import Across

COMMANDS = (
    switch(
        "ACROSS",
        OneOf({"ON": Across.ON, "OFF": Across.OFF, "GAPS": Across.GAPS}),
        "Read on in the next file of the trail, at the end of the open one",
        "across",
        details=(
            "ON: NEXT, SKIP, SCANFOR..., FIND, SAMETABLE and TRANSACTION read over the files of the trail, both ways;",
            "a line names each file. COUNT, CHECK, DDL and HEARTBEAT go over the open file and those after it;",
            "SAVE, EXPORT, REDO and UNDO from the position on, and leave the file of the last record open.",
            "Where a file between two is missing, they stop and name it; GAPS reads on.",
        ),
        origin=Origin.OURS,
    ),
)
