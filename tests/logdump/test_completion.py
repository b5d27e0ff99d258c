from __future__ import annotations

from pathlib import Path

import pytest

from logdump.commands import REGISTRY
from logdump.language.completion import complete


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("ghd", ["GHDR"]),
        ("GGST", ["GGSTOKEN"]),
        ("  scanforh", ["SCANFORHEADER"]),
        ("det", ["DET", "DETAIL"]),
        ("detail ", ["ON", "OFF", "DATA"]),
        ("detail d", ["DATA"]),
        ("pos r", ["RECORD", "REVERSE"]),
        ("ghdr on; ghdr o", ["ON", "OFF"]),
        ("trans 5 ", []),
        ("nosuch x", []),
        ("format js", ["JSONL"]),
        ("next ", []),
    ],
)
def test_what_may_come_next_is_offered(line: str, offered: list[str]) -> None:
    assert complete(REGISTRY, line) == offered


def test_an_empty_line_offers_every_command() -> None:
    assert complete(REGISTRY, "") == REGISTRY.words()


def test_open_offers_files(tmp_path: Path) -> None:
    (tmp_path / "lt000000000").touch()
    (tmp_path / "lt_dir").mkdir()
    (tmp_path / "other").touch()
    assert complete(REGISTRY, f"open {tmp_path}/lt") == [f"{tmp_path}/lt000000000", f"{tmp_path}/lt_dir/"]
    assert len(complete(REGISTRY, f"open {tmp_path}/")) == 3
    assert complete(REGISTRY, f"open {tmp_path}/nowhere/") == []
