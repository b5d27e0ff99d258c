from __future__ import annotations

from pathlib import Path

import pytest

from logdump.session import index_cache
from logdump.session.index_cache import cache_folder
from tests.logdump.line import Line
from tests.trailformat.samples import row, trail_of
from trailformat.index import index_of


@pytest.mark.parametrize("environment", [{}, {"LOGDUMP_INDEX_CACHE": ""}, {"LOGDUMP_INDEX_CACHE": "0"}])
def test_nothing_is_kept_unless_it_is_asked_for(environment: dict[str, str]) -> None:
    assert cache_folder(environment) is None


def test_it_is_kept_in_the_user_s_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    asked = {"LOGDUMP_INDEX_CACHE": "1"}
    assert cache_folder(asked) == Path("/home/me/.cache/logdump/index")
    assert cache_folder(asked | {"XDG_CACHE_HOME": "not/absolute"}) == Path("/home/me/.cache/logdump/index")
    assert cache_folder(asked | {"XDG_CACHE_HOME": "/var/cache/me"}) == Path("/var/cache/me/logdump/index")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where indexes are kept of trails of any size."""
    monkeypatch.setenv("LOGDUMP_INDEX_CACHE", "1")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(index_cache, "_LARGE", 1)
    return tmp_path / "cache" / "logdump" / "index"


def test_the_next_session_knows_what_this_one_learned(line: Line, tmp_path: Path, folder: Path) -> None:
    path = trail_of(tmp_path, *[row()] * 3)
    line(f"open {path}; pos record 2")
    line.session.close()
    assert len(list(folder.iterdir())) == 1
    again = Line()
    again(f"open {path}")
    assert index_of(again.session.trail).records == 3
    again.session.close()


def test_who_only_reads_leaves_nothing(line: Line, tmp_path: Path, folder: Path) -> None:
    line(f"open {trail_of(tmp_path, row())}; n")
    line.session.close()
    assert not folder.exists()


def test_small_trails_leave_nothing(line: Line, tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_cache, "_LARGE", 1 << 20)
    line(f"open {trail_of(tmp_path, row())}; pos record 0")
    line.session.close()
    assert not folder.exists()
