"""SAVE."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from logdump.language.arguments import local_path, number
from logdump.language.command import ArgumentError, Command
from logdump.language.words import is_keyword, split_words
from logdump.operations.save.saver import SaveOptions, Saver
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session

_TRANS_INDS = {"FIRST": 0, "MIDDLE": 1, "END": 2, "LAST": 2, "ONLY": 3, "WHOLE": 3, "0": 0, "1": 1, "2": 2, "3": 3}
_EXTENT = re.compile(r"\bEXT\s*\([^)]*\)", re.IGNORECASE)

Words = list[str]


def _trans_ind(words: Words) -> dict[str, Any]:
    word = _value(words, "TRANSIND")
    if word.upper() not in _TRANS_INDS:
        raise ArgumentError(f"TRANSIND takes FIRST, MIDDLE, END or ONLY, not {word!r}.")
    return {"trans_ind": _TRANS_INDS[word.upper()]}


def _commit_time(words: Words) -> dict[str, Any]:
    return {"commit_time": number(_value(words, "COMMITTS"), what="a Julian timestamp")}


def _old_format(_words: Words) -> dict[str, Any]:
    raise CommandError("SAVE OLDFORMAT is not supported: the format before release 6.0 is not known.")


def _megabytes(words: Words) -> dict[str, Any]:
    number(_value(words, "MEGABYTES"), least=1)
    return {}


_OPTIONS: dict[str, Callable[[Words], dict[str, Any]]] = {
    "NOCOMMENT": lambda _: {"has_comments": False},
    "COMMENT": lambda _: {"has_comments": True},
    "OLDFORMAT": _old_format,
    "NEWFORMAT": lambda _: {},
    "TRUNCATE": lambda _: {"replaces": True},
    "!": lambda _: {"replaces": True},
    "TRANSIND": _trans_ind,
    "COMMITTS": _commit_time,
    "MEG[ABYTES]": _megabytes,
}


def _value(words: Words, option: str) -> str:
    if not words:
        raise ArgumentError(f"{option} takes a value.")
    return words.pop(0)


def parse_save_options(text: str, *, has_comments: bool) -> SaveOptions:
    """The file and the options in any order.

    Raises:
        ArgumentError: no file name, an unknown word, a missing or wrong value.
    """
    words = split_words(_EXTENT.sub(" ", text))
    name = words.pop(0) if words else ""
    values: dict[str, Any] = {"has_comments": has_comments}
    if name.endswith("!"):
        name, values["replaces"] = name[:-1], True
    if not name:
        raise ArgumentError("takes a file name.")
    while words:
        values |= _option(words)
    return SaveOptions(Path(local_path(name)).expanduser().absolute(), name, **values)


def _option(words: Words) -> dict[str, Any]:
    word = words.pop(0)
    for spelling, option in _OPTIONS.items():
        if is_keyword(word, spelling):
            return option(words)
    amount = number(word, least=1, what="an option of SAVE or a number of RECORDS or BYTES")
    unit = _value(words, word)
    if is_keyword(unit, "RECORD[S]"):
        return {"records": amount}
    if is_keyword(unit, "BYTE[S]"):
        return {"bytes": amount}
    raise ArgumentError(f"{word} takes RECORDS or BYTES, not {unit!r}.")


def run_save(session: Session, arguments: str) -> Iterator[Event]:
    """Write the next records that pass the filter to a new trail file."""
    options = parse_save_options(arguments, has_comments=session.settings.save_file_comments)
    if session.settings.spark_master is not None:
        from logdump.commands.save_in_spark import save_in_spark  # noqa: PLC0415 - for ENGINE SPARK

        if (yield from save_in_spark(session, options)):
            return
    saver = Saver(session, options)
    yield from saver.run()
    yield say(f"Saved {saver.saved} records to {options.target}")


COMMANDS = (
    Command(
        "SAVE",
        "SAVE <filename> [!] [<n> RECORDS | <n> BYTES] [<options>]",
        "Write records from the position on to a new trail file",
        run_save,
        options=("RECORDS", "BYTES", *(spelling for spelling in _OPTIONS if spelling != "!")),
        details=(
            "Without a number: all records up to the end. The filter applies. The file is complete in itself.",
            "! or TRUNCATE replaces an existing file; the open trail is never replaced.",
            "[COMMENT | NOCOMMENT] [TRANSIND {FIRST | MIDDLE | END | ONLY}] [COMMITTS <julian timestamp>]",
            "[NEWFORMAT | OLDFORMAT] [EXT (<pri>, <sec> [, <max>])] [MEGABYTES <n>]",
            "Example: SAVE dirdat/rt000001 100 RECORDS",
        ),
    ),
)
