"""Text in the character sets of source databases, through Python's codecs and four that Python lacks.

CESU-8 (Oracle's character set UTF8) is UTF-8 in which a character beyond U+FFFF is two surrogates of 3 bytes each.
EBCDIC 1047 is Latin-1 of z/OS: Python's code page 037 except for six bytes (compared with glibc's IBM1047): ``5f`` ^,
``ad`` [, ``b0`` ¬, ``ba`` Ý, ``bb`` ¨, ``bd`` ].
Oracle's JA16SJIS and JA16EUCTILDE are code page 932 and EUC-JP with the other one of U+301C and U+FF5E as wave dash.
"""

from __future__ import annotations

import codecs
import re
from functools import cache
from typing import NamedTuple

from trailformat.errors import BadData, CannotWrite, TrailError


class Charset(NamedTuple):
    """A character set: its name, and the codec of Python (or of this module) that decodes it; None if there is none."""

    name: str
    codec: str | None


DATABASE = -1
UNKNOWN = 0x20000000

_UNICODE = (
    "UTF-8=utf-8 UTF-16=utf-16-be UTF-16BE=utf-16-be UTF-16LE=utf-16-le UTF-32=utf-32-le UTF-32BE=utf-32-be "
    "UTF-32LE=utf-32-le UTF-EBCDIC CESU-8=cesu-8 UTF-7=utf-7 SCSU BOCU-1"
)
_SINGLE_BYTE = (
    "US-ASCII=ascii "
    "windows-1250=cp1250 windows-1251=cp1251 windows-1252=cp1252 windows-1253=cp1253 windows-1254=cp1254 "
    "windows-1255=cp1255 windows-1256=cp1256 windows-1257=cp1257 windows-1258=cp1258 windows-874=cp874 "
    "IBM437=cp437 IBM720=cp720 IBM737=cp737 IBM775=cp775 IBM850=cp850 IBM851 IBM852=cp852 IBM855=cp855 IBM856=cp856 "
    "IBM857=cp857 IBM858=cp858 IBM860=cp860 IBM861=cp861 IBM862=cp862 IBM863=cp863 IBM864=cp864 IBM865=cp865 "
    "IBM866=cp866 IBM867 IBM868 IBM869=cp869 "
    "ISO-8859-1=iso8859-1 ISO-8859-2=iso8859-2 ISO-8859-3=iso8859-3 ISO-8859-4=iso8859-4 ISO-8859-5=iso8859-5 "
    "ISO-8859-6=iso8859-6 ISO-8859-7=iso8859-7 ISO-8859-8=iso8859-8 ISO-8859-9=iso8859-9 ISO-8859-10=iso8859-10 "
    "ISO-8859-11=iso8859-11 ISO-8859-13=iso8859-13 ISO-8859-14=iso8859-14 ISO-8859-15=iso8859-15 "
    "ISO-8859-16=iso8859-16 "
    "IBM037=cp037 IBM1140=cp1140 IBM273=cp273 IBM1141 IBM277 IBM1142 IBM278 IBM1143 IBM280 IBM1144 IBM284 IBM1145 "
    "IBM285 IBM1146 IBM290 IBM297 IBM1147 IBM420 IBM424=cp424 IBM500=cp500 IBM1148 IBM870 IBM871 IBM918 IBM1149 "
    "IBM1047=cp1047 IBM803 IBM875=cp875 IBM924 IBM1153 IBM1122 IBM1157 IBM1112 IBM1156 IBM4899 IBM12712 IBM1097 "
    "IBM1018 IBM1132 IBM1137 IBM1025 IBM1154 IBM1026=cp1026 IBM1155 IBM1123 IBM1158 IBM838 IBM1160 IBM1130 IBM1164 "
    "IBM4517 IBM4971 IBM9067 IBM16804 "
    "KOI8-R=koi8-r KOI8-U=koi8-u TIS-620=tis-620 IBM1162 DEC-MCS hp-roman8=hp-roman8 IBM901 IBM902 IBM916 IBM922 "
    "IBM1006=cp1006 IBM1098 IBM1124 IBM1125=cp1125 IBM1129 IBM1131 IBM1133 IBM4909 JIS_X0201 KOI8-RU IBM1046 IBM274 "
    "IBM425 IBM5233"
)
_MULTI_BYTE = (
    "windows-932=cp932 windows-936=cp936 IBM942 windows-949=cp949 windows-950=cp950 EUC-JP=euc-jp IBM33722 "
    "EUC-CN=gb2312 EUC-KR=euc-kr EUC-TW "
    "IBM930 IBM933 IBM935 IBM937 IBM939 IBM1364 IBM1371 IBM1388 IBM1390 IBM1399 IBM5123 IBM8482 IBM13218 IBM16684 "
    "Shift_JIS=shift_jis gb18030=gb18030 GB2312=gb2312 GBK=gbk HZ-GB-2312=hz IBM1381 Big5=big5 Big5-HKSCS=big5hkscs "
    "Big5-HKSCS-2001=big5hkscs IBM950 IBM949 IBM949C IBM971 IBM1363 IBM1350 IBM837 EUC-JP-2007 EUC-TW-2014"
)
_ORACLE = (
    "ar8ados710t ar8ados710 ar8ados720t ar8ados720 ar8aptec715t ar8aptec715 ar8arabicmacs ar8arabicmact ar8arabicmac "
    "ar8asmo708plus ar8asmo8x ar8ebcdic420s ar8ebcdicx ar8hparabic8t ar8iso8859p6=iso8859-6 ar8mswin1256=cp1256 "
    "ar8mussad768t ar8mussad768 ar8nafitha711t ar8nafitha711 ar8nafitha721t ar8nafitha721 ar8sakhr706 ar8sakhr707t "
    "ar8sakhr707 ar8xbasic az8iso8859p9e bg8mswin=cp1251 bg8pc437s blt8cp921 blt8ebcdic1112s blt8ebcdic1112 "
    "blt8iso8859p13=iso8859-13 blt8mswin1257=cp1257 blt8pc775=cp775 bn8bscii cdn8pc863=cp863 ce8bs2000 "
    "cel8iso8859p14=iso8859-14 ch7dec cl8bs2000 cl8ebcdic1025c cl8ebcdic1025r cl8ebcdic1025s cl8ebcdic1025 "
    "cl8ebcdic1025x cl8ebcdic1158r cl8ebcdic1158 cl8iso8859p5=iso8859-5 cl8isoir111 cl8koi8r=koi8-r cl8koi8u=koi8-u "
    "cl8maccyrillics cl8maccyrillic=mac-cyrillic cl8mswin1251=cp1251 d7dec d7siemens9780x d8bs2000 d8ebcdic1141 "
    "d8ebcdic273=cp273 dk7siemens9780x dk8bs2000 dk8ebcdic1142 dk8ebcdic277 e7dec e7siemens9780x e8bs2000 ee8bs2000 "
    "ee8ebcdic870c ee8ebcdic870s ee8ebcdic870 ee8iso8859p2=iso8859-2 ee8macces ee8macce=mac-latin2 ee8maccroatians "
    "ee8maccroatian=mac-croatian ee8mswin1250=cp1250 ee8pc852=cp852 eec8euroasci eec8europa3 el8dec el8ebcdic423r "
    "el8ebcdic875r=cp875 el8ebcdic875s el8ebcdic875=cp875 el8gcos7 el8iso8859p7=iso8859-7 el8macgreeks "
    "el8macgreek=mac-greek el8mswin1253=cp1253 el8pc437s el8pc737=cp737 el8pc851 el8pc869=cp869 et8mswin923 f7dec "
    "f7siemens9780x f8bs2000 f8ebcdic1147 f8ebcdic297 hu8abmod hu8cwi2 i7dec i7siemens9780x i8ebcdic1144 i8ebcdic280 "
    "in8iscii is8macicelandics is8macicelandic=mac-iceland is8pc861=cp861 iw7is960 iw8ebcdic1086 iw8ebcdic424s "
    "iw8ebcdic424=cp424 iw8iso8859p8=iso8859-8 iw8machebrews iw8machebrew iw8mswin1255=cp1255 iw8pc1507=cp862 ja16dbcs "
    "ja16ebcdic930 ja16euctilde=ja16euctilde ja16euc=euc-jp ja16eucyen ja16macsjis ja16sjistilde=cp932 "
    "ja16sjis=ja16sjis ja16sjisyen ja16vms ko16dbcs ko16ksc5601=euc-kr ko16ksccs=johab ko16mswin949=cp949 "
    "la8iso6937 la8passport lt8mswin921 lt8pc772 lt8pc774 lv8pc1117 lv8pc8lr lv8rst104090 n7siemens9780x n8pc865=cp865 "
    "ndk7dec ne8iso8859p10=iso8859-10 nee8iso8859p4=iso8859-4 nl7dec ru8besta ru8pc855=cp855 ru8pc866=cp866 s7dec "
    "s7siemens9780x s8bs2000 s8ebcdic1143 s8ebcdic278 se8iso8859p3=iso8859-3 sf7ascii sf7dec th8macthais th8macthai "
    "th8tisascii=tis-620 th8tisebcdics th8tisebcdic timesten8 tr7dec tr8dec tr8ebcdic1026s tr8ebcdic1026=cp1026 "
    "tr8macturkishs tr8macturkish=mac-turkish tr8mswin1254=cp1254 tr8pc857=cp857 us7ascii=ascii us8bs2000 us8icl "
    "us8pc437=cp437 vn8mswin1258=cp1258 vn8vn3 we8bs2000e we8bs2000l5 we8bs2000 we8dec we8dg we8ebcdic1047e "
    "we8ebcdic1047=cp1047 we8ebcdic1140c we8ebcdic1140=cp1140 we8ebcdic1145 we8ebcdic1146 we8ebcdic1148c we8ebcdic1148 "
    "we8ebcdic284 we8ebcdic285 we8ebcdic37c we8ebcdic37=cp037 we8ebcdic500c we8ebcdic500=cp500 we8ebcdic871 "
    "we8ebcdic924 we8gcos7 we8hp we8icl we8iso8859p15=iso8859-15 we8iso8859p1=iso8859-1 we8iso8859p9=iso8859-9 "
    "we8isoicluk we8macroman8s we8macroman8=mac-roman we8mswin1252=cp1252 we8ncr4970 we8nextstep we8pc850=cp850 "
    "we8pc858=cp858 we8pc860=cp860 we8roman8=hp-roman8 yug7ascii zhs16cgb231280=gb2312 zhs16dbcs zhs16gbk=gbk "
    "zhs16maccgb231280 zht16big5=big5 zht16ccdc zht16dbcs zht16dbt zht16hkscs31=big5hkscs zht16hkscs=big5hkscs "
    "zht16mswin950=cp950 zht32euc zht32sops zht32tris"
)


