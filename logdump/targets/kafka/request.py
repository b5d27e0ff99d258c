"""What a call of ``publish`` asks for: its options, the topic of each table, and the key of a row in it."""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Self, TypedDict

from logdump.notation.names import plain_parts
from logdump.tables.errors import BadOption
from logdump.tables.options import TRUTH, one_of
from logdump.targets.kafka.servers import settings_in
from logdump.targets.run_options import (
    TABLE_NAMES,
    Tables,
    TrailRunOptions,
    ValueType,
    options_of,
    run_option,
    texts,
)
from logdump.targets.target import ApplyProgress, BadTarget

POSITIONS = "logdump_position"
"""The topic with the positions, unless another is named."""
FORMATS, TRUNCATES = texts(one_of("debezium", "ogg")), texts(one_of("fail", "write", "skip"))
TABLE = "__dbz__physicalTableIdentifier"
"""The member that Debezium's router adds to keys where a topic has several tables."""
_LONGEST = 249
_OTHER = re.compile(r"[^a-zA-Z0-9._-]")
_FIELD = re.compile(r"\{(\w*)\}")


def _topics(given: Any) -> str | Mapping[str, str]:
    by_table = given if isinstance(given, Mapping) else {"": given}
    if not all(map(_is_text, (*by_table, *by_table.values()))):
        raise ValueError
    return given  # type: ignore[no-any-return]


def _is_text(given: Any) -> bool:
    return isinstance(given, str)


def _config(given: Any) -> Mapping[str, Any] | None:
    if isinstance(given, str | os.PathLike):
        return settings_in(os.fspath(given))
    if given is not None and not (isinstance(given, Mapping) and all(map(_is_text, given))):
        raise ValueError
    return given


def _topic(given: Any) -> str:
    if not isinstance(given, str):
        raise ValueError  # noqa: TRY004 - as of any other wrong value
    return checked_name(given)


TOPICS = ValueType("the name of a topic, or such names by table", _topics)
CONFIG = ValueType("settings of librdkafka by name, or the path of a file of lines name=value", _config)
TOPIC = ValueType("the name of a topic", _topic)


@dataclass(frozen=True)
class PublishRunOptions(TrailRunOptions):
    """The values of the options of ``publish``."""

    tables: Mapping[str, str] = run_option(
        TABLE_NAMES, {"*": ""}, "Names in the trail, or wildcards, which match no heartbeat tables", "*"
    )
    topics: str | Mapping[str, str] = run_option(
        TOPICS,
        "{table}",
        "Name of the topic, in which `{table}`, `{schema}`, `{name}` are parts of the name of the table; or such names "
        "by table",
        "{table}",
    )
    format: str = run_option(
        FORMATS, "debezium", "`debezium`, or `ogg`: the messages of GoldenGate's JSON formatter", "debezium"
    )
    truncates: str = run_option(
        TRUNCATES,
        "fail",
        "Of `debezium`: `fail` at a truncate, `write` it with op `t`, or `skip` it; `ogg` always has them",
        "fail",
    )
    positions: str = run_option(
        TOPIC, POSITIONS, "The topic with the positions; one publisher at a time uses it", POSITIONS
    )
    create: bool = run_option(texts(TRUTH), False, "Create missing topics, with the defaults of the broker", "false")
    config: Mapping[str, Any] | None = run_option(
        CONFIG, None, "Settings of librdkafka, which are free as far as no promise rests on them; or a file of them"
    )

    @classmethod
    def of(cls, tables: Tables, given: Mapping[str, Any]) -> Self:
        """Return the options of a call, as :class:`TrailRunOptions`. Raises BadOption, and BadTarget for a topic."""
        options = super().of(tables, given)
        if options.format == "ogg" and options.truncates != "fail":
            raise BadOption(f"truncates {options.truncates} goes with format debezium: ogg always has them")
        return options

    @property
    def shape(self) -> dict[str, str]:
        """The options of the read that give its rows the form of messages."""
        is_debezium = self.format == "debezium"
        return {"messages": self.format, **({"truncates": self.truncates} if is_debezium else {})}


PUBLISH_OPTIONS = options_of(PublishRunOptions)
"""The options of ``publish`` by name."""


class PublishArguments(TypedDict, total=False):
    """The arguments of ``publish`` beside the trail, the servers and the tables, by either driver.

    :class:`PublishRunOptions` says what each means. ``options`` is the path of a file of YAML that has more, or a
    mapping. ``undecodable``, an option of the data source: with ``null`` a value that does not decode is left out of
    its message; otherwise it stops.
    """

    options: str | os.PathLike[str] | Mapping[str, Any] | None
    topics: str | Mapping[str, str]
    format: str
    positions: str
    create: bool
    config: str | os.PathLike[str] | Mapping[str, Any] | None
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
