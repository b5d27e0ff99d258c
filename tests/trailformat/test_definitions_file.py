from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailformat import BadData, NotATrail
from trailformat.definitions.file import parse_definitions, read_definitions

TEAS = """\
Definition for table TEA.LEAVES
Record length: 62
Syskey: 0
Columns: 3
CODE     64      6        0  0  0 0 0      6      6      0 0 0 0 0 1    0 1{more}
PICKED  192     19       12  0  0 1 0     19     19     19 0 5 0 0 1    0 0{more}
PRICE   134     10       34  2  0 1 0      8      8      8 0 0 0 0 1    0 0{more}
End of definition
"""
VERSION_5 = """\
*+- Defgen version 5.0, Encoding windows-1252
*
* Definitions created/modified  2024-03-14 09:30
*
*  Field descriptions for each column entry:
*
*     1    Name
*
Database type: ORACLE
Character set ID: we8mswin1252
National character set ID: UTF-16
Locale: neutral
Case sensitivity: 14 14 14 14 14 14 14 14 14 14 14 14 11 14 14 14
TimeZone: GMT
*
"""
NO_HEADER = TEAS.format(more="")
VERSIONS = {
    "before versions": NO_HEADER,
    "comments alone": f"* Definitions created/modified  2013-05-18 02:25\n*\n{NO_HEADER}*\n",
    "1.0": f"*+- Defgen version 1.0\n{NO_HEADER}",
    "2.0": f"*+- Defgen version 2.0, Encoding UTF-8\n*\nDatabase type: ORACLE\n{TEAS.format(more='   3')}",
    "5.0": VERSION_5 + TEAS.format(more="   3    2       -1      0 0 0"),
    "with remarks": VERSION_5 + TEAS.format(more="   3    2       -1      0 0 0 a price"),
}


@pytest.mark.parametrize("text", VERSIONS.values(), ids=VERSIONS)
def test_a_file_of_any_version_tells_the_columns(text: str) -> None:
    table = parse_definitions(text.encode()).tables["TEA.LEAVES"]
    price = table.definition.columns[2]
    assert [column.name for column in table.definition.columns] == ["CODE", "PICKED", "PRICE"]
    assert [column.is_key for column in table.definition.columns] == [True, False, False]
    assert (price.data_type, price.external_length, price.fetch_offset, price.scale) == (134, 10, 34, 2)
    assert (price.internal_length, price.binary_length, price.table_length, price.charset) == (8, 8, 8, -1)
    assert (table.record_length, table.definition.key_columns) == (62, 1)


def test_the_first_lines_tell_version_encoding_and_database() -> None:
    file = parse_definitions(VERSIONS["5.0"].encode())
    assert (file.version, file.encoding, file.charset) == ("5.0", "windows-1252", "cp1252")
    assert file.properties["Database type"] == "ORACLE"
    assert file.tables["TEA.LEAVES"].definition.columns[2].sub_data_type == 3


@pytest.mark.parametrize(
    ("named", "codec"),
    [
        ("UTF-8", "utf-8"),
        ("we8iso8859p1", "iso8859-1"),
        ("ISO-8859-15", "iso8859-15"),
        ("latin2", "iso8859-2"),
        ("klingon", "utf-8"),
        ("", "utf-8"),
        ("we8dec", "character set we8dec"),
    ],
)
def test_the_character_set_of_the_database_has_a_codec(named: str, codec: str) -> None:
    text = VERSION_5.replace("we8mswin1252", named) + NO_HEADER
    assert parse_definitions(text.encode()).charset == codec


def test_names_are_in_the_encoding_of_the_file() -> None:
    text = VERSIONS["5.0"].replace("CODE", "MÉLANGE")
    assert parse_definitions(text.encode("cp1252")).tables["TEA.LEAVES"].definition.columns[0].name == "MÉLANGE"


