"""What happened to processes, by drawn messages: which are of one incident, which says what happened, which is last."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from logdump.features.explain import incidents
from logdump.features.explain.incidents import Incident, LogFindings, incidents_in
from logdump.features.explain.log_lines import LogMessage
from logdump.features.explain.places import MessagePlace
from tests.searching import Random, examples

_CAUSE, _FRAME, _OTHER, _START = "OGG-01088", "OGG-01668", "OGG-99999", "OGG-00996"
_PLACE = "rba {} in seqno 67"
_BEGUN = datetime(2024, 3, 14, 9, tzinfo=UTC)


def _drawn(random: Random) -> list[LogMessage]:
    moment, messages = _BEGUN, []
    for number in range(random.randint(1, 25)):
        moment += timedelta(seconds=random.choice((0, 1, 1, 2, 20, 59, 60, 61, 200)))
        code = random.choice((_CAUSE, _FRAME, _OTHER, _OTHER, None))
        severity = random.choice(("ERROR", "WARNING", "INFO"))
        if random.random() < 0.2:
            code, severity = _START, "INFO"
        # a place of a message without a number is none
        text = _PLACE.format(1000 + number) if code is not None and random.random() < 0.3 else f"message {number}"
        process = random.choice(("EXT1", "REP1", "REP2"))
        messages.append(LogMessage(code, severity, f"{moment:%Y-%m-%dT%H:%M:%S}", process, text))
    return messages


def _seconds(first: LogMessage, second: LogMessage) -> float:
    return (second.moment or 0) - (first.moment or 0)


def _groups(messages: list[LogMessage]) -> list[list[LogMessage]]:
    """The messages of each incident of a process: errors a minute apart at most, without a start between."""
    errors = [at for at, message in enumerate(messages) if message.severity == "ERROR"]
    runs: list[list[int]] = []
    for before, at in pairwise([-1, *errors]):
        is_one = before >= 0 and _seconds(messages[before], messages[at]) <= 60
        if is_one and not any(message.code == _START for message in messages[before : at + 1]):
            runs[-1].append(at)
        else:
            runs.append([at])
    groups, end = [], 0
    for run in runs:
        first, last = run[0], run[-1]
        starts = [at for at in range(end, first) if messages[at].code == _START]
        begin = max([end, *starts])
        near = [at for at in range(begin, first) if _seconds(messages[at], messages[first]) <= 60]
        end = last + 1
        while end < len(messages) and messages[end].code != _START and _seconds(messages[last], messages[end]) <= 60:
            end += 1
        groups.append([messages[at] for at in (*near, *range(first, end))])
    return groups


_RULES: tuple[Callable[[LogMessage], int], ...] = (
    lambda message: message.code not in (None, _FRAME),
    lambda message: {"ERROR": 2, "WARNING": 1}.get(message.severity or "", 0),
    lambda message: message.text.startswith("rba"),
    lambda message: message.code in (_CAUSE, _FRAME),
)
"""By what the message is chosen that says what happened, the first rule before the second."""


def _main(messages: list[LogMessage]) -> LogMessage:
    left = messages
    for rule in _RULES:
        best = max(map(rule, left))
        left = [message for message in left if rule(message) == best]
    return left[-1]


def _is_about_a_trail(incident: Incident) -> bool:
    return incident.main.code == _CAUSE or any(message.text.startswith("rba") for message in incident.messages)


@pytest.mark.parametrize("case", range(examples(320, short=80)))
def test_each_process_has_its_incidents_and_the_log_its_last_one(case: int) -> None:
    messages = _drawn(Random(case))
    wanted = [
        group
        for process in ("EXT1", "REP1", "REP2")
        for group in _groups([message for message in messages if message.process == process])
    ]
    found = [incident for incident in incidents_in(messages) if incident.is_error]
    assert sorted(map(list, (incident.messages for incident in found)), key=repr) == sorted(wanted, key=repr)
    for incident in found:
        assert incident.main == _main(list(incident.messages))
    findings = LogFindings(messages)
    assert findings.only == (messages[0] if len(messages) == 1 else None)
    about = [incident for incident in found if _is_about_a_trail(incident)]
    if about:
        assert findings.last == about[-1]
    latest = {incident.main.process: incident for incident in found}
    assert findings.by_process == latest
    assert [*findings.by_process.values()] == sorted(latest.values(), key=found.index)
    kinds = findings.tally.kinds()
    keys = [(incident.main.code, incident.main.process if incident.main.code is None else "") for incident in about]
    assert len(kinds) == len(set(keys))
    for kind, key in zip(kinds, sorted(set(keys), key=lambda key: len(keys) - keys[::-1].index(key)), strict=True):
        own = [incident for incident, its in zip(about, keys, strict=True) if its == key]
        assert (kind.code, kind.number, kind.latest) == (key[0] or "", len(own), own[-1])
        assert (kind.first, kind.last) == (own[0].main.time, own[-1].main.time)
        assert kind.processes == tuple(dict.fromkeys(incident.main.process for incident in own))
        others = own[:-1]
        assert (kind.others and (kind.others.number, kind.others.latest)) == (
            (len(others), others[-1]) if others else None
        )


@pytest.mark.parametrize(
    "numbers",
    [(), (0,), (4, 6, 9), (999_998, 999_999, 0), (999_999, 0, 1), (999_999_998, 999_999_999, 0), (999_999_999, 0, 7)],
)
@pytest.mark.parametrize("case", range(3))
def test_places_are_in_the_order_in_which_their_files_were_written(numbers: tuple[int, ...], case: int) -> None:
    """In whatever order a text names them: 0 follows the highest number."""
    places = [MessagePlace(seqno=number) for number in numbers]
    drawn = Random(f"places {case}").sample(places, len(places))
    assert incidents._by_number(drawn) == tuple(places)
