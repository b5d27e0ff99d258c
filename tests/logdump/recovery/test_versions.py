"""Who wrote the files of a trail, and who can read them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.flavour import ORACLE_12
from fixtures.headers import begun, closed, file_header
from logdump.features.recovery.versions import FileFacts, changes_between, facts_of, is_rollover, release_number
from trailformat import FileHeader, TrailFile
from trailformat.records.file_header import Value, replace_values


def _facts(header: FileHeader | None, last_time: int | None = None) -> FileFacts:
    return FileFacts(Path("lt000000"), 4096, header, last_time)


def _with(header: FileHeader, group: str, **values: Value) -> FileHeader:
    return replace_values(header, group, values)


HEADER = file_header(ORACLE_12)
BEGUN = HEADER.get("TrailInfo", "CreationTime")
assert isinstance(BEGUN, int)


@pytest.mark.parametrize(
    ("release", "version"),
    [("12.2", 5), ("12.2.0.1", 5), ("12.3", 6), ("12", 6), ("19.1", 7), ("19c", 7), ("19C", 7), ("11.2", 3)],
)
def test_a_release_reads_up_to_a_version(release: str, version: int) -> None:
    assert release_number(release) == version


@pytest.mark.parametrize("release", ["21c", "18.1", "", "x", "12.1", "1"])
def test_of_other_releases_nothing_is_known(release: str) -> None:
    assert release_number(release) is None


def test_another_writer_of_a_file_is_told_member_by_member() -> None:
    after = _with(_with(HEADER, "ProducerInfo", MajorVersion=19), "MachineInfo", Nodename="teapot")
    found = [(change.member, change.before, change.after) for change in changes_between(_facts(HEADER), _facts(after))]
    assert found == [("MachineInfo.Nodename", "samovar", "teapot"), ("ProducerInfo.MajorVersion", "12", "19")]


def test_files_without_a_header_tell_no_writer() -> None:
    assert list(changes_between(_facts(None), _facts(HEADER))) == []
    assert not is_rollover(_facts(None), _facts(HEADER))


def test_another_machine_begins_a_file_after_a_restart() -> None:
    assert is_rollover(_facts(HEADER), _facts(_with(HEADER, "MachineInfo", Nodename="teapot")))


def test_another_version_alone_does_not() -> None:
    assert not is_rollover(_facts(HEADER), _facts(_with(HEADER, "TrailInfo", Compatibility=6)))


@pytest.mark.parametrize(
    ("before", "last_time", "is_restart"),
    [
        (begun(ORACLE_12, 1), BEGUN - 1, True),
        (begun(ORACLE_12, 1), BEGUN, False),
        (begun(ORACLE_12, 1), None, False),
        (closed(ORACLE_12, range(1, 3)), BEGUN - 1, False),
    ],
    ids=["left open", "begun before its end", "no record", "closed"],
)
def test_a_file_begun_after_one_that_was_not_closed_is_one_of_a_restart(
    before: FileHeader, last_time: int | None, *, is_restart: bool
) -> None:
    assert is_rollover(_facts(before, last_time), _facts(HEADER)) is is_restart


def test_the_facts_of_a_file_end_with_its_last_record(trails: Path) -> None:
    with TrailFile(trails / "at000000001") as trail:
        facts = facts_of(trail)
        last = trail.record_before(trail.size)
    assert last is not None
    assert facts.last_time == last.header.io_time
    assert (facts.version, facts.is_closed, facts.size) == (5, True, 2875)
