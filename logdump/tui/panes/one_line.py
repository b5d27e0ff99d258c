"""Widgets of a single line of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from textual.events import Click
from textual.strip import Strip

from logdump.tui.model.model import Model
from logdump.tui.model.observable import Part
from logdump.tui.text.cells import width_of
from logdump.tui.text.styled import Piece, Styled


class OneLine(Styled):
    """A line of pieces about some parts of the model, repainted when it changes; subclasses say which pieces."""

    def __init__(self, name: str, model: Model, *parts: Part[Any], style: str = "") -> None:
        super().__init__(id=name)
        self.model = model
        self._base = style
        self._pieces: tuple[Piece, ...] = ()
        self._actions: Mapping[int, str] = {}
        model.observe(self.draw, *parts)

    def draw(self) -> None:
        """Show what is current."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Show the line before anything has changed."""
        self.draw()

    def on_resize(self) -> None:
        """Use the new width."""
        self.draw()

    def say(self, *pieces: Piece, actions: Mapping[int, str] | None = None) -> None:
        """Show these pieces; a click on one that has an action, by its number, does it."""
        self._actions = actions or {}
        if pieces != self._pieces:
            self._pieces = pieces
            self.refresh()

    @property
    def text(self) -> str:
        """The text of the line."""
        return "".join(text for text, _ in self._pieces)

    def render_line(self, y: int) -> Strip:
        """The line."""
        return self.strip(self._pieces if y == 0 else (), self.size.width, style=self._base)

    async def on_click(self, event: Click) -> None:
        """Do what the piece under the mouse stands for."""
        end = 0
        for at, (text, _) in enumerate(self._pieces):
            end += width_of(text, self.glyphs)
            if event.x < end:
                if at in self._actions:
                    await self.app.run_action(self._actions[at], self.app.focused or self.app)
                return
