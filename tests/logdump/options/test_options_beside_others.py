"""An option of a verb is not ignored beside another one: it changes the commands, or both together are misuse."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from logdump.line.verbs.table import VERBS, Verb
from tests.logdump.options.test_every_option_of_verbs import GIVEN, WORK, Words
from tests.logdump.program import Answer, logdump
from tests.searching import IS_LONG, Random

OTHERS: dict[str, Words] = {
    "columns": ("--columns", "NAME"),
    "effective": ("--effective",),
    "by_table": ("--by-table",),
    "meta": ("--meta",),
    "bom": ("--bom",),
    "params": ("--params", "x.prm"),
    "undo": ("--undo",),
    "last": ("--last", "3"),
    "undo_since": ("--since", "2024-03-14 09:35"),
    "undo_csn": ("--csn", "41882453"),
    "hex": ("--hex",),
    "detail": ("--detail",),
    "values": ("--values",),
    "all": ("--all",),
    "reports": ("--reports", "."),
    "trails": ("--trails", "."),
    "dry": ("--dry",),
    "list": ("--list",),
    "idle": ("--idle", "7"),
    "follow": ("--follow",),
    "limit": ("--limit", "2"),
}
"""The words of options besides GIVEN; a limit that is none that a verb has by itself."""
UNSEEN = {"explain", "no_pager"}
"""What is no part of the commands."""
FREE: dict[str, Words] = {
    "tail": ("et000000000",),
    "row": ("et000000000", "TEAHOUSE.TEAS", "TEA_CODE=SEN01"),
    "explain": ("-",),
    "export": ("et000000000", "--table", "TEAHOUSE.TEAS", "--format", "csv", "-o", "x.csv"),
}
"""The words of verbs of which more than the options that are tried must be there, or less."""
REPLACES = {"export", "redo", "undo", "sql", "report", "repair", "lob"}
"""Verbs whose command has the target; that of others is written by the verb itself."""
NEEDS = {
    "last": ("undo",),
    "undo_since": ("undo",),
    "undo_csn": ("undo",),
    "replace": ("output",),
}
"""What an option needs."""


def _pairs(verb: Verb) -> Iterator[tuple[str, str]]:
    own = [option for option in verb.known_options if option not in UNSEEN and option in {**GIVEN, **OTHERS}]
    seen = [option for option in own if verb.name in REPLACES or option not in ("output", "replace")]
    yield from combinations([option for option in seen if option not in ("output", "format")], 2)


def _with_needed(*options: str) -> set[str]:
    return {*options, *(needed for option in options for needed in NEEDS.get(option, ()))}


def _explained(verb: Verb, whole: set[str]) -> Answer:
    """The commands of a verb with some options."""
    words = list(FREE.get(verb.name, WORK[verb.name]))
    for option in sorted(whole):
        given = {**GIVEN, **OTHERS}[option]
        words += [word for word in given if word not in ("-o", "x")] if "-o" in words else given
    if "replace" in whole and "-o" not in words:
        words += ["-o", "x.csv"]
    return logdump(verb.name, *words, "--explain")


@pytest.mark.parametrize("verb", VERBS, ids=[verb.name for verb in VERBS])
def test_each_of_two_options_is_in_the_commands_or_both_are_misuse(
    verb: Verb, trails: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(trails)
    random, pairs = Random(verb.name), [*_pairs(verb)]
    for option, other in pairs if IS_LONG else random.sample(pairs, min(len(pairs), 12)):
        both = _explained(verb, _with_needed(option, other))
        for alone in map(_with_needed, (option, other)):
            if alone != _with_needed(option, other) and both.status != 2:
                assert both.out != _explained(verb, alone).out, (option, other, both.out)
