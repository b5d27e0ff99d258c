"""The options of the data source in one table, from which docs/spark.md is made, and the types of their values.

Names are Spark's own where Spark has such an option. Case is ignored; unknown names are refused.
"""

from __future__ import annotations

import difflib
import enum
import json
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.notation.names import listed_names
from logdump.tables.errors import BadOption
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.url import Credentials, keep_all, keeping_secrets, kept

with on_demand:
    from trailformat.codec.remote import store

if TYPE_CHECKING:
    from logdump.tables.analysis import Analysis

_UNITS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_TRUTHS = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
"""Words for true and false, as PostgreSQL and configuration files have them."""
_LONGEST_NUMBER = 18


class OptionType(NamedTuple):
    """A type of values; ``read`` raises ValueError for a text that is not such a value."""

    wants: str
    read: Callable[[str], Any]


def _truth(text: str) -> bool:
    try:
        return _TRUTHS[text.strip().lower()]
    except KeyError:
        raise ValueError from None


def _number(text: str) -> int:
    if not re.fullmatch(rf"[0-9]{{1,{_LONGEST_NUMBER}}}", text.strip()):
        raise ValueError
    return int(text)


def _positive(text: str) -> int:
    if not (number := _number(text)):
        raise ValueError
    return number


def _size(text: str) -> int:
    match = re.fullmatch(rf"([0-9]{{1,{_LONGEST_NUMBER}}})\s*([bkmgt]?)b?", text.strip().lower())
    if not match:
        raise ValueError
    return int(match[1]) * _UNITS[match[2]]


def _positive_size(text: str) -> int:
    if not (size := _size(text)):
        raise ValueError
    return size


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text.strip())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _names(text: str) -> tuple[str, ...]:
    names = _json_list(text) if text.lstrip().startswith("[") else tuple(listed_names(text))
    if not all(names):
        raise ValueError
    return names


def names_option(names: Sequence[str]) -> str:
    """Return names, whatever characters they have, as the text of an option that takes several."""
    return json.dumps([*names])


def _json_list(text: str) -> tuple[str, ...]:
    values = json.loads(text)
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError
    return tuple(values)


def _json_object(text: str) -> tuple[tuple[str, str], ...]:
    values = json.loads(text)
    if not isinstance(values, dict):
        raise ValueError  # noqa: TRY004 - of the text, not of an argument
    return tuple((name, value if isinstance(value, str) else json.dumps(value)) for name, value in values.items())


def one_of(*words: str) -> OptionType:
    """Return the type of a value that is one of some words; case is ignored."""
    known = {word.upper(): word for word in words}

    def read(text: str) -> str:
        if text.strip().upper() not in known:
            raise ValueError
        return known[text.strip().upper()]

    return OptionType(" or ".join(words), read)


TEXT = OptionType("text", str)
TRUTH = OptionType("true or false", _truth)
NUMBER = OptionType("a number", _number)
POSITIVE = OptionType("a number above 0", _positive)
SIZE = OptionType("a number of bytes, as 134217728 or 128m", _size)
POSITIVE_SIZE = OptionType("a number of bytes above 0, as 8388608 or 8m", _positive_size)
MOMENT = OptionType("a time, as 2024-03-01T09:00:00 (UTC) or 2024-03-01T09:00:00+01:00", _moment)
NAMES = OptionType("names with commas between them, or a JSON list of names", _names)
JSON_LIST = OptionType("a JSON list of texts", _json_list)
JSON_OBJECT = OptionType("a JSON object", _json_object)


Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
"""A path, directory or glob, or several."""


class Use(enum.Flag):
    """Operations for which an option has a meaning."""

    READ = enum.auto()
    STREAM = enum.auto()
    WRITE = enum.auto()
    SAVE = enum.auto()
    DIFF = enum.auto()


_BOTH = Use.READ | Use.STREAM
_CHOICE = _BOTH | Use.SAVE
_FILES = _CHOICE | Use.DIFF


class SourceOption(NamedTuple):
    """An option as the user sees it; ``shown_default`` is empty if there is no default."""

    name: str
    kind: OptionType
    shown_default: str
    use: Use
    meaning: str


def _option(name: str, kind: OptionType, default: Any, use: Use, meaning: str, shown: str | None = None) -> Any:
    text = shown if shown is not None else "" if default is None else str(default)
    return field(default=default, metadata={"option": SourceOption(name, kind, text, use, meaning)})


