"""The title line: the file, what it is, and what hides records. What is active is always there, whatever the width."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.text import size_text
from logdump.notation.times import format_timestamp
from logdump.session.settings import Across, Settings
from logdump.tui.model.model import Model
from logdump.tui.panes.one_line import OneLine
from logdump.tui.reading.scans import OVER_TIME
from logdump.tui.reading.summary import Summary
from logdump.tui.text.cells import fit, harmless, width_of
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Piece

_GAP = "  "


class Title(OneLine):
    """The first line of the screen."""

    def __init__(self, model: Model, settings: Settings) -> None:
        facts = Model.summary, Model.indexed, Model.matched, Model.state, Model.neighbours, Model.timeline, Model.lacks
        super().__init__("title", model, *facts, Model.busy, Model.warning, Model.follows, style="title")
        self._settings = settings

    def draw(self) -> None:
        """Show what is current."""
        self.say(*title_pieces(self.model, self._settings, self.glyphs, self.app.size.width))


def title_pieces(model: Model, settings: Settings, glyphs: Glyphs, width: int) -> tuple[Piece, ...]:
    """The title in ``width`` cells: the file, what goes on and the filter first, the rest as far as there is room."""
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
    return f"FILTER{count}: {model.state.filter_text}"


def _facts(model: Model, settings: Settings) -> Iterator[str]:
    """The facts about the file, the most important first."""
    summary, indexed, timeline = model.summary, model.indexed, model.timeline
    damaged = model.index.places.bad_span_count
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
    yield f"zone {settings.time_offset}"
    if summary.first_csn or summary.last_csn:
        yield f"CSN {summary.first_csn or '?'}..{summary.last_csn}"
    if summary.first_time is not None:
        yield _range(summary.first_time, summary.last_time, settings)


def _origin(summary: Summary) -> tuple[str, str, str]:
    """Source, release and size, each empty where it is not known."""
    release = f"rel {summary.release}" if summary.release else ""
    return summary.source, release, size_text(summary.size) if summary.name else ""


def _range(first: int, last: int | None, settings: Settings) -> str:
    begin = format_timestamp(first, settings.time_offset)[:19]
    if last is None:
        return f"{begin}.."
    end = format_timestamp(last, settings.time_offset)[:19]
    return f"{begin}..{end[11:] if end[:10] == begin[:10] else end}"
