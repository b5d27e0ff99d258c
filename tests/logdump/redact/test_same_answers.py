"""A redacted copy answers as its source does: the same places, counts and exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from tests.logdump.program import Answer, logdump
from tests.logdump.redact.drawn_secrets import drawn_trail
from tests.logdump.redact.drawn_statements import drawn_statements
from tests.searching import examples, in_turn, some_trails
from tests.simulated.drawn_histories import KINDS, drawn
from trailformat import ByteOrder

QUESTIONS = (
    ("count",),
    ("check",),
    ("check", "VALUES"),
    ("recovery",),
    ("recovery", "RESTARTS"),
    ("recovery", "CUT"),
    ("recovery", "TWICE"),
    ("recovery", "ORDER"),
    ("recovery", "FILES"),
    ("safe",),
    ("doctor",),
    ("transactions",),
)
"""Verbs and their words, asked of the source and of the copy."""


def facts(answer: Answer) -> tuple[int, list[Any]]:
    """The exit status, and what the answer says without its texts: numbers, flags, and how many there are of each."""
    return answer.status, [_plain(json.loads(line)) for line in answer.out.splitlines()]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        if "tables" in value and isinstance(value["tables"], dict):
            value = {**value, "tables": list(value["tables"].values())}
        return {key: _plain(inner) for key, inner in value.items() if key not in _OF_TEXTS}
    if isinstance(value, list):
        return sorted((_plain(inner) for inner in value), key=lambda inner: json.dumps(inner, sort_keys=True))
    return "text" if isinstance(value, str) else value


_OF_TEXTS = frozenset({"found", "expected", "reason", "message", "hours_left"})
"""Members that show bytes of damage, and of the disk."""


def check_same(paths: list[Path], folder: Path) -> None:
    """Redact a trail, and ask both the same questions."""
    folder.mkdir()
    first = paths[0].parent / f"{paths[0].name[:2]}*" if len(paths) > 1 else paths[0]
    made = logdump("redact", str(first), "-o", str(folder))
    assert made.status in (0, 3), made
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in paths)
    assert [(folder / path.name).stat().st_size for path in paths] == [path.stat().st_size for path in paths]
    for verb, *words in QUESTIONS:
        other = folder / first.name
        source, copy = (facts(logdump(verb, str(path), *words, "--format", "jsonl")) for path in (first, other))
        assert copy == source, (verb, *words)


_FIRST = [path.name for path in TRAILS.iterdir() if not path.suffix and int(path.name[2:]) == 0 and path.name[0] != "y"]
"""The first files of the fixtures, but for those of heartbeats: no time and no name of these is in a copy."""


@pytest.mark.parametrize("name", some_trails(_FIRST, __name__))
def test_of_a_fixture(name: str, tmp_path: Path) -> None:
    check_same(sorted(TRAILS.glob(f"{name[:2]}*[0-9]")), tmp_path / "copy")


@pytest.mark.parametrize(("kind", "seed"), in_turn(KINDS, range(examples(3))))
def test_of_a_drawn_history(kind: str, seed: int, tmp_path: Path) -> None:
    with drawn(kind, seed) as history:
        check_same(list(history.paths), tmp_path / "copy")


@pytest.mark.parametrize(("order", "seed"), in_turn(ByteOrder, range(examples(12))))
def test_of_a_trail_of_odd_records(order: ByteOrder, seed: int, tmp_path: Path) -> None:
    check_same([drawn_trail(tmp_path, seed + 2000, order).path], tmp_path / "copy")


@pytest.mark.parametrize(("order", "seed"), in_turn(ByteOrder, range(examples(6, short=2))))
def test_of_a_trail_of_statements(order: ByteOrder, seed: int, tmp_path: Path) -> None:
    check_same([drawn_statements(tmp_path, seed + 3000, order).path], tmp_path / "copy")
