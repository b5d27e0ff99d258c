"""A statement of REDO or UNDO; a comment where there is none.

UPDATE "TEAHOUSE"."TEAS" SET "PRICE" = 9.40 WHERE "TEA_CODE" = 'SEN01';
-- RBA 2302 UPDATE TEAHOUSE.TEAS: the trail has no before image of PRICE
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.events import StatementShown
from logdump.render.escape import escape
from logdump.settings import Settings
from logdump.statements import statement_lines as lines_of


def statement_lines(shown: StatementShown, _settings: Settings) -> Iterator[str]:
    """The lines of the statement."""
    return map(escape, lines_of(shown.statement))
