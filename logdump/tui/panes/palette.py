"""All commands in a pane over the others: type to narrow, Enter puts the command into the prompt."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input

from logdump.commands import REGISTRY
from logdump.language.command import AnyCommand
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import COMPONENTS


def fitting(text: str) -> list[AnyCommand]:
    """The commands that match every word typed, those whose name does first."""
    words = text.upper().split()
    found = [one for one in REGISTRY.commands if all(word in _searched(one) for word in words)]
    return sorted(
        found, key=lambda one: not any(name.startswith("".join(words[:1])) for name in (one.name, *one.aliases))
    )


def _searched(command: AnyCommand) -> str:
    return f"{command.syntax} {' '.join(command.aliases)} {command.summary}".upper()


class Palette(ModalScreen[str | None]):
    """The commands of the registry; the result is the name chosen."""

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

    def compose(self) -> ComposeResult:
        """A line to type in, and the list."""
        yield Input(id="wanted", compact=True, placeholder="words of a command or of what it does")
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
        self.dismiss(choice.sends["enter"] if choice is not None else None)

    def action_choose(self, step: int) -> None:
        """Another command."""
        self.query_one(ChoicePane).action_choose(step)

    def _fill(self, text: str) -> None:
        commands = fitting(text)
        width = max((len(one.syntax) for one in commands), default=0)
        choices = [Choice(f"{one.syntax:<{min(width, 40)}}  {one.summary}", enter=one.name) for one in commands]
        self.query_one(ChoicePane).show(" Commands   Enter takes one, Esc leaves", choices, "No command is like that.")
