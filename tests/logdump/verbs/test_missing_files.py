"""A verb over a trail of which files between others are missing says so, and its status is 4."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.program import logdump
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

VERBS: tuple[tuple[str, ...], ...] = (
    *((name, "{trail}") for name in ("count", "list", "check", "recovery", "doctor", "transactions", "heartbeat")),
    *((name, "{trail}") for name in ("compress", "br", "redo", "undo", "values", "debug")),
    ("count", "{trail}", "--detail"),
    ("report", "{trail}", "-o", "{out}.html"),
    ("export", "{trail}", "-o", "{out}.csv"),
    ("row", "{trail}", "S.A", "ID=-1"),
    ("sql", "select count(*) from records", "{trail}"),
    ("diff", "{trail}", "{trail}"),
    ("find", "{trail}", "not there"),
)


@pytest.mark.parametrize("words", VERBS, ids=" ".join)
def test_it_is_said(words: tuple[str, ...], tmp_path: Path) -> None:
    random = Random(f"missing {words}")
    last = random.randint(2, 4)
    missing = random.sample(range(1, last), random.randint(1, last - 1))
    for number in range(last + 1):
        trail = Trail({"S.A": {"ID": "INT64"}})
        trail._number = 100 * number
        trail.insert("S.A", number)
        path = trail.write(tmp_path / "one")
        if number not in missing:
            path.rename(tmp_path / f"tt{number:09}")
    out = tmp_path / "out" / "file"
    out.parent.mkdir()
    answer = logdump(*(word.format(trail=tmp_path / "tt", out=out) for word in words))
    said = "".join([answer.out, answer.err, *(path.read_text() for path in out.parent.iterdir())])
    assert answer.status == 4
    assert f"tt{min(missing):09}" in said or "iles missing at" in said


@pytest.mark.parametrize("verb", ["count", "compress"])
def test_a_file_that_is_there_and_not_asked_for_is_not_missing(verb: str, tmp_path: Path) -> None:
    """Of six files two are asked for and one between them is gone, beside another trail."""
    paths = []
    for number in range(6):
        trail = Trail({"S.A": {"ID": "INT64"}})
        trail.insert("S.A", number)
        paths.append(trail.write(tmp_path / "one").rename(tmp_path / f"tt{number:09}"))
    assert logdump(verb, str(paths[1]), str(paths[4])).status == 0
    paths[3].unlink()
    for chosen in (paths[1], paths[4]), (paths[0], paths[1], paths[5]):
        assert logdump(verb, *map(str, chosen)).status == 0
    answer = logdump(verb, str(paths[2]), str(paths[4]))
    assert answer.status == 4
    assert f"{paths[3]} is missing" in answer.err or "iles missing at 1 place" in answer.err
