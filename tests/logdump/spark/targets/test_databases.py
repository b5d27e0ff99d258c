"""The bank's trail in databases: equal to the model, whatever the batches, however often it is begun again."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.logdump.spark.targets.bank import NAMES, batches_of, changes_of, differences, opened, parts
from tests.logdump.spark.targets.places import Place
from tests.simulated.five_tables import bank_trail


@pytest.mark.parametrize("most", [1, 40])
def test_the_tables_equal_those_of_the_source(place: Place, most: int, tmp_path: Path) -> None:
    random = Random(most)
    bank, _ = bank_trail(tmp_path, 150, seed=most)
    rows, sources = changes_of(tmp_path)
    applier, target = None, place.target()
    for batch in batches_of(rows, random, most):
        if applier is None or random.random() < 0.1:
            target.close()
            applier = opened(target, sources)
        applier.apply(parts(batch, random.choice((7, 1000))))
    target.close()
    assert differences(bank, {name: place.rows(name) for name in NAMES}) == []
