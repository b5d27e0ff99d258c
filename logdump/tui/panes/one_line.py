"""Widgets of few lines: the strip of the transcript, tabs, title, footer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from textual.events import Click
from textual.strip import Strip

from logdump.notation.text import amount, escape, size_text
from logdump.notation.times import current_timestamp, format_timestamp, zone_text
from logdump.session.settings import Across, Settings
from logdump.tui.keys.kept_choices import CHARACTERS
from logdump.tui.keys.keys import KEYS, Area, Key
from logdump.tui.model.model import OUTPUT, TAB_OF_TWO_TRAILS, TABS, Model, Part, Tab
from logdump.tui.reading.background import OVER_TIME
from logdump.tui.reading.state import Summary
from logdump.tui.reading.transcript import Transcript, TranscriptEntry
from logdump.tui.text.styled import Glyphs, Line, Piece, Styled, cut_to, fit, harmless, line, width_of, wrapped

_ENTRIES = 8
"""Number of last commands that may be shown."""


class LogStrip(Styled):
    """A rule and the end of the transcript; an answer that does not fit is replaced by its number of lines.

    A strip of one row has no rule.
    """

    def __init__(self, model: Model, transcript: Transcript, glyphs: Glyphs) -> None:
        super().__init__(id="log")
        self._transcript = transcript
        self._glyphs = glyphs
        self._rows: list[Line] = []
        model.observe(self.draw, Model.output)

    @property
    def room(self) -> int:
        """Number of rows for commands and answers."""
        return max(self.size.height - 1, min(1, self.size.height))

    def fits(self, entry: TranscriptEntry, has_moved: bool = False) -> bool:  # noqa: FBT001, FBT002 - as in Fits
        """Return whether the whole answer of a command fits; without rows, a line or two of one that has moved."""
        if not self.room and has_moved:
            return not entry.is_long and not entry.has_failed
        return len(self._answer(entry)) <= self.room

    def draw(self) -> None:
        """Show the end of the transcript."""
        rows: list[Line] = []
        for entry in self._transcript.entries[-_ENTRIES:]:
            rows += self._entry(entry)
        if rows != self._rows:
            self._rows = rows
            self.refresh()

    def on_resize(self) -> None:
        """Wrap at the new width."""
        self.draw()

    def _answer(self, entry: TranscriptEntry) -> list[Line]:
        return [row for text in entry.said for row in wrapped(line(escape(text)), self.size.width)]

    def _entry(self, entry: TranscriptEntry) -> list[Line]:
        """Return a command in one row, followed by its answer if that fits."""
        fits = self.fits(entry)
        note = f"   ({amount(entry.printed, 'line')})" if entry.records or not fits else ""
        typed = cut_to(((escape(f"{entry.prompt}{entry.line}"), ""),), self.size.width - len(note), self._glyphs.cut)
        command = [Line((*typed, (note, "")))] if entry.prompt or entry.line or note else []
        return [*command, *(self._answer(entry) if fits else ())]

    def render_line(self, y: int) -> Strip:
        """Return the rule or a row."""
        width = self.size.width
        index = y - (self.size.height - self.room)
        if index < 0:
            return self.strip(((self._glyphs.rule * width, "dim"),), width)
        shown = self._rows[-self.room :]
        return self.strip(shown[index].pieces if index < len(shown) else (), width)


class OneLine(Styled):
    """A line of pieces, drawn again when one of ``parts`` changes; subclasses define the pieces."""

    def __init__(self, name: str, model: Model, *parts: Part[Any], style: str = "") -> None:
        super().__init__(id=name)
        self.model = model
        self._base = style
        self._pieces: tuple[Piece, ...] = ()
        self._actions: Mapping[int, str] = {}
        model.observe(self.draw, *parts)

    def draw(self) -> None:
        """Draw the line."""
        raise NotImplementedError

    def on_mount(self) -> None:
        """Draw the line before anything has changed."""
        self.draw()

    def on_resize(self) -> None:
        """Draw the line in the new width."""
        self.draw()

    def say(self, *pieces: Piece, actions: Mapping[int, str] | None = None) -> None:
        """Show pieces; ``actions`` are those of a click, by index of the piece."""
        self._actions = actions or {}
        if pieces != self._pieces:
            self._pieces = pieces
            self.refresh()

    @property
    def text(self) -> str:
        """The text of the line."""
        return "".join(text for text, _ in self._pieces)

    def render_line(self, y: int) -> Strip:
        """Return the line."""
        return self.strip(self._pieces if y == 0 else (), self.size.width, style=self._base)

    async def on_click(self, event: Click) -> None:
        """Run the action of the piece under the mouse."""
        end = 0
        for index, (text, _) in enumerate(self._pieces):
            end += width_of(text, self.glyphs)
            if event.x < end:
                if index in self._actions:
                    await self.app.run_action(self._actions[index], self.app.focused or self.app)
                return


class Tabs(OneLine):
    """The line of tabs above the lower pane."""

    def __init__(self, model: Model) -> None:
        super().__init__("tabs", model, Model.shown, Model.where, Model.aligned, Model.pane)

    def draw(self) -> None:
        """Draw the tabs."""
        tabs = TABS if self.model.aligned is None else (*TABS, TAB_OF_TWO_TRAILS)
        pieces, actions = tab_pieces(self.model.page, self.model.where, self.glyphs, self.size.width, tabs)
        if self.model.pane == "pages":
            pieces = tuple((text, "focus") for text, _ in pieces)
        self.say(*pieces, actions=actions)


def tab_pieces(
    shown: str, where: str, glyphs: Glyphs, width: int, tabs: tuple[Tab, ...] = TABS
) -> tuple[tuple[Piece, ...], dict[int, str]]:
    """Return the line in ``width`` cells with ``where`` at its end, and the actions of a click by index of piece."""
    rule = glyphs.rule
    end = f" {where} {rule}" if where else ""
    pieces, actions = _titles(tabs, shown, rule, is_short=False)
    used = sum(len(text) for text, _ in pieces)
    if used + len(end) > width:
        pieces, actions = _titles(tabs, shown, rule, is_short=True)
        used = sum(len(text) for text, _ in pieces)
    pieces.append((rule * max(0, width - used - len(end)), "dim"))
    return (*pieces, (end, "dim")), actions


def _titles(tabs: tuple[Tab, ...], shown: str, rule: str, *, is_short: bool) -> tuple[list[Piece], dict[int, str]]:
    """Return the tabs and their actions; with ``is_short``, tabs that are not shown have only their key."""
    if shown == OUTPUT:
        return [(rule, "dim"), ("[output] ", "strong"), ("Esc goes back ", "dim")], {2: "app.leave"}
    pieces: list[Piece] = [(rule, "dim")]
    actions: dict[int, str] = {}
    for tab in tabs:
        text = tab.key if is_short and tab.name != shown else f"{tab.key} {tab.title}"
        actions[len(pieces)] = f"app.show_tab({tab.name!r})"
        pieces.append((f"[{text}]", "strong") if tab.name == shown else (f" {text} ", ""))
        pieces.append((rule, "dim"))
    return pieces, actions


_GAP = "  "


class Title(OneLine):
    """The title in the first line of the screen."""

    def __init__(self, model: Model, settings: Settings) -> None:
        facts = Model.summary, Model.indexed, Model.matched, Model.state, Model.neighbours, Model.timeline, Model.lacks
        super().__init__("title", model, *facts, Model.busy, Model.warning, Model.follows, style="title")
        self._settings = settings

    def draw(self) -> None:
        """Draw the title."""
        self.say(*title_pieces(self.model, self._settings, self.glyphs, self.app.size.width))


def title_pieces(model: Model, settings: Settings, glyphs: Glyphs, width: int) -> tuple[Piece, ...]:
    """Return the title in ``width`` cells: file, progress and filter first, then the facts that fit."""
    active = f"{model.warning}{_GAP if model.warning else ''}{_filter(model)}"
    active = harmless(active + "  FOLLOW" * model.follows, glyphs)
    text = f" {harmless(model.summary.name, glyphs) or 'logdump'}"
    left = width - width_of(active, glyphs) - len(_GAP)
    if model.busy:
        room = max(0, left - width_of(text, glyphs) - len(_GAP))
        text += _GAP + fit(model.busy, min(room, len(model.busy)), glyphs)
    for fact in _facts(model, settings):
        more = _GAP + harmless(fact, glyphs)
        if width_of(text + more, glyphs) < left:
            text += more
    style = "warn" if model.warning else "strong" if model.state.filter_text else ""
    return (text + _GAP, ""), (active, style)


def _filter(model: Model) -> str:
    if not model.state.filter_text:
        return "FILTER off"
    matched = model.matched
    count = f" {matched.records:,}{'' if matched.is_done else '+'}" if matched is not None else ""
    unknown = f", {matched.undecided:,} not known" if matched is not None and matched.undecided else ""
    return f"FILTER{count}{unknown}: {model.state.filter_text}"


def _facts(model: Model, settings: Settings) -> Iterator[str]:
    """Yield the facts about the file, the most important first."""
    summary, indexed, timeline = model.summary, model.indexed, model.timeline
    damaged = model.index.places.damaged_places
    if indexed is not None and damaged:
        yield f"{damaged:,} damaged place{'s' * (damaged != 1)} (!)"
    if summary.looks_encrypted:
        yield "record data looks encrypted"
    if timeline is not None and timeline.newest_age is not None and not model.partial(OVER_TIME):
        from logdump.notation.times import duration_text  # noqa: PLC0415 - with the timeline

        yield f"beat {duration_text(timeline.newest_age)} old"
    yield from filter(None, _origin(summary))
    if indexed is not None:
        yield f"{indexed.records:,}{'' if indexed.is_done else '+'} rec{'s' * (indexed.records != 1)}"
    restarts = model.index.places.restart_count
    if indexed is not None and restarts:
        yield f"{restarts:,} restart{'s' * (restarts != 1)}"
    if model.state.across is not Across.OFF and model.neighbours.files > 1:
        yield f"file {model.neighbours.number} of {model.neighbours.files}"
    yield f"times {zone_text(settings.time_offset, summary.first_time or current_timestamp())}"
    if summary.first_csn or summary.last_csn:
        yield _csns(summary)
    if summary.first_time is not None:
        yield _range(summary.first_time, summary.last_time, settings)


def _csns(summary: Summary) -> str:
    if not summary.last_csn:
        return f"first CSN {summary.first_csn}"
    return f"CSN {summary.first_csn or '?'}..{summary.last_csn}"


def _origin(summary: Summary) -> tuple[str, str, str]:
    """Return source, release and size, empty if unknown."""
    release = f"rel {summary.release}" if summary.release else ""
    return summary.source, release, size_text(summary.size) if summary.name else ""


def _range(first: int, last: int | None, settings: Settings) -> str:
    begin = format_timestamp(first, settings.time_offset)[:19]
    if last is None:
        return f"{begin}.."
    end = format_timestamp(last, settings.time_offset)[:19]
    return f"{begin}..{end[11:] if end[:10] == begin[:10] else end}"


_NAMES = {key: character for character, key in CHARACTERS.items()} | {
    "comma": ",",
    "escape": "Esc",
    "pagedown": "PgDn",
    "pageup": "PgUp",
}
_LEAVES = "leave_pane"
_WAYS_OUT = (_LEAVES, "prompt", "help")


class Footer(OneLine):
    """The keys of the area that has the keyboard, or the offers of Tab."""

    def __init__(self, model: Model, keymap: Mapping[str, str]) -> None:
        super().__init__("footer", model, Model.places, Model.upper, Model.offers)
        self._keymap = keymap

    def draw(self) -> None:
        """Draw the footer."""
        if self.model.offers:
            self.say((f" {self.model.offers}", "strong"))
            return
        pieces: list[Piece] = [(" ", "")]
        actions: dict[int, str] = {}
        places, pane = self.model.places, self.model.upper
        for word, key in footer_words(places, self._keymap, self.app.size.width, pane):
            actions[len(pieces)] = key.action
            pieces += [(word, ""), (_GAP, "")]
        self.say(*pieces, actions=actions)


def key_name(key: str) -> str:
    """Return the label of a key: ``Ctrl+C`` for Textual's ``ctrl+c``."""
    if key.startswith("ctrl+"):
        return f"Ctrl+{key[5:].upper()}"
    return _NAMES.get(key, key.capitalize() if len(key) > 1 else key)


