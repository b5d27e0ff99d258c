"""A verb reads the files that are named, each once, and no other: of two trails, drawn, with files between them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

from logdump.language.call import Call
from logdump.language.command import Registry
from logdump.language.execute import run_call
from logdump.line.verbs import running
from logdump.session.errors import ExitStatus
from logdump.session.events import Event
from logdump.session.session import Session
from tests.logdump.program import logdump
from tests.searching import SEED, Random
from tests.simulated.trail_faults import headed, transaction

FILES = 5
"""Files of each of the two trails."""
Read = Callable[[list[str]], Counter[str]]


def _csns(lines: list[str]) -> Counter[str]:
    return Counter(found[1] for line in lines if (found := re.search(r"\b(9\d{5})\b", line)))


def _files(words: list[str], *, unit: str) -> Counter[str]:
    """The transactions whose records a verb shows as JSON."""
    answer = logdump(*words, "--format", "jsonl")
    assert answer.status in (0, 3), answer
    lines = [line for line in answer.out.splitlines() if json.loads(line)["type"] == unit]
    return _csns(lines)


def _in_text(*words: str) -> Counter[str]:
    answer = logdump(*words)
    assert answer.status in (0, 3), answer
    return _csns(answer.out.splitlines())


def _of_sql(files: list[str]) -> Counter[str]:
    return _in_text("sql", "select csn from records where csn is not null", *files, "--format", "csv")


READS: dict[str, Read] = {
    "list": lambda files: _files(["list", *files], unit="listed_record"),
    "list as lines": lambda files: _in_text("list", *files),
    "show": lambda files: _files(["show", *files], unit="record"),
    "export": lambda files: _in_text("export", *files, "--format", "jsonl"),
    "sql": _of_sql,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two trails of a transaction a file, whose CSN is 9, the number of the trail, 00, and twice that of the file."""
    for trail, prefix in enumerate(("at", "bt")):
        for number in range(FILES):
            csn = int(f"9{trail}00{number}{number}")
            body = b"".join(transaction(csn, 1)).replace(b"leaf 0", f"{prefix}lea{number}".encode())
            (tmp_path / f"{prefix}{number:09}").write_bytes(headed(number, body, None))
    return tmp_path


def _named(random: Random, case: int) -> list[str]:
    """Some files in drawn order: of one trail, with a hole; with two holes; of both trails, one with a hole."""
    hole = random.randrange(1, FILES - 1)
    first = [
        number for number in range(FILES) if number != hole and (random.random() < 0.7 or number in (0, FILES - 1))
    ]
    second = random.sample(range(FILES), random.randint(1, 2))
    shapes = [([0, FILES - 1], []), ([0, 1, 3], []), ([0, 2, FILES - 1], second[1:]), (first, second)]
    first, second = shapes[case]
    names = [f"at{number:09}" for number in first] + [f"bt{number:09}" for number in second]
    return random.sample(names, len(names))


@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("case", range(4))
def test_the_named_files_are_read_and_no_other(read: str, case: int, folder: Path) -> None:
    random = Random(f"{read} {case}")
    named = _named(random, case)
    expected = Counter(
        f"9{trail}00{number}{number}"
        for trail, prefix in enumerate(("at", "bt"))
        for number in range(FILES)
        if f"{prefix}{number:09}" in named
    )
    assert READS[read]([str(folder / name) for name in named]) == expected, named


