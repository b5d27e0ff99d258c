"""Encrypted record data is recognised by rows that neither come apart nor compress; nothing else is taken for it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from fixtures import TRAILS
from fixtures.flavour import MYSQL_21, ORACLE_11, ORACLE_12
from tests.searching import Random, in_turn, some_trails
from tests.simulated.encryption import (
    Cipher,
    aes_block,
    by_aes,
    by_pad,
    by_short_key,
    encrypted,
    not_at_all,
    write_rows,
)
from tests.trailformat.samples import column, header, metadata_record, table_record, trail_of
from trailformat import ByteOrder, Images, Record, TableDefinition, TrailFile
from trailformat.changes import encrypted as module
from trailformat.changes.encrypted import looks_encrypted, row_sample
from trailformat.definitions.metadata import build_table
from trailformat.records.columns import NULL, PRESENT, make_column
from trailformat.records.record import make_record
from trailformat.records.record_header import LARGE_OBJECT

ROWS = 40


def look(path: Path) -> bool:
    with TrailFile(path) as trail:
        return looks_encrypted(trail)


def compressed_bytes(number: int, size: int = 300) -> bytes:
    """Bytes without any pattern, as those of a JPEG."""
    return Random(number).randbytes(size)


def full_rows(values: Iterable[bytes]) -> list[Record]:
    """Full images, which come apart by a definition alone."""
    return [make_record(header(partition=0), value) for value in values]


def test_the_cipher_of_these_tests_is_aes() -> None:
    block = bytes.fromhex("3243f6a8885a308d313198a2e0370734")
    assert aes_block(block).hex() == "3925841d02dc09fbdc118597196a0b32"


FLAVOURS = {"12": ORACLE_12, "11 without definitions": ORACLE_11, "mysql": MYSQL_21}
CIPHERS: dict[str, tuple[Cipher, bool]] = {
    "AES": (by_aes, True),
    "XOR, a stream": (by_pad, True),
    "none": (not_at_all, False),
    "XOR, a byte": (by_short_key(1), False),
    "XOR, 16 bytes": (by_short_key(16), False),
}


@pytest.mark.parametrize(("flavour", "by"), in_turn(FLAVOURS, CIPHERS))
def test_data_without_patterns_looks_encrypted(flavour: str, by: str, tmp_path: Path) -> None:
    cipher, expected = CIPHERS[by]
    plain = write_rows(tmp_path / "pp000000", FLAVOURS[flavour], ROWS)
    assert look(encrypted(plain, tmp_path / "ee000000", cipher)) is expected


@pytest.mark.parametrize("path", some_trails(TRAILS.iterdir(), __name__), ids=lambda path: path.name)
def test_no_fixture_is_taken_for_encrypted(path: Path) -> None:
    assert not look(path)


def test_compressed_values_in_columns_do_not_look_encrypted(tmp_path: Path) -> None:
    rows = [make_record(header(), Images(None, (make_column(0, compressed_bytes(number)),))) for number in range(ROWS)]
    assert not look(trail_of(tmp_path, *rows))


def test_pieces_of_compressed_lobs_do_not_look_encrypted(tmp_path: Path) -> None:
    pieces = [make_record(header(io_type=LARGE_OBJECT), compressed_bytes(number)) for number in range(ROWS)]
    assert not look(trail_of(tmp_path, *pieces))


def test_rows_that_go_on_in_the_next_record_do_not_look_encrypted(tmp_path: Path) -> None:
    parts = [make_record(header(continued=(number + 1) % 2), compressed_bytes(number)) for number in range(ROWS)]
    assert not look(trail_of(tmp_path, *parts))


def test_full_images_without_a_definition_are_judged_by_compression(tmp_path: Path) -> None:
    plain = full_rows(f"{number:08}".encode() + bytes(24) + b"Darjeeling" for number in range(ROWS))
    ciphered = full_rows(by_pad(record.data, number) for number, record in enumerate(plain))
    assert (look(trail_of(tmp_path, *plain)), look(trail_of(tmp_path, *ciphered))) == (False, True)


def test_a_full_image_comes_apart_only_with_indicators(tmp_path: Path) -> None:
    """Any bytes fill a table of fixed columns."""
    definition = table_record(1, "TEA.LEAVES")
    rows = [make_record(header(1, partition=8), compressed_bytes(number, 60)) for number in range(ROWS)]
    assert look(trail_of(tmp_path, definition, *rows))


def test_a_full_image_with_indicators_comes_apart_whatever_its_values_are(tmp_path: Path) -> None:
    """As compressed pictures are, in a table of full images; the last column is NULL in every second row."""
    picture, note = (
        column(name)._replace(internal_length=100, fetch_offset=offset)
        for name, offset in (("PICTURE", 0), ("NOTE", 102))
    )
    definition = metadata_record(2, 1, "TEA.LEAVES", build_table(TableDefinition(1, 1, (picture, note)), ByteOrder.BIG))
    rows = [
        make_record(
            header(1, partition=8),
            PRESENT + compressed_bytes(number, 100) + (PRESENT, NULL)[number % 2] + compressed_bytes(-number, 100),
        )
        for number in range(ROWS)
    ]
    with TrailFile(trail_of(tmp_path, definition, *rows)) as trail:
        assert row_sample(trail).apart == module.MOST_APART * module.ROWS + 1
        assert not looks_encrypted(trail)


def test_neither_a_large_row_nor_what_follows_it_is_looked_at(tmp_path: Path) -> None:
    large, small = full_rows([compressed_bytes(1, 70_000), compressed_bytes(2)])
    with TrailFile(trail_of(tmp_path, *[large, small, small] * ROWS)) as trail:
        assert row_sample(trail).rows == ROWS


def test_a_few_rows_decide_nothing(tmp_path: Path) -> None:
    rows = full_rows(compressed_bytes(number, 1000) for number in range(module.FEWEST_ROWS - 1))
    assert not look(trail_of(tmp_path, *rows))


def test_a_few_bytes_decide_nothing(tmp_path: Path) -> None:
    rows = full_rows(compressed_bytes(number, 9) for number in range(ROWS))
    assert not look(trail_of(tmp_path, *rows))


def test_rows_behind_damage_are_not_looked_at(tmp_path: Path) -> None:
    rows = full_rows(compressed_bytes(number) for number in range(ROWS))
    with TrailFile(trail_of(tmp_path, *rows, b"\xee" * 50, *rows)) as trail:
        assert row_sample(trail).rows == ROWS


def test_a_sample_is_bounded_whatever_the_size_of_the_file(tmp_path: Path) -> None:
    rows = full_rows(compressed_bytes(number, 5000) for number in range(20)) * 20
    with TrailFile(trail_of(tmp_path, *rows)) as trail:
        sample = row_sample(trail)
    assert (sample.rows, len(sample.other)) == (module.ROWS, module.ROWS * 1024)


def test_a_readable_file_is_known_by_a_few_rows(tmp_path: Path) -> None:
    with TrailFile(write_rows(tmp_path / "pp000000", rows=ROWS)) as trail:
        assert row_sample(trail).rows == module.MOST_APART * module.ROWS + 1


def test_a_whole_sample_is_taken_once_for_an_open_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = full_rows(compressed_bytes(number) for number in range(module.ROWS))
    with TrailFile(trail_of(tmp_path, *rows)) as trail:
        assert looks_encrypted(trail)
        monkeypatch.setattr(module, "row_sample", None)
        assert looks_encrypted(trail)


def test_a_file_that_grows_is_judged_by_the_rows_that_it_has_now(tmp_path: Path) -> None:
    rows = full_rows(compressed_bytes(number) for number in range(ROWS))
    path = trail_of(tmp_path, *rows[:5])
    with TrailFile(path) as trail:
        assert not looks_encrypted(trail)
        trail_of(tmp_path, *rows)
        assert looks_encrypted(trail)
