"""What trailformat exports: exactly the public names, sorted, each with a docstring."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import trailformat


@pytest.mark.parametrize("name", trailformat.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(trailformat, name) is not None


def test_the_public_names_are_the_package_s_directory() -> None:
    assert dir(trailformat) == sorted(trailformat.__all__)


def test_a_name_that_is_not_public_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'trailformat' has no attribute 'TrailFiles'"):
        _ = trailformat.TrailFiles


def test_the_codec_knows_nothing_of_the_houses_above_it() -> None:
    program = (
        "import sys, trailformat; [getattr(trailformat, name) for name in trailformat.__all__];"
        "print(sorted({'logdump', 'textual', 'pyspark', 'pyarrow', 'numpy', 'numba'} & set(sys.modules)))"
    )
    answer = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert answer.stdout == "[]\n"


def names_for_type_checkers() -> set[str]:
    """What the package imports where only type checkers look; the names themselves are loaded when first used."""
    tree = ast.parse(Path(trailformat.__file__).read_text(encoding="utf-8"))
    unused_at_run_time = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in unused_at_run_time.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name for node in imports for alias in node.names}


def test_all_lists_the_public_names_and_no_others() -> None:
    assert set(trailformat.__all__) == names_for_type_checkers() == set(dir(trailformat))


def test_all_is_sorted() -> None:
    constants = [name for name in trailformat.__all__ if name.isupper()]
    assert trailformat.__all__ == sorted(constants) + sorted(set(trailformat.__all__) - set(constants))


@pytest.mark.parametrize("name", [name for name in trailformat.__all__ if not name.isupper()])
def test_a_public_name_says_what_it_is(name: str) -> None:
    exported = getattr(trailformat, name)
    assert inspect.getdoc(exported)
    if inspect.isclass(exported):
        members = [member for member in vars(exported).items() if not member[0].startswith("_")]
        silent = [name for name, value in members if _is_documentable(value) and not inspect.getdoc(value)]
        assert silent == []


def _is_documentable(member: object) -> bool:
    return inspect.isroutine(member) or isinstance(member, property)
