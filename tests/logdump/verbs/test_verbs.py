"""``logdump VERB FILE…``: which commands a verb stands for, what goes where, and with which status it ends.

``logdump completion SHELL``: scripts that offer every verb and its options.
"""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
from itertools import takewhile
from pathlib import Path
from types import SimpleNamespace

import pytest

from fixtures import TRAILS
from logdump.cli import main
from logdump.line.verbs import NAMES
from logdump.line.verbs.completion import SHELLS
from logdump.line.verbs.running import VerbRun
from logdump.line.verbs.spelling import names_trails
from logdump.line.verbs.table import BY_NAME, VERBS, Verb
from logdump.session.errors import ExitStatus
from tests.logdump.program import logdump, process
from tests.trailformat.samples import metadata_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, TableDefinition
from trailformat.definitions.metadata import build_table


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_verb_and_is_taken_by_its_shell(shell: str) -> None:
    answer = logdump("completion", shell)
    assert answer.status == 0
    assert all(name in answer.out for name in NAMES)
    if (program := shutil.which(shell)) is not None:
        checked = subprocess.run([program, "-n"], input=answer.out, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["logdump", "docto"], ["doctor"]),
        (["logdump", "show", "--sin"], ["--since"]),
        (["logdump", "safe", "--sin"], []),
    ],
)
def test_bash_offers_verbs_and_their_options(words: list[str], offered: list[str]) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    script = logdump("completion", "bash").out
    line = f'COMP_WORDS=({" ".join(words)}); COMP_CWORD={len(words) - 1}; _logdump; printf "%s\\n" "${{COMPREPLY[@]}}"'
    answer = subprocess.run([bash, "-c", f"{script}\n{line}"], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == offered


def test_another_shell_is_wrong_usage() -> None:
    assert logdump("completion", "tcsh").status == 2
    assert logdump("completion").status == 2


ANSWERS = [
    ("show et000000000 --rba 3,987", 0, "Values of UPDATE TEAHOUSE.SALES"),
    ("show at --table *SALES --op insert", 0, "Name: TEAHOUSE.SALES"),
    ("show ft000000000", 4, "RBA 2722"),
    ("list et000000000 --rba 3,522 --limit 1", 0, "ASS02  STOCK_KG 260→310"),
    ("tail et000000000 --since 2024-03-14T09:38Z --list --idle 1", 0, "TRUNCATE TEAHOUSE.SALES"),
    ("find et000000000 STOCK_KG = 310", 0, "RBA 3522"),
    ("find et000000000 'no such text'", 1, ""),
    ("count et000000000", 0, "has 22 records"),
    ("count at --table *SALES --op insert", 0, "Insert "),
    ("check et000000000", 0, "no gap"),
    ("check ft000000000", 4, "1 gap of 107 bytes"),
    ("check et000000000 ft000000000", 4, "2 files, has 43 good records"),
    ("check .", 4, "files, has"),
    ("safe at000000000 2913", 0, "EXTSEQNO 0, EXTRBA 3691"),
    ("safe at000000000 2,913", 0, "EXTSEQNO 0, EXTRBA 3691"),
    ("export et000000000 --limit 2", 0, '"type":"file_header"'),
    ("export et000000000 --format csv --table *SALES --meta", 0, "TEAHOUSE.SALES"),
    ("apply et sqlite:////nowhere/shop.db --create --once", 1, ""),
    ("publish et kafka://127.0.0.1:1 --once --patience 1", 1, ""),
    ("sql 'SELECT count(*) AS n FROM records' et000000000", 0, "22"),
    ("sql 'SELECT op, csn FROM records LIMIT 1' et000000000 --format csv", 0, '"op","csn"'),
    ("diff et000000000 el000000000 QUIET", 3, "by records"),
    ("diff et000000000 et000000000", 0, "10 transactions equal"),
    ("recovery at", 3, "4 restarts"),
    ("recovery et000000000", 0, "CSNs are in order"),
    ("heartbeat yt", 0, "7 beats"),
    ("tables et", 0, "TEAHOUSE.SALES"),
    ("transactions at --limit 3", 0, "10 transactions, 6 of them effective; the 3 largest"),
    ("row et TEAHOUSE.TEAS TEA_CODE=ASS09", 0, "ASS02 → ASS01 → ASS09: 4 changes"),
    ("row et TEAHOUSE.TEAS TEA_CODE=NONE", 1, ""),
    ("redo et000000000 --limit 1", 0, "INSERT INTO"),
    ("undo et --table *TEAS POSTGRESQL", 4, 'UPDATE "TEAHOUSE"."TEAS" SET "TEA_CODE" = '),
    ("ddl zt000000000 --params ../../tests/transcripts/obey/rep1.prm", 0, "HERBS: applied as tea2.HERBS"),
    ("br et", 0, "0 with open transactions"),
    ("compress et LEVEL 6", 0, "level 6: "),
    ("info et000000000", 0, "et000000000"),
    ("values et000000000 --rba 3,987", 0, "Values of UPDATE TEAHOUSE.SALES"),
    ("lob kt000000000 1811", 0, "column 1 NAME, 4 pieces from RBA 1980, 219 bytes, whole"),
    ("params ../../tests/transcripts/obey/rep1.prm", 0, "PARAMS for Replicat rep1"),
    ("debug et000000000", 0, "For a bug report"),
    ("explain 'OGG-01296 Error mapping in et000000000, rba 3,987'", 0, "EXTSEQNO 0, EXTRBA"),
    ("explain et000000000 LAG", 0, "No heartbeat"),
    ("doctor et000000000", 0, "Findings     none"),
    ("doctor ft000000000", 4, "RBA 3522: damage, 107 bytes"),
    ("doctor at", 3, "whole copy follows   [RECOVERY CUT]"),
    ("watch at --once", 0, "logdump_trail_cut_transactions_total{"),
]
"""What is typed after ``logdump``, the status, and what standard output has."""


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


@pytest.fixture(autouse=True)
def _tail_waits_by_a_clock_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(sleep=slept.append, monotonic=lambda: sum(slept))
    monkeypatch.setattr("logdump.features.list.command.time", clock)


@pytest.mark.parametrize(("line", "status", "part"), ANSWERS, ids=[line for line, *_ in ANSWERS])
def test_a_verb_answers_on_standard_output_and_ends_with_the_status(line: str, status: int, part: str) -> None:
    answer = logdump(*shlex.split(line), typed="exit\n")
    assert (answer.status, part in answer.out) == (status, True), answer
    assert "Current LogTrail" not in answer.out
    assert "not an Oracle product" not in answer.out


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_the_answer_is_that_of_the_commands_it_explains(verb: Verb) -> None:
    line = (
        next(line for line, *_ in ANSWERS if line.split()[0] == verb.name)
        if verb.name not in ("repair", "report", "redact", "apply", "publish")
        else ""
    )
    if not line:
        pytest.skip("it writes a file")
    explained = logdump(*shlex.split(line), "--explain").out.splitlines()
    run = logdump("-c", "; ".join(explained))
    answer = logdump(*shlex.split(line))
    assert _steady(run.out).endswith(_steady(answer.out))
    assert run.status == answer.status


def _steady(text: str) -> str:
    """A text without what depends on the moment: free bytes of the disk, ages, the speed of compression."""
    moment = re.compile(r"Disk |logdump_(trail_(disk_|\w+_age_)|watch_last_look_)")
    lines = (line for line in text.splitlines(keepends=True) if not moment.match(line))
    return re.sub(r"\d+ MB/s", "", "".join(lines))


def test_the_names_are_those_of_the_table() -> None:
    assert tuple(BY_NAME) == NAMES


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_help_has_three_examples_that_the_parser_takes(verb: Verb) -> None:
    assert logdump(verb.name, "--help").status == 0
    text = verb.parser().format_help()
    for example in verb.examples:
        assert f"  logdump {example}\n" in text + "\n"
        words = [*takewhile(lambda word: word not in (">", "|"), shlex.split(example))]
        assert words[0] == verb.name
        verb.parser().parse_intermixed_args(words[1:])


@pytest.mark.parametrize(
    ("options", "commands"),
    [
        ("--since '2024-03-14 09:33'", ["FILTER STARTTIME 2024-03-14 09:33"]),
        ("--until 2024-03-14T09:33Z", ["FILTER ENDTIME 2024-03-14T09:33Z"]),
        ("--from-csn 5 --to-csn 7", ["FILTER CSN >= 5", "FILTER CSN <= 7", "FILTER MATCH ALL"]),
        ("--table a.b --table c.*", ["FILTER FILENAME a.b, c.*", "FILTER EXCLUDE RECTYPE Metadata"]),
        ("--op delete,insert", ["FILTER RECTYPE Delete, Insert"]),
        ("--op 5", ["FILTER RECTYPE 5"]),
        ("--where 'FILTER STRING Uji'", ["FILTER STRING Uji"]),
        ("--where 'STOCK_KG > 300'", ["FILTER VALUE STOCK_KG > 300"]),
        ("--rba 483,188,832", ["POSITION RBA 483,188,832"]),
    ],
)
def test_an_option_is_spelled_as_commands(options: str, commands: list[str]) -> None:
    lines = logdump("show", "et000000000", "--explain", *shlex.split(options)).out.splitlines()
    assert [line for line in lines if line.split()[0] in ("FILTER", "POSITION")] == commands


@pytest.mark.parametrize(
    ("line", "opens"),
    [
        ("show et000000000", ["OPEN et000000000", "NEXT ALL"]),
        ("show at", ["OPEN {}/at000000000", "ACROSS ON", "NEXT ALL"]),
        ("show at000000001 at000000000", ["OPEN {}/at000000000", "ACROSS TO {}/at000000001", "NEXT ALL"]),
        ("show 'at*2'", ["OPEN {}/at000000002", "NEXT ALL"]),
        (
            "show et st --limit 3",
            ["OPEN {}/et000000000", "ACROSS ON", "NEXT 3", "OPEN {}/st000000000", "ACROSS ON", "NEXT 3"],
        ),
    ],
)
def test_files_are_read_trail_by_trail(line: str, opens: list[str], trails: Path) -> None:
    lines = logdump(*shlex.split(line), "--explain").out.splitlines()
    assert [text for text in lines if text.split()[0] in ("OPEN", "ACROSS", "NEXT")] == [
        opening.format(trails) for opening in opens
    ]


def test_reading_ends_with_the_last_file_that_is_named() -> None:
    two = [json.loads(line) for line in logdump("export", "at000000000", "at000000001").out.splitlines()]
    assert {Path(item["file"]).name for item in two} == {"at000000000", "at000000001"}


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("show et000000000 --table *TEAS --where 'nonsense'", "--where"),
        ("count et000000000 --op nonsense", "--op"),
        ("export et000000000 --since nonsense", "--since"),
        ("find et000000000 Uji --where 'RECLEN nonsense'", "--where"),
    ],
)
def test_a_filter_that_fails_ends_the_verb_with_nothing_shown(line: str, option: str) -> None:
    answer = logdump(*shlex.split(line))
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"logdump: {option}: ")


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("show", 2, "show takes FILE…, as in: logdump show"),
        ("safe at000000000", 2, "safe takes FILE RBA"),
        ("diff at000000000 at000000001 at000000002", 2, "diff takes two trails, not 3"),
        ("show nosuch000000", 4, "nosuch000000: No such file, folder or trail."),
        ("show ET000000000", 4, "Did you mean et000000000?"),
        ("show et000000000 --rba x", 2, "--rba wants a number, not 'x'"),
        ("sql 'select 1; count' et000000000", 2, "sql takes one statement, not"),
        ("repair ft000000000", 2, "-o FILE"),
        ("explain 'the disk is full'", 1, "Nothing to explain"),
        ("explain nosuch.log", 4, "nosuch.log: No such file, folder or trail."),
        ("count et000000000 -o et000000000 --replace", 2, "nothing is written over it"),
    ],
)
def test_misuse_is_said_on_standard_error(line: str, status: int, message: str) -> None:
    answer = logdump(*shlex.split(line))
    assert (answer.status, answer.out) == (status, "")
    assert message in answer.err


