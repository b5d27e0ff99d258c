"""EXPORT JSONL … DEBEZIUM: which records are which lines, in which order, and what is said of the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from tests.logdump.line import Line
from tests.trailformat.samples import row, trail_of

Change = dict[str, Any]


def exported(target: Path, *lines: str) -> tuple[list[Change], list[str]]:
    """The changes written after some commands, and what EXPORT says."""
    line = Line()
    for one in lines:
        line(one)
    said = line(f"export jsonl to {target} debezium")
    line.session.close()
    return [json.loads(text) for text in target.read_text(encoding="ascii").splitlines()], said


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "changes.jsonl"


def test_changes_of_all_tables_come_in_the_order_of_the_trail(target: Path) -> None:
    changes, _ = exported(target, f"open {TRAILS / 'rt000000000'}")
    assert len({change["source"]["table"] for change in changes}) > 1
    sequences = [change["source"]["sequence"] for change in changes]
    assert sequences == sorted(set(sequences))


def test_an_update_of_the_key_is_two_lines_and_an_image_before_in_a_record_of_its_own_none(target: Path) -> None:
    changes, said = exported(target, f"open {TRAILS / 'et000000000'}")
    parts = {change["source"]["pos"]: change["op"] for change in changes if change["source"]["sequence"][-1] == "1"}
    split = [change["op"] for change in changes if change["source"]["pos"] in parts]
    assert split == ["d", "c"] * len(parts)
    assert parts
    assert said == [
        f"Exported {len(changes)} changes to {target}",
        "Left out 5 records that are not changes: FieldComp 1, FileHeader 1, Metadata 3",
    ]


def test_with_across_the_changes_of_later_files_follow(target: Path) -> None:
    changes, _ = exported(target, f"open {TRAILS / 'st000000000'}", "across on")
    assert {Path(change["source"]["file"]).name for change in changes} == {"st000000000", "st000000001"}
    sequences = [change["source"]["sequence"] for change in changes]
    assert sequences == sorted(set(sequences))


def test_the_filter_chooses_changes(target: Path) -> None:
    changes, _ = exported(target, f"open {TRAILS / 'et000000000'}", "filter include filename *.SALES")
    assert {change["source"]["table"] for change in changes} == {"SALES"}


def test_effective_leaves_out_what_a_replicat_does_not_apply(tmp_path: Path) -> None:
    line = Line()
    line(f"open {TRAILS / 'at000000000'}; across on")
    counts = {}
    for word in ("", "effective"):
        line(f"export jsonl to {tmp_path / 'changes'} debezium {word} replace")
        counts[word] = len((tmp_path / "changes").read_bytes().splitlines())
    line.session.close()
    assert 0 < counts["effective"] < counts[""]


def test_a_value_that_does_not_decode_is_null_and_a_problem(target: Path) -> None:
    changes, said = exported(target, f"open {TRAILS / 'kt000000000'}")
    problems = {one["column"]: change for change in changes for one in change["source"]["problems"] or ()}
    assert problems.keys() == {"ORIGIN", "NAME"}
    for column, change in problems.items():
        assert change["after"][column] is None
        assert column not in (change["source"]["absent"] or ())
    assert any("do not decode" in text for text in said)


def test_a_row_without_a_definition_has_no_images_but_its_bytes(target: Path, tmp_path: Path) -> None:
    changes, _ = exported(target, f"open {trail_of(tmp_path, row(b'odd'))}")
    [one] = changes
    assert (one["before"], one["after"]) == (None, None)
    [problem] = one["source"]["problems"]
    assert b"odd".hex() in problem["bytes"]
