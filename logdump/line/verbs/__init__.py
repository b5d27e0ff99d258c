"""Verbs of the shell, ``logdump VERB FILE… [options]``: short forms of commands, which ``--explain`` prints."""

from __future__ import annotations

from collections.abc import Sequence

NAMES = (
    "show",
    "list",
    "tail",
    "find",
    "count",
    "check",
    "safe",
    "export",
    "apply",
    "publish",
    "sql",
    "diff",
    "repair",
    "redact",
    "recovery",
    "heartbeat",
    "doctor",
    "watch",
    "tables",
    "transactions",
    "row",
    "redo",
    "undo",
    "ddl",
    "br",
    "compress",
    "values",
    "lob",
    "params",
    "debug",
    "info",
    "report",
    "explain",
)
"""All verbs, in the order of the help."""
PROGRAMS = {"mcp": "Serve trails to agents, by the Model Context Protocol, read-only"}
"""Words that begin a command line and are no verbs: they run no command. With their summaries."""
_OF_COMMANDS = ("-c", "-f")


def verb_in(arguments: Sequence[str]) -> bool:
    """Return whether the arguments begin with a verb, and no -c or -f follows."""
    return arguments[0].lower() in NAMES and not any(argument.startswith(_OF_COMMANDS) for argument in arguments[1:])
