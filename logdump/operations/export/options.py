"""The arguments of EXPORT: ``{JSONL | CSV | PARQUET | ARROW | SQL} TO <file>`` and options in any order."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from logdump.language.arguments import local_path, number
from logdump.language.command import ArgumentError
from logdump.language.words import is_keyword, split_words

DIALECTS = ("ORACLE", "MYSQL", "POSTGRESQL", "ANSI")
FORMATS: dict[str, tuple[str, ...]] = {
    "JSONL": ("NONE", "GZIP"),
    "CSV": ("NONE", "GZIP"),
    "PARQUET": ("SNAPPY", "NONE", "ZSTD", "GZIP"),
    "ARROW": ("NONE", "LZ4", "ZSTD"),
    "SQL": ("NONE", "GZIP"),
}
"""The compressions of each format; the first is used unless another is named."""

STANDARD_OUTPUT = Path("-")
"""The target that is no file; ``./-`` is one."""

Words = list[str]


class ExportOptions(NamedTuple):
    """What to export, and how.

    Attributes:
        format: a key of FORMATS.
        target: the file, or with ``by_table`` the folder.
        by_table: one file per table.
        records: at most so many records, None for all; ``transactions`` likewise, of SQL.
        replaces: whether an existing target is replaced.
        compression: one of those of the format.
        takes_back: SQL that takes the changes back.
        includes_cut: SQL of transactions that are left out, as comments.
        dialect: of SQL, empty for that of the source database.
        effective: without the rows of transactions that a Replicat does not apply.
        stop: only records that begin before this RBA; None for the end of the file.
    """

    format: str
    target: Path
    by_table: bool = False
    records: int | None = None
    transactions: int | None = None
    replaces: bool = False
    compression: str = "NONE"
    takes_back: bool = False
    includes_cut: bool = False
    dialect: str = ""
    stop: int | None = None
    effective: bool = False

    @property
    def to_standard_output(self) -> bool:
        """Whether the target is ``-``; all others are absolute paths."""
        return self.target == STANDARD_OUTPUT

    @property
    def target_name(self) -> str:
        """The target in words."""
        return "standard output" if self.to_standard_output else str(self.target)

    @property
    def is_binary(self) -> bool:
        """Whether what is written is no text."""
        return self.format in ("PARQUET", "ARROW") or self.compression == "GZIP"

    @property
    def is_limited(self) -> bool:
        """Whether it ends after a number of records or transactions."""
        return self.records is not None or self.transactions is not None


def parse_export_options(text: str) -> ExportOptions:
    """The options in ``text``.

    Raises:
        ArgumentError: no format, no file name, an unknown word, one that the format does not take.
    """
    words = split_words(text)
    format_ = words.pop(0).upper() if words else ""
    if format_ not in FORMATS:
        raise ArgumentError(f"takes one of {', '.join(FORMATS)} first.")
    if not words or words.pop(0).upper() != "TO" or not words:
        raise ArgumentError(f"{format_} takes TO and a file name.")
    name = words.pop(0)
    values: dict[str, Any] = {"compression": FORMATS[format_][0]}
    if name.endswith("!") and len(name) > 1:
        name, values["replaces"] = name[:-1], True
    while words:
        values |= _option(format_, words)
    if name == str(STANDARD_OUTPUT) and "by_table" in values:
        raise ArgumentError("BY TABLE writes several files, and - is standard output.")
    return ExportOptions(format_, _target(name), **values)


def _target(name: str) -> Path:
    if name == str(STANDARD_OUTPUT):
        return STANDARD_OUTPUT
    return Path(os.path.abspath(Path(local_path(name)).expanduser()))  # noqa: PTH100 - links stay


def _option(format_: str, words: Words) -> dict[str, Any]:
    word = words.pop(0)
    for spelling, option in _OPTIONS.items():
        if is_keyword(word, spelling):
            return option(format_, words)
    if word.upper() in DIALECTS:
        _only_for_sql(format_, word)
        return {"dialect": word.upper()}
    amount = number(word, least=1, what="an option of EXPORT or a number of RECORDS")
    unit = words.pop(0) if words else ""
    expected, key = ("TRANSACTION[S]", "transactions") if format_ == "SQL" else ("RECORD[S]", "records")
    if not is_keyword(unit, expected):
        raise ArgumentError(f"{word} takes {key.upper()} for {format_}, not {unit!r}.")
    return {key: amount}


def _by_table(format_: str, words: Words) -> dict[str, Any]:
    if not words or words.pop(0).upper() != "TABLE":
        raise ArgumentError("BY takes TABLE.")
    if format_ == "SQL":
        raise ArgumentError("SQL is one script: transactions go over tables.")
    return {"by_table": True}


def _compression(format_: str, words: Words) -> dict[str, Any]:
    word = words.pop(0).upper() if words else ""
    if word not in FORMATS[format_]:
        raise ArgumentError(f"COMPRESSION of {format_} is one of {', '.join(FORMATS[format_])}, not {word!r}.")
    return {"compression": word}


def _undo(format_: str, _words: Words) -> dict[str, Any]:
    _only_for_sql(format_, "UNDO")
    return {"takes_back": True}


def _include(format_: str, words: Words) -> dict[str, Any]:
    if not words or words.pop(0).upper() != "CUT":
        raise ArgumentError("INCLUDE takes CUT.")
    _only_for_sql(format_, "INCLUDE CUT")
    return {"includes_cut": True}


def _effective(_format: str, _words: Words) -> dict[str, Any]:
    return {"effective": True}


def _replace(_format: str, _words: Words) -> dict[str, Any]:
    return {"replaces": True}


def _only_for_sql(format_: str, word: str) -> None:
    if format_ != "SQL":
        raise ArgumentError(f"{word} goes with SQL, not with {format_}.")


_OPTIONS: dict[str, Callable[[str, Words], dict[str, Any]]] = {
    "BY": _by_table,
    "COMPRESS[ION]": _compression,
    "UNDO": _undo,
    "INCLUDE": _include,
    "EFFECTIVE": _effective,
    "REPLACE": _replace,
    "!": _replace,
}
OPTION_WORDS = (
    *FORMATS,
    "TO",
    "BY",
    "TABLE",
    "COMPRESS[ION]",
    "REPLACE",
    "UNDO",
    "INCLUDE",
    "CUT",
    "EFFECTIVE",
    "RECORDS",
    *DIALECTS,
)
"""For completion."""
