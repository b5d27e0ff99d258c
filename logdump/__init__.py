"""Logdump without GoldenGate: its command language over trail files."""

from __future__ import annotations

__version__ = "0.1.0"
