from __future__ import annotations

import pytest

from logdump.filters import FilterError
from logdump.filters.name_criteria import TableName

from .subjects import criterion, file_header, meets, subject


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("FILENAME HR.REGIONS", "HR.REGIONS"),
        ("FILENAME hr.regions", "HR.REGIONS"),
        ("FILENAME hr.*", "HR.REGIONS"),
        ("FILE sales.res*", "SALES.RESULTS"),
        ("filename fin.act?", "FIN.ACT1"),
        ("FILENAME hr.jobs, hr.regions", "HR.REGIONS"),
        ('FILENAME "hr.regions"', "HR.REGIONS"),
        ('FILENAME "a, b.c", hr.jobs', "A, B.C"),
        ("FILENAME $QA01.QAESRC.ACCT*", "$QA01.QAESRC.ACCTN"),
        ("FILENAME $QA01.QASRC.ACCT*", "\\TRILL.$QA01.QASRC.ACCTN"),
        ("FILENAME \\TRILL.$QA01.*", "\\TRILL.$QA01.QASRC.ACCTN"),
        ("ANSINAME HR.REGIONS", "HR.REGIONS"),
        ("ANSINAME CAT.HR.REGIONS, HR.JOBS", "CAT.HR.REGIONS"),
    ],
)
def test_a_name_that_is_meant(option: str, name: str) -> None:
    assert meets(option, subject(name))


@pytest.mark.parametrize(
    ("option", "name"),
    [
        ("FILENAME REGIONS", "HR.REGIONS"),
        ("FILENAME hr.region?", "HR.REGION"),
        ("FILENAME \\OTHER.$QA01.*", "\\TRILL.$QA01.QASRC.ACCTN"),
        ("ANSINAME hr.regions", "HR.REGIONS"),
        ("ANSINAME HR.*", "HR.REGIONS"),
    ],
)
def test_a_name_that_is_not_meant(option: str, name: str) -> None:
    assert not meets(option, subject(name))


def test_a_record_without_a_name_meets_no_pattern() -> None:
    assert not meets("FILENAME *", subject(""))
    assert not meets("FILENAME *", file_header())


def test_names_inside_quotes_of_their_own_stay_as_they_are() -> None:
    assert meets('FILENAME "Hr"."Regions"', subject('"Hr"."Regions"'))


def test_thirty_two_names_are_allowed_and_no_more() -> None:
    names = [f"hr.t{number}" for number in range(33)]
    assert meets(f"FILENAME {','.join(names[:32])}", subject("HR.T31"))
    with pytest.raises(FilterError, match="33 values, at most 32"):
        criterion(f"FILENAME {','.join(names)}")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("FILENAME", "a value is missing"),
        ("FILENAME a,,b", "a value is missing"),
        ("FILENAME a,", "a value is missing"),
        ('FILENAME "a', "not closed"),
        ('FILENAME ""', "1 to 1024 characters"),
        ("FILENAME a b", "separate names with commas"),
        ("FILENAME hr.* RECTYPE 5", "each criterion needs its own FILTER"),
        (f"FILENAME {'a' * 2000}", "1 to 1024 characters"),
    ],
)
def test_what_is_no_list_of_names_is_refused(option: str, message: str) -> None:
    with pytest.raises(FilterError, match=f"^FILENAME: .*{message}.*Syntax: FILTER FILENAME <template>"):
        criterion(option)


@pytest.mark.parametrize(
    ("patterns", "name", "fits"),
    [
        (("hr.*",), "HR.REGIONS", True),
        (("oe.*", "hr.regions"), "HR.REGIONS", True),
        (("HR",), "HR.REGIONS", False),
        (("*",), "", True),
        (("$qa01.*",), "\\TRILL.$QA01.QASRC.ACCTN", False),
    ],
)
def test_file_of_count_takes_any_name_as_it_is(patterns: tuple[str, ...], name: str, fits: bool) -> None:
    assert TableName(patterns).fits(name) is fits
