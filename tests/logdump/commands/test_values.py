"""VALUES, SOURCEDEFS and FILTER VALUE in a session.

The conversions as commands: the manual's examples, and arguments that do not fit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from logdump.session.errors import ExitStatus
from tests.logdump.line import Line
from tests.trailformat.samples import column, metadata_record, trail_of
from trailformat import ByteOrder, ColumnDefinition, TableDefinition
from trailformat.definitions.file import parse_definitions
from trailformat.definitions.metadata import build_table

EXAMPLES = {
    "COMPUTETIMESTAMP 2005-01-01 12:00:00": ["2005-01-01 12:00:00 is JulianTimestamp 211971340800000000"],
    "INTERPRETTIMESTAMP 211976584185800569": ["2005/03/03 04:29:45.800.569 GMT", "2005/03/02 20:29:45.800.569 LCT"],
    "INTERPRETINTERVAL 1234567": ["Interval 1234567 is 0-00:00:01.234.567"],
    "CTIME 1109823330": [
        "timestamp  = 1109823330 (0x42268f62)",
        "localtime  = Wed Mar  2 20:15:30 2005",
        "gmtime     = Thu Mar  3 04:15:30 2005",
    ],
    "ESBLOCK 4294967302": [
        "Interpreted               4294967302   0x00000001000000060   1.6",
        "64-bit Syskey             4294967302   0x00000001000000060",
        "ES64_TO_RBA64                   4102   0x00000000000010060",
        "RBA64_TO_ES64             4294967302   0x00000001000000060",
    ],
    "float 2.1": ["4000cccccccccccd  2.100000"],
    "float 2.2": ["400199999999999a  2.200000"],
    "float 0x4000cccccccccccd": ["4000cccccccccccd  2.100000"],
    "float %H400199999999999a": ["400199999999999a  2.200000"],
    "float 2.2 FMT %e": ["400199999999999a  2.200000e+00"],
    "float 2.2 FMT %g": ["400199999999999a  2.2"],
    "float 2.2e+01": ["4036000000000000  22.000000"],
    "float 2.2e-05": ["3ef711947cfa26a2  0.000022"],
    "float 2.2 FORMAT %g": ["400199999999999a  2.2"],
    "interpretinterval -90000000": ["Interval -90000000 is -0-00:01:30.000.000"],
}
"""Command to what it prints: those of the manual, HELP's FORMAT, and a negative interval."""


