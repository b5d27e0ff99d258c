"""What may be read: names below the folders after all links, and nothing else, whoever asks and however."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from fixtures import TRAILS
from logdump.agents import fence as fences
from logdump.agents.folders import Folders, RefusedPath, shown
from logdump.agents.tools import BY_TOOL, TOOLS
from logdump.session.errors import ExitStatus
from tests.logdump.agents.servers import trails_in
from tests.logdump.agents.test_pages import work_in
from tests.logdump.agents.test_real_client import CALLS
from tests.logdump.program import ENVIRONMENT
from tests.searching import Random, examples


def drawn_tree(random: Random, top: Path) -> list[Path]:
    """Folders, files and links to any of them, inside the root and outside; returns all of them."""
    root, outside = top / "root", top / "roots"
    made = [root, outside]
    for folder in made:
        folder.mkdir()
    for number in range(14):
        parent = random.choice([file for file in made if file.is_dir()])
        path = parent / f"e{number}"
        kind = random.choice(["folder", "file", "link", "link", "pipe"])
        if kind == "folder":
            path.mkdir()
        elif kind == "file":
            path.write_bytes(b"x")
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            target = random.choice([*made, top, parent / "nothing"])
            path.symlink_to(target if random.random() < 0.5 else os.path.relpath(target, path.parent))
        made.append(path)
    return made


def drawn_name(random: Random, made: list[Path]) -> str:
    """A name of one of them, absolute or not, with detours."""
    path = random.choice(made)
    parts = [str(path)]
    parts += random.choices(["..", ".", "e1", "lt", "lt*", path.name, "../root", "//"], k=random.randrange(3))
    name = "/".join(parts)
    return os.path.relpath(name, made[0]) if random.random() < 0.5 and name.strip() else name


def meant(name: str, root: Path) -> list[Path]:
    """All that a name may mean, its links resolved by the system one after the other."""
    if name.startswith("/"):
        return [Path(os.path.realpath(name))]
    return [Path(os.path.realpath(base / name)) for base in (root, root.parent, Path.cwd())]


@pytest.mark.parametrize("number", range(examples(40)))
def test_a_name_is_admitted_if_it_is_below_the_root_when_its_links_are_resolved(number: int, tmp_path: Path) -> None:
    random = Random(f"folders {number}")
    made = drawn_tree(random, tmp_path)
    root = made[0].resolve()
    folders = Folders.of([str(root)])
    for _ in range(30):
        name = drawn_name(random, made)
        below = [path for path in meant(name, root) if path == root or root in path.parents]
        sound = [path for path in below if not path.exists() or path.is_file() or path.is_dir()]
        try:
            admitted = folders.admitted(name)
        except RefusedPath:
            assert not sound, name
            continue
        assert Path(admitted) in sound, name
        assert os.path.realpath(admitted) == admitted


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", "a\0b", "a\x1b[2J", "a,b", "x" * 5000, "/", "..", "/dev/zero", "/dev/stdin", "/proc/self/mem"),
        *("~", "~root/x", "s3://bucket/lt", "file:///etc/passwd", "http://127.0.0.1/x", "https://host/x", "ftp://h/x"),
        *("trails/../../other/et", "lt/../../../etc/passwd", "\\\\host\\share", "-o", "$HOME"),
    ],
)
def test_a_name_that_leads_elsewhere_is_refused_by_each_tool(name: str, tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")
    trails_in(tmp_path / "other")
    work = work_in(folder)
    tool, (arguments, _) = Random(name).choice([*CALLS.items()])
    fields = [field for field in ("trail", "other", "params", "folder") if field in arguments] or ["folder"]
    field = Random(name + tool).choice(fields)
    reply = work.reply("trails" if field == "folder" else tool, {**arguments, field: name})
    assert (reply.is_error, reply.content["objects"]) == (True, []), reply
    assert reply.text.isprintable() or "\n" in reply.text


_NAMES_OF_FILES = {"trail", "other", "params", "reports", "trails", "folder", "log"}
_FILES = [(tool.name, field.name) for tool in TOOLS for field in tool.fields if field.name in _NAMES_OF_FILES]


@pytest.mark.parametrize(("tool", "field"), _FILES)
def test_every_argument_that_names_files_is_checked(tool: str, field: str, tmp_path: Path) -> None:
    folder, other = trails_in(tmp_path / "trails"), trails_in(tmp_path / "other")
    elsewhere = str(other / ("r1.prm" if field == "params" else "et000000000"))
    schema = BY_TOOL[tool].input_schema["properties"][field]
    given: Any = [elsewhere] if "array" in json.dumps(schema) else elsewhere
    arguments = {name: value for name, value in CALLS[tool][0].items() if name != "question"}
    reply = work_in(folder).reply(tool, {**arguments, field: given})
    assert (reply.content["status"], reply.content["objects"]) == (ExitStatus.USAGE, [])
    assert "is not below the folders" in reply.text


def test_urls_are_read_below_those_that_are_given() -> None:
    folders = Folders.of(["s3://bucket/trails/", "https://host/t"])
    assert folders.paths == ()
    assert folders.admitted("s3://bucket/trails/lt") == "s3://bucket/trails/lt"
    assert folders.admitted("https://host/t") == "https://host/t"
    assert Folders.of(["https://host/t"]).admitted("a/lt") == "https://host/t/a/lt"
    with pytest.raises(RefusedPath):
        Folders.of(["https://host/t"]).admitted("../lt")
    for name in (
        *("s3://bucket/trailsx/lt", "s3://bucket/trails/../x", "s3://bucket/trails/%2e%2e/x", "s3://bucket"),
        *("https://host/t/a?x=y", "https://host/t/a#b", "https://host@evil/t", "https://host:1/t", "/etc/passwd", "lt"),
    ):
        with pytest.raises(RefusedPath):
            folders.admitted(name)


@pytest.mark.parametrize("words", [["/"], ["nothing"], [__file__], [""], ["s3://bucket/../x"]])
def test_a_root_is_a_folder_and_not_the_top(words: list[str]) -> None:
    with pytest.raises(RefusedPath):
        Folders.of(words)


def test_a_refused_name_is_shown_cut_and_without_control_characters() -> None:
    assert shown("a\x1b[2J\né") == "a\\x1b[2J\\n\\xe9"
    assert len(shown("x" * 10_000)) < 300


_ATTEMPTS = """
import ctypes, json, os, socket, subprocess, sys
from logdump.agents.fence import Fence
from logdump.agents.folders import Folders
import logdump.agents.fence as fences
folder, other, scratch, is_by_system = sys.argv[1:]
if is_by_system == "no":
    fences._enforce = lambda *given, **more: False
