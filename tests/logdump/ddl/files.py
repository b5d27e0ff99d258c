"""Parameter files written for a test."""

from __future__ import annotations

from pathlib import Path

from logdump.features.ddl.evaluation import evaluate
from logdump.features.ddl.model import DdlEvaluated
from logdump.features.ddl.statement import subject_of
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.reading import read_parameters
from logdump.parameters.tree import ParameterFile


def parameter_file(folder: Path, *lines: str, name: str = "p.prm") -> ParameterFile:
    """The tree of a file of these lines."""
    path = folder / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return read_parameters(path)


def in_use(*files: ParameterFile) -> ParametersInUse:
    """These files, each on its side."""
    return ParametersInUse(**{file.side.value: file for file in files})


def evaluated(
    statement: str,
    *files: ParameterFile,
    owner: str = "",
    error: str | None = None,
    items: dict[str, str] | None = None,
) -> list[DdlEvaluated]:
    """What becomes of a statement under these files."""
    return list(evaluate(subject_of(statement, items, owner), in_use(*files), error))
