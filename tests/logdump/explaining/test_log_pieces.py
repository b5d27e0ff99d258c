"""A log that is looked through piece by piece has the errors that it has when all its lines are read."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from logdump.features.explain import log_pieces
from logdump.features.explain.incidents import Incident, LogFindings, incidents_in
from logdump.features.explain.log_lines import messages_in
from logdump.features.explain.log_pieces import lines_to_read
from tests.searching import Random, examples

_PRODUCT = "Oracle GoldenGate Delivery for Oracle, rep{}.prm:  "
_QUIET = (
    "INFO    OGG-06506  {}Wildcard MAP resolved.",
    "INFO    OGG-02243  {}Opened trail file ./dirdat{}/rt000000067.",
    "WARNING OGG-01003  {}Repositioning to rba {} in seqno 67.",
    "WARNING OGG-00869  {}OCI Error ORA-00001: unique constraint violated.",
    "INFO    OGG-00996  {}REPLICAT started.",
    "INFO    OGG-00994  {}REPLICAT stopped normally.",
)
_ERRORS = (
    "ERROR   OGG-01296  {}Error mapping from A.B to A.B.",
    "ERROR   OGG-02191  {}Incompatible record 101 in ./dirdat/rt000000067, rba {}.",
    "ERROR   OGG-01668  {}PROCESS ABENDING.",
)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of some lines, and a log that is read whole only if it has one or two of them."""
    monkeypatch.setattr(log_pieces, "_PIECE", 1024)
    monkeypatch.setattr(log_pieces, "_WHOLE", 2048)
    monkeypatch.setattr(log_pieces, "_LAST", 2)


def _line(second: int, text: str, random: Random) -> str:
    hours, minutes = 1 + second // 3600, second // 60 % 60
    said = text.format(_PRODUCT.format(random.randrange(3)), random.randrange(1000, 9000))
    below = "".join(f"{' ' * 30}continued {number}\n" for number in range(random.choice((0, 0, 0, 1, 3))))
    return f"2024-03-14T{hours:02}:{minutes:02}:{second % 60:02}.123+0000  {said}\n{below}"


def _log(random: Random, *, errors: int) -> str:
    """A log of some hours with errors here and there, some of them together; some messages it may never have."""
    lines, second = list[str](), 0
    quiet = random.sample(_QUIET, random.randint(1, len(_QUIET)))
    for _ in range(400):
        second += random.choice((0, 1, 1, 5, 20, 61))
        lines.append(_line(second, random.choice(quiet), random))
        if random.random() < errors / 400:
            for _ in range(random.choice((1, 1, 2))):
                second += random.choice((0, 1, 59, 60, 61))
                lines.append(_line(second, random.choice(_ERRORS), random))
    return "".join(lines)


def _errors(incidents: Iterator[Incident]) -> list[Incident]:
    return sorted((incident for incident in incidents if incident.is_error), key=repr)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
def test_errors_are_those_of_all_lines_with_the_messages_around_them(encoding: str) -> None:
    random = Random(f"pieces {encoding}")
    for _ in range(examples(12)):
        text = _log(random, errors=random.choice((1, 3, 30)))
        looked = _errors(incidents_in(messages_in(lines_to_read(io.BytesIO(text.encode(encoding))))))
        assert looked == _errors(incidents_in(messages_in(text.splitlines())))


def test_the_last_start_and_stop_of_each_process_is_that_of_all_lines() -> None:
    """However much is written after it, and whether that has errors; whether or not others are written beside it."""
    random = Random("last starts")
    for said in ("", *_QUIET, *[""] * examples(12)):
        noise = _line(0, "INFO    OGG-99999  {}Nothing.", random) * random.choice((10, 100, 1000))
        log = _log(random, errors=random.choice((1, 3, 30))) if not said else _line(0, said, random) + noise
        text = log + noise + _line(0, _ERRORS[0], random) + noise
        looked = LogFindings(messages_in(lines_to_read(io.BytesIO(text.encode()))))
        whole = LogFindings(messages_in(text.splitlines()))
        assert (looked.starts, looked.stops) == (whole.starts, whole.stops)


_PLACE = "INFO    OGG-00987  {}Read, rba {} in seqno 66."


