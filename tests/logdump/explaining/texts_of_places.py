"""The texts of GoldenGate about a place in a trail, each in its forms: of a sample's transaction of two records."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

FIRST, LAST, AFTER = 3987, 4427, 4635
"""The RBAs of the two records of the transaction, and its end."""
_PRODUCT = "Oracle GoldenGate Delivery for Oracle, {process}.prm:  "
_HEADS = (
    "2024-03-14 01:{minute:02}:{second:02}  {level:<7} {code}  {product}",
    "2024-03-14T01:{minute:02}:{second:02}.123+0000  {level:<7}  {code}  {product}",
    "2024-03-14T01:{minute:02}:{second:02}.123+0000 {level}| {level} {code} {product}",
)


class Place(NamedTuple):
    """What a text is about: the file, the first and the last record of the transaction, and the place after it."""

    folder: str
    seqno: int
    begin: str = str(FIRST)
    record: str = str(LAST)
    after: str = str(AFTER)
    digits: int = 9

    @property
    def file(self) -> str:
        """The path of the file."""
        return f"{self.folder}rt{self.seqno:0{self.digits}}"

    def head(self, level: str, code: str, layout: int, second: int = 4, process: str = "rep1") -> str:
        """The head of a message."""
        product = "" if layout == 0 else _PRODUCT.format(process=process)
        return _HEADS[layout].format(minute=10, second=second, level=level, code=code, product=product)


def report(place: Place, _: int) -> str:
    return (
        f"{place.head('WARNING', 'OGG-01003', 0)}Repositioning to rba {place.begin} in seqno {place.seqno}.\n\n"
        f"{place.head('ERROR', 'OGG-01296', 0)}Error mapping from A.B to A.B.\n\n"
        "Last record for the last committed transaction is the following:\n"
        f"{'_' * 67}\nTrail name :  {place.file}\nHdr-Ind    :     E  (x45)     Partition  :     .  (x0c)\n"
        "AuditRBA   :       3391       AuditPos   : 3391\n"
        f"2024/03/14 01:07:00.000.000 Insert               Len    27 RBA 3391\nTDR Index: 1\n{'_' * 67}\n\n"
        f"Reading {place.file}, current RBA {place.record}, 3 records, m_file_seqno = {place.seqno}, "
        f"m_file_rba = {place.after}\n\nReport at 2024-03-14 01:10:04 (activity since 2024-03-14 01:00:00)\n"
    )


def log(place: Place, layout: int) -> str:
    return (
        f"{place.head('WARNING', 'OGG-01003', layout)}Repositioning to rba {place.begin} in seqno {place.seqno}.\n"
        f"{place.head('ERROR', 'OGG-01296', layout)}Error mapping from A.B to A.B.\n"
        f"{place.head('INFO', 'OGG-02333', layout, 5)}Reading {place.file}, current RBA {place.record}, 3 records, "
        f"m_file_seqno = {place.seqno}, m_file_rba = {place.after}.\n"
        f"{place.head('ERROR', 'OGG-01668', layout, 6)}PROCESS ABENDING.\n"
    )


def message(place: Place, layout: int) -> str:
    return f"{place.head('ERROR', 'OGG-01028', layout)}Record fragment. file {place.file}, RBA {place.record}.\n"


def reversed_order(place: Place, layout: int) -> str:
    return (
        f"{place.head('ERROR', 'OGG-01396', layout)}No image, in UPDATE at rba {place.record} in file {place.file}.\n"
    )


def apart(place: Place, layout: int) -> str:
    trail = f"{place.folder}rt"
    return (
        f"{place.head('ERROR', 'OGG-01184', layout)}Expected 4 bytes, but got 0 bytes, in trail {trail},\n"
        f"seqno {place.seqno}, reading record trailer token at RBA {place.record}.\n"
    )


def translated(place: Place, layout: int) -> str:
    return f"{place.head('ERROR', 'OGG-01409', layout)}\u66f4\u65b0\u3002{place.file}\u306eRBA {place.record}\u3067\n"


def discard(place: Place, _: int) -> str:
    return (
        "Current time: 2024-03-14 01:10:04\nDiscarded record from action ABEND on error 1403\n\n"
        "OCI Error ORA-01403: no data found, SQL <UPDATE A.B SET C = 1>\n"
        f"Aborting transaction on {place.folder}rt beginning at seqno {place.seqno} rba {place.begin}\n"
        f"                         error at seqno {place.seqno} rba {place.record}\n"
        "Problem replicating A.B to A.B\n*\nID = 7\n*\n"
    )


def java(place: Place, layout: int) -> str:
    positions = [f"{name} pos={place.seqno:010}{rba:010}" for name, rba in (("op", LAST), ("tx", FIRST))]
    positions = positions[:: -1 if layout == 1 else 1]
    return (
        f"{place.head('ERROR', 'OGG-15051', layout)}Java or JNI exception:\n"
        f"oracle.goldengate.util.GGException: failed: table=[A.B], {', '.join(positions)}, "
        "op ts=2024-03-14 01:07:01.000667.\n\tat oracle.goldengate.Handler.operationAdded(Handler.java:100)\n"
        f"\tat java.lang.Thread.run\n{place.head('ERROR', 'OGG-01668', layout, 5)}PROCESS ABENDING.\n"
    )


def info(place: Place, _: int) -> str:
    return (
        "REPLICAT   REP1      Last Started 2024-03-14 01:00   Status ABENDED\n"
        "Checkpoint Lag       653:55:55 (updated 00:00:12 ago)\nProcess ID           4711\n"
        f"Log Read Checkpoint  File {place.file}\n                     2024-03-14 01:07:01.000000  RBA {place.record}\n"
    )


def showch(place: Place, _: int) -> str:
    sections = (("Startup Checkpoint (starting position", "3391"), ("Current Checkpoint (position", place.record))
    return (
        "Current Checkpoint Detail:\n\nRead Checkpoint #1\n\n  GGS Log Trail\n\n"
        + "".join(
            f"  {name} in the data source):\n    Sequence #: {place.seqno}\n    RBA: {rba}\n"
            f"    Timestamp: 2024-03-14 01:07:01.000000\n    Extract Trail: {place.folder}rt\n\n"
            for name, rba in sections
        )
        + "File Information:\n  Record Length = 2048\n  Current Offset = 0\n"
    )


def rest(place: Place, _: int) -> str:
    return (
        '{"$schema":"ogg:replicatStatus","status":"abended","lag":3,\n "position":{"$schema":"ogg:trailPosition",'
        f'"path":"{place.folder}","name":"rt","offset":{LAST},\n"sequence":{place.seqno}}}}}\n'
    )


def status(place: Place, _: int) -> str:
    return (
        "GGSCI (host) 3> send rep1, status\n\nSending STATUS request to REPLICAT REP1 ...\n"
        f"  Current status: Processing data\n  Sequence #: {place.seqno}\n  RBA: {place.record}\n"
        f"  Extract Trail: {place.folder}rt\n  2 records in current transaction\n"
    )


def number_alone(place: Place, layout: int) -> str:
    return f"{place.head('WARNING', 'OGG-02544', layout)}ORA-26787 at SEQNO {place.seqno}, RBA {place.record}.\n"


def row(place: Place, layout: int) -> str:
    cells = ["U", "A.B", f"{place.seqno:010}{LAST:010}", "2024-03-14 01:07:01.000000"]
    return ("|", ",", "\t")[layout].join(cells) + "\n"


def opened(place: Place, layout: int) -> str:
    """The trail stands hours before the error, in a message of the same process."""
    other = f"{place.head('INFO', 'OGG-02243', layout or 1, 3, 'rep2').replace(':10:', ':09:')}Opened {place.folder}zz"
    names = place.head("INFO", "OGG-02243", layout).replace("T01:", "T00:").replace(" 01:", " 00:")
    return (
        f"{names}Opened trail file {place.folder}rt{place.seqno - 1:0{place.digits}} at 00:10:04.\n"
        f"{f'{other}000000066 at 01:09:03.' if layout else ''}\n"
        f"{place.head('WARNING', 'OGG-01003', layout)}Repositioning to rba {place.begin} in seqno {place.seqno}.\n"
        f"{place.head('ERROR', 'OGG-02544', layout)}ORA-26787 at SEQNO {place.seqno}, RBA {place.record}.\n"
    )


TEXTS: tuple[Callable[[Place, int], str], ...] = (
    report, log, message, reversed_order, apart, translated, discard, java, info, showch, rest, status,
    number_alone, row, opened,
)  # fmt: skip
BARE = (java, number_alone, row)
"""The texts that name no trail."""
