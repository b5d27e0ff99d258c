"""The results of PARAMS as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import RULE, Shape, member
from logdump.features.parameters.model import CoverageShown, ParametersShown, Taking

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
        *fields(ParametersShown, "side group path"),
        member(
            "statements",
            "list of parameter",
            "Its statements in order, those of included files and macros too",
            STATEMENT.each("statements"),
        ),
        *fields(ParametersShown, "notes"),
    ),
    ParametersShown,
)

TABLE_STATEMENT = Shape("table_statement", "A MAP or TABLE statement that takes a table.", fields(Taking))

COVERAGE = Shape(
    "coverage",
    "PARAMS COVERAGE: how a parameter file treats a table of the trail.",
    fields(CoverageShown, "side trail table records statements excluded", Taking=TABLE_STATEMENT),
    CoverageShown,
)
