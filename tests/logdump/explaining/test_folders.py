"""EXPLAIN of a folder of reports or an archive, and DOCTOR with reports: what has become of each process."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.logdump.program import logdump
from tests.searching import Random, examples

_ALTER = re.compile(r"EXTSEQNO (\d+), EXTRBA (\d+)")
_TRANSACTIONS = {3260: 3391, 3391: 3629, 3987: 4635, 4635: 4767}
"""The begin of some transactions of the sample, and the place after each."""


class Case(NamedTuple):
    """A process of a drawn home of GoldenGate: what it does, at which place of file 67 or 68, and when."""

    name: str
    state: str
    seqno: int
    rba: int
    minute: int


@pytest.fixture
def home(tmp_path: Path, trails: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of GoldenGate with the folders ``dirdat`` and ``dirrpt``."""
    content = (trails / "et000000000").read_bytes()
    for folder in ("dirdat", "dirrpt"):
        (tmp_path / folder).mkdir()
    for number in (67, 68):
        (tmp_path / "dirdat" / f"rt{number:09}").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _report(case: Case, *, place: bool = True) -> str:
    """The report of a process, which names it in its parameters."""
    time = f"2024-03-14 01:{case.minute:02}:04"
    reading = f"Reading ./dirdat/rt{case.seqno:09}, current RBA {case.rba}, 3 records\n" if place else ""
    text = {
        "abended": f"{time}  ERROR   OGG-01296  Error mapping from A.B to A.B.\n\n{reading}",
        "waits": f"{time}  WARNING OGG-01519  Waiting at EOF on input trail file ./dirdat/rt{case.seqno:09}, "
        "which is not marked as complete; but succeeding trail file ./dirdat/rt000000069 exists.\n",
        "reads": reading,
    }[case.state]
    return f"***\nREPLICAT {case.name.lower()}\nMAP A.*, TARGET A.*;\n\n{text}"


def _drawn(random: Random) -> list[Case]:
    names = random.sample(["REP1", "REPA", "RX", "PUMP", "R10", "ZZ"], random.choice((1, 3, 5)))
    minutes = random.sample(range(60), len(names))
    return [
        Case(
            name,
            random.choice(("abended", "waits", "reads")),
            random.choice((67, 68)),
            random.choice((*_TRANSACTIONS,)),
            minute,
        )
        for name, minute in zip(names, minutes, strict=True)
    ]


def _asked(*arguments: str) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """The processes by name, and the events of the answer."""
    events = [json.loads(line) for line in logdump(*arguments, "--format", "jsonl").out.splitlines()]
    return {process["name"]: process for process in events[0]["processes"]}, events


def _check(cases: list[Case], processes: dict[str, dict[str, Any]]) -> None:
    assert processes.keys() == {case.name for case in cases}
    for case in cases:
        process = processes[case.name]
        assert process["state"] == case.state, case
        assert Path(process["file"]).name == f"rt{case.seqno:09}"
        if case.state != "waits":
            assert process["place"]["rba"] == case.rba


def _written(home: Path, cases: list[Case]) -> None:
    for old in (home / "dirrpt").iterdir():
        old.unlink()
    for case in cases:
        (home / "dirrpt" / f"{case.name}.rpt").write_text(_report(case))


def test_each_process_of_a_folder_with_its_place_and_the_last_error_explained(home: Path) -> None:
    random = Random("folders")
    for _ in range(examples(8)):
        cases = _drawn(random)
        _written(home, cases)
        processes, _ = _asked("explain", "dirrpt", "--trails", "dirdat")
        _check(cases, processes)
        failed = sorted((case for case in cases if case.state == "abended"), key=lambda case: case.minute)
        every = logdump("explain", "dirrpt", "--all")
        for answer, shown in ((logdump("explain", "dirrpt"), failed[-1:]), (every, failed)):
            assert answer.status == 0
            wanted = [(str(case.seqno), str(rba)) for case in shown for rba in (case.rba, _TRANSACTIONS[case.rba])]
            assert _ALTER.findall(answer.out) == wanted, (cases, answer.out)


def test_the_last_error_that_says_why_is_explained_and_not_a_later_one_that_does_not(home: Path) -> None:
    """Of four processes one to three say only that they have abended, after the others."""
    random = Random("causes")
    for _ in range(examples(4)):
        names, minutes = random.sample(["REP1", "REPA", "RX", "PUMP"], 4), sorted(random.sample(range(60), 4))
        cases = [
            Case(name, "abended", random.choice((67, 68)), random.choice((*_TRANSACTIONS,)), minute)
            for name, minute in zip(names, minutes, strict=True)
        ]
        with_cause = random.randint(1, 3)
        _written(home, cases[:with_cause])
        for case in cases[with_cause:]:
            text = re.sub("OGG-01296  .*", "OGG-01668  PROCESS ABENDING.", _report(case, place=False))
            (home / "dirrpt" / f"{case.name}.rpt").write_text(text)
        last = cases[with_cause - 1]
        wanted = [(str(last.seqno), str(rba)) for rba in (last.rba, _TRANSACTIONS[last.rba])]
        assert _ALTER.findall(logdump("explain", "dirrpt").out) == wanted, cases


