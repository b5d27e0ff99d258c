"""The command SAVE: its syntax and execution."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from logdump.features.save.saver import SaveOptions, Saver
from logdump.language.command import Command
from logdump.language.execute import stopped_writing
from logdump.language.forms import Amount, AnyOrder, Keyword, RefusedKeyword, Sequence
from logdump.language.parameters import File, Number, OneOf, file_path
from logdump.language.reader import ArgumentReader, Form
from logdump.notation.text import amount
from logdump.session.across import gaps_stepped_over
from logdump.session.errors import ArgumentError, CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat.trail.command_files import OUTCOMES

_TRANS_INDS = {"FIRST": 0, "MIDDLE": 1, "END": 2, "LAST": 2, "ONLY": 3, "WHOLE": 3, "0": 0, "1": 1, "2": 2, "3": 3}
_EXTENT = re.compile(r"\s*EXT\s*\(([^)]*)(\))?", re.IGNORECASE)


class ExtentSizes(Form[None]):
    """The extent sizes of an Enscribe file, which are ignored."""

    syntax = "EXT (<pri>, <sec> [, <max>])"
    _keyword = OneOf({"EXT": None})

    def fits(self, reader: ArgumentReader) -> bool:
        """Return True if the keyword is next, with or without a parenthesis."""
        return self._keyword.fits(reader) or _EXTENT.match(reader.text, reader.at) is not None

    def read(self, reader: ArgumentReader) -> None:
        """Skip the sizes."""
        match = _EXTENT.match(reader.text, reader.at)
        if match is None or match[2] is None:
            reader.at = len(reader.text)
            raise reader.missing("EXT takes its sizes in parentheses.")
        reader.at = match.end()


def _save_options(name: str, values: dict[str, Any]) -> SaveOptions:
    """Return the options of SAVE from the arguments.

    Raises:
        ArgumentError: there is no file name.
    """
    values = {**values}
    amount, unit = values.pop("amount", (None, "records"))
    for ignored in ("format", "extent", "megabytes"):
        values.pop(ignored, None)
    if name.endswith("!"):
        name, values["replaces"] = name[:-1], True
    if not name:
        raise ArgumentError(_NO_FILE)
    return SaveOptions(file_path(name), name, **{unit: amount}, **values)


def run_save(session: Session, options: SaveOptions) -> Iterator[Event]:
    """Write the next records that pass the filter to a new trail file, by the engine if it can."""
    if options.has_comments is None:
        options = options._replace(has_comments=session.settings.save_file_comments)
    if (engine := session.settings.engine) is not None and (yield from engine.jobs["SAVE"](session, options)):
        return
    saver, written = Saver(session, options), len(OUTCOMES.named)
    try:
        yield from gaps_stepped_over(session)
        yield from saver.run()
    except KeyboardInterrupt:
        yield stopped_writing(amount(saver.saved, "record"), "nothing was saved", written)
        raise
    yield say(f"Saved {amount(saver.saved, 'record')} to {options.target}")


_NO_FILE = "takes a file name."
_VALUE = "{} takes a value."
_NO_OLD_FORMAT = "SAVE OLDFORMAT is not supported: the format before release 6.0 is not known."
_FORM = Sequence(
    _save_options,
    File("<filename>", missing=_NO_FILE),
    AnyOrder(
        dict,
        {
            "replaces": OneOf({"!": True, "TRUNCATE": True}, syntax="!"),
            "amount": Amount(
                {"RECORD[S]": "records", "BYTE[S]": "bytes"},
                syntax="<n> RECORDS | <n> BYTES",
                wrong="{} takes RECORDS or BYTES, not {!r}.",
                missing=_VALUE,
            ),
        },
        {
            "has_comments": OneOf({"COMMENT": True, "NOCOMMENT": False}),
            "trans_ind": Keyword(
                "TRANSIND",
                OneOf(
                    _TRANS_INDS,
                    wrong="TRANSIND takes FIRST, MIDDLE, END or ONLY, not {!r}.",
                    missing=_VALUE.format("TRANSIND"),
                ),
            ),
            "commit_time": Keyword(
                "COMMITTS", Number("<time>", what="a Julian timestamp", missing=_VALUE.format("COMMITTS"))
            ),
            "format": OneOf({"NEWFORMAT": None}),
            "old_format": RefusedKeyword("OLDFORMAT", _NO_OLD_FORMAT, CommandError),
            "megabytes": Keyword("MEG[ABYTES]", Number("<n>", least=1, missing=_VALUE.format("MEGABYTES"))),
            "extent": ExtentSizes(),
        },
        wrong="{!r} is not an option of SAVE or a number of RECORDS or BYTES.",
    ),
)

COMMANDS = (
    Command(
        "SAVE",
        _FORM,
        "Write records from the position on to a new trail file",
        run_save,
        details=(
            "Without a number: all records up to the end. The filter applies. The file is complete in itself.",
            "! or TRUNCATE replaces an existing file; the open trail is never replaced.",
            "[COMMENT | NOCOMMENT] [TRANSIND {FIRST | MIDDLE | END | ONLY}] [COMMITTS <julian timestamp>]",
            "[NEWFORMAT | OLDFORMAT] [EXT (<pri>, <sec> [, <max>])] [MEGABYTES <n>]",
            "Example: SAVE dirdat/rt000001 100 RECORDS",
        ),
        stops="Ctrl+C stops, nothing is saved",
    ),
)