def _numbered(start: int, entries: str) -> dict[int, Charset]:
    pairs = (entry.partition("=") for entry in entries.split())
    return {number: Charset(name, codec or None) for number, (name, _, codec) in enumerate(pairs, start)}


CHARSETS = (
    _numbered(0, _UNICODE) | _numbered(1000, _SINGLE_BYTE) | _numbered(5000, _MULTI_BYTE) | _numbered(10000, _ORACLE)
)
"""Character sets by number."""

BY_NAME = {charset.name.upper(): number for number, charset in CHARSETS.items()}
"""Numbers by name in capitals."""


UTF_8 = "utf-8"
CESU_8 = "cesu-8"
CODE_PAGE_1047 = "cp1047"
_WAVE_DASHES = {"ja16sjis": ("cp932", "\uff5e", "\u301c"), "ja16euctilde": ("euc-jp", "\u301c", "\uff5e")}
"""Oracle's Japanese sets that differ from a codec in one character: the codec, its character, and theirs.

JA16SJIS is the same as JA16SJISTILDE, and JA16EUCTILDE as JA16EUC, except for the wave dash and the tilde (Oracle's
list of character sets). Either character is written as the same two bytes.
"""
_UNPAIRED = re.compile("[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]")
_UNSIGNED = 1 << 32
_ASCII = bytes(range(128))
_SHIFTING = frozenset({"utf-7", "hz"})
"""Codecs in which ASCII characters can change the meaning of the bytes after them."""