@pytest.mark.parametrize("words", ["count READ", "count FOLDER", "explain READ", "ddl et000000000 --params READ"])
@pytest.mark.parametrize("kind", ["trail", "archive", "log"])
def test_nothing_is_written_over_a_file_that_is_read(words: str, kind: str, tmp_path: Path) -> None:
    read = tmp_path / {"trail": "lt000000000", "archive": "customer.tar", "log": "ggserr.log"}[kind]
    if kind == "archive":
        with tarfile.open(read, "w") as archive:
            archive.add(TRAILS / "et000000000", "lt000000000")
    else:
        read.write_bytes((TRAILS / "et000000000").read_bytes() if kind == "trail" else b"ERROR OGG-01028 at RBA 3069\n")
    before = read.read_bytes()
    line = words.replace("READ", str(read)).replace("FOLDER", str(tmp_path))
    answer = logdump(*line.split(), "-o", str(read), "--replace")
    assert answer.status in (2, 4)
    assert read.read_bytes() == before


@pytest.mark.parametrize("verb", ["list", "show", "count", "doctor"])
@pytest.mark.parametrize("is_there", [True, False])
def test_an_answer_that_was_interrupted_is_in_no_file(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_there: bool
) -> None:
    """Though nothing has failed and lines were written: a file that is there stays as it was."""
    target, run = tmp_path / "answer.txt", VerbRun._run
    if is_there:
        target.write_text("mine")

    def interrupted(self: VerbRun) -> int:
        run(self)
        self.status = ExitStatus.INTERRUPTED
        return self.status

    monkeypatch.setattr(VerbRun, "_run", interrupted)
    answer = logdump(verb, str(TRAILS / "et000000000"), "-o", str(target), "--replace")
    assert answer.status == ExitStatus.INTERRUPTED
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"] * is_there


