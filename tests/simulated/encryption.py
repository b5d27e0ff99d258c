"""Trails whose data is encrypted: by AES-128 (FIPS 197, in CBC), by XOR, or by whatever a test brings."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from fixtures.capture import Capture
from fixtures.changes import Change, delete, insert, unified_update
from fixtures.flavour import ORACLE_12, Flavour
from fixtures.shop import tea
from trailformat import Record, TrailFile, TrailWriter
from trailformat.codec.tokens import build_tokens
from trailformat.records.record import build_record
from trailformat.records.record_header import METADATA

Cipher = Callable[[bytes, int], bytes]
"""Data, and the number of its record -> what is stored."""
KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
_BLOCK, _ROUNDS, _POLYNOMIAL = 16, 10, 0x11B


def write_rows(path: Path, flavour: Flavour = ORACLE_12, rows: int = 40) -> Path:
    """A trail of rows of teas, inserted, updated and deleted, no two alike."""
    with TrailWriter(path, order=flavour.order) as writer:
        capture = Capture(writer, flavour)
        capture.database()
        if flavour.database is not None:
            capture.table(flavour.teas)
        for number in range(rows):
            capture.commit(_change(flavour, number))
    return path


def _change(flavour: Flavour, number: int) -> Change:
    code, price = f"T{number:03}", f"{number % 90 + 1}.50"
    before = tea(code, f"Leaf of garden {number}", "JAPAN", grade="FG", price=price, stock=number)
    after = tea(code, f"Leaf of hill {number}", None, grade="OP", price=price, stock=number + 1)
    makers = insert(flavour.teas, before), unified_update(flavour.teas, before, after), delete(flavour.teas, after)
    return makers[number % len(makers)]


def encrypted(source: Path, target: Path, cipher: Cipher) -> Path:
    """A copy of a trail with the data of every record that is no definition encrypted; all else stays."""
    with TrailFile(source) as trail, TrailWriter(target, order=trail.order) as writer:
        for number, record in enumerate(trail.records()):
            is_plain = record.is_file_header or record.header.io_type == METADATA
            writer.write(record if is_plain else with_data(record, cipher(record.data, number)))
    return target


def with_data(record: Record, data: bytes) -> Record:
    """A record with other data behind the same header."""
    tokens = [token._replace(payload=data) if token.id == ord("D") else token for token in record.tokens]
    return Record(build_record(record.frame.info, build_tokens(tokens, record.order), record.order), order=record.order)


def not_at_all(data: bytes, _number: int) -> bytes:
    """No encryption."""
    return data


def by_pad(data: bytes, number: int) -> bytes:
    """XOR with a stream that never repeats."""
    blocks = range(-(-len(data) // 32))
    stream = b"".join(hashlib.sha256(KEY + bytes([block]) + number.to_bytes(4)).digest() for block in blocks)
    return bytes(a ^ b for a, b in zip(data, stream, strict=False))


def by_short_key(size: int) -> Cipher:
    """XOR with a key that is repeated, and begins anew with each record."""
    key = (hashlib.sha256(KEY).digest() * (size // 32 + 1))[:size]
    return lambda data, _number: bytes(byte ^ key[at % size] for at, byte in enumerate(data))


def by_aes(data: bytes, _number: int) -> bytes:
    """AES-128 in CBC, the same initial vector for every record, padded."""
    missing = _BLOCK - len(data) % _BLOCK
    padded, last, out = data + bytes([missing]) * missing, bytes(_BLOCK), []
    for at in range(0, len(padded), _BLOCK):
        last = aes_block(bytes(a ^ b for a, b in zip(padded[at : at + _BLOCK], last, strict=True)))
        out.append(last)
    return b"".join(out)


def aes_block(block: bytes, key: bytes = KEY) -> bytes:
    """One block of 16 bytes, encrypted."""
    sbox, keys = _sbox(), _round_keys(key)
    state = _xor(block, keys[0])
    for number in range(1, _ROUNDS + 1):
        shifted = [sbox[state[(4 * (at // 4 + at % 4) + at % 4) % _BLOCK]] for at in range(_BLOCK)]
        state = _xor(shifted if number == _ROUNDS else _mixed(shifted), keys[number])
    return bytes(state)


def _xor(data: bytes | list[int], other: bytes | list[int]) -> list[int]:
    return [a ^ b for a, b in zip(data, other, strict=True)]


def _doubled(byte: int) -> int:
    return byte << 1 ^ (_POLYNOMIAL if byte & 0x80 else 0)


def _mixed(state: list[int]) -> list[int]:
    mixed = []
    for at in range(_BLOCK):
        column, row = at - at % 4, at % 4
        a, b, c, d = (state[column + (row + step) % 4] for step in range(4))
        mixed.append(_doubled(a) ^ _doubled(b) ^ b ^ c ^ d)
    return mixed


@cache
def _sbox() -> bytes:
    powers, value = [], 1
    for _ in range(255):
        powers.append(value)
        value ^= _doubled(value)
    box = [0x63] * 256
    for at, power in enumerate(powers):
        inverse = powers[-at % 255]
        turned = inverse
        for shift in range(1, 5):
            turned ^= (inverse << shift | inverse >> (8 - shift)) & 0xFF
        box[power] = turned ^ 0x63
    return bytes(box)


@cache
def _round_keys(key: bytes) -> list[bytes]:
    words, constant = [key[at : at + 4] for at in range(0, 16, 4)], 1
    while len(words) < 4 * (_ROUNDS + 1):
        last = words[-1]
        if len(words) % 4 == 0:
            turned = bytes(_sbox()[byte] for byte in last[1:] + last[:1])
            last = bytes([turned[0] ^ constant]) + turned[1:]
            constant = _doubled(constant)
        words.append(bytes(_xor(words[-4], last)))
    return [b"".join(words[at : at + 4]) for at in range(0, len(words), 4)]
