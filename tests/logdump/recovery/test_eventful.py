"""RECOVERY says of trails in which much happens at once what a model says that follows them piece by piece."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from logdump.features.recovery import model
from logdump.features.recovery import survey as survey_module
from logdump.notation.times import iso_time
from tests.logdump.program import logdump
from tests.logdump.recovery.recovery_model import RecoveryModel, plain
from tests.searching import Random, examples
from tests.simulated.eventful import TABLES, Eventful
from tests.trailformat.small_batches import in_batches
from trailformat.transactions import whole_trail


def objects(*words: str) -> tuple[int, dict[str, list[Any]]]:
    """The status of a command and its objects by type, without type and schema."""
    answer = logdump(*words, "--format", "jsonl")
    told: dict[str, list[Any]] = {}
    for line in answer.out.splitlines():
        item = json.loads(line)
        told.setdefault(item["type"], []).append(plain(item))
    return answer.status, told


def _timed(name: str, expected: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**item, name: iso_time(item[name]) if item[name] is not None else None} for item in expected]


@pytest.fixture
def drawn(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Eventful, int]:
    """A trail that is read in batches of a few records, and how many findings are listed."""
    random = Random(seed)
    trail = Eventful(tmp_path, random)
    most = random.choice((1, 1, 2, 10_000))
    monkeypatch.setattr(whole_trail, "scan_in_threads", in_batches(random.choice((1, 2, 3, 100))))
    monkeypatch.setattr(model, "MOST_LISTED", most)
    monkeypatch.setattr(survey_module, "MOST_LISTED", most)
    return trail, most


def _assert_findings(told: dict[str, list[Any]], expected: RecoveryModel) -> None:
    assert told.get("restart", []) == _timed("time", expected.restart_objects())
    assert told.get("cut_transaction", []) == expected.cut_objects(is_alone=False)
    assert told.get("second_copy", []) == expected.copy_objects()
    assert told.get("order_break", []) == expected.order_objects()


@pytest.mark.parametrize("seed", range(examples(300, short=120)))
def test_recovery_tells_what_happened(drawn: tuple[Eventful, int]) -> None:
    trail, most = drawn
    expected = RecoveryModel(trail, most)
    status, told = objects("recovery", trail.name)
    (summary,) = told["recovery"]
    assert summary == expected.summary()
    assert status == expected.status
    _assert_findings(told, expected)
    assert told.get("begin_missing", []) == expected.begin_objects()
    assert told.get("overwrite", []) == expected.overwrite_objects()
    assert told.get("producer_change", []) == expected.change_objects()


@pytest.mark.parametrize("seed", range(examples(100, short=30)))
def test_parts_of_recovery_and_its_text_tell_the_same(drawn: tuple[Eventful, int]) -> None:
    """A filter lists what has a row of a table; CUT alone lists the cuts of restarts too; what was not read is open."""
    trail, most = drawn
    table = TABLES[most % len(TABLES)]
    _, told = objects("-c", f"open {trail.there[0].path}; filter include filename {table}; recovery filtered")
    filtered = RecoveryModel(trail, most, table)
    if "recovery" in told:  # its first file is a trail
        assert told["recovery"] == [{**filtered.summary(), "title": told["recovery"][0]["title"]}]
        _assert_findings(told, filtered)
    expected = RecoveryModel(trail, most)
    _, alone = objects("recovery", trail.name, "cut")
    cuts = expected.cut_objects(is_alone=True)
    assert alone.get("cut_transaction", []) == cuts
    text = logdump("recovery", trail.name, "cut").out
    assert text.count("Again at       not found") == (not expected.is_partial) * sum(
        cut["again"] is None for cut in cuts
    )
    assert text.count(": a Replicat drops ") == len(cuts)
    assert ("without a whole copy." in text) == (not expected.is_partial and bool(expected.summary()["lost"]))
    assert ("Not all findings are listed." in text) == (not _all_are_listed(expected))


def _all_are_listed(expected: RecoveryModel) -> bool:
    return all(len(findings) <= expected.most for findings in expected.findings)


@pytest.mark.parametrize("seed", range(examples(100, short=30)))
def test_files_are_told_with_what_a_reader_needs(drawn: tuple[Eventful, int]) -> None:
    trail, most = drawn
    expected = RecoveryModel(trail, most)
    _, told = objects("recovery", trail.name, "files")
    names = ("file", "bytes", "version", "recovery_mode", "created", "last_csn", "problem", "needed")
    files = [{name: file[name] for name in names} for file in told["trail_file"]]
    files = [{**item, "problem": item["problem"] is not None} for item in files]
    keep = None if expected.is_partial else expected.recovery_point
    assert files == _timed("created", expected.file_objects(keep))
