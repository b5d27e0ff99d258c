"""PUBLISH: the changes of a trail as messages of topics of Kafka, in this process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import NamedTuple

from logdump.commands.apply import (
    FOLLOWING,
    amounts,
    arguments_of,
    kept_log,
    narrated,
    stopped_by_errors,
    stopped_by_signals,
)
from logdump.language.command import Command, Origin
from logdump.language.forms import AnyOrder, Keyword
from logdump.language.parameters import File, OneOf, Word
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.targets.kafka import publisher


class PublishOptions(NamedTuple):
    """The options of PUBLISH.

    Attributes:
        over: the trail; ``target``: the URL of the servers.
        tables: names of tables, or wildcards.
        topics, format, truncates, positions, config: as the arguments of ``logdump.publish``.
        first: first CSN of tables that have no position; ``adopt``: of those whose position is not one of this trail.
        is_once: whether it ends at the end of the trail.
        creates: whether missing topics are created.
        batch: bytes of trail in one transaction of the producer.
        interval: seconds between checks of the trail; ``patience``: seconds to wait for brokers that do not answer.
        options: the path of a file with more options; what is given beside it takes precedence.
    """

    over: str
    target: str
    tables: tuple[str, ...] = ()
    topics: str | None = None
    format: str | None = None
    truncates: str | None = None
    positions: str | None = None
    config: str | None = None
    first: str | None = None
    adopt: str | None = None
    is_once: bool = False
    creates: bool = False
    batch: str | None = None
    interval: int | None = None
    patience: int | None = None
    options: str | None = None


_OWN = ("topics", "format", "truncates", "positions", "config")
"""The arguments of a run that APPLY has not."""


def run_publish(session: Session, options: PublishOptions) -> Iterator[Event]:
    """Publish a trail until it ends, or until a signal stops it after the current transaction."""
    if session.filters_in_use is not None and session.filters_in_use.active:
        raise CommandError("PUBLISH needs all records of the trail: use FILTER OFF; TABLES names tables.")
    stop = threading.Event()
    with stopped_by_signals(stop), kept_log() as log:
        with stopped_by_errors():
            given = arguments_of(options, _OWN)
            started = publisher.publish_run(options.over, options.target, options.tables or "*", **given, stop=stop)
        has_told = False
        for event in narrated(started.commits(), log, started.patience, "published"):
            if not started.has_transactions and not has_told:
                yield Notice(("The broker has no transactions: after a failure changes come again.",), ExitStatus.OK)
                has_told = True
            yield event
    done = started.progress
    if stop.is_set():
        text = f"Stopped after a transaction, {amounts(done, 'published')}; the same command continues."
        yield Notice((text,), ExitStatus.INTERRUPTED)
    elif not done.rows:
        yield say("No change to publish.")


COMMANDS = (
    Command(
        "PUBLISH",
        AnyOrder(
            PublishOptions,
            {
                **FOLLOWING,
                "topics": Keyword("TOPIC", Word("<name>")),
                "format": OneOf({"OGG": "ogg", "DEBEZIUM": "debezium"}),
                "truncates": Keyword("TRUNCATES", OneOf({"FAIL": "fail", "WRITE": "write", "SKIP": "skip"})),
                "positions": Keyword("POSITIONS", Word("<topic>")),
                "config": Keyword("CONFIG", File("<file>")),
            },
            needed={"over": "wants OVER <trail>.", "target": "wants TO <url>, the servers."},
            wrong="{!r} is not an option of PUBLISH.",
        ),
        "Publish the changes of a trail to topics of Kafka, in the order of the trail, until Ctrl+C",
        run_publish,
        details=(
            "TO: kafka://user@host:9092,host2:9092?setting=value; a password may be in the variable LOGDUMP_PASSWORD,",
            "other settings of librdkafka in a file of lines name=value (CONFIG).",
            "The messages are those of Debezium, or with OGG those of GoldenGate's JSON formatter. TOPIC: a name with",
            "{table}, {schema} or {name} in it; {table} unless given. CREATE: make topics that are missing.",
            "The position is in the topic logdump_position (POSITIONS names another), in one transaction with the",
            "messages: the same command continues there, whatever has ended it. One publisher uses it at a time.",
            "TABLES: names, * and ? are allowed; all that the trail defines, unless given.",
            "FROM: the first CSN of tables that have no position. ADOPT: of those whose position is of another trail.",
            "ONCE: end at the end of the trail. TRUNCATES: WRITE them with op t, or SKIP them; they stop otherwise.",
            "BATCH: bytes of trail in a transaction of the producer, 32m. INTERVAL: seconds between checks of the",
            "trail, 1. PATIENCE: seconds to wait for brokers, 60. OPTIONS: a file of YAML with more options, of which",
            "this line takes precedence: topics by table. docs/publish.md says what is promised.",
        ),
        origin=Origin.OURS,
        is_one_shot=True,
        stops="Ctrl+C stops after the current transaction",
    ),
)
