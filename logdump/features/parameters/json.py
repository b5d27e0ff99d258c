"""The results of PARAMS as JSON."""

from __future__ import annotations

from logdump.display.json_shape import RULE, Shape, member, renamed
from logdump.features.parameters.model import CoverageShown, ParametersShown

STATEMENT = Shape(
    "parameter",
    "A statement of a parameter file.",
    (
        member("keyword", "string", "Its first word, in capitals", "1"),
        member("used", "boolean", "Whether DDL and PARAMS COVERAGE use it", "2"),
        member("rule", "rule", "Its place; passwords in it are replaced", RULE.one("0")),
    ),
)

PARAMETERS = Shape(
    "parameters",
    "PARAMS: a parameter file in use.",
    (
        member("side", "string", "`extract`, `replicat` or `globals`", "side.value"),
        member("group", "string", "The group it names; may be empty"),
        member("file", "string", "Path of the file", "path"),
        member(
            "statements",
            "list of parameter",
            "Its statements in order, those of included files and macros too",
            STATEMENT.each("statements"),
        ),
        member("notes", "list of string", "Statements that are not evaluated, and why"),
    ),
    ParametersShown,
)

_STATEMENTS = "The statements that take it; empty where none does"
TABLE_STATEMENT = Shape(
    "table_statement",
    "A MAP or TABLE statement that takes a table.",
    (
        member("rule", "rule", "The statement", RULE.one("rule")),
        member("target", "string or null", "The table after TARGET"),
        member("options", "list of string", "Its options, COLMAP, FILTER, WHERE and others, which are not evaluated"),
    ),
)

COVERAGE = Shape(
    "coverage",
    "PARAMS COVERAGE: how a parameter file treats a table of the trail.",
    (
        member("side", "string", "`extract` or `replicat`", "side.value"),
        member("trail", "string or null", "The trail of Extract's file that this is about"),
        member("table", "string", "Name of the table"),
        member("records", "number", "Its records, definitions left out"),
        *renamed("taken", member("statements", "list of table_statement", _STATEMENTS, TABLE_STATEMENT.each("taken"))),
        member("excluded", "rule or null", "The statement that takes it out of one of those", RULE.one("excluded")),
    ),
    CoverageShown,
)
