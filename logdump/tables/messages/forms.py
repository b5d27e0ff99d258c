"""The forms of messages by name."""

from __future__ import annotations

from collections.abc import Callable

from logdump.tables.messages.blocks import MessageForm, MessageRows, row_count
from logdump.tables.messages.debezium import DebeziumForm
from logdump.tables.messages.ogg import MessageClock, OggForm

FormOfBlock = Callable[[list[MessageRows]], MessageForm]
"""Returns the form of the messages of a block; blocks are given in the order of the trail."""


def forms_of(shape: str, *, has_truncates: bool) -> FormOfBlock:
    """Return the forms of ``debezium`` or ``ogg`` for one reading of a trail; ``ogg`` always has truncates."""
    if shape == "debezium":
        form = DebeziumForm(has_truncates=has_truncates)
        return lambda _block: form
    clock = MessageClock()
    return lambda block: OggForm(clock.take(row_count(block)))
