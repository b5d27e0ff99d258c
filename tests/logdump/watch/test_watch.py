"""WATCH as a program: the page, its forms, the state, the text file, the server, and what is refused."""

from __future__ import annotations

import json
import re
import selectors
import shutil
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.watch import metrics, server
from logdump.features.watch.command import Watch
from logdump.features.watch.exposition import Metric, Sample, exposed, wants_open_metrics
from logdump.features.watch.server import MetricsServer
from logdump.session.errors import CommandError
from logdump.session.state_file import StateFile
from tests.logdump.program import logdump
from tests.logdump.watch.test_model import said
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import HeartbeatTrail
from tests.simulated.heartbeats import Row
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile
from trailformat.records.record_header import FIRST

SAMPLE = re.compile(
    r'(?P<name>[a-z_]+)(?:\{(?P<labels>(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (?P<value>[-+0-9.e]+)'
)
LABEL = re.compile(r'([a-z_]+)="((?:[^"\\\n]|\\["\\n])*)"')
Page = dict[tuple[str, frozenset[tuple[str, str]]], float]


def parsed(text: str) -> Page:
    """The samples of a page in the classic form, each of a metric whose help and type are told once, before it."""
    page, told = Page(), list[str]()
    for line in text.splitlines():
        if line.startswith("# "):
            told.append(line)
            continue
        match = SAMPLE.fullmatch(line)
        assert match is not None, line
        labels = frozenset((name, value) for name, value in LABEL.findall(match["labels"] or "") if name != "trail")
        key = match["name"], labels
        assert f"# TYPE {key[0]} {'counter' if key[0].endswith('_total') else 'gauge'}" in told
        assert key not in page or '"' in line
        page[key] = float(match["value"])
    assert len(told) == len(set(told))
    return page


def of(page: Page, name: str, **labels: str) -> float:
    return page[f"logdump_trail_{name}", frozenset(labels.items())]


def test_the_page_has_what_the_other_commands_say() -> None:
    page = parsed(logdump("watch", str(TRAILS / "at"), "--once").out)
    numbers = {"up": 1, "restarts_total": 3, "cut_transactions_total": 3, "files": 3, "files_not_closed": 1}
    assert {name: of(page, name) for name in numbers} == numbers
    sizes = sum(path.stat().st_size for path in TRAILS.glob("at*"))
    assert of(page, "size_bytes") == sizes
    assert sum(value for (name, _), value in page.items() if name == "logdump_trail_bytes_total") == sizes
    assert of(page, "records_total", operation="Insert") == 10
    beats = parsed(logdump("watch", str(TRAILS / "yt"), "--once").out)
    hops = {
        dict(labels)["hop"]: value for (name, labels), value in beats.items() if name == "logdump_trail_lag_seconds"
    }
    assert (hops["extract"], hops["routing"]) == (1.2, 0.3)


