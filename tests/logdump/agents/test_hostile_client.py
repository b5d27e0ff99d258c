"""A client that means harm, or is broken: each message has at most one answer, and memory stays bounded."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import MCPError

from logdump.agents import server
from logdump.agents.stdio import MOST_BYTES, number_in
from tests.logdump.agents.servers import COMMAND, PATIENCE, TOKEN, begun, gone, http_server, trails_in, workers_in
from tests.logdump.agents.test_real_client import CALLS
from tests.logdump.program import ENVIRONMENT
from tests.searching import IS_LONG, Random, examples

MOST_MEMORY = 300 << 20
ENDS = ["closed", "SIGTERM", "SIGKILL"]
_BEGIN = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "hostile", "version": "0"},
}


class RawClient:
    """Writes lines to a server, as they are; a thread reads its answers, when it is let."""

    def __init__(self, server: subprocess.Popen[bytes]) -> None:
        self.server = server
        self.answers: list[dict[str, Any]] = []
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        assert self.server.stdout is not None
        for line in self.server.stdout:
            made = json.loads(line)
            with self._changed:
                if "method" not in made:  # progress
                    self.answers.append(made)
                self._changed.notify_all()

    def listen(self) -> None:
        """Begin to read."""
        self._reader.start()

    def write(self, line: bytes) -> None:
        assert self.server.stdin is not None
        self.server.stdin.write(line + b"\n")
        self.server.stdin.flush()

    def ask(self, number: int | str, method: str, parameters: Any) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}).encode())

    def call(self, number: int | str, name: str, arguments: Any) -> None:
        self.ask(number, "tools/call", {"name": name, "arguments": arguments})

    def wait(self, number: int) -> None:
        """Wait until there are so many answers in all."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.answers) >= number, PATIENCE), len(self.answers)

    def of(self, number: int | str | None) -> list[dict[str, Any]]:
        return [made for made in self.answers if made.get("id") == number]


