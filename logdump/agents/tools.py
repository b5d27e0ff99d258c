"""The table of tools: each is a verb with the options that answer an agent, and the schema made of them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from logdump.line.verbs.options import ALWAYS, OTHERS, ROWS, VerbOption
from logdump.line.verbs.table import BY_NAME

Arguments = Mapping[str, Any]
"""The arguments of a call, which fit the schema."""
Schema = dict[str, Any]

MOST_OBJECTS = 1000
"""Maximum number of objects in one answer."""
_OBJECTS = 50
_LONGEST_NAME = 4096
_LONGEST_TEXT = 200_000
MOST_NAMES = 100
"""Maximum number of items of a list in the arguments, and of arguments."""


class MisusedTool(ValueError):
    """Arguments that contradict each other, which no schema says."""


class ToolField(NamedTuple):
    """An argument of a tool.

    Attributes:
        name: its name.
        schema: its JSON schema, with title, description and examples.
        is_required: True if a call needs it.
        is_path: True if it names files, which have to be below the folders of the server.
    """

    name: str
    schema: Schema
    is_required: bool = False
    is_path: bool = False


class Asked(NamedTuple):
    """What a call asks of a verb.

    Attributes:
        verb: its name.
        files: names of trails and other files.
        words: the words after them.
        options: the options by name.
        many: True if it streams its rows as it does for programs.
        folder: the one in which a text's files are looked for; empty: the first root.
    """

    verb: str
    files: tuple[str, ...]
    words: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    many: bool = False
    folder: str = ""


class Tool(NamedTuple):
    """A tool.

    Attributes:
        name: its name.
        title: the question that it answers.
        description: what it returns, and when to use it.
        fields: its arguments, without those of every tool.
        asked: returns what a call asks. Raises MisusedTool if arguments contradict each other.
        continues_at_records: True if a cursor goes on at a record, not at the number of an object.
    """

    name: str
    title: str
    description: str
    fields: tuple[ToolField, ...]
    asked: Callable[[Arguments], Asked]
    continues_at_records: bool = False

    @property
    def input_schema(self) -> Schema:
        """The JSON schema of the arguments."""
        fields = (*self.fields, *_OF_ALL)
        return {
            "type": "object",
            "title": self.title,
            "properties": {field.name: field.schema for field in fields},
            "required": [field.name for field in fields if field.is_required],
            "additionalProperties": False,
        }

    @property
    def paths(self) -> tuple[str, ...]:
        """The names of the arguments that name files."""
        return tuple(field.name for field in self.fields if field.is_path)


def _text(title: str, description: str, *examples: str, longest: int = _LONGEST_NAME) -> Schema:
    return {
        "type": "string",
        "title": title,
        "description": description,
        "examples": [*examples],
        "minLength": 1,
        "maxLength": longest,
    }


def _texts(schema: Schema) -> Schema:
    """Return the schema of a text or a list of such texts."""
    kept = {key: schema[key] for key in ("title", "description", "examples")}
    item = {key: value for key, value in schema.items() if key not in kept}
    items = {"type": "array", "items": item, "minItems": 1, "maxItems": MOST_NAMES}
    return {**kept, "anyOf": [item, items]}


def _choice(title: str, description: str, *names: str) -> Schema:
    return {"type": "string", "title": title, "description": description, "enum": [*names], "examples": [names[0]]}


def _flag(title: str, description: str) -> Schema:
    return {"type": "boolean", "title": title, "description": description, "default": False, "examples": [True]}


def _number(title: str, description: str, example: int, most: int = 2**63 - 1, least: int = 1) -> Schema:
    kept = {"title": title, "description": description, "examples": [example]}
    return {"type": "integer", **kept, "minimum": least, "maximum": most}


_EXAMPLES = {
    "since": "2024-03-14 09:30",
    "until": "2024-03-14 10:00",
    "from_csn": "41882317",
    "to_csn": "41882402",
    "table": "HR.*",
    "op": "delete",
    "where": "STOCK_KG > 300",
    "columns": "EMPLOYEE_ID,SALARY",
    "undo_since": "2024-03-14 09:30",
    "undo_csn": "41882317",
    "params": "dirprm/rep1.prm",
    "reports": "dirrpt",
    "trails": "dirdat",
}
_PATHS = ("params", "reports", "trails")
"""The options that name files."""


def _option(name: str, *, is_required: bool = False) -> ToolField:
    """Return the argument of an option, as the verbs describe it."""
    option: VerbOption = {**ROWS, **OTHERS, **ALWAYS}[name]
    title = name.replace("_", " ").capitalize()
    if option.settings.get("action") == "store_true":
        return ToolField(name, _flag(title, option.help))
    if "type" in option.settings:
        return ToolField(name, _number(title, option.help, 10, MOST_OBJECTS))
    schema = _text(title, option.help, _EXAMPLES[name])
    schema = _texts(schema) if option.settings.get("action") == "append" else schema
    return ToolField(name, schema, is_required, name in _PATHS)


_SELECTS = tuple(map(_option, ROWS))
_NAMES = (
    "A trail by its prefix (lt, dirdat/lt), a file, a folder, a wildcard or an archive, below the folders of this "
    "server; relative names begin there. Several as a list."
)
_TRAIL = ToolField("trail", _texts(_text("Trail", _NAMES, "dirdat/lt", "lt000000003")), is_required=True, is_path=True)
_RBA = ToolField(
    "rba",
    {
        "title": "RBA",
        "description": "An RBA: the byte offset in the file. With separators, as 483,188,832, it is a text.",
        "examples": [1811, "483,188,832"],
        "anyOf": [{"type": "integer", "minimum": 0, "maximum": 2**63 - 1}, {"type": "string", "maxLength": 40}],
    },
)
_OF_ALL = (
    ToolField(
        "limit",
        {
            **_number("Limit", "Maximum number of objects in the answer", 20, MOST_OBJECTS),
            "default": _OBJECTS,
        },
    ),
    ToolField("cursor", _text("Cursor", "The member next of an answer: the objects after it", "eyJza2lwIjo1MH0")),
)


def limit_of(arguments: Arguments) -> int:
    """Return the maximum number of objects of an answer."""
    return int(arguments.get("limit", _OBJECTS))


def listed(value: Any) -> tuple[str, ...]:
    """Return a text or a list of texts as a tuple; nothing as an empty one."""
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _given(arguments: Arguments, *names: str) -> dict[str, Any]:
    """Return those options of a verb that are given, each in the form in which a command line has it."""
    options = {name: arguments[name] for name in names if name in arguments}
    is_list = {name for name, option in {**ROWS, **OTHERS}.items() if option.settings.get("action") == "append"}
    return {name: [*listed(value)] if name in is_list else value for name, value in options.items()}


def _of_verb(verb: str, *options: str) -> Callable[[Arguments], Asked]:
    """Return the function for a verb that takes trails and options, and no words."""
    return lambda arguments: Asked(verb, listed(arguments["trail"]), options=_given(arguments, *options))


def _words(arguments: Arguments, **keywords: str) -> tuple[str, ...]:
    """Return keywords with the values of arguments: of a flag the keyword alone, of a list its items with commas."""
    words = list[str]()
    for name, keyword in keywords.items():
        value = arguments.get(name)
        if value is True:
            words += keyword.split()
        elif value not in (None, False):
            words += [*keyword.split(), ",".join(listed(value)) if not isinstance(value, int) else str(value)]
    return tuple(words)


def _chosen(arguments: Arguments, name: str) -> tuple[str, ...]:
    """Return the choice of an argument as a keyword; none if it is not given."""
    return (str(arguments[name]).upper(),) if name in arguments else ()


def _records(arguments: Arguments) -> Asked:
    is_detailed = bool(arguments.get("detail"))
    if arguments.get("hex") and not is_detailed:
        raise MisusedTool("hex goes with detail")
    if "columns" in arguments and is_detailed:
        raise MisusedTool("columns goes without detail")
    options = _given(arguments, *ROWS, *(("hex",) if is_detailed else ("columns",)))
    if "rba" in arguments:
        options["rba"] = str(arguments["rba"])
    return Asked("show" if is_detailed else "list", listed(arguments["trail"]), options=options)


def _explain(arguments: Arguments) -> Asked:
    asked = [name for name in ("text", "log", "question") if name in arguments]
    if len(asked) != 1:
        raise MisusedTool("explain takes one of text, log and question")
    options = _given(arguments, "trails", "all")
    if "text" in arguments:
        if "all" in options or "trail" in arguments:
            raise MisusedTool("a text takes no other argument than trails, the folder of its files")
        return Asked("explain", (), (arguments["text"],), many=True, folder=options.get("trails", ""))
    if "log" in arguments:
        return Asked("explain", (arguments["log"], *listed(arguments.get("trail"))), options=options, many=True)
    if "trail" not in arguments:
        raise MisusedTool("a question is about a trail: give trail")
    return Asked("explain", listed(arguments["trail"]), (arguments["question"].upper(), *_words(arguments, at="AT")))


def _row(arguments: Arguments) -> Asked:
    options = _given(arguments, "undo", "last", "undo_since", "undo_csn")
    return Asked("row", listed(arguments["trail"]), (arguments["table"], arguments["key"]), options)


def _sql(arguments: Arguments) -> Asked:
    options = _given(arguments, "effective")
    return Asked("sql", listed(arguments["trail"]), (arguments["statement"],), options, many=True)


def _recovery(arguments: Arguments) -> Asked:
    return Asked("recovery", listed(arguments["trail"]), _chosen(arguments, "view"), _given(arguments, *ROWS))


def _lag(arguments: Arguments) -> Asked:
    words = _words(arguments, path="PATH", at="AT", every="EVERY")
    return Asked("heartbeat", listed(arguments["trail"]), (*_chosen(arguments, "view"), *words))


def _ddl(arguments: Arguments) -> Asked:
    words = ("ALL", *_words(arguments, owner="OWNER", steps="STEPS", left_out="LEFTOUT"))
    return Asked("ddl", listed(arguments["trail"]), words, _given(arguments, "params"))


def _diff(arguments: Arguments) -> Asked:
    words = _words(arguments, ignore="IGNORE", only="ONLY", any_order="ANYORDER")
    options = {**_given(arguments, *ROWS), "limit": arguments.get("most", 100)}
    return Asked("diff", (arguments["trail"], arguments["other"]), (*_chosen(arguments, "level"), *words), options)


def _report(arguments: Arguments) -> Asked:
    rba = {"rba": str(arguments["rba"])} if "rba" in arguments else {}
    return Asked("report", listed(arguments["trail"]), options=rba)


def _transactions(arguments: Arguments) -> Asked:
    options = {**_given(arguments, *ROWS), "limit": arguments.get("largest", 100)}
    return Asked("transactions", listed(arguments["trail"]), options=options)


_ONE = _TRAIL._replace(schema=_text("Trail", _NAMES.removesuffix(" Several as a list."), "dirdat/lt"))
_IGNORED = ("TIME", "POSITION", "ROWID", "TOKENS", "USERTOKENS", "ABSENT", "CUT")
_VIEWS = "records, transactions, summary, restarts, ddl, heartbeats, gg_lag, and each table by its name"

TOOLS: tuple[Tool, ...] = (
    Tool(
        "trails",
        "What is there?",
        "List the trails below the folders of this server: prefix, number of files, first and last file, bytes. Begin "
        "here. It reads names only; `doctor` and `recovery` with the view files read the files.",
        (ToolField("folder", _text("Folder", "Only below this folder", "dirdat"), is_path=True),),
        lambda arguments: Asked("trails", listed(arguments.get("folder"))),
    ),
    Tool(
        "doctor",
        "What is the state of this trail?",
        "The state of a trail on one page: files, damage, restarts, lag, open and large transactions, tables, and "
        "findings with their places. Status 4 is damage, 3 a warning.",
        (_TRAIL, _option("reports")),
        _of_verb("doctor", "reports"),
    ),
    Tool(
        "explain",
        "What does this message mean?",
        "Explain a text of GoldenGate (an OGG message, with its file and RBA), the last error of a report, a discard "
        "file, ggserr.log or a folder of them (log), or why replication is late and what a restart would do "
        "(question, about a trail).",
        (
            ToolField(
                "text",
                _text(
                    "Text",
                    "A text of GoldenGate, as it was written",
                    "OGG-02191 Incompatible record 101 in dirdat/lt000000003, rba 1811",
                    longest=_LONGEST_TEXT,
                ),
            ),
            ToolField(
                "log",
                _text("Log", "A report, discard file or ggserr.log, or their folder", "dirrpt/REP1.rpt"),
                is_path=True,
            ),
            ToolField("question", _choice("Question", "What to explain of a trail", "lag", "restart")),
            ToolField("at", _text("At", "With question lag: the time in question", "2024-03-14 09:30")),
            _TRAIL._replace(is_required=False),
            _option("trails"),
            _option("all"),
        ),
        _explain,
    ),
    Tool(
        "safe",
        "Where can Replicat be restarted?",
        "Where Replicat can be restarted safely around an RBA of a file, and what it would skip.",
        (_ONE, _RBA._replace(is_required=True)),
        lambda arguments: Asked("safe", (arguments["trail"],), (str(arguments["rba"]),)),
    ),
    Tool(
        "check",
        "Is this trail whole and sound?",
        "Everything that is not a good record: damage with its place and length, missing files, headers that do not "
        "fit, transactions that are cut; with values, columns that do not decode. Status 4 is damage.",
        (_TRAIL, _option("values")),
        _of_verb("check", "values"),
    ),
    Tool(
        "records",
        "Which records are there?",
        "Records, one short object each (RBA, time, operation, table, CSN, XID, key, what changed), or with detail all "
        "of each: header, tokens, values before and after. Filters choose; next goes on after the last one.",
        (
            _TRAIL,
            ToolField("detail", _flag("Detail", "All of each record: its header, tokens and values")),
            _RBA._replace(schema={**_RBA.schema, "description": "Begin at this RBA, of one file"}),
            _option("columns"),
            _option("hex"),
            *_SELECTS,
        ),
        _records,
        continues_at_records=True,
    ),
    Tool(
        "row",
        "What has happened to this row?",
        "All changes of one row over all files, through updates of its key; with undo, the SQL that takes them back, "
        "which is text for a person to read and run, never run here.",
        (
            _TRAIL,
            ToolField("table", _text("Table", "Schema and table", "HR.EMPLOYEES"), is_required=True),
            ToolField(
                "key",
                _text("Key", "The columns of the key and their values", "EMPLOYEE_ID=107", "A=1 B='two words'"),
                is_required=True,
            ),
            _option("undo"),
            _option("last"),
            _option("undo_since"),
            _option("undo_csn"),
        ),
        _row,
    ),
    Tool(
        "transactions",
        "Which transactions are large?",
        "The largest transactions: CSN, XID, begin and end with file and RBA, size, tables, whether they are applied.",
        (
            _TRAIL,
            ToolField("largest", _number("Largest", "How many, 100 unless given", 20, MOST_OBJECTS)),
            *_SELECTS,
        ),
        _transactions,
    ),
    Tool(
        "tables",
        "Which tables are there?",
        "The records of each table by type.",
        (_TRAIL, _option("effective"), *_SELECTS),
        _of_verb("tables", "effective", *ROWS),
    ),
    Tool(
        "sql",
        "Any question in SQL",
        f"One query, SELECT or WITH, in DuckDB's SQL. Views: {_VIEWS}, with before_ and after_ columns. DESCRIBE "
        "records lists columns. It reads the trail only; no file, no network, no function that leaves the process. An "
        "ORDER BY keeps the pages of an answer in order.",
        (
            _TRAIL,
            ToolField(
                "statement",
                _text(
                    "Statement",
                    "The query",
                    "SELECT op, count(*) FROM records GROUP BY op ORDER BY op",
                    longest=_LONGEST_TEXT,
                ),
                is_required=True,
            ),
            _option("effective"),
        ),
        _sql,
    ),
    Tool(
        "recovery",
        "What have restarts left?",
        "What restarts of Extract have left in the trail, and what Replicat applies: transactions that are cut, twice "
        "or out of order; files lists format, times and CSNs of each file. Status 3 is a finding, 4 damage.",
        (
            _TRAIL,
            ToolField("view", _choice("View", "Only this part", "restarts", "cut", "twice", "order", "files")),
            *_SELECTS,
        ),
        _recovery,
    ),
    Tool(
        "lag",
        "Are we late, and where?",
        "The lag of each hop from the rows of the heartbeat tables in the trail: lag now, history beat by beat, rows, "
        "gaps where beats are missing, restart from which CSN Extract must capture again.",
        (
            _TRAIL,
            ToolField("view", _choice("View", "lag unless given", "lag", "history", "rows", "gaps", "restart")),
            ToolField("path", _text("Path", "A wildcard for paths", "EXT1*")),
            ToolField("at", _text("At", "The moment of the answer", "2024-03-14 09:30")),
            ToolField("every", _number("Every", "With history: minutes of an interval", 5, 100_000)),
        ),
        _lag,
    ),
    Tool(
        "ddl",
        "Which DDL is replicated?",
        "How Extract and Replicat would process the DDL of a trail, by their parameter files. Nothing is executed.",
        (
            _TRAIL,
            _option("params", is_required=True),
            ToolField("owner", _text("Owner", "The schema of names without one", "HR")),
            ToolField("steps", _flag("Steps", "Each step with its rule")),
            ToolField("left_out", _flag("Left out", "Only statements that are not replicated")),
        ),
        _ddl,
    ),
    Tool(
        "diff",
        "Do two trails differ?",
        "The differences of two trails, transaction by transaction. Status 3 where they differ.",
        (
            _ONE,
            _ONE._replace(name="other", schema={**_ONE.schema, "title": "Other trail", "examples": ["target/rt"]}),
            ToolField(
                "level", _choice("Level", "What must be equal, records unless given", "records", "values", "bytes")
            ),
            ToolField(
                "ignore",
                {
                    "type": "array",
                    "items": {"type": "string", "enum": [*_IGNORED]},
                    "minItems": 1,
                    "maxItems": len(_IGNORED),
                    "title": "Ignore",
                    "description": "What does not count",
                    "examples": [["TIME", "POSITION"]],
                },
            ),
            ToolField("only", _text("Only", "Records of this table", "HR.EMPLOYEES")),
            ToolField("any_order", _flag("Any order", "The order of records in a transaction does not count")),
            ToolField("most", _number("Most", "Differences that are listed, 100 unless given", 20, MOST_OBJECTS)),
            *_SELECTS,
        ),
        _diff,
    ),
    Tool(
        "report",
        "A page for the ticket",
        "One page about a trail in Markdown: its state, restarts, damage, tables, the largest transactions, and with "
        "rba a record with its transaction and SAFE. It is returned as text; nothing is written.",
        (_ONE, _RBA),
        _report,
    ),
)
BY_TOOL = {tool.name: tool for tool in TOOLS}


def options_of(asked: Asked) -> argparse.Namespace:
    """Return the options of a verb with those of a call, as a command line without the others has them."""
    verb = BY_NAME[asked.verb]
    options = verb.parsed([])
    for name, value in asked.options.items():
        verb.known_options[name].check(value)
        setattr(options, name, value)
    return options
