"""Every word of every verb: empty, odd, unknown. The cases come from the table of verbs: a new verb has them."""

from __future__ import annotations

import gzip
import random
import shlex
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import Any

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

from logdump.commands import REGISTRY
from logdump.filters.text_criteria import String
from logdump.language.call import Call, ValueWord
from logdump.language.reader import Context, parse
from logdump.language.words import split_calls
from logdump.line.verbs import NAMES
from logdump.line.verbs.table import BY_NAME, VERBS, Verb
from logdump.session.searching import parse_search
from logdump.session.session import Session
from tests.logdump.program import Answer, logdump
from trailformat import TrailFile

ODD_NAMES = (
    "a;b",
    'a"b',
    "a'b",
    "-dash",
    "OVER",
    "DETAIL",
    "NEXT",
    "sp ace",
    "a,b",
    "~x",
    "ünï",
    "TO",
    "by",
    '"',
    "UNDO",
    "at",
)
"""Names of files that could be read as something else."""
WORDS = {
    "find": ["{}", "Uji"],
    "safe": ["{}", "3987"],
    "lob": ["{}", "3987"],
    "params": ["rep1.prm", "{}"],
    "sql": ["select op, csn from records", "{}"],
    "diff": ["{}", "{}"],
    "row": ["{}", "TEAHOUSE.TEAS", "TEA_CODE=ASS09"],
    "explain": ["{}", "LAG"],
    "apply": ["{}", "sqlite:///shop.db"],
    "publish": ["{}", "kafka://127.0.0.1:1"],
}
"""The words of a verb; the others take a file alone."""
OPTIONS = {
    "tail": ["--idle", "1", "--since", "2024-03-14T09:38Z"],
    "ddl": ["--params", "rep1.prm"],
    "watch": ["--once"],
    "repair": ["-o", "copy000000", "--dry"],
    "redact": ["-o", "copy000000", "--replace"],
    "report": ["-o", "page.md", "--replace"],
    "compress": ["--format", "jsonl"],
    "apply": ["--create", "--once"],
    "publish": ["--once", "--patience", "1"],
}
"""The options that a verb needs."""
VALUES = {
    "since": "2024-03-14T09:31Z",
    "until": "2024-03-14T09:38Z",
    "from_csn": "1",
    "to_csn": "99999999",
    "table": "TEAHOUSE.*",
    "op": "insert",
    "where": "STOCK_KG > 0",
    "rba": "3987",
    "limit": "3",
    "columns": "TEA_CODE",
    "format": "jsonl",
    "output": "out.jsonl",
    "params": "rep1.prm",
    "idle": "1",
    "adopt": "1",
    "batch": "1m",
    "options": "shop.yaml",
    "interval": "1",
    "patience": "1",
}
"""A right value of each option that takes one."""


