"""A report as a self-contained page of HTML: no script, no link, no image from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape as quoted

from logdump.features.report.chart import legend, svg_lines
from logdump.features.report.model import ReportChart, ReportLines, ReportPage, ReportPart, ReportSection, ReportTable

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""With it a browser loads and runs nothing, even if data of a trail were parsed as a tag."""
_STYLE = """\
body { font: 15px/1.45 system-ui, sans-serif; color: #222; background: #fff; max-width: 60rem; margin: 2rem auto;
       padding: 0 1rem }
h1 { font-size: 1.5rem; overflow-wrap: anywhere }
h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid #ccc }
code, pre { font: 13px/1.4 ui-monospace, monospace }
pre { background: #f6f6f4; padding: .6rem; overflow-x: auto }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top; border-bottom: 1px solid #eee;
         white-space: nowrap }
.n { text-align: right; font-variant-numeric: tabular-nums }
.c { color: #666; font-size: 13px }
svg { max-width: 100%; height: auto; font: 11px sans-serif }
svg text { fill: #555 }
@media print { pre { white-space: pre-wrap } }"""


def html_text(report: ReportPage) -> str:
    """Return the page as HTML."""
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ReportPage) -> Iterator[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{quoted(_POLICY)}">'
    yield '<meta name="viewport" content="width=device-width">'
    yield f"<title>{quoted(report.title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n<body>"
    yield f"<h1>{quoted(report.title)}</h1>\n<table>"
    yield from (f"<tr><th>{quoted(name)}</th><td>{quoted(value)}</td></tr>" for name, value in report.facts)
    yield "</table>"
    for section in report.sections:
        yield from _section(section)
    yield "</body>\n</html>"


def _section(section: ReportSection) -> Iterator[str]:
    yield f"<h2>{quoted(section.title)}</h2>"
    if section.command:
        yield f'<p class="c"><code>{quoted(section.command)}</code></p>'
    for part in section.parts:
        yield from _part(part)


def _part(part: ReportPart) -> Iterator[str]:
    if isinstance(part, ReportLines):
        yield "<pre>" + "\n".join(map(quoted, part.lines)) + "</pre>"
    elif isinstance(part, ReportTable):
        yield from _table(part)
    else:
        yield from _chart(part)


def _table(table: ReportTable) -> Iterator[str]:
    yield "<table>\n<thead>" + _row("th", table.heads, table.numbers) + "</thead>\n<tbody>"
    yield from (_row("td", row, table.numbers) for row in table.rows)
    yield "</tbody>\n</table>"


def _row(tag: str, cells: tuple[str, ...], numbers: frozenset[int]) -> str:
    kinds = [' class="n"' if column in numbers else "" for column in range(len(cells))]
    elements = (f"<{tag}{kind}>{quoted(cell)}</{tag}>" for kind, cell in zip(kinds, cells, strict=True))
    return f"<tr>{''.join(elements)}</tr>"


def _chart(chart: ReportChart) -> Iterator[str]:
    yield f"<p>{quoted(chart.title)}</p>"
    yield from svg_lines(chart)
    names = [(colour, name) for colour, name in legend(chart) if name]
    if names:
        yield "<p>" + " ".join(f'<span style="color:{colour}">■</span> {quoted(name)}' for colour, name in names)
        yield "</p>"
