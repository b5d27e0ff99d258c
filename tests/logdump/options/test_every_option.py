"""Each option of each command and verb changes an answer: no option can be dropped on the way without being missed.

The cases are lines of ``commands.txt`` and ``verbs.txt``, ``without => with``: the same work without an option and with
it, in a session over the trail of the line ``[name]`` above. The forms of the commands and the table of the verbs say
which options need a case; a case stands for the words that only one of its halves has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.language.forms import Amount, Keyword, RefusedKeyword
from logdump.language.parameters import OneOf
from logdump.language.reader import Form
from logdump.language.words import split_calls
from tests.logdump.line import Line
from tests.searching import IS_LONG
from tests.transcripts.play import FOLDER as SCRIPTS

HERE = Path(__file__).parent
COMMANDS_OF_NO_ANSWER = {
    **dict.fromkeys(("BIO", "PRINTMXCOLUMNINFO", "CALCTLFKEY", "TMFBEFOREIMAGE", "DECRYPT", "ENCRYPT"), "of NonStop"),
    **dict.fromkeys(("ASCIIHEADER", "EBCDICHEADER"), "of NonStop"),
    "SCANSCROLLING": "how progress is drawn at a terminal",
    "ENGINE": "the same answer in Spark: tests/logdump/spark/test_jobs.py",
    "TRAILFORMAT": "OLD is refused",
    "ONERROR": "the end of a script: tests/logdump/test_one_shot.py",
    "FORMAT": "how line mode shows events: tests/logdump/display",
    "LOG": "what line mode copies: tests/logdump/test_line_mode.py",
}
"""Commands whose options change nothing that a command of a session answers, and why."""
OPTIONS_OF_NO_ANSWER = {
    ("SAVE", "NEWFORMAT"): "the only format",
    ("SAVE", "MEGABYTES"): "of NonStop",
    ("WATCH", "EVERY"): "how often it looks",
    ("WATCH", "ONCE"): "without it WATCH does not end",
    ("FOLLOW", "EVERY"): "how often it looks",
    ("FOLLOW", "IDLE"): "without it FOLLOW does not end",
    **{(name, "TO"): "the name of the file follows" for name in ("EXPORT", "REPAIR", "REPORT")},
    ("EXPLAIN", "FILE"): "the file follows",
    ("SQL", "MODE"): "the mode follows",
    **{(name, "OVER"): "the trail follows" for name in ("APPLY", "PUBLISH")},
    **{(name, "TO"): "the target follows" for name in ("APPLY", "PUBLISH", "REDACT")},
    ("REPAIR", "HEADER"): "what follows says which",
}
"""Words that change nothing by themselves, and why."""
_OF_APPLY: tuple[str, ...] = (
    "ADOPT",
    "BATCH",
    "CREATE",
    "DDL",
    "IGNORE",
    "ERRORS",
    "TABLE",
    "FROM",
    "INTERVAL",
    "ONCE",
    "OPTIONS",
    "OVERWRITE",
)
_OF_APPLY += ("PATIENCE", "TABLES", "WRITE", "MIRROR", "APPEND", "HISTORY", "DELETES", "SOFT", "LOAD", "AT", "SNAPSHOT")
HELD_ELSEWHERE = {
    ("ACROSS", "GAPS"): "test_across.py::test_gaps_are_read_over_and_named_on_demand",
    ("BR", "BEGINS"): "bounded_recovery/test_moments.py::test_a_begin_that_is_given_is_never_behind_the_commit",
    (
        "BR",
        "LOGSIZE",
    ): "bounded_recovery/test_diagrams.py::test_the_oldest_redo_log_that_is_needed_is_named_with_how_many_there_are",
    ("CHECK", "VALUES"): "commands/test_check_rows.py::test_values_are_decoded_when_asked",
    ("DIFF", "ANYORDER"): "comparison/test_simulated.py::test_in_any_order_only_what_is_in_one_of_them_differs",
    ("DIFF", "ORDERED"): "comparison/test_simulated.py::test_in_any_order_only_what_is_in_one_of_them_differs",
    ("DIFF", "ABSENT"): "comparison/test_simulated.py::test_columns_that_a_pump_leaves_out_are_absent_or_do_not_matter",
    ("EXPLAIN", "ALL"): "explaining/test_places.py::test_in_a_log_the_place_may_be_in_the_lines_after_the_error",
    ("WATCH", "LISTEN"): "watch/test_watch.py::test_an_address_in_use_is_refused",
    ("WATCH", "TEXTFILE"): "watch/test_watch.py::test_a_text_file_is_written_whole_and_can_be_read_by_others",
    ("WATCH", "STATE"): "watch/test_watch.py::test_another_run_goes_on_from_the_state_and_reads_nothing_twice",
    **{("APPLY", word): "verbs/test_apply.py::test_each_option_reaches_the_run" for word in _OF_APPLY},
    ("APPLY", "RETRY"): "verbs/test_apply.py::test_refused_changes_are_status_3_until_they_are_retried",
    **{
        ("PUBLISH", word): "verbs/test_publish.py::test_each_option_reaches_the_run"
        for word in [
            *("ADOPT", "BATCH", "CREATE", "FROM", "INTERVAL", "ONCE", "PATIENCE", "TABLES", "TOPIC", "OGG"),
            *("TRUNCATES", "WRITE", "SKIP", "FAIL", "POSITIONS", "CONFIG", "OPTIONS", "DEBEZIUM"),
        ]
    },
    ("REDACT", "OVER"): "redact/test_refused.py::test_several_files_keep_the_distance_of_their_numbers",
    ("REDACT", "REPLACE"): "redact/test_refused.py::test_a_file_that_exists",
    ("DOCTOR", "SINCE"): "doctor/test_since_last.py::test_each_problem_is_told_once_and_then_never_again",
    ("DOCTOR", "REPORTS"): "explaining/test_folders.py::test_doctor_names_the_processes_that_read_its_trail",
    (
        "EXPLAIN",
        "TRAILS",
    ): "explaining/test_folders.py::test_an_archive_is_explained_from_its_own_files",
    ("REPAIR", "MEGABYTES"): "repair/test_damaged.py::test_rows_of_a_copied_trail_have_the_tables_that_they_had",
    ("REPAIR", "DEFINITIONS"): "repair/test_damaged.py::test_a_copy_has_every_transaction_that_was_not_touched",
    ("SOURCEDEFS", "OVERRIDE"): "test_next_of_many.py::test_rows_of_a_definitions_file_are_shown_alike",
}
"""Options whose trails are made by a test of their own."""


class Case(NamedTuple):
    """The work without an option and with it, over a trail."""

    trail: str
    without: str
    given: str


@cache
def cases(name: str) -> tuple[Case, ...]:
    """The cases of a file; a line that begins with # is a comment."""
    found, trail = [], ""
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        if head := re.fullmatch(r"\[(.*)\]", line):
            trail = head[1]
        elif line and not line.startswith("#"):
            without, _, given = line.partition(" => ")
            found.append(Case(trail, without, given))
    return tuple(found)


