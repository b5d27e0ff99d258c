"""A file in pieces that can be scanned one by one, or side by side, and give together what one scan gives.

A piece is right when the walk over the pieces before it ends exactly where it begins, in the byte order with which it
begins: the walk depends on nothing else. :func:`consistent_pieces` sees to that. The columns ``transaction`` count
from 0 in each piece; add the ``transactions`` of the scans before. ``names.follow`` joins the names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trailformat.scan.engines import Engine
from trailformat.scan.place import Place, first_place
from trailformat.scan.scanning import BATCH_SIZE, Scan
from trailformat.scan.split import split_points
from trailformat.trail.file import TrailFile


class Piece(NamedTuple):
    """From the place ``start`` to before the RBA ``stop``."""

    start: Place
    stop: int


def guess_pieces(trail: TrailFile, pieces: int) -> list[Piece]:
    """Pieces of about equal size that begin at boundaries as :mod:`trailformat.scan.split` finds them."""
    points = split_points(trail, pieces)
    return [
        Piece(first_place(trail, start), stop) for start, stop in zip(points, [*points[1:], trail.size], strict=True)
    ]


def scan_piece(trail: TrailFile, piece: Piece, *, engine: Engine | None = None, batch_size: int = BATCH_SIZE) -> Scan:
    """The batches of a piece; its ``place`` at the end tells whether the next piece begins where this one ends."""
    return Scan(trail, piece.start, piece.stop, engine, batch_size)


def consistent_pieces(
    trail: TrailFile, pieces: Sequence[Piece], ends: Sequence[Place] | None = None, *, engine: Engine | None = None
) -> list[Piece]:
    """``pieces``, made to fit: each ends exactly where the next begins, as in one walk from the first.

    ``ends`` are the places where scans of the pieces ended; without them the pieces are scanned here. Where one did not
    end at the start of the next, the walk goes on from there, past the starts that it does not meet, until it meets one
    or comes to the end. Pieces that fitted come back unchanged: what was scanned of them stays good.
    """
    fitting: list[Piece] = []
    number = 0
    start = pieces[0].start if pieces else None
    while start is not None and number < len(pieces):
        is_as_given = start == pieces[number].start
        stop = pieces[number].stop
        end = ends[number] if ends and is_as_given else _end_of(trail, Piece(start, stop), engine)
        number += 1
        while end.rba != stop and number < len(pieces):
            stop = pieces[number].stop
            number += 1
            if end.rba < stop:
                end = _end_of(trail, Piece(end, stop), engine)
        fitting.append(Piece(start, stop))
        start = end
    return fitting


def _end_of(trail: TrailFile, piece: Piece, engine: Engine | None) -> Place:
    return scan_piece(trail, piece, engine=engine).run().place
