"""The options of a run: from Python, from a mapping, from a file; a file that is hostile is refused in one line."""

from __future__ import annotations

import os
import re
import threading
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from logdump.tables.errors import BadOption
from logdump.targets.run_options import RUN_OPTIONS, ApplyArguments, RunOptions, options_in
from logdump.targets.target import Mask
from tests.searching import Random

T = "S.T"


def of(tables: Any = "*", **given: Any) -> RunOptions:
    """The options of a call."""
    return RunOptions.of(tables, given)


def test_what_a_call_may_have_is_what_there_is() -> None:
    assert {*ApplyArguments.__annotations__} | {"tables"} == {*RUN_OPTIONS} | {"options", "undecodable"}
    assert {field.name for field in fields(RunOptions)} == {*RUN_OPTIONS, "source"}


def test_nothing_given_is_what_the_table_says() -> None:
    options = of()
    assert (dict(options.tables), options.once, options.batch, options.evolve) == ({"*": ""}, False, "32m", "stop")
    for name, option in RUN_OPTIONS.items():
        if option.shown_default and name != "tables":
            shown = getattr(options, name)
            text = str(shown).lower() if isinstance(shown, bool) else f"{shown:g}" if shown in (1.0, 60.0) else shown
            assert text == option.shown_default, name
    assert isinstance(options.stop, threading.Event)


WRITTEN = """\
# how the shop is copied
tables: {S.T: shop.tea, "HR.*":}
create: true
from_csn: 0042
batch: 3m
interval: 0.5
keys: {S.T: [ID, "No"]}
columns:
  S.T: [ID, NO, "a,b", 1]
rename:
  S.T: {NO: '"No."', on: off}
mask:
  S.T:
    NAME: hash
    NOTE: null
    ODD:
    N: {fixed: 007}
    YES: {fixed: "null"}
maxTransactionsPerTrigger: 1
"""


def test_a_file_means_what_it_says_as_text(tmp_path: Path) -> None:
    """No type of YAML changes a word: NO and on are columns, 0042 and 007 keep their zeros."""
    path = tmp_path / "o.yaml"
    path.write_text(WRITTEN)
    options = of(options=path)
    assert dict(options.tables) == {"S.T": "shop.tea", "HR.*": ""}
    assert (options.create, options.from_csn, options.batch, options.interval) == (True, "0042", "3m", 0.5)
    assert options.keys == {T: ("ID", "No")}
    assert options.columns == {T: ("ID", "NO", "a,b", "1")}
    assert options.rename == {T: {"NO": '"No."', "on": "off"}}
    null = Mask("null")
    fixed = {"N": Mask("fixed", "007"), "YES": Mask("fixed", "null")}
    assert options.mask == {T: {"NAME": Mask("hash"), "NOTE": null, "ODD": null, **fixed}}
    assert options.source == {"maxTransactionsPerTrigger": "1"}


@pytest.mark.parametrize("word", ["", "~"])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_what_stands_for_none_is_text_in_quotes(word: str, quote: str, tmp_path: Path) -> None:
    """Bare it is none: as a mask that is null, as a fixed value that is refused."""
    path = tmp_path / "o.yaml"
    text = f"{quote}{word}{quote}"
    path.write_text(f"mask: {{S.T: {{A: {{fixed: {text}}}, B: {word}, C: {{fixed: 0}}}}}}\nbatch: {text}\n")
    stated = options_in(path)
    assert stated["mask"].value == {T: {"A": {"fixed": word}, "B": None, "C": {"fixed": "0"}}}
    assert (stated["batch"].value, stated["batch"].where) == (word, f"{path}, line 2: ")
    path.write_text(f"mask: {{S.T: {{A: {{fixed: {text}}}, B: {word}}}}}")
    assert of(options=path).mask == {T: {"A": Mask("fixed", word), "B": Mask("null")}}
    path.write_text(f"mask: {{S.T: {{A: {{fixed: {word}}}}}}}")
    with pytest.raises(BadOption, match="A: a fixed value is none"):
        of(options=path)


