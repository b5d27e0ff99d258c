"""The page of DOCTOR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from logdump.display.text import PlacedLine, Renderers, Severity
from logdump.features.doctor.model import (
    NAGIOS_NAME,
    DoctorShown,
    Finding,
    Growth,
    NagiosShown,
    NewFindings,
    OpImages,
    TableImages,
)
from logdump.features.recovery.versions import FileFacts
from logdump.features.transactions.text import not_applied_note
from logdump.notation.text import amount, as_field, display_width, escape, wrapped
from logdump.notation.times import TimeOffset, format_timestamp, zone_text
from logdump.session.settings import Settings
from trailformat import io_type_name
from trailformat.totals.counting import TypeTotals
from trailformat.trail.sequence import FilePosition

_MARKS = {Severity.DAMAGE: "!!", Severity.WARNING: " !", Severity.NOTE: "  "}
_MOST_FINDINGS, _MOST_FILES, _MOST_TABLES, _MOST_BYTES = 40, 12, 20, 32
_WIDTH, _LABEL_WIDTH, _NAME_WIDTH = 80, 13, 36
"""Columns of the page, of the label of a line, and of a name at the beginning of a row."""
_NUMBERS = frozenset({"Records", "Bytes", "%", "Key", "Format"})
"""The columns of tables that are aligned to the right."""


def doctor_lines(shown: DoctorShown, settings: Settings) -> Iterator[str]:
    """Yield the page, block by block, in lines of at most 80 columns that are broken between words."""
    yield f"Trail {escape(shown.title)}: {amount(len(shown.headers), 'file')}, {shown.growth.size:,} bytes"
    yield from _narrow(_page(shown, settings))


def _narrow(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines of at most 80 columns; the parts of a broken one have its place."""
    for line in lines:
        margin = 7 if line.startswith(" ") else _LABEL_WIDTH if line[:_LABEL_WIDTH].endswith(" ") else None
        for part in wrapped(escape(line), _WIDTH, margin):
            yield PlacedLine(part, line.position, line.severity) if isinstance(line, PlacedLine) else part


def state_lines(shown: DoctorShown, settings: Settings) -> Iterator[str]:
    """Yield what the page says besides findings and tables: source, encryption, growth, lag, files to keep."""
    yield from _source(shown)
    yield from _growth(shown.growth, settings.time_offset)
    yield from _lags(shown)
    yield from _keep(shown)


def _page(shown: DoctorShown, settings: Settings) -> Iterator[str]:
    offset = settings.time_offset
    yield from _source(shown)
    yield ""
    yield from _findings(shown)
    yield ""
    yield from _growth(shown.growth, offset)
    yield from _lags(shown)
    yield from _keep(shown)
    yield ""
    yield from _tables(shown.tables, {images.table: images.position for images in shown.images})
    yield from _images(shown.images)
    yield from _transactions(shown, offset)
    yield ""
    yield from _files(shown, offset)


def _source(shown: DoctorShown) -> Iterator[str]:
    last = next((facts for facts in reversed(shown.headers) if facts.header is not None), None)
    if last is None or last.header is None:
        yield f"Source       not known: {'no file header was read' if shown.headers else 'no trail file'}"
        yield from _encrypted(shown)
        return
    header = last.header
    named = (
        ("database", header.vendor),
        ("name", header.get("DatabaseInfo", "Name")),
        ("unique name", header.get("DatabaseInfo", "DbUniqueName")),
        ("host", header.get("MachineInfo", "Nodename")),
    )
    yield "Source       " + ", ".join(f"{what} {escape(str(value))}" for what, value in named if value)
    writer = " ".join(str(value) for name in ("Name", "VerString") if (value := header.get("ProducerInfo", name)))
    versions = sorted({facts.version for facts in shown.headers if facts.version is not None})
    formats = ", ".join(map(str, versions)) or "unknown"
    yield f"Written by   {escape(' '.join(writer.split()) or 'unknown')}; format {formats}"
    yield from _encrypted(shown)


