"""Logdump's wildcards."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from logdump.notation.text import _compile, matches


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("fin.act*", "fin.act"),
        ("fin.act*", "fin.act_2024"),
        ("sales.res*", "sales.results.old"),
        ("$QA01.QAESRC.ACCT*", "$QA01.QAESRC.ACCTN"),
        ("*", ""),
        ("*", "a.b.c"),
        ("**", "x"),
        ("?", "x"),
        ("???", "abc"),
        ("*?", "a"),
        ("?*", "abc"),
        ("*.EMP", "HR.EMP"),
        ("H*.E*P", "HR.EMP"),
        ("*a*b*", "xxaxxbxx"),
        ("*ab", "abab"),
        ("", ""),
        ("a[b-d]", "a[b-d]"),
        ("a\\*", "a\\anything"),
        ("a.b", "a.b"),
        ("a(b|c)+$", "a(b|c)+$"),
        ("?", "\n"),
        ("a*b", "a\n\nb"),
        ("Größe_?", "Größe_é"),
    ],
)
def test_fits(pattern: str, name: str) -> None:
    assert matches(pattern, name, case_sensitive=True)
    assert matches(pattern, name, case_sensitive=False)


@pytest.mark.parametrize(
    ("pattern", "name"),
    [
        ("fin.act*", "fin.ac"),
        ("fin.act*", "xfin.act"),
        ("?", ""),
        ("??", "a"),
        ("*?", ""),
        ("", "a"),
        ("a", "a\n"),
        ("a*", "ba"),
        ("*a", "ab"),
        ("*a*b", "ba"),
        ("a*a", "a"),
        ("a[b-d]", "ac"),
        ("a.b", "axb"),
        ("a\\?", "a?"),
    ],
)
def test_does_not_fit(pattern: str, name: str) -> None:
    assert not matches(pattern, name, case_sensitive=True)
    assert not matches(pattern, name, case_sensitive=False)


def test_case() -> None:
    assert matches("hr.Emp*", "HR.EMPLOYEES", case_sensitive=False)
    assert not matches("hr.Emp*", "HR.EMPLOYEES", case_sensitive=True)


def plainly(pattern: str, name: str) -> bool:
    """The definition, without any cleverness."""
    if not pattern:
        return not name
    if pattern[0] == "*":
        return any(plainly(pattern[1:], name[start:]) for start in range(len(name) + 1))
    return bool(name) and pattern[0] in ("?", name[0]) and plainly(pattern[1:], name[1:])


@given(st.text("ab*?", max_size=9), st.text("ab", max_size=9))
def test_is_what_the_definition_says(pattern: str, name: str) -> None:
    assert matches(pattern, name, case_sensitive=True) == plainly(pattern, name)


@pytest.mark.parametrize("pattern", ["*a" * 300 + "*b", "*" * 5000 + "b", "*" + "?" * 300 + "b", "a*" * 300 + "b"])
def test_a_hostile_pattern_takes_no_time(pattern: str) -> None:
    started = time.process_time()
    assert not matches(pattern, "a" * 10_000, case_sensitive=True)
    assert time.process_time() - started < 2


def test_patterns_are_compiled_once_and_their_number_is_bounded() -> None:
    assert _compile("once*", case_sensitive=True) is _compile("once*", case_sensitive=True)
    assert _compile.cache_info().maxsize == 256
