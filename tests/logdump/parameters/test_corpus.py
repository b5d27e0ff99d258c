"""Parameter files in the shapes in which people write them, and what becomes of them when they are cut or nested."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.parameters.model import ParameterError, ProcessSide
from logdump.parameters.reading import read_parameters
from logdump.parameters.tree import (
    Ddl,
    DdlOption,
    ErrorRule,
    Exclusion,
    Other,
    OutputTrail,
    Substitution,
    Switch,
    Taker,
)
from tests.searching import examples, stride

CORPUS = Path(__file__).parent / "corpus"
KINDS = (Taker, Exclusion, Ddl, Substitution, ErrorRule, DdlOption, Switch, Other, OutputTrail)
FILES = {
    "classic_extract.prm": (ProcessSide.EXTRACT, "etea", (2, 1, 1, 0, 0, 3, 3, 7, 1)),
    "integrated_extract.prm": (ProcessSide.EXTRACT, "EINT", (3, 1, 1, 0, 0, 2, 5, 0, 1)),
    "pump.prm": (ProcessSide.EXTRACT, "ptea", (2, 0, 0, 0, 0, 0, 2, 1, 1)),
    "replicat_with_macros.prm": (ProcessSide.REPLICAT, "rtea", (4, 0, 1, 1, 2, 0, 2, 3, 0)),
    "old_quotes.prm": (ProcessSide.REPLICAT, "rold", (1, 0, 1, 1, 0, 0, 2, 0, 0)),
    "mysql_replicat.prm": (ProcessSide.REPLICAT, "rmy", (1, 0, 1, 0, 0, 0, 1, 1, 0)),
    "coordinated.prm": (ProcessSide.REPLICAT, "rco", (4, 0, 1, 0, 1, 0, 2, 1, 0)),
    "GLOBALS": (ProcessSide.GLOBALS, "", (0, 0, 0, 0, 0, 0, 3, 1, 0)),
    "obeying.prm": (ProcessSide.REPLICAT, "rob", (1, 1, 1, 0, 0, 0, 2, 0, 0)),
}
"""Side, group, and how many nodes there are of each kind."""
MESSAGE = re.compile(r"PARAMS: .+, line \d+: .+")


def read_or_refused(path: Path) -> ParameterError | None:
    """Read a file; what may happen to it is an error."""
    try:
        read_parameters(path)
    except ParameterError as error:
        return error
    return None


def names_its_place(error: ParameterError | None) -> bool:
    """Whether an error, if there is one, names a line that its file has."""
    if error is None:
        return True
    lines = error.place.path.read_bytes().count(b"\n") + 2
    return MESSAGE.fullmatch(str(error)) is not None and 1 <= error.place.line <= lines


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_understood_as_far_as_it_goes(name: str) -> None:
    file = read_parameters(CORPUS / name)
    assert (file.side, file.group, tuple(len(file.of(kind)) for kind in KINDS)) == FILES[name]


@pytest.mark.parametrize("name", FILES)
def test_every_node_names_a_line_on_which_something_stands(name: str) -> None:
    for node in read_parameters(CORPUS / name).nodes:
        text = node.rule.path.read_text(encoding="utf-8").splitlines()[node.rule.line - 1]
        assert text.strip()
        if not text.lstrip().startswith(("#", "$")):
            assert node.rule.text.split()[0].upper() in text.upper()


@pytest.mark.parametrize("name", FILES)
def test_no_password_gets_into_the_tree(name: str) -> None:
    told = str(read_parameters(CORPUS / name))
    assert not re.search("AACAAAA|se;cret|PASSWORD tea", told)


@pytest.mark.parametrize("name", [*FILES, "library.mac"])
def test_a_file_cut_anywhere_is_read_or_refused_with_its_place(name: str, tmp_path: Path) -> None:
    data = (CORPUS / name).read_bytes()
    for other in CORPUS.iterdir():
        (tmp_path / other.name).write_bytes(other.read_bytes())
    for cut in range(0, len(data), stride(7)):
        (tmp_path / name).write_bytes(data[:cut])
        path = tmp_path / ("replicat_with_macros.prm" if name.endswith(".mac") else name)
        assert names_its_place(read_or_refused(path)), cut


PIECES = st.sampled_from(
    [
        *(
            "REPLICAT r",
            "MAP a.*, TARGET b.*;",
            "MAP",
            "DDL",
            "INCLUDE ALL",
            "EXCLUDE",
            "INSTR 'x'",
            "DDLSUBST 'a' WITH",
        ),
        *(
            "MACRO #a BEGIN",
            "MACRO #b PARAMS (#x) BEGIN",
            "END;",
            "#a ()",
            "#b (1, {2, (3)})",
            "#b (",
            "##",
            "#x",
            "\n",
        ),
        *(
            "'",
            '"',
            "&\n",
            "--",
            ";",
            ",",
            "(",
            ")",
            "{",
            "}",
            "OBEY p.prm",
            "INCLUDE p.prm",
            "\\",
            "*",
            "?X",
            "a.b.c.d",
        ),
        *("DDLERROR", "DEFAULT", "942", "DDLOPTIONS", "REMOVECOMMENTS", "MAPSESSIONSCHEMA a TARGET b", "MACROCHAR $\n"),
    ]
)


@settings(max_examples=examples(100))
@given(st.lists(PIECES | st.text(max_size=5), max_size=25).map(" ".join))
def test_any_text_is_read_or_refused_with_its_place(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "p.prm"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    assert names_its_place(read_or_refused(path))
