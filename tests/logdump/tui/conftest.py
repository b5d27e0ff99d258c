"""What the tests of the view share: screens kept as text, and no settings of whoever runs the tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual._context import visible_screen_stack
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.screen import Screen

from tests.logdump.tui.resting import come_to_rest
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


@pytest.fixture(scope="session", autouse=True)
def _keys_and_clicks_take_no_longer_than_they_need() -> Iterator[None]:
    """Textual guesses from the processor's time, looked at every 20 ms, when what a key or a click began is done."""

    async def no_task_can_go_on(*_: float) -> None:
        await come_to_rest(lambda: True)

    with pytest.MonkeyPatch.context() as patch:
        for module in ("textual.app", "textual.pilot"):
            patch.setattr(f"{module}.wait_for_idle", no_task_can_go_on)
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_painted_for_nobody() -> Iterator[None]:
    """No terminal takes what an app paints sixty times a second: tests ask for the text of the screen, which paints."""

    def painted(compositor: Compositor, *_: Any, screen_stack: list[Screen[Any]], **__: Any) -> None:
        visible_screen_stack.set(screen_stack)
        compositor._dirty_regions.clear()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", painted)
        yield


@pytest.fixture(scope="session", autouse=True)
def _a_test_says_when_an_app_looks_at_its_file() -> Iterator[None]:
    """However slow the machine is: an app looks by itself once a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("logdump.tui.app._POLL_EVERY", 3600.0)
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