@pytest.fixture(autouse=True)
def here(trails: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a trail, and the same under every odd name."""
    data = (trails / "et000000000").read_bytes()
    for name in ("plain", *ODD_NAMES):
        (tmp_path / name).write_bytes(data)
    (tmp_path / "rep1.prm").write_text("REPLICAT rep1\nMAP *.*, TARGET *.*;\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def _tail_waits_by_a_clock_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    clock = SimpleNamespace(sleep=slept.append, monotonic=lambda: sum(slept))
    monkeypatch.setattr("logdump.features.list.command.time", clock)


def words_of(verb: Verb, file: str) -> list[str]:
    """The words of a verb about a file."""
    return [word.format(file) if word == "{}" else word for word in WORDS.get(verb.name, ["{}"])]


def answer_of(verb: Verb, words: list[str], *options: str) -> Answer:
    """The answer to words, of which any may begin with a dash."""
    return logdump(verb.name, *OPTIONS.get(verb.name, []), *options, "--", *words)


def calls_of(verb: Verb, words: list[str], *options: str) -> Iterator[Call]:
    """The calls that words and options become."""
    parsed = verb.parsed([*OPTIONS.get(verb.name, []), *options, "--", *words])
    return (step.call for step in verb.spell(verb.request(parsed)))


CONTEXT = Context()


def parts(value: Any) -> Any:
    """What can be compared of the value of arguments: of a function what it holds."""
    if isinstance(value, partial):
        return value.func, parts(value.args)
    if isinstance(value, FunctionType):
        return value.__code__, [parts(cell.cell_contents) for cell in value.__closure__ or ()]
    if isinstance(value, tuple):
        return [*map(parts, value)]
    return value


def texts_in(value: Any) -> Iterator[str]:
    """The texts in the value of arguments."""
    if isinstance(value, list | frozenset | tuple):
        for item in value:
            yield from texts_in(item)
    elif isinstance(value, str | Path):
        yield str(value)


def assert_reads_back(call: Call) -> None:
    """The line that --explain prints of a call means what the call runs."""
    assert call.is_typed, call.line
    ((name, text),) = split_calls(call.line)
    command = REGISTRY.find(name)
    assert command is REGISTRY.find(call.name)
    value = parts(call.read(command.form, CONTEXT))
    assert value == parts(parse(command.form, text, CONTEXT)), call.line
    for word in call.words:
        if isinstance(word, ValueWord) and not word.is_phrase:
            assert any(word.text.upper() in text.upper() for text in texts_in(value)), (
                call.line,
                "a value, not a keyword",
            )


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
@pytest.mark.parametrize("blank", ["", " \t"])
def test_an_empty_word_is_misuse_wherever_it_is(verb: Verb, blank: str, here: Path) -> None:
    before = sorted(here.iterdir())
    words = words_of(verb, "plain")
    for place in range(len(words) + 1):
        for changed in {(*words[:place], blank, *words[place + kept :]) for kept in (0, 1)}:
            if blank.strip() or not blank or not verb.has_text_last:
                answer = answer_of(verb, list(changed))
                assert (answer.status, answer.out) == (2, ""), changed
                assert answer.err == f"logdump: {verb.name} takes {verb.takes}, not an empty word\n"
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_an_empty_value_of_an_option_is_misuse_that_names_the_option(verb: Verb, here: Path) -> None:
    before = sorted(here.iterdir())
    for option in verb.known_options.values():
        if "metavar" not in option.settings and "choices" not in option.settings:
            continue
        for blank in ("", " "):
            for flag in option.flags:
                given = [f"{flag}={blank}"] if flag.startswith("--") else [flag, blank]
                answer = logdump(verb.name, *OPTIONS.get(verb.name, []), *given, "--", *words_of(verb, "plain"))
                assert (answer.status, answer.out) == (2, ""), given
                assert option.flags[-1] in answer.err
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_every_line_of_explain_reads_back_to_what_runs(verb: Verb) -> None:
    options = [name for name in verb.known_options if name in VALUES and name not in ("output", "format", "columns")]
    for name in ODD_NAMES:
        drawn = random.sample(options, k=random.randint(0, len(options)))
        given = [word for option in drawn for word in (verb.known_options[option].flags[0], VALUES[option])]
        for call in calls_of(verb, words_of(verb, name), *given):
            assert_reads_back(call)


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_a_file_of_any_name_is_answered_as_one_of_a_plain_name(verb: Verb) -> None:
    plain = answer_of(verb, words_of(verb, "plain"))
    assert plain.status != 2, plain
    for name in random.sample(ODD_NAMES, k=2):
        answer = answer_of(verb, words_of(verb, name))
        assert answer.status == plain.status, (name, answer)
        assert len(answer.out.splitlines()) == len(plain.out.splitlines()), name


@pytest.mark.parametrize("verb", [verb for verb in VERBS if "output" in verb.options], ids=lambda verb: verb.name)
def test_an_output_of_any_name_has_what_one_of_a_plain_name_has(verb: Verb) -> None:
    ending = {"report": ".md", "sql": ".csv", "repair": ""}.get(verb.name, ".sql" if "SQL" in verb.summary else "")
    ending = "" if verb.name == "row" else ending
    words = [word for word in OPTIONS.get(verb.name, []) if word not in ("-o", "page.md", "copy000000", "--dry")]
    for name in (
        "plain out",
        *random.sample(["o;ut", 'o"ut', "o'ut", "OVER out", "~out", "o,ut", "REPLACE", "EFFECTIVE"], k=2),
    ):
        target = Path(f"{name}{ending}")
        answer = logdump(verb.name, *words, f"-o{target}", "--", *words_of(verb, "plain"))
        assert answer.status != 2, (name, answer)
        assert target.is_file() == (answer.status != 1), (name, answer)


ODD_TEXTS = st.text(alphabet="ab;\"' ,*%=\\N", min_size=1, max_size=8).filter(str.strip)


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_words_that_name_no_file_are_not_several_commands(verb: Verb) -> None:
    answer = logdump(verb.name, *OPTIONS.get(verb.name, []), *words_of(verb, "nosuch;files"), typed="exit\n")
    assert "rep1.prm" not in answer.out
    assert answer.status in (1, 2, 4)


@given(ODD_TEXTS)
@example("NEXT")
@example("prev")
@example("  ")
@example("a;b")
def test_find_seeks_any_text_as_it_is(text: str) -> None:
    (call,) = (call for call in calls_of(BY_NAME["find"], ["plain", text]) if call.name == "FIND")
    assert_reads_back(call)
    wanted = call.read(REGISTRY.find("FIND").form, CONTEXT)
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    if "=" in text or is_quoted:
        return
    (criterion,) = parse_search(Session(), wanted).filters.include.criteria
    assert isinstance(criterion, String)
    assert [needle.value for needle in criterion.needles] == [text.encode()]


@given(ODD_TEXTS.filter(lambda text: "\\" not in text))
def test_a_condition_has_any_text_as_its_value(text: str) -> None:
    doubled = text.replace("'", "''")
    for words, options in (
        (("plain",), ["--where", f"NOTE = '{doubled}'"]),
        (("plain",), ["--where", f"STRING '{doubled}'"]),
    ):
        for call in calls_of(BY_NAME["list"], [*words], *options):
            assert_reads_back(call)
    statement = next(
        call for call in calls_of(BY_NAME["list"], ["plain"], "--where", f"NOTE = '{doubled}'") if call.label
    )
    assert statement.read(REGISTRY.find("FILTER").form, CONTEXT).args[1].operand.text == text


@pytest.mark.parametrize("text", ["OFF", "SHOW", "FILTER", "filter clear all", "DISABLE", "ENABLE", "filter on"])
def test_a_condition_is_no_word_that_shows_or_switches_the_filter(text: str) -> None:
    answer = logdump("count", "plain", "--op", "insert", "--where", text)
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("logdump: --where: VALUE: ")


@pytest.mark.parametrize("name", ['a"b', "DETAIL", "OVER", "a;b", "by"])
def test_a_name_in_quotes_is_a_name_at_a_prompt_too(name: str, here: Path) -> None:
    doubled = name.replace('"', '""')
    answer = logdump("-c", f'count detail "{doubled}"; check "{doubled}"; open "{doubled}"')
    assert answer.status == 0
    assert f"LogTrail {here / name} has 22 records" in answer.out
    assert answer.out.endswith(f"Current LogTrail is {here / name}\n")


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_an_unknown_option_or_value_gets_the_nearest(verb: Verb) -> None:
    answer = logdump(verb.name, "plain", "--explian")
    assert (answer.status, answer.out) == (2, "")
    assert "there is no option --explian; did you mean --explain" in answer.err
    if "format" in verb.options:
        answer = logdump(verb.name, "plain", "--format", f"{verb.formats[0]}x")
        assert (answer.status, answer.out) == (2, "")
        assert f"is not one of {', '.join(verb.formats)}; did you mean {verb.formats[0]}" in answer.err


def wrong_values() -> Iterator[tuple[str, str]]:
    """Each verb with each option whose value is of a kind, wrong."""
    wrong = {
        "since": "x",
        "until": "25:99",
        "from_csn": "x",
        "to_csn": "?",
        "adopt": "x",
        "batch": "many",
        "op": "insret",
        "where": "a b c",
        "rba": "1.5",
    }
    for verb in VERBS:
        for name in verb.options:
            if name in wrong:
                yield verb.name, f"{verb.known_options[name].flags[0]}={wrong[name]}"


def test_a_wrong_value_ends_the_verb_in_the_words_of_its_option() -> None:
    for name, option in wrong_values():
        answer = answer_of(BY_NAME[name], words_of(BY_NAME[name], "plain"), option)
        assert (answer.status, answer.out) == (2, ""), (name, option, answer)
        assert answer.err.startswith(f"logdump: {option.partition('=')[0]}"), (name, option, answer)
        assert "Syntax: FILTER STARTTIME" not in answer.err


@pytest.mark.parametrize("verb", ["export", "redo", "undo"])
@pytest.mark.parametrize(("word", "reason"), [("MYSQLL", "'MYSQLL' is not an option"), ("2,913", "--rba 2,913 begins")])
def test_a_wrong_word_of_a_verb_that_is_no_command_is_one_of_the_verb(verb: str, word: str, reason: str) -> None:
    answer = answer_of(BY_NAME[verb], [*words_of(BY_NAME[verb], "plain"), word])
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith(f"logdump: {verb}: {reason}"), answer
    assert "Syntax: EXPORT" not in answer.err


def _unpacked(packed: bytes) -> bytes:
    return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True).read()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("export plain -o e.csv.gz", "csv"),
        ("export plain -o e.jsonl.gz", "jsonl"),
        ("export plain -o e.gz --format csv", "csv"),
        ("export plain -o e.sql.gz", "sql"),
        ("undo plain -o e.sql.gz", "undo"),
    ],
)
@pytest.mark.parametrize("packing", ["gz", "zst"])
def test_what_is_called_gz_or_zst_is_compressed(line: str, kind: str, packing: str) -> None:
    line = line.replace(".gz", f".{packing}")
    logdump(*shlex.split(line))
    packed = Path(shlex.split(line)[3]).read_bytes()
    plain = logdump("undo", "plain") if kind == "undo" else logdump("export", "plain", "--format", kind)
    unpacked = gzip.decompress(packed) if packing == "gz" else _unpacked(packed)
    assert unpacked.decode() == plain.out


@pytest.mark.parametrize(
    ("line", "ending"),
    [
        *((f"export plain -o x.{ending}", f".{ending}") for ending in ("xls", "json", "bz2", "CSVX", "txt")),
        *((f"export plain -o x.{ending}.gz", ".gz") for ending in ("parquet", "arrow", "xlsx")),
        *((f"export plain -o x.{ending}.zst", ".zst") for ending in ("parquet", "xlsx")),
        ("export plain -o x.csv --format parquet", "--format"),
        ("export plain -o x.csv.zip --format csv", ".gz"),
        ("export plain --table TEAHOUSE.TEAS --columns op -o x.gz", ".parquet"),
        *(
            (f"sql 'select 1' plain -o x{ending}", ".csv")
            for ending in ("", ".txt", ".json", ".csv.gz", ".CSV.GZ", ".xls", ".csv.zst")
        ),
        ("sql 'select 1' plain -o x.csv --format jsonl", "--format"),
        *((f"{verb} plain -o x.csv", ".csv") for verb in ("count", "list", "tables", "info", "doctor")),
        *((f"{verb} plain -o x.txt.gz", "gzip") for verb in ("count", "list", "show")),
        ("list plain -o x.jsonl --format text", "--format"),
        ("report plain -o x.pdf", ".html"),
        ("undo plain -o x.csv", ".sql"),
    ],
)
def test_an_ending_that_the_file_would_not_be_is_refused(line: str, ending: str, here: Path) -> None:
    answer = logdump(*shlex.split(line))
    assert (answer.status, answer.out) == (2, "")
    assert answer.err.startswith("logdump: -o x")
    assert ending in answer.err
    assert not list(here.glob("x*"))


@pytest.mark.parametrize("verb", ["list", "count", "transactions"])
def test_lines_of_json_are_written_to_what_is_called_jsonl(verb: str) -> None:
    assert logdump(verb, "plain", "-o", "x.jsonl").status == 0
    assert Path("x.jsonl").read_text() == logdump(verb, "plain", "--format", "jsonl").out


def test_a_dash_is_standard_output() -> None:
    assert logdump("export", "plain", "-o", "-") == logdump("export", "plain")
    assert logdump("count", "plain", "-o", "-") == logdump("count", "plain")
    assert not Path("-").exists()


@pytest.fixture
def three(trails: Path, tmp_path: Path) -> Path:
    """A trail of three files."""
    folder = tmp_path / "three"
    folder.mkdir()
    for path in trails.glob("at*"):
        shutil.copy(path, folder)
    return folder


@pytest.mark.parametrize(
    "verb", [verb for verb in VERBS if "rba" in verb.options or verb.name == "safe"], ids=lambda v: v.name
)
@pytest.mark.parametrize("shape", ["{}/at", "{}", "{}/at*"])
def test_an_rba_of_several_files_is_refused_with_those_that_have_a_record_there(
    verb: Verb, shape: str, three: Path
) -> None:
    rbas: dict[int, set[str]] = {}
    for path in three.iterdir():
        with TrailFile(path) as trail:
            for record in trail.records():
                rbas.setdefault(record.rba, set()).add(path.name)
    nowhere = max(rbas) + 1
    for rba in (*random.sample(sorted(rbas), k=2), nowhere):
        place = [str(rba)] if verb.name == "safe" else ["Uji"] * (verb.name == "find")
        given = [] if verb.name == "safe" else [f"--rba={rba}"]
        answer = logdump(verb.name, *OPTIONS.get(verb.name, []), *given, "--", shape.format(three), *place)
        assert (answer.status, answer.out) == (2, "")
        assert {name for name in ("at000000000", "at000000001", "at000000002") if name in answer.err} == rbas.get(
            rba, set()
        )
    alone = next(iter(rbas[sorted(rbas)[1]]))
    for path in three.iterdir():
        if path.name != alone:
            path.unlink()
    place = [str(sorted(rbas)[1])] if verb.name == "safe" else ["Uji"] * (verb.name == "find")
    given = [] if verb.name == "safe" else [f"--rba={sorted(rbas)[1]}"]
    assert logdump(verb.name, *OPTIONS.get(verb.name, []), *given, "--", str(three), *place).status != 2


def test_report_of_an_rba_has_the_record_its_transaction_and_safe() -> None:
    page = Path("page.md")
    for rba, xid in ((3987, "5.6.8806"), (4234, "5.6.8806"), (5352, "5.10.8810")):
        assert logdump("report", "plain", "--rba", f"{rba:,}", "-o", "page.md", "--replace").status == 0
        text = page.read_text()
        record = text.partition(f"## Record at RBA {rba}")[2].partition("\n## ")[0]
        assert f" RBA {rba}\n" in record
        assert logdump("safe", "plain", str(rba)).out in text
        listed = logdump("list", "plain").out.splitlines(keepends=True)
        assert "".join(line for line in listed if f" {xid} " in line) in text.partition("## The transaction")[2]
    assert "## Record at" not in (logdump("report", "plain", "-o", "page.md", "--replace"), page.read_text())[1]


@pytest.mark.parametrize("verb", ["list", "count", "show", "transactions", "export", "tables", "undo"])
@pytest.mark.parametrize("options", [("--since", "02:13", "--until", "02:14"), ("--from-csn", "99999999999")])
def test_nothing_in_a_range_is_said_with_the_range_of_the_trail(verb: str, options: tuple[str, ...]) -> None:
    answer = logdump(verb, "plain", *options)
    assert answer.status == 0
    assert answer.err.count("the trail goes from CSN 41882317 to 41882470, 2024/03/14 09:31:00.000.000 to ") == 1
    assert "the trail goes" not in logdump(verb, "plain", "--since", "09:31", "--until", "09:40").err


@pytest.mark.parametrize(
    "statement", ["MODE PERMISSIVE SELECT", "EFFECTIVE SELECT", "MEMORY 100 SELECT", "-- x\nSELECT", "/* x */ select"]
)
def test_every_statement_takes_the_options(statement: str) -> None:
    line = [f"{statement} count(*) AS n FROM records", "plain"]
    assert logdump("sql", *line, "--format", "csv").out.splitlines()[0] == '"n"'
    assert logdump("sql", *line, "-o", "n.csv").status == 0
    assert Path("n.csv").read_text() == logdump("sql", *line, "--format", "csv").out
    assert logdump("sql", "VALUES (1)", "plain", "--format", "csv").out.splitlines()[1:] == ["1"]


@pytest.mark.parametrize("word", ["ghdr", "skip", "sourcedefs", "metadata", "next"])
def test_a_command_before_a_file_is_no_verb_and_no_session(word: str) -> None:
    answer = logdump(word, "plain", typed="exit\n")
    assert (answer.status, answer.out) == (2, "")
    assert answer.err == f"logdump: {word} is a command, not a verb: logdump plain -c '{word} …'\n"


def test_a_folder_is_opened_as_its_only_trail(three: Path, trails: Path) -> None:
    answer = logdump(str(three), "-c", "count")
    assert (answer.status, answer.out) == (0, logdump(str(three / "at000000000"), "-c", "count").out)
    assert answer.err == f"{three} has 3 files: at000000000 is opened, ACROSS ON continues in those after it\n"
    several = logdump(str(trails), "-c", "count")
    assert (several.status, several.out) == (2, "")
    assert "name one, as" in several.err
    assert logdump("explain", str(three), "LAG").out == logdump("explain", str(three / "at000000000"), "LAG").out
