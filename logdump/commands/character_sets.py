"""ASCIIHEADER, ASCIIDATA, ASCIIDUMP and their EBCDIC counterparts: how characters are shown."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.language.command import AnyCommand
from logdump.language.parameters import OneOf
from logdump.language.switches import switch

_SUBJECTS = {
    "HEADER": ("ebcdic_header", "record headers", "names, the letters of GHDR and the dump of HEADERTOKEN DETAIL"),
    "DATA": ("ebcdic_data", "record data", "the text column of its dumps"),
    "DUMP": ("ebcdic_dump", "the text of hex dumps", "the text column of every one"),
}


def _commands() -> Iterator[AnyCommand]:
    for subject, (attribute, shown, meaning) in _SUBJECTS.items():
        for charset, other in (("ASCII", "EBCDIC"), ("EBCDIC", "ASCII")):
            name = charset + subject
            options = {"ON": charset == "EBCDIC", "OFF": charset == "ASCII"}
            yield switch(
                name,
                OneOf(options),
                f"Show {shown} in {charset}",
                attribute,
                details=(
                    f"{name} ON governs {meaning}; {name} OFF is {other}{subject} ON.",
                    "EBCDIC is code page 1047. At the start all is shown in ASCII.",
                ),
            )


COMMANDS = tuple(_commands())
