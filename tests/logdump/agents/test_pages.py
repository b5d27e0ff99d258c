"""The pages of an answer are the answer: each begins where the one before has ended, or says that it cannot."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.agents import answers
from logdump.agents.answers import IS_DATA, AnswerPage, PageCursor, Reply
from logdump.agents.folders import Folders
from logdump.agents.tools import MOST_OBJECTS
from logdump.agents.worker import Work
from logdump.notation.text import escape
from logdump.session.errors import ExitStatus
from tests.logdump.agents.servers import trails_in
from tests.logdump.agents.test_real_client import CALLS, plain
from tests.searching import Random, examples
from tests.simulated.drawn_histories import KINDS, drawn

PAGED = {
    **{name: arguments for name, (arguments, _) in CALLS.items() if name not in ("doctor", "report", "safe")},
    "records": {"trail": "at"},
    "recovery": {"trail": "al"},
    "sql": {"trail": "at", "statement": "SELECT rba, op FROM records ORDER BY file, rba"},
}


_WRONG = (ExitStatus.COMMAND_FAILED, ExitStatus.FINDINGS, ExitStatus.BAD_DATA)


def work_in(folder: Path) -> Work:
    """The work of a call, in this process and without its fence."""
    scratch = folder.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    return Work(Folders.of([str(folder)]), str(scratch), lambda _told: None)


def pages(work: Work, name: str, arguments: dict[str, Any], sizes: Random) -> list[Reply]:
    """All pages of an answer, of drawn sizes."""
    found, cursor = list[Reply](), dict[str, str]()
    while len(found) < MOST_OBJECTS:
        most = sizes.choice([1, 2, 3, 7])
        reply = work.reply(name, {**arguments, "limit": most, **cursor})
        assert len(reply.content["objects"]) <= most
        found.append(reply)
        if reply.content["next"] is None:
            return found
        cursor = {"cursor": reply.content["next"]}
    raise AssertionError("the pages do not end")


def check_pages(work: Work, name: str, arguments: dict[str, Any], sizes: Random) -> None:
    whole = work.reply(name, {**arguments, "limit": MOST_OBJECTS})
    assert whole.content["next"] is None
    parts = pages(work, name, arguments, sizes)
    assert not any(part.is_error for part in parts[1:]), parts
    statuses = [part.content["status"] for part in parts]
    # a page of records reads its own part alone; any other answer is made anew up to its end
    last = next(filter(None, statuses), ExitStatus.OK) if name == "records" else statuses[-1]
    assert last == whole.content["status"]
    assert {part.content["status"] for part in parts[:-1]} <= {None, *_WRONG}
    together = [plain(made) for part in parts for made in part.content["objects"]]
    assert together == [plain(made) for made in whole.content["objects"]]
    lines = [line for part in parts for line in part.text.splitlines()[1:]]
    is_plain = name == "records" and not arguments.keys() & {"detail", "op", "where"}
    if is_plain or name in ("trails", "transactions"):  # a line for each object, and nothing around them
        assert lines == whole.text.splitlines()[1:]


@pytest.mark.parametrize("name", PAGED)
def test_pages_of_each_tool(name: str, tmp_path: Path) -> None:
    check_pages(work_in(trails_in(tmp_path / "trails")), name, PAGED[name], Random(name))


@pytest.mark.parametrize("number", range(examples(12)))
def test_pages_of_records_of_drawn_trails(number: int, tmp_path: Path) -> None:
    """With damage, restarts and several files; listed or with all they have; all or those of a filter."""
    random = Random(f"pages {number}")
    kind = random.choice(KINDS)
    with_all = {"detail": True} if random.random() < 0.5 else {}
    chosen = random.choice([{}, {"op": "insert"}, {"where": "RECLEN > 40"}])
    folder = tmp_path / "trails"
    folder.mkdir()
    with drawn(kind, number) as history:
        paths = [Path(copy(path, folder)) for path in history.paths]
    check_pages(work_in(folder), "records", {"trail": str(paths[0])[:-9], **with_all, **chosen}, random)


def test_a_later_page_repeats_no_message(tmp_path: Path) -> None:
    """Damage between two records is said once, on the page that goes on over it."""
    work = work_in(trails_in(tmp_path / "trails"))
    said, cursor = list[str](), dict[str, str]()
    for _ in range(MOST_OBJECTS):
        content = work.reply("records", {"trail": "ft000000000", "limit": 1, **cursor}).content
        said += [line for made in content["messages"] for line in made["lines"]]
        if content["next"] is None:
            break
        cursor = {"cursor": content["next"]}
    assert len(said) == 1
    assert "RBA 3522" in said[0]


@pytest.mark.parametrize("name", ["records", "transactions", "trails"])
def test_a_cursor_proves_its_place(name: str, tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")
    work = work_in(folder)
    arguments = {"trail": "et"} if name != "trails" else {}
    first = work.reply(name, {**arguments, "limit": 5})
    cursor = {**arguments, "cursor": first.content["next"]}
    assert not work.reply(name, cursor).is_error
    if name == "trails":
        (folder / "aa000000000").write_bytes(b"")
        copy(TRAILS / "et000000000", folder / "aa000000000")
    else:
        copy(TRAILS / "at000000000", folder / "et000000000")
    changed = work.reply(name, cursor)
    assert (changed.is_error, changed.content["status"]) == (True, ExitStatus.USAGE)
    assert "ask again without it" in changed.text


def test_a_cursor_goes_on_from_its_own_call_alone(tmp_path: Path) -> None:
    work = work_in(trails_in(tmp_path / "trails"))
    cursor = work.reply("records", {"trail": "et", "limit": 2}).content["next"]
    for arguments in (
        {"trail": "at", "cursor": cursor},
        {"trail": "et", "op": "insert", "cursor": cursor},
        {"trail": "et", "cursor": "bm9uZQ=="},
        {"trail": "et", "cursor": "é"},
        {"trail": "et", "cursor": PageCursor("/etc/passwd", 0, 1, 1).encoded(0)},
        {"trail": "et", "cursor": PageCursor("", -1, -1, -1).encoded(0)},
    ):
        assert work.reply("records", arguments).content["status"] == ExitStatus.USAGE, arguments


def test_a_cursor_of_other_arguments_is_refused_though_its_objects_are_the_same(tmp_path: Path) -> None:
    work = work_in(trails_in(tmp_path / "trails"))
    cursor = work.reply("transactions", {"trail": "et", "largest": 5, "limit": 2}).content["next"]
    assert not work.reply("transactions", {"trail": "et", "largest": 5, "cursor": cursor}).is_error
    reply = work.reply("transactions", {"trail": "et", "largest": 6, "cursor": cursor})
    assert (reply.content["status"], "other arguments" in reply.text) == (ExitStatus.USAGE, True)


def test_a_cursor_leads_below_the_folders_alone(tmp_path: Path) -> None:
    """Whoever makes a cursor of his own reads no more with it."""
    folder = trails_in(tmp_path / "trails")
    other = trails_in(tmp_path / "other")
    work = work_in(folder)
    cursor = work.reply("records", {"trail": "et", "limit": 2}).content["next"]
    question = json.loads(base64.urlsafe_b64decode(cursor))[0]
    made = PageCursor(str(other / "et000000000"), 1811, 1, 0).encoded(question)
    reply = work.reply("records", {"trail": "et", "cursor": made})
    assert (reply.is_error, reply.content["objects"]) == (True, [])
    assert "is not below the folders" in reply.text


@pytest.mark.parametrize("number", range(examples(30)))
def test_large_objects_are_cut_and_said_to_be(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever an object has, a page is bounded; what is left out has its pointer, and the rest is as it was."""
    random = Random(f"large {number}")
    monkeypatch.setattr(answers, "MOST_BYTES", 20_000)
    made = {"type": "drawn", **{f"m{at}/~": drawn_value(random, 2) for at in range(random.choice([1, 2, 5, 20]))}}
    page = AnswerPage(PageCursor(), 3, is_at_records=False)
    page.add([json.dumps(made)])
    [kept] = page.objects
    assert len(json.dumps(kept)) <= 20_000
    assert (kept == made) == (not page.cut) == (len(json.dumps(made)) <= 20_000)
    noted = {cut["at"] for cut in page.cut}
    assert all(cut["kept"] < cut["of"] for cut in page.cut)
    assert {*changed(made, kept, "/objects/0")} <= noted


