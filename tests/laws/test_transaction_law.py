"""One room tells where a transaction begins and ends; others look at TransInd or restarts with another question."""

from __future__ import annotations

import ast

from tests.laws.imports import modules

_NAMES = frozenset(
    ["BEGINS", "ENDS", "FIRST", "MIDDLE", "LAST", "ONLY", "RESTARTS", "RESTART_ABEND", "RESTART_OK", "RECORD_FRAGMENT"]
)
_HOMES = ("trailformat.changes.transactions", "trailformat.records.io_types", "trailformat.records.record_header")

COUNT = "COUNT adds up records that end a transaction, as Logdump does"
HALVES = "the second half of an update does not begin a transaction"
PIECES = "pieces of a row go on in record fragments"
MARKERS = "restart records are listed where they stand"
OTHERS = {
    "trailformat.changes.row_changes": HALVES,
    "trailformat.changes.segments": PIECES,
    "trailformat.scan.batch": COUNT,
    "trailformat.native.scan.arguments": COUNT,
    "trailformat.scan.rows.related": HALVES,
    "trailformat.totals.batch_totals": COUNT,
    "trailformat.index.record_index": MARKERS,
    "trailformat.index.sums": MARKERS,
    "logdump.features.check.command": MARKERS,
    "logdump.commands.scan": "SFET and SFNT look for a record with this TransInd, as Logdump does",
    "logdump.features.export.record_pieces": PIECES,
    "logdump.features.recovery.survey": MARKERS,
    "logdump.display.sql.blocks": HALVES,
    "logdump.session.known_record": PIECES,
    "logdump.spark.source.summary": COUNT,
    "logdump.spark.source.table_lobs": PIECES,
}
"""Modules outside of the room, and the question that each asks."""


def _looks(source: str) -> bool:
    """Whether a module takes one of the names, or compares TransInd with a number."""
    is_of_interest = "trans_ind" in source or any(home.rpartition(".")[2] in source for home in _HOMES)
    for node in ast.walk(ast.parse(source)) if is_of_interest else ():
        if isinstance(node, ast.ImportFrom) and node.module in _HOMES and {one.name for one in node.names} & _NAMES:
            return True
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            names = {side.attr if isinstance(side, ast.Attribute) else getattr(side, "id", "") for side in sides}
            if "trans_ind" in names and any(
                isinstance(side, ast.Constant) and side.value is not None for side in sides
            ):
                return True
    return False


def test_no_other_module_decides_where_a_transaction_begins_or_ends() -> None:
    looking = {name for name, path in modules().items() if _looks(path.read_text(encoding="utf-8"))}
    room = {name for name in looking if name.startswith("trailformat.transactions.")}
    assert looking - room - {"trailformat.changes.transactions"} == set(OTHERS)
