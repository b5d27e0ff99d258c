"""How the changes of a table are written: as its rows, as a row for each change, or as the versions of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import pyarrow as pa

_TIME = pa.timestamp("us", "UTC")
_OF_VERSION: Mapping[str, pa.DataType] = {
    "_valid_from_csn": pa.string(),
    "_valid_from": _TIME,
    "_valid_from_xid": pa.string(),
    "_valid_to_csn": pa.string(),
    "_valid_to": _TIME,
}
_OF_DELETED_ROW: Mapping[str, pa.DataType] = {"_deleted_csn": pa.string(), "_deleted": _TIME}
_OF_CHANGE: Mapping[str, pa.DataType] = {
    **dict.fromkeys(("_op", "_csn", "_xid"), pa.string()),
    "_time": _TIME,
    **dict.fromkeys(("_sequence", "_absent"), pa.string()),
}
ABSENT = "_absent"
"""The column of a change with the names of the columns that it lacks, as a JSON list."""


class Writing(NamedTuple):
    """A way of writing.

    Attributes:
        write: ``mirror``: the rows as they are at the source; ``append``: a row for each change; ``history``: a row for
            each version of a row, which ends when the next one begins.
        deletes: ``apply``: a row that is deleted goes; ``soft``, with a mirror alone: it stays, and says when it was
            deleted.
    """

    write: str = "mirror"
    deletes: str = "apply"

    @property
    def added(self) -> Mapping[str, pa.DataType]:
        """The columns that the table in the target has beside those of the source; times are in UTC."""
        if self.write == "append":
            return _OF_CHANGE
        if self.write == "history":
            return _OF_VERSION
        return _OF_DELETED_ROW if self.deletes == "soft" else {}

    @property
    def ended_by(self) -> tuple[str, str] | None:
        """The columns with CSN and time at which a row has ended, null in one that is there; None if rows go."""
        if self.write == "history":
            return "_valid_to_csn", "_valid_to"
        return ("_deleted_csn", "_deleted") if self.deletes == "soft" else None

    @property
    def words(self) -> str:
        """The arguments that ask for it."""
        return "deletes='soft'" if self.deletes == "soft" else f"write='{self.write}'"


WAYS = (Writing(), Writing(deletes="soft"), Writing("append"), Writing("history"))
"""All ways."""
