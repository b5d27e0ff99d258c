"""The options of runs that follow a trail, in one table each: from Python, the command line, and a file of YAML.

A file has the names and values of the arguments of Python; what is given beside it takes precedence. It is YAML without
what makes YAML dangerous or surprising: every value is text, a list or a mapping, and the option decides what the text
means, so that ``NO`` is a column and not false. There are no tags, no anchors and aliases, no second document, no key
twice and little depth.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self, TypedDict

from logdump.arrow.records.errors import place
from logdump.filters.csn_criteria import check_csn
from logdump.filters.words import FilterError
from logdump.notation.names import listed_names
from logdump.tables.errors import BadOption
from logdump.tables.options import OPTIONS, POSITIVE_SIZE, TRUTH, OptionType, no_such_option, one_of
from logdump.targets.target import ApplyProgress, Mask
from trailformat.codec.mapped_file import open_script
from trailformat.codec.on_demand import on_demand

with on_demand:
    import yaml

DdlHandler = Callable[[str, str], object]
Tables = str | Sequence[str] | Mapping[str, str]


MOST_SECONDS = 10**6
_LEAST_INTERVAL = 0.001
"""Seconds: without any a run that waits for a trail would be busy with it."""
_MOST_BYTES = 1 << 20
_DEEPEST = 6
_NAMES = {"SequenceStartEvent": "a list", "ScalarEvent": "text"}


class StatedValue(NamedTuple):
    """A value of an option as it is stated, and where, as it begins a message: ``F.yaml, line 3: ``."""

    value: Any
    where: str


class ValueType(NamedTuple):
    """A type of values; ``read`` raises ValueError for what is not such a value, with what is wrong or without."""

    wants: str
    read: Callable[[Any], Any]


class _Wrong(ValueError):
    """A value is wrong, and the text says in what."""


_MASKS = ("hash", "null", "fixed")


def texts(kind: OptionType) -> ValueType:
    """Return the type of values that are text, numbers or true and false."""

    def read(given: Any) -> Any:
        if given is None or isinstance(given, Mapping | list | tuple):
            raise ValueError
        return kind.read(str(given).lower() if isinstance(given, bool) else str(given))

    return ValueType(kind.wants, read)


def _seconds(least: float) -> Callable[[Any], float]:
    def read(given: Any) -> float:
        if isinstance(given, bool) or not isinstance(given, str | int | float):
            raise ValueError  # noqa: TRY004 - as of any other wrong value
        seconds = float(given)
        if not least <= seconds <= MOST_SECONDS:
            raise ValueError
        return seconds

    return read


def _csn(given: Any) -> str | None:
    if given is None:
        return None
    try:
        return check_csn(str(given).strip())
    except FilterError as error:
        raise _Wrong(str(error)) from None


def _callable(given: Any) -> Any:
    if given is not None and not callable(given):
        raise ValueError
    return given


def _ddl(given: Any) -> str | DdlHandler:
    handler: str | DdlHandler = given if callable(given) else texts(one_of("stop", "ignore")).read(given)
    return handler


def _load(given: Any) -> Any:
    if given is not None and not isinstance(given, str | Mapping):
        raise ValueError
    return given


def _text_or_none(given: Any) -> str | None:
    if given is not None and not isinstance(given, str):
        raise ValueError
    return given


def _event(given: Any) -> threading.Event:
    if given is not None and not isinstance(given, threading.Event):
        raise ValueError
    return given or threading.Event()


def _tables(given: Any) -> dict[str, str]:
    """Return the names in the target by those in the trail, empty for the same name."""
    named = [given] if isinstance(given, str) else given
    names = dict(named) if isinstance(named, Mapping) else dict.fromkeys(_list_of(named), "")
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError
    if not all(isinstance(target, str | None) for target in names.values()):
        raise ValueError
    return {name: target or "" for name, target in names.items()}


def _table_names(given: Any) -> dict[str, str]:
    if isinstance(given, Mapping):
        raise ValueError  # noqa: TRY004 - as of any other wrong value
    return _tables(given)


def _list_of(given: Any) -> list[str]:
    if isinstance(given, str):
        return [name for name in listed_names(given) if name]
    if (
        isinstance(given, Mapping)
        or not isinstance(given, Sequence)
        or not all(isinstance(value, str) for value in given)
    ):
        raise ValueError
    return [*given]


def _by_table(of_table: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    def read(given: Any) -> dict[str, Any]:
        if given is None:
            return {}
        if not isinstance(given, Mapping) or not all(isinstance(name, str) and name for name in given):
            raise ValueError
        return {name: of_table(value) for name, value in given.items()}

    return read


def _names(given: Any) -> tuple[str, ...]:
    names = tuple(_list_of(given))
    if not names:
        raise ValueError
    if twice := [name for number, name in enumerate(names) if name.lower() in map(str.lower, names[:number])]:
        raise _Wrong(f"{twice[0]} is named twice")
    return names


def _by_column(of_column: Callable[[str, Any], Any]) -> Callable[[Any], dict[str, Any]]:
    def read(given: Any) -> dict[str, Any]:
        if not isinstance(given, Mapping) or not all(isinstance(name, str) and name for name in given):
            raise ValueError
        names = [name.lower() for name in given]
        if twice := [name for number, name in enumerate(given) if name.lower() in names[:number]]:
            raise _Wrong(f"{twice[0]} is named twice")
        return {name: of_column(name, value) for name, value in given.items()}

    return read


def _new_name(column: str, given: Any) -> str:
    if not isinstance(given, str) or not given.strip('"'):
        raise _Wrong(f"the new name of {column} is no text")
    return given


def _mask(column: str, given: Any) -> Mask:
    if isinstance(given, Mask):
        return given
    if given is None:
        return Mask("null")
    if isinstance(given, str):
        if (word := given.strip().lower()) in ("hash", "null"):
            return Mask(word)
        hint = "fixed wants its value: {fixed: value}" if word == "fixed" else no_such_option(given, _MASKS)
        raise _Wrong(f"{column}: {hint.replace('option', 'mask')}")
    if isinstance(given, Mapping) and [*given] == ["fixed"] and not isinstance(given["fixed"], Mapping | list):
        if given["fixed"] is None:
            raise _Wrong(f"{column}: a fixed value is none: null is a mask of its own")
        return Mask("fixed", given["fixed"])
    raise _Wrong(f"{column}: a mask is hash, null or {{fixed: value}}")


TABLES = ValueType("names, or names in the target by name", _tables)
TABLE_NAMES = ValueType("names of tables", _table_names)
SECONDS = ValueType("a number of seconds", _seconds(0))
INTERVAL = ValueType(f"a number of seconds from {_LEAST_INTERVAL} on", _seconds(_LEAST_INTERVAL))
CSN = ValueType("a CSN", _csn)
COLLISIONS, ERRORS, EVOLVE = (
    texts(one_of(*words)) for words in (("stop", "overwrite"), ("stop", "table"), ("stop", "add"))
)
WRITE, DELETES = texts(one_of("mirror", "append", "history")), texts(one_of("apply", "soft"))
LOAD = ValueType("the URL of the database of the source, from Python also frames by table", _load)
SNAPSHOT = ValueType("the name of a snapshot", _text_or_none)
DDL = ValueType("stop or ignore, from Python also a function", _ddl)
FUNCTION = ValueType("a function", _callable)
EVENT = ValueType("a threading.Event", _event)
NAMES_BY_TABLE = ValueType("lists of columns by table", _by_table(_names))
NEW_NAMES = ValueType("new names by column, by table", _by_table(_by_column(_new_name)))
MASKS = ValueType("hash, null or {fixed: value} by column, by table", _by_table(_by_column(_mask)))


class RunOption(NamedTuple):
    """An option as the user sees it; ``is_in_file`` if a file may have it."""

    kind: ValueType
    shown_default: str
    meaning: str
    is_in_file: bool


def run_option(kind: ValueType, default: Any, meaning: str, shown: str = "", *, is_in_file: bool = True) -> Any:
    """Return the field of an option of a run."""
    about = {"option": RunOption(kind, shown, meaning, is_in_file)}
    if isinstance(default, dict):
        return field(default_factory=lambda: MappingProxyType(default), metadata=about)
    return field(default=default, metadata=about)


@dataclass(frozen=True)
class TrailRunOptions:
    """The values of the options of every run that follows a trail; the metadata of fields is the table of options.

    Attributes:
        source: options of the data source, by name.
    """

    tables: Mapping[str, str] = run_option(
        TABLES,
        {"*": ""},
        "Names in the trail, or wildcards, which match no heartbeat tables; with names in the target",
        "*",
    )
    once: bool = run_option(texts(TRUTH), False, "End when the changes that are there have been taken", "false")
    interval: float = run_option(INTERVAL, 1.0, "Seconds between checks of the trail for changes", "1")
    from_csn: str | None = run_option(
        CSN, None, "First CSN of tables that have no position yet; else the trail's beginning"
    )
    adopt: str | None = run_option(
        CSN, None, "First CSN of tables whose position is not one of this trail; else refused"
    )
    batch: str = run_option(
        texts(OptionType(POSITIVE_SIZE.wants, lambda text: POSITIVE_SIZE.read(text) and text)),
        "32m",
        "Bytes of trail in one transaction of the target; transactions of the source are never split",
        "32m",
    )
    patience: float = run_option(SECONDS, 60.0, "Seconds to wait for a target whose connection is lost", "60")
    progress: Callable[[ApplyProgress], object] | None = run_option(
        FUNCTION, None, "Called with the progress after each commit", is_in_file=False
    )
    stop: threading.Event = run_option(
        EVENT, None, "An event that ends the call after the current transaction", is_in_file=False
    )
    source: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, tables: Tables, given: Mapping[str, Any]) -> Self:
        """Return the options of a call.

        Args:
            tables: the argument of that name; ``*`` if it is not given.
            given: the other arguments. ``options`` is the path of a file, or a mapping, with more.

        Raises:
            BadOption: one does not exist, or has a wrong value.
        """
        table = options_of(cls)
        stated = _stated(given.get("options"), table)
        stated |= {name: StatedValue(value, "") for name, value in given.items() if name != "options"}
        if tables != "*":
            stated["tables"] = StatedValue(tables, "")
        values: dict[str, Any] = {"stop": threading.Event()}
        source: dict[str, Any] = {}
        for name, stated_value in stated.items():
            if name in table:
                values[name] = read_value(name, table[name].kind, stated_value)
            elif (
                name.lower() in _SOURCE_NAMES
                and stated_value.value is not None
                and not isinstance(stated_value.value, Mapping | list)
            ):
                source[_SOURCE_NAMES[name.lower()]] = stated_value.value
            else:
                raise BadOption(f"{stated_value.where}{no_such_option(name, table, [*_SOURCE_NAMES.values()])}")
        return cls(**values, source=source)


def options_of(kind: type[TrailRunOptions]) -> dict[str, RunOption]:
    """Return the options of a kind of run by name."""
    return {field.name: field.metadata["option"] for field in fields(kind) if "option" in field.metadata}


@dataclass(frozen=True)
class RunOptions(TrailRunOptions):
    """The values of the options of ``apply``."""

    keys: Mapping[str, Sequence[str]] = run_option(
        NAMES_BY_TABLE, {}, "Key columns, in place of those of the definition"
    )
    create: bool = run_option(texts(TRUTH), False, "Create missing tables", "false")
    collisions: str = run_option(
        COLLISIONS,
        "stop",
        "`stop` if a new row exists or a changed one is missing; `overwrite`, after a load that overlaps",
        "stop",
    )
    ddl: str | DdlHandler = run_option(
        DDL,
        "stop",
        "`stop` at a DDL statement on one of the tables, `ignore` it, or a function of its text and table, which is "
        "called when all changes before it are applied",
        "stop",
    )
    evolve: str = run_option(
        EVOLVE,
        "stop",
        "`add`: what a table gets in the trail (a column, a wider type; a new table) it gets in the target, when all "
        "changes before it are applied; all else stops",
        "stop",
    )
    columns: Mapping[str, Sequence[str]] = run_option(
        NAMES_BY_TABLE, {}, "The columns that are copied, those of the key among them"
    )
    rename: Mapping[str, Mapping[str, str]] = run_option(
        NEW_NAMES, {}, "Names of columns in the target; in double quotes as they are"
    )
    mask: Mapping[str, Mapping[str, Mask]] = run_option(
        MASKS,
        {},
        "What a column has in place of its values: `hash`, the same for equal ones, by the secret in the variable "
        "`LOGDUMP_MASK_KEY`; `null`; `{fixed: value}`. A key may only be hashed",
    )
    errors: str = run_option(
        ERRORS,
        "stop",
        "`stop` at a change that the target refuses; `table`: it is noted in `logdump_errors` with the later changes "
        "of its row, and all else goes on; `logdump.retry` applies them again",
        "stop",
    )
    write: str = run_option(
        WRITE,
        "mirror",
        "`mirror`: rows as they are at the source; `append`: a row for each change; `history`: a row for each version "
        "of a row, one for each transaction that changes it, with CSN and time of its begin and end",
        "mirror",
    )
    deletes: str = run_option(
        DELETES, "apply", "`apply`; `soft`: a row that is deleted stays, and says when it was deleted", "apply"
    )
    load: str | Mapping[str, Any] | None = run_option(
        LOAD,
        None,
        "Where the rows of tables without a position come from: the URL of the database of the source, or from Python "
        "a frame for each table by name; the trail goes on after their CSN",
    )
    load_csn: str | None = run_option(CSN, None, "The CSN that the rows of the load are of; Oracle is asked for it")
    load_snapshot: str | None = run_option(
        SNAPSHOT, None, "The snapshot of PostgreSQL at that CSN, as CREATE_REPLICATION_SLOT has exported it"
    )


RUN_OPTIONS = options_of(RunOptions)
"""The options of ``apply`` by name."""
_SOURCE_NAMES = {option.name.lower(): option.name for option in OPTIONS.values()}


def _stated(given: Any, table: Mapping[str, RunOption]) -> dict[str, StatedValue]:
    """Return the options of a file or a mapping by name. Raises BadOption."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {str(name): StatedValue(value, "") for name, value in given.items()}
    if not isinstance(given, str | os.PathLike):
        raise BadOption(f"options takes the path of a file or a mapping, not {str(given)[:80]!r}")
    stated = options_in(given)
    for name, stated_value in stated.items():
        if name in table and not table[name].is_in_file:
            raise BadOption(f"{stated_value.where}{name} is for Python alone")
    return stated


