"""The event of SAFE, with its positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from logdump.session.errors import ExitStatus

if TYPE_CHECKING:
    from trailformat.transactions.restart_places import RestartPlaces


class SafePointShown(NamedTuple):
    """SAFE: the positions near an RBA at which a Replicat can be started.

    Attributes:
        places: the positions.
        is_brief: True if the text has the verdict and the positions alone, and also the call of the REST API.
        is_extract: True if the process that is set there is an Extract, such as a pump.
        group: its name; empty if it is not known.
    """

    places: RestartPlaces
    is_brief: bool = False
    is_extract: bool = False
    group: str = ""

    @property
    def status(self) -> ExitStatus:
        """BAD_DATA if there is damage in the transaction, or before the next one."""
        extent = self.places.extent
        is_damaged = bool(extent and extent.damage) or self.places.damage is not None
        return ExitStatus.BAD_DATA if is_damaged else ExitStatus.OK
