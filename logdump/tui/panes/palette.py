"""All actions and commands in a pane over the others: type to narrow; Enter acts, or puts a command into the prompt."""

from __future__ import annotations

from typing import NamedTuple

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input

from logdump.commands import REGISTRY
from logdump.language.command import AnyCommand
from logdump.tui.keys.keys import KEYS, Key
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.panes.footer import key_name
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import COMPONENTS
from logdump.tui.text.themes import THEMES


def fitting(text: str) -> list[AnyCommand]:
    """The commands that match every word typed, those whose name does first."""
    words = text.upper().split()
    found = [one for one in REGISTRY.commands if all(word in _searched(one) for word in words)]
    return sorted(
        found, key=lambda one: not any(name.startswith("".join(words[:1])) for name in (one.name, *one.aliases))
    )


def _searched(command: AnyCommand) -> str:
    return f"{command.syntax} {' '.join(command.aliases)} {command.summary}".upper()


class PaletteChoice(NamedTuple):
    """What was chosen: the key that acts so, or the theme, or the command to type."""

    key: Key | None = None
    theme: str = ""
    command: str = ""


def actions_for(text: str) -> list[tuple[str, str, PaletteChoice]]:
    """What can be done without a command, where each word typed is in its name: name, text, what it is."""
    found = [(key_name(key.keys.split(",")[0]), _words(key), PaletteChoice(key)) for key in _ACTING]
    found += [("", f"theme: {name}", PaletteChoice(theme=name)) for name in THEMES]
    words = text.lower().split()
    return [one for one in found if all(word in one[1].lower() for word in words)]


def _words(key: Key) -> str:
    return f"{key.id.replace('_', ' ')}: {key.what}"


_ACTING = [key for key in KEYS if key.acts.startswith("app.") or key.pane or key.sends]


class Palette(ModalScreen[PaletteChoice | None]):
    """The actions of keys and the commands of the registry; the result is what was chosen."""

    COMPONENT_CLASSES = COMPONENTS
    BINDINGS = [  # noqa: RUF012 - Textual's own form
        ("escape,ctrl+p", "dismiss(None)", "back"),
        ("down", "choose(1)", "next"),
        ("up", "choose(-1)", "before"),
        ("pagedown", "choose(10)", "a page on"),
        ("pageup", "choose(-10)", "a page back"),
    ]

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs
        self._taken: list[PaletteChoice] = []

    def compose(self) -> ComposeResult:
        """A line to type in, and the list."""
        yield Input(id="wanted", compact=True, placeholder="words of an action, of a command, or of what it does")
        yield ChoicePane("commands", self._glyphs)

    def on_mount(self) -> None:
        """Show all commands."""
        self.query_one(ChoicePane).add_class("-shown")
        self.query_one(Input).cursor_blink = False
        self._fill("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Narrow the list."""
        event.stop()
        self._fill(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the command."""
        event.stop()
        choice = self.query_one(ChoicePane).choice
        self.dismiss(self._taken[int(choice.sends["enter"])] if choice is not None else None)

    def action_choose(self, step: int) -> None:
        """Another command."""
        self.query_one(ChoicePane).action_choose(step)

    def _fill(self, text: str) -> None:
        found = [(one.syntax, one.summary, PaletteChoice(command=one.name)) for one in fitting(text)]
        actions = actions_for(text)
        found = [*actions, *found] if text.strip() else [*found, *actions]
        self._taken = [taken for _, _, taken in found]
        width = min(40, max((len(name) for name, _, _ in found), default=0))
        choices = [Choice(f"{name:<{width}}  {what}", enter=str(at)) for at, (name, what, _) in enumerate(found)]
        heading = " Actions and commands   Enter takes one, Esc leaves"
        self.query_one(ChoicePane).show(heading, choices, "No command is like that.")
