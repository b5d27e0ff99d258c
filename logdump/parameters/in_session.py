"""The parameter files of a session, and what it says of their statements that an answer does not use."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.not_used import ParameterUse, sentences
from logdump.session.events import Text, say
from logdump.session.session import Session


def parameters_in_use(session: Session) -> ParametersInUse:
    """The files that PARAMS has set in this session."""
    return session.kept(ParametersInUse) or ParametersInUse()


def unused_parameters(session: Session, answer: ParameterUse) -> Iterator[Text]:
    """Yield the statements of the parameter files in use that would change an answer but are not evaluated."""
    yield from map(say, sentences(parameters_in_use(session).files, answer))
