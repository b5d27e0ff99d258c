"""Parameter files in the shapes in which people write them, and what becomes of them when they are cut or nested.

What a parameter file says that is not used is named at each answer that it would change, and at no other.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.parameters.model import ParameterError, ProcessSide
from logdump.parameters.not_used import UNUSED
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
from tests.logdump.commands.test_params import objects, written
from tests.logdump.ddl.files import evaluated, parameter_file
from tests.logdump.line import Line
from tests.searching import examples, stride

EXTRACT = ("EXTRACT e", "USERIDALIAS x", "DDL INCLUDE ALL", "TABLE hr.*;")
REPLICAT = ("REPLICAT r", "MAP hr.*, TARGET hr2.*;")
CREATE_USER = "/* x */ create user u identified by secret"
OF_STATEMENTS = [
    (EXTRACT, "DDLOPTIONS NOREPLICATEPASSWORD", CREATE_USER, "drop user u"),
    (EXTRACT, "DDLOPTIONS NOCROSSRENAME", "alter table hr.a rename to b", "drop table hr.a"),
    (EXTRACT, "SEQUENCE hr.*;", "create sequence hr.s", "drop table hr.s"),
    (EXTRACT, "TRANLOGOPTIONS EXCLUDEUSER ogg", "drop table hr.a", None),
    (EXTRACT, "TABLE a?;", "drop table hr.a1", "drop table hr.b"),
    (EXTRACT, "MAP hr.a, TARGET hr.b;", "drop table hr.a", "drop table hr.b"),
    (EXTRACT, "MAPEXCLUDE hr.a", "drop table hr.a", "drop table hr.b"),
    (EXTRACT, "TABLE ?WHICH;", "drop table hr.a", None),
    (EXTRACT, "DDLOPTIONS NOSUCHOPTION", "drop table hr.a", None),
    (EXTRACT, "NAMEMATCHEXACT", "drop table hr.a", None),
    (REPLICAT, "DDLOPTIONS DEFAULTUSERPASSWORD ocean", CREATE_USER, "drop user u"),
    (REPLICAT, "DDLOPTIONS DEFAULTUSERPASSWORD ocean AES256 ENCRYPTKEY DEFAULT", "ALTER USER u IDENTIFIED BY x", None),
    (REPLICAT, "DDLOPTIONS DEFAULTUSERPASSWORDALIAS tea DOMAIN d", CREATE_USER, "alter user u account lock"),
    (REPLICAT, "DDLOPTIONS USEPASSWORDVERIFIERLEVEL 10", CREATE_USER, "drop user u"),
    (REPLICAT, "DDLOPTIONS PASSWORD AES128 ENCRYPTKEY k", CREATE_USER, "drop user u"),
    (REPLICAT, "DDLOPTIONS MAPSCHEMAS", "drop table hr.a", None),
    (REPLICAT, "TABLE hr.a;", "drop table hr.a", "drop table hr.b"),
    (REPLICAT, "MAP ?WHICH, TARGET hr2.*;", "drop table hr.a", None),
]
OF_TRAILS = [
    ("extract", "RECOVERYOPTIONS OVERWRITEMODE", ("recovery", "safe", "explain restart")),
    ("extract", "RECOVERYOPTIONS APPENDMODE", ("recovery", "safe", "explain restart")),
    ("replicat", "MAXTRANSOPS 100", ("safe", "explain restart")),
    ("replicat", "TRANSACTIONTIMEOUT 5 S", ("safe", "explain restart")),
    ("extract", "BR BROFFONFAILURE", ("br", "safe", "explain restart")),
    ("extract", "RMTHOSTOPTIONS COMPRESS", ("compress level 1",)),
    ("extract", "RMTHOST ?HOST, COMPRESS", ("compress level 1",)),
    ("extract", "SEQUENCE hr.*;", ("params coverage",)),
    ("extract", "TRANLOGOPTIONS EXCLUDETAG 00", ("params coverage",)),
    ("extract", "IGNOREINSERTS", ("params coverage",)),
    ("replicat", "IGNOREUPDATES", ("params coverage",)),
    ("replicat", "IGNOREDELETES", ("params coverage",)),
    ("extract", "IGNOREAPPLOPS", ("params coverage",)),
    ("replicat", "NAMEMATCHIGNORECASE", ("params coverage",)),
    ("extract", "TABLE teas;", ("params coverage",)),
    ("replicat", "TABLE hr.a;", ("params coverage",)),
    ("extract", "TABLE ?WHICH;", ("params coverage",)),
]
COMMANDS = ("recovery", "safe", "explain restart", "br", "compress level 1", "params coverage")


def named(statement: str, lines: tuple[str, ...], parameter: str, folder: Path) -> list[str]:
    """The notes at a statement that name line of the parameter."""
    file = parameter_file(folder, *lines, parameter)
    (result,) = evaluated(statement, file)
    return [
        problem
        for problem in result.problems
        if f"(line {len(lines) + 1}) " in problem and "is excluded by" not in problem
    ]


@pytest.mark.parametrize(("lines", "parameter", "changed", "unchanged"), OF_STATEMENTS)
def test_it_is_named_at_each_statement_whose_result_it_would_change(
    lines: tuple[str, ...], parameter: str, changed: str, unchanged: str | None, tmp_path: Path
) -> None:
    (note,) = named(changed, lines, parameter, tmp_path)
    assert "ocean" not in note
    if unchanged is not None:
        assert named(unchanged, lines, parameter, tmp_path) == []


@pytest.mark.parametrize("lines", [("EXTRACT p", "RMTTRAIL rt", "PASSTHRU"), ("EXTRACT e", "USERIDALIAS x")])
def test_nothing_is_named_where_nothing_is_decided(lines: tuple[str, ...], tmp_path: Path) -> None:
    assert named("drop table hr.a", lines, "TRANLOGOPTIONS EXCLUDEUSER ogg", tmp_path) == []


@pytest.mark.parametrize(("side", "parameter", "commands"), OF_TRAILS)
def test_it_is_named_at_each_answer_on_a_trail_that_it_would_change(
    side: str, parameter: str, commands: tuple[str, ...], shop: Line, tmp_path: Path
) -> None:
    path = written(tmp_path, f"{side} x", parameter)
    shop(f"params {path}")
    shop("n 4")
    keyword, place = parameter.split(maxsplit=1)[0].upper(), f"({path}, line 2) "
    named = [command for command in COMMANDS if any(f"{keyword} " in line and place in line for line in shop(command))]
    assert sorted(named) == sorted(commands)


def test_every_parameter_of_the_table_is_tried() -> None:
    tried = [parameter for _, parameter, _, _ in OF_STATEMENTS] + [parameter for _, parameter, _ in OF_TRAILS]
    words = {word.strip(";") for text in tried for word in text.split()}
    assert {parameter.keyword for parameter in UNUSED} <= words


def test_it_is_part_of_json(trails: Path, tmp_path: Path) -> None:
    path = written(tmp_path, "EXTRACT e", "RECOVERYOPTIONS OVERWRITEMODE")
    told = objects(f"open {trails / 'at000000000'}", f"params {path}", "recovery")
    assert any("RECOVERYOPTIONS OVERWRITEMODE" in str(item) for item in told if item["type"] == "text")


def test_compress_says_that_rmthost_does_not_compress(shop: Line, tmp_path: Path) -> None:
    lines = (
        "EXTRACT p",
        "RMTHOST a, MGRPORT 7809",
        "RMTTRAIL rt",
        "RMTHOST b, COMPRESS, TCPFLUSHBYTES 9",
        "RMTTRAIL ru",
    )
    path = written(tmp_path, *lines)
    shop(f"params {path}")
    assert [text for text in shop("compress level 1") if "RMTHOST" in text] == [
        f"RMTHOST ({path}, line 2) has no COMPRESS: it sends the blocks as they are.",
        f"RMTHOST ({path}, line 2) is not used: the sizes are those of the last one.",
    ]


def test_explain_ddl_names_it_with_the_number_of_statements(line: Line, trails: Path, tmp_path: Path) -> None:
    line(f"params {written(tmp_path, 'REPLICAT r', 'DDLOPTIONS NOSUCH', 'MAP teahouse.*, TARGET tea2.*;')}")
    line(f"open {trails / 'zt000000000'}")
    assert any("27 statements: DDLOPTIONS NOSUCH (line 2) is not known" in text for text in line("explain ddl"))


def test_what_globals_says_is_named_too(tmp_path: Path) -> None:
    path = tmp_path / "GLOBALS"
    path.write_text("NAMEMATCHEXACT\n")
    globals_ = read_parameters(path, ProcessSide.GLOBALS)
    for lines in (EXTRACT, REPLICAT):
        (result,) = evaluated("drop table hr.a", parameter_file(tmp_path, *lines), globals_)
        assert list(result.problems) == [
            f"NAMEMATCHEXACT ({path}, line 1) is not used: capitals count in all names",
        ]


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
