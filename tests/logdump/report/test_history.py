"""REPORT: the commands of the session, of which the oldest are gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.session import session
from tests.logdump.line import Line


@pytest.mark.parametrize("entered", [0, 1, 2, 5])
def test_commands_have_the_numbers_that_history_gives_them(
    entered: int, shop: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "MOST_KEPT", 3)
    texts = [*shop.session.history.lines, *(f"reclen {number + 10}" for number in range(entered))]
    for text in texts[2:]:
        shop(text)
    last = f"report to {tmp_path / 'page.md'}"
    shop(last)
    numbered = [f"{number}: {text}" for number, text in enumerate([*texts, last], 1)]
    page = (tmp_path / "page.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in page if line in numbered] == numbered[-3:]
