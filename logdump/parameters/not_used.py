"""Parameters that are read but not evaluated, and the answers that they would change; each answer checks for them."""

from __future__ import annotations

import enum
import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from logdump.parameters.model import ProcessSide, Rule
from logdump.parameters.names import ObjectName
from logdump.parameters.tree import DdlOption, Exclusion, Node, Other, ParameterFile, Switch, Taker


class ParameterUse(enum.Enum):
    """An answer that depends on parameter files."""

    CAPTURED = "DDL by Extract"
    APPLIED = "DDL by Replicat"
    COVERAGE = "PARAMS COVERAGE"
    WIRE = "COMPRESS"
    HISTORY = "RECOVERY"
    RESTART = "SAFE, EXPLAIN RESTART"
    OPEN = "BR"


DDL = (ParameterUse.CAPTURED, ParameterUse.APPLIED)
TABLES = (*DDL, ParameterUse.COVERAGE)


class StatementInQuestion(NamedTuple):
    """The DDL statement that an answer is about: the type of its object, its text, the names of its objects."""

    object_type: str
    text: str
    names: tuple[ObjectName, ...]


class UnusedParameter(NamedTuple):
    """A parameter that is read but not evaluated.

    Attributes:
        keyword: its keyword, or the option of DDLOPTIONS.
        answers: the answers that it would change.
        effect: its effect in GoldenGate.
        what: what it is for this answer.
        pattern: pattern of its text, if only some statements of the keyword matter.
        of: pattern of the DDL statements whose answer changes.
        types: the types of their objects; empty: any type.
    """

    keyword: str
    answers: Collection[ParameterUse]
    effect: str
    pattern: str = ""
    of: str = ""
    types: Collection[str] = ()
    what: str = "is not used"


_IDENTIFIED = r"\bidentified\s+by\b"
_NEXT_RESTART = "is about the next restart"
_RENAME = r"\brename\b"
UNUSED = (
    UnusedParameter(
        "DEFAULTUSERPASSWORD",
        (ParameterUse.APPLIED,),
        "Replicat puts its password into the statement",
        of=_IDENTIFIED,
        types=("USER",),
    ),
    UnusedParameter(
        "DEFAULTUSERPASSWORDALIAS",
        (ParameterUse.APPLIED,),
        "Replicat puts its password into the statement",
        of=_IDENTIFIED,
        types=("USER",),
    ),
    UnusedParameter(
        "NOREPLICATEPASSWORD",
        (ParameterUse.CAPTURED,),
        "Extract writes no password, but a placeholder",
        of=_IDENTIFIED,
        types=("USER",),
    ),
    UnusedParameter(
        "USEPASSWORDVERIFIERLEVEL",
        (ParameterUse.APPLIED,),
        "Replicat changes the verifier of a password",
        of=_IDENTIFIED,
        types=("USER",),
    ),
    UnusedParameter(
        "PASSWORD",
        (ParameterUse.APPLIED,),
        "Extract and Replicat encrypt the password",
        of=_IDENTIFIED,
        types=("USER",),
    ),
    UnusedParameter("MAPSCHEMAS", (ParameterUse.APPLIED,), "MAPSESSIONSCHEMA maps further names of the statement, too"),
    UnusedParameter(
        "NOCROSSRENAME", (ParameterUse.CAPTURED,), "Extract does not follow a table from an excluded name", of=_RENAME
    ),
    UnusedParameter("SEQUENCE", (ParameterUse.CAPTURED,), "Extract takes these sequences", types=("SEQUENCE",)),
    UnusedParameter("SEQUENCE", (ParameterUse.COVERAGE,), "Extract takes these sequences"),
    UnusedParameter(
        "TRANLOGOPTIONS",
        (ParameterUse.CAPTURED, ParameterUse.COVERAGE),
        "Extract leaves out the transactions that it names",
        pattern=r"\bEXCLUDE(?:USER|USERID|TAG|TRANS)\b",
    ),
    UnusedParameter("NAMEMATCHEXACT", TABLES, "capitals count in all names"),
    UnusedParameter("NAMEMATCHIGNORECASE", TABLES, "capitals do not count where no name fits exactly"),
    UnusedParameter("IGNOREINSERTS", (ParameterUse.COVERAGE,), "INSERTs of the tables after it are left out"),
    UnusedParameter("IGNOREUPDATES", (ParameterUse.COVERAGE,), "UPDATEs of the tables after it are left out"),
    UnusedParameter("IGNOREDELETES", (ParameterUse.COVERAGE,), "DELETEs of the tables after it are left out"),
    UnusedParameter("IGNOREAPPLOPS", (ParameterUse.COVERAGE,), "changes by applications are left out"),
    UnusedParameter("RMTHOSTOPTIONS", (ParameterUse.WIRE,), "it sets COMPRESS and the sizes for a passive Extract"),
    UnusedParameter(
        "RECOVERYOPTIONS",
        (ParameterUse.HISTORY, ParameterUse.RESTART),
        "when this process restarts, it writes over the data after its last write checkpoint",
        pattern=r"\bOVERWRITEMODE\b",
        what=_NEXT_RESTART,
    ),
    UnusedParameter(
        "RECOVERYOPTIONS",
        (ParameterUse.HISTORY, ParameterUse.RESTART),
        "when this process restarts, it appends and writes the cut transaction again",
        pattern=r"\bAPPENDMODE\b",
        what=_NEXT_RESTART,
    ),
    UnusedParameter(
        "MAXTRANSOPS", (ParameterUse.RESTART,), "Replicat commits parts of a transaction, and may stop inside one"
    ),
    UnusedParameter(
        "TRANSACTIONTIMEOUT", (ParameterUse.RESTART,), "Replicat may commit a part of a transaction, and stop inside it"
    ),
    UnusedParameter(
        "BR",
        (ParameterUse.OPEN, ParameterUse.RESTART),
        "after a failure Extract reads from the oldest begin, without Bounded Recovery",
        pattern=r"\bBROFFONFAILURE\b",
    ),
)
"""All such parameters, besides statements with a value known only at run time and those of ``why_of_no_use``."""
DDL_OPTIONS_IN_USE = frozenset(
    (  # noqa: SIM905 - a list of that length would fill a page
        "MAPDERIVED NOMAPDERIVED GETREPLICATES IGNOREREPLICATES GETAPPLOPS IGNOREAPPLOPS IGNOREMAPPING REMOVECOMMENTS "
        "MAPSESSIONSCHEMA ADDTRANDATA"
    ).split()
)


