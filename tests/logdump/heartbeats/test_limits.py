"""Beats beyond the limits: a histogram in place of values, paths that are only counted."""

from __future__ import annotations

import pytest

from logdump.features.heartbeat import lags
from logdump.features.heartbeat.lags import Ranks
from tests.searching import Random, examples


@pytest.mark.parametrize("seed", range(examples(60, short=15)))
def test_a_histogram_has_the_values_that_were_added_and_not_removed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn values are added and removed; more than a few are kept by steps of one per cent."""
    random = Random(seed)
    monkeypatch.setattr(lags, "MOST_EXACT", random.randint(2, 6))
    ranks, kept = Ranks(), list[int]()
    for _ in range(40):
        if len(kept) > 1 and random.random() < 0.4:
            ranks.remove(kept.pop(random.randrange(len(kept))))
        else:
            kept.append(random.choice((-1, 1)) * random.randint(10, 1_000_000))
            ranks.add(kept[-1])
        ordered = sorted(kept)
        parts = (0.01, 0.25, 0.5, 0.95, 1.0)
        expected = [ordered[max(0, -int(-len(ordered) * part // 1) - 1)] for part in parts]
        assert ranks.count == len(kept)
        assert ranks.of(*parts) == pytest.approx(expected, rel=0.02)
