"""Some columns of a table, under other names, some masked: in the target, and in nothing that is noted or said."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import logdump
from logdump.tables.errors import BadOption, SourceError
from logdump.targets.target import BadTarget, Refused
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

T, U = "S.T", "S.U"
COLUMNS = {"ID": "INT64", "NAME": "VARCHAR", "N": "INT32", "NOTE": "VARCHAR"}
KEY = "hmm, a secret"


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGDUMP_MASK_KEY", KEY)


def hashed(text: str) -> str:
    """A value as it is hashed."""
    return hmac.new(KEY.encode(), text.encode(), hashlib.sha256).hexdigest()


@pytest.fixture
def target(tmp_path: Path) -> Place:
    """A file of SQLite."""
    return sqlite_place(tmp_path)


class Drawn:
    """Drawn changes of a table with its rows after them, by key."""

    def __init__(self, random: Random) -> None:
        self.trail, self.rows = Trail({T: COLUMNS, U: COLUMNS}), dict[int, list[Any]]()
        self._random = random

    def change(self) -> None:
        """One more change."""
        random, keys = self._random, [*self.rows]
        key, values = random.randrange(12), self._values()
        if key not in self.rows:
            self.trail.insert(T, key, *values)
            self.rows[key] = values
        elif random.random() < 0.2:
            self.trail.delete(T, key, *self.rows.pop(key))
        elif random.random() < 0.3 and (free := [number for number in range(12) if number not in keys]):
            new = random.choice(free)
            self.trail.move(T, (key, *self.rows[key]), (new, *values))
            del self.rows[key]
            self.rows[new] = values
        else:
            given = [value if random.random() < 0.6 else ... for value in values]
            self.trail.update(T, key, *given)
            pairs = zip(self.rows[key], given, strict=True)
            self.rows[key] = [old if new is ... else new for old, new in pairs]

    def _values(self) -> list[Any]:
        random = self._random
        return [random.choice(("ann", "bob", "zoë", None)), random.choice((1, 7, None)), random.choice(("x", "y"))]


@pytest.mark.parametrize("seed", range(3))
def test_the_target_has_what_the_rules_leave(seed: int, tmp_path: Path, place: Place, apply: Apply) -> None:
    """Drawn changes in drawn batches; the key hashed or not, a column left out, one renamed, masks of each kind."""
    random = Random(seed)
    drawn, is_hashed = Drawn(random), bool(seed % 2)
    rules: dict[str, Any] = {
        "columns": {"s.t": ["n", "ID", "NAME"]},
        "rename": {T: {"NAME": "Who", "ID": '"The.Id"'}},
        "mask": {T: {"NAME": "hash", "N": random.choice([{"fixed": 5}, {"fixed": "5"}, None, "null"])}},
    }
    if is_hashed:
        rules["mask"][T]["ID"] = "hash"
    fixed = 5 if isinstance(rules["mask"][T]["N"], dict) else None
    for _ in range(3):
        for _ in range(random.randrange(1, 25)):
            drawn.change()
        path = drawn.trail.write(tmp_path / "a")
        apply(path, place, T, create=True, maxTransactionsPerTrigger=random.choice((1, 5, 1000)), **rules)
    mark = "`" if place.url.startswith("mariadb") else '"'
    names = [f"{mark}The.Id{mark}", "who", "n"]
    expected = {
        hashed(str(key)) if is_hashed else key: (None if row[0] is None else hashed(row[0]), fixed)
        for key, row in drawn.rows.items()
    }
    got = {key: rest for key, *rest in place.query(f"SELECT {', '.join(names)} FROM t")}
    assert {key: tuple(rest) for key, rest in got.items()} == expected


def _sample(folder: Path) -> Path:
    trail = Trail({T: COLUMNS, U: COLUMNS})
    trail.insert(T, 1, "secret", 1, "hidden")
    trail.insert(U, 2, "secret", 2, "hidden")
    return trail.write(folder)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"columns": {"S.V": ["ID"]}}, r"columns: not among the tables: S\.V; did you mean S\.[TU]\?"),
    ({"columns": {T: ["ID"], "s.t": ["ID"]}}, r"columns: S\.T is named twice"),
    ({"columns": {T: ["NAME"]}}, r"columns: S\.T: the key column ID is not among them"),
    ({"columns": {T: ["ID", "NAM"]}}, r"columns: S\.T has no column NAM; did you mean NAME\?"),
    ({"columns": {T: ["ID", "N"]}, "rename": {T: {"NAME": "x"}}}, r"rename: S\.T has no column NAME"),
    ({"columns": {T: ["ID", "N"]}, "mask": {T: {"NAME": "hash"}}}, r"mask: S\.T has no column NAME"),
    ({"rename": {T: {"NAME": "n"}}}, r"rename: S\.T: NAME and N would both be N"),
    ({"rename": {T: {"NAME": '"N"'}}}, r"rename: S\.T: NAME and N would both be N"),
    ({"rename": {T: {"NAME": "x", "N": "X"}}}, r"rename: S\.T: NAME and N would both be X"),
    ({"rename": {T: {"NAME": "a.b"}}}, r'rename: S\.T: a\.b is no name of a column; in double quotes, as "a\.b"'),
    ({"mask": {T: {"ID": "null"}}}, r"mask: S\.T: ID is of the key, and rows could not be told apart"),
    ({"mask": {T: {"id": {"fixed": 1}}}}, r"mask: S\.T: id is of the key"),
    ({"mask": {T: {"N": "null"}}, "keys": {T: ["N"]}}, r"mask: S\.T: N is of the key"),
    ({"mask": {T: {"N": {"fixed": "many"}}}}, r"mask: S\.T: N is int32, not 'many'"),
    ({"mask": {T: {"N": {"fixed": 1 << 31}}}}, r"mask: S\.T: N is int32, not '2147483648'"),
    ({"mask": {T: {"N": {"fixed": True}}}}, r"mask: S\.T: N is int32, not 'True'"),
]


@pytest.mark.parametrize(("rules", "problem"), WRONG)
def test_rules_that_cannot_be_are_refused_in_a_line(
    rules: dict[str, Any], problem: str, tmp_path: Path, target: Place, apply: Apply
) -> None:
    with pytest.raises(BadOption, match=f"^{problem}"):
        apply(_sample(tmp_path / "a"), target, [T, U], create=True, **rules)
    assert not target.query("SELECT name FROM sqlite_master WHERE name IN ('t', 'u')")


def test_names_may_change_places(tmp_path: Path, target: Place, apply: Apply) -> None:
    apply(_sample(tmp_path / "a"), target, T, create=True, rename={T: {"NAME": "note", "NOTE": "name"}})
    assert target.query("SELECT id, name, note FROM t") == [(1, "hidden", "secret")]


def test_a_hash_needs_a_secret(tmp_path: Path, target: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch) -> None:
    for value in (None, ""):
        monkeypatch.delenv("LOGDUMP_MASK_KEY", raising=False)
        if value is not None:
            monkeypatch.setenv("LOGDUMP_MASK_KEY", value)
        with pytest.raises(BadOption, match=r"^mask: hash needs a secret in the variable LOGDUMP_MASK_KEY"):
            apply(_sample(tmp_path / "a"), target, T, create=True, mask={T: {"NAME": "hash"}})
    apply(_sample(tmp_path / "a"), target, T, create=True, mask={T: {"NAME": "null"}})


def test_equal_values_have_one_hash_in_columns_of_any_type(tmp_path: Path, target: Place, apply: Apply) -> None:
    kinds = {"A": "INT32", "B": "VARCHAR of a number", "C": "INT64 with a scale", "D": "VARCHAR of a number"}
    trail = Trail({T: {"ID": "INT64", **kinds}, U: {"A": "INT16"}})
    trail.insert(T, 1, 42, Decimal("42.00"), Decimal("42.50"), Decimal("42.5"))
    trail.insert(U, 42)
    mask = {T: dict.fromkeys("ABCD", "hash"), U: {"A": "hash"}}
    apply(trail.write(tmp_path / "a"), target, [T, U], create=True, mask=mask)
    assert target.query("SELECT a, b, c, d FROM t") == [(hashed("42"),) * 2 + (hashed("42.5"),) * 2]
    assert target.query("SELECT a FROM u") == [(hashed("42"),)]


def test_the_masks_of_each_table_are_held_against_its_own(tmp_path: Path, target: Place, apply: Apply) -> None:
    """Two tables exchange theirs."""
    trail = Trail({T: COLUMNS, U: COLUMNS})
    for name in (T, U):
        trail.insert(name, 1, "r", 1, "note")
    path, masks = trail.write(tmp_path / "a"), [{"NAME": "null"}, {"NOTE": "null"}]
    apply(path, target, [T, U], create=True, mask=dict(zip((T, U), masks, strict=True)))
    with pytest.raises(BadTarget, match="were written with other masks"):
        apply(path, target, [T, U], mask=dict(zip((U, T), masks, strict=True)))


def test_a_table_of_ones_own_has_to_have_room_for_the_masks(tmp_path: Path, place: Place, apply: Apply) -> None:
    place.run("CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(99), n BIGINT, note VARCHAR(99) NOT NULL)")
    path = _sample(tmp_path / "a")
    with pytest.raises(BadTarget, match=r"column N is hashed, which is text, and (?i:bigint) in the target"):
        apply(path, place, T, mask={T: {"N": "hash"}})
    with pytest.raises(BadTarget, match=r"(?i)column note of the target needs a value, and its mask is null"):
        apply(path, place, T, mask={T: {"NOTE": "null"}})
    with pytest.raises(
        BadTarget, match=r"(?i)column note of the target needs a value, and the source does not have it"
    ):
        apply(path, place, T, columns={T: ["ID", "N"]})
    apply(path, place, T, mask={T: {"NAME": "hash", "NOTE": {"fixed": "-"}}})
    assert place.rows(T) == [(1, hashed("secret"), 1, "-")]


REFUSING = {
    "sqlite": "CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT, n BIGINT CHECK (n < 9))",
    "postgresql": "CREATE TABLE t (id bigint PRIMARY KEY, name text, n bigint CHECK (n < 9))",
    "mariadb": "CREATE TABLE t (id BIGINT PRIMARY KEY, name VARCHAR(99), n BIGINT CHECK (n < 9))",
}


def test_nothing_that_is_noted_or_said_has_what_is_hidden(
    tmp_path: Path, place: Place, apply: Apply, caplog: pytest.LogCaptureFixture
) -> None:
    """The image and the rows of a refused change, its message, and that of a value that does not decode."""
    place.run(REFUSING[place.url.partition(":")[0]])
    trail = Trail({T: COLUMNS})
    trail.insert(T, 1, "secret", 9, "hidden")
    path = trail.write(tmp_path / "a")
    rules: dict[str, Any] = {"columns": {T: ["ID", "NAME", "N"]}, "mask": {T: {"NAME": "hash"}}}
    said = ""
    with suppress(Refused):
        apply(path, place, T, **rules)
    for given in ({"errors": "table"}, {"errors": "table"}):
        said += str(apply(path, place, T, **given, **rules))
    [(image, rows, keys)] = place.query("SELECT image, change_rows, row_keys FROM logdump_errors")
    assert hashed("secret") in image
    for hidden in ("secret", "hidden", "NOTE"):
        assert hidden not in image + keys + said + caplog.text
        assert hidden.encode() not in base64.b64decode(rows)


def test_a_masked_value_that_does_not_decode_is_not_shown_and_matters_only_if_it_is_hashed(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    trail = Trail({T: COLUMNS})
    trail.insert(T, 1, "r", b"\x01", "note")
    path = trail.write(tmp_path / "a")
    for mask in (None, {"fixed": 3}):
        apply(path, target, T, create=True, mask={T: {"N": mask}})
        assert target.rows(T) == [(1, "r", 3 if mask else None, "note")]
        target.run("DROP TABLE t", "DELETE FROM logdump_position")
    apply(path, target, T, create=True, columns={T: ["ID"]})
    assert target.rows(T) == [(1,)]
    target.run("DROP TABLE t", "DELETE FROM logdump_position")
    with pytest.raises(SourceError, match=r"column N does not decode: its value is masked$"):
        apply(path, target, T, create=True, mask={T: {"N": "hash"}})


def test_a_refused_row_is_retried_masked(tmp_path: Path, target: Place, apply: Apply) -> None:
    target.run(REFUSING["sqlite"])
    trail = Trail({T: {name: COLUMNS[name] for name in ("ID", "NAME", "N")}})
    trail.insert(T, 1, "secret", 9)
    path, mask = trail.write(tmp_path / "a"), {T: {"NAME": "hash"}}
    assert apply(path, target, T, errors="table", mask=mask).refused == 1
    target.run("ALTER TABLE t RENAME TO old", "CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT, n BIGINT)")
    assert logdump.retry(path, target.url, T, mask=mask).rows == 1
    assert target.rows(T) == [(1, hashed("secret"), 9)]


MASKS: list[dict[str, Any]] = [
    {},
    {T: {"NAME": "hash"}},
    {T: {"NAME": "null"}},
    {T: {"N": "null"}},
    {T: {"NAME": "hash", "N": "null"}},
    {T: {"N": {"fixed": 5}}},
    {T: {"N": {"fixed": 6}}},
]


@pytest.mark.parametrize("has_masks", [True, False])
@pytest.mark.parametrize("kind", ["of the place", "delta"])
def test_rows_of_a_table_all_have_the_masks_of_its_first_run(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path, place: Place, apply: Apply, *, has_masks: bool
) -> None:
    """The same masks in other words go on; others are refused before anything is written."""
    random = Random(request.node.name)
    if kind == "delta":
        pytest.importorskip("deltalake")
    goal = place if kind == "of the place" else Place(f"delta:{tmp_path / 'lake'}", lambda: None)
    drawn = Drawn(random)
    first = random.choice(MASKS[1:]) if has_masks else {}
    others = [mask for mask in MASKS if mask != first]
    drawn.change()
    options: dict[str, Any] = {"create": True, "mask": first}
    apply(drawn.trail.write(tmp_path / "a"), goal, T, **options)
    drawn.change()
    path = drawn.trail.write(tmp_path / "a")
    for mask in others:
        with pytest.raises(BadTarget, match=r"nothing was written: the rows of S\.T .* other masks"):
            apply(path, goal, T, **options | {"mask": mask})
    in_other_words = {"s.t": {name.lower(): mask for name, mask in first.get(T, {}).items()}}
    assert apply(path, goal, T, **options | {"mask": in_other_words}).transactions == 1


def test_masks_of_one_table_are_not_those_of_another(tmp_path: Path, target: Place, apply: Apply) -> None:
    path = _sample(tmp_path / "a")
    apply(path, target, "S.*", create=True, mask={T: {"NAME": "hash"}})
    with pytest.raises(BadTarget, match=r"rows of S\.[TU] .* other masks"):
        apply(path, target, "S.*", mask={U: {"NAME": "hash"}})
    assert apply(path, target, "S.*", mask={T: {"NAME": "hash"}}).rows == 0


def test_rows_hashed_by_another_secret_are_refused(
    tmp_path: Path, place: Place, apply: Apply, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = Drawn(Random(1))
    options: dict[str, Any] = {"create": True, "mask": {T: {"NAME": "hash"}}}
    drawn.change()
    apply(drawn.trail.write(tmp_path / "a"), place, T, **options)
    drawn.change()
    path = drawn.trail.write(tmp_path / "a")
    monkeypatch.setenv("LOGDUMP_MASK_KEY", f"{KEY}.")
    with pytest.raises(BadTarget, match="other masks, or with another LOGDUMP_MASK_KEY"):
        apply(path, place, T, **options)
    monkeypatch.setenv("LOGDUMP_MASK_KEY", KEY)
    assert apply(path, place, T, **options).transactions == 1


def test_a_position_that_has_no_masks_is_gone_on_with_and_gets_them(
    tmp_path: Path, target: Place, apply: Apply
) -> None:
    """An earlier release wrote it, and nobody knows by what the rows were masked."""
    drawn = Drawn(Random(1))
    drawn.change()
    apply(drawn.trail.write(tmp_path / "a"), target, T, create=True)
    target.run("UPDATE logdump_position SET masks = NULL")
    drawn.change()
    assert apply(drawn.trail.write(tmp_path / "a"), target, T, mask={T: {"NAME": "hash"}}).transactions == 1
    with pytest.raises(BadTarget, match="other masks"):
        apply(tmp_path / "a", target, T)


def test_into_delta(tmp_path: Path, apply: Apply) -> None:
    deltalake = pytest.importorskip("deltalake")
    place = Place(f"delta:{tmp_path / 'lake'}", lambda: None)
    trail = Trail({T: COLUMNS})
    rules: dict[str, Any] = {
        "columns": {T: ["ID", "NAME", "N"]},
        "rename": {T: {"N": '"a.b"'}},
        "mask": {T: {"NAME": "hash", "ID": "hash", "N": {"fixed": 4}}},
    }
    trail.insert(T, 1, "secret", 9, "x")
    apply(trail.write(tmp_path / "a"), place, T, create=True, **rules)
    trail.update(T, 1, ..., ..., "y")
    trail.update(T, 1, "other")
    trail.insert(T, 2, "secret", 9, "x")
    apply(trail.write(tmp_path / "a"), place, T, create=True, **rules)
    rows = deltalake.DeltaTable(str(tmp_path / "lake" / T)).to_pyarrow_table().to_pylist()
    assert sorted(rows, key=str) == sorted(
        [
            {"ID": hashed("1"), "NAME": hashed("other"), "a.b": 4},
            {"ID": hashed("2"), "NAME": hashed("secret"), "a.b": 4},
        ],
        key=str,
    )


@pytest.mark.parametrize("kind", ["of the place", "delta"])
@pytest.mark.parametrize("seed", range(4))
def test_a_change_lacks_no_column_that_is_left_out(
    seed: int, kind: str, tmp_path: Path, target: Place, apply: Apply
) -> None:
    """Another column may have the name of one that is left out: its values would seem to be unchanged."""
    random, trail = Random(seed), Trail({T: COLUMNS})
    kept = random.sample(["NAME", "N", "NOTE"], random.randrange(1, 3))
    left = [name for name in ("NAME", "N", "NOTE") if name not in kept]
    new = {kept[0]: random.choice((*left, "other"))}
    wanted: list[list[str]] = [[]]
    trail.insert(T, 1, "ann", 7, "x")
    for _ in range(random.randrange(1, 6)):
        given = {name: random.random() < 0.5 for name in ("NAME", "N", "NOTE")}
        values = {"NAME": "bob", "N": 8, "NOTE": "y"}
        trail.update(T, 1, *(values[name] if is_given else ... for name, is_given in given.items()))
        wanted.append(sorted(new.get(name, name) for name in kept if not given[name]))
    lake = Place(f"delta:{tmp_path / 'lake'}", lambda: None)
    rules: dict[str, Any] = {"columns": {T: ["ID", *kept]}, "rename": {T: new}, "write": "append"}
    apply(trail.write(tmp_path / "a"), lake if kind == "delta" else target, T, create=True, **rules)
    if kind == "delta":
        table = pytest.importorskip("deltalake").DeltaTable(str(tmp_path / "lake" / T)).to_pyarrow_table()
        found = [row["_absent"] for row in sorted(table.to_pylist(), key=lambda row: str(row["_sequence"]))]
    else:
        found = [row[0] for row in target.query("SELECT _absent FROM t ORDER BY _sequence")]
    assert [sorted(json.loads(text or "[]")) for text in found] == wanted
    assert all(text != "[]" for text in found)
