"""The appearance of the screen for this user: themes, characters, colours, keys; the application that uses it."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from textual import events, on
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.filter import LineFilter
from textual.message import Message
from textual.message_pump import MessagePump
from textual.notifications import SeverityLevel
from textual.theme import Theme

from logdump.notation.text import escape
from logdump.tui.keys.kept_choices import KeptChoices, Keymap, kept_choices, keymap_path, load_keymap
from logdump.tui.text.styled import UNICODE, Glyphs, HarmlessLines, glyphs_for

_ANSI = {"border-blurred": "ansi_default", "input-cursor-text-style": "reverse"} | {
    f"{name}-{ground}": "ansi_default"
    for name in ("ansi", "block-cursor", "input-cursor", "input-selection", "screen-selection")
    for ground in ("background", "foreground")
}
_STYLES = ("dim", "warn", "zero", "printable", "blank", "control", "high", "insert", "update", "delete", "ddl", "key")
_BRACKETS = ("bracket0", "bracket1", "bracket2", "bracket3")


def _variables(dim_style: str, *colours: str) -> dict[str, str]:
    """Return the variables of layout.tcss: a colour for each style that has its own."""
    return {"style-dim-style": dim_style} | {
        f"style-{name}": colour for name, colour in zip((*_STYLES, *_BRACKETS), colours, strict=True)
    }


def _ansi_theme(name: str, styles: dict[str, str]) -> Theme:
    return Theme(
        name=name,
        ansi=True,
        primary="ansi_default",
        secondary="ansi_default",
        warning="ansi_default",
        error="ansi_default",
        success="ansi_default",
        accent="ansi_default",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        variables=_ANSI | styles,
    )


THEMES = {
    "terminal": _ansi_theme(
        "logdump-terminal",
        _variables(
            "dim",
            *("ansi_default", "ansi_red", "ansi_default", "ansi_cyan", "ansi_green", "ansi_yellow", "ansi_magenta"),
            *("ansi_green", "ansi_yellow", "ansi_red", "ansi_magenta", "ansi_cyan"),
            *("ansi_blue", "ansi_cyan", "ansi_magenta", "ansi_green"),
        ),
    ),
    "dark": Theme(
        name="logdump-dark",
        primary="#7aa2d8",
        foreground="#d5d8de",
        background="#14171c",
        surface="#14171c",
        panel="#20252d",
        dark=True,
        variables=_variables(
            "none",
            *("#7f8896", "#e0787a", "#5b6370", "#7cc5c9", "#8fbf7f", "#d7b26d", "#b39ddb"),
            *("#8fbf7f", "#d7b26d", "#e0787a", "#b39ddb", "#7cc5c9"),
            *("#6f9bd8", "#5fb3a8", "#c08ad6", "#a9b665"),
        ),
    ),
    "light": Theme(
        name="logdump-light",
        primary="#245a9c",
        foreground="#1d2126",
        background="#fbfbf9",
        surface="#fbfbf9",
        panel="#e9e9e4",
        dark=False,
        variables=_variables(
            "none",
            *("#6a717b", "#a8201a", "#8d939b", "#0b6e75", "#2f6b22", "#8a5a00", "#6a3fa0"),
            *("#2f6b22", "#8a5a00", "#a8201a", "#6a3fa0", "#0b6e75"),
            *("#2258a8", "#0b6e75", "#8a3aa8", "#5c6b00"),
        ),
    ),
    "mono": _ansi_theme("logdump-mono", _variables("dim", *["ansi_default"] * len((*_STYLES, *_BRACKETS)))),
}


def theme_for(environment: Mapping[str, str], chosen: str = "") -> Theme:
    """Return the theme that the environment names, else the one chosen on the screen; NO_COLOR selects ``mono``."""
    if environment.get("NO_COLOR"):
        return THEMES["mono"]
    return THEMES.get(environment.get("LOGDUMP_THEME", chosen).lower(), THEMES["terminal"])


class Appearance(NamedTuple):
    """Characters, colours, keys, and the saved choices of the user."""

    glyphs: Glyphs = UNICODE
    theme: Theme = THEMES["terminal"]
    keymap: Keymap = Keymap({})
    choices: KeptChoices = KeptChoices(None)


def appearance_for(environment: Mapping[str, str], encoding: str) -> Appearance:
    """Return the appearance by the environment, the keymap file and the saved choices."""
    choices = kept_choices(environment)
    theme = theme_for(environment, choices.theme)
    return Appearance(glyphs_for(environment, encoding), theme, load_keymap(keymap_path(environment)), choices)


_BY_WIDGET, _BY_APPLICATION = 2, 3
"""Rounds: a key bubbles up from its widget; the messages that it causes follow, and they may move the focus."""


class KeyHandled(Message):
    """A message that follows a key from its widget up to the application, in several rounds."""

    def __init__(self, number: int = 1) -> None:
        super().__init__()
        self.number = number


class OrderedKeysApp(App[None]):
    """An application in which a key goes to the focus as the key before it has set it.

    Textual dispatches a key to the widget that has the focus when the key arrives, but runs its binding only after the
    key has bubbled up to the application: keys that arrive right after one that moves the focus would go to the old
    widget.
    """

    def __init__(self, *, ansi_color: bool) -> None:
        self._waiting: deque[events.Event] = deque()
        self._target: MessagePump = self
        self._handling: KeyHandled | None = None
        super().__init__(ansi_color=ansi_color)

    async def on_event(self, event: events.Event) -> None:
        """Handle an event; keys and pastes wait until the one before them has taken effect."""
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._handling is not None:
            self._waiting.append(event)
        else:
            await self._begin(event)

    async def _begin(self, event: events.Event) -> None:
        self._target = self.focused or self.screen
        screens = len(self.screen_stack)
        await super().on_event(event)
        self._follow(self._target if len(self.screen_stack) >= screens else self, KeyHandled())

    def _follow(self, target: MessagePump, message: KeyHandled) -> None:
        self._target = target
        self._handling = message if target.post_message(message) else None

    @on(KeyHandled)
    async def go_on(self, message: KeyHandled) -> None:
        """Handle the next key when the last one has taken effect."""
        if message is not self._handling:
            return
        self._handling = None
        if message.number < _BY_APPLICATION:
            target = self._target if message.number < _BY_WIDGET else self
            self._follow(target, KeyHandled(message.number + 1))
        while self._waiting and self._handling is None:
            await self._begin(self._waiting.popleft())

    def pop_screen(self) -> AwaitComplete:
        """Leave a screen; the message that follows a key through its widgets is lost with them and is posted again."""
        popped = super().pop_screen()
        if self._handling is not None:
            self._follow(self, KeyHandled())
        return popped


_CONTROLS = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff]")
"""Characters that a terminal may act upon when they are pasted or that change the order of others; half characters."""


def copied_value(text: str) -> tuple[str, int]:
    """Return a value as it is copied, its control characters escaped, and the number of these.

    Tabs, the ends of lines, and all that is printed by some fonts only stay as they are.
    """
    return _CONTROLS.subn(lambda match: escape(match[0]), text)


def as_shown(text: str) -> str:
    """Return lines with every character escaped that is not printable."""
    return "\n".join(escape(line) for line in text.split("\n"))


NOTICE = 2.0
"""Number of seconds that a notification is shown."""


class HarmlessApp(OrderedKeysApp):
    """An application that escapes its output; ``appearance`` are its characters, colours and keys."""

    def __init__(self, appearance: Appearance) -> None:
        self.appearance = appearance
        self.glyphs = appearance.glyphs
        self._harmless = HarmlessLines(appearance.glyphs)
        super().__init__(ansi_color=appearance.theme.ansi)
        for theme in THEMES.values():
            self.register_theme(theme)
        self.theme = appearance.theme.name
        self.set_keymap(appearance.keymap.keys)
        self.animation_level = "none"

    def use_theme(self, name: str) -> None:
        """Switch to a theme; one with ANSI colours uses the terminal's palette."""
        theme = THEMES[name]
        self.ansi_color = theme.ansi
        self.theme = theme.name

    def get_line_filters(self) -> Sequence[LineFilter]:
        """Return the filters of every line of every widget; the last escapes control characters."""
        return [*super().get_line_filters(), self._harmless]

    def copy_to_clipboard(self, text: str) -> None:
        """Copy lines to the terminal's clipboard, escaped as they are shown."""
        super().copy_to_clipboard(as_shown(text))

    def copy_value(self, text: str) -> None:
        """Copy a text to the terminal's clipboard as it is, but for what ``copied_value`` escapes."""
        super().copy_to_clipboard(copied_value(text)[0])

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - of the base class
    ) -> None:
        """Show a short text without markup for a while."""
        super().notify(escape(message), title=escape(title), severity=severity, timeout=timeout, markup=False)

    def action_suspend_process(self) -> None:
        """Suspend to the shell until ``fg``, if a shell has started the program."""
        if hasattr(os, "getsid") and os.getsid(0) == os.getpid():
            self.notify("No shell has started the program: there is no shell to return to", timeout=NOTICE)
        else:
            super().action_suspend_process()
