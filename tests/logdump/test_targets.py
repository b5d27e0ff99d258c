"""What a command may write to: a regular file, no link and not in use, or nothing; anything else stays as it is."""

from __future__ import annotations

import ast
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.session.errors import ExitStatus
from tests.laws.imports import nodes_of, source_of
from tests.logdump.program import logdump
from tests.searching import in_turn
from trailformat import TrailFile
from trailformat.records.record_header import INSERT

WRITERS = {
    "SAVE": ("save T", "save T !", "save T truncate"),
    "LOB": ("lob RBA name to T", "lob RBA name to T !"),
    "EXPORT": (
        *(
            f"export {form} to T {words}"
            for form in ("jsonl", "csv", "sql", "parquet", "arrow")
            for words in ("", "replace", "by table replace")
            if form != "sql" or "by" not in words
        ),
        "export csv to T heartbeats replace",
        "export arrow to T heartbeats",
    ),
    "LOG": ("log to T", "out T"),
    "REDACT": ("redact to T", "redact to T replace"),
    "REPAIR": ("repair to T", "repair to T replace", "repair to T replace all megabytes 1"),
}
"""Every way to have a command write a file; T is the target."""
READERS = set(
    """
    OPEN NEXTTRAIL CHECK TRANSACTIONS SOURCEDEFS FILES OBEY TUI CD COUNT SQL X HEARTBEAT RECOVERY DIFF COMPRESS BR
    PARAMS DDL DOCTOR ACROSS REPORT WATCH PUBLISH APPLY
    """.split()  # noqa: SIM905 - a list of so many would fill a page
)
"""Commands that take a file and do not write to it (what X runs is not ours).

SQL TO, REPORT and WATCH have tests of their own.
"""
ELSEWHERE = {"SCANFORTYPE", "SCANFORRBA", "SCANFORTIME", "FILTER", "DATAFILE", "GGSAUDITREAD"}
"""Commands whose files are names of tables, or NonStop's."""
WRITING_MODULES = {
    "trailformat/trail/whole_file/staged.py",
    "trailformat/trail/whole_file/leftovers.py",
    "logdump/session/session.py",
    "logdump/session/state_file.py",
    "logdump/features/export/files.py",
    "logdump/spark/jobs/export_pieces.py",
    "logdump/spark/write/publish.py",
    "logdump/targets/target.py",
    "logdump/line/terminal.py",
    "logdump/cli.py",
    "trailformat/native/loaded.py",
    "logdump/agents/fence.py",
    "logdump/agents/worker.py",
}
"""Where files are opened for writing or named; all others go through these.

cli, terminal and worker open the null device, fence names the flags of writing to refuse them, loaded a private copy of
a library in a zip, target a lock beside a database.
"""
_WRITE_CALL = re.compile(
    r"\bO_(?:WRONLY|RDWR|CREAT|APPEND)\b|\.open\(\s*[\"'][rb]*[wax+]|\bopen\([^)]*,\s*[\"'][rb]*[wax+]"
    r"|\.(?:write_text|touch|symlink_to|hardlink_to|rename)\(|\bmkstemp\(|\.truncate\(|\bNamedTemporaryFile\("
)

_MAY_WRITE = re.compile(r"\bO_|open\(|write_text|touch|link_to|rename|mkstemp|truncate|NamedTemporaryFile")


def test_a_command_that_takes_a_file_is_known_to_write_it_or_not_to() -> None:
    takes_files = {
        command.name for command in REGISTRY.commands if re.search(r"<(?:file|.*\bfile|wildcard|dir)", command.syntax)
    }
    assert takes_files - READERS - ELSEWHERE == WRITERS.keys() & takes_files
    assert WRITERS.keys() <= takes_files


def test_files_are_written_in_few_places() -> None:
    root = Path(__file__).parents[2]
    files = [path for folder in ("logdump", "trailformat") for path in (root / folder).rglob("*.py")]
    writing = {str(path.relative_to(root)) for path in files if _WRITE_CALL.search(_code(path))}
    assert writing - WRITING_MODULES == set()
    assert len(writing) > 5


