"""The results of DDL as JSON."""

from __future__ import annotations

from typing import Any

from logdump.render.json_shape import Field, Shape
from logdump.session.evaluation import DdlEvaluated, Rule

RULE = Shape(
    "rule",
    "What a parameter file says in one place.",
    (
        Field("file", "string", "Path of the parameter file", lambda rule: str(rule.path)),
        Field("line", "number", "Line in it; of what a macro expands to, that of its call", lambda rule: rule.line),
        Field("text", "string", "What stands there, on one line", lambda rule: rule.text),
    ),
)


def rule_or_null(rule: Rule | None) -> Any:
    """A rule as an object."""
    return RULE.build(rule) if rule is not None else None


STEP = Shape(
    "ddl_step",
    "A step of the evaluation of a DDL statement.",
    (
        Field("number", "number", "Its number in Oracle's list", lambda step: step.number),
        Field("what", "string", "What it looks at", lambda step: step.what),
        Field("result", "string", "What came of it", lambda step: step.result),
        Field("rule", "rule or null", "The rule it went by", lambda step: rule_or_null(step.rule)),
    ),
)


def _path(shown: DdlEvaluated) -> str | None:
    return str(shown.path) if shown.path is not None else None


EVALUATION = Shape(
    "ddl_evaluation",
    "DDL: what Extract or Replicat would make of a statement, for one target.",
    (
        Field("file", "string or null", "Path of the trail; null for a statement given as text", _path),
        Field("rba", "number or null", "Byte offset of its record", lambda shown: shown.rba),
        Field("csn", "string or null", "LOGCSN of its record", lambda shown: shown.csn),
        Field("side", "string", "`extract` or `replicat`", lambda shown: shown.side.value),
        Field(
            "target",
            "number or null",
            "Number of the target, from 1, where MAP gives several",
            lambda shown: shown.target,
        ),
        Field("operation", "string", "`CREATE`, `ALTER`, …; empty where it is not told", lambda shown: shown.operation),
        Field("object_type", "string", "`TABLE`, `INDEX`, …; empty likewise", lambda shown: shown.object_type),
        Field("base", "string or null", "Name of the base object", lambda shown: shown.base),
        Field("derived", "string or null", "Name of the derived object", lambda shown: shown.derived),
        Field(
            "scope",
            "string or null",
            "`MAPPED`, `UNMAPPED` or `OTHER`; null where it did not come to that",
            lambda shown: shown.scope,
        ),
        Field(
            "outcome",
            "string",
            "`captured` (Extract), `applied`, `left_out`, `ignored`, `discarded`, `abend` or `unknown`",
            lambda shown: shown.outcome.value,
        ),
        Field("step", "number or null", "The step that decided", lambda shown: shown.step),
        Field("rule", "rule or null", "The rule that decided", lambda shown: rule_or_null(shown.rule)),
        Field("reason", "string", "Why, in words; may be empty", lambda shown: shown.reason),
        Field("base_target", "string or null", "What MAP makes of the base", lambda shown: shown.base_target),
        Field("derived_target", "string or null", "What becomes of the derived", lambda shown: shown.derived_target),
        Field(
            "session_schema",
            "string or null",
            "The schema that Replicat's session would be in",
            lambda shown: shown.session_schema,
        ),
        Field("statement", "string or null", "What would be written or run", lambda shown: shown.statement),
        Field(
            "not_converted",
            "list of string",
            "Names in it that still tell the schema of the source",
            lambda shown: list(shown.not_converted),
        ),
        Field(
            "event_actions",
            "list of string",
            "What EVENTACTIONS of the true clauses would do; nothing is done",
            lambda shown: list(shown.event_actions),
        ),
        Field(
            "stay_metadata",
            "boolean",
            "Whether definitions stay as before this statement",
            lambda shown: shown.stay_metadata,
        ),
        Field(
            "steps",
            "list of ddl_step",
            "The steps that were taken",
            lambda shown: [STEP.build(step) for step in shown.steps],
        ),
        Field(
            "problems",
            "list of string",
            "What should be known before it is believed",
            lambda shown: list(shown.problems),
        ),
    ),
)

OUTCOME = Shape(
    "ddl_outcome",
    "How many statements had one outcome on one side; one of several targets counts for each.",
    (
        Field("side", "string", "`extract` or `replicat`", lambda one: one[0].value),
        Field("outcome", "string", "As in `ddl_evaluation`", lambda one: one[1].value),
        Field("number", "number", "How many", lambda one: one[2]),
    ),
)

COUNTED = Shape(
    "ddl",
    "DDL: how many statements were evaluated.",
    (
        Field("statements", "number", "Statements", lambda shown: shown.statements),
        Field(
            "outcomes",
            "list of ddl_outcome",
            "By side and outcome",
            lambda shown: [OUTCOME.build(one) for one in shown.outcomes],
        ),
    ),
)
