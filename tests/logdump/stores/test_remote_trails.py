"""A trail in a store gives the answers of one on this machine, with few bytes fetched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer
from tests.logdump.test_packed import NAMES, QUESTIONS, answers
from trailformat import TrailFile
from trailformat.codec.remote.path import place
from trailformat.trail.sequence import TrailSequence

Put = Callable[[str, bytes], None]


def fill(put: Put, folder: str) -> Path:
    for name in NAMES:
        put(f"{folder}/{name}", (TRAILS / name).read_bytes())
    return place(folder)


def fill_web(web: TrailServer) -> Path:
    web.files |= {f"/dirdat/{name}": (TRAILS / name).read_bytes() for name in NAMES}
    return place(f"{web.url}/dirdat")


@pytest.mark.parametrize("question", QUESTIONS)
def test_each_command_gives_the_answer_of_the_local_trail(
    question: str, tmp_path: Path, memory: Put, s3: str, put: Put, web: TrailServer
) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes((TRAILS / name).read_bytes())
    expected = answers(tmp_path, "", question)
    assert answers(fill(put, f"{s3}/dirdat"), "", question) == expected
    assert answers(fill_web(web), "", question) == expected
    assert answers(fill(memory, "memory://bucket/dirdat"), "", question) == expected


def test_files_of_a_bucket_are_one_trail(s3: str, put: Put) -> None:
    folder = fill(put, f"{s3}/dirdat")
    paths = TrailSequence(folder / NAMES[1]).paths
    assert [str(path) for path in paths] == [f"{s3}/dirdat/{name}" for name in NAMES]
    for path, name in zip(paths, NAMES, strict=True):
        with TrailFile(path) as trail, TrailFile(TRAILS / name) as plain:
            assert [one.raw for one in trail.records()] == [one.raw for one in plain.records()]


@pytest.mark.parametrize("word", ["dirdat/at*", "dirdat/at", "dirdat"])
def test_a_wildcard_a_trail_and_a_folder_name_files_of_a_bucket(word: str, s3: str, put: Put) -> None:
    fill(put, f"{s3}/dirdat")
    counted = logdump("count", f"{s3}/{word}")
    assert "3 files, has 30 records" in counted.out, counted.err
