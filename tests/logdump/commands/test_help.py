"""HELP: commands by task, options from the table that reads them, pages of the documents; in the terminal's width.

What is not supported says so in one line; and DEBUG.
BIO, BULKIOSTATS, TRAILFORMAT, SAVEFILECOMMENT, PRINTMXCOLUMNINFO.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from logdump import __version__
from logdump.commands import help as help_command
from logdump.filters import OPTIONS, Option
from logdump.line.line_mode import Script
from tests.logdump.line import Line
from tests.searching import Random, examples

ON_NONSTOP = [
    "argetnondatachanges",
    "arstopnondatachanges",
    "calctlfkey on",
    "datafile $data1.bank.acct",
    "writerec",
    "ggsauditread $audit.zb.aa000001",
    "tmfbeforeimage on",
    "tmfgetrecaddr",
    "notmfgetrecaddr",
    "tmfignorereccount 5",
]


@pytest.mark.parametrize("command", ON_NONSTOP)
def test_a_command_of_nonstop_says_so_in_one_line(line: Line, command: str) -> None:
    assert line(command) == [f"{command.split(maxsplit=1)[0].upper()} works on NonStop only."]
    assert len(line.failures) == 1


@pytest.mark.parametrize("name", ["DECRYPT", "ENCRYPT"])
def test_encryption_is_off(line: Line, name: str) -> None:
    assert line(f"{name} off; {name}") == [f"{name} is OFF"]


@pytest.mark.parametrize("name", ["DECRYPT", "ENCRYPT"])
@pytest.mark.parametrize("arguments", ["on", "on keyname superkey"])
def test_encryption_cannot_be_switched_on(line: Line, name: str, arguments: str) -> None:
    (shown,) = line(f"{name} {arguments}")
    assert shown.startswith(f"{name} ON: trail encryption is not supported;")
    assert Script([f"{name} {arguments}"]).run() == 1


@pytest.mark.parametrize("arguments", ["perhaps", "off now", "on keyname", "on key a"])
def test_encryption_checks_its_arguments(line: Line, arguments: str) -> None:
    assert line(f"decrypt {arguments}")[0] == f"DECRYPT: takes OFF or ON, not {arguments!r}."


def test_debug_tells_the_versions_and_enters_nothing(line: Line) -> None:
    shown = line("debug")
    assert "no debugger" in shown[0]
    assert f"logdump {__version__}, Python " in shown[1]
    assert "construct 2." in shown[3]


def test_bio_is_remembered(line: Line) -> None:
    assert line("bio") == ["LargeBlock I/O is On, Blocksize 57344"]
    assert line("bio off; bio block 8192; bio") == ["LargeBlock I/O is Off, Blocksize 8192"]
    assert line("bio on; bio") == ["LargeBlock I/O is On, Blocksize 8192"]


@pytest.mark.parametrize("arguments", ["block", "block 0", "block x", "block 1 2", "perhaps"])
def test_bio_checks_its_arguments(line: Line, arguments: str) -> None:
    assert line(f"bio {arguments}")[0].startswith("BIO: ")
    assert line("bio") == ["LargeBlock I/O is On, Blocksize 57344"]


def test_bulkiostats_tells_that_there_are_no_block_reads(line: Line) -> None:
    assert line("bulkiostats")[0] == "Physical reads 0, logical reads 0, current read time 0, average read time 0"
    assert "memory-mapped" in line("bulkiostats")[1]


def test_the_trail_format_is_new_and_stays_so(line: Line) -> None:
    assert line("trailformat new; trailformat") == ["TRAILFORMAT is NEW"]
    assert line("trailformat old") == [
        "TRAILFORMAT OLD: the format from before release 6.0 is not supported; it stays NEW."
    ]
    assert len(line.failures) == 1


def test_savefilecomment_is_off_until_it_is_switched_on(line: Line) -> None:
    assert line("savefilecomment") == ["SAVEFILECOMMENT is OFF"]
    assert line("savefilecomment on; savefilecomment") == ["SAVEFILECOMMENT is ON"]


@pytest.mark.parametrize("arguments", ["", "on", "off"])
def test_printmxcolumninfo_is_accepted_and_says_that_it_does_nothing(line: Line, arguments: str) -> None:
    assert line(f"printmxcolumninfo {arguments}") == [
        "PRINTMXCOLUMNINFO has no effect here: it is about SQL/MX on NonStop."
    ]
    assert line.failures == []


DOCS = Path(__file__).parents[3] / "docs"


def test_help_of_filter_lists_every_option(line: Line) -> None:
    shown = line("help filter")
    for option in OPTIONS:
        assert any(text.split(None, 1) == [option.keyword, option.help] for text in shown)


@pytest.mark.parametrize("option", OPTIONS, ids=[option.keyword for option in OPTIONS])
def test_help_of_an_option_gives_its_syntax_and_an_example_by_any_of_its_words(option: Option, line: Line) -> None:
    for word in option.words:
        first, *rest = line(f"help filter {word.lower()}")
        assert first == f"{option.syntax} - {option.help}"
        assert rest[-1] == f"     Example: FILTER {option.example}"


def test_several_words_are_explained_one_after_the_other(line: Line) -> None:
    both = line("help filter csn reclen count")
    assert both == line("help filter csn") + line("help filter reclen") + line("help count")


def test_an_option_that_is_not_there_is_told(line: Line) -> None:
    assert line("help filter colour") == ["FILTER has no option colour.", "HELP FILTER lists them."]
    assert line("help colour")[0] == "Unknown command: COLOUR."


def test_the_second_word_of_a_command_is_explained(line: Line) -> None:
    first, *rest = line("help explain lag")
    assert first.startswith("EXPLAIN LAG [AT ")
    assert "the hop that is late" in " ".join(rest)
    assert "OGG-02191" not in " ".join(rest)
    assert line("help explain restart")[0].startswith("EXPLAIN RESTART [AT {<seqno> <rba> | CSN <csn> | <time>}] - ")
    assert line("help explain restart n") == [*line("help explain restart"), *line("help n")]


def test_a_word_that_is_a_command_too_is_explained_as_one(line: Line) -> None:
    assert line("help count detail") == line("help count") + line("help detail")


def test_a_question_mark_is_help(line: Line) -> None:
    assert line("?") == line("help")
    assert line("? filter csn") == line("help filter csn")


def test_the_list_has_a_heading_for_each_task(line: Line) -> None:
    shown = line("help")
    headings = [at for at, text in enumerate(shown) if text.endswith(":") and " - " not in text]
    assert headings[0] == 0
    assert all(shown[at - 1] == "" and " - " in shown[at + 1] for at in headings[1:])
    assert len(headings) > len("tasks")


def test_help_pages_lists_every_page_of_a_user_with_its_question(line: Line) -> None:
    shown = line("help pages")
    assert "When something is wrong:" in shown
    assert "  repair             How do I get a sound copy of a damaged trail, and what does it lack?" in shown
    pages = {path.stem for path in DOCS.glob("*.md")} - {"README", "spark-rules", "clusters"}
    assert {text.split()[0] for text in shown if text.startswith("  ")} == pages


@pytest.mark.parametrize("word", ["finding", "FINDING", "finding.md", "recovery.md", "keys.md"])
def test_a_page_is_printed_whole(line: Line, word: str) -> None:
    found = next(DOCS.rglob(f"{word.lower().removesuffix('.md')}.md"))
    assert line(f"help {word}") == found.read_text(encoding="utf-8").rstrip("\n").split("\n")


def test_a_command_is_explained_before_a_page_of_the_same_name(line: Line) -> None:
    assert line("help recovery")[0].startswith("RECOVERY [OVER <wildcard>]")


def test_a_page_that_is_not_there_is_told(line: Line) -> None:
    assert line("help colour.md") == ["There is no page colour.md.", "HELP PAGES lists them."]


def test_pages_that_are_not_installed_are_told(line: Line, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(help_command, "__file__", str(tmp_path / "a" / "b" / "c.py"))
    monkeypatch.setattr("logdump.commands.help.sysconfig.get_path", lambda _: str(tmp_path))
    monkeypatch.setattr("logdump.commands.help.site.getuserbase", lambda: str(tmp_path))
    assert line("help finding.md")[0] == "The pages of the documents are not installed."
    assert line("help finding")[0] == "Unknown command: FINDING."


@pytest.mark.parametrize("entered", ["help", "help export", "help filter", "help explain lag", "help pages"])
def test_lines_fit_the_terminal(line: Line, entered: str) -> None:
    whole = line(entered)
    line.session.width, line.session.standard_output = 60, BytesIO
    shown = line(entered)
    assert max(map(len, shown)) <= 60
    assert " ".join(shown).split() == " ".join(whole).split()


_FIELDS = ("TransInd", "Hdr-Ind", "Partition", "RecType", "Continued", "tokens", "TRANID", "LOGCSN", "OrigNode", "RBA")


@pytest.mark.parametrize("word", _FIELDS)
def test_a_word_of_the_format_is_explained_however_it_is_written(word: str, line: Line) -> None:
    """As the glossary explains it, in lines that fit a terminal; a command after it is explained too."""
    random = Random(word)
    page = (Path(help_command.__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
    term = word.removesuffix("s")
    (row,) = (
        text for text in page.splitlines() if term.lower() in text.lower().split(" | ")[0].strip("| ").split(", ")
    )
    for _ in range(examples(4)):
        written = "".join(random.choice((letter.upper(), letter.lower())) for letter in word)
        written = written.replace("-", random.choice(("-", "_", "")))
        *told, last = line(f"help {written}")
        whole = " ".join(map(str.strip, told))
        assert whole.partition(": ")[2] == row.replace("*", "").replace("`", "").split(" | ")[1].removesuffix(" |")
        assert last == "HELP GLOSSARY has the other words."
        assert max(map(len, told)) <= 80
        assert line(f"help {written} safe")[-1] == line("help safe")[-1]


def test_a_word_that_no_page_has_is_told(line: Line) -> None:
    for word in ("transindices", "word", "xyzzy"):
        assert line(f"help {word}")[0] == f"Unknown command: {word.upper()}."
