"""REPORT as a ticket: its result, the place that it is asked for in three ways, and how it is laid out."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.report import parts
from tests.logdump.program import logdump
from tests.searching import Random
from tests.trailformat.samples import row, trail_of
from trailformat import Record, TrailFile
from trailformat.changes.transactions import own_transaction
from trailformat.records.record_header import FIRST, LAST, ONLY

GARBAGE = b"no record at all, but bytes " * 4


def _page(trail: Path | str, folder: Path, *words: str, status: int | None = None) -> str:
    path = folder / "page.md"
    answer = logdump("report", str(trail), *words, "-o", str(path), "--replace")
    assert answer.status in ((0, 3, 4) if status is None else (status,)), answer
    return path.read_text(encoding="utf-8")


def _sections(page: str) -> dict[str, str]:
    head, *sections = page.split("\n## ")
    return {"": head} | {section.partition("\n")[0].replace("\\", ""): section for section in sections}


def _result(page: str) -> str:
    (sentence,) = re.findall(r"^\*\*(.*)\*\*$", page, re.MULTILINE)
    return str(sentence).replace("\\", "")


def test_damage_is_named_with_its_place_and_what_safe_says(tmp_path: Path) -> None:
    """One of three gaps is damage, the others whole records: the first place, and the text for ALTER of SAFE there."""
    drawn = Random()
    good = [row(trans_ind=ONLY) for _ in range(4)]
    at = drawn.randrange(1, 4)
    again = drawn.random() < 0.5
    records: list[Record | bytes] = [*good[:at], GARBAGE, *good[at:]]
    if again:
        records += [GARBAGE, row(trans_ind=ONLY)]
    trail_of(tmp_path, *records, name="tt000000000")
    rba = sum(record.length for record in good[:at])
    page = _page(tmp_path / "tt", tmp_path, status=4)
    result = _result(page)
    assert result.startswith(f"Damaged: tt000000000 RBA {rba}, {len(GARBAGE)} bytes. A Replicat abends there.")
    assert ("1 other problem" in result) is again
    safe = logdump("safe", str(tmp_path / "tt000000000"), str(rba))
    for line in safe.out.splitlines():
        assert line in _sections(page)[""]
    assert "ALTER REPLICAT" in _sections(page)[""]


@pytest.mark.parametrize("kind", ["sound", "cut", "missing", "growing"])
def test_the_result_says_what_is_so(kind: str, tmp_path: Path) -> None:
    whole = [row(trans_ind=ONLY) for _ in range(3)]
    if kind == "cut":
        whole += [row(trans_ind=FIRST), row(trans_ind=ONLY), row(trans_ind=LAST)]
    trail_of(tmp_path, *whole, name="tt000000000")
    if kind == "missing":
        trail_of(tmp_path, *whole, name="tt000000002")
    if kind == "growing":
        path = tmp_path / "tt000000000"
        path.write_bytes(path.read_bytes()[:-5])
    page = _page(tmp_path / "tt", tmp_path)
    result = _result(page)
    expected = {
        "sound": "No damage, no problem",
        "cut": "Warning: tt000000000 RBA",
        "missing": "Damaged: missing: tt000000001",
        "growing": "No damage; the last record is not complete yet",
    }
    assert result.startswith(expected[kind])
    assert ("abends" in result) is False
    assert ("ALTER REPLICAT" in page.partition("\n## ")[0]) is (kind == "cut")


def test_the_advice_is_about_the_place_that_is_asked_for(tmp_path: Path) -> None:
    first, last = row(trans_ind=FIRST), row(trans_ind=LAST)
    trail = trail_of(tmp_path, first, last, GARBAGE, first, last, name="tt000000000")
    behind = first.length + last.length + len(GARBAGE)
    rba = Random().choice([first.length, behind, behind + first.length])
    head = _page(trail, tmp_path, "--rba", str(rba), status=4).partition("\n## ")[0]
    for line in logdump("safe", str(trail), str(rba)).out.splitlines():
        assert line in head


def test_a_place_is_the_same_however_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A drawn transaction of a trail of three files: by the RBA, by its CSN, and by a message of GoldenGate.

    Where the path of the message leads there is another trail.
    """
    drawn = Random()
    for path in sorted(TRAILS.glob("st00000000?")):
        (tmp_path / "other" / "dirdat").mkdir(parents=True, exist_ok=True)
        shutil.copy(TRAILS / "ft000000000", tmp_path / "other" / "dirdat" / path.name)
    monkeypatch.chdir(tmp_path / "other")
    folder = tmp_path / "dirdat"
    folder.mkdir()
    for path in sorted(TRAILS.glob("st00000000?")):
        shutil.copy(path, folder)
    begins: dict[str, tuple[Path, int]] = {}
    for path in sorted(folder.iterdir()):
        with TrailFile(path) as trail:
            for record in trail.records():
                own = own_transaction(record)
                if own.csn is not None:
                    begins.setdefault(own.csn, (path, record.rba))
    csn, (path, rba) = drawn.choice(sorted(begins.items()))
    message = f"OGG-01028 Incompatible record in ./dirdat/{path.name}, rba {rba:,}"
    sections = _sections(_page(path, tmp_path, "--rba", str(rba)))
    pages = [_sections(_page(folder / "st", tmp_path, *words)) for words in (("--csn", csn), ("--error", message))]
    for page in pages:
        assert _code(page[f"Record at RBA {rba} of {path.name}"]) == _code(sections[f"Record at RBA {rba}"])
        assert page["The transaction"] == sections["The transaction"]
    assert pages[0].get("The row") == pages[1].get("The row")
    assert "OGG-01028" in pages[1]["The message"]
    assert "The message" not in pages[0]


