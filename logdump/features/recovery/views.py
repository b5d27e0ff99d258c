"""View ``restarts``: the restarts of Extract that RECOVERY finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from logdump.arrow.records.schema import BIGINT, INT, STRING, TIMESTAMP, mapping
from logdump.display.json_shape import PLACE, columns_of, struct_of
from logdump.features.recovery.json import DIFFERENCE, RESTART, TRANSACTION_REF
from logdump.tables.analysis import Analysis
from logdump.tables.errors import report
from trailformat.scan import Workers

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row
    from logdump.tables.analysed_trail import AnalysedTrail

_PLACE = {"place": struct_of(PLACE, {"seqno": INT})}
_PARTS = {
    "transaction_ref": struct_of(TRANSACTION_REF, {**_PLACE, "object": mapping(STRING, BIGINT)}),
    "first_difference": struct_of(DIFFERENCE, _PLACE),
}


def _restart_rows(trail: AnalysedTrail) -> Iterator[Row]:
    """Yield the restarts in the files read; cut transactions and their copies are found in the whole trail."""
    from logdump.features.recovery.report import RecoveryReport  # noqa: PLC0415 - SQL names the views before it needs numpy
    from logdump.features.recovery.survey import Survey  # noqa: PLC0415 - SQL names the views before it needs numpy

    survey = Survey(trail.whole)
    with Workers() as workers:
        for batch in survey.run(workers):
            trail.check(batch)
    trail.check_files()
    if not survey.restarts.is_listed:
        number, listed = survey.restarts.number, len(survey.restarts.listed)
        report(f"{trail.whole.paths[0]}: only the first {listed} of {number} restarts are rows")
    for shown in RecoveryReport(survey).restarts():
        if shown.position.path in trail.paths:
            yield RESTART.build(shown)


RESTARTS = Analysis(
    "restarts",
    "each restart of Extract, with the transaction that it cut and the whole copy of that",
    columns_of(RESTART, {**_PLACE, **_PARTS, "time": TIMESTAMP}),
    _restart_rows,
)


VIEWS = (RESTARTS,)
