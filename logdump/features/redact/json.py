"""The result of REDACT as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import Shape
from logdump.features.redact.model import RedactShown, UnknownShown

REDACT_UNKNOWN = Shape("redact_unknown", "Something in a trail that was replaced as bytes.", fields(UnknownShown))

REDACT = Shape("redact", "REDACT: the copy in numbers.", fields(RedactShown, UnknownShown=REDACT_UNKNOWN), RedactShown)
