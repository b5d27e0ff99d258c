"""A report as a self-contained page of HTML: no script, no link and no image from elsewhere.

It is legible on a narrow screen, where each row of a table is a block, on a wide one and on paper, in light and in dark
colours as the reader prefers.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as quoted

from logdump.display.text import PlacedLine, Severity
from logdump.features.report.chart import caption, legend, svg_lines
from logdump.features.report.model import (
    ReportChart,
    ReportLines,
    ReportPage,
    ReportPart,
    ReportSection,
    ReportTable,
    ReportVerdict,
)

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""With it a browser loads and runs nothing, even if data of a trail were parsed as a tag."""
_STYLE = """\
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #5f5f5f; --line: #d5d5d2; --block: #f6f6f4;
        --damage: #b3261e; --warning: #8a5a00; --good: #2f6b2f;
        --s0: #1f6f8b; --s1: #c0562f; --s2: #5b7f3a; --s3: #7a5195; --s4: #8a6d1d; --s5: #555 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e0; --paper: #17181a; --faint: #a3a39e; --line: #3a3b3e; --block: #222427;
          --damage: #ff8a80; --warning: #f0b849; --good: #8fce8f;
          --s0: #5fb6d4; --s1: #f0916b; --s2: #9cc777; --s3: #c39be0; --s4: #d8ba5e; --s5: #b5b5b5 } }
* { box-sizing: border-box }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 75rem;
       margin: 1.5rem auto; padding: 0 1rem }
h1, h2, p, td, pre, code, li { overflow-wrap: anywhere }
th { white-space: nowrap }
h1 { font-size: 1.5rem }
h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid var(--line); break-after: avoid }
code, pre { font: 13px/1.4 ui-monospace, monospace }
pre { background: var(--block); padding: .6rem; white-space: pre-wrap; margin: .6rem 0 }
table { border-collapse: collapse; width: 100% }
table.h { width: auto }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; border-bottom: 1px solid var(--line) }
tr { break-inside: avoid }
thead { display: table-header-group }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.c { color: var(--faint); font-size: 13px; margin: .3rem 0 }
.v { border-left: .4rem solid var(--good); padding: .2rem 1rem; margin: 1rem 0; background: var(--block) }
.v p { font-size: 1.1rem; font-weight: 600; margin: .5rem 0 }
.v pre { padding: 0 }
.v.damage, .v.warning, .v.note { border-color: var(--faint) }
.v.damage { border-color: var(--damage) }
.v.warning { border-color: var(--warning) }
.damage > td:first-child, .v.damage > p, span.damage { color: var(--damage); font-weight: 600 }
.warning > td:first-child, .v.warning > p, span.warning { color: var(--warning); font-weight: 600 }
span.advice { font-weight: 600 }
nav ol { columns: 18rem; padding-left: 1.4rem; margin: .5rem 0 }
a { color: inherit }
svg { width: 100%; height: auto; display: block }
.x { display: flex; justify-content: space-between; color: var(--faint); font-size: 13px }
.k span { white-space: nowrap }
.s0 { fill: var(--s0); color: var(--s0) } .s1 { fill: var(--s1); color: var(--s1) }
.s2 { fill: var(--s2); color: var(--s2) } .s3 { fill: var(--s3); color: var(--s3) }
.s4 { fill: var(--s4); color: var(--s4) } .s5 { fill: var(--s5); color: var(--s5) }
polyline { fill: none !important; stroke: currentColor; stroke-width: 1.5 }
svg path { fill: none; stroke: var(--faint) }
@media screen and (max-width: 46rem) {
  .t, .t tbody, .t tr, .t td { display: block }
  .t thead { display: none }
  .t tr { border-bottom: 1px solid var(--line); padding: .3rem 0 }
  .t td { border: 0; padding: .05rem 0; text-align: left; white-space: normal }
  .t td:empty { display: none }
  .t td::before { content: attr(data-head) ": "; color: var(--faint); font-weight: 400 }
  pre, code { font-size: 12px } }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --faint: #444; --line: #bbb; --block: #f6f6f4;
          --damage: #b3261e; --warning: #8a5a00; --good: #2f6b2f;
          --s0: #1f6f8b; --s1: #c0562f; --s2: #5b7f3a; --s3: #7a5195; --s4: #8a6d1d; --s5: #555 }
  body { font-size: 10pt; max-width: none; margin: 0; padding: 0 }
  .t { font-size: 8.5pt }
  .t th, .t td { padding-right: .5rem }
  pre, code { font-size: 8.5pt }
  .v, svg { break-inside: avoid; print-color-adjust: exact } }"""


