"""The reader of parameter files: from the statements of a file to its tree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from difflib import get_close_matches
from pathlib import Path

from logdump.parameters.model import ParameterError, ParameterPlace, ProcessSide, Rule
from logdump.parameters.names import NamePart, NamePattern
from logdump.parameters.not_used import why_of_no_use
from logdump.parameters.statements import ParameterStatement, Words, statements
from logdump.parameters.tree import (
    Clause,
    ClauseOption,
    Ddl,
    DdlOption,
    ErrorRule,
    Exclusion,
    Node,
    Other,
    OutputTrail,
    ParameterFile,
    Substitution,
    Switch,
    Taker,
)

_BEGINNINGS = {"INCLUDE": True, "EXCLUDE": False}


def _plain(_words: Words, word: str) -> ClauseOption:
    return ClauseOption(word)


def _string(words: Words, word: str) -> ClauseOption:
    return ClauseOption(word, (words.string(word),))


def _choice(words: Words, word: str) -> ClauseOption:
    """Read a word or text, or several in parentheses, as for MySQL; a value that no database has is unknown."""
    values = words.group() or (words.word_or_string(word),)
    spelled = ((value, " ".join(value.upper().split())) for value in values)
    wrong = next((value for value, plain in spelled if plain != "*" and plain not in _VALUES[word]), None)
    return ClauseOption(word, values, unknown="" if wrong is None else f"{word} {unknown_word(wrong, _VALUES[word])}")


def unknown_word(word: str, known: Iterable[str]) -> str:
    """Return ``CREAT is not known; did you mean CREATE?``; without a near word only that it is not known."""
    near = get_close_matches(word.upper(), list(known), n=1, cutoff=_NEAR)
    return f"{word} is not known{f'; did you mean {near[0]}?' if near else ''}"


def _name(words: Words, word: str) -> ClauseOption:
    return ClauseOption(word, names=words.names(word))


def _actions(words: Words, word: str) -> ClauseOption:
    return ClauseOption(word, words.group())


_NEAR, _NEARER = 0.75, 0.85
"""How alike the nearest word is: where every word is known, and where there may be others."""
_OPERATIONS = frozenset(
    (  # noqa: SIM905 - a list of that length would fill a page
        "CREATE ALTER DROP RENAME TRUNCATE COMMENT GRANT REVOKE ANALYZE AUDIT NOAUDIT ASSOCIATE DISASSOCIATE FLASHBACK "
        "PURGE REPLACE REFRESH REASSIGN REINDEX CLUSTER SECURITY UNDROP"
    ).split()
)
"""The DDL operations of databases."""
_LONG_TYPES = (
    *("MATERIALIZED VIEW", "MATERIALIZED VIEW LOG", "SNAPSHOT LOG", "DATABASE LINK", "PUBLIC DATABASE LINK"),
    *("PACKAGE BODY", "TYPE BODY", "PUBLIC SYNONYM", "FOREIGN TABLE", "ROLLBACK SEGMENT", "EVENT TRIGGER"),
    *("FLASHBACK ARCHIVE", "PFILE", "SPFILE", "CONTROLFILE", "TEXT SEARCH", "FOREIGN DATA WRAPPER", "USER MAPPING"),
)
_TYPES = frozenset(
    (  # noqa: SIM905 - a list of that length would fill a page
        "TABLE INDEX TRIGGER SEQUENCE VIEW FUNCTION PACKAGE PROCEDURE SYNONYM TYPE CLUSTER USER ROLE DATABASE SNAPSHOT "
        "SCHEMA TABLESPACE PROFILE DIRECTORY EVENT DOMAIN EXTENSION OPERATOR CONTEXT LIBRARY JAVA OUTLINE DIMENSION "
        "INDEXTYPE EDITION DISKGROUP AGGREGATE CAST COLLATION CONVERSION LANGUAGE PUBLICATION SUBSCRIPTION RULE POLICY "
        "SERVER STATISTICS TRANSFORM GROUP SESSION SYSTEM COLUMN"
    ).split()
) | set(_LONG_TYPES)
"""The types of objects of databases."""
_VALUES = {"OPTYPE": _OPERATIONS, "OBJTYPE": _TYPES}

_OPTIONS: dict[str, Callable[[Words, str], ClauseOption]] = {
    **dict.fromkeys(
        ("MAPPED", "UNMAPPED", "OTHER", "ALL", "ALLCATALOGS", "ALLOWEMPTYOBJECT", "ALLOWEMPTYOWNER", "STAYMETADATA"),
        _plain,
    ),
    **dict.fromkeys(("INSTR", "INSTRWORDS", "INSTRCOMMENTS", "INSTRCOMMENTSWORDS"), _string),
    **dict.fromkeys(("OPTYPE", "OBJTYPE"), _choice),
    **dict.fromkeys(("OBJNAME", "SOURCECATALOG"), _name),
    **dict.fromkeys(("EVENTACTIONS", "EVENTACTION"), _actions),
}
"""Readers of the operands of each option."""


def rule_at(place: ParameterPlace, text: str) -> Rule:
    """Return the statement at a position as a rule; a long text is cut."""
    return Rule(place.path, place.line, text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


_LONGEST = 1000


def begins_clause(words: Words) -> bool:
    """Return True if a clause begins here."""
    return words.peek() in _BEGINNINGS


def read_clause(words: Words, stops: Collection[str] = ()) -> Clause:
    """Read the clause that begins here, up to the next, to one of ``stops``, or to the end.

    A word that is not an option is kept as an unknown option, with the words in parentheses after it.
    """
    place, begin = words.place, words.at
    includes = _BEGINNINGS[words.take().text.upper()]
    options = list[ClauseOption]()
    while not words.is_at_end and not begins_clause(words) and words.peek() not in stops:
        word, line = words.peek(), words.place.line
        if word in _OPTIONS:
            words.take()
            option = _OPTIONS[word](words, word)
        else:
            written = words.take().written
            option = ClauseOption(
                written, words.group(), unknown=unknown_word(written, (*_OPTIONS, *_BEGINNINGS, *stops))
            )
        options.append(option._replace(line=line))
    return Clause(includes, tuple(options), rule_at(place, words.text_since(begin)))


def read_clauses(words: Words, stops: Collection[str] = ()) -> tuple[Clause, ...]:
    """Read all clauses from here on."""
    clauses = []
    while begins_clause(words):
        clauses.append(read_clause(words, stops))
    return tuple(clauses)


_RESPONSES = frozenset({"IGNORE", "DISCARD", "ABEND"})
_WITH_VALUE = frozenset({"MAXRETRIES", "RETRYDELAY"})
_OF_EXTRACT = frozenset({"RESTARTSKIP", "SKIPTRIGGERERROR", "RETRYDELAY"})
_ERROR_WORDS = _RESPONSES | _WITH_VALUE | {"RETRYOP", "IGNOREMISSINGOBJECTS", "ABENDONMISSINGOBJECTS"}
_PLAIN_OPTIONS = frozenset(
    (  # noqa: SIM905 - a list of that length would fill a page
        "MAPDERIVED NOMAPDERIVED MAPSCHEMAS GETREPLICATES IGNOREREPLICATES GETAPPLOPS IGNOREAPPLOPS IGNOREMAPPING "
        "UPDATEMETADATA REPORT NOREPORT REPLICATEPASSWORD NOREPLICATEPASSWORD CAPTUREGLOBALTEMPTABLE NOTAG "
        "NOCROSSRENAME WARNONLARGEDDL"
    ).split()
)
_TAKERS = frozenset({"TABLE", "FILE", "MAP"})
_EXCLUSIONS = frozenset({"TABLEEXCLUDE", "MAPEXCLUDE", "SCHEMAEXCLUDE", "CATALOGEXCLUDE"})
_TRAILS = frozenset({"EXTTRAIL", "RMTTRAIL", "EXTFILE", "RMTFILE"})
_TAKER_OPTIONS = frozenset(
    (  # noqa: SIM905 - a list of that length would fill a page
        "COLMAP COLS COLSEXCEPT FILTER WHERE SQLEXEC SQLPREDICATE KEYCOLS TOKENS EXCEPTIONSONLY MAPEXCEPTION THREAD "
        "THREADRANGE COORDINATED EVENTACTIONS PARTITION EXITPARAM FETCHCOLS FETCHCOLSEXCEPT GETBEFORECOLS COMPARECOLS "
        "FETCHMODCOLS FETCHMODCOLSEXCEPT RESOLVECONFLICT INSERTALLRECORDS DEF TARGETDEF REPERROR MAPALLCOLUMNS"
    ).split()
)
_SWITCHES = frozenset(
    (  # noqa: SIM905 - a list of that length would fill a page
        "EXCLUDEWILDCARDOBJECTSONLY PASSTHRU USEANSISQLQUOTES NOUSEANSISQLQUOTES TRANLOGOPTIONS USERID USERIDALIAS "
        "SOURCEDB INTEGRATEDPARAMS VAM GGSCHEMA"
    ).split()
)

_Values = tuple[tuple[str, ...], tuple[NamePattern, ...]]


class _Reading:
    """The state of reading one file: the effect of earlier statements on later ones."""

    def __init__(self) -> None:
        self.side: ProcessSide | None = None
        self.named_at: ParameterPlace | None = None
        self.group = ""
        self.catalog: NamePart | None = None
        self.ansi_quotes = True
        self.ddl: ParameterStatement | None = None
        self.host = 0
        self.notes: list[str] = []

    def words(self, statement: ParameterStatement) -> Words:
        """Return the words of a statement."""
        return Words(statement, ansi_quotes=self.ansi_quotes)

    def name(self, words: Words, what: str) -> NamePattern:
        """Read a name, in the catalog of SOURCECATALOG."""
        return words.name(what).in_catalog(self.catalog)


def read_parameters(path: Path, side: ProcessSide | None = None, *, ansi_quotes: bool = True) -> ParameterFile:
    """Return the tree of a file; its side is that of its EXTRACT or REPLICAT, unless it is given.

    Raises:
        ParameterError: the file cannot be read, has a syntax error, or does not name its side.
    """
    reading = _Reading()
    reading.ansi_quotes = ansi_quotes
    is_globals = side is ProcessSide.GLOBALS or (side is None and path.name.upper() == ProcessSide.GLOBALS.name)
    nodes = [node for statement in statements(path, may_include=not is_globals) for node in _nodes(reading, statement)]
    file_side = ProcessSide.GLOBALS if is_globals else side or reading.side
    if file_side is None:
        raise ParameterError(ParameterPlace(path, 1), "has neither EXTRACT nor REPLICAT: give the side after the file")
    return ParameterFile(path, file_side, reading.group, tuple(nodes), tuple(_notes(nodes, file_side, reading)))


def _nodes(reading: _Reading, statement: ParameterStatement) -> Iterator[Node]:
    rule = rule_at(statement.place, statement.text)
    read = _STATEMENTS.get(statement.keyword)
    if statement.keyword == "RMTHOST":
        reading.host = rule.line
    if read is None or (statement.runtime and statement.keyword not in _TAKES_RUNTIME):
        reason = f"{statement.runtime} is a value of the running process" if statement.runtime else ""
        yield Other(rule, statement.keyword, reason)
    else:
        yield from read(reading, statement, rule)


def _process(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read EXTRACT <group> or REPLICAT <group>."""
    if reading.side is not None and reading.side is not ProcessSide[statement.keyword]:
        raise ParameterError(
            statement.place, f"{statement.keyword}: the file is {reading.side.name}'s ({reading.named_at})"
        )
    reading.side, reading.named_at = ProcessSide[statement.keyword], statement.place
    reading.group = statement.lexemes[0].text if statement.lexemes else ""
    yield Switch(rule, statement.keyword, reading.group)


