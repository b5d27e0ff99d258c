"""An option of a verb changes what the verb does, or is refused, in each form of the verb."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.line.verbs.options import VerbOption
from logdump.line.verbs.table import BY_NAME, VERBS, Verb
from logdump.session.errors import CommandError

T = "et000000000"
FORMS: dict[str, tuple[str, ...]] = {
    "show": (T,),
    "list": (T, f"{T} --follow"),
    "tail": (T, f"{T} --list"),
    "find": (f"{T} x",),
    "count": (T,),
    "check": (T,),
    "safe": (f"{T} 1811",),
    "export": (
        T,
        f"{T} --by-table -o f",
        f"{T} --table A.B --columns op -o x.csv",
        f"{T} -o x.xlsx",
        f"{T} -o x.csv",
        f"{T} -o x.sql.zst",
        f"{T} --format debezium",
    ),
    "apply": (f"{T} sqlite:///x.db", f"{T} sqlite:///x.db --retry", f"{T} sqlite:///x.db --once"),
    "publish": (f"{T} kafka://127.0.0.1:1", f"{T} kafka://127.0.0.1:1 --once"),
    "sql": (f"select_1 {T}", f"select_1 {T} -o x.xlsx"),
    "diff": (f"{T} {T}",),
    "repair": (f"{T} -o c", f"{T} -o c --dry"),
    "redact": (f"{T} -o c",),
    "recovery": (T,),
    "heartbeat": (T,),
    "doctor": (T, f"{T} --nagios", f"{T} --since-last st"),
    "watch": (T, f"{T} --once"),
    "tables": (T,),
    "transactions": (T,),
    "row": (f"{T} A.B C=1", f"{T} A.B C=1 --undo"),
    "redo": (T, f"{T} -o x.sql"),
    "undo": (T,),
    "ddl": (f"{T} --params r.prm",),
    "br": (T,),
    "compress": (T,),
    "values": (T,),
    "lob": (f"{T} 1811", f"{T} 1811 NOTE -o z"),
    "params": ("r.prm", f"r.prm {T}", "r.prm SHOW"),
    "debug": ("", T),
    "info": (T,),
    "report": (f"{T} -o r.html",),
    "explain": (f"OGG-01028_{T},_rba_1811", "log", "reports", f"{T} LAG", f"{T} RESTART"),
}
"""The forms of each verb; a blank of a word is written ``_``."""
GIVEN = {
    "CSN": "1",
    "RBA": "1811",
    "TIME": "2024-03-14",
    "PATTERN": "A.B",
    "OPERATION": "delete",
    "FILTER": "STRING x",
    "A,B": "op,NAME",
    "FILE": "r.prm",
    "FOLDER": "reports",
    "SIZE": "1m",
    "HOST:PORT": "127.0.0.1:1",
    "NAME": "x.{name}",
    "TOPIC": "positions",
    "URL": "oracle://joe@db/shop",
    "TEXT": "OGG-01028 x",
    "N": "3",
    "SECONDS": "3",
}
"""What an option is given, by what its help says that it takes."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(TRAILS / T, tmp_path)
    (tmp_path / "r.prm").write_text("REPLICAT R\nMAP A.*, TARGET A.*;\n", encoding="utf-8")
    (tmp_path / "log").write_text(f"OGG-01028 Incompatible record in ./{T}, rba 1811\n", encoding="utf-8")
    (tmp_path / "reports").mkdir()
    shutil.copy(tmp_path / "log", tmp_path / "reports/ggserr.log")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _spelled(verb: Verb, words: list[str]) -> list[str] | None:
    """The commands of a verb with these words; None if they are refused."""
    try:
        return [step.call.line for step in verb.spell(verb.request(verb.parsed(words)))]
    except (CommandError, SystemExit):
        return None


def _given(verb: Verb, name: str, option: VerbOption) -> Iterator[list[str]]:
    flag, settings = option.flags[-1], option.settings
    if name == "format":
        yield from ([flag, format_] for format_ in verb.formats[1:])
    elif settings.get("action") == "store_true":
        yield [flag]
    elif "choices" in settings:
        yield [flag, settings["choices"][-1]]
    else:
        yield [flag, GIVEN[settings["metavar"]]]


def test_every_verb_has_its_forms() -> None:
    assert set(FORMS) == set(BY_NAME)


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.usefixtures("here")
def test_an_option_has_an_effect_or_is_refused(name: str) -> None:
    verb = BY_NAME[name]
    for form in FORMS[name]:
        words = [word.replace("_", " ") for word in form.split()]
        plain = _spelled(verb, words)
        assert plain is not None, form
        for option_name, option in verb.known_options.items():
            if option_name in ("explain", "no_pager", "output") or not set(words).isdisjoint(option.flags):
                continue
            for given in _given(verb, option_name, option):
                says_the_same = option_name == "format" and any(given[-1] in word.split(".")[1:] for word in words)
                if not says_the_same:
                    assert _spelled(verb, [*words, *given]) != plain, (form, given)


def test_each_option_is_tried() -> None:
    tried = {name for verb in VERBS for name in verb.known_options}
    named = {option.settings.get("metavar") for verb in VERBS for option in verb.known_options.values()}
    assert named - {None} <= set(GIVEN)
    assert {"replace", "meta", "truncates", "trails", "all"} <= tried
