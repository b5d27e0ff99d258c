"""A statement of REDO or UNDO; a comment where there is none.

UPDATE "TEAHOUSE"."TEAS" SET "PRICE" = 9.40 WHERE "TEA_CODE" = 'SEN01';
-- RBA 2302 UPDATE TEAHOUSE.TEAS: the trail has no before image of PRICE
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.sql import statement_lines as lines_of
from logdump.display.text import HarmlessRenderers, Renderers
from logdump.notation.escape import Harmless, escape, escape_block
from logdump.session.settings import Settings
from logdump.session.statements import ScriptPart, StatementShown


def statement_lines(shown: StatementShown, _settings: Settings) -> Iterator[str]:
    """Return the lines of the statement."""
    return map(escape, lines_of(shown.statement))


def part_lines(part: ScriptPart, _settings: Settings) -> list[Harmless]:
    """The lines of a part of a script, as one text."""
    return [escape_block(part.data.removesuffix(b"\n"))]


LINES: Renderers = {StatementShown: statement_lines}
HARMLESS: HarmlessRenderers = {ScriptPart: part_lines}
