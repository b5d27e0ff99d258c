"""The results of REPAIR as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import Shape, member
from logdump.features.repair.model import CopiedDefinition, CopiedHeader, LossReason, RepairLoss, RepairShown

_REASONS = ", ".join(f"`{reason.value}`" for reason in LossReason)

REPAIR_LOSS = Shape(
    "repair_loss",
    "REPAIR: a transaction that the copy lacks or has in part, or damage with unknown contents.",
    (
        *fields(RepairLoss, "csn xid begin records"),
        member("reason", "string", f"One of {_REASONS}", "reason.value"),
        *fields(RepairLoss, "position is_copied"),
    ),
    RepairLoss,
)

COPIED_HEADER = Shape("copied_header", "The file header of a file of the copy.", fields(CopiedHeader))

COPIED_DEFINITION = Shape(
    "copied_definition", "A lost definition that was copied from another file.", fields(CopiedDefinition)
)

REPAIR = Shape(
    "repair",
    "REPAIR: the copy in numbers, after all losses.",
    fields(RepairShown, CopiedHeader=COPIED_HEADER, CopiedDefinition=COPIED_DEFINITION),
    RepairShown,
)