def test_what_is_given_beside_a_file_takes_precedence(tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    path.write_text("create: true\nbatch: 3m\ntables: S.T\n")
    options = of(["S.U"], options=str(path), batch="4m")
    assert (dict(options.tables), options.batch, options.create) == ({"S.U": ""}, "4m", True)
    assert of(options={"create": False, "mask": {T: {"A": None}}}).mask == {T: {"A": Mask("null")}}


WRONG: dict[str, str] = {
    "colums: {S.T: [ID]}": "line 1: there is no option colums; did you mean columns?",
    "create: true\nCreate: true": "line 2: there is no option Create; did you mean create?",
    "create: maybe": "line 1: create takes true or false, not 'maybe'",
    "create:": "line 1: create takes true or false, not 'None'",
    "create: [true]": "line 1: create takes true or false",
    "patience: soon": "line 1: patience takes a number of seconds, not 'soon'",
    "patience: -1": "line 1: patience takes a number of seconds",
    "patience: nan": "line 1: patience takes a number of seconds",
    "evolve: all": "line 1: evolve takes stop or add, not 'all'",
    "from_csn: last": "line 1: from_csn: ",
    "columns: [ID]": "line 1: columns takes lists of columns by table",
    "columns: {S.T: []}": "line 1: columns takes lists of columns by table",
    "columns: {S.T: [ID, N, id]}": "line 1: columns: id is named twice",
    "columns: {S.T: [[ID]]}": "line 1: columns takes lists of columns by table",
    "rename: {S.T: [ID]}": "line 1: rename takes new names by column, by table",
    "rename: {S.T: {ID: }}": "line 1: rename: the new name of ID is no text",
    "rename: {S.T: {ID: a, id: b}}": "line 1: rename: id is named twice",
    "mask: {S.T: {ID: hsh}}": "line 1: mask: ID: there is no mask hsh; did you mean hash?",
    "mask: {S.T: {ID: fixed}}": "line 1: mask: ID: fixed wants its value: {fixed: value}",
    "mask: {S.T: {ID: {fixed: }}}": "line 1: mask: ID: a fixed value is none",
    "mask: {S.T: {ID: {fixd: 1}}}": "line 1: mask: ID: a mask is hash, null or {fixed: value}",
    "mask: {S.T: {ID: {fixed: [1]}}}": "line 1: mask: ID: a mask is",
    "tables: {S.T: [a]}": "line 1: tables takes names, or names in the target by name",
    "tables: []": "line 1: tables takes names",
    "progress: print": "line 1: progress is for Python alone",
    "options: o.yaml": "line 1: there is no option options",
    "\n\n- create": "line 3: it is a list, not options by name",
    "create": "line 1: it is text, not options by name",
    "create: true\ncreate: true": "line 2: create stands twice",
    "mask: {S.T: {A: hash, A: null}}": "line 1: A stands twice",
    "? [a]\n: b": "line 1: a name is a list or a mapping",
    "? {a: b}\n: b": "line 1: a name is a list or a mapping",
    "create: true\n---\nonce: true": "line 3: a second document begins",
    "create: !!python/object/apply:os.system ['true']": "line 1: a tag (!)",
    "create: !!bool true": "line 1: a tag (!)",
    "!x create: true": "line 1: a tag (!)",
    "!!map {create: true}": "line 1: a tag (!)",
    "create: &a true": "line 1: an anchor or an alias",
    "keys: &a {S.T: [ID]}\ncolumns: *a": "line 1: an anchor or an alias",
    "&a create: true": "line 1: an anchor or an alias",
    "*a : true": "line 1: ",
    "tables: HR.*\nkeys: {S.T: *ID}": "line 2: ",
    "<<: {create: true}": "line 1: there is no option <<",
    "create: true\n  once: true": "line 2: ",
    "create: 'true": "line 1: ",
    "create: {": "line 1: ",
    "\tcreate: true": "line 1: ",
    "a: " + "[" * 7: "line 1: lists and mappings are too deep in each other",
    "create: \x07": "",
    "%YAML 9.9\n---\ncreate: true": "line 1: ",
}


@pytest.mark.parametrize("written", WRONG)
def test_what_is_wrong_is_one_line_with_its_place(written: str, tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    path.write_text(written)
    with pytest.raises(BadOption) as caught:
        of(options=path)
    said = str(caught.value)
    where = rf"{re.escape(f'{path}, ')}" if WRONG[written] else re.escape(f"{path}: ")
    assert re.match(where + re.escape(WRONG[written]), said), said
    assert "\n" not in said


def test_a_bomb_is_refused_at_its_first_alias(tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    lines = ["a: &a [x,x,x,x,x,x,x,x,x]"]
    lines += [
        f"{b}: &{b} [*{a},*{a},*{a},*{a},*{a},*{a},*{a},*{a}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(BadOption, match="line 1: an anchor"):
        of(options=path)
    for text in ("a: " + "[" * 500_000, "a: " + "{b: " * 200_000, "- " * 400_000):
        path.write_text(text)
        with pytest.raises(BadOption, match="line 1: "):
            of(options=path)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a: \xc3", b"\0" * 9, b"x" * (1 << 21)])
def test_bytes_that_are_no_text_are_refused(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    path.write_bytes(data)
    with pytest.raises(BadOption, match=re.escape(str(path))):
        of(options=path)


def test_what_is_no_file_is_refused_and_nothing_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("", "fifo", "none", "no\0ne"):
        with pytest.raises(BadOption):
            of(options=tmp_path / name)
    with pytest.raises(BadOption, match="options takes the path of a file or a mapping, not '7'"):
        of(options=7)


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}"])
def test_an_empty_file_has_no_options(text: str, tmp_path: Path) -> None:
    path = tmp_path / "o.yaml"
    path.write_text(text)
    assert options_in(path) == {}


@pytest.mark.parametrize("seed", range(3))
def test_any_text_is_options_or_one_line(seed: int, tmp_path: Path) -> None:
    """Pieces of YAML in any order, and a file with characters changed: nothing but BadOption, and no word is lost."""
    random, path = Random(seed), tmp_path / "o.yaml"
    pieces = [
        *"{}[]:,-?&*!|>'\"%@`#~ \n\t",
        "create",
        "mask",
        "S.T",
        ": ",
        "- ",
        "\n  ",
        "---",
        "...",
        "<<",
        "!!",
        "é",
        "\u2028",
    ]
    for _ in range(300):
        if random.random() < 0.5:
            text = "".join(random.choices(pieces, k=random.randrange(1, 40)))
        else:
            letters = [*WRITTEN]
            for _ in range(random.randrange(1, 4)):
                letters[random.randrange(len(letters))] = random.choice(pieces)
            text = "".join(letters)
        path.write_text(text)
        said = _refusal(path)
        assert not said or said.startswith(f"{path}"), text
        assert "\n" not in said, text


def _refusal(path: Path) -> str:
    try:
        of(options=path)
    except BadOption as error:
        return str(error)
    return ""
