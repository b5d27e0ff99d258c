"""Several statements of one kind in parameter files: which of them holds, and for which trail, host and table."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import ParameterError, ProcessSide
from logdump.parameters.names import NamePattern, ObjectName
from logdump.parameters.not_used import ParameterUse, StatementInQuestion, not_used, sentences
from logdump.parameters.reading import read_parameters
from logdump.parameters.tree import (
    Ddl,
    ErrorRule,
    Exclusion,
    OptionValue,
    OutputTrail,
    ParameterFile,
    Taker,
    options_of,
)
from tests.logdump.commands.test_params import written
from tests.searching import Random, examples

HEAD = ("EXTRACT e", "USERIDALIAS x")


def read(folder: Path, *lines: str, name: str = "e.prm") -> ParameterFile:
    return read_parameters(written(folder, *lines, name=name))


def words(values: list[OptionValue | None]) -> list[str | None]:
    return [value.word if value is not None else None for value in values]


@pytest.mark.parametrize("hours", list(permutations("123")), ids="".join)
def test_of_statements_with_one_keyword_the_last_holds_whole(hours: tuple[str, ...], tmp_path: Path) -> None:
    """An option of an earlier one does not hold if the last one lacks it."""
    lines = [f"BR BRINTERVAL {hour}H{', BROFF' if number == 1 else ''}" for number, hour in enumerate(hours)]
    values = list(options_of(read(tmp_path, *HEAD, *lines), "BR", "BRINTERVAL", "BROFF"))
    assert words(values) == [f"{hours[-1]}H", None]
    first = values[0]
    assert first is not None
    assert first.rule.line == len(HEAD) + 3


@pytest.mark.parametrize("lasts", list(permutations(("MAPDERIVED", "NOMAPDERIVED", "GETREPLICATES", "MAPDERIVED"))))
def test_of_options_of_ddloptions_the_last_holds(lasts: tuple[str, ...], tmp_path: Path) -> None:
    for lines in ([f"DDLOPTIONS {' '.join(lasts)}"], [f"DDLOPTIONS {word}" for word in lasts]):
        file = read(tmp_path, *HEAD, *lines)
        option = file.option("MAPDERIVED", "NOMAPDERIVED")
        assert option is not None
        derived = [word for word in lasts if word != "GETREPLICATES"]
        assert option.word == derived[-1]
        if len(lines) > 1:
            assert option.rule.line == len(HEAD) + 1 + max(at for at, word in enumerate(lasts) if word in derived)


@pytest.mark.parametrize("responses", list(permutations(("IGNORE", "ABEND", "DISCARD"))))
def test_of_responses_of_ddlerror_the_first_holds(responses: tuple[str, ...], tmp_path: Path) -> None:
    (rule,) = read(tmp_path, "REPLICAT r", f"DDLERROR 942 RETRYOP {' '.join(responses)}").of(ErrorRule)
    assert rule.response == responses[0]


class Part(NamedTuple):
    """What belongs to a trail: its name, its TABLEs, what is excluded from it."""

    name: str
    tables: list[str]
    excluded: list[str]


def drawn_parts(random: Random) -> tuple[list[str], list[Part]]:
    """Lines of a file that writes at least two trails, and what belongs to each in the order of their names.

    The same name on two hosts is two trails; named again it goes on.
    """
    lines, trails, host, everywhere = list[str](), dict[tuple[str, int], Part](), 0, list[str]()
    key: tuple[str, int] | None = None
    while len(trails) < 2 or random.random() < 0.9:
        number = len(HEAD) + len(lines) + 1
        kind = random.choice(("host", "local", "remote", "table", "table", "exclusion", "exclusion"))
        if kind == "host":
            host = number
            lines.append(f"RMTHOST h{number}, MGRPORT 7809")
        elif kind in ("local", "remote"):
            name = random.choice(("./dirdat/aa", "./dirdat/bb"))
            key = name, host if kind == "remote" else 0
            lines.append(f"{'RMTTRAIL' if kind == 'remote' else 'EXTTRAIL'} {name}")
            trails.setdefault(key, Part(name, [], list(everywhere)))
        elif kind == "table":
            lines.append(f"TABLE hr.t{number};")
            if key is not None:
                trails[key].tables.append(f"hr.t{number}")
        else:
            lines.append(f"TABLEEXCLUDE hr.x{number}")
            if key is not None:
                trails[key].excluded.append(f"hr.x{number}")
            else:
                everywhere.append(f"hr.x{number}")
    return lines, list(trails.values())


def part_of_file(name: str | None, file: ParameterFile) -> Part:
    tables, excluded = file.of(Taker), file.of(Exclusion)
    return Part(name or "", [taker.source.text for taker in tables], [exclusion.pattern.text for exclusion in excluded])


@pytest.mark.parametrize("case", range(examples(60)))
def test_each_statement_is_for_the_trail_before_it(case: int, tmp_path: Path) -> None:
    """An exclusion before the first is for all, a TABLE there for none."""
    lines, parts = drawn_parts(Random(case))
    file = read(tmp_path, *HEAD, *lines)
    assert [part_of_file(name, part) for name, part in file.by_trail()] == parts


@pytest.mark.parametrize("case", range(examples(40)))
def test_for_the_open_file_the_statements_of_all_its_hosts_hold(case: int, tmp_path: Path) -> None:
    lines, parts = drawn_parts(Random(case))
    parameters = ParametersInUse(extract=read(tmp_path, *HEAD, *lines))
    for name in ("aa", "bb", "ab", "ba"):
        file = parameters.for_trail(tmp_path / f"{name}000000007").extract
        assert file is not None
        mine = [part for part in parts if part.name.endswith(name)]
        expected = {table for part in mine or parts for table in part.tables}
        taken = {taker.source.text for taker in file.of(Taker)}
        before = {line.split()[1].strip(";") for line in lines if line.startswith("TABLE ")}
        assert taken == (expected if mine else before), name


def test_each_side_has_its_file_and_globals_is_passed_first(tmp_path: Path) -> None:
    extract, replicat = read(tmp_path, *HEAD, name="e.prm"), read(tmp_path, "REPLICAT r", name="r.prm")
    both = ParametersInUse().having(replicat).having(extract)
    globals_ = read(tmp_path, "GGSCHEMA ogg", name="GLOBALS")
    assert both.having(globals_).files == [globals_, extract, replicat]
    other = read(tmp_path, "EXTRACT f", name="f.prm")
    assert both.having(globals_).having(other).files == [globals_, other, replicat]


# Names


def name(text: str, plain: str = "") -> ObjectName:
    """The object ``[catalog.]owner.name``, and those of its parts that are folded."""
    last, owner, catalog, *_ = [*reversed(text.split(".")), "", ""]
    return ObjectName(last, owner, catalog, plain=tuple(plain.split()))


def pattern(folder: Path, text: str) -> NamePattern:
    (taker,) = read(folder, *HEAD, f"TABLE {text};").of(Taker)
    return taker.source


@pytest.mark.parametrize(
    ("text", "obj", "fits"),
    [
        ("hr.emp", name("HR.EMP"), True),
        ("hr.emp", name("EMP"), False),
        ("hr.emp", name("HR.EMP")._replace(link="there"), False),
        ("emp", name("HR.EMP"), False),
        ("*.emp", name("EMP"), False),
        ('hr."Emp"', name("hr.Emp"), True),
        ('hr."Emp"', name("hr.EMP"), False),
        ('hr."EMP"', name("hr.Emp", plain="name"), True),
        ('hr."emp"', name("hr.Emp", plain="name"), True),
        ('hr."Emp"', name("hr.Emp", plain="name"), False),
        ("c1.hr.emp", name("c1.hr.emp"), True),
        ("c1.hr.emp", name("c2.hr.emp"), False),
        ("c1.hr.emp", name("hr.emp"), True),
        ("h?.e*", name("hr.emp"), True),
        ("h?.e*", name("hrs.emp"), False),
    ],
)
def test_a_name_fits(text: str, obj: ObjectName, fits: bool, tmp_path: Path) -> None:
    assert pattern(tmp_path, text).fits(obj) is fits


def test_an_unknown_part_fits_only_where_that_is_allowed(tmp_path: Path) -> None:
    whole = pattern(tmp_path, "hr.emp")
    allowed: list[tuple[str, ...]] = [(), ("name",), ("owner",)]
    assert [whole.fits(name("EMP"), any_empty=parts) for parts in allowed] == [False, False, True]


@pytest.mark.parametrize(
    ("target", "result"),
    [("hr2.*", "hr2.EMP"), ("hr2.n_*_n", "hr2.n_EMP_n"), ("*2.*", "HR2.EMP"), ("hr?.a?b", "hr?.a?b")],
)
def test_in_a_target_a_star_alone_stands_for_the_name(target: str, result: str, tmp_path: Path) -> None:
    (taker,) = read(tmp_path, "REPLICAT r", f"MAP hr.*, TARGET {target};").of(Taker)
    assert taker.target is not None
    assert str(taker.target.target_of(name("HR.EMP"))) == result


@pytest.mark.parametrize("catalogs", list(permutations(("c1", "c2", "c3"))))
def test_sourcecatalog_holds_for_what_follows_until_the_next(catalogs: tuple[str, ...], tmp_path: Path) -> None:
    lines = [
        line
        for catalog in catalogs
        for line in (f"SOURCECATALOG {catalog}", "TABLE hr.emp;", "TABLEEXCLUDE hr.x", "TABLE d.hr.y;")
    ]
    file = read(tmp_path, *HEAD, "TABLE hr.emp;", *lines)
    takers = [[part.text for part in taker.source.parts] for taker in file.of(Taker)]
    assert takers == [["hr", "emp"]] + [
        parts for catalog in catalogs for parts in ([catalog, "hr", "emp"], ["d", "hr", "y"])
    ]
    assert [[part.text for part in exclusion.pattern.parts] for exclusion in file.of(Exclusion)] == [
        [catalog, "hr", "x"] for catalog in catalogs
    ]


def test_quotes_are_names_or_texts_as_the_last_statement_before_says(tmp_path: Path) -> None:
    """In quotes that hold a whole name case does not count, as it does in a name in quotes."""
    table = 'TABLE "hr.emp";', 'TABLE hr."emp";'
    file = read(tmp_path, *HEAD, table[1], "NOUSEANSISQLQUOTES", table[0], "USEANSISQLQUOTES", table[1])
    parts = [[(part.text, part.is_exact) for part in taker.source.parts] for taker in file.of(Taker)]
    exact, whole = [("hr", False), ("emp", True)], [("hr", False), ("emp", False)]
    assert parts == [exact, whole, exact]


# What is said of statements


def test_of_statements_not_used_that_concern_the_answer_the_effect_is_named(tmp_path: Path) -> None:
    """RECOVERYOPTIONS has two effects, by its word; what is of another answer or type is not named."""
    file = read(
        tmp_path, *HEAD, "RECOVERYOPTIONS APPENDMODE", "RECOVERYOPTIONS OVERWRITEMODE", "DDLOPTIONS NOREPLICATEPASSWORD"
    )
    appends, overwrites = sentences([file], ParameterUse.HISTORY)
    assert (appends.endswith("it appends and writes the cut transaction again."), "line 3" in appends) == (True, True)
    assert ("it writes over the data" in overwrites, "line 4" in overwrites) == (True, True)
    assert list(sentences([file], ParameterUse.OPEN)) == []
    kinds = ("USER", "TABLE", "ROLE")
    asked = [StatementInQuestion(kind, "create x identified by y", (name("HR.X"),)) for kind in kinds]
    assert [len(list(not_used(file, ParameterUse.CAPTURED, statement))) for statement in asked] == [1, 0, 0]


@pytest.mark.parametrize(
    ("names", "is_named"),
    [(("HR.I", "HR.A"), True), (("HR.A", "HR.I"), True), (("HR.I", "HR.J", "HR.A"), True), (("HR.I", "HR.J"), False)],
    ids=str,
)
def test_a_statement_without_effect_is_named_if_one_of_the_objects_is_its_own(
    names: tuple[str, ...], tmp_path: Path, *, is_named: bool
) -> None:
    file = read(tmp_path, "REPLICAT r", "TABLE hr.a;")
    asked = StatementInQuestion("INDEX", "create index", tuple(map(name, names)))
    assert bool(list(not_used(file, ParameterUse.APPLIED, asked))) == is_named


@pytest.mark.parametrize(
    ("clauses", "is_refused"),
    [
        ("EXCLUDE ALL", False),
        ("EXCLUDE OBJNAME hr.*", True),
        ("EXCLUDE ALL EXCLUDE OBJNAME hr.*", True),
        ("EXCLUDE OBJNAME hr.* INCLUDE ALL", False),
    ],
)
def test_an_exclude_needs_an_include_unless_it_excludes_all(clauses: str, tmp_path: Path, *, is_refused: bool) -> None:
    if not is_refused:
        assert len(read(tmp_path, *HEAD, f"DDL {clauses}").of(Ddl)) == 1
        return
    with pytest.raises(ParameterError, match="EXCLUDE needs an INCLUDE"):
        read(tmp_path, *HEAD, f"DDL {clauses}")


@pytest.mark.parametrize(
    "line",
    [
        "USERID ogg, PASSWORD secret1",
        "USERID ogg PASSWORD 'secret1'",
        'USERID ogg PASSWORD "secret1"',
        "USERID ogg@orcl, PASSWORD secret1, ENCRYPTKEY secret1",
        "USERID ogg/secret1@orcl",
        "TRANLOGOPTIONS ASMUSER sys@asm ASMPASSWORD x PASSWORD secret1",
        "TRANLOGOPTIONS DBLOGREADER MINEUSER ogg/secret1@db",
        "DDLOPTIONS DEFAULTUSERPASSWORD secret1",
        "DECRYPTTRAIL AES256 PASSWORD secret1",
    ],
)
def test_no_secret_is_kept_wherever_it_stands(line: str, tmp_path: Path) -> None:
    file = read(tmp_path, *HEAD, line)
    assert "secret1" not in repr(file.nodes)


def test_the_nearer_of_two_files_is_included(tmp_path: Path) -> None:
    """That in the folder of the file goes before that in its parent."""
    folder = tmp_path / "dirprm"
    folder.mkdir()
    written(tmp_path, "TABLE hr.parent;", name="tables.inc")
    assert [taker.source.text for taker in read(folder, *HEAD, "INCLUDE tables.inc").of(Taker)] == ["hr.parent"]
    written(folder, "TABLE hr.beside;", name="tables.inc")
    assert [taker.source.text for taker in read(folder, *HEAD, "INCLUDE tables.inc").of(Taker)] == ["hr.beside"]


@pytest.mark.parametrize("names", list(permutations(("#t", "#table", "#tab"))))
def test_of_parameters_whose_names_begin_alike_the_whole_name_is_replaced(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    macro = f"MACRO #m PARAMS ({', '.join(names)}) BEGIN TABLE a.#t; TABLE a.#tab; TABLE a.#table; TABLE a.#tabs; END;"
    values = {"#t": "one", "#tab": "two", "#table": "three"}
    file = read(tmp_path, *HEAD, macro, f"#m ({', '.join(values[value_name] for value_name in names)})")
    assert [taker.source.text for taker in file.of(Taker)] == ["a.one", "a.two", "a.three", "a.#tabs"]


def test_a_remote_trail_is_on_the_host_before_it(tmp_path: Path) -> None:
    hosts = [f"RMTHOST h{number}" for number in range(3)]
    lines = [line for host in hosts for line in (host, "RMTTRAIL ./dirdat/aa", "EXTTRAIL ./dirdat/aa")]
    file = read(tmp_path, *HEAD, *lines)
    assert [trail.host for trail in file.of(OutputTrail)] == [3, 0, 6, 0, 9, 0]
    assert file.side is ProcessSide.EXTRACT
