"""The results of DDL as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import Shape, member
from logdump.features.ddl.model import DdlCounted, DdlEvaluated, StepResult

STEP = Shape("ddl_step", "A step of the evaluation of a DDL statement.", fields(StepResult))

EVALUATION = Shape(
    "ddl_evaluation",
    "DDL: how Extract or Replicat would process a statement, for one target.",
    fields(
        DdlEvaluated,
        "path rba csn side target trail operation object_type base derived scope outcome step "
        "rule reason base_target derived_target session_schema statement not_converted "
        "event_actions stay_metadata steps problems",
        StepResult=STEP,
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
        *fields(DdlCounted, "statements"),
        member("outcomes", "list of ddl_outcome", "By side and outcome", OUTCOME.each("outcomes")),
    ),
    DdlCounted,
)