def keys_of(key: Key, keymap: Mapping[str, str]) -> list[str]:
    """Return the labels of a binding's keys, those of the keymap if it has any."""
    return [key_name(name) for name in keymap.get(key.id, key.keys).split(",")]


def footer_words(
    places: tuple[Area, ...], keymap: Mapping[str, str], width: int, pane: str = ""
) -> list[tuple[str, Key]]:
    """Return the words of areas that fit, those with the least weight first to stay, in the order of the table.

    ``pane`` is the pane above the pages. Areas with their own keys show these first, then the keys that leave them.
    """
    shown = sorted((key for key in KEYS if _is_shown(key, places, pane)), key=lambda key: _is_way_out(key, places))
    words = {key: f"{keys_of(key, keymap)[0]} {key.short}" for key in shown}
    fitting_keys: set[Key] = set()
    room = width - 1
    for key in sorted(words, key=lambda binding: binding.weight):
        if len(words[key]) + len(_GAP) <= room:
            fitting_keys.add(key)
            room -= len(words[key]) + len(_GAP)
    return [(word, key) for key, word in words.items() if key in fitting_keys]


def _is_way_out(key: Key, places: tuple[Area, ...]) -> bool:
    return Area.PANES not in places and key.area not in places


def _is_shown(key: Key, places: tuple[Area, ...], pane: str) -> bool:
    if not key.short or key.pane not in ("", pane) or (key.id == "choose" and pane == "columns"):
        return False
    if key.area is not Area.PANES or Area.PROMPT in places:
        return key.area in (*places, Area.EVERYWHERE)
    if not _is_way_out(key, places):
        return key.id != _LEAVES
    return key.id in _WAYS_OUT and all(binding.keys != key.keys for binding in KEYS if binding.area in places)