def _code(path: Path) -> str:
    """The calls of a module, and the flags of ``os.open``; empty where no line of it can match."""
    nodes = nodes_of(path) if _MAY_WRITE.search(source_of(path)) else ()
    return "\n".join(ast.unparse(node) for node in nodes if isinstance(node, _CODE) and _MAY_WRITE.search(_name(node)))


_CODE = ast.Call | ast.Name | ast.Attribute


def _name(node: ast.Call | ast.Name | ast.Attribute) -> str:
    """The name, that of a call with its parenthesis."""
    if isinstance(node, ast.Call):
        return f"{_name(node.func)}(" if isinstance(node.func, ast.Name | ast.Attribute) else ""
    return node.id if isinstance(node, ast.Name) else node.attr


with TrailFile(TRAILS / "kt000000000") as _lobs:
    ROW = next(record.rba for record in _lobs.records(_lobs.first_rba) if record.header.io_type == INSERT)
    """The row whose LOB is written."""


OPEN = "the open trail|is a trail file"


class Place(NamedTuple):
    """A target that has to stay as it is, and what the message calls it."""

    path: Path
    name: str


def _device(folder: Path, _trail: Path) -> Place:
    path = folder / "device"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root makes devices")
    return Place(path, "a device")


def _fifo(folder: Path, _trail: Path) -> Place:
    os.mkfifo(folder / "fifo")
    return Place(folder / "fifo", "a FIFO")


def _link_to_a_file(folder: Path, _trail: Path) -> Place:
    (folder / "file").write_text("mine")
    (folder / "link").symlink_to("file")
    return Place(folder / "link", "a link to file")


def _link_to_nothing(folder: Path, _trail: Path) -> Place:
    (folder / "link").symlink_to("nothing")
    return Place(folder / "link", "a link to nothing")


def _link_to_a_folder(folder: Path, _trail: Path) -> Place:
    (folder / "empty").mkdir()
    (folder / "link").symlink_to("empty")
    return Place(folder / "link", "a link to empty|is a folder")


def _folder(folder: Path, _trail: Path) -> Place:
    (folder / "folder").mkdir()
    (folder / "folder" / "letter").write_text("mine")
    return Place(folder / "folder", "a folder|is not a file of an export|Is a directory")


def _trail_itself(_folder: Path, trail: Path) -> Place:
    return Place(trail, OPEN)


def _link_to_the_trail(folder: Path, trail: Path) -> Place:
    (folder / "link").symlink_to(trail)
    return Place(folder / "link", OPEN)


def _hard_link_of_the_trail(folder: Path, trail: Path) -> Place:
    (folder / "other").hardlink_to(trail)
    return Place(folder / "other", OPEN)


def _trail_with_dots(folder: Path, trail: Path) -> Place:
    (folder / "below").mkdir()
    return Place(folder / "below" / ".." / trail.name, OPEN)


PLACES = (
    _device,
    _fifo,
    _link_to_a_file,
    _link_to_nothing,
    _link_to_a_folder,
    _folder,
    _trail_itself,
    _link_to_the_trail,
    _hard_link_of_the_trail,
    _trail_with_dots,
)


def _state(folder: Path) -> dict[str, object]:
    """What is in a folder, byte for byte, by kind and by who it is."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        is_file = stat.S_ISREG(status.st_mode)
        what = path.read_bytes() if is_file else str(path.readlink()) if path.is_symlink() else status.st_rdev
        found[str(path)] = (stat.S_IFMT(status.st_mode), status.st_ino, status.st_nlink, what)
    return found


@pytest.fixture(params=["sound", "damaged"])
def trail(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The trail that is open: sound, or one whose first bytes no longer say that it is a trail."""
    path = tmp_path / "work" / "kt000000000"
    path.parent.mkdir()
    data = (TRAILS / "kt000000000").read_bytes()
    path.write_bytes(data if request.param == "sound" else b"XXXXXXXX" + data[8:])
    return path


