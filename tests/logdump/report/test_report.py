"""REPORT: one page that says what the commands say, and that nothing of a trail can turn into markup."""

from __future__ import annotations

import os
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.commands import REGISTRY
from logdump.display import text
from logdump.features.doctor.command import Examination
from logdump.features.report.model import ReportWritten
from logdump.language.execute import run_line
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Failure
from logdump.session.session import Session
from tests.searching import IS_LONG, in_turn

SHOP, RESTARTS, DAMAGED, BEATS = (TRAILS / f"{name}000000000" for name in ("et", "at", "ft", "yt"))
TAGS = frozenset(
    "html head meta title style body h1 h2 p code pre span table thead tbody tr th td "  # noqa: SIM905 - a list of words
    "svg path rect polyline circle nav ol li a div".split()
)
ATTRIBUTES = frozenset(
    "lang charset http-equiv content name class id href data-head xmlns role viewbox width height d x y "  # noqa: SIM905
    "points cx cy r".split()
)


class Page(HTMLParser):
    """A page: what tags and attributes it has, and the text of its cells and blocks."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta", "path"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def events_of(line: str, session: Session | None = None) -> list[Event]:
    return [*run_line(session or Session(), REGISTRY, line)]


def shown_by(line: str) -> list[str]:
    session = Session()
    return [line for event in events_of(line, session) for line in text.render(event, session.settings)]


def page_of(trail: object, folder: Path, before: str = "") -> Page:
    path = folder / "page.html"
    events = events_of(f"open {trail}; {before}report to {path} replace")
    assert isinstance(events[-1], ReportWritten), events
    return Page(path)


def test_a_page_says_what_the_commands_say(tmp_path: Path) -> None:
    page = page_of(RESTARTS, tmp_path)
    for line in shown_by(f"timeoffset gmt; open {RESTARTS}; recovery")[2:]:
        assert line in page.text
    assert page.text.count("No transaction appears twice.") == 1
    assert "Restarts: 4, see RECOVERY" in page.text
    assert str(TRAILS / "at000000002") in page.text
    assert "GGSUnifiedUpdate 2" in page.text


def test_its_tables_are_those_of_count(tmp_path: Path) -> None:
    page = page_of(SHOP, tmp_path)
    assert "22 records of 3,584 data bytes in 10 transactions" in page.text
    assert "Delete 1, Insert 4, FieldComp 3, GGSPKUpdate 1, GGSUnifiedUpdate 1" in page.text


def test_volume_and_lag_are_drawn(tmp_path: Path) -> None:
    page = page_of(BEATS, tmp_path)
    assert {"svg", "rect", "polyline"} <= page.tags
    assert "SRC > EXT1 > PMP1" in page.text
    assert "rect" in page_of(SHOP, tmp_path).tags


def test_the_record_at_the_position_is_shown_with_values_and_bytes(tmp_path: Path) -> None:
    page = page_of(SHOP, tmp_path, "pos 1811; next; ")
    assert "Record at RBA 1811" in page.text
    assert "'Sencha Fukamushi'" in page.text
    assert "5365 6e63 6861" in page.text
    assert "Record at" not in page_of(SHOP, tmp_path).text


def test_the_commands_of_the_session_are_listed(tmp_path: Path) -> None:
    session = Session()
    events_of(f"open {SHOP}", session)
    events_of("count detail", session)
    events_of(f"report to {tmp_path / 'page.html'}", session)
    assert "2: count detail\n3: report to" in Page(tmp_path / "page.html").text


def test_neither_filter_nor_position_nor_switches_change(tmp_path: Path) -> None:
    session = Session()
    events_of(f"open {SHOP}; filter include iotype delete; pos 1811; n", session)
    before = (session.cursor.current, session.cursor.next, vars(session.settings).copy())
    events_of(f"report to {tmp_path / 'page.html'}", session)
    assert (session.cursor.current, session.cursor.next, vars(session.settings)) == before
    assert "22 records of" in Page(tmp_path / "page.html").text


@pytest.mark.parametrize(
    ("of_trail", "ending"),
    in_turn(
        [
            (SHOP, ExitStatus.OK),
            (RESTARTS, ExitStatus.FINDINGS),
            (DAMAGED, ExitStatus.BAD_DATA),
            (BEATS, ExitStatus.FINDINGS),
        ],
        ["html", "md"],
    ),
)
def test_its_status_is_that_of_what_it_says(of_trail: tuple[Path, ExitStatus], ending: str, tmp_path: Path) -> None:
    trail, status = of_trail
    *_, written = events_of(f"open {trail}; report to {tmp_path / f'page.{ending}'}")
    assert isinstance(written, ReportWritten)
    assert written.status == status
    *_, doctor = events_of(f"doctor {trail.with_name(trail.name[:2])}*")
    assert getattr(doctor, "status", None) == status
    assert (tmp_path / f"page.{ending}").stat().st_size


HOSTILE_NAME = "<img src=x onerror=alert(1)>\x1b[31m"
HOSTILE = ((b"TEAHOUSE.SALES", b'<i>A.</i>&"\x07ab'), (b"Sencha Fukamushi", b"<b onclick=1>\x1b|`"))


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A trail whose name, tables and values try to be markup and control characters."""
    data = SHOP.read_bytes()
    for plain, other in HOSTILE:
        assert len(plain) == len(other)
        assert plain in data
        data = data.replace(plain, other)
    path = tmp_path / f"{HOSTILE_NAME}000000000"
    path.write_bytes(data)
    return path