def _encrypted(shown: DoctorShown) -> Iterator[str]:
    encrypted = len(shown.check.encrypted) if shown.check is not None else 0
    yield f"Encrypted    {amount(encrypted, 'file')} by the look of the record data" if encrypted else "Encrypted    no"
    if encrypted:
        yield from _cipher(shown)


def _cipher(shown: DoctorShown) -> Iterator[str]:
    """Yield the bytes of the unnamed tokens: no source says which token of the header is the kind of encryption."""
    tokens = shown.unnamed_tokens
    has = "the header has no token without a known name" if not tokens else "tokens of the header without a known name:"
    yield f"             The kind is not known here; {has}"
    for token in tokens:
        data = token.payload[:_MOST_BYTES].hex() + ("…" if len(token.payload) > _MOST_BYTES else "")
        yield f"             {escape(token.group)} x{token.token_id:02x}, {amount(len(token.payload), 'byte')}: {data}"


def _findings(shown: DoctorShown) -> Iterator[str]:
    if not shown.findings:
        yield "Findings     none"
        return
    heavy = _heavy(shown)
    notes = len(shown.findings) - len(heavy)
    yield f"Findings     {amount(len(heavy), 'problem')}, {amount(notes, 'note')}"
    yield from _told(shown.findings)


def _heavy(shown: DoctorShown) -> list[Finding]:
    """Return the findings that are problems: damage and warnings."""
    return [finding for finding in shown.findings if finding.severity is not Severity.NOTE]


def _told(findings: tuple[Finding, ...]) -> Iterator[str]:
    """Yield the first findings, and the number of the others."""
    for finding in findings[:_MOST_FINDINGS]:
        yield from _finding(finding)
    if len(findings) > _MOST_FINDINGS:
        yield f"     ... {len(findings) - _MOST_FINDINGS} more"


def _finding(finding: Finding) -> Iterator[str]:
    place = f"{escape(finding.position.path.name)} RBA {finding.position.rba}: " if finding.position is not None else ""
    text = f"  {_MARKS[finding.severity]} {place}{escape(finding.text)}   [{escape(finding.command)}]"
    yield PlacedLine(text, finding.position, finding.severity)


def _growth(growth: Growth, offset: TimeOffset) -> Iterator[str]:
    if growth.first is None or growth.last is None:
        yield "Time         no record with a time"
        return
    first, last = _seconds(growth.first, offset), _seconds(growth.last, offset)
    yield f"Time         {first} to {last} {zone_text(offset, growth.last)}"
    rate = growth.bytes_per_hour
    if rate is not None:
        yield f"Growth       {rate:,} bytes an hour on average   [COUNT INTERVAL 60]"
    if growth.largest_hour is not None:
        start, size = growth.largest_hour
        yield f"Largest hour {format_timestamp(start, offset)}, {size:,} data bytes"
    if growth.hours_left is not None:
        yield f"Disk         {growth.free:,} bytes free, full in {growth.hours_left:,.0f} hours at this rate"


def _lags(shown: DoctorShown) -> Iterator[str]:
    for lag in shown.lags:
        total = lag.hops.get("total_lag")
        last = lag.last.lags.total_lag
        text = f"last {last / 1e6:.3f} s" if last is not None else "last unknown"
        greatest = f", greatest {total.greatest / 1e6:.3f} s" if total is not None else ""
        yield PlacedLine(
            f"Lag          {escape(lag.source or '?')} => {escape(lag.target or '?')}: {text}{greatest}, newest beat "
            f"{lag.age / 1e6:.0f} s old   [HEARTBEAT]",
            total.greatest_at if total is not None else lag.last.row.position,
        )
    if not shown.lags:
        yield "Lag          no heartbeat in the trail   [HEARTBEAT]"


def _keep(shown: DoctorShown) -> Iterator[str]:
    if shown.keep is not None:
        keep = shown.keep
        free = (
            f"{amount(len(keep.free), 'file')} before it not needed, {keep.size:,} bytes"
            if keep.free
            else "no file before it"
        )
        yield f"Keep         {escape(keep.first.name)} and later, {free}   [RECOVERY KEEP]"


