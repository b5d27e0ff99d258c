"""JSON of GoldenGate as the lines that its other texts have, so that one grammar reads both.

    {"status":"abended","position":{"name":"rt","path":"dirdat/","sequence":67,"offset":1486}}
    {"messages":["2024-03-14T01:10:04.123+0000  ERROR   OGG-01296  …", "          continued"]}
    {"messages":[{"code":"OGG-01296","severity":"ERROR","issued":"2024-…","title":"…"}]}
    {"table":"SHOP.ITEM","op_type":"U","pos":"00000000670000001486"}

Answers of the REST API and messages of the Java adapters are read, alone or between other lines, over any number of
lines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_BEGINS = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_MOST_FAILED = 8
"""Times the length of a text that is read in vain before the rest is left as it is."""
_DECODER = json.JSONDecoder()
_SECTIONS = {
    "startup": "Startup Checkpoint",
    "recovery": "Recovery Checkpoint",
    "current": "Current Checkpoint",
}
"""Members that hold a place, and what SHOWCH calls them."""
_OF_REDO = frozenset({"scn", "thread", "csn", "redoLog", "logFile"})
_OF_RECORDS = ("table", "op_type", "op_ts", "csn", "xid", "pos", "position")
"""Members of a message of the Java adapters that are kept, in this order."""
_PLACE = ("sequence", "offset")
_MOST_DEPTH = 64
_LONGEST_STATUS = 22
"""Characters of the state of a process; a longer text called status is none."""


def expanded(text: str) -> str:
    """Return a text with its JSON values replaced by lines; what is no JSON, or has no such lines, stays."""
    parts, at, failed = list[str](), 0, 0
    for match in _BEGINS.finditer(text):
        if match.end() < at:
            continue
        try:
            value, end = _DECODER.raw_decode(text, match.end())
        except json.JSONDecodeError as error:
            failed += error.pos - match.end() + 1
        except (ValueError, RecursionError):
            failed += len(text) - match.end()
        else:
            lines = list(_lines(value, (), 0))
            if lines:
                parts += [text[at : match.start()], "\n".join(lines), "\n"]
                at = end
        if failed > _MOST_FAILED * len(text):
            break
    return "".join([*parts, text[at:]])


def _lines(value: Any, path: tuple[str, ...], depth: int) -> Iterator[str]:
    """Yield the lines of a value; ``path`` are the names of the members that it is in."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, str):
        yield from value.splitlines() if _is_text(value, path) else ()
    elif isinstance(value, list):
        for item in value:
            yield from _lines(item, path, depth + 1)
    elif isinstance(value, dict):
        yield from _of_object(value, path, depth)


def _is_text(value: str, path: tuple[str, ...]) -> bool:
    """Return whether a string is lines of a log, or the answer of a command."""
    return path[-1:] == ("messages",) or "OGG-" in value or "\n" in value


def _of_object(value: dict[str, Any], path: tuple[str, ...], depth: int) -> Iterator[str]:
    if isinstance(value.get("code"), str) and isinstance(value.get("title"), str):
        issued, severity = (str(value.get(name) or "") for name in ("issued", "severity"))
        yield " ".join(filter(None, (issued, severity.upper(), value["code"], value["title"])))
        return
    kept = {name: text for name in _OF_RECORDS if isinstance(text := _without_type(value.get(name)), str)}
    if any(re.fullmatch(r"\d{20}", kept.get(name, "")) for name in ("pos", "position")):
        yield json.dumps(kept, ensure_ascii=False)
        return
    if all(_is_number(value.get(name)) for name in _PLACE):
        yield from _section(value, path)
        return
    if isinstance(value.get("status"), str) and len(value["status"]) <= _LONGEST_STATUS:
        lag = f", lag {value['lag']} s" if _is_number(value.get("lag")) else ""
        yield f"Current status: {value['status'].upper()}{lag}"
    for name, member in value.items():
        yield from _lines(member, (*path, name), depth + 1)


def _without_type(value: Any) -> Any:
    """Return a value of Avro without its type: ``{"string": "x"}`` is ``x``."""
    return value["string"] if isinstance(value, dict) and value.keys() == {"string"} else value


def _is_number(value: object) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, str) and value.isdecimal())


def _section(value: dict[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    """Yield a place: the position of a process as it is, else as SHOWCH has what a process reads, or what it writes."""
    if path[-1:] == ("position",):
        kept = {name: value[name] for name in ("path", "name", *_PLACE) if name in value}
        yield f'"position": {json.dumps(kept, ensure_ascii=False)}'
        return
    what = next((_SECTIONS[name] for name in reversed(path) if name in _SECTIONS), "Current Checkpoint")
    is_written = any(name in ("output", "outputs", "targets") for name in path)
    yield f"{'Write' if is_written else 'Read'} Checkpoint #1"
    yield f"{what} ({'write' if is_written else 'read'} position):"
    yield f"  Sequence #: {value['sequence']}"
    yield f"  RBA: {value['offset']}"
    name, folder = value.get("name"), value.get("path")
    if isinstance(name, str) and name and not name.isspace():
        folder = folder.rstrip("/") + "/" if isinstance(folder, str) and folder else ""
        yield f"  Extract Trail: {folder}{name}"
    elif _OF_REDO & value.keys():
        yield "  Thread #: 1"
    yield ""
