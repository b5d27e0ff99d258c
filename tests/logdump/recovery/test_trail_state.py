"""One verdict on a trail: CHECK, RECOVERY, DOCTOR and the start page find what the trail was made with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from logdump.features.recovery.model import TrailState
from logdump.tui.reading.messages import ListedTrail, TrailsListed
from logdump.tui.reading.start_page import StartPage, StartPlace
from tests.logdump.program import logdump
from tests.logdump.recovery.surveys import surveyed
from tests.searching import Random, examples
from tests.simulated.trail_faults import KINDS, Expected, Faulty, headed, restart, transaction
from trailformat import make_file_header, make_file_header_record
from trailformat.records.file_header import SIGNATURE, Value


def told(state: TrailState) -> Expected:
    """A state in the terms of the model."""
    return Expected(
        state.damaged,
        [gap.first.name for gap in state.gaps],
        state.lost,
        state.restarts,
        state.begins_missing,
        [(mismatch.path.name, mismatch.field, mismatch.is_short) for mismatch in state.mismatches],
        [path.name for path in state.left_open],
    )


def listed(folder: Path) -> ListedTrail:
    """The trail of the folder on the start page, once it is read."""
    reports: list[Any] = []
    page = StartPage(reports.append)
    page.read(StartPlace((str(folder),)))
    while not page.is_idle:
        pass
    page.close()
    last = reports[-1]
    assert isinstance(last, TrailsListed)
    (trail,) = last.trails
    return trail


def answered(*words: str) -> tuple[int, list[dict[str, Any]]]:
    answer = logdump(*words, "--format", "jsonl")
    return answer.status, [json.loads(line) for line in answer.out.splitlines()]


def drawn(seed: int) -> list[str]:
    """Kinds of faults for the files of a trail: missing ones are neither first, last nor beside each other."""
    random = Random(seed)
    kinds = [random.choice(KINDS) for _ in range(random.randint(2, 6))]
    kinds[-1] = random.choice(("none", "cut", "headless", "damage"))
    for number, kind in enumerate(kinds):
        if kind == "missing" and (not number or kinds[number - 1] == "missing"):
            kinds[number] = "none"
    return kinds


ALONE = [["none", kind, "none"] for kind in KINDS]
"""Each kind once."""


@pytest.mark.parametrize("kinds", [*ALONE, *(drawn(seed) for seed in range(examples(100)))], ids="-".join)
def test_a_trail_has_one_verdict(kinds: list[str], tmp_path: Path) -> None:
    expected = Faulty(tmp_path, Random(str(kinds)), kinds).expected
    state = surveyed(sorted(tmp_path.iterdir())).state
    assert (told(state), state.status) == (replace(expected, repeated=0), expected.status)

    status, (*_, checked) = answered("check", str(tmp_path / "ff"))
    (trail,) = checked["trails"]
    assert status == expected.status
    assert [trail[name] for name in ("damaged", "lost", "restarts", "begins_missing")] == [
        expected.damaged,
        expected.lost,
        expected.restarts,
        expected.begins_missing,
    ]
    mismatches = [(Path(found["file"]).name, found["field"], found["short"]) for found in trail["mismatches"]]
    assert mismatches == expected.mismatches
    assert [Path(gap["first"]).name for gap in trail["gaps"]] == expected.missing

    status, objects = answered("recovery", str(tmp_path / "ff"))
    (recovery,) = [found for found in objects if found["type"] == "recovery"]
    assert (status, recovery["damaged"]) == (expected.status, expected.damaged)
    assert recovery["partial"] == (expected.status == 4)
    assert recovery["left_open"] == trail["left_open"]

    status, (doctor,) = answered("doctor", str(tmp_path / "ff"))
    severities = [finding["severity"] for finding in doctor["findings"]]
    assert status == expected.status
    assert severities.count("damage") == expected.damaged + len(expected.missing) + len(expected.mismatches)
    assert severities.count("warning") == expected.lost + expected.begins_missing
    assert severities.count("note") == expected.restarts + expected.repeated + len(expected.left_open)

    assert listed(tmp_path).state == state


def test_the_words_of_a_state_name_what_is_missing_first(tmp_path: Path) -> None:
    Faulty(tmp_path, Random(1), ["none", "missing", "cut", "open", "headless", "short", "none"])
    assert listed(tmp_path).state is not None
    state = listed(tmp_path).state
    assert state is not None
    assert state.words == [
        "missing ff000000001",
        "1 contradicted header",
        "1 headless transaction",
        "1 lost transaction",
        "1 restart",
        "1 file not closed",
    ]


def written(folder: Path, *files: tuple[list[bytes], str | None]) -> list[Path]:
    paths = [folder / f"ff{number:09}" for number in range(len(files))]
    for number, (records, last_csn) in enumerate(files):
        paths[number].write_bytes(headed(number, b"".join(records), last_csn))
    return paths


@pytest.mark.parametrize("last_csn", ["11", "12"])
def test_the_last_csn_of_a_file_may_be_that_of_the_transaction_that_goes_on(last_csn: str, tmp_path: Path) -> None:
    over = transaction(12, 4)
    files = ([*transaction(10, 1), *transaction(11, 2), *over[:2]], last_csn), ([*over[2:], *transaction(13, 1)], None)
    assert surveyed(written(tmp_path, *files)).state == TrailState(trail=str(tmp_path / "ff"))


@pytest.mark.parametrize(
    ("last_csn", "field"), [("10", "LastCSN"), ("13", "LastCSN"), ("0", "LastCSN"), ("binlog.1:7", None), ("x", None)]
)
def test_another_last_csn_than_these_is_a_mismatch(last_csn: str, field: str | None, tmp_path: Path) -> None:
    over = transaction(12, 4)
    files = ([*transaction(9, 1), *transaction(11, 2), *over[:2]], last_csn), ([*over[2:]], None)
    state = surveyed(written(tmp_path, *files)).state
    assert [mismatch.field for mismatch in state.mismatches] == ([field] if field else [])


def test_a_file_of_the_middle_of_a_transaction_has_no_csn_of_its_own(tmp_path: Path) -> None:
    over = transaction(12, 6)
    files = (over[:2], "12"), (over[2:4], "12"), (over[4:], None)
    assert surveyed(written(tmp_path, *files)).state == TrailState(trail=str(tmp_path / "ff"))


def first_of_first(over: list[bytes]) -> tuple[list[bytes], ...]:
    return [*over[2:], *transaction(12, 2)], transaction(13, 1)


def behind_another(over: list[bytes]) -> tuple[list[bytes], ...]:
    return [*transaction(10, 1), *over[1:]], transaction(13, 1)


def at_the_head_of_the_next(over: list[bytes]) -> tuple[list[bytes], ...]:
    return transaction(10, 2), [*over[1:], *transaction(13, 1)]


def its_middle_alone(over: list[bytes]) -> tuple[list[bytes], ...]:
    return [*transaction(10, 2), over[1], *transaction(13, 1)], transaction(14, 1)


def behind_a_restart(over: list[bytes]) -> tuple[list[bytes], ...]:
    return [restart(), *over[1:], *transaction(13, 1)], transaction(14, 1)


def after_damage(over: list[bytes]) -> tuple[list[bytes], ...]:
    return [*transaction(10, 1), b"\xee" * 20, *over[1:]], transaction(13, 1)


def open_at_the_end(over: list[bytes]) -> tuple[list[bytes], ...]:
    return transaction(10, 2), [*transaction(11, 1), over[1]]


@pytest.mark.parametrize(
    ("kind", "number"),
    [
        (first_of_first, 0),
        (behind_another, 1),
        (at_the_head_of_the_next, 1),
        (its_middle_alone, 1),
        (behind_a_restart, 1),
        (after_damage, 0),
        (open_at_the_end, 1),
    ],
)
def test_a_beginning_is_missing_wherever_something_is_before_it(
    kind: Callable[[list[bytes]], tuple[list[bytes], ...]], number: int, tmp_path: Path
) -> None:
    survey = surveyed(written(tmp_path, *((records, None) for records in kind(transaction(12, 4)))))
    assert (survey.state.begins_missing, survey.incomplete) == (number, 1 - number)


def test_behind_a_file_that_is_no_trail_a_piece_is_what_that_file_had(tmp_path: Path) -> None:
    over = transaction(12, 4)
    paths = written(tmp_path, (transaction(10, 2), None), (over[:2], None), ([*over[2:], *over[1:]], None))
    paths[1].write_bytes(b"no trail")
    survey = surveyed(paths)
    assert (survey.state.begins_missing, survey.incomplete) == (1, 1)


@pytest.mark.parametrize(
    ("lost", "why"),
    [
        (None, "1 transaction not whole, begun before the first file."),
        (1, "2 transactions not whole, by missing files or begun before the first file."),
        (0, "1 transaction not whole, begun before the first file."),
    ],
)
def test_only_what_the_first_file_begins_with_has_begun_before_it(lost: int | None, why: str, tmp_path: Path) -> None:
    over, other = transaction(9, 3), transaction(12, 4)
    files = ([*over[1:], *transaction(10, 1)], "10"), ([*transaction(11, 1), *other[:2]], "12"), (other[2:], None)
    paths = written(tmp_path, *files)
    if lost is not None:
        paths[lost].unlink()
    shown = logdump("recovery", str(tmp_path / "ff")).out
    if lost == 0:
        assert "not whole" not in shown
        paths[1].unlink()
        shown = logdump("recovery", str(tmp_path / "ff")).out
    elif lost == 1:
        assert "Missing: " in shown
    assert why in shown


def test_behind_a_missing_file_a_piece_is_what_the_file_had(tmp_path: Path) -> None:
    over = transaction(12, 4)
    paths = written(tmp_path, (transaction(10, 2), None), (over[:2], None), ([*over[2:], *transaction(13, 1)], None))
    paths[1].unlink()
    survey = surveyed([paths[0], paths[2]])
    assert (survey.state.begins_missing, survey.incomplete) == (0, 1)


@pytest.mark.parametrize(
    ("values", "is_left_open"),
    [
        ({"FileSize": None, "LastCSN": None}, True),
        ({"LastCSN": None}, True),
        ({"FileSize": None}, True),
        ({"FileSize": None, "LastCSN": "10"}, False),
        ({}, False),
    ],
)
def test_a_file_is_left_open_if_no_value_of_its_end_is_set(
    values: dict[str, Value], *, is_left_open: bool, tmp_path: Path
) -> None:
    head = make_file_header_record(make_file_header({"TrailInfo": {"Signature": SIGNATURE, **values}}))
    paths = written(tmp_path, (transaction(10, 1), None), (transaction(11, 1), None))
    paths[0].write_bytes(b"".join([head.raw, *transaction(10, 1)]))
    assert surveyed(paths).state.left_open == ((paths[0],) if is_left_open else ())


@pytest.mark.parametrize("rest", [b"", b"\xee" * 20, transaction(12, 1)[0][:-5]])
def test_a_closed_file_lacks_its_end_whatever_is_left_of_its_last_record(rest: bytes, tmp_path: Path) -> None:
    (path,) = written(tmp_path, ([*transaction(10, 2), *transaction(11, 3), *transaction(12, 1)], "12"))
    last = transaction(12, 1)[0]
    path.write_bytes(path.read_bytes()[: -len(last)] + rest)
    mismatches = [(found.field, found.is_short) for found in surveyed([path]).state.mismatches]
    assert mismatches == [("FileSize", True), ("LastCSN", True)]


@pytest.mark.parametrize("middle", ["missing", "not asked for", "both"])
def test_files_that_were_not_asked_for_are_no_damage(middle: str, tmp_path: Path) -> None:
    """Of five sound files the first, the third and the last are asked for; between them files are missing or not."""
    for number in range(5):
        body = b"".join(transaction(10 + number, 2))
        (tmp_path / f"lt{number:09}").write_bytes(headed(number, body, str(10 + number)))
    asked = [tmp_path / f"lt{number:09}" for number in (0, 2, 4)]
    gone = {"missing": (1, 3), "not asked for": (), "both": (Random(middle).choice((1, 3)),)}[middle]
    for number in gone:
        (tmp_path / f"lt{number:09}").unlink()
    is_missing = {number: number in gone for number in (1, 3)}
    expected = {
        f"{'Missing' if is_gone else 'Not asked for'}: {tmp_path}/lt{n:09}." for n, is_gone in is_missing.items()
    }
    for verb in ("check", "recovery"):
        answer = logdump(verb, *map(str, asked))
        assert expected <= {f"{line.split('. ')[0]}." for line in answer.out.splitlines()}, answer
        assert answer.status == (4 if gone or verb == "recovery" else 0), answer
    findings = logdump("doctor", *map(str, asked)).out
    for number, is_gone in is_missing.items():
        assert f"{'missing' if is_gone else 'not asked for'}: lt{number:09}" in findings
    assert ("!!" in findings) is bool(gone)
    said = logdump("recovery", *map(str, asked)).err.lower()
    for word, number in {"missing": len(gone), "not asked for": 2 - len(gone)}.items():
        assert (f"files {word} at {number} place" in said) is bool(number), said
