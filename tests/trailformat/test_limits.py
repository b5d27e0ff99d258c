"""Limits of disk space that environment variables set."""

from __future__ import annotations

import pytest

from tests.logdump.program import logdump
from trailformat import CannotRead
from trailformat.codec.environment import CACHED, UNPACKED, size_limit

UNITS = {"": 1, "k": 1024, "M": 1024**2, "g": 1024**3, "T": 1024**4}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("spelling", ["7{}", " 7{} ", "7 {}", "7{}B", "7{}iB"])
def test_a_size_has_a_unit_or_none(unit: str, spelling: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UNPACKED, spelling.format(unit))
    assert size_limit(UNPACKED) == 7 * UNITS[unit]


@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_variable_sets_no_limit(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(UNPACKED, text)
    assert size_limit(UNPACKED) is None
    monkeypatch.delenv(UNPACKED)
    assert size_limit(UNPACKED) is None


@pytest.mark.parametrize("variable", [UNPACKED, CACHED])
@pytest.mark.parametrize("text", ["all", "-1", "1,000", "1.5G", "1P", "٣", "9" * 30, "\x1b[2J"])
def test_what_is_no_size_is_refused_once(text: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, text)
    with pytest.raises(CannotRead, match="is not a size"):
        size_limit(variable)
    done = logdump("count", "fixtures/trails/at*")
    assert (done.status, done.out) == (2, "")
    assert done.err.count(variable) == 1
    assert "\x1b" not in done.err
