"""What a user reads when a FILTER is refused, word for word."""

from __future__ import annotations

import pytest

from logdump.filters import FilterError
from logdump.filters.criteria import option_words
from trailformat.codec.tokens import GGS_TOKENS

from .subjects import filters, tell

OPTIONS = ", ".join(option_words())
STATEMENTS = {
    "INCLUDE": "INCLUDE needs an option, as in FILTER INCLUDE FILENAME hr.*",
    "INC": "INCLUDE needs an option, as in FILTER INCLUDE FILENAME hr.*",
    "exclude": "EXCLUDE needs an option, as in FILTER EXCLUDE FILENAME hr.*",
    "EXCLUDE INCLUDE RECTYPE 5": "a FILTER is INCLUDE or EXCLUDE, not both",
    "EXCLUDE SHOW": "SHOW is for the whole filter; write FILTER SHOW",
    "SHOW ALL": "SHOW takes no value, found 'ALL'",
    "INC ON": "ENABLE is for the whole filter; write FILTER ENABLE",
    "ON RECTYPE 5": "ENABLE takes no value, found 'RECTYPE 5'",
    "ENABLE 5": "ENABLE takes no value, found '5'",
    "EXC OFF": "DISABLE is for the whole filter; write FILTER DISABLE",
    "DISABLE x": "DISABLE takes no value, found 'x'",
    "MATCH": "MATCH takes ANY or ALL, found ''",
    "EXCLUDE MATCH some": "MATCH takes ANY or ALL, found 'some'",
    "CLEAR FILE hr.*": "CLEAR allows no value, found 'hr.*'; write FILTER CLEAR FILENAME",
    'CLEAR STRING "Denver"': "CLEAR allows no value, found '\"Denver\"'; write FILTER CLEAR STRING",
    "CLEAR 0": "no criterion '0'; SHOW FILTER lists them, FILTER CLEAR ALL removes all",
    "CLEAR hr.* x y": (
        "CLEAR allows no value, found 'x y'; write FILTER CLEAR <option>, FILTER CLEAR <filterid> or FILTER CLEAR ALL"
    ),
    "CLEAR HEX-0": "no criterion 'HEX-0'; SHOW FILTER lists them, FILTER CLEAR ALL removes all",
    "FILENMAE hr.*": "FILTER has no option FILENMAE; did you mean FILENAME or FILE?",
    "INT8 5": "FILTER has no option INT8; did you mean INT64 or INT32?",
    "EXCLUDE CLEAR Filename-0": "no criterion 'Filename-0'; SHOW FILTER lists them, FILTER CLEAR ALL removes all",
    "SHWO": "FILTER has no option SHWO; did you mean SHOW?",
    "hr.*": f"FILTER has no option HR; there are {OPTIONS}",
    "??\x1b": rf"FILTER has no option '??\x1b'; there are {OPTIONS}",
    "Z" * 50: f"FILTER has no option {'Z' * 32}; there are {OPTIONS}",
    "x" * 16385: "a FILTER of 16385 characters, at most 16384 are allowed",
}
SYNTAX = {
    "RECTYPE": "<type number | type name> [, ...]",
    "FILENAME": "<template> [, <template>] ...",
    "ANSINAME": "<name> [, <name>] ...",
    "STRING": '[BOTH] [B,]"<text>" [<column range>] [, ...] | STRING [BOTH] /<text>/ [<column range>]',
    "HEX": '"<hex string>" [<column range>] [, ...]',
    "INT16": "<16-bit integer>",
    "INT32": "<32-bit integer>",
    "INT64": "<64-bit integer>",
    "STARTTIME": "[[yy]yy-mm-dd] [hh[:mm][:ss]]",
    "ENDTIME": "[[yy]yy-mm-dd] [hh[:mm][:ss]]",
    "CSN": "| LogCSN [<comparison>] <value>",
    "GGSTOKEN": "<tokenname> [<comparison>] [<tokenvalue>]",
    "USERTOKEN": "<tokenname> [<comparison>] [<tokenvalue>]",
    "RBA": "[<comparison>] <nnnnnnnn>",
    "RECLEN": "[<comparison>] <nn>",
    "TRANSIND": "[<comparison>] <nn | FIRST | MIDDLE | LAST | ONLY>",
    "VALUE": "[BEFORE | AFTER] <column> {= | <> | < | <= | > | >= | LIKE} {<value> | NULL}",
    "PROCESS": "<processname template>",
    "TRANSID": "<TMF transaction identifier>",
}
X40 = f"'{'x' * 40}...'"
MANY = ",".join("a" * 33)
CSN_FORMS = "write a number, 0.2623161, 4:1095, 00000000/05002818 or 00000d7e:0000036b:01bd"
VALUES = {
    "RECLEN": "a value is missing",
    "RECLEN >": "a value is missing",
    "RECLEN 1.5": "'1.5' is not a whole number",
    "RECLEN 0x": "'0x' is not a whole number",
    "RECLEN \x1b[2J": r"'\x1b[2J' is not a whole number",
    f"RECLEN {'9' * 5000}": f"'{'9' * 40}...' is not a whole number",
    "RECLEN 5; RECTYPE 5": (
        "'5; RECTYPE 5' is more than one word; put a value with blanks in quotes; each criterion needs its own FILTER"
    ),
    "RECLEN a b": "'a b' is more than one word; put a value with blanks in quotes",
    "RECLEN > 1 <": "two operators, > and <; one comparison is allowed",
    "RECLEN => 1": "no operator '=>'; there are = == EQ < LT <= LE > GT >= GE <> != NE",
    "RECLEN abc": "'abc' is not a whole number",
    f"RECLEN {'x' * 40}": f"'{'x' * 40}' is not a whole number",
    f"RECLEN {'x' * 41}": f"{X40} is not a whole number",
    "RBA 100 >= 200 <=": "'100 >= 200' is more than one word; put a value with blanks in quotes",
    "RBA -1": "-1 is outside 0 to 18446744073709551615",
    "RBA 18446744073709551616": "18446744073709551616 is outside 0 to 18446744073709551615",
    "INT16": "a value is missing",
    "INT16 > 5": "'> 5' is more than one word; put a value with blanks in quotes",
    "INT64 0x1ffffffffffffffff": "'0x1ffffffffffffffff' is not a whole number",
    "INT16 65536": "65536 is outside -32768 to 65535",
    "INT16 -32769": "-32769 is outside -32768 to 65535",
    "INT32 4294967296": "4294967296 is outside -2147483648 to 4294967295",
    "INT64 -9223372036854775809": "-9223372036854775809 is outside -9223372036854775808 to 18446744073709551615",
    "TRANSIND second": "no word 'second'; there are FIRST MIDDLE LAST END ONLY WHOLE",
    "TRANSIND 2x": "'2x' is not a whole number",
    "RECTYPE Delet, Insert": "no record type 'Delet'; nearest: Delete",
    "RECTYPE ": "a value is missing",
    "RECTYPE 256": "no record type '256'; SHOW RECTYPE lists them",
    "RECTYPE -1": "no record type '-1'; SHOW RECTYPE lists them",
    f"RECTYPE {'9' * 5000}": f"no record type '{'9' * 40}...'; SHOW RECTYPE lists them",
    "RECTYPE FileCreat": "no record type 'FileCreat'; nearest: FileCreate, FileRename, FilePurge",
    "RECTYPE 5 MATCH ALL": (
        "no record type '5 MATCH ALL'; SHOW RECTYPE lists them; each criterion needs its own FILTER"
    ),
    "RECTYPE xyzzy": "no record type 'xyzzy'; SHOW RECTYPE lists them",
    f"RECTYPE {'x' * 65}": f"no record type {X40}; SHOW RECTYPE lists them",
    "FILENAME": "a value is missing",
    "FILENAME a,,b": "a value is missing",
    "FILENAME a,": "a value is missing",
    "FILENAME 'a": "the quote ' is not closed",
    "FILENAME ''": "a name has 1 to 1024 characters",
    f"ANSINAME {'x' * 1025}": "a name has 1 to 1024 characters",
    "FILENAME a b": "'a b' is more than one name; separate names with commas",
    f"FILENAME {MANY}": "33 values, at most 32 are allowed",
    "FILENAME a RECTYPE 5": (
        "'a RECTYPE 5' is more than one name; separate names with commas; each criterion needs its own FILTER"
    ),
    "ANSINAME a HEX 00": (
        "'a HEX 00' is more than one name; separate names with commas; each criterion needs its own FILTER"
    ),
    "FILENAME a, b match; ALL": (
        "'b match; ALL' is more than one name; separate names with commas; each criterion needs its own FILTER"
    ),
    "STRING": "a value is missing",
    "STRING New York": "unexpected 'York'; a value with blanks must be in quotes",
    'STRING "New" York': "unexpected 'York'; a value with blanks must be in quotes",
    'STRING "New York': "cannot read '\"New York'",
    "STRING BOTH": "a value is missing",
    "STRING //": "a value is empty",
    'STRING "a" ""': "a value is empty",
    'STRING "a",': "a value is missing",
    'STRING "Denver" 10:14': "6 bytes cannot be found in Col 10:14; write 10:15 or more",
    'STRING "Denver" 3:1': "the column range 3:1 ends before it starts",
    'STRING "Denver" 0:': "'0:' is not a column range; write <start>:<end>, as in 0:231",
    f"STRING {'x' * 4001}": "a value of 4001 bytes, at most 4000 are allowed",
    f"STRING {MANY}": "33 values, at most 32 are allowed",
    "STRING \ud800": r"'\ud800' is not text",
    "HEX": "a value is missing",
    "HEX 4BF6,": "a value is missing",
    'HEX ""': "a value is empty",
    'HEX "4BF6': "cannot read '\"4BF6'",
    "HEX 4BF6 0001 0:3": "unexpected '0:3'; a value with blanks must be in quotes",
    "HEX 4BF6 5": "2 bytes cannot be found in Col 5:5; write 5:6 or more",
    f"HEX {'00' * 4001}": "a value of 4001 bytes, at most 4000 are allowed",
    "HEX zz": "'zz' is not a hex string; two digits make a byte",
    "HEX 4BF": "'4BF' is not a hex string; two digits make a byte",
    'HEX "0x"': "a hex string is missing",
    'HEX B,"00"': "a hex string is missing",
    "STARTTIME": ("a time is [[yy]yy-mm-dd] [hh[:mm][:ss]] or ISO 8601, yyyy-mm-ddThh:mm:ss with Z or +hh:mm, not ''"),
    "STARTTIME whenever": (
        "a time is [[yy]yy-mm-dd] [hh[:mm][:ss]] or ISO 8601, yyyy-mm-ddThh:mm:ss with Z or +hh:mm, not 'whenever'"
    ),
    f"STARTTIME {'x' * 65}": f"{X40} is not a time",
    "ENDTIME 2024-02-30": "'2024-02-30' does not exist: the day is 1 to 29",
    "CSN": "a value is missing",
    "CSN >=": "a value is missing",
    "CSN 1 2": "'1 2' is more than one word; put a value with blanks in quotes",
    "CSN abc": f"'abc' is not a CSN; {CSN_FORMS}",
    "GGSTOKEN": "the name of a token is missing",
    "GGSTOKEN TRANID a b": "'a b' is more than one word; put a value with blanks in quotes",
    "GGSTOKEN >= 5": "the name of a token is missing",
    "GGSTOKEN ROWID": f"no token 'ROWID'; write {', '.join(GGS_TOKENS.values())} or an id as x52",
    "GGSTOKEN vamseqid": "the id of token VAMSEQID is not known; write the id that GGSTOKEN DETAIL shows, as x52",
    "GGSTOKEN TRANID >=": "a value is missing",
    "GGSTOKEN LOGCSN abc": f"'abc' is not a CSN; {CSN_FORMS}",
    'USERTOKEN ""': "the name of a token is missing",
    "VALUE": "'' is not a comparison of a column",
    "VALUE PRICE": "'PRICE' is not a comparison of a column",
    "VALUE > 1": "'> 1' is not a comparison of a column",
    "VALUE AGE 5": "'AGE 5' is not a comparison of a column",
    "VALUE PRICE >": "a value is missing",
    "VALUE PRICE => 5": "no operator '=>'; there are = == EQ < LT <= LE > GT >= GE <> != NE",
    "VALUE PRICE ! 5": "no operator '!'; there are = == EQ < LT <= LE > GT >= GE <> != NE",
    "VALUE NOTE = 'it's'": "''it's'' is not closed by the quote it begins with; a quote inside is doubled",
    'VALUE NOTE = "leaf': "'\"leaf' is not closed by the quote it begins with; a quote inside is doubled",
    "VALUE PRICE >= null": "NULL is compared by = and <> only",
    f"VALUE {'x' * 1025} = 1": "a name has 1 to 1024 characters",
    "PROCESS $EXT1": "a NonStop option, not available here; the bytes it looks at are not documented",
    "TRANSID 2.17": "a NonStop option, not available here; the bytes it looks at are not documented",
}


