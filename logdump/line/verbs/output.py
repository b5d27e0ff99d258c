"""The file of -o: what its ending says about its format, and what it would contradict."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from logdump.line.verbs.options import MisuseError
from trailformat.codec.remote.path import path_of

_ALIASES = {"pq": "parquet"}
"""Other endings, and the format of each."""
_FORMATS = ("csv", "jsonl", "parquet", "arrow", "sql", "xlsx")
"""The formats of EXPORT, each with an ending of the same name."""
_PACKED_TEXTS = ("csv", "jsonl", "sql", "txt")
_PACKINGS = {"gz": "GZIP", "zst": "ZSTD"}
"""Endings that follow those of texts, and the compression of each."""
_COMPRESSED = (*_PACKINGS, "bz2", "xz", "lz4", "zip", "7z", "z")
_OF_OTHERS = ("csv", "parquet", "arrow", "feather", "orc", "avro", "json", "xlsx", "xls", "ods", "html", "pdf")
"""Endings of formats that a text, or lines of JSON, would not be."""
MESSAGES = ("debezium", "ogg")
"""Formats of messages, which are lines of JSON."""
STANDARD_OUTPUT = "-"


def endings(name: str) -> tuple[str, str]:
    """Return the ending of a file's name in lower case, and that of a compression after it; each may be empty."""
    name = Path(name).name.lower()
    packing = next((packing for packing in _PACKINGS if name.endswith(f".{packing}")), "")
    stem, dot, ending = name.removesuffix(f".{packing}").rpartition(".")
    ending = _ALIASES.get(ending, ending)
    return (ending if dot and (stem or ending in _FORMATS) else ""), packing


def _compression(packing: str) -> list[str]:
    """Return the words that choose the compression of an ending."""
    return ["COMPRESSION", _PACKINGS[packing]] if packing else []


def export_format(options: argparse.Namespace) -> tuple[str, list[str]]:
    """Return the format of an export by --format or the ending of -o, and the words that choose its compression.

    Raises:
        MisuseError: the ending is not that of a format, or of another one than --format.
    """
    chosen = "jsonl" if options.format in MESSAGES else options.format
    if not options.output:
        return chosen or "jsonl", []
    ending, packing = endings(options.output)
    if options.by_table:
        return chosen or (ending if ending in _FORMATS else "jsonl"), []
    if ending in _COMPRESSED or (packing and ending and ending not in _PACKED_TEXTS):
        raise MisuseError(
            f"-o {options.output}: only {_listed(_PACKED_TEXTS[:-1])} are compressed, as {_listed([*_PACKINGS])}"
        )
    if ending in _FORMATS and chosen not in (None, ending):
        raise MisuseError(f"-o {options.output}: it ends with .{ending}, and --format is {options.format}")
    if ending and ending not in _FORMATS and chosen is None:
        raise MisuseError(
            f"-o {options.output}: no format has the ending .{ending}; write {_listed(_FORMATS)}, or --format"
        )
    kind = chosen or ending or "jsonl"
    if packing and kind not in _PACKED_TEXTS:
        raise MisuseError(f"-o {options.output}: {kind} is not compressed as .{packing}")
    return kind, _compression(packing)


def require_ending(options: argparse.Namespace, allowed: Sequence[str], label: str) -> list[str]:
    """Return the words that choose the compression of -o, after checking that its name has one of the endings.

    Raises:
        MisuseError: it has another one, or --format names another format.
    """
    ending, packing = endings(options.output)
    may_be_packed = ending in _PACKED_TEXTS and "sql" in allowed
    if ending not in allowed or (packing and not may_be_packed):
        raise MisuseError(f"-o {options.output}: {label} writes {_listed(allowed)}")
    if getattr(options, "format", None) not in (None, ending):
        raise MisuseError(f"-o {options.output}: it ends with .{ending}, and --format is {options.format}")
    return _compression(packing)


def check_output(options: argparse.Namespace, verb: str, *, is_text: bool) -> None:
    """Set -o to the path that it names, and --format to that of its ending; ``-`` is standard output.

    Args:
        options: they are changed.
        verb: the name of the verb.
        is_text: True if the answer of the verb, as text or lines of JSON, is written to the file.

    Raises:
        MisuseError: the file would have the ending of a format that it is not in, or --replace has no file.
    """
    output = getattr(options, "output", None)
    if output in (None, STANDARD_OUTPUT):
        options.output = None
        if getattr(options, "replace", False):
            raise MisuseError("--replace lets -o replace a file: give -o FILE")
        return
    options.output = str(path_of(output))
    if not is_text:
        return
    ending, packing = endings(output)
    if packing or ending in _COMPRESSED:
        raise MisuseError(f"-o {output}: {verb} does not compress; write to standard output and pipe it through gzip")
    if ending == "jsonl":
        if options.format == "text":
            raise MisuseError(f"-o {output}: it ends with .jsonl, and --format is text")
        options.format = "jsonl"
    elif ending in _OF_OTHERS and not (ending == "json" and options.format == "jsonl"):
        raise MisuseError(f"-o {output}: {verb} writes text or .jsonl, not .{ending}")


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(f'.{name}' for name in names[:-1])} or .{names[-1]}"
