"""What a call of ``publish`` asks for: its arguments, the topic of each table, and the key of a row in it."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, NamedTuple, Self, TypedDict

from logdump.notation.names import plain_parts
from logdump.tables.errors import BadOption
from logdump.tables.options import one_of
from logdump.targets.run_options import texts
from logdump.targets.target import ApplyProgress, BadTarget

POSITIONS = "logdump_position"
"""The topic with the positions, unless another is named."""
FORMATS, TRUNCATES = texts(one_of("debezium", "ogg")), texts(one_of("fail", "write", "skip"))
TABLE = "__dbz__physicalTableIdentifier"
"""The member that Debezium's router adds to keys where a topic has several tables."""
_LONGEST = 249
_OTHER = re.compile(r"[^a-zA-Z0-9._-]")
_FIELD = re.compile(r"\{(\w*)\}")


class PublishArguments(TypedDict, total=False):
    """The arguments of ``publish``, by either driver.

    Attributes:
        topics: name of the topic, in which ``{table}``, ``{schema}``, ``{name}`` are parts of the name of the table, or
            such names by table; ``{table}``.
        format: ``debezium``, or ``ogg`` for the messages of GoldenGate's JSON formatter.
        positions: the topic with the positions, ``logdump_position``; one publisher at a time uses it.
        create: whether missing topics are created, with the defaults of the broker.
        config: settings of librdkafka, which are free as far as no promise rests on them.
        truncates: of ``debezium``: ``fail`` at a truncate, ``write`` it with op ``t``, or ``skip`` it.
        once: whether to end when the existing changes are published; otherwise ``stop`` ends the call.
        interval: seconds between checks of the trail for changes; 1.
        from_csn: first CSN for tables that have no position yet; by default they begin with the trail.
        adopt: first CSN for tables whose position is not one of this trail; without it they are refused.
        batch: bytes of trail in one transaction of the producer, 32m; transactions of the source are never split.
        patience: seconds to wait for brokers that do not answer; 60.
        progress: called after each commit.
        stop: ends the call after the current transaction.
        undecodable: with ``null`` a value that does not decode is left out of its message; otherwise it stops.
    """

    topics: str | Mapping[str, str]
    format: str
    positions: str
    create: bool
    config: Mapping[str, Any] | None
    truncates: str
    once: bool
    interval: float
    from_csn: str | int | None
    adopt: str | int | None
    batch: str
    patience: float
    progress: Callable[[ApplyProgress], object] | None
    stop: threading.Event | None
    undecodable: str


ARGUMENTS = PublishArguments.__annotations__.keys() - {"undecodable"}
"""The names of those that are no options of the data source."""


class TableTopic(NamedTuple):
    """A topic, and whether it has the messages of other tables too, so that a key has to name its table."""

    name: str
    is_shared: bool = False

    def key(self, table: str, key: str | None, *, is_json: bool) -> str | None:
        """Return the key of a message as it is in the topic."""
        if key is None or not self.is_shared:
            return key
        return f"{key[:-1]},{json.dumps(TABLE)}:{json.dumps(table)}}}" if is_json else f"{table}_{key}"


class TableTopics(NamedTuple):
    """The topics of the tables, by the name of the table in the trail."""

    by_table: Mapping[str, TableTopic]

    @classmethod
    def of(cls, tables: Collection[str], topics: str | Mapping[str, str]) -> Self:
        """Return the topics of some tables.

        A character that no topic may have becomes ``_``, as in Debezium.

        Args:
            tables: names of tables in the trail.
            topics: the name of the topic, in which ``{table}``, ``{schema}`` and ``{name}`` are parts of the name
                of the table; or such names by table, and ``{table}`` for others.

        Raises:
            BadOption: it names no such part, or a table that is not among them.
            BadTarget: a topic can have no such name; or two tables would share one by chance.
        """
        given = {} if isinstance(topics, str) else {name.lower(): topic for name, topic in topics.items()}
        if unknown := given.keys() - {table.lower() for table in tables}:
            raise BadOption(f"topics: there is no table {', '.join(sorted(unknown))[:200]}")
        default = topics if isinstance(topics, str) else "{table}"
        patterns = {table: given.get(table.lower(), default) for table in tables}
        names = {table: _name(table, pattern) for table, pattern in patterns.items()}
        times = Counter(names.values())
        for table, name in names.items():
            if times[name] > 1 and re.search(r"\{(?:table|name)\}", patterns[table]):
                others = [other for other, its in names.items() if its == name and other != table]
                raise BadTarget(
                    f"nothing was written: {table} and {others[0]} would share the topic {name}: "
                    "topics names another for one of them"
                )
        return cls({table: TableTopic(name, times[name] > 1) for table, name in names.items()})

    @property
    def names(self) -> list[str]:
        """The topics, each once."""
        return sorted({topic.name for topic in self.by_table.values()})


def _name(table: str, pattern: str) -> str:
    parts = [part.text for part in plain_parts(table)]
    fields = {"table": ".".join(parts), "schema": ".".join(parts[-2:-1]), "name": parts[-1]}

    def field(match: re.Match[str]) -> str:
        if match[1] not in fields:
            raise BadOption(f"topics: {match[0]} is none of {{table}}, {{schema}}, {{name}}")
        return _OTHER.sub("_", fields[match[1]])

    return checked_name(_FIELD.sub(field, pattern))


def checked_name(name: str) -> str:
    """Return the name of a topic. Raises BadTarget if no topic can have it."""
    if not name or name in (".", "..") or len(name) > _LONGEST or _OTHER.search(name):
        raise BadTarget(
            f"nothing was written: no topic is called {name[:80]!r}: letters, digits, . _ and - are allowed"
        )
    return name