def test_names_with_blanks_or_in_quotes() -> None:
    text = (
        NO_HEADER.replace("TEA.LEAVES", '"Tea"."My ""best"" Leaves"')
        .replace("CODE   ", '"Code 7"')
        .replace("PICKED", "Picked on")
    )
    table = parse_definitions(text.encode()).tables['Tea.My "best" Leaves']
    assert [column.name for column in table.definition.columns] == ["Code 7", "Picked on", "PRICE"]


@pytest.mark.parametrize("ends", ["\r\n", "\r", "\n\n"])
def test_the_ends_of_lines_do_not_matter(ends: str) -> None:
    assert "TEA.LEAVES" in parse_definitions(NO_HEADER.replace("\n", ends).encode()).tables


def test_a_table_is_found_by_name_case_aside() -> None:
    file = parse_definitions(NO_HEADER.encode())
    found = [name for name in ("TEA.LEAVES", "tea.leaves", "TEA.BAGS", "") if file.table(name)]
    assert found == ["TEA.LEAVES", "tea.leaves"]


def test_names_that_differ_in_case_alone_are_told_apart() -> None:
    file = parse_definitions((NO_HEADER + NO_HEADER.replace("TEA.LEAVES", "tea.leaves")).encode())
    names = ["TEA.LEAVES", "tea.leaves"]
    assert [table.name for table in map(file.table, names) if table] == names
    assert file.table("Tea.Leaves") is None


LINES = NO_HEADER.splitlines()
END = "definition of TEA.LEAVES from line 1 on has no end"
ERRORS = {
    "no definition at all": ("", "no table in this file"),
    "a line that is nothing": ("hello\n" + NO_HEADER, "line 1: neither a definition nor a comment"),
    "a column without numbers": (
        "\n".join([*LINES[:5], "PICKED soon", *LINES[6:]]),
        "line 6: column PICKED lacks numbers",
    ),
    "too few numbers": (NO_HEADER.replace("PRICE   134", "PRICE "), "line 7: column PRICE lacks numbers"),
    "an impossible length": (
        NO_HEADER.replace("192     19", "192    -19"),
        "line 6: column PICKED has an impossible external_length",
    ),
    "no end": ("\n".join(LINES[:-1]), f"line 7: {END}"),
    "an end after the next table begins": ("\n".join(LINES[:-1] + LINES), f"line 8: {END}"),
    "other columns than announced": (
        NO_HEADER.replace("Columns: 3", "Columns: 4"),
        "line 8: definition of TEA.LEAVES: the number of columns does not match",
    ),
    "an encoding of its own": ("*+- Defgen version 2.0, Encoding klingon\n", "line 1: encoding klingon is not known"),
    "bytes beyond its encoding": (
        "*+- Defgen version 2.0, Encoding US-ASCII\né",
        "line 1: the file is not in the encoding it names",
    ),
    "a line without an end": ("x" * 20000, "line 1: line is too long"),
}


@pytest.mark.parametrize(("text", "problem"), ERRORS.values(), ids=ERRORS)
def test_an_error_names_its_line(text: str, problem: str) -> None:
    with pytest.raises(BadData) as caught:
        parse_definitions(text.encode())
    assert caught.value.problem.startswith(problem)


def test_an_error_names_its_file(tmp_path: Path) -> None:
    path = tmp_path / "tea.def"
    path.write_text("hello", encoding="utf-8")
    with pytest.raises(BadData, match=r"tea\.def: line 1"):
        read_definitions(path)


@pytest.mark.parametrize("name", ["missing.def", ".", "a\0b"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotATrail):
        read_definitions(tmp_path / name)


@given(st.binary(max_size=400), st.integers(0, 600), st.integers(0, 40))
def test_any_bytes_are_definitions_or_bad_data(noise: bytes, at: int, cut: int) -> None:
    whole = VERSIONS["5.0"].encode()
    for data in (noise, whole[:at] + noise + whole[at + cut :]):
        with contextlib.suppress(BadData):
            assert parse_definitions(data).tables
