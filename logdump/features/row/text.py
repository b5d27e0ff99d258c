"""ROW as text: a line for each change, and a summary."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.listing.stated import stated_lines
from logdump.display.text import Renderers
from logdump.display.token_text import short_user_tokens
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.notation.text import amount, escape
from logdump.session.settings import Settings

_NOT_ALL = "not all was read, so there may be more"
_VERDICTS = {
    True: "after them the row exists",
    False: "after them the row was deleted",
    None: "the row is as it was before",
}


def change_lines(shown: RowChangeShown, settings: Settings) -> Iterator[str]:
    """Yield a line as LIST shows it under ACROSS, followed by the user tokens."""
    parts = stated_lines([shown.row], settings.time_offset, shown.path.name)
    parts += [short_user_tokens(shown.user_tokens)] if shown.user_tokens != () else []
    parts += ["(not applied)"] if shown.is_applied is False else []
    yield "  ".join(parts)


def story_lines(shown: RowStoryShown, _settings: Settings) -> Iterator[str]:
    """Yield the summary in a sentence."""
    keys = " → ".join(map(escape, shown.keys))
    verdict = _VERDICTS[shown.is_there]
    if shown.is_partial:
        verdict = "changes suppressed by the filter are not included" if shown.is_filtered else _NOT_ALL
    changes = amount(shown.changes, "change")
    if shown.not_applied == shown.changes:
        changes += ", not applied by a Replicat"
    elif shown.not_applied:
        changes += f", {shown.not_applied} of them not applied by a Replicat"
    if shown.later_files:
        files, are = amount(shown.later_files, "later file"), "are" if shown.later_files > 1 else "is"
        verdict += f"; {files} of the trail {are} not read: ACROSS ON reads them"
    yield f"{escape(shown.table)} {keys}: {changes}; {verdict}."


LINES: Renderers = {RowChangeShown: change_lines, RowStoryShown: story_lines}
