"""The fuzzer with a seed that stays; that it notices what is wrong, and keeps what it takes to try it again."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

from fixtures import TRAILS
from logdump.display import text
from tests.fuzz import codec, kills, language
from tests.fuzz.anatomy import turned
from tests.fuzz.behaviour import Behaviour
from tests.fuzz.fuzzer import Fuzzer, Shares, Totals, try_again
from tests.fuzz.seeds import first_seeds
from tests.searching import Random, examples
from tests.trailformat.samples import trail_of
from trailformat import Record, TrailFile

SHARES = Shares(decoded=3, followed=20, commanded=30)


def run(home: Path, seed: int, number: int) -> Totals:
    fuzzer = Fuzzer(seed, home / "work", home, SHARES)
    *_, totals = fuzzer.run(0, number)
    fuzzer.close()
    return totals


def test_drawn_inputs_bring_about_nothing_but_what_is_promised(tmp_path: Path) -> None:
    totals = run(tmp_path, Random("fuzz").randrange(1 << 32), examples(300, short=300))
    assert totals.by_kind == {}, [path.read_text() for path in tmp_path.glob("failures/*.json")]
    assert totals.kinds > 60


def test_a_seed_draws_the_same_inputs_again(tmp_path: Path) -> None:
    corpora = []
    for home in (tmp_path / "a", tmp_path / "b"):
        run(home, 7, 60)
        corpora.append(sorted(path.name for path in home.glob("corpus/*")))
    assert corpora[0] == corpora[1] != []


def test_a_failure_is_kept_with_what_it_takes_to_try_it_again(tmp_path: Path) -> None:
    with mock.patch.object(codec, "compare", side_effect=KeyError("wrong")):
        totals = run(tmp_path, 1, 5)
    kept = sorted(path for path in tmp_path.glob("failures/*") if not path.suffix)
    about = json.loads(kept[0].with_suffix(".json").read_text())
    assert len(kept) == 3
    assert totals.failures >= 3
    assert "KeyError: 'wrong'" in about["text"]
    assert about["seed"] == 1
    try_again(kept[0], tmp_path / "again")


def test_scans_that_differ_are_noticed() -> None:
    with mock.patch.object(codec, "_places", return_value=(0, 0, 0, 0)), TrailFile(TRAILS / "et000000000") as trail:
        codec.forget()
        with pytest.raises(AssertionError, match="the scan and the walk"):
            codec.compare(trail, 100, Behaviour())
    codec.forget()


def test_an_intact_record_that_is_not_found_is_noticed() -> None:
    found = [Record(b"a", rba=0), Record(b"b", rba=9)]
    codec.find_intact(found, [(9, b"b")])
    with pytest.raises(AssertionError, match=r"RBA \[5, 9\]"):
        codec.find_intact(found, [(5, b"b"), (9, b"a")])


def test_a_raw_character_is_noticed(tmp_path: Path) -> None:
    language.prepare(tmp_path)
    (tmp_path / "lt000000000").write_bytes((TRAILS / "et000000000").read_bytes())
    with (
        mock.patch.object(text, "render", return_value=["\x1b[2J"]),
        pytest.raises(AssertionError, match="raw characters"),
    ):
        language.run_lines(tmp_path / "lt000000000", ["count"], Behaviour())


@pytest.mark.parametrize("seed", range(examples(1)))
def test_a_killed_command_leaves_its_target_absent_or_whole(seed: int, tmp_path: Path) -> None:
    kills.check(tmp_path / "kill", TRAILS / "et000000000", kills.draw(Random(seed)))


def test_the_parts_of_each_record_are_found() -> None:
    for seed in first_seeds():
        for record in seed.records:
            assert record.raw[0] in b"GF"
            assert record.fields
            assert record.regions
            assert all(region.end <= len(record.raw) for region in record.regions)


@pytest.mark.parametrize("name", ["et000000000", "el000000000"])
def test_a_record_is_turned_into_the_other_byte_order(name: str, tmp_path: Path) -> None:
    seed = next(first_seed for first_seed in first_seeds() if first_seed.name == name)
    path = trail_of(tmp_path, *(turned(record) for record in seed.records))
    with TrailFile(TRAILS / name) as trail, TrailFile(path) as other:
        assert other.order is trail.order.other
        headers = [record.header for record in trail.records(trail.first_rba)]
        assert [record.header._replace(name_field=b"") for record in other.records(other.first_rba)] == [
            header._replace(name_field=b"") for header in headers
        ]