def html_text(report: ReportPage) -> str:
    """Return the page as HTML."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ReportPage) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{quoted(_POLICY)}">'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{quoted(report.title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>"
    yield f"<h1>{quoted(report.title)}</h1>"
    yield from _verdict(report.verdict)
    yield '<table class="h">'
    yield from (f"<tr><th>{quoted(name)}</th><td>{quoted(value)}</td></tr>" for name, value in report.facts)
    yield "</table>\n<nav><ol>"
    for number, section in enumerate(report.sections, 1):
        yield f'<li><a href="#s{number}">{quoted(section.title)}</a></li>'
    yield "</ol></nav>"
    for number, section in enumerate(report.sections, 1):
        yield from _section(number, section)
    yield "</body>\n</html>"


def _verdict(verdict: ReportVerdict) -> Iterator[str]:
    kind = f" {verdict.severity.value}" if verdict.severity is not None else ""
    yield f'<div class="v{kind}"><p>{quoted(verdict.sentence)}</p>'
    if verdict.advice:
        yield _block(verdict.advice)
    yield "</div>"


def _section(number: int, section: ReportSection) -> Iterator[str]:
    yield f'<h2 id="s{number}">{quoted(section.title)}</h2>'
    if section.command:
        yield f'<p class="c"><code>{quoted(section.command)}</code></p>'
    for part in section.parts:
        yield from _part(part)


def _part(part: ReportPart) -> Iterator[str]:
    if isinstance(part, ReportLines):
        yield _block(part.lines)
    elif isinstance(part, ReportTable):
        yield from _table(part)
    else:
        yield from _chart(part)


def _block(lines: tuple[str, ...]) -> str:
    """Return lines as a block, those about damage, a warning or a command to be pasted marked."""
    return "<pre>" + "\n".join(map(_marked, lines)) + "</pre>"


def _marked(line: str) -> str:
    text = quoted(line)
    if not isinstance(line, PlacedLine):
        return text
    kind = "advice" if line.is_advice else line.severity.value if line.severity is not Severity.NOTE else ""
    return f'<span class="{kind}">{text}</span>' if kind else text


def _table(table: ReportTable) -> Iterator[str]:
    classes = [' class="n"' if column in table.numbers else "" for column in range(len(table.heads))]
    heads = [quoted(head) for head in table.heads]
    cells = "".join(f"<th{kind}>{head}</th>" for head, kind in zip(heads, classes, strict=True))
    yield f'<table class="t">\n<thead><tr>{cells}</tr></thead>\n<tbody>'
    starts = [f'<td{kind} data-head="{head}">' for head, kind in zip(heads, classes, strict=True)]
    for number, row in enumerate(table.rows):
        kind = f' class="{table.severities[number].value}"' if table.severities else ""
        yield f"<tr{kind}>" + "".join(f"{start}{quoted(cell)}</td>" for start, cell in zip(starts, row, strict=True))
        yield "</tr>"
    yield "</tbody>\n</table>"


def _chart(chart: ReportChart) -> Iterator[str]:
    yield f"<p>{quoted(caption(chart))}</p>"
    yield from svg_lines(chart)
    names = [(number, name) for number, name in enumerate(legend(chart)) if name]
    if names:
        keys = " ".join(f'<span class="s{number}">■</span> {quoted(name)}' for number, name in names)
        yield f'<p class="k">{keys}</p>'
