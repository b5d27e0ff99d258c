"""docs/reference/spark-*.md, generated from the tables of the data source."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from logdump.arrow.records.schema import COLUMNS, ENDING_COLUMNS, RowColumn
from logdump.features.sql.view_table import ANALYSES, VIEWS
from logdump.spark.comparison.diff import DIFFERENCES
from logdump.tables.change_columns import CHANGE_COLUMNS
from logdump.tables.options import OPTIONS, SourceOption, Use
from logdump.tables.schema import SUMMARY_COLUMNS
from logdump.tables.table_columns import FIXED, LAST
from logdump.targets.kafka.request import PUBLISH_OPTIONS
from logdump.targets.run_options import RUN_OPTIONS, RunOption
from scripts.marked import page, table

INTRODUCTION = "[spark.md](../spark.md) says what they are used for."
OF_APPLY = (
    "[pipeline.md](../pipeline.md) says what they are used for. From Python they are arguments of `logdump.apply` and "
    "`logdump.spark.apply`; a file of YAML (`--options`, `options=`) has them by the same names. Options of the data "
    "source that leave out no change go with them."
)
OF_PUBLISH = (
    "[publish.md](../publish.md) says what they are used for. From Python they are arguments of `logdump.publish` and "
    "`logdump.spark.publish`; a file of YAML (`--options`, `options=`) has them by the same names. Options of the data "
    "source that leave out no change go with them."
)
_USES = {Use.READ: "read", Use.STREAM: "stream", Use.WRITE: "write", Use.SAVE: "save", Use.DIFF: "diff"}
_HEADS = ("Column", "Type", "Meaning")
_IMAGES = ("`before_<COLUMN>`, `after_<COLUMN>`", "that of the column", "The row before and after the change")


def pages() -> dict[str, str]:
    """Return the pages by file name."""
    records = (_columns(COLUMNS), "## With the option `endings`", _columns(ENDING_COLUMNS))
    analyses = [f"## `{analysis.name}`\n\n{_columns(analysis.columns)}" for analysis in ANALYSES.values()]
    return {
        "apply-options.md": page("Options of apply", OF_APPLY, _options_of_run(RUN_OPTIONS)),
        "publish-options.md": page("Options of publish", OF_PUBLISH, _options_of_run(PUBLISH_OPTIONS)),
        "spark-options.md": page("Spark: options of the source", INTRODUCTION, _options()),
        "spark-records.md": page("Spark: columns of records", INTRODUCTION, *records),
        "spark-tables.md": page("Spark: columns of the rows of a table", INTRODUCTION, _of_table()),
        "spark-changes.md": page("Spark: columns of `logdump.spark.changes`", INTRODUCTION, _columns(CHANGE_COLUMNS)),
        "spark-summary.md": page("Spark: columns of the option `summary`", INTRODUCTION, _columns(SUMMARY_COLUMNS)),
        "spark-differences.md": page("Spark: columns of `logdump.spark.diff`", INTRODUCTION, _columns(DIFFERENCES)),
        "spark-views.md": page("Spark: views of the command SQL", INTRODUCTION, _views()),
        "spark-analyses.md": page("Spark: columns of the analyses", INTRODUCTION, *analyses),
    }


def _columns(shown: Iterable[RowColumn]) -> str:
    return table(_HEADS, _rows(shown))


def _of_table() -> str:
    return table(_HEADS, [*_rows(FIXED), _IMAGES, *_rows(LAST)])


def _rows(shown: Iterable[RowColumn]) -> list[tuple[str, ...]]:
    return [(f"`{column.name}`", f"`{column.type.ddl}`", column.meaning) for column in shown]


def _options() -> str:
    return table(("Option", "Takes", "Default", "For", "Meaning"), [_row(option) for option in OPTIONS.values()])


def _options_of_run(options: Mapping[str, RunOption]) -> str:
    rows: list[tuple[str, ...]] = []
    for name, option in options.items():
        default = f"`{option.shown_default}`" if option.shown_default else ""
        rows.append((f"`{name}`", option.kind.wants, default, "yes" if option.is_in_file else "", option.meaning))
    return table(("Option", "Takes", "Default", "In a file", "Meaning"), rows)


def _row(option: SourceOption) -> tuple[str, ...]:
    default = f"`{option.shown_default}`" if option.shown_default else ""
    uses = ", ".join(name for use, name in _USES.items() if use in option.use)
    return f"`{option.name}`", option.kind.wants, default, uses, option.meaning


def _views() -> str:
    return table(("View", "A row for"), [(f"`{view.name}`", view.meaning) for view in VIEWS.values()])
