"""The results of PARAMS as JSON."""

from __future__ import annotations

from logdump.render.json_ddl import RULE, rule_or_null
from logdump.render.json_shape import Field, Shape

STATEMENT = Shape(
    "parameter",
    "A statement of a parameter file.",
    (
        Field("keyword", "string", "Its first word, in capitals", lambda one: one[1]),
        Field("used", "boolean", "Whether DDL and PARAMS COVERAGE go by it", lambda one: one[2]),
        Field("rule", "rule", "Where it stands; passwords in it are replaced", lambda one: RULE.build(one[0])),
    ),
)

PARAMETERS = Shape(
    "parameters",
    "PARAMS: a parameter file in use.",
    (
        Field("side", "string", "`extract`, `replicat` or `globals`", lambda shown: shown.side.value),
        Field("group", "string", "The group it names; may be empty", lambda shown: shown.group),
        Field("file", "string", "Path of the file", lambda shown: str(shown.path)),
        Field(
            "statements",
            "list of parameter",
            "Its statements in order, those of included files and macros too",
            lambda shown: [STATEMENT.build(one) for one in shown.statements],
        ),
        Field("notes", "list of string", "What is not evaluated, and why", lambda shown: list(shown.notes)),
    ),
)

TAKING = Shape(
    "taking",
    "A MAP or TABLE statement that takes a table.",
    (
        Field("rule", "rule", "The statement", lambda one: RULE.build(one.rule)),
        Field("target", "string or null", "The table behind TARGET", lambda one: one.target),
        Field(
            "options",
            "list of string",
            "Its options, COLMAP, FILTER, WHERE and others, which are not evaluated",
            lambda one: list(one.options),
        ),
    ),
)

COVERAGE = Shape(
    "coverage",
    "PARAMS COVERAGE: what a parameter file makes of a table of the trail.",
    (
        Field("side", "string", "`extract` or `replicat`", lambda shown: shown.side.value),
        Field("table", "string", "Name of the table", lambda shown: shown.table),
        Field("records", "number", "Its records, definitions left out", lambda shown: shown.records),
        Field(
            "taken",
            "list of taking",
            "The statements that take it; empty where none does",
            lambda shown: [TAKING.build(one) for one in shown.taken],
        ),
        Field(
            "excluded",
            "rule or null",
            "The statement that takes it out of one of those",
            lambda shown: rule_or_null(shown.excluded),
        ),
    ),
)
