"""Whether rows are made by columns: where they are so many that it pays, and all that it needs loads."""

from __future__ import annotations

import importlib

from logdump.session.session import Session

_MANY_BYTES, _MANY_RECORDS = 1 << 20, 5000
"""From these on, text is made by columns: what takes as long as loading pyarrow and the kernels."""


def records_have_columns(session: Session, records: int | None, stop: int | None = None) -> bool:
    """Whether EXPORT makes records up to a number or an RBA by columns."""
    end = session.trail.size if stop is None else stop
    is_many = end - session.cursor.next >= _MANY_BYTES and (records is None or records >= _MANY_RECORDS)
    return is_many and has_extra()


def has_extra() -> bool:
    """Whether pyarrow loads."""
    return why_not() is None


def why_not() -> str | None:
    """The reason for which it does not load; empty where it is not installed, None where it loads."""
    try:
        importlib.import_module("trailformat.arrays.arrow")
    except ModuleNotFoundError:
        return ""
    except (ImportError, OSError, RuntimeError) as error:
        return str(error)
    return None
