"""Each option of each verb changes its answer: what it prints, its status, or the file that it writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.line.verbs.table import VERBS
from tests.logdump.program import Answer, logdump
from tests.transcripts.play import FOLDER

Words = tuple[str, ...]

WORK: dict[str, Words] = {
    "show": ("et000000000",),
    "list": ("et000000000",),
    "tail": ("et000000000", "--idle", "1", "--rba", "0"),
    "find": ("et000000000", "GYO01"),
    "count": ("et000000000",),
    "check": ("et000000000",),
    "safe": ("at000000000", "2913"),
    "export": ("et000000000",),
    "sql": ("et000000000", "select rba from records"),
    "diff": ("et000000000", "bt000000000"),
    "repair": ("gt000000000", "-o", "x"),
    "redact": ("et000000000", "-o", "y"),
    "apply": ("et000000000", "sqlite:///shop.db", "--create", "--once"),
    "publish": ("et000000000", "kafka://127.0.0.1:1", "--once", "--patience", "1"),
    "recovery": ("at*",),
    "heartbeat": ("yt*",),
    "doctor": ("et000000000",),
    "watch": ("et000000000", "--once"),
    "tables": ("et000000000",),
    "transactions": ("et000000000",),
    "row": ("et000000000", "TEAHOUSE.TEAS", "TEA_CODE=SEN01"),
    "redo": ("et000000000",),
    "undo": ("et000000000",),
    "ddl": ("dt000000000", "--params", str(FOLDER / "obey" / "rep1.prm")),
    "br": ("at*",),
    "compress": ("et000000000",),
    "info": ("et000000000",),
    "values": ("et000000000",),
    "lob": ("pt000000000", "1811"),
    "params": (str(FOLDER / "obey" / "rep1.prm"),),
    "debug": ("et000000000",),
    "report": ("et000000000", "-o", "x.html"),
    "explain": ("OGG-01028 Incompatible record at et000000000, rba 3069",),
}
"""The words of each verb without the option; a word that is a trail of the fixtures becomes its path."""
GIVEN: dict[str, Words] = {
    "since": ("--since", "2024-03-14 09:33"),
    "until": ("--until", "2024-03-14 09:33"),
    "from_csn": ("--from-csn", "41882385"),
    "to_csn": ("--to-csn", "41882351"),
    "table": ("--table", "TEAHOUSE.SALES"),
    "op": ("--op", "delete"),
    "where": ("--where", "STOCK_KG > 100"),
    "rba": ("--rba", "3069"),
    "limit": ("--limit", "1"),
    "format": ("--format", "jsonl"),
    "output": ("-o", "x"),
    "replace": ("-o", "x", "--replace"),
    "explain": ("--explain",),
}
"""The words of each option that many verbs have."""
ROWS = ("since", "until", "from_csn", "to_csn", "table", "op", "where")
CASES: dict[tuple[str, str], tuple[Words, Words]] = {
    ("show", "hex"): (WORK["show"], (*WORK["show"], "--hex")),
    ("list", "columns"): (WORK["list"], (*WORK["list"], "--columns", "NAME")),
    ("tail", "list"): (WORK["tail"], (*WORK["tail"], "--list")),
    ("tail", "rba"): (("et000000000", "--idle", "1"), WORK["tail"]),
    ("find", "limit"): (WORK["find"], (*WORK["find"], "--limit", "2")),
    ("find", "until"): (WORK["find"], (*WORK["find"], "--until", "2024-03-14 09:30")),
    ("find", "to_csn"): (WORK["find"], (*WORK["find"], "--to-csn", "1")),
    ("find", "where"): (WORK["find"], (*WORK["find"], "--where", "GRAMS = 100")),
    ("count", "detail"): (WORK["count"], (*WORK["count"], "--detail")),
    ("count", "effective"): (("at000000000",), ("at000000000", "--effective")),
    ("export", "columns"): (
        (*WORK["export"], "--table", "TEAHOUSE.TEAS", "-o", "x.csv", "--columns", "NAME"),
        (*WORK["export"], "--table", "TEAHOUSE.TEAS", "-o", "x.csv", "--columns", "GRADE"),
    ),
    ("export", "format"): (WORK["export"], (*WORK["export"], "--format", "csv")),
    ("doctor", "since_last"): (WORK["doctor"], (*WORK["doctor"], "--since-last", "x")),
    ("doctor", "nagios"): (WORK["doctor"], (*WORK["doctor"], "--nagios")),
    ("watch", "textfile"): (WORK["watch"], (*WORK["watch"], "--textfile", "x.prom")),
    ("watch", "state"): (WORK["watch"], (*WORK["watch"], "--state", "x")),
    ("export", "effective"): (("at000000000",), ("at000000000", "--effective")),
    ("export", "by_table"): (
        (*WORK["export"], "--format", "csv", "-o", "x"),
        (*WORK["export"], "--format", "csv", "-o", "x", "--by-table"),
    ),
    ("export", "meta"): (
        (*WORK["export"], "--table", "TEAHOUSE.TEAS", "--format", "csv"),
        (*WORK["export"], "--table", "TEAHOUSE.TEAS", "--format", "csv", "--meta"),
    ),
    ("export", "truncates"): (
        (*WORK["export"], "--format", "debezium"),
        (*WORK["export"], "--format", "debezium", "--truncates"),
    ),
    ("export", "bom"): ((*WORK["export"], "--format", "csv"), (*WORK["export"], "--format", "csv", "--bom")),
    ("row", "undo_since"): ((*WORK["row"], "--undo"), (*WORK["row"], "--undo", "--since", "2024-03-14 09:35")),
    ("row", "undo_csn"): ((*WORK["row"], "--undo"), (*WORK["row"], "--undo", "--csn", "41882453")),
    ("lob", "output"): (WORK["lob"], (*WORK["lob"], "RAW", "-o", "x")),
    ("lob", "replace"): ((*WORK["lob"], "RAW", "-o", "x"), (*WORK["lob"], "RAW", "-o", "x", "--replace")),
    ("sql", "effective"): (
        ("at000000000", "select rba from records"),
        ("at000000000", "select rba from records", "--effective"),
    ),
    ("tables", "effective"): (("at000000000",), ("at000000000", "--effective")),
    ("repair", "output"): (("gt000000000", "--dry"), WORK["repair"]),
    ("repair", "dry"): (WORK["repair"], (*WORK["repair"], "--dry")),
    ("row", "undo"): (WORK["row"], (*WORK["row"], "--undo")),
    ("row", "last"): ((*WORK["row"], "--undo"), (*WORK["row"], "--undo", "--last", "1")),
    ("ddl", "params"): (("dt000000000",), WORK["ddl"]),
    ("explain", "replace"): ((*WORK["explain"], "-o", "x"), (*WORK["explain"], "-o", "x", "--replace")),
    **{
        (verb, option): ((*WORK[verb], "--explain"), (*WORK[verb], "--explain", *GIVEN[option]))
        for verb in ("br", "tail")
        for option in ROWS
    },
    **{
        (verb, option): (
            (*WORK[verb], *(("-o", name) if option == "replace" else ())),
            (*WORK[verb], "-o", name, *(("--replace",) if option == "replace" else ())),
        )
        for verb, name in (("sql", "x.csv"), ("redo", "x.sql"), ("undo", "x.sql"))
        for option in ("output", "replace")
    },
    **{
        (verb, option): ((*WORK[verb], "--explain"), (*WORK[verb], "--explain", *GIVEN[option]))
        for verb in ("apply", "publish")
        for option in ("table", "from_csn")
    },
    ("publish", "format"): ((*WORK["publish"], "--explain"), (*WORK["publish"], "--explain", "--format", "ogg")),
    ("redact", "output"): (("et000000000",), WORK["redact"]),
    ("redact", "replace"): (("et000000000", "-o", "x"), ("et000000000", "-o", "x", "--replace")),
    ("redact", "format"): (WORK["redact"], (*WORK["redact"], "--format", "jsonl")),
    ("report", "output"): (("et000000000",), WORK["report"]),
    ("report", "replace"): (WORK["report"], (*WORK["report"], "--replace")),
    ("report", "at_csn"): (WORK["report"], (*WORK["report"], "--csn", "41882351")),
    ("report", "error"): (WORK["report"], (*WORK["report"], "--error", "OGG-01028 rba 3391")),
}
"""Options with words of their own: those without it and with it."""
HELD_ELSEWHERE = {
    "no_pager": "logdump/test_line_mode.py: a pager is used at a terminal alone",
    "follow": "logdump/verbs: a trail that grows",
    "idle": "logdump/verbs: without it tail does not end",
    "every": "logdump/watch: how often it looks",
    "listen": "logdump/watch: the page that is served",
    "once": "logdump/watch: without it watch does not end",
    "values": "logdump/commands/test_check_rows.py: values that do not decode",
    "create": "logdump/spark/targets/test_names_and_types.py: tables that are created",
    "adopt": "logdump/spark/targets/test_positions.py: a position of another trail",
    "overwrite": "logdump/spark/targets/test_drawn_changes.py: an overlapping load",
    "ignore_ddl": "logdump/spark/targets/test_positions.py: statements",
    "errors": "logdump/verbs/test_apply.py: refused changes",
    "retry": "logdump/verbs/test_apply.py: refused changes",
    "options": "logdump/verbs/test_apply.py: a file of options",
    "write": "logdump/verbs/test_apply.py: a history; logdump/spark/targets/test_kept_rows.py",
    "deletes": "logdump/spark/targets/test_kept_rows.py: soft deletes",
    "load": "logdump/spark/targets/test_load.py: a database of the source",
    "load_csn": "logdump/spark/targets/test_load.py: the rows of the load",
    "load_snapshot": "logdump/spark/targets/test_load.py: a snapshot of a replication slot",
    "batch": "logdump/verbs/test_apply.py: a signal between two batches",
    "interval": "logdump/spark/targets: how often the trail is looked at",
    "patience": "logdump/spark/targets/test_stream.py: outages",
    "topic": "logdump/verbs/test_publish.py: each option reaches the run",
    "create_topics": "logdump/verbs/test_publish.py: each option reaches the run",
    "truncates_as": "logdump/verbs/test_publish.py: each option reaches the run",
    "positions": "logdump/verbs/test_publish.py: each option reaches the run",
    "config": "logdump/verbs/test_publish.py: each option reaches the run",
    "reports": "logdump/explaining/test_folders.py: reports beside trails",
    "trails": "logdump/explaining/test_folders.py: reports beside trails",
    "all": "logdump/explaining: a log of several messages",
}


def _options() -> list[tuple[str, str]]:
    return [(verb.name, option) for verb in VERBS for option in verb.known_options if option not in HELD_ELSEWHERE]


def _words(verb: str, option: str) -> tuple[Words, Words]:
    """The words of a verb without an option and with it."""
    if (verb, option) in CASES:
        return CASES[verb, option]
    given = GIVEN[option]
    if option == "replace" and "-o" in WORK[verb]:
        return WORK[verb], (*WORK[verb], "--replace")
    return (*WORK[verb], *(given[:-1] if option == "replace" else ())), (*WORK[verb], *given)


def _answer(verb: str, words: Words, folder: Path, *, is_written: bool) -> tuple[Answer, dict[str, bytes]]:
    """What the program answers in an empty folder, or one with a file x, and the files that it leaves."""
    folder.mkdir()
    if is_written:
        for name in ("x", "x.html", "x.csv", "x.sql"):
            (folder / name).write_bytes(b"before")
    trails = {word: TRAILS / word for word in words if (TRAILS / word).exists() or word.endswith("*")}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("TZ", "GMT")
        answer = logdump(verb, *(str(trails.get(word, word)) for word in words))
    files = {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    return Answer(answer.status, *(text.replace(str(folder), "") for text in (answer.out, answer.err))), files


@pytest.mark.parametrize(("verb", "option"), _options())
def test_an_option_of_a_verb_changes_its_answer(verb: str, option: str, tmp_path: Path) -> None:
    without, given = _words(verb, option)
    is_written = option == "replace"
    answer, files = _answer(verb, given, tmp_path / "given", is_written=is_written)
    assert answer.status != 2, answer.err
    assert (answer, files) != _answer(verb, without, tmp_path / "without", is_written=is_written)
