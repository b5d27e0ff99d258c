"""How many: everything that answers with numbers of records."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.logdump.program import logdump
from tests.logdump.questions.asker import EVERYTHING, FORWARD, Asker, is_body, opened, placed
from tests.logdump.questions.question import Feature, Question
from tests.logdump.questions.records import matches_of, printed
from tests.simulated.plain_reader import PlainRecord

NAMES = {3: "Delete", 5: "Insert", 10: "Update", 15: "FieldComp", 100: "GGSPurgedata", 115: "GGSPKUpdate"}
NAMES |= {116: "LargeObject", 134: "GGSUnifiedUpdate", 135: "GGSUnifiedPKUpdate", 150: "RestartAbend"}
NAMES |= {151: "RestartOK", 160: "DDL", 161: "RecordFragment", 170: "Metadata", 205: "GGSComment"}
"""Of types, as COUNT prints them."""
_PRINTED = {"DDLOP": "DDL", "FileHeader": "Others"}
"""Names of types in JSON that COUNT prints otherwise."""
_OF_A_BLOCK = re.compile(r"(.*?) +(\d+)")
_NO_TYPES = {"Total Data Bytes", "  Avg Bytes/Record", "Before Images", "After Images"}


class Numbers(NamedTuple):
    """What COUNT says in all forms: of the whole, and with DETAIL of each table by type."""

    records: int
    data_bytes: int
    types: dict[str, int]
    tables: dict[tuple[str, str], int] | None = None


def _type(record: PlainRecord) -> str:
    return "Others" if record.is_header else NAMES.get(record.io_type, f"Type {record.io_type}")


def _counted(records: Sequence[PlainRecord]) -> Numbers:
    types = Counter(_type(record) for record in records)
    return Numbers(len(records), sum(len(record.data) for record in records), dict(types))


def _detailed(records: Sequence[PlainRecord]) -> Numbers:
    tables = Counter(("*FileHeader*" if record.is_header else record.table, _type(record)) for record in records)
    return _counted(records)._replace(tables=dict(tables))


def _blocks(lines: Sequence[str]) -> list[list[str]]:
    return [block.split("\n") for block in "\n".join(lines).split("\n\n")]


def _types(lines: Sequence[str]) -> dict[str, int]:
    found = [
        (match[1], int(match[2])) for match in map(_OF_A_BLOCK.fullmatch, lines) if match and match[1] not in _NO_TYPES
    ]
    return dict(found)


def _numbers(block: Sequence[str]) -> Numbers:
    title, data_bytes, *types = block
    has = re.fullmatch(r"LogTrail .* has (\d+) records", title)
    assert has
    return Numbers(int(has[1]), int(data_bytes.split()[-1]), _types(types))


def _count(path: Path, question: Question, _folder: Path) -> Numbers:
    return _numbers(_blocks(opened(path, question)("count"))[0])


def _count_detail(path: Path, question: Question, _folder: Path) -> Numbers:
    whole, _average, *tables = _blocks(opened(path, question)("count detail"))
    found = Counter[tuple[str, str]]()
    for title, *lines in tables:
        name = title.rpartition(" Partition ")[0].rstrip()
        has_filter_lines = [line for line in lines if line.startswith(("Filtering", "          suppressed"))]
        types = _types(lines[: len(lines) - len(has_filter_lines)])
        found.update({(name, type_): number for type_, number in types.items()})
    return _numbers(whole)._replace(tables=dict(found))


def _matched(path: Path, question: Question, _folder: Path) -> int:
    """What COUNT says of the filter behind its numbers, or of all records where there is none."""
    shown = opened(path, question)("count")
    matched = [int(text.split()[2]) for text in shown if text.startswith("Filtering matched")]
    return matched[0] if matched else int(shown[0].split()[-2])


def _json_count(path: Path, question: Question, _folder: Path) -> Numbers:
    lines = logdump(str(path), "--format", "jsonl", "-c", f"{question.settings}; count detail").out.splitlines()
    count = next(item for item in map(json.loads, lines) if item["type"] == "count")
    types = _types_of_json(count)
    tables = Counter[tuple[str, str]]()
    for table in count["tables"]:
        tables.update({(table["table"], type_): number for type_, number in _types_of_json(table).items()})
    return Numbers(count["records"], count["data_bytes"], types, dict(tables))


def _types_of_json(tally: dict[str, Any]) -> dict[str, int]:
    names = [_PRINTED.get(counted["io_type_name"], counted["io_type_name"]) for counted in tally["types"]]
    return dict(zip(names, [counted["records"] for counted in tally["types"]], strict=True))


def _checked(path: Path, question: Question, _folder: Path) -> int:
    found = re.search(r" has (\d+) good records", "\n".join(opened(path, question)("check")))
    assert found
    return int(found[1])


def _screen(path: Path, question: Question, _folder: Path) -> int:
    return matches_of(opened(path, question)).records


def _said(path: Path, question: Question, command: str) -> int:
    line = placed(path, question)
    shown = line(command + ("" if question.limit is None else f" {question.limit} records"))
    found = [
        int(match[1]) for match in map(re.compile(r"(?:Exported|Saved) (\d+) records? to .*").fullmatch, shown) if match
    ]
    return sum(found)


def _export(path: Path, question: Question, folder: Path) -> int:
    return _said(path, question, f"export jsonl to {folder / 'said'} !")


def _save(path: Path, question: Question, folder: Path) -> int:
    return _said(path, question, f"save {folder / 'zz000000001'} !")


def _suppressed(path: Path, question: Question, _folder: Path) -> int:
    """Those that NEXT has read, less those that it says it has suppressed."""
    line = placed(path, question)
    found = [text.split()[2] for text in line("n 99999") if text.startswith("Filtering suppressed")]
    everything = opened(path, Question())
    everything(question.place)
    return len(printed(everything("n 99999"))) - sum(map(int, found))


def _printed(path: Path, question: Question, _folder: Path) -> int:
    return len(printed(placed(path, question)(f"n {question.most}")))


_WHOLE = Feature.FILTER | Feature.CUT
NUMBERS = {
    "COUNT": Asker(_count, _counted, _WHOLE),
    "COUNT DETAIL": Asker(_count_detail, _detailed, _WHOLE),
    "COUNT of --format jsonl": Asker(_json_count, _detailed, _WHOLE),
    "what COUNT says of the filter": Asker(_matched, len, _WHOLE),
    "CHECK": Asker(_checked, len, Feature.CUT),
    "the screen": Asker(_screen, len, _WHOLE),
    "NEXT": Asker(_printed, len, EVERYTHING),
    "what NEXT suppresses": Asker(_suppressed, len, EVERYTHING & ~Feature.LIMIT),
    "what EXPORT says": Asker(_export, len, FORWARD),
    "what SAVE says": Asker(_save, len, FORWARD & ~Feature.CUT, is_body),
}
"""Every way to learn how many records a question is about."""
