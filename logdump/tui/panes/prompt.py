"""The prompt of Logdump, with its number, at the bottom of the screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rich.highlighter import Highlighter
from rich.text import Text
from textual.events import Paste
from textual.message import Message
from textual.suggester import Suggester
from textual.widgets import Input, Static

from logdump.commands import REGISTRY
from logdump.language.reader import Context, Validity
from logdump.language.words import complete, completed, last_word, validity
from logdump.session.known_tables import column_names_in
from logdump.session.settings import Settings
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.model.model import Model


def suggestion(text: str, history: Sequence[str], offers: Sequence[str]) -> str | None:
    """Return the line suggested in grey: the newest in the history that begins with ``text``, else the first offer."""
    if not text.strip():
        return None
    earlier = next((line for line in reversed(history) if line.startswith(text) and line != text), None)
    if earlier is not None:
        return earlier
    last = text[last_word(text) :]
    if offers and last and offers[0].upper().startswith(last.upper()) and len(offers[0]) > len(last):
        return text + offers[0][len(last) :]
    return None


LONGEST = 4096
"""Maximum length of a line in characters; longer ones can be run from a file by OBEY."""
_LONGEST_TEXT = 1 << 19
"""Characters of a text of GoldenGate that is pasted."""
_STYLES = {Validity.VALID: "", Validity.INCOMPLETE: "dim", Validity.ERROR: "red underline"}


def without_colon(text: str) -> str:
    """Return a line without the colon, which opens the prompt and may have been typed again."""
    stripped = text.lstrip()
    return stripped.removeprefix(":").lstrip() if stripped.startswith(":") else text


class _ByValidity(Highlighter):
    """Styles the line by its validity."""

    def __init__(self, prompt: Prompt) -> None:
        super().__init__()
        self._prompt = prompt

    def highlight(self, text: Text) -> None:
        """Set the style of the whole line."""
        style = _STYLES[validity(REGISTRY, without_colon(text.plain), self._prompt.line_context)]
        if style:
            text.stylize(style)


class _Suggestions(Suggester):
    """Suggests the grey text after the cursor."""

    def __init__(self, prompt: Prompt) -> None:
        super().__init__(use_cache=False, case_sensitive=True)
        self._prompt = prompt

    async def get_suggestion(self, value: str) -> str | None:
        """Return the suggested line, None if there is none."""
        return suggestion(value, self._prompt.model.history, complete(REGISTRY, value, self._prompt.line_context))


class PromptLabel(Static):
    """The prompt of the session, or of a command that requests a line."""

    def __init__(self, model: Model) -> None:
        super().__init__(id="prompt-label", markup=False)
        self._model = model
        model.observe(self._draw, Model.prompt, Model.pane)

    def _draw(self) -> None:
        """Show the prompt, highlighted while it has the keyboard."""
        self.update(self._model.prompt)
        self.set_class(self._model.pane == "prompt", "-focused")


class Prompt(Input):
    """The line in which commands are typed; the model has the history."""

    BINDINGS = bindings(Area.PROMPT)
    place = Area.PROMPT

    @dataclass(eq=False)
    class Offered(Message):
        """Tab has found several words, or none."""

        words: list[str]

    @dataclass(eq=False)
    class Explained(Message):
        """A paste is a text of GoldenGate: the line that explains it, and the number of lines of the paste."""

        line: str
        number: int

    @dataclass(eq=False)
    class Refused(Message):
        """A paste is too long for the prompt."""

        why: str

    def __init__(self, model: Model, settings: Settings) -> None:
        super().__init__(id="prompt", compact=True, select_on_focus=False, max_length=LONGEST)
        self.cursor_blink = False
        self.model = model
        self._settings = settings
        self.highlighter = _ByValidity(self)
        self.suggester = _Suggestions(self)
        self._at: int | None = None
        self._draft = ""
        self._needle: str | None = None
        model.observe(self._answer, Model.questions)

    @property
    def line_context(self) -> Context:
        """The context of commands: the zone of times, the tables found so far, the marks."""
        state = self.model.state
        marks = [mark.name for mark in state.marks]
        known = Context(self._settings.time_offset, self.model.tables_read.tables, marks)
        return known if state.path is None else known._replace(columns_of=partial(column_names_in, state.path))

    def _answer(self) -> None:
        """Begin a line for the command that requests one."""
        self.begin(is_plain=True)
        self.focus()

    def begin(self, text: str = "", *, is_plain: bool = False) -> None:
        """Begin a line with ``text``; if ``is_plain``, it is no command, and neither styled nor completed."""
        self._at = self._needle = None
        self.highlighter = None if is_plain else _ByValidity(self)
        self.suggester = None if is_plain else _Suggestions(self)
        self._put(text)

    def _put(self, text: str) -> None:
        self.value = text
        self.cursor_position = len(text)

    def action_recall(self, step: int) -> None:
        """Recall a line of the history; after the newest one the line that was being typed."""
        index = (len(self.model.history) if self._at is None else self._at) + step
        if not 0 <= index <= len(self.model.history):
            return
        if self._at is None:
            self._draft = self.value
        self._at = index if index < len(self.model.history) else None
        self._put(self._draft if self._at is None else self.model.history[index])

    def action_search_history(self) -> None:
        """Recall the newest earlier line that contains the typed text; again: the one before it."""
        if self._needle is None or self._at is None:
            self._needle, self._draft = self.value, self.value
        start = len(self.model.history) if self._at is None else self._at
        needle = self._needle.upper()
        match = next((index for index in range(start - 1, -1, -1) if needle in self.model.history[index].upper()), None)
        if match is not None:
            self._at = match
            self._put(self.model.history[match])

    def action_complete(self) -> None:
        """Complete the last word, or offer completions; in an empty line, move to the next pane."""
        if not self.value.strip():
            self.screen.focus_next()
            return
        words = complete(REGISTRY, self.value, self.line_context)
        line = completed(self.value, words)
        if line != self.value:
            self._put(line)
        elif len(words) != 1:
            self.post_message(self.Offered(words))

    def on_paste(self, event: Paste) -> None:
        """Join pasted lines to one line of commands, without comments; nothing runs before Enter.

        A text of GoldenGate of several lines is explained.
        """
        event.prevent_default()
        event.stop()
        from logdump.features.explain.explained_log import pasted_line  # noqa: PLC0415 - for pastes alone

        line = pasted_line(event.text, REGISTRY) if len(event.text) <= _LONGEST_TEXT else None
        if line is not None:
            self.post_message(self.Explained(line, len(event.text.splitlines())))
            return
        if len(event.text) > LONGEST:
            why = f"A paste of {len(event.text):,} characters is too long for the prompt; OBEY <file> runs a file."
            self.post_message(self.Refused(why))
            return
        lines = [line.strip() for line in event.text.splitlines() if line.strip()]
        text = "; ".join(line for line in lines if len(lines) == 1 or not line.startswith("--"))
        self.insert_text_at_cursor("".join(character for character in text if character.isprintable()))
