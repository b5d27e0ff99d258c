"""Screens over the panes: the palette of actions and commands, the help, the question before the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Input

from logdump.commands import REGISTRY
from logdump.language.command import AnyCommand
from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.panes.one_line import key_name, keys_of
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.text.appearance import THEMES
from logdump.tui.text.styled import COMPONENTS, Glyphs, Line, line

OF_THE_NIGHT = (
    *("go_to", "safe", "explain", "find", "transaction_begin"),
    *("filter", "tables", "transactions", "next_finding", "back"),
)
"""The names of the keys that the help lists first: from an RBA in a report to the restart of a Replicat."""


class HelpScreen(ModalScreen[None]):
    """All keys by the area in which they act; Esc, q or ? closes the screen."""

    COMPONENT_CLASSES = COMPONENTS
    BINDINGS = [("escape,q,question_mark", "dismiss", "back")]  # noqa: RUF012 - Textual's own form

    def __init__(self, keymap: Mapping[str, str], glyphs: Glyphs) -> None:
        super().__init__()
        self._keymap = keymap
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Yield the pane of text."""
        yield TextPane("help", self._glyphs)

    def on_mount(self) -> None:
        """Show the keys."""
        page = self.query_one(TextPane)
        page.add_class("-shown")
        page.show(list(help_lines(self._keymap)), top=0)
        page.focus()


def help_lines(keymap: Mapping[str, str]) -> Iterator[Line]:
    """Yield the lines of the keys by area, each with the command that it enters."""
    yield line("The ten most important keys   (Esc leaves this page; HELP lists the commands)", "title")
    by_id = {key.id: key for key in KEYS}
    for name in OF_THE_NIGHT:
        yield _key_line(by_id[name], keymap)
    for area in Area:
        yield line("")
        yield line(f"In {area.value}:" if area is not Area.EVERYWHERE else "Everywhere:", "strong")
        for key in KEYS:
            if key.area is area:
                yield _key_line(key, keymap)


def _key_line(key: Key, keymap: Mapping[str, str]) -> Line:
    names = ", ".join(keys_of(key, keymap))
    command = f"  {key.sends or key.types}" if key.sends or key.types else ""
    return Line(((f"  {names:<14} ", "strong"), (key.what, ""), (command, "dim")))


def fitting(text: str) -> list[AnyCommand]:
    """Return the commands that match every typed word, those whose names begin with the first word first."""
    words = text.upper().split()
    commands = [command for command in REGISTRY.commands if all(word in _searched(command) for word in words)]
    return sorted(
        commands,
        key=lambda command: not any(name.startswith("".join(words[:1])) for name in (command.name, *command.aliases)),
    )


def _searched(command: AnyCommand) -> str:
    return f"{command.syntax} {' '.join(command.aliases)} {command.summary}".upper()


class LeaveScreen(ModalScreen[bool]):
    """Asks whether to end the session; ``lost`` says what would be lost. The result is the answer."""

    COMPONENT_CLASSES = COMPONENTS
    BINDINGS = [  # noqa: RUF012 - Textual's own form
        ("q,y,enter", "dismiss(True)", "end"),
        ("escape,n", "dismiss(False)", "stay"),
    ]

    def __init__(self, lost: str, glyphs: Glyphs) -> None:
        super().__init__()
        self._lost = lost
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """Yield the pane of text."""
        yield TextPane("leave", self._glyphs)

    def on_mount(self) -> None:
        """Show the question."""
        page = self.query_one(TextPane)
        page.add_class("-shown")
        page.show([line("q ends, Esc stays.", "strong"), line(f"Lost: {self._lost}", "warn")], top=0)
        page.focus()


class PaletteChoice(NamedTuple):
    """The chosen key, theme or command."""

    key: Key | None = None
    theme: str = ""
    command: str = ""


def actions_for(text: str) -> list[tuple[str, str, PaletteChoice]]:
    """Return the actions of keys and the themes whose texts have every typed word: key name, text, choice."""
    actions = [(key_name(key.keys.split(",")[0]), _words(key), PaletteChoice(key)) for key in _ACTING]
    actions += [("", f"theme: {name}", PaletteChoice(theme=name)) for name in THEMES]
    words = text.lower().split()
    return [action for action in actions if all(word in action[1].lower() for word in words)]


def _words(key: Key) -> str:
    return f"{key.id.replace('_', ' ')}: {key.what}"


_ACTING = [key for key in KEYS if key.acts.startswith("app.") or key.pane or key.sends]


class Palette(ModalScreen[PaletteChoice | None]):
    """The actions of keys and the commands of the registry; the result is the choice."""

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
        self._listed: list[PaletteChoice] = []

    def compose(self) -> ComposeResult:
        """Yield the input line and the list."""
        yield Input(id="wanted", compact=True, placeholder="words of an action, of a command, or of what it does")
        yield ChoicePane("commands", self._glyphs)

    def on_mount(self) -> None:
        """Show all commands and actions."""
        self.query_one(ChoicePane).add_class("-shown")
        self.query_one(Input).cursor_blink = False
        self._fill("")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Filter the list by the typed words."""
        event.stop()
        self._fill(event.value)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Close with the choice under the cursor."""
        event.stop()
        choice = self.query_one(ChoicePane).choice
        self.dismiss(self._listed[int(choice.sends["enter"])] if choice is not None else None)

    def action_choose(self, step: int) -> None:
        """Move the cursor of the list."""
        self.query_one(ChoicePane).action_choose(step)

    def _fill(self, text: str) -> None:
        entries = [(command.syntax, command.summary, PaletteChoice(command=command.name)) for command in fitting(text)]
        actions = actions_for(text)
        entries = [*actions, *entries] if text.strip() else [*entries, *actions]
        self._listed = [choice for _, _, choice in entries]
        width = min(40, max((len(name) for name, _, _ in entries), default=0))
        choices = [
            Choice(f"{name:<{width}}  {what}", enter=str(index)) for index, (name, what, _) in enumerate(entries)
        ]
        heading = " Actions and commands   Enter takes one, Esc leaves"
        self.query_one(ChoicePane).show(heading, choices, "No matching action or command.")