def test_an_answer_goes_to_a_file_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "answer.txt"
    assert logdump("count", "et000000000", "-o", str(target)) == (0, "", "")
    assert target.read_text() == logdump("count", "et000000000").out
    assert logdump("count", "et000000000", "-o", str(target)).status == 1
    assert logdump("count", "et000000000", "--op", "nonsense", "-o", str(target), "--replace").status == 2
    assert target.read_text() == logdump("count", "et000000000").out
    assert list(tmp_path.iterdir()) == [target]


class _Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


COLOURED = [
    ("list et000000000 --op delete --limit 1", "\x1b[31mDELETE\x1b[0m"),
    ("list et000000000 --op update --limit 1", "\x1b[33mUPDATE\x1b[0m"),
    ("check ft000000000", "\x1b[31mGap\x1b[0m in "),
    ("safe at000000000 2913", "\x1b[1mALTER REPLICAT <group>, EXTSEQNO 0, EXTRBA 2722\x1b[0m"),
    ("doctor ft000000000", "\x1b[31m!! ft000000000 RBA 3522: damage"),
    ("explain yt000000000 LAG", "\x1b[1mNo beat from 2024/03/14 23:51:00.000.000 to"),
    ("row et TEAHOUSE.TEAS TEA_CODE=ASS09", "\x1b[32mINSERT\x1b[0m"),
]


