"""The SDK's own client lists, calls and cancels each tool, over both transports; answers are those of the verbs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from jsonschema import Draft202012Validator
from mcp import Client, MCPError

from logdump.agents.answers import IS_DATA, Reply, Told, refused
from logdump.agents.calls import Calls
from logdump.agents.folders import Folders
from logdump.agents.prompts import PROMPTS
from logdump.agents.server import AgentServer
from logdump.agents.tools import TOOLS, Tool
from logdump.agents.worker import Work
from logdump.display.json_shape import SCHEMA
from logdump.session import reading
from logdump.session.errors import ExitStatus
from tests.logdump.agents.servers import (
    PATIENCE,
    client_over,
    facts,
    gone,
    halt,
    over_stdio,
    still_there,
    trails_in,
    workers_in,
)
from tests.logdump.program import logdump
from tests.searching import Random

CALLS: dict[str, tuple[dict[str, Any], tuple[str, ...] | None]] = {
    "trails": ({}, None),
    "doctor": ({"trail": "al"}, ("doctor", "al")),
    "explain": ({"trail": "yt", "question": "lag"}, ("explain", "yt", "LAG")),
    "safe": ({"trail": "et000000000", "rba": "2,913"}, ("safe", "et000000000", "2913")),
    "check": ({"trail": ["ft000000000", "et"], "values": True}, ("check", "ft000000000", "et", "--values")),
    "records": ({"trail": "et", "table": "*.TEAS"}, ("list", "et", "--table", "*.TEAS")),
    "row": (
        {"trail": "et", "table": "TEAHOUSE.TEAS", "key": "TEA_CODE='ASS01'", "undo": True},
        ("row", "et", "TEAHOUSE.TEAS", "TEA_CODE='ASS01'", "--undo"),
    ),
    "transactions": ({"trail": "at", "largest": 5}, ("transactions", "at", "--limit", "5")),
    "tables": ({"trail": "at", "effective": True}, ("tables", "at", "--effective")),
    "sql": (
        {"trail": "et", "statement": "SELECT op, count(*) AS n FROM records GROUP BY op ORDER BY op"},
        ("sql", "SELECT op, count(*) AS n FROM records GROUP BY op ORDER BY op", "et"),
    ),
    "recovery": ({"trail": "al", "view": "cut"}, ("recovery", "al", "CUT")),
    "lag": ({"trail": "yt", "view": "history", "every": 5}, ("heartbeat", "yt", "HISTORY", "EVERY", "5")),
    "ddl": ({"trail": "dt", "params": "r1.prm"}, ("ddl", "dt", "ALL", "--params", "r1.prm")),
    "diff": ({"trail": "et", "other": "at", "most": 4}, ("diff", "et", "at", "--limit", "4")),
    "report": ({"trail": "et"}, None),
}
"""A call of each tool, and the verb that answers the same; None: no verb does."""
_OF_A_RUN = ("schema", "hours_left", "elapsed")
"""Members that the first object of a session has, or that change while time passes."""


def plain(made: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in made.items() if name not in _OF_A_RUN}


def test_every_tool_is_called_here() -> None:
    assert list(CALLS) == [tool.name for tool in TOOLS]


def of_the_verb(words: tuple[str, ...]) -> tuple[int, list[dict[str, Any]]]:
    """The status and the objects of a verb; messages are none, but for damage in the data."""
    answer = logdump(*words, "--format", "jsonl")
    objects = [json.loads(line) for line in answer.out.splitlines()]
    return answer.status, [plain(made) for made in objects if made["type"] not in ("notice", "failure")]


def named(folder: Path, words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a verb, with the names of files in a folder made absolute."""
    first, *others = words
    is_name = {name for path in folder.iterdir() for name in (path.name, path.name[:2])}
    return (first, *(str(folder / word) if word in is_name else word for word in others))


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_each_tool_is_listed_and_called(transport: str, tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")

    async def run() -> dict[str, Any]:
        async with client_over(transport, folder) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == list(CALLS)
            return {name: await client.call_tool(name, arguments) for name, (arguments, _) in CALLS.items()}

    for name, answer in anyio.run(run).items():
        content, words = facts(answer), CALLS[name][1]
        assert (answer.is_error, content["schema"], content["next"]) == (False, SCHEMA, None), (name, content)
        if words is not None:
            made = content["status"], [plain(item) for item in content["objects"]]
            assert made == of_the_verb(named(folder, words)), name


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks for processes in /proc")
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_each_tool_is_cancelled_even_if_it_hangs(transport: str, tmp_path: Path) -> None:
    """Half of the tools over each transport, drawn: the process of the call is gone, and the next call is answered."""
    folder = trails_in(tmp_path / "trails")
    names = sorted(CALLS)
    Random("cancelled").shuffle(names)
    half = names[::2] if transport == "stdio" else names[1::2]

    async def run() -> None:
        async with client_over(transport, folder) as client:
            for name in half:
                await cancel(client, name)
            assert not (await client.call_tool("check", {"trail": "et"})).is_error

    async def cancel(client: Client, name: str) -> None:
        assert not (await client.call_tool("trails", {"limit": 1})).is_error
        processes = workers_in(folder)
        assert len(processes) == 1
        halt(processes)
        with anyio.fail_after(PATIENCE):
            while still_there(processes):  # a call that is cancelled before it is sent cancels nothing
                with anyio.move_on_after(0.1):
                    await client.call_tool(name, CALLS[name][0])

    anyio.run(run)


def test_a_statement_that_never_ends_is_cancelled(tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")
    endless = "SELECT count(*) FROM range(10000000000) AS a, range(10000) AS b, records"

    async def run() -> None:
        async with over_stdio(folder) as client:
            with anyio.move_on_after(1) as scope:
                await client.call_tool("sql", {"trail": "et", "statement": endless})
            assert scope.cancelled_caught
            await gone(workers_in(folder))

    anyio.run(run)


def test_what_takes_too_long_is_answered_with_what_was_found(tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")
    endless = "SELECT count(*) FROM range(10000000000) AS a, range(10000) AS b, records"

    async def run() -> Any:
        async with over_stdio(folder, "--seconds", "1") as client:
            return await client.call_tool("sql", {"trail": "et", "statement": endless})

    content = facts(anyio.run(run))
    assert (content["status"], content["interrupted"], content["objects"]) == (ExitStatus.INTERRUPTED, True, [])
    assert (content["next"], bool(content["messages"])) == (None, True)


def test_progress_is_reported_and_only_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the reading of a call, and from whatever a call says to the client."""
    monkeypatch.setattr(reading, "_FIRST", 0.0)
    told: list[Told] = []
    folder = trails_in(tmp_path / "trails")
    Work(Folders.of([str(folder)]), str(tmp_path), told.append).reply("check", {"trail": "et"})
    size = (folder / "et000000000").stat().st_size
    assert told[-1].total == size

    class SaidCalls:
        async def reply(self, _name: str, _arguments: dict[str, Any], tell: Any) -> Reply:
            for done in (5, 3, 7, 7, 9):
                await tell(Told(done, 10, f"at {done}"))
            return refused(ExitStatus.COMMAND_FAILED, "no answer")

    async def run() -> list[tuple[float, float | None, str | None]]:
        seen = []

        async def see(progress: float, total: float | None, message: str | None) -> None:
            seen.append((progress, total, message))

        async with Client(AgentServer(cast("Calls", SaidCalls())).server) as client:
            await client.call_tool("check", {"trail": "et"}, progress_callback=see)
        return seen

    assert anyio.run(run) == [(5.0, 10.0, "at 5"), (7.0, 10.0, "at 7"), (9.0, 10.0, "at 9")]


def test_resources_and_prompts(tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")

    async def run() -> None:
        async with over_stdio(folder) as client:
            listed = (await client.list_resources()).resources
            assert {resource.name for resource in listed} == {
                str(folder / path.name[:2]) for path in folder.glob("??0*")
            }
            chosen = next(resource for resource in listed if resource.name.endswith("/al"))
            [made, text] = [content.model_dump() for content in (await client.read_resource(chosen.uri)).contents]
            assert [item["type"] for item in json.loads(made["text"])["objects"]] == ["recovery", *["trail_file"] * 3]
            assert text["text"].startswith(IS_DATA)
            templates = (await client.list_resource_templates()).resource_templates
            assert [template.name for template in templates] == ["trail", "record"]
            record = f"logdump://record/2892/{folder}/et000000000"
            [made, _] = [content.model_dump() for content in (await client.read_resource(record)).contents]
            assert [item["rba"] for item in json.loads(made["text"])["objects"]] == [2892]
            for uri in ("file:///etc/passwd", "logdump://record/x/y", "logdump://trail//etc/passwd"):
                with pytest.raises(MCPError):
                    await client.read_resource(uri)
            prompts = (await client.list_prompts()).prompts
            assert [prompt.name for prompt in prompts] == [prompt.name for prompt in PROMPTS]
            filled = await client.get_prompt("replicat_abended", {"message": "OGG-02191\n1. Call rm"})
            assert "> OGG-02191\n> 1. Call rm\n" in filled.messages[0].content.model_dump()["text"]
            for name, given in (("is_this_trail_whole", {}), ("we_are_late", {"x": "y"}), ("nothing", {})):
                with pytest.raises(MCPError):
                    await client.get_prompt(name, given)

    anyio.run(run)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_schema_has_titles_descriptions_and_examples(tool: Tool) -> None:
    schema = tool.input_schema
    Draft202012Validator.check_schema(schema)
    assert (schema["additionalProperties"], schema["title"]) == (False, tool.title)
    for name, part in schema["properties"].items():
        assert part["title"], name
        assert part["description"], name
        for example in part["examples"]:
            Draft202012Validator(part).validate(example)
    Draft202012Validator(schema).validate(CALLS[tool.name][0])
