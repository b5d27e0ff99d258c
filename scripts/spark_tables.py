"""The tables of columns and options in docs/spark.md, from the tables that the data source uses."""

from __future__ import annotations

from collections.abc import Iterable

from logdump.arrow.records.schema import COLUMNS, ENDING_COLUMNS, RowColumn
from logdump.spark.analyses.table import ANALYSES
from logdump.spark.comparison.columns import DIFFERENCES
from logdump.spark.source.options import OPTIONS, SourceOption, Use
from logdump.spark.source.summary_columns import SUMMARY_COLUMNS
from logdump.spark.source.table_columns import FIXED, LAST
from logdump.spark.view_table import VIEWS
from scripts.marked import ROOT, table, with_content

PAGE = ROOT / "docs" / "spark.md"
_USES = {Use.READ: "read", Use.STREAM: "stream", Use.WRITE: "write", Use.SAVE: "save", Use.DIFF: "diff"}


_HEADS = ("Column", "Type", "Meaning")
_IMAGES = ("`before_<COLUMN>`, `after_<COLUMN>`", "that of the column", "The row before and after the change")


def columns(shown: Iterable[RowColumn]) -> str:
    """A row per column."""
    return table(_HEADS, _rows(shown))


def of_table() -> str:
    """The same for the rows of one table."""
    return table(_HEADS, [*_rows(FIXED), _IMAGES, *_rows(LAST)])


def _rows(shown: Iterable[RowColumn]) -> list[tuple[str, ...]]:
    return [(f"`{one.name}`", f"`{one.type.ddl}`", one.meaning) for one in shown]


def options() -> str:
    """A row per option."""
    return table(("Option", "Takes", "Default", "For", "Meaning"), [_row(one) for one in OPTIONS.values()])


def _row(one: SourceOption) -> tuple[str, ...]:
    default = f"`{one.shown_default}`" if one.shown_default else ""
    uses = ", ".join(name for use, name in _USES.items() if use in one.use)
    return f"`{one.name}`", one.kind.wants, default, uses, one.meaning


def updated(page: str) -> str:
    """The page with the columns and options of today."""
    page = with_content(page, "columns", columns(COLUMNS))
    page = with_content(page, "endings", columns(ENDING_COLUMNS))
    page = with_content(page, "table", of_table())
    page = with_content(page, "summary", columns(SUMMARY_COLUMNS))
    page = with_content(page, "diff", columns(DIFFERENCES))
    page = with_content(
        page, "views", table(("View", "A row for"), [(f"`{one.name}`", one.meaning) for one in VIEWS.values()])
    )
    for one in ANALYSES.values():
        page = with_content(page, one.name, columns(one.columns))
    return with_content(page, "options", options())


def main() -> None:
    """Write the tables into the page."""
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
