"""What is printed is harmless by its type: one module writes text to the standard streams, and takes nothing else."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

from logdump.line import terminal
from logdump.notation.text import escape
from logdump.session.session import SessionLog
from tests.laws.imports import nodes_of, source_of

ROOT = Path(__file__).parents[2]
SOURCES = [path.relative_to(ROOT) for name in ("logdump", "trailformat") for path in (ROOT / name).rglob("*.py")]
THE_TERMINAL = Path("logdump/line/terminal.py")
_STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}
_WRITES = {"write", "writelines"}


def _is_write_to_a_stream(node: ast.Call) -> bool:
    called = node.func
    if isinstance(called, ast.Name):
        return called.id == "print"
    if not isinstance(called, ast.Attribute) or called.attr not in _WRITES:
        return False
    return isinstance(called.value, ast.Attribute) and called.value.attr in _STREAMS


def _writes(path: Path) -> Iterator[str]:
    source = source_of(ROOT / path)
    for node in nodes_of(ROOT / path) if "write" in source or "print" in source else ():
        if isinstance(node, ast.Call) and _is_write_to_a_stream(node):
            yield f"{path}:{node.lineno}"


def test_one_module_writes_text_to_the_standard_streams() -> None:
    assert not [place for path in SOURCES if path != THE_TERMINAL for place in _writes(path)]
    assert list(_writes(THE_TERMINAL))


def sinks(text: str) -> None:
    """Whatever takes text to where somebody looks at it: mypy refuses what is not escaped, and an ignore too many."""
    terminal.write_line(text)  # type: ignore[arg-type]
    terminal.write_line(text, is_narration=True)  # type: ignore[arg-type]
    terminal.write_prompt(text)  # type: ignore[arg-type]
    terminal.write_over(text, 80)  # type: ignore[arg-type]
    SessionLog().write_line(text)  # type: ignore[arg-type]
    safe = escape(text)
    terminal.write_line(safe)
    terminal.write_line(safe, is_narration=True)
    terminal.write_prompt(safe)
    terminal.write_over(safe, 80)
    SessionLog().write_line(safe)


def test_mypy_refuses_what_is_not_escaped() -> None:
    """``make lint`` runs it over ``sinks``, which nobody calls."""
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert options["strict"]
    assert "tests" in options["files"]
    assert "warn_unused_ignores" not in options
