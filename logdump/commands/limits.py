"""What scanning reports and remembers: NOTIFY, SCANSCROLLING, TRANSHIST and its limits, HASHSTATS."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands.switches import ON_OFF, number_setting, switch
from logdump.language.arguments import no_arguments
from logdump.language.command import Command
from logdump.session.events import Event, say
from logdump.session.session import Session

_MOST_TRANSACTIONS = 200


def run_hash_clear(_session: Session, arguments: str) -> Iterator[Event]:
    """Forget the hash list: every COUNT begins with a new one, so there is nothing left of the last."""
    no_arguments(arguments)
    yield say("Hash list cleared")


COMMANDS = (
    Command(
        "NOTIFY",
        "NOTIFY (NOTIFYINTERVAL) [<records>]",
        "Report progress every <records> records of a scan",
        number_setting("Scan notify interval", "notify", least=1, is_silent=True),
        aliases=("NOTIFYINTERVAL",),
        details=("With SCANSCROLLING OFF each report is a line of its own.",),
    ),
    Command(
        "SCANSCROLLING",
        "SCANSCROLLING {ON | OFF}",
        "Report progress in one line that is written over",
        switch("SCANSCROLLING", "scan_scrolling", ON_OFF),
        options=tuple(ON_OFF),
        details=("ON writes to a terminal only, through standard error.",),
    ),
    Command(
        "TRANSHIST",
        "TRANSHIST [<count>]",
        "Keep the <count> largest transactions of a COUNT (0 to 200)",
        number_setting("Transaction history", "trans_hist", most=_MOST_TRANSACTIONS),
        details=("Those with at least TRANSRECLIMIT records or TRANSBYTELIMIT bytes are listed after the count.",),
    ),
    Command(
        "TRANSRECLIMIT",
        "TRANSRECLIMIT [<records>]",
        "Set the least number of records for TRANSHIST",
        number_setting("Transaction record limit", "trans_rec_limit"),
    ),
    Command(
        "TRANSBYTELIMIT",
        "TRANSBYTELIMIT [<bytes>]",
        "Set the least number of bytes for TRANSHIST",
        number_setting("Transaction byte limit", "trans_byte_limit"),
    ),
    Command(
        "HASHSTATS",
        "HASHSTATS {ON | OFF}",
        "Show hashing statistics after COUNT DETAIL",
        switch("HASHSTATS", "hash_stats", ON_OFF),
        options=tuple(ON_OFF),
    ),
    Command(
        "HASHCLEAR",
        "HASHCLEAR | HASHRESET",
        "Forget the hash list of HASHSTATS",
        run_hash_clear,
        aliases=("HASHRESET",),
    ),
)
