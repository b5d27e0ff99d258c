"""EXPORT: records of a trail as files for other programs; one module per format, loaded on demand."""

from __future__ import annotations