else:
    fences._hook = lambda *given, **more: lambda event, arguments: None
    libc = ctypes.CDLL(None)
is_enforced = Fence(Folders((folder,)), scratch).close()
def attempt(act):
    try:
        act()
    except OSError:
        return False
    return True
def of_the_library(path, flags):
    if is_by_system == "no":
        return open(path, "rb" if not flags else "wb")
    handle = libc.open(os.fsencode(path), flags, 0o600)
    if handle < 0:
        raise OSError
reads, writes = os.O_RDONLY, os.O_WRONLY | os.O_CREAT
made = {
    "inside": attempt(lambda: of_the_library(folder + "/et000000000", reads)),
    "program": attempt(lambda: open(fences.__file__, "rb")),
    "scratch": attempt(lambda: of_the_library(scratch + "/x", writes)),
    "outside": attempt(lambda: of_the_library(other + "/et000000000", reads)),
    "by a link": attempt(lambda: of_the_library(folder + "/lk000000000", reads)),
    "listed": attempt(lambda: os.listdir(other)),
    "written": attempt(lambda: of_the_library(folder + "/et000000000", os.O_WRONLY)),
    "made": attempt(lambda: of_the_library(folder + "/new", writes)),
    "made outside": attempt(lambda: of_the_library(other + "/new", writes)),
    "removed": attempt(lambda: os.remove(folder + "/et000000000")),
    "renamed": attempt(lambda: os.rename(folder + "/et000000000", folder + "/new")),
    "folder made": attempt(lambda: os.mkdir(folder + "/new")),
    "linked": attempt(lambda: os.symlink("/", folder + "/new")),
    "program started": attempt(lambda: subprocess.run(["/bin/true"])) if is_by_system == "no" else False,
    "connected": attempt(lambda: socket.create_connection(("127.0.0.1", 9), 1)),
}
print(json.dumps([is_enforced, made]))
"""
_ALLOWED = {"inside", "program", "scratch"}


@pytest.mark.parametrize("is_by_system", ["yes", "no"])
def test_each_fence_holds_without_the_other(is_by_system: str, tmp_path: Path) -> None:
    folder, other = trails_in(tmp_path / "trails"), trails_in(tmp_path / "other")
    (folder / "lk000000000").symlink_to(other / "et000000000")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = [str(folder), str(other), str(scratch), is_by_system]
    done = subprocess.run(
        [sys.executable, "-c", _ATTEMPTS, *words], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    is_enforced, made = json.loads(done.stdout)
    if is_by_system == "yes" and not is_enforced:
        pytest.skip("this system has no Landlock")
    assert {name for name, has_passed in made.items() if has_passed} == _ALLOWED
    assert (folder / "et000000000").read_bytes() == (TRAILS / "et000000000").read_bytes()


def test_a_wildcard_reads_no_file_to_which_a_link_leads_out(tmp_path: Path) -> None:
    """The front decides by names; what a wildcard or the next number of a trail finds is the fence's."""
    folder, other = trails_in(tmp_path / "trails"), trails_in(tmp_path / "other")
    (folder / "lk000000000").symlink_to(other / "et000000000")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    made: dict[str, Any] = {"paths": [str(folder)], "urls": [], "current": "", "scratch": str(scratch)}
    calls = [
        {**made, "starter": os.getpid()},
        {"tool": "check", "arguments": {"trail": "lk*"}},
        {"tool": "sql", "arguments": {"trail": "et", "statement": f"SELECT * FROM trail('{other}/et', 'records')"}},
        {"tool": "sql", "arguments": {"trail": "et", "statement": f"SELECT 1 FROM records TO {folder}/x.csv"}},
        {"tool": "sql", "arguments": {"trail": "et", "statement": "SELECT * FROM read_csv('/etc/passwd')"}},
        {"tool": "check", "arguments": {"trail": "et"}},
    ]
    typed = "".join(json.dumps(call) + "\n" for call in calls)
    done = subprocess.run(
        [sys.executable, "-m", "logdump.agents.worker"],
        input=typed,
        env={**ENVIRONMENT, "TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=True,
    )
    replies = [line for line in map(json.loads, done.stdout.splitlines()) if "content" in line]
    assert [reply["error"] for reply in replies] == [False, True, True, True, False], replies
    assert [reply["content"]["status"] for reply in replies] == [4, 4, 2, 1, 0], replies
    assert not any(made.get("records") for made in replies[0]["content"]["objects"])
    assert "it is not below the folders of this server" in replies[0]["text"]
    assert not (folder / "x.csv").exists()
    assert sorted(scratch.iterdir()) == []


def test_the_fence_reads_the_program_and_the_folders() -> None:
    fence = fences.Fence(Folders((str(TRAILS),)), "/nowhere")
    assert str(TRAILS.resolve()) in fence.readable
    assert not {"/", "/etc", "/proc", "/home", str(Path.home())} & set(fence.readable)
