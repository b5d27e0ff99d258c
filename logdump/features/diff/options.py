"""The options of DIFF, as the command and Spark take them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from logdump.features.diff.model import DiffLevel
from logdump.features.diff.rows import RowOptions, every_record
from logdump.features.diff.side import CsnBounds
from logdump.notation.text import matches
from trailformat.changes.csn import CsnKey
from trailformat.transactions.batches import TransactionRecord

_CUT, _ABSENT = "CUT", "ABSENT"
_PARTS = {
    "TIME": "time",
    "POSITION": "position",
    "ROWID": "row_id",
    "TOKENS": "tokens",
    "USERTOKENS": "user_tokens",
}
IGNORABLE = (*_PARTS, _ABSENT, _CUT)
_OF_PLACE = frozenset({"trans_ind", "transaction"})
"""Parts of a record that depend on its place in the transaction."""


@dataclass(frozen=True)
class OfTables:
    """Takes the records of tables that a wildcard names, case aside."""

    wildcard: str

    def __call__(self, one: TransactionRecord) -> bool:
        """Return True if the table of a record matches the wildcard."""
        return matches(self.wildcard, one.trail.name_of(one.record), case_sensitive=False)


def row_options(
    level: DiffLevel, ignored: frozenset[str], takes: Callable[[TransactionRecord], bool], *, is_any_order: bool
) -> RowOptions:
    """Return the options of the row comparison; positions count only if all rows are compared, and in order."""
    left_out = frozenset(_PARTS[word] for word in ignored if word in _PARTS)
    is_moved = is_any_order or takes is not every_record
    return RowOptions(level, left_out | _OF_PLACE if is_moved else left_out, _ABSENT in ignored, takes)


def csn_bounds(level: DiffLevel, ignored: frozenset[str], first: CsnKey | None, last: CsnKey | None) -> CsnBounds:
    """Return the bounds of the transactions compared."""
    return CsnBounds(first, last, _CUT in ignored or level is DiffLevel.VALUES)
