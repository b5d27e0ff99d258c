"""Drawn small transactions: of some rows, with names or without, whole or not, with something between their records."""

from __future__ import annotations

from tests.searching import Random
from tests.trailformat.samples import header, row, table_record
from tests.trailformat.test_transaction_walk import GARBAGE
from trailformat import Images, Record, make_column, make_record, make_token
from trailformat.records.record_header import FIRST, LAST, MIDDLE, ONLY, RECORD_FRAGMENT, RESTART_ABEND

BETWEEN = (table_record(1, "TEA.POTS", columns=2), table_record(1, "TEA.CUPS", columns=3), table_record(2, "TEA.POTS"))
Transaction = list[Record | bytes]


def _row(random: Random, place: int, tokens: tuple[bytes | None, bytes | None]) -> Record:
    kept = [make_token(letter, text) for letter, text in zip("L6", tokens, strict=True) if text is not None]
    data = Images(None, tuple(make_column(at, random.choice((b"tea", b"\0\3pot", b"leaf"))) for at in range(2)))
    return make_record(header(random.choice((1, 1, 2)), trans_ind=place), data, kept)


def small_transaction(random: Random, number: int, xid: str = "1.{}") -> Transaction:
    """Rows with or without names, whole or not; a definition, damage or a fragment may be within.

    Its TRANID is ``xid`` with the number in it.
    """
    count = random.choice((1, 1, 2, 3, 5))
    places = [ONLY] if count == 1 else [FIRST, *[MIDDLE] * (count - 2), LAST]
    names = (b"%d" % (100 + number), xid.format(number).encode())
    named = random.choice((*[names] * 8, (names[0], None), (None, names[1]), (None, None)))
    records: Transaction = [_row(random, place, named if at == 0 else (None, None)) for at, place in enumerate(places)]
    if random.random() < 0.06:
        records.insert(random.randrange(len(records) + 1), random.choice((*BETWEEN, GARBAGE, GARBAGE)))
    if random.random() < 0.05:
        records.append(row(b"", io_type=RECORD_FRAGMENT))
    if random.random() < 0.05:
        records.pop()
        records.append(row(b"", io_type=RESTART_ABEND))
    return records
