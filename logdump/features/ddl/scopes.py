"""The operations and types of objects to which TABLE and MAP apply (Oracle: Mapped Scope)."""

from __future__ import annotations

import re

from logdump.features.ddl.subject import DdlSubject

_ALL = frozenset(
    {
        "TABLE",
        "INDEX",
        "TRIGGER",
        "SEQUENCE",
        "MATERIALIZED VIEW",
        "VIEW",
        "FUNCTION",
        "PACKAGE",
        "PACKAGE BODY",
        "PROCEDURE",
        "SYNONYM",
        "PUBLIC SYNONYM",
    }
)
_WITH_PRIVILEGES = frozenset({"TABLE", "SEQUENCE", "MATERIALIZED VIEW"})
_CAN_BE_MAPPED = {
    **dict.fromkeys(("CREATE", "ALTER", "DROP", "RENAME"), _ALL),
    "COMMENT": frozenset({"TABLE"}),
    "TRUNCATE": frozenset({"TABLE"}),
    **dict.fromkeys(("GRANT", "REVOKE"), _WITH_PRIVILEGES),
    "ANALYZE": frozenset({"TABLE", "INDEX", "CLUSTER"}),
}
_ODD = re.compile(r"[\x00-\x1f\"'*?\\]")
"""Characters that a TABLE or MAP cannot name; Oracle's page says that there are some."""


def why_other(subject: DdlSubject) -> str | None:
    """Why a statement is of scope OTHER, whatever TABLE and MAP say; None where it can be mapped."""
    if subject.object_type not in _CAN_BE_MAPPED.get(subject.operation, ()):
        return f"{subject.operation} {subject.object_type}".strip() + " cannot be mapped"
    odd = next((str(one) for one in (subject.base, subject.derived) if one and _ODD.search(str(one))), None)
    return f"{odd} has characters that cannot be mapped" if odd else None
