"""ROW: all changes of one row, none of another."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from logdump.display.record_row import RecordKind, RecordRow
from logdump.display.text import PARTIAL
from logdump.features.row import command
from logdump.features.row import story as row_story
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.features.row.story import RowChange, RowKey, RowQuestion, story, user_tokens_of
from logdump.features.row.story import _filters as filters
from logdump.features.row.text import change_lines
from logdump.filters import FilterSet
from logdump.session.events import Notice
from logdump.session.settings import Settings
from tests.logdump.display.records import a_record
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.trailformat.samples import metadata_record, trail_of
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Change, TableDefinition
from trailformat.definitions.metadata import build_table
from trailformat.values.comparing import Operand

DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


@pytest.fixture(autouse=True)
def here(trails: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the trails."""
    monkeypatch.chdir(trails)


def rbas(*words: str) -> list[str]:
    lines = logdump("row", *words).out.splitlines()
    return [line.split()[0].split(":")[1] for line in lines if line.split()[0].count(":") == 1 and " 2024/" in line]


@pytest.mark.parametrize("key", ["ASS02", "ASS01", "ASS09"])
def test_a_row_is_followed_through_updates_of_its_key_both_ways(key: str) -> None:
    assert rbas("et", "TEAHOUSE.TEAS", f"TEA_CODE={key}") == ["3069", "3522", "4635", "4767"]


@pytest.mark.parametrize("place", ["pos 3391", "pos eof; pos rev", "n 9; pos rev", "pos last; sfh prev; sfh prev"])
def test_the_whole_file_is_read_wherever_the_position_is(place: str, line: Line) -> None:
    line(f"open et000000000; {place}")
    here = line.session.cursor.place
    assert sum("TEAHOUSE.TEAS 4188" in text for text in line("row TEAHOUSE.TEAS TEA_CODE=ASS02")) == 4
    assert line.session.cursor.place == here


def test_a_deleted_row_is_said() -> None:
    answer = logdump("row", "et", "TEAHOUSE.TEAS", "TEA_CODE=SEN01")
    assert answer.out.splitlines()[-1] == "TEAHOUSE.TEAS SEN01: 3 changes; after them the row was deleted."


def test_a_change_that_a_replicat_does_not_apply_is_marked_and_decides_nothing() -> None:
    *lines, verdict = logdump("row", "at", "TEAHOUSE.TEAS", "TEA_CODE=SEN01").out.splitlines()
    assert [line.split()[3] for line in lines if line.endswith("  (not applied)")] == ["DELETE"]
    assert verdict == "TEAHOUSE.TEAS SEN01: 3 changes, 1 of them not applied by a Replicat; after them the row exists."
    undone = logdump("row", "at", "TEAHOUSE.TEAS", "TEA_CODE=SEN01", "--undo").out
    assert "INSERT INTO" not in undone


def test_the_changes_are_those_that_find_shows() -> None:
    found = logdump("list", "et", "--table", "TEAHOUSE.SALES", "--where", "SALE_ID = 500002").out
    assert rbas("et", "TEAHOUSE.SALES", "SALE_ID=500002") == [line.split()[0] for line in found.splitlines()]


def test_all_files_are_read() -> None:
    lines = logdump("row", "at", "TEAHOUSE.TEAS", "TEA_CODE=SEN01").out.splitlines()
    assert len({line.split(":")[0] for line in lines[:-1]}) > 1


@pytest.mark.parametrize("table", ["TEAS", "teas", '"TEAS"'])
@pytest.mark.parametrize("undo", ["", "undo "])
def test_a_table_may_be_named_without_its_schema(undo: str, table: str) -> None:
    named = logdump("-c", f"open et; row {undo}TEAHOUSE.TEAS TEA_CODE=ASS09")
    assert named.out
    assert logdump("-c", f"open et; row {undo}{table} TEA_CODE=ASS09") == named


def test_a_name_of_tables_in_several_schemas_is_none_of_them(tmp_path: Path) -> None:
    columns = (KINDS["INT32"].definition._replace(name="ID"),)
    data = build_table(TableDefinition(1, 1, columns), ByteOrder.BIG)
    names = enumerate(["HR.CUPS", "TEA.CUPS"], 1)
    trail_of(tmp_path, *(metadata_record(2, at, name, data, ByteOrder.BIG) for at, name in names), name="lt000000000")
    answer = logdump("row", str(tmp_path / "lt000000000"), "CUPS", "ID=1")
    assert answer.status == 1
    assert "2 tables are called CUPS: HR.CUPS, TEA.CUPS. Name one with its schema." in answer.err


