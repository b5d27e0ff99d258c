"""Words of a parameter file that do not exist are named with file and line, and do not make a clause false."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump.features.ddl.model import Outcome
from tests.logdump.ddl.files import evaluated, parameter_file
from tests.logdump.line import Line
from tests.searching import Random, examples

_CLAUSES = {
    "MAPPED": "INCLUDE {}",
    "UNMAPPED": "INCLUDE {}",
    "OTHER": "INCLUDE {}",
    "ALLCATALOGS": "INCLUDE MAPPED {}",
    "STAYMETADATA": "INCLUDE MAPPED {}",
    "INSTR": "INCLUDE {} 'x'",
    "INSTRWORDS": "INCLUDE {} 'x'",
    "INSTRCOMMENTS": "INCLUDE {} 'x'",
    "INSTRCOMMENTSWORDS": "INCLUDE {} 'x'",
    "OBJNAME": "INCLUDE {} hr.t",
    "SOURCECATALOG": "INCLUDE {} pdb",
    "EVENTACTIONS": "INCLUDE MAPPED {} (REPORT)",
    "OPTYPE": "INCLUDE {} DROP",
    "OBJTYPE": "INCLUDE {} 'TABLE'",
}
"""Options of clauses, written by hand, each in a clause."""
_VALUES = {
    **dict.fromkeys(("CREATE", "ALTER", "DROP", "RENAME", "TRUNCATE", "COMMENT", "GRANT"), "INCLUDE OPTYPE {}"),
    **dict.fromkeys(("TABLE", "INDEX", "TRIGGER", "SEQUENCE", "MATERIALIZED VIEW", "SNAPSHOT"), "INCLUDE OBJTYPE '{}'"),
}
_RESPONSES = ("IGNORE", "DISCARD", "ABEND", "RETRYOP", "IGNOREMISSINGOBJECTS")


def _misspelled(word: str, random: Random) -> str:
    """A word with a letter too few or too many, or with two in each other's place."""
    at = random.randrange(1, len(word) - 1)
    begin, end = word[:at], word[at:]
    wrong = random.choice((begin + end[1:], f"{begin}X{end}", begin + end[1] + end[0] + end[2:]))
    return wrong if wrong != word else f"{begin}X{end}"


def _notes(folder: Path, *lines: str) -> tuple[str, ...]:
    return parameter_file(folder, "REPLICAT r", *lines, "MAP hr.*, TARGET hr2.*;").notes


@pytest.mark.parametrize(("word", "clause"), [*_CLAUSES.items(), *_VALUES.items()])
def test_a_word_of_a_clause_is_known_or_named_with_the_nearest(word: str, clause: str, tmp_path: Path) -> None:
    assert _notes(tmp_path, f"DDL {clause.format(word)}, EXCLUDE OPTYPE DROP") == ()
    random = Random(word)
    for number in range(examples(8)):
        wrong = _misspelled(word, random)
        lines = [f"DDLOPTIONS REPORT -- {n}" for n in range(number)]
        text = clause.format(wrong)
        (note, *others) = _notes(tmp_path, *lines, "DDL INCLUDE OPTYPE RENAME, &", text)
        assert note.startswith(f"{tmp_path / 'p.prm'}, line {number + 3}: ")
        assert f"{wrong} is not known; did you mean " in note
        assert not [other for other in others if wrong in other]
        # whatever else the clause says is true of the statement
        file = parameter_file(tmp_path, "REPLICAT r", f"DDL {text}", "MAP hr.*, TARGET hr2.*;")
        (result,) = evaluated("create table hr.t (a int)", file)
        assert result.outcome is Outcome.UNKNOWN
        assert f"{wrong} is not known" in result.reason


@pytest.mark.parametrize("word", _RESPONSES)
def test_a_word_of_ddlerror_is_known_or_named(word: str, tmp_path: Path) -> None:
    assert _notes(tmp_path, "DDL INCLUDE ALL", f"DDLERROR 942 {word}") == ()
    wrong = _misspelled(word, Random(word))
    (note,) = _notes(tmp_path, "DDL INCLUDE ALL", f"DDLERROR 942 {wrong}")
    assert note == f"{tmp_path / 'p.prm'}, line 3: DDLERROR {wrong} is not known; did you mean {word}?"
    file = parameter_file(tmp_path, "REPLICAT r", "DDL INCLUDE ALL", f"DDLERROR 942 {wrong}", "MAP hr.*, TARGET hr2.*;")
    (result,) = evaluated("drop table hr.t", file, error="942")
    assert result.outcome is Outcome.UNKNOWN
    assert f"{wrong} is not known" in result.reason


@pytest.mark.parametrize(
    ("written", "note"),
    [
        ("DDLOPTIONS REMOVECOMENTS", "DDLOPTIONS REMOVECOMENTS is not known; did you mean REMOVECOMMENTS?"),
        ("DDLSUBST 'a' WITH 'b' INCLUDE MAPED", "MAPED is not known; did you mean MAPPED?"),
        ("DDLEROR 942 IGNORE", "DDLEROR is not known; did you mean DDLERROR?"),
        ("MAP app.* TARGET app2.*;", "no comma is before TARGET"),
        ("MAP app.*, TARGET app2.*, KEYCOL (id);", "KEYCOL is not known; did you mean KEYCOLS?"),
        ("DDL INCLUDE XYZ", "XYZ is not known"),
        ("DDL INCLUDE MAPPED OPTYP CREATE", "OPTYP is not known; did you mean OPTYPE?"),
        ("DDL ALL", "DDL ALL is not known"),
    ],
)
def test_other_words_are_named_at_their_line(written: str, note: str, tmp_path: Path, line: Line) -> None:
    assert _notes(tmp_path, written) == (f"{tmp_path / 'p.prm'}, line 2: {note}",)
    assert f"  Note: {tmp_path / 'p.prm'}, line 2: {note}" in line(f"params {tmp_path / 'p.prm'}")


@pytest.mark.parametrize(
    "written",
    [
        "SOURCEDEFS ./dirdef/x.def",
        "ASSUMETARGETDEFS",
        "HANDLECOLLISIONS",
        "BATCHSQL",
        "DBOPTIONS SUPPRESSTRIGGERS",
        "DISCARDFILE ./dirrpt/r.dsc, APPEND",
        "REPERROR (DEFAULT, ABEND)",
        "GROUPTRANSOPS 10",
        "MAP app.*, TARGET app2.*, COLMAP (USEDEFAULTS, a = b), FILTER (a > 1), TRIMSPACES, FETCHMODCOLS (a);",
        "DDL INCLUDE OPTYPE (CREATE, ALTER) OBJTYPE ('TABLE', 'INDEX')",
        "DDL INCLUDE OPTYPE create OBJTYPE 'materialized  view'",
        "DDL INCLUDE OPTYPE * OBJTYPE *",
    ],
)
def test_what_is_right_is_not_named(written: str, tmp_path: Path) -> None:
    assert _notes(tmp_path, written) == ()
