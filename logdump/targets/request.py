"""What a call of ``apply`` asks for: the trail, its tables and their names in the target, and the options."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple, Self

from logdump.tables.defined_tables import PlacedLayout, has_wildcard, placed_layouts, tables_like
from logdump.tables.errors import BadOption
from logdump.tables.options import OPTIONS, Options, Paths, Use, parse_options, path_options
from logdump.tables.paths import TrailInput, find_files
from logdump.targets.run_options import DdlHandler, RunOptions, TrailRunOptions
from logdump.targets.writing import Writing

_READ_AT_ONCE = {"maxPartitionBytes": "4m"}
"""Bytes of trail that are read at once: while their rows are applied, others may be read."""
_READ_OF_MANY = {"maxPartitionBytes": "16m", "batchRows": 1 << 16}
"""The same for many tables: each takes time of its own in whatever is read at once, even for few rows."""
_MANY_TABLES = 100
_SUPPORTED = frozenset(
    {
        "path",
        "paths",
        "path_glob_filter",
        "recursive_file_lookup",
        "storage_options",
        "ignore_missing_files",
        "max_partition_bytes",
        "source_defs",
        "source_defs_override",
        "undecodable",
        "batch_rows",
        "batch_bytes",
        "max_bytes_per_trigger",
        "max_transactions_per_trigger",
        "max_files_per_trigger",
    }
)
"""Attributes of the options that ``apply`` takes: none of them leaves out changes that its position passes."""
_FIXED: dict[str, Any] = {"effective": True}
"""Attributes of options whose only value is not the one by default."""


def way_of_writing(options: RunOptions) -> Writing:
    """Return the way of writing that options mean. Raises BadOption if they do not go together."""
    way = Writing(options.write, options.deletes)
    if way.deletes == "soft" and way.write != "mirror":
        raise BadOption(
            f"deletes 'soft' goes with write 'mirror': write '{way.write}' keeps rows that are deleted anyway"
        )
    if options.collisions == "overwrite" and way != Writing():
        raise BadOption(f"collisions 'overwrite' does not go with {way.words}: it replaces rows, which that keeps")
    return way


class ApplyRequest(NamedTuple):
    """The trail to apply and the options, with the names of its tables in the target, empty if they are the same.

    Attributes:
        from_csn: the first CSN of tables that have no position.
        adopt: the first CSN of tables whose position is not one of this trail; None: they are refused.
    """

    path: Paths
    tables: Mapping[str, str]
    keys: Mapping[str, Sequence[str]]
    from_csn: str | None
    ddl: str | DdlHandler
    options: Mapping[str, Any]
    adopt: str | None = None

    @classmethod
    def of(cls, path: Paths, options: RunOptions) -> Self:
        """Return the request of a call with these options."""
        return cls(path, options.tables, options.keys, options.from_csn, options.ddl, source_of(options), options.adopt)

    def chosen(self, *, overwrite: bool = False) -> Self:
        """Return the request with its tables spelled as in the trail, in place of wildcards those that they match.

        Raises:
            BadOption: an option or a table does not exist, a table is named twice, or a wildcard has a name in the
                target.
        """
        if overwrite and self.keeps_undecoded:
            raise BadOption("undecodable null does not go with collisions overwrite: a value would be replaced by none")
        options = self._checked()
        names: dict[str, str] = {}
        for pattern, alike in tables_like([*self.tables], "tables", options).items():
            wanted = self.tables[pattern]
            if wanted and has_wildcard(pattern) and pattern not in alike:
                raise BadOption(f"tables: {pattern} is a wildcard, and cannot have the name {wanted} in the target")
            for name in alike:
                if wanted and names.get(name, wanted) not in ("", wanted):
                    raise BadOption(f"tables: {name} has two names in the target, {names[name]} and {wanted}")
                names[name] = wanted or names.get(name, "")
        return self._replace(tables=names)

    def of_tables(self, names: Collection[str]) -> Self:
        """Return the request for some of its tables."""
        low = {name.lower() for name in names}
        keys = {name: key for name, key in self.keys.items() if name.lower() in low}
        return self._replace(tables={name: self.tables[name] for name in self.tables if name in names}, keys=keys)

    def files(self) -> list[TrailInput]:
        """Return the files that the trail has now."""
        return [*find_files(self._source_options())]

    def layouts(self) -> dict[str, list[PlacedLayout]]:
        """Return the definitions of the tables in the trail, in order."""
        return placed_layouts(self.tables, self._source_options())

    @property
    def keeps_undecoded(self) -> bool:
        """True if a value that does not decode may be left out."""
        return self._source_options().undecodable == "null"

    @property
    def read_options(self) -> dict[str, Any]:
        """The options of the read: a value that does not decode comes with its change, which then decides."""
        return {**self.message_options, "undecodable": "null"}

    @property
    def message_options(self) -> dict[str, Any]:
        """The options of the read, with the sizes of its parts where none are given."""
        return {**(_READ_OF_MANY if len(self.tables) > _MANY_TABLES else _READ_AT_ONCE), **self.options}

    def _source_options(self) -> Options:
        """Return the options of the files: which transactions are applied is of no matter to them, and costs a pass."""
        return replace(self.parsed(self.options), effective=False)

    def _checked(self) -> Options:
        """Return the same. Raises BadOption if an option leaves out changes."""
        check_options(self.parsed(self.options))
        if given := [name for name in self.options if name.lower() in ("path", "paths")]:
            raise BadOption(f"apply takes no option {given[0]}: its first argument names the trail")
        return self._source_options()

    def parsed(self, options: Mapping[str, Any]) -> Options:
        """Return options of the read of the trail from their values by name. Raises BadOption."""
        given = {"effective": True, **options}.items()
        texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given}
        return parse_options({**texts, **path_options(self.path)}, Use.STREAM)


def source_of(options: TrailRunOptions) -> dict[str, Any]:
    """Return the options of the data source of a run."""
    return {"effective": True, "maxBytesPerTrigger": options.batch, **options.source}


def check_options(options: Options) -> None:
    """Check that no option leaves out changes that the position in the target would pass.

    Raises:
        BadOption: one does.
    """
    unset = Options()
    for field in fields(Options):
        name, value = field.name, getattr(options, field.name)
        if name not in _SUPPORTED and value != _FIXED.get(name, getattr(unset, name)):
            raise BadOption(
                f"apply takes no option {OPTIONS[name].name}: changes that it leaves out would be lost, since the "
                "position in the target goes past them"
            )
