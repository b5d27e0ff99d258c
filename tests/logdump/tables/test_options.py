"""Options: read as they are meant, and refused in one line that helps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from logdump.features.sql.view_table import ANALYSES
from logdump.tables.checked_options import checked
from logdump.tables.errors import BadOption
from logdump.tables.options import OPTIONS, Options, Use, parse_options


def parsed(use: Use = Use.READ, **given: str) -> Options:
    return parse_options(given, use)


def test_without_any_all_are_at_their_defaults() -> None:
    assert parsed() == Options()


def test_names_are_looked_up_case_aside() -> None:
    assert parsed(MAXPARTITIONBYTES="7").max_partition_bytes == 7
    assert parsed(maxpartitionbytes="7") == parsed(maxPartitionBytes="7")


@pytest.mark.parametrize(("text", "size"), [("0", 0), ("1048576", 1 << 20), ("64k", 64 << 10), ("2 GB", 2 << 30)])
def test_sizes_have_units(text: str, size: int) -> None:
    assert parsed(maxPartitionBytes=text).max_partition_bytes == size


def test_times_are_utc_where_they_name_no_zone() -> None:
    assert parsed(startTimestamp="2024-03-01 09:00").start_timestamp == datetime(2024, 3, 1, 9, tzinfo=UTC)
    east = timezone(timedelta(hours=2))
    assert parsed(endTimestamp="2024-03-01T09:00:00+02:00").end_timestamp == datetime(2024, 3, 1, 9, tzinfo=east)


def test_what_load_makes_of_a_list_is_a_list() -> None:
    assert parsed(paths='["a,b", "c"]').paths == ("a,b", "c")


@pytest.mark.parametrize(
    ("name", "text", "wants"),
    [
        ("maxPartitionBytes", "128 miles", "takes a number of bytes"),
        ("maxPartitionBytes", "-1", "takes a number of bytes"),
        ("batchBytes", "0", "takes a number of bytes above 0"),
        ("batchRows", "0", "takes a number above 0"),
        ("startRba", "x", "takes a number"),
        ("startRba", "9" * 30, "takes a number"),
        ("mode", "lenient", "takes FAILFAST or PERMISSIVE or DROPMALFORMED, not 'lenient'"),
        ("summary", "maybe", "takes true or false"),
        ("startTimestamp", "yesterday", "takes a time"),
        ("columns", "rba,,op", "takes names"),
        ("paths", "[1]", "takes a JSON list"),
        ("paths", "{", "takes a JSON list"),
    ],
)
def test_a_wrong_value_is_refused(name: str, text: str, wants: str) -> None:
    with pytest.raises(BadOption, match=f"^option {name} {wants}"):
        parse_options({name: text}, Use.READ)


@pytest.mark.parametrize(
    ("given", "known"), [("wher", "where"), ("maxPartitionByte", "maxPartitionBytes"), ("startscn", "startCsn")]
)
def test_an_unknown_option_is_refused_with_the_nearest(given: str, known: str) -> None:
    with pytest.raises(BadOption, match=f"^there is no option {given}; did you mean {known}[?]$"):
        parse_options({given: "1"}, Use.READ)


def test_an_option_like_no_other_lists_them_all() -> None:
    with pytest.raises(BadOption, match=r"no option zzz; there are analysis, .*batchBytes, batchRows, .*where$"):
        parse_options({"zzz": "1"}, Use.READ)


def test_an_option_of_a_batch_read_is_none_of_a_stream() -> None:
    with pytest.raises(BadOption, match=r"^option summary is not for a stream$"):
        parse_options({"summary": "true"}, Use.STREAM)


@pytest.mark.parametrize(
    ("given", "view", "needed"),
    [
        ({"keyUpdate": "whole"}, {"changesOf": "HR.JOBS"}, "changesOf"),
        ({"beforeImages": "true"}, {"changesOf": "HR.JOBS"}, "changesOf"),
        ({"schemaEvolutionMode": "rescue"}, {"rowsOf": "HR.JOBS"}, "rowsOf or changesOf"),
        ({"heartbeatTable": "GG.BEATS"}, {"analysis": "heartbeats"}, "analysis"),
        ({"params": "prm/e.prm"}, {"analysis": "ddl"}, "analysis"),
        ({"transHist": "3"}, {"summary": "true"}, "summary"),
        ({"transRecLimit": "3"}, {"summary": "true"}, "summary"),
        ({"transByteLimit": "3"}, {"summary": "true"}, "summary"),
    ],
    ids=str,
)
def test_an_option_of_another_view_is_refused(given: dict[str, str], view: dict[str, str], needed: str) -> None:
    [name] = given
    with pytest.raises(BadOption, match=f"^option {name} has no effect without {needed}$"):
        checked(parse_options(given, Use.READ))
    if name != "params":
        checked(parse_options({**given, **view}, Use.READ, ANALYSES))


def test_what_spark_adds_to_a_table_is_passed_over() -> None:
    assert parsed(owner="me", provider="trail") == Options()


@pytest.mark.parametrize("option", OPTIONS.values(), ids=lambda option: option.name)
def test_a_shown_default_is_the_default(option: object) -> None:
    from logdump.tables.options import SourceOption

    assert isinstance(option, SourceOption)
    if option.shown_default:
        use = next(known_use for known_use in Use if known_use in option.use)
        assert parse_options({option.name: option.shown_default}, use) == Options()


def test_true_and_false_have_the_words_of_configuration_files() -> None:
    for words, is_true in ((("true", "YES", "on", " 1"), True), (("false", "No", "off", "0 "), False)):
        for word in words:
            options = parse_options({"summary": word, "effective": word}, Use.READ)
            assert (options.summary, options.effective) == (is_true, is_true), word
