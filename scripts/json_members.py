"""docs/reference/json-*.md, generated from the tables of the JSON renderer: a page for each feature."""

from __future__ import annotations

import re

from logdump.display.json_shape import Shape
from scripts.json_objects import PARTS, SHAPES
from scripts.marked import page, table

PAGES = {
    "record": ("records", ("record", "file_header", "bad_record", "notice")),
    "message": ("messages and progress", ("text", "failure", "progress", "job_progress")),
    "count": ("COUNT", ("count", "interval", "empty_intervals", "transactions")),
    "session": ("POSITION, MARK, FILES and ENV", ("position", "no_record", "marks", "files", "env")),
    "safe": ("SAFE", ("safe_point",)),
    "check": ("CHECK", ("check", "gap", "bad_row")),
    "row": ("ROW", ("row_change", "row_story")),
    "doctor": ("DOCTOR", ("doctor", "new_problems", "nagios")),
    "watch": ("WATCH", ("metrics",)),
    "list": ("LIST", ("listed_record",)),
    "transactions": ("TRANSACTIONS", ("listed_transaction", "listed_transactions")),
    "lob": ("LOB", ("lobs",)),
    "sql": ("REDO, UNDO and SQL", ("statement", "row")),
    "ddl": ("DDL and PARAMS", ("ddl_evaluation", "ddl", "parameters", "coverage")),
    "heartbeat": (
        "HEARTBEAT",
        (
            *("heartbeats", "heartbeat_lag", "heartbeat", "heartbeat_interval"),
            *("heartbeat_gap", "heartbeat_row", "heartbeat_restart"),
        ),
    ),
    "recovery": (
        "RECOVERY",
        (
            *("recovery", "restart", "cut_transaction", "begin_missing", "second_copy", "order_break"),
            *("producer_change", "overwrite", "trail_file", "keep"),
        ),
    ),
    "explain": ("EXPLAIN", ("explanation", "explained_message", "message_kind", "other_messages", "processes")),
    "report": ("REPORT", ("report",)),
    "diff": ("DIFF", ("difference", "diff")),
    "repair": ("REPAIR", ("repair_loss", "repair")),
    "redact": ("REDACT", ("redact",)),
    "compress": ("COMPRESS", ("compression_survey", "compression", "image_parts", "image_saving")),
    "br": (
        "BR",
        ("bounded_recovery", "br_checkpoint", "br_restart", "br_transaction", "br_transactions", "br_interval"),
    ),
}
"""Subject and objects of each page by its name. A part that only one page uses is listed there too."""
SHARED = "json-shared.md"
INTRODUCTION = "[json.md](../json.md) has the rules that all objects keep."
_HEAD = ("Member", "JSON type", "Meaning")
_PARTS = {part.name: part for part in PARTS}
_WORD = re.compile(r"\b(?:" + "|".join(_PARTS) + r")\b")


def pages() -> dict[str, str]:
    """Return the pages by file name.

    Raises:
        ValueError: an object is on no page, or on two.
    """
    objects = {shape.name: shape for shape in SHAPES}
    listed = [name for _, names in PAGES.values() for name in names]
    if sorted(listed) != sorted(objects):
        raise ValueError(f"not once on a page: {sorted(set(listed) ^ set(objects))}")
    used = {_file(name): _parts_of([objects[shape_name] for shape_name in names]) for name, (_, names) in PAGES.items()}
    homes = {part: _home(part, used) for part in _PARTS}
    texts = {
        _file(name): page(
            f"JSON of {title}",
            INTRODUCTION,
            *(_section(objects[shape_name], homes, _file(name)) for shape_name in names),
            *_parts_at(_file(name), homes),
        )
        for name, (title, names) in PAGES.items()
    }
    return {**texts, SHARED: page("JSON: parts of several objects", INTRODUCTION, *_parts_at(SHARED, homes))}


def _file(name: str) -> str:
    return f"json-{name}.md"


def _parts_of(shapes: list[Shape]) -> set[str]:
    """Return the names of all parts in these objects, and of the parts in parts."""
    names: set[str] = set()
    while shapes:
        named = {name for shape in shapes for member in shape.members for name in _WORD.findall(member.type)} - names
        names |= named
        shapes = [_PARTS[name] for name in named]
    return names


def _home(part: str, used: dict[str, set[str]]) -> str:
    users = [file for file, parts in used.items() if part in parts]
    return users[0] if len(users) == 1 else SHARED


def _parts_at(file: str, homes: dict[str, str]) -> list[str]:
    return [_section(_PARTS[name], homes, file) for name, home in homes.items() if home == file]


def _section(shape: Shape, homes: dict[str, str], file: str) -> str:
    def link(match: re.Match[str]) -> str:
        home = homes[match[0]]
        return f"[{match[0]}]({'' if home == file else home}#{match[0]})"

    rows: list[tuple[str, ...]] = [
        (f"`{member.name}`", _WORD.sub(link, member.type), member.meaning) for member in shape.members
    ]
    return f"## `{shape.name}`\n\n{shape.meaning}\n\n{table(_HEAD, rows)}"
