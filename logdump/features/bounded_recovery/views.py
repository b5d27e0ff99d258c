"""View ``open_transactions``: the long transactions that BR finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from logdump.arrow.records.schema import BIGINT, BOOLEAN, DOUBLE, INT, TIMESTAMP, UNSIGNED, RowColumn, struct
from logdump.display.json_shape import PLACE, columns_of, struct_of
from logdump.features.bounded_recovery.json import TRANSACTION
from logdump.features.bounded_recovery.model import BrOptions, with_parameters
from logdump.session.errors import CommandError
from logdump.tables.analysis import Analysis
from logdump.tables.errors import BadOption, BadTrail, report
from logdump.tables.named_files import parameters_of

if TYPE_CHECKING:
    from logdump.arrow.records.objects import Row
    from logdump.features.bounded_recovery.model import LongTransactionShown
    from logdump.tables.analysed_trail import AnalysedTrail
    from trailformat.transactions.extent import Damage

_NEVER = 1 << 62
_SECOND = 1_000_000
_REDO = struct({"log": BIGINT, "position": UNSIGNED})
_OF_REDO = (
    RowColumn("begin_redo", _REDO, "Redo position of its first record; null where the trail has none"),
    RowColumn("end_redo", _REDO, "Redo position of its last record"),
    RowColumn("duration", DOUBLE, "From `begin_high` to `end`, seconds"),
    RowColumn("persisted", BOOLEAN, "Whether a checkpoint of Bounded Recovery writes it to disk"),
    RowColumn("reach", DOUBLE, "How far back a restart reads at most because of it, with Bounded Recovery, seconds"),
)


def _open_rows(trail: AnalysedTrail) -> Iterator[Row]:
    """Yield the long transactions that begin in the files read; times and checkpoints are found in the whole trail."""
    from logdump.features.bounded_recovery.survey import BrSurvey  # noqa: PLC0415 - SQL names the views before it needs numpy

    def see_damage(damage: Damage) -> None:
        trail.damaged_at(damage.path, damage.rba)

    try:
        options = with_parameters(BrOptions(), parameters_of(trail.options))
    except CommandError as error:
        raise BadOption(f"option params: {' '.join(error.lines)}") from None
    survey = BrSurvey(trail.whole, options, {}, see_damage=see_damage)
    try:
        for _ in survey.run(_NEVER):
            pass
    except CommandError as error:
        raise BadTrail(f"{trail.whole.paths[0]}: {' '.join(error.lines)}") from None
    trail.check_files()
    end = survey.end
    if end.listed < end.certain + end.possible:
        number = end.certain + end.possible
        report(f"{trail.whole.paths[0]}: only the first {end.listed} of {number} long transactions are rows")
    for shown in survey.long_transactions:
        if shown.began.position is not None and shown.began.position.path in trail.paths:
            yield {**TRANSACTION.build(shown), **_of_redo(shown)}


def _of_redo(shown: LongTransactionShown) -> Row:
    transaction = shown.began
    return {
        "begin_redo": transaction.place and transaction.place._asdict(),
        "end_redo": transaction.last_place and transaction.last_place._asdict(),
        "duration": None if transaction.end is None else (transaction.end - transaction.high) / _SECOND,
        "persisted": shown.persisted,
        "reach": shown.reach / _SECOND,
    }


_TIMES = {"begin_low": TIMESTAMP, "begin_high": TIMESTAMP, "end": TIMESTAMP}
OPEN_TRANSACTIONS = Analysis(
    "open_transactions",
    "each transaction that was, or may have been, open for longer than BRINTERVAL: that of `params`, or 4 hours",
    (*columns_of(TRANSACTION, {**_TIMES, "place": struct_of(PLACE, {"seqno": INT})}), *_OF_REDO),
    _open_rows,
)


VIEWS = (OPEN_TRANSACTIONS,)