def drawn_value(random: Random, depth: int) -> Any:
    kind = random.randrange(4 if depth else 2)
    if kind == 0:
        return random.randrange(1 << 60)
    if kind == 1:
        return "x" * random.choice([0, 10, 10, 5_000, 30_000])
    if kind == 2:
        return [drawn_value(random, depth - 1) for _ in range(random.choice([0, 3, 120]))]
    return {f"~{at}/": drawn_value(random, depth - 1) for at in range(random.choice([0, 3, 20]))}


def changed(made: Any, kept: Any, pointer: str) -> Iterator[str]:
    """The pointers at which a value is not what it was, or has less."""
    if type(made) is not type(kept) or not isinstance(made, dict | list):
        if made != kept:
            yield pointer
        return
    if len(made) > len(kept):
        yield pointer
    for name in kept if isinstance(kept, dict) else range(len(kept)):
        step = name.replace("~", "~0").replace("/", "~1") if isinstance(name, str) else name
        yield from changed(made[name], kept[name], f"{pointer}/{step}")


def test_the_text_is_bounded_and_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "MOST_TEXT", 1000)
    page = AnswerPage(PageCursor(), 3, is_at_records=False)
    page.write([escape(f"line {number}\nforged") for number in range(100)])
    first, *lines, last = page.text.split("\n")
    assert (first, last.startswith("… ")) == (IS_DATA, True)
    assert all(line.startswith(("| line ", "| l")) for line in lines)
    assert sum(map(len, lines)) < 1200
