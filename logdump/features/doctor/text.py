"""The page of DOCTOR."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

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
from logdump.notation.text import amount, as_field, escape
from logdump.notation.times import TimeOffset, format_timestamp, format_with_zone
from logdump.session.settings import Settings
from trailformat import io_type_name
from trailformat.totals.counting import TypeTotals
from trailformat.trail.sequence import FilePosition

_MARKS = {Severity.DAMAGE: "!!", Severity.WARNING: " !", Severity.NOTE: "  "}
_MOST_FINDINGS, _MOST_FILES, _MOST_TABLES, _MOST_BYTES = 40, 12, 20, 32


def doctor_lines(shown: DoctorShown, settings: Settings) -> Iterator[str]:
    """Yield the page, block by block."""
    offset = settings.time_offset
    yield f"Trail {escape(shown.title)}: {amount(len(shown.headers), 'file')}, {shown.growth.size:,} bytes"
    yield from _source(shown)
    yield ""
    yield from _findings(shown)
    yield ""
    yield from _growth(shown.growth, offset)
    yield from _lags(shown)
    yield from _keep(shown)
    yield ""
    yield from _tables(shown.tables)
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
    place = f"{escape(finding.spot.path.name)} RBA {finding.spot.rba}: " if finding.spot is not None else ""
    text = f"  {_MARKS[finding.severity]} {place}{escape(finding.text)}   [{escape(finding.command)}]"
    yield PlacedLine(text, finding.spot, finding.severity)


def _growth(growth: Growth, offset: TimeOffset) -> Iterator[str]:
    if growth.first is None or growth.last is None:
        yield "Time         no record with a time"
        return
    yield f"Time         {format_timestamp(growth.first, offset)} to {format_with_zone(growth.last, offset)}"
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
        yield (
            f"Lag          {escape(lag.source or '?')} => {escape(lag.target or '?')}: {text}{greatest}, newest beat "
            f"{lag.age / 1e6:.0f} s old   [HEARTBEAT]"
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


def _tables(tables: tuple[tuple[str, TypeTotals], ...]) -> Iterator[str]:
    whole = sum(tally.data_bytes for _, tally in tables) or 1
    yield f"{'Table':<40} {'Records':>10} {'Bytes':>14}    %  Operations"
    for name, tally in tables[:_MOST_TABLES]:
        kinds = ", ".join(f"{io_type_name(io_type)} {records:,}" for io_type, records in sorted(tally.types.items()))
        share = 100 * tally.data_bytes // whole
        yield f"{escape(name):<40} {tally.records:>10,} {tally.data_bytes:>14,} {share:>4}  {kinds}"
    if len(tables) > _MOST_TABLES:
        yield f"... {len(tables) - _MOST_TABLES} more   [COUNT DETAIL]"


def _images(images: tuple[TableImages, ...]) -> Iterator[str]:
    """Yield the columns in the images of each table: all, the key, or the least and most of those defined."""
    if not images:
        return
    yield ""
    titles = {
        "Insert": ("INSERT", "after"),
        "Upsert": ("UPSERT", "after"),
        "Update before": ("UPDATE", "before"),
        "Update after": ("UPDATE", "after"),
        "Delete": ("DELETE", "before"),
    }
    if not any(op_images.op == "UPSERT" for table in images for op_images in table.images):
        del titles["Upsert"]
    yield f"{'Columns in the images':<40} {'Key':>4}  " + "".join(f"{title:<16}" for title in titles).rstrip()
    for table in images[:_MOST_TABLES]:
        sides = {(op_images.op, op_images.side): _columns(op_images, table.columns) for op_images in table.images}
        cells = "".join(f"{sides.get(side, '-'):<16}" for side in titles.values()).rstrip()
        yield f"{escape(table.table):<40} {len(table.keys) or 'none':>4}  {cells}"


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
    yield "Largest transactions                     Records          Bytes  Begins                       CSN and XID"
    for transaction in shown.transactions:
        first, begins = transaction.extent.first, format_timestamp(transaction.extent.first_moment.time, offset)
        place = f"{escape(first.path.name)} RBA {first.rba}" if first is not None else "-"
        name = " ".join(map(as_field, transaction.extent.transaction))
        sizes = f"{transaction.records:>10,} {transaction.extent.data_size:>14,}"
        yield PlacedLine(f"  {place:<36} {sizes}  {begins}  {name}{not_applied_note(transaction)}", first)


def _files(shown: DoctorShown, offset: TimeOffset) -> Iterator[str]:
    yield f"{'File':<20} {'Bytes':>14} Format  {'First CSN':<20} {'Last CSN':<20} Last record"
    for facts in shown.headers[-_MOST_FILES:]:
        yield PlacedLine(_file_line(facts, offset), FilePosition(facts.path, 0))
    if len(shown.headers) > _MOST_FILES:
        yield f"... {len(shown.headers) - _MOST_FILES} files before these   [RECOVERY FILES]"


def _file_line(facts: FileFacts, offset: TimeOffset) -> str:
    csns = (escape(facts.text(name) or "-") for name in ("FirstCSN", "LastCSN"))
    first, last = csns
    time = format_timestamp(facts.last_time, offset) if facts.last_time is not None else "-"
    version = facts.version if facts.version is not None else "-"
    return f"{escape(facts.path.name):<20} {facts.size:>14,} {version:>6}  {first:<20} {last:<20} {time}"


def _new_lines(shown: NewFindings, _settings: Settings) -> Iterator[str]:
    """Yield the new problems of a trail, without notes."""
    since = f" since {shown.last} UTC" if shown.last is not None else ""
    yield f"Trail {escape(shown.title)}: {amount(len(shown.findings), 'new problem')}{since}"
    yield from _told(shown.findings)


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
