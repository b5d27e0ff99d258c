"""DIFF in a session: what it takes, what it shows, with what exit status."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from itertools import count, permutations
from pathlib import Path
from typing import Any

import pytest

from logdump.commands import REGISTRY
from logdump.features.diff.comparison import RowComparison
from logdump.features.diff.model import DifferenceShown, DiffShown
from logdump.language.reader import Context, parse
from logdump.notation.times import GMT
from logdump.session.errors import ExitStatus
from logdump.session.events import Progress
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.row.test_one_equality import trail_with
from tests.searching import Random
from tests.simulated.pairs import Committed, drawn, restocked, written
from tests.sparse import Hole, head, rest, with_large_record
from trailformat import ByteOrder
from trailformat.changes.csn import csn_key
from trailformat.values import Plain

TRANSACTIONS = drawn(Random(1), 6)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two files: in the second the third transaction is missing and a record of the fifth has another value."""
    folder = tmp_path_factory.mktemp("pair")
    transaction, two, _, four, five, six = TRANSACTIONS
    changed = five._replace(changes=(five.changes[0], restocked(five.changes[1]), *five.changes[2:]))
    written(folder / "a", TRANSACTIONS)
    written(folder / "b", [transaction, two, four, changed, six])
    return folder / "a" / "sm000000000", folder / "b" / "sm000000000"


def listed(line: Line) -> list[tuple[str, str | None]]:
    """What is listed: kind and CSN."""
    return [
        (difference.kind.value, difference.csn) for difference in line.events if isinstance(difference, DifferenceShown)
    ]


def shown(line: Line) -> DiffShown:
    return next(event for event in line.events if isinstance(event, DiffShown))


MISSING, CHANGED = ("missing", TRANSACTIONS[2].csn), ("changed", TRANSACTIONS[4].csn)


def test_with_one_name_the_open_file_is_the_first_of_the_two(line: Line, pair: tuple[Path, Path]) -> None:
    line(f"open {pair[0]}; pos 500; diff {pair[1]}")
    assert listed(line) == [MISSING, CHANGED]
    assert line.session.cursor.next == 500


def test_a_trail_is_named_without_its_number_or_by_a_wildcard(line: Line, pair: tuple[Path, Path]) -> None:
    for name in ("sm", '"sm*"'):
        line(f"diff {pair[0].parent}/{name.strip(chr(34))} {pair[1]}")
        assert listed(line) == [MISSING, CHANGED]


def test_across_takes_the_files_behind_the_open_one(line: Line, trails: Path) -> None:
    line(f"open {trails / 'st000000000'}; diff {trails / 'st*'}")
    assert shown(line).differences > 0
    line(f"across on; diff {trails / 'st*'}")
    assert shown(line).differences == 0


def test_the_text_has_a_line_for_each_difference_and_one_about_both(line: Line, pair: tuple[Path, Path]) -> None:
    missing, changed, both = line(f"diff {pair[0]} {pair[1]} values")
    assert re.fullmatch(
        rf"- Transaction \S+ CSN {MISSING[1]}, RBA \d+ of sm000000000, \d records: only in the first", missing
    )
    assert re.search(
        r"! RBA \d+ of sm000000000 \| RBA \d+ of sm000000000, TEAHOUSE.TEAS \w+: STOCK_KG \d+ \| 5000", changed
    )
    assert both.endswith("by values: 4 transactions equal, 1 changed, 1 only in the first; records in those: 1 changed")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (f"from csn {MISSING[1]} to csn {MISSING[1]}", [MISSING]),
        (f"from csn {CHANGED[1]}", [CHANGED]),
        ("only *.teas", [MISSING, CHANGED]),
        ("only *.sales", []),
        ("limit 1", [MISSING]),
        ("quiet", []),
    ],
)
def test_words_say_what_is_compared_and_listed(
    line: Line, pair: tuple[Path, Path], words: str, found: list[tuple[str, str]]
) -> None:
    line(f"diff {pair[0]} {pair[1]} {words}")
    assert listed(line) == found


@pytest.mark.parametrize("words", ["from csn {} to csn 9:1", "from csn 0:1 to csn {}", "from csn 0:1 to csn 9:1"])
def test_between_csns_of_another_form_there_is_nothing(line: Line, pair: tuple[Path, Path], words: str) -> None:
    line(f"diff {pair[0]} {pair[1]} {words.format(TRANSACTIONS[0].csn)}")
    assert (listed(line), shown(line).a.transactions, shown(line).b.transactions) == ([], 0, 0)


def test_what_is_not_listed_is_counted(line: Line, pair: tuple[Path, Path]) -> None:
    text = line(f"diff {pair[0]} {pair[1]} limit 1")
    assert (shown(line).differences, text[-1]) == (2, "Listed: 1 of 2.")


def test_files_that_are_missing_between_others_are_named(line: Line, tmp_path: Path) -> None:
    for seed in count():
        name = written(tmp_path / f"{seed}", TRANSACTIONS, cuts=Random(seed))
        files = sorted((tmp_path / f"{seed}").iterdir())
        if len(files) > 2:  # a draw may have less
            break
    files[1].unlink()
    assert f"Missing: {files[1]}. Transactions that continue across the gap are not whole." in line(
        f'diff "{name}" "{name}"'
    )


