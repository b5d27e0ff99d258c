"""Texts of a column that are chosen by their numbers are those texts, wherever they are kept."""

from __future__ import annotations

import numpy as np

from tests.searching import Random
from trailformat.scan import StringColumn


def test_chosen_texts_are_those_of_their_numbers() -> None:
    random = Random()
    for _ in range(20):
        texts = [random.choice(("", "7.21", "1.2.3", None, "apart", None)) for _ in range(random.randint(1, 9))]
        stored = ["" if text in (None, "apart") else text or "" for text in texts]
        sizes = np.array([-1 if text in (None, "apart") else len(text or "") for text in texts], np.int64)
        starts = np.cumsum([0, *map(len, stored)])[:-1]
        known = {number: text for number, text in enumerate(texts) if text == "apart"}
        column = StringColumn("".join(stored).encode(), starts, sizes, known)
        numbers = np.array(sorted(random.sample(range(len(texts)), random.randint(0, len(texts)))), np.int64)
        chosen = [texts[number] for number in numbers.tolist()]
        assert list(column.take(numbers)) == chosen
        assert [column.take(numbers)[place] for place in range(len(chosen))] == chosen
