"""Drawn trails, and drawn questions about them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, NamedTuple

from hypothesis import strategies as st

from fixtures.flavour import MYSQL_21, ORACLE_11, ORACLE_12, Flavour
from tests.logdump.questions.question import Criterion, Filter, Question
from tests.searching import Random
from tests.simulated.extract import Extract
from tests.simulated.plain_reader import PlainRecord, read_all, text_of
from tests.simulated.source import Source
from trailformat import ByteOrder

FLAVOURS = [replace(flavour, order=order) for flavour in (MYSQL_21, ORACLE_12, ORACLE_11) for order in ByteOrder]
SIGNS = {ByteOrder.BIG: ">", ByteOrder.LITTLE: "<"}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Drawn(NamedTuple):
    """The files of a trail, and a question about the last of them, of which half a record may be missing.

    Attributes:
        name: what they are drawn from.
        contents: the bytes of each.
        records: those of the last, as a reader of the bytes finds them.
    """

    name: str
    contents: tuple[bytes, ...]
    records: list[PlainRecord]
    question: Question
    filter: Filter

    def __repr__(self) -> str:
        return f"Drawn({self.name}, {len(self.contents)} files, {self.question})"

    def write(self, folder: Path) -> Path:
        """The last file, all of them being in a new folder of their own."""
        own = Path(mkdtemp(dir=folder))
        for number, content in enumerate(self.contents):
            path = own / f"sm{number:09}"
            path.write_bytes(content)
        return path


@lru_cache(100)
def _contents(
    flavour: Flavour, seed: int, transactions: int, roll_chance: float, *, is_headed: bool
) -> tuple[bytes, ...]:
    """The files, but for those that it rolled over from before anything was in them."""
    random = Random(seed)
    tables = flavour.teas, flavour.sales
    with TemporaryDirectory() as folder:
        extract = Extract(
            Path(folder), random, roll_chance=roll_chance, flavour=flavour, tables=tables, is_headed=is_headed
        )
        source = Source(random, *tables)
        for _ in range(transactions):
            extract.write(source.transaction())
        if random.random() < 0.3:
            extract.open_end(source.transaction())
        extract.close()
        return tuple(content for path in extract.paths if (content := path.read_bytes()))


@lru_cache(100)
def _records(contents: tuple[bytes, ...], sign: str) -> list[PlainRecord]:
    """Those of the last file: a transaction may go on in it that has begun in one before."""
    found, csn = list[PlainRecord](), ""
    for content in contents:
        found = list(read_all(content, sign, csn))
        csn = next((record.csn for record in reversed(found) if record.op), csn)
    return found


def _comparing(option: str, number_of: Callable[[PlainRecord], Any], wanted: st.SearchStrategy[int]) -> Any:
    def criterion(sign: str, value: int) -> Criterion:
        def holds(record: PlainRecord) -> bool:
            found = number_of(record)
            return found is not None and COMPARISONS[sign](found, value)

        return Criterion(f"{option} {sign} {value}", holds)

    return st.builds(criterion, st.sampled_from([*COMPARISONS]), wanted)


def _values(record: PlainRecord, name: str) -> list[str | None]:
    """What its images hold of a column, case aside."""
    return [
        None if value is None else text_of(column, value, record.sign)
        for image in (record.before, record.after)
        for index, value in ((image or {}) if record.columns else {}).items()
        if (column := record.columns[index]).name.upper() == name.upper()
    ]


def _number_value(name: str, sign: str, wanted: Decimal) -> Criterion:
    def holds(record: PlainRecord) -> bool:
        found = [Decimal(value) for value in _values(record, name) if value is not None]
        return any(COMPARISONS[sign](value, wanted) for value in found)

    return Criterion(f"VALUE {name} {sign} {wanted}", holds)


def _text_value(name: str, sign: str, wanted: str) -> Criterion:
    def holds(record: PlainRecord) -> bool:
        found = [value.rstrip(" ") for value in _values(record, name) if value is not None]
        return any(COMPARISONS[sign](value, wanted) for value in found)

    return Criterion(f"""VALUE {name} {sign} '{wanted.replace("'", "''")}'""", holds)


def _null_value(name: str, sign: str) -> Criterion:
    return Criterion(
        f"VALUE {name} {sign} NULL",
        lambda record: any((value is None) == (sign == "=") for value in _values(record, name)),
    )


def _named(pattern: str, fits: Callable[[str], bool]) -> Criterion:
    return Criterion(f"FILENAME {pattern}", lambda record: record.table != "" and fits(record.table.lower()))