def test_times_positions_and_tokens_can_be_ignored(line: Line, trails: Path, tmp_path: Path) -> None:
    other = tmp_path / "lt000000000"
    line(f"open {trails / 'et000000000'}; save {other} committs 212577000000000000")
    line(f"diff {other} only *.teas")
    assert {
        part.part for difference in line.events if isinstance(difference, DifferenceShown) for part in difference.parts
    } == {"time"}
    line(f"diff {other} ignore time, position,rowid , tokens,usertokens only *.teas")
    assert listed(line) == []


def test_half_a_trail_is_refused_unless_that_is_meant(line: Line, pair: tuple[Path, Path]) -> None:
    line("filter include iotype delete")
    assert line(f"diff {pair[0]} {pair[1]}")[0].startswith("DIFF needs all records of the trail")
    line(f"diff {pair[0]} {pair[1]} filtered")
    assert listed(line) == []


@pytest.mark.parametrize("words", ["", "x y z", "x ignore foo", "x from csn foo", "x from 7", "x limit"])
def test_words_that_are_none_are_refused(line: Line, words: str) -> None:
    line(f"diff {words}")
    assert len(line.failures) == 1


def test_a_file_that_is_no_trail_is_refused(line: Line, pair: tuple[Path, Path], tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("no trail at all")
    line(f"diff {pair[0]} {tmp_path / 'notes'}")
    assert [failure.status for failure in line.failures] == [ExitStatus.BAD_DATA]


@pytest.mark.parametrize(
    ("a", "b", "status"),
    [
        ("et000000000", "et000000000", ExitStatus.OK),
        ("et000000000", "bt000000000", ExitStatus.FINDINGS),
        ("et000000000", "ft000000000", ExitStatus.BAD_DATA),
        ("et000000000", "nothing", ExitStatus.BAD_DATA),
    ],
)
def test_the_exit_status_says_whether_they_differ(trails: Path, a: str, b: str, status: ExitStatus) -> None:
    assert logdump("-c", f"diff {trails / a} {trails / b} quiet").status == status


def test_json_has_the_members_that_are_documented(pair: tuple[Path, Path]) -> None:
    answer = logdump("--format", "jsonl", "-c", f"diff {pair[0]} {pair[1]} values")
    missing, changed, both = (json.loads(line) for line in answer.out.splitlines())
    assert (missing["kind"], missing["b"], missing["table"]) == ("missing", None, None)
    assert (changed["parts"][0]["column"], changed["parts"][0]["b"]) == ("STOCK_KG", "5000")
    assert (both["type"], both["transactions"], both["records"]) == ("diff", {"missing": 1}, {"changed": 1})


def test_an_interrupt_gives_what_there_is(line: Line, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(RowComparison, "differences", interrupted)
    with pytest.raises(KeyboardInterrupt):
        line(f"diff {pair[0]} {pair[1]}")
    assert shown(line).is_partial


def test_notify_tells_how_far_it_is(line: Line, tmp_path: Path) -> None:
    whole = [Committed(2 * at, TRANSACTIONS[0].changes) for at in range(1, 60)]
    name = written(tmp_path / "a", whole)
    line(f'notify 100; diff "{name}" "{name}"')
    assert any(isinstance(event, Progress) for event in line.events)


def test_records_of_more_than_8_mb_are_compared_to_their_last_byte(line: Line, tmp_path: Path) -> None:
    paths = [tmp_path / name / "wd000000" for name in "ab"]
    for path in paths:
        path.parent.mkdir()
        rba = with_large_record(path, head(), Hole("D", 1 << 24), rest("T"))
    with paths[1].open("r+b") as file:
        file.seek(rba + (1 << 24))
        file.write(b"x")
    for level in ("records", "bytes"):
        line(f"open {paths[0]}; diff {paths[1]} {level}")
        assert not line.failures
        assert [kind for kind, _ in listed(line)] == ["changed"]


@pytest.mark.parametrize("number", [2, 3, 4])
def test_options_stand_in_any_order_behind_a_list_too(number: int) -> None:
    options: dict[str, dict[str, Any]] = {
        "ignore time,position": {"ignored": frozenset({"TIME", "POSITION"})},
        "only a,b.*": {"only": "a,b.*"},
        "limit 5": {"limit": 5},
        "anyorder": {"is_any_order": True},
        "from csn 4:10": {"first": csn_key("4:10")},
    }
    form = REGISTRY.find("DIFF").form
    for words in permutations(options, number):
        read = parse(form, f"a b {' '.join(words)}", Context(GMT))
        assert {name: getattr(read, name) for word in words for name in options[word]} == {
            name: value for word in words for name, value in options[word].items()
        }


@pytest.mark.parametrize(
    ("kind", "first", "second", "status"),
    [
        ("VARCHAR of a number", Decimal("31.5"), Decimal("31.500"), 0),
        ("VARCHAR of a number", Decimal("31.5"), Decimal("31.51"), 3),
        ("VARCHAR", "a", "a ", 3),
        ("VARCHAR", "NULL", None, 3),
        ("VARCHAR", "", None, 3),
    ],
)
def test_values_are_compared_as_filter_compares_them(
    kind: str, first: Plain, second: Plain, status: int, tmp_path: Path
) -> None:
    for name, value in (("a", first), ("b", second)):
        (tmp_path / name).mkdir()
        trail_with(tmp_path / name, kind, [value], ByteOrder.BIG)
    paths = [str(tmp_path / name / "tt000000000") for name in ("a", "b")]
    assert logdump("diff", *paths, "values").status == status
    assert logdump("diff", *paths).status == 3
