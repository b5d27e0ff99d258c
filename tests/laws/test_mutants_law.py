"""The list of mistakes that nobody can notice holds lines that are there."""

from __future__ import annotations

import tomllib

from tests.laws.imports import ROOT, modules, source_of


def test_each_line_that_a_mistake_changes_stands_in_its_module() -> None:
    mutants = tomllib.loads((ROOT / "scripts" / "mutants.toml").read_text(encoding="utf-8"))["mutant"]
    sources = {name: source_of(path) for name, path in modules().items()}
    assert [mutant for mutant in mutants if mutant["was"] not in sources.get(mutant["module"], "")] == []
