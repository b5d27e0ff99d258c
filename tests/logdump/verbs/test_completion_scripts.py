"""``logdump completion SHELL``: scripts that offer every verb and its options."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from logdump.line.verbs.completion import NAMES, SHELLS
from tests.logdump.program import logdump


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_verb_and_is_taken_by_its_shell(shell: str) -> None:
    answer = logdump("completion", shell)
    assert answer.status == 0
    assert all(name in answer.out for name in NAMES)
    if (program := shutil.which(shell)) is not None:
        checked = subprocess.run([program, "-n"], input=answer.out, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["logdump", "docto"], ["doctor"]),
        (["logdump", "show", "--sin"], ["--since"]),
        (["logdump", "safe", "--sin"], []),
    ],
)
def test_bash_offers_verbs_and_their_options(words: list[str], offered: list[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    script = logdump("completion", "bash").out
    line = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _logdump; printf "%s\\n" "${{COMPREPLY[@]}}"'
    answer = subprocess.run([bash, "-c", f"{script}\n{line}"], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == offered


def test_another_shell_is_wrong_usage() -> None:
    assert logdump("completion", "tcsh").status == 2
    assert logdump("completion").status == 2
