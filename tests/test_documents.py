"""The documents are in step with the program."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.agents.tools import TOOLS
from logdump.commands import REGISTRY
from logdump.commands.help import LIST, list_of_commands
from logdump.session.errors import ExitStatus
from scripts import conversation, man_pages, reference, shown
from scripts.man_pages import MAN
from scripts.marked import REFERENCE
from tests.conftest import UseZone
from tests.laws.test_registry_law import LOGDUMP_WORDS
from tests.logdump.program import logdump
from trailformat.values import DATA_TYPES

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIDELITY = (ROOT / "docs" / "fidelity.md").read_text(encoding="utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").glob("*.md")])
SHOWN = [page for page in shown.documents() if "console\n$ " in page.read_text(encoding="utf-8")]
UPDATE = "python -m scripts.update_docs brings it up to date"


class Question(NamedTuple):
    """A question of docs/questions.md, its line after ``logdump``, the status, and a part of the answer."""

    question: str
    line: str
    status: int
    part: str


QUESTIONS = [
    Question(question, line, int(status), part)
    for question, line, status, part in re.findall(
        r"^\| \d+ \| (.*) \| `logdump (.*)` \| (\d) \| `(.*)` \|$",
        (ROOT / "docs" / "questions.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
]
PARAMETERS = """\
REPLICAT REP1
DDL INCLUDE MAPPED EXCLUDE OBJNAME TEAHOUSE.*
MAP TEAHOUSE.*, TARGET TEAHOUSE.*;
"""
VERDICTS = ("same output as evidence", "same behaviour, text ours", "not supported, because ")
ROWS = [line.split(" | ") for line in FIDELITY.split("## Where")[0].splitlines() if line.startswith("| ")][1:]


def _answer(command: str) -> str:
    """What ``logdump`` prints in this process; a shell runs what it is piped into."""
    line, *pipe = command.split(" | ", maxsplit=1)
    answer = logdump(*shlex.split(line)[1:], is_one_stream=not pipe)
    if not pipe:
        return answer.out
    done = subprocess.run(["/bin/bash", "-c", pipe[0]], input=answer.out, capture_output=True, text=True, check=True)
    return answer.err + done.stdout


@pytest.mark.parametrize("page", SHOWN, ids=[page.name for page in SHOWN])
def test_commands_print_what_the_page_shows(page: Path, monkeypatch: pytest.MonkeyPatch, use_zone: UseZone) -> None:
    """tests/test_release.py runs those of README as a shell does."""
    for name, value in shown.ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    use_zone(shown.ENVIRONMENT["TZ"])
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    assert shown.updated(text, run=_answer) == text, UPDATE


@pytest.mark.parametrize("row", QUESTIONS, ids=[row.question for row in QUESTIONS])
def test_each_question_is_answered_by_the_line_of_its_page(
    row: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    (tmp_path / "rep1.prm").write_text(PARAMETERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    answer = logdump(*shlex.split(row.line))
    said, part = (" ".join(text.split()) for text in (answer.out + answer.err, row.part))
    assert (answer.status, part in said) == (row.status, True), answer


def test_the_page_has_the_questions_and_the_stories() -> None:
    assert len(QUESTIONS) == 31 + 18 + 8


def test_the_readme_answers_five_questions_with_commands_and_their_output() -> None:
    assert len(re.findall(r"^\*\*[^*]+\?\*\*.*\n```console\n\$ logdump ", README, re.MULTILINE)) == 5


def test_help_has_the_line_of_each_command() -> None:
    assert LIST.read_text(encoding="utf-8").splitlines() == [*list_of_commands(REGISTRY.commands)], UPDATE


def test_the_reference_is_what_the_program_has() -> None:
    assert {page.name: page.read_text(encoding="utf-8") for page in REFERENCE.iterdir()} == reference.pages(), UPDATE


def test_the_conversation_of_its_page_is_what_the_tools_answer(use_zone: UseZone) -> None:
    use_zone(shown.ENVIRONMENT["TZ"])
    text = conversation.PAGE.read_text(encoding="utf-8")
    assert conversation.updated(text) == text, UPDATE


def test_the_page_about_agents_lists_the_tools() -> None:
    text = conversation.PAGE.read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \| .* \| .*\|$", text.split("## Tools")[1], re.MULTILINE)[: len(TOOLS)] == [
        tool.name for tool in TOOLS
    ]
    for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL):
        json.loads(block)


def test_the_manual_page_is_what_the_program_prints() -> None:
    assert {page.name: page.read_text(encoding="utf-8") for page in MAN.iterdir()} == man_pages.pages(), UPDATE


def test_the_python_of_its_page_works_and_prints_what_it_says() -> None:
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    code, printed = re.findall(r"```python\n(.*?)```\n\n```\n(.*?)…\n```", page, re.DOTALL)[0]
    assert len([line for line in code.splitlines() if line]) <= 5
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(printed)


def test_every_exit_status_is_documented() -> None:
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    assert [status for status in ExitStatus if f"\n| {status.value} | " not in page] == []


def test_links_lead_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^):]+)\)", page.read_text(encoding="utf-8"))]
    assert [(page, link) for page, link in links if not _leads_somewhere(page, *link.partition("#")[::2])] == []


def _leads_somewhere(page: Path, path: str, heading: str) -> bool:
    target = page.parent / path if path else page
    return target.exists() and (not heading or heading in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """The names that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_word_of_logdump_has_a_row_about_its_fidelity() -> None:
    known = {word for row in ROWS for word in re.findall(r"\w+", row[0])}
    assert LOGDUMP_WORDS - {"DET", "POS", "SH", "SHO"} - known == set()


def test_a_row_about_fidelity_gives_one_of_the_three_verdicts() -> None:
    assert [row for row in ROWS if not row[1].startswith(VERDICTS)] == []


def test_every_dependency_is_explained() -> None:
    explained = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    requirements = re.findall(r'"([a-z-]+)(?:\[|[>=])', (ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert [name for name in requirements if name != "logdump" and name not in explained] == []


@pytest.mark.parametrize("target", ["demo", "test", "check"])
def test_the_makefile_has_the_target(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_on_values_lists_every_data_type_by_its_name() -> None:
    page = (ROOT / "docs" / "values.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\d+) \| ([A-Z0-9 ]+) \|", page, re.MULTILINE))
    assert rows == {str(code): data_type.name for code, data_type in DATA_TYPES.items()}


def test_every_page_is_listed() -> None:
    listed = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert sorted(name for name in pages if f"]({name})" not in listed) == []


def test_the_readme_can_be_read_in_a_few_screens() -> None:
    assert len(README.splitlines()) <= 85


def test_a_source_package_has_every_folder_that_its_tests_need() -> None:
    grafted = re.findall(r"^graft (\S+)", (ROOT / "MANIFEST.in").read_text(encoding="utf-8"), re.MULTILINE)
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    folders = {name.partition("/")[0] for name in tracked.splitlines() if "/" in name}
    assert sorted(folders - set(grafted)) in ([], ["logdump", "pyspark_trail", "trailformat"])