@dataclass(frozen=True)
class Options:
    """The values of all options; the metadata of its fields is the table of options."""

    path: str | None = _option(
        "path", TEXT, None, _FILES | Use.WRITE, "File, directory or glob; several with commas between"
    )
    paths: tuple[str, ...] = _option("paths", JSON_LIST, (), _FILES, "The list given to `load([…])`", "")
    storage_options: tuple[tuple[str, str], ...] = _option(
        "storageOptions",
        JSON_OBJECT,
        (),
        _FILES,
        "Options of the stores of URLs, a JSON object with the names of fsspec; from the environment without it",
        "",
    )
    path_glob_filter: str | None = _option(
        "pathGlobFilter", TEXT, None, _FILES, "Only files whose names match, as `lt0000000*`"
    )
    recursive_file_lookup: bool = _option(
        "recursiveFileLookup", TRUTH, False, _FILES, "Files in the folders of a directory too", "false"
    )
    modified_after: datetime | None = _option(
        "modifiedAfter", MOMENT, None, Use.READ | Use.SAVE | Use.DIFF, "Only files modified after this time"
    )
    modified_before: datetime | None = _option(
        "modifiedBefore", MOMENT, None, Use.READ | Use.SAVE | Use.DIFF, "Only files modified before this time"
    )
    ignore_missing_files: bool = _option(
        "ignoreMissingFiles", TRUTH, False, _CHOICE, "Ignore files that were removed after planning", "false"
    )
    ignore_corrupt_files: bool = _option(
        "ignoreCorruptFiles", TRUTH, False, _CHOICE, "Ignore files that are not trails", "false"
    )
    max_partition_bytes: int = _option(
        "maxPartitionBytes",
        SIZE,
        128 << 20,
        _FILES,
        "Size of a partition: larger files are split, smaller ones packed; 0: one file each, never split",
        "128m",
    )
    where: str | None = _option(
        "where", TEXT, None, _CHOICE, "FILTER statements with `;` between: only records that pass are read"
    )
    table: str | None = _option(
        "table", TEXT, None, _CHOICE, "Only records of tables whose names match, as `hr.*`; case aside"
    )
    rows_of: str | None = _option(
        "rowsOf", TEXT, None, _BOTH, "Rows of this table, `SCHEMA.TABLE` as in the trail, with its columns: see Tables"
    )
    changes_of: tuple[str, ...] = _option(
        "changesOf",
        NAMES,
        (),
        _BOTH,
        "Changes of these tables, ready to be applied, with their columns: see Changes to apply",
        "",
    )
    key_update: str = _option(
        "keyUpdate",
        one_of("split", "whole"),
        "split",
        _BOTH,
        "With `changesOf`: an update of the key is a delete and an insert, or one `key update` with `_key_before`",
    )
    before_images: bool = _option(
        "beforeImages",
        TRUTH,
        False,
        _BOTH,
        "With `changesOf` of one table: rows are as whole as the trail has them; `_before` is the row before an update",
        "false",
    )
    messages: str = _option(
        "messages",
        one_of("debezium", "ogg"),
        "",
        _BOTH,
        "With `changesOf`: a message for each change, `key` and `value`, as Debezium or GoldenGate's JSON formatter",
    )
    truncates: str = _option(
        "truncates",
        one_of("fail", "write", "skip"),
        "fail",
        _BOTH,
        "With `messages debezium`: a truncate ends the read, is a message with op `t`, or is left out",
    )
    arrow_batches: bool = _option(
        "arrowBatches",
        TRUTH,
        False,
        _BOTH,
        "With `changesOf`: a row is many changes of a table, as an Arrow stream in its only column `arrow`",
        "false",
    )
    columns: tuple[str, ...] | None = _option(
        "columns",
        NAMES,
        None,
        _BOTH,
        "The columns to read, `all`, or `header` (default): those that cost little; others that a schema has are null",
    )
    source_defs: str | None = _option(
        "sourceDefs",
        TEXT,
        None,
        _BOTH | Use.DIFF,
        "A definitions file, for trails that do not define their tables; every worker must be able to open it",
    )
    source_defs_override: bool = _option(
        "sourceDefsOverride",
        TRUTH,
        False,
        _BOTH | Use.DIFF,
        "Use that file in preference to the definitions in the trail",
        "false",
    )
    effective: bool = _option(
        "effective",
        TRUTH,
        False,
        _BOTH,
        "Leave out rows of transactions that a Replicat does not apply: cut, open, or copies",
        "false",
    )
    endings: bool = _option(
        "endings",
        TRUTH,
        False,
        Use.READ,
        "More columns, of how the transaction of a record ended: see Transactions that are not applied",
        "false",
    )
    start_seqno: int | None = _option("startSeqno", NUMBER, None, _CHOICE, "Only records from this file on")
    start_rba: int | None = _option("startRba", NUMBER, None, _CHOICE, "In that file: only from this RBA on")
    end_seqno: int | None = _option("endSeqno", NUMBER, None, _CHOICE, "Only records up to this file")
    end_rba: int | None = _option("endRba", NUMBER, None, _CHOICE, "In that file: only up to this RBA")
    start_csn: str | None = _option("startCsn", TEXT, None, _CHOICE, "Only records of transactions from this CSN on")
    end_csn: str | None = _option("endCsn", TEXT, None, _CHOICE, "Only records of transactions up to this CSN")
    start_timestamp: datetime | None = _option(
        "startTimestamp", MOMENT, None, _CHOICE, "Only records with an IO Time at or after this"
    )
    end_timestamp: datetime | None = _option(
        "endTimestamp", MOMENT, None, _CHOICE, "Only records with an IO Time at or before this"
    )
    skip_files: bool = _option(
        "skipFiles",
        TRUTH,
        True,
        Use.READ | Use.SAVE,
        "Leave files out by the range of CSN and time in their headers",
        "true",
    )
    mode: str = _option(
        "mode",
        one_of("FAILFAST", "PERMISSIVE", "DROPMALFORMED"),
        "FAILFAST",
        _BOTH,
        "Damage ends the read; or is a row of its own; or is stepped over",
    )
    undecodable: str | None = _option(
        "undecodable",
        one_of("fail", "null"),
        None,
        _BOTH,
        "A value that cannot be decoded ends the read (default under FAILFAST), or is null and listed in `problems`",
    )
    schema_evolution_mode: str = _option(
        "schemaEvolutionMode",
        one_of("fail", "rescue"),
        "fail",
        _BOTH,
        "With `rowsOf`: a column, type or key that came after the schema was made ends the read; or is in `problems`",
    )
    column_name_of_corrupt_record: str = _option(
        "columnNameOfCorruptRecord", TEXT, "_corrupt_record", _BOTH, "Another name for that column"
    )
    batch_rows: int = _option("batchRows", POSITIVE, 20_000, _BOTH, "Rows of an Arrow batch, at most")
    batch_bytes: int = _option(
        "batchBytes", POSITIVE_SIZE, 8 << 20, _BOTH, "Bytes of trail in an Arrow batch, at most", "8m"
    )
    analysis: Analysis | None = _option(
        "analysis", TEXT, None, Use.READ, "Not records but the rows of an analysis of each whole trail: see Analyses"
    )
    heartbeat_table: str | None = _option(
        "heartbeatTable",
        TEXT,
        None,
        Use.READ,
        "Of `heartbeats` and the `gg_` analyses: the name of the tables, where it is not GG_HEARTBEAT",
    )
    params: tuple[str, ...] = _option(
        "params",
        NAMES,
        (),
        Use.READ,
        "With `ddl`, `open_transactions`: parameter files as PARAMS takes them; every worker must be able to open them",
        "",
    )
    summary: bool = _option(
        "summary", TRUTH, False, Use.READ, "Not records but their counts, by file, table and operation", "false"
    )
    trans_hist: int = _option("transHist", NUMBER, 0, Use.READ, "With `summary`: number of large transactions to keep")
    trans_rec_limit: int = _option("transRecLimit", NUMBER, 0, Use.READ, "… minimum number of records of these")
    trans_byte_limit: int = _option("transByteLimit", NUMBER, 0, Use.READ, "… or minimum number of bytes")
    max_bytes_per_trigger: int | None = _option(
        "maxBytesPerTrigger", POSITIVE_SIZE, None, Use.STREAM, "Bytes of trail in a micro-batch, at most (Spark 4.2 on)"
    )
    max_transactions_per_trigger: int | None = _option(
        "maxTransactionsPerTrigger", POSITIVE, None, Use.STREAM, "Transactions in a micro-batch, at most (Spark 4.2 on)"
    )
    max_files_per_trigger: int | None = _option(
        "maxFilesPerTrigger", POSITIVE, None, Use.STREAM, "Files in a micro-batch, at most (Spark 4.2 on)"
    )
    megabytes: int | None = _option(
        "megabytes", POSITIVE, None, Use.WRITE, "Size over which a new file is not to grow, in units of 1,048,576 bytes"
    )

    def __post_init__(self) -> None:
        """Pass ``storageOptions`` to the stores; in the process of a task too, where the options are made again."""
        if self.storage_options:
            store.use_storage(dict(self.storage_options))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (*kept(), *(getattr(self, option.name) for option in fields(self)))

    @property
    def undecodable_ends(self) -> bool:
        """True if an undecodable value ends the read."""
        return (self.undecodable or ("fail" if self.mode == "FAILFAST" else "null")) == "fail"

    @property
    def shows_damage(self) -> bool:
        """True if damage is a row of its own; changes have no row for it, so that it is in the log."""
        return self.mode == "PERMISSIVE" and not self.changes_of