@pytest.mark.parametrize(("numbers", "behind"), [((0, 1, 3), 3), ((0, 2), 2), ((0, 2, 4), 2), ((0, 1, 2, 4), 4)])
@pytest.mark.parametrize(
    "verb", [["export", "-o", "out.jsonl"], ["tail", "--idle", "1"], ["row", "S.T", "K=1"], ["list", "--limit", "3"]]
)
def test_one_reading_of_a_trail_takes_no_files_with_others_between(
    numbers: tuple[int, ...], behind: int, verb: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first behind a hole is named. A missing one is another matter: it ends the reading, with its name."""
    monkeypatch.chdir(folder)
    named = [f"at{number:09}" for number in numbers]
    answer = logdump(verb[0], *named, *verb[1:])
    assert answer.status == 2, answer
    assert f"takes files that follow each other: between at{behind:09} and the one before others exist" in answer.err
    assert not (folder / "out.jsonl").exists()
    for number in {*range(FILES)} - {*numbers}:
        (folder / f"at{number:09}").unlink()
    assert "follow each other" not in logdump(verb[0], *named, *verb[1:]).err


def test_what_a_file_between_has_is_not_found(folder: Path) -> None:
    named = [str(folder / name) for name in ("at000000000", "at000000002", "bt000000001")]
    for text, status in {"atlea1": 1, "atlea2": 0, "btlea1": 0, "btlea2": 1}.items():
        assert logdump("find", *named, text).status == status


def test_the_trail_that_is_read_next_does_not_go_on_behind_its_named_file(folder: Path) -> None:
    """Its first file alone is named, and two of the trail before it."""
    named = [str(folder / name) for name in ("at000000000", "at000000001", "bt000000000")]
    assert _in_text("list", *named) == Counter(["900000", "900011", "910000"])


def test_named_files_before_a_missing_one_end_without_a_word_about_it(folder: Path) -> None:
    (folder / "at000000002").unlink()
    for files in ((0,), (0, 1)):
        named = [str(folder / f"at{number:09}") for number in files]
        answer = logdump("list", *named)
        assert (answer.status, answer.err) == (0, "")


VERBS = "list", "show", "export", "find"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("wrong", ["damage", "no trail"])
def test_what_is_wrong_in_one_trail_keeps_no_other_from_being_read(wrong: str, verb: str, folder: Path) -> None:
    """Of four trails of a file, one but the first is damaged before its transaction, or is none.

    Which of them is another with each verb, so that in each run it stands before others; none is read twice.
    """
    random = Random(f"{wrong} {verb}")
    paths = [(folder / f"bt{number:09}").rename(folder / f"{letter}t000000000") for number, letter in enumerate("cdef")]
    odd = 1 + (SEED + VERBS.index(verb)) % 3
    data = paths[odd].read_bytes()
    paths[odd].write_bytes(b"no record" * 9 if wrong == "no trail" else data[: len(data) // 2] + b"\0" * 99 + data)
    words = ["btlea"] if verb == "find" else []
    answer = logdump(verb, *map(str, random.sample(paths, 4)), *words, "--format", "jsonl")
    has_odd = wrong == "damage" and verb in ("list", "export")  # NEXT and FIND stop there, as Logdump does
    expected = {f"9100{number}{number}" for number in range(4) if number != odd or has_odd}
    assert answer.status == 4
    assert _csns(answer.out.splitlines()) == Counter(expected), answer
    assert paths[odd].name in answer.out + answer.err


@pytest.mark.parametrize("at", range(3))
def test_a_text_is_found_in_whichever_trail_has_it(at: int, folder: Path) -> None:
    """What the trails before it lack is no failure, and ends neither the search nor the results up to --limit."""
    names = [f"{letter}t000000000" for letter in "cde"]
    for number, name in enumerate(names):
        csns = range(900, 904) if number == at else range(800, 801)
        body = b"".join(b"".join(transaction(csn, 1)) for csn in csns)
        (folder / name).write_bytes(headed(0, body.replace(b"leaf", b"tree") if number != at else body, None))
    paths = [str(folder / name) for name in names]
    for limit, found in ((1, 1), (3, 3), (9, 4)):
        answer = logdump("find", *paths, "leaf", "--limit", str(limit), "--format", "jsonl")
        assert (answer.status, sum('"type":"record"' in line for line in answer.out.splitlines())) == (0, found), answer
    answer = logdump("find", *paths, "no such text")
    assert (answer.status, answer.err.count("No record with no such text found")) == (1, 1)


def test_damage_in_one_trail_does_not_end_the_matches_of_the_next(folder: Path) -> None:
    first = headed(0, b"".join(transaction(900, 2)), None)
    (folder / "ct000000000").write_bytes(first + b"\0" * 50 + first)
    (folder / "dt000000000").write_bytes(headed(0, b"".join(transaction(901, 4)), None))
    names = [str(folder / f"{letter}t000000000") for letter in "cd"]
    answer = logdump("find", *names, "leaf", "--limit", "9", "--format", "jsonl")
    assert (answer.status, answer.out.count('"type":"record"')) == (4, 6), answer


@pytest.mark.parametrize("verb", ["list", "recovery", "transactions", "row"])
def test_ctrl_c_in_one_of_several_trails_ends_the_verb(
    verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In each of four trails, at one of its events: what the trails before it have shown stays, none is read after."""
    random = Random(f"ctrl c {verb}")
    names = [f"{letter}t000000000" for letter in "cdef"]
    for number, name in enumerate(names):
        (folder / name).write_bytes(headed(0, b"".join(transaction(900 + number, 2)), None))
    words = ["TEA.LEAVES", "A=1"] if verb == "row" else []
    for stopped in range(4):
        begun = list[str]()
        monkeypatch.setattr(running, "run_call", _interrupted(verb.upper(), stopped, random.randrange(2), begun))
        answer = logdump(verb, *(str(folder / name) for name in names), *words)
        assert (answer.status, len(begun)) == (ExitStatus.INTERRUPTED, stopped + 1), answer
        assert not [name for name in names[stopped + 1 :] if name in answer.out]


def _interrupted(command: str, stopped: int, at: int, begun: list[str]) -> Callable[..., Iterator[Event]]:
    """Run commands, and note those of a name; the one of this number is interrupted after some of its events."""

    def run(session: Session, registry: Registry, call: Call) -> Iterator[Event]:
        events = run_call(session, registry, call)
        if call.name != command:
            yield from events
            return
        begun.append(command)
        if len(begun) == stopped + 1:
            yield from islice(events, at)
            yield events.throw(KeyboardInterrupt)
        yield from events

    return run


@pytest.mark.parametrize("trails", [1, 2, 4])
@pytest.mark.parametrize(
    "words", [["recovery", "nonsense"], ["transactions", "nonsense"], ["row", "TEA.LEAVES", "nonsense"]], ids=" ".join
)
def test_wrong_words_are_told_once_for_all_trails(words: list[str], trails: int, folder: Path) -> None:
    names = [f"{letter}t000000000" for letter in "cdef"[:trails]]
    for number, name in enumerate(names):
        (folder / name).write_bytes(headed(0, b"".join(transaction(900 + number, 2)), None))
    verb, *rest = words
    answer = logdump(verb, *(str(folder / name) for name in names), *rest)
    assert (answer.status, answer.out, answer.err.count("'nonsense' is not ")) == (ExitStatus.USAGE, "", 1), answer