def _at_a_terminal(line: str, patch: pytest.MonkeyPatch, **environment: str) -> str:
    data = io.BytesIO()
    patch.setattr(sys, "stdout", _Terminal(data, encoding="utf-8", write_through=True))
    patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    for name, value in {"TERM": "xterm", "NO_COLOR": "", **environment}.items():
        patch.setenv(name, value)
    main([*shlex.split(line), "--no-pager"])
    return data.getvalue().decode()


@pytest.mark.parametrize(("line", "part"), COLOURED, ids=[line for line, _ in COLOURED])
def test_at_a_terminal_parts_are_coloured(line: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = _at_a_terminal(line, monkeypatch)
    assert part in text
    plain = re.sub(r"\x1b\[\d*m", "", text)
    assert _steady(plain) == _steady(_at_a_terminal(line, monkeypatch, NO_COLOR="1"))
    assert "\x1b" not in _at_a_terminal(line, monkeypatch, TERM="dumb")
    assert "\x1b" not in _at_a_terminal(f"{line} --format jsonl", monkeypatch)


def test_columns_are_those_that_are_named() -> None:
    out = logdump("list", "et000000000", "--op", "update", "--columns", "price,tea_code").out
    assert "SEN01  PRICE →9.40" in out
    assert "STOCK_KG" not in out


def test_tail_reads_what_is_there_over_files_that_are_closed_without_waiting() -> None:
    line = "tail at --list --since 2024-03-14T09:36Z --idle 1"
    answer = logdump(*shlex.split(line))
    assert [text.split()[0] for text in answer.out.splitlines()] == ["2363", "2603", "2797"]


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("select * from trail('dirdat/lt*')", True),
        ("SELECT 'it''s' FROM Trail ('lt')", True),
        ("select 'trail(' from records", False),
        ("select $$ trail('lt') $$ from records", False),
        ("select 1 from records -- trail('lt')", False),
        ("select 1 from records /* trail('lt') */", False),
        ("select 1 from trailer(1)", False),
        ("trail('lt')", False),
    ],
)
def test_a_statement_names_trails_outside_of_its_texts(statement: str, names: bool) -> None:
    assert names_trails(statement) is names


