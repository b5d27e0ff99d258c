"""Limits and reports of scans: NOTIFY, SCANSCROLLING, TRANSHIST and its limits, HASHSTATS."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command
from logdump.language.forms import NOTHING
from logdump.language.parameters import ON_OFF, Number
from logdump.language.switches import MOST, number_setting, switch
from logdump.session.events import Event, say
from logdump.session.session import Session

_MOST_TRANSACTIONS = 200


def run_hash_clear(_session: Session, _arguments: None) -> Iterator[Event]:
    """Acknowledge HASHCLEAR: every COUNT begins with a new list, so there is nothing to clear."""
    yield say("Hash list cleared")


COMMANDS = (
    number_setting(
        "NOTIFY (NOTIFYINTERVAL)",
        Number("<records>", least=1, most=MOST),
        "Report progress every <records> records of a scan",
        "notify",
        "Scan notify interval",
        details=("With SCANSCROLLING OFF each report is a line of its own.",),
        is_silent=True,
    ),
    switch(
        "SCANSCROLLING",
        ON_OFF,
        "Report progress in one line that is written over",
        "scan_scrolling",
        details=("ON writes to a terminal only, through standard error.",),
    ),
    number_setting(
        "TRANSHIST",
        Number("<count>", most=_MOST_TRANSACTIONS),
        "Keep the <count> largest transactions of a COUNT (0 to 200)",
        "trans_hist",
        "Transaction history",
        details=("Those with at least TRANSRECLIMIT records or TRANSBYTELIMIT bytes are listed after the count.",),
    ),
    number_setting(
        "TRANSRECLIMIT",
        Number("<records>", most=MOST),
        "Set the least number of records for TRANSHIST",
        "trans_rec_limit",
        "Transaction record limit",
    ),
    number_setting(
        "TRANSBYTELIMIT",
        Number("<bytes>", most=MOST),
        "Set the least number of bytes for TRANSHIST",
        "trans_byte_limit",
        "Transaction byte limit",
    ),
    switch("HASHSTATS", ON_OFF, "Show hashing statistics after COUNT DETAIL", "hash_stats"),
    Command("HASHCLEAR | HASHRESET", NOTHING, "Forget the hash list of HASHSTATS", run_hash_clear),
)