def _switch(_reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    yield Switch(rule, statement.keyword)


def _quotes(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read USEANSISQLQUOTES or NOUSEANSISQLQUOTES."""
    reading.ansi_quotes = statement.keyword == "USEANSISQLQUOTES"
    yield from _switch(reading, statement, rule)


def _source_catalog(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read SOURCECATALOG <catalog>."""
    name = reading.words(statement).name("SOURCECATALOG")
    reading.catalog = name.parts[-1]
    yield Switch(rule, statement.keyword, name.text, name.parts[-1])


def _ddl(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read DDL with its clauses; a second DDL is an error."""
    if reading.ddl is not None:
        raise ParameterError(statement.place, f"DDL: there is one at line {reading.ddl.place.line} already")
    reading.ddl = statement
    words = reading.words(statement)
    unknown = statement.runtime or None
    if unknown is None and not words.is_at_end and not begins_clause(words):
        unknown = words.take().written
    clauses = () if unknown else read_clauses(words)
    _check_excludes(clauses)
    yield Ddl(rule, clauses, unknown)


def _check_excludes(clauses: tuple[Clause, ...]) -> None:
    excluding = [clause for clause in clauses if not clause.includes]
    needs_include = [clause for clause in excluding if [option.word for option in clause.options] != ["ALL"]]
    if needs_include and len(excluding) == len(clauses):
        place = ParameterPlace(needs_include[0].rule.path, needs_include[0].rule.line)
        raise ParameterError(place, "DDL: EXCLUDE needs an INCLUDE, unless it is EXCLUDE ALL")


def _substitution(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read DDLSUBST 'string' WITH 'string' and its clauses."""
    words = reading.words(statement)
    search = words.string("DDLSUBST")
    if not words.keyword("WITH"):
        raise words.error("WITH is missing")
    replacement = words.string("WITH")
    if not search:
        raise words.error("an empty text cannot be replaced")
    clauses = read_clauses(words)
    unknown = statement.runtime or (None if words.is_at_end else words.take().written)
    yield Substitution(rule, search, replacement, clauses, unknown)


def _error_rule(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read DDLERROR of a Replicat: code, response, clauses; that of an Extract is kept as text."""
    words = reading.words(statement)
    if words.peek() in _OF_EXTRACT:
        yield Other(rule, statement.keyword)
        return
    code = words.word_or_string("DDLERROR").upper()
    error_words, clauses, unknown = list[str](), list[Clause](), statement.runtime
    while not words.is_at_end:
        if begins_clause(words):
            clauses.append(read_clause(words, _ERROR_WORDS))
        elif words.peek() in _ERROR_WORDS:
            word = words.take().text.upper()
            error_words.append(f"{word} {words.word_or_string(word)}" if word in _WITH_VALUE else word)
        else:
            word = words.take().written
            unknown = unknown or word
    response = next((word for word in error_words if word in _RESPONSES), "ABEND")
    yield ErrorRule(rule, error_code(code), response, tuple(error_words), tuple(clauses), unknown)


def error_code(text: str) -> str:
    """Return an error code as rules compare it: ``ORA-00942`` is 942."""
    digits = text.upper().removeprefix("ORA-").removeprefix("ORA")
    return str(int(digits)) if digits.isascii() and digits.isdigit() else text.upper()


def _ddl_options(reading: _Reading, statement: ParameterStatement, _rule: Rule) -> Iterator[Node]:
    """Read the options of DDLOPTIONS, each as a node."""
    words = reading.words(statement)
    while not words.is_at_end:
        place, begin = words.place, words.at
        word = words.peek()
        lexeme = words.take()
        none: _Values = ((), ())
        (values, names), is_known = none, word in _PLAIN_OPTIONS
        if word in _VALUED_OPTIONS:
            values, names = _VALUED_OPTIONS[word](words)
            is_known = True
        text = words.text_since(begin) if is_known else lexeme.written
        yield DdlOption(rule_at(place, f"DDLOPTIONS {text}"), word or lexeme.written, values, names, is_known)


def _remove_comments(words: Words) -> _Values:
    word = words.peek()
    if word not in ("BEFORE", "AFTER"):
        raise words.error("REMOVECOMMENTS takes BEFORE or AFTER")
    words.take()
    return (word,), ()


def _session_schema(words: Words) -> _Values:
    source = words.name("MAPSESSIONSCHEMA")
    if not words.keyword("TARGET"):
        raise words.error("MAPSESSIONSCHEMA takes a schema, TARGET and a schema")
    return (), (source, words.name("TARGET"))


def _add_trandata(words: Words) -> _Values:
    values = list[str]()
    while words.peek() in ("ABEND", "RETRYOP", "RETRYDELAY", "MAXRETRIES"):
        word = words.take().text
        values.append(word)
        if word.upper() in _WITH_VALUE:
            values.append(words.word_or_string(word))
    return tuple(values), ()


def _password(words: Words) -> _Values:
    """Read a password, its encryption algorithm and its key; none of them is kept."""
    words.word_or_string("DDLOPTIONS")
    if not words.is_at_end and (words.peek() == "BLOWFISH" or words.peek().startswith("AES")):
        words.take()
    if words.keyword("ENCRYPTKEY"):
        words.word_or_string("ENCRYPTKEY")
    return (), ()


def _password_alias(words: Words) -> _Values:
    words.word_or_string("DEFAULTUSERPASSWORDALIAS")
    if words.keyword("DOMAIN"):
        words.word_or_string("DOMAIN")
    return (), ()


def _level(words: Words) -> _Values:
    return (words.word_or_string("USEPASSWORDVERIFIERLEVEL"),), ()


_VALUED_OPTIONS: dict[str, Callable[[Words], _Values]] = {
    "REMOVECOMMENTS": _remove_comments,
    "MAPSESSIONSCHEMA": _session_schema,
    "ADDTRANDATA": _add_trandata,
    **dict.fromkeys(("DEFAULTUSERPASSWORD", "PASSWORD"), _password),
    "DEFAULTUSERPASSWORDALIAS": _password_alias,
    "USEPASSWORDVERIFIERLEVEL": _level,
}


def _taker(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read TABLE <name> …; or MAP <name>, TARGET <name> …;."""
    words = reading.words(statement)
    source = reading.name(words, statement.keyword)
    target, options, is_apart = None, list[str](), words.is_at_comma
    if words.keyword("TARGET"):
        target = words.name("TARGET")
        if not is_apart:
            reading.notes.append(f"{_at(rule)}: no comma is before TARGET")
    elif statement.keyword == "MAP":
        raise words.error("TARGET is missing")
    while not words.is_at_end:
        if words.peek() in _TAKERS and words.peek() == statement.keyword:
            raise words.error(f"another {statement.keyword} begins before a ;")
        if (option := words.peek()) in _TAKER_OPTIONS:
            options.append(option)
        elif near := get_close_matches(option, _TAKER_OPTIONS, n=1, cutoff=_NEARER):
            where = rule._replace(line=words.place.line)
            reading.notes.append(f"{_at(where)}: {unknown_word(option, near)}")
        words.take()
        words.group()
    yield Taker(rule, statement.keyword, source, target, tuple(dict.fromkeys(options)))


def _exclusion(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read TABLEEXCLUDE or a similar parameter, for one name or several."""
    words = reading.words(statement)
    is_table = statement.keyword in ("TABLEEXCLUDE", "MAPEXCLUDE")
    while not words.is_at_end:
        name = words.name(statement.keyword)
        yield Exclusion(rule, statement.keyword, name.in_catalog(reading.catalog) if is_table else name)


def _trail(reading: _Reading, statement: ParameterStatement, rule: Rule) -> Iterator[Node]:
    """Read EXTTRAIL <trail> or RMTTRAIL, EXTFILE, RMTFILE."""
    name = reading.words(statement).word_or_string(statement.keyword)
    yield OutputTrail(rule, statement.keyword, name, reading.host if statement.keyword.startswith("RMT") else 0)


def _notes(nodes: list[Node], side: ProcessSide, reading: _Reading) -> Iterator[str]:
    """Yield the reasons to doubt conclusions from the file."""
    for node in nodes:
        if isinstance(node, Taker | Exclusion | Other) and (why := why_of_no_use(node, side)):
            yield f"{_at(node.rule)}: {node.keyword} {why}"
        yield from (f"{_at(rule)}: {what}" for rule, what in _unknown_words(node))
    yield from reading.notes
    if side is not ProcessSide.GLOBALS and reading.side not in (None, side):
        yield f"the file itself is for {reading.side.title if reading.side else ''}"


def _unknown_words(node: Node) -> Iterator[tuple[Rule, str]]:
    """Yield the unknown words of a statement, each with its place; after one, only those with a near word."""
    rule = node.rule
    if isinstance(node, Ddl | Substitution | ErrorRule):
        for clause in node.clauses:
            before = ""
            for option in clause.options:
                if option.unknown and (not before or "did you mean" in option.unknown):
                    yield clause.rule._replace(line=option.line), option.unknown
                before = option.unknown
        if node.unknown is not None and not node.unknown.startswith("?"):
            known = _ERROR_WORDS if isinstance(node, ErrorRule) else ()
            yield rule, f"{rule.text.split()[0].upper()} {unknown_word(node.unknown, (*known, *_BEGINNINGS))}"
    elif isinstance(node, DdlOption) and not node.is_known:
        yield rule, f"DDLOPTIONS {unknown_word(node.word, (*_PLAIN_OPTIONS, *_VALUED_OPTIONS))}"
    elif isinstance(node, Other) and node.keyword not in _STATEMENTS:
        near = get_close_matches(node.keyword, _STATEMENTS, n=1, cutoff=_NEARER)
        yield from ((rule, unknown_word(node.keyword, near)) for _ in near)


def _at(rule: Rule) -> str:
    return f"{rule.path}, line {rule.line}"


_Read = Callable[[_Reading, ParameterStatement, Rule], Iterator[Node]]
_STATEMENTS: dict[str, _Read] = {
    **dict.fromkeys(_SWITCHES, _switch),
    **dict.fromkeys(("EXTRACT", "REPLICAT"), _process),
    **dict.fromkeys(("USEANSISQLQUOTES", "NOUSEANSISQLQUOTES"), _quotes),
    **dict.fromkeys(_TAKERS, _taker),
    **dict.fromkeys(_EXCLUSIONS, _exclusion),
    **dict.fromkeys(_TRAILS, _trail),
    "SOURCECATALOG": _source_catalog,
    "DDL": _ddl,
    "DDLSUBST": _substitution,
    "DDLOPTIONS": _ddl_options,
    "DDLERROR": _error_rule,
}
"""Readers of the statements that are used here, by keyword."""
_TAKES_RUNTIME = frozenset({"DDL", "DDLSUBST", "DDLERROR"})
"""Statements that are read even with a value known only at run time, which marks them as not evaluated."""