def test_a_statement_may_name_its_trails_itself(trails: Path, tmp_path: Path) -> None:
    statement = f"select count(*) c from trail('{trails}/at*') a join trail('{trails}/at*', 'restarts') b using (rba)"
    named = logdump("-c", f"sql {statement}").out
    assert logdump("sql", statement).out == named
    assert logdump("sql", statement, "--format", "csv").out == '"c"\n6\n'
    assert logdump("sql", statement, "-o", str(tmp_path / "c.csv")).status == 0
    assert (tmp_path / "c.csv").read_text() == '"c"\n6\n'
    refused = logdump("sql", statement, "--op", "insert")
    assert (refused.status, refused.err) == (2, "logdump: options that select records need a FILE\n")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("export at --by-table", "--by-table needs -o FOLDER"),
        ("export at --by-table -o x --meta --table A.B", "--meta is a file of records, and --by-table"),
        ("row et000000000 A.B K=1 --undo --last 2 --csn 5", "--last and --csn both say how far: give one"),
        ("row et000000000 A.B K=1 --undo --since 09:30 --csn 5", "--since and --csn both say how far: give one"),
        ("row et000000000 A.B K=1 --last 2", "--last says how far changes are taken back: it needs --undo"),
        ("sql 'select count(*) from records'", "sql takes 'STATEMENT' FILE…, as in: logdump sql"),
    ],
)
def test_what_makes_no_sense_is_said_in_the_words_of_the_verb(line: str, sentence: str) -> None:
    answer = logdump(*shlex.split(line))
    assert answer.status == 2
    assert answer.err.startswith(f"logdump: {sentence}")


def test_a_folder_with_one_trail_can_be_compared(tmp_path: Path, trails: Path) -> None:
    for path in trails.glob("at*"):
        shutil.copy(path, tmp_path)
    assert logdump("diff", str(tmp_path), "at").status == 0
    assert "names files of several trails" in logdump("diff", str(trails), "at").err


def test_the_nearest_verb_comes_first() -> None:
    answer = process("sfae", "at000000000", "2913")
    assert answer.status == 2
    assert "Did you mean safe or " in answer.err


def test_repair_writes_its_copy(tmp_path: Path) -> None:
    answer = logdump("repair", "ft000000000", "-o", str(tmp_path / "ft000000000"))
    assert answer.status == 3
    assert logdump("check", str(tmp_path / "ft000000000")).status == 0


def test_find_goes_on_up_to_the_limit_and_a_last_one_is_no_failure() -> None:
    answer = logdump("find", "et000000000", "Uji", "--limit", "9", "--format", "jsonl")
    assert answer.status == 0
    assert len(answer.out.splitlines()) > 1
    assert answer.err == ""


def test_a_damaged_trail_is_shown_up_to_the_damage_with_status_4() -> None:
    answer = logdump("show", "ft000000000", "--format", "jsonl")
    assert answer.status == 4
    assert all(json.loads(line) for line in answer.out.splitlines())


@pytest.mark.parametrize("line", ["check log", "count detail", "recovery over nosuch", "show env"])
def test_words_of_the_command_of_that_name_run_the_command(line: str) -> None:
    assert logdump(*line.split(), "-c", "exit").out == logdump("-c", f"{line}; exit").out


