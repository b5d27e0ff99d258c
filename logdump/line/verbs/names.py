"""The words of the verbs: what decides whether the rest is loaded."""

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
    "sql",
    "diff",
    "repair",
    "recovery",
    "heartbeat",
    "doctor",
    "tables",
    "transactions",
    "row",
    "info",
    "report",
    "explain",
)
"""Every verb, in the order of the help."""
_OF_COMMANDS = ("-c", "-f")


def verb_in(arguments: Sequence[str]) -> bool:
    """Whether arguments are those of a verb, and not of a prompt, a script or a command."""
    return arguments[0].lower() in NAMES and not any(one.startswith(_OF_COMMANDS) for one in arguments[1:])
