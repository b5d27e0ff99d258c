"""Options of a read, checked against each other, with the files that they name."""

from __future__ import annotations

from logdump.spark.errors import BadOption
from logdump.spark.source.options import OPTIONS, Options

_OF_VIEWS = {
    "key_update": ("changes_of",),
    "before_images": ("changes_of",),
    "schema_evolution_mode": ("rows_of", "changes_of"),
    "heartbeat_table": ("analysis",),
    "params": ("analysis",),
    "trans_hist": ("summary",),
    "trans_rec_limit": ("summary",),
    "trans_byte_limit": ("summary",),
}
"""Attributes of the options that choose nothing in other views, by those that choose the view."""


def checked(options: Options) -> Options:
    """The options with absolute paths.

    Raises:
        BadOption: a file that they name cannot be read, one is of another view, or takes away what an analysis needs.
    """
    _check_views(options)
    if options.changes_of and (options.rows_of is not None or options.columns is not None or options.summary):
        raise BadOption("option changesOf goes with none of rowsOf, columns, summary")
    if options.arrow_batches and not options.changes_of:
        raise BadOption("option arrowBatches goes with changesOf")
    if options.analysis is not None:
        from logdump.spark.source.analysis_choice import check_choice  # noqa: PLC0415 - few reads need analyses

        check_choice(options)
    if options.params:
        from logdump.spark.source.parameter_files import with_absolute_parameters  # noqa: PLC0415 - few reads have some

        options = with_absolute_parameters(options)
    if options.source_defs is None:
        return options
    from logdump.spark.source.source_definitions import with_absolute_definitions  # noqa: PLC0415 - few reads need it

    return with_absolute_definitions(options)


def _check_views(options: Options) -> None:
    unset = Options()
    for name, views in _OF_VIEWS.items():
        if getattr(options, name) != getattr(unset, name) and not any(getattr(options, view) for view in views):
            needed = " or ".join(OPTIONS[view].name for view in views)
            raise BadOption(f"option {OPTIONS[name].name} is of another view: it goes with {needed}")
