"""LOGCSN and TRANID: read from the first record of a transaction, and given to all of its records."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from logdump.arrow.records.rows import Rows
from trailformat.arrays.arrow import numbered


def _csn(rows: Rows) -> Any:
    return _taken(rows, "csns")


def _xid(rows: Rows) -> Any:
    return _taken(rows, "xids")


def _taken(rows: Rows, part: str) -> Any:
    owners = rows.source.owners(rows.batch)
    texts = pa.array(list(getattr(owners, part)), pa.string())
    return numbered(texts, np.asarray(owners.index)[rows.rows])


BUILDERS = {"csn": _csn, "xid": _xid}
