"""The options of EXPORT."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from logdump.features.heartbeat.survey import HeartbeatOptions

DIALECTS = ("ORACLE", "MYSQL", "POSTGRESQL", "ANSI")
FORMATS: dict[str, tuple[str, ...]] = {
    "JSONL": ("NONE", "GZIP"),
    "CSV": ("NONE", "GZIP"),
    "PARQUET": ("SNAPPY", "NONE", "ZSTD", "GZIP"),
    "ARROW": ("NONE", "LZ4", "ZSTD"),
    "SQL": ("NONE", "GZIP"),
}
"""The compressions of each format; the first is used unless another is named."""

STANDARD_OUTPUT = Path("-")
"""The target that is no file; ``./-`` is one."""


class ExportOptions(NamedTuple):
    """Options of EXPORT.

    Attributes:
        format: a key of FORMATS.
        target: the file, or with ``by_table`` the folder.
        by_table: one file per table.
        records: the most records, None for all; ``transactions`` the most transactions of SQL.
        replaces: whether an existing target is replaced.
        compression: one of those of the format.
        takes_back: SQL that takes the changes back.
        includes_cut: SQL of transactions that are left out, as comments.
        dialect: of SQL, empty for that of the source database.
        debezium: a line for each change, as consumers of Debezium's events expect it.
        heartbeats: those whose beats are written in place of records; None for records.
        effective: without the rows of transactions that a Replicat does not apply.
        stop: only records that begin before this RBA; None for the end of the file.
    """

    format: str
    target: Path
    by_table: bool = False
    records: int | None = None
    transactions: int | None = None
    replaces: bool = False
    compression: str = "NONE"
    takes_back: bool = False
    includes_cut: bool = False
    dialect: str = ""
    stop: int | None = None
    effective: bool = False
    debezium: bool = False
    heartbeats: HeartbeatOptions | None = None

    @property
    def to_standard_output(self) -> bool:
        """True if the target is ``-``; all others are absolute paths."""
        return self.target == STANDARD_OUTPUT

    @property
    def target_name(self) -> str:
        """The target in words."""
        return "standard output" if self.to_standard_output else str(self.target)

    @property
    def is_binary(self) -> bool:
        """True if the output is binary."""
        return self.format in ("PARQUET", "ARROW") or self.compression == "GZIP"

    @property
    def is_limited(self) -> bool:
        """True if the export ends after a number of records or transactions."""
        return self.records is not None or self.transactions is not None