_DIFFERENCES = {0x5F: "^", 0xAD: "[", 0xB0: "¬", 0xBA: "Ý", 0xBB: "¨", 0xBD: "]"}
_CODE_PAGE_037 = bytes(range(256)).decode("cp037")
EBCDIC_1047 = "".join(_DIFFERENCES.get(byte, character) for byte, character in enumerate(_CODE_PAGE_037))
"""The character of each byte in EBCDIC 1047."""


def codec_of(number: int, default: str = UTF_8) -> str:
    """Return the codec of a character set number; ``default`` for -1, the character set of the database.

    A set without a codec gets a name that :func:`decode` rejects with an error that names the set.
    """
    number = number - _UNSIGNED if number >= _UNSIGNED >> 1 else number
    if number == DATABASE:
        return default
    charset = CHARSETS.get(number)
    return (charset.codec or f"character set {charset.name}") if charset else f"character set {number}"


def charset_name(number: int) -> str:
    """Return the name of a character set as in definitions files; its number if it has none."""
    charset = CHARSETS.get(number)
    return charset.name if charset else str(number)


def codec_named(name: str) -> str | None:
    """Return the codec of a name such as ``windows-1252``, ``we8mswin1252`` or a Python codec; None if unknown."""
    number = BY_NAME.get(name.upper())
    if number is not None:
        return CHARSETS[number].codec
    try:
        return codecs.lookup(name).name if "".encode(name) == b"" else None
    except (LookupError, ValueError):
        return None


