"""Verbs on what is no trail, cannot be read, or cannot be written: a word on standard error, an honest status."""

from __future__ import annotations

import gzip
import html
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from logdump.line.verbs import NAMES
from tests.logdump.program import COMMAND, ENVIRONMENT, Answer, logdump
from tests.searching import IS_LONG, Random, in_turn

_REST = {
    "safe": ["1811"],
    "find": ["Uji"],
    "row": ["T", "ID=1"],
    "lob": ["3987"],
    "diff": ["et000000000"],
    "report": ["-o", "page.html"],
    "apply": ["sqlite:///shop.db", "--create", "--once"],
    "publish": ["kafka://127.0.0.1:1", "--once", "--patience", "1"],
    "watch": ["--once"],
    "repair": ["-o", "copy000000"],
    "redact": ["-o", "copy000000"],
    "tail": ["--idle", "1"],
    "ddl": ["--params", "rep1.prm"],
}
"""What a verb takes after a file."""
READERS = [name for name in NAMES if name not in ("explain", "sql", "params")]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder with one good trail."""
    (tmp_path / "et000000000").write_bytes((trails / "et000000000").read_bytes())
    (tmp_path / "rep1.prm").write_text("REPLICAT rep1\nMAP *.*, TARGET *.*;\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(verb: str, name: str) -> Answer:
    answer = logdump(verb, name, *_REST.get(verb, []))
    assert "Traceback" not in answer.err
    assert "\x1b" not in answer.out + answer.err
    return answer


def missing(_folder: Path) -> str:
    return "lt000000009"


def empty_folder(folder: Path) -> str:
    (folder / "empty").mkdir()
    return "empty"


def text(folder: Path) -> str:
    (folder / "notes.txt").write_text("no trail\n" * 100)
    return "notes.txt"


def nothing(folder: Path) -> str:
    (folder / "lt000000000").touch()
    return "lt000000000"


def packed_text(folder: Path) -> str:
    (folder / "lt000000000.gz").write_bytes(gzip.compress(b"no trail\n" * 100))
    return "lt000000000.gz"


def cut_archive(folder: Path) -> str:
    (folder / "lt000000000.gz").write_bytes(gzip.compress((folder / "et000000000").read_bytes())[:200])
    return "lt000000000.gz"


@pytest.mark.parametrize(
    ("verb", "make"), in_turn(READERS, [missing, empty_folder, text, nothing, packed_text, cut_archive])
)
def test_what_is_no_trail_is_said_with_status_4(verb: str, make: Callable[[Path], str], here: Path) -> None:
    name = make(here)
    answer = run(verb, name)
    assert answer.status == 4, answer
    page = here / "page.html"
    assert name in (page.read_text(encoding="utf-8") if page.exists() else answer.err + answer.out)


@pytest.mark.parametrize("verb", ["show", "list", "count", "check", "safe", "tables", "doctor", "export", "row"])
def test_a_packed_trail_answers_as_the_trail(verb: str, here: Path) -> None:
    (here / "et000000000.gz").write_bytes(gzip.compress((here / "et000000000").read_bytes()))
    rest = ["TEAHOUSE.TEAS", "TEA_CODE=SEN01"] if verb == "row" else _REST.get(verb, [])
    plain, packed = (logdump(verb, name, *rest) for name in ("et000000000", "et000000000.gz"))
    assert packed.status == plain.status
    assert len(packed.out.split()) == len(plain.out.split())  # longer names may break lines elsewhere


@pytest.mark.usefixtures("held_by_permissions")
@pytest.mark.parametrize("verb", READERS)
def test_a_file_without_permission_is_said(verb: str, here: Path) -> None:
    (here / "et000000000").chmod(0)
    answer = run(verb, "et000000000")
    assert answer.status == 4
    assert "Permission denied" in answer.out + answer.err


@pytest.mark.parametrize("verb", ["list", "count", "check", "tables", "info", "doctor"])
def test_names_with_control_characters_reach_no_terminal(verb: str, here: Path) -> None:
    name = "evil\x1b[2J"
    (here / name).mkdir()
    (here / "et000000000").rename(here / name / "et000000000")
    answer = run(verb, f"{name}/et000000000")
    assert answer.status in (0, 2)


def test_names_with_markup_are_text_in_a_page(here: Path) -> None:
    name = "<script>alert(1)</script>&"
    folder = here / "a"
    folder.mkdir()
    (folder / "<b>").mkdir()
    (here / "et000000000").rename(folder / "<b>" / "et000000000")
    assert logdump("report", "a/<b>/et000000000", "-o", "page.html").status == 0
    page = (here / "page.html").read_text(encoding="utf-8")
    assert html.escape("a/<b>/et000000000") in page
    assert "<b>" not in page
    assert name not in page


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("verb", ["show", "list", "export", "count"] if IS_LONG else ["show", "export"])
def test_a_full_disk_is_said(verb: str, here: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, verb, "et000000000"], cwd=here, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["show", "list", "export"] if IS_LONG else ["show", "export"])
def test_a_reader_that_leaves_ends_it_quietly(verb: str, here: Path) -> None:
    line = f"{' '.join(COMMAND)} {verb} et000000000 et000000000 | head -c 1"
    done = subprocess.run(["bash", "-c", line], cwd=here, env=ENVIRONMENT, capture_output=True, check=False)
    assert b"Traceback" not in done.stderr
    assert b"rror" not in done.stderr


@pytest.mark.parametrize("verb", ["show", "values"])
def test_behind_a_step_that_fails_nothing_is_read(verb: str, here: Path) -> None:
    """Inside of the first record none begins, and of two trails the first is none: no other record is shown."""
    (here / "at000000000").write_bytes(b"no trail\n" * 100)
    inside = Random(verb).randrange(1, 1130)
    answer = logdump(verb, "et000000000", "--rba", str(inside))
    assert (answer.out, answer.status) == ("", 1)
    assert answer.err.startswith(f"No record starts at RBA {inside}: it is inside the record at RBA 0.")
    answer = logdump(verb, "at000000000", "et000000000")
    assert (answer.out, answer.status) == ("", 4)
    assert "this is not a trail file" in answer.err
