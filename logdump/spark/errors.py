"""The errors of :mod:`logdump.tables.errors`, by the name that programs import them from."""

from __future__ import annotations

from logdump.tables.errors import (
    BadOption,
    BadSchema,
    BadTrail,
    FileChanged,
    NoTrailFiles,
    SchemaChanged,
    SourceError,
    SplitMismatch,
)

__all__ = [
    "BadOption",
    "BadSchema",
    "BadTrail",
    "FileChanged",
    "NoTrailFiles",
    "SchemaChanged",
    "SourceError",
    "SplitMismatch",
]
