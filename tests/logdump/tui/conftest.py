"""What the tests of the view share: screens kept as text, and no settings of whoever runs the tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from tests.short_folder import short_folder

_FOLDER = Path(__file__).parent / "screens"
Golden = Callable[[str, str], None]


@pytest.fixture(autouse=True)
def _nobodys_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("NO_COLOR", "LOGDUMP_ASCII", "LOGDUMP_KEYMAP", "TEXTUAL_ANIMATIONS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture(scope="session", autouse=True)
def _styles_are_parsed_once() -> Iterator[None]:
    """Apps have the same style sheets: parsing them is a quarter of an app's start."""
    parsed: dict[object, list[RuleSet]] = {}
    parse = Stylesheet._parse_rules

    def parse_once(sheet: Stylesheet, *arguments: Any, **options: Any) -> list[RuleSet]:
        key = (arguments, *options.items(), frozenset(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, *arguments, **options)
        return parsed[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Stylesheet, "_parse_rules", parse_once)
        yield


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """In place of pytest's folder: a long path is wrapped on the screen, and cuts off what comes after it."""
    folder = short_folder()
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Holds the text of a screen against the one kept under a name; ``--update-golden`` keeps it."""

    def check(name: str, text: str) -> None:
        path = _FOLDER / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return check