@pytest.mark.parametrize("near", ["", "warning", "place", "warning place"])
@pytest.mark.parametrize("far", ["warning", "place", "warning place"])
def test_what_was_passed_over_before_an_error_is_no_later_than_what_was_read_with_it(far: str, near: str) -> None:
    """Of a piece far before an error and of those around it: what is last, and the last start and stop."""
    random = Random(f"{far}, {near}")
    texts, noise = {"warning": _QUIET[2], "place": _PLACE}, _line(0, "INFO    OGG-99999  {}Nothing.", random) * 30
    for error in (*_ERRORS, "ERROR   OGG-99998  {}Unknown.", ""):
        for _ in range(examples(20)):
            parts = list[str]()
            for second, kinds in ((300, far.split()), (600, near.split())):
                said = [*(texts[kind] for kind in kinds), *random.sample(_QUIET[4:], random.randint(1, 2))]
                random.shuffle(said)
                parts += (noise, *(_line(second, text, random) for text in said))
            rest = noise[: len(noise) // 30] * random.randint(4, 40)
            text = "".join((*parts, _line(600, error, random) if error else "", rest))
            looked = LogFindings(messages_in(lines_to_read(io.BytesIO(text.encode()))))
            whole = LogFindings(messages_in(text.splitlines()))
            assert (looked.starts, looked.stops) == (whole.starts, whole.stops), text
            assert (looked.last and looked.last.main) == (whole.last and whole.last.main), text


@pytest.mark.parametrize("begins_with", ["error", "filler"])
def test_messages_near_an_error_are_whole_wherever_the_part_that_is_read_whole_ends(begins_with: str) -> None:
    """The error stands in that part, and the messages after it go on beyond its end, some in the middle of one."""
    random, fillers = Random(begins_with), {"error": 0, "filler": 700}
    for shift in range(0, 300, 7):
        filler = _line(0, f"INFO    OGG-99999  {{}}{'x' * (shift + fillers[begins_with])}", random)
        after = (f"{_line(610 + number, _QUIET[0], random)}{' ' * 30}below {number}\n" * 2 for number in range(30))
        text = f"{filler}{_line(600, _ERRORS[0], random)}{''.join(after)}"
        text += _line(3000, "INFO    OGG-99999  {}Nothing.", random) * 50
        looked = _errors(incidents_in(messages_in(lines_to_read(io.BytesIO(text.encode())))))
        assert looked == _errors(incidents_in(messages_in(text.splitlines()))), text


def test_most_of_a_log_with_few_errors_is_passed_over() -> None:
    random = Random("passed over")
    quiet, error = _log(random, errors=0), _line(60_000, _ERRORS[0], random)
    lines = [*lines_to_read(io.BytesIO((quiet + error + quiet).encode()))]
    assert None in lines
    assert len(lines) < len((quiet + quiet).splitlines()) / 2
    assert error.splitlines()[0] in lines


@pytest.mark.parametrize("last", ["warning", "place"])
def test_a_log_without_errors_has_its_last_warning_else_its_last_place(last: str) -> None:
    """Of three of them, far before the end; all else is passed over."""
    random = Random(last)
    noise = _line(0, "INFO    OGG-99999  {}Nothing.", random) * 100
    text = {"warning": _QUIET[2], "place": "INFO    OGG-00987  {}Read, rba {} in seqno 66."}[last]
    said = [_line(number, text, random) for number in range(3)]
    log = "".join(f"{noise}{line}" for line in said) + noise
    lines = [*lines_to_read(io.BytesIO(log.encode()))]
    assert len(lines) < len(log.splitlines()) / 4
    findings = LogFindings(messages_in(iter(lines)))
    assert findings.last is not None
    assert findings.last.main.text.splitlines()[0] == said[-1].splitlines()[0]


def test_a_line_without_an_end_is_cut_and_the_next_one_is_read() -> None:
    random = Random("long line")
    error = _line(0, _ERRORS[1], random)
    for filler in (b"x", b"\xff", b"\r", b'{"a":[', b"\xe6\x9d\xb1"):
        log = filler * 50_000 + b"\n" + error.encode()
        lines = [line for line in lines_to_read(io.BytesIO(log)) if line is not None]
        assert max(map(len, lines)) <= 4096
        assert error.splitlines()[0] in lines
