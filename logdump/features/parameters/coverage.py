"""The statements of the parameter files that select the tables of a trail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from logdump.features.count.survey import CountRun
from logdump.features.ddl.mapping import MAP, TABLE, takers_of
from logdump.features.parameters.model import CoverageShown, Taking
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.names import MOST_PARTS, ObjectName
from logdump.parameters.tree import ParameterFile
from trailformat.records.record_header import METADATA
from trailformat.totals.counting import FILE_HEADER_NAME


def records_by_table(counter: CountRun) -> dict[str, int]:
    """The tables that a count has met, each with its records but for its definitions, by name."""
    found: Counter[str] = Counter()
    for (name, _), tally in counter.count.tables.items():
        if name not in ("", FILE_HEADER_NAME):
            found[name] += tally.records - tally.types[METADATA]
    return dict(sorted(found.items()))


def coverage(tables: dict[str, int], parameters: ParametersInUse) -> Iterator[CoverageShown]:
    """Yield the statements of Extract's file that select each table, trail by trail, then those of Replicat's."""
    for whole, keywords in ((parameters.extract, TABLE), (parameters.replicat, MAP)):
        for trail, file in whole.by_trail() if whole is not None else ():
            found = (_of_table(name, tables[name], file, keywords, parameters.globals) for name in tables)
            yield from (one._replace(trail=trail) for one in found)


def _of_table(
    table: str, records: int, file: ParameterFile, keywords: tuple[str, ...], globals_: ParameterFile | None
) -> CoverageShown:
    name = object_name(table)
    takers = takers_of(name, file, keywords, globals_)
    taken = tuple(
        Taking(one.rule, str(one.target.target_of(name)) if one.target else None, one.options) for one in takers.found
    )
    return CoverageShown(file.side, table, records, taken, None if taken else takers.excluded)


def object_name(table: str) -> ObjectName:
    """A table's name as a trail has it; of more than three parts the last are the name."""
    parts = table.split(".", MOST_PARTS - 1)
    name, owner, catalog = [*reversed(parts), "", ""][:MOST_PARTS]
    return ObjectName(name, owner, catalog)
