"""DUMP: shows the bytes at the position, whether a record or not."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import Command
from logdump.language.forms import Maybe
from logdump.language.parameters import Number
from logdump.notation.hexdump import hexdump
from logdump.session.events import Event, say
from logdump.session.session import Session

_DEFAULT = 256
_MOST = 28672


def run_dump(session: Session, wanted: int | None) -> Iterator[Event]:
    """Dump bytes from the position on; the position stays."""
    start = min(session.cursor.next, session.trail.size)
    data = session.trail.bytes[start : start + (wanted or _DEFAULT)]
    yield say(f"Dump {len(data):>5}  Bytes at RBA {start}", *hexdump(data, gutter=session.settings.dump_gutter))


COMMANDS = (
    Command(
        "DUMP",
        Maybe(Number("<bytes>", least=1, most=_MOST)),
        "Dump the bytes at the read position (256; up to 28672)",
        run_dump,
    ),
)
