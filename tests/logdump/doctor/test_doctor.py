"""DOCTOR: what the page says is what the commands say that it names."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from logdump.notation.times import iso_time
from tests.logdump.program import logdump
from tests.simulated.encryption import by_aes, encrypted, write_rows
from tests.simulated.trail_faults import headed
from tests.trailformat.samples import IO_TIME, row
from trailformat import TrailFile, change_of
from trailformat.records.record_header import ONLY
from trailformat.transactions import not_applied


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


LOGGING = "supplemental logging is not complete (ADD TRANDATA)"


def examined(trail: str) -> dict[str, Any]:
    lines = logdump("doctor", trail, "--format", "jsonl").out.splitlines()
    (found,) = (json.loads(line) for line in lines)
    assert isinstance(found, dict)
    return found


def asked(command: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in logdump("--format", "jsonl", "-c", command).out.splitlines()]


@pytest.mark.parametrize("trail", ["ft000000000", "kt000000000", "al", "at"])
def test_damage_is_that_of_check(trail: str) -> None:
    gaps = [(item["file"], item["rba"]) for item in asked(f"check {trail}") if item["type"] == "gap"]
    found = [finding["place"] for finding in examined(trail)["findings"] if finding["severity"] == "damage"]
    assert [(place["file"], place["rba"]) for place in found] == gaps


@pytest.mark.parametrize("trail", ["at", "al", "st", "et000000000"])
def test_cut_transactions_are_those_of_recovery(trail: str) -> None:
    answers = asked(f"recovery over {trail}")
    cut = [answer["cut"] for answer in answers if answer["type"] in ("restart", "cut_transaction") and answer["cut"]]
    found = [finding["place"] for finding in examined(trail)["findings"] if finding["text"].startswith("cut:")]
    assert sorted((item["file"], item["rba"]) for item in found) == sorted(
        (item["begin"]["file"], item["begin"]["rba"]) for item in cut if item["begin"]
    )


@pytest.mark.parametrize("trail", ["at", "al", "st", "et000000000", "ft000000000", "kt000000000"])
def test_the_largest_transactions_are_those_of_transactions(trail: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = asked(f"transactions 5 over {trail}")
    listed = [transaction for transaction in answers if transaction["type"] == "listed_transaction"]
    assert listed
    # the walk of RECOVERY tells which of them are applied: there is no other one
    monkeypatch.setattr(not_applied, "transaction_batches", None)
    found = examined(trail)["transactions"]
    assert [
        (transaction["begins"]["rba"], transaction["csn"], transaction["data_bytes"], transaction["effective"])
        for transaction in found
    ] == [
        (transaction["begin_rba"], transaction["csn"], transaction["bytes"], transaction["effective"])
        for transaction in listed
    ]


@pytest.mark.parametrize("trail", ["et000000000", "at"])
def test_rows_by_table_are_those_of_count(trail: str) -> None:
    counted = dict.fromkeys(("TEAHOUSE.TEAS", "TEAHOUSE.SALES"), 0)
    for name in counted:
        for line in logdump("count", trail, "--table", name).out.splitlines():
            if line.startswith("LogTrail") and " has " in line:
                counted[name] = int(line.split(" has ")[1].split()[0])
    assert {table["table"]: table["records"] for table in examined(trail)["tables"]} == counted


def test_a_missing_file_is_damage_with_its_name(tmp_path: Path, trails: Path) -> None:
    for number in (0, 2):
        shutil.copy(trails / f"at00000000{number}", tmp_path)
    answer = logdump("doctor", str(tmp_path / "at"))
    assert answer.status == 4
    assert "at000000002 RBA 0: missing: at000000001" in answer.out


def test_a_folder_is_examined_trail_by_trail(tmp_path: Path, trails: Path) -> None:
    for name in ("et000000000", "yt000000000"):
        shutil.copy(trails / name, tmp_path)
    titles = [line for line in logdump("doctor", str(tmp_path)).out.splitlines() if line.startswith("Trail ")]
    assert [title.split(":")[0].rsplit("/", 1)[1] for title in titles] == ["et000000000", "yt000000000"]


def test_heartbeats_that_are_missing_are_a_warning() -> None:
    found = examined("yt")
    assert found["lags"][0]["missing"] == 4
    assert "4 heartbeats missing after this one" in [finding["text"] for finding in found["findings"]]


def test_the_source_and_the_growth_are_told() -> None:
    found = examined("et")
    assert (found["database"], found["database_name"], found["host"]) == ("ORACLE", "TEADB", "samovar")
    assert found["bytes_per_hour"] == found["size"] * 6
    assert found["not_needed"] == []


@pytest.mark.parametrize("order", [(1, 5, 3), (1, 3, 5), (2, 3, 1), (1, 4, None), (1, None, None), (None, 2, 3)])
def test_time_and_growth_are_those_of_the_oldest_and_the_newest_record_of_all_files(
    order: tuple[int | None, ...], tmp_path: Path
) -> None:
    """Hours of the records of three files; None: a file of a header alone."""
    hour = 3_600_000_000
    for number, at in enumerate(order):
        record = row(trans_ind=ONLY, io_time=IO_TIME + at * hour).raw if at is not None else b""
        (tmp_path / f"tt{number:09}").write_bytes(headed(number, record, None))
    first, last = (choose(at for at in order if at is not None) for choose in (min, max))
    growth = examined(str(tmp_path / "tt"))
    assert growth["first_time"] == iso_time(IO_TIME + first * hour)
    assert growth["last_time"] == iso_time(IO_TIME + last * hour)
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert growth["bytes_per_hour"] == (size // (last - first) if last > first else None)


def test_the_columns_of_images_are_those_that_the_records_have() -> None:
    """Counted again from the records, one by one."""
    found: dict[tuple[str, str, str], set[int]] = {}
    with TrailFile("et000000000") as trail:
        for record in trail.records():
            change = None if record.is_file_header else change_of(trail, record)
            if change is None or change.op not in ("INSERT", "UPDATE", "PK UPDATE", "DELETE"):
                continue
            assert record.images is not None
            for side, image in (("before", record.images.before), ("after", record.images.after)):
                if image:
                    op = change.op.removeprefix("PK ")
                    found.setdefault((change.table, op, side), set()).add(len(image))
    images = {
        (table["table"], part["op"], part["side"]): (part["least"], part["most"])
        for table in examined("et000000000")["images"]
        for part in table["images"]
    }
    assert images == {key: (min(numbers), max(numbers)) for key, numbers in found.items()}


@pytest.mark.parametrize("trail", ["et000000000", "at", "al", "bt000000000", "ct000000000", "gt000000000"])
def test_images_of_a_sound_writer_are_no_finding(trail: str) -> None:
    assert not [
        finding["text"]
        for finding in examined(trail)["findings"]
        if "image" in finding["text"] or "key" in finding["text"]
    ]


def test_a_before_image_that_no_after_image_follows_is_a_warning(tmp_path: Path, trails: Path) -> None:
    copy = tmp_path / "et000000000"
    with TrailFile(trails / "et000000000") as trail:
        record = trail.record_at(3522)
        assert record is not None
        whole = (trails / "et000000000").read_bytes()
        copy.write_bytes(whole[: record.rba] + whole[record.rba + record.length :])
    found = [finding for finding in examined(str(copy))["findings"] if "image" in finding["text"]]
    assert [(finding["severity"], finding["text"], finding["place"]["rba"]) for finding in found] == [
        ("warning", "before image of an update that no after image follows", 3391)
    ]
    assert logdump("doctor", str(copy)).status == 3


def test_an_update_without_its_key_is_a_warning_that_names_the_column(tmp_path: Path, trails: Path) -> None:
    copy, whole = tmp_path / "et000000000", bytearray((trails / "et000000000").read_bytes())
    with TrailFile(trails / "et000000000") as trail:
        record = trail.record_at(3260)
        assert record is not None
        at = bytes(whole).index(record.data, record.rba)
        whole[at : at + 2] = b"\0\1"
    copy.write_bytes(whole)
    found = [finding for finding in examined(str(copy))["findings"] if finding["severity"] == "warning"]
    assert [(finding["text"], finding["place"]["rba"]) for finding in found] == [
        (f"TEAHOUSE.TEAS: 1 record of UPDATE without the key column TEA_CODE: {LOGGING}", 3260)
    ]


def test_of_an_encrypted_file_the_bytes_are_shown_that_may_say_how(tmp_path: Path) -> None:
    plain = write_rows(tmp_path / "ee000000")
    encrypted(plain, tmp_path / "ef000000", by_aes)
    assert "The kind is not known here" in logdump("doctor", str(tmp_path / "ef000000")).out
    assert "The kind" not in logdump("doctor", str(plain)).out


def test_a_change_of_format_is_told_where_it_is(tmp_path: Path, trails: Path) -> None:
    for number, name in enumerate(("at000000000", "at000000001")):
        data = (trails / name).read_bytes()
        (tmp_path / name).write_bytes(data.replace(b"\x31\0\0\2\0\5", b"\x31\0\0\2\0\7", number))
    found = [finding for finding in examined(str(tmp_path / "at"))["findings"] if finding["text"].startswith("format")]
    assert [(finding["text"], Path(finding["place"]["file"]).name, finding["place"]["rba"]) for finding in found] == [
        ("format changes from 5 to 7", "at000000001", 0)
    ]


def test_under_a_filter_it_is_refused() -> None:
    answer = logdump("-c", "filter rectype 5; doctor et000000000")
    assert answer.status == 1
    assert "FILTER OFF" in answer.err


def test_what_is_no_trail_is_said(tmp_path: Path) -> None:
    (tmp_path / "lt000000000").write_text("no trail")
    assert logdump("doctor", str(tmp_path / "lt")).status == 4


def test_an_empty_file_is_no_trail_of_an_old_release(tmp_path: Path) -> None:
    (tmp_path / "lt000000000").touch()
    page = logdump("doctor", str(tmp_path / "lt000000000")).out
    assert "Source       not known: no trail file" in page