def _again(credentials: dict[str, Credentials], queries: dict[str, str], *values: Any) -> Options:
    """Return the options in another process, with the credentials and queries of the URLs in their paths."""
    keep_all(credentials, queries)
    return Options(*values)


OPTIONS: dict[str, SourceOption] = {field.name: field.metadata["option"] for field in fields(Options)}
"""Options by the names of their attributes."""
_ATTRIBUTES = {option.name.lower(): attribute for attribute, option in OPTIONS.items()}
_SPARKS_OWN = {"owner", "provider", "location", "comment", "external", "is_managed_location", "collation"}
"""Properties of a table, which Spark adds to the options when a table is created."""
_VERBS = {Use.READ: "reading", Use.STREAM: "a stream", Use.WRITE: "writing", Use.SAVE: "save", Use.DIFF: "diff"}


def parse_options(
    given: Mapping[str, str], use: Use, analyses: Mapping[str, Analysis] = MappingProxyType({})
) -> Options:
    """Return the options given for this use; the option ``analysis`` chooses one of ``analyses``.

    Raises:
        BadOption: an option does not exist, is not for this use, or has a wrong value.
    """
    values: dict[str, Any] = {}
    for key, text in given.items():
        if key.lower() in _SPARKS_OWN:
            continue
        attribute = _ATTRIBUTES.get(key.lower())
        if attribute is None or not OPTIONS[attribute].use & use:
            raise BadOption(_refusal(key, use))
        option = OPTIONS[attribute]
        try:
            values[attribute] = option.kind.read(text if attribute == "where" else keeping_secrets(text))
        except ValueError:
            shown = "what was given" if option.kind is JSON_OBJECT else repr(text[:80])  # it may hold credentials
            raise BadOption(f"option {option.name} takes {option.kind.wants}, not {shown}") from None
    if "analysis" in values:
        values["analysis"] = _analysis_of(values["analysis"], analyses)
    return Options(**values)


