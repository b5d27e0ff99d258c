"""What stands at the end of a trail: a newest file without records, an incomplete last record, damage.

Every verb and command that reads a trail, against one oracle: of a newest file without records the answer is that of
the trail without it, with a line that says so; in the middle of a trail it is an error; an incomplete last record is
status 4, and its file is named.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.logdump.program import Answer, logdump
from tests.searching import in_turn

_ACROSS = ("st000000000", "-c", "across on", "-c")
_QUESTIONS: dict[str, tuple[str, ...]] = {
    "safe": ("safe", "st000000001", "2664"),
    "list": ("list", "st"),
    "show": ("show", "st"),
    "find": ("find", "st", "nowhere"),
    "export csv": ("export", "st", "--format", "csv"),
    "export jsonl": ("export", "st", "--format", "jsonl"),
    "export sql": ("export", "st", "--format", "sql"),
    "sql": ("sql", "SELECT op, rba FROM records", "st"),
    "sql count": ("sql", "SELECT count(*) FROM records", "st"),
    "recovery": ("recovery", "st"),
    "check": ("check", "st"),
    "count": ("count", "st"),
    "tables": ("tables", "st"),
    "count of a wildcard": ("count", "st*"),
    "count of a folder": ("count", "."),
    "transactions": ("transactions", "st"),
    "heartbeat": ("heartbeat", "st"),
    "diff": ("diff", "st", "st"),
    "doctor": ("doctor", "st"),
    "info": ("info", "st"),
    "row": ("row", "st", "TEAHOUSE.TEAS", "TEA_CODE=GYO01"),
    "explain restart": ("explain", "st", "RESTART"),
    "list across": (*_ACROSS, "list all"),
    "next across": (*_ACROSS, "next 100; next"),
    "filter": (*_ACROSS, "filter rectype delete; next 100"),
    "count across": (*_ACROSS, "count detail"),
    "redo": (*_ACROSS, "redo 100"),
    "undo": (*_ACROSS, "position eof; undo 100"),
    "transactions across": (*_ACROSS, "transactions"),
    "br": (*_ACROSS, "br"),
    "position": (*_ACROSS, "position csn 99999999"),
}
_MAY_LIST = {"doctor", "info"}
"""Answers that name a file without records on standard output too."""
_STAYS = {"undo", "position", "next across", "filter", "safe"}
"""Answers that need not reach the end of the trail, or whose position is no whole answer."""


@pytest.fixture
def folder(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a sound trail of two files."""
    for file in ("st000000000", "st000000001"):
        shutil.copy(trails / file, tmp_path / file)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def empty(_header: bytes) -> bytes:
    return b""


def a_few_bytes(header: bytes) -> bytes:
    return header[:3]


def half_a_header(header: bytes) -> bytes:
    return header[: len(header) // 2]


def all_but_a_byte(header: bytes) -> bytes:
    return header[:-1]


_UNBORN = (empty, a_few_bytes, half_a_header, all_but_a_byte)


def _header(folder: Path) -> bytes:
    return (folder / "st000000001").read_bytes()[:1130]


def _answer(question: str) -> Answer:
    answer = logdump(*_QUESTIONS[question])
    return answer._replace(out="\n".join(line for line in answer.out.splitlines() if "MB free" not in line))


@pytest.mark.parametrize(("question", "state"), in_turn(_QUESTIONS, _UNBORN))
def test_a_newest_file_without_records_changes_no_answer(
    question: str, state: Callable[[bytes], bytes], folder: Path
) -> None:
    before = _answer(question)
    newest = folder / "st000000002"
    newest.write_bytes(state(_header(folder)))
    after = _answer(question)
    assert after.status == before.status
    assert f"{newest} has no records yet." in after.err.splitlines()
    if question not in _MAY_LIST:
        assert after.out == before.out
    elif question == "info":
        assert f"{newest}: {newest.stat().st_size} bytes, no records yet" in after.out
    else:
        assert f"st000000002 RBA 0: no records yet, {newest.stat().st_size} byte" in after.out


@pytest.mark.parametrize("question", ["list", "count", "recovery", "export csv", "check", "safe"])
def test_several_newest_files_without_records_change_no_answer(question: str, folder: Path) -> None:
    before = _answer(question)
    for number in (2, 3):
        (folder / f"st00000000{number}").touch()
    after = _answer(question)
    assert (after.status, after.out) == (before.status, before.out)


@pytest.mark.parametrize(("question", "state"), in_turn(sorted({*_QUESTIONS} - {"position", "safe"}), _UNBORN))
def test_in_the_middle_of_a_trail_it_is_an_error(question: str, state: Callable[[bytes], bytes], folder: Path) -> None:
    (folder / "st000000001").rename(folder / "st000000002")
    (folder / "st000000001").write_bytes(state((folder / "st000000002").read_bytes()[:1130]))
    answer = _answer(question)
    assert answer.status == 4, answer
    assert any(text in answer.out + answer.err for text in ("st000000001", "1 file not read", "see CHECK")), answer


@pytest.mark.parametrize("question", ["count", "list", "recovery", "check"])
def test_alone_it_is_an_error(question: str, folder: Path) -> None:
    for name in ("st000000000", "st000000001"):
        (folder / name).write_bytes(b"")
    assert _answer(question).status == 4


@pytest.mark.parametrize("question", sorted({*_QUESTIONS} - _STAYS))
def test_an_incomplete_last_record_is_status_4_and_is_named(question: str, folder: Path) -> None:
    path = folder / "st000000001"
    path.write_bytes(path.read_bytes()[:-20])
    answer = _answer(question)
    assert answer.status == 4, answer
    assert "st000000001" in answer.out + answer.err


def test_an_answer_before_the_end_does_not_lack_the_incomplete_record(folder: Path) -> None:
    path = folder / "st000000001"
    path.write_bytes(path.read_bytes()[:-20])
    assert logdump("list", "st", "--limit", "3").status == 0
    assert logdump("st000000000", "-c", "redo 1").status == 0
    assert logdump("st000000001", "-c", "filter rectype insert; next").status == 0


@pytest.mark.parametrize(("question", "tail"), in_turn(sorted({*_QUESTIONS} - _STAYS), [bytes(100), b"rubbish" * 20]))
def test_zeros_and_rubbish_at_the_end_are_damage(question: str, tail: bytes, folder: Path) -> None:
    path = folder / "st000000001"
    path.write_bytes(path.read_bytes() + tail)
    answer = _answer(question)
    assert answer.status == 4, answer


def test_a_header_alone_is_a_file_like_others(folder: Path) -> None:
    (folder / "st000000002").write_bytes(_header(folder))
    assert logdump("count", "st").status == 0
    assert "no records yet" not in logdump("info", "st").out