def _parts(form: Form[Any]) -> Iterator[Form[Any]]:
    """The forms that a form is made of."""
    for value in vars(form).values():
        values = value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else (value,)
        yield from (part for part in values if isinstance(part, Form))


def words_of(form: Form[Any], known: set[int]) -> Iterator[OneOf[Any]]:
    """The words of a form, each as the parameter that reads it."""
    if id(form) in known or isinstance(form, RefusedKeyword):
        return
    known.add(id(form))
    if isinstance(form, OneOf):
        yield from (OneOf({word: None}) for word in form.keywords)
        return
    if isinstance(form, Keyword):
        yield OneOf({form.keywords[0]: None})
    if isinstance(form, Amount):
        yield from (OneOf({word: None}) for word in form._units)
    for part in _parts(form):
        if not (isinstance(form, Keyword) and isinstance(part, OneOf) and part.keywords == form.keywords):
            yield from words_of(part, known)


def spelled(word: OneOf[Any]) -> str:
    """The word as HELP shows it."""
    return word.syntax


@cache
def options_of_commands() -> frozenset[tuple[str, str]]:
    """The name of each command with each word of its form."""
    return frozenset(
        (command.name, spelled(word)) for command in REGISTRY.commands for word in words_of(command.form, set())
    )


def _fits(word: str, option: str) -> bool:
    """Whether a word, in capitals, spells an option, perhaps shortened."""
    least, _, rest = option.partition("[")
    return (least + rest.rstrip("]")).startswith(word) and word.startswith(least)