@pytest.mark.parametrize("files", [1, 3])
def test_an_rba_without_a_file_is_in_the_only_file_or_in_none(files: int, tmp_path: Path) -> None:
    for number in range(files):
        shutil.copy(TRAILS / f"at{number:09}", tmp_path)
    rba = _drawn_rba(tmp_path / "at000000000")
    told = _sections(_page(tmp_path / "at", tmp_path, "--error", f"OGG-01028 Incompatible record, rba {rba}"))
    assert [name for name in told if name.startswith("Record at")] == [f"Record at RBA {rba}"] * (files == 1)
    assert ("names no file, and" in told["The message"]) is (files > 1)


def test_an_rba_without_a_file_is_in_the_open_one(tmp_path: Path) -> None:
    for number in range(3):
        shutil.copy(TRAILS / f"at{number:09}", tmp_path)
    opened = tmp_path / f"at{Random().randrange(3):09}"
    rba, page = _drawn_rba(opened), tmp_path / "page.md"
    logdump("-c", f'open {opened}; report error "OGG-01028 Incompatible record, rba {rba}" to {page}')
    told = _sections(page.read_text(encoding="utf-8"))
    assert [name for name in told if name.startswith("Record at")] == [f"Record at RBA {rba} of {opened.name}"]


def _drawn_rba(path: Path) -> int:
    with TrailFile(path) as trail:
        return int(Random().choice([record.rba for record in trail.records() if record.rba]))


def _code(section: str) -> str:
    return section[section.rindex("```", 0, len(section) - 4) :]


def test_the_story_of_a_row_is_that_of_row(tmp_path: Path) -> None:
    """Of a row of the trail that is drawn; the record is any one of its changes."""
    trail = TRAILS / "et000000000"
    listed = logdump("list", str(trail), "--table", "TEAHOUSE.TEAS", "--format", "jsonl").out.splitlines()
    record = Random().choice([item for item in map(json.loads, listed) if item["kind"] != "metadata"])
    page = _sections(_page(trail, tmp_path, "--rba", str(record["rba"])))
    key = next(column for column in record["columns"] if column["key"])
    value = key["after"] if key["has_after"] else key["before"]
    told = logdump("row", str(trail), record["table"], f"{key['name']}={value!r}")
    lines = [line.strip() for line in told.out.splitlines()]
    assert lines
    for line in lines:
        assert line in page["The row"]


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (("--csn", "99999999"), 1, "No transaction with CSN"),
        (("--csn", "x"), 1, "is not a CSN"),
        (("--error", "nothing at all"), 1, "ERROR has no number"),
        (("--rba", "10", "--csn", "1"), 2, "give one"),
        (("--rba", "10", "--error", "x"), 2, "give one"),
    ],
)
def test_a_place_that_is_not_there_is_refused(words: tuple[str, ...], status: int, told: str, tmp_path: Path) -> None:
    answer = logdump("report", str(TRAILS / "et000000000"), *words, "-o", str(tmp_path / "page.md"))
    assert (answer.status, [*tmp_path.iterdir()]) == (status, [])
    assert told in answer.err