@pytest.mark.parametrize("words", ["TEAHOUSE.TEAS nonsense", "TEAHOUSE.TEAS", "TEAHOUSE.TEAS TEA_CODE=NONE"])
def test_what_finds_nothing_says_so(words: str) -> None:
    answer = logdump("-c", f"open et; row {words}")
    assert answer.status == 1
    assert answer.err


def change(rba: int, before: str | None, after: str | None, asked: str) -> RowChange:
    def key(text: str | None) -> RowKey | None:
        return RowKey((text,), (), is_asked=text == asked) if text else None

    row = RecordRow(RecordKind.UPDATE, "", rba, 1, None, "T")
    return RowChange(0, rba, Path("f"), row, "T", key(before), key(after))


@pytest.mark.parametrize(("asked", "expected"), [("B", [1, 2, 4]), ("A", [1, 2, 3, 4, 5]), ("C", [])])
def test_a_key_that_another_row_takes_later_is_that_of_the_other_row(asked: str, expected: list[int]) -> None:
    keys = [(None, "A"), ("A", "B"), (None, "A"), ("B", "B"), ("A", None)]
    changes = [change(rba, before, after, asked) for rba, (before, after) in enumerate(keys, 1)]
    assert [found_change.rba for found_change in story(changes)] == expected


@pytest.mark.parametrize("rba", [3069, 3522, 4635, 4767])
def test_without_a_table_it_is_the_row_of_the_record_displayed_last(rba: int) -> None:
    named = logdump("-c", "open et; row TEAHOUSE.TEAS TEA_CODE=ASS09").out
    assert logdump("-c", f"open et; pos {rba}; row").out.splitlines()[-5:] == named.splitlines()[-5:]


@pytest.mark.parametrize("rba", [0, 1130])
def test_a_record_that_is_no_change_of_a_row_has_no_story(rba: int) -> None:
    answer = logdump("-c", f"open et; pos {rba}; row")
    assert (answer.status, answer.err.splitlines()[-1]) == (1, f"No change of a row at RBA {rba}.")


def test_undo_takes_the_changes_back_as_undo_does_the_last_first() -> None:
    lines = logdump("row", "et", "TEAHOUSE.TEAS", "TEA_CODE=ASS01", "--undo").out.splitlines()
    statements = [line for line in lines if line.split()[0] in ("INSERT", "UPDATE", "DELETE")]
    whole = logdump("-c", "open et; undo 99").out.splitlines()
    assert statements == [line for line in whole if "ASS0" in line and not line.startswith("--")]
    assert len(statements) == 4


def test_undo_leaves_out_what_a_replicat_drops_and_rows_of_others() -> None:
    out = logdump("row", "at", "TEAHOUSE.TEAS", "TEA_CODE=SEN01", "--undo").out
    head, left_out, *_ = out.splitlines()
    state = "run as a whole, the row does not exist, as before the INSERT at RBA 2363 of at000000000."
    assert head == f"-- Takes back 2 changes of TEAHOUSE.TEAS SEN01, the last one first: {state}"
    assert left_out.startswith("-- Left out: transaction 5.6.8806")
    assert out.count("\nUPDATE ") + out.count("\nDELETE ") == 2
    assert "ASS02" not in out


def test_under_a_filter_there_is_no_verdict_about_the_row() -> None:
    answer = logdump("-c", "open et; filter rectype insert; row TEAHOUSE.TEAS TEA_CODE=SEN01")
    assert answer.out.splitlines()[-1].endswith("1 change; changes suppressed by the filter are not included.")
    in_json = logdump("-c", "open et; filter rectype insert; format jsonl; row TEAHOUSE.TEAS TEA_CODE=SEN01").out
    assert '"there":null,"partial":true' in in_json.splitlines()[-1]