def held(case: Case) -> Iterator[tuple[str, str]]:
    """The options that only one half of a case has, in the command in which the halves differ."""
    options = options_of_commands()
    for without, given in zip(split_calls(case.without), split_calls(case.given), strict=True):
        if without != given:
            name = REGISTRY.find(given[0]).name
            sides = [{word.upper().strip(",") for word in arguments.split()} for _, arguments in (without, given)]
            words = sides[0] ^ sides[1]
            yield from ((name, option) for of, option in options if of == name for word in words if _fits(word, option))


def test_every_option_of_a_command_has_a_case() -> None:
    known = {option for case in cases("commands.txt") for option in held(case)} | HELD_ELSEWHERE.keys()
    wanted = {(name, option) for name, option in options_of_commands() if name not in COMMANDS_OF_NO_ANSWER}
    assert sorted(wanted - known - OPTIONS_OF_NO_ANSWER.keys()) == []


@pytest.mark.parametrize("place", sorted(set(HELD_ELSEWHERE.values())))
def test_a_test_elsewhere_is_there(place: str) -> None:
    path, _, name = place.partition("::")
    text = (HERE.parent / path).read_text(encoding="utf-8")
    assert f"def {name}(" in text


MADE = {
    "position": [(b"D2e\x01", b"E2e\x01")],
    "rowid": [(b"AAATeaAAFAAAAHo0", b"AAATeaAAFAAAAHo1")],
    "usertokens": [(b"samovar", b"samovas")],
    "tokens_a": [(b"R\x00\x14\x00", b"Y\x00\x14\x00")],
    "tokens_b": [(b"R\x00\x14\x00", b"Y\x00\x14\x00"), (b"AAATeaAAFAAAAHo0", b"AAATeaAAFAAAAHo1")],
}
"""Copies of a trail, by name, and what stands for what in its first row."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, data = tmp_path_factory.mktemp("made"), (TRAILS / "ol000000").read_bytes()
    for name, changes in MADE.items():
        row = data[941:1243]
        for was, becomes in changes:
            assert row.count(was) == 1
            row = row.replace(was, becomes)
        (folder / name).write_bytes(data[:941] + row + data[1243:])
    return folder


_RATE = re.compile(r"[\d,.]+ [KMG]?B/s")
"""What differs in each run, whatever is asked."""


def _in_a_session(case: Case, lines: str, folder: Path) -> tuple[list[str], list[int], dict[str, bytes]]:
    """What the lines print, its statuses, and the files that they leave in the folder."""
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        line = Line()
        try:
            line(f"timeoffset gmt; open {TRAILS / case.trail}")
            printed = line(lines.replace("TRAILS", str(TRAILS)).replace("OBEY", str(SCRIPTS / "obey")))
            assert not [failure for failure in line.failures if "is no" in str(failure) or "takes" in str(failure)], (
                printed
            )
        finally:
            line.session.close()
    printed = [_RATE.sub("a rate", text.replace(str(folder), "")) for text in printed]
    statuses = [int(getattr(event, "status", 0)) for event in line.events]
    return printed, statuses, {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("case", cases("commands.txt"), ids=lambda case: case.given)
def test_an_option_of_a_command_changes_its_answer(case: Case, made: Path, tmp_path: Path) -> None:
    case = Case(*(side.replace("MADE", str(made)) for side in case))
    without = _in_a_session(case, case.without, tmp_path / "without")
    assert _in_a_session(case, case.given, tmp_path / "given") != without
    if IS_LONG:
        assert _in_a_session(case, case.without, tmp_path / "again") == without
