"""TRANSACTIONS: the transactions of SAFE, RECOVERY and the view of SQL, the largest first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.searching import IS_LONG, Random, all_in_turn
from tests.simulated.trail_faults import transaction
from tests.trailformat.samples import BOTH
from tests.trailformat.small_batches import in_batches
from tests.trailformat.transaction_shapes import shapes

TRAILS = ["at", "st", "et", "pt", "zt", "al", "ft", "bt", "ot000000", "nh000000"]
"""Restarts, files, LOBs and fragments, damage, both byte orders, without definitions, without a file header."""


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


def listed(*words: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    found = map(json.loads, logdump("transactions", *words, "--format", "jsonl").out.splitlines())
    *transactions, end = (item for item in found if item["type"] != "notice")
    return transactions, end


def test_the_reason_why_one_is_not_applied_is_a_copy_or_damage_and_names_which(tmp_path: Path) -> None:
    first, second, third = transaction(11, 2), transaction(12, 1), transaction(13, 3)
    damage = [b"\xee" * 30]
    path = tmp_path / "tt000000000"
    path.write_bytes(b"".join([*first, *second, *first, *damage, *third, *second]))
    told = [line.split("  (")[1:] for line in logdump("transactions", str(path)).out.splitlines()[:-1]]
    assert sorted(told) == [
        [],
        [],
        [f"not applied: a copy of that at RBA 0 of {path.name})"],
        [f"not applied: a copy of that at RBA {sum(map(len, first))} of {path.name})"],
        ["not applied: after damage, where Replicat abends)"],
    ]
    transactions, _ = listed(str(path))
    assert [found_transaction["csn"] for found_transaction in transactions if found_transaction["after_damage"]] == [
        "13",
        "12",
    ]


@pytest.mark.parametrize("trail", TRAILS)
def test_they_are_those_of_the_view_of_sql(trail: str) -> None:
    transactions, end = listed(trail, "--limit", "1000")
    columns = "csn, xid, begin_rba, end_rba, records, bytes, is_whole, ended, is_effective"
    statement = f"sql over {trail} mode permissive select {columns} from transactions format jsonl"
    view = [tuple(json.loads(line).values()) for line in logdump("-c", statement).out.splitlines()]
    members = ("csn", "xid", "begin_rba", "end_rba", "records", "bytes", "whole", "ended", "effective")
    assert sorted(map(repr, view)) == sorted(
        repr(tuple(found_transaction[name] for name in members)) for found_transaction in transactions
    )
    assert (end["transactions"], end["listed"]) == (len(view), len(view))
    assert end["effective"] == sum(row[-1] for row in view)


def test_a_cut_transaction_and_its_copy_are_two() -> None:
    lines = logdump("transactions", "at").out.splitlines()
    copy, cut = (line for line in lines if " 2024/03/14 09:32:00.000.000 41882334 5.2.8802 " in line)
    assert copy.startswith("at000000000:3130 ")
    assert copy.endswith(" 3 records 297 bytes  TEAHOUSE.TEAS 2, TEAHOUSE.SALES 1")
    assert cut.startswith("at000000000:2722 ")
    assert cut.endswith(" 2 records 177 bytes  TEAHOUSE.SALES 1, TEAHOUSE.TEAS 1  (not applied: cut by a restart)")
    assert lines[-1] == "LogTrail at, 3 files: 10 transactions, 6 of them effective"


@pytest.mark.parametrize("most", [1, 3, 9])
def test_the_largest_come_first_and_of_one_size_the_earlier(most: int) -> None:
    every, _ = listed("et", "--limit", "100")
    some, end = listed("et", "--limit", str(most))
    assert some == every[:most]
    assert [found_transaction["bytes"] for found_transaction in every] == sorted(
        (found_transaction["bytes"] for found_transaction in every), reverse=True
    )
    assert (end["transactions"], end["listed"]) == (len(every), most)


def test_a_filter_counts_what_passes_and_must_be_meant(line: Line) -> None:
    assert "FILTERED" in line("open et000000000; filter filename teahouse.sales; transactions")[-1]
    shown = line("transactions filtered")
    assert all("TEAHOUSE.SALES" in text and "TEAS" not in text for text in shown[:-1])
    assert "with a record that passes the filter" in shown[-1]


def test_of_a_damaged_trail_the_rest_is_listed_and_the_damage_said() -> None:
    answer = logdump("transactions", "ft")
    assert answer.status == 4
    assert "partial, without a verdict" in answer.err
    assert logdump("recovery", "ft").out.splitlines()[0].endswith("10 transactions, 3 of them effective")
    assert answer.out.splitlines()[-1].endswith("10 transactions, 3 of them effective")


def test_a_copy_names_its_first() -> None:
    *_, copy = (line for line in logdump("transactions", "wt", "--limit", "15").out.splitlines() if "a copy of" in line)
    assert copy.endswith("(not applied: a copy of that at RBA 4142 of wt000000000)")


@pytest.mark.parametrize("trail", ["at", "et", "wt"])
def test_doctor_and_report_show_the_same(trail: str, tmp_path: Path) -> None:
    largest, _ = listed(trail, "--limit", "5")
    [shown] = (
        item
        for item in map(json.loads, logdump("doctor", trail, "--format", "jsonl").out.splitlines())
        if "lags" in item
    )
    members = ("csn", "xid", "records", "effective")
    told = [
        (
            *(found_transaction[name] for name in members),
            found_transaction["begins"]["rba"],
            found_transaction["data_bytes"],
        )
        for found_transaction in shown["transactions"]
    ]
    assert told == [
        (*(found_transaction[name] for name in members), found_transaction["begin_rba"], found_transaction["bytes"])
        for found_transaction in largest
    ]
    logdump("report", trail, "-o", str(tmp_path / "r.md"))
    page = (tmp_path / "r.md").read_text(encoding="utf-8").partition("## Largest transactions")[2]
    rows = [line.split(" | ")[1:] for line in page.splitlines() if line.startswith("| 20")]
    assert [row[:2] for row in rows[:5]] == [
        [found_transaction["csn"] or "", found_transaction["xid"] or ""] for found_transaction in largest
    ]


@pytest.mark.parametrize(("seed", "size"), all_in_turn(range(60 if IS_LONG else 12), [3, 7, 1 << 14]))
def test_those_that_are_not_listed_are_counted_as_those_that_are(
    seed: int, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over two files of records that begin, continue, end and cut transactions, of damage and of copies."""
    monkeypatch.setattr("trailformat.transactions.whole_trail.scan_in_threads", in_batches(size))
    random = Random(f"{seed} {size}")
    kinds = [*shapes(random.choice(BOTH))[1:], *transaction(11, 2), *transaction(12, 1), *transaction(13, 3)]
    first, last = transaction(16, 2)
    for number in range(2):
        records = random.choices(kinds, k=30)
        copied = random.choice([[], records[-9:]])
        (tmp_path / f"nh{number:06}").write_bytes(
            b"".join([*records, *transaction(14, 2), first, b"\xee" * 30, last, *copied, *transaction(15, 1)])
        )
    name = str(tmp_path / "nh")
    filtered = random.choice([[], ["--table", "TEA.LEAVES"]])
    every, all_of_them = listed(name, "--limit", "1000", *filtered)
    for most in (1, random.randint(2, 6)):
        some, end = listed(name, "--limit", str(most), *filtered)
        assert some == every[:most]
        assert {**end, "listed": len(every)} == all_of_them
