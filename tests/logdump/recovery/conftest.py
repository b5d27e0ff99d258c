"""Drawn trails of several files each: waiting for the disk with every file would take most of the time."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def _without_fsync() -> Iterator[None]:
    """No file here has to outlive the machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _file: None)
        yield
