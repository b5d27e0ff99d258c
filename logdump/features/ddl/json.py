"""The results of DDL as JSON."""

from __future__ import annotations

from logdump.display.json_shape import RULE, Shape, member
from logdump.features.ddl.model import DdlCounted, DdlEvaluated

STEP = Shape(
    "ddl_step",
    "A step of the evaluation of a DDL statement.",
    (
        member("number", "number", "Its number in Oracle's list"),
        member("what", "string", "The subject of the step"),
        member("result", "string", "The result of the step"),
        member("rule", "rule or null", "The rule it went by", RULE.one("rule")),
    ),
)

EVALUATION = Shape(
    "ddl_evaluation",
    "DDL: how Extract or Replicat would process a statement, for one target.",
    (
        member("file", "string or null", "Path of the trail; null for a statement given as text", "path"),
        member("rba", "number or null", "Byte offset of its record"),
        member("csn", "string or null", "LOGCSN of its record"),
        member("side", "string", "`extract` or `replicat`", "side.value"),
        member("target", "number or null", "Number of the target, from 1, where MAP gives several"),
        member("trail", "string or null", "The trail that Extract's file names for it"),
        member("operation", "string", "`CREATE`, `ALTER`, …; empty where it is not known"),
        member("object_type", "string", "`TABLE`, `INDEX`, …; empty if unknown"),
        member("base", "string or null", "Name of the base object"),
        member("derived", "string or null", "Name of the derived object"),
        member("scope", "string or null", "`MAPPED`, `UNMAPPED` or `OTHER`; null if the evaluation ended before"),
        member(
            "outcome",
            "string",
            "`captured` (Extract), `applied`, `left_out`, `ignored`, `discarded`, `abend`, `unknown`, `copy` or "
            "`not_applied`",
            "outcome.value",
        ),
        member("step", "number or null", "The step that decided"),
        member("rule", "rule or null", "The rule that decided", RULE.one("rule")),
        member("reason", "string", "Why, in words; may be empty"),
        member("base_target", "string or null", "The base object in the target, by MAP"),
        member("derived_target", "string or null", "The derived object in the target"),
        member("session_schema", "string or null", "The schema that Replicat's session would be in"),
        member("statement", "string or null", "The statement that would be written or run"),
        member("not_converted", "list of string", "Names in it that still have the schema of the source"),
        member("event_actions", "list of string", "Actions of EVENTACTIONS in the clauses that are true; none is run"),
        member("stay_metadata", "boolean", "Whether definitions stay as before this statement"),
        member("steps", "list of ddl_step", "The steps that were taken", STEP.each("steps")),
        member("problems", "list of string", "Doubts about the result"),
    ),
    DdlEvaluated,
)

OUTCOME = Shape(
    "ddl_outcome",
    "How many statements had one outcome on one side; one of several targets counts for each.",
    (
        member("side", "string", "`extract` or `replicat`", "0.value"),
        member("outcome", "string", "As in `ddl_evaluation`", "1.value"),
        member("number", "number", "How many", "2"),
    ),
)

COUNTED = Shape(
    "ddl",
    "DDL: how many statements were evaluated.",
    (
        member("statements", "number", "Statements"),
        member("outcomes", "list of ddl_outcome", "By side and outcome", OUTCOME.each("outcomes")),
    ),
    DdlCounted,
)
