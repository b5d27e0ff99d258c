"""What is said of a record that the file cuts: the length that it has, in whatever byte order the file is."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.line import Line
from tests.simulated.plain_reader import read_all
from trailformat import NotATrail, TrailError, TrailFile

WRITTEN_IN = {"et000000000": ">", "el000000000": "<", "ft000000000": ">", "gl000000000": "<", "at000000000": ">"}
OF_THE_TOKEN = 8
"""Bytes of a record that say how long its header is."""


@pytest.mark.parametrize(("name", "sign"), WRITTEN_IN.items())
def test_a_cut_record_is_as_long_as_it_is(name: str, sign: str, tmp_path: Path) -> None:
    content = (TRAILS / name).read_bytes()
    header, first = list(read_all(content, sign))[:2]
    for record in (header, first):
        for size in (OF_THE_TOKEN + 2, 12, record.length // 2, record.length - 5, record.length - 1):
            cut = tmp_path / name
            cut.write_bytes(content[: record.rba + size])
            error = _error(cut, record.rba)
            assert (error.expected, error.found) == (f"{record.length} bytes", f"{size} bytes")


@pytest.mark.parametrize(("name", "sign"), WRITTEN_IN.items())
def test_no_length_is_named_where_nothing_tells_the_order(name: str, sign: str, tmp_path: Path) -> None:
    content = (TRAILS / name).read_bytes()
    first = list(read_all(content, sign))[1]
    for size in range(1, OF_THE_TOKEN + 2):
        cut = tmp_path / name
        cut.write_bytes(content[: first.rba + size])
        error = _error(cut, first.rba)
        assert error.expected in (None, f"{first.length} bytes")
        assert error.found == f"{size} bytes"


@pytest.mark.parametrize(("name", "sign"), WRITTEN_IN.items())
def test_check_says_the_same(name: str, sign: str, tmp_path: Path) -> None:
    content = (TRAILS / name).read_bytes()
    first = list(read_all(content, sign))[1]
    cut = tmp_path / name
    cut.write_bytes(content[: first.rba + 70])
    shown = Line()(f"check {cut}")
    assert any(f"expected {first.length} bytes, found 70 bytes" in one for one in shown), shown


def _error(path: Path, rba: int) -> TrailError:
    try:
        with TrailFile(path) as trail:
            error = trail.error_at(rba)
            assert error is not None
            return error
    except NotATrail as refusal:
        return refusal