def _analysis_of(name: str, analyses: Mapping[str, Analysis]) -> Analysis:
    """Return the analysis of this name; case is ignored. Raises BadOption if there is none."""
    known = analyses.get(name.strip().lower())
    if known is not None:
        return known
    near = difflib.get_close_matches(name.lower(), analyses, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(analyses)}"
    raise BadOption(f"option analysis: there is no {name[:80]}; {hint}")


def path_options(paths: Paths) -> dict[str, str]:
    """Return one path or several as options, in the form that ``load`` gives them."""
    if isinstance(paths, (str, os.PathLike)):
        return {"path": os.fspath(paths)}
    return {"paths": json.dumps([os.fspath(path) for path in paths])}


def _refusal(key: str, use: Use) -> str:
    if key.lower() in _ATTRIBUTES:
        return f"option {OPTIONS[_ATTRIBUTES[key.lower()]].name} is not for {_VERBS[use]}"
    return no_such_option(key, (option.name for option in OPTIONS.values() if option.use & use))


def no_such_option(key: str, names: Iterable[str], others: Collection[str] = ()) -> str:
    """Return the line about an option that does not exist: one like it, of ``others`` too, or all names."""
    known = {name.lower(): name for name in (*names, *others)}
    near = [known[name] for name in difflib.get_close_matches(key.lower(), known, n=1)]
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(sorted({*known.values()} - {*others}))}"
    return f"there is no option {key[:80]}; {hint}"
