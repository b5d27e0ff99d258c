"""The table of all verbs, from which the parser, the help, the completion and the documents are generated."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from logdump.features.sql.statement import begins_statement
from logdump.line.terminal import ArgumentParser
from logdump.line.verbs import spelling
from logdump.line.verbs.options import (
    ALWAYS,
    OTHERS,
    ROWS,
    MisuseError,
    VerbOption,
    VerbRequest,
    VerbStep,
    is_source,
    without_others,
)
from logdump.line.verbs.output import check_output

_SELECTS = tuple(ROWS)


class Verb(NamedTuple):
    """A verb.

    Attributes:
        name: the word that calls it.
        takes: the syntax of its words, as help shows it.
        summary: one line.
        spell: yields the steps of a request. Raises MisuseError, and CommandError if a file is missing.
        options: the names of its options.
        examples: three lines.
        formats: the formats of its output, the first one by default; with -o, export and sql use the extension.
        most_files: the maximum number of words that name files; None: any number.
        words_at_end: number of last words that are no files, even if a file has that name.
        has_words_first: True if a statement of SQL may precede the files.
        has_free_text: True if it accepts words without a file.
        has_text_last: True if its last words are a text, which may be blanks.
        has_own_words: True if words after the files are those of its command.
        needs_words: True if it does nothing without a word.
        reads_trails: True if all its files are trails, so that others in a folder are passed over and named.
        narrates: True if texts between its data go to standard error.
        writes_output: True if its commands write the file of -o themselves.
        writes_bytes: True if its commands write data to standard output themselves if there is no -o.
    """

    name: str
    takes: str
    summary: str
    spell: Callable[[VerbRequest], Iterable[VerbStep]]
    options: tuple[str, ...]
    examples: tuple[str, str, str]
    formats: tuple[str, ...] = ("text", "jsonl")
    most_files: int | None = None
    words_at_end: int = 0
    has_words_first: bool = False
    has_free_text: bool = False
    has_text_last: bool = False
    has_own_words: bool = True
    needs_words: bool = True
    reads_trails: bool = True
    narrates: bool = False
    writes_output: bool = False
    writes_bytes: bool = False

    @property
    def known_options(self) -> dict[str, VerbOption]:
        """The options by name, with those of every verb."""
        every = {**ROWS, **OTHERS}
        return {**{name: every[name] for name in self.options}, **ALWAYS}

    def parser(self, width: int | None = None) -> argparse.ArgumentParser:
        """Return the parser of the words and options; ``width`` is that of the help, 100 by default."""
        lines = "\n".join(f"  logdump {example}" for example in self.examples)
        parser = ArgumentParser(
            prog=f"logdump {self.name}",
            usage=f"logdump {self.name} {self.takes} [options]",
            description=self.summary,
            epilog=f"examples:\n{lines}",
            formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, width=width or 100),
            allow_abbrev=False,
        )
        parser.add_argument("words", nargs="*", metavar="FILE", help="files, folders, wildcards, or trails by prefix")
        for name, option in self.known_options.items():
            (option._replace(settings={"choices": self.formats}) if name == "format" else option).add(parser)
        return parser

    def parsed(self, arguments: Sequence[str]) -> argparse.Namespace:
        """Return the words and options; after ``--`` all are words. Raises SystemExit on misuse."""
        end = list(arguments).index("--") if "--" in arguments else len(arguments)
        options = self.parser().parse_intermixed_args([*_with_their_values(arguments[:end])])
        options.words += arguments[end + 1 :]
        return options

    def request(self, options: argparse.Namespace) -> VerbRequest:
        """Divide the words into files and others.

        Raises:
            MisuseError: no file is named, a word is empty, or -o contradicts the format.
        """
        words, before = [self._checked(word) for word in options.words], []
        for name, option in self.known_options.items():
            option.check(getattr(options, name))
        check_output(options, self.name, is_text=not self.writes_output)
        if self.has_words_first and words and begins_statement(words[0]):
            before = [words.pop(0)]
        if len(words) > 1 and words[0].upper() == "OVER" and not is_source(words[0]):
            del words[0]
        most = len(words) - self.words_at_end
        most = most if self.most_files is None else min(most, self.most_files)
        files = 0
        while files < most and is_source(words[files]):
            files += 1
        if before and not words and spelling.names_trails(before[0]):
            return VerbRequest((), (*before,), options)
        if not words and not self.needs_words:
            return VerbRequest((), (), options)
        if not files and (not words or (len(words) <= self.words_at_end and is_source(words[0]))):
            raise MisuseError(f"{self.name} takes {self.takes}, as in: logdump {self.examples[0]}")
        if files and words[files:] and not self.has_own_words:
            raise MisuseError(f"{words[files]} is no file, folder or trail, and {self.name} takes {self.takes} only")
        named, passed_over = without_others(words[:files]) if self.reads_trails else (tuple(words[:files]), ())
        return VerbRequest(named, (*before, *words[files:]), options, passed_over)

    def _checked(self, word: str) -> str:
        """Return a word. Raises MisuseError if it is empty, or blank where a text of blanks cannot be meant."""
        if not (word if self.has_text_last else word.strip()):
            raise MisuseError(f"{self.name} takes {self.takes}, not an empty word")
        return word


_BEFORE_NOW = re.compile(r"-[0-9]")


def _with_their_values(arguments: Sequence[str]) -> Iterator[str]:
    """Yield arguments, an option and a value that begins with a minus and a digit as one: ``--since=-1h``."""
    option = ""
    for word in arguments:
        if option:
            yield f"{option}={word}" if _BEFORE_NOW.match(word) else option
            if _BEFORE_NOW.match(word):
                option = ""
                continue
        option = word if word.startswith("--") and "=" not in word else ""
        if not option:
            yield word
    if option:
        yield option


_SHOWN = (*_SELECTS, "rba", "limit", "format", "output", "replace")

_FOLLOWS = ("table", "from_csn", "once", "adopt", "batch", "interval", "patience", "options")

VERBS: tuple[Verb, ...] = (
    Verb(
        "show",
        "FILE…",
        "Show records with their headers and the values of their columns",
        spelling.show,
        (*_SHOWN, "hex"),
        (
            "show dirdat/lt000000003 --rba 483,188,832",
            "show dirdat/lt --table 'HR.*' --op delete --since '2024-03-14 09:30'",
            "show dirdat/lt000000003 --where 'STOCK_KG > 300' --limit 5 --format jsonl",
        ),
        narrates=True,
        has_own_words=False,
    ),
    Verb(
        "list",
        "FILE…",
        "List records, one short line each: RBA, time, operation, table, CSN, XID, key, what changed",
        spelling.listed,
        (*_SHOWN, "columns", "follow"),
        (
            "list dirdat/lt000000003 | grep ' DELETE '",
            "list dirdat/lt --table HR.EMPLOYEES --since '2024-03-14 09:30'",
            "list dirdat/lt --where 'USERTOKEN TKN-USER' | awk '{ print $5 }' | sort | uniq -c",
        ),
        narrates=True,
        has_own_words=False,
    ),
    Verb(
        "tail",
        "TRAIL",
        "Show new records as they are written, over the files of the trail, until Ctrl+C",
        spelling.tail,
        (*_SELECTS, "rba", "list", "idle", "format"),
        (
            "tail dirdat/lt",
            "tail dirdat/lt --list --table 'HR.*' --op delete",
            "tail dirdat/lt --since '2024-03-14 09:30' --format jsonl",
        ),
        narrates=True,
        has_own_words=False,
    ),
    Verb(
        "find",
        "FILE… TEXT | FILE… 'COLUMN = VALUE' | FILE… HEX BYTES",
        "Find the first record with a text, a value or bytes in its data; status 1 where there is none",
        spelling.find,
        (*_SHOWN,),
        (
            "find dirdat/lt Denver",
            "find dirdat/lt 'EMPLOYEE_ID = 107' --limit 10",
            "find dirdat/lt000000003 HEX 00004BF6 --rba 1750",
        ),
        words_at_end=1,
        has_text_last=True,
        narrates=True,
    ),
    Verb(
        "count",
        "FILE…",
        "Count records by type; with --detail by table",
        spelling.count,
        (*_SELECTS, "detail", "effective", "format", "output", "replace"),
        (
            "count dirdat/lt",
            "count 'dirdat/lt00000000*' --detail --since '2024-03-14 09:00' --until '2024-03-14 10:00'",
            "count dirdat/lt --table HR.EMPLOYEES --op delete",
        ),
    ),
    Verb(
        "check",
        "FILE…",
        "List everything that is not a good record; status 4 where there is damage",
        spelling.check,
        ("values", "format", "output", "replace"),
        ("check dirdat/lt000000003", "check dirdat --values", "check 'dirdat/lt*' --format jsonl"),
    ),
    Verb(
        "safe",
        "FILE RBA",
        "Show where Replicat can be restarted safely, and what it would skip",
        spelling.safe,
        ("format", "output", "replace"),
        (
            "safe dirdat/lt000000003 2913",
            "safe dirdat/lt000000003 483,188,832",
            "safe dirdat/lt000000003 2913 --format jsonl",
        ),
        most_files=1,
        words_at_end=1,
    ),
    Verb(
        "export",
        "FILE…",
        "Write records, or the rows of tables, for other programs",
        spelling.export,
        (
            *_SELECTS,
            "rba",
            "limit",
            "columns",
            "format",
            "output",
            "replace",
            "effective",
            "by_table",
            "meta",
            "bom",
            "truncates",
        ),
        (
            "export dirdat/lt --table HR.EMPLOYEES -o employees.xlsx",
            "export dirdat/lt --by-table -o sales --format parquet --effective",
            "export dirdat/lt --table HR.EMPLOYEES --columns op,employee_id,salary -o salaries.csv",
        ),
        formats=("jsonl", "csv", "parquet", "arrow", "sql", "xlsx", "debezium", "ogg"),
        narrates=True,
        writes_output=True,
        writes_bytes=True,
    ),
    Verb(
        "apply",
        "TRAIL TARGET",
        "Apply the changes of a trail to the tables of a database or a lake, each once, until Ctrl+C",
        spelling.apply,
        (
            *_FOLLOWS,
            *("create", "overwrite", "ignore_ddl", "errors", "retry"),
            *("write", "deletes", "load", "load_csn", "load_snapshot"),
        ),
        (
            "apply dirdat/lt postgresql://app@dbhost/shop --table 'HR.*' --create",
            "apply dirdat/lt sqlite:///shop.db --create --once",
            "apply dirdat/lt mysql://app@dbhost/dwh --options dwh.yaml --write history",
        ),
        words_at_end=1,
    ),
    Verb(
        "publish",
        "TRAIL SERVERS",
        "Publish the changes of a trail to topics of Kafka, in the order of the trail, until Ctrl+C",
        spelling.publish,
        (*_FOLLOWS, "format", "topic", "create_topics", "truncates_as", "positions", "config"),
        (
            "publish dirdat/lt kafka://broker:9092 --table 'HR.*' --create",
            "publish dirdat/lt kafka://app@b1:9093,b2:9093 --format ogg --topic 'shop.{name}'",
            "publish dirdat/lt kafka://broker:9092 --once --from-csn 41882318 --options topics.yaml",
        ),
        formats=("debezium", "ogg"),
        words_at_end=1,
    ),
    Verb(
        "sql",
        "'STATEMENT' FILE…",
        "Query trails in SQL: the views records, transactions, summary, …, and each table by its name",
        spelling.sql,
        (*_SELECTS, "effective", "format", "output", "replace"),
        (
            "sql 'SELECT op, count(*) FROM records GROUP BY op' dirdat/lt",
            "sql 'SELECT * FROM transactions ORDER BY bytes DESC LIMIT 10' dirdat/lt",
            "sql 'SELECT * FROM HR.EMPLOYEES' dirdat/lt -o employees.csv",
        ),
        formats=("text", "jsonl", "csv"),
        has_words_first=True,
        writes_output=True,
    ),
    Verb(
        "diff",
        "TRAIL TRAIL",
        "Show the differences of two trails, transaction by transaction; status 3 where they differ",
        spelling.diff,
        (*_SELECTS, "limit", "format", "output", "replace"),
        (
            "diff source/lt target/rt",
            "diff source/lt target/rt VALUES IGNORE TIME,POSITION --limit 20",
            "diff lt000000003 copy/lt000000003 BYTES",
        ),
    ),
    Verb(
        "repair",
        "FILE… -o COPY",
        "Write a sound copy of a damaged trail, and list what it lacks; status 3 where it lacks anything",
        spelling.repair,
        ("output", "replace", "dry", "format"),
        (
            "repair dirdat/lt000000003 -o repaired/lt000000003",
            "repair 'dirdat/lt*' -o repaired/lt000000000 --dry",
            "repair dirdat/lt000000003 -o repaired/lt000000003 ALL HEADER REBUILD",
        ),
        writes_output=True,
    ),
    Verb(
        "redact",
        "FILE… -o COPY",
        "Write a copy of a trail with other values, names and texts, to give away; status 3 for damage",
        spelling.redact,
        ("output", "replace", "format"),
        (
            "redact dirdat/lt000000003 -o redacted/lt000000003",
            "redact 'dirdat/lt*' -o redacted",
            "redact dirdat/lt -o redacted/lt000000000 --replace",
        ),
        writes_output=True,
    ),
    Verb(
        "recovery",
        "FILE… [RESTARTS | CUT | TWICE | ORDER | FILES | KEEP SEQNO RBA]",
        "Show what restarts of Extract have left in the trail, and what Replicat applies",
        partial(spelling.by_trail, "RECOVERY"),
        (*_SELECTS, "format", "output", "replace"),
        ("recovery dirdat/lt", "recovery dirdat/lt CUT", "recovery dirdat/lt KEEP 3 1750"),
    ),
    Verb(
        "heartbeat",
        "FILE… [LAG | HISTORY | ROWS | GAPS | RESTART]",
        "Show the lag of every hop, from the rows of the heartbeat tables in the trail",
        spelling.heartbeat,
        ("format", "output", "replace"),
        ("heartbeat dirdat/lt", "heartbeat dirdat/lt HISTORY EVERY 5", "heartbeat dirdat/lt GAPS --format jsonl"),
    ),
    Verb(
        "doctor",
        "TRAIL",
        "Show the state of a trail on one page; status 4 for damage, 3 for a warning",
        spelling.doctor,
        ("reports", "since_last", "nagios", "format", "output", "replace"),
        ("doctor dirdat/lt", "doctor dirdat --since-last /var/tmp/doctor.state", "doctor dirdat/lt --nagios"),
    ),
    Verb(
        "watch",
        "TRAIL…",
        "Follow trails and serve their state as metrics for Prometheus, until Ctrl+C",
        spelling.watch,
        ("every", "listen", "textfile", "once", "state", "format"),
        (
            "watch dirdat/lt --state /var/lib/logdump/watch.state",
            "watch dirdat/lt --textfile /var/lib/node_exporter/trail.prom --every 60",
            "watch dirdat/lt --once",
        ),
        has_own_words=False,
    ),
    Verb(
        "tables",
        "FILE…",
        "Count the records of each table by type",
        spelling.tables,
        (*_SELECTS, "effective", "format", "output", "replace"),
        ("tables dirdat/lt", "tables dirdat/lt --effective", "tables dirdat/lt --since '2024-03-14 09:30'"),
        has_own_words=False,
    ),
    Verb(
        "transactions",
        "FILE…",
        "List the largest transactions, 20 unless --limit is given: CSN, XID, size, tables, whether they are applied",
        spelling.transactions,
        (*_SELECTS, "limit", "format", "output", "replace"),
        (
            "transactions dirdat/lt",
            "transactions dirdat/lt --limit 100",
            "transactions dirdat/lt --since '2024-03-14 09:30' --format jsonl",
        ),
    ),
    Verb(
        "row",
        "FILE… TABLE COLUMN=VALUE …",
        "Show all changes of one row over all files, through updates of its key",
        spelling.row,
        ("undo", "last", "undo_since", "undo_csn", "format", "output", "replace"),
        (
            "row dirdat/lt HR.EMPLOYEES EMPLOYEE_ID=107",
            "row dirdat/lt HR.JOB_HISTORY EMPLOYEE_ID=107 START_DATE=2024-01-01",
            "row dirdat/lt HR.EMPLOYEES EMPLOYEE_ID=107 --undo -o undo.sql",
        ),
        words_at_end=2,
        narrates=True,
    ),
    Verb(
        "redo",
        "FILE… [ORACLE | MYSQL | POSTGRESQL | ANSI] [INCLUDE CUT]",
        "Print the SQL that repeats the changes of transactions, as a Replicat applies them",
        partial(spelling.script, "redo"),
        (*_SELECTS, "rba", "limit", "output", "replace"),
        (
            "redo dirdat/lt000000003 > changes.sql",
            "redo dirdat/lt --table HR.EMPLOYEES --since '2024-03-14 09:30' -o changes.sql",
            "redo dirdat/lt000000003 POSTGRESQL --rba 1750 --limit 1",
        ),
        narrates=True,
        writes_output=True,
        writes_bytes=True,
    ),
    Verb(
        "undo",
        "FILE… [ORACLE | MYSQL | POSTGRESQL | ANSI] [INCLUDE CUT]",
        "Print the SQL that takes the changes of transactions back, those of the last one first",
        lambda request: spelling.script("undo", request, "UNDO"),
        (*_SELECTS, "rba", "limit", "output", "replace"),
        (
            "undo dirdat/lt000000003 > rollback.sql",
            "undo dirdat/lt --table HR.EMPLOYEES --from-csn 4881201 --to-csn 4881201 -o rollback.sql",
            "undo dirdat/lt000000003 POSTGRESQL --rba 1750 --limit 1",
        ),
        narrates=True,
        writes_output=True,
        writes_bytes=True,
    ),
    Verb(
        "ddl",
        "FILE… [COUNT | ALL] [OWNER NAME] [STEPS] [LEFTOUT] --params FILE",
        "Show how Extract and Replicat would process the DDL of a trail, by their parameter files",
        spelling.ddl,
        ("params", "format", "output", "replace"),
        (
            "ddl dirdat/lt --params dirprm/rep1.prm",
            "ddl dirdat/lt LEFTOUT --params dirprm/ext1.prm --params dirprm/rep1.prm",
            "ddl dirdat/lt ALL STEPS --params dirprm/rep1.prm --format jsonl",
        ),
    ),
    Verb(
        "br",
        "FILE… [INTERVAL N{M | H}] [FAILS]",
        "Show how far back a restart of Extract reads, and which transactions are open for long",
        partial(spelling.by_trail, "BR"),
        (*_SELECTS, "format", "output", "replace"),
        ("br dirdat/lt", "br dirdat/lt INTERVAL 4H", "br dirdat/lt --format jsonl"),
    ),
    Verb(
        "compress",
        "FILE… [IMAGES] [BY TABLE] [LEVEL N] [SAMPLE PERCENT]",
        "Show how well RMTHOST COMPRESS and other ways of compression would do on a trail",
        partial(spelling.by_trail, "COMPRESS"),
        ("format", "output", "replace"),
        ("compress dirdat/lt", "compress dirdat/lt BY TABLE", "compress dirdat/lt LEVEL 6 SAMPLE 10"),
    ),
    Verb(
        "values",
        "FILE…",
        "Show the values of the columns of records, before and after, without the headers",
        spelling.values,
        _SHOWN,
        (
            "values dirdat/lt000000003 --rba 483,188,832",
            "values dirdat/lt --table HR.EMPLOYEES --op update",
            "values dirdat/lt --where 'EMPLOYEE_ID = 107' --format jsonl",
        ),
        has_own_words=False,
        narrates=True,
    ),
    Verb(
        "lob",
        "FILE RBA [COLUMN] [RAW]",
        "List the LOBs of a row, or write one to -o as it is stored",
        spelling.lob,
        ("format", "output", "replace"),
        (
            "lob dirdat/lt000000003 1811",
            "lob dirdat/lt000000003 1811 NOTE -o note.txt",
            "lob dirdat/lt000000003 1,811 2 -o picture --replace",
        ),
        most_files=1,
        words_at_end=1,
        writes_output=True,
    ),
    Verb(
        "params",
        "FILE [EXTRACT | REPLICAT | GLOBALS] [SHOW [PARAMETER]] | FILE TRAIL",
        "Read a parameter file; with a trail, show for each of its tables which TABLE or MAP takes it",
        spelling.params,
        ("format", "output", "replace"),
        ("params dirprm/rep1.prm", "params dirprm/rep1.prm SHOW MAP", "params dirprm/rep1.prm dirdat/lt"),
        most_files=2,
        reads_trails=False,
    ),
    Verb(
        "debug",
        "[FILE…]",
        "Show what a bug report needs: the versions of the program, and who has written the files",
        spelling.debug,
        ("format", "output", "replace"),
        ("debug", "debug dirdat/lt", "debug dirdat/lt000000003 -o versions.txt"),
        has_own_words=False,
        needs_words=False,
    ),
    Verb(
        "info",
        "FILE…",
        "List the files of a trail: format, mode, times, first and last CSN, encryption",
        spelling.info,
        ("format", "output", "replace"),
        ("info dirdat/lt", "info dirdat", "info dirdat/lt --format jsonl"),
        has_own_words=False,
    ),
    Verb(
        "report",
        "TRAIL -o FILE.html | FILE.md",
        "Write one page about a trail for a ticket",
        spelling.report,
        ("rba", "at_csn", "error", "output", "replace"),
        (
            "report dirdat/lt -o ticket.html",
            "report dirdat/lt --error 'OGG-01028 … dirdat/lt000000003, rba 2,913' -o ticket.md",
            "report dirdat/lt000000003 --rba 483,188,832 -o ticket.html",
        ),
        writes_output=True,
        has_own_words=False,
    ),
    Verb(
        "explain",
        "'TEXT' | LOG [TRAIL] | FOLDER | ARCHIVE | - | TRAIL LAG | TRAIL RESTART",
        "Explain a text of GoldenGate, the last error of a report or ggserr.log, or why replication is late",
        spelling.explain,
        ("trails", "all", "format", "output", "replace"),
        (
            "explain 'OGG-02191 Incompatible record 101 in dirdat/lt000000003, rba 483,188,832'",
            "explain dirrpt --trails dirdat",
            "explain dirdat/lt LAG",
        ),
        has_free_text=True,
        reads_trails=False,
    ),
)

BY_NAME = {verb.name: verb for verb in VERBS}
