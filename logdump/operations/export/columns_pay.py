"""Whether what EXPORT to Parquet and Arrow needs can be loaded."""

from __future__ import annotations

import importlib


def why_not() -> str | None:
    """Why PARQUET and ARROW cannot be written; empty where pyarrow is not installed, None where they can."""
    try:
        importlib.import_module("trailformat.arrays.arrow")
    except ModuleNotFoundError:
        return ""
    except (ImportError, OSError, RuntimeError) as error:
        return str(error)
    return None