def decode(data: bytes, codec: str) -> str:
    """Return bytes as text.

    Raises:
        BadData: the bytes are invalid in the character set, a surrogate is unpaired (UTF-7 can encode one), or the
            character set is not supported.
    """
    try:
        if codec == UTF_8:
            return data.decode()
        if codec == CODE_PAGE_1047:
            return codecs.charmap_decode(data, "strict", EBCDIC_1047)[0]
        if codec == CESU_8:
            return _from_cesu(data)
        if codec in _WAVE_DASHES:
            base, theirs, own = _WAVE_DASHES[codec]
            return data.decode(base).replace(theirs, own)
        return _whole(data.decode(codec))
    except UnicodeEncodeError:
        raise BadData(f"not {codec}: unpaired surrogate") from None
    except UnicodeDecodeError as error:
        bad_bytes = data[error.start : error.start + 4].hex()
        raise BadData(f"not {codec} from byte {error.start} on", found=bad_bytes) from None
    except (LookupError, ValueError):
        raise BadData(f"{codec} is not supported") from None


def _from_cesu(data: bytes) -> str:
    """Return CESU-8 as text; raise UnicodeDecodeError at the first byte of an unpaired surrogate."""
    text = data.decode(UTF_8, "surrogatepass")
    if (unpaired := _UNPAIRED.search(text)) is not None:
        start = len(text[: unpaired.start()].encode(UTF_8, "surrogatepass"))
        raise UnicodeDecodeError(CESU_8, data, start, start + 3, "unpaired surrogate")
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


@cache
def keeps_ascii(codec: str) -> bool:
    """Return True if bytes below 80 are ASCII in a character set, each on its own."""
    try:
        return codec not in _SHIFTING and decode(_ASCII, codec) == _ASCII.decode("ascii")
    except TrailError:
        return False


def _whole(text: str) -> str:
    """Return the text; raise UnicodeEncodeError for an unpaired surrogate, which codecs but UTF-8 may let through."""
    if not text.isascii():
        text.encode(UTF_8)
    return text


def encode(text: str, codec: str) -> bytes:
    """Return text as bytes.

    Raises:
        CannotWrite: the character set lacks a character, or is not supported.
    """
    try:
        if codec == CODE_PAGE_1047:
            return bytes(EBCDIC_1047.index(character) for character in text)
        if codec == CESU_8:
            units = text.encode("utf-16-le")
            pairs = (units[start : start + 2].decode("utf-16-le", "surrogatepass") for start in range(0, len(units), 2))
            return "".join(pairs).encode(UTF_8, "surrogatepass")
        if codec in _WAVE_DASHES:
            base, theirs, own = _WAVE_DASHES[codec]
            return text.replace(own, theirs).encode(base)
        return text.encode(codec)
    except (LookupError, ValueError):
        raise CannotWrite(f"text does not fit into {codec}") from None
