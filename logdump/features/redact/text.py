"""REDACT as text: a summary of the copy, and what was not understood."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers, missing_lines
from logdump.features.redact.model import RedactShown
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings

_KINDS = {
    "token": "Tokens without a known meaning",
    "data": "Data of unknown form",
    "damage": "Damage in sound records",
}


def redact_lines(shown: RedactShown, _settings: Settings) -> Iterator[str]:
    """Yield the summary."""
    files = f", {shown.files} files" if shown.files > 1 else ""
    records, size = amount(shown.records, "record"), amount(shown.size, "byte")
    yield f"{escape(shown.title)}: {records}, {size} redacted to {escape(str(shown.target))}{files}"
    yield "Replaced: values, names, texts of DDL, tokens, definitions; host, database, URI and path of the header."
    kept = "CSNs, " if shown.are_csns_kept else ""
    yield f"Kept: lengths, types, times and redo positions of records, {kept}versions, words of SQL in DDL."
    if shown.are_csns_kept:
        yield "CSNs stay as they are: others of these forms would not have their order."
    yield from missing_lines(shown.gaps)
    for kind, title in _KINDS.items():
        named = [f"{escape(unknown.what)} ({unknown.number})" for unknown in shown.unknown if unknown.kind == kind]
        if named:
            yield f"{title}, replaced as bytes: {', '.join(named)}"
    if shown.places:
        places, size = amount(shown.places, "place"), amount(shown.damaged_bytes, "byte")
        yield f"Damage at {places}, {size}: other bytes, but for zeros and the first bytes of records."


LINES: Renderers = {RedactShown: redact_lines}