@pytest.fixture
def california(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The zone of the manual's author."""
    monkeypatch.setenv("TZ", "PST8PDT")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("command", EXAMPLES)
@pytest.mark.usefixtures("california")
def test_the_examples_of_the_manual(line: Line, command: str) -> None:
    assert line(command) == EXAMPLES[command]


@pytest.mark.parametrize(
    "command",
    [
        "float",
        "float tea",
        "float 2.2 FMT %s",
        "ctime",
        "ctime x",
        "ctime 1 2",
        "ctime 99999999999999999",
        "computetimestamp",
        "computetimestamp 2024-02-30",
        "interprettimestamp 1.5",
        "interpretinterval 99999999999999999999",
        "esblock -1",
        "esblock 4095999",
    ],
)
def test_an_argument_that_does_not_fit_is_told_with_the_syntax(line: Line, command: str) -> None:
    name = command.split(maxsplit=1)[0].upper()
    shown = line(command)
    assert shown[0].startswith(f"{name}: ")
    assert shown[0].endswith(".")
    assert shown[1].startswith(f"Syntax: {name} ")


DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


@pytest.fixture
def old(line: Line, trails: Path) -> Line:
    """A session in which a trail without definitions is open, with VALUES on."""
    line(f"open {trails / 'ot000000'}; values on; reclen 0")
    return line


def test_values_off_shows_what_logdump_shows(shop: Line) -> None:
    plain = shop("pos 3391; n 2")
    shown = shop("values on; pos 3391; n 2")
    assert [text for text in shown if text in plain] == plain
    assert len(shown) == len(plain) + 8
    assert shop("values off; pos 3391; n 2") == plain


def test_sourcedefs_tells_the_columns_of_a_trail_that_does_not(old: Line) -> None:
    assert "   column 0        ?'000553454e3031'" in old("sft insert")
    old(f"sourcedefs {DEFINITIONS}")
    assert "K  TEA_CODE  VARCHAR(6)     'SEN01'" in old("pos 0; sft insert")
    assert "   column 0        ?'000553454e3031'" in old("sourcedefs off; pos 0; sft insert")


def test_sourcedefs_stays_in_force_for_the_next_trail(old: Line, trails: Path) -> None:
    old(f"sourcedefs {DEFINITIONS}; open {trails / 'nh000000'}")
    assert "K  TEA_CODE  VARCHAR(6)     'SEN01'" in old("n")


def test_definitions_in_the_trail_go_first_unless_overridden(shop: Line, tmp_path: Path) -> None:
    other = tmp_path / "other.def"
    other.write_text(DEFINITIONS.read_text(encoding="utf-8").replace("TEA_CODE", "TEA_KEY "), encoding="utf-8")
    shop(f"values on; sourcedefs {other}; pos 3260")
    assert any("TEA_CODE" in text for text in shop("n"))
    shop(f"sourcedefs {other} override; pos 3260")
    assert any("TEA_KEY" in text for text in shop("n"))


def test_a_file_name_with_blanks_is_in_quotes(line: Line, tmp_path: Path) -> None:
    path = tmp_path / "the shop.def"
    path.write_bytes(DEFINITIONS.read_bytes())
    assert line(f'sourcedefs "{path}"; sourcedefs')[-1] == f"Source definitions: {path}, 2 tables"


@pytest.mark.parametrize(
    ("argument", "why"),
    [
        ("missing.def", "Error: missing.def: No such file or directory"),
        (".", "Error: .: it is a directory"),
        ("teahouse.def soon", "SOURCEDEFS: takes one file name, and perhaps OVERRIDE, but got 'teahouse.def soon'."),
        ("a b c", "SOURCEDEFS: takes one file name, and perhaps OVERRIDE, but got 'a b c'."),
    ],
)
def test_a_file_that_cannot_be_used_leaves_the_old_one(line: Line, argument: str, why: str) -> None:
    line(f"sourcedefs {DEFINITIONS}")
    assert (line(f"sourcedefs {argument}")[0], len(line.failures)) == (why, 1)
    assert line("sourcedefs")[0].startswith(f"Source definitions: {DEFINITIONS}")


def test_an_error_in_the_file_names_the_line(line: Line, tmp_path: Path) -> None:
    path = tmp_path / "broken.def"
    path.write_text("Definition for table TEA.LEAVES\nsoon\nEnd of definition\n", encoding="utf-8")
    assert "broken.def: line 2: column soon lacks numbers" in line(f"sourcedefs {path}")[0]
    assert line.failures[0].status is ExitStatus.BAD_DATA


def test_filter_value_selects_by_what_columns_hold(shop: Line) -> None:
    shop("filter include value price > 10; pos 0")
    shop("n 100")
    assert shop.rbas == [2008, 3629, 4234]


def test_filter_value_counts_and_saves_the_same_records(shop: Line, tmp_path: Path) -> None:
    shop("filter include value stock_kg <> NULL; pos 0; n 100")
    assert shop.rbas == [1811, 2008, 3069, 3391, 3522, 3629, 4234, 4767, 5183]
    assert shop("count")[0].endswith("has 9 records")
    assert shop(f"pos 0; save {tmp_path / 'sa000000000'}")[-1] == f"Saved 9 records to {tmp_path / 'sa000000000'}"


def test_filter_value_uses_the_definitions_file(old: Line) -> None:
    old("filter include value amount > 0; n 100")
    assert old.rbas == []
    old(f"sourcedefs {DEFINITIONS}; pos 0; n 100")
    assert len(old.rbas) == 3


def entries(line: Line) -> str:
    """What METADATA DEFGENFORMAT shows of the definitions in a trail, without the lines around."""
    shown = line("metadata defgenformat on; pos 0; sfmd tdr 1; sfmd tdr 2")
    starts = [at for at, text in enumerate(shown) if text.startswith("Definition for")]
    ends = [at for at, text in enumerate(shown) if text == "End of definition"]
    return "\n".join(text for start, end in zip(starts, ends, strict=True) for text in shown[start : end + 1])


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_what_defgenformat_writes_reads_back_the_same(line: Line, trails: Path, name: str) -> None:
    line(f"open {trails / name}")
    read = parse_definitions(entries(line).encode()).tables
    stored = {record.name: record.metadata for record in line.session.trail.records() if record.is_metadata}
    assert len(read) == 2
    for table in read.values():
        definition = stored[table.name]
        assert isinstance(definition, TableDefinition)
        assert without_tail(table.definition) == without_tail(definition)
        assert table.definition.key_columns == definition.key_columns


def without_tail(table: TableDefinition) -> list[ColumnDefinition]:
    """The columns without the bytes that a definitions file does not have."""
    return [column._replace(tail=None) for column in table.columns]


def test_a_name_that_is_not_one_word_reads_back_too(line: Line, tmp_path: Path) -> None:
    odd = TableDefinition(1, 0, (column('Due "date" 7'), column("DUE_TIME")))
    line(f"open {trail_of(tmp_path, metadata_record(2, 1, 'TEA.LEAVES', build_table(odd, ByteOrder.BIG)))}")
    shown = "\n".join(line("metadata defgenformat on; n"))
    table = parse_definitions(shown[shown.index("Definition for") :].encode()).tables["TEA.LEAVES"]
    assert [definition.name for definition in table.definition.columns] == ['Due "date" 7', "DUE_TIME"]
