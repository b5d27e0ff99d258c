"""What is to be said of the answers of other commands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from logdump.features.check.model import CheckShown, GapShown
from logdump.features.doctor.model import Finding, LoneBeforeImages, Severity, TableImages
from logdump.features.heartbeat.model import PathLagShown
from logdump.features.recovery.model import (
    CutShown,
    OrderBreakShown,
    ProducerChangeShown,
    RecoveryShown,
    RestartShown,
    SecondCopyShown,
    TransactionRef,
)
from logdump.notation.text import amount
from trailformat.trail.sequence import Spot


def findings_of(events: list[Any]) -> tuple[Finding, ...]:
    """The findings in the events of CHECK, RECOVERY and HEARTBEAT, and about images; the heaviest first."""
    found: list[Finding] = []
    for event in events:
        if (rule := _RULES.get(type(event))) is not None:
            found += rule(event)
    order = list(Severity)
    return tuple(sorted(found, key=lambda finding: order.index(finding.severity)))


def _gap(gap: GapShown) -> Iterator[Finding]:
    text = f"damage, {gap.length} bytes: {gap.error.problem}"
    yield Finding(Severity.DAMAGE, text, Spot(gap.path, gap.rba), f"CHECK {gap.path}")


def _check(check: CheckShown) -> Iterator[Finding]:
    for path in check.encrypted:
        yield Finding(Severity.NOTE, "record data looks encrypted", Spot(path, 0), f"CHECK {path}")
    if check.undefined:
        text = f"{amount(check.undefined, 'record')} of tables whose definition is not there"
        yield Finding(Severity.WARNING, text, None, "CHECK")


def _recovery(shown: RecoveryShown) -> Iterator[Finding]:
    for gap in shown.gaps:
        yield Finding(Severity.DAMAGE, f"missing: {gap.first.name} to {gap.last.name}", Spot(gap.behind, 0), "RECOVERY")
    for path in shown.unreadable:
        yield Finding(Severity.DAMAGE, "no trail file", Spot(path, 0), f"CHECK {path}")
    if shown.open is not None:
        place = shown.open.begin
        yield Finding(Severity.NOTE, f"open at the end: {_transaction(shown.open)}", place, _safe(place))
    if shown.half_record is not None:
        yield Finding(Severity.NOTE, "a record is half written: more may follow", shown.half_record, "FOLLOW")


def _restart(shown: RestartShown) -> Iterator[Finding]:
    kind = {
        "abend": "Extract abended and was restarted",
        "ok": "Extract was restarted",
        "rollover": "Extract was restarted into a new file",
    }[shown.kind]
    yield Finding(Severity.NOTE, kind, shown.spot, "RECOVERY RESTARTS")
    if shown.cut is not None:
        yield from _cut(CutShown(shown.cut, shown.again, shown.is_partial))


def _cut(shown: CutShown) -> Iterator[Finding]:
    severity = Severity.NOTE if shown.again is not None else Severity.WARNING
    again = "a whole copy follows" if shown.again is not None else "no whole copy follows"
    text = f"cut: {_transaction(shown.cut)}; {again}"
    yield Finding(severity, text, shown.cut.begin, "RECOVERY CUT")


def _second_copy(shown: SecondCopyShown) -> Iterator[Finding]:
    text = f"twice: transaction {shown.xid}, CSN {shown.csn}"
    yield Finding(Severity.WARNING, text, shown.copy.begin, "RECOVERY TWICE")


def _order(shown: OrderBreakShown) -> Iterator[Finding]:
    text = f"CSN {shown.csn} after {shown.greatest}: {amount(shown.transactions, 'transaction')} out of order"
    yield Finding(Severity.WARNING, text, shown.spot, "RECOVERY ORDER")


def _producer(shown: ProducerChangeShown) -> Iterator[Finding]:
    member = "format" if shown.member == "TrailInfo.Compatibility" else shown.member
    text = f"{member} changes from {shown.before} to {shown.after}"
    yield Finding(Severity.NOTE, text, Spot(shown.path, 0), "RECOVERY FILES")


def _path_lag(shown: PathLagShown) -> Iterator[Finding]:
    for gap in shown.lag.gaps:
        yield Finding(Severity.WARNING, f"{amount(gap.beats, 'heartbeat')} missing", None, "HEARTBEAT GAPS")


def _images(images: TableImages) -> Iterator[Finding]:
    for lack in images.lacks:
        records = amount(lack.records, "record")
        text = (
            f"{images.table}: {records} of {lack.op} without the key column{'s' * (len(lack.columns) > 1)} "
            f"{', '.join(lack.columns)}: supplemental logging is not complete (ADD TRANDATA)"
        )
        yield Finding(Severity.WARNING, text, lack.spot, _listed(lack.spot))


def _lone_before_images(lone: LoneBeforeImages) -> Iterator[Finding]:
    for spot in lone.spots:
        text = "before image of an update that no after image follows"
        yield Finding(Severity.WARNING, text, spot, _listed(spot))
    if lone.number > len(lone.spots):
        text = f"{lone.number - len(lone.spots)} more before images that no after image follows"
        yield Finding(Severity.WARNING, text, None, "LIST")


def _transaction(ref: TransactionRef) -> str:
    return f"transaction {ref.xid or '(no XID)'}, CSN {ref.csn or '(none)'}, {amount(ref.records, 'record')}"


def _listed(place: Spot) -> str:
    return f"OPEN {place.path}; POSITION {place.rba}; LIST 2"


def _safe(place: Spot | None) -> str:
    return f"SAFE {place.rba}" if place is not None else "RECOVERY"


_RULES: dict[type, Callable[[Any], Iterator[Finding]]] = {
    GapShown: _gap,
    CheckShown: _check,
    RecoveryShown: _recovery,
    RestartShown: _restart,
    CutShown: _cut,
    SecondCopyShown: _second_copy,
    OrderBreakShown: _order,
    ProducerChangeShown: _producer,
    PathLagShown: _path_lag,
    TableImages: _images,
    LoneBeforeImages: _lone_before_images,
}
