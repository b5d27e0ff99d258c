"""Options of a read, checked against each other, with the files that they name."""

from __future__ import annotations

from logdump.spark.errors import BadOption
from logdump.spark.source.options import Options


def checked(options: Options) -> Options:
    """The options with absolute paths.

    Raises:
        BadOption: a file that they name cannot be read, or one takes away what an analysis needs.
    """
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
