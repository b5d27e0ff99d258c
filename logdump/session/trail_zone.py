"""Times entered without a date: completed by a date that the trail has."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.notation.times import TimeOffset, format_timestamp, has_date, parse_datetime

_DAY = 86_400_000_000
_MOST_DAYS = 3
"""The length of a trail in days beyond which a time fits more than one of them."""

Bounds = tuple[int, int]


class TrailZone(TimeOffset):
    """A zone in which a time without a date is on the date of the trail if only one fits.

    Attributes:
        taken: the times read without a date, and the moments that they were completed to.
    """

    _bounds: Callable[[], Bounds | None]
    taken: dict[str, int]

    @classmethod
    def of(cls, zone: TimeOffset, bounds: Callable[[], Bounds | None]) -> TrailZone:
        """A zone for a trail; ``bounds`` gives the times of its first and last row, None where it has none."""
        made = cls(zone.minutes)
        made._bounds, made.taken = bounds, {}
        return made

    def moment(self, text: str) -> int:
        """Return the Julian microseconds of an entered time.

        Raises:
            ValueError: it is not a time, or has no date and the trail does not determine one.
        """
        moment = parse_datetime(text, self)
        if has_date(text):
            return moment
        bounds = self._bounds()
        if bounds is None:
            raise ValueError(f"{text} has no date, and there is no trail open with one; write yyyy-mm-dd {text}")
        fitting = self._fitting(text, *bounds)
        if len(fitting) != 1:
            dates = " to ".join(dict.fromkeys(format_timestamp(one, self)[:10] for one in bounds))
            raise ValueError(f"{text} has no date, and the trail has several: {dates}; write yyyy-mm-dd {text}")
        self.taken[text] = fitting[0]
        return fitting[0]

    def _fitting(self, text: str, first: int, last: int) -> list[int]:
        """The moments on dates of the trail: the only one, or those between its first and its last row."""
        if last - first > _MOST_DAYS * _DAY:
            return []
        moments: set[int] = set()
        for day in (*range(first, last, _DAY // 2), last):
            try:
                moments.add(parse_datetime(text, self, day))
            except ValueError:  # a local time that daylight saving skips on that date
                continue
        return list(moments) if len(moments) == 1 else [one for one in moments if first <= one <= last]

    def said(self) -> Iterator[str]:
        """A line for each time that was taken so."""
        for text, moment in self.taken.items():
            yield f"{text} is taken as {format_timestamp(moment, self)}, a date of this trail."