def write_hostile(hostile: Path, page: Path) -> None:
    session = Session()
    session.open(hostile)
    events_of("pos 1811; next", session)
    events = events_of(f"report to {page}", session)
    assert isinstance(events[-1], ReportWritten), events


def test_nothing_of_a_trail_is_markup(hostile: Path, tmp_path: Path) -> None:
    write_hostile(hostile, tmp_path / "page.html")
    page = Page(tmp_path / "page.html")
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert page.open == []
    for shown in ('<i>A.</i>&"\\x07ab', "<b onclick=1>\\x1b|`", "<img src=x onerror=alert(1)>\\x1b[31m"):
        assert shown in page.text
    assert all(line.isprintable() for line in (tmp_path / "page.html").read_text(encoding="utf-8").split("\n"))


def test_nothing_of_a_trail_is_a_mark_of_markdown(hostile: Path, tmp_path: Path) -> None:
    write_hostile(hostile, tmp_path / "page.md")
    written = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert all(line.isprintable() for line in written.split("\n"))
    is_code = False
    for line in written.split("\n"):
        if line.startswith("```"):
            is_code = not is_code
        elif not is_code:
            assert "<" not in line.replace("\\<", "")
            assert "`" not in line.replace("\\`", "")
    assert not is_code


def test_a_browser_finds_no_markup_of_a_trail_and_loads_nothing(hostile: Path, tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("there is no chromium")
    write_hostile(hostile, tmp_path / "page.html")
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    done = subprocess.run(
        [browser, *words, (tmp_path / "page.html").as_uri()], capture_output=True, text=True, timeout=60, check=True
    )
    (tmp_path / "dom.html").write_text(done.stdout, encoding="utf-8")
    page = Page(tmp_path / "dom.html")
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert '<i>A.</i>&"\\x07ab' in page.text


@pytest.mark.parametrize("data", [b"", b"no trail\n" * 40, SHOP.read_bytes()[:700]])
def test_a_file_that_is_no_trail_has_a_page_that_says_so(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes(data)
    *_, written = events_of(f"report over {path} to {tmp_path / 'page.html'}")
    assert isinstance(written, ReportWritten), written
    assert str(path) in Page(tmp_path / "page.html").text
    assert written.status in (ExitStatus.BAD_DATA, ExitStatus.OK)


@pytest.mark.parametrize("size", range(1131, SHOP.stat().st_size, 397 if IS_LONG else 997))
def test_a_trail_that_is_cut_anywhere_has_a_page(size: int, tmp_path: Path) -> None:
    path = tmp_path / "et000000000"
    path.write_bytes(SHOP.read_bytes()[:size])
    assert page_of(path, tmp_path).tags <= TAGS


def test_a_page_is_there_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_arguments: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(Examination, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        events_of(f"open {SHOP}; report to {tmp_path / 'page.html'}")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("replace", ["", " replace"])
@pytest.mark.parametrize("what", ["the open trail", "its second name", "another file of the trail", "a link", "a pipe"])
def test_it_goes_onto_a_regular_file_that_is_no_trail_or_nothing(what: str, replace: str, tmp_path: Path) -> None:
    trail, target = tmp_path / "st000000000", tmp_path / "page.html"
    for name in ("st000000000", "st000000001"):
        shutil.copy(TRAILS / name, tmp_path / name)
    if what == "the open trail":
        target = trail
    elif what == "its second name":
        target.hardlink_to(trail)
    elif what == "another file of the trail":
        target.hardlink_to(tmp_path / "st000000001")
    elif what == "a link":
        target.symlink_to(tmp_path / "elsewhere")
    else:
        os.mkfifo(target)
    there = sorted((path.name, path.lstat().st_ino, path.lstat().st_size) for path in tmp_path.iterdir())
    *_, failure = events_of(f"open {trail}; report to {target}{replace}")
    assert isinstance(failure, Failure)
    assert sorted((path.name, path.lstat().st_ino, path.lstat().st_size) for path in tmp_path.iterdir()) == there


def test_a_page_is_replaced_where_that_is_said(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("mine")
    *_, failure = events_of(f"open {SHOP}; report to {page}")
    assert isinstance(failure, Failure)
    assert page.read_text() == "mine"
    *_, written = events_of(f"open {SHOP}; report to {page} replace")
    assert isinstance(written, ReportWritten)


def test_other_endings_are_refused(tmp_path: Path) -> None:
    *_, failure = events_of(f"open {SHOP}; report to {tmp_path / 'page.pdf'}")
    assert isinstance(failure, Failure)
    assert "a .html or a .md file" in failure.lines[0]
    assert not [*tmp_path.iterdir()]


def test_missing_files_are_said(tmp_path: Path) -> None:
    for name in ("at000000000", "at000000002"):
        shutil.copy(TRAILS / name, tmp_path / name)
    page = page_of(tmp_path / "at000000000", tmp_path)
    assert "at000000001" in page.text


def test_a_file_that_is_no_trail_among_others_is_said(tmp_path: Path) -> None:
    for name in ("st000000000", "st000000001"):
        shutil.copy(TRAILS / name, tmp_path / name)
    (tmp_path / "st000000002").write_bytes(b"no trail")
    *_, written = events_of(f"report over {tmp_path}/st* to {tmp_path / 'page.html'}")
    assert isinstance(written, ReportWritten), written
    assert written.status == ExitStatus.BAD_DATA
    assert "No trail: st000000002" in Page(tmp_path / "page.html").text
