"""DOCTOR SINCE: the problems of a trail that are new since the last run with the same state file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from logdump.display.text import Severity
from logdump.features.doctor.model import DoctorShown, Finding, NewFindings
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.state_file import StateFile
from trailformat.trail.sequence import TrailName

_TRAILS = "trails"


def new_findings(examined: Generator[Event, None, DoctorShown], path: Path) -> Iterator[Event]:
    """Yield the new problems of a trail, a notice in a first run, and nothing if none is new.

    ``examined`` yields the progress of the examination, and returns its results. The state is written at the end, so
    that an examination that is stopped counts for nothing.

    Raises:
        CommandError: the state is no regular file, cannot be read, or is used by another process.
        CannotWrite: the state cannot be written.
    """
    file = StateFile(path, "doctor")
    with file.locked():
        state = file.read()
        shown = yield from examined
        name = _name_of(shown.paths, shown.title)
        trails = state.values.get(_TRAILS)
        trails = trails if isinstance(trails, dict) else {}
        last = trails.get(name)
        known = _counts(last)
        before = str(last["time"]) if known is not None and last else None
        problems = [finding for finding in shown.findings if finding.severity is not Severity.NOTE]
        counts = _kept(problems)
        grown = {key for key, count in counts.items() if count > (known or {}).get(key, -1)}
        new = tuple(finding for finding in problems if grown.intersection(_counted(finding)))
        now = datetime.now(UTC).isoformat(" ", "seconds").removesuffix("+00:00")
        own = {"time": now, "findings": counts}
        if known is None:
            why = state.problem or "it has nothing of this trail"
            yield Notice((f"{path}: {why}: this is the first run for {shown.title}.",), ExitStatus.OK)
        if new:
            yield NewFindings(shown.title, before, new)
        file.write({_TRAILS: {**trails, name: own}})


def _name_of(paths: tuple[Path, ...], title: str) -> str:
    """Return the name of a trail in the state: the folder and prefix of its files; of a file of no trail its path."""
    if not paths:
        return title
    name = TrailName.parse(paths[0])
    return str((name.trail if name is not None else paths[0]).absolute())


def _counts(last: Any) -> dict[str, int] | None:
    """Return the findings of the last run and their counts; None if there was none."""
    findings = last.get("findings") if isinstance(last, dict) and "time" in last else None
    if not isinstance(findings, dict):
        return None
    return {name: count for name, count in findings.items() if isinstance(count, int)}


def _counted(finding: Finding) -> dict[str, int]:
    """Return what makes a finding the same in two runs, with counts: its place, or what it adds up of many places."""
    severity = finding.severity.value
    if finding.counts:
        return {f"{severity} {what}": count for what, count in finding.counts}
    place = "" if finding.position is None else f"{finding.position.path.absolute()}:{finding.position.rba} "
    return {f"{severity} {place}{finding.text}": 0}


def _kept(findings: Iterable[Finding]) -> dict[str, int]:
    """Return what findings count, by name; of several with one name, the sum."""
    counts = Counter[str]()
    for finding in findings:
        counts.update(_counted(finding))
    return dict(counts)
