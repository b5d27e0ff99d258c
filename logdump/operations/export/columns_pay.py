"""Whether what EXPORT to Parquet and Arrow needs can be loaded."""

from __future__ import annotations

import importlib


def has_extra() -> bool:
    """Whether the kernels load."""
    from trailformat.scan.engines import why_no_kernels  # noqa: PLC0415 - loaded with its first use

    return why_no_kernels() is None


def why_not() -> str | None:
    """Why PARQUET and ARROW cannot be written; empty where pyarrow is not installed, None where they can."""
    from trailformat.scan.engines import how_to_get_kernels, why_no_kernels  # noqa: PLC0415 - loaded with its first use

    try:
        importlib.import_module("trailformat.arrays.arrow")
    except ModuleNotFoundError:
        return ""
    except (ImportError, OSError, RuntimeError) as error:
        return str(error)
    why = why_no_kernels()
    return f"{why}: {how_to_get_kernels()}" if why else None
