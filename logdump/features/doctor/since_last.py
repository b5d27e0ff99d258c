"""DOCTOR SINCE: the problems of a trail that are new since the last run with the same state file."""

from __future__ import annotations

import re
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

_NUMBER = re.compile(r"(?<![\w.$#])\d[\d,]*(?![\w.$#])(?: (?:records?|more bad rows?)\b)?")
"""A number that is no part of a name, with the noun that it may make a plural."""
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
        new = tuple(finding for finding in problems if counts[key := _key(finding)] > (known or {}).get(key, -1))
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


def _key(finding: Finding) -> str:
    """Return what makes a finding the same in two runs: its place, unless it adds up what is in many places."""
    if finding.number is not None:
        return f"{finding.severity.value} {_NUMBER.sub('#', finding.text)}"
    place = "" if finding.position is None else f"{finding.position.path.absolute()}:{finding.position.rba} "
    return f"{finding.severity.value} {place}{finding.text}"


def _kept(findings: Iterable[Finding]) -> dict[str, int]:
    """Return findings with their counts; of several with one name, the sum."""
    counts: dict[str, int] = {}
    for finding in findings:
        counts[_key(finding)] = counts.get(_key(finding), 0) + (finding.number or 0)
    return counts