PROMTOOL = shutil.which("promtool")


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool, of Debian's package prometheus")
def test_promtool_has_nothing_to_say() -> None:
    page = logdump("watch", str(TRAILS / "at"), str(TRAILS / "yt"), "--once").out
    done = subprocess.run([str(PROMTOOL), "check", "metrics"], input=page, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("case", range(examples(12)))
def test_counters_only_grow_and_labels_are_few(case: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of each table and of the others too, whichever tables are the largest later."""
    draw = Random(f"tables {case}")
    monkeypatch.setattr(metrics, "MOST_TABLES", 3)
    names = [f"S.T{number}" for number in range(6)] + ["other"]
    watch, former, records = Watch([tmp_path / "tt"]), Page(), list[bytes]()
    for _ in range(6):
        records += [row(b"x" * draw.randint(1, 99), draw.choice(names)).raw for _ in range(draw.randint(1, 9))]
        trail_of(tmp_path, *records)
        list(watch.look())
        page = parsed(watch.page(is_open_metrics=False))
        assert all(page[key] >= value for key, value in former.items() if key[0].endswith("_total"))
        tables = {key: value for key, value in page.items() if key[0] == "logdump_trail_table_records_total"}
        assert len(tables) <= 4
        assert sum(tables.values()) == len(records)
        former = page


def test_a_name_of_a_table_breaks_no_line(tmp_path: Path) -> None:
    odd = 'S.a"b\\c\n# EOF\x1b[31m'
    trail_of(tmp_path, row(b"x", odd), row(b"y", "S.é"))
    out = logdump("watch", str(tmp_path / "tt"), "--once").out
    assert "\x1b" not in out
    tables = {dict(labels)["table"] for name, labels in parsed(out) if name == "logdump_trail_table_records_total"}
    assert "S.é" in tables
    assert len(tables) == 3


@pytest.mark.parametrize(
    ("accept", "is_open"),
    [
        ("", False),
        ("*/*", False),
        ("text/plain", False),
        ("application/openmetrics-text", True),
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5",
            True,
        ),
        ("text/plain;q=0.9, application/openmetrics-text;q=0.1", False),
        ("application/openmetrics-text;q=0", False),
        ("application/openmetrics-text;q=x", False),
    ],
)
def test_the_header_accept_chooses_the_form(accept: str, is_open: bool) -> None:
    assert wants_open_metrics(accept) is is_open


def test_the_two_forms_of_a_page() -> None:
    metric = Metric("a_total", 'It is "so"\\', [Sample({"x": '1"2\\3\n'}, 4), Sample({}, 0.5)])
    lines = [
        '# HELP a_total It is "so"\\\\',
        "# TYPE a_total counter",
        'a_total{x="1\\"2\\\\3\\\\x0a"} 4',
        "a_total 0.5",
    ]
    classic = exposed([metric, Metric("none", "Nothing.", [])]).splitlines()
    assert classic[:2] == lines[:2]
    assert classic[3] == lines[3]
    assert "\n" not in classic[2]
    open_lines = exposed([metric], is_open_metrics=True).splitlines()
    assert open_lines[:2] == ['# HELP a It is \\"so\\"\\\\', "# TYPE a counter"]
    assert open_lines[2:] == [*classic[2:], "# EOF"]


def _lines(watch: Watch) -> list[str]:
    """The page without what changes with the time and the disk."""
    changing = re.compile(r"logdump_(trail_\w+_age_seconds|trail_disk_\w+|watch_last_look\w+)")
    return [line for line in watch.page(is_open_metrics=False).splitlines() if not changing.match(line)]


def test_another_run_goes_on_from_the_state_and_reads_nothing_twice(tmp_path: Path) -> None:
    state = tmp_path / "state"
    records = [row(f"{number}".encode()) for number in range(5)]
    trail_of(tmp_path, *records[:3])
    words = ("watch", str(tmp_path / "tt"), "--once", "--state", str(state))
    first = logdump(*words)
    assert "there is none yet" in first.err
    assert of(parsed(first.out), "records_total", operation="Insert") == 3
    again = logdump(*words)
    assert again.err == ""
    assert of(parsed(again.out), "records_total", operation="Insert") == 3
    trail_of(tmp_path, *records)
    assert of(parsed(logdump(*words).out), "records_total", operation="Insert") == 5
    whole = Watch([tmp_path / "tt"])
    list(whole.look())
    resumed = Watch([tmp_path / "tt"])
    assert list(resumed.resume(StateFile(state, "watch"))) == []
    list(resumed.look())
    assert _lines(resumed) == _lines(whole)


@pytest.mark.parametrize("damage", ["cut", "empty", "counters", "place", "types"])
def test_a_state_that_is_damaged_is_a_first_run_and_is_said(damage: str, tmp_path: Path) -> None:
    state, trail = tmp_path / "state", trail_of(tmp_path, row(b"one"), row(b"two"))
    words = ("watch", str(trail), "--once", "--state", str(state))
    logdump(*words)
    data = state.read_bytes()
    state.write_bytes(
        {
            "cut": data[:-20],
            "empty": b"",
            "counters": data.replace(b'"damages"', b'"damage"'),
            "place": re.sub(rb'"place":\[[^]]*\]', b'"place":[1,2,3]', data),
            "types": data.replace(b'"transactions":[2,', b'"transactions":["2",'),
        }[damage]
    )
    answer = logdump(*words)
    assert "is read from its beginning" in answer.err
    assert of(parsed(answer.out), "records_total", operation="Insert") == 2


@pytest.mark.parametrize("case", range(examples(8)))
def test_of_a_damaged_state_nothing_is_taken(case: int, tmp_path: Path) -> None:
    """Whatever value of it is missing or of another type: its other values are not taken for those of a first run."""
    draw, state = Random(f"values {case}"), StateFile(tmp_path / "state", "watch")
    trail_of(tmp_path, row(b"one"), row(b"two", trans_ind=FIRST))
    watch = Watch([tmp_path / "tt"], None, state)
    list(watch.look())
    assert list(watch.written()) == []
    trail_of(tmp_path, row(b"another trail"))
    fresh = StateFile(tmp_path / "fresh", "watch")
    watch = Watch([tmp_path / "tt"], None, fresh)
    list(watch.look())
    for _ in range(12):
        values = json.loads(state.path.read_text(encoding="ascii"))
        own = values["trails"][str(tmp_path / "tt")]
        part = draw.choice([own, own["counters"]])
        name = draw.choice([name for name, value in part.items() if value or isinstance(value, (int, dict))])
        if draw.random() < 0.5:
            del part[name]
        else:
            part[name] = draw.choice(["x", 1.5, {"x": "y"}, [[1]], [None]])
        other = StateFile(tmp_path / "other", "watch")
        other.write({"trails": values["trails"]})
        resumed = Watch([tmp_path / "tt"], None, other)
        lines = said(resumed.resume(other))
        assert [line.endswith("is read from its beginning") for line in lines] == [True], (name, part.get(name))
        list(resumed.look())
        assert _lines(resumed) == _lines(watch)


@pytest.mark.parametrize("case", range(examples(8)))
def test_what_cannot_be_written_is_said_once_and_counted_and_the_watch_goes_on(case: int, tmp_path: Path) -> None:
    """A folder that is gone, a name that another thing has: until it is as it was."""
    draw = Random(f"unwritten {case}")
    places = {name: tmp_path / name / f"{name}.prom" for name in ("state", "textfile")}
    for path in places.values():
        path.parent.mkdir()
    records = [row(b"0").raw]
    trail_of(tmp_path, *records)
    watch = Watch([tmp_path / "tt"], places["textfile"], StateFile(places["state"], "watch"))
    failures, known = dict.fromkeys(places, 0), dict.fromkeys(places, False)
    for number in range(1, 12):
        records.append(row(f"{number}".encode()).raw)
        trail_of(tmp_path, *records)
        broken = {name for name in places if draw.random() < 0.4}
        for name, path in places.items():
            _break(path, draw) if name in broken else _mend(path)
        list(watch.look())
        lines = said(watch.written())
        for name, path in places.items():
            is_new = name in broken and not known[name]
            assert [str(path) in line for line in lines].count(True) == is_new or (name in broken and known[name])
            known[name] = name in broken
            failures[name] += name in broken
        page = parsed(watch.page(is_open_metrics=False))
        own = {name: page["logdump_watch_write_failures_total", frozenset({("file", name)})] for name in places}
        assert own == failures
        assert of(page, "records_total", operation="Insert") == number + 1
        if "textfile" not in broken:
            assert places["textfile"].read_text(encoding="utf-8") == watch.page(is_open_metrics=False)
        if "state" not in broken:
            resumed = Watch([tmp_path / "tt"])
            assert list(resumed.resume(StateFile(places["state"], "watch"))) == []
            assert of(parsed(resumed.page(is_open_metrics=False)), "records_total", operation="Insert") == number + 1


def test_a_state_that_is_removed_is_written_again_though_nothing_has_changed(tmp_path: Path) -> None:
    trail_of(tmp_path, row(b"one"))
    state = StateFile(tmp_path / "state", "watch")
    watch = Watch([tmp_path / "tt"], None, state)
    for _ in range(3):
        list(watch.look())
        assert list(watch.written()) == []
        resumed = Watch([tmp_path / "tt"])
        assert list(resumed.resume(state)) == []
        state.path.unlink()


def _break(path: Path, draw: Random) -> None:
    """Make it impossible to write a file: its folder is gone, or it is a folder."""
    _mend(path)
    path.unlink(missing_ok=True)
    if draw.random() < 0.5:
        path.mkdir()
        return
    shutil.rmtree(path.parent)


def _mend(path: Path) -> None:
    if path.is_dir():
        path.rmdir()
    path.parent.mkdir(exist_ok=True)


def test_two_watchers_do_not_take_one_state(tmp_path: Path) -> None:
    state, trail = tmp_path / "state", trail_of(tmp_path, row(b"one"))
    with StateFile(state, "watch").locked():
        answer = logdump("watch", str(trail), "--once", "--state", str(state))
    assert (answer.status, answer.out) == (1, "")
    assert "another process uses this state" in answer.err


def test_the_state_of_one_command_is_none_of_another(tmp_path: Path) -> None:
    state, trail = tmp_path / "state", trail_of(tmp_path, row(b"one"))
    logdump("doctor", str(trail), "--since-last", str(state))
    data = state.read_bytes()
    answer = logdump("watch", str(trail), "--once", "--state", str(state))
    assert answer.status == 1
    assert "it is no state of watch" in answer.err
    assert state.read_bytes() == data


def test_a_text_file_is_written_whole_and_can_be_read_by_others(tmp_path: Path) -> None:
    target, trail = tmp_path / "trail.prom", trail_of(tmp_path, row(b"one"))
    answer = logdump("watch", str(trail), "--once", "--textfile", str(target))
    assert (answer.out, answer.status) == ("", 0)
    assert of(parsed(target.read_text(encoding="utf-8")), "up") == 1
    assert target.stat().st_mode & 0o777 == 0o644
    logdump("watch", str(trail), "--once", "--textfile", str(target))
    for wrong in (trail, tmp_path / "metrics.txt"):
        answer = logdump("watch", str(trail), "--once", "--textfile", str(wrong))
        assert answer.status == 1
        assert "files that end with .prom only" in answer.err
    link = tmp_path / "link.prom"
    link.symlink_to(trail)
    assert logdump("watch", str(trail), "--once", "--textfile", str(link)).status != 0
    assert trail.read_bytes() == row(b"one").raw


@pytest.mark.parametrize(
    "words", [["nowhere"], [str(TRAILS.parent / "__init__.py")], [str(TRAILS / "et"), "--every", "0"]]
)
def test_what_is_no_trail_is_refused(words: list[str]) -> None:
    answer = logdump("watch", *words, "--once")
    assert (answer.status != 0, answer.out) == (True, "")
    assert answer.err


@pytest.mark.parametrize("case", range(examples(12)))
def test_a_trail_of_which_nothing_can_be_read_is_down(case: int, tmp_path: Path) -> None:
    """Its files are all empty, or end in their first record; after one that has records they are not begun."""
    draw = Random(f"unborn {case}")
    for number in range(1, 1 + draw.randint(1, 3)):
        begun = row(b"one").raw[: draw.choice([0, 0, 1, 5, 40])]
        trail_of(tmp_path, begun, name=f"tt{number:09d}")
    answer = logdump("watch", str(tmp_path / draw.choice(["tt", "tt000000001"])), "--once")
    assert (answer.status, of(parsed(answer.out), "up")) == (4, 0)
    assert str(tmp_path) in answer.err
    trail_of(tmp_path, row(b"one"))
    answer = logdump("watch", str(tmp_path / "tt"), "--once")
    assert (answer.status, of(parsed(answer.out), "up")) == (0, 1)


def test_a_trail_that_goes_away_is_down_and_said_once(tmp_path: Path) -> None:
    trail = trail_of(tmp_path, row(b"one"))
    watch = Watch([tmp_path / "tt"])
    assert list(watch.look()) == []
    trail.unlink()
    said = [len(list(watch.look())) for _ in range(3)]
    assert said == [1, 0, 0]
    page = parsed(watch.page(is_open_metrics=False))
    assert of(page, "up") == 0
    assert of(page, "records_total", operation="Insert") == 1
    trail_of(tmp_path, row(b"one"), row(b"two"))
    list(watch.look())
    page = parsed(watch.page(is_open_metrics=False))
    assert (of(page, "up"), of(page, "records_total", operation="Insert")) == (1, 2)


def test_a_clock_that_goes_back_makes_no_age_below_zero(tmp_path: Path) -> None:
    trail_of(tmp_path, row(b"one"))
    watch = Watch([tmp_path / "tt"])
    list(watch.look())
    shown = {metric.name: metric for metric in watch._metrics.at(0.0)}
    assert [sample.value for sample in shown["logdump_trail_newest_record_age_seconds"].samples] == [0.0]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[MetricsServer]:
    trail_of(tmp_path, row(b"one"))
    watch = Watch([tmp_path / "tt"])
    list(watch.look())
    server = MetricsServer("127.0.0.1:0", watch.page)
    yield server
    server.close()


def _asked(server: MetricsServer, path: str = "/metrics", **headers: str) -> tuple[str, str]:
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def test_the_page_is_served_in_both_forms(served: MetricsServer) -> None:
    kind, text = _asked(served)
    assert kind == "text/plain; version=0.0.4; charset=utf-8"
    assert of(parsed(text), "up") == 1
    kind, text = _asked(served, Accept="application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text; version=1.0.0")
    assert text.endswith("\n# EOF\n")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        _asked(served, "/etc/passwd")


def test_clients_that_say_nothing_or_nonsense_do_not_stop_the_service(served: MetricsServer) -> None:
    silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(5)]
    for data in (
        b"\x00\xff" * 5000,
        b"GET /metrics\r\n\r\n",
        b"POST /metrics HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", served.port)) as client:
            client.sendall(data)
    assert of(parsed(_asked(served)[1]), "up") == 1
    for client in silent:
        client.close()


@pytest.mark.parametrize("case", range(examples(4)))
def test_a_client_has_a_time_for_all_of_a_request(
    case: int, served: MetricsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it spends it: each byte that it sends, or takes, gives it no more of it."""
    draw = Random(f"slow {case}")
    monkeypatch.setattr(server, "_PATIENCE", 0.2)
    begun = draw.choice([b"", b"GET /metrics", b"GET /metrics HTTP/1.1\r\nX: "])
    with socket.create_connection(("127.0.0.1", served.port)) as client, selectors.DefaultSelector() as waiting:
        client.sendall(begun)
        waiting.register(client, selectors.EVENT_READ)
        for _ in range(200):
            if waiting.select(0.02):
                break
            with suppress(OSError):
                client.sendall(draw.choice([b"x", b"y"]))
        else:
            pytest.fail("the connection was not ended")
    assert of(parsed(_asked(served)[1]), "up") == 1


@pytest.mark.parametrize(
    "address", ["", "9464", "127.0.0.1:", ":9464", "127.0.0.1:99999", "127.0.0.1:x", "300.1.1.1:80"]
)
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(CommandError):
        MetricsServer(address, lambda *, is_open_metrics: str(is_open_metrics))


def test_an_address_in_use_is_refused(served: MetricsServer) -> None:
    answer = logdump("watch", str(TRAILS / "et"), "--listen", f"127.0.0.1:{served.port}")
    assert answer.status == 1
    assert "the metrics cannot be served there" in answer.err


EXAMPLES = Path(__file__).parents[3] / "examples" / "watch"
NAME = re.compile(r"logdump_(?:trail|watch)_[a-z_]+")


def test_the_page_and_the_examples_name_metrics_that_exist() -> None:
    """docs/watch.md lists all of them; alerts and dashboard ask for no other."""
    shown = [metric.name for metric in Watch([TRAILS / "yt"])._shown]
    documents = (EXAMPLES.parents[1] / "docs" / "watch.md").read_text(encoding="utf-8")
    assert set(NAME.findall(documents.partition("## Metrics")[2])) == set(shown)
    for name in ("alerts.yml", "grafana.json"):
        asked = set(NAME.findall((EXAMPLES / name).read_text(encoding="utf-8")))
        assert asked
        assert asked <= set(shown)
    panels = json.loads((EXAMPLES / "grafana.json").read_text(encoding="utf-8"))["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool, of Debian's package prometheus")
def test_promtool_takes_the_alerts() -> None:
    done = subprocess.run(
        [str(PROMTOOL), "check", "rules", str(EXAMPLES / "alerts.yml")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("case", range(examples(16)))
def test_heartbeat_rows_that_are_changed_keep_their_path_in_another_run(case: int, tmp_path: Path) -> None:
    """An update has the columns that it changes: the others are those of the row, which an earlier run has read."""
    draw = Random(f"rows {case}")
    trail, folder = HeartbeatTrail(tmp_path / "made"), tmp_path / "dirdat"
    names, minute = draw.sample(["EAST", "WEST", "NORTH"], draw.randint(1, 3)), 60_000_000
    rows: dict[str, Row] = {name: {"LOCAL_DATABASE": name, "OUTGOING_EXTRACT": f"EXT{name[0]}"} for name in names}
    for at in range(draw.randint(len(names) + 1, 9)):
        name = names[at] if at < len(names) else draw.choice(names)
        new: Row = rows[name] | {
            "HEARTBEAT_TIMESTAMP": at * minute,
            "OUTGOING_EXTRACT_TS": at * minute + draw.randint(1, 9),
        }
        if at < len(names):
            trail.insert(new, at * minute)
        else:
            trail.update(rows[name], new, at * minute)
        rows[name] = new
    path = trail.close()
    with TrailFile(path) as file:
        ends = [record.rba + record.length for record in file.records()]
    folder.mkdir()
    watch, state = Watch([folder / "lt"]), StateFile(tmp_path / "state", "watch")
    for end in sorted({*draw.sample(ends, min(len(ends), 4)), ends[-1]}):
        (folder / "lt000000000").write_bytes(path.read_bytes()[:end])
        watch = Watch([folder / "lt"], None, state)
        list(watch.resume(state))
        list(watch.look())
        watch.write()
    whole = Watch([folder / "lt"], None, StateFile(tmp_path / "other", "watch"))
    list(whole.look())
    assert sorted(_lines(watch)) == sorted(_lines(whole))
    assert sum("EXT" in line for line in _lines(whole)) >= len(names)