HEARTBEAT_TABLE = "HEARTBEATTABLE"
"""The parameter that names the heartbeat tables, in the file of a process or in GLOBALS."""
_FOR_SIDE = {
    **dict.fromkeys(("TABLE", "FILE", "TABLEEXCLUDE"), ProcessSide.EXTRACT),
    **dict.fromkeys(("MAP", "MAPEXCLUDE"), ProcessSide.REPLICAT),
}
_USED_FOR: dict[str, Collection[ParameterUse]] = {
    **dict.fromkeys((*_FOR_SIDE, "SCHEMAEXCLUDE", "CATALOGEXCLUDE", "SOURCECATALOG", "EXTTRAIL", "RMTTRAIL"), TABLES),
    "DDLOPTIONS": DDL,
    "RMTHOST": (ParameterUse.WIRE,),
}
"""The answers that depend on a statement, by keyword; DDL, DDLSUBST and DDLERROR are checked where evaluated."""


def why_of_no_use(node: Node, side: ProcessSide) -> str:
    """Return the reason why a statement of an evaluated kind has no effect in this file; empty if there is none."""
    if isinstance(node, Other) and node.reason:
        return f"is not evaluated: {node.reason}"
    if not isinstance(node, Taker | Exclusion):
        return ""
    if side not in (_FOR_SIDE.get(node.keyword, side), ProcessSide.GLOBALS):
        return f"is not for {side.title}"
    if isinstance(node, Taker) and len(node.source.parts) == 1:
        return "matches nothing: its name has no schema"
    return ""


def is_used(node: Node, side: ProcessSide) -> bool:
    """Return True if DDL, PARAMS COVERAGE or the search for heartbeats evaluates a statement."""
    if isinstance(node, Other) and node.keyword == HEARTBEAT_TABLE:
        return True
    if isinstance(node, DdlOption):
        return node.word in DDL_OPTIONS_IN_USE
    return not isinstance(node, Other) and not why_of_no_use(node, side)


def not_used(
    file: ParameterFile, answer: ParameterUse, statement: StatementInQuestion | None = None
) -> Iterator[tuple[Rule, str]]:
    """Yield the statements of a file that would change an answer but are not used for it, each with reason or effect.

    Args:
        file: the parameter file; GLOBALS is a file of its own.
        answer: the answer.
        statement: the DDL statement that the answer is about; None if it is about all.
    """
    for node in file.nodes:
        if reason := _reason(node, file.side, answer, statement):
            yield node.rule, reason


def sentences(files: Iterable[ParameterFile], answer: ParameterUse) -> Iterator[str]:
    """Yield a sentence for each statement that an answer on a trail must name, file by file."""
    for file in files:
        for rule, reason in not_used(file, answer):
            yield f"{rule.text} ({rule.path}, line {rule.line}) {reason}."


def _reason(node: Node, side: ProcessSide, answer: ParameterUse, statement: StatementInQuestion | None) -> str:
    if why := why_of_no_use(node, side):
        keyword = node.keyword if isinstance(node, Taker | Exclusion | Other) else ""
        return why if answer in _USED_FOR.get(keyword, ()) and _may_fit(node, statement) else ""
    if isinstance(node, DdlOption) and not node.is_known:
        return "is not known, and not used" if answer in DDL else ""
    word = node.word if isinstance(node, DdlOption) else node.keyword if isinstance(node, Other | Switch) else ""
    parameters = (parameter for parameter in UNUSED if parameter.keyword == word and answer in parameter.answers)
    unused = next((parameter for parameter in parameters if _concerns(parameter, node.rule, statement)), None)
    return f"{unused.what}: {unused.effect}" if unused is not None else ""


def _may_fit(node: Node, statement: StatementInQuestion | None) -> bool:
    """Return True if a TABLE, MAP or exclusion may affect the objects of a statement, by the last part of its name."""
    if statement is None or not isinstance(node, Taker | Exclusion):
        return True
    last = (node.source if isinstance(node, Taker) else node.pattern).parts[-1]
    return any(last.fits(name.name, is_plain="name" in name.plain) for name in statement.names)


def _concerns(parameter: UnusedParameter, rule: Rule, statement: StatementInQuestion | None) -> bool:
    if parameter.pattern and re.search(parameter.pattern, rule.text, re.IGNORECASE) is None:
        return False
    if statement is None:
        return True
    if parameter.types and statement.object_type not in parameter.types:
        return False
    return not parameter.of or re.search(parameter.of, statement.text, re.IGNORECASE | re.DOTALL) is not None