@pytest.mark.parametrize("kind", ["zip", "tar.gz", "folder"])
def test_an_archive_is_explained_from_its_own_files(
    kind: str, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from those that the absolute paths of its reports lead to on this machine."""
    cases = _drawn(Random(kind))
    for case in cases:
        text = _report(case).replace("./dirdat/", f"{home}/dirdat/")
        (home / "dirrpt" / f"{case.name}.rpt").write_text(text)
    files = [path for path in home.rglob("*") if path.is_file()]
    elsewhere = tmp_path / "elsewhere"
    archive = elsewhere / f"customer.{kind}"
    elsewhere.mkdir()
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as packed:
            for path in files:
                packed.write(path, path.relative_to(home))
    elif kind == "tar.gz":
        with tarfile.open(archive, "w:gz") as tar:
            for path in files:
                tar.add(path, path.relative_to(home))
    else:
        for path in files:
            (archive / path.relative_to(home)).parent.mkdir(parents=True, exist_ok=True)
            (archive / path.relative_to(home)).write_bytes(path.read_bytes())
    monkeypatch.chdir(elsewhere)
    processes, _ = _asked("explain", archive.name)
    _check(cases, processes)
    assert {Path(process["file"]).parents[1] for process in processes.values()} == {archive}


def test_what_another_file_says_of_the_same_error_is_put_to_it(home: Path) -> None:
    """ggserr.log has the place at the same second, another process and another hour have other places."""
    case = Case("REP1", "abended", 67, 3987, 10)
    (home / "dirrpt" / "REP1.rpt").write_text(_report(case, place=False))
    head = "2024-03-14T{}.123+0000  {}  Oracle GoldenGate Delivery for Oracle, {}.prm:  "
    reading = "Reading ./dirdat/rt000000067, current RBA {}, 3 records.\n"
    mapping = "Error mapping from A.B to A.B.\n"
    lines = [
        head.format("00:10:04", "ERROR   OGG-01296", "rep1") + mapping,
        head.format("00:10:05", "INFO    OGG-02333", "rep1") + reading.format(2991),
        head.format("01:10:04", "ERROR   OGG-01296", "rep1") + mapping,
        head.format("01:10:05", "INFO    OGG-02333", "rep1") + reading.format(3987),
        head.format("01:10:05", "ERROR   OGG-01296", "rep2") + mapping,
        head.format("01:10:06", "INFO    OGG-02333", "rep2") + reading.format(4635),
    ]
    (home / "ggserr.log").write_text("".join(lines))
    processes, _ = _asked("explain", ".")
    assert processes["REP1"]["place"]["rba"] == 3987
    assert processes["REP2"]["place"]["rba"] == 4635
    (home / "ggserr.log").unlink()
    (home / "dirrpt" / "REP1.dsc").write_text(
        "Aborting transaction on ./dirdat/rt beginning at seqno 67 rba 3987\n"
        "                         error at seqno 67 rba 4427\n"
    )
    processes, _ = _asked("explain", "dirrpt")
    assert processes["REP1"]["place"]["rba"] == 4427


def test_an_error_of_an_older_report_is_no_error_of_a_process_that_was_started_again(home: Path) -> None:
    first, second, now = (
        Case("REP1", state, 67, rba, 10) for state, rba in (("abended", 3391), ("abended", 3987), ("reads", 4635))
    )
    (home / "dirrpt" / "REP11.rpt").write_text(_report(first._replace(minute=5)))
    (home / "dirrpt" / "REP10.rpt").write_text(_report(second))
    for newest, state in (
        (now, "abended, and was started again"),
        (now._replace(state="abended", minute=20), "abended"),
    ):
        (home / "dirrpt" / "REP1.rpt").write_text(_report(newest))
        processes, _ = _asked("explain", "dirrpt")
        assert processes.keys() == {"REP1"}
        assert processes["REP1"]["state"] == state
        assert processes["REP1"]["place"]["rba"] == (3987 if newest is now else 4635)


@pytest.mark.parametrize("case", range(examples(12)))
def test_of_reports_with_errors_without_a_time_the_newest_one_tells_its_error(case: int, home: Path) -> None:
    """Four to eleven reports, of which three at least have an error; the newest one has none in each second case."""
    random = Random(f"no time {case}")
    ages = ["", *range(random.randint(3, 10))]
    older_ages = random.sample(range(2, len(ages)), random.randint(2, len(ages) - 2))
    failed = sorted([*range(case % 2, 2), *older_ages])
    places = {age: random.choice((*_TRANSACTIONS,)) for age in range(len(ages))}
    for older, newer in pairwise(failed):
        places[older] = next(rba for rba in _TRANSACTIONS if rba != places[newer])
    for age in random.sample(range(len(ages)), len(ages)):
        state = "abended" if age in failed else "reads"
        text = _report(Case("REP1", state, 67, places[age], 10)).replace("2024-03-14 01:10:04  ERROR", "ERROR")
        (home / "dirrpt" / f"REP1{ages[age]}.rpt").write_text(text)
    processes, _ = _asked("explain", "dirrpt")
    process = processes["REP1"]
    assert process["state"] == ("abended" if not failed[0] else "abended, and was started again")
    assert (Path(process["source"]).name, process["place"]["rba"]) == (f"REP1{ages[failed[0]]}.rpt", places[failed[0]])


def test_doctor_names_the_processes_that_read_its_trail(home: Path) -> None:
    random = Random("doctor")
    for number in (67, 68):
        (home / "dirdat" / f"zz{number:09}").write_bytes((home / "dirdat" / "rt000000067").read_bytes())
    for _ in range(examples(3)):
        cases = [*_drawn(random), Case("WAITING", "waits", 67, 3987, 58)]
        _written(home, cases)
        other = Case("OTHER", "abended", 67, 3987, 59)
        (home / "dirrpt" / "OTHER.rpt").write_text(_report(other).replace("dirdat/rt", "dirdat/zz"))
        answer = logdump("doctor", "dirdat/rt", "--reports", "dirrpt", "--format", "jsonl")
        (shown,) = (json.loads(line) for line in answer.out.splitlines())
        lines = {finding["text"].split()[0]: finding for finding in shown["findings"]}
        for case in cases:
            finding = lines[case.name]
            assert finding["text"].startswith(f"{case.name} {case.state}")
            assert finding["severity"] == ("note" if case.state == "reads" else "warning")
            assert f"rt{case.seqno:09}" in finding["text"]
        assert "OTHER" not in lines
    assert logdump("doctor", "dirdat/rt", "--reports", "nosuch").status == 4


@pytest.mark.parametrize("opened", ["./dirdat/{}", "/u01/ogg/dirdat/{}", r"D:\ogg\dirdat\{}"])
def test_doctor_leaves_out_a_process_of_another_trail_that_is_not_there(opened: str, home: Path) -> None:
    """Whether its error names the file or only the beginning of its report does; that of its own trail stays."""
    draw = Random(opened)
    for _ in range(examples(4)):
        wanted = set()
        for name in ("REP1", "REPA", "PUMP"):
            trail = draw.choice(["rt", "zz"])
            file = opened.format(f"{trail}000000005")
            says_place = draw.randrange(2)
            text = _report(Case(name, "abended", 5, 3987, 10), place=bool(says_place)).replace(
                "./dirdat/rt000000005", file
            )
            first = f"2024-03-14 01:00:00  INFO    OGG-02243  Opened trail file {file} at 2024-03-14 01:00:00.\n"
            (home / "dirrpt" / f"{name}.rpt").write_text(text.replace("\n\n", f"\n\n{first}", 1))
            wanted |= {name} if trail == "rt" else set()
        answer = logdump("doctor", "dirdat/rt", "--reports", "dirrpt", "--format", "jsonl")
        (shown,) = (json.loads(line) for line in answer.out.splitlines())
        assert {finding["text"].split()[0] for finding in shown["findings"] if "abended" in finding["text"]} == wanted


def test_a_folder_without_a_report_and_files_that_cannot_be_read(home: Path) -> None:
    assert logdump("explain", "dirrpt").status == 1
    (home / "dirrpt" / "a.rpt").write_bytes(bytes(range(256)) * 64)
    (home / "dirrpt" / "b.rpt.gz").write_bytes(b"\x1f\x8b\x08broken")
    (home / "dirrpt" / "c.rpt").symlink_to("/dev/zero")
    (home / "dirrpt" / "REP1.rpt").write_text(_report(Case("REP1", "abended", 67, 3987, 10)))
    processes, _ = _asked("explain", "dirrpt")
    assert processes["REP1"]["place"]["rba"] == 3987
    assert logdump("explain", "nosuchfolder/").status != 0
