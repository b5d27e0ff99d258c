"""CSN: the LOGCSN of the record's transaction, which its later records inherit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.comparison import Comparison, split_comparison
from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.words import FilterError, one_value, quoted
from logdump.notation.times import TimeOffset
from trailformat.changes.csn import csn_key
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.filters import text_columns

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask


@dataclass(frozen=True)
class Csn(Criterion):
    """FILTER CSN: compares the CSN of the transaction with ``value``, as written."""

    comparison: Comparison
    value: str
    keyword: ClassVar[str] = "CSN"
    label: ClassVar[str] = "CSN"
    uses: ClassVar[Needs] = Needs.TRANSACTION

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows whose CSN satisfies the comparison; rows outside transactions have no CSN."""
        return rows.of_transactions(text_columns.csns_hold(self.comparison, self.value, rows.transactions.csns))

    def describe(self) -> list[tuple[str, ...]]:
        """Return operator and value."""
        return [(f"{self.comparison.value} {self.value}",)]


def check_csn(text: str) -> str:
    """Return the text if it is a CSN that can be compared.

    Raises:
        FilterError: it has none of the known forms.
    """
    if csn_key(text) is None:
        forms = "a number, 0.2623161, 4:1095, 00000000/05002818 or 00000d7e:0000036b:01bd"
        raise FilterError(f"{quoted(text)} is not a CSN; write {forms}")
    return text


def _parse(text: str, _offset: TimeOffset) -> Criterion:
    comparison, value = split_comparison(text)
    return Csn(comparison, check_csn(one_value(value)))


OPTIONS = (
    Option(
        "CSN",
        "CSN | LogCSN [<comparison>] <value>",
        "commit sequence number of the transaction",
        "CSN >= 4881201",
        _parse,
        Needs.TRANSACTION,
        aliases=("LOGCSN",),
    ),
)
