"""Every sample in the documents runs as it stands, after ``make demo``, in the order of its page.

A fenced block of a language in :data:`RUNNERS` is run in a copy of what a user has; any other block, or one that is not
run, needs its reason in :data:`NOT_RUN`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.logdump.program import logdump
from tests.test_documents import PAGES, ROOT

TRAIL = "fixtures/trails/et000000000"
SPARK_PAGES = {"docs/spark.md", "docs/spark-rules.md", "docs/clusters.md"}
"""tests/logdump/spark/test_examples.py runs their blocks, but for text: that takes a cluster."""
_OF_A_CLIENT = "the configuration of a client of agents; tests/logdump/agents has a client of the protocol"
NOT_RUN = {
    ("docs/agents.md", "pip install 'logdump[mcp]'"): "it installs, and serves until its client goes",
    **{
        ("docs/agents.md", line): _OF_A_CLIENT
        for line in (
            (
                '{"mcpServers": {"logdump": {"command": "logdump", "args": ["mcp", "/u01/ogg/dirdat", '
                '"/u01/ogg/dirrpt"]}}}'
            ),
            '{"servers": {"logdump": {"type": "stdio", "command": "logdump", "args": ["mcp", "/u01/ogg/dirdat"]}}}',
            (
                '{"mcpServers": {"logdump": {"url": "http://127.0.0.1:8765/mcp", "headers": '
                '{"Authorization": "Bearer ${env:LOGDUMP_MCP_TOKEN}"}}}}'
            ),
        )
    },
    (
        "docs/agents.md",
        (
            '> explain {"text": "OGG-02191 Incompatible record 101 in dirdat/ft000000000, rba 3522 when getting trail '
            'header"}'
        ),
    ): "scripts/conversation.py holds it, and tests/test_documents.py compares them",
    ("docs/pipeline.md", "import logdump.spark"): "it runs until it is stopped; tests/logdump/spark/targets has tests",
    (
        "docs/pipeline.md",
        "logdump apply dirdat/lt postgresql://user@host/shop --table 'TEAHOUSE.*' --create",
    ): "it needs a server; tests/logdump/verbs/test_apply.py has tests",
    (
        "docs/pipeline.md",
        "logdump apply fixtures/trails/st sqlite:///shop.db --create --once",
    ): "the line that was printed depends on the time; tests/logdump/verbs/test_apply.py has tests",
    (
        "docs/pipeline.md",
        "git clone <this repository> && cd logdump && pip install '.[apply]'",
    ): "it takes five minutes; tests/logdump/targets/test_pipeline_example.py runs it in a short form",
    (
        "docs/pipeline.md",
        "in /tmp/pipeline-kcz1jo11: extract is process 15683, table is process 15698, lake is process 15700",
    ): "the output of the block before, which is drawn",
    (
        "docs/pipeline.md",
        "logdump apply dirdat/lt postgresql://user@host/shop --table 'TEAHOUSE.*' --create \\",
    ): "it needs servers; tests/logdump/spark/targets/test_load.py has tests",
    (
        "docs/pipeline.md",
        "tables: {HR.EMP: staff.employees, HR.DEPT: }",
    ): "a file of options; tests/logdump/targets/test_options.py has tests",
    ("docs/pipeline.md", "import logdump"): "it needs a server; tests/logdump/spark/targets has tests",
    (
        "docs/publish.md",
        "logdump publish dirdat/lt kafka://broker:9092 --table 'TEAHOUSE.*' --create",
    ): "it needs a broker; tests/logdump/verbs/test_publish.py has tests",
    ("docs/publish.md", "import logdump"): "it needs a broker; tests/logdump/targets/kafka has tests",
    ("docs/publish.md", "import logdump.spark"): "it needs a broker; tests/logdump/targets/kafka has tests",
    (
        "docs/shell.md",
        (
            "15 3 * * *  logdump doctor /u01/ogg/dirdat/lt --since-last /var/tmp/doctor.state      "
            "# a mail if there are new problems"
        ),
    ): "a line of crontab; tests/logdump/doctor has tests",
    ("docs/python.md", "1130 Metadata  None"): "the output of the block before; tests/test_documents.py compares them",
}
"""The blocks that are not run, by page and first line, and why."""


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str
    language: str
    text: str

    @property
    def key(self) -> tuple[str, str]:
        """What NOT_RUN calls it."""
        return self.page, self.text.partition("\n")[0]


def _blocks(page: Path) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [Block(page.relative_to(ROOT).as_posix(), language, text) for language, text in found]


BLOCKS = [block for page in [*PAGES, *sorted(ROOT.glob("*/README.md"))] for block in _blocks(page)]
RUN = [block for block in BLOCKS if block.key not in NOT_RUN and not block.text.startswith("$ ")]
"""Blocks that begin with ``$`` show the output too; tests/test_documents.py compares it."""


def environment(home: Path) -> dict[str, str]:
    """The environment of a user who has done that."""
    path = f"{home / '.venv' / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "LOGDUMP_HISTORY": "", "TZ": "GMT"}


def _run(home: Path, command: list[str]) -> str:
    """What a program prints, which succeeds and has nothing to say on standard error."""
    done = subprocess.run(
        command, cwd=home, env=environment(home), input="", capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, ""), (command, done.stderr, done.stdout[-2000:])
    return done.stdout


def _shell(home: Path, text: str) -> None:
    _run(home, ["bash", "-euo", "pipefail", "-c", text])


def _python(home: Path, text: str) -> None:
    said = io.StringIO()
    with contextlib.chdir(home), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
        exec(text, {"__name__": "__main__"})
    assert said.getvalue() == ""


def _commands(home: Path, text: str) -> None:
    """One command to a line, its explanation behind three blanks, each in a session of its own."""
    for line in text.splitlines():
        command = re.split(r" {3,}", line)[0]
        with contextlib.chdir(home):
            answer = logdump(TRAIL, "-c", command)
        is_noted = command.endswith((" TO -", " OGG"))  # a truncate of the trail is named
        assert (answer.status, bool(answer.err)) == (0, is_noted), (command, answer)


def run_console(home: Path, text: str) -> None:
    """What stands behind the prompts."""
    typed = "\n".join(re.findall(r"^Logdump \d+ >(.*)$", text, re.MULTILINE))
    (home / "saved").mkdir(exist_ok=True)
    command = [str(home / ".venv" / "bin" / "logdump"), "-f", "-"]
    done = subprocess.run(
        command, cwd=home, env=environment(home), input=typed, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


RUNNERS: dict[str, Callable[[Path, str], None]] = {
    "sh": _shell,
    "python": _python,
    "logdump": _commands,
    "console": run_console,
}


def test_every_block_is_run_or_has_a_reason() -> None:
    forgotten = [block.key for block in RUN if block.language not in RUNNERS and block.page not in SPARK_PAGES]
    assert forgotten == [], "give it a language that RUNNERS has, or a reason in NOT_RUN"


def test_every_reason_is_about_a_block() -> None:
    assert set(NOT_RUN) <= {block.key for block in BLOCKS}


def test_there_are_blocks_to_run() -> None:
    assert {block.language for block in RUN} >= {"sh", "python", "logdump", "sql"}


@pytest.mark.parametrize("page", sorted({block.page for block in RUN} - SPARK_PAGES))
def test_the_samples_of_a_page_run_in_their_order(page: str, as_after_make_demo: Path) -> None:
    for block in RUN:
        if block.page == page:
            if "jq " in block.text and shutil.which("jq") is None:
                pytest.skip("a sample needs jq")
            RUNNERS[block.language](as_after_make_demo, block.text)


def test_make_demo_answers_each_question_in_a_few_lines(as_after_make_demo: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = re.findall(r"^demo:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[0]
    assert f"SAMPLE := {TRAIL}\n" in makefile
    typed = re.findall(r"^\t@-?(\$\(BIN\)/logdump .*)$", recipe, re.MULTILINE)
    assert len(typed) == 4
    for line in typed:
        command = line.replace("$(BIN)", ".venv/bin").replace("$(SAMPLE)", TRAIL)
        assert 1 <= len(_run(as_after_make_demo, ["bash", "-c", command]).splitlines()) <= 6, command
