"""Compiled code is loaded only from where nobody but the user can have put it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from trailformat.scan.kernels import cache as kernel_cache

NOBODY = 65534
CODE = b"compiled"
needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that stands for ~/.cache, whose way there is only the user's."""
    home = tmp_path / "home" / "cache"
    home.mkdir(mode=0o700, parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    return home


def _path() -> Path:
    path = kernel_cache.kept("a compiler")
    assert path is not None
    return path


def test_what_was_kept_is_read(cache: Path) -> None:
    kernel_cache.keep(_path(), CODE)
    assert kernel_cache.read(_path()) == CODE
    assert [path.stat().st_mode & 0o777 for path in (_path(), _path().parent)] == [0o600, 0o700]
    assert _path().is_relative_to(cache)


@pytest.mark.usefixtures("cache")
def test_a_file_that_is_not_what_was_written_is_not_read() -> None:
    kernel_cache.keep(_path(), CODE)
    _path().write_bytes(_path().read_bytes() + b"x")
    assert kernel_cache.read(_path()) is None


def _owner(path: Path) -> None:
    os.chown(path, NOBODY, NOBODY)


def _group(path: Path) -> None:
    path.chmod(0o660)


def _others(path: Path) -> None:
    path.chmod(0o602)


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("change", [pytest.param(_owner, marks=needs_root), _group, _others, _link, _fifo, _folder])
def test_a_file_that_others_could_have_written_is_not_read(change: Callable[[Path], None]) -> None:
    kernel_cache.keep(_path(), CODE)
    change(_path())
    assert kernel_cache.read(_path()) is None


FOLDERS = ["home", "home/cache", "home/cache/logdump", "home/cache/logdump/kernels"]


@needs_root
@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_of_another_user_on_the_way_is_not_used(name: str, tmp_path: Path) -> None:
    kernel_cache.keep(_path(), CODE)
    os.chown(tmp_path / name, NOBODY, NOBODY)
    assert kernel_cache.kept("a compiler") is None


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o703])
@pytest.mark.parametrize("name", [*FOLDERS[:2], FOLDERS[-1]])
def test_a_folder_that_others_can_write_to_is_not_used(name: str, mode: int, tmp_path: Path) -> None:
    kernel_cache.keep(_path(), CODE)
    (tmp_path / name).chmod(mode)
    assert kernel_cache.kept("a compiler") is None


def test_our_own_folder_of_a_loose_umask_is_taken_from_others(cache: Path) -> None:
    kernel_cache.keep(_path(), CODE)
    (cache / "logdump").chmod(0o775)
    assert kernel_cache.read(_path()) == CODE
    assert (cache / "logdump").stat().st_mode & 0o777 == 0o755


@pytest.mark.usefixtures("cache")
def test_a_sticky_folder_on_the_way_is_good_enough(tmp_path: Path) -> None:
    (tmp_path / "home").chmod(0o1777)
    assert kernel_cache.kept("a compiler") is not None


def test_a_link_on_the_way_leads_on_when_it_is_the_users(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to("home/cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    assert kernel_cache.kept("a compiler") is not None
    cache.parent.chmod(0o777)
    assert kernel_cache.kept("a compiler") is None


@needs_root
def test_a_link_of_another_user_on_the_way_is_not_used(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(cache)
    os.lchown(tmp_path / "link", NOBODY, NOBODY)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    assert kernel_cache.kept("a compiler") is None


def test_a_link_in_the_place_of_the_folder_is_not_used(cache: Path) -> None:
    _path().parent.rename(cache / "elsewhere")
    (cache / "logdump" / "kernels").symlink_to(cache / "elsewhere")
    assert kernel_cache.kept("a compiler") is None
