"""Lines of code by room, without blank lines, comments, docstrings and imports: ``python -m scripts.code_size``."""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGES = ("trailformat", "logdump", "pyspark_trail")
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


_IMPORTS = (ast.Import, ast.ImportFrom)


def _left_out(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of imports, of the head of a block of them, and of strings that are statements: docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.With) and all(isinstance(inner, _IMPORTS) for inner in node.body):
            yield node.lineno
        is_text = (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        )
        if isinstance(node, ast.stmt) and (is_text or isinstance(node, _IMPORTS)):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def code_size(source: str) -> int:
    """Return the number of lines with code in the text of a module."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    lines = {line for kind, _, start, end, _ in tokens if kind not in _NO_CODE for line in range(start[0], end[0] + 1)}
    return len(lines.difference(_left_out(ast.parse(source))))


def sizes(root: Path) -> dict[str, tuple[int, int]]:
    """Return the number of files and of lines of code of each room: a folder or module in the root of a package."""
    files, lines = Counter[str](), Counter[str]()
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            room = ".".join(path.relative_to(root).with_suffix("").parts[:2])
            files[room] += 1
            lines[room] += code_size(path.read_text(encoding="utf-8"))
    return {room: (files[room], lines[room]) for room in lines}


def table(root: Path) -> Iterator[str]:
    """Yield the lines of the table of the rooms in a folder: files and lines of code, with sums for each package."""
    rooms = sizes(root)
    for package in PACKAGES:
        own = {room: size for room, size in rooms.items() if room.split(".")[0] == package}
        for room, size in sorted(own.items(), key=lambda item: -item[1][1]):
            yield _row(room, [size])
        yield _row(package, own.values())
    yield _row("all", rooms.values())


def _row(name: str, rooms: Iterable[tuple[int, int]]) -> str:
    files, lines = (sum(numbers) for numbers in zip(*rooms, strict=True))
    return f"{name:<28}{files:>5}{lines:>8,}\n"


if __name__ == "__main__":
    sys.stdout.writelines(table(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]))
