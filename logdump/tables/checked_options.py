"""Checks the options of a read against each other, the analysis they choose and the files they name."""

from __future__ import annotations

from dataclasses import fields

from logdump.tables.analysis import Analysis
from logdump.tables.errors import BadOption
from logdump.tables.options import OPTIONS, Options
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.tables import named_files

_CHOOSING = frozenset(
    {
        "where",
        "table",
        "rows_of",
        "changes_of",
        "effective",
        "endings",
        "summary",
        "start_seqno",
        "start_rba",
        "end_seqno",
        "end_rba",
    }
    | {"start_csn", "end_csn", "start_timestamp", "end_timestamp"}
)
"""Attributes of the options that choose records or change the kind of rows."""


def _check_choice(options: Options, analysis: Analysis) -> None:
    """Check that no option leaves out records that the analysis needs. Raises BadOption if one does."""
    unset = Options()
    for field in fields(Options):
        name = field.name
        if name in _CHOOSING - analysis.takes and getattr(options, name) != getattr(unset, name):
            given = "option where (a FILTER)" if name == "where" else f"option {OPTIONS[name].name}"
            raise BadOption(f"{analysis.name} needs whole trails: {given} cannot be used with it")


_OF_VIEWS = {
    "key_update": ("changes_of",),
    "before_images": ("changes_of",),
    "messages": ("changes_of",),
    "schema_evolution_mode": ("rows_of", "changes_of"),
    "heartbeat_table": ("analysis",),
    "params": ("analysis",),
    "trans_hist": ("summary",),
    "trans_rec_limit": ("summary",),
    "trans_byte_limit": ("summary",),
}
"""Attributes of options that have an effect in some views only, with the options that choose these views."""


_NOT_OF_MESSAGES = ("key_update", "before_images", "arrow_batches")


def checked(options: Options) -> Options:
    """Return the options with absolute paths.

    Raises:
        BadOption: options exclude each other, one has no effect or leaves out records that the analysis needs, or
            a file cannot be read.
    """
    _check_views(options)
    if options.changes_of and (options.rows_of is not None or options.columns is not None or options.summary):
        raise BadOption("option changesOf goes with none of rowsOf, columns, summary")
    if options.rows_of is not None and options.summary:
        raise BadOption("rows of a table do not go with summary")
    if options.arrow_batches and not options.changes_of:
        raise BadOption("option arrowBatches goes with changesOf")
    unset = Options()
    if options.messages and any(getattr(options, name) != getattr(unset, name) for name in _NOT_OF_MESSAGES):
        names = ", ".join(OPTIONS[name].name for name in _NOT_OF_MESSAGES)
        raise BadOption(f"option messages goes with none of {names}")
    if options.truncates != unset.truncates and options.messages != "debezium":
        raise BadOption("option truncates goes with messages debezium")
    if options.analysis is not None:
        _check_choice(options, options.analysis)
    if not options.params and options.source_defs is None:
        return options
    return named_files.with_absolute_paths(options)


def _check_views(options: Options) -> None:
    unset = Options()
    for name, views in _OF_VIEWS.items():
        if getattr(options, name) != getattr(unset, name) and not any(getattr(options, view) for view in views):
            needed = " or ".join(OPTIONS[view].name for view in views)
            raise BadOption(f"option {OPTIONS[name].name} has no effect without {needed}")
