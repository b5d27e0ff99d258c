"""The build backend: that of setuptools, with the library of kernels in each wheel if it can be built.

A wheel with the library is for one platform. Without a C compiler it is for all, and reads large trails slowly.
An editable install has no library until ``make native``.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

from setuptools import build_meta

_ROOT = Path(__file__).parents[1]
_LIBRARY = _ROOT / "trailformat" / "native" / "kernels.so"

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
    command = [sys.executable, "-m", "scripts.build_native", "--if-possible"]
    subprocess.run(command, cwd=_ROOT, check=True)  # noqa: S603 - our own command
    settings = dict(config_settings or {})
    if _LIBRARY.is_file():
        settings["--build-option"] = [f"--plat-name={sysconfig.get_platform()}"]
    name: str = build_meta.build_wheel(wheel_directory, settings, metadata_directory)
    return name
