"""Drawn trails, and drawn questions about them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, NamedTuple

from hypothesis import strategies as st

from fixtures.flavour import MYSQL_21, ORACLE_11, ORACLE_12, Flavour
from tests.logdump.questions.question import Criterion, Filter, Question
from tests.simulated.extract import Extract
from tests.simulated.plain_reader import PlainRecord, read_all, text_of
from tests.simulated.source import Source
from trailformat import ByteOrder

FLAVOURS = [replace(one, order=order) for one in (MYSQL_21, ORACLE_12, ORACLE_11) for order in ByteOrder]
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
    """The bytes of a file, its records as a reader of the bytes finds them, and a question with its filter.

    ``name`` is what they are drawn from.
    """

    name: str
    content: bytes
    records: list[PlainRecord]
    question: Question
    filter: Filter

    def __repr__(self) -> str:
        return f"Drawn({self.name}, {len(self.content)} bytes, {self.question})"

    def write(self, folder: Path) -> Path:
        """The file, in a new folder of its own."""
        path = Path(mkdtemp(dir=folder)) / "sm000000000"
        path.write_bytes(self.content)
        return path


def _content(flavour: Flavour, seed: int, transactions: int, *, is_headed: bool) -> bytes:
    random = Random(seed)
    tables = flavour.teas, flavour.sales
    with TemporaryDirectory() as folder:
        extract = Extract(Path(folder), random, roll_chance=0, flavour=flavour, tables=tables, is_headed=is_headed)
        source = Source(random, *tables)
        for _ in range(transactions):
            extract.write(source.transaction())
        if random.random() < 0.3:
            extract.open_end(source.transaction())
        extract.close()
        return extract.paths[0].read_bytes()


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
        _comparing("TRANSIND", lambda one: None if one.is_header else one.trans_ind, st.integers(0, 3)),
        _comparing("RECLEN", lambda one: len(one.data), st.integers(30, 120)),
        _comparing("RBA", lambda one: one.rba, st.integers(0, 5000)),
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
    """A trail and a question about it."""
    flavour = draw(st.sampled_from(FLAVOURS))
    seed, transactions = draw(st.integers(0, 1 << 30)), draw(st.integers(1, 7))
    is_headed = draw(st.booleans())
    content = _content(flavour, seed, transactions, is_headed=is_headed)
    name = f"{flavour.release} {flavour.order.name} {is_headed=} {seed=} {transactions=}"
    whole = list(read_all(content, SIGNS[flavour.order]))
    cut = draw(st.one_of(st.just(0), st.just(1), st.integers(0, whole[-1].length - 1))) if whole[1:] else 0
    content = content[: len(content) - cut]
    records = list(read_all(content, SIGNS[flavour.order]))
    number = draw(st.none() | st.integers(0, len(records)))
    end = records[-1].rba + records[-1].length
    wanted = draw(filters(flavour))
    question = Question(
        number,
        0 if number is None else [*(one.rba for one in records), end][number],
        draw(st.none() | st.integers(1, len(records) + 1)),
        draw(st.booleans()),
        wanted.statements,
        is_cut=end < len(content),
    )
    return Drawn(name, content, records, question, wanted)