def read_value(name: str, kind: ValueType, stated: StatedValue) -> Any:
    """Return the value that is given for an option. Raises BadOption if it is none of its type."""
    try:
        return kind.read(stated.value)
    except _Wrong as error:
        raise BadOption(f"{stated.where}{name}: {error}") from None
    except (ValueError, TypeError):
        raise BadOption(f"{stated.where}{name} takes {kind.wants}, not {str(stated.value)[:80]!r}") from None


def options_in(path: str | os.PathLike[str]) -> dict[str, StatedValue]:
    """Return the options in a file by name. Raises BadOption if it cannot be read, or is not such a file."""
    shown = place(os.fspath(path))
    try:
        text = _text(Path(path))
        return _Options(shown, yaml.parse(text)).options()
    except (OSError, ValueError) as error:
        problem = error.strerror if isinstance(error, OSError) else str(error)
        raise BadOption(f"{shown}: {problem}") from None
    except ModuleNotFoundError as error:
        raise BadOption(f"{shown}: {error}; pip install 'logdump[apply]' has it") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it is not YAML"
        raise BadOption(f"{shown}{where}: {problem}") from None


def _text(path: Path) -> str:
    """Return the text of a file. Raises OSError, and ValueError if it is too large or not UTF-8."""
    with os.fdopen(open_script(path), "rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError("it has more than 1 MB, and is no file of options")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 at byte {error.start}") from None


