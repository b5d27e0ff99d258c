"""EXPORT: records of a trail as files for other programs; one module per format, loaded when it is asked for."""

from __future__ import annotations
