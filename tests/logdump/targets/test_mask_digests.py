"""The digest of the masks of a table, which its position keeps: the same for the same masks alone."""

from __future__ import annotations

import pytest

from logdump.targets.copied import CopyRules
from logdump.targets.target import AppliedPosition, BadTarget, Mask
from tests.searching import Random

COLUMNS = ("Name", "NOTE", "Price")
KINDS = (Mask("null"), Mask("hash"), Mask("fixed", 5), Mask("fixed", 6))
T = "S.T"


def _rules(mask: dict[str, dict[str, Mask]], secret: bytes = b"one") -> CopyRules:
    return CopyRules({}, {}, mask, secret)


def _meant(masks: dict[str, Mask], secret: bytes) -> object:
    """What the masks of a table mean: by column, with the secret if one of them hashes."""
    hashes = any(mask.kind == "hash" for mask in masks.values())
    return {name.lower(): mask for name, mask in masks.items()}, secret if hashes else b""


@pytest.mark.parametrize("case", range(8))
def test_digests_are_equal_if_the_masks_mean_the_same(case: int) -> None:
    """In any order and spelling of the columns; of two or three masks one differs, or the secret, or none."""
    draw = Random(f"masks {case}")
    masks = {name: draw.choice(KINDS) for name in draw.sample(COLUMNS, draw.randint(2, 3))}
    for _ in range(30):
        names = draw.sample([*masks], len(masks))
        other = {draw.choice((str.upper, str.lower, str))(name): masks[name] for name in names}
        other[draw.choice([*other])] = draw.choice(KINDS)
        secret = draw.choice((b"one", b"two"))
        is_same = _meant(masks, b"one") == _meant(other, secret)
        assert (_rules({T: masks}).digest(T) == _rules({T: other}, secret).digest(T)) == is_same, (masks, other, secret)


@pytest.mark.parametrize("changed", [None, 0, 1, 2])
def test_any_of_several_tables_with_other_masks_is_refused(changed: int | None) -> None:
    tables = [f"S.T{number}" for number in range(3)]
    rules = _rules({table: {"NAME": Mask("hash")} for table in tables})
    positions = {table: AppliedPosition("", "", None, masks=rules.digest(table)) for table in tables}
    if changed is not None:
        positions[tables[changed]] = positions[tables[changed]]._replace(masks="none")
        with pytest.raises(BadTarget, match=rf"the rows of S\.T{changed} in the target"):
            rules.check_kept(positions)
    else:
        rules.check_kept(positions)
