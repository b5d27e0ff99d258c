"""Option ``analysis``: which one, and that no other option takes away what it needs."""

from __future__ import annotations

import difflib
from dataclasses import fields

from logdump.spark.analyses.analysis import Analysis
from logdump.spark.analyses.table import ANALYSES
from logdump.spark.errors import BadOption
from logdump.spark.source.options import OPTIONS, Options

_CHOOSING = frozenset(
    {
        "where",
        "table",
        "rows_of",
        "changes_of",
        "effective",
        "endings",
        "summary",
        "start_seqno",
        "start_rba",
        "end_seqno",
        "end_rba",
    }
    | {"start_csn", "end_csn", "start_timestamp", "end_timestamp"}
)
"""Attributes of the options that choose records, or make other rows of them."""


def analysis_of(name: str) -> Analysis:
    """The analysis of this name, case aside.

    Raises:
        BadOption: there is none.
    """
    known = ANALYSES.get(name.strip().lower())
    if known is not None:
        return known
    near = difflib.get_close_matches(name.lower(), ANALYSES, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(ANALYSES)}"
    raise BadOption(f"option analysis: there is no {name[:80]}; {hint}")


def check_choice(options: Options) -> None:
    """See that all records are taken which the analysis needs.

    Raises:
        BadOption: an option leaves some out.
    """
    analysis = analysis_of(options.analysis or "")
    unset = Options()
    for field in fields(Options):
        name = field.name
        if name in _CHOOSING - analysis.takes and getattr(options, name) != getattr(unset, name):
            given = "option where (a FILTER)" if name == "where" else f"option {OPTIONS[name].name}"
            raise BadOption(f"{analysis.name} tells of whole trails: {given} does not go with it")
