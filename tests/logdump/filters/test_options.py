from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.filters import (
    OPTIONS,
    FilterError,
    FilterSet,
    Option,
    apply,
    misuse_hint,
    option_named,
    parse_criterion,
    show,
)
from logdump.notation.times import GMT

from .subjects import broken, file_header, subject

REFUSED = {"PROCESS", "TRANSID"}
HELP_11_1 = (
    "RECTYPE STRING HEX TRANSID FILENAME PROCESS INT16 INT32 INT64 STARTTIME ENDTIME SYSKEY SYSKEYLEN TRANSIND "
    "UNDOFLAG RECLEN AUDITRBA ANSINAME GGSTOKEN USERTOKEN CSN LOGCSN"
)
MANUAL_12_2 = "IOTYPE RBA FILE"


@pytest.mark.parametrize("word", f"{HELP_11_1} {MANUAL_12_2}".split())
def test_every_option_of_both_sources_is_there_in_any_case(word: str) -> None:
    option = option_named(word)
    assert option is not None
    assert option is option_named(word.lower())
    assert word in option.words


def test_no_option_but_value_is_ours_alone_and_no_word_stands_for_two() -> None:
    words = [word for option in OPTIONS for word in option.words]
    assert sorted(words) == sorted(f"{HELP_11_1} {MANUAL_12_2} VALUE".split())


@pytest.mark.parametrize("one", OPTIONS, ids=[one.keyword for one in OPTIONS])
def test_an_option_explains_itself(one: Option) -> None:
    assert one.syntax.startswith(one.keyword)
    assert one.example.startswith(f"{one.keyword} ")
    assert one.help
    if one.keyword in REFUSED:
        with pytest.raises(FilterError, match="NonStop"):
            parse_criterion(one.example, GMT)
    else:
        made = parse_criterion(one.example, GMT)
        assert made.keyword == one.keyword
        assert made.needs in one.needs


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        (
            "RECTYPE",
            "RECTYPE is an option of FILTER: write FILTER RECTYPE 5 (each criterion needs its own FILTER)",
        ),
        ("match", "MATCH is an option of FILTER: write FILTER MATCH ALL (each criterion needs its own FILTER)"),
        (
            "SYSKEY",
            "SYSKEY is an option of FILTER: write FILTER SYSKEY 4294967302 (each criterion needs its own FILTER)",
        ),
        (
            "Exclude",
            "EXCLUDE is an option of FILTER: write FILTER EXCLUDE FILENAME hr.* (each criterion needs its own FILTER)",
        ),
        ("NEXT", None),
        ("", None),
    ],
)
def test_an_option_without_filter_says_what_was_meant(word: str, hint: str | None) -> None:
    assert misuse_hint(word) == hint


WORDS = st.sampled_from(
    [*(word for option in OPTIONS for word in option.words), "INCLUDE", "EXC", "MATCH", "CLEAR", "ALL", "SHOW", "OFF"]
)
VALUES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["5", '"x"', "0:3", ">=", ",", "B,", "/", "BOTH", "2024-01-01", "0x5", "TRANID", "*", "%H", "'"]),
)


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, st.lists(VALUES, max_size=5)), max_size=5))
def test_whatever_is_typed_gives_lines_or_a_filter_error(statements: list[tuple[str, list[str]]]) -> None:
    filters = FilterSet()
    messages = []
    for word, values in statements:
        try:
            apply(filters, " ".join([word, *values]), GMT)
        except FilterError as error:
            messages.append(str(error))
    assert all(line.isprintable() for line in [*messages, *show(filters)])
    assert all(len(message) < 1000 for message in messages)
    for one in (subject(data=b"\0\1\2"), file_header(), broken()):
        one.meets(filters)


def test_a_filter_imports_nothing_heavy() -> None:
    code = "import sys, logdump.filters; print(sorted(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"textual", "pyspark", "pyarrow", "numpy", "numba", "pandas"} & set(ast.literal_eval(done.stdout))
