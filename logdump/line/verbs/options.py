"""The options of verbs, and the commands that each stands for."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from logdump.line.verbs.request import MisuseError, VerbRequest, VerbStep, one_command

_OPERATIONS = {
    "insert": "Insert",
    "update": "Update, UpdateComp, FieldComp, GGSPKUpdate, GGSKeyFieldComp32, GGSUnifiedUpdate, GGSUnifiedPKUpdate",
    "delete": "Delete",
    "truncate": "GGSPurgedata",
    "ddl": "DDLOP",
    "lob": "LargeObject",
    "sequence": "SequenceOp",
    "restart": "RestartAbend, RestartOK",
    "metadata": "Metadata",
}
"""The words of --op, each with record types; any other word is a record type itself."""


class VerbOption(NamedTuple):
    """An option.

    Attributes:
        flags: its spellings.
        help: what it does.
        settings: further arguments of argparse.
        spell: the criteria of FILTER for its value; None where verbs spell it themselves.
    """

    flags: tuple[str, ...]
    help: str
    settings: dict[str, Any]
    spell: Callable[[Any], Iterator[str]] | None = None

    def add(self, parser: argparse.ArgumentParser) -> None:
        """Have a parser take it."""
        parser.add_argument(*self.flags, help=self.help, **self.settings)


def _value(metavar: str, **more: Any) -> dict[str, Any]:
    return {"metavar": metavar, **more}


def _tables(patterns: list[str]) -> Iterator[str]:
    yield f"FILENAME {', '.join(patterns)}"
    yield "EXCLUDE RECTYPE Metadata"


def _operations(words: list[str]) -> Iterator[str]:
    yield f"RECTYPE {', '.join(_OPERATIONS.get(word.lower(), word) for words_ in words for word in words_.split(','))}"


def _where(texts: list[str]) -> Iterator[str]:
    from logdump.filters import begins_statement  # noqa: PLC0415 - a verb without --where needs no filter

    for text in texts:
        word, _, rest = text.strip().partition(" ")
        criterion = rest.strip() if word.upper() == "FILTER" else text.strip()
        yield criterion if begins_statement(criterion) else f"VALUE {criterion}"


def _number(text: str) -> int:
    from logdump.notation.numbers import whole_number  # noqa: PLC0415 - few options are numbers

    value = whole_number(text)
    if value is None or value < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of at least 1")
    return value


ROWS: dict[str, VerbOption] = {
    "since": VerbOption(
        ("--since",), "records at or after a time", _value("TIME"), lambda text: iter((f"STARTTIME {text}",))
    ),
    "until": VerbOption(
        ("--until",), "records at or before a time", _value("TIME"), lambda text: iter((f"ENDTIME {text}",))
    ),
    "from_csn": VerbOption(
        ("--from-csn",), "transactions of at least this CSN", _value("CSN"), lambda text: iter((f"CSN >= {text}",))
    ),
    "to_csn": VerbOption(
        ("--to-csn",), "transactions of at most this CSN", _value("CSN"), lambda text: iter((f"CSN <= {text}",))
    ),
    "table": VerbOption(
        ("--table",), "rows of these tables; * and ? are allowed", _value("PATTERN", action="append"), _tables
    ),
    "op": VerbOption(
        ("--op",),
        f"these operations: {', '.join(_OPERATIONS)}, or a record type",
        _value("OPERATION", action="append"),
        _operations,
    ),
    "where": VerbOption(
        ("--where",),
        "what FILTER selects: 'STOCK_KG > 300', 'STRING Denver', 'USERTOKEN HOST'",
        _value("FILTER", action="append"),
        _where,
    ),
}
"""Those that select records, in the order in which their filters are set."""

OTHERS: dict[str, VerbOption] = {
    "rba": VerbOption(("--rba",), "begin at this RBA; separators are allowed: 483,188,832", _value("RBA")),
    "limit": VerbOption(("--limit",), "at most so many, of each trail", _value("N", type=_number)),
    "columns": VerbOption(("--columns",), "these columns alone, separated by commas", _value("A,B")),
    "format": VerbOption(("--format",), "the form of the output", {"choices": ("text", "jsonl")}),
    "output": VerbOption(("-o", "--output"), "write to this file, whole or not at all", _value("FILE")),
    "replace": VerbOption(("--replace",), "let -o replace a file", {"action": "store_true"}),
    "effective": VerbOption(("--effective",), "only what a Replicat applies", {"action": "store_true"}),
    "by_table": VerbOption(("--by-table",), "a folder with a file for each table", {"action": "store_true"}),
    "undo": VerbOption(("--undo",), "print the SQL that takes the changes back", {"action": "store_true"}),
    "hex": VerbOption(("--hex",), "the bytes of the columns too", {"action": "store_true"}),
    "detail": VerbOption(("--detail",), "by table too", {"action": "store_true"}),
    "all": VerbOption(("--all",), "every message of a log, not its last one alone", {"action": "store_true"}),
    "dry": VerbOption(("--dry",), "write nothing, say what would be", {"action": "store_true"}),
    "list": VerbOption(("--list",), "one short line for each record, as list has it", {"action": "store_true"}),
    "idle": VerbOption(("--idle",), "end after so many seconds without a new record", _value("SECONDS", type=_number)),
    "follow": VerbOption(("-F", "--follow"), "wait for more at the end, as tail does", {"action": "store_true"}),
}
"""Those that verbs spell themselves."""

ALWAYS: dict[str, VerbOption] = {
    "explain": VerbOption(
        ("--explain",), "print the commands that this stands for, and run none", {"action": "store_true"}
    ),
    "no_pager": VerbOption(("--no-pager",), "use no pager at a terminal", {"action": "store_true"}),
}
"""Those of every verb."""


def filters(request: VerbRequest) -> Iterator[VerbStep]:
    """The FILTER commands of the options that select records."""
    criteria = [
        text
        for name, option in ROWS.items()
        if request.asks(name) and option.spell is not None
        for text in option.spell(getattr(request.options, name))
    ]
    for text in criteria:
        yield VerbStep(one_command(f"FILTER {text}"), prepares=True)
    if sum(not text.upper().startswith("EXC") for text in criteria) > 1:
        yield VerbStep("FILTER MATCH ALL", prepares=True)


def selects(request: VerbRequest) -> bool:
    """Whether any option selects records."""
    return any(request.asks(name) for name in ROWS)


def position(request: VerbRequest) -> Iterator[VerbStep]:
    """The POSITION of --rba."""
    if request.asks("rba"):
        from logdump.notation.numbers import whole_number  # noqa: PLC0415 - few options are numbers

        if whole_number(request.options.rba) is None:
            raise MisuseError(f"--rba takes a number, not {request.options.rba!r}")
        yield VerbStep(f"POSITION RBA {request.options.rba}", prepares=True)
