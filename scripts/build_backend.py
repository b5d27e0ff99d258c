"""The build backend: that of setuptools, with the library of kernels in each wheel if it can be built.

A wheel with the library is for one platform and any Python. The library needs no C library: on Linux with glibc the
wheel has the tag of the oldest such system that installers know. Without a C compiler, or with the setting
``kernels=none``, a wheel is for all platforms, and reads large trails slowly. The setting ``machine=aarch64`` builds
for that kind of machine on any other with Linux and a C compiler for it.
The same sources give the same wheel, byte for byte, where SOURCE_DATE_EPOCH is set.
An editable install has no library until ``make native``.
"""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from setuptools import build_meta

_ROOT = Path(__file__).parents[1]
_NATIVE = _ROOT / "trailformat" / "native"
_LIBRARY = _NATIVE / "kernels.so"
_OLDEST_GLIBC = "2_17"
"""Of the oldest tag of wheels for glibc that indexes take and every installer knows."""

build_editable = build_meta.build_editable
build_sdist = build_meta.build_sdist
get_requires_for_build_editable = build_meta.get_requires_for_build_editable
get_requires_for_build_sdist = build_meta.get_requires_for_build_sdist
prepare_metadata_for_build_editable = build_meta.prepare_metadata_for_build_editable
prepare_metadata_for_build_wheel = build_meta.prepare_metadata_for_build_wheel


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return the requirements of setuptools, and the extra ``build`` if there is a C compiler."""
    tools: list[str] = []
    if shutil.which(os.environ.get("CC") or "cc"):
        project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        tools = project["optional-dependencies"]["build"]
    return [*build_meta.get_requires_for_build_wheel(config_settings), *tools]


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build the wheel, with a library built from these sources or without one; return its file name."""
    settings = dict(config_settings or {})
    is_pure = settings.pop("kernels", None) == "none"
    machine = settings.pop("machine", platform.machine())
    is_native = machine == platform.machine()
    for made in ("lib*", "bdist.*", "temp.*"):  # what setuptools built before, from other sources
        for folder in (_ROOT / "build").glob(made):
            shutil.rmtree(folder, ignore_errors=True)
    build = [sys.executable, "-m", "scripts.build_native"]
    if not is_pure and is_native:
        subprocess.run([*build, "--if-possible"], cwd=_ROOT, check=True)  # noqa: S603 - our own command
    with contextlib.nullcontext() if is_native and not is_pure else _without_library():
        if not is_pure and not is_native:
            subprocess.run([*build, "--machine", machine], cwd=_ROOT, check=True)  # noqa: S603 - our own command
        if _LIBRARY.is_file():
            settings["--build-option"] = [f"--plat-name={platform_tag(machine)}"]
        name: str = build_meta.build_wheel(wheel_directory, settings, metadata_directory)
    return name


def platform_tag(machine: str) -> str:
    """Return the platform of a wheel with the library that is built here for a kind of machine."""
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_").replace(platform.machine(), machine)
    has_glibc = platform.libc_ver()[0] == "glibc"
    return tag.replace("linux_", f"manylinux_{_OLDEST_GLIBC}_", 1) if has_glibc and tag.startswith("linux_") else tag


@contextlib.contextmanager
def _without_library() -> Iterator[None]:
    """Move the library of this machine aside as long as a wheel without it, or with another one, is built."""
    with tempfile.TemporaryDirectory(dir=_ROOT) as folder:
        moved = [(path, Path(folder) / path.name) for path in _NATIVE.glob("kernels.*")]
        for path, aside in moved:
            path.rename(aside)
        try:
            yield
        finally:
            for path in _NATIVE.glob("kernels.*"):
                path.unlink()
            for path, aside in moved:
                aside.rename(path)
