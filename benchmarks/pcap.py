"""A packet capture of the same size and record count as a trail: each record becomes a packet of its length.

a1b2c3d4 0002 0004 …  24 bytes, little-endian      then per packet: u32 seconds, u32 microseconds, u32 length twice
"""

from __future__ import annotations

import struct
from pathlib import Path

from benchmarks.generate import LargeTrail
from trailformat import TrailFile

_GLOBAL = struct.Struct("<IHHiIII")
_PACKET = struct.Struct("<IIII")
_MAGIC = 0xA1B2C3D4
_SNAP_LENGTH = 262_144
_ETHERNET = 1
_CHUNK = 8_000_000


def pcap_of(trail: LargeTrail) -> Path:
    """Return the capture beside the trail, which is made unless a newer one exists."""
    path = trail.path.with_suffix(".pcap")
    if path.exists() and path.stat().st_size == trail.size + _GLOBAL.size and _is_newer(path, trail.path):
        return path
    temporary = path.with_name(f".{path.name}.part")
    with TrailFile(trail.path) as source, temporary.open("wb") as target:
        target.write(_GLOBAL.pack(_MAGIC, 2, 4, 0, 0, _SNAP_LENGTH, _ETHERNET))
        chunk = bytearray()
        for number, record in enumerate(source.records()):
            seconds, micros = divmod(number, 1_000_000)
            length = record.length - _PACKET.size
            chunk += _PACKET.pack(1_700_000_000 + seconds, micros, length, length) + record.raw[_PACKET.size :]
            if len(chunk) > _CHUNK:
                target.write(chunk)
                chunk.clear()
        target.write(chunk)
    temporary.replace(path)
    return path


def _is_newer(path: Path, than: Path) -> bool:
    return path.stat().st_mtime >= than.stat().st_mtime