@contextmanager
def raw_client(folder: Path) -> Iterator[RawClient]:
    command = [*COMMAND, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as server:
        client = RawClient(server)
        client.ask("begin", "initialize", _BEGIN)
        client.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        try:
            yield client
            assert server.stdin is not None
            server.stdin.close()
            assert server.wait(PATIENCE) == 0
        finally:
            server.kill()


def peak(process: int) -> int:
    """The most memory that a process has had, in bytes."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))


def share(process: int) -> int:
    """The memory of a process now, in bytes: of what it shares with others its part."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("Pss:"))


def check_memory(client: RawClient, folder: Path) -> None:
    """The server and all its processes together have little, and none of them ever had more."""
    processes = [client.server.pid, *workers_in(folder)]
    assert sum(map(share, processes)) < MOST_MEMORY
    assert max(map(peak, processes)) < MOST_MEMORY


BROKEN = (
    b"{",
    b"{bad json}",
    b"\xff\xfe\x00",
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b"[]",
    b"7",
    b'"text"',
    b"null",
    b"x" * (MOST_BYTES + 1),
)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_broken_and_large_messages(tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")
    large = {"trail": "x" * 10_000_000}
    with raw_client(folder) as client:
        client.listen()
        for line in BROKEN:
            client.write(line)
        client.call("large", "check", large)
        client.call("inner", "check", {"trail": "et", "id": {"id": [{"id": 9}] * 300_000}})
        client.call(3, "check", {"trail": "x" * 900_000})
        client.call(4, "records", {"trail": "et", "limit": 1_000_000})
        client.call(5, "nothing", {})
        client.ask(6, "nothing/at/all", {})
        client.call(7, "check", {"trail": "et", "more": 1})
        client.call(8, "check", ["et"])
        client.call(9, "check", {"trail": "et"})
        for other in range(100):  # more than may wait, if any of them did
            client.write(b'{"jsonrpc": "1.0", "id": 10, "method": "ping"}')
            client.write(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9999}}')
            client.write(f'{{"jsonrpc": "2.0", "id": {1000 + other}, "result": {{}}}}'.encode())
        client.ask(11, "ping", {})
        client.wait(1 + len(BROKEN) + 9 + 100 + 1)
        assert {made["error"]["code"] for made in client.of(10)} == {-32600}
        assert "result" in client.of(11)[0]
        assert [made["error"]["code"] for made in client.of(None)] == [-32700] * 5 + [-32600] * 5
        for number in ("large", "inner", 3, 4, 5, 6, 7, 8):
            [made] = client.of(number)
            assert len(json.dumps(made)) < 2_000
            assert "error" in made, made
        assert client.of(4)[0]["error"]["message"] == "records: limit: it is at most 1000"
        assert client.of(9)[0]["result"]["structuredContent"]["status"] == 0
        check_memory(client, folder)


def many_calls(folder: Path, calls: int) -> None:
    """Calls that are asked without reading an answer, and then calls with answers, until there are so many."""
    random = Random("many")
    names = sorted(CALLS)
    with raw_client(folder) as client:
        begun = min(100, calls - 10)
        for number in range(begun):
            name = random.choice(names)
            client.call(number, name, CALLS[name][0])
        client.listen()
        client.wait(begun + 1)
        refused = [made for made in client.answers if made.get("error", {}).get("code") == -32000]
        assert len(refused) <= begun - 60
        for number in range(begun, calls):
            name = random.choice(names)
            client.call(number, name, CALLS[name][0])
            client.wait(number + 2)
        found = Counter(made["id"] for made in client.answers)
        assert found == Counter(["begin", *range(calls)])
        assert not [made for made in client.answers[begun + 1 :] if "error" in made]
        check_memory(client, folder)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_a_client_that_does_not_read_its_answers(tmp_path: Path) -> None:
    many_calls(trails_in(tmp_path / "trails"), 80)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks for processes in /proc")
@pytest.mark.parametrize("end", ENDS if IS_LONG else Random("end").sample(ENDS, 1))
def test_the_end_of_a_server_is_that_of_its_calls(end: str, tmp_path: Path) -> None:
    """It goes when its client does, or at a signal; if nobody lets it tidy up, the next server does."""
    folder, scratch = trails_in(tmp_path / "trails"), tmp_path / "scratch"
    scratch.mkdir()
    environment = {**ENVIRONMENT, "TMPDIR": str(scratch)}
    command = [*COMMAND, str(folder)]
    endless = "SELECT count(*) FROM range(10000000000) AS a, range(10000) AS b, records"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as server:
        client = RawClient(server)
        client.ask("begin", "initialize", _BEGIN)
        client.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        client.call(1, "sql", {"trail": "et", "statement": endless})
        client.listen()
        client.wait(1)
        processes = anyio.run(begun, folder)
        if end == "closed":
            assert server.stdin is not None
            server.stdin.close()
        else:
            server.send_signal(signal.Signals[end])
        assert server.wait(PATIENCE) == (-signal.SIGKILL if end == "SIGKILL" else 0)
    anyio.run(gone, processes)
    if end == "SIGKILL":
        subprocess.run(command, stdin=subprocess.DEVNULL, env=environment, check=True)
    assert [*scratch.iterdir()] == []


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it reads /proc")
def test_a_thousand_calls(tmp_path: Path) -> None:
    many_calls(trails_in(tmp_path / "trails"), 1000)


@pytest.mark.parametrize(
    "arguments",
    [
        {"trail": ["a"] * 200_000},
        {"trail": [[[]]] * 200_000},
        {"trail": [{"a": 1}] * 100_000},
        {"trail": {str(number): 1 for number in range(90_000)}},
        {str(number): 1 for number in range(90_000)},
        {"trail": "et", "where": ["a"] * 101},
    ],
)
def test_arguments_of_many_parts_are_refused_before_they_are_checked_one_by_one(
    arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check by the schema would keep the server from everything else for minutes."""
    monkeypatch.setattr(server, "_validator", None)
    with pytest.raises(MCPError, match="records: ") as raised:
        server.check_arguments("records", arguments)
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize("number", range(examples(600)))
def test_the_number_of_a_request_that_is_too_long_is_found(number: int) -> None:
    """It is the one that a parser finds, wherever it is and whatever is around it; none where there is none."""
    random = Random(f"number {number}")
    wanted = random.choice([None, 7, -3, "text", 'qu"ote', "é\\", "", {"id": 1}, [2], True, None])
    made = {f"k{at}": drawn(random, 3) for at in range(random.randrange(4))}
    made = dict(random.sample([*made.items(), ("id", wanted)], len(made) + 1))
    found = number_in(json.dumps(made, ensure_ascii=random.random() < 0.5).encode())
    assert found == (wanted if isinstance(wanted, str | int) and not isinstance(wanted, bool) else None)


def drawn(random: Random, depth: int) -> Any:
    inner = drawn(random, depth - 1) if depth else "}"
    return random.choice(["id", '{"id":1}\\"', {"id": inner, "x": '"id": 4'}, [inner, "]["], random.randrange(100)])


_ACCEPTS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
_KNOWN = {**_ACCEPTS, "Authorization": f"Bearer {TOKEN}"}
_PING = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":' + json.dumps(_BEGIN).encode() + b"}"
REQUESTS: tuple[tuple[dict[str, str], bytes, int], ...] = (
    (_ACCEPTS, _PING, 401),
    ({**_ACCEPTS, "Authorization": TOKEN}, _PING, 401),
    ({**_ACCEPTS, "Authorization": f"Bearer {TOKEN}x"}, _PING, 401),
    ({**_ACCEPTS, "Authorization": f"Bearer {TOKEN[:-1]}"}, _PING, 401),
    ({**_ACCEPTS, "Authorization": "Bearer"}, _PING, 401),
    ({**_KNOWN, "Host": "evil.example"}, _PING, 421),
    ({**_KNOWN, "Host": "127.0.0.1.evil.example:80"}, _PING, 421),
    ({**_KNOWN, "Origin": "http://evil.example"}, _PING, 403),
    ({**_KNOWN, "Origin": "null"}, _PING, 403),
    ({**_KNOWN, "Origin": "http://localhost.evil.example"}, _PING, 403),
    ({**_KNOWN, "Origin": "http://localhost:5000"}, _PING, 200),
    (_KNOWN, b"{broken", 400),
    (_KNOWN, b"x" * (MOST_BYTES + 1), 413),
    (_KNOWN, b"x" * 10_000_000, 413),
    (_KNOWN, _PING, 200),
)


def test_requests_over_http(tmp_path: Path) -> None:
    folder = trails_in(tmp_path / "trails")
    with http_server(folder) as (url, server), httpx2.Client(timeout=PATIENCE) as web:
        for headers, body, status in REQUESTS:
            assert web.post(url, content=body, headers=headers).status_code == status, (headers, body[:50])
        assert web.get(url.replace("/mcp", "/"), headers=_KNOWN).status_code == 404
        assert web.get(url).status_code == 401
        if sys.platform.startswith("linux"):
            assert peak(server.pid) < MOST_MEMORY