@pytest.mark.parametrize("verb", ["count", "tables", "transactions", "list", "export", "show", "undo"])
@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--where=STOCK = 310", "No table with a column STOCK is defined in this trail. Nearest: STOCK_KG."),
        (
            "--where=FILTER INCLUDE VALUE PRIZE > 1",
            "No table with a column PRIZE is defined in this trail. Nearest: PRICE.",
        ),
        (
            "--table=TEAHOUSE.TEA",
            "No table TEAHOUSE.TEA is defined in this trail. Nearest: TEAHOUSE.TEAS, TEAHOUSE.SALES.",
        ),
        ("--table=TEAS", "No table TEAS is defined in this trail. Nearest: TEAHOUSE.TEAS."),
        ("--table=HR.SALE", "No table HR.SALE is defined in this trail. Nearest: TEAHOUSE.SALES."),
    ],
)
def test_a_name_that_the_trail_does_not_define_is_said_where_nothing_is_found(
    verb: str, option: str, sentence: str
) -> None:
    answer = logdump(verb, "et000000000", option)
    assert answer.err.count(sentence) == 1
    assert "is defined in this trail" not in answer.out
    assert answer.status == 1


@pytest.mark.parametrize("option", ["--where=STOCK_KG = -5", "--where=stock_kg > 300", "--table=*sales", "--op=lob"])
def test_a_name_that_the_trail_defines_is_not_doubted(option: str) -> None:
    assert "is defined" not in logdump("list", "et000000000", option).err


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("list et000000000 --columns TEA_CODES,NAME", "No table with a column TEA_CODES is defined in this trail."),
        ("row et TEAHOUSE.TEAS CODE=ASS01", "No table TEAHOUSE.TEAS with a column CODE is defined in this trail."),
        (
            "row et TEAHOUSE.TEA TEA_CODE=ASS01",
            "No table TEAHOUSE.TEA is defined in this trail. Nearest: TEAHOUSE.TEAS, TEAHOUSE.SALES.",
        ),
        ("find et000000000 'STOCK = 310'", "No table with a column STOCK is defined in this trail. Nearest: STOCK_KG."),
        ("find nh000000 'STOCK_KG = 310'", "This trail defines no tables: SOURCEDEFS <file> names"),
        ("row nh000000 TEAHOUSE.TEAS TEA_CODE=ASS01", "This trail defines no tables: SOURCEDEFS <file> names"),
        ("list nh000000 --where 'STOCK_KG = 310'", "This trail defines no tables: SOURCEDEFS <file> names"),
    ],
)
def test_a_column_that_no_table_has_is_said(line: str, sentence: str) -> None:
    assert sentence in logdump(*shlex.split(line)).err


def test_a_trail_without_definitions_has_tables_that_are_not_doubted() -> None:
    assert "is defined" not in logdump("count", "ot000000", "--table", "NO.SUCH").err


def write_cups(folder: Path, name: str) -> Path:
    """A trail of one definition: TEA.CUPS, with the column SIZE."""
    columns = (KINDS["INT32"].definition._replace(name="SIZE"),)
    data = build_table(TableDefinition(1, 1, columns), ByteOrder.BIG)
    return trail_of(folder, metadata_record(2, 1, "TEA.CUPS", data, ByteOrder.BIG), name=name)


@pytest.mark.parametrize(
    "line",
    [
        "list {} --where 'STOCK_KG = -5'",
        "count {} --where 'STOCK_KG = -5'",
        "export {} --where 'STOCK_KG = -5'",
        "find {} 'STOCK_KG = -5'",
        "row {} TEAHOUSE.TEAS TEA_CODE=NONE",
        "list {} --table TEAHOUSE.TEAS --op lob",
    ],
)
@pytest.mark.parametrize("last", [0, 1], ids=["in the first file", "in the last file"])
def test_a_name_that_another_file_of_the_trail_defines_is_not_doubted(line: str, last: int, tmp_path: Path) -> None:
    write_cups(tmp_path, f"lt{1 - last:09}")
    (tmp_path / f"lt{last:09}").write_bytes(Path("et000000000").read_bytes())
    answer = logdump(*shlex.split(line.format(tmp_path / "lt")))
    assert "is defined" not in answer.err


@pytest.mark.parametrize("count", ["count {}/et000000000", "count logtrail {}/et*"])
def test_count_asks_the_files_that_it_counts(count: str, tmp_path: Path) -> None:
    before = f"open {write_cups(tmp_path, 'lt000000000')}; filter include value"
    known = logdump("-c", f"{before} STOCK_KG = -5; {count.format(Path.cwd())}")
    unknown = logdump("-c", f"{before} SIZE = 5; {count.format(Path.cwd())}")
    assert "is defined" not in known.err
    assert "No table with a column SIZE is defined in this trail." in unknown.err