class _Options:
    """The options among the events of a file, which are made one by one: what is refused ends the reading."""

    def __init__(self, shown: str, events: Iterator[Any]) -> None:
        self._shown, self._events = shown, events

    def options(self) -> dict[str, StatedValue]:
        """Return the options by name. Raises BadOption, and errors of yaml."""
        options: dict[str, StatedValue] = {}
        for event in self._events:
            name = type(event).__name__
            if name == "DocumentStartEvent":
                first = next(self._events)
                if type(first).__name__ == "ScalarEvent" and not first.value and first.style is None:
                    continue
                if type(first).__name__ != "MappingStartEvent":
                    self._refuse(first, f"it is {_NAMES.get(type(first).__name__, 'an alias')}, not options by name")
                if options:
                    self._refuse(first, "a second document begins")
                self._check(first)
                options = {key: StatedValue(value, where) for key, value, where in self._pairs(1)}
        return options

    def _pairs(self, depth: int) -> Iterator[tuple[str, Any, str]]:
        """Yield the keys and values of a mapping up to its end, each with the place of the key."""
        keys: set[str] = set()
        while (event := next(self._events)) and type(event).__name__ != "MappingEndEvent":
            self._check(event)
            if type(event).__name__ != "ScalarEvent":
                self._refuse(event, "a name is a list or a mapping")
            if event.value in keys:
                self._refuse(event, f"{event.value[:80]} stands twice")
            keys.add(event.value)
            yield event.value, self._value(next(self._events), depth), self._where(event)

    def _value(self, event: Any, depth: int) -> Any:
        self._check(event)
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return None if event.style is None and event.value in ("", "~") else event.value
        if depth >= _DEEPEST:
            self._refuse(event, "lists and mappings are too deep in each other")
        if kind == "MappingStartEvent":
            return {key: value for key, value, _ in self._pairs(depth + 1)}
        values = []
        while (entry := next(self._events)) and type(entry).__name__ != "SequenceEndEvent":
            values.append(self._value(entry, depth + 1))
        return values

    def _check(self, event: Any) -> None:
        """Refuse what a file of options does not have."""
        if type(event).__name__ == "AliasEvent" or event.anchor is not None:
            self._refuse(event, "an anchor or an alias (& or *): write the value itself, a name with * in quotes")
        if event.tag is not None:
            self._refuse(event, "a tag (!): write the value alone")

    def _where(self, event: Any) -> str:
        return f"{self._shown}, line {event.start_mark.line + 1}: "

    def _refuse(self, event: Any, problem: str) -> None:
        raise BadOption(f"{self._where(event)}{problem}")


class ApplyArguments(TypedDict, total=False):
    """The arguments of ``apply`` beside the trail, the target and the tables, by either driver.

    :class:`RunOptions` says what each means. ``options`` is the path of a file of YAML that has more of them, or a
    mapping. ``undecodable``, an option of the data source: with ``null`` a value that does not decode leaves its column
    in the target as it is; otherwise it stops.
    """

    options: str | os.PathLike[str] | Mapping[str, Any] | None
    once: bool
    interval: float
    from_csn: str | int | None
    adopt: str | int | None
    keys: Mapping[str, Sequence[str]] | None
    create: bool
    collisions: str
    ddl: str | DdlHandler
    evolve: str
    columns: Mapping[str, Sequence[str]] | None
    rename: Mapping[str, Mapping[str, str]] | None
    mask: Mapping[str, Mapping[str, Any]] | None
    errors: str
    write: str
    deletes: str
    load: str | Mapping[str, Any] | None
    load_csn: str | int | None
    load_snapshot: str | None
    batch: str
    patience: float
    progress: Callable[[ApplyProgress], object] | None
    stop: threading.Event | None
    undecodable: str
