"""REPAIR in a session: what it takes, copies and leaves out, and what it tells."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.flavour import ORACLE_12
from fixtures.headers import file_header
from logdump.features.repair.model import HeaderOrigin, LossReason
from logdump.features.repair.plan import TransactionPlan
from logdump.session.errors import ExitStatus
from logdump.session.events import Progress
from tests.logdump.line import Line
from tests.logdump.program import logdump
from tests.logdump.repair.repaired import losses, refused, repair, rows, shown, texts
from tests.searching import Random, some_trails
from tests.simulated.pairs import drawn, written
from tests.simulated.trail_faults import KINDS, Faulty
from tests.trailformat.samples import IO_TIME, header, metadata_record, row, table_record, trail_of
from trailformat import Record, TrailFile, make_file_header_record, make_record, make_token
from trailformat.records.file_header import Value, replace_values
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RECORD_FRAGMENT
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.header_promises import mismatches_in
from trailformat.transactions.whole_trail import WholeTrail

GARBAGE = b"\x00\x01garbage between records\xff"
HEADER = make_file_header_record(file_header(ORACLE_12))
ENDS_INSIDE = {"at000000002", "al000000002"}


def test_without_damage_the_copy_is_the_same_file(line: Line, tmp_path: Path) -> None:
    for path in some_trails(TRAILS.iterdir(), __name__):
        if path.name[0] not in "cfgw" and path.name not in ENDS_INSIDE:
            line(f"open {path}; repair to {tmp_path / 'cp'}{path.name[2:]}")
            copy = tmp_path / f"cp{path.name[2:]}"
            assert copy.read_bytes() == path.read_bytes(), path.name
            assert shown(line).status is ExitStatus.OK
            copy.unlink()


def test_files_of_a_trail_are_copied_to_files_of_the_same_bytes(line: Line, tmp_path: Path) -> None:
    line(f'repair over "{TRAILS}/st*" to {tmp_path / "cp000000007"}')
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["cp000000007", "cp000000008"]
    for source, copy in zip(sorted(TRAILS.glob("st*")), sorted(tmp_path.iterdir()), strict=True):
        assert source.read_bytes() == copy.read_bytes()


@pytest.mark.parametrize(
    ("words", "copied", "lost"),
    [
        ("", b"ahij", [LossReason.DAMAGE, LossReason.DAMAGE]),
        ("all", b"abcefghij", [LossReason.DAMAGE, LossReason.DAMAGE]),
        ("stop", b"a", [LossReason.DAMAGE]),
        ("stop all", b"abc", [LossReason.DAMAGE]),
    ],
)
def test_transactions_that_lost_records_are_left_out_or_copied_in_part(
    words: str, copied: bytes, lost: list[LossReason], line: Line, tmp_path: Path
) -> None:
    b, c, _, e, *fg = (*rows("bcde"), *rows("dfg")[1:])
    found = repair(line, tmp_path, *rows("a"), b, c, GARBAGE, e, GARBAGE, *fg, *rows("hij"), words=words)
    assert b"".join(found) == copied
    assert [loss.reason for loss in losses(line)] == lost
    assert all(loss.is_copied == ("all" in words) for loss in losses(line))


def test_damage_between_transactions_takes_none_with_it(line: Line, tmp_path: Path) -> None:
    assert repair(line, tmp_path, *rows("ab"), GARBAGE, *rows("cd")) == [b"a", b"b", b"c", b"d"]
    assert [(loss.reason, loss.records) for loss in losses(line)] == [(LossReason.UNKNOWN, 0)]
    assert shown(line).bytes_lost == len(GARBAGE)


def test_a_record_whose_fragments_are_lost_goes_with_its_transaction(line: Line, tmp_path: Path) -> None:
    begun = row(b"b", trans_ind=3, continued=1)
    fragment = row(b"more", io_type=RECORD_FRAGMENT)
    assert repair(line, tmp_path, *rows("a"), begun, GARBAGE, fragment, *rows("c")) == [b"a", b"c"]
    assert shown(line).left_out_records == 2


def test_a_trail_that_ends_inside_a_transaction_is_copied_up_to_it(line: Line, tmp_path: Path) -> None:
    half = row(b"half").raw[:-9]
    repair(line, tmp_path, *rows("a"), *rows("bcd")[:2], half)
    assert [loss.reason for loss in losses(line)] == [LossReason.OPEN]
    restart = shown(line).restart_at
    assert restart is not None
    assert restart.rba == row(b"a").length
    assert texts(tmp_path / "cp000000000") == [b"a"]


def test_a_transaction_that_goes_on_in_the_next_file_is_not_open(line: Line, tmp_path: Path) -> None:
    trail_of(tmp_path, *rows("bcd")[2:], name="tt000000001")
    assert repair(line, tmp_path, *rows("a"), *rows("bcd")[:2]) == [b"a", b"b", b"c"]
    assert losses(line) == []


def test_what_reaches_into_a_missing_file_is_left_out(line: Line, tmp_path: Path) -> None:
    trail_of(tmp_path, *rows("a"), *rows("bcd")[:2], name="tt000000000")
    trail_of(tmp_path, *rows("bcd")[2:], *rows("e"), name="tt000000002")
    line(f'repair over "{tmp_path}/tt*" to {tmp_path / "cp000000000"}')
    assert [loss.reason for loss in losses(line)] == [LossReason.MISSING_FILE] * 2
    assert [texts(tmp_path / f"cp00000000{number}") for number in (0, 1)] == [[b"a"], [b"e"]]


@pytest.mark.parametrize("broken", ["length", "trailer"])
def test_records_inside_a_damaged_one_are_its_data(broken: str, line: Line, tmp_path: Path) -> None:
    inner = b"".join(record.raw for record in rows("xyz"))
    outer = bytearray(make_record(row().header, inner).raw)
    outer[3 if broken == "length" else -1] ^= 0x21
    assert repair(line, tmp_path, *rows("a"), bytes(outer), *rows("b")) == [b"a", b"b"]
    assert shown(line).embedded == 3


def test_a_file_header_tells_that_records_are_data_where_both_ends_of_a_frame_are_broken(
    line: Line, tmp_path: Path
) -> None:
    outer = bytearray(make_record(row().header, HEADER.raw + b"".join(record.raw for record in rows("xyz"))).raw)
    outer[3] ^= 0x21
    outer[-1] ^= 0x21
    assert repair(line, tmp_path, *rows("a"), bytes(outer), *rows("b")) == [b"a", b"b"]
    assert shown(line).embedded == 4


def test_a_file_that_is_no_trail_is_told(line: Line, tmp_path: Path) -> None:
    for number, text in enumerate(("ab", "", "cd")):
        trail_of(tmp_path, *(rows(text) if text else [GARBAGE]), name=f"tt00000000{number}")
    line(f'repair over "{tmp_path}/tt*" to {tmp_path / "cp000000000"}')
    assert shown(line).unreadable == (tmp_path / "tt000000001",)
    assert [texts(tmp_path / f"cp00000000{number}") for number in (0, 1)] == [[b"a", b"b"], [b"c", b"d"]]


def test_what_is_written_to_the_source_meanwhile_is_not_copied(
    line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = TransactionPlan.run

    def grow_and_run(plan: TransactionPlan) -> Iterator[TransactionBatch]:
        with (tmp_path / "tt000000000").open("ab") as file:
            file.write(b"".join(record.raw for record in (*rows("bcd")[2:], *rows("e"))))
        return run(plan)

    monkeypatch.setattr(TransactionPlan, "run", grow_and_run)
    assert repair(line, tmp_path, *rows("a"), *rows("bcd")[:2]) == [b"a"]
    assert [loss.reason for loss in losses(line)] == [LossReason.OPEN]


def _with_rows_by_index(folder: Path, number: int, definition: bytes) -> Path:
    """A file whose rows mean table 4 by its index."""
    records = [row(f"{number}{at}".encode(), 4) for at in range(3)]
    others = metadata_record(1, 0, "TEADB"), table_record(3, "TEA.CUPS")
    return trail_of(folder, HEADER, *others, definition, *records, name=f"tt00000000{number}")


TDR = table_record(4, "TEA.LEAVES").raw
OTHER = table_record(4, "TEA.POTS").raw


@pytest.mark.parametrize(
    ("before", "lost", "behind", "is_found"),
    [
        (TDR, GARBAGE, TDR, True),
        (TDR, GARBAGE, OTHER, False),
        (TDR, GARBAGE, None, False),
        (TDR, TDR[:-2] + b"??", None, True),
        (OTHER, TDR[:-2] + b"??", TDR, True),
        (OTHER, TDR[:-2] + b"??", None, False),
    ],
)
def test_a_lost_definition_is_taken_from_a_file_beside_where_it_is_sure(
    before: bytes, lost: bytes, behind: bytes | None, *, is_found: bool, line: Line, tmp_path: Path
) -> None:
    _with_rows_by_index(tmp_path, 0, before)
    source = _with_rows_by_index(tmp_path, 1, lost)
    if behind is not None:
        _with_rows_by_index(tmp_path, 2, behind)
    copy = tmp_path / "cp000000001"
    line(f"open {source}; repair to {copy}")
    assert len(texts(copy)) == (3 if is_found else 0)
    with TrailFile(copy) as trail:
        names = {trail.name_of(record) for record in trail.records(trail.first_rba) if not record.is_metadata}
    assert names == ({"TEA.LEAVES"} if is_found else set())
    assert bool(shown(line).definitions_copied) == is_found
    assert bool(shown(line).definitions_lost) != is_found


def test_the_definition_of_the_database_comes_from_the_file_beside(line: Line, tmp_path: Path) -> None:
    source = trail_of(tmp_path, HEADER, GARBAGE, table_record(4, "TEA.LEAVES"), row(b"a", 4), name="tt000000000")
    _with_rows_by_index(tmp_path, 1, TDR)
    line(f"open {source}; repair to {tmp_path / 'cp000000000'}")
    assert [(definition.table_index, definition.name) for definition in shown(line).definitions_copied] == [
        (None, "TEADB")
    ]
    with TrailFile(tmp_path / "cp000000000") as copy:
        assert copy.tables.database_before(copy.size) is not None


def test_rows_by_references_behind_lost_definitions_are_not_taken_for_those_of_other_tables(
    line: Line, tmp_path: Path
) -> None:
    known = metadata_record(1, 0, "TEADB"), table_record(1, "TEA.LEAVES")
    reference = metadata_record(3, 1, "TEA.POTS")
    lost, later = row(b"lost", 2), row(b"by reference", 3)
    found = repair(line, tmp_path, HEADER, *known, GARBAGE, reference, row(b"a", 1), lost, later)
    assert found == [b"a"]
    assert [loss.reason for loss in losses(line)] == [LossReason.NO_DEFINITION] * 2 + [LossReason.UNKNOWN]


def test_a_trail_with_the_lost_definitions_may_be_named(line: Line, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    named = _with_rows_by_index(other, 0, TDR)
    line(f"open {_with_rows_by_index(tmp_path, 0, GARBAGE)}; repair to {tmp_path / 'cp000000000'} definitions {named}")
    assert len(texts(tmp_path / "cp000000000")) == 3
    assert [definition.source.path for definition in shown(line).definitions_copied] == [named]


def test_of_several_definitions_in_the_named_trail_the_last_is_taken(line: Line, tmp_path: Path) -> None:
    """Three of the table, with one, three and two columns, over two files of the named trail."""
    other = tmp_path / "other"
    other.mkdir()
    database = metadata_record(1, 0, "TEADB")
    first, second, third = (table_record(4, "TEA.LEAVES", columns=number) for number in (1, 3, 2))
    trail_of(other, database, first, name="zz000000000")
    last = trail_of(other, database, second, third, name="zz000000001")
    source = _with_rows_by_index(tmp_path, 0, GARBAGE)
    line(f'open {source}; repair to {tmp_path / "cp000000000"} definitions "{other}/zz*"')
    (definition,) = shown(line).definitions_copied
    assert definition.source == FilePosition(last, database.length + second.length)


def test_the_header_of_another_file_leaves_the_times_of_this_one(line: Line, tmp_path: Path) -> None:
    """Of three files the one in the middle is copied; each has another CreationTime, LOGBSN and machine."""
    heads = []
    for number in range(3):
        own: dict[str, Value] = {"CreationTime": IO_TIME + number, "LOGBSN": str(100 + number), "Charset": number}
        named = replace_values(file_header(ORACLE_12), "MachineInfo", {"Nodename": f"node{number}"})
        heads.append(make_file_header_record(replace_values(named, "TrailInfo", own)))
        trail_of(tmp_path, heads[-1], *rows("ab"), name=f"tt00000000{number}")
    line(
        f"open {tmp_path / 'tt000000001'}; repair to {tmp_path / 'cp000000005'} header from {tmp_path / 'tt000000002'}"
    )
    with TrailFile(tmp_path / "cp000000005") as copy:
        header = copy.file_header
    assert header is not None
    values = [header.get("TrailInfo", name) for name in ("CreationTime", "LOGBSN", "Charset", "Seqno")]
    assert values == [IO_TIME + 1, "101", 2, 5]
    assert header.get("MachineInfo", "Nodename") == "node2"


def _bad_header(folder: Path, name: str, size: int) -> Path:
    """A trail whose file header has lost its first bytes."""
    return trail_of(folder, b"?" * size + HEADER.raw[size:], *rows("ab"), name=name)


def test_a_damaged_file_header_is_made_anew_from_what_is_left_of_it(line: Line, tmp_path: Path) -> None:
    line(f"open {_bad_header(tmp_path, 'tt000000000', 3)}; repair to {tmp_path / 'cp000000004'}")
    with TrailFile(tmp_path / "cp000000004") as copy:
        header, own = copy.file_header, HEADER.file_header
    assert header is not None
    for name in ("Compatibility", "CreationTime", "URI", "Charset"):
        assert header.get("TrailInfo", name) == own.get("TrailInfo", name), name
    assert header.seqno == 4
    assert [copied_header.origin for copied_header in shown(line).headers] == [HeaderOrigin.REBUILT]


@pytest.mark.parametrize("beside", [(0,), (2,), (0, 2)])
def test_what_is_left_of_a_damaged_file_header_goes_before_those_of_the_files_beside(
    beside: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    others: dict[str, Value] = {"Compatibility": 4, "URI": "another:uri", "CreationTime": 5}
    header = make_file_header_record(replace_values(HEADER.file_header, "TrailInfo", others))
    for number in beside:
        trail_of(tmp_path, header, *rows("c"), name=f"tt{number:09}")
    line(f"open {_bad_header(tmp_path, 'tt000000001', 3)}; repair to {tmp_path / 'cp000000004'}")
    assert shown(line).headers[0].source == tmp_path / f"tt{beside[0]:09}"
    with TrailFile(tmp_path / "cp000000004") as copy:
        assert copy.file_header is not None
        for name in ("Compatibility", "CreationTime", "URI", "Charset"):
            assert copy.file_header.get("TrailInfo", name) == HEADER.file_header.get("TrailInfo", name), name


@pytest.mark.parametrize("at", [1, 2, 3, 4])
def test_of_a_damaged_file_header_the_tokens_before_the_first_wrong_one_are_left(
    at: int, line: Line, tmp_path: Path
) -> None:
    """Its id is that of one before it, so that what follows may be anything; the file beside has other values."""
    info = next(group for group in HEADER.file_header.groups if group.name == "TrailInfo")
    names = [token.name for token in info.tokens]
    others: dict[str, Value] = {"Compatibility": 4, "URI": "another:uri", "CreationTime": 5, "Charset": 8}
    trail_of(
        tmp_path, make_file_header_record(replace_values(HEADER.file_header, "TrailInfo", others)), name="tt000000002"
    )
    data = bytearray(HEADER.raw)
    place = data.index(bytes([info.tokens[at].token.id]), data.index(info.tokens[at - 1].token.payload) + 2)
    data[place] = info.tokens[0].token.id
    source = trail_of(tmp_path, b"???" + bytes(data[3:]), *rows("ab"), name="tt000000001")
    line(f"open {source}; repair to {tmp_path / 'cp000000004'}")
    with TrailFile(tmp_path / "cp000000004") as copy:
        assert copy.file_header is not None
        for name in ("Compatibility", "Charset", "URI"):
            own, other = HEADER.file_header.get("TrailInfo", name), others[name]
            assert copy.file_header.get("TrailInfo", name) == (own if names.index(name) < at else other), name


def test_a_lost_file_header_comes_from_the_file_beside_or_from_one_that_is_named(line: Line, tmp_path: Path) -> None:
    source = _bad_header(tmp_path, "tt000000000", 400)
    line(f"open {source}; repair to {tmp_path / 'cp000000000'}")
    assert "HEADER FROM <file>" in refused(line)
    line(f"repair to {tmp_path / 'cp000000000'} header keep")
    assert "is damaged" in refused(line)
    other = make_file_header_record(replace_values(HEADER.file_header, "TrailInfo", {"Compatibility": 4}))
    named = trail_of(tmp_path, other, *rows("c"), name="zz000000000")
    line(f"repair to {tmp_path / 'cp000000000'} header from {named}")
    assert shown(line).headers[0].source == named
    trail_of(tmp_path, HEADER, *rows("c"), name="tt000000001")
    line(f"repair to {tmp_path / 'cp000000001'}")
    for number, version in ((0, 4), (1, 5)):
        with TrailFile(tmp_path / f"cp00000000{number}") as copy:
            assert copy.file_header is not None
            assert copy.file_header.get("TrailInfo", "Compatibility") == version
            assert copy.file_header.created is None


def test_rebuilt_headers_leave_out_what_has_no_name_and_what_the_end_would_tell(line: Line, tmp_path: Path) -> None:
    line(f"open {TRAILS / 'et000000000'}; repair to {tmp_path / 'cp000000009'} header rebuild")
    with TrailFile(tmp_path / "cp000000009") as copy:
        header = copy.file_header
    assert header is not None
    assert (header.seqno, header.last_csn) == (9, None)
    assert shown(line).headers[0].dropped == ("TrailInfo 40", "TrailInfo 41", "TrailInfo 42")


def test_a_copy_is_cut_into_files_that_stand_alone(line: Line, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.features.repair.command._MEGABYTE", 3000)
    source = written(tmp_path / "a", drawn(Random(3), 12), cuts=Random(3), is_headed=True)
    line(f'repair over "{source}" to {tmp_path / "cp000000000"} megabytes 1; diff "{source}" "{tmp_path}/cp*"')
    assert len(list(tmp_path.glob("cp*"))) > 1
    assert all(path.stat().st_size <= 3000 for path in tmp_path.glob("cp*"))
    assert line.events[-1].status is ExitStatus.OK  # type: ignore[attr-defined]


def test_it_tells_how_far_it_is_with_writing_record_by_record(line: Line, tmp_path: Path) -> None:
    path = trail_of(tmp_path, *[row(io_time=IO_TIME + number) for number in range(12)], name="tt000000000")
    line(f"open {path}; notify 5; repair to {tmp_path / 'cp000000000'} megabytes 1")
    place, size = 4 * row().length, path.stat().st_size
    assert Progress(5, place, IO_TIME + 4, size) in line.events


def test_a_filter_is_refused(shop: Line, tmp_path: Path) -> None:
    shop(f"filter include rectype insert; repair to {tmp_path / 'cp000000000'}")
    assert "FILTER OFF" in refused(shop)


def test_the_position_stays_and_the_status_tells_whether_anything_lacks(tmp_path: Path) -> None:
    for name, status in (("et000000000", ExitStatus.OK), ("ft000000000", ExitStatus.FINDINGS)):
        script = f"open {TRAILS / name}; pos 1130; repair to {tmp_path / name}; format jsonl; pos"
        done = logdump("-c", script)
        assert done.status == status
        assert json.loads(done.out.splitlines()[-1])["rba"] == 1130


def test_the_last_csn_is_that_of_the_last_transaction_that_has_one(line: Line, tmp_path: Path) -> None:
    record = make_record(header(trans_ind=ONLY), b"", [make_token("L", b"4711")])
    repair(line, tmp_path, record, make_record(header(trans_ind=ONLY)))
    assert shown(line).after_csn == "4711"


def test_fragments_behind_damage_inside_a_transaction_are_left_out_once(line: Line, tmp_path: Path) -> None:
    begun, last = row(b"b", trans_ind=FIRST, continued=1), row(b"d", trans_ind=LAST)
    fragments = [row(b"more", io_type=RECORD_FRAGMENT, trans_ind=MIDDLE) for _ in range(2)]
    source: list[Record | bytes] = [*rows("a"), begun, GARBAGE, *fragments, last, *rows("c")]
    assert repair(line, tmp_path, *source) == [b"a", b"c"]
    assert (shown(line).copied, shown(line).left_out_records, shown(line).left_out_transactions) == (2, 4, 1)


def test_the_header_beside_is_that_of_the_file_before(line: Line, tmp_path: Path) -> None:
    heads = [
        replace_values(file_header(ORACLE_12), "MachineInfo", {"Nodename": f"node{number}"}) for number in range(3)
    ]
    for number, head in enumerate(heads):
        raw = make_file_header_record(head).raw
        content = raw if number != 1 else b"F" + b"\0" * (len(raw) - 1)
        trail_of(tmp_path, content, *rows("ab"), name=f"tt{number:09}")
    line(f'repair over "{tmp_path}/tt*" to {tmp_path / "cp000000000"}')
    made = shown(line).headers[1]
    assert (made.origin, made.source) == (HeaderOrigin.REBUILT, tmp_path / "tt000000000")
    with TrailFile(tmp_path / "cp000000001") as copy:
        assert copy.file_header is not None
        assert copy.file_header.get("MachineInfo", "Nodename") == "node0"


def test_the_rest_of_a_definition_of_another_table_does_not_change_what_an_index_means(
    line: Line, tmp_path: Path
) -> None:
    other = table_record(1, "TEA.BAGS").raw
    source: list[Record | bytes] = [
        metadata_record(1, 1, "ORCL"),
        table_record(1, "TEA.LEAVES"),
        row(b"one", 1),
        other[:-1] + b"?",
        row(b"two", 1),
    ]
    assert repair(line, tmp_path, *source) == [b"one", b"two"]
    assert shown(line).definitions_lost == ()


def test_half_a_record_ends_a_transaction_though_another_file_is_there(line: Line, tmp_path: Path) -> None:
    trail_of(tmp_path, *rows("bcd")[2:], name="tt000000001")
    assert repair(line, tmp_path, *rows("a"), *rows("bcd")[:2], row(b"half").raw[:-9]) == [b"a"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("words", ["", "all", "megabytes 1"])
def test_the_copy_of_closed_files_is_as_its_headers_say(kind: str, words: str, line: Line, tmp_path: Path) -> None:
    """A Replicat refuses a file of another size than its header says."""
    for name in ("source", "copy"):
        (tmp_path / name).mkdir()
    Faulty(tmp_path / "source", Random(kind), ["none", kind, "none"])
    line(f'repair over "{tmp_path}/source/*" to {tmp_path / "copy" / "cp000000000"} {words}')
    whole = WholeTrail(sorted((tmp_path / "copy").iterdir()))
    assert mismatches_in(whole) == ()
    reopened = {header.path.name for header in shown(line).headers if header.is_reopened}
    if words == "megabytes 1":
        return
    assert reopened == ({"ff000000001"} if kind in ("damage", "short", "cut between", "longer") else set())
    for source, copy in zip(sorted((tmp_path / "source").iterdir()), whole.paths, strict=True):
        if source.name not in reopened:
            assert copy.read_bytes() == source.read_bytes()
            continue
        with TrailFile(source) as trail, TrailFile(copy) as copied:
            assert trail.file_header is not None
            assert copied.file_header == replace_values(
                trail.file_header, "TrailInfo", {"FileSize": None, "LastCSN": None}
            )
