"""One room tells where a transaction begins and ends; others look at TransInd or restarts with another question."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache

import pytest

from tests.laws.imports import modules, nodes_of, source_of

_FIELDS = {
    "trailformat.records.record_header": {
        *("BEGINS", "ENDS", "FIRST", "MIDDLE", "LAST", "ONLY", "TRANS_IND_AT"),
        *("RESTARTS", "RESTART_ABEND", "RESTART_OK"),
    },
    "trailformat.codec.tokens": {"LOGCSN", "TRANID"},
    "trailformat.changes.transactions": {"TransactionRole", "role_in", "role_of"},
    "trailformat.changes.transaction_context": {"Stop", "WayBack"},
    "trailformat.transactions.tracker": {"Segments"},
}
"""By its module, what a decision about a boundary rests on, and the makers of that decision."""
ROOM = ("trailformat.changes.transactions", "trailformat.changes.transaction_context", "trailformat.transactions.")
"""Modules that decide."""
_MODULES = {name.rpartition(".")[2]: name for name in _FIELDS}
_WORDS = (*(name for names in _FIELDS.values() for name in names), "import *", "trans_ind")
"""Without one of them in its text a module does not look."""

COUNT = "COUNT adds up records that end a transaction, as Logdump does"
TOKENS = "the texts of these tokens are read, compared or written"
OWN_ROLE = "whether this one record begins or ends a transaction, as its role says"
OTHERS = {
    "trailformat.changes.row_changes": "the second half of an update does not begin a transaction",
    "trailformat.changes.canonical": TOKENS,
    "trailformat.records.record": TOKENS,
    "trailformat.native.constants": TOKENS,
    "trailformat.scan.batch": f"{COUNT}; its restart records are listed",
    "trailformat.native.scan.arguments": COUNT,
    "logdump.features.compression.survey": OWN_ROLE,
    "logdump.commands.scan": "SFET and SFNT look for a record with this TransInd, as Logdump does",
    "logdump.display.record_row": "a restart record has a line of its own",
    "logdump.features.redact.records": TOKENS,
    "logdump.filters.token_criteria": TOKENS,
}
"""The modules that look, and the question that each asks."""
ALLOWED = "trailformat.native.scan."
"""Kernels take their numbers from ``native.constants``, and count as ``native.scan.arguments`` says."""


def _looks(nodes: Iterable[ast.AST]) -> bool:
    """Whether a module takes one of the names, or compares TransInd with anything."""
    return any(_takes_name(node) or _compares(node) for node in nodes)


def _takes_name(node: ast.AST) -> bool:
    if isinstance(node, ast.ImportFrom):
        return bool({alias.name for alias in node.names} & {*_FIELDS.get(node.module or "", ()), "*"})
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
        module = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
        return node.attr in _FIELDS.get(_MODULES.get(module, ""), ())
    return False


def _compares(node: ast.AST) -> bool:
    if isinstance(node, ast.Compare):
        sides: list[ast.expr] = [node.left, *node.comparators]
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "isin":
        sides = node.args
    else:
        return False
    others = [side for side in sides if not any(map(_is_trans_ind, ast.walk(side)))]
    return len(others) < len(sides) and any(ast.unparse(side) not in {"None", "self._NONE"} for side in others)


def _is_trans_ind(node: ast.AST) -> bool:
    name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
    return name == "trans_ind"


@cache
def _looking() -> frozenset[str]:
    named = {name: path for name, path in modules().items() if any(word in source_of(path) for word in _WORDS)}
    return frozenset(name for name, path in named.items() if _looks(nodes_of(path)))


def test_no_other_module_decides_where_a_transaction_begins_or_ends() -> None:
    assert {name for name in _looking() if not name.startswith((*ROOM, ALLOWED)) or name in OTHERS} == set(OTHERS)


SECOND_MAKERS = {
    "a walk that steps over records": "from trailformat.changes.transactions import TransactionRole, role_of",
    "sums cut at restarts": "rows = batch.rows_of(record_header.RESTARTS)",
    "sums that end with a record": "from trailformat.records.record_header import ENDS",
    "a number in place of the name": "is_open = int(batch.trans_ind[last]) not in (2, 3)",
    "the same with numpy": 'ends = np.isin(columns["trans_ind"], [2, 3])',
    "halves of an update": "is_second = header.trans_ind != first",
    "a token of a transaction": "from trailformat.codec import tokens\nfound = token == tokens.LOGCSN",
    "all names at once": "from trailformat.records.record_header import *",
}


@pytest.mark.parametrize("source", SECOND_MAKERS.values(), ids=SECOND_MAKERS)
def test_a_second_maker_would_be_found(source: str) -> None:
    assert any(word in source for word in _WORDS)
    assert _looks(ast.walk(ast.parse(source)))


def test_what_only_shows_the_field_is_none() -> None:
    source = "yield header.trans_ind\nif trans_ind is None: pass\nfound = known.transaction.csn"
    assert not _looks(ast.walk(ast.parse(source)))