def _typed(words: str, numbers: set[int]) -> Criterion:
    return Criterion(f"RECTYPE {words}", lambda record: record.io_type in numbers)


def _with_text(text: str) -> Criterion:
    return Criterion(f'STRING "{text}"', lambda record: not record.is_header and text.encode() in record.data)


def csn_key(csn: str) -> tuple[int, ...]:
    """A CSN as what it is ordered by."""
    return tuple(map(int, csn.split(":")))


def _csn(flavour: Flavour, sign: str, transaction: int) -> Criterion:
    wanted = flavour.csn(transaction)

    def holds(record: PlainRecord) -> bool:
        return record.csn != "" and COMPARISONS[sign](csn_key(record.csn), csn_key(wanted))

    return Criterion(f"CSN {sign} {wanted}", holds)


SIGN = st.sampled_from([*COMPARISONS])
EQUAL = st.sampled_from(["=", "<>"])
NAMED = [
    _named("*", lambda _: True),
    _named("*.teas", lambda name: name.endswith(".teas")),
    _named("TEAHOUSE.SALES", lambda name: name == "teahouse.sales"),
    _named("?eahouse.t*", lambda name: name == "teahouse.teas"),
    _named("NOBODY.*, *sales", lambda name: name == "teahouse.sales"),
    _named("NOBODY.*", lambda _: False),
]
TYPED = [
    _typed("insert", {5}),
    _typed("3, fieldcomp", {3, 15}),
    _typed("134, 135", {134, 135}),
    _typed("metadata", {170}),
    _typed("RestartAbend, 151", {150, 151}),
]


def criteria(flavour: Flavour) -> st.SearchStrategy[Criterion]:
    """One criterion of any kind."""
    return st.one_of(
        st.sampled_from(NAMED),
        st.sampled_from(TYPED),
        st.sampled_from([*map(_with_text, ("Uji", "T1", "gift"))]),
        _comparing("TRANSIND", lambda record: None if record.is_header else record.trans_ind, st.integers(0, 3)),
        _comparing("RECLEN", lambda record: len(record.data), st.integers(30, 120)),
        _comparing("RBA", lambda record: record.rba, st.integers(0, 5000)),
        st.builds(_csn, st.just(flavour), SIGN, st.integers(1, 9)),
        st.builds(
            _number_value,
            st.sampled_from(["PRICE", "stock_kg", "AMOUNT", "Grams"]),
            SIGN,
            st.integers(-99, 1100).map(lambda number: Decimal(number).scaleb(-2)),
        ),
        st.builds(
            _text_value,
            st.sampled_from(["NAME", "tea_code", "NOTE"]),
            SIGN,
            st.sampled_from(["Sencha", "o'clock", "T3", "Uji", "x", ""]),
        ),
        st.builds(_null_value, st.sampled_from(["NAME", "note", "ORIGIN"]), EQUAL),
    )


def filters(flavour: Flavour) -> st.SearchStrategy[Filter]:
    """Up to three criteria."""
    some = st.lists(criteria(flavour), max_size=2).map(tuple)
    return st.builds(Filter, some, st.lists(criteria(flavour), max_size=1).map(tuple), st.booleans(), st.booleans())


@st.composite
def drawn(draw: st.DrawFn) -> Drawn:
    """A trail and a question about one of its files."""
    flavour = draw(st.sampled_from(FLAVOURS))
    seed, transactions = draw(st.integers(0, 9999)), draw(st.integers(1, 7))
    is_headed, roll_chance = draw(st.booleans()), draw(st.sampled_from([0, 0.1]))
    name = f"{flavour.release} {flavour.order.name} {seed=} {transactions=} {roll_chance=} {is_headed=}"
    contents = _contents(flavour, seed, transactions, roll_chance, is_headed=is_headed)
    contents = contents[: draw(st.integers(1, len(contents)))]
    whole = _records(contents, SIGNS[flavour.order])
    cut = draw(st.one_of(st.just(0), st.just(1), st.integers(0, whole[-1].length - 1))) if whole[1:] else 0
    contents = *contents[:-1], contents[-1][: len(contents[-1]) - cut]
    records = _records(contents, SIGNS[flavour.order])
    number = draw(st.none() | st.integers(0, len(records)))
    end = records[-1].rba + records[-1].length
    wanted = draw(filters(flavour))
    question = Question(
        number,
        0 if number is None else [*(record.rba for record in records), end][number],
        draw(st.none() | st.integers(1, len(records) + 1)),
        draw(st.booleans()),
        wanted.statements,
        is_cut=end < len(contents[-1]),
    )
    return Drawn(name, contents, records, question, wanted)
