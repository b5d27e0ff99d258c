"""A value with a URL that has a password is looked for as it was entered, or not at all: never without the password."""

from __future__ import annotations

from pathlib import Path

import pytest

from logdump import read
from tests.logdump.program import Answer, logdump
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

URLS = {
    "https://joe:MARK@host/x": "https://host/x",
    "s3://joe:MARK@bucket/x": "s3://joe@bucket/x",
    "https://host/x?X-Amz-Signature=MARK&page=1": "https://host/x?page=1",
    "postgresql://joe:MARK@host/db": "postgresql://joe@host/db",
    "jdbc:oracle:thin:joe/MARK@host:1521/x": "jdbc:oracle:thin:joe@host:1521/x",
}
"""URLs, and how lines keep them."""
LINES = (
    "find {}",
    'find "{}"',
    "find V = '{}'",
    "filter value V = '{}'",
    'filter include string "{}"',
    "row S.A V='{}'",
    "row undo S.A V='{}'",
    'sql select count(*) from "S.A" where "after_V" = \'{}\'',
)
VERBS = (
    ("find", "{file}", "{}"),
    ("find", "{file}", "V = '{}'"),
    ("count", "{file}", "--where", "V = '{}'"),
    ("row", "{file}", "S.A", "V={}"),
    ("sql", 'select count(*) from "S.A" where "after_V" = \'{}\'', "{file}"),
)
REFUSED = "has a URL with a password or a signature, which no line keeps: it cannot be looked for"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A trail with what lines keep of the URLs, which no search for these means."""
    trail = Trail({"S.A": {"ID": "INT64", "V": "VARCHAR:200"}})
    for number, kept in enumerate(URLS.values()):
        trail.insert("S.A", number, kept)
    return trail.write(tmp_path)


def _assert_refused(answer: Answer) -> None:
    assert answer.status in (1, 2)
    assert REFUSED in answer.err
    assert "MARK" not in answer.out + answer.err
    assert "RBA" not in answer.out
    assert "S.A" not in answer.out


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("line", LINES)
def test_a_line_with_it_is_refused(line: str, url: str, path: Path) -> None:
    """And the ones after it are not, whose text has no password."""
    _assert_refused(logdump(str(path), "-c", line.format(url)))
    after = logdump(str(path), "-c", line.format(url), "-c", f"find {URLS[url]}")
    assert "RBA" in after.out or line.startswith("filter")  # a script does not go on where a FILTER failed
    both = logdump("-c", f"open {path}; {line.format(url)}", "-c", "history")
    assert "MARK" not in both.out + both.err


@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("words", VERBS)
def test_a_word_of_the_shell_with_it_is_refused(words: tuple[str, ...], url: str, path: Path) -> None:
    _assert_refused(logdump(*(word.format(url, file=path) for word in words)))


def test_python_looks_for_what_was_entered(path: Path) -> None:
    for number, (url, kept) in enumerate(URLS.items()):
        assert read(str(path), where=f"FILTER INCLUDE VALUE V = '{url}'").to_arrow().num_rows == 0
        assert read(str(path), where=f"FILTER INCLUDE VALUE V = '{kept}'").to_arrow()["rba"].to_pylist(), number


def test_a_url_that_an_earlier_line_had_with_a_password_may_be_looked_for(path: Path) -> None:
    url, kept = Random("earlier").choice([*URLS.items()])
    for line in (f"open {url}", f"count {url}"):
        assert "RBA" in logdump("-c", line, "-c", f"open {path}; find {kept}").out
