"""The options of ``publish``: from Python and from a file; what is wrong is one line, before anything is opened."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from logdump.tables.errors import BadOption, SourceError
from logdump.targets.kafka.request import PUBLISH_OPTIONS, PublishArguments, PublishRunOptions
from logdump.targets.target import BadTarget


def test_what_a_call_may_have_is_what_there_is() -> None:
    assert {*PublishArguments.__annotations__} | {"tables"} == {*PUBLISH_OPTIONS} | {"options", "undecodable"}
    assert {field.name for field in fields(PublishRunOptions)} == {*PUBLISH_OPTIONS, "source"}


def test_nothing_given_is_what_the_table_says() -> None:
    options = PublishRunOptions.of("*", {})
    for name, option in PUBLISH_OPTIONS.items():
        if option.shown_default and name != "tables":
            shown = getattr(options, name)
            text = str(shown).lower() if isinstance(shown, bool) else f"{shown:g}" if shown in (1.0, 60.0) else shown
            assert text == option.shown_default, name
    assert dict(options.tables) == {"*": ""}


def test_a_file_has_them_and_what_is_given_beside_it_takes_precedence(tmp_path: Path) -> None:
    path, settings = tmp_path / "o.yaml", tmp_path / "k.properties"
    settings.write_text("linger.ms=7\n")
    path.write_text(
        f"topics: {{S.T: a}}\nformat: ogg\ninterval: 0.5\nconfig: {settings}\nBATCHROWS: 9\ntables: [S.T]\n"
    )
    options = PublishRunOptions.of("*", {"options": path, "format": "debezium"})
    assert (options.topics, options.format, options.interval) == ({"S.T": "a"}, "debezium", 0.5)
    assert (options.config, options.source, dict(options.tables)) == (
        {"linger.ms": "7"},
        {"batchRows": "9"},
        {"S.T": ""},
    )


SECONDS = ["-1", -0.5, "nan", float("inf"), "soon", None, True, [], 10**7]
WRONG: list[tuple[str, Any]] = [
    *(("patience", value) for value in SECONDS),
    *(("interval", value) for value in [*SECONDS, 0]),
    *(("format", value) for value in ("avro", None, 1)),
    *(("truncates", value) for value in ("stop", None)),
    *(("create", value) for value in ("perhaps", None, 2)),
    *(("topics", value) for value in (None, 7, {"S.T": 7}, ["a"])),
    *(("config", value) for value in (7, [("linger.ms", 1)], "/no such file")),
    *(("batch", value) for value in ("much", 0, -3)),
    *(("positions", value) for value in (None, 7)),
    *(("tables", value) for value in ({"S.T": "a"}, [], [1])),
    *(("topcs", "a"), ("progress", 7), ("stop", True), ("once", "soon"), ("adopt", "last")),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_what_is_wrong_is_one_line(name: str, value: Any) -> None:
    given = {} if name == "tables" else {name: value}
    with pytest.raises(BadOption, match=name) as raised:
        PublishRunOptions.of(value if name == "tables" else "*", given)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("name", ["", "a b", "ä", "x" * 250, ".", ".."])
def test_no_topic_of_positions_has_such_a_name(name: str) -> None:
    with pytest.raises(BadTarget, match="no topic is called"):
        PublishRunOptions.of("*", {"positions": name})


@pytest.mark.parametrize("truncates", ["write", "skip"])
def test_the_messages_of_goldengate_have_truncates_always(truncates: str) -> None:
    with pytest.raises(SourceError, match="goes with format debezium"):
        PublishRunOptions.of("*", {"format": "ogg", "truncates": truncates})
