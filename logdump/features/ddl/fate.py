"""The statements of a trail that a Replicat does not apply: copies, those after damage, those of cut transactions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.parameters.model import ProcessSide
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.not_applied import NotApplied, is_last_at
from trailformat.transactions.whole_trail import WholeTrail


class Fate(NamedTuple):
    """The outcome of a statement that a Replicat does not reach, and the reason."""

    outcome: Outcome
    reason: str


class StatementFates:
    """Decides which statements a Replicat reaches; a trail is read when a statement of it is first asked for.

    Args:
        whole: the trail of the files; None: each file belongs to the trail around it.
    """

    def __init__(self, whole: WholeTrail | None = None) -> None:
        self._whole = whole
        self._known: dict[Path, NotApplied] = {}

    def judged(self, results: Iterable[DdlEvaluated], path: Path, rba: int) -> Iterator[DdlEvaluated]:
        """Yield the results of the statement at a position; of a Replicat that does not reach it, that alone."""
        for result in results:
            fate = self._fate(FilePosition(path, rba)) if result.side is ProcessSide.REPLICAT else None
            if fate is None:
                yield result
                continue
            yield DdlEvaluated(
                *(result.side, fate.outcome, result.operation, result.object_type, result.title),
                *(result.base, result.derived, None),
                reason=fate.reason,
                target=result.target,
                trail=result.trail,
            )

    def _fate(self, position: FilePosition) -> Fate | None:
        not_applied = self._not_applied(position.path)
        ranges = not_applied.of(position.path)
        if not ranges.hold(position.rba):
            return None
        first = not_applied.first_copy(position)
        if first is not None:
            where = f"RBA {first.rba}" if first.path == position.path else f"RBA {first.rba} of {first.path.name}"
            return Fate(Outcome.COPY, f"the trail has it whole at {where}, a Replicat skips this copy")
        if not_applied.is_after_damage(position):
            return Fate(Outcome.NOT_APPLIED, "after damage, where Replicat abends")
        if is_last_at(ranges, position.rba):
            return Fate(Outcome.COPY, "the trail has it whole before, a Replicat skips this copy")
        return Fate(Outcome.NOT_APPLIED, "its transaction is not whole, a Replicat drops it")

    def _not_applied(self, path: Path) -> NotApplied:
        if path not in self._known:
            whole = self._whole or WholeTrail.around(path)
            not_applied = NotApplied(whole)
            self._known.update(dict.fromkeys((*whole.paths, path), not_applied))
        return self._known[path]