@pytest.mark.parametrize(
    ("command", "place"), in_turn(WRITERS, PLACES), ids=lambda parameter: getattr(parameter, "name", None)
)
def test_a_target_that_is_not_to_be_written_stays_as_it_is(
    command: str, place: Callable[[Path, Path], Place], trail: Path
) -> None:
    if command == "REDACT" and place in (_folder, _link_to_a_folder):
        pytest.skip("a folder is where it writes")
    target, name = place(trail.parent, trail)
    before = _state(trail.parent)
    for words in WRITERS[command]:
        written = words.replace("T", str(target)).replace("RBA", str(ROW))
        done = logdump("-c", f"open {trail}; {written}; writelog mine")
        assert _state(trail.parent) == before, words
        assert done.status == ExitStatus.COMMAND_FAILED, words
        assert re.search(name, done.err.splitlines()[0]), done.err


def test_a_file_in_use_is_not_written(tmp_path: Path) -> None:
    trail, log, obeyed = tmp_path / "kt000000000", tmp_path / "log", tmp_path / "obeyed"
    trail.write_bytes((TRAILS / "kt000000000").read_bytes())
    obeyed.write_text(f"log to {obeyed}\nsave {obeyed} !\n")
    done = logdump("-c", f"open {trail}; log to {log}; save {log} !; export csv to {log} replace; obey {obeyed}")
    assert [line for line in done.err.splitlines() if "never writes over it" in line] == [
        f"{log} is the session log: SAVE never writes over it.",
        f"{log} is the session log: EXPORT never writes over it.",
        f"{obeyed}, line 1: {obeyed} is the command file that is obeyed: LOG never writes over it.",
        f"{obeyed}, line 2: {obeyed} is the command file that is obeyed: SAVE never writes over it.",
    ]
    assert "SAVE never writes" in log.read_text()


def test_a_trail_that_was_renamed_is_still_open(tmp_path: Path) -> None:
    trail = tmp_path / "kt000000000"
    trail.write_bytes((TRAILS / "kt000000000").read_bytes())
    done = logdump("-c", f"open {trail}; x mv {trail} {tmp_path / 'old'}; save {tmp_path / 'old'} !")
    assert done.err == f"{tmp_path / 'old'} is the open trail: SAVE never writes over it.\n"
    assert (tmp_path / "old").read_bytes() == (TRAILS / "kt000000000").read_bytes()


def test_a_new_session_log_is_for_its_owner_alone(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        logdump("-c", f"log to {tmp_path / 'log'}; reclen")
    finally:
        os.umask(mask)
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("name", ["nh000000", "nl000000"])
def test_saving_nothing_of_a_trail_without_header_leaves_no_file(name: str, tmp_path: Path) -> None:
    target = tmp_path / "xx000000"
    done = logdump("-c", f"open {TRAILS / name}; pos eof; save {target}")
    assert done.status == ExitStatus.COMMAND_FAILED
    assert done.err == f"There is no record to save and no file header: {target} is not written.\n"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_link_in_it_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rows.csv").symlink_to(tmp_path / "rows")
    done = logdump("-c", f"open {TRAILS / 'kt000000000'}; export csv to {tmp_path / 'out'} by table replace")
    assert done.status == ExitStatus.COMMAND_FAILED
    assert "rows.csv in it is not a file of an export" in done.err
    assert (tmp_path / "out" / "rows.csv").is_symlink()


def test_a_folder_that_cannot_be_put_back_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target, real, renamed = tmp_path / "target", Path.rename, list[Path]()
    target.mkdir()

    def rename(path: Path, to: Path) -> Path:
        renamed.append(path)
        if len(renamed) > 1:
            raise PermissionError(1, "not permitted")
        return real(path, to)

    monkeypatch.setattr(Path, "rename", rename)
    answer = logdump("-c", f"open {TRAILS / 'et000000000'}; export csv to {target} by table replace")
    (former,) = tmp_path.iterdir()
    assert answer.status != ExitStatus.OK
    assert former != target
    assert f"{former} is the former {target}: it could not be put back." in answer.err.splitlines()
    assert "nothing needs it" not in answer.err
