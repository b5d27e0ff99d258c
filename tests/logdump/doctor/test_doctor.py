"""DOCTOR: what the page says is what the commands say that it names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.program import logdump


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


def examined(trail: str) -> dict[str, Any]:
    lines = logdump("doctor", trail, "--format", "jsonl").out.splitlines()
    (found,) = (json.loads(line) for line in lines)
    assert isinstance(found, dict)
    return found


def asked(command: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in logdump("--format", "jsonl", "-c", command).out.splitlines()]


@pytest.mark.parametrize("trail", ["ft000000000", "kt000000000", "al", "at"])
def test_damage_is_that_of_check(trail: str) -> None:
    gaps = [(one["file"], one["rba"]) for one in asked(f"check {trail}") if one["type"] == "gap"]
    found = [one["place"] for one in examined(trail)["findings"] if one["severity"] == "damage"]
    assert [(place["file"], place["rba"]) for place in found] == gaps


@pytest.mark.parametrize("trail", ["at", "al", "st", "et000000000"])
def test_cut_transactions_are_those_of_recovery(trail: str) -> None:
    answers = asked(f"recovery over {trail}")
    cut = [one["cut"] for one in answers if one["type"] in ("restart", "cut_transaction") and one["cut"]]
    found = [one["place"] for one in examined(trail)["findings"] if one["text"].startswith("cut:")]
    assert sorted((one["file"], one["rba"]) for one in found) == sorted(
        (one["begin"]["file"], one["begin"]["rba"]) for one in cut if one["begin"]
    )


@pytest.mark.parametrize("trail", ["et000000000", "at"])
def test_rows_by_table_are_those_of_count(trail: str) -> None:
    counted = dict.fromkeys(("TEAHOUSE.TEAS", "TEAHOUSE.SALES"), 0)
    for name in counted:
        for line in logdump("count", trail, "--table", name).out.splitlines():
            if line.startswith("LogTrail") and " has " in line:
                counted[name] = int(line.split(" has ")[1].split()[0])
    assert {one["table"]: one["records"] for one in examined(trail)["tables"]} == counted


def test_a_missing_file_is_damage_with_its_name(tmp_path: Path, trails: Path) -> None:
    for number in (0, 2):
        shutil.copy(trails / f"at00000000{number}", tmp_path)
    answer = logdump("doctor", str(tmp_path / "at"))
    assert answer.status == 4
    assert "at000000002 RBA 0: missing: at000000001 to at000000001" in answer.out


def test_a_folder_is_examined_trail_by_trail(tmp_path: Path, trails: Path) -> None:
    for name in ("et000000000", "yt000000000"):
        shutil.copy(trails / name, tmp_path)
    titles = [line for line in logdump("doctor", str(tmp_path)).out.splitlines() if line.startswith("Trail ")]
    assert [title.split(":")[0].rsplit("/", 1)[1] for title in titles] == ["et000000000", "yt000000000"]


def test_heartbeats_that_are_missing_are_a_warning() -> None:
    found = examined("yt")
    assert found["lags"][0]["missing"] == 4
    assert "4 heartbeats missing" in [one["text"] for one in found["findings"]]


def test_the_source_and_the_growth_are_told() -> None:
    found = examined("et")
    assert (found["database"], found["database_name"], found["host"]) == ("ORACLE", "TEADB", "samovar")
    assert found["bytes_per_hour"] == found["size"] * 6
    assert found["not_needed"] == []


def test_under_a_filter_it_is_refused() -> None:
    answer = logdump("-c", "filter rectype 5; doctor et000000000")
    assert answer.status == 1
    assert "FILTER OFF" in answer.err


def test_what_is_no_trail_is_said(tmp_path: Path) -> None:
    (tmp_path / "lt000000000").write_text("no trail")
    assert logdump("doctor", str(tmp_path / "lt")).status == 4