def test_the_files_are_read_once_and_three_times_however_many_keys_the_row_has_had(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passes = []

    def noted(question: RowQuestion, keys: list[tuple[Operand, ...]], *, takes_key_updates: bool) -> list[FilterSet]:
        passes.append(keys)
        return filters(question, keys, takes_key_updates=takes_key_updates)

    monkeypatch.setattr(row_story, "_filters", noted)
    logdump("row", "et", "TEAHOUSE.TEAS", "TEA_CODE=ASS02")
    assert len(passes) == 3
    logdump("row", "et", "TEAHOUSE.TEAS", "TEA_CODE=SEN01")
    assert len(passes) == 3 + 1


def test_the_user_tokens_of_a_change_end_its_line() -> None:
    defined = f"sourcedefs {DEFINITIONS}; row TEAHOUSE.TEAS TEA_CODE=SEN01"
    *lines, _ = logdump("-c", f"open ot000000; {defined}").out.splitlines()[-4:]
    tokens = "TKN-HOST=samovar, TKN-TABLE=TEAHOUSE.TEAS, TKN-COMMIT_TS=2024-03-14 09:31:00.000000, TKN-EMPTY="
    assert [line.partition("  TKN-")[1:] for line in lines] == [("  TKN-", tokens[4:]), ("", ""), ("", "")]
    in_json = map(json.loads, logdump("-c", f"format jsonl; open ot000000; {defined}").out.splitlines()[-4:-1])
    assert [[f"{token['name']}={token['value']}" for token in change["user_tokens"]] for change in in_json] == [
        tokens.split(", "),
        [],
        [],
    ]


@pytest.mark.parametrize(
    ("pairs", "shown"),
    [
        ([(b"A", b"x" * 33)], "A=" + "x" * 16 + "…" + "x" * 15),
        ([(b"A", b"")] * 9, "A=, " * 8 + "…"),
        ([(b"A\x1b[2J", b"\xff")], r"A\x1b[2J=\xff"),
        (None, "user tokens do not decode"),
    ],
)
def test_user_tokens_are_short_in_a_line(pairs: list[tuple[bytes, bytes]] | None, shown: str) -> None:
    row = RecordRow(RecordKind.UPDATE, "", 941, 1, None, "T")
    tokens = None if pairs is None else tuple(pairs)
    change = RowChangeShown(Path("f"), row, is_applied=False, user_tokens=tokens)
    assert [*change_lines(change, Settings())] == [f"f:941 - - UPDATE   T - -  {shown}  (not applied)"]


def test_both_records_of_an_update_give_its_user_tokens() -> None:
    halves = [a_record(user_tokens=tokens) for tokens in (b"A\x001\0", b"A\x001\0B\x002\0")]
    change = Change("PK UPDATE", "T", tuple(halves), (), None, None, None, 0)
    assert user_tokens_of(change) == ((b"A", b"1"), (b"B", b"2"))
    assert user_tokens_of(change._replace(records=(a_record(user_tokens=b"no end"),))) is None


def test_a_quote_in_a_key_is_part_of_its_value() -> None:
    assert "No change of TEAHOUSE.TEAS" in logdump("-c", 'open et; row TEAHOUSE.TEAS TEA_CODE="a\'b"').err


def test_damage_is_said_and_leaves_no_verdict(tmp_path: Path) -> None:
    data = bytearray(Path("et000000000").read_bytes())
    data[3522:3526] = b"XXXX"
    (tmp_path / "et000000000").write_bytes(data)
    answer = logdump("-c", f"open {tmp_path / 'et000000000'}; row TEAHOUSE.TEAS TEA_CODE=ASS09")
    assert answer.status == 4
    assert answer.err.count("RBA 3522") == 1
    assert answer.out.splitlines()[-1].endswith("not all was read, so there may be more.")
    in_json = logdump("-c", f"open {tmp_path / 'et000000000'}; format jsonl; row TEAHOUSE.TEAS TEA_CODE=ASS09").out
    assert '"there":null,"partial":true' in in_json.splitlines()[-1]


def test_what_is_stopped_calls_no_change_applied(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> list[RowChange]:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "_applied", stopped)
    with pytest.raises(KeyboardInterrupt):
        line("open et000000000; row TEAHOUSE.TEAS TEA_CODE=SEN01")
    shown = [event.is_applied for event in line.events if isinstance(event, RowChangeShown)]
    assert shown == [None, None, None]
    (summary,) = (event for event in line.events if isinstance(event, RowStoryShown))
    assert (summary.not_applied, summary.is_partial) == (0, True)
    assert [event.lines for event in line.events if isinstance(event, Notice)] == [(PARTIAL,)]


def test_where_no_change_is_applied_nothing_was_deleted(line: Line) -> None:
    """The insert of PUE07 in the first file is cut; its copy is in the next file, which is read only with ACROSS."""
    *_, verdict = line("open at000000000; row TEAHOUSE.TEAS TEA_CODE=PUE07")
    assert verdict == (
        "TEAHOUSE.TEAS PUE07: 1 change, not applied by a Replicat; the row is as it was before; "
        "2 later files of the trail are not read: ACROSS ON reads them."
    )
    assert line("row undo TEAHOUSE.TEAS TEA_CODE=PUE07")[0] == (
        "-- No change of TEAHOUSE.TEAS PUE07 is applied by a Replicat: there is nothing to take back."
    )
    *_, verdict = line("across on; row TEAHOUSE.TEAS TEA_CODE=PUE07")
    assert verdict.endswith("2 changes, 1 of them not applied by a Replicat; after them the row exists.")
    *_, in_json = logdump("-c", "open at000000000; format jsonl; row TEAHOUSE.TEAS TEA_CODE=PUE07").out.splitlines()
    story_shown = json.loads(in_json)
    assert (story_shown["there"], story_shown["not_applied"], story_shown["partial"]) == (None, 1, False)
    assert story_shown["later_files"] == 2


def test_what_effective_leaves_out_is_not_applied_also_after_damage(tmp_path: Path) -> None:
    data = bytearray(Path("et000000000").read_bytes())
    data[3069:3073] = b"XXXX"
    damaged = tmp_path / "et000000000"
    damaged.write_bytes(data)
    for key in ("SEN01", "GYO01", "ASS01"):
        rows = logdump("-c", f"open {damaged}; format jsonl; row TEAHOUSE.TEAS TEA_CODE={key}").out.splitlines()
        changes = [json.loads(text) for text in rows[:-1] if '"row_change"' in text]
        kept = logdump("export", str(damaged), "--format", "jsonl", "--effective").out.splitlines()
        effective = {json.loads(text).get("rba") for text in kept}
        assert {change["rba"]: change["applied"] for change in changes} == {
            change["rba"]: change["rba"] in effective for change in changes
        }
        assert any(not change["applied"] for change in changes)
        undone = logdump("row", str(damaged), "TEAHOUSE.TEAS", f"TEA_CODE={key}", "--undo").out
        after = [change["rba"] for change in changes if not change["applied"]]
        assert all(f"-- Left out: the change at RBA {rba} of et000000000: it follows damage" in undone for rba in after)
        statements = [text for text in undone.splitlines() if text.split()[0] in ("INSERT", "UPDATE", "DELETE")]
        assert len(statements) == len(changes) - len(after)


@pytest.mark.parametrize(
    ("last", "statements", "state"),
    [
        ("", ["INSERT", "UPDATE", "DELETE"], "the row does not exist, as before the INSERT at RBA 1811"),
        ("last 3", ["INSERT", "UPDATE", "DELETE"], "the row does not exist, as before the INSERT at RBA 1811"),
        ("last 9", ["INSERT", "UPDATE", "DELETE"], "the row does not exist, as before the INSERT at RBA 1811"),
        ("last 2", ["INSERT", "UPDATE"], "the row is as it was before the UPDATE at RBA 3260"),
        ("last 1", ["INSERT"], "the row is as it was before the DELETE at RBA 5183"),
    ],
)
def test_the_first_line_of_undo_names_the_state_to_which_it_leads(
    last: str, statements: list[str], state: str, line: Line
) -> None:
    """The update of SEN01 has no image before, so no statement takes it back: then the line does not promise it."""
    head, *lines = line(f"open et000000000; row undo {last} TEAHOUSE.TEAS TEA_CODE=SEN01")[1:]
    count = "1 change" if len(statements) == 1 else f"{len(statements)} changes"
    assert head.startswith(f"-- Takes back {count} of TEAHOUSE.TEAS SEN01, the last one first")
    is_whole = len(statements) == 1
    place = state[state.index("the ", 8) :]
    promised = f": run as a whole, {state} of et000000000."
    broken = f", without 1 that no statement can revert: the row is not as it was before {place} of et000000000."
    assert head.endswith(promised if is_whole else broken)
    written = [text.split()[0] for text in lines if text.split()[0] in ("INSERT", "UPDATE", "DELETE")]
    assert written == [statement for statement in statements if statement != "UPDATE"]


def test_a_row_is_looked_for_in_all_trails_of_a_folder(tmp_path: Path) -> None:
    for name in ("at000000000", "et000000000", "yt000000000"):
        (tmp_path / name).write_bytes(Path(name).read_bytes())
    answer = logdump("row", str(tmp_path), "TEAHOUSE.TEAS", "TEA_CODE=SEN01")
    assert (answer.status, answer.err) == (0, "")
    assert [text.split()[0] for text in answer.out.splitlines() if text.startswith("TEAHOUSE")] == ["TEAHOUSE.TEAS"] * 2
    for words, told in (
        (["NOPE.X", "ID=1"], ["No table NOPE.X"]),
        (["TEAHOUSE.TEAS", "TEA_CODE=NONE"], ["No change of TEAHOUSE.TEAS with TEA_CODE = NONE.", "No table"]),
        (["TEAHOUSE.TEAS", "nonsense"], ["ROW: 'nonsense' is not <column>=<value>."]),
    ):
        answer = logdump("row", str(tmp_path), *words)
        assert (answer.status, answer.out) == (2 if "nonsense" in words else 1, "")
        assert all(answer.err.count(text) == 1 for text in told)
    only = logdump("row", str(tmp_path), "TEAHOUSE.TEAS", "TEA_CODE=SEN01", "--undo", "--last", "1").out
    assert only.count("-- Takes back 1 change of TEAHOUSE.TEAS SEN01") == 2
    assert logdump("row", str(tmp_path), "TEAHOUSE.TEAS", "TEA_CODE=SEN01", "--last", "1").status == 2


def test_the_record_displayed_last_stays_it(line: Line) -> None:
    line("open at000000001; position 2551; list 1")
    shown = line.session.cursor.current
    line("row")
    assert (line.session.cursor.current, line.failures) == (shown, [])
    before = line("safe")
    assert line("row TEAHOUSE.TEAS TEA_CODE=PUE07")
    assert line("safe") == before


def test_a_truncate_removes_the_row_if_no_change_follows() -> None:
    answer = logdump("row", "et", "TEAHOUSE.SALES", "SALE_ID=500002")
    assert answer.out.splitlines()[-1] == "TEAHOUSE.SALES 500002: 2 changes; after them the row was deleted."
    assert answer.err == "TRUNCATE of TEAHOUSE.SALES at RBA 5352 of et000000000 removes the row if it is there.\n"
    assert answer.status == 0


@pytest.mark.parametrize("key", ["TEA_CODE=ASS01", "TEA_CODE=SEN01"])
def test_a_time_or_a_csn_takes_back_what_the_number_of_changes_since_then_does(key: str) -> None:
    words = ["et", "TEAHOUSE.TEAS", key]
    changes = [
        text.removeprefix("et000000000:").split()
        for text in logdump("row", *words).out.splitlines()
        if text.startswith("et000000000:")
    ]
    for first in range(len(changes)):
        _, day, clock, _, _, csn, *_ = changes[first]
        last = sum(change[1:3] >= [day, clock] for change in changes)
        wanted = logdump("row", *words, "--undo", "--last", str(last))
        assert wanted.status == 0
        assert logdump("row", *words, "--undo", "--since", f"{day.replace('/', '-')}T{clock[:8]}Z") == wanted
        assert logdump("row", *words, "--undo", "--csn", csn).out == wanted.out
    after = logdump("row", *words, "--undo", "--since", "2024-03-14T23:00Z")
    assert (after.status, after.out) == (1, "")
    assert "there is nothing to take back" in after.err
    assert logdump("row", *words, "--undo", "--last").out == logdump("row", *words, "--undo", "--last", "1").out
    for wrong in (["--csn", "1"], ["--undo", "--csn", "1", "--last", "2"], ["--undo", "--csn", "x"]):
        assert logdump("row", *words, *wrong).status == 2