@pytest.mark.parametrize("statement", STATEMENTS, ids=lambda text: ascii(text[:40]))
def test_a_statement_that_cannot_be(statement: str) -> None:
    made = filters("FILENAME hr.*", "EXCLUDE MATCH ALL", "OFF")
    with pytest.raises(FilterError) as refusal:
        tell(made, statement)
    assert str(refusal.value) == STATEMENTS[statement]
    assert made == filters("FILENAME hr.*", "EXCLUDE MATCH ALL", "OFF")


@pytest.mark.parametrize("statement", VALUES, ids=lambda text: ascii(text[:40]))
def test_an_option_whose_values_cannot_be(statement: str) -> None:
    keyword = statement.split(maxsplit=1)[0]
    with pytest.raises(FilterError) as refusal:
        filters(statement)
    assert str(refusal.value) == f"{keyword}: {VALUES[statement]}. Syntax: FILTER {keyword} {SYNTAX[keyword]}"


@pytest.mark.parametrize(
    "statement",
    [
        f"{'RECTYPE 5':<16384}",
        f"STRING {'x' * 4000}",
        f"STRING {MANY[2:]}",
        'STRING "Denver" 10:15',
        f"FILENAME {MANY[2:]}",
        f"FILENAME {'x' * 1024}",
        "FILENAME x",
        f"VALUE {'x' * 1024} = 1",
        "VALUE x = 1",
        "INT16 -32768",
        "INT16 65535",
        "INT64 -9223372036854775808",
        "RBA 0xffffffffffffffff",
        "RBA 00000000000000000001",
        f"STARTTIME {'2024-03-14':<54}09:00:00.0",
    ],
    ids=lambda text: ascii(text[:40]),
)
def test_what_is_just_allowed_is_taken(statement: str) -> None:
    assert len(filters(statement).include.criteria) == 1
