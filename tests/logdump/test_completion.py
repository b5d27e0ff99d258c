from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.language.reader import Context
from logdump.language.words import complete, completed, last_word
from logdump.line.interactive import endings
from logdump.session.known_tables import column_names, column_names_in, table_names
from tests.logdump.line import Line
from tests.searching import examples
from trailformat import TrailFile


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("ghd", ["GHDR"]),
        ("GGST", ["GGSTOKEN"]),
        ("  scanforh", ["SCANFORHEADER"]),
        ("det", ["DET", "DETAIL"]),
        ("detail ", ["ON", "OFF", "DATA"]),
        ("detail d", ["DATA"]),
        ("pos r", ["RBA", "RECORD", "REVERSE"]),
        ("ghdr on; ghdr o", ["ON", "OFF"]),
        ("trans 5 ", []),
        ("nosuch x", []),
        ("format js", ["JSONL"]),
        ("next ", ["ALL"]),
    ],
)
def test_what_may_come_next_is_offered(line: str, offered: list[str]) -> None:
    assert complete(REGISTRY, line) == offered


def test_an_empty_line_offers_every_command() -> None:
    assert complete(REGISTRY, "") == REGISTRY.words()


def test_open_offers_files(tmp_path: Path) -> None:
    (tmp_path / "lt000000000").touch()
    (tmp_path / "lt_dir").mkdir()
    (tmp_path / "other").touch()
    assert complete(REGISTRY, f"open {tmp_path}/lt") == [f"{tmp_path}/lt000000000", f"{tmp_path}/lt_dir/"]
    assert len(complete(REGISTRY, f"open {tmp_path}/")) == 3
    assert complete(REGISTRY, f"open {tmp_path}/nowhere/") == []


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("help sfm", ["SFMD"]),
        ("help filter usert", ["USERTOKEN"]),
        ("help trans sfm", ["SFMD"]),
        ("filter csn", ["CSN"]),
        ("filter exclude reclen 5; filter inc startt", ["STARTTIME"]),
        ("filter include filename tea", ["TEA.LEAVES"]),
        ("count file tea", ["TEA.LEAVES"]),
        ("sft insert, tea", ["TEA.LEAVES"]),
        ("sft Ins", ["Insert"]),
    ],
)
def test_help_options_tables_and_types_are_offered(line: str, offered: list[str]) -> None:
    assert complete(REGISTRY, line, Context(tables=["TEA.LEAVES", ""])) == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sql sel", ["SELECT"]),
        ("sql select op fr", ["FROM"]),
        ("sql select aud", ["audit_rba", "audit_pos"]),
        ("sql select * from rec", ["records"]),
        ("sql select * from tea", ["TEAHOUSE.TEAS", "TEAHOUSE.SALES"]),
        ('sql select * from "tea', ['"TEAHOUSE.TEAS"', '"TEAHOUSE.SALES"']),
        ('sql select * from "trans', ['"transactions"']),
        ('sql select op from teahouse.teas t where t."after_pr', ['t."after_PRICE"']),
        ("sql from teahouse.teas select after_pr", ["after_PRICE"]),
        ("sql select op from teahouse.teas where before_st", ["before_STOCK_KG"]),
        ('sql select op from "TEAHOUSE.TEAS" t join restarts r on t.cs', ["t.csn"]),
        ("sql select op from transactions where count(begin_", ["count(begin_file", "count(begin_rba"]),
        ("sql select op from teahouse.nosuch where aud", ["audit_rba", "audit_pos"]),
    ],
)
def test_views_tables_and_columns_are_offered_in_sql(line: str, offered: list[str]) -> None:
    with TrailFile(TRAILS / "et000000000") as trail:
        context = Context(tables=table_names(trail), columns_of=partial(column_names, trail))
        in_line_mode = complete(REGISTRY, line, context)
        of_screen = partial(column_names_in, trail.path)
        assert complete(REGISTRY, line, context._replace(columns_of=of_screen)) == in_line_mode
    assert set(offered) <= set(in_line_mode)
    assert len(in_line_mode) <= len(offered) + 2


NAMES = st.text(st.sampled_from("abAB19 ;,.-#~'é日=(/"), min_size=1, max_size=8)
NAMES |= st.text(min_size=1, max_size=6)


def _tree(root: Path, paths: list[str], trail: Path) -> list[Path]:
    """The trail under each of these relative paths that the system takes."""
    made = []
    for text in paths:
        path = root / text.strip("/")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(trail.read_bytes())
        except (OSError, ValueError):
            continue
        if path.relative_to(root).parts == Path(os.path.normpath(path.relative_to(root))).parts:
            made.append(path)
    return made


def _typed(path: str, complete_line: Callable[[str], str]) -> str:
    """OPEN and a path that is completed wherever it can be, and typed on by one character where it cannot."""
    line = "open "
    while True:
        longer = complete_line(line)
        if longer != line:
            line = longer
            if last_word(line) == len(line):
                return line
            continue
        raw = line[last_word(line) :].removeprefix('"')
        assert path.startswith(raw), (path, line)
        if raw == path:
            return line + '"' * line[last_word(line) :].startswith('"')
        line += path[len(raw)]
        if line[-1] in " ;," and not line[last_word(line[:-1]) :].startswith('"'):
            start = last_word(line[:-1])
            line = f'{line[:start]}"{line[start:]}'


@example(paths=["B", "b"])
@given(paths=st.lists(NAMES, min_size=1, max_size=3))
@settings(max_examples=examples(60, short=5))
def test_a_completed_path_opens_the_file(paths: list[str]) -> None:
    with tempfile.TemporaryDirectory() as root, contextlib.chdir(root):
        for path in _tree(Path(root), paths, TRAILS / "nh000000"):
            name = str(path.relative_to(root))
            if not name.isprintable() or '"' in name or name.startswith("~"):
                continue
            line = _typed(name, lambda text: completed(text, complete(REGISTRY, text)))
            session = Line()
            session(line)
            assert not session.failures, (line, session.failures)
            assert session.session.trail.path.samefile(path)
            session.session.close()


@pytest.mark.parametrize("name", ['with"quote', "bell\a", "new\nline", "~", "~root"])
def test_what_no_word_can_spell_is_not_offered(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).touch()
    assert complete(REGISTRY, "open ") == complete(REGISTRY, "open ./") == []


@pytest.mark.parametrize(
    ("line", "offers", "begun", "ends"),
    [
        ("open fixt", ["fixtures/"], 5, ["fixtures/"]),
        ("ghd", ["GHDR"], 0, ["GHDR "]),
        ("pos r", ["RECORD", "REVERSE"], 4, ["RECORD", "REVERSE"]),
        ('open "my fi', ['"my file"'], 9, ['file" ']),
        ('open "my fi', ['"my files/'], 9, ["files/"]),
        ("open my", ['"my file"'], 5, ['"my file" ']),
        ("open zz", [], 5, []),
    ],
)
def test_readline_gets_what_stands_behind_its_last_blank(
    line: str, offers: list[str], begun: int, ends: list[str]
) -> None:
    assert endings(line, offers, begun) == ends
