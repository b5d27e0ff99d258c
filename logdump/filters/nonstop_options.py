"""PROCESS and TRANSID: options for NonStop trails, which are refused.

No source documents where a trail has a process name or a TMF transaction id, so there is nothing to compare.
"""

from __future__ import annotations

from typing import NoReturn

from logdump.filters.criterion import Needs, Option
from logdump.filters.errors import FilterError
from logdump.notation.times import TimeOffset


def _refuse(_text: str, _offset: TimeOffset) -> NoReturn:
    raise FilterError("a NonStop option, not available here; the bytes it looks at are not documented")


OPTIONS = (
    Option(
        "PROCESS",
        "PROCESS <processname template>",
        "NonStop process name (not available)",
        "PROCESS $EXT1",
        _refuse,
        Needs.NOTHING,
    ),
    Option(
        "TRANSID",
        "TRANSID <TMF transaction identifier>",
        "TMF transaction (not available); GGSTOKEN TRANID is the database's",
        "TRANSID 2.17",
        _refuse,
        Needs.NOTHING,
    ),
)