@pytest.mark.parametrize("trail", ["et", "at", "ft", "yt"])
def test_contents_lead_to_sections_and_a_table_is_there_once(trail: str, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert logdump("report", str(TRAILS / trail), "-o", str(path)).status in (0, 3, 4)
    page = path.read_text(encoding="utf-8")
    links = re.findall(r'<li><a href="#(.*?)">(.*?)</a></li>', page)
    heads = re.findall(r'<h2 id="(.*?)">(.*?)</h2>', page)
    assert links == heads
    assert len({name for name, _ in heads}) == len(heads) > 5
    assert heads[0][1] == "Over time"
    tables = Counter(re.findall(r"<thead>.*?</thead>", page))
    assert set(tables.values()) == {1}
    for name in set(re.findall(r"TEAHOUSE\.\w+", page[page.index("Tables and operations</h2>") :])):
        assert len(re.findall(rf'<td data-head="Table">{re.escape(name)}</td>', page)) <= 2, "tables, and images"


@pytest.mark.parametrize("most", [1, 2, 3])
def test_findings_have_the_colour_of_their_severity_and_the_others_are_counted(
    most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = logdump("doctor", str(TRAILS / "ft"), "--format", "jsonl").out.splitlines()
    (findings,) = (item["findings"] for item in map(json.loads, whole) if "findings" in item)
    monkeypatch.setattr(parts, "MOST_FINDINGS", most)
    logdump("report", str(TRAILS / "ft"), "-o", str(tmp_path / "page.html"))
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = re.findall(r'<tr class="(\w+)"><td data-head="Severity">(\w+)</td>', page)
    assert found == [(item["severity"],) * 2 for item in findings[:most]]
    assert (f"… {len(findings) - most} more findings" in page) is (len(findings) > most)


def _write_wide(folder: Path) -> str:
    """Write a page of names and values as long as a trail may have."""
    name = "T" * 120
    records = [row(b"x" * 300, f"{name}.{name}{at}", trans_ind=ONLY) for at in range(3)]
    trail_of(folder, *records, GARBAGE, row(trans_ind=ONLY), name="tt000000000")
    assert logdump("report", str(folder / "tt000000000"), "--rba", "0", "-o", str(folder / "page.html")).status == 4
    return (folder / "page.html").read_text(encoding="utf-8")


class LongWords(HTMLParser):
    """Finds the elements that long names and values are in."""

    def __init__(self) -> None:
        super().__init__()
        self._open: list[str] = []
        self.places: set[tuple[str, ...]] = set()

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        if tag != "meta":  # which has no end
            self._open.append(tag)

    def handle_endtag(self, _tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if re.search("T{120}|x{120}", data):
            self.places.add(tuple(self._open))


def test_a_long_word_is_broken_in_whichever_element_it_is(tmp_path: Path) -> None:
    """What a browser makes of that is measured below, where there is one."""
    page, words = _write_wide(tmp_path), LongWords()
    words.feed(page)
    (selectors,) = re.findall(r"^(.*) \{ overflow-wrap: anywhere \}$", page, re.MULTILINE)
    assert {element for place in words.places for element in place} >= {"td", "pre"}
    for place in words.places:
        assert {*place} & {*selectors.split(", ")}, place


def test_nothing_is_wider_than_the_screen(tmp_path: Path) -> None:
    """At three widths, with names and values as long and as unbreakable as a trail may have: asked of a browser."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("there is no chromium")
    _write_wide(tmp_path)
    frames = "".join(f'<iframe id="w{width}" src="page.html" style="width:{width}px"></iframe>' for width in WIDTHS)
    (tmp_path / "frames.html").write_text(f"{frames}<pre id=out></pre><script>{_MEASURE}</script>", encoding="utf-8")
    words = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    words += ["--allow-file-access-from-files", "--disable-background-networking", "--virtual-time-budget=5000"]
    done = subprocess.run(
        [browser, *words, (tmp_path / "frames.html").as_uri()], capture_output=True, text=True, timeout=60, check=True
    )
    (measured,) = re.findall(r'<pre id="out">(.*?)</pre>', done.stdout, re.DOTALL)
    widths = json.loads(html.unescape(measured))
    assert [item["width"] for item in widths] == [*WIDTHS]
    for item in widths:
        assert item["needed"] <= item["width"], item


WIDTHS = (400, 800, 1280)
_MEASURE = """
onload = () => {
  const of = frame => { const page = frame.contentDocument.documentElement;
    return {width: frame.clientWidth, needed: page.scrollWidth} };
  document.getElementById("out").textContent = JSON.stringify([...document.querySelectorAll("iframe")].map(of)) }
"""