def _rows(
    titles: Sequence[str], rows: Sequence[Sequence[str]], positions: Sequence[FilePosition | None] = ()
) -> Iterator[str]:
    """Yield a table whose columns are as wide as their cells; a name that is too wide has a line of its own.

    ``positions`` are the places of the rows, if they have some.
    """
    lines = _aligned(titles, rows)
    yield from next(lines)
    for number, parts in enumerate(lines):
        yield from (PlacedLine(part, positions[number]) for part in parts) if positions else parts


def _aligned(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Yield the lines of the heading, and of each row."""
    widths = [max(map(display_width, column)) for column in zip(titles, *rows, strict=True)][:-1]
    widths[0] = min(widths[0], max(_NAME_WIDTH, display_width(titles[0])))
    for first, *cells, last in (titles, *rows):
        is_wide = display_width(first) > widths[0]
        name = "" if is_wide else first
        aligned = [
            cell.rjust(width) if title in _NUMBERS else cell.ljust(width)
            for cell, width, title in zip(cells, widths[1:], titles[1:-1], strict=True)
        ]
        line = "  ".join([name + " " * (widths[0] - display_width(name)), *aligned, last]).rstrip()
        yield [first, line] if is_wide else [line]


def _tables(tables: tuple[tuple[str, TypeTotals], ...], positions: Mapping[str, FilePosition]) -> Iterator[str]:
    """Yield the tables by size; ``positions`` are the places of their first rows, as far as they are known."""
    whole = sum(tally.data_bytes for _, tally in tables) or 1
    rows = list[tuple[str, ...]]()
    for name, tally in tables[:_MOST_TABLES]:
        kinds = ", ".join(f"{io_type_name(io_type)} {records:,}" for io_type, records in sorted(tally.types.items()))
        share = f"{100 * tally.data_bytes // whole}"
        rows.append((escape(name), f"{tally.records:,}", f"{tally.data_bytes:,}", share, kinds))
    places = [positions.get(name) for name, _ in tables[:_MOST_TABLES]]
    yield from _rows(("Table", "Records", "Bytes", "%", "Operations"), rows, places)
    if len(tables) > _MOST_TABLES:
        yield f"... {len(tables) - _MOST_TABLES} more   [COUNT DETAIL]"


def _images(images: tuple[TableImages, ...]) -> Iterator[str]:
    if images:
        yield ""
        heads, *rows = image_rows(images[:_MOST_TABLES])
        yield from _rows(heads, rows, [table.noted for table in images[:_MOST_TABLES]])


def image_rows(images: Sequence[TableImages]) -> Iterator[tuple[str, ...]]:
    """Yield the heads, and of each table the columns in its images: all, the key, or the least and the most."""
    titles = {
        "Insert": ("INSERT", "after"),
        "Upsert": ("UPSERT", "after"),
        "Update before": ("UPDATE", "before"),
        "Update after": ("UPDATE", "after"),
        "Delete": ("DELETE", "before"),
    }
    if not any(op_images.op == "UPSERT" for table in images for op_images in table.images):
        del titles["Upsert"]
    yield ("Columns in the images", "Key", *titles)
    for table in images:
        sides = {(op_images.op, op_images.side): _columns(op_images, table.columns) for op_images in table.images}
        cells = (sides.get(side, "-") for side in titles.values())
        yield (escape(table.table), str(len(table.keys) or "none"), *cells)


def _columns(op_images: OpImages, columns: int) -> str:
    if op_images.whole == op_images.records:
        return f"all {op_images.most}"
    if op_images.keys == op_images.records:
        return "key"
    return (
        f"{op_images.least} of {columns}"
        if op_images.least == op_images.most
        else f"{op_images.least} to {op_images.most} of {columns}"
    )


def _transactions(shown: DoctorShown, offset: TimeOffset) -> Iterator[str]:
    if not shown.transactions:
        return
    yield ""
    rows = list[tuple[str, ...]]()
    positions = [transaction.extent.first for transaction in shown.transactions]
    for transaction in shown.transactions:
        first, begins = transaction.extent.first, _seconds(transaction.extent.first_moment.time, offset)
        place = f"{escape(first.path.name)} RBA {first.rba}" if first is not None else "-"
        name = " ".join(map(as_field, transaction.extent.transaction))
        sizes = f"{transaction.records:,}", f"{transaction.extent.data_size:,}"
        rows.append((place, *sizes, begins, f"{name}{not_applied_note(transaction)}"))
    yield from _rows(("Largest transactions", "Records", "Bytes", "Begins", "CSN and XID"), rows, positions)


def _seconds(julian: int, offset: TimeOffset) -> str:
    """Return a time without the fraction of its second."""
    return format_timestamp(julian, offset).split(".")[0]


def _files(shown: DoctorShown, offset: TimeOffset) -> Iterator[str]:
    has_formats = len({facts.version for facts in shown.headers}) > 1  # else it is above
    titles = ("File", "Bytes", *(("Format",) if has_formats else ()), "First CSN", "Last CSN", "Last record")
    files = [_file_cells(facts, offset, has_formats=has_formats) for facts in shown.headers[-_MOST_FILES:]]
    yield from _rows(titles, files, [FilePosition(facts.path, 0) for facts in shown.headers[-_MOST_FILES:]])
    if len(shown.headers) > _MOST_FILES:
        yield f"... {len(shown.headers) - _MOST_FILES} files before these   [RECOVERY FILES]"


def _file_cells(facts: FileFacts, offset: TimeOffset, *, has_formats: bool) -> tuple[str, ...]:
    csns = (escape(facts.text(name) or "-") for name in ("FirstCSN", "LastCSN"))
    time = _seconds(facts.last_time, offset) if facts.last_time is not None else "-"
    version = (str(facts.version) if facts.version is not None else "-",) if has_formats else ()
    return escape(facts.path.name), f"{facts.size:,}", *version, *csns, time


def _new_lines(shown: NewFindings, _settings: Settings) -> Iterator[str]:
    """Yield the new problems of a trail, without notes."""
    since = f" since {shown.last} UTC" if shown.last is not None else ""
    yield f"Trail {escape(shown.title)}: {amount(len(shown.findings), 'new problem')}{since}"
    yield from _narrow(_told(shown.findings))


def _nagios_lines(nagios: NagiosShown, _settings: Settings) -> Iterator[str]:
    """Yield the line for Nagios: the status, what it comes from, and the performance data after a vertical bar."""
    shown = nagios.doctor
    heavy = _heavy(shown)
    told = f"{amount(len(shown.headers), 'file')}, no problem"
    if heavy:
        [first] = _finding(heavy[0])
        told = first.strip(" !") + (f" and {amount(len(heavy) - 1, 'other problem')}" if len(heavy) > 1 else "")
    text = f"{NAGIOS_NAME} {nagios.status.name} - {escape(shown.title)}: {told}".replace("|", "/")
    yield f"{text} | {' '.join(_performance(shown))}"


def _performance(shown: DoctorShown) -> Iterator[str]:
    """Yield the performance data: label, value with its unit, thresholds of a warning and of damage, least value."""
    counts = Counter(finding.severity for finding in shown.findings)
    yield f"damage={counts[Severity.DAMAGE]};;0;0"
    yield f"warnings={counts[Severity.WARNING]};0;;0"
    yield f"files={len(shown.headers)};;;0"
    yield f"size={shown.growth.size}B;;;0"
    if shown.growth.free is not None:
        yield f"free={shown.growth.free}B;;;0"
    if shown.growth.hours_left is not None:
        yield f"hours_left={shown.growth.hours_left:.1f};;;0"
    lags = [lag.last.lags.total_lag for lag in shown.lags if lag.last.lags.total_lag is not None]
    if lags:
        yield f"lag={max(lags) / 1e6:.3f}s"


LINES: Renderers = {DoctorShown: doctor_lines, NewFindings: _new_lines, NagiosShown: _nagios_lines}
