"""What is kept of compiled kernels goes by all that they are made of."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.laws.imports import edges
from trailformat.scan.kernels import cache, constants

ROOMS = ("trailformat.scan.kernels.", "trailformat.arrays.kernels.")
LOADS = "trailformat.scan.kernels.loads"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir(mode=0o700)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))


def test_another_number_of_the_format_is_another_file(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.kept("a compiler")
    monkeypatch.setattr(constants, "HEADER_SIZE", 35)
    assert cache.kept("a compiler") != before


def test_another_source_is_another_file(tmp_path: Path) -> None:
    before = cache.kept("a compiler", tmp_path)
    (tmp_path / "more.py").write_text("MORE = 1\n")
    assert cache.kept("a compiler", tmp_path) != before


def test_another_compiler_is_another_file() -> None:
    assert cache.kept("a compiler") != cache.kept("another")


def _compiled() -> list[str]:
    return sorted(name for name, used in edges().items() if LOADS in used and name.startswith(ROOMS))


@pytest.mark.parametrize("module", _compiled())
def test_a_kernel_takes_numbers_only_from_what_the_digest_covers(module: str) -> None:
    assert not {one for one in edges()[module] if not one.startswith(ROOMS)}
